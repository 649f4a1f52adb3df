/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops of min_plus.h for entries of one DOMAIN (graph/numbers.h) and one level. Before
 * including, for each (undefined again at the end):
 *   VECTOR             the type of a vector
 *   LOAD(p), STORE(p, x), SPREAD(number), ADD(x, y), LEAST(x, y)
 * and once:
 *   TARGET             an attribute of the functions
 *   ROW_BYTES, VECTOR_BYTES   of a row of the tile, and of a vector
 *   EACH_VECTOR(action, i, given)   action(i, 0, given) action(i, 1, given) ... for each vector of
 *                      row i. Names instead of an array: compilers keep names in registers, but
 *                      not all of them an array.
 * Plain C defines TARGET and ROW_BYTES only. */
#include "graph/domain_begin.h"

#define MIN_PLUS(name) HOP__JOIN(DOMAIN, name)
#define COLUMNS        (ROW_BYTES / sizeof(ENTRY))

#ifdef EACH_VECTOR
#define LANES                   (VECTOR_BYTES / sizeof(ENTRY))
#define TILE_NAME(i, j, type)   type via##j;
#define TILE_VIA(i, j, b)       via##j = LOAD((b) + (j)*LANES);
#define TILE_BEGIN(i, j, first) VECTOR best##i##j = ADD(first, via##j);
#define TILE_STEP(i, j, first)  best##i##j = LEAST(ADD(first, via##j), best##i##j);
#define TILE_STORE(i, j, to)    STORE((to) + (j)*LANES, LEAST(LOAD((to) + (j)*LANES), best##i##j));
#endif

TARGET static void MIN_PLUS(tile)(size_t depth, const void *left, const void *right, void *out,
                                  size_t stride) {
    const ENTRY *a = left, *b = right;
    ENTRY *c = out;
    /* The tile that comes next; what is beyond the matrix does no harm. */
    for (size_t i = 0; i < HOP__TILE_ROWS; i++)
        for (size_t j = 0; j < ROW_BYTES; j += 64)
            __builtin_prefetch((const char *)(c + (HOP__TILE_ROWS + i) * stride) + j, 1);
#ifdef EACH_VECTOR
    /* The tile begins with the sums of the first step; c, which comes from afar, is needed last. */
    EACH_VECTOR(TILE_NAME, 0, VECTOR)
    VECTOR first;
    EACH_VECTOR(TILE_VIA, 0, b)
    first = SPREAD(a[0]);
    EACH_VECTOR(TILE_BEGIN, 0, first)
    first = SPREAD(a[1]);
    EACH_VECTOR(TILE_BEGIN, 1, first)
    first = SPREAD(a[2]);
    EACH_VECTOR(TILE_BEGIN, 2, first)
    first = SPREAD(a[3]);
    EACH_VECTOR(TILE_BEGIN, 3, first)
    for (depth--; depth > 0; depth--) {
        a += HOP__TILE_ROWS;
        b += COLUMNS;
        /* A panel of b is larger than the first-level cache. */
        for (size_t j = 0; j < ROW_BYTES; j += 64)
            __builtin_prefetch((const char *)(b + HOP__STEPS_AHEAD * COLUMNS) + j);
        EACH_VECTOR(TILE_VIA, 0, b)
        first = SPREAD(a[0]);
        EACH_VECTOR(TILE_STEP, 0, first)
        first = SPREAD(a[1]);
        EACH_VECTOR(TILE_STEP, 1, first)
        first = SPREAD(a[2]);
        EACH_VECTOR(TILE_STEP, 2, first)
        first = SPREAD(a[3]);
        EACH_VECTOR(TILE_STEP, 3, first)
    }
    EACH_VECTOR(TILE_STORE, 0, c + 0 * stride)
    EACH_VECTOR(TILE_STORE, 1, c + 1 * stride)
    EACH_VECTOR(TILE_STORE, 2, c + 2 * stride)
    EACH_VECTOR(TILE_STORE, 3, c + 3 * stride)
#else
    ENTRY best[HOP__TILE_ROWS][COLUMNS];
    for (size_t i = 0; i < HOP__TILE_ROWS; i++)
        memcpy(best[i], c + i * stride, sizeof best[i]);
    for (; depth > 0; depth--) {
        for (size_t i = 0; i < HOP__TILE_ROWS; i++)
            for (size_t j = 0; j < COLUMNS; j++) {
                ENTRY sum = (ENTRY)(a[i] + b[j]);
                best[i][j] = sum < best[i][j] ? sum : best[i][j];
            }
        a += HOP__TILE_ROWS;
        b += COLUMNS;
    }
    for (size_t i = 0; i < HOP__TILE_ROWS; i++)
        memcpy(c + i * stride, best[i], sizeof best[i]);
#endif
}

TARGET static void MIN_PLUS(relax)(void *to, const void *from, const void *distance, size_t count) {
    const ENTRY first = *(const ENTRY *)distance, *restrict via = from;
    ENTRY *restrict row = to;
    for (size_t j = 0; j < count; j++) {
        ENTRY sum = (ENTRY)(first + via[j]);
        row[j] = sum < row[j] ? sum : row[j];
    }
}

#undef MIN_PLUS
#undef COLUMNS
#undef LANES
#undef VECTOR
#undef LOAD
#undef STORE
#undef SPREAD
#undef ADD
#undef LEAST
#undef TILE_NAME
#undef TILE_BEGIN
#undef TILE_VIA
#undef TILE_STEP
#undef TILE_STORE
#include "graph/domain_end.h"
