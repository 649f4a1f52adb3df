/* SPDX-License-Identifier: Apache-2.0
 *
 * A negative cycle: see cycle_report.h. */
#include "cycle_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "complaint.h"
#include "distance_text.h"
#include "exit_codes.h"
#include "problem_job.h"
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

/* As it is in the file, with every digit; for columns, so without commas. */
static text weight_text(hop_weight_type type, const void *weights, uint64_t arc) {
    text out;
    if (type == HOP_WEIGHT_INT32)
        snprintf(out.s, sizeof out.s, "%" PRId32, ((const int32_t *)weights)[arc]);
    else if (type == HOP_WEIGHT_INT64)
        snprintf(out.s, sizeof out.s, "%" PRId64, ((const int64_t *)weights)[arc]);
    else
        out = distance_text(type, weights, arc);
    return out;
}

static double print_text(const hop_graph *graph, const hop_vertex *vertices, hop_vertex length) {
    hop_weight_type type;
    const void *weights = hop_graph_weights(graph, &type);
    double sum = 0;
    printf("# from\tto\tweight\n");
    for (hop_vertex i = 0; i < length; i++) {
        hop_vertex from = vertices[i], to = vertices[(i + 1) % length];
        uint64_t arc = lightest_arc(graph, from, to);
        printf("%s\t%s\t%s\n", vertex_text(graph, from).s, vertex_text(graph, to).s,
               weight_text(type, weights, arc).s);
        sum += distance_real(type, weights, arc);
    }
    return sum;
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
    double sum = job->work.json ? print_json(job, vertices, length)
                                : print_text(job->opened.graph, vertices, length);
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
