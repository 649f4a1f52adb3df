/* SPDX-License-Identifier: Apache-2.0
 *
 * The graph: immutable compressed sparse rows, neighbours sorted by id.
 *
 * An undirected graph stores each edge as two arcs, one in each direction, and a self-loop as one
 * arc. A directed graph stores each edge as one arc. Offsets are 32 or 64 bits wide, whichever
 * the caller's arrays have or the number of arcs needs.
 *
 * Names: every vertex has an id, its label, by which files and people know it. Ids that are
 * first, first + 1 ... (0, 1, 2 ... of most graphs, 1, 2, 3 ... of DIMACS, Matrix Market and METIS
 * files) are kept as their first one: label v is first_id + v. Any others are kept as an array:
 * vertices are numbered in the order of their ids, so that labels are always strictly ascending.
 * The functions of this library take and give vertex numbers; hop_graph_find and hop_graph_label
 * translate. Messages name vertices by their labels.
 *
 * The ids may be text instead, such as "alice": then the graph is named (hop_graph_named), vertices
 * are numbered in the order of the bytes of their names, and labels are the vertex numbers.
 * hop_graph_name and hop_graph_find_name translate, and messages have the names. They are kept
 * once, as their bytes and 8 bytes per vertex. The order of bytes makes numbers a function of the
 * set of names alone: the same on every machine and with any number of threads, and a name is found
 * by halving, without another table. Names are bytes, UTF-8 by custom, 1 to HOP_MAX_NAME of them,
 * none of them zero; "1", "01" and "1.0" are three names.
 *
 * Threads: a graph may be read by any number of threads at once. hop_graph_retain, _release and
 * _prepare may be called from any thread, each with a context of its own. */
#ifndef HOPLITE_GRAPH_H
#define HOPLITE_GRAPH_H

#include "hoplite/context.h"
#include "hoplite/type.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t hop_vertex;
typedef uint64_t hop_offset;

#define HOP_NO_VERTEX    UINT32_MAX
#define HOP_MAX_VERTICES (UINT32_MAX - 1u)
#define HOP_MAX_EDGES    (UINT64_C(1) << 40)
#define HOP_MAX_NAME     65535 /* bytes of a vertex's name, where names are text */

typedef struct hop_graph hop_graph;

/* Of weights and distances: one of the first five of hop_type. */
typedef hop_type hop_weight_type;

/* What becomes of several edges between the same two ends (in the same direction, when directed).
 * All but KEEP leave one. The order of FIRST and LAST, and of the additions of SUM, is that of
 * the input. An integer SUM that leaves its type is an error. */
typedef enum hop_duplicates {
    HOP_DUPLICATES_MIN = 0,
    HOP_DUPLICATES_MAX = 1,
    HOP_DUPLICATES_SUM = 2,
    HOP_DUPLICATES_FIRST = 3,
    HOP_DUPLICATES_LAST = 4,
    HOP_DUPLICATES_KEEP = 5
} hop_duplicates;

typedef enum hop_loops { HOP_LOOPS_KEEP = 0, HOP_LOOPS_DROP = 1 } hop_loops;

/* What the ids of the edges mean. */
typedef enum hop_ids {
    HOP_IDS_DENSE = 0, /* first_id + vertex number; those without an edge are isolated vertices */
    HOP_IDS_SPARSE = 1 /* labels: the vertices are the ids that occur, in ascending order */
} hop_ids;

/* Edges in the caller's memory. Edge i is from *(from + i*stride) to *(to + i*stride), so that two
 * arrays, an n-by-2 array and an array of records all fit. Ids are unsigned; a signed array
 * without negative ids has the same bits. */
typedef struct hop_edges {
    size_t size;    /* sizeof(hop_edges), set by the initialiser */
    uint64_t count; /* number of edges */
    const void *from;
    const void *to;
    size_t id_bytes;     /* of one id: 4 or 8 */
    size_t stride;       /* bytes from one edge's id to the next; 0: id_bytes */
    const void *weights; /* one per edge, without a stride, or NULL */
    hop_weight_type weight_type;
} hop_edges;

#define HOP_EDGES_INIT                                                                             \
    { sizeof(hop_edges), 0, NULL, NULL, 4, 0, NULL, HOP_TYPE_NONE }
HOP_API void hop_edges_init(hop_edges *edges, size_t size);

typedef struct hop_build_options {
    size_t size;               /* sizeof(hop_build_options), set by the initialiser */
    uint64_t vertices;         /* 0: up to the largest id (dense), the ids that occur (sparse) */
    bool directed;             /* default false: every edge is stored in both directions */
    hop_duplicates duplicates; /* default HOP_DUPLICATES_MIN */
    hop_loops loops;           /* default HOP_LOOPS_KEEP */
    hop_ids ids;               /* default HOP_IDS_DENSE */
    /* With HOP_IDS_SPARSE: the ids of all vertices, strictly ascending, `vertices` of them, so
     * that isolated ones exist too. An edge with another id is then an error. NULL: those of the
     * edges. Copied. */
    const uint64_t *labels;
    /* With HOP_IDS_DENSE: the id of vertex 0, in the edges and in the graph; default 0. */
    uint64_t first_id;
    /* With HOP_IDS_DENSE and first_id 0: names of text for all `vertices`, in the order of their
     * bytes, each once. Name v is name_bytes[name_offsets[v]] .. name_bytes[name_offsets[v+1]-1];
     * there are vertices + 1 offsets, the first 0. NULL: none. Copied. */
    const uint64_t *name_offsets;
    const char *name_bytes;
} hop_build_options;

#define HOP_BUILD_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(hop_build_options), 0, false, HOP_DUPLICATES_MIN, HOP_LOOPS_KEEP, HOP_IDS_DENSE,    \
            NULL, 0, NULL, NULL                                                                    \
    }
HOP_API void hop_build_options_init(hop_build_options *options, size_t size);

/* Builds a graph from edges in any order; `options` NULL means the defaults. NaN weights and ids
 * that are not among the vertices are refused, with the edge's number. The edges are read twice and
 * not changed. Peak memory beside them: 10 bytes per edge (directed 5; from 2^26 vertices on up to
 * 16 and 8), twice the weights, and 12 per vertex; once more the arcs of a vertex that has most of
 * them. HOP_IDS_SPARSE takes up to 32 bytes per edge before, and 8 beside. Blocking; runs on the
 * context's threads. */
HOP_NODISCARD HOP_API hop_status hop_graph_from_edges(hop_context *context, const hop_edges *edges,
                                                      const hop_build_options *options,
                                                      hop_graph **graph);

/* Compressed sparse rows in the caller's memory: the neighbours of v are
 * targets[offsets[v]] .. targets[offsets[v+1]-1]. */
typedef struct hop_csr {
    size_t size; /* sizeof(hop_csr), set by the initialiser */
    uint64_t vertices;
    const void *offsets; /* vertices + 1 of them, the first 0 */
    size_t offset_bytes; /* 4 or 8 */
    const void *targets;
    size_t target_bytes; /* 4 or 8; 8 means a copy */
    const void *weights; /* one per arc, or NULL */
    hop_weight_type weight_type;
    const uint64_t *labels; /* strictly ascending, or NULL */
    /* Called once, when the graph no longer needs the arrays; NULL: nobody is told. When the call
     * fails it is not called. */
    void (*release)(void *owner);
    void *owner;
    uint64_t first_id; /* without labels: the id of vertex 0; targets are vertex numbers */
    /* Instead of both: names of text, as in hop_build_options; borrowed like the other arrays. */
    const uint64_t *name_offsets;
    const char *name_bytes;
} hop_csr;

#define HOP_CSR_INIT                                                                               \
    { sizeof(hop_csr), 0, NULL, 4, NULL, 4, NULL, HOP_TYPE_NONE, NULL, NULL, NULL, 0, NULL, NULL }
HOP_API void hop_csr_init(hop_csr *csr, size_t size);

typedef struct hop_csr_options {
    size_t size;   /* sizeof(hop_csr_options), set by the initialiser */
    bool directed; /* default true. false: the caller says that the arcs are symmetric, weights
                      included; that is checked like the rest */
    bool trusted;  /* default false. true: nothing is checked; with wrong arrays everything later is
                      undefined */
    bool copy;     /* default false: arrays are borrowed where they can be */
} hop_csr_options;

#define HOP_CSR_OPTIONS_INIT                                                                       \
    { sizeof(hop_csr_options), true, false, false }
HOP_API void hop_csr_options_init(hop_csr_options *options, size_t size);

/* Makes a graph of CSR arrays. Without `copy`, sorted rows with 4-byte targets are borrowed and
 * must stay unchanged until `release` is called; anything else is copied, and the log says so at
 * level INFO, and hop_graph_info.borrowed is false (`release` is then called before returning).
 * Parallel arcs are kept. Blocking; runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_graph_from_csr(hop_context *context, const hop_csr *csr,
                                                    const hop_csr_options *options,
                                                    hop_graph **graph);

/* The same of arrays that are in the memory of the context's device, and lent to it
 * (hop_device_lend): offsets, targets and weights. Sorted rows with ids of 4 bytes are checked and
 * searched where they are, and must stay unchanged until the graph is released; the host has room
 * for a copy, which it makes when it first has to read them (hop_graph_check does; until then the
 * arrays of the graph below are NULL). Others, and those with labels or names, which are the
 * host's, or options.copy, are copied now, and the log says so at level INFO. `release` is
 * not called, and must be NULL. */
HOP_NODISCARD HOP_API hop_status hop_graph_from_device(hop_context *context, const hop_csr *csr,
                                                       const hop_csr_options *options,
                                                       hop_graph **graph);

/* One more owner; returns the graph. */
HOP_API hop_graph *hop_graph_retain(hop_graph *graph);
/* One owner fewer; the last one frees it. NULL is allowed. */
HOP_API void hop_graph_release(hop_graph *graph);

HOP_API hop_vertex hop_graph_vertices(const hop_graph *graph);
/* Arcs that are stored: for an undirected graph, two per edge and one per self-loop. */
HOP_API hop_offset hop_graph_arcs(const hop_graph *graph);
HOP_API bool hop_graph_directed(const hop_graph *graph);
/* vertices + 1 offsets, each *width_bytes (4 or 8) wide, unsigned. */
HOP_API const void *hop_graph_offsets(const hop_graph *graph, size_t *width_bytes);
HOP_API const hop_vertex *hop_graph_targets(const hop_graph *graph);
/* NULL and HOP_TYPE_NONE when unweighted. `type` may be NULL. */
HOP_API const void *hop_graph_weights(const hop_graph *graph, hop_weight_type *type);
/* One per vertex, strictly ascending; NULL when the label of v is hop_graph_first_id + v. */
HOP_API const uint64_t *hop_graph_labels(const hop_graph *graph);
/* The label of vertex 0; 0 when there is none. */
HOP_API uint64_t hop_graph_first_id(const hop_graph *graph);
/* The label of a vertex; a number that is none, such as HOP_NO_VERTEX, is given back. */
HOP_API uint64_t hop_graph_label(const hop_graph *graph, hop_vertex vertex);
/* The vertex with this label, or HOP_NO_VERTEX. */
HOP_API hop_vertex hop_graph_find(const hop_graph *graph, uint64_t label);

/* Whether the vertices have names of text. Their labels are then 0, 1, 2 ... */
HOP_API bool hop_graph_named(const hop_graph *graph);
/* The name of a vertex: *length bytes that belong to the graph, with no 0 behind them. NULL, and
 * length 0, when the graph is not named or there is no such vertex. */
HOP_API const char *hop_graph_name(const hop_graph *graph, hop_vertex vertex, size_t *length);
/* The vertex with this name, or HOP_NO_VERTEX; by halving, O(length * log n). */
HOP_API hop_vertex hop_graph_find_name(const hop_graph *graph, const char *name, size_t length);
/* All names, as Arrow keeps large strings: vertices + 1 offsets into *bytes; both belong to the
 * graph. NULL when it is not named. Those of a mapped file that is not checked yet may be anything:
 * hop_graph_check first. (The two calls above never leave the bytes.) */
HOP_API const uint64_t *hop_graph_names(const hop_graph *graph, const char **bytes);

/* A graph that was mapped from a file has not been looked at yet: its offsets, ids, weights and
 * symmetry are checked, in parallel, before anything uses them. Every call below and every
 * problem does so by itself; this does it now. HOP_ERR_INPUT says what is wrong and where. A
 * graph that is checked, or declared trusted, returns at once. */
HOP_NODISCARD HOP_API hop_status hop_graph_check(hop_context *context, const hop_graph *graph);

typedef struct hop_graph_info {
    size_t size; /* set by the caller: sizeof(hop_graph_info) */
    hop_vertex vertices;
    hop_offset arcs;
    hop_offset edges; /* undirected: each once; directed: arcs */
    hop_offset loops;
    hop_vertex isolated; /* vertices without an arc out (directed) or without an edge */
    hop_offset min_degree, max_degree; /* of outgoing arcs */
    hop_vertex max_degree_vertex;      /* smallest that has it; HOP_NO_VERTEX when n = 0 */
    hop_weight_type weight_type;
    /* Range of the weights; meaningless when unweighted or without arcs. For integer types the
     * _int fields are exact. */
    double min_weight, max_weight;
    int64_t min_weight_int, max_weight_int;
    size_t offset_bytes;
    uint64_t memory_bytes; /* arrays of this graph, borrowed and mapped ones included */
    bool directed, labelled, borrowed, mapped, checked;
    bool has_reverse;        /* prepared */
    bool has_diameter;       /* prepared */
    hop_vertex diameter_low; /* a lower bound in hops, of the component of max_degree_vertex */
    /* Edges that it was built from, before duplicates were merged and loops dropped; `edges` when
     * the arrays came ready-made. */
    hop_offset edges_given;
    uint64_t first_id; /* the label of vertex 0; unless `labelled`, that of v is first_id + v */
    bool named;        /* vertices have names of text; `labelled` is then false */
} hop_graph_info;

#define HOP_GRAPH_INFO_INIT                                                                        \
    {                                                                                              \
        sizeof(hop_graph_info), 0, 0, 0, 0, 0, 0, 0, 0, HOP_TYPE_NONE, 0, 0, 0, 0, 0, 0, false,    \
            false, false, false, false, false, false, 0, 0, 0, false                               \
    }
HOP_API void hop_graph_info_init(hop_graph_info *info, size_t size);

/* Fills in `info`, whose `size` the caller has set; checks the graph first if that is due. */
HOP_NODISCARD HOP_API hop_status hop_graph_describe(hop_context *context, const hop_graph *graph,
                                                    hop_graph_info *info);

/* Derived data that is made only on request and then kept with the graph; or, for the last, with
 * the context. */
#define HOP_PREPARE_REVERSE  1u /* arcs by target: for directed graphs a second CSR */
#define HOP_PREPARE_DIAMETER 2u /* a lower bound by four sweeps of BFS: O(n + m) */
/* Copies to the memory of the context's device, ahead of the first search there: offsets, arcs,
 * weights, and the reverse arcs if they are prepared, now or before. HOP_ERR_BUDGET when they do
 * not fit. Nothing happens where the device works in the host's memory. Searches keep there what
 * they have copied as well, so this moves the time, and brings what they might do without. The
 * copies belong to the context: see hop_device_trim in device.h. */
#define HOP_PREPARE_DEVICE 4u
HOP_NODISCARD HOP_API hop_status hop_graph_prepare(hop_context *context, hop_graph *graph,
                                                   unsigned what);

/* The arcs by target, as a graph, once prepared; the graph itself when undirected; else NULL.
 * Belongs to `graph`. */
HOP_API const hop_graph *hop_graph_prepared_reverse(const hop_graph *graph);

/* A new graph with every arc turned round. */
HOP_NODISCARD HOP_API hop_status hop_graph_reverse(hop_context *context, const hop_graph *graph,
                                                   hop_graph **result);

/* The undirected graph of the same edges; where both directions exist with different weights, or
 * parallel arcs, `duplicates` says which stays (KEEP is refused: it would double what is already
 * there in both directions). */
HOP_NODISCARD HOP_API hop_status hop_graph_symmetrize(hop_context *context, const hop_graph *graph,
                                                      hop_duplicates duplicates,
                                                      hop_graph **result);

/* The graph of the given vertices, strictly ascending, and the edges between them. Vertex i of
 * the result is vertices[i]; its label is that of vertices[i]. */
HOP_NODISCARD HOP_API hop_status hop_graph_subgraph(hop_context *context, const hop_graph *graph,
                                                    const hop_vertex *vertices, hop_vertex count,
                                                    hop_graph **result);

/* An edge list of the graph for those who want one, in the order of the rows. `once`: of an
 * undirected graph only the arcs with from <= to, so each edge once. `edges` has room for `room` of
 * them, which is hop_graph_edge_count at least; `weights` (of the graph's type) may be NULL, and is
 * left alone where there are none. */
typedef struct hop_edge {
    hop_vertex from, to;
} hop_edge;
HOP_NODISCARD HOP_API hop_status hop_graph_edge_count(hop_context *context, const hop_graph *graph,
                                                      bool once, uint64_t *count);
HOP_NODISCARD HOP_API hop_status hop_graph_edge_list(hop_context *context, const hop_graph *graph,
                                                     bool once, hop_edge *edges, uint64_t room,
                                                     const hop_span *weights);

/* A hash of the contents (directedness, rows, weights, labels or names): equal graphs have equal
 * hashes on every machine, whatever the width of their offsets, the form of their labels (an array
 * or the first id) and the number of threads. */
HOP_NODISCARD HOP_API hop_status hop_graph_hash(hop_context *context, const hop_graph *graph,
                                                uint64_t *hash);

#ifdef __cplusplus
}
#endif
#endif
