/* SPDX-License-Identifier: Apache-2.0
 *
 * What is inside a graph.
 *
 * Invariants of a graph that is checked (or was built here):
 *  1. offsets[0] = 0, offsets never fall, offsets[n] = arcs.
 *  2. Every target is below n; each row is sorted by target (parallel arcs stand together).
 *  3. No weight is NaN.
 *  4. Undirected: the arcs u->v and v->u are equal in number and weights.
 *  5. labels, if any, are strictly ascending; without them, first_id + n - 1 fits 64 bits. names,
 *     if any, are in the order of their bytes, each once; then there are no labels, and first_id
 *     is 0.
 *  6. `facts` are those of the arrays. */
#ifndef HOPLITE_GRAPH_GRAPH_INTERNAL_H
#define HOPLITE_GRAPH_GRAPH_INTERNAL_H

#include <stdatomic.h>

#include "core/life.h"
#include "core/memory.h"
#include "core/process_lock.h"
#include "graph/vertex_names.h"
#include "hoplite/graph.h"

/* Measured in the build, or by the check. */
typedef struct hop__facts {
    hop_offset loops;
    hop_vertex isolated;
    hop_offset min_degree, max_degree;
    hop_vertex max_degree_vertex;
    double min_weight, max_weight;
    int64_t min_weight_int, max_weight_int;
} hop__facts;

/* Of a graph whose rows are in the memory of a device, where others made them: the graph's arrays
 * are room for the host's copy, which `bring` fills when somebody is to read it. Until then nobody
 * may: hop__graph_is_away. */
typedef struct hop__away {
    const void *offsets, *targets, *weights; /* addresses of the device */
    hop_status (*bring)(hop_context *context, const hop_graph *graph);
    char device[32]; /* its name */
} hop__away;

/* Values of hop__shared.state. */
enum { HOP__UNCHECKED = 0, HOP__CHECKED = 1, HOP__TRUSTED = 2 };

/* The part that changes after a graph is made. It is apart from the graph, so that `const
 * hop_graph *` stays honest about the arrays: only the check (which every use of a mapped graph
 * must make, and which changes no answer) and hop_graph_prepare write here, under the lock. */
typedef struct hop__shared {
    atomic_uint references;
    atomic_int state;
    hop__process_lock lock; /* a check or a preparation that a fork cut off is begun again */
    hop__facts facts;       /* valid once state is not HOP__UNCHECKED */
    /* Prepared: published by release stores, never changed afterwards. */
    _Atomic(hop_graph *) reverse;
    atomic_bool has_diameter;
    hop_vertex diameter_low;
    _Atomic(hop__life *) life; /* NULL until somebody asks for it */
    atomic_bool arrived;       /* of rows on a device: the host has its copy */
} hop__shared;

struct hop_graph {
    hop_vertex vertices;
    hop_offset arcs;
    uint64_t edges_given; /* by the builder's source; 0 when it was not built */
    bool directed, borrowed, mapped;
    struct hop__store *store; /* where its arcs are, which are not in memory then; or NULL */
    hop_vertex *joined;       /* of edges that were not kept: labels of components; or NULL */
    hop__away *away;          /* where its rows are, if on a device; or NULL */
    size_t offset_bytes;      /* 4 or 8 */
    const void *offsets;
    const hop_vertex *targets;
    const void *weights;
    hop_weight_type weight_type;
    const uint64_t *labels;
    uint64_t first_id;        /* of vertex 0, where there are no labels; else not looked at */
    hop__vertex_names *names; /* of text, or NULL; one reference is the graph's */
    hop__pool *pool;
    hop__shared *shared;
    /* Where an unchecked graph comes from, for the message of its check; NULL: nowhere. */
    char *origin;
    /* What to free: blocks of the pool (NULL where borrowed), then the owner of borrowed arrays. */
    void *own_offsets, *own_targets, *own_weights, *own_labels;
    void (*release)(void *owner);
    void *owner;
};

static inline hop_offset hop__offset_at(const void *offsets, size_t bytes, uint64_t vertex) {
    return bytes == 4 ? ((const uint32_t *)offsets)[vertex] : ((const uint64_t *)offsets)[vertex];
}

static inline hop_offset hop__offset(const hop_graph *graph, uint64_t vertex) {
    return hop__offset_at(graph->offsets, graph->offset_bytes, vertex);
}

/* The vertex whose row holds arc number `arc`: the largest whose row begins at or before it. */
uint64_t hop__row_among(const void *offsets, size_t bytes, uint64_t vertices, uint64_t arc);
static inline uint64_t hop__row_of_arc(const hop_graph *graph, uint64_t number) {
    return hop__row_among(graph->offsets, graph->offset_bytes, graph->vertices, number);
}

/* The first arc of row u to v or above; the row's end when there is none. */
static inline uint64_t hop__first_arc(const hop_graph *graph, uint64_t u, uint64_t v) {
    uint64_t low = hop__offset(graph, u), high = hop__offset(graph, u + 1);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (graph->targets[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The arcs of v to itself. */
static inline uint64_t hop__row_loops(const hop_graph *graph, uint64_t v) {
    enum { SHORT = 512 }; /* quicker looked at whole than searched */
    uint64_t begin = hop__offset(graph, v), end = hop__offset(graph, v + 1), loops = 0;
    if (end - begin > SHORT) {
        for (uint64_t i = hop__first_arc(graph, v, v); i < end && graph->targets[i] == v; i++)
            loops++;
        return loops;
    }
    uint32_t few = 0;
    for (uint64_t i = begin; i < end; i++)
        few += graph->targets[i] == (hop_vertex)v;
    return few;
}

/* Weight number `arc` as a double; exact but for large int64. */
HOP_API double hop__weight_as_double(hop_weight_type type, const void *weights, uint64_t index);

/* Whether ascending labels are first, first + 1 ...: then their first says all. */
static inline bool hop__labels_plain(const uint64_t *labels, uint64_t count) {
    return count == 0 || labels[count - 1] - labels[0] == count - 1;
}

/* What messages call a vertex: its label, or its name in quotes. hop__name(graph, v).s lives as
 * long as the statement that it stands in. */
hop__vertex_text hop__name(const hop_graph *graph, uint64_t vertex);

/* Refuses ids of so many vertices that would not fit 64 bits. */
hop_status hop__first_id_check(hop_context *context, const char *who, uint64_t first_id,
                               uint64_t vertices);

/* Makes a graph that owns nothing yet, in state HOP__UNCHECKED, one reference. */
hop_status hop__graph_create(hop_context *context, hop_graph **graph);

/* The life of the graph, for who keeps copies of its arrays; the caller does not hold it. NULL when
 * there is no memory for it: nothing can be kept then. Any thread. */
hop__life *hop__graph_life(const hop_graph *graph);

/* hop_graph_prepare of what is here: reverse arcs and the diameter. */
hop_status hop__graph_derive(hop_context *context, hop_graph *graph, unsigned what);

/* Keeps the name of the file that the graph is mapped from. */
hop_status hop__graph_set_origin(hop_context *context, hop_graph *graph, const char *name);

/* hop_graph_reverse without the weights, which nobody asks for. */
hop_status hop__graph_reverse_bare(hop_context *context, const hop_graph *graph,
                                   hop_graph **result);
/* What that takes, at most: keys, sort buffers, offsets; a hub's arcs are copied more than once. */
uint64_t hop__reverse_bytes(const hop_graph *graph);

/* An undirected graph anew, without its names. From its edges rather than its arcs: with "first"
 * and "last" the two arcs of an edge might choose differently, and with "sum" both would count. */
hop_status hop__graph_rebuild(hop_context *context, const hop_graph *graph,
                              hop_duplicates duplicates, hop_loops loops, hop_graph **result);

/* Whether the rows are on a device alone. */
static inline bool hop__graph_is_away(const hop_graph *graph) {
    return graph->away != NULL &&
           !atomic_load_explicit(&graph->shared->arrived, memory_order_acquire);
}

/* As hop_graph_check, for callers that take a graph whose arcs are on disk as well: of such a one
 * each block is checked when it is read. */
static inline hop_status hop__graph_check_any(hop_context *context, const hop_graph *graph) {
    return graph->store != NULL ? HOP_OK : hop_graph_check(context, graph);
}

/* And for those that take rows that are on a device alone as well, which were checked there. */
static inline hop_status hop__graph_check_away(hop_context *context, const hop_graph *graph) {
    return hop__graph_is_away(graph) ? HOP_OK : hop__graph_check_any(context, graph);
}

/* Checks invariants 1 to 5 and measures the facts, in parallel. */
hop_status hop__graph_verify(hop_context *context, const hop_graph *graph, hop__facts *facts);

/* A short hash of (a, b, weight bits): for order-independent sums over arcs. */
static inline uint64_t hop__mix64(uint64_t x) {
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

#endif
