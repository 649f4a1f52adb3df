/* SPDX-License-Identifier: Apache-2.0
 *
 * Large top-down steps of the direction-optimizing search: arcs are first sorted roughly by where
 * they lead, then applied range by range.
 *
 * scatter: members take batches of the frontier and put every arc to an open vertex into the bin
 *   of the range that it leads to. Each member has its own bins; when one is full, or the frontier
 *   is used up, it stops.
 * gather: members take ranges and empty the bins of all members for each. A range belongs to one
 *   member at a time, so nothing is atomic, and the parents of a range fit into the cache.
 * Rows that are a large part of all arcs of the frontier, hubs, are put aside. When the other
 *   vertices are used up and the bins empty, members take slices of them: a star's centre is work
 *   for all.
 * A range is one piece, or, where rows are very long, stripes of 512 vertices that are dealt out to
 * the bins in laps, each lap one bin further on. The targets of a row are sorted, so a long row
 * would fill one bin after the other if ranges were in one piece.
 * This repeats until the frontier is used up. `open` is left alone until then, so that arcs to what
 * the level has found get through to its range, where the smallest parent wins by a compare.
 * Batches are taken in the order of their numbers. So a batch that was taken after a gather has
 * larger vertices than all that were in it, and what that one has found has a smaller parent
 * already: such a batch leaves those arcs out. */
#include <string.h>

#include "bfs/bfs_search.h"
#include "core/bitmap.h"

enum {
    AHEAD = 12,       /* rows between prefetch and use */
    FAR = 16,         /* parents between prefetch and use */
    REPORT = 1 << 16, /* arcs between two reports */
    SLICE = 1 << 13,  /* arcs of a hub that a member takes at a time */
};

static inline uint64_t degree_of(const hop__bfs_search *search, hop_vertex u) {
    return hop__offset(search->graph, (uint64_t)u + 1) - hop__offset(search->graph, u);
}

/* Puts u aside if its row is long. Fewer than HOP__BFS_HUBS_MOST rows can be: each is more than
 * that part of all. */
static inline bool is_hub(hop__bfs_search *search, hop_vertex u) {
    uint64_t degree = degree_of(search, u);
    if (degree <= SLICE || degree <= search->arcs / HOP__BFS_HUBS_MOST)
        return false;
    unsigned at = atomic_fetch_add_explicit(&search->hub_count, 1, memory_order_relaxed);
    search->hubs[at] = u;
    return true;
}

static inline void take_vertex(hop__bfs_search *search, hop__bfs_lane *lane, hop_vertex u) {
    if (search->max_degree <= SLICE || !is_hub(search, u))
        lane->batch[lane->batch_count++] = u;
}

/* Takes the next vertices of the frontier; false when there are none. */
static bool take_batch(hop__bfs_search *search, hop__bfs_lane *lane) {
    uint64_t begin, end;
    lane->batch_next = lane->batch_count = 0;
    lane->batch_arc = 0;
    lane->batch_stop = UINT64_MAX;
    lane->batch_fresh = !search->first_gather;
    while (lane->batch_count == 0) {
        if (!hop__bfs_take(&search->cursor, search->words, HOP__BFS_BATCH / 64, &begin, &end))
            return false;
        for (uint64_t w = begin; w < end; w++)
            for (uint64_t bits = search->front[w]; bits; bits &= bits - 1)
                take_vertex(search, lane, (hop_vertex)(64 * w + (unsigned)__builtin_ctzll(bits)));
    }
    return true;
}

/* Takes the next slice of a hub, as a batch of one vertex; false when there is none. */
static bool take_slice(hop__bfs_search *search, hop__bfs_lane *lane) {
    unsigned count = atomic_load_explicit(&search->hub_count, memory_order_relaxed);
    if (!search->hubs_ready || count == 0)
        return false;
    uint64_t slice = atomic_fetch_add_explicit(&search->slice_cursor, 1, memory_order_relaxed);
    for (unsigned i = 0; i < count; i++) {
        uint64_t degree = degree_of(search, search->hubs[i]), slices = (degree - 1) / SLICE + 1;
        if (slice >= slices) {
            slice -= slices;
            continue;
        }
        lane->batch[0] = search->hubs[i];
        lane->batch_next = 0;
        lane->batch_count = 1;
        lane->batch_arc = slice * SLICE;
        lane->batch_stop = lane->batch_arc + SLICE;
        lane->batch_fresh = false;
        return true;
    }
    return false;
}

/* Puts arcs of u into bins, as many as there is room for; returns the first that is not done. What
 * an arc leads to cannot be predicted, so all are written, and those that do not matter are written
 * over. */
static inline uint64_t bin_row(const hop__bfs_search *search, hop__bfs_lane *lane, hop_vertex u,
                               uint64_t arc, uint64_t end) {
    const hop_vertex *targets = search->graph->targets;
    const uint64_t *open = search->open, *found = search->found;
    uint64_t settled = lane->batch_fresh ? UINT64_MAX : 0;
    uint32_t mask = search->bin_count - 1, capacity = search->bin_capacity;
    unsigned lap = (unsigned)__builtin_ctz(search->bin_count), shift = search->stripe_shift;
    for (; arc < end; arc++) {
        hop_vertex v = targets[arc];
        uint64_t matters = open[v / 64] & ~(found[v / 64] & settled);
        uint32_t stripe = v >> shift, bin = (stripe + (stripe >> lap)) & mask;
        uint32_t filled = lane->filled[bin];
        if (filled == capacity)
            break;
        lane->bins[(size_t)bin * capacity + filled] = (hop__bfs_arc){u, v};
        lane->filled[bin] = filled + (uint32_t)(matters >> (v % 64) & 1);
    }
    return arc;
}

/* The batch of a lane; false when a bin is full or the work is to stop. */
static inline bool scatter_batch(hop__bfs_search *search, hop__bfs_lane *lane, size_t width) {
    const void *offsets = search->graph->offsets;
    uint64_t pending = 0;
    for (; lane->batch_next < lane->batch_count; lane->batch_next++, lane->batch_arc = 0) {
        hop_vertex u = lane->batch[lane->batch_next];
        uint64_t row = hop__bfs_offset(offsets, width, u);
        uint64_t end = hop__bfs_offset(offsets, width, (uint64_t)u + 1);
        end = end - row < lane->batch_stop ? end : row + lane->batch_stop;
        if (lane->batch_next + AHEAD < lane->batch_count) {
            hop_vertex later = lane->batch[lane->batch_next + AHEAD];
            const hop_vertex *target =
                search->graph->targets + hop__bfs_offset(offsets, width, later);
            __builtin_prefetch(target);
            __builtin_prefetch(target + 16);
            __builtin_prefetch(target + 32);
        }
        while (row + lane->batch_arc < end) {
            uint64_t arc = row + lane->batch_arc;
            uint64_t stop = end - arc < REPORT ? end : arc + REPORT;
            uint64_t done = bin_row(search, lane, u, arc, stop) - arc;
            lane->batch_arc += done;
            lane->looked += done;
            pending += done;
            if (pending >= REPORT) {
                if (!hop__bfs_report(search, pending))
                    return false;
                pending = 0;
            }
            if (arc + done < stop)
                return hop__bfs_report(search, pending) && false;
        }
    }
    return hop__bfs_report(search, pending);
}

void hop__bfs_scatter(hop__bfs_search *search, unsigned thread) {
    hop__bfs_lane *lane = &search->lanes[thread];
    bool wide = search->graph->offset_bytes == 8;
    memset(lane->filled, 0, search->bin_count * sizeof *lane->filled);
    lane->batch_fresh = false;
    for (;;) {
        if (lane->batch_next == lane->batch_count && !take_batch(search, lane) &&
            !take_slice(search, lane))
            break;
        if (!(wide ? scatter_batch(search, lane, 8) : scatter_batch(search, lane, 4))) {
            atomic_fetch_add_explicit(&search->unfinished, 1, memory_order_relaxed);
            break;
        }
    }
}

/* Applies the arcs of one member to a range. A vertex that is not found yet has HOP_NO_VERTEX for a
 * parent, so the minimum serves for all and nothing must be predicted. Levels come later, in order:
 * here only the bit says that a vertex is found. */
static inline void apply(const hop__bfs_search *search, const hop__bfs_arc *arcs, uint32_t count) {
    hop_vertex *parents = search->parents;
    uint64_t *found = search->found;
    for (uint32_t i = 0; i < count; i++)
        hop__bitmap_set(found, arcs[i].to);
    for (uint32_t i = 0; parents && i < count; i++) {
        if (i + FAR < count)
            __builtin_prefetch(parents + arcs[i + FAR].to, 1);
        hop_vertex u = arcs[i].from, *parent = parents + arcs[i].to;
        *parent = u < *parent ? u : *parent;
    }
}

/* The level is complete: levels, numbers, and what is left open of words first .. last-1. */
static inline void close_range(hop__bfs_search *search, hop__bfs_lane *lane, size_t width,
                               uint64_t first, uint64_t last) {
    const void *offsets = search->graph->offsets;
    uint64_t found = 0, arcs = 0;
    for (uint64_t w = first; w < last; w++) {
        search->open[w] &= ~search->found[w];
        for (uint64_t bits = search->found[w]; bits; bits &= bits - 1) {
            uint64_t v = 64 * w + (unsigned)__builtin_ctzll(bits);
            search->levels[v] = search->next;
            arcs += hop__bfs_offset(offsets, width, v + 1) - hop__bfs_offset(offsets, width, v);
            found++;
        }
    }
    lane->found += found;
    lane->arcs += arcs;
}

/* Stripe number `lap` of a bin, as its first word. */
static inline uint64_t stripe_word(const hop__bfs_search *search, uint64_t bin, uint64_t lap) {
    uint64_t stripe = lap * search->bin_count + ((bin - lap) & (search->bin_count - 1));
    return stripe << (search->stripe_shift - 6);
}

static inline uint64_t stripe_end(const hop__bfs_search *search, uint64_t first) {
    uint64_t last = first + (UINT64_C(1) << (search->stripe_shift - 6));
    return first >= search->words ? first : last < search->words ? last : search->words;
}

void hop__bfs_gather(hop__bfs_search *search, unsigned thread) {
    hop__bfs_lane *mine = &search->lanes[thread];
    uint64_t bin, end, laps = (search->words >> (search->stripe_shift - 6)) / search->bin_count + 1;
    while (hop__bfs_take(&search->bin_cursor, search->bin_count, 1, &bin, &end)) {
        for (uint64_t lap = 0; search->first_gather && lap < laps; lap++) {
            uint64_t first = stripe_word(search, bin, lap), last = stripe_end(search, first);
            memset(search->found + first, 0, (last - first) * sizeof *search->found);
        }
        for (unsigned t = 0; t < search->threads; t++) {
            const hop__bfs_lane *lane = &search->lanes[t];
            apply(search, lane->bins + bin * search->bin_capacity, lane->filled[bin]);
        }
        for (uint64_t lap = 0; search->last_gather && lap < laps; lap++) {
            uint64_t first = stripe_word(search, bin, lap), last = stripe_end(search, first);
            if (search->graph->offset_bytes == 4)
                close_range(search, mine, 4, first, last);
            else
                close_range(search, mine, 8, first, last);
        }
        if (!hop__bfs_report(search, 0))
            return;
    }
}
