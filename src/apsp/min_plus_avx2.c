/* SPDX-License-Identifier: Apache-2.0
 * The loops of min_plus.h for AVX2: 8 of the 16 registers hold a tile of 4 rows of 64 bytes. */
#include "apsp/min_plus.h"

#if HOP__CPU_X86
#include <immintrin.h>

#define TARGET                 __attribute__((target("avx2")))
#define EACH_VECTOR(action, i) action(i, 0) action(i, 1)

/* There is no such instruction. */
TARGET static inline __m256i least_epi64(__m256i x, __m256i y) {
    return _mm256_blendv_epi8(x, y, _mm256_cmpgt_epi64(x, y));
}

#define MIN_PLUS(name) int32_##name
#define NUMBER         int32_t
#define VECTOR         __m256i
#define LANES          8
#define VECTORS        2
#define LOAD(p)        _mm256_loadu_si256((const __m256i *)(p))
#define STORE(p, x)    _mm256_storeu_si256((__m256i *)(p), x)
#define SPREAD(number) _mm256_set1_epi32(number)
#define ADD(x, y)      _mm256_add_epi32(x, y)
#define LEAST(x, y)    _mm256_min_epi32(x, y)
#include "apsp/min_plus_template.h"

#define MIN_PLUS(name) int64_##name
#define NUMBER         int64_t
#define VECTOR         __m256i
#define LANES          4
#define VECTORS        2
#define LOAD(p)        _mm256_loadu_si256((const __m256i *)(p))
#define STORE(p, x)    _mm256_storeu_si256((__m256i *)(p), x)
#define SPREAD(number) _mm256_set1_epi64x(number)
#define ADD(x, y)      _mm256_add_epi64(x, y)
#define LEAST(x, y)    least_epi64(x, y)
#include "apsp/min_plus_template.h"

#define MIN_PLUS(name) float32_##name
#define NUMBER         float
#define VECTOR         __m256
#define LANES          8
#define VECTORS        2
#define LOAD(p)        _mm256_loadu_ps(p)
#define STORE(p, x)    _mm256_storeu_ps(p, x)
#define SPREAD(number) _mm256_set1_ps(number)
#define ADD(x, y)      _mm256_add_ps(x, y)
#define LEAST(x, y)    _mm256_min_ps(x, y)
#include "apsp/min_plus_template.h"

#define MIN_PLUS(name) float64_##name
#define NUMBER         double
#define VECTOR         __m256d
#define LANES          4
#define VECTORS        2
#define LOAD(p)        _mm256_loadu_pd(p)
#define STORE(p, x)    _mm256_storeu_pd(p, x)
#define SPREAD(number) _mm256_set1_pd(number)
#define ADD(x, y)      _mm256_add_pd(x, y)
#define LEAST(x, y)    _mm256_min_pd(x, y)
#include "apsp/min_plus_template.h"

const hop__min_plus hop__min_plus_avx2[] = {
    [HOP_WEIGHT_INT32] = {16, int32_tile, int32_relax},
    [HOP_WEIGHT_INT64] = {8, int64_tile, int64_relax},
    [HOP_WEIGHT_FLOAT32] = {16, float32_tile, float32_relax},
    [HOP_WEIGHT_FLOAT64] = {8, float64_tile, float64_relax},
};
#endif
