/* SPDX-License-Identifier: Apache-2.0
 *
 * Text in parallel: each thread reads a chunk of whole lines, counts what is in it, learns what is
 * in all the chunks before, and parses it, all while the chunk is in that thread's cache.
 *
 * Chunks are numbered in the order of the text. After counting, a thread waits for its
 * predecessor's sums, adds its own and passes them on. That is short, since counting is some ten
 * times faster than parsing; there are no other meetings of the threads. Plain files are read at
 * any offset, by all threads at once. gzip and streams come in order: one thread decompresses the
 * next chunk while others parse. What comes in order is cut behind the last whole row.
 *
 * A chunk that cannot be parsed now (no room, a number that does not fit, a malformed line) is
 * held: its thread keeps it and stops, the others stop when they have finished theirs, and the
 * caller looks at the first chunk that is held. Either it fails, or it makes room and runs the flow
 * again: held chunks are then parsed again and the flow goes on. */
#ifndef HOPLITE_IO_TEXT_TEXT_FLOW_H
#define HOPLITE_IO_TEXT_TEXT_FLOW_H

#include "io/text/text_scan.h"

typedef struct hop__flow_chunk {
    const char *begin, *end; /* whole lines; the very last may lack its newline (text_scan.h) */
    uint64_t lines;
    uint64_t counted[2]; /* by count() */
    bool is_counted;     /* that is known, and `lines` */
    uint64_t line;       /* number of the first line */
    uint64_t before[2];  /* sums of `counted` over the chunks before */
} hop__flow_chunk;

typedef struct hop__flow hop__flow;

typedef struct hop__flow_work {
    /* Fills in `lines` and `counted`. */
    void (*count)(void *user, hop__flow_chunk *chunk);
    /* Parses a chunk; false holds it. `lane` is below hop__flow_lanes and the same when a chunk is
     * parsed again. */
    bool (*parse)(void *user, const hop__flow_chunk *chunk, unsigned lane);
    /* Where a field in quotes may go on over the end of its line: the row in the chunk that does
     * not end in it, or NULL. It may count the chunk on the way. Else the function is NULL. */
    const char *(*open_row)(void *user, hop__flow_chunk *chunk);
    void *user;
    /* Chunks come in order, of a plain file too. Then they end where rows end. */
    bool in_order;
} hop__flow_work;

/* Takes what is left of the text. */
hop_status hop__flow_open(hop__text *text, const hop__flow_work *work, hop__flow **flow);
/* NULL is allowed. */
void hop__flow_close(hop__flow *flow);

unsigned hop__flow_lanes(const hop__flow *flow);

/* Runs until the text ends or a chunk is held: *held is the first of them, or NULL; `lane` is its
 * lane. */
hop_status hop__flow_run(hop__flow *flow, const hop__flow_chunk **held, unsigned *lane);

/* Sums over all the chunks so far. */
uint64_t hop__flow_sum(const hop__flow *flow, int which);

/* The number of the line in which `at` stands. */
uint64_t hop__flow_line_of(const hop__flow_chunk *chunk, const char *at);

#endif
