/* SPDX-License-Identifier: Apache-2.0
 * How long it takes to read a file of edges:
 *     bench_read edges|graph FILE THREADS REPEATS
 * prints one line "Read Time: S" per repeat, by the clock, and one "CPU Time: S", of all threads:
 * into arrays of edges, as pandas and scipy do, or all the way to a graph. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hoplite/hoplite.h"

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static hop_status read_once(hop_context *context, const char *path, bool to_graph) {
    hop_edge_file *file = NULL;
    hop_graph *graph = NULL;
    hop_status status = to_graph ? hop_graph_read(context, path, NULL, &graph)
                                 : hop_edges_read(context, path, NULL, &file);
    hop_graph_release(graph);
    hop_edge_file_free(file);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: bench_read edges|graph FILE THREADS REPEATS\n");
        return 2;
    }
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = (unsigned)atoi(argv[3]);
    if (hop_context_create(&options, &context) != HOP_OK)
        return 1;
    for (int i = 0; i < atoi(argv[4]); i++) {
        double start = now(CLOCK_MONOTONIC), work = now(CLOCK_PROCESS_CPUTIME_ID);
        if (read_once(context, argv[2], strcmp(argv[1], "graph") == 0) != HOP_OK) {
            fprintf(stderr, "bench_read: %s\n", hop_context_message(context));
            return 1;
        }
        printf("Read Time: %.5f\n", now(CLOCK_MONOTONIC) - start);
        printf("CPU Time: %.5f\n", now(CLOCK_PROCESS_CPUTIME_ID) - work);
    }
    printf("peak: %.1f MB\n", (double)hop_context_memory_peak(context) / 1e6);
    hop_context_free(context);
    return 0;
}
