/* SPDX-License-Identifier: Apache-2.0
 *
 * Top-down steps of the direction-optimizing search on lists, as in bfs_narrow.c, for graphs in
 * which no degree is above 8 and neighbours have numbers near each other: grids and roads.
 *
 * Levels are many there, and each goes through all of memory: on a grid the rows of every array are
 * in pages of their own, and the fewer arrays there are, the fewer pages. So a mark has two bytes
 * and is the level, plus 1, and nothing else is written. At the end, or before a level that needs
 * them, `settle` writes all levels and parents in the order of memory: the parent is the first
 * neighbour whose mark is one less. If there are more levels than marks, the search settles and
 * goes on as in bfs_narrow.c. Members that mark the same vertex: see there. */
#include "bfs/bfs_search.h"
#include "core/atomic.h"

enum {
    AHEAD = 16, /* vertices between the prefetch of a row and its use; of its offset, twice that */
    FETCH = 4,  /* vertices from which a short list is fetched as a whole, */
    SHORT = 64, /* vertices of a list that is fetched as a whole */
    PART = 1 << 15, /* vertices that a member settles at a time */
};

/* Brings all that a short list needs into the cache, as in bfs_narrow.c. */
static inline void fetch(const hop__bfs_search *search, size_t width, const hop_vertex *list,
                         uint64_t count) {
    const void *offsets = search->graph->offsets;
    const hop_vertex *targets = search->graph->targets;
    for (uint64_t i = 0; i < count; i++)
        __builtin_prefetch((const char *)offsets + width * list[i]);
    for (uint64_t i = 0; i < count; i++)
        __builtin_prefetch(targets + hop__bfs_offset(offsets, width, list[i]));
    for (uint64_t i = 0; i < count; i++) {
        uint64_t arc = hop__bfs_offset(offsets, width, list[i]);
        uint64_t end = hop__bfs_offset(offsets, width, (uint64_t)list[i] + 1);
        for (end = end - arc > 4 ? arc + 4 : end; arc < end; arc++)
            __builtin_prefetch(hop__bfs_lazy_marks(search) + targets[arc], 1);
    }
}

/* Brings the mark of the last neighbour into the cache: that of a grid's next row, which is seldom
 * there yet. */
static inline void fetch_last(const hop__bfs_search *search, size_t width, hop_vertex u) {
    uint64_t begin = hop__bfs_offset(search->graph->offsets, width, u);
    uint64_t end = hop__bfs_offset(search->graph->offsets, width, (uint64_t)u + 1);
    if (begin < end)
        __builtin_prefetch(hop__bfs_lazy_marks(search) + search->graph->targets[end - 1], 1);
}

/* Expands a list; returns where the list of what was found ends now. */
static inline hop_vertex *expand(const hop__bfs_search *search, size_t width,
                                 const hop_vertex *list, uint64_t count, hop_vertex *tail,
                                 uint64_t *looked) {
    const void *offsets = search->graph->offsets;
    const hop_vertex *targets = search->graph->targets;
    uint16_t *marks = hop__bfs_lazy_marks(search), next = (uint16_t)(search->next + 1);
    uint64_t arcs = 0;
    if (count >= FETCH && count <= SHORT)
        fetch(search, width, list, count);
    for (uint64_t i = 0; i < count; i++) {
        if (i + 2 * AHEAD < count)
            __builtin_prefetch((const char *)offsets + width * list[i + 2 * AHEAD]);
        if (i + AHEAD < count) {
            const hop_vertex *row = targets + hop__bfs_offset(offsets, width, list[i + AHEAD]);
            __builtin_prefetch(row);
            __builtin_prefetch(row + 3); /* the next row begins there, or is not far */
        }
        if (i + AHEAD / 2 < count)
            fetch_last(search, width, list[i + AHEAD / 2]);
        uint64_t begin = hop__bfs_offset(offsets, width, list[i]);
        uint64_t arc = hop__bfs_offset(offsets, width, (uint64_t)list[i] + 1);
        arcs += arc - begin;
        while (arc-- > begin) {
            hop_vertex v = targets[arc];
            uint16_t seen = __atomic_load_n(marks + v, __ATOMIC_RELAXED);
            *tail = v;
            tail += seen == 0;
            __atomic_store_n(marks + v, seen ? seen : next, __ATOMIC_RELAXED);
        }
    }
    *looked += arcs;
    return tail;
}

hop_vertex *hop__bfs_expand_lazy(const hop__bfs_search *search, const hop_vertex *list,
                                 uint64_t count, hop_vertex *tail, uint64_t *looked) {
    return search->graph->offset_bytes == 4 ? expand(search, 4, list, count, tail, looked)
                                            : expand(search, 8, list, count, tail, looked);
}

/* The smallest neighbour one level nearer, without a branch that depends on where it is. */
static inline hop_vertex nearer(const hop__bfs_search *search, hop_vertex v, uint16_t mark) {
    const hop_graph *graph = search->graph;
    uint64_t begin = hop__offset(graph, v), arc = hop__offset(graph, (uint64_t)v + 1);
    const uint16_t *marks = hop__bfs_lazy_marks(search);
    hop_vertex parent = v; /* of a source */
    while (arc-- > begin)
        parent = marks[graph->targets[arc]] == mark - 1 ? graph->targets[arc] : parent;
    return parent;
}

static void settle_range(const hop__bfs_search *search, uint64_t begin, uint64_t end) {
    const uint16_t *marks = hop__bfs_lazy_marks(search);
    for (uint64_t v = begin; v < end; v++)
        search->levels[v] = marks[v] ? (hop_vertex)marks[v] - 1 : HOP_NO_LEVEL;
    for (uint64_t v = begin; search->parents && v < end; v++) {
        uint16_t mark = marks[v];
        search->parents[v] = mark == 0   ? HOP_NO_VERTEX
                             : mark == 1 ? (hop_vertex)v
                                         : nearer(search, (hop_vertex)v, mark);
    }
}

void hop__bfs_settle(hop__bfs_search *search, unsigned thread) {
    uint64_t begin, end;
    (void)thread;
    while (hop__bfs_take(&search->cursor, search->n, PART, &begin, &end)) {
        if (!hop__bfs_settle_avx512(search, begin, end))
            settle_range(search, begin, end);
        if (!hop__bfs_report(search, 0))
            return;
    }
}
