/* SPDX-License-Identifier: Apache-2.0
 * The loops of min_plus.h for AVX-512: 16 of the 32 registers hold a tile of 4 rows of 256 bytes.
 */
#include "apsp/min_plus.h"

#if HOP__CPU_X86
#include <immintrin.h>

#define TARGET       __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define ROW_BYTES    256
#define VECTOR_BYTES 64
#define EACH_VECTOR(action, i, given)                                                              \
    action(i, 0, given) action(i, 1, given) action(i, 2, given) action(i, 3, given)

#define DOMAIN         int32
#define VECTOR         __m512i
#define LOAD(p)        _mm512_loadu_si512(p)
#define STORE(p, x)    _mm512_storeu_si512(p, x)
#define SPREAD(number) _mm512_set1_epi32(number)
#define ADD(x, y)      _mm512_add_epi32(x, y)
#define LEAST(x, y)    _mm512_min_epi32(x, y)
#include "apsp/min_plus_template.h"

#define DOMAIN         int64
#define VECTOR         __m512i
#define LOAD(p)        _mm512_loadu_si512(p)
#define STORE(p, x)    _mm512_storeu_si512(p, x)
#define SPREAD(number) _mm512_set1_epi64(number)
#define ADD(x, y)      _mm512_add_epi64(x, y)
#define LEAST(x, y)    _mm512_min_epi64(x, y)
#include "apsp/min_plus_template.h"

#define DOMAIN         float32
#define VECTOR         __m512
#define LOAD(p)        _mm512_loadu_ps(p)
#define STORE(p, x)    _mm512_storeu_ps(p, x)
#define SPREAD(number) _mm512_set1_ps(number)
#define ADD(x, y)      _mm512_add_ps(x, y)
#define LEAST(x, y)    _mm512_min_ps(x, y)
#include "apsp/min_plus_template.h"

#define DOMAIN         float64
#define VECTOR         __m512d
#define LOAD(p)        _mm512_loadu_pd(p)
#define STORE(p, x)    _mm512_storeu_pd(p, x)
#define SPREAD(number) _mm512_set1_pd(number)
#define ADD(x, y)      _mm512_add_pd(x, y)
#define LEAST(x, y)    _mm512_min_pd(x, y)
#include "apsp/min_plus_template.h"

const hop__min_plus hop__min_plus_avx512[] = {
#define ITEM(domain, type)                                                                         \
    [type] = {ROW_BYTES / sizeof(hop__##domain##_entry), domain##_tile, domain##_relax},
    HOP__EACH_WEIGHTED(ITEM)};
#endif
