/* SPDX-License-Identifier: Apache-2.0
 * The search in depth; see strong_search.h. */
#include "strong/strong_search.h"

#include "core/bitmap.h"
#include "core/progress.h"

enum { REPORT = 1 << 14 };
#define LEAVES_BIT (UINT64_C(1) << 63)

/* Links the members from `from` on that lead out, and their smallest, to a ring. */
static void link_ring(hop__strong_search *search, hop_vertex from, hop_vertex smallest) {
    hop_vertex last = smallest;
    for (hop_vertex i = from; i < search->held; i++) {
        hop_vertex v = search->members[i];
        if (search->next[v] == 0 || v == smallest)
            continue;
        search->next[last] = v;
        last = v;
    }
    search->next[last] = smallest;
}

/* Labels the component of which `root` was visited first. */
static void close_component(hop__strong_search *search, hop_vertex root, bool leaves) {
    const hop_vertex mark = leaves ? HOP__STRONG_LEAVES : HOP__STRONG_DONE;
    hop_vertex *members = search->members, from = search->held, smallest = root, v;
    do {
        v = members[--from];
        smallest = v < smallest ? v : smallest;
        search->ranks[v] = mark;
    } while (v != root);
    for (hop_vertex i = from; i < search->held; i++)
        search->labels[members[i]] = smallest;
    if (leaves)
        link_ring(search, from, smallest);
    search->held = from;
}

/* Counts a vertex whose arcs are done; false when the search is to end. */
static bool count_vertex(hop__strong_search *search) {
    if (++search->visited - search->reported < REPORT)
        return true;
    search->reported = search->visited;
    search->stopped = !hop__progress_add(search->context, REPORT);
    return !search->stopped;
}

static inline __attribute__((always_inline)) uint64_t offset_in(const void *offsets, uint64_t v,
                                                                const bool wide) {
    return wide ? ((const uint64_t *)offsets)[v] : ((const uint32_t *)offsets)[v];
}

/* `wide`: offsets of 8 bytes; `ranged`: search->next is there. Both are known when this is
 * compiled, and what is read for every arc is in variables. */
static inline __attribute__((always_inline)) void
search_from(hop__strong_search *search, hop_vertex root, const bool wide, const bool ranged) {
    const void *offsets = search->graph->offsets;
    const hop_vertex *targets = search->graph->targets, begin = search->begin, end = search->end;
    hop_vertex *ranks = search->ranks, *next = search->next, v = root, low = ++search->clock;
    hop__strong_frame *frame = search->frames;
    uint64_t at = offset_in(offsets, v, wide), stop = offset_in(offsets, (uint64_t)v + 1, wide);
    bool leaves = false;
    ranks[v] = low;
    search->members[search->held++] = v;
    for (;;) {
        while (at < stop) {
            hop_vertex w = targets[at++];
            if (ranged && (w < begin || w >= end)) {
                (void)hop__bitmap_claim(search->heads, w);
                next[v] = leaves = true;
                continue;
            }
            hop_vertex rank = ranks[w];
            if (rank == HOP__STRONG_OPEN) {
                *frame++ = (hop__strong_frame){v, low, at | (leaves ? LEAVES_BIT : 0)};
                v = w;
                ranks[v] = low = ++search->clock;
                leaves = false;
                search->members[search->held++] = v;
                at = offset_in(offsets, v, wide);
                stop = offset_in(offsets, (uint64_t)v + 1, wide);
            } else if (ranged && rank == HOP__STRONG_LEAVES) {
                next[v] = leaves = true;
            } else if (rank < low) {
                low = rank;
            }
        }
        bool closed = low == ranks[v];
        if (closed)
            close_component(search, v, ranged && leaves);
        if (!count_vertex(search) || frame == search->frames)
            return;
        frame--;
        v = frame->vertex;
        if (ranged && closed && leaves)
            next[v] = true;
        leaves = leaves || frame->at & LEAVES_BIT;
        low = frame->low < low ? frame->low : low;
        at = frame->at & ~LEAVES_BIT;
        stop = offset_in(offsets, (uint64_t)v + 1, wide);
    }
}

void hop__strong_search_from(hop__strong_search *search, hop_vertex root) {
    const bool wide = search->graph->offset_bytes == 8;
    if (search->next == NULL && wide)
        search_from(search, root, true, false);
    else if (search->next == NULL)
        search_from(search, root, false, false);
    else if (wide)
        search_from(search, root, true, true);
    else
        search_from(search, root, false, true);
}
