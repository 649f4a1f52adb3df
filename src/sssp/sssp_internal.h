/* SPDX-License-Identifier: Apache-2.0
 *
 * What the variants of sssp see. A variant is a file sssp_<variant>.c that exports one const
 * hop__sssp_variant, and a line in the table of sssp.c.
 *
 * What run() must leave behind:
 *  - distances[v] as sssp.h defines them;
 *  - parents, if wanted: by hop__sssp_parents from the distances, or as that would give them;
 *  - no negative weight: the limits hold. What is farther than the cutoff is not reached, and
 *    hop__sssp_cut does the same for targets and nearest after a search that did not stop early;
 *  - some negative weight: the whole result. The front cuts it;
 *  - integers, query.wide, no negative weight: a sum of INT64_MAX or more must not win over
 *    HOP_NO_DISTANCE (added as uint64_t it does not, and cannot wrap). The front then finds out
 *    whether such a sum was the only one. */
#ifndef HOPLITE_SSSP_SSSP_INTERNAL_H
#define HOPLITE_SSSP_SSSP_INTERNAL_H

#include "graph/graph_internal.h"
#include "hoplite/sssp.h"
#include "problem/problem.h"
#include "sssp/exact_sum.h"

_Static_assert(HOP_NO_DISTANCE == INT64_MAX, "as graph/numbers.h has it");

/* The question. The front has checked it: the graph is sound, the ids are in range, no weight is
 * -infinity. */
typedef struct hop__sssp_query {
    const hop_graph *graph;
    const hop_graph *reverse;  /* or NULL; read once, because another thread may prepare it now */
    const hop_vertex *sources; /* may repeat, may be none */
    hop_vertex source_count;
    const hop_vertex *targets; /* may repeat; target_count 0: there are none */
    hop_vertex target_count;
    uint64_t settle; /* vertices, with the sources, that end the search; 0: no such limit */
    double cutoff;
    /* The largest distance that is not beyond the cutoff, in the type of distances: at most
     * INT64_MAX - 1, or the largest finite number. The least of the type when all are beyond. */
    int64_t cutoff_integer;
    double cutoff_real;
    hop_weight_type distance_type;
    bool limited;     /* there are targets, nearest or a cutoff */
    bool negative;    /* some weight is below 0 */
    bool increasing;  /* integers above 0, or no weights: d[u] < d[v] on every tight arc */
    bool wide;        /* integers: n * max |w| may leave int64 */
    hop__exact exact; /* sums must be exact numbers of this scale; words is 0 when not */
} hop__sssp_query;

/* What a row gets. refuse() is asked before `values` and `distances` are there, memory() before
 * `distances`. */
typedef struct hop__sssp_task {
    hop__sssp_query query;
    void *distances;           /* n, uninitialised, never NULL in run() */
    hop_vertex *parents;       /* n, uninitialised; NULL: not wanted */
    const double *values;      /* of the row's parameters, in its order */
    bool wants_parents;        /* known before `parents` is there */
    unsigned threads;          /* of the largest team */
    const hop__tuning *tuning; /* of the context */
    /* To be set by run(). */
    uint64_t rounds;      /* vertices settled, or passes */
    uint64_t relaxations; /* arcs looked at */
} hop__sssp_task;

typedef struct hop__sssp_variant {
    hop__variant row;
    hop_status (*run)(hop_context *context, hop__sssp_task *task);
} hop__sssp_variant;

extern const hop__problem hop__sssp_problem;
extern const hop__sssp_variant hop__sssp_dijkstra, hop__sssp_bellman_ford, hop__sssp_delta_stepping,
    hop__sssp_semi_external;
extern const hop__sssp_variant hop__sssp_device_harish_narayanan, hop__sssp_device_speculate,
    hop__sssp_device_delta_stepping;

/* Nanoseconds that one thread takes for a search without negative weights, about. */
static inline uint64_t hop__sssp_work(const hop_graph *graph) {
    return 8 * graph->arcs;
}

/* A distance, as a double; infinity when not reached. */
static inline double hop__sssp_distance(const hop__sssp_query *query, const void *distances,
                                        uint64_t v) {
    switch (query->distance_type) {
    case HOP_TYPE_FLOAT32:
        return (double)((const float *)distances)[v];
    case HOP_TYPE_FLOAT64:
        return ((const double *)distances)[v];
    default:
        return ((const int64_t *)distances)[v] == HOP_NO_DISTANCE
                   ? HUGE_VAL
                   : (double)((const int64_t *)distances)[v];
    }
}

static inline void hop__sssp_unreach(const hop__sssp_query *query, void *distances, uint64_t v) {
    switch (query->distance_type) {
    case HOP_TYPE_FLOAT32:
        ((float *)distances)[v] = (float)HUGE_VAL;
        break;
    case HOP_TYPE_FLOAT64:
        ((double *)distances)[v] = HUGE_VAL;
        break;
    default:
        ((int64_t *)distances)[v] = HOP_NO_DISTANCE;
        break;
    }
}

/* sssp_query.c */

/* Reads everything of a call that says what is asked, and checks it. The caller frees what was
 * brought from the device, of sources and targets. */
hop_status hop__sssp_take(hop_context *context, const hop_graph *graph, const hop_vertex *sources,
                          hop_vertex source_count, const hop_sssp_options *given,
                          hop_sssp_options *options, hop_run *run, hop__sssp_query *query,
                          hop_vertex *brought[2]);
/* What follows from the graph alone: fills in distance_type, negative, increasing, wide, exact and
 * no limits. Refuses -infinity. For others who search (apsp). */
hop_status hop__sssp_describe(hop_context *context, const hop_graph *graph, hop__sssp_query *query);
/* Takes targets and cutoff out of a query. */
void hop__sssp_unlimit(hop__sssp_query *query);
/* The smallest arc of negative weight (of weight -infinity, if `infinite`), or the number of arcs.
 */
uint64_t hop__sssp_negative_arc(const hop_graph *graph, bool infinite);

/* refuse() of rows that take no weight below 0. */
bool hop__sssp_refuse_negative(const void *task, char reason[HOP__REASON]);

/* sssp_cycle.c */

/* The context keeps the cycle that parents lead round from `start` back to it, in place of any
 * other. HOP_ERR_NEGATIVE_CYCLE with a message about it, or that there is no memory. */
hop_status hop__cycle_keep(hop_context *context, const char *what, const hop_graph *graph,
                           const hop_vertex *parents, hop_vertex start);
/* HOP_ERR_NEGATIVE_CYCLE with that message about the cycle that the context has. */
hop_status hop__cycle_report(hop_context *context, const char *what, const hop_graph *graph);
void hop__cycle_drop(hop_context *context);

/* sssp_parents.c */

typedef struct hop__sssp_layers {
    uint64_t *level; /* a bit for each vertex with a tight arc to a vertex as far that lacks a
                        parent, and maybe for others */
    uint64_t *layered, *current; /* layers so far, and the one under way, for a pull */
    hop_vertex *queue;
    /* The variant's, of a graph on disk: open, with weights; a bit for each block. Else NULL. */
    struct hop__arcs *arcs;
    uint64_t *wanted;
} hop__sssp_layers;

/* List what hop__sssp_parents takes, all on demand; or, for variants that have the marks all the
 * time, these, and what hop__sssp_level_parents and hop__sssp_all_zero take. */
void hop__sssp_parents_blocks(hop__workspace *space, size_t at, const hop__sssp_query *query);
void hop__sssp_level_block(hop__workspace *space, size_t at, const hop__sssp_query *query);
void hop__sssp_layers_blocks(hop__workspace *space, size_t at, const hop__sssp_query *query);

/* Canonical parents from the distances of the task, which are final (and cut, if no weight is
 * negative). `sums`: the exact sums, n times query.exact.words, when there is a scale. */
hop_status hop__sssp_parents(hop__workspace *space, hop__sssp_layers *layers, hop__sssp_task *task,
                             const uint64_t *sums);
/* The second half of it, for variants that find parents of smaller distance by themselves: the
 * vertices that have none (HOP_NO_VERTEX, but reached) get theirs over arcs between equal
 * distances, from layers->level. No weight is negative. */
hop_status hop__sssp_level_parents(hop__workspace *space, hop__sssp_layers *layers,
                                   hop__sssp_task *task);
/* Everything, where all weights are 0 and nothing is beyond the cutoff: distances are 0, and layers
 * find out who is reached. The task has parents. */
hop_status hop__sssp_all_zero(hop__workspace *space, hop__sssp_layers *layers,
                              hop__sssp_task *task);

/* sssp_limits.c */

/* The first of the vertices that are as far as the last of the query's nearest; HOP_NO_VERTEX when
 * fewer are reached, or there is no such limit. */
hop_vertex hop__sssp_last_nearest(const hop__sssp_query *query, const void *distances);

/* Takes out what is farther than the farthest target, if all are reached, or than the nearest: for
 * searches without a negative weight that did not stop early. */
void hop__sssp_cut(hop_context *context, hop__sssp_task *task);
/* The same and the cutoff, for a whole result with negative weights: what lies on the way to
 * something that stays, stays. Needs the parents. */
hop_status hop__sssp_cut_whole(hop_context *context, hop__sssp_task *task);
uint64_t hop__sssp_cut_memory(const hop__sssp_query *query);
/* With query.wide and no negative weight: HOP_ERR_UNSUPPORTED when a vertex is not reached only
 * because its distance does not fit. */
hop_status hop__sssp_check_range(hop_context *context, const hop__sssp_task *task);

/* sssp_certify.c: the check of hop_sssp_certify, and the bytes that it allocates. */
hop_status hop__sssp_certify(hop_context *context, const hop__sssp_query *query, bool canonical,
                             const void *distances, const hop_vertex *parents);
uint64_t hop__sssp_certify_memory(const hop__sssp_query *query, bool parents);
/* "4.25 away", exactly, or "not reached". */
enum { HOP__SSSP_TEXT = 40 };
const char *hop__sssp_distance_text(const hop__sssp_query *query, const void *distances, uint64_t v,
                                    char text[HOP__SSSP_TEXT]);

/* sssp_tolerance.c: the check of hop_sssp_certify within a tolerance. */
hop_status hop__sssp_certify_within(hop_context *context, const hop__sssp_query *query,
                                    const hop_sssp_options *options, const void *distances);

#endif
