/* SPDX-License-Identifier: Apache-2.0
 *
 * boruvka: in rounds, each part (a vertex at first) takes the first of the edges that lead out of
 * it, all parts at once, and what these edges join is one part in the next round.
 *
 *  1. The order of edges has no ties. So parts that follow their edges end in a pair that took the
 *     same edge, and nowhere else is a cycle: of that pair the smaller is the root.
 *  2. A part that is no root adds its edge to the forest; a root adds none. So each edge is added
 *     once, and which are does not depend on threads.
 *  3. `best` has the upper half of the key and the place in the list: most offers are refused by
 *     one comparison. Where the halves are equal, the edges in the list decide.
 *  4. Edges within a part are left out of the list, block by block, where they are.
 *
 * Of an undirected graph the first round goes by rows: the first of the least weights of a row is
 * its edge, since rows are sorted. The list is made after it.
 *
 * Where there are many edges, the list is of the light ones first: by the keys of some of them, one
 * for each vertex. When these are used up, what is left to list is the heavier edges between
 * different parts, as a rule few, since light edges alone join most of the graph (Osipov, Sanders
 * and Singler, "The filter-Kruskal minimum spanning tree algorithm", 2009).
 *
 * Boruvka, "O jistem problemu minimalnim", 1926; in parallel: Chung and Condon, 1996.
 * Cost: O(m) per round, at most log n rounds, each leaving at most half of the parts; 24 bytes per
 * edge, 20 per vertex. */
#include <stdio.h>
#include <stdlib.h>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "core/union_find.h"
#include "spanning/spanning_internal.h"

enum {
    GRAIN = 1 << 13,
    ROWS = 1 << 10,
    LIGHT = 1,   /* light edges for each vertex */
    MANY = 6,    /* edges for each vertex; from here on light ones come first */
    SAMPLE = 512 /* keys */
};

#define NO_EDGE UINT64_MAX

typedef struct boruvka {
    hop_context *context;
    const hop__spanning_task *task;
    hop__spanning_list list;
    uint64_t *best;             /* of each part: see 3.; by rows: the number of the arc */
    hop_vertex *next, *parents; /* next: the part that its edge leads to; then its new number */
    hop_vertex *labels; /* the part of each vertex; NULL: not needed, since all edges are listed */
    hop_vertex parts;
    bool by_rows;
} boruvka;

static bool boruvka_refuse(const void *given, char reason[HOP__REASON]) {
    const hop__spanning_task *task = given;
    if (task->listed < UINT32_MAX)
        return false;
    snprintf(reason, HOP__REASON, "%llu edges, at most %u are possible",
             (unsigned long long)task->listed, UINT32_MAX - 1);
    return true;
}

static bool light_first(const hop__spanning_task *task) {
    return task->listed / MANY >= task->vertices;
}

static void boruvka_blocks(const void *given, hop__workspace *space) {
    const hop__spanning_task *task = given;
    hop__spanning_list_blocks(space, offsetof(boruvka, list), task);
    HOP__BLOCK(space, "spanning: edges of parts", task->vertices, boruvka, best);
    HOP__BLOCK(space, "spanning: following parts", task->vertices, boruvka, next);
    HOP__BLOCK(space, "spanning: parents", task->vertices, boruvka, parents);
    if (light_first(task))
        HOP__BLOCK(space, "spanning: parts", task->vertices, boruvka, labels);
}

/* The first round of an undirected graph. */
static void look_at_rows(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    boruvka *state = arg;
    const hop_graph *graph = state->task->graph;
    const hop__spanning_order order = state->task->order; /* which nothing that is written is */
    (void)thread;
    if (!hop__progress_add(state->context, end - begin))
        return;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t stop = hop__offset(graph, v + 1), least = UINT64_MAX, best = NO_EDGE;
        for (uint64_t i = hop__offset(graph, v); i < stop; i++) {
            uint64_t key = hop__spanning_key(&order, i);
            if ((key < least || best == NO_EDGE) && graph->targets[i] != v) {
                best = i;
                least = key;
            }
        }
        state->best[v] = best;
        state->next[v] = best == NO_EDGE ? (hop_vertex)v : graph->targets[best];
    }
}

/* The number of the edge that an arc of row v is: that of the arc from its smaller end, the first
 * of those with that weight. */
static uint64_t number_of_arc(const hop__spanning_task *task, hop_vertex v, uint64_t arc) {
    const hop_vertex w = task->graph->targets[arc];
    const uint64_t key = hop__spanning_key(&task->order, arc);
    if (v < w)
        return arc;
    uint64_t at = hop__first_arc(task->graph, w, v);
    while (hop__spanning_key(&task->order, at) != key)
        at++;
    return at;
}

static void clear_best(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    boruvka *state = arg;
    (void)thread;
    for (uint64_t part = begin; part < end; part++)
        state->best[part] = NO_EDGE;
}

/* Offers a part the edge at a place of the list. */
static inline void offer(boruvka *state, hop_vertex part, uint64_t key, uint32_t place) {
    const uint64_t offered = key >> 32 << 32 | place;
    uint64_t seen = hop__load_u64(&state->best[part]);
    for (;;) {
        if (seen >> 32 < offered >> 32)
            return;
        if (seen >> 32 == offered >> 32 && seen != NO_EDGE) {
            uint64_t other = state->list.edges[(uint32_t)seen].key;
            if (other < key || (other == key && (uint32_t)seen < place))
                return;
        }
        if (hop__replace_u64(&state->best[part], seen, offered))
            return;
        seen = hop__load_u64(&state->best[part]);
    }
}

static void offer_blocks(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    boruvka *state = arg;
    (void)thread;
    for (uint64_t block = begin; block < end && hop__progress_add(state->context, 1); block++) {
        uint64_t first = state->list.begins[block], past = first + state->list.counts[block];
        for (uint64_t i = first; i < past; i++) {
            const hop__spanning_edge *edge = &state->list.edges[i];
            offer(state, edge->from, edge->key, (uint32_t)i);
            offer(state, edge->to, edge->key, (uint32_t)i);
        }
    }
}

/* Where the edges of parts lead. */
static void follow(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    boruvka *state = arg;
    (void)thread;
    for (uint64_t part = begin; part < end; part++) {
        state->next[part] = (hop_vertex)part;
        if (state->best[part] == NO_EDGE)
            continue;
        const hop__spanning_edge *edge = &state->list.edges[(uint32_t)state->best[part]];
        state->next[part] = edge->from == part ? edge->to : edge->from;
    }
}

/* Parents: where the edge leads, but of a pair that took the same edge the smaller is the root. */
static void set_parents(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    boruvka *state = arg;
    (void)thread;
    for (uint64_t part = begin; part < end; part++) {
        hop_vertex to = state->next[part];
        bool root = part <= to && state->next[to] == part;
        state->parents[part] = root ? (hop_vertex)part : to;
    }
}

/* Brings parts to their roots, or near them: a thread that halves a path may write an ancestor over
 * the root that another has written. */
static void flatten(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    boruvka *state = arg;
    (void)thread;
    for (uint64_t part = begin; part < end; part++)
        hop__store_u32(&state->parents[part], hop__forest_climb(state->parents, (hop_vertex)part));
}

/* Roots get the numbers 0, 1, 2 ...; the edges of the others go to the forest. */
static void number_parts(boruvka *state) {
    const hop__spanning_task *task = state->task;
    hop_vertex roots = 0, count = *task->count;
    for (hop_vertex part = 0; part < state->parts; part++) {
        uint64_t best = state->best[part];
        if (state->parents[part] == part)
            state->next[part] = roots++;
        else
            task->numbers[count++] = state->by_rows ? number_of_arc(task, part, best)
                                                    : state->list.edges[(uint32_t)best].number;
    }
    *task->count = count;
    state->parts = roots;
}

/* The new number of each part, which roots have already: others read theirs, and nothing else. */
static void rename_parts(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    boruvka *state = arg;
    (void)thread;
    for (uint64_t part = begin; part < end; part++) {
        hop_vertex root = state->parents[part];
        if (root == part)
            continue;
        while (state->parents[root] != root)
            root = state->parents[root];
        state->next[part] = state->next[root];
    }
}

static void shrink_blocks(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    boruvka *state = arg;
    (void)thread;
    for (uint64_t block = begin; block < end && hop__progress_add(state->context, 1); block++) {
        hop__spanning_edge *edges = state->list.edges + state->list.begins[block];
        uint64_t kept = 0;
        for (uint64_t i = 0; i < state->list.counts[block]; i++) {
            hop__spanning_edge edge = edges[i];
            edge.from = state->next[edge.from];
            edge.to = state->next[edge.to];
            if (edge.from != edge.to)
                edges[kept++] = edge;
        }
        state->list.counts[block] = kept;
    }
}

static uint64_t edges_left(const hop__spanning_list *list) {
    uint64_t sum = 0;
    for (uint64_t block = 0; block < list->blocks; block++)
        sum += list->counts[block];
    return sum;
}

static void label_vertices(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    boruvka *state = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        state->labels[v] = state->next[state->labels[v]];
}

/* Joins the parts by the edges that were found; `next` has the new numbers then. */
static void join_parts(boruvka *state) {
    const hop_vertex before = state->parts;
    hop__phase(state->context, "join");
    hop__phase_items(state->context, before);
    hop__for(state->context, before, GRAIN, set_parents, state);
    hop__for(state->context, before, GRAIN, flatten, state);
    number_parts(state);
    hop__for(state->context, before, GRAIN, rename_parts, state);
    if (state->labels)
        hop__for(state->context, state->task->vertices, GRAIN, label_vertices, state);
}

static hop_status round_by_rows(boruvka *state) {
    const hop_vertex n = state->task->vertices;
    hop_status status;
    hop__phase(state->context, "rows");
    hop__phase_items(state->context, state->task->places);
    hop__progress_begin(state->context, "spanning: rows", n);
    hop__for(state->context, n, ROWS, look_at_rows, state);
    HOP_TRY(status, hop__progress_end(state->context));
    state->by_rows = true;
    join_parts(state);
    state->by_rows = false;
done:
    return status;
}

static hop_status round_by_list(boruvka *state) {
    hop_context *context = state->context;
    const hop__spanning_list *list = &state->list;
    hop_status status;
    hop__phase(context, "offer");
    hop__phase_items(context, edges_left(list));
    hop__for(context, state->parts, GRAIN, clear_best, state);
    hop__progress_begin(context, "spanning: offer", list->blocks);
    hop__for(context, list->blocks, 1, offer_blocks, state);
    HOP_TRY(status, hop__progress_end(context));
    hop__for(context, state->parts, GRAIN, follow, state);
    join_parts(state);
    hop__phase(context, "shrink");
    hop__progress_begin(context, "spanning: shrink", list->blocks);
    hop__for(context, list->blocks, 1, shrink_blocks, state);
    HOP_TRY(status, hop__progress_end(context));
done:
    return status;
}

static int compare_keys(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The key up to which there are about LIGHT edges for each vertex. */
static uint64_t light_key(const hop__spanning_task *task) {
    uint64_t keys[SAMPLE];
    const unsigned count = task->places < SAMPLE ? (unsigned)task->places : SAMPLE;
    for (unsigned i = 0; i < count; i++)
        keys[i] = hop__spanning_key(&task->order, hop__share(task->places, i, count));
    qsort(keys, count, sizeof *keys, compare_keys);
    return keys[LIGHT * count * (uint64_t)task->vertices / task->listed];
}

/* Lists the edges of some keys, and goes on in rounds until none is left. */
static hop_status rounds_by_list(boruvka *state, hop__workspace *space,
                                 const hop__spanning_choice *choice) {
    const hop__spanning_task *task = state->task;
    hop_status status;
    hop__phase(state->context, "list");
    HOP_TRY(status, hop__spanning_list_fill(space, task, choice, &state->list));
    for (uint64_t left; (left = edges_left(&state->list)) > 0; task->report->rounds++) {
        task->report->relaxations += left;
        HOP_TRY(status, round_by_list(state));
    }
done:
    return status;
}

static hop_status boruvka_run(hop_context *context, const hop__spanning_task *task) {
    boruvka state = {.context = context, .task = task, .parts = task->vertices};
    const bool rows = task->graph != NULL && !task->graph->directed;
    const uint64_t heaviest = (task->order.high - task->order.low) << task->order.shift;
    hop__workspace space;
    hop_status status;
    hop__workspace_clear(&space);
    HOP_TRY(status, hop__workspace_open(context, NULL, boruvka_blocks, task, &state, &space));
    for (hop_vertex v = 0; state.labels && v < task->vertices; v++)
        state.labels[v] = v;
    if (rows)
        HOP_TRY(status, round_by_rows(&state));
    task->report->rounds = rows;
    task->report->relaxations = rows ? task->places : 0;
    hop__phase(context, "list");
    HOP_TRY(status, hop__spanning_list_plan(&space, task, &state.list));
    hop__spanning_choice choice = {.labels = rows ? state.next : NULL, .high = UINT64_MAX};
    if (state.labels) {
        choice = (hop__spanning_choice){.labels = state.labels, .high = light_key(task)};
        HOP_TRY(status, rounds_by_list(&state, &space, &choice));
        if (choice.high == heaviest)
            goto done;
        choice = (hop__spanning_choice){state.labels, choice.high + 1, heaviest};
    }
    HOP_TRY(status, rounds_by_list(&state, &space, &choice));
done:
    hop__workspace_close(&space, status);
    return status;
}

const hop__spanning_variant hop__spanning_boruvka = {
    .row = {.about = {.name = "boruvka",
                      .summary = "every part takes its first edge, all at once, in rounds",
                      .source = "Boruvka 1926",
                      .place = HOP_PLACE_HOST},
            .refuse = boruvka_refuse,
            .blocks = boruvka_blocks},
    .run = boruvka_run,
};
