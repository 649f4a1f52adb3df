/* SPDX-License-Identifier: Apache-2.0
 *
 * Top-down steps of the direction-optimizing search whose frontiers are lists.
 *
 * An arc u -> v matters if v has no level, or this one: levels[v] >= next says so in one compare.
 * Then u becomes the parent if it is smaller than what is there, and HOP_NO_VERTEX is the largest
 * number; whoever replaces that one has found v and puts it into a list. So parents come out
 * canonical whatever the order.
 *
 * shared: members take equal parts of the frontier, as it lies in the lists of all. What a member
 * finds goes into its own list, so it tends to go on where it was, with its own cache; parents are
 * lowered by compare-and-swap. A level that another member is writing just now is seen as none or
 * as `next`, which is the same to the compare.
 *
 * alone: member 0 goes on by itself for as long as levels are small, without meeting the others:
 * a path of a million vertices has a million of them. */
#include <string.h>

#include "bfs/bfs_search.h"
#include "core/atomic.h"
#include "core/parallel.h"

enum {
    AHEAD_ROW = 12,   /* vertices between the prefetch of a row and its use */
    AHEAD_LEVEL = 5,  /* the same for the levels of its first targets */
    LEVELS = 4,       /* how many of these */
    REPORT = 1 << 14, /* vertices between two reports of a lone member */
};

/* Finds v from u alone; true when it is new. */
static inline bool claim(const hop__bfs_search *search, hop_vertex u, hop_vertex v) {
    hop_vertex *levels = search->levels, *parents = search->parents, next = search->next;
    if (!parents) {
        if (levels[v] != HOP_NO_LEVEL)
            return false;
        levels[v] = next;
        return true;
    }
    if (levels[v] < next || parents[v] <= u)
        return false;
    bool fresh = parents[v] == HOP_NO_VERTEX;
    parents[v] = u;
    levels[v] = next;
    return fresh;
}

/* The same beside other members. */
static inline bool claim_shared(const hop__bfs_search *search, hop_vertex u, hop_vertex v) {
    hop_vertex *level = search->levels + v, next = search->next;
    if (!search->parents)
        return hop__load_u32(level) == HOP_NO_LEVEL && hop__replace_u32(level, HOP_NO_LEVEL, next);
    if (hop__load_u32(level) < next)
        return false;
    hop_vertex *parent = search->parents + v, seen = hop__load_u32(parent);
    while (u < seen) {
        if (hop__replace_u32(parent, seen, u)) {
            if (seen == HOP_NO_VERTEX)
                hop__store_u32(level, next);
            return seen == HOP_NO_VERTEX;
        }
        seen = hop__load_u32(parent);
    }
    return false;
}

static inline void prefetch(const hop__bfs_search *search, size_t width, const hop_vertex *list,
                            uint64_t left) {
    const void *offsets = search->graph->offsets;
    const hop_vertex *targets = search->graph->targets;
    if (left > AHEAD_ROW)
        __builtin_prefetch(targets + hop__bfs_offset(offsets, width, list[AHEAD_ROW]));
    if (left > AHEAD_LEVEL) {
        uint64_t arc = hop__bfs_offset(offsets, width, list[AHEAD_LEVEL]);
        uint64_t end = hop__bfs_offset(offsets, width, (uint64_t)list[AHEAD_LEVEL] + 1);
        end = end - arc > LEVELS ? arc + LEVELS : end;
        for (; arc < end; arc++)
            __builtin_prefetch(search->levels + targets[arc]);
    }
}

/* Expands `count` vertices; returns where the list of what was found ends now. */
static inline hop_vertex *expand(const hop__bfs_search *search, size_t width, bool shared,
                                 const hop_vertex *list, uint64_t count, hop_vertex *tail,
                                 uint64_t *looked) {
    const void *offsets = search->graph->offsets;
    const hop_vertex *targets = search->graph->targets;
    for (uint64_t i = 0; i < count; i++) {
        hop_vertex u = list[i];
        prefetch(search, width, list + i, count - i);
        uint64_t arc = hop__bfs_offset(offsets, width, u);
        uint64_t end = hop__bfs_offset(offsets, width, (uint64_t)u + 1);
        *looked += end - arc;
        for (; arc < end; arc++) {
            hop_vertex v = targets[arc];
            if (shared ? claim_shared(search, u, v) : claim(search, u, v))
                *tail++ = v;
        }
    }
    return tail;
}

/* The arcs out of the vertices of a list. It is also what brings their offsets into the cache. */
static inline uint64_t degrees(const hop__bfs_search *search, const hop_vertex *list,
                               uint64_t count) {
    const hop_graph *graph = search->graph;
    uint64_t sum = 0;
    if (count <= search->few)
        return count * search->max_degree;
    if (graph->offset_bytes == 4) {
        const uint32_t *offsets = graph->offsets;
        for (uint64_t i = 0; i < count; i++)
            sum += offsets[(uint64_t)list[i] + 1] - offsets[list[i]];
    } else {
        const uint64_t *offsets = graph->offsets;
        for (uint64_t i = 0; i < count; i++)
            sum += offsets[(uint64_t)list[i] + 1] - offsets[list[i]];
    }
    return sum;
}

static hop_vertex *expand_list(const hop__bfs_search *search, bool shared, const hop_vertex *list,
                               uint64_t count, hop_vertex *tail, uint64_t *looked) {
    if (search->lazy)
        return hop__bfs_expand_lazy(search, list, count, tail, looked);
    if (search->marks)
        return hop__bfs_expand_narrow(search, list, count, tail, looked);
    if (search->graph->offset_bytes == 4)
        return shared ? expand(search, 4, true, list, count, tail, looked)
                      : expand(search, 4, false, list, count, tail, looked);
    return shared ? expand(search, 8, true, list, count, tail, looked)
                  : expand(search, 8, false, list, count, tail, looked);
}

/* Moves the lists of all into that of member 0. */
static void collect(hop__bfs_search *search) {
    hop__bfs_lane *mine = &search->lanes[0];
    for (unsigned t = 1; t < search->threads; t++) {
        hop__bfs_lane *lane = &search->lanes[t];
        memcpy(mine->list + mine->list_count, lane->list, lane->list_count * sizeof *lane->list);
        mine->list_count += lane->list_count;
        lane->list_count = 0;
    }
}

/* Levels of a path, whose vertices have two arcs each; returns the arcs. */
static uint64_t follow(hop__bfs_search *search, hop__bfs_lane *lane) {
    const hop__bfs_query *query = &search->task->query;
    uint64_t left = query->max_level - (search->next - 1);
    if (!search->marks || search->lazy || lane->list_count > 2 || query->target_count > 0 ||
        query->nearest > 0)
        return 0;
    uint64_t levels =
        hop__bfs_follow_chains(search, lane->list, lane->list_count, left < REPORT ? left : REPORT);
    uint64_t arcs = 2 * lane->list_count * levels;
    search->next += (hop_vertex)levels;
    search->task->rounds += levels;
    lane->looked += arcs;
    search->open_count -= arcs / 2 < search->open_count ? arcs / 2 : search->open_count;
    search->open_arcs -= arcs < search->open_arcs ? arcs : search->open_arcs;
    return arcs;
}

void hop__bfs_alone(hop__bfs_search *search, unsigned thread) {
    hop__bfs_lane *lane = &search->lanes[0];
    uint64_t pending = 0;
    if (thread != 0)
        return;
    collect(search);
    do {
        hop_vertex *tail =
            expand_list(search, false, lane->list, lane->list_count, lane->other, &lane->looked);
        hop_vertex *list = lane->other;
        pending += search->count + search->arcs;
        lane->other = lane->list;
        lane->list = list;
        lane->list_count = (uint64_t)(tail - list);
        search->task->rounds++;
        search->next++;
        pending += follow(search, lane);
        search->count = lane->list_count;
        search->arcs = degrees(search, list, search->count);
        hop__bfs_close(search);
        if (pending >= REPORT) {
            hop__bfs_tell(search, pending);
            if (!hop__bfs_report(search, pending))
                return;
            pending = 0;
        }
    } while (search->count + search->arcs <= search->alone && !hop__bfs_ended(search) &&
             !(search->lazy && search->next >= HOP__BFS_LAZY_MOST));
    search->adopted = false;
    (void)hop__bfs_report(search, pending);
}

void hop__bfs_shared(hop__bfs_search *search, unsigned thread) {
    hop__bfs_lane *mine = &search->lanes[thread];
    uint64_t begin = hop__share(search->count, thread, search->threads);
    uint64_t end = hop__share(search->count, thread + 1, search->threads);
    hop_vertex *tail = mine->other;
    uint64_t at = 0; /* where the list of lane t begins in the frontier */
    for (unsigned t = 0; t < search->threads && at < end; t++) {
        const hop__bfs_lane *lane = &search->lanes[t];
        uint64_t first = begin > at ? begin - at : 0;
        uint64_t last = end - at < lane->list_count ? end - at : lane->list_count;
        if (first < last)
            tail = expand_list(search, true, lane->list + first, last - first, tail, &mine->looked);
        at += lane->list_count;
    }
    mine->other_count = (uint64_t)(tail - mine->other);
    mine->found = mine->other_count;
    mine->arcs = degrees(search, mine->other, mine->other_count);
    (void)hop__bfs_report(search, end - begin);
}
