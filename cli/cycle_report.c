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

/* Its edges, each the lightest of those between two vertices that follow each other. */
typedef struct cycle_edges {
    const hop_vertex *from;
    hop_vertex *to;
    char *own; /* weights, of the graph's type */
    hop_vertex length;
    double sum;
} cycle_edges;

static void gather(const hop_graph *graph, cycle_edges *edges) {
    hop_weight_type type;
    const char *weights = hop_graph_weights(graph, &type);
    const size_t size = hop_type_size(type);
    edges->to = need_memory(NULL, edges->length, sizeof *edges->to);
    edges->own = need_memory(NULL, edges->length, size);
    for (hop_vertex i = 0; i < edges->length; i++) {
        edges->to[i] = edges->from[(i + 1) % edges->length];
        uint64_t arc = lightest_arc(graph, edges->from[i], edges->to[i]);
        memcpy(edges->own + i * size, weights + arc * size, size);
        edges->sum += distance_real(type, weights, arc);
    }
}

/* A table, in which names are in quotes where they must be. */
static int print_text(problem_job *job, const cycle_edges *edges) {
    hop_weight_type type;
    (void)hop_graph_weights(job->opened.graph, &type);
    const result_column columns[] = {{"from", "cycle", HOP_TYPE_UINT32, edges->from, NULL, true, 0},
                                     {"to", "cycle", HOP_TYPE_UINT32, edges->to, NULL, true, 0},
                                     {"weight", "weights", type, edges->own, NULL, false, 0}};
    const result_table table = {NULL, edges->length, columns, 3};
    return results_write_to(job, "-", &table);
}

static void print_json(problem_job *job, const cycle_edges *edges) {
    json out;
    json_begin(&out, stdout, job->work.given->verb->name);
    job_json(&out, job);
    json_array(&out, "negative_cycle");
    for (hop_vertex i = 0; i < edges->length; i++)
        vertex_json(&out, NULL, job->opened.graph, edges->from[i]);
    json_end(&out);
    json_real(&out, "negative_cycle_sum", edges->sum);
    json_finish(&out);
}

int cycle_report(problem_job *job) {
    cycle_edges edges = {0};
    int code = CODE_OK;
    edges.from = hop_context_cycle(job->work.context, &edges.length);
    gather(job->opened.graph, &edges);
    bar_wipe(&job->work.bar);
    complain(CODE_FAILURE, "a cycle of %s has the negative sum %s, so there are no shortest paths",
             counted_text(edges.length, "edge", "edges").s, real_text(edges.sum).s);
    if (!job->info.directed)
        advise("in an undirected graph every negative edge is a cycle, there and back; --directed "
               "reads each edge as one arc");
    if (job->work.json)
        print_json(job, &edges);
    else
        code = print_text(job, &edges);
    if (code == CODE_OK && job->run.certify != HOP_CERTIFY_NONE && !job->work.json)
        session_say(&job->work, "certified in %s",
                    seconds_text(hop_report_certify_seconds(job->report)).s);
    free(edges.to);
    free(edges.own);
    return code == CODE_OK ? CODE_FAILURE : code;
}
