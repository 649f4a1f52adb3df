/* SPDX-License-Identifier: Apache-2.0
 *
 * kruskal: all edges, sorted, one after the other: each that joins two trees is of the forest. The
 * sequential reference.
 *
 * Cost: a radix sort of the edges, and O(m log n) steps up trees; 56 bytes per edge, 4 per vertex.
 */
#include "core/progress.h"
#include "core/sort.h"
#include "core/try.h"
#include "core/union_find.h"
#include "spanning/spanning_internal.h"

enum { REPORT = 1 << 14 };

typedef struct kruskal {
    hop__spanning_list list;
    hop__u128 *sorted; /* key, then the place in the list */
    hop_vertex *parents;
} kruskal;

static void kruskal_blocks(const void *given, hop__workspace *space) {
    const hop__spanning_task *task = given;
    hop__spanning_list_blocks(space, offsetof(kruskal, list), task);
    HOP__BLOCK(space, "spanning: sorted edges", task->listed, kruskal, sorted);
    HOP__BLOCK(space, "spanning: parents", task->vertices, kruskal, parents);
    hop__block_reserve(space, HOP__MEMORY_HOST, "spanning: sort", task->sort_bytes)->elastic = true;
}

/* Keys of the edges with their places; how many there are. */
static uint64_t list_keys(const hop__spanning_task *task, kruskal *state) {
    const unsigned width = hop__bit_width(task->listed);
    uint64_t count = 0;
    for (uint64_t block = 0; block < state->list.blocks; block++)
        for (uint64_t i = 0; i < state->list.counts[block]; i++) {
            uint64_t at = state->list.begins[block] + i;
            uint64_t key = state->list.edges[at].key >> task->order.shift;
            state->sorted[count++] = (hop__u128)key << width | at;
        }
    return count;
}

static void join_sorted(hop_context *context, const hop__spanning_task *task, kruskal *state,
                        uint64_t count) {
    const uint64_t mask = (UINT64_C(1) << hop__bit_width(task->listed)) - 1;
    for (hop_vertex v = 0; v < task->vertices; v++)
        state->parents[v] = v;
    for (uint64_t i = 0; i < count; i++) {
        const hop__spanning_edge *edge = &state->list.edges[(uint64_t)state->sorted[i] & mask];
        hop_vertex from = hop__forest_climb_alone(state->parents, edge->from);
        hop_vertex to = hop__forest_climb_alone(state->parents, edge->to);
        if (from != to) {
            state->parents[from > to ? from : to] = from > to ? to : from;
            task->numbers[(*task->count)++] = edge->number;
        }
        if (i % REPORT == 0 && !hop__progress_add(context, REPORT))
            return;
    }
}

static hop_status kruskal_run(hop_context *context, const hop__spanning_task *task) {
    const hop__spanning_choice all = {.high = UINT64_MAX};
    kruskal state = {0};
    hop__workspace space;
    hop_status status;
    hop__workspace_clear(&space);
    HOP_TRY(status, hop__workspace_open(context, NULL, kruskal_blocks, task, &state, &space));
    hop__phase(context, "list");
    HOP_TRY(status, hop__spanning_list_plan(&space, task, &state.list));
    HOP_TRY(status, hop__spanning_list_fill(&space, task, &all, &state.list));
    hop__phase(context, "sort");
    uint64_t count = list_keys(task, &state);
    HOP_TRY(status, hop__sort_u128(context, state.sorted, count, hop__spanning_sort_bits(task)));
    hop__phase(context, "join");
    hop__phase_items(context, count);
    hop__progress_begin(context, "spanning: join", count);
    join_sorted(context, task, &state, count);
    HOP_TRY(status, hop__progress_end(context));
    task->report->relaxations = count;
done:
    hop__workspace_close(&space, status);
    return status;
}

const hop__spanning_variant hop__spanning_kruskal = {
    .row = {.about = {.name = "kruskal",
                      .summary = "edges in the order of their weights, by one thread",
                      .source = "Kruskal 1956",
                      .place = HOP_PLACE_HOST},
            .blocks = kruskal_blocks},
    .run = kruskal_run,
};
