/* SPDX-License-Identifier: Apache-2.0
 *
 * frontier, frontier-block, frontier-tiered: searches on devices with a queue of what each level
 * has found (D3). They differ in how items append to it: straight to the global queue, through a
 * queue of the group in local memory, or through several of those. The kernels are in
 * bfs_frontier_program.cl: expand, pieces_expand, expand_small.
 *
 * A level is found in one of three ways:
 *   small    frontiers of at most `threshold` vertices, by one group that goes on level after level
 *            in one launch (`small` = group), or by the host (bfs_device_host.c);
 *   blind    up to 2^15 vertices, on a GPU 2^20: `ahead` levels are put into the device's queue
 *            before the host looks. A launch whose frontier turned out larger does nothing, nor do
 *            those behind it;
 *   sliced   larger ones, by launches of bounded length, between which a cancel takes effect.
 *
 * Parents follow from the levels at the end (bfs_device.h), or are lowered on the way
 * (plan.own_parents): every vertex of a level is expanded in it, so that the smallest that leads to
 * a vertex of the next has had its turn when the level is over. On the way costs a second random
 * word for each arc to the next level: on kron20 120 ms more in `expand`, against 20 ms at the end.
 * It pays where most vertices are found bottom-up.
 *
 * Source: D3. Cost: O(n + m) work; on the device the rows, 8 bytes per vertex (12 with parents) and
 * 16 bytes per `hub` arcs where rows are longer. */
#include <string.h>

#include "bfs/bfs_device_frontier.h"
#include "core/progress.h"
#include "kernels/launching.h"

extern const hop__program_source hop__program_bfs_frontier;

/* Not all variants have these. */
enum { QUEUE = HOP__FRONTIER_PARAMETERS, QUEUES, PARAMETERS };
enum { BALANCE_AUTO, BALANCE_VERTEX, BALANCE_EDGES };

enum {
    BLIND_FEW = 1 << 15, /* vertices, on a processor */
    BLIND = 1 << 20
};

typedef hop__frontier search;

static bool spread(const hop__device *device, const double *values) {
    hop__form form = hop__form_of(device, values);
    return values[HOP__FRONTIER_BALANCE] == BALANCE_EDGES ||
           (values[HOP__FRONTIER_BALANCE] == BALANCE_AUTO && !hop__form_chunked(device, &form));
}

static bool has_hubs(const hop_graph *graph, const double *values) {
    return (double)graph->shared->facts.max_degree > values[HOP__FRONTIER_HUB];
}

void hop__frontier_blocks(hop__workspace *space, const hop__bfs_task *task, bool reverse) {
    const hop_graph *graph = task->query.graph;
    const double *values = task->values;
    hop__bfs_device_blocks(space, task, reverse);
    hop__buffer_add(space, "bfs: queue", graph->vertices, 4, offsetof(hop__frontier, queue));
    hop__buffer_add(space, "bfs: parts of rows",
                    hop__bfs_device_pieces(graph, values[HOP__FRONTIER_HUB]), 8,
                    offsetof(hop__frontier, pieces));
    hop__buffer_add(space, "bfs: frontiers", sizeof(hop__frontier_state), 1,
                    offsetof(hop__frontier, state))
        ->zero = true;
    if (values[HOP__FRONTIER_SMALL] == HOP__SMALL_HOST)
        HOP__BLOCK(space, "bfs: frontiers on the host", graph->vertices, hop__frontier, host_queue)
            ->on_demand = true;
}

static void top_down_blocks(const void *task, hop__workspace *space) {
    hop__frontier_blocks(space, task, false);
}

uint32_t hop__frontier_units(const hop__frontier *s) {
    return (uint32_t)(s->base.arcs / HOP__ARCS_UNIT);
}

bool hop__frontier_far(const hop__frontier *s) {
    return (hop__device_info(s->base.device)->capabilities & HOP_DEVICE_FEW) == 0;
}

static uint32_t blind_most(const search *s) {
    return hop__frontier_far(s) ? BLIND : BLIND_FEW;
}

hop_status hop__frontier_look(hop__frontier *s) {
    hop_status status = hop__buffer_read_now(s->state, 0, sizeof s->seen, &s->seen);
    if (status != HOP_OK)
        return status;
    s->level = s->seen.levels[s->turn % HOP__TURNS];
    s->form = s->seen.forms[s->turn % HOP__TURNS];
    const uint32_t *slot = s->seen.slots[s->level % HOP__SLOTS];
    s->begin = slot[HOP__SLOT_BEGIN];
    s->count = slot[HOP__SLOT_COUNT];
    s->arcs = (uint64_t)HOP__ARCS_UNIT * slot[HOP__SLOT_ARCS];
    uint64_t explored = (uint64_t)HOP__ARCS_UNIT * slot[HOP__SLOT_EXPLORED] + s->arcs;
    s->unexplored = s->base.arcs - (explored < s->base.arcs ? explored : s->base.arcs);
    s->reads++;
    return hop__progress_add(s->base.context, 0) ? HOP_OK : hop__progress_end(s->base.context);
}

static hop_status launch(search *s, const char *kernel, hop__shape shape,
                         const hop__argument *arguments, size_t count) {
    s->launches++;
    return hop__launch_named(s->base.sweeper.program, kernel, shape, arguments, count);
}

/* Arguments: of every sweep, of what a search works on, and of `expand`, those among them. */
enum { OF_SWEEP = 2, OF_SEARCH = 9, OF_EXPAND = 5 + OF_SEARCH };

/* The last of each kernel that goes top-down. */
static void search_arguments(const search *s, hop__argument arguments[OF_SEARCH]) {
    const hop__argument made[OF_SEARCH] = {hop__arg_buffer(s->base.rows.offsets),
                                           hop__arg_buffer(s->base.rows.targets),
                                           hop__arg_buffer(s->base.levels),
                                           hop__arg_buffer(hop__bfs_device_parents(&s->base)),
                                           hop__arg_u32(s->base.parents && s->base.own_parents),
                                           hop__arg_buffer(s->queue),
                                           hop__arg_buffer(s->pieces),
                                           hop__arg_buffer(s->state),
                                           hop__arg_u32((uint32_t)s->values[HOP__FRONTIER_HUB])};
    memcpy(arguments, made, sizeof made);
}

/* The parts of rows that the last turn has put aside. */
static hop_status launch_pieces(search *s) {
    hop__argument arguments[1 + OF_SEARCH] = {hop__arg_u32(s->turn - 1)};
    search_arguments(s, arguments + 1);
    return launch(s, "pieces_expand", hop__sweep_shape(&s->base.sweeper, BLIND_FEW), arguments,
                  HOP_LENGTH(arguments));
}

static void expand_arguments(const search *s, uint32_t most, uint32_t alpha,
                             hop__argument arguments[OF_EXPAND]) {
    arguments[0] = hop__arg_u32(s->turn);
    arguments[1] = hop__arg_u32(most);
    arguments[2] = hop__arg_u32(s->base.task->query.max_level);
    arguments[3] = hop__arg_u32(alpha);
    arguments[4] = hop__arg_u32(hop__frontier_units(s));
    search_arguments(s, arguments + OF_EXPAND - OF_SEARCH);
}

hop_status hop__frontier_blind(hop__frontier *s, uint32_t levels, uint32_t alpha) {
    hop_status status = HOP_OK;
    uint32_t most = blind_most(s);
    for (uint32_t i = 0; i < levels; i++) {
        hop__argument arguments[OF_SWEEP + OF_EXPAND] = {hop__arg_u64(0), hop__arg_u64(most)};
        expand_arguments(s, most, alpha, arguments + OF_SWEEP);
        s->turn++;
        HOP_TRY(status, launch(s, "expand", hop__sweep_shape(&s->base.sweeper, most), arguments,
                               HOP_LENGTH(arguments)));
        if (s->hubs)
            HOP_TRY(status, launch_pieces(s));
    }
done:
    return status;
}

/* One level of any size. */
static hop_status expand_sliced(search *s) {
    hop_status status;
    hop__argument arguments[OF_EXPAND];
    expand_arguments(s, UINT32_MAX, 0, arguments);
    s->turn++;
    HOP_TRY(status, hop__sweep_over(&s->base.sweeper, "expand", s->count, 12, arguments,
                                    HOP_LENGTH(arguments)));
    if (s->hubs)
        HOP_TRY(status, launch_pieces(s));
done:
    return status;
}

static hop_status expand_small(search *s) {
    hop__argument arguments[4 + OF_SEARCH] = {
        hop__arg_u32(s->turn), hop__arg_u32((uint32_t)s->values[HOP__FRONTIER_THRESHOLD]),
        hop__arg_u32(s->base.task->query.max_level), hop__arg_u32(s->target)};
    search_arguments(s, arguments + 4);
    hop__shape shape = hop__shape_of(1, hop__form_group(s->base.device, &s->base.sweeper.form));
    s->small_launches++;
    s->turn++;
    return launch(s, "expand_small", shape, arguments, HOP_LENGTH(arguments));
}

hop_status hop__frontier_small(hop__frontier *s) {
    if (s->values[HOP__FRONTIER_SMALL] != HOP__SMALL_GROUP)
        return HOP_OK;
    hop_status status = expand_small(s);
    return status == HOP_OK && s->hubs ? launch_pieces(s) : status;
}

/* What one group has put aside in its last level, if there is any. */
static hop_status complete_small(search *s) {
    hop_status status;
    uint32_t pieces = s->seen.slots[(s->level + HOP__SLOTS - 1) % HOP__SLOTS][HOP__SLOT_PIECES];
    if (s->level == s->seen.levels[(s->turn - 1) % HOP__TURNS] || pieces == 0)
        return HOP_OK;
    HOP_TRY(status, launch_pieces(s));
    HOP_TRY(status, hop__frontier_look(s));
done:
    return status;
}

hop_status hop__frontier_step(hop__frontier *s) {
    hop_status status;
    bool few = s->count <= s->values[HOP__FRONTIER_THRESHOLD] && s->arcs <= HOP__SMALL_ARCS;
    bool small = few && s->values[HOP__FRONTIER_SMALL] == HOP__SMALL_GROUP;
    uint32_t before = s->seen.slots[(s->level + HOP__SLOTS - 1) % HOP__SLOTS][HOP__SLOT_COUNT];
    /* One that falls will be small: on a processor idle launches cost more than a look. */
    bool one = s->target != HOP_NO_VERTEX || (!hop__frontier_far(s) && s->count < before / 2);
    if (few && s->values[HOP__FRONTIER_SMALL] == HOP__SMALL_HOST)
        return hop__frontier_host(s);
    if (small)
        HOP_TRY(status, hop__frontier_far(s) ? hop__frontier_small(s) : expand_small(s));
    else if (s->count <= blind_most(s))
        HOP_TRY(status,
                hop__frontier_blind(s, one ? 1 : (uint32_t)s->values[HOP__FRONTIER_AHEAD], 0));
    else
        HOP_TRY(status, expand_sliced(s));
    HOP_TRY(status, hop__frontier_look(s));
    if (small && !hop__frontier_far(s))
        HOP_TRY(status, complete_small(s));
done:
    return status;
}

hop_status hop__frontier_over(hop__frontier *s, bool *over) {
    *over = s->count == 0 || s->level >= s->base.task->query.max_level;
    return *over ? HOP_OK : hop__bfs_device_targets(&s->base, over, &s->target);
}

hop_status hop__frontier_move(hop__frontier *s, uint32_t level, uint32_t count) {
    s->begin += s->count;
    s->level = level;
    s->count = count;
    s->seen = (hop__frontier_state){0};
    s->seen.levels[s->turn % HOP__TURNS] = level;
    s->seen.slots[level % HOP__SLOTS][HOP__SLOT_COUNT] = count;
    s->seen.slots[level % HOP__SLOTS][HOP__SLOT_BEGIN] = s->begin;
    return hop__buffer_write(s->state, 0, sizeof s->seen, &s->seen);
}

hop_status hop__frontier_begin(hop_context *context, hop__bfs_task *task,
                               const hop__frontier_plan *plan, hop__frontier *s) {
    hop_status status;
    const double *values = task->values;
    hop__device *device;
    *s = (hop__frontier){.values = values, .target = HOP_NO_VERTEX};
    HOP_TRY(status, hop__device_of(context, &device));
    hop__define defines[] = {
        {"QUEUE_LEVELS", plan->queue_levels},
        {"QUEUE", plan->queue},
        {"SUB_QUEUES", plan->sub_queues},
        {"SPREAD", spread(device, values)},
        {"READONLY", values[HOP__FRONTIER_READONLY] != 0},
    };
    hop__bfs_device_plan base = {.phase = plan->phase,
                                 .program = &hop__program_bfs_frontier,
                                 .defines = defines,
                                 .define_count = HOP_LENGTH(defines),
                                 .blocks = plan->blocks,
                                 .form = values,
                                 .reverse = plan->reverse,
                                 .own_parents = plan->own_parents};
    HOP_TRY(status, hop__bfs_device_begin(context, task, &base, &s->base));
    s->hubs = has_hubs(task->query.graph, values);
    HOP_TRY(status, hop__bfs_device_sources(&s->base, s->queue, s->state, HOP__SLOT_COUNT));
    s->count = 1;
    s->unexplored = s->base.arcs;
    if (task->query.source_count != 1) /* some may repeat */
        HOP_TRY(status, hop__frontier_look(s));
done:
    return status;
}

hop_status hop__frontier_finish(hop__frontier *s) {
    s->base.task->rounds = s->level;
    s->base.sweeper.launches += s->launches;
    hop_status status = hop__bfs_device_finish(&s->base);
    hop__count(s->base.context, "small launches", s->small_launches);
    hop__count(s->base.context, "levels on the host", s->host_levels);
    hop__count(s->base.context, "looks", s->reads);
    return status;
}

void hop__frontier_end(hop__frontier *s, hop_status status) {
    hop__bfs_device_end(&s->base, status);
}

static hop_status frontier_search(hop_context *context, hop__bfs_task *task,
                                  const hop__frontier_plan *plan) {
    hop_status status;
    hop__frontier s;
    bool over = false;
    if (task->query.graph->vertices == 0)
        return HOP_OK;
    HOP_TRY(status, hop__frontier_begin(context, task, plan, &s));
    for (;;) {
        HOP_TRY(status, hop__frontier_over(&s, &over));
        if (over)
            break;
        HOP_TRY(status, hop__frontier_step(&s));
    }
    HOP_TRY(status, hop__frontier_finish(&s));
done:
    hop__frontier_end(&s, status);
    return status;
}

static hop_status frontier_run(hop_context *context, hop__bfs_task *task) {
    hop__frontier_plan plan = {"bfs: frontier", top_down_blocks, 1, 1, 1, false, false};
    return frontier_search(context, task, &plan);
}

static hop_status block_run(hop_context *context, hop__bfs_task *task) {
    hop__frontier_plan plan = {
        "bfs: frontier-block", top_down_blocks, 2, (int64_t)task->values[QUEUE], 1, false, false};
    return frontier_search(context, task, &plan);
}

static hop_status tiered_run(hop_context *context, hop__bfs_task *task) {
    hop__frontier_plan plan = {"bfs: frontier-tiered",
                               top_down_blocks,
                               3,
                               (int64_t)task->values[QUEUE],
                               (int64_t)1 << (int)task->values[QUEUES],
                               false,
                               false};
    return frontier_search(context, task, &plan);
}

/* All arcs; and an addition for each vertex that is appended, or for as many as a group collects.
 * Sub-queues are emptied more often than one queue of the group. */
static hop__device_work frontier_work(const void *task) {
    return hop__bfs_device_work(task, 1, 1);
}

static hop__device_work block_work(const void *task) {
    return hop__bfs_device_work(task, 1, 1.0 / 128);
}

static hop__device_work tiered_work(const void *task) {
    return hop__bfs_device_work(task, 1, 1.0 / 64);
}

static const hop_parameter parameters[PARAMETERS] = {
    HOP__FRONTIER_ROWS,
    [QUEUE] = {.name = "queue",
               .summary = "entries of a group's queue in local memory",
               .type = HOP_PARAMETER_INTEGER,
               .minimum = 32,
               .maximum = 1024,
               .standard = 1024},
    [QUEUES] = {.name = "queues",
                .summary = "sub-queues of a group, as a power of two",
                .type = HOP_PARAMETER_INTEGER,
                .maximum = 4,
                .standard = 2},
};

const hop__bfs_variant hop__bfs_device_frontier = {
    .row = {.about = {.name = "frontier",
                      .summary = "one queue of the level's vertices, appended to atomically",
                      .source = "CSE 599 I",
                      .place = HOP_PLACE_DEVICE,
                      .uses = HOP_PREPARE_DEVICE,
                      HOP__FIRST_PARAMETERS(parameters, QUEUE)},
            .blocks = top_down_blocks,
            .copy = hop__bfs_device_copy,
            .device_work = frontier_work},
    .run = frontier_run,
};

const hop__bfs_variant hop__bfs_device_frontier_block = {
    .row = {.about = {.name = "frontier-block",
                      .summary = "groups collect what they find in local memory",
                      .source = "CSE 599 I",
                      .place = HOP_PLACE_DEVICE,
                      .uses = HOP_PREPARE_DEVICE,
                      HOP__FIRST_PARAMETERS(parameters, QUEUES)},
            .blocks = top_down_blocks,
            .copy = hop__bfs_device_copy,
            .device_work = block_work},
    .run = block_run,
};

const hop__bfs_variant hop__bfs_device_frontier_tiered = {
    .row = {.about = {.name = "frontier-tiered",
                      .summary = "several queues per group, then the group's, then the global one",
                      .source = "CSE 599 I",
                      .place = HOP_PLACE_DEVICE,
                      .uses = HOP_PREPARE_DEVICE,
                      HOP__PARAMETERS(parameters)},
            .blocks = top_down_blocks,
            .copy = hop__bfs_device_copy,
            .device_work = tiered_work},
    .run = tiered_run,
};
