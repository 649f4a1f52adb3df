/* SPDX-License-Identifier: Apache-2.0
 * The loops of min_plus.h for AVX-512: 16 of the 32 registers hold a tile of 4 rows of 256 bytes.
 */
#include "apsp/min_plus.h"

#if HOP__CPU_X86
#include <immintrin.h>

#define TARGET                 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define EACH_VECTOR(action, i) action(i, 0) action(i, 1) action(i, 2) action(i, 3)

#define MIN_PLUS(name) int32_##name
#define NUMBER         int32_t
#define VECTOR         __m512i
#define LANES          16
#define VECTORS        4
#define LOAD(p)        _mm512_loadu_si512(p)
#define STORE(p, x)    _mm512_storeu_si512(p, x)
#define SPREAD(number) _mm512_set1_epi32(number)
#define ADD(x, y)      _mm512_add_epi32(x, y)
#define LEAST(x, y)    _mm512_min_epi32(x, y)
#include "apsp/min_plus_template.h"

#define MIN_PLUS(name) int64_##name
#define NUMBER         int64_t
#define VECTOR         __m512i
#define LANES          8
#define VECTORS        4
#define LOAD(p)        _mm512_loadu_si512(p)
#define STORE(p, x)    _mm512_storeu_si512(p, x)
#define SPREAD(number) _mm512_set1_epi64(number)
#define ADD(x, y)      _mm512_add_epi64(x, y)
#define LEAST(x, y)    _mm512_min_epi64(x, y)
#include "apsp/min_plus_template.h"

#define MIN_PLUS(name) float32_##name
#define NUMBER         float
#define VECTOR         __m512
#define LANES          16
#define VECTORS        4
#define LOAD(p)        _mm512_loadu_ps(p)
#define STORE(p, x)    _mm512_storeu_ps(p, x)
#define SPREAD(number) _mm512_set1_ps(number)
#define ADD(x, y)      _mm512_add_ps(x, y)
#define LEAST(x, y)    _mm512_min_ps(x, y)
#include "apsp/min_plus_template.h"

#define MIN_PLUS(name) float64_##name
#define NUMBER         double
#define VECTOR         __m512d
#define LANES          8
#define VECTORS        4
#define LOAD(p)        _mm512_loadu_pd(p)
#define STORE(p, x)    _mm512_storeu_pd(p, x)
#define SPREAD(number) _mm512_set1_pd(number)
#define ADD(x, y)      _mm512_add_pd(x, y)
#define LEAST(x, y)    _mm512_min_pd(x, y)
#include "apsp/min_plus_template.h"

const hop__min_plus hop__min_plus_avx512[] = {
    [HOP_WEIGHT_INT32] = {64, int32_tile, int32_relax},
    [HOP_WEIGHT_INT64] = {32, int64_tile, int64_relax},
    [HOP_WEIGHT_FLOAT32] = {64, float32_tile, float32_relax},
    [HOP_WEIGHT_FLOAT64] = {32, float64_tile, float64_relax},
};
#endif
