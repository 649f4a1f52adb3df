/* SPDX-License-Identifier: Apache-2.0
 * How long breadth-first search takes when levels and parents are allocated within the time, as GAP
 * allocates its parents:
 *     bench_bfs FILE VARIANT THREADS REPEATS SOURCE [reverse]
 * prints one line "Trial Time: S" per repeat (GAP's words, so that one pattern reads both), then
 * the first steps of the last repeat, and the peak of memory, of the graph and the results too.
 * With `reverse` a directed graph has its reverse arcs prepared, as GAP's graphs have. The last
 * result is certified. 0 repeats: see another_trial. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hoplite/hoplite.h"
#include "trial.h"

static int fail(const hop_context *context) {
    fprintf(stderr, "bench_bfs: %s\n", hop_context_message(context));
    return 1;
}

typedef struct results {
    hop_vertex *levels, *parents;
} results;

static void drop(results *r) {
    free(r->levels);
    free(r->parents);
}

/* One line per repeat; the last results stay in *r. */
static hop_status repeat(hop_context *context, const hop_graph *graph, const hop_run *run,
                         int repeats, hop_vertex source, results *r) {
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    size_t bytes = (size_t)hop_graph_vertices(graph) * sizeof *r->levels;
    options.run = run;
    for (int i = 0; another_trial(i, repeats); i++) {
        drop(r);
        double start = now();
        r->levels = malloc(bytes);
        r->parents = malloc(bytes);
        hop_status status = hop_bfs(context, graph, &source, 1, &options, r->levels, r->parents);
        if (status != HOP_OK)
            return status;
        printf("Trial Time: %.6f\n", now() - start);
    }
    return HOP_OK;
}

static void tell_steps(const hop_report *report) {
    const hop_step *step;
    for (size_t i = 0; (step = hop_report_step(report, i)) != NULL; i++)
        printf("step %-10s %9.3f ms\n", hop_report_phase(report, step->phase)->name,
               1e3 * step->seconds);
    printf("%s: %llu levels, %llu arcs looked at, %zu steps, %.3f ms\n",
           hop_report_variant(report)->name, (unsigned long long)hop_report_rounds(report),
           (unsigned long long)hop_report_relaxations(report), hop_report_step_count(report),
           1e3 * hop_report_seconds(report));
}

static void tell_memory(const hop_context *context, const hop_graph *graph) {
    double vertices = (double)hop_graph_vertices(graph);
    double peak = (double)hop_context_memory_peak(context) + 8 * vertices;
    printf("Peak: %.3f bytes per edge (two arcs), %.3f per vertex beside the graph\n",
           peak / ((double)hop_graph_arcs(graph) / 2),
           (peak - (double)hop_context_memory_used(context)) / vertices);
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr, "usage: bench_bfs FILE VARIANT THREADS REPEATS SOURCE [reverse]\n");
        return 2;
    }
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_report *report = NULL;
    hop_context *context = NULL;
    hop_graph *graph = NULL;
    results r = {NULL, NULL};
    hop_vertex source = (hop_vertex)strtoul(argv[5], NULL, 10);
    options.threads = (unsigned)atoi(argv[3]);
    run.variant = argv[2];
    if (hop_report_create(40, &report) != HOP_OK)
        return 1;
    run.report = report;
    if (hop_context_create(&options, &context) != HOP_OK)
        return 1;
    if (hop_graph_read(context, argv[1], NULL, &graph) != HOP_OK ||
        hop_graph_check(context, graph) != HOP_OK)
        return fail(context);
    if (argc > 6 && hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE) != HOP_OK)
        return fail(context);
    hop_context_reset_peak(context);
    if (repeat(context, graph, &run, atoi(argv[4]), source, &r) != HOP_OK)
        return fail(context);
    tell_steps(report);
    tell_memory(context, graph);
    if (hop_bfs_certify(context, graph, &source, 1, NULL, r.levels, r.parents) != HOP_OK)
        return fail(context);
    drop(&r);
    hop_graph_release(graph);
    hop_report_free(report);
    hop_context_free(context);
    return 0;
}
