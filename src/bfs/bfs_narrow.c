/* SPDX-License-Identifier: Apache-2.0
 *
 * Top-down steps of the direction-optimizing search whose frontiers are lists, for undirected
 * graphs of small degree: grids, roads, trees.
 *
 * A neighbour of a vertex of level l has level l - 1, l or l + 1, or none yet. So a mark of two
 * bits tells all that the search must know: 0 for none, else the level modulo 3, plus 1. When a
 * vertex is expanded, its row shows both what is new and the smallest neighbour one level nearer,
 * which is its parent. Level and parent are written then, once, and never read.
 *
 * Marks are bytes, because bytes can be written beside each other without atomic operations, which
 * would wait for every store before them. Two members that find the same vertex at the same
 * time both write the same mark, and both put it into their lists; it is then expanded twice, to
 * the same effect. That is rare, and cheaper than to prevent it. But it is counted twice too, so a
 * search that ends with a number of vertices has no marks.
 *
 * A frontier of one or two vertices that have one way on, as on a path, is followed without lists.
 *
 * So vertices of the frontier have a mark, but neither level nor parent: before it changes its
 * form, or the search stops, `adopt` writes both. */
#include "bfs/bfs_search.h"
#include "core/atomic.h"
#include "core/parallel.h"

enum {
    AHEAD = 16, /* vertices between the prefetch of a row and its use; of its offset, twice that */
    FETCH = 4,  /* vertices from which a short list is fetched as a whole, */
    SHORT = 64, /* vertices of a list that is fetched as a whole */
    BLOCK = 32, /* vertices between two times that levels and parents are written */
    MARKS = 1 << 15 /* marks that a member makes at a time */
};

/* The marks that a step works with. */
typedef struct mark_set {
    uint8_t *marks, before, next; /* of the level before the frontier, and of the one after it */
} mark_set;

/* Looks at the row of u, backwards, so that the last neighbour of the level before is the smallest:
 * returns it, marks the neighbours without a mark and appends them to the list. */
static inline hop_vertex look(const mark_set *set, const hop_vertex *row, uint64_t count,
                              hop_vertex parent, hop_vertex **list) {
    hop_vertex *tail = *list;
    while (count-- > 0) {
        hop_vertex v = row[count];
        uint8_t seen = __atomic_load_n(set->marks + v, __ATOMIC_RELAXED);
        parent = seen == set->before ? v : parent;
        *tail = v;
        tail += seen == 0;
        __atomic_store_n(set->marks + v, seen ? seen : set->next, __ATOMIC_RELAXED);
    }
    *list = tail;
    return parent;
}

/* Brings all that a short list needs into the cache. It would otherwise wait for each vertex in
 * turn: there is nothing before it to fetch things early from. */
static inline void fetch(const hop__bfs_search *search, size_t width, const hop_vertex *list,
                         uint64_t count) {
    const void *offsets = search->graph->offsets;
    const hop_vertex *targets = search->graph->targets;
    for (uint64_t i = 0; i < count; i++)
        __builtin_prefetch((const char *)offsets + width * list[i]);
    for (uint64_t i = 0; i < count; i++) {
        __builtin_prefetch(targets + hop__bfs_offset(offsets, width, list[i]));
        __builtin_prefetch(search->levels + list[i], 1);
        if (search->parents)
            __builtin_prefetch(search->parents + list[i], 1);
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t arc = hop__bfs_offset(offsets, width, list[i]);
        uint64_t end = hop__bfs_offset(offsets, width, (uint64_t)list[i] + 1);
        for (end = end - arc > 4 ? arc + 4 : end; arc < end; arc++)
            __builtin_prefetch(search->marks + targets[arc], 1);
    }
}

/* Expands up to BLOCK vertices, `left` of the list are there to be fetched; returns where the list
 * of what was found ends now. */
static inline hop_vertex *expand_block(const hop__bfs_search *search, size_t width,
                                       const hop_vertex *list, uint64_t left, hop_vertex *tail,
                                       uint64_t *looked) {
    const void *offsets = search->graph->offsets;
    const hop_vertex *targets = search->graph->targets;
    mark_set set = {search->marks, hop__bfs_mark(search->next + 1), hop__bfs_mark(search->next)};
    hop_vertex parents[BLOCK];
    uint64_t count = left < BLOCK ? left : BLOCK, arcs = 0;
    if (left >= FETCH && left <= SHORT)
        fetch(search, width, list, count);
    for (uint64_t i = 0; i < count; i++) {
        hop_vertex u = list[i];
        if (i + 2 * AHEAD < left)
            __builtin_prefetch((const char *)offsets + width * list[i + 2 * AHEAD]);
        if (i + AHEAD < left) {
            hop_vertex later = list[i + AHEAD];
            __builtin_prefetch(targets + hop__bfs_offset(offsets, width, later));
            __builtin_prefetch(search->levels + later, 1);
            if (search->parents)
                __builtin_prefetch(search->parents + later, 1);
        }
        uint64_t begin = hop__bfs_offset(offsets, width, u);
        uint64_t degree = hop__bfs_offset(offsets, width, (uint64_t)u + 1) - begin;
        arcs += degree;
        parents[i] = look(&set, targets + begin, degree, u, &tail);
    }
    *looked += arcs;
    if (search->next > 1)
        for (uint64_t i = 0; i < count; i++)
            hop__store_u32(search->levels + list[i], search->next - 1);
    if (search->next > 1 && search->parents)
        for (uint64_t i = 0; i < count; i++)
            hop__store_u32(search->parents + list[i], parents[i]);
    return tail;
}

static inline hop_vertex *expand(const hop__bfs_search *search, size_t width,
                                 const hop_vertex *list, uint64_t count, hop_vertex *tail,
                                 uint64_t *looked) {
    for (uint64_t i = 0; i < count; i += BLOCK)
        tail = expand_block(search, width, list + i, count - i, tail, looked);
    return tail;
}

hop_vertex *hop__bfs_expand_narrow(const hop__bfs_search *search, const hop_vertex *list,
                                   uint64_t count, hop_vertex *tail, uint64_t *looked) {
    return search->graph->offset_bytes == 4 ? expand(search, 4, list, count, tail, looked)
                                            : expand(search, 8, list, count, tail, looked);
}

/* A chain is a vertex of the frontier that has two neighbours, the one it was found from and one
 * without a mark: what comes next does not depend on marks, only on the row, so the processor goes
 * on before it has seen the mark. */
typedef struct chain {
    hop_vertex at, from;
} chain;

/* Finds the neighbour of a chain that it did not come from; false when it is no chain. */
static inline bool chain_next(const hop__bfs_search *search, size_t width, chain c,
                              hop_vertex *next) {
    uint64_t arc = hop__bfs_offset(search->graph->offsets, width, c.at);
    if (hop__bfs_offset(search->graph->offsets, width, (uint64_t)c.at + 1) - arc != 2)
        return false;
    hop_vertex one = search->graph->targets[arc], two = search->graph->targets[arc + 1];
    *next = one ^ two ^ c.from; /* if one of them is */
    return one == c.from || two == c.from;
}

/* Where the vertex of a frontier came from, if it may be a chain: else itself. */
static hop_vertex chain_origin(const hop__bfs_search *search, hop_vertex u) {
    const hop_graph *graph = search->graph;
    uint64_t arc = hop__offset(graph, u), end = hop__offset(graph, (uint64_t)u + 1);
    for (; end - arc <= 2 && arc < end; arc++)
        if (search->marks[graph->targets[arc]] == hop__bfs_mark(search->next + 1))
            return graph->targets[arc];
    return u;
}

/* Follows `count` chains, 1 or 2, for at most `most` levels; returns how many it has done. It stops
 * before the level in which one of them ends, or both come to the same vertex. */
static inline uint64_t follow(hop__bfs_search *search, size_t width, chain *chains, unsigned count,
                              uint64_t most) {
    hop_vertex level = search->next - 1;
    chain a = chains[0], b = chains[count - 1];
    uint8_t mark = hop__bfs_mark(search->next);
    uint64_t done = 0;
    for (; done < most; done++, level++) {
        hop_vertex next, other;
        if (!chain_next(search, width, a, &next))
            break;
        other = next;
        if (count == 2 && (!chain_next(search, width, b, &other) || other == next))
            break;
        if (search->marks[next] != 0 || search->marks[other] != 0)
            break;
        search->marks[next] = search->marks[other] = mark;
        search->levels[a.at] = search->levels[b.at] = level;
        if (search->parents) {
            search->parents[a.at] = a.from;
            search->parents[b.at] = b.from;
        }
        a = (chain){next, a.at};
        b = (chain){other, b.at};
        mark = mark == 3 ? 1 : (uint8_t)(mark + 1);
    }
    chains[0] = a;
    chains[count - 1] = b;
    return done;
}

uint64_t hop__bfs_follow_chains(hop__bfs_search *search, hop_vertex *list, uint64_t count,
                                uint64_t most) {
    chain chains[2];
    if (count == 0 || count > 2 || search->next < 2 || (count == 2 && list[0] == list[1]))
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        chains[i] = (chain){list[i], chain_origin(search, list[i])};
        if (chains[i].from == chains[i].at)
            return 0;
    }
    bool narrow = search->graph->offset_bytes == 4;
    uint64_t done = count == 1 ? narrow ? follow(search, 4, chains, 1, most)
                                        : follow(search, 8, chains, 1, most)
                    : narrow ? follow(search, 4, chains, 2, most)
                               : follow(search, 8, chains, 2, most);
    for (uint64_t i = 0; i < count; i++)
        list[i] = chains[i].at;
    return done;
}

static void adopt_one(const hop__bfs_search *search, hop_vertex u) {
    const hop_graph *graph = search->graph;
    uint8_t before = hop__bfs_mark(search->next + 1);
    uint64_t arc = hop__offset(graph, u);
    hop__store_u32(search->levels + u, search->next - 1);
    if (!search->parents)
        return;
    while (search->marks[graph->targets[arc]] != before)
        arc++; /* there is one, or u would not have been found */
    hop__store_u32(search->parents + u, graph->targets[arc]);
}

void hop__bfs_adopt(hop__bfs_search *search, unsigned thread) {
    hop__bfs_lane *lane = &search->lanes[thread];
    for (uint64_t i = 0; search->next > 1 && i < lane->list_count; i++)
        adopt_one(search, lane->list[i]);
    (void)hop__bfs_report(search, lane->list_count);
}

void hop__bfs_remark(hop__bfs_search *search, unsigned thread) {
    uint64_t begin, end;
    hop_vertex before = search->next - 2;
    uint8_t earlier = hop__bfs_mark(search->next + 1), now = hop__bfs_mark(search->next - 1);
    (void)thread;
    while (hop__bfs_take(&search->cursor, search->n, MARKS, &begin, &end)) {
        for (uint64_t v = begin; v < end; v++) {
            hop_vertex level = search->levels[v];
            /* Levels before these two are not seen again: any mark will do. */
            uint8_t mark = level == before ? earlier : now;
            search->marks[v] = level == HOP_NO_LEVEL ? 0 : mark;
        }
        if (!hop__bfs_report(search, 0))
            return;
    }
}
