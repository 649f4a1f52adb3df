/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph that is spread over the ranks.
 *
 * Vertices and arcs are cut independently, each evenly to within one: the owner of a vertex, which
 * has its state, is found by arithmetic; the holders of its row by a search among the bounds. Where
 * degrees are mixed the two are mostly the same rank.
 *
 * 1. Arcs are in the order (source, target) over all ranks: rank r holds those of its positions. A
 *    row may begin on one rank and end on a later one.
 * 2. Only rows with arcs are there, so that a rank has no more of them than arcs.
 * 3. ids: the different ends of this rank's arcs, sources and targets, ascending. A row and a
 *    target are indices of it, so what a variant keeps per end (reached, label) is an array of at
 *    most twice the arcs of this rank, whatever the number of vertices; and as owners ascend with
 *    the ids, those of one owner are a stretch: id_starts[r] .. id_starts[r + 1] - 1 are rank r's.
 * 4. known: for each rank in turn which vertices of this one are among its ids, in their order,
 *    counted from first_vertex. So values of ids pass between their owners and this rank by place:
 *    nobody sends ids.
 * 5. bounds[2 r], bounds[2 r + 1]: the first and the last row of rank r, ascending; UINT64_MAX of a
 *    rank without arcs, which can only be the last ones.
 * 6. A rank has fewer than 2^32 - 1 vertices and different ends: indices of them have 32 bits.
 *
 * Memory per rank: 4 bytes per arc, 12 per different end (8 and 4 of what others know), 12 per row,
 * 32 per rank of the job; masks 1 byte at most for each vertex here that another rank knows. */
#ifndef HOPLITE_CLUSTER_CLUSTER_GRAPH_H
#define HOPLITE_CLUSTER_CLUSTER_GRAPH_H

#include <string.h>

#include "cluster/cluster_internal.h"
#include "core/rng.h"
#include "core/sort.h"
#include "generate/family.h"

struct hop_cluster_graph {
    uint64_t vertices, arcs, loops; /* of all ranks */
    uint64_t hub; /* the smallest vertex with the longest part of a row on one rank; 0 without */
    uint64_t hub_arcs; /* of that part */
    bool directed;
    uint32_t ranks;
    uint64_t first_vertex, vertex_count;
    uint64_t first_arc, arc_count;
    uint64_t row_count, id_count;
    uint64_t *starts; /* of the rows, and one more */
    uint32_t *rows;   /* of each row, the index of its source in `ids` */
    uint32_t *ends;   /* of each arc, the index of its target in `ids` */
    uint64_t *ids, *id_starts;
    uint32_t *known;
    uint64_t *known_starts;
    uint64_t *id_counts, *known_counts; /* of each rank: differences of the starts */
    uint64_t *masks; /* known as bits, of some ranks: cluster_bits.c; NULL without */
    uint64_t *bounds;
    hop_type weight_type;
    void *weights; /* of the arcs; NULL without */
    /* What the file calls vertices: first_id + v, or labels, of this rank's vertices, ascending; or
     * what is in the native file of this path. NULL: none. */
    uint64_t first_id, *labels;
    char *path;
    bool negative;      /* some weight, of any rank, is below 0 */
    double mean_weight; /* of a rank, the largest of these; infinite ones do not count */
    /* Of integers; at least 1, and the largest there is where one is negative. */
    uint64_t most_weight;
};

/* The vertex of a row, and of the end of an arc. */
static inline uint64_t hop__row_vertex(const hop_cluster_graph *graph, uint64_t row) {
    return graph->ids[graph->rows[row]];
}
static inline uint64_t hop__end_vertex(const hop_cluster_graph *graph, uint64_t arc) {
    return graph->ids[graph->ends[arc]];
}

/* The bits of the weight of an arc here; 0 without weights. */
static inline uint64_t hop__weight_bits(const hop_cluster_graph *graph, uint64_t arc) {
    size_t size = graph->weights != NULL ? hop_type_size(graph->weight_type) : 0;
    uint64_t bits = 0;
    if (size > 0)
        memcpy(&bits, (const char *)graph->weights + arc * size, size);
    return bits;
}

/* Ids have at most 62 bits: two of them, or one and the place of an arc, are one key. */
#define HOP__MOST_CLUSTER_VERTICES (UINT64_C(1) << 62)

/* Bits of the ids of so many vertices. */
static inline unsigned hop__id_bits(uint64_t vertices) {
    return vertices < 2 ? 1 : hop__bit_width(vertices - 1);
}

/* The rank that has the state of a vertex. */
static inline uint32_t hop__owner(const hop_cluster_graph *graph, uint64_t vertex) {
    return (uint32_t)hop__even_part(graph->vertices, graph->ranks, vertex);
}

/* The same of an end of this rank's arcs, by its index: found among the stretches. */
static inline uint32_t hop__id_owner(const hop_cluster_graph *graph, uint64_t index) {
    uint32_t low = 0, count = graph->ranks;
    while (count > 1) {
        uint32_t half = count / 2;
        low += graph->id_starts[low + half] <= index ? half : 0;
        count -= half;
    }
    return low;
}

/* An empty graph with its cuts; `arcs` of all ranks. */
hop_status hop__cluster_graph_create(hop_cluster *cluster, uint64_t vertices, uint64_t arcs,
                                     bool directed, hop_cluster_graph **graph);
/* Arcs of this rank as vertices: what `rows` and `ends` of the graph are made of. */
typedef struct hop__wide_arcs {
    uint64_t *rows, *ends;
} hop__wide_arcs;

/* The rest, collective: ids, known, bounds, loops. `starts` are there. Takes the arcs over. */
hop_status hop__cluster_graph_finish(hop_cluster *cluster, hop_cluster_graph *graph,
                                     hop_status status, hop__wide_arcs *arcs);

/* The first rank with part of the row of a vertex, if it has one; the others follow it. */
uint32_t hop__first_holder(const hop_cluster_graph *graph, uint64_t vertex);
static inline bool hop__holds(const hop_cluster_graph *graph, uint32_t rank, uint64_t vertex) {
    return rank < graph->ranks && graph->bounds[2 * (size_t)rank] <= vertex;
}

/* How many of the ascending `ids` each rank owns. */
void hop__count_owners(const hop_cluster_graph *graph, const uint64_t *ids, uint64_t count,
                       uint64_t *counts);

/* Values of the ascending `ids`, from their owners: `values` are those of this rank's own vertices,
 * `fetched` those of the ids. Collective. */
hop_status hop__fetch(hop_cluster *cluster, const hop_cluster_graph *graph, const char *phase,
                      hop_status status, const uint64_t *ids, uint64_t count,
                      const uint64_t *values, uint64_t *fetched);

/* The same for the ids of the graph, of `bytes` each: `fetched` has one for each. Nobody sends ids.
 */
hop_status hop__fetch_ends(hop_cluster *cluster, const hop_cluster_graph *graph, const char *phase,
                           hop_status status, size_t bytes, const void *values, void *fetched);

/* The same for any ids, in any order: each different one is asked once. */
hop_status hop__fetch_any(hop_cluster *cluster, const hop_cluster_graph *graph, const char *phase,
                          hop_status status, const uint64_t *ids, uint64_t count,
                          const uint64_t *values, uint64_t *fetched);

/* Vertices of this rank, ascending, and their values, of all of this rank's, or NULL. */
typedef struct hop__told_rows {
    const uint64_t *vertices;
    uint64_t count;
    const uint64_t *values;
} hop__told_rows;

/* Tells the holders of rows of vertices of theirs: the inbox has numbers of 64 bits, the row and,
 * if there are values, the value; *arcs is the number of arcs of these rows here. Bytes sent: 8
 * or 16 for each vertex whose row, or part of it, another rank holds. Collective. */
hop_status hop__rows_tell(hop_cluster *cluster, const hop_cluster_graph *graph, const char *phase,
                          hop_status status, const hop__told_rows *told, hop__inbox *inbox,
                          uint64_t *arcs);

/* To the owner of a vertex, which is its number `at`: a value of it. */
typedef struct hop__word {
    uint32_t at, low, high;
} hop__word;
_Static_assert(sizeof(hop__word) == 12, "nothing between the fields is sent");

/* Different ends of this rank's arcs, and values for their owners: values[end], or with an index
 * values[index[end]]. */
typedef struct hop__found_ends {
    const uint32_t *ends;
    uint64_t count;
    const uint64_t *values;
    const uint32_t *index;
} hop__found_ends;

static inline bool hop__is_own_end(const hop_cluster *cluster, const hop_cluster_graph *graph,
                                   uint32_t end) {
    return end - graph->id_starts[cluster->rank] < graph->id_counts[cluster->rank];
}

/* Tells the owners of ends; those of this rank are not sent. Bytes sent: 12 for each end of others.
 * Collective. Then hop__words_take, not collective, calls take(user, number of the vertex, value)
 * for all that was found here of this rank's own vertices and all that came, in any order. */
hop_status hop__words_tell(hop_cluster *cluster, const hop_cluster_graph *graph, const char *phase,
                           hop_status status, const hop__found_ends *found, hop__inbox *inbox);
void hop__words_take(const hop_cluster *cluster, const hop_cluster_graph *graph,
                     const hop__found_ends *found, const hop__inbox *inbox, void *user,
                     void (*take)(void *user, uint32_t at, uint64_t value));

/* Where a search begins; the same on all ranks. */
typedef struct hop__cluster_sources {
    const uint64_t *sources;
    uint64_t count;
} hop__cluster_sources;

/* Begins the call of a search: whether sources exist, and all ranks make it with the same sources,
 * and the same hash of what else there is. */
hop_status hop__cluster_sources_check(hop_cluster *cluster, const char *call,
                                      const hop_cluster_graph *graph, hop__cluster_sources from,
                                      uint64_t hash, hop_status status);
/* Begins the call of hop_cluster_bfs, or of its certifier: checks sources and options. `status` is
 * what this rank's preparations came to, if there is a graph. */
hop_status hop__cluster_search(hop_cluster *cluster, const char *call,
                               const hop_cluster_graph *graph, hop__cluster_sources from,
                               const hop_bfs_options *given, hop_status status,
                               uint32_t *max_level);

/* Facts of the weights, over all ranks. Collective. */
hop_status hop__cluster_weigh(hop_cluster *cluster, hop_cluster_graph *graph);

/* Arcs of this rank while a graph is built: source and target in one key, id_bits each. */
typedef struct hop__arc_keys {
    hop__u128 *keys;
    uint64_t count;
    unsigned id_bits;
    hop_type type;          /* of the weights */
    unsigned char *weights; /* of the arcs; NULL without */
} hop__arc_keys;

void hop__arc_keys_clear(hop__arc_keys *arcs);
/* Room for the arcs of so many edges, with weights of a type or none. */
hop_status hop__arcs_begin(hop_context *context, const hop__build *build, hop_type type,
                           uint64_t vertices, uint64_t edges, hop__arc_keys *arcs);
/* Edges by the rules of the build: both ways, unless directed or a loop. Weight number `at` of
 * `weights` is that of the edge. */
void hop__arcs_add(hop__arc_keys *arcs, const hop__build *build, uint64_t from, uint64_t to,
                   const void *weights, uint64_t at);

/* Sorts, merges and spreads arcs; takes them over, whatever comes of it. */
hop_status hop__cluster_build(hop_cluster *cluster, hop_status status, const hop__build *build,
                              uint64_t vertices, hop__arc_keys *arcs, hop_cluster_graph **graph);

#endif
