/* SPDX-License-Identifier: Apache-2.0
 *
 * Breadth-first search: the number of arcs on a shortest path from the sources.
 *
 * level[v] is that number; parent[v] is the smallest u with an arc to v and level[v] - 1. A source
 * has level 0 and is its own parent. What is not reached has HOP_NO_LEVEL and HOP_NO_VERTEX.
 * hop_path follows the parents. Weights play no part. */
#ifndef HOPLITE_BFS_H
#define HOPLITE_BFS_H

#include "hoplite/graph.h"
#include "hoplite/path.h"
#include "hoplite/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOP_NO_LEVEL UINT32_MAX

typedef struct hop_bfs_options {
    size_t size;        /* sizeof(hop_bfs_options), set by the initialiser */
    const hop_run *run; /* NULL: the defaults */
    /* Stop with the level in which the last of these is reached; deeper vertices count as not
     * reached. If one of them cannot be reached (within max_level), everything else is. None: no
     * such limit. */
    const hop_vertex *targets;
    hop_vertex target_count;
    /* Vertices beyond this level count as not reached; HOP_NO_LEVEL (the default): no limit. */
    hop_vertex max_level;
    /* Stop with the level in which so many vertices beside the sources are reached; deeper ones
     * count as not reached. The whole level stays, so that more may be reached. 0 (the default): no
     * such limit. Of several limits the first that is met holds. */
    hop_vertex nearest;
} hop_bfs_options;

#define HOP_BFS_OPTIONS_INIT                                                                       \
    { sizeof(hop_bfs_options), NULL, NULL, 0, HOP_NO_LEVEL, 0 }
HOP_API void hop_bfs_options_init(hop_bfs_options *options, size_t size);

/* Searches from the sources (duplicates are harmless; from none, nothing is reached) into the
 * caller's arrays of n; either may be NULL. When the call fails, the arrays are unspecified.
 * Blocking; runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_bfs(hop_context *context, const hop_graph *graph,
                                         const hop_vertex *sources, hop_vertex source_count,
                                         const hop_bfs_options *options, hop_vertex *levels,
                                         hop_vertex *parents);

/* Checks a result, without searching, against the same sources and options; options->run->certify
 * says how strictly (NONE means CANONICAL; VALID accepts any parent that is one level nearer).
 * `parents` may be NULL. HOP_OK, or HOP_ERR_CERTIFICATE with the vertex or arc: of the first rule
 * that is broken, the smallest. Needs n / 8 bytes. Blocking; runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_bfs_certify(hop_context *context, const hop_graph *graph,
                                                 const hop_vertex *sources, hop_vertex source_count,
                                                 const hop_bfs_options *options,
                                                 const hop_vertex *levels,
                                                 const hop_vertex *parents);

#ifdef __cplusplus
}
#endif
#endif
