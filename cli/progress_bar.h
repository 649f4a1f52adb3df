/* SPDX-License-Identifier: Apache-2.0
 *
 * The progress bar: one line on standard error, only on a terminal, that wipes itself. */
#ifndef HOPLITE_CLI_PROGRESS_BAR_H
#define HOPLITE_CLI_PROGRESS_BAR_H

#include "hoplite/context.h"

typedef struct progress_bar {
    bool wanted;  /* a live terminal, and not --quiet */
    bool lines;   /* no terminal, but --progress: a line of its own each time */
    bool visible; /* something of ours stands on the line */
    double next_draw;
    char phase[48];
    double phase_began;
    uint64_t phase_first; /* `done` when the phase was first seen */
} progress_bar;

/* `lines`: also where there is no terminal, as lines, fewer of them. */
void bar_init(progress_bar *bar, bool wanted, bool lines);
void bar_update(progress_bar *bar, const hop_progress *progress);
/* Before anything else is written to the terminal, and at the end. */
void bar_wipe(progress_bar *bar);

/* The line itself, for `columns` columns, without escape sequences: separate for the tests' sake.
 * `elapsed` is the time since the phase began. Returns `line`. */
enum { BAR_BYTES = 1024 };
char *bar_compose(char line[BAR_BYTES], const hop_progress *progress, double elapsed,
                  uint64_t first, unsigned columns, bool utf8);

#endif
