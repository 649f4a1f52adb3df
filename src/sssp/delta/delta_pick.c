/* SPDX-License-Identifier: Apache-2.0
 * See delta_pick.h. */
#include "sssp/delta/delta_pick.h"

static uint32_t pick_plain(const int32_t *weights, const uint32_t *targets, uint32_t count,
                           hop__delta_range range, uint32_t *picks) {
    uint32_t picked = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (k % HOP__DELTA_PICK_LANES == 0)
            __builtin_prefetch(targets + k);
        picks[picked] = k;
        picked += (uint32_t)weights[k] - range.first < range.count;
    }
    return picked;
}

#if HOP__CPU_X86
#include <immintrin.h>

_Static_assert(HOP__DELTA_PICK_LANES == 16, "what a vector of 512 bits holds");

/* The numbers of lanes in the range are moved together, and the whole vector is stored: what is
 * behind them is overwritten by the next one. */
__attribute__((target("avx512f,popcnt"))) static uint32_t
pick_avx512(const int32_t *weights, const uint32_t *targets, uint32_t count, hop__delta_range range,
            uint32_t *picks) {
    const __m512i first = _mm512_set1_epi32((int)range.first);
    const __m512i limit = _mm512_set1_epi32((int)range.count), step = _mm512_set1_epi32(16);
    __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint32_t picked = 0;
    for (uint32_t k = 0; k < count; k += 16) {
        __mmask16 there = (__mmask16)(count - k < 16 ? (1u << (count - k)) - 1 : 0xffff);
        __builtin_prefetch(targets + k);
        __m512i some = _mm512_maskz_loadu_epi32(there, weights + k);
        __mmask16 in = _mm512_mask_cmplt_epu32_mask(there, _mm512_sub_epi32(some, first), limit);
        _mm512_storeu_si512(picks + picked, _mm512_maskz_compress_epi32(in, numbers));
        picked += (uint32_t)__builtin_popcount(in);
        numbers = _mm512_add_epi32(numbers, step);
    }
    return picked;
}
#endif

hop__delta_pick_fn hop__delta_pick_for(hop__cpu_level level) {
#if HOP__CPU_X86
    if (level == HOP__CPU_AVX512)
        return pick_avx512;
#endif
    (void)level;
    return pick_plain;
}
