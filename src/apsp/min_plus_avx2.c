/* SPDX-License-Identifier: Apache-2.0
 * The loops of min_plus.h for AVX2: 8 of the 16 registers hold a tile of 4 rows of 64 bytes. */
#include "apsp/min_plus.h"

#if HOP__CPU_X86
#include <immintrin.h>

#define TARGET                        __attribute__((target("avx2")))
#define ROW_BYTES                     64
#define VECTOR_BYTES                  32
#define EACH_VECTOR(action, i, given) action(i, 0, given) action(i, 1, given)

/* There is no such instruction. */
TARGET static inline __m256i least_epi64(__m256i x, __m256i y) {
    return _mm256_blendv_epi8(x, y, _mm256_cmpgt_epi64(x, y));
}

#define DOMAIN         int32
#define VECTOR         __m256i
#define LOAD(p)        _mm256_loadu_si256((const __m256i *)(p))
#define STORE(p, x)    _mm256_storeu_si256((__m256i *)(p), x)
#define SPREAD(number) _mm256_set1_epi32(number)
#define ADD(x, y)      _mm256_add_epi32(x, y)
#define LEAST(x, y)    _mm256_min_epi32(x, y)
#include "apsp/min_plus_template.h"

#define DOMAIN         int64
#define VECTOR         __m256i
#define LOAD(p)        _mm256_loadu_si256((const __m256i *)(p))
#define STORE(p, x)    _mm256_storeu_si256((__m256i *)(p), x)
#define SPREAD(number) _mm256_set1_epi64x(number)
#define ADD(x, y)      _mm256_add_epi64(x, y)
#define LEAST(x, y)    least_epi64(x, y)
#include "apsp/min_plus_template.h"

#define DOMAIN         float32
#define VECTOR         __m256
#define LOAD(p)        _mm256_loadu_ps(p)
#define STORE(p, x)    _mm256_storeu_ps(p, x)
#define SPREAD(number) _mm256_set1_ps(number)
#define ADD(x, y)      _mm256_add_ps(x, y)
#define LEAST(x, y)    _mm256_min_ps(x, y)
#include "apsp/min_plus_template.h"

#define DOMAIN         float64
#define VECTOR         __m256d
#define LOAD(p)        _mm256_loadu_pd(p)
#define STORE(p, x)    _mm256_storeu_pd(p, x)
#define SPREAD(number) _mm256_set1_pd(number)
#define ADD(x, y)      _mm256_add_pd(x, y)
#define LEAST(x, y)    _mm256_min_pd(x, y)
#include "apsp/min_plus_template.h"

const hop__min_plus hop__min_plus_avx2[] = {
#define ITEM(domain, type)                                                                         \
    [type] = {ROW_BYTES / sizeof(hop__##domain##_entry), domain##_tile, domain##_relax},
    HOP__EACH_WEIGHTED(ITEM)};
#endif
