/* SPDX-License-Identifier: Apache-2.0
 *
 * usage: bench_calls VERB GRAPH THREADS CALLS SECONDS [CALLERS]
 *
 * Calls one verb (components, bfs, sssp, or path: bfs with one target) again and again on one
 * graph, as a server or a notebook does, until CALLS calls are done and SECONDS have passed,
 * whichever comes later, on each of CALLERS threads (default 1) with a context of its own. THREADS
 * 0 is the default of a context. One line: calls, mean, median, 99th percentile and longest in
 * milliseconds, calls per second. Sources are drawn among the vertices with an arc, the same for
 * every run. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hoplite/hoplite.h"
#include "trial.h"

typedef struct caller {
    const char *verb;
    const hop_graph *graph;
    unsigned threads, number;
    size_t calls;
    double seconds;
    double *times;
    size_t done;
    int failed;
} caller;

static hop_vertex draw(const hop_graph *graph, uint64_t *state) {
    size_t width;
    const void *offsets = hop_graph_offsets(graph, &width);
    for (;;) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        hop_vertex v = (hop_vertex)((*state >> 32) % hop_graph_vertices(graph));
        const uint32_t *narrow = offsets;
        const uint64_t *wide = offsets;
        if (width == 4 ? narrow[v] != narrow[v + 1] : wide[v] != wide[v + 1])
            return v;
    }
}

static hop_status call_once(caller *self, hop_context *context, uint64_t *state, uint32_t *first,
                            hop_vertex *second, void *distances) {
    if (strcmp(self->verb, "components") == 0)
        return hop_components(context, self->graph, NULL, first, NULL);
    hop_vertex source = draw(self->graph, state), target = draw(self->graph, state);
    hop_weight_type weights;
    (void)hop_graph_weights(self->graph, &weights);
    if (strcmp(self->verb, "sssp") == 0)
        return hop_sssp(
            context, self->graph, &source, 1, NULL,
            &(hop_span){distances, hop_graph_vertices(self->graph), hop_distance_type(weights)},
            second);
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    if (strcmp(self->verb, "path") == 0) {
        options.targets = &target;
        options.target_count = 1;
    }
    return hop_bfs(context, self->graph, &source, 1, &options, first, second);
}

static void *call(void *arg) {
    caller *self = arg;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = self->threads;
    hop_context *context = NULL;
    size_t n = hop_graph_vertices(self->graph), room = 1 << 16;
    uint32_t *first = malloc(n * 4 + 1);
    hop_vertex *second = malloc(n * 4 + 1);
    void *distances = malloc(n * 8 + 1);
    uint64_t state = 12345 + self->number;
    self->times = malloc(room * sizeof *self->times);
    self->failed = hop_context_create(&options, &context) != HOP_OK || !first || !second ||
                   !distances || !self->times;
    for (int i = 0; !self->failed && i < 3; i++) /* warm up */
        self->failed = call_once(self, context, &state, first, second, distances) != HOP_OK;
    double begin = now(), before = begin;
    while (!self->failed && (self->done < self->calls || before - begin < self->seconds)) {
        if (self->done == room) {
            room *= 2;
            self->times = realloc(self->times, room * sizeof *self->times);
            if (self->times == NULL)
                abort();
        }
        self->failed = call_once(self, context, &state, first, second, distances) != HOP_OK;
        double after = now();
        self->times[self->done++] = after - before;
        before = after;
    }
    if (self->failed && context)
        fprintf(stderr, "%s\n", hop_context_message(context));
    free(first);
    free(second);
    free(distances);
    hop_context_free(context);
    return NULL;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int report(caller *callers, unsigned count, double seconds) {
    size_t all = 0;
    double sum = 0;
    int failed = 0;
    for (unsigned i = 0; i < count; i++) {
        all += callers[i].done;
        failed |= callers[i].failed;
    }
    double *times = malloc((all + 1) * sizeof *times);
    if (failed || all == 0 || times == NULL)
        return 1;
    size_t at = 0;
    for (unsigned i = 0; i < count; i++) {
        memcpy(times + at, callers[i].times, callers[i].done * sizeof *times);
        at += callers[i].done;
        free(callers[i].times);
    }
    qsort(times, all, sizeof *times, ascending);
    for (size_t i = 0; i < all; i++)
        sum += times[i];
    printf("%zu %.4f %.4f %.4f %.4f %.1f\n", all, 1e3 * sum / (double)all, 1e3 * times[all / 2],
           1e3 * times[all - 1 - all / 100], 1e3 * times[all - 1], (double)all / seconds);
    free(times);
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr, "usage: bench_calls VERB GRAPH THREADS CALLS SECONDS [CALLERS]\n");
        return 2;
    }
    unsigned count = argc > 6 ? (unsigned)atoi(argv[6]) : 1;
    hop_context *context = NULL;
    hop_graph *graph = NULL;
    if (hop_context_create(NULL, &context) != HOP_OK ||
        hop_graph_read(context, argv[2], NULL, &graph) != HOP_OK ||
        hop_graph_check(context, graph) != HOP_OK) {
        fprintf(stderr, "%s\n", hop_context_message(context));
        return 1;
    }
    caller *callers = calloc(count, sizeof *callers);
    pthread_t *threads = calloc(count, sizeof *threads);
    if (callers == NULL || threads == NULL)
        return 1;
    double begin = now();
    for (unsigned i = 0; i < count; i++) {
        callers[i] = (caller){.verb = argv[1],
                              .graph = graph,
                              .threads = (unsigned)atoi(argv[3]),
                              .number = i,
                              .calls = (size_t)atol(argv[4]),
                              .seconds = atof(argv[5])};
        if (pthread_create(&threads[i], NULL, call, &callers[i]) != 0)
            return 1;
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    int failed = report(callers, count, now() - begin);
    free(callers);
    free(threads);
    hop_graph_release(graph);
    hop_context_free(context);
    return failed;
}
