/* SPDX-License-Identifier: Apache-2.0
 *
 * A negative cycle: see cycle_report.h. */
#include "cycle_report.h"

#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "distance_text.h"
#include "exit_codes.h"
#include "problem_job.h"
#include "result_file.h"
#include "vertex_text.h"

static uint64_t offset_at(const hop_graph *graph, hop_vertex vertex) {
    size_t width;
    const void *offsets = hop_graph_offsets(graph, &width);
    return width == 4 ? ((const uint32_t *)offsets)[vertex] : ((const uint64_t *)offsets)[vertex];
}

/* The lightest of the arcs between two vertices; there is one. */
static uint64_t lightest_arc(const hop_graph *graph, hop_vertex from, hop_vertex to) {
    const hop_vertex *targets = hop_graph_targets(graph);
    hop_weight_type type;
    const void *weights = hop_graph_weights(graph, &type);
    uint64_t best = UINT64_MAX;
    for (uint64_t arc = offset_at(graph, from); arc < offset_at(graph, from + 1); arc++)
        if (targets[arc] == to &&
            (best == UINT64_MAX || distance_greater(type, weights, best, arc)))
            best = arc;
    return best;
}

/* A table, in which names are in quotes where they must be. */
static int print_text(problem_job *job, const hop_vertex *vertices, hop_vertex length,
                      double *sum) {
    const hop_graph *graph = job->opened.graph;
    hop_weight_type type;
    const char *weights = hop_graph_weights(graph, &type);
    size_t size = hop_type_size(type);
    hop_vertex *to = need_memory(NULL, length, sizeof *to);
    char *own = need_memory(NULL, length, size);
    for (hop_vertex i = 0; i < length; i++) {
        to[i] = vertices[(i + 1) % length];
        uint64_t arc = lightest_arc(graph, vertices[i], to[i]);
        memcpy(own + i * size, weights + arc * size, size);
        *sum += distance_real(type, weights, arc);
    }
    const result_column columns[] = {{"from", "cycle", HOP_TYPE_UINT32, vertices, NULL, true, 0},
                                     {"to", "cycle", HOP_TYPE_UINT32, to, NULL, true, 0},
                                     {"weight", "weights", type, own, NULL, false, 0}};
    const result_table table = {NULL, length, columns, 3};
    int code = results_write_to(job, "-", &table);
    free(to);
    free(own);
    return code;
}

static double print_json(problem_job *job, const hop_vertex *vertices, hop_vertex length) {
    const hop_graph *graph = job->opened.graph;
    hop_weight_type type;
    const void *weights = hop_graph_weights(graph, &type);
    double sum = 0;
    json out;
    json_begin(&out, stdout, job->work.given->verb->name);
    job_json(&out, job);
    json_array(&out, "negative_cycle");
    for (hop_vertex i = 0; i < length; i++) {
        vertex_json(&out, NULL, graph, vertices[i]);
        sum += distance_real(type, weights,
                             lightest_arc(graph, vertices[i], vertices[(i + 1) % length]));
    }
    json_end(&out);
    json_real(&out, "negative_cycle_sum", sum);
    json_finish(&out);
    return sum;
}

int cycle_report(problem_job *job, hop_cycle *cycle) {
    const hop_vertex *vertices = hop_cycle_vertices(cycle);
    hop_vertex length = hop_cycle_length(cycle);
    double sum = 0;
    int code = CODE_OK;
    if (job->work.json)
        sum = print_json(job, vertices, length);
    else
        code = print_text(job, vertices, length, &sum);
    if (code != CODE_OK) {
        hop_cycle_free(cycle);
        return code;
    }
    complain(CODE_FAILURE,
             "a cycle of %s edge%s has the negative sum %s, so there are no shortest paths",
             count_text(length).s, length == 1 ? "" : "s", real_text(sum).s);
    if (!job->info.directed)
        advise("in an undirected graph every negative edge is a cycle, there and back");
    if (job->run.certify != HOP_CERTIFY_NONE && !job->work.json)
        session_say(&job->work, "certified in %s",
                    seconds_text(hop_report_certify_seconds(job->report)).s);
    hop_cycle_free(cycle);
    return CODE_FAILURE;
}
