/* SPDX-License-Identifier: Apache-2.0
 * How near list ranking comes to reading as many random cells:
 *     bench_rank N VARIANT THREADS REPEATS
 * In turn, REPEATS times: the sum of a[list[i]] in the order of i, plainly and with prefetches, and
 * the ranks of the same random list. Every pass of the ranking is timed; a and the ranks are of the
 * same size, in huge pages if there are some, and were written before. Prints ns per element of all
 * three, then the medians, the ratio of the ranking to the better gather, and its phases. The last
 * ranks are certified. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hoplite/hoplite.h"
#include "trial.h"

enum { THREADS_MOST = 64, REPEATS_MOST = 99, AHEAD = 32 };

static int fail(const hop_context *context) {
    fprintf(stderr, "bench_rank: %s\n", hop_context_message(context));
    return 1;
}

/* An array of n cells, written once. Exits if there is no memory. */
static hop_vertex *make_cells(hop_vertex n) {
    size_t bytes = (size_t)n * sizeof(hop_vertex);
    void *cells = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (cells == MAP_FAILED)
        exit(1);
    madvise(cells, bytes, MADV_HUGEPAGE);
    memset(cells, 1, bytes);
    return cells;
}

/* One thread's share of a gather. */
typedef struct gather {
    pthread_t thread;
    const hop_vertex *cells, *list;
    hop_vertex begin, end;
    bool prefetch;
    uint64_t sum;
} gather;

static void *gather_share(void *arg) {
    gather *g = arg;
    const hop_vertex *cells = g->cells, *list = g->list;
    uint64_t sum = 0;
    hop_vertex i = g->begin;
    if (g->prefetch)
        for (; i + AHEAD < g->end; i++) {
            __builtin_prefetch(&cells[list[i + AHEAD]]);
            sum += cells[list[i]];
        }
    for (; i < g->end; i++)
        sum += cells[list[i]];
    g->sum = sum;
    return NULL;
}

/* Seconds of a gather. Threads are started before they are timed only as far as pthread_create
 * allows: some ten microseconds of what is milliseconds. */
static double time_gather(const hop_vertex *cells, const hop_vertex *list, hop_vertex n,
                          unsigned threads, bool prefetch) {
    gather shares[THREADS_MOST];
    uint64_t sum = 0;
    double start = now();
    for (unsigned t = 0; t < threads; t++) {
        shares[t] = (gather){.cells = cells, .list = list, .prefetch = prefetch};
        shares[t].begin = (hop_vertex)((uint64_t)n * t / threads);
        shares[t].end = (hop_vertex)((uint64_t)n * (t + 1) / threads);
        if (pthread_create(&shares[t].thread, NULL, gather_share, &shares[t]) != 0)
            exit(1);
    }
    for (unsigned t = 0; t < threads; t++) {
        pthread_join(shares[t].thread, NULL);
        sum += shares[t].sum;
    }
    double seconds = now() - start;
    if (sum != (uint64_t)n * 0x01010101)
        exit(1);
    return seconds;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

int main(int argc, char **argv) {
    if (argc != 5 || atoi(argv[1]) < 2 || atoi(argv[3]) < 1 || atoi(argv[3]) > THREADS_MOST ||
        atoi(argv[4]) < 1 || atoi(argv[4]) > REPEATS_MOST) {
        fprintf(stderr, "usage: bench_rank N VARIANT THREADS REPEATS\n");
        return 2;
    }
    const hop_vertex n = (hop_vertex)atoi(argv[1]);
    const int repeats = atoi(argv[4]);
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_rank_options rank = HOP_RANK_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_report *report = NULL;
    hop_context *context = NULL;
    double times[3][REPEATS_MOST], ns = 1e9 / (double)n;
    options.threads = (unsigned)atoi(argv[3]);
    run.variant = argv[2];
    if (hop_report_create(0, &report) != HOP_OK)
        return 1;
    run.report = report;
    rank.run = &run;
    if (hop_context_create(&options, &context) != HOP_OK)
        return 1;
    hop_vertex *cells = make_cells(n), *list = make_cells(n), *ranks = make_cells(n);
    if (hop_list_generate(context, n, 1, list) != HOP_OK)
        return fail(context);
    for (int i = 0; i < repeats; i++) {
        times[0][i] = ns * time_gather(cells, list, n, options.threads, false);
        times[1][i] = ns * time_gather(cells, list, n, options.threads, true);
        if (hop_rank(context, list, n, &rank, ranks) != HOP_OK)
            return fail(context);
        times[2][i] = ns * hop_report_seconds(report);
        printf("gather %.3f  prefetched %.3f  rank %.3f ns\n", times[0][i], times[1][i],
               times[2][i]);
    }
    double plain = median(times[0], repeats), fetched = median(times[1], repeats);
    double best = plain < fetched ? plain : fetched, own = median(times[2], repeats);
    printf("Medians: gather %.3f  prefetched %.3f  rank %.3f ns  ratio %.3f\n", plain, fetched, own,
           own / best);
    for (size_t i = 0; i < hop_report_phase_count(report); i++)
        printf("%-8s %.3f ns\n", hop_report_phase(report, i)->name,
               ns * hop_report_phase(report, i)->seconds);
    if (hop_rank_certify(context, list, n, &rank, ranks) != HOP_OK)
        return fail(context);
    hop_report_free(report);
    hop_context_free(context);
    return 0;
}
