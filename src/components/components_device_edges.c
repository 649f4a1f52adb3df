/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of edges on a device: how they get there, and the joins of graft, graft-update,
 * shiloach-vishkin and rem on them. What these do is said in the files of the same variants for the
 * host (components_graft.c and so on); here each of their loops is a kernel of
 * components_edges_program.cl, and the host asks after each round whether anything has changed.
 *
 * The list is made by the host. Where the device works in the host's memory it is used where it
 * stands. Elsewhere it is copied; a list that does not fit into the device's memory or into one
 * buffer goes there in blocks, each of which is joined before the next, while that is on its way:
 * so every edge is copied once, however many rounds there are. Labels stay on the device.
 *
 * Cost: as on the host; on the device 4 bytes per vertex (12 for shiloach-vishkin) and 8 per edge,
 * or two blocks. */
#include "components/components_device_edges.h"

static hop_status changed(hop__device_edges *edges, uint32_t *value) {
    return hop__sweep_read(&edges->forest.sweeper, HOP__FLAG_CHANGED, value, NULL);
}

static hop_status sweep_edges(hop__device_edges *edges, const char *kernel, uint64_t bytes,
                              const hop__argument *arguments, size_t argument_count) {
    return hop__device_forest_sweep(&edges->forest, kernel, edges->count, bytes, arguments,
                                    argument_count);
}

static hop_status sweep_vertices(hop__device_edges *edges, const char *kernel, uint64_t bytes,
                                 const hop__argument *arguments, size_t argument_count) {
    return hop__device_forest_sweep(&edges->forest, kernel, edges->forest.n, bytes, arguments,
                                    argument_count);
}

/* Every edge of the block becomes that of the labels of its ends. */
static hop_status update_ends(hop__device_edges *edges) {
    hop__argument arguments[] = {hop__arg_buffer(edges->block),
                                 hop__arg_buffer(edges->forest.labels)};
    return sweep_edges(edges, "update", 24, arguments, HOP_LENGTH(arguments));
}

/* Both of D1's: `update` after every round but the last. */
static hop_status graft_rounds(hop__device_edges *edges, bool update) {
    hop__device_forest *forest = &edges->forest;
    hop__argument arguments[] = {hop__arg_buffer(edges->block), hop__arg_buffer(forest->labels),
                                 hop__arg_buffer(forest->sweeper.flags)};
    uint32_t again = 1;
    hop_status status = HOP_OK;
    while (again) {
        HOP_TRY(status, hop__sweep_clear(&forest->sweeper, HOP__FLAG_CHANGED));
        HOP_TRY(status, sweep_edges(edges, update ? "graft_ends" : "graft", update ? 8 : 16,
                                    arguments, HOP_LENGTH(arguments)));
        HOP_TRY(status, hop__device_forest_shortcut(forest));
        HOP_TRY(status, changed(edges, &again));
        if (again && update)
            HOP_TRY(status, update_ends(edges));
        forest->report->rounds++;
        forest->report->relaxations += edges->count;
    }
done:
    return status;
}

hop_status hop__device_graft(hop__device_edges *edges) {
    return graft_rounds(edges, false);
}

hop_status hop__device_graft_update(hop__device_edges *edges) {
    return graft_rounds(edges, true);
}

hop_status hop__device_rem(hop__device_edges *edges) {
    hop__device_forest *forest = &edges->forest;
    hop__argument arguments[] = {hop__arg_buffer(edges->block), hop__arg_buffer(forest->labels),
                                 hop__arg_buffer(forest->resume), hop__arg_u32(forest->steps)};
    hop_status status;
    HOP_TRY(status, hop__device_forest_trips(forest, "join", edges->count, 16, arguments,
                                             HOP_LENGTH(arguments)));
    HOP_TRY(status, hop__device_forest_shortcut(forest));
    HOP_TRY(status, hop__sweep_settle(&forest->sweeper, NULL)); /* the block's room is used again */
    forest->report->rounds++;
    forest->report->relaxations += edges->count;
done:
    return status;
}

/* One iteration of D0's, from `before` to `now`. */
static hop_status iterate(hop__device_edges *edges, hop__buffer *now, hop__buffer *before,
                          uint32_t round, uint32_t *again) {
    hop__argument d_now = hop__arg_buffer(now), d_before = hop__arg_buffer(before),
                  list = hop__arg_buffer(edges->block), q = hop__arg_buffer(edges->scratch[1]),
                  s = hop__arg_u32(round), flags = hop__arg_buffer(edges->forest.sweeper.flags);
    hop__argument shortcut[] = {d_now, d_before, q, s};
    hop__argument hook[] = {list, d_now, d_before, q, s};
    hop__argument stagnant[] = {list, d_now, q, s};
    hop__argument check[] = {d_now, q, s, flags};
    hop_status status;
    HOP_TRY(status, hop__sweep_clear(&edges->forest.sweeper, HOP__FLAG_CHANGED));
    HOP_TRY(status, sweep_vertices(edges, "SV1", 12, shortcut, HOP_LENGTH(shortcut)));
    HOP_TRY(status, sweep_edges(edges, "SV2", 16, hook, HOP_LENGTH(hook)));
    HOP_TRY(status, sweep_edges(edges, "SV3", 16, stagnant, HOP_LENGTH(stagnant)));
    HOP_TRY(status, sweep_vertices(edges, "SV4_5", 12, check, HOP_LENGTH(check)));
    HOP_TRY(status, changed(edges, again));
done:
    return status;
}

hop_status hop__device_shiloach_vishkin(hop__device_edges *edges) {
    hop__device_forest *forest = &edges->forest;
    hop__buffer *now = edges->scratch[0], *before = forest->labels, *marks = edges->scratch[1];
    hop__argument zero[] = {hop__arg_buffer(marks)};
    uint32_t round = 0, again = 1;
    hop_status status;
    HOP_TRY(status, sweep_vertices(edges, "SV0", 4, zero, 1));
    while (again) {
        HOP_TRY(status, iterate(edges, now, before, ++round, &again));
        hop__buffer *swap = now;
        now = before;
        before = swap;
    }
    forest->report->rounds += round;
    forest->report->relaxations += 4 * edges->count * round; /* two kernels, both directions */
    hop__argument find[] = {hop__arg_buffer(before), hop__arg_buffer(marks)};
    hop__argument give[] = {hop__arg_buffer(before), hop__arg_buffer(marks),
                            hop__arg_buffer(forest->labels)};
    HOP_TRY(status, sweep_vertices(edges, "least_clear", 4, zero, 1));
    HOP_TRY(status, sweep_vertices(edges, "least_find", 8, find, HOP_LENGTH(find)));
    HOP_TRY(status, sweep_vertices(edges, "least_give", 12, give, HOP_LENGTH(give)));
done:
    return status;
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* The list on its way to the device. */
typedef struct blocks {
    const hop__device_edges_plan *plan;
    uint64_t group; /* edges; no block has edges of two */
    uint64_t size;  /* most edges of a block */
    hop__event *copied[2];
} blocks;

/* Edges of the block that begins at `begin`. */
static uint64_t block_length(const hop__device_edges *edges, const blocks *work, uint64_t begin) {
    uint64_t length = edges->list.count - begin, in_group = work->group - begin % work->group;
    if (length > in_group)
        length = in_group;
    return length < work->size ? length : work->size;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* How large blocks are, and room for them; shrinks them when the device has less than it says. */
static hop_status blocks_begin(hop__device_edges *edges, blocks *work) {
    hop__device *device = edges->forest.device;
    const hop__device_edges_plan *plan = work->plan;
    bool shared = hop__device_shares_memory(device);
    size_t bytes = sizeof(uint64_t) + plan->block_bytes;
    unsigned tries = 0;
    hop_status status = HOP_OK;
    uint64_t beside = plan->sorts ? hop__sort_scratch(device, &edges->forest.sweeper.form) : 0;
    work->size =
        hop__device_block(&edges->forest, edges->list.count, bytes, shared ? 1 : 2, beside);
    if (plan->block_most != 0)
        work->size = smaller(work->size, plan->block_most);
    while (!shared) {
        uint64_t slots = work->size < edges->list.count ? 2 : 1;
        for (uint64_t i = 0; i < slots && status == HOP_OK; i++)
            status = hop__workspace_take(edges->forest.space, &edges->slots[i], work->size);
        if (!hop__device_shrink(device, status, &tries, &work->size, HOP__BLOCK_GRAIN))
            break;
        for (int i = 0; i < 2; i++)
            hop__workspace_drop(edges->forest.space, &edges->slots[i]);
        status = HOP_OK;
    }
    return status;
}

/* Starts the copy of the block that begins at `begin` to its slot. */
static hop_status block_send(hop__device_edges *edges, blocks *work, uint64_t begin,
                             unsigned slot) {
    hop_status status;
    if (begin >= edges->list.count || !edges->slots[slot])
        return HOP_OK;
    hop__event_free(work->copied[slot]);
    work->copied[slot] = NULL;
    HOP_TRY(status,
            hop__queue_write(HOP__QUEUE_COPY, edges->slots[slot], 0,
                             block_length(edges, work, begin) * 8, edges->list.list + begin));
    HOP_TRY(status, hop__event_record(edges->forest.device, HOP__QUEUE_COPY, &work->copied[slot]));
    HOP_TRY(status, hop__device_flush(edges->forest.device));
    hop__device_count_copied(edges->forest.device, block_length(edges, work, begin) * 8);
done:
    return status;
}

uint64_t hop__device_edges_sends(const void *task, hop__device *device) {
    const hop_graph *graph = ((const hop__components_task *)task)->graph;
    return hop__device_shares_memory(device) ? 0 : hop__packed_edges_most(graph) * sizeof(uint64_t);
}

/* Joins the block that begins at `begin`, with the next one on its way. */
static hop_status block_join(hop__device_edges *edges, blocks *work, uint64_t begin,
                             unsigned slot) {
    hop__device *device = edges->forest.device;
    hop_status status;
    edges->count = block_length(edges, work, begin);
    if (edges->slots[slot]) {
        HOP_TRY(status, hop__event_wait(work->copied[slot], HOP__QUEUE_COMPUTE));
        edges->block = edges->slots[slot];
        if (edges->slots[1 - slot])
            HOP_TRY(status, block_send(edges, work, begin + edges->count, 1 - slot));
    } else {
        HOP_TRY(status, hop__workspace_borrow(edges->forest.space, &edges->borrowed, edges->count,
                                              edges->list.list + begin));
        edges->block = edges->borrowed;
    }
    if (work->plan->update && begin > 0)
        HOP_TRY(status, update_ends(edges));
    HOP_TRY(status, work->plan->join(edges));
done:
    if (status != HOP_OK || edges->borrowed)
        hop__device_settle(device, status == HOP_OK ? hop__device_finish(device) : status);
    hop__workspace_drop(edges->forest.space, &edges->borrowed);
    return status;
}

static hop_status blocks_join(hop__device_edges *edges, blocks *work) {
    uint64_t count = 0, groups = 0;
    hop_status status;
    HOP_TRY(status, blocks_begin(edges, work));
    HOP_TRY(status, block_send(edges, work, 0, 0));
    for (uint64_t begin = 0; begin < edges->list.count; begin += edges->count, count++) {
        groups += begin % work->group == 0;
        unsigned slot = edges->slots[1] ? (unsigned)(count % 2) : 0;
        HOP_TRY(status, block_join(edges, work, begin, slot));
        if (edges->slots[0] && !edges->slots[1]) /* one slot: the next group goes there now */
            HOP_TRY(status, block_send(edges, work, begin + edges->count, 0));
    }
    hop__count(edges->forest.context, "blocks", count);
    if (work->plan->group)
        hop__count(edges->forest.context, "groups", groups);
done:
    return status;
}

void hop__device_edges_blocks(hop__workspace *space, const hop__components_task *task,
                              const double *form, bool scratch) {
    uint64_t most = hop__packed_edges_most(task->graph), least = smaller(most, HOP__BLOCK_GRAIN);
    hop__device_forest_blocks(space, task, form);
    hop__packed_edges_blocks(space, offsetof(hop__device_edges, list), task->graph);
    for (size_t i = 0; i < 2 && scratch; i++)
        hop__buffer_add(space, "components: work arrays", task->graph->vertices, sizeof(hop_vertex),
                        offsetof(hop__device_edges, scratch) + i * sizeof(hop__buffer *));
    hop__block *block;
    if (hop__device_shares_memory(space->device)) {
        block = hop__buffer_add(space, "components: list of edges", least, sizeof(uint64_t),
                                offsetof(hop__device_edges, borrowed));
        block->later = block->elastic = true;
        return;
    }
    for (size_t i = 0; i < 2; i++) { /* the second where one does not hold all */
        block = hop__buffer_add(space, "components: block of edges",
                                i == 0 ? least : smaller(most - least, least), sizeof(uint64_t),
                                offsetof(hop__device_edges, slots) + i * sizeof(hop__buffer *));
        block->later = block->elastic = true;
    }
}

hop_status hop__device_edges_run(hop_context *context, const hop__components_task *task,
                                 const hop__device_edges_plan *plan) {
    hop__device_edges edges = {.sort_grafts = plan->sort_grafts};
    hop__device_forest *forest = &edges.forest;
    hop__workspace space = {0};
    blocks work = {.plan = plan};
    hop_status status;
    HOP_TRY(status, hop__device_forest_open(context, task, plan->blocks, &space, forest));
    hop__phase_copy(context, "list");
    HOP_TRY(status, hop__packed_edges_make(&space, task->graph, plan->shuffled, &edges.list));
    hop__phase_stop(context);
    hop__progress_begin(context, plan->phase, 0);
    HOP_TRY(status,
            hop__device_forest_begin(forest, &hop__program_components_edges, NULL, 0, plan->form));
    work.group = plan->group ? plan->group(task, edges.list.count) : edges.list.count;
    HOP_TRY(status, blocks_join(&edges, &work));
    HOP_TRY(status, hop__device_forest_finish(forest, task->count));
    status = hop__progress_end(context);
done:
    hop__event_free(work.copied[0]);
    hop__event_free(work.copied[1]);
    hop__device_forest_end(forest, status);
    return status;
}
