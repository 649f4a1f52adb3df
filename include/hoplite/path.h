/* SPDX-License-Identifier: Apache-2.0
 *
 * What bfs and sssp found, in order: paths along parents, and the nearest vertices. */
#ifndef HOPLITE_PATH_H
#define HOPLITE_PATH_H

#include "hoplite/graph.h"
#include "hoplite/type.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The path to `target` along the parents of n vertices: path[0] is the source (its own parent),
 * path[*length - 1] the target. *length is 0 when the target was not reached: its parent is
 * HOP_NO_VERTEX. `path` NULL only counts; otherwise it has room for `room` vertices, and a longer
 * path is HOP_ERR_ARGUMENT, with *length set to what is needed. Parents that are out of range, end
 * without a source or go round in a cycle are HOP_ERR_INPUT, found after at most n steps.
 * Blocking; runs on the calling thread. */
HOP_NODISCARD HOP_API hop_status hop_path(hop_context *context, const hop_vertex *parents,
                                          hop_vertex n, hop_vertex target, hop_vertex *path,
                                          hop_vertex room, hop_vertex *length);

/* The vertices nearest to the sources, these left out, the nearest first, of equals the smallest:
 * at most `room` of them into `vertices`, their number into *count. `found` has the levels of a bfs
 * (uint32) or the distances of an sssp, one per vertex; what was not reached is left out. A search
 * with `nearest` in its options stops where so many can be listed.
 * Cost: O(n log room); 16 bytes for each vertex that is listed, and n bits. Blocking; runs on the
 * calling thread. */
HOP_NODISCARD HOP_API hop_status hop_nearest(hop_context *context, const hop_view *found,
                                             const hop_vertex *sources, size_t source_count,
                                             hop_vertex *vertices, hop_vertex room,
                                             hop_vertex *count);

#ifdef __cplusplus
}
#endif
#endif
