/* SPDX-License-Identifier: Apache-2.0
 * The search in depth; see strong_search.h. */
#include "strong/strong_search.h"

#include "core/bitmap.h"
#include "core/progress.h"

/* labels[v] of a vertex on the path; of a row with more arcs some are looked at twice, which does
 * nothing. */
#define LOWERED (UINT32_C(1) << 31)
#define LEAVES  (UINT32_C(1) << 30) /* something that leaves the range was seen */
#define SEEN    (LEAVES - 1)

enum { REPORT = 1 << 14 };

/* Links `count` members that lead out, and their smallest, to a ring. */
static void link_ring(hop_vertex *next, const hop_vertex *members, hop_vertex count,
                      hop_vertex smallest) {
    hop_vertex last = smallest;
    for (hop_vertex i = 0; i < count; i++) {
        hop_vertex v = members[i];
        if (next[v] == 0 || v == smallest)
            continue;
        next[last] = v;
        last = v;
    }
    next[last] = smallest;
}

/* Labels the component whose first visited vertex is `root`, of that rank. */
static void close_component(hop__strong_search *search, hop_vertex root, hop_vertex rank,
                            bool leaves) {
    const hop_vertex mark = leaves ? HOP__STRONG_LEAVES : HOP__STRONG_DONE;
    hop_vertex *members = hop__strong_members(search) - 1, smallest = root, count = 1;
    *members = root;
    while (count <= search->held && search->ranks[members[count]] >= rank) {
        hop_vertex v = members[count++];
        smallest = v < smallest ? v : smallest;
        search->ranks[v] = mark;
    }
    search->ranks[root] = mark;
    for (hop_vertex i = 0; i < count; i++)
        search->labels[members[i]] = smallest;
    if (leaves)
        link_ring(search->next, members, count, smallest);
    search->held -= count - 1;
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
    hop_vertex *const labels = search->labels, *const ranks = search->ranks, *next = search->next;
    hop_vertex *path = search->stack, clock = search->clock, v = root, low;
    hop_vertex was; /* low, when v was come to */
    uint64_t first, at;
    uint32_t marks;
enter:
    if (++clock % REPORT == 0 && !hop__progress_add(search->context, REPORT)) {
        search->stopped = true;
        return;
    }
    ranks[v] = low = was = clock;
    marks = 0;
    first = offset_in(offsets, v, wide);
    at = offset_in(offsets, (uint64_t)v + 1, wide);
    for (;;) {
        while (at > first) {
            hop_vertex w = targets[--at];
            if (ranged && (w < begin || w >= end)) {
                (void)hop__bitmap_claim(search->heads, w);
                next[v] = true;
                marks |= LEAVES;
                continue;
            }
            hop_vertex rank = ranks[w];
            if (rank == HOP__STRONG_OPEN) {
                uint64_t seen = offset_in(offsets, (uint64_t)v + 1, wide) - at;
                marks |= low < was ? LOWERED : 0;
                labels[v] = (seen < SEEN ? (uint32_t)seen : SEEN) | marks;
                ranks[v] = low;
                *path++ = v;
                v = w;
                goto enter;
            }
            if (ranged && rank == HOP__STRONG_LEAVES) {
                next[v] = true;
                marks |= LEAVES;
            }
            low = rank < low ? rank : low;
        }
        marks |= low < was ? LOWERED : 0;
        const bool closed = !(marks & LOWERED), leaves = ranged && marks & LEAVES;
        if (closed) {
            close_component(search, v, low, leaves);
        } else {
            ranks[v] = low;
            search->held++;
            *hop__strong_members(search) = v;
        }
        if (path == search->stack)
            break;
        v = *--path;
        if (ranged && closed && leaves)
            next[v] = true;
        first = offset_in(offsets, v, wide);
        at = offset_in(offsets, (uint64_t)v + 1, wide) - (labels[v] & SEEN);
        marks = (labels[v] & ~SEEN) | (leaves ? LEAVES : 0);
        was = ranks[v];
        low = low < was ? low : was;
    }
    search->visited += clock - search->clock;
    search->clock = clock;
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
