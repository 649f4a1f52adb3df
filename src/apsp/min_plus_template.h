/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops of min_plus.h for one type and level. Before including, for each instance (undefined
 * again at the end):
 *   MIN_PLUS(name)     makes names unique
 *   TARGET             an attribute of the functions
 *   NUMBER             the type of a distance
 *   VECTORS            in a row of the tile, of
 *   LANES              numbers each; 1 in plain C, and then the rest is not needed
 *   VECTOR             the type of such a vector
 *   LOAD(p), STORE(p, x), SPREAD(number), ADD(x, y), LEAST(x, y)
 * and once, EACH_VECTOR(action, i): action(i, 0) action(i, 1) ... for each vector of row i. Names
 * instead of an array: compilers keep names in registers, but not all of them an array. */

#ifdef EACH_VECTOR
#define TILE_VIA(i, j)   via##j = LOAD(b + (j)*LANES);
#define TILE_NAME(i, j)  VECTOR via##j;
#define TILE_BEGIN(i, j) VECTOR best##i##j = ADD(first, via##j);
#define TILE_STEP(i, j)  best##i##j = LEAST(ADD(first, via##j), best##i##j);
#define TILE_STORE(i, j)                                                                           \
    STORE(c + (i)*stride + (j)*LANES, LEAST(LOAD(c + (i)*stride + (j)*LANES), best##i##j));
#endif

TARGET static void MIN_PLUS(tile)(size_t depth, const void *left, const void *right, void *out,
                                  size_t stride) {
    const NUMBER *a = left, *b = right;
    NUMBER *c = out;
    /* The tile that comes next; what is beyond the matrix does no harm. */
    for (size_t i = 0; i < HOP__TILE_ROWS; i++)
        for (size_t j = 0; j < VECTORS * LANES * sizeof(NUMBER); j += 64)
            __builtin_prefetch((const char *)(c + (HOP__TILE_ROWS + i) * stride) + j, 1);
#ifdef EACH_VECTOR
    /* The tile begins with the sums of the first step; c, which comes from afar, is needed last. */
    EACH_VECTOR(TILE_NAME, 0)
    VECTOR first;
    EACH_VECTOR(TILE_VIA, 0)
    first = SPREAD(a[0]);
    EACH_VECTOR(TILE_BEGIN, 0)
    first = SPREAD(a[1]);
    EACH_VECTOR(TILE_BEGIN, 1)
    first = SPREAD(a[2]);
    EACH_VECTOR(TILE_BEGIN, 2)
    first = SPREAD(a[3]);
    EACH_VECTOR(TILE_BEGIN, 3)
    for (depth--; depth > 0; depth--) {
        a += HOP__TILE_ROWS;
        b += VECTORS * LANES;
        /* A panel of b is larger than the first-level cache. */
        for (size_t j = 0; j < VECTORS * LANES * sizeof(NUMBER); j += 64)
            __builtin_prefetch((const char *)(b + HOP__STEPS_AHEAD * VECTORS * LANES) + j);
        EACH_VECTOR(TILE_VIA, 0)
        first = SPREAD(a[0]);
        EACH_VECTOR(TILE_STEP, 0)
        first = SPREAD(a[1]);
        EACH_VECTOR(TILE_STEP, 1)
        first = SPREAD(a[2]);
        EACH_VECTOR(TILE_STEP, 2)
        first = SPREAD(a[3]);
        EACH_VECTOR(TILE_STEP, 3)
    }
    EACH_VECTOR(TILE_STORE, 0)
    EACH_VECTOR(TILE_STORE, 1)
    EACH_VECTOR(TILE_STORE, 2)
    EACH_VECTOR(TILE_STORE, 3)
#else
    NUMBER best[HOP__TILE_ROWS][VECTORS];
    for (size_t i = 0; i < HOP__TILE_ROWS; i++)
        memcpy(best[i], c + i * stride, sizeof best[i]);
    for (; depth > 0; depth--) {
        for (size_t i = 0; i < HOP__TILE_ROWS; i++)
            for (size_t j = 0; j < VECTORS; j++) {
                NUMBER sum = (NUMBER)(a[i] + b[j]);
                best[i][j] = sum < best[i][j] ? sum : best[i][j];
            }
        a += HOP__TILE_ROWS;
        b += VECTORS;
    }
    for (size_t i = 0; i < HOP__TILE_ROWS; i++)
        memcpy(c + i * stride, best[i], sizeof best[i]);
#endif
}

TARGET static void MIN_PLUS(relax)(void *to, const void *from, const void *distance, size_t count) {
    const NUMBER first = *(const NUMBER *)distance, *restrict via = from;
    NUMBER *restrict row = to;
    for (size_t j = 0; j < count; j++) {
        NUMBER sum = (NUMBER)(first + via[j]);
        row[j] = sum < row[j] ? sum : row[j];
    }
}

#undef MIN_PLUS
#undef NUMBER
#undef VECTOR
#undef LANES
#undef VECTORS
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
