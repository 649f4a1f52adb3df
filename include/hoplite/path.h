/* SPDX-License-Identifier: Apache-2.0
 *
 * Paths along parents, as bfs and sssp give them. */
#ifndef HOPLITE_PATH_H
#define HOPLITE_PATH_H

#include "hoplite/graph.h"

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

#ifdef __cplusplus
}
#endif
#endif
