/* SPDX-License-Identifier: Apache-2.0
 * Rows, keys, sources and results of shortest paths on a device; see sssp_device.h. */
#include "sssp/sssp_device.h"

#include <stdio.h>

#include "core/checked.h"
#include "core/progress.h"
#include "core/real_bits.h"
#include "sssp/bellman/sssp_bellman_rounds.h"

extern const hop__program_source hop__program_sssp_common;

/* --- keys ------------------------------------------------------------------------------------ */

/* The largest absolute value of a weight; integers. */
static uint64_t largest_weight(const hop_graph *graph) {
    const hop__facts *facts = &graph->shared->facts;
    if (graph->weight_type == HOP_TYPE_NONE || graph->arcs == 0)
        return 1;
    uint64_t below = facts->min_weight_int < 0 ? 0 - (uint64_t)facts->min_weight_int : 0;
    uint64_t above = facts->max_weight_int > 0 ? (uint64_t)facts->max_weight_int : 0;
    return below > above ? below : above;
}

/* n * max |w|: no sum along a path without a cycle, nor one arc more, is larger. */
static uint64_t largest_sum(const hop_graph *graph) {
    uint64_t sum;
    return hop__mul_u64(graph->vertices, largest_weight(graph), &sum) ? sum : UINT64_MAX;
}

hop__sssp_kind hop__sssp_device_kind(const hop__sssp_query *query, bool wide) {
    if (query->distance_type == HOP_TYPE_FLOAT32)
        return HOP__KEY_F32;
    if (query->distance_type == HOP_TYPE_FLOAT64)
        return HOP__KEY_F64;
    uint64_t sum = largest_sum(query->graph);
    if (query->negative)
        return !wide && sum < INT32_MAX ? HOP__KEY_I32 : HOP__KEY_I64;
    return !wide && sum < UINT32_MAX ? HOP__KEY_U32 : HOP__KEY_U64;
}

static bool has_wide_keys(hop__sssp_kind kind) {
    return kind == HOP__KEY_U64 || kind == HOP__KEY_I64 || kind == HOP__KEY_F64;
}

/* The largest key that the cutoff leaves; false when it leaves nothing. With negative weights the
 * front cuts the whole result. */
static bool limit_of(const hop__sssp_query *query, hop__sssp_kind kind, uint64_t *limit) {
    uint64_t whole = (uint64_t)query->cutoff_integer;
    switch (kind) {
    case HOP__KEY_I32:
        *limit = UINT32_MAX - 1;
        return true;
    case HOP__KEY_I64:
        *limit = UINT64_MAX - 1;
        return true;
    case HOP__KEY_F32:
        *limit = hop__float_bits((float)query->cutoff_real);
        return query->cutoff_real >= 0;
    case HOP__KEY_F64:
        *limit = hop__double_bits(query->cutoff_real);
        return query->cutoff_real >= 0;
    case HOP__KEY_U32:
        *limit = whole < UINT32_MAX - 1 ? whole : UINT32_MAX - 1;
        return query->cutoff_integer >= 0;
    default:
        *limit = whole;
        return query->cutoff_integer >= 0;
    }
}

/* The key of -(n - 1) max |w|: one arc more is still no key below 0. */
static uint64_t low_of(const hop_graph *graph, hop__sssp_kind kind) {
    uint64_t sum = largest_sum(graph) - largest_weight(graph);
    return kind == HOP__KEY_I32   ? (UINT64_C(1) << 31) - sum
           : kind == HOP__KEY_I64 ? (UINT64_C(1) << 63) - sum
                                  : 0;
}

bool hop__sssp_device_refuse(const void *given, const hop_device_info *device,
                             char reason[HOP__REASON]) {
    const hop__sssp_query *query = &((const hop__sssp_task *)given)->query;
    hop__sssp_kind kind = hop__sssp_device_kind(query, false);
    bool real = kind == HOP__KEY_F32 || kind == HOP__KEY_F64;
    const char *lacks = NULL;
    if (query->negative && (real || query->wide)) {
        snprintf(reason, HOP__REASON,
                 real
                     ? "distances of negative floating-point weights are exact sums, which devices "
                       "do not have"
                     : "sums of its negative weights may not fit int64");
        return true;
    }
    if (has_wide_keys(kind) && !(device->capabilities & HOP_DEVICE_ATOMIC64))
        lacks = "64-bit atomics, and distances may not fit 32 bits";
    else if (kind == HOP__KEY_F64 && !(device->capabilities & HOP_DEVICE_FLOAT64))
        lacks = "float64";
    else if (kind == HOP__KEY_F64 && !(device->capabilities & HOP_DEVICE_SUBNORMAL64))
        lacks = "subnormal float64 numbers";
    else if (kind == HOP__KEY_F32 && !(device->capabilities & HOP_DEVICE_SUBNORMAL32))
        lacks = "subnormal float32 numbers";
    if (lacks)
        snprintf(reason, HOP__REASON, "%s has no %s", device->name, lacks);
    return lacks != NULL;
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* Parts of a run, on the host. */
enum { LOOK = 1, RETREAT = 2, PARENTS = 3 };

/* Keys stand in the caller's array where they have the size of distances. */
static bool keys_are_results(const hop__sssp_query *query, uint64_t key_bytes) {
    return hop_type_size(query->distance_type) == key_bytes;
}

size_t hop__sssp_device_key_bytes(const hop__sssp_query *query, bool wide) {
    return has_wide_keys(hop__sssp_device_kind(query, wide)) ? 8 : 4;
}

/* None when the cutoff excludes 0. */
static hop_vertex sources_of(const hop__sssp_query *query, hop__sssp_kind kind) {
    uint64_t limit;
    return limit_of(query, kind, &limit) ? query->source_count : 0;
}

static void keys_blocks(hop__workspace *space, const hop__sssp_task *task, bool wide) {
    const hop__sssp_query *query = &task->query;
    uint64_t n = query->graph->vertices;
    const size_t keys = offsetof(hop__sssp_device, keys);
    size_t key_bytes = hop__sssp_device_key_bytes(query, wide);
    bool same = keys_are_results(query, key_bytes);
    hop__borrow_add(space, "sssp: distances", n, hop_type_size(query->distance_type),
                    same ? keys : offsetof(hop__sssp_device, results), task->distances, false);
    if (!same)
        hop__buffer_add(space, "sssp: keys", n, key_bytes, keys);
    hop__buffer_add(space, "sssp: sources", sources_of(query, hop__sssp_device_kind(query, wide)),
                    sizeof(hop_vertex), offsetof(hop__sssp_device, sources))
        ->later = true;
    hop__buffer_add(space, "sssp: number of sources", 1, 4,
                    offsetof(hop__sssp_device, source_count))
        ->zero = true;
}

static hop__sssp_task task_of_retreat(const hop__sssp_task *task) {
    static const double standard[] = {HOP__BELLMAN_AUTO};
    hop__sssp_task work = *task;
    work.values = standard;
    return work;
}

/* The look for a cycle, the retreat, and the parents. */
static void host_blocks(hop__workspace *space, const hop__sssp_task *task) {
    uint64_t n = task->query.graph->vertices;
    if (task->query.negative) {
        hop__sssp_task work = task_of_retreat(task);
        hop__need need = hop__blocks_need(hop__sssp_bellman_ford.row.blocks, &work, NULL);
        hop__block_stage(space, LOOK);
        HOP__BLOCK(space, "sssp: tree", n, hop__sssp_device, host_tree)->on_demand = true;
        hop__block *walks = HOP__BLOCK(space, "sssp: walks", n, hop__sssp_device, walks);
        walks->zero = walks->on_demand = true;
        hop__block_reserve(space, HOP__MEMORY_HOST, "sssp: cycle", hop__block_bytes(n + 1, 4))
            ->on_demand = true;
        hop__block_stage(space, RETREAT);
        hop__block_reserve(space, HOP__MEMORY_HOST, "sssp: bellman-ford",
                           need.bytes[HOP__MEMORY_HOST])
            ->on_demand = true;
    }
    hop__block_stage(space, PARENTS);
    if (task->wants_parents)
        hop__sssp_parents_blocks(space, offsetof(hop__sssp_device, layers), &task->query);
    hop__block_stage(space, 0);
}

void hop__sssp_device_blocks(hop__workspace *space, const hop__sssp_task *task, bool wide,
                             bool bare) {
    const hop__sssp_query *query = &task->query;
    hop__device_graph_blocks(space, offsetof(hop__sssp_device, rows), query->graph,
                             HOP__GRAPH_WEIGHTS);
    hop__block_reserve(space, HOP__MEMORY_DEVICE, "flags of kernels", 2 * HOP__FLAGS * 4);
    if (query->negative)
        hop__buffer_add(space, "sssp: tree", query->graph->vertices, sizeof(hop_vertex),
                        offsetof(hop__sssp_device, tree));
    if (bare)
        return;
    keys_blocks(space, task, wide);
    host_blocks(space, task);
}

void hop__sssp_device_parents_blocks(hop__workspace *space, const hop__sssp_task *task) {
    const hop__sssp_query *query = &task->query;
    unsigned can = space->device ? hop__device_info(space->device)->capabilities : 0;
    if (!task->wants_parents || query->negative || (can & HOP_DEVICE_CHUNKED) != 0)
        return;
    hop__borrow_add(space, "sssp: parents", query->graph->vertices, sizeof(hop_vertex),
                    offsetof(hop__sssp_device, parents), task->parents, false);
    if (!query->increasing)
        hop__buffer_add(space, "sssp: vertices without a parent", 1, 4,
                        offsetof(hop__sssp_device, missing))
            ->zero = true;
}

hop__graph_copy hop__sssp_device_copy(const void *task, hop__device *device) {
    return hop__device_graph_copy(device, ((const hop__sssp_task *)task)->query.graph,
                                  HOP__GRAPH_WEIGHTS);
}

/* An arc is relaxed once as a rule: end and weight are read, the key of the end anywhere, and
 * lowered. 51 launches and a few waits are what was counted on R-MAT and uniform graphs. */
hop__device_work hop__sssp_device_work(const void *task) {
    const hop_graph *graph = ((const hop__sssp_task *)task)->query.graph;
    double n = graph->vertices, m = (double)graph->arcs;
    return (hop__device_work){
        .bytes = 12 * m + 16 * n, .gathers = m + 2 * n, .atomics = m, .waits = 17};
}

/* --- begin and end --------------------------------------------------------------------------- */

static hop_status get_programs(hop__sssp_device *search, const hop__sssp_device_plan *plan) {
    const hop_graph *graph = search->task->query.graph;
    const hop__define shared[] = {{"WIDE_OFFSETS", graph->offset_bytes == 8},
                                  {"KIND", (int64_t)search->kind},
                                  {"WEIGHT", (int64_t)graph->weight_type}};
    const hop__search_programs programs = {.phase = plan->phase,
                                           .own = plan->program,
                                           .common = &hop__program_sssp_common,
                                           .shared = shared,
                                           .shared_count = HOP_LENGTH(shared),
                                           .defines = plan->defines,
                                           .define_count = plan->define_count,
                                           .form = plan->form,
                                           .graph = graph};
    return hop__search_begin(search->device, &programs, &search->sweeper, &search->common);
}
_Static_assert(HOP_TYPE_NONE == 0 && HOP_TYPE_INT32 == 1 && HOP_TYPE_INT64 == 2 &&
                   HOP_TYPE_FLOAT32 == 3 && HOP_TYPE_FLOAT64 == 4,
               "WEIGHT of sssp_numbers.cl");

hop_status hop__sssp_device_clear(hop__sssp_device *search) {
    hop__argument arguments[] = {
        hop__arg_buffer(search->keys),
        hop__arg_buffer(search->tree ? search->tree : search->rows.offsets),
        hop__arg_u32(search->tree != NULL),
        hop__arg_buffer(search->parents ? search->parents : search->rows.offsets),
        hop__arg_u32(search->parents != NULL)};
    return hop__sweep_over(&search->common, "clear", search->n, search->key_bytes, arguments,
                           HOP_LENGTH(arguments));
}

hop_status hop__sssp_device_decode(hop__sssp_device *search) {
    if (!search->results && search->kind != HOP__KEY_I64)
        return HOP_OK;
    hop__argument arguments[] = {hop__arg_buffer(search->keys),
                                 hop__arg_buffer(search->results ? search->results : search->keys)};
    return hop__sweep_over(&search->common, "keys_decode", search->n, search->key_bytes + 8,
                           arguments, HOP_LENGTH(arguments));
}

uint64_t hop__sssp_device_zero(hop__sssp_kind kind) {
    return kind == HOP__KEY_I32 ? UINT64_C(1) << 31 : kind == HOP__KEY_I64 ? UINT64_C(1) << 63 : 0;
}

hop_status hop__sssp_device_begin(hop_context *context, hop__sssp_task *task,
                                  const hop__sssp_device_plan *plan, hop__sssp_device *search) {
    hop_status status;
    const hop_graph *graph = task->query.graph;
    hop__sssp_kind kind = hop__sssp_device_kind(&task->query, plan->wide);
    *search = (hop__sssp_device){.context = context,
                                 .task = task,
                                 .n = graph->vertices,
                                 .arcs = graph->arcs,
                                 .max_degree = graph->shared->facts.max_degree,
                                 .kind = kind,
                                 .key_bytes = hop__sssp_device_key_bytes(&task->query, plan->wide),
                                 .low = low_of(graph, kind),
                                 .bare = plan->bare};
    (void)limit_of(&task->query, kind, &search->limit);
    hop__progress_begin(context, plan->phase, 0);
    HOP_TRY(status, hop__device_of(context, &search->device));
    const hop_device_info *info = hop__device_info(search->device);
    if (has_wide_keys(kind) && !(info->capabilities & HOP_DEVICE_ATOMIC64))
        HOP_TRY(status,
                hop__fail(context, HOP_ERR_UNSUPPORTED,
                          "%s: bits=64, and %s has no 64-bit atomics; leave the setting out",
                          plan->phase, info->name));
    HOP_TRY(status, hop__workspace_open(context, search->device, plan->blocks, task, search,
                                        &search->space));
    if (!search->rows.weights)
        search->rows.weights = search->rows.targets;
    HOP_TRY(status, get_programs(search, plan));
    if (!plan->bare)
        HOP_TRY(status, hop__sssp_device_clear(search));
done:
    return status;
}

hop_status hop__sssp_device_sources(hop__sssp_device *search, hop__buffer *queue,
                                    hop__buffer *counter, unsigned word) {
    const hop__sssp_query *query = &search->task->query;
    hop__buffer *tail = search->source_count;
    const hop__search_sources start = {.sources = query->sources,
                                       .count = sources_of(query, search->kind),
                                       .slot = &search->sources,
                                       .tail = tail,
                                       .counter = counter,
                                       .word = word};
    hop__argument arguments[] = {{0},
                                 hop__arg_buffer(search->keys),
                                 hop__arg_buffer(queue ? queue : tail),
                                 hop__arg_u32(queue != NULL),
                                 hop__arg_buffer(search->parents ? search->parents : tail),
                                 hop__arg_u32(search->parents != NULL),
                                 hop__arg_buffer(tail)};
    return hop__search_start(&search->space, &search->common, &start, arguments,
                             HOP_LENGTH(arguments));
}

/* From keys, which are still there. Their copy is under way afterwards. */
static hop_status find_parents(hop__sssp_device *search, uint32_t *missing) {
    hop_status status;
    hop__argument arguments[] = {
        hop__arg_buffer(search->rows.offsets), hop__arg_buffer(search->rows.targets),
        hop__arg_buffer(search->rows.weights), hop__arg_buffer(search->keys),
        hop__arg_buffer(search->parents),      hop__arg_u64(search->n)};
    hop__argument check[] = {hop__arg_buffer(search->keys), hop__arg_buffer(search->parents),
                             hop__arg_buffer(search->missing)};
    const char *kernel = search->task->query.graph->directed ? "parents_push" : "parents_pull";
    HOP_TRY(status, hop__sweep_over(&search->common, kernel, search->arcs, 8 + search->key_bytes,
                                    arguments, HOP_LENGTH(arguments)));
    if (search->missing) {
        HOP_TRY(status, hop__sweep_over(&search->common, "parents_check", search->n,
                                        4 + search->key_bytes, check, HOP_LENGTH(check)));
        HOP_TRY(status, hop__buffer_read(search->missing, 0, 4, missing));
    }
    search->parents_found = true;
    status = hop__buffer_return(search->parents);
done:
    return status;
}

hop_status hop__sssp_device_finish(hop__sssp_device *search) {
    hop_status status;
    hop__sssp_task *task = search->task;
    uint32_t missing = 0;
    if (search->parents)
        HOP_TRY(status, find_parents(search, &missing));
    HOP_TRY(status, hop__sssp_device_decode(search));
    HOP_TRY(status, hop__buffer_return(search->results ? search->results : search->keys));
    HOP_TRY(status, hop__device_finish(search->device));
    search->parents_found = search->parents_found && missing == 0;
    hop__count(search->context, "launches", search->sweeper.launches + search->common.launches);
    HOP_TRY(status, hop__progress_end(search->context));
    if (!task->query.negative)
        hop__sssp_cut(search->context, task);
    if (task->parents && !search->parents_found)
        HOP_TRY(status, hop__sssp_parents(&search->space, &search->layers, task, NULL));
    hop__phase_stop(search->context);
done:
    hop__device_settle(search->device, status); /* `missing` may be on its way */
    return status;
}

void hop__sssp_device_end(hop__sssp_device *search, hop_status status) {
    hop__workspace_close(&search->space, status);
    hop__sweeper_end(&search->sweeper);
    hop__sweeper_end(&search->common);
}

hop_status hop__sssp_device_retreat(hop_context *context, hop__sssp_task *task) {
    hop__sssp_task work = task_of_retreat(task);
    hop_status status = hop__lent_refuse(context, "sssp: left to the host", task->distances);
    if (status != HOP_OK)
        return status;
    hop__count(context, "left to the host", 1);
    status = hop__sssp_bellman_ford.run(context, &work);
    task->relaxations += work.relaxations;
    return status;
}

/* --- negative cycles ------------------------------------------------------------------------- */

static int64_t weight_at(const hop_graph *graph, uint64_t arc) {
    return graph->weight_type == HOP_TYPE_INT32 ? ((const int32_t *)graph->weights)[arc]
                                                : ((const int64_t *)graph->weights)[arc];
}

/* The least weight of the arcs from u to v; rows are sorted, and there is one. */
static int64_t arc_weight(const hop_graph *graph, hop_vertex u, hop_vertex v) {
    uint64_t arc = hop__first_arc(graph, u, v), end = hop__offset(graph, (uint64_t)u + 1);
    int64_t least = INT64_MAX;
    for (; arc < end && graph->targets[arc] == v; arc++)
        least = weight_at(graph, arc) < least ? weight_at(graph, arc) : least;
    return least;
}

/* The cycle that goes through v. Its sum has at most n weights, and those fit (no wide sums). */
static bool is_negative(const hop_graph *graph, const hop_vertex *tree, hop_vertex v) {
    int64_t sum = 0;
    hop_vertex at = v;
    do {
        sum += arc_weight(graph, tree[at], at);
        at = tree[at];
    } while (at != v);
    return sum < 0;
}

/* A vertex on a negative cycle of the tree, or HOP_NO_VERTEX. `walk` has 0 for all: it gets the
 * number of the walk that came by, so that every vertex is passed once. */
static hop_vertex find_cycle(hop_context *context, const hop_graph *graph, const hop_vertex *tree,
                             uint32_t *walk) {
    enum { POLL = 1 << 16 };
    for (hop_vertex start = 0; start < graph->vertices; start++) {
        hop_vertex at = start;
        if (start % POLL == 0 && !hop__progress_add(context, 0))
            return HOP_NO_VERTEX;
        while (tree[at] != HOP_NO_VERTEX && walk[at] == 0) {
            walk[at] = start + 1;
            at = tree[at];
        }
        if (tree[at] != HOP_NO_VERTEX && walk[at] == start + 1 && is_negative(graph, tree, at))
            return at;
    }
    return HOP_NO_VERTEX;
}

hop_status hop__sssp_device_cycle(hop__sssp_device *search) {
    hop_status status;
    HOP_TRY(status, hop__workspace_take(&search->space, &search->host_tree, search->n));
    HOP_TRY(status, hop__workspace_take(&search->space, &search->walks, search->n));
    const hop_vertex *tree = search->host_tree;
    const hop_graph *graph = search->task->query.graph;
    HOP_TRY(status, hop__buffer_read_now(search->tree, 0, search->n * 4, search->host_tree));
    hop_vertex v = find_cycle(search->context, graph, tree, search->walks);
    if (v != HOP_NO_VERTEX)
        status = hop__cycle_keep(search->context, "sssp", graph, tree, v);
done:
    hop__device_settle(search->device, status);
    hop__workspace_drop(&search->space, &search->host_tree);
    hop__workspace_drop(&search->space, &search->walks);
    return status;
}
