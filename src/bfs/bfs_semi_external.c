/* SPDX-License-Identifier: Apache-2.0
 *
 * semi-external: levels and parents in memory, arcs on disk. A level says which blocks of arcs it
 * needs, and these are read in ascending order, those that follow each other at once, while the
 * blocks before them are worked on (store/arc_visit.h). Graphs in memory it takes in the same
 * blocks.
 *
 * Top-down: the blocks with rows of the frontier. Each arc to a vertex without a level gives it
 * one, and every arc into the next level lowers the parent there: so levels and canonical parents
 * do not depend on the order of blocks or threads.
 * Bottom-up, in undirected graphs: the blocks with rows of vertices without a level; each such row
 * is read up to its first vertex of the frontier, the smallest, since rows are sorted. (A row in
 * several blocks lowers its parent in each.) A level that needs more than a
 * LISTED-th of the blocks is found the way that reads fewer.
 * Two levels at once, bottom-up, where either way would read more blocks than the cache has room
 * for, and this one not many more (bfs_two_levels.h). In directed graphs, such a level reads all
 * blocks with rows that matter, and most of the cache keeps those of their arcs that the levels
 * after it need; these read nothing then (bfs_kept_arcs.h).
 *
 * Levels of a grid or of roads are narrow and many, and need the same blocks again and again. Where
 * these do not fit the cache, the rest of the search is left to problem/arc_settle.h: levels fall
 * along arcs until none falls, in whatever order the blocks are read. STALE says when.
 *
 * A frontier is a bitmap, and, while it is at most a LISTED-th of the vertices, a list as well:
 * small levels cost what they have, and there can be at most LISTED larger ones.
 *
 * Invariants between two levels
 *  1. levels and parents are final below `next`; elsewhere HOP_NO_LEVEL and HOP_NO_VERTEX.
 *  2. `front` has the `count` vertices of level next - 1, `found` is clear.
 *  3. `listed`: list has them too, in any order.
 *
 * Cost: O(n + m) work, and O(n) for each level of more than a LISTED-th of vertices or blocks; each
 * level reads a block at most once. Memory: levels, parents, 3 bits and half a byte per vertex,
 * and 0.4 bytes where the rest is left to arc_settle.h. */
#include <string.h>

#include "bfs/bfs_internal.h"
#include "bfs/bfs_kept_arcs.h"
#include "bfs/bfs_two_levels.h"
#include "core/atomic.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "problem/arc_counts.h"
#include "problem/arc_settle.h"

enum {
    LISTED = 16,
    PAIR = 2,        /* two levels at once may read so many times the blocks of one */
    STALE = 4,       /* such levels may read a STALE-th of the blocks (is_stale) */
    SPREAD = 2,      /* a level whose arcs are so many per vertex without a level, inverted, */
    MORE = 4,        /* and whose blocks all but one in so many, is one to keep arcs from */
    KEEP_CACHE = 32, /* blocks of the cache that stay then, or */
    KEEP_SHARE = 16, /* one in so many */
    KEEP_LOOKS = 4,  /* per arc of the graph, before the arcs that were kept are given up */
    FEW_USED = 4,
    LEAST_WIDTH = 64,
    FIRST_WIDTH = 1 << 12, /* levels */
    LEAST_LIST = 1024,
    BATCH = 128,     /* found vertices that a thread keeps before it adds them to the list */
    GRAIN = 1 << 12, /* vertices of a list */
    WORDS = 1 << 8,  /* words of a bitmap */
    CLEAR = 1 << 16
};

typedef struct search {
    hop_context *context;
    hop__bfs_task *task;
    const hop_graph *graph;
    hop_vertex *levels, *parents;
    uint64_t *front, *found;  /* bits of vertices */
    uint64_t *passed;         /* likewise, of bfs_two_levels.h and bfs_kept_arcs.h */
    uint64_t *wanted, *other; /* bits of blocks: of the frontier, of vertices without a level */
    hop_vertex *list, *next_list;
    uint64_t n, words, blocks, room;
    uint64_t count, reached;
    hop_vertex next;   /* the level that is being found */
    hop_vertex target; /* number of the first target without a level */
    bool listed;
    uint64_t before;  /* vertices of the level before */
    uint64_t crowded; /* blocks that levels needed which did not fit the cache (is_stale) */
    hop__kept_arcs kept;
    bool keeps; /* the arcs that matter are in memory */
    uint64_t kept_looks;
    hop__settle rest;
    hop__arcs *arcs;
    atomic_uint_fast64_t found_count, looked;
} search;

static uint64_t list_room(const hop_graph *graph) {
    uint64_t room = graph->vertices / LISTED + LEAST_LIST;
    return room < graph->vertices ? room : graph->vertices;
}

static uint64_t block_words(const hop_graph *graph) {
    return hop__bitmap_words(hop__arc_blocks(graph));
}

/* ---- which blocks ---------------------------------------------------------------------------- */

static void want_listed(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const search *s = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        hop__want_row(s->wanted, hop__any_begin(s->graph, s->list[i]),
                      hop__any_degree(s->graph, s->list[i]));
}

/* Of both directions: words of 64 vertices. */
static void want_words(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const search *s = arg;
    (void)thread;
    if (!hop__progress_add(s->context, 0))
        return;
    for (uint64_t word = begin; word < end; word++) {
        uint64_t v = word * 64, last = v + 64 < s->n ? v + 64 : s->n;
        uint64_t row = hop__any_begin(s->graph, v);
        for (; v < last; v++) {
            uint64_t degree = hop__any_degree(s->graph, v);
            if (hop__bitmap_get(s->front, v))
                hop__want_row(s->wanted, row, degree);
            else if (s->levels[v] == HOP_NO_LEVEL)
                hop__want_row(s->other, row, degree);
            row += degree;
        }
    }
}

static uint64_t count_bits(const uint64_t *map, uint64_t words) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < words; i++)
        count += (uint64_t)__builtin_popcountll(map[i]);
    return count;
}

static void clear_words(uint64_t *map, uint64_t words) {
    for (uint64_t i = 0; i < words; i++)
        map[i] = 0;
}

/* ---- a block --------------------------------------------------------------------------------- */

/* Vertices that a thread has found in a block. */
typedef struct batch {
    hop_vertex vertices[BATCH];
    unsigned count;
    uint64_t looked;
} batch;

static void flush(search *s, batch *b) {
    uint64_t place = atomic_fetch_add_explicit(&s->found_count, b->count, memory_order_relaxed);
    for (unsigned i = 0; i < b->count && place + i < s->room; i++)
        s->next_list[place + i] = b->vertices[i];
    b->count = 0;
}

/* An arc from the frontier's u to v: it has the next level, perhaps since now. */
static inline void reach(search *s, batch *b, hop_vertex u, hop_vertex v) {
    hop_vertex level = hop__load_u32(&s->levels[v]);
    if (level != HOP_NO_LEVEL && level != s->next)
        return;
    if (level == HOP_NO_LEVEL && hop__replace_u32(&s->levels[v], HOP_NO_LEVEL, s->next)) {
        (void)hop__bitmap_claim(s->found, v);
        b->vertices[b->count++] = v;
        if (b->count == BATCH)
            flush(s, b);
    }
    if (s->parents)
        (void)hop__lower_u32(&s->parents[v], u);
}

/* The first vertex from v on, below `end`, in the frontier; `end` if there is none. */
static uint64_t next_in_front(const search *s, uint64_t v, uint64_t end) {
    while (v < end) {
        uint64_t bits = s->front[v / 64] >> v % 64;
        if (bits != 0) {
            v += (uint64_t)__builtin_ctzll(bits);
            return v < end ? v : end;
        }
        v = (v / 64 + 1) * 64;
    }
    return end;
}

/* The last row that is in the block, or one behind it. */
static uint64_t last_row(const hop_graph *graph, const hop__arc_block *block) {
    if (block->end == graph->arcs)
        return graph->vertices - 1;
    return graph->store != NULL ? graph->store->first_rows[block->number + 1]
                                : hop__row_of_arc(graph, block->end);
}

static void top_down(void *arg, const hop__arc_block *block, unsigned thread) {
    search *s = arg;
    const hop_graph *graph = s->graph;
    uint64_t end = last_row(graph, block) + 1;
    batch b = {.count = 0, .looked = 0};
    (void)thread;
    for (uint64_t v = next_in_front(s, hop__walk_first(graph, block).vertex, end); v < end;
         v = next_in_front(s, v + 1, end)) {
        hop__walk row = hop__walk_row(graph, block, v, hop__any_begin(graph, v));
        for (uint64_t i = row.begin; i < row.end; i++)
            reach(s, &b, (hop_vertex)v, block->targets[i - block->begin]);
        b.looked += row.begin < row.end ? row.end - row.begin : 0;
    }
    flush(s, &b);
    atomic_fetch_add_explicit(&s->looked, b.looked, memory_order_relaxed);
    (void)hop__progress_add(s->context, b.looked);
}

static void bottom_up(void *arg, const hop__arc_block *block, unsigned thread) {
    search *s = arg;
    const hop_graph *graph = s->graph;
    batch b = {.count = 0, .looked = 0};
    (void)thread;
    for (hop__walk row = hop__walk_first(graph, block); row.begin < block->end;
         hop__walk_next(graph, block, &row)) {
        hop_vertex level = hop__load_u32(&s->levels[row.vertex]);
        if (level != HOP_NO_LEVEL && level != s->next)
            continue;
        uint64_t i = row.begin;
        while (i < row.end && !hop__bitmap_get(s->front, block->targets[i - block->begin]))
            i++;
        b.looked += i - row.begin + (i < row.end);
        if (i < row.end)
            reach(s, &b, block->targets[i - block->begin], (hop_vertex)row.vertex);
    }
    flush(s, &b);
    atomic_fetch_add_explicit(&s->looked, b.looked, memory_order_relaxed);
}

/* ---- levels ---------------------------------------------------------------------------------- */

typedef enum way { DOWN, UP, PAIR_UP, KEEP } way;

/* Whether two levels are wanted in any case, and none of them would find its blocks, which are so
 * many either way, in the cache. */
static bool takes_pair(const search *s, uint64_t up, uint64_t down) {
    const hop__bfs_query *query = &s->task->query;
    uint64_t room = hop__arcs_room(s->arcs);
    return up > room && down > room && up / PAIR <= down && query->target_count == 0 &&
           query->nearest == 0 && s->next + 1 < query->max_level;
}

/* Arcs of the frontier. */
static uint64_t front_arcs(const search *s) {
    uint64_t arcs = 0;
    for (uint64_t i = 0; i < s->count; i++)
        arcs += hop__any_degree(s->graph, s->list[i]);
    return arcs;
}

/* Whether a level of a directed graph reads nearly all that the levels after it would, more than
 * the cache has room for, and finds many vertices. `other` are all blocks that it would have to
 * read then. */
static bool takes_kept(search *s) {
    uint64_t words = block_words(s->graph), down = count_bits(s->wanted, words);
    if (!s->graph->directed || down <= hop__arcs_room(s->arcs) ||
        s->next + 1 >= s->task->query.max_level ||
        (s->listed && front_arcs(s) < (s->n - s->reached) / SPREAD))
        return false;
    clear_words(s->other, words);
    hop__for(s->context, s->words, WORDS, want_words, s);
    for (uint64_t i = 0; i < words; i++)
        s->other[i] |= s->wanted[i];
    uint64_t all = count_bits(s->other, words), bytes;
    if (all - down > all / MORE)
        return false;
    if (s->kept.words == NULL) {
        uint64_t room = hop__arcs_room(s->arcs), keep = room / KEEP_SHARE;
        void *memory = hop__arcs_lend(s->arcs, keep < KEEP_CACHE ? KEEP_CACHE : keep, &bytes);
        if (memory == NULL || !hop__kept_take(&s->kept, hop__team_limit(s->context), memory, bytes))
            s->kept.chunks = 0;
    }
    return s->kept.chunks > 0;
}

/* How the next level is found: for a large one, and for any that needs a good part of the blocks
 * anyway, it is counted what either way would read. */
static way choose_way(search *s) {
    uint64_t words = block_words(s->graph);
    if (takes_kept(s))
        return KEEP;
    if (s->graph->directed ||
        (s->listed && count_bits(s->wanted, words) <= hop__arc_blocks(s->graph) / LISTED))
        return DOWN;
    clear_words(s->other, words);
    hop__for(s->context, s->words, WORDS, want_words, s);
    uint64_t up = count_bits(s->other, words), down = count_bits(s->wanted, words);
    if (takes_pair(s, up, down))
        return PAIR_UP;
    return up <= down ? UP : DOWN;
}

/* Whether levels need more blocks than the cache has room for, use few of their arcs, and neither
 * grow nor shrink, as those of small worlds do, which are few; `wanted` are the next one's. */
static bool is_stale(search *s) {
    uint64_t blocks = count_bits(s->wanted, block_words(s->graph));
    if (!s->listed || blocks <= hop__arcs_room(s->arcs) || s->count / 2 > s->before ||
        s->before / 2 > s->count)
        return false;
    if (front_arcs(s) / HOP__ARC_BLOCK < blocks / FEW_USED)
        s->crowded += blocks;
    return s->crowded > hop__arc_blocks(s->graph) / STALE;
}

static void want_level(search *s) {
    clear_words(s->wanted, block_words(s->graph));
    if (s->listed)
        hop__for(s->context, s->count, GRAIN, want_listed, s);
    else if (s->graph->directed) {
        clear_words(s->other, block_words(s->graph));
        hop__for(s->context, s->words, WORDS, want_words, s);
    }
}

/* What was found becomes the frontier. */
static void step(search *s) {
    if (s->listed)
        for (uint64_t i = 0; i < s->count; i++)
            s->front[s->list[i] / 64] = 0;
    else
        clear_words(s->front, s->words);
    uint64_t *bits = s->front;
    s->front = s->found;
    s->found = bits;
    hop_vertex *list = s->list;
    s->list = s->next_list;
    s->next_list = list;
    s->before = s->count;
    s->count = atomic_load(&s->found_count);
    s->listed = s->count <= s->room;
    s->reached += s->count;
    atomic_store(&s->found_count, 0);
}

static hop_status find_level(search *s, bool up) {
    s->next++;
    s->task->rounds++;
    hop__count(s->context, "levels bottom-up", up);
    hop_status status = hop__arcs_visit(s->context, s->arcs, up ? s->other : s->wanted,
                                        up ? bottom_up : top_down, s);
    step(s);
    return status;
}

/* ---- two levels ------------------------------------------------------------------------------ */

/* Vertices of the level that are not listed yet. */
static void gather_words(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    search *s = arg;
    batch b = {.count = 0};
    (void)thread;
    for (uint64_t word = begin; word < end; word++) {
        uint64_t v = word * 64, last = v + 64 < s->n ? v + 64 : s->n;
        for (; v < last; v++)
            if (s->levels[v] == s->next) {
                hop__bitmap_set(s->found, v);
                b.vertices[b.count++] = (hop_vertex)v;
                if (b.count == BATCH)
                    flush(s, &b);
            }
    }
    flush(s, &b);
}

static void gather(search *s) {
    s->next++;
    s->task->rounds++;
    hop__for(s->context, s->words, WORDS, gather_words, s);
}

static void both_ways(void *arg, const hop__arc_block *block, unsigned thread) {
    top_down(arg, block, thread);
    bottom_up(arg, block, thread);
}

static hop_status find_two_levels(search *s) {
    hop__two_levels two = {.context = s->context,
                           .graph = s->graph,
                           .arcs = s->arcs,
                           .levels = s->levels,
                           .parents = s->parents,
                           .front = s->front,
                           .found = s->found,
                           .passed = s->passed,
                           .loose = s->wanted,
                           .first = s->next + 1};
    clear_words(s->passed, s->words);
    clear_words(s->wanted, block_words(s->graph));
    hop__count(s->context, "levels by two", 2);
    hop_status status = hop__two_levels_find(&two, s->other);
    atomic_fetch_add(&s->looked, atomic_load(&two.looked));
    if (status != HOP_OK)
        return status;
    gather(s);
    step(s);
    gather(s);
    status = hop__arcs_visit(s->context, s->arcs, s->wanted, both_ways, s);
    step(s);
    return status;
}

/* ---- arcs that are kept ---------------------------------------------------------------------- */

static void keep_rows(void *arg, const hop__arc_block *block, unsigned thread) {
    search *s = arg;
    top_down(arg, block, thread);
    if (!s->keeps)
        return;
    for (hop__walk row = hop__walk_first(s->graph, block); row.begin < block->end;
         hop__walk_next(s->graph, block, &row)) {
        hop_vertex level = hop__load_u32(&s->levels[row.vertex]);
        if (level == HOP_NO_LEVEL || level == s->next)
            hop__kept_row(&s->kept, thread, (hop_vertex)row.vertex,
                          block->targets + (row.begin - block->begin), row.end - row.begin);
    }
}

/* When there is no room to keep them all, what is left of the reading is as ever. */
static bool end_window(void *arg) {
    search *s = arg;
    if (s->keeps && !hop__kept_window(&s->kept)) {
        s->keeps = false;
        memcpy(s->other, s->wanted, block_words(s->graph) * sizeof *s->other);
    }
    return false;
}

/* A level, and all arcs that later ones need, if there is room. */
static hop_status find_and_keep(search *s) {
    s->next++;
    s->task->rounds++;
    s->keeps = true;
    s->kept.context = s->context;
    s->kept.levels = s->levels;
    s->kept.parents = s->parents;
    s->kept.settled = s->passed;
    s->kept.first = s->next;
    clear_words(s->passed, s->words);
    hop__kept_begin(&s->kept);
    hop_status status =
        hop__arcs_sweep(s->context, s->arcs, s->other, HOP__ARCS_ONCE,
                        (hop__arcs_calls){.visit = keep_rows, .more = end_window}, s);
    if (s->keeps)
        hop__kept_end(&s->kept);
    hop__count(s->context, "readings that kept arcs", s->keeps);
    step(s);
    return status;
}

static bool look_at_kept(void *arg, hop_vertex u, const hop_vertex *targets, uint32_t count) {
    search *s = arg;
    if (!hop__bitmap_get(s->front, u))
        return false;
    batch b;
    b.count = 0;
    for (uint32_t i = 0; i < count; i++)
        reach(s, &b, u, targets[i]);
    flush(s, &b);
    return true;
}

/* Many narrow levels are not looked for among all that was kept: blocks are read for them. */
static void find_kept_level(search *s) {
    s->next++;
    s->task->rounds++;
    uint64_t looked = hop__kept_visit(&s->kept, look_at_kept, s);
    atomic_fetch_add(&s->looked, looked);
    s->kept_looks += looked;
    s->keeps = s->kept_looks / KEEP_LOOKS <= s->graph->arcs;
    step(s);
}

static void clear_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    search *s = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        s->levels[v] = HOP_NO_LEVEL;
    for (uint64_t v = begin; v < end && s->parents; v++)
        s->parents[v] = HOP_NO_VERTEX;
    (void)hop__progress_add(s->context, 0);
}

static void add_sources(search *s) {
    const hop__bfs_query *query = &s->task->query;
    for (hop_vertex i = 0; i < query->source_count; i++) {
        hop_vertex v = query->sources[i];
        if (s->levels[v] == 0)
            continue;
        s->levels[v] = 0;
        if (s->parents)
            s->parents[v] = v;
        hop__bitmap_set(s->found, v);
        uint64_t place = atomic_fetch_add(&s->found_count, 1);
        if (place < s->room)
            s->next_list[place] = v;
    }
}

static bool targets_reached(search *s) {
    const hop__bfs_query *query = &s->task->query;
    while (s->target < query->target_count && s->levels[query->targets[s->target]] != HOP_NO_LEVEL)
        s->target++;
    return query->target_count > 0 && s->target == query->target_count;
}

/* ---- what is left to arc_settle.h ------------------------------------------------------------ */

static void offer_levels(hop__settle *rest, hop__settle_lane *lane, hop_vertex u, uint64_t label,
                         const hop__arc_block *block, uint64_t begin, uint64_t end) {
    const search *s = rest->user;
    if (label >= s->task->query.max_level)
        return;
    for (uint64_t i = begin - block->begin; i < end - block->begin; i++)
        hop__settle_offer(rest, lane, false, u, label, block->targets[i], label + 1);
}

static uint64_t farther_level(uint64_t label, double width) {
    return width < (double)HOP_NO_LEVEL ? label + (uint64_t)width : UINT64_MAX;
}

static bool is_enough(void *user, uint64_t limit) {
    const search *s = user;
    const hop__bfs_query *query = &s->task->query;
    bool all = query->target_count > 0;
    for (hop_vertex i = 0; i < query->target_count && all; i++)
        all = s->levels[query->targets[i]] < limit;
    hop_vertex nearest = all ? HOP_NO_LEVEL : hop__bfs_nearest_level(query, s->levels);
    return all || (nearest != HOP_NO_LEVEL && nearest < limit);
}

/* Takes out what is beyond the targets or the nearest: all of it was searched, or some. */
static void cut(search *s) {
    const hop__bfs_query *query = &s->task->query;
    hop_vertex last = hop__bfs_nearest_level(query, s->levels), deepest = 0;
    for (hop_vertex i = 0; i < query->target_count; i++)
        deepest = s->levels[query->targets[i]] > deepest ? s->levels[query->targets[i]] : deepest;
    if (query->target_count > 0 && deepest < last)
        last = deepest;
    for (uint64_t v = 0; v < s->n && last != HOP_NO_LEVEL; v++)
        if (s->levels[v] != HOP_NO_LEVEL && s->levels[v] > last) {
            s->levels[v] = HOP_NO_LEVEL;
            if (s->parents)
                s->parents[v] = HOP_NO_VERTEX;
        }
}

/* The rest of the search, from the frontier on, which is listed. */
static hop_status settle_rest(search *s, hop__workspace *space) {
    const hop__bfs_query *query = &s->task->query;
    hop__settle *rest = &s->rest;
    hop_status status;
    rest->context = s->context;
    rest->graph = s->graph;
    rest->arcs = s->arcs;
    rest->labels = s->levels;
    rest->none = HOP_NO_LEVEL;
    rest->parents = s->parents;
    rest->width = FIRST_WIDTH;
    rest->least_width = LEAST_WIDTH;
    rest->relax = offer_levels;
    rest->farther = farther_level;
    rest->enough = query->target_count > 0 || query->nearest > 0 ? is_enough : NULL;
    rest->user = s;
    HOP_TRY(status, hop__settle_take(space, rest));
    hop__settle_begin(rest);
    for (uint64_t i = 0; i < s->count; i++)
        hop__settle_start(rest, s->list[i]);
    HOP_TRY(status, hop__settle_run(rest));
    cut(s);
    s->task->rounds += rest->rounds;
    atomic_fetch_add(&s->looked, atomic_load(&rest->looked));
    s->count = 0;
done:
    return status;
}

static hop_status search_all(search *s, hop__workspace *space) {
    const hop__bfs_query *query = &s->task->query;
    hop_status status = HOP_OK;
    hop__phase(s->context, "clear");
    hop__phase_bytes(s->context, (s->parents ? 8 : 4) * (uint64_t)s->n + 16 * s->words);
    hop__for(s->context, s->n, CLEAR, clear_range, s);
    clear_words(s->front, s->words);
    clear_words(s->found, s->words);
    add_sources(s);
    step(s);
    hop__phase(s->context, "search");
    uint64_t enough = query->nearest == 0 ? UINT64_MAX : s->reached + query->nearest;
    while (s->count > 0 && s->next < query->max_level && s->reached < enough &&
           !targets_reached(s) && status == HOP_OK && hop__progress_add(s->context, 0)) {
        if (s->keeps) {
            find_kept_level(s);
            continue;
        }
        want_level(s);
        if (is_stale(s)) {
            hop__count(s->context, "levels before rounds", s->next);
            status = settle_rest(s, space);
            break;
        }
        way how = choose_way(s);
        status = how == PAIR_UP ? find_two_levels(s)
                 : how == KEEP  ? find_and_keep(s)
                                : find_level(s, how == UP);
    }
    s->task->relaxations = atomic_load(&s->looked);
    hop__phase_items(s->context, s->task->relaxations);
    return status;
}

static void semi_external_blocks(const void *given, hop__workspace *space) {
    const hop_graph *graph = ((const hop__bfs_task *)given)->query.graph;
    uint64_t words = hop__bitmap_words(graph->vertices);
    HOP__BLOCK(space, "bfs: frontier", words, search, front);
    HOP__BLOCK(space, "bfs: frontier", words, search, found);
    HOP__BLOCK(space, "bfs: frontier", words, search, passed);
    HOP__BLOCK(space, "bfs: blocks", block_words(graph), search, wanted);
    HOP__BLOCK(space, "bfs: blocks", block_words(graph), search, other);
    HOP__BLOCK(space, "bfs: lists", list_room(graph), search, list);
    HOP__BLOCK(space, "bfs: lists", list_room(graph), search, next_list);
    if (graph->store != NULL)
        hop__settle_blocks(space, offsetof(search, rest), graph, true);
    hop__block_reserve(space, HOP__MEMORY_HOST, "bfs: blocks of arcs", hop__arcs_bytes(graph));
}

static hop_status semi_external_run(hop_context *context, hop__bfs_task *task) {
    const hop_graph *graph = task->query.graph;
    search s = {.context = context,
                .task = task,
                .graph = graph,
                .levels = task->levels,
                .parents = task->parents,
                .n = graph->vertices,
                .words = hop__bitmap_words(graph->vertices),
                .room = list_room(graph)};
    hop__workspace space = {0};
    hop__arcs *arcs = NULL;
    hop_status status, ended;
    HOP_TRY(status, hop__workspace_open(context, NULL, semi_external_blocks, task, &s, &space));
    HOP_TRY(status, hop__arcs_open(context, graph, false, &arcs));
    s.arcs = arcs;
    hop__progress_begin(context, "bfs: semi-external", graph->arcs);
    status = search_all(&s, &space);
    ended = hop__progress_end(context);
    hop__count_reads(context, arcs);
    if (status == HOP_OK)
        status = ended;
done:
    hop__arcs_close(arcs);
    hop__workspace_close(&space, status);
    return status;
}

const hop__bfs_variant hop__bfs_semi_external = {
    .row = {.about = {.name = "semi-external",
                      .summary = "levels in memory, blocks of arcs from disk as a level needs them",
                      .source = "ours",
                      .place = HOP_PLACE_HOST},
            .blocks = semi_external_blocks,
            .external = true},
    .run = semi_external_run,
};
