/* SPDX-License-Identifier: Apache-2.0
 * How long shortest paths from one source take when the arrays of results are allocated within the
 * time, as GAP does:
 *     bench_sssp FILE VARIANT THREADS REPEATS SOURCE [reverse] [phases] [NAME=VALUE...]
 * prints one line "Trial Time: S" per repeat (GAP's words, so that one pattern reads both), then
 * the peak of memory, of the graph and the results too. Distances and canonical parents are asked
 * for. With `reverse` a directed graph has its reverse arcs prepared, as GAP's graphs have; with
 * `phases` the parts of the last run are printed; NAME=VALUE sets a parameter of the variant. The
 * last result is certified. 0 repeats: see another_trial. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hoplite/hoplite.h"
#include "trial.h"

enum { SETTINGS = 4 };

typedef struct bench {
    hop_context *context;
    hop_graph *graph;
    hop_vertex source;
    hop_run run;
    hop_report *report;
    hop_setting settings[SETTINGS];
    void *distances, *parents;
} bench;

static int fail(const hop_context *context) {
    fprintf(stderr, "bench_sssp: %s\n", hop_context_message(context));
    return 1;
}

static hop_type distance_type(const hop_graph *graph) {
    hop_weight_type type;
    (void)hop_graph_weights(graph, &type);
    return hop_distance_type(type);
}

static void free_results(bench *b) {
    free(b->distances);
    free(b->parents);
    b->distances = b->parents = NULL;
}

/* One line per repeat; the last results stay. */
static hop_status repeat(bench *b, int repeats) {
    const uint64_t n = hop_graph_vertices(b->graph);
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    options.run = &b->run;
    for (int i = 0; another_trial(i, repeats); i++) {
        free_results(b);
        double start = now();
        b->distances = malloc(n * hop_type_size(distance_type(b->graph)));
        b->parents = malloc(n * sizeof(hop_vertex));
        hop_status status =
            hop_sssp(b->context, b->graph, &b->source, 1, &options,
                     &(hop_span){b->distances, n, distance_type(b->graph)}, b->parents);
        if (status != HOP_OK)
            return status;
        printf("Trial Time: %.6f\n", now() - start);
    }
    return HOP_OK;
}

static void print_report(const bench *b, bool phases) {
    const uint64_t n = hop_graph_vertices(b->graph),
                   results = hop_type_size(distance_type(b->graph)) + 4;
    const uint64_t peak = hop_context_memory_peak(b->context) + n * results;
    printf("%s: %llu rounds, %llu relaxations\n", hop_report_variant(b->report)->name,
           (unsigned long long)hop_report_rounds(b->report),
           (unsigned long long)hop_report_relaxations(b->report));
    printf("Peak: %.3f bytes per edge (two arcs), %.3f per vertex\n",
           (double)peak / ((double)hop_graph_arcs(b->graph) / 2), (double)peak / (double)n);
    for (size_t i = 0; phases && i < hop_report_phase_count(b->report); i++)
        printf("%-24s %4llu times %9.6f s %12llu\n", hop_report_phase(b->report, i)->name,
               (unsigned long long)hop_report_phase(b->report, i)->calls,
               hop_report_phase(b->report, i)->seconds,
               (unsigned long long)hop_report_phase(b->report, i)->items);
}

static int run_bench(bench *b, int repeats, bool phases) {
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    hop_context_reset_peak(b->context);
    if (repeat(b, repeats) != HOP_OK)
        return fail(b->context);
    print_report(b, phases);
    if (hop_sssp_certify(
            b->context, b->graph, &b->source, 1, &options,
            &(hop_view){b->distances, hop_graph_vertices(b->graph), distance_type(b->graph)},
            b->parents) != HOP_OK)
        return fail(b->context);
    free_results(b);
    return 0;
}

int main(int argc, char **argv) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    bench b = {.run = HOP_RUN_INIT};
    bool reverse = false, phases = false;
    if (argc < 6) {
        fprintf(stderr, "usage: bench_sssp FILE VARIANT THREADS REPEATS SOURCE [reverse] [phases] "
                        "[NAME=VALUE...]\n");
        return 2;
    }
    options.threads = (unsigned)atoi(argv[3]);
    b.source = (hop_vertex)strtoul(argv[5], NULL, 10);
    b.run.variant = strcmp(argv[2], "auto") != 0 ? argv[2] : NULL;
    if (hop_report_create(0, &b.report) != HOP_OK)
        return 1;
    b.run.report = b.report;
    b.run.settings = b.settings;
    for (int i = 6; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        reverse |= strcmp(argv[i], "reverse") == 0;
        phases |= strcmp(argv[i], "phases") == 0;
        if (!equals || b.run.setting_count == SETTINGS)
            continue;
        *equals = '\0';
        b.settings[b.run.setting_count].name = argv[i];
        b.settings[b.run.setting_count++].value = strtod(equals + 1, NULL);
    }
    if (hop_context_create(&options, &b.context) != HOP_OK)
        return 1;
    if (hop_graph_read(b.context, argv[1], NULL, &b.graph) != HOP_OK ||
        hop_graph_check(b.context, b.graph) != HOP_OK)
        return fail(b.context);
    if (reverse && hop_graph_prepare(b.context, b.graph, HOP_PREPARE_REVERSE) != HOP_OK)
        return fail(b.context);
    int result = run_bench(&b, atoi(argv[4]), phases);
    hop_graph_release(b.graph);
    hop_report_free(b.report);
    hop_context_free(b.context);
    return result;
}
