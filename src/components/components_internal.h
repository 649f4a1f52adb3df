/* SPDX-License-Identifier: Apache-2.0
 *
 * What a variant of connected components gets and gives.
 *
 * run() writes labels[v] = the smallest vertex of v's component, for every v. Arcs count in both
 * directions, whatever the graph says. The graph is checked, and has at least one vertex. */
#ifndef HOPLITE_COMPONENTS_COMPONENTS_INTERNAL_H
#define HOPLITE_COMPONENTS_COMPONENTS_INTERNAL_H

#include "core/progress.h"
#include "graph/graph_internal.h"
#include "hoplite/components.h"
#include "problem/problem.h"

typedef struct hop__components_task {
    const hop_graph *graph;
    const double *values;      /* of the row's parameters */
    hop_vertex *labels;        /* the caller's, n of them */
    hop_report *report;        /* counters to fill in */
    hop_vertex *count;         /* HOP_NO_VERTEX; a variant that has counted writes it here */
    const hop__tuning *tuning; /* of the context */
} hop__components_task;

typedef struct hop__components_variant {
    hop__variant row; /* first: the tables point to it */
    hop_status (*run)(hop_context *context, const hop__components_task *task);
} hop__components_variant;

extern const hop__problem hop__components_problem;
/* Labels and their count (HOP_NO_VERTEX: not claimed) of a graph that was checked; components.h. */
hop_status hop__components_certify(hop_context *context, const hop_graph *graph, hop_certify mode,
                                   const hop_vertex *labels, hop_vertex count);
/* What that allocates at most. */
uint64_t hop__components_certify_memory(const hop_context *context, const hop_graph *graph,
                                        hop_certify mode);

extern const hop__components_variant hop__components_dfs, hop__components_union_find,
    hop__components_rem, hop__components_shiloach_vishkin, hop__components_graft,
    hop__components_graft_update, hop__components_stages, hop__components_afforest,
    hop__components_giant_first, hop__components_ranges, hop__components_stream;
/* On devices. */
extern const hop__components_variant hop__components_device_shiloach_vishkin,
    hop__components_device_graft, hop__components_device_graft_update,
    hop__components_device_stages, hop__components_device_rem, hop__components_device_sorted,
    hop__components_device_afforest;

/* Joins the trees of two vertices in a forest of parents, each at most its child. */
typedef void (*hop__components_join_fn)(hop_vertex *parents, hop_vertex u, hop_vertex v);

/* For sequential variants that join the ends of every edge: the labels are the forest, and in the
 * end every vertex points to its root. Always inlined, so that `join` is. */
static inline __attribute__((always_inline)) hop_status
hop__components_join_edges(hop_context *context, const hop__components_task *task,
                           const char *phase, hop__components_join_fn join) {
    enum { REPORT_ARCS = 1 << 18, REPORT_VERTICES = 1 << 18 };
    const hop_graph *graph = task->graph;
    hop_vertex *parents = task->labels;
    uint64_t reported = 0;
    bool goes_on = true;
    hop__progress_begin(context, phase, graph->arcs);
    hop__phase(context, "clear");
    hop__phase_bytes(context, 4 * (uint64_t)graph->vertices);
    for (uint64_t end, v = 0; v < graph->vertices && goes_on; v = end) {
        end = graph->vertices - v < REPORT_VERTICES ? graph->vertices : v + REPORT_VERTICES;
        for (uint64_t i = v; i < end; i++)
            parents[i] = (hop_vertex)i;
        goes_on = hop__progress_add(context, 0);
    }
    hop__phase(context, "join");
    hop__phase_items(context, graph->arcs);
    for (hop_vertex u = 0; u < graph->vertices && goes_on; u++) {
        uint64_t end = hop__offset(graph, (uint64_t)u + 1);
        for (uint64_t i = hop__offset(graph, u); i < end; i++) {
            hop_vertex v = graph->targets[i];
            if (v > u && !graph->directed)
                break; /* rows are sorted: the rest are edges that come up again from above */
            join(parents, u, v);
        }
        if (end - reported >= REPORT_ARCS || u % REPORT_VERTICES == 0) {
            goes_on = hop__progress_add(context, end - reported);
            reported = end;
        }
    }
    hop__phase(context, "point to roots");
    hop__phase_items(context, graph->vertices);
    hop__phase_bytes(context, 12 * (uint64_t)graph->vertices);
    /* Ascending: when v comes up, its parent points to the root already. */
    for (hop_vertex v = 0; v < graph->vertices && goes_on; v++) {
        parents[v] = parents[parents[v]];
        if (v % REPORT_VERTICES == 0)
            goes_on = hop__progress_add(context, 0);
    }
    task->report->relaxations = graph->arcs;
    return hop__progress_end(context);
}

#endif
