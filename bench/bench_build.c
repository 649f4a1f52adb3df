/* SPDX-License-Identifier: Apache-2.0
 * How long it takes to build a graph from unsorted random edges:
 *     bench_build SCALE EDGE_FACTOR THREADS REPEATS
 * makes 2^SCALE * EDGE_FACTOR uniform edges and prints one line "Build Time: S" per repeat (the
 * words of GAP's programs, so that one pattern reads both), then peak memory. */
#include <stdio.h>
#include <stdlib.h>

#include "hoplite/hoplite.h"
#include "trial.h"

/* Any generator will do here: this is splitmix64. */
static uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int fail(const hop_context *context) {
    fprintf(stderr, "bench_build: %s\n", hop_context_message(context));
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: bench_build SCALE EDGE_FACTOR THREADS REPEATS\n");
        return 2;
    }
    unsigned scale = (unsigned)atoi(argv[1]);
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_edges edges = HOP_EDGES_INIT;
    hop_context *context = NULL;
    uint64_t state = 1;
    options.threads = (unsigned)atoi(argv[3]);
    edges.count = (uint64_t)atoi(argv[2]) << scale;
    hop_vertex *from = malloc(edges.count * sizeof *from), *to = malloc(edges.count * sizeof *to);
    if (!from || !to || hop_context_create(&options, &context) != HOP_OK)
        return 1;
    for (uint64_t i = 0; i < edges.count; i++) {
        uint64_t bits = random_bits(&state);
        from[i] = (hop_vertex)(bits >> (64 - scale));
        to[i] = (hop_vertex)(bits & ((UINT64_C(1) << scale) - 1));
    }
    edges.from = from;
    edges.to = to;
    for (int i = 0; i < atoi(argv[4]); i++) {
        hop_graph *graph = NULL;
        double start = now();
        if (hop_graph_from_edges(context, &edges, NULL, &graph) != HOP_OK)
            return fail(context);
        printf("Build Time: %.5f\n", now() - start);
        hop_graph_release(graph);
    }
    printf("peak beside the input: %.2f bytes per edge\n",
           (double)hop_context_memory_peak(context) / (double)edges.count);
    hop_context_free(context);
    free(from);
    free(to);
    return 0;
}
