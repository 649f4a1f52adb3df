/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes lists of edges and runs the variants that work on them; see components_edges.h.
 *
 * Blocks of vertices count their edges, a scan says where each block's begin, and the blocks write
 * them. A shuffled list is written to the places of a random permutation that needs no memory, so
 * there is one list in either case.
 *
 * Cost: O(n + m); 8 bytes per edge. */
#include "components/components_edges.h"

#include "components/components_forest.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "core/try.h"

enum { BLOCK = 1 << 13, GRAIN = 1 << 14 };

typedef struct make_job {
    hop_context *context;
    const hop_graph *graph;
    uint64_t *begins; /* of the blocks */
    uint64_t *list;   /* NULL: only count */
    const hop__shuffle *shuffle;
} make_job;

static void make_blocks(void *arg, uint64_t first, uint64_t past, unsigned thread) {
    make_job *work = arg;
    const hop_graph *graph = work->graph;
    (void)thread;
    for (uint64_t block = first; block < past; block++) {
        uint64_t end = (block + 1) * BLOCK, next = work->list ? work->begins[block] : 0;
        if (!hop__progress_add(work->context, 0)) {
            if (!work->list)
                work->begins[block] = 0;
            continue;
        }
        if (end > graph->vertices)
            end = graph->vertices;
        for (uint64_t v = block * BLOCK; v < end; v++) {
            uint64_t row_end = hop__offset(graph, v + 1);
            for (uint64_t i = hop__offset(graph, v); i < row_end; i++) {
                hop_vertex w = graph->targets[i];
                if (w == v)
                    continue;
                if (!graph->directed && w > v)
                    break; /* sorted: these come up in their own rows */
                if (work->list) {
                    uint64_t place = work->shuffle ? hop__shuffle_at(work->shuffle, next) : next;
                    work->list[place] = hop__edge_make((hop_vertex)v, w);
                }
                next++;
            }
        }
        if (!work->list)
            work->begins[block] = next;
        (void)hop__progress_add(work->context, end - block * BLOCK);
    }
}

static uint64_t blocks_of(const hop_graph *graph) {
    return (uint64_t)graph->vertices / BLOCK + 1;
}

uint64_t hop__packed_edges_most(const hop_graph *graph) {
    /* An undirected edge is two arcs: but a self-loop is one, and not listed. */
    return graph->directed ? graph->arcs : graph->arcs / 2;
}

void hop__packed_edges_blocks(hop__workspace *space, size_t at, const hop_graph *graph) {
    HOP__BLOCK_AT(space, at, "components: blocks of edges", blocks_of(graph), hop__packed_edges,
                  begins);
    HOP__BLOCK_AT(space, at, "components: list of edges", hop__packed_edges_most(graph),
                  hop__packed_edges, list)
        ->later = true;
}

hop_status hop__packed_edges_make(hop__workspace *space, const hop_graph *graph, bool shuffled,
                                  hop__packed_edges *edges) {
    hop_context *context = space->context;
    hop__shuffle shuffle;
    make_job work = {.context = context, .graph = graph, .begins = edges->begins};
    uint64_t blocks = blocks_of(graph), count = 0;
    hop_status status;
    hop__progress_begin(context, "components: list of edges", graph->vertices);
    hop__for(context, blocks, 1, make_blocks, &work);
    for (uint64_t block = 0; block < blocks; block++) {
        uint64_t begin = count;
        count += work.begins[block];
        work.begins[block] = begin;
    }
    HOP_TRY(status, hop__progress_end(context));
    HOP_TRY(status, hop__workspace_take(space, &edges->list, count));
    edges->count = count;
    work.list = edges->list;
    if (shuffled && count > 0) {
        hop__shuffle_init(&shuffle, count, context->options.seed, 0);
        work.shuffle = &shuffle;
    }
    hop__progress_begin(context, "components: list of edges", graph->vertices);
    hop__for(context, blocks, 1, make_blocks, &work);
    status = hop__progress_end(context);
    /* Offsets and targets twice, the list once. */
    hop__phase_bytes(context,
                     2 * (graph->offset_bytes * (uint64_t)graph->vertices + 4 * count) + 8 * count);
done:
    hop__workspace_drop(space, &edges->begins);
    return status;
}

bool hop__edge_task_goes_on(hop__edge_task *task, uint64_t amount) {
    if (hop__progress_add(task->context, amount))
        return true;
    atomic_store_explicit(&task->stopped, true, memory_order_relaxed);
    return false;
}

typedef struct part_job {
    hop__edge_task *task;
    hop__range_fn fn;
    void *arg;
} part_job;

/* A part, unless the run is cancelled. */
static void run_part(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    part_job *part = arg;
    if (!atomic_load_explicit(&part->task->stopped, memory_order_relaxed) &&
        hop__edge_task_goes_on(part->task, 0))
        part->fn(part->arg, begin, end, thread);
}

void hop__edge_task_for(hop__edge_task *task, const char *phase, uint64_t count, uint64_t bytes,
                        hop__range_fn fn, void *arg) {
    part_job part = {task, fn, arg};
    if (atomic_load_explicit(&task->stopped, memory_order_relaxed))
        return;
    hop__phase(task->context, phase);
    hop__phase_items(task->context, count);
    hop__phase_bytes(task->context, bytes * count);
    hop__for(task->context, count, GRAIN, run_part, &part);
}

static void start_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__edge_task *task = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        task->labels[v] = (hop_vertex)v;
}

static void start(hop__edge_task *task) {
    hop__edge_task_for(task, "start", task->n, 4, start_range, task);
}

static void shortcut_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__edge_task *task = arg;
    hop_vertex *labels = task->labels;
    (void)thread;
    for (uint64_t v = begin; v < end; v++) {
        hop_vertex label = hop__load_u32(&labels[v]), root = label, above;
        while ((above = hop__load_u32(&labels[root])) != root)
            root = above;
        if (root != label)
            hop__store_u32(&labels[v], root);
    }
    (void)hop__edge_task_goes_on(task, end - begin);
}

void hop__edge_task_shortcut(hop__edge_task *task) {
    hop__edge_task_for(task, "shortcut", task->n, 8, shortcut_range, task);
}

static void update_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__edge_task *task = arg;
    uint64_t *list = task->edges.list;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        list[i] = hop__edge_make(task->labels[hop__edge_from(list[i])],
                                 task->labels[hop__edge_to(list[i])]);
    (void)hop__edge_task_goes_on(task, end - begin);
}

void hop__edge_task_update(hop__edge_task *task) {
    hop__edge_task_for(task, "update", task->edges.count, 24, update_range, task);
}

void hop__edge_task_blocks(const void *user, hop__workspace *space) {
    const hop__components_task *task = user;
    hop__packed_edges_blocks(space, offsetof(hop__edge_task, edges), task->graph);
}

void hop__edge_scratch_blocks(const void *user, hop__workspace *space) {
    const hop_graph *graph = ((const hop__components_task *)user)->graph;
    hop__edge_task_blocks(user, space);
    HOP__BLOCK(space, "components: work arrays", graph->vertices, hop__edge_task, scratch[0]);
    HOP__BLOCK(space, "components: work arrays", graph->vertices, hop__edge_task, scratch[1]);
}

hop_status hop__edge_task_run(hop_context *context, const hop__components_task *given,
                              hop__blocks_fn blocks, const char *phase, bool shuffled,
                              hop__edge_join_fn join) {
    hop__edge_task task = {.context = context,
                           .given = given,
                           .n = given->graph->vertices,
                           .labels = given->labels,
                           .report = given->report};
    hop__workspace space = {0};
    hop_status status;
    hop__phase_copy(context, "list");
    HOP_TRY(status, hop__workspace_open(context, NULL, blocks, given, &task, &space));
    HOP_TRY(status, hop__packed_edges_make(&space, given->graph, shuffled, &task.edges));
    hop__progress_begin(context, phase, 0);
    start(&task);
    join(&task);
    status = hop__progress_end(context);
done:
    hop__workspace_close(&space, status);
    return status;
}
