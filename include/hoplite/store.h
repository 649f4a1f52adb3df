/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs larger than memory: the arcs stay in a native file and are read as they are needed, within
 * the memory budget. */
#ifndef HOPLITE_STORE_H
#define HOPLITE_STORE_H

#include "hoplite/generate.h"
#include "hoplite/io.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_external_options {
    size_t size; /* sizeof(hop_external_options), set by the initialiser */
    /* Bytes that blocks of the file may take in memory, 1 MiB at least. 0: three quarters of what
     * the budget has left beside 13 bytes per vertex (18 where weights may be 0), and no more than
     * the arcs have. */
    uint64_t cache_bytes;
    bool plain; /* default false: past the page cache where the file system can do that */
} hop_external_options;

#define HOP_EXTERNAL_OPTIONS_INIT                                                                  \
    { sizeof(hop_external_options), 0, false }
HOP_API void hop_external_options_init(hop_external_options *options, size_t size);

/* Opens a native file (.npz) whose arcs stay there. In memory are 2.25 bytes per vertex for where
 * rows begin, labels or names if the file has them, 0.1 % of the arrays for checksums and tables,
 * and the cache: all of it counted in the budget. Reads the offsets once. `options` NULL: the
 * defaults.
 *
 * Such a graph can be described, and be given to hop_components, hop_bfs, hop_sssp (weights
 * that are not negative) and their certifiers; labels and names are looked up as ever. Anything
 * else returns HOP_ERR_UNSUPPORTED, and the accessors of offsets, targets and weights return NULL.
 *
 * Every block that is read is verified: against its checksum, and that targets are vertices. A
 * block that was changed, is torn or missing is HOP_ERR_INPUT, or HOP_ERR_IO where the system
 * refuses, and names the block; never a signal. That an undirected graph has both arcs of each edge
 * is not checked: certify the result where the file's origin is not known.
 *
 * One search at a time reads a graph that was opened so; open it once more for others beside it.
 * A file without checksums (of a version before them) is HOP_ERR_UNSUPPORTED: convert it. Blocking;
 * runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_graph_open_external(hop_context *context, const char *path,
                                                         const hop_external_options *options,
                                                         hop_graph **graph);

/* Reads a graph as hop_graph_read does, for hop_components alone: where it does not fit the budget,
 * its edges are joined as they come, from any file or pipe of edges, and are not kept. In memory
 * are then 4 bytes per vertex (8 bytes and names or labels more where vertices have them), or where
 * ids are far apart 12, and buffers; no disk is used. Vertices and names are those of
 * hop_graph_read.
 *
 * hop_graph_joined says whether that was so. Such a graph can be described (arcs and degrees are 0,
 * `edges` counts what was read) and given to hop_components: the labels are the same bits; its
 * certifier and anything else return HOP_ERR_UNSUPPORTED. Formats that are not read edge by edge
 * (METIS, GAP, Galois, SciPy, LDBC), and vertices that do not fit, are HOP_ERR_BUDGET with the
 * number. Blocking; runs on the context's threads. `options` may be NULL. */
HOP_NODISCARD HOP_API hop_status hop_graph_join_file(hop_context *context, const char *path,
                                                     const hop_read_options *options,
                                                     hop_graph **graph);
/* The same for a graph of hop_graph_generate. */
HOP_NODISCARD HOP_API hop_status hop_graph_join_family(hop_context *context, const char *family,
                                                       const hop_generate_options *recipe,
                                                       hop_graph **graph);
/* Whether the edges of the graph were joined, and not kept. */
HOP_API bool hop_graph_joined(const hop_graph *graph);

/* Whether the graph's arcs are on disk. */
HOP_API bool hop_graph_external(const hop_graph *graph);
/* The number of arcs out of a vertex, of any graph; 0 of a number that is no vertex. */
HOP_API hop_offset hop_graph_degree(const hop_graph *graph, hop_vertex vertex);

#ifdef __cplusplus
}
#endif
#endif
