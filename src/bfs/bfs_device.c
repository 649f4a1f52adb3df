/* SPDX-License-Identifier: Apache-2.0
 * Rows, levels, sources and parents of a search on a device; see bfs_device.h. */
#include "bfs/bfs_device.h"

#include "core/progress.h"

extern const hop__program_source hop__program_bfs_common;

enum { TARGETS = 1024 };

void hop__bfs_device_blocks(hop__workspace *space, const hop__bfs_task *task, bool reverse) {
    const hop__bfs_query *query = &task->query;
    const hop_graph *graph = query->graph;
    const size_t size = sizeof(hop_vertex);
    hop__device_graph_blocks(space, offsetof(hop__bfs_device, rows), graph,
                             reverse ? HOP__GRAPH_REVERSE : 0);
    hop__borrow_add(space, "bfs: levels", graph->vertices, size, offsetof(hop__bfs_device, levels),
                    task->levels, false);
    if (task->parents)
        hop__borrow_add(space, "bfs: parents", graph->vertices, size,
                        offsetof(hop__bfs_device, parents), task->parents, false);
    hop__block_reserve(space, HOP__MEMORY_DEVICE, "flags of kernels", 2 * HOP__FLAGS * 4);
    hop__buffer_add(space, "bfs: sources", query->source_count, size,
                    offsetof(hop__bfs_device, sources))
        ->later = true;
    hop__buffer_add(space, "bfs: number of sources", 1, 4, offsetof(hop__bfs_device, tail))->zero =
        true;
    for (size_t i = 0; i < 2 && query->target_count > 0; i++)
        hop__buffer_add(space, "bfs: targets", TARGETS, size,
                        offsetof(hop__bfs_device, block) + i * sizeof(hop__buffer *));
}

hop__graph_copy hop__bfs_device_copy(const void *task, hop__device *device) {
    return hop__device_graph_copy(device, ((const hop__bfs_task *)task)->query.graph, 0);
}

hop__graph_copy hop__bfs_device_copy_both(const void *task, hop__device *device) {
    return hop__device_graph_copy(device, ((const hop__bfs_task *)task)->query.graph,
                                  HOP__GRAPH_REVERSE);
}

/* An arc is read and leads to a level anywhere; a vertex to its row, and from and to the queue. A
 * look and twenty launches, as counted of direction-optimizing: how many levels there will be is
 * not known before. */
hop__device_work hop__bfs_device_work(const void *task, double share, double additions) {
    const hop_graph *graph = ((const hop__bfs_task *)task)->query.graph;
    double n = graph->vertices, m = share * (double)graph->arcs;
    return (hop__device_work){
        .bytes = 4 * m + 24 * n, .gathers = m + 2 * n, .atomics = additions * n, .waits = 7};
}

/* Every row longer than `hub` has fewer than twice arcs / hub parts. Of directed graphs nothing is
 * known about rows of arcs in. */
uint64_t hop__bfs_device_pieces(const hop_graph *graph, double hub) {
    return (double)graph->shared->facts.max_degree > hub || graph->directed
               ? 2 * graph->arcs / (uint64_t)hub + 1
               : 1;
}

static hop_status get_programs(hop__bfs_device *search, const hop__bfs_device_plan *plan) {
    const hop_graph *graph = search->task->query.graph;
    const hop__define shared[] = {{"WIDE_OFFSETS", graph->offset_bytes == 8}};
    const hop__search_programs programs = {.phase = plan->phase,
                                           .own = plan->program,
                                           .common = &hop__program_bfs_common,
                                           .shared = shared,
                                           .shared_count = HOP_LENGTH(shared),
                                           .defines = plan->defines,
                                           .define_count = plan->define_count,
                                           .form = plan->form,
                                           .graph = graph,
                                           .slice_arcs = plan->slice_arcs};
    return hop__search_begin(search->device, &programs, &search->sweeper, &search->common);
}

hop_status hop__bfs_device_begin(hop_context *context, hop__bfs_task *task,
                                 const hop__bfs_device_plan *plan, hop__bfs_device *search) {
    hop_status status;
    const hop_graph *graph = task->query.graph;
    *search = (hop__bfs_device){.context = context,
                                .task = task,
                                .n = graph->vertices,
                                .arcs = graph->arcs,
                                .max_degree = graph->shared->facts.max_degree,
                                .own_parents = plan->own_parents};
    hop__progress_begin(context, plan->phase, 0);
    HOP_TRY(status, hop__device_of(context, &search->device));
    HOP_TRY(status, hop__workspace_open(context, search->device, plan->blocks, task, search,
                                        &search->space));
    if (plan->reverse && !graph->directed) { /* they are the same */
        search->rows.in_offsets = search->rows.offsets;
        search->rows.in_targets = search->rows.targets;
    }
    HOP_TRY(status, get_programs(search, plan));
    hop__argument arguments[] = {hop__arg_buffer(search->levels),
                                 hop__arg_buffer(hop__bfs_device_parents(search)),
                                 hop__arg_u32(search->parents != NULL)};
    HOP_TRY(status, hop__sweep_over(&search->common, "clear", search->n, search->parents ? 8 : 4,
                                    arguments, HOP_LENGTH(arguments)));
done:
    return status;
}

hop_status hop__bfs_device_sources(hop__bfs_device *search, hop__buffer *queue,
                                   hop__buffer *counter, unsigned word) {
    const hop__bfs_query *query = &search->task->query;
    const hop__search_sources start = {.sources = query->sources,
                                       .count = query->source_count,
                                       .slot = &search->sources,
                                       .tail = search->tail,
                                       .counter = counter,
                                       .word = word};
    hop__argument arguments[] = {{0},
                                 hop__arg_buffer(search->levels),
                                 hop__arg_buffer(hop__bfs_device_parents(search)),
                                 hop__arg_u32(search->parents != NULL),
                                 hop__arg_buffer(queue ? queue : search->levels),
                                 hop__arg_u32(queue != NULL),
                                 hop__arg_buffer(search->tail)};
    return hop__search_start(&search->space, &search->common, &start, arguments,
                             HOP_LENGTH(arguments));
}

/* A block of targets at a time: those before the first without a level are never looked at again,
 * so that targets cost O(targets + levels) blocks in all. */
hop_status hop__bfs_device_targets(hop__bfs_device *search, bool *reached, hop_vertex *open) {
    hop_status status = HOP_OK;
    const hop__bfs_query *query = &search->task->query;
    hop_vertex levels[TARGETS];
    hop__argument arguments[] = {hop__arg_buffer(search->block[0]), hop__arg_buffer(search->levels),
                                 hop__arg_buffer(search->block[1])};
    *reached = false;
    *open = HOP_NO_VERTEX;
    while (search->target < query->target_count) {
        hop_vertex left = query->target_count - search->target;
        hop_vertex count = left < TARGETS ? left : TARGETS;
        HOP_TRY(status, hop__buffer_write(search->block[0], 0, count * 4ull,
                                          query->targets + search->target));
        HOP_TRY(status, hop__sweep_over(&search->common, "levels_of", count, 12, arguments,
                                        HOP_LENGTH(arguments)));
        HOP_TRY(status, hop__buffer_read_now(search->block[1], 0, count * 4ull, levels));
        for (hop_vertex i = 0; i < count; i++, search->target++)
            if (levels[i] == HOP_NO_LEVEL) {
                *open = query->targets[search->target];
                goto done;
            }
    }
    *reached = query->target_count > 0;
done:
    hop__device_settle(search->device, status);
    return status;
}

static hop_status find_parents(hop__bfs_device *search) {
    bool pull = !search->task->query.graph->directed || search->rows.in_offsets;
    hop__argument arguments[] = {
        hop__arg_buffer(search->rows.in_offsets ? search->rows.in_offsets : search->rows.offsets),
        hop__arg_buffer(search->rows.in_targets ? search->rows.in_targets : search->rows.targets),
        hop__arg_buffer(search->levels), hop__arg_buffer(search->parents), hop__arg_u64(search->n)};
    return hop__sweep_over(&search->common, pull ? "parents_pull" : "parents_push", search->arcs, 8,
                           arguments, HOP_LENGTH(arguments));
}

static hop_status return_results(hop__bfs_device *search) {
    hop_status status = hop__buffer_return(search->levels);
    return status == HOP_OK && search->parents ? hop__buffer_return(search->parents) : status;
}

hop_status hop__bfs_device_return_early(hop__bfs_device *search, uint64_t bytes) {
    if (hop__device_shares_memory(search->device) || (search->parents && !search->own_parents) ||
        search->n * (search->parents ? 8 : 4) > bytes)
        return HOP_OK;
    search->returned = true;
    return return_results(search);
}

hop_status hop__bfs_device_finish(hop__bfs_device *search) {
    hop_status status;
    if (search->parents && !search->own_parents)
        HOP_TRY(status, find_parents(search));
    if (!search->returned)
        HOP_TRY(status, return_results(search));
    HOP_TRY(status, hop__device_finish(search->device));
    hop__count(search->context, "launches", search->sweeper.launches + search->common.launches);
    status = hop__progress_end(search->context);
done:
    return status;
}

void hop__bfs_device_end(hop__bfs_device *search, hop_status status) {
    hop__workspace_close(&search->space, status);
    hop__sweeper_end(&search->sweeper);
    hop__sweeper_end(&search->common);
}
