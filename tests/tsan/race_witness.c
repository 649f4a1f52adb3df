/* SPDX-License-Identifier: Apache-2.0
 *
 * Two programs in one, for the thread sanitizer:
 *
 *     race_witness race    two threads write one variable without order: must be reported
 *     race_witness order   threads write, meet at a barrier or at a team's end, then read what the
 *                          others wrote: must not be reported */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/parallel.h"

enum { COUNT = 100000, THREADS = 4 };

static uint64_t shared_total;
static uint64_t values[COUNT];
static uint64_t sums[THREADS];

static void race(void *arg, unsigned thread, unsigned threads) {
    (void)arg;
    (void)threads;
    for (int i = 0; i < COUNT; i++)
        shared_total += thread;
}

static void write_values(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        values[i] = i;
}

/* Each member adds up a part that others wrote, then all parts. */
static void add_up(void *arg, unsigned thread, unsigned threads) {
    uint64_t *total = arg;
    sums[thread] = 0;
    for (uint64_t i = hop__share(COUNT, thread, threads);
         i < hop__share(COUNT, thread + 1, threads); i++)
        sums[thread] += values[i];
    hop__team_barrier();
    uint64_t sum = 0;
    for (unsigned t = 0; t < threads; t++)
        sum += sums[t];
    if (thread == 0)
        *total = sum;
}

int main(int argc, char **argv) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = THREADS;
    if (argc != 2 || hop_context_create(&options, &context) != HOP_OK)
        return 2;
    uint64_t total = 0;
    if (strcmp(argv[1], "race") == 0) {
        hop__team(context, race, NULL);
        total = shared_total;
    } else {
        hop__for(context, COUNT, 100, write_values, NULL);
        hop__team(context, add_up, &total);
        for (uint64_t i = 0; i < COUNT; i++)
            total -= values[i];
    }
    printf("%llu\n", (unsigned long long)total);
    hop_context_free(context);
    return strcmp(argv[1], "race") != 0 && total != 0;
}
