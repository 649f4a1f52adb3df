/* SPDX-License-Identifier: Apache-2.0
 *
 * Two levels of an undirected graph on disk from one reading of the blocks that have rows without a
 * level: where levels are few and large, each would read nearly all blocks.
 *
 * A row v without a level is looked at once. Either it has a vertex of the frontier: then v is
 * *found*, in the first level. Or not: then v is *passed*, and in the second level if it has a
 * found vertex, now or later. So v takes the first found one in its row as its parent; and each u
 * that is found later offers itself to the passed ones in its row. Of every edge between a found
 * and a passed vertex the row that is looked at later sees the other's bit, since both set their
 * own before they look: the second level is complete, and its parents are the smallest, whatever
 * the order of blocks and threads.
 *
 * A row is looked at with the block that it ends in, which has the block before in memory beside
 * it. One in three blocks or more is *loose*: its parts find it for the first level only, and
 * neither offer nor take anything for the second. The caller does that, by the blocks of `loose`.
 *
 * Cost: one look at each arc of these rows for the first level and one for the second; a bit per
 * vertex. */
#ifndef HOPLITE_BFS_BFS_TWO_LEVELS_H
#define HOPLITE_BFS_BFS_TWO_LEVELS_H

#include <stdatomic.h>

#include "store/arc_visit.h"

typedef struct hop__two_levels {
    hop_context *context;
    const hop_graph *graph;
    hop__arcs *arcs;
    hop_vertex *levels, *parents; /* parents or NULL */
    const uint64_t *front;        /* bits of vertices of level first - 1 */
    uint64_t *found, *passed;     /* bits of vertices, clear */
    uint64_t *loose;              /* bits of blocks, clear */
    hop_vertex first;
    atomic_uint_fast64_t looked;
} hop__two_levels;

/* `wanted`: the blocks with rows without a level. */
hop_status hop__two_levels_find(hop__two_levels *two, const uint64_t *wanted);

#endif
