/* SPDX-License-Identifier: Apache-2.0
 *
 * An index of a graph, for shortest paths from one vertex to another, asked again and again: made
 * once, kept in a file, and read by any number of threads.
 *
 * The answers are those of hop_sssp, bit by bit, distances and paths, whatever the kind:
 *  - contraction: a contraction hierarchy (Geisberger, Sanders, Schultes and Delling 2008), for
 *    graphs like road networks. A query looks at some thousand vertices of a graph of millions.
 *  - landmarks: bounds by the distances of a few vertices (Goldberg and Harrelson 2005), for any
 *    graph. A query looks at less of the graph than a search without them.
 * Weights may be of any type, but none may be negative. */
#ifndef HOPLITE_INDEX_H
#define HOPLITE_INDEX_H

#include "hoplite/graph.h"
#include "hoplite/type.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_index hop_index;

typedef enum hop_index_kind {
    HOP_INDEX_AUTO = 0, /* contraction, unless that gives up; then landmarks */
    HOP_INDEX_CONTRACTION = 1,
    HOP_INDEX_LANDMARKS = 2
} hop_index_kind;

typedef struct hop_index_options {
    size_t size;         /* sizeof(hop_index_options), set by the initialiser */
    hop_index_kind kind; /* default HOP_INDEX_AUTO */
    unsigned landmarks;  /* how many, 1 to 64; default 16 */
} hop_index_options;

#define HOP_INDEX_OPTIONS_INIT                                                                     \
    { sizeof(hop_index_options), HOP_INDEX_AUTO, 16 }
HOP_API void hop_index_options_init(hop_index_options *options, size_t size);

/* Makes an index of the graph, of which it keeps a reference; of a directed graph the reverse arcs
 * are prepared (hop_graph_prepare). The index depends on graph and options alone, not on the number
 * of threads. HOP_ERR_UNSUPPORTED: some weight is negative; sums of weights may reach 2^62; or a
 * contraction that was asked for gives up, because the graph is not like a road network: there
 * would be twice as many arcs as there were arcs and vertices, or too many steps. About 50 bytes
 * per arc and 60 per vertex are needed for a while, more where arcs are added. Blocking; runs on
 * the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_index_build(hop_context *context, hop_graph *graph,
                                                 const hop_index_options *options,
                                                 hop_index **index);
/* NULL is allowed. Any thread, once nobody asks any more. */
HOP_API void hop_index_free(hop_index *index);

typedef struct hop_index_info {
    size_t size;         /* sizeof(hop_index_info), set by the initialiser */
    hop_index_kind kind; /* never HOP_INDEX_AUTO */
    hop_vertex vertices;
    uint64_t arcs;       /* contraction: of the hierarchy, those that were added included */
    unsigned landmarks;  /* 0 in a contraction */
    uint64_t bytes;      /* of the index, without the graph */
    uint64_t graph_hash; /* hop_graph_hash */
} hop_index_info;

#define HOP_INDEX_INFO_INIT                                                                        \
    { sizeof(hop_index_info), HOP_INDEX_AUTO, 0, 0, 0, 0, 0 }
HOP_API void hop_index_info_init(hop_index_info *info, size_t size);
HOP_NODISCARD HOP_API hop_status hop_index_describe(hop_context *context, const hop_index *index,
                                                    hop_index_info *info);

/* distances[i], of hop_distance_type, is that from pairs[i].from to pairs[i].to: HOP_NO_DISTANCE or
 * infinity when there is no path. Blocking; runs on the context's threads. Any number of threads
 * may ask at once, each with a context of its own. */
HOP_NODISCARD HOP_API hop_status hop_index_distances(hop_context *context, const hop_index *index,
                                                     const hop_edge *pairs, uint64_t count,
                                                     const hop_span *distances);

/* The shortest path that the parents of hop_sssp describe: path[0] is `from`, path[*length - 1] is
 * `to`. *length is 0 when there is none. `path` NULL only counts; otherwise it has room for `room`
 * vertices, and a longer path is HOP_ERR_ARGUMENT, with *length set to what is needed. `distances`,
 * if not NULL, has as much room, for the distance of each of these vertices from the first.
 * Blocking; runs on the calling thread; beside others as hop_index_distances. */
HOP_NODISCARD HOP_API hop_status hop_index_path(hop_context *context, const hop_index *index,
                                                hop_vertex from, hop_vertex to, hop_vertex *path,
                                                hop_vertex room, hop_vertex *length,
                                                const hop_span *distances);

/* Compares the answers for these pairs with those of hop_distance_pairs, which uses no index:
 * HOP_OK, or HOP_ERR_CERTIFICATE with the first pair that differs. */
HOP_NODISCARD HOP_API hop_status hop_index_certify(hop_context *context, const hop_index *index,
                                                   const hop_edge *pairs, uint64_t count);

/* Writes the index to a file, a NumPy archive (.npz) with checksums and the graph's hash. The file
 * appears under its name when it is complete. */
HOP_NODISCARD HOP_API hop_status hop_index_save(hop_context *context, const hop_index *index,
                                                const char *path);
/* Reads the index of this graph from a file. HOP_ERR_INPUT: it is no such file, is damaged, or is
 * an index of another graph. Everything that a query relies on is checked. */
HOP_NODISCARD HOP_API hop_status hop_index_open(hop_context *context, const char *path,
                                                hop_graph *graph, hop_index **index);

#ifdef __cplusplus
}
#endif
#endif
