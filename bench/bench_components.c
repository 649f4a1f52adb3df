/* SPDX-License-Identifier: Apache-2.0
 * How long connected components take when the labels are allocated within the time, as GAP does:
 *     bench_components FILE VARIANT THREADS REPEATS [reverse]
 * prints one line "Trial Time: S" per repeat (GAP's words, so that one pattern reads both), then
 * the peak of memory, of the graph and the labels too. With `reverse` a directed graph has its
 * reverse arcs prepared, as GAP's graphs have. The last result is certified. 0 repeats: see
 * another_trial. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hoplite/hoplite.h"
#include "trial.h"

static int fail(const hop_context *context) {
    fprintf(stderr, "bench_components: %s\n", hop_context_message(context));
    return 1;
}

/* One line per repeat; the last labels stay in *labels. */
static hop_status repeat(hop_context *context, const hop_graph *graph, const hop_run *run,
                         int repeats, hop_vertex **labels, hop_vertex *count) {
    hop_components_options options = {sizeof options, run};
    for (int i = 0; another_trial(i, repeats); i++) {
        free(*labels);
        double start = now();
        *labels = malloc((size_t)hop_graph_vertices(graph) * sizeof **labels);
        hop_status status = hop_components(context, graph, &options, *labels, count);
        if (status != HOP_OK)
            return status;
        printf("Trial Time: %.6f\n", now() - start);
    }
    return HOP_OK;
}

int main(int argc, char **argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: bench_components FILE VARIANT THREADS REPEATS [reverse]\n");
        return 2;
    }
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_report *report = NULL;
    hop_context *context = NULL;
    hop_graph *graph = NULL;
    hop_vertex *labels = NULL, count = 0;
    options.threads = (unsigned)atoi(argv[3]);
    run.variant = argv[2];
    if (hop_report_create(0, &report) != HOP_OK)
        return 1;
    run.report = report;
    if (hop_context_create(&options, &context) != HOP_OK)
        return 1;
    if (hop_graph_read(context, argv[1], NULL, &graph) != HOP_OK ||
        hop_graph_check(context, graph) != HOP_OK)
        return fail(context);
    if (argc > 5 && hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE) != HOP_OK)
        return fail(context);
    hop_context_reset_peak(context);
    if (repeat(context, graph, &run, atoi(argv[4]), &labels, &count) != HOP_OK)
        return fail(context);
    uint64_t vertices = hop_graph_vertices(graph);
    uint64_t peak = hop_context_memory_peak(context) + vertices * sizeof *labels;
    printf("%s: %u components, %s\n", hop_report_variant(report)->name, count,
           hop_report_reason(report));
    printf("Peak: %.3f bytes per edge (two arcs), %.3f per vertex beside the graph\n",
           (double)peak / ((double)hop_graph_arcs(graph) / 2),
           (double)(peak - hop_context_memory_used(context)) / (double)vertices);
    if (hop_components_certify(context, graph, NULL, labels, count) != HOP_OK)
        return fail(context);
    free(labels);
    hop_graph_release(graph);
    hop_report_free(report);
    hop_context_free(context);
    return 0;
}
