/* SPDX-License-Identifier: Apache-2.0
 * What the loops of bfs_many_template.h share, whatever their vectors are. */
#ifndef HOPLITE_BFS_BFS_MANY_LOOPS_H
#define HOPLITE_BFS_BFS_MANY_LOOPS_H

#include <string.h>

#include "bfs/bfs_many.h"
#include "core/bitmap.h"
#include "core/progress.h"

/* Planes of counts: of up to 2^32 vertices, and a last one that stays 0. */
enum { HOP__MANY_PLANES = 34, HOP__MANY_REPORT = 1 << 15 };

/* The words of a vertex. They may alias the words that they are made of. */
typedef uint64_t words_1 __attribute__((vector_size(8), may_alias));
typedef uint64_t words_2 __attribute__((vector_size(16), may_alias));
typedef uint64_t words_4 __attribute__((vector_size(32), may_alias));
typedef uint64_t words_8 __attribute__((vector_size(64), may_alias));

/* The end of the arcs from `arc` on that are looked at before the next report. */
static inline uint64_t hop__many_piece(hop__many *many, uint64_t arc, uint64_t stop) {
    uint64_t piece = stop - arc < HOP__MANY_REPORT ? stop : arc + HOP__MANY_REPORT;
    many->unreported += piece - arc;
    return piece;
}

static inline bool hop__many_goes_on(hop__many *many) {
    uint64_t amount = many->unreported;
    if (amount < HOP__MANY_REPORT)
        return true;
    many->unreported = 0;
    many->relaxations += amount;
    return hop__progress_add(many->context, 0);
}

/* The numbers that the planes hold. */
static inline void hop__many_spill(const uint64_t *planes, unsigned words, uint32_t *counts) {
    for (unsigned i = 0; i < 64 * words; i++)
        counts[i] = 0;
    for (unsigned b = 0; b < 32; b++)
        for (unsigned w = 0; w < words; w++)
            for (uint64_t bits = planes[b * words + w]; bits != 0; bits &= bits - 1)
                counts[64 * w + (unsigned)__builtin_ctzll(bits)] |= UINT32_C(1) << b;
}

#endif
