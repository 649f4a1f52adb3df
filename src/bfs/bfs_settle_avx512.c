/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a lazy search (bfs_lazy.c) with AVX-512: levels and parents of sixteen vertices that
 * follow each other at a time. The k-th neighbours of all sixteen are looked at together, so that
 * no branch depends on where the first one of the level before is. No row is long in such a search.
 *
 * Indices of gathers are signed and have 32 bits: larger graphs are left to the plain loop. A mark
 * is gathered with the one behind it, which the array has for the last one too. */
#include "bfs/bfs_search.h"

#if HOP__CPU_X86
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,popcnt")))

enum { LANES = 16 };

/* Vertices v .. v+15 as far as `there` says. */
TARGET static inline void settle_sixteen(const hop__bfs_search *search, uint64_t v,
                                         __mmask16 there) {
    const uint16_t *marks = hop__bfs_lazy_marks(search);
    const uint32_t *offsets = (const uint32_t *)search->graph->offsets + v;
    const __m512i one = _mm512_set1_epi32(1), low = _mm512_set1_epi32(UINT16_MAX);
    __m512i mark = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, marks + v));
    /* 0 becomes HOP_NO_LEVEL. */
    __m512i before = _mm512_sub_epi32(mark, one);
    _mm512_mask_storeu_epi32(search->levels + v, there, before);
    if (!search->parents)
        return;
    __mmask16 open = _mm512_mask_cmpgt_epu32_mask(there, mark, one);
    __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i own = _mm512_add_epi32(iota, _mm512_set1_epi32((int)(uint32_t)v));
    __mmask16 source = _mm512_mask_cmpeq_epi32_mask(there, mark, one);
    __m512i parent = _mm512_mask_mov_epi32(_mm512_set1_epi32(-1), source, own);
    __m512i arc = _mm512_maskz_loadu_epi32(there, offsets);
    while (open) { /* a vertex that has a mark and is no source has a parent */
        __m512i u = _mm512_mask_i32gather_epi32(own, open, arc, search->graph->targets, 4);
        __m512i seen = _mm512_mask_i32gather_epi32(mark, open, u, marks, 2);
        __mmask16 hit = _mm512_mask_cmpeq_epi32_mask(open, _mm512_and_si512(seen, low), before);
        parent = _mm512_mask_mov_epi32(parent, hit, u);
        open &= (__mmask16)~hit;
        arc = _mm512_add_epi32(arc, one);
    }
    _mm512_mask_storeu_epi32(search->parents + v, there, parent);
}

TARGET bool hop__bfs_settle_avx512(const hop__bfs_search *search, uint64_t begin, uint64_t end) {
    if (search->cpu < HOP__CPU_AVX512 || search->graph->offset_bytes != 4 ||
        search->graph->arcs > INT32_MAX || search->n > INT32_MAX)
        return false;
    for (uint64_t v = begin; v < end; v += LANES)
        settle_sixteen(search, v, (__mmask16)(end - v < LANES ? (1u << (end - v)) - 1 : 0xffff));
    return true;
}
#else
bool hop__bfs_settle_avx512(const hop__bfs_search *search, uint64_t begin, uint64_t end) {
    (void)search;
    (void)begin;
    (void)end;
    return false;
}
#endif
