/* SPDX-License-Identifier: Apache-2.0
 *
 * The inner loops of the variants that multiply matrices in the (min, +) sense: for one type of
 * distances and one level of instructions (core/cpu.h).
 *
 * A tile of c has `rows` x `columns` entries. `a` holds, for each of `depth` steps, one number for
 * each row; `b` one for each column: so both are read from front to back. The tile stays in
 * registers for all steps. Each entry becomes the least of itself and of a + b over all steps.
 * The least does not depend on the order, and every sum is rounded by itself: so tiles of any
 * size, and all levels, give the same bits. Integers must not wrap: the caller sees to it. */
#ifndef HOPLITE_APSP_MIN_PLUS_H
#define HOPLITE_APSP_MIN_PLUS_H

#include <stddef.h>

#include "core/cpu.h"
#include "hoplite/graph.h"

enum { HOP__TILE_ROWS = 4, HOP__TILE_COLUMNS_MOST = 64, HOP__STEPS_AHEAD = 8 };

typedef struct hop__min_plus {
    size_t columns; /* of a tile: a power of two, at most HOP__TILE_COLUMNS_MOST */
    /* c[i * stride + j] of a whole tile, at least one step; fetches the tile below it. */
    void (*tile)(size_t depth, const void *a, const void *b, void *c, size_t stride);
    /* row[j] = min(row[j], first + via[j]), count of them; `first` is a distance. */
    void (*relax)(void *row, const void *via, const void *first, size_t count);
} hop__min_plus;

/* By hop_weight_type; not for HOP_TYPE_NONE. Those of levels that the compiler's target does not
 * have are the plain ones. */
extern const hop__min_plus hop__min_plus_plain[], hop__min_plus_avx2[], hop__min_plus_avx512[];

static inline const hop__min_plus *hop__min_plus_for(hop__cpu_level level, hop_weight_type type) {
#if HOP__CPU_X86
    if (level == HOP__CPU_AVX512)
        return &hop__min_plus_avx512[type];
    if (level == HOP__CPU_AVX2)
        return &hop__min_plus_avx2[type];
#endif
    (void)level;
    return &hop__min_plus_plain[type];
}

#endif
