/* SPDX-License-Identifier: Apache-2.0
 *
 * sequential: breadth-first search on one core, two frontiers on CSR (D3). The baseline.
 *
 * Both frontiers are slices of one array of n: a vertex enters it once, in the order of its level,
 * so the slice [head, tail) is the frontier and what is appended becomes the next one. Arcs to a
 * vertex of the next level that is known already still matter: they may give it a smaller parent.
 * So levels and canonical parents come out of the same pass, whatever the order in the queue.
 *
 * Stops between two levels, hence with every level whole or absent: at max_level, or when all
 * targets have a level. Of the targets only the first without a level is looked at, so that they
 * cost O(targets + levels) in all and no memory.
 *
 * Cost: each arc of a vertex above the stopping level once, O(n + m); 4 bytes per vertex. */
#include "bfs/bfs_internal.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/graph_internal.h"

enum {
    PIECE = 1 << 16, /* arcs or vertices between two reports */
    AHEAD = 4        /* rows between the prefetch of targets and their use; of offsets, twice */
};

typedef struct search {
    hop_vertex *levels, *parents;
    hop_vertex *queue;
    uint64_t tail;     /* vertices in the queue */
    hop_vertex next;   /* the level that is being found */
    hop_vertex target; /* number of the first target without a level */
} search;

static bool clear(hop_context *context, hop_vertex *array, uint64_t n) {
    for (uint64_t begin = 0; begin < n; begin += PIECE) {
        uint64_t end = n - begin < PIECE ? n : begin + PIECE;
        for (uint64_t v = begin; v < end; v++)
            array[v] = HOP_NO_LEVEL; /* and HOP_NO_VERTEX: the same bits */
        if (!hop__progress_add(context, 0))
            return false;
    }
    return true;
}
_Static_assert(HOP_NO_LEVEL == HOP_NO_VERTEX, "clear() serves levels and parents");

static bool add_sources(hop_context *context, search *state, const hop__bfs_query *query) {
    for (hop_vertex i = 0; i < query->source_count; i++) {
        hop_vertex s = query->sources[i];
        if (i % PIECE == 0 && !hop__progress_add(context, 0))
            return false;
        if (state->levels[s] == 0)
            continue;
        state->levels[s] = 0;
        if (state->parents)
            state->parents[s] = s;
        state->queue[state->tail++] = s;
    }
    return true;
}

/* Follows `count` arcs of u, which is one level above state->next. */
static void expand(search *state, hop_vertex u, const hop_vertex *targets, uint64_t count) {
    hop_vertex *levels = state->levels, *parents = state->parents, next = state->next;
    uint64_t tail = state->tail;
    for (uint64_t i = 0; i < count; i++) {
        hop_vertex v = targets[i];
        if (levels[v] == HOP_NO_LEVEL) {
            levels[v] = next;
            parents[v] = u;
            state->queue[tail++] = v;
        } else if (levels[v] == next && parents[v] > u) {
            parents[v] = u;
        }
    }
    state->tail = tail;
}

static void expand_levels(search *state, const hop_vertex *targets, uint64_t count) {
    hop_vertex *levels = state->levels, next = state->next;
    uint64_t tail = state->tail;
    for (uint64_t i = 0; i < count; i++) {
        hop_vertex v = targets[i];
        if (levels[v] != HOP_NO_LEVEL)
            continue;
        levels[v] = next;
        state->queue[tail++] = v;
    }
    state->tail = tail;
}

/* The queue says which rows come next; they are anywhere in memory. */
static inline void prefetch_rows(const hop_graph *graph, const hop_vertex *queue, uint64_t left) {
    if (left > 2 * AHEAD)
        __builtin_prefetch((const char *)graph->offsets +
                           queue[2 * AHEAD] * (uint64_t)graph->offset_bytes);
    if (left > AHEAD)
        __builtin_prefetch(&graph->targets[hop__offset(graph, queue[AHEAD])]);
}

/* Reports work once there is enough of it; false when cancelled. */
static inline bool report(hop_context *context, uint64_t *pending) {
    uint64_t amount = *pending;
    if (amount < PIECE)
        return true;
    *pending = 0;
    return hop__progress_add(context, amount);
}

/* The next level from the frontier [head, end) of the queue; false when cancelled. */
static bool find_level(hop_context *context, hop__bfs_task *task, search *state, uint64_t head,
                       uint64_t end) {
    const hop_graph *graph = task->query.graph;
    uint64_t pending = 0;
    for (; head < end; head++) {
        hop_vertex u = state->queue[head];
        prefetch_rows(graph, state->queue + head, state->tail - head);
        uint64_t arc = hop__offset(graph, u), row_end = hop__offset(graph, (uint64_t)u + 1);
        task->relaxations += row_end - arc;
        pending++; /* vertices without arcs take time too */
        while (arc < row_end) {
            uint64_t count = row_end - arc < PIECE ? row_end - arc : PIECE;
            if (state->parents)
                expand(state, u, graph->targets + arc, count);
            else
                expand_levels(state, graph->targets + arc, count);
            arc += count;
            pending += count;
            if (!report(context, &pending))
                return false;
        }
        if (!report(context, &pending))
            return false;
    }
    return hop__progress_add(context, pending);
}

/* Whether all targets have levels; true too when cancelled. */
static bool targets_reached(hop_context *context, search *state, const hop__bfs_query *query) {
    while (state->target < query->target_count &&
           state->levels[query->targets[state->target]] != HOP_NO_LEVEL)
        if (++state->target % PIECE == 0 && !hop__progress_add(context, 0))
            return true;
    return query->target_count > 0 && state->target == query->target_count;
}

static void search_all(hop_context *context, hop__bfs_task *task, search *state) {
    const hop__bfs_query *query = &task->query;
    uint64_t n = query->graph->vertices, head = 0, enough;
    hop__phase(context, "clear");
    hop__phase_bytes(context, (state->parents ? 8 : 4) * n);
    if (!clear(context, state->levels, n) ||
        (state->parents && !clear(context, state->parents, n)) ||
        !add_sources(context, state, query))
        return;
    hop__phase(context, "search");
    enough = query->nearest == 0 ? UINT64_MAX : state->tail + query->nearest;
    while (head < state->tail && state->next < query->max_level && state->tail < enough &&
           !targets_reached(context, state, query)) {
        uint64_t end = state->tail;
        state->next++;
        task->rounds++;
        if (!find_level(context, task, state, head, end))
            return;
        head = end;
    }
    hop__phase_items(context, task->relaxations);
    /* Of each arc the target and its level; of each vertex what is set, queue and offsets. */
    hop__phase_bytes(context, 8 * task->relaxations + (state->parents ? 16 : 12) * state->tail +
                                  2 * query->graph->offset_bytes * state->tail);
}

static void sequential_blocks(const void *task, hop__workspace *space) {
    const hop__bfs_query *query = &((const hop__bfs_task *)task)->query;
    HOP__BLOCK(space, "bfs: queue", query->graph->vertices, search, queue);
}

static hop_status sequential_run(hop_context *context, hop__bfs_task *task) {
    hop_status status;
    const hop_graph *graph = task->query.graph;
    search state = {.levels = task->levels, .parents = task->parents};
    hop__workspace space = {0};
    HOP_TRY(status, hop__workspace_open(context, NULL, sequential_blocks, task, &state, &space));
    hop__progress_begin(context, "bfs: sequential", graph->arcs + graph->vertices);
    search_all(context, task, &state);
    HOP_TRY(status, hop__progress_end(context));
done:
    hop__workspace_close(&space, status);
    return status;
}

const hop__bfs_variant hop__bfs_sequential = {
    .row = {.about = {.name = "sequential",
                      .summary = "two frontiers on one core",
                      .source = "CSE 599 I",
                      .place = HOP_PLACE_HOST},
            .blocks = sequential_blocks},
    .run = sequential_run,
};
