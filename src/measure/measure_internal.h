/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures of distances, inside. A row of the driver's table (measure_bits.c, measure_searches.c,
 * measure_bounds.c) finds the facts of each vertex: how many it reaches, how far they are in all.
 * A row of the table of measures (measure_values.c) makes its values of them.
 *
 * The front has turned the graph: distances are always from the vertices of task.graph. */
#ifndef HOPLITE_MEASURE_MEASURE_INTERNAL_H
#define HOPLITE_MEASURE_MEASURE_INTERNAL_H

#include <stdatomic.h>

#include "hoplite/apsp.h"
#include "hoplite/measure.h"
#include "sssp/sssp_internal.h"

/* A distance or a sum of them: `whole` of integers and where there are no weights, else `real`. */
typedef union hop__measure_number {
    uint64_t whole;
    double real;
} hop__measure_number;

/* What the distances from one vertex say. */
typedef struct hop__measure_facts {
    hop__measure_number sum, farthest;
    double inverse;   /* sum of 1 / distance, of those that are not 0 */
    uint64_t reached; /* vertices, itself included */
} hop__measure_facts;

typedef struct hop__measure_task hop__measure_task;

/* Values are of: */
typedef enum hop__measure_kind {
    HOP__MEASURE_REAL,     /* float64 */
    HOP__MEASURE_DISTANCE, /* the type of the distances */
    HOP__MEASURE_SUM,      /* int64, or float64 */
    HOP__MEASURE_VERTICES, /* uint32 */
    HOP__MEASURE_COUNT     /* uint64 */
} hop__measure_kind;

/* Solves a measure that is a problem of its own: the graph is not checked yet; `values` have their
 * type and room; *count is the room, and stays so where all of it is used. */
typedef hop_status hop__measure_solve_fn(hop_context *context, const hop_graph *graph,
                                         const hop_measure_options *options, void *values,
                                         hop_vertex *count);

typedef struct hop__measure_row {
    hop_measure about;
    hop__measure_kind kind;
    bool counts_arcs; /* it has no meaning with weights */
    /* Of rows that are not made of the facts below: a problem of its own, whose front it is. */
    hop__measure_solve_fn *solve;
    hop__measure_solve_fn *sample; /* the same where options.samples are fewer than n; or NULL */
    bool farthest_only;            /* of the facts it looks at `farthest` alone */
    bool sums;                     /* it looks at `sum`, which must fit then */
    /* Whether a vertex whose eccentricity is between these may still matter, where those of the
     * graph are known to be as far as this; of measures with farthest_only. */
    bool (*matters)(uint64_t low, uint64_t high, uint64_t least_high, uint64_t most_low);
    /* The values, from task->facts or task->levels; how many. */
    hop_status (*finish)(hop_context *context, const hop__measure_task *task, void *values,
                         hop_vertex *count);
    /* Of rows that take samples, all of which are fewer than n: how far off, see
     * hop_measure_bound. */
    double (*bound)(const hop_graph *graph, const hop_measure_options *options, double failure);
} hop__measure_row;

/* Those that are found from the distances of each vertex, and two that are not. */
extern const hop__problem hop__measure_problem, hop__between_problem, hop__local_problem;

extern const hop__measure_row hop__measures[];
extern const size_t hop__measures_count;

struct hop__measure_task {
    const hop__measure_row *measure;
    hop__sssp_query query;      /* the weights of the graph: */
    const hop_graph *graph;     /* along whose arcs distances count; turned, if they count inward */
    const hop_graph *into;      /* the arcs into its vertices, or NULL */
    const hop_vertex *vertices; /* whose facts are wanted; NULL: all */
    hop_vertex count;           /* of them */
    bool scaled, turn;          /* turn: `graph` is to be reversed before the run */
    hop_vertex within;
    unsigned workers, words;   /* that there is memory for; words: of bits */
    hop__measure_facts *facts; /* one for each of `count` */
    uint64_t *levels;          /* n: pairs at each distance; NULL: not wanted */
    void *values;              /* the caller's */
    hop_vertex value_count;
    uint64_t rounds, relaxations; /* to be counted by the row */
};

typedef struct hop__measure_variant {
    hop__variant row;
    /* Fills in the facts (or levels). */
    hop_status (*run)(hop_context *context, hop__measure_task *task);
    /* Bytes beside blocks(), of what is called from there; may fail. NULL: none. */
    hop_status (*beside)(hop_context *context, const hop__measure_task *task, uint64_t *bytes);
} hop__measure_variant;

extern const hop__measure_variant hop__measure_searches, hop__measure_bits, hop__measure_bounds;

static inline hop_vertex hop__measure_vertex(const hop__measure_task *task, uint64_t at) {
    return task->vertices ? task->vertices[at] : (hop_vertex)at;
}

/* Whether distances are integers, or numbers of arcs. */
static inline bool hop__measure_is_whole(const hop__measure_task *task) {
    return task->query.distance_type == HOP_TYPE_INT64;
}

/* The row that searches from each vertex: for those who need the facts of some. */
const hop__measure_variant *hop__measure_each(const hop__measure_task *task);

/* What a row of distances says. Without weights `counts`, n of them, all 0 before and after, are
 * used. False when a sum that the measure looks at does not fit 64 bits. */
bool hop__measure_look(const hop__measure_task *task, const void *distances, uint32_t *counts,
                       hop__measure_facts *facts);

/* The type of the values of a measure for graphs with such weights. */
hop_type hop__measure_type(const hop__measure_row *measure, hop_weight_type weights);

const hop__measure_row *hop__measure_named(const char *name);

/* The graph along whose arcs distances count from the vertices, and the arcs the other way, or that
 * it is to be turned. */
hop_status hop__measure_direct(hop_context *context, const hop_graph *graph,
                               hop_measure_direction direction, hop__measure_task *task);
/* What turning a graph round takes at most, while it is made and as long as it is there, where so
 * many bytes are free and `rest` are needed beside it. */
uint64_t hop__measure_turn_bytes(const hop_graph *graph, uint64_t free_bytes, uint64_t rest);

/* A graph that is turned round for a call, and what that takes. */
typedef struct hop__turned {
    hop_graph *graph;      /* to be released; NULL where nothing but a plan is wanted */
    uint64_t making, held; /* bytes while it is made, and as long as it is there */
} hop__turned;
hop_status hop__measure_turn(hop_context *context, const hop_graph *graph, bool plan,
                             hop__turned *turned);
/* Distances that are sums of what they are said to be, and fit: HOP_ERR_UNSUPPORTED if not. */
hop_status hop__measure_weights(hop_context *context, const hop_graph *graph,
                                const hop__measure_task *task);
/* Draws so many of n vertices by the context's seed; ascending. The caller frees them. */
hop_status hop__measure_draw(hop_context *context, hop_vertex n, hop_vertex samples,
                             hop_vertex **sources);

/* Betweenness of vertices and of arcs; measure_between.c. */
hop__measure_solve_fn hop__between_solve, hop__between_edges;
/* measure_local.c */
hop__measure_solve_fn hop__local_solve;
/* measure_voronoi.c */
hop__measure_solve_fn hop__voronoi_solve;
/* Searches, and compares cells that are there, which it only reads, with the distances. */
hop_status hop__voronoi_certify(hop_context *context, const hop_graph *graph,
                                const hop_measure_options *options, hop_vertex *cells);
/* measure_sampled.c */
hop__measure_solve_fn hop__sampled_closeness, hop__sampled_harmonic;
double hop__closeness_bound(const hop_graph *graph, const hop_measure_options *options,
                            double failure);
double hop__harmonic_bound(const hop_graph *graph, const hop_measure_options *options,
                           double failure);
double hop__between_bound(const hop_graph *graph, const hop_measure_options *options,
                          double failure);
double hop__between_edges_bound(const hop_graph *graph, const hop_measure_options *options,
                                double failure);

/* HOP_ERR_UNSUPPORTED: a sum of distances that does not fit. */
hop_status hop__measure_refuse_sum(hop_context *context, const hop__measure_task *task);

/* Finds and certifies the distances again; the values must come out the same. */
hop_status hop__measure_certify(hop_context *context, const hop__measure_task *task);
hop_status hop__measure_certify_memory(hop_context *context, const hop__measure_task *task,
                                       uint64_t *bytes);
/* What finding these rows takes, beside what `look` needs. */
hop_status hop__certified_rows_memory(hop_context *context, const hop_graph *graph,
                                      const hop_apsp_options *rows, hop_apsp_rows_fn look,
                                      uint64_t *bytes);

#endif
