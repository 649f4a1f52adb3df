/* SPDX-License-Identifier: Apache-2.0
 *
 * Closing and multiplying square tiles of distances, with what both need beside the tiles: for
 * those who have the tiles of a matrix spread over several machines (src/cluster). */
#ifndef HOPLITE_APSP_TILE_ENGINE_H
#define HOPLITE_APSP_TILE_ENGINE_H

#include "core/context_internal.h"
#include "hoplite/graph.h"

typedef struct hop__tile_engine hop__tile_engine;

/* Sides are multiples of this. */
enum { HOP__TILE_ENGINE_GRAIN = 64 };

/* For tiles of `side` x `side` numbers of int32, int64, float32 or float64; integers that are not
 * reached are half of the largest number (apsp_matrix.h). */
HOP_API hop_status hop__tile_engine_open(hop_context *context, hop_weight_type type, uint64_t side,
                                         hop__tile_engine **engine);
/* NULL is allowed. HOP_ERR_CANCELLED if the work was stopped. */
HOP_API hop_status hop__tile_engine_free(hop__tile_engine *engine);
/* All distances of the vertices of a tile on the diagonal over each other, in place; and
 * c = min(c, a b), where c is neither. HOP_ERR_CANCELLED: the work is to stop. */
HOP_API hop_status hop__tile_engine_close(hop__tile_engine *engine, void *tile);
HOP_API hop_status hop__tile_engine_multiply(hop__tile_engine *engine, void *c, const void *a,
                                             const void *b);

#endif
