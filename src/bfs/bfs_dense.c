/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps of the direction-optimizing search on bitmaps.
 *
 * bottom-up: every vertex that has no level yet looks for a neighbour in the frontier. Rows are
 * sorted, so the first that it finds is the smallest: the canonical parent, and the rest of the row
 * need not be read. Members take pieces of 4,096 vertices; a piece belongs to one of them, so
 * nothing here is atomic.
 *
 * Which neighbour ends a row cannot be predicted, and a wrong prediction costs as much as several
 * looks. So candidates are handled in batches: their first neighbours are looked up one candidate
 * after the other, without branches, those that had no luck are moved together, then come the
 * second neighbours, and so on. After a few rounds the rest, which is mostly what will never have
 * luck, goes row by row. A batch also lets the rows be fetched early. With AVX-512 the lanes of
 * vectors are the batch: bfs_lanes_avx512.c. */
#include <string.h>

#include "bfs/bfs_search.h"
#include "core/bitmap.h"
#include "core/parallel.h"

enum {
    BATCH = 128,    /* candidates */
    ROUNDS = 6,     /* neighbours that are looked up across a batch */
    CLEAR = 1 << 15 /* vertices cleared between two reports */
};

typedef struct batch {
    uint32_t count;
    hop_vertex vertices[BATCH];
    hop_vertex hit[BATCH], parent[BATCH]; /* those that have been found in this round */
    uint64_t arc[BATCH], end[BATCH];      /* the part of the row that is not read yet */
} batch;

void hop__bfs_clear(hop__bfs_search *search, unsigned thread) {
    uint64_t begin, end;
    (void)thread;
    while (!search->lazy && hop__bfs_take(&search->cursor, search->n, CLEAR, &begin, &end)) {
        for (uint64_t v = begin; v < end; v++)
            search->levels[v] = HOP_NO_LEVEL;
        for (uint64_t v = begin; search->parents && v < end; v++)
            search->parents[v] = HOP_NO_VERTEX;
        if (search->marks)
            memset(search->marks + begin, 0, end - begin);
        if (!hop__bfs_report(search, 0))
            return;
    }
}

/* 64 flags of one byte each, 0 or 1, to 64 bits. */
static inline uint64_t pack(const uint8_t *flags) {
    uint64_t bits = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (unsigned i = 0; i < 8; i++) {
        uint64_t eight; /* flag k is byte k; the product moves it to bit 56 + k */
        memcpy(&eight, flags + 8 * i, 8);
        bits |= (eight * UINT64_C(0x0102040810204080)) >> 56 << (8 * i);
    }
#else
    for (unsigned i = 0; i < 64; i++)
        bits |= (uint64_t)flags[i] << i;
#endif
    return bits;
}

static inline void flag_open(const hop__bfs_search *search, uint64_t v, unsigned count,
                             uint8_t *open, uint8_t *front) {
    const hop_vertex *levels = search->levels + v;
    hop_vertex now = search->next - 1;
    for (unsigned i = 0; i < count; i++) {
        open[i] = levels[i] == HOP_NO_LEVEL;
        front[i] = levels[i] == now;
    }
    if (!search->reverse)
        return;
    if (search->reverse->offset_bytes == 4) {
        const uint32_t *offsets = (const uint32_t *)search->reverse->offsets + v;
        for (unsigned i = 0; i < count; i++)
            open[i] &= offsets[i + 1] != offsets[i];
    } else {
        const uint64_t *offsets = (const uint64_t *)search->reverse->offsets + v;
        for (unsigned i = 0; i < count; i++)
            open[i] &= offsets[i + 1] != offsets[i];
    }
}

void hop__bfs_densify(hop__bfs_search *search, unsigned thread) {
    uint64_t begin, end;
    (void)thread;
    while (hop__bfs_take(&search->cursor, search->words, HOP__BFS_PIECE, &begin, &end)) {
        for (uint64_t w = begin; w < end; w++) {
            uint8_t open[64] = {0}, front[64] = {0};
            uint64_t left = search->n - 64 * w;
            flag_open(search, 64 * w, left < 64 ? (unsigned)left : 64, open, front);
            search->open[w] = pack(open);
            search->front[w] = pack(front);
        }
        if (!hop__bfs_report(search, 0))
            return;
    }
}

void hop__bfs_sparsify(hop__bfs_search *search, unsigned thread) {
    hop__bfs_lane *lane = &search->lanes[thread];
    uint64_t begin = hop__share(search->words, thread, search->threads);
    uint64_t end = hop__share(search->words, thread + 1, search->threads);
    hop_vertex *tail = lane->list;
    for (uint64_t w = begin; w < end; w++)
        for (uint64_t bits = search->front[w]; bits; bits &= bits - 1)
            *tail++ = (hop_vertex)(64 * w + (unsigned)__builtin_ctzll(bits));
    lane->list_count = (uint64_t)(tail - lane->list);
    (void)hop__bfs_report(search, 0);
}

/* The first `count` entries of the round's hits are found: their levels, parents and bits. */
static inline void settle_hits(hop__bfs_search *search, const batch *b, uint32_t count) {
    hop_vertex next = search->next;
    for (uint32_t i = 0; i < count; i++) {
        hop_vertex v = b->hit[i];
        search->levels[v] = next;
        hop__bitmap_set(search->found, v);
    }
    if (search->parents)
        for (uint32_t i = 0; i < count; i++)
            search->parents[b->hit[i]] = b->parent[i];
}

/* Looks up one neighbour of every candidate. Those that go on are moved to the front. */
static inline uint32_t look_once(const hop__bfs_search *search, batch *b, uint64_t round,
                                 uint64_t *arcs) {
    const hop_vertex *targets = search->reverse->targets;
    const uint64_t *front = search->front;
    uint32_t hits = 0, kept = 0;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        hop_vertex v = b->vertices[i], u = targets[b->arc[i]];
        uint64_t arc = b->arc[i] + 1, end = b->end[i];
        uint32_t hit = (uint32_t)(front[u / 64] >> (u % 64) & 1);
        b->hit[hits] = v;
        b->parent[hits] = u;
        hits += hit;
        sum += (0 - (uint64_t)hit) & (end - arc + round + 1);
        b->vertices[kept] = v;
        b->arc[kept] = arc;
        b->end[kept] = end;
        kept += (hit ^ 1) & (arc < end);
    }
    *arcs += sum;
    b->count = kept;
    return hits;
}

/* What is left of a batch, row by row. */
static inline uint32_t look_through(const hop__bfs_search *search, batch *b, uint64_t round,
                                    uint64_t *arcs, uint64_t *looked) {
    const hop_vertex *targets = search->reverse->targets;
    uint32_t hits = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        uint64_t arc = b->arc[i], end = b->end[i];
        while (arc < end && !hop__bitmap_get(search->front, targets[arc]))
            arc++;
        *looked += arc - b->arc[i] + (arc < end);
        if (arc == end)
            continue;
        b->hit[hits] = b->vertices[i];
        b->parent[hits++] = targets[arc];
        *arcs += end - b->arc[i] + round;
    }
    return hits;
}

static inline void look(hop__bfs_search *search, hop__bfs_lane *lane, batch *b) {
    uint64_t round = 0;
    for (; round < ROUNDS && b->count > BATCH / 16; round++) {
        lane->looked += b->count;
        uint32_t hits = look_once(search, b, round, &lane->arcs);
        settle_hits(search, b, hits);
        lane->found += hits;
    }
    uint32_t hits = look_through(search, b, round, &lane->arcs, &lane->looked);
    settle_hits(search, b, hits);
    lane->found += hits;
    b->count = 0;
}

static inline void sweep(hop__bfs_search *search, hop__bfs_lane *lane, size_t width, uint64_t begin,
                         uint64_t end) {
    const void *offsets = search->reverse->offsets;
    const hop_vertex *targets = search->reverse->targets;
    batch batches[2]; /* while one is looked through, the rows of the other are on their way */
    batch *b = &batches[0], *other = &batches[1];
    b->count = other->count = 0;
    for (uint64_t w = begin; w < end; w++) {
        search->found[w] = 0;
        for (uint64_t bits = search->open[w]; bits; bits &= bits - 1) {
            hop_vertex v = (hop_vertex)(64 * w + (unsigned)__builtin_ctzll(bits));
            uint64_t arc = hop__bfs_offset(offsets, width, v);
            __builtin_prefetch(targets + arc);
            __builtin_prefetch(targets + arc + 8);
            b->vertices[b->count] = v;
            b->arc[b->count] = arc;
            b->end[b->count++] = hop__bfs_offset(offsets, width, (uint64_t)v + 1);
            if (b->count == BATCH) {
                batch *full = b;
                b = other;
                other = full;
                look(search, lane, b);
            }
        }
    }
    look(search, lane, other);
    look(search, lane, b);
    for (uint64_t w = begin; w < end; w++)
        search->open[w] &= ~search->found[w];
}

/* Of a directed graph the arcs counted so far are those into the vertices; these are those out. */
static uint64_t arcs_out(const hop__bfs_search *search, uint64_t begin, uint64_t end) {
    uint64_t sum = 0;
    for (uint64_t w = begin; w < end; w++)
        for (uint64_t bits = search->found[w]; bits; bits &= bits - 1) {
            uint64_t v = 64 * w + (unsigned)__builtin_ctzll(bits);
            sum += hop__offset(search->graph, v + 1) - hop__offset(search->graph, v);
        }
    return sum;
}

static void sweep_piece(hop__bfs_search *search, hop__bfs_lane *lane, uint64_t begin,
                        uint64_t end) {
    if (search->cpu >= HOP__CPU_AVX512 && hop__bfs_sweep_avx512(search, lane, begin, end))
        return;
    if (search->reverse->offset_bytes == 4)
        sweep(search, lane, 4, begin, end);
    else
        sweep(search, lane, 8, begin, end);
}

void hop__bfs_bottom_up(hop__bfs_search *search, unsigned thread) {
    hop__bfs_lane *lane = &search->lanes[thread];
    uint64_t begin, end;
    while (hop__bfs_take(&search->cursor, search->words, HOP__BFS_PIECE, &begin, &end)) {
        uint64_t looked = lane->looked, arcs = lane->arcs;
        sweep_piece(search, lane, begin, end);
        if (search->reverse != search->graph)
            lane->arcs = arcs + arcs_out(search, begin, end);
        if (!hop__bfs_report(search, lane->looked - looked))
            return;
    }
}
