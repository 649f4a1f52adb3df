/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of square tiles of distances on the host, all threads, in the (min, +) sense: what the
 * variants do that keep the matrix elsewhere and have some tiles of it in memory. */
#ifndef HOPLITE_APSP_TILE_PRODUCT_H
#define HOPLITE_APSP_TILE_PRODUCT_H

#include "hoplite/graph.h"
#include "problem/workspace.h"

typedef struct hop__tile_product {
    hop_context *context;
    hop_weight_type type;
    uint64_t side;      /* of a tile: a multiple of HOP__TILE_GRAIN */
    void *left, *right; /* packed slices of the factors */
} hop__tile_product;

enum { HOP__TILE_GRAIN = 64 };

/* Lists the slices, of a product that is `at` bytes from the beginning of the state. */
void hop__tile_product_blocks(hop__workspace *space, size_t at, hop_weight_type type,
                              uint64_t side);

/* c = min(c, a b). c may be neither. Counts side^3 sums as progress; false: the work is to stop. */
bool hop__tile_multiply(hop__tile_product *product, void *c, const void *a, const void *b);

#endif
