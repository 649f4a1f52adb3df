/* SPDX-License-Identifier: Apache-2.0
 * What the programs of this folder share: the clock, and how many trials there are. */
#ifndef HOPLITE_BENCH_TRIAL_H
#define HOPLITE_BENCH_TRIAL_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whether there is another trial after `done` of them: there are `repeats`; or, where that is 0,
 * one for each line that comes in, so that two programs take turns (bench/alternate --trials). */
static inline bool another_trial(int done, int repeats) {
    int letter;
    if (repeats != 0)
        return done < repeats;
    fflush(stdout);
    while ((letter = getchar()) != '\n')
        if (letter == EOF)
            return false;
    return true;
}

#endif
