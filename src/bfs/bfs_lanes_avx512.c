/* SPDX-License-Identifier: Apache-2.0
 *
 * The bottom-up step with AVX-512: sixteen candidates at a time, one per lane.
 *
 * A lane looks up one neighbour of its candidate per turn. When the neighbour is in the frontier,
 * or the row ends, the lane takes the next candidate of the piece, so lanes are always busy, and no
 * branch depends on what a look finds. SETS vectors take turns, so that one works while another
 * waits for its loads; rows are fetched some candidates ahead.
 *
 * A row that had no luck in its first FIRST neighbours is left for the end of the piece, where it
 * is read sixteen neighbours at a time: a long row must not keep fifteen lanes waiting.
 *
 * Rows are read from their beginning either way, so the first neighbour that is in the frontier is
 * the smallest. What was found shows in the levels: bits and counts are made from them at the end.
 *
 * Vertices and arcs are numbered from the beginning of the piece, because the indices of gathers
 * and scatters are signed and have 32 bits. */
#include "bfs/bfs_search.h"
#include "core/cpu.h"

#if HOP__CPU_X86
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,popcnt")))

enum {
    LANES = 16,
    SETS = 2,
    FIRST = 16,  /* neighbours that a lane looks at */
    AHEAD = 128, /* candidates between the prefetch of a row and its first look */
    VERTICES = 64 * HOP__BFS_PIECE,
    PADDING = SETS * LANES + LANES,
    NUMBER = 0xffff,  /* the bits of an entry that are the candidate's number */
    LONGER = 1 << 16, /* its row has more than FIRST neighbours */
    NOBODY = 1 << 17  /* padding: there is no candidate */
};
_Static_assert(VERTICES <= NUMBER + 1, "a candidate's number has 16 bits");

/* The candidates of a piece. */
typedef struct candidates {
    uint32_t count, rest_count;
    uint32_t entries[VERTICES + PADDING];
    uint32_t arcs[VERTICES + PADDING], stops[VERTICES + PADDING];
    uint32_t rest[VERTICES + LANES]; /* entries whose rows are not read to their ends */
} candidates;

typedef struct set {
    __m512i entry, arc, stop;
    __mmask16 active;
} set;

/* What a turn works with. */
typedef struct place {
    const uint32_t *front;
    const hop_vertex *targets; /* of the first vertex of the piece */
    hop_vertex *levels, *parents;
    __m512i next;
    uint32_t taken; /* candidates that have a lane, or had one */
    uint64_t looked;
} place;

/* Offsets of `first` .. `first` + 15, as far as `mask` says, less `base`. */
TARGET static inline __m512i offsets_from(const void *offsets, size_t width, uint64_t first,
                                          __mmask16 mask, uint64_t base) {
    if (width == 4)
        return _mm512_sub_epi32(_mm512_maskz_loadu_epi32(mask, (const uint32_t *)offsets + first),
                                _mm512_set1_epi32((int)(uint32_t)base));
    const uint64_t *wide = (const uint64_t *)offsets + first;
    __m512i from = _mm512_set1_epi64((long long)base);
    __m512i low = _mm512_sub_epi64(_mm512_maskz_loadu_epi64((__mmask8)mask, wide), from);
    __m512i high =
        _mm512_sub_epi64(_mm512_maskz_loadu_epi64((__mmask8)(mask >> 8), wide + 8), from);
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                              _mm512_cvtepi64_epi32(high), 1);
}

TARGET static inline void list_candidates(const hop__bfs_search *search, size_t width,
                                          uint64_t begin, uint64_t end, uint64_t base,
                                          candidates *c) {
    const void *offsets = search->reverse->offsets;
    __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint32_t count = 0;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t bits = search->open[w];
        for (uint64_t v = 64 * w; bits; v += LANES, bits >>= LANES) {
            __mmask16 mask = (__mmask16)bits;
            __m512i arc = offsets_from(offsets, width, v, mask, base);
            __m512i stop = offsets_from(offsets, width, v + 1, mask, base);
            __m512i first = _mm512_add_epi32(arc, _mm512_set1_epi32(FIRST));
            __mmask16 longer = _mm512_cmpgt_epu32_mask(stop, first);
            __m512i entry =
                _mm512_add_epi32(iota, _mm512_set1_epi32((int)(uint32_t)(v - 64 * begin)));
            entry = _mm512_mask_or_epi32(entry, longer, entry, _mm512_set1_epi32(LONGER));
            stop = _mm512_min_epu32(stop, first);
            _mm512_storeu_si512(c->entries + count, _mm512_maskz_compress_epi32(mask, entry));
            _mm512_storeu_si512(c->arcs + count, _mm512_maskz_compress_epi32(mask, arc));
            _mm512_storeu_si512(c->stops + count, _mm512_maskz_compress_epi32(mask, stop));
            count += (uint32_t)__builtin_popcount(mask);
        }
    }
    for (uint32_t i = 0; i < PADDING; i++) {
        c->entries[count + i] = NOBODY;
        c->arcs[count + i] = c->stops[count + i] = 0;
    }
    c->count = count;
    c->rest_count = 0;
}

/* Sixteen neighbours: those that are in the frontier. */
TARGET static inline __mmask16 look_up(const uint32_t *front, __mmask16 mask, __m512i u) {
    __m512i word = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), mask,
                                               _mm512_srli_epi32(u, 5), front, 4);
    return _mm512_mask_test_epi32_mask(mask, word, _mm512_rolv_epi32(_mm512_set1_epi32(1), u));
}

/* Lanes of `free` take the next candidates. */
TARGET static inline void refill(place *p, const candidates *c, set *s, __mmask16 free) {
    uint32_t at = p->taken;
    s->entry = _mm512_mask_expand_epi32(s->entry, free, _mm512_loadu_si512(c->entries + at));
    s->arc = _mm512_mask_expand_epi32(s->arc, free, _mm512_loadu_si512(c->arcs + at));
    s->stop = _mm512_mask_expand_epi32(s->stop, free, _mm512_loadu_si512(c->stops + at));
    s->active = _mm512_testn_epi32_mask(s->entry, _mm512_set1_epi32(NOBODY));
    p->taken = at + (uint32_t)__builtin_popcount(free);
}

/* One look of each lane. */
TARGET static inline void turn(place *p, candidates *c, set *s) {
    __mmask16 active = s->active;
    __m512i u = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), active, s->arc, p->targets, 4);
    __mmask16 hit = look_up(p->front, active, u);
    __m512i number = _mm512_and_si512(s->entry, _mm512_set1_epi32(NUMBER));
    _mm512_mask_i32scatter_epi32(p->levels, hit, number, p->next, 4);
    if (p->parents)
        _mm512_mask_i32scatter_epi32(p->parents, hit, number, u, 4);
    p->looked += (uint32_t)__builtin_popcount(active);
    s->arc = _mm512_add_epi32(s->arc, _mm512_set1_epi32(1));
    __mmask16 over = (__mmask16)(_mm512_mask_cmpeq_epi32_mask(active, s->arc, s->stop) & ~hit);
    __mmask16 longer = _mm512_mask_test_epi32_mask(over, s->entry, _mm512_set1_epi32(LONGER));
    if (longer) {
        _mm512_storeu_si512(c->rest + c->rest_count, _mm512_maskz_compress_epi32(longer, number));
        c->rest_count += (uint32_t)__builtin_popcount(longer);
    }
    if (hit | over)
        refill(p, c, s, hit | over);
}

TARGET static inline void fetch_rows(const place *p, const candidates *c, uint32_t at) {
    for (uint32_t i = at; i < at + LANES; i++) {
        __builtin_prefetch(p->targets + c->arcs[i]);
        __builtin_prefetch(p->targets + c->arcs[i] + 8);
    }
}

TARGET static void look_first(place *p, candidates *c) {
    set sets[SETS];
    uint32_t fetched = 0, last = c->count + PADDING - LANES;
    for (; fetched < AHEAD && fetched <= last; fetched += LANES)
        fetch_rows(p, c, fetched);
    for (unsigned i = 0; i < SETS; i++) {
        sets[i].entry = sets[i].arc = sets[i].stop = _mm512_setzero_si512();
        refill(p, c, &sets[i], 0xffff);
    }
    while (sets[0].active | sets[1].active) {
        if (fetched < p->taken + AHEAD && fetched <= last) {
            fetch_rows(p, c, fetched);
            fetched += LANES;
        }
        for (unsigned i = 0; i < SETS; i++)
            turn(p, c, &sets[i]);
    }
}

/* The rows that are longer, from their neighbour FIRST on. */
TARGET static void look_on(const hop__bfs_search *search, place *p, const candidates *c,
                           uint64_t vertex) {
    const hop_vertex *targets = search->reverse->targets;
    for (uint32_t i = 0; i < c->rest_count; i++) {
        uint64_t v = vertex + c->rest[i];
        uint64_t arc = hop__offset(search->reverse, v) + FIRST;
        uint64_t end = hop__offset(search->reverse, v + 1);
        for (; arc < end; arc += LANES) {
            uint64_t left = end - arc;
            __mmask16 mask = (__mmask16)(left < LANES ? (1u << left) - 1 : 0xffff);
            __m512i u = _mm512_maskz_loadu_epi32(mask, targets + arc);
            __mmask16 hit = look_up(p->front, mask, u);
            p->looked += left < LANES ? left : LANES;
            if (!hit)
                continue;
            p->levels[c->rest[i]] = search->next;
            if (p->parents)
                p->parents[c->rest[i]] = targets[arc + (unsigned)__builtin_ctz(hit)];
            break;
        }
    }
}

/* Of a piece that is done: the bits of what was found, and how many they are, with their arcs. */
TARGET static inline void close_piece(hop__bfs_search *search, hop__bfs_lane *lane, size_t width,
                                      uint64_t begin, uint64_t end) {
    const void *offsets = search->reverse->offsets;
    __m512i next = _mm512_set1_epi32((int)search->next);
    uint64_t found = 0;
    __m512i sum = _mm512_setzero_si512(); /* of 32 bits: the piece has fewer than 2^31 arcs */
    for (uint64_t w = begin; w < end; w++) {
        uint64_t bits = 0, open = search->open[w];
        for (unsigned i = 0; i < 64 && open >> i; i += LANES) {
            uint64_t v = 64 * w + i;
            __mmask16 mask = (__mmask16)(open >> i);
            __m512i levels = _mm512_maskz_loadu_epi32(mask, search->levels + v);
            mask = _mm512_mask_cmpeq_epi32_mask(mask, levels, next);
            bits |= (uint64_t)mask << i;
            __m512i low = offsets_from(offsets, width, v, mask, 0);
            __m512i high = offsets_from(offsets, width, v + 1, mask, 0);
            sum = _mm512_add_epi32(sum, _mm512_sub_epi32(high, low));
        }
        search->found[w] = bits;
        search->open[w] = open & ~bits;
        found += (uint32_t)__builtin_popcountll(bits);
    }
    lane->found += found;
    lane->arcs += (uint32_t)_mm512_reduce_add_epi32(sum);
}

TARGET static inline bool sweep(hop__bfs_search *search, hop__bfs_lane *lane, size_t width,
                                uint64_t begin, uint64_t end) {
    uint64_t vertex = 64 * begin, last = 64 * end < search->n ? 64 * end : search->n;
    uint64_t base = hop__bfs_offset(search->reverse->offsets, width, vertex);
    if (hop__bfs_offset(search->reverse->offsets, width, last) - base >= INT32_MAX - 2 * FIRST)
        return false;
    candidates c;
    place p = {.front = (const uint32_t *)search->front,
               .targets = search->reverse->targets + base,
               .levels = search->levels + vertex,
               .parents = search->parents ? search->parents + vertex : NULL,
               .next = _mm512_set1_epi32((int)search->next)};
    list_candidates(search, width, begin, end, base, &c);
    look_first(&p, &c);
    look_on(search, &p, &c, vertex);
    close_piece(search, lane, width, begin, end);
    lane->looked += p.looked;
    return true;
}

bool hop__bfs_sweep_avx512(hop__bfs_search *search, hop__bfs_lane *lane, uint64_t begin,
                           uint64_t end) {
    return search->reverse->offset_bytes == 4 ? sweep(search, lane, 4, begin, end)
                                              : sweep(search, lane, 8, begin, end);
}
#else
bool hop__bfs_sweep_avx512(hop__bfs_search *search, hop__bfs_lane *lane, uint64_t begin,
                           uint64_t end) {
    (void)search;
    (void)lane;
    (void)begin;
    (void)end;
    return false;
}
#endif
