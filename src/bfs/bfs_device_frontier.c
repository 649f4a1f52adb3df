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
 *   blind    up to BLIND vertices: `ahead` levels are put into the device's queue before the host
 *            looks. A launch whose frontier turned out larger does nothing, nor do those behind it;
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
#include "bfs/bfs_device_frontier.h"
#include "core/progress.h"
#include "kernels/launching.h"

extern const hop__program_source hop__program_bfs_frontier;

/* Not all variants have these. */
enum { QUEUE = HOP__FRONTIER_PARAMETERS, QUEUES, PARAMETERS };
enum { SMALL_GROUP, SMALL_HOST, SMALL_OFF };
enum { BALANCE_AUTO, BALANCE_VERTEX, BALANCE_EDGES };

enum {
    BLIND = 1 << 15,      /* vertices */
    LEVELS_MOST = 4096,   /* of one group in a launch */
    SMALL_ARCS = 1 << 15, /* of a small frontier */
    UNIT = 32             /* arcs */
};

/* As in bfs_frontier_program.cl. */
enum { SLOT_LEVEL, SLOT_BEGIN, SLOT_COUNT, SLOT_PIECES, SLOT_ARCS, SLOT_WORDS = 8, SLOTS = 4 };
enum { STATE_BYTES = SLOTS * SLOT_WORDS * 4 };

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
    hop__buffer_add(space, "bfs: frontiers", STATE_BYTES, 1, offsetof(hop__frontier, state))->zero =
        true;
    if (values[HOP__FRONTIER_SMALL] == SMALL_HOST)
        HOP__BLOCK(space, "bfs: frontiers on the host", graph->vertices, hop__frontier, host_queue)
            ->on_demand = true;
}

static void top_down_blocks(const void *task, hop__workspace *space) {
    hop__frontier_blocks(space, task, false);
}

/* *pieces: of the level before. */
static hop_status look(search *s, uint32_t *pieces) {
    uint32_t words[SLOTS][SLOT_WORDS];
    hop_status status = hop__buffer_read_now(s->state, 0, STATE_BYTES, words);
    if (status != HOP_OK)
        return status;
    for (uint32_t i = 0; i < SLOTS; i++)
        if (words[i][SLOT_LEVEL] % SLOTS == i && words[i][SLOT_LEVEL] >= s->level)
            s->level = words[i][SLOT_LEVEL];
    s->begin = words[s->level % SLOTS][SLOT_BEGIN];
    s->count = words[s->level % SLOTS][SLOT_COUNT];
    s->arcs = (uint64_t)UNIT * words[s->level % SLOTS][SLOT_ARCS];
    *pieces = words[(s->level + SLOTS - 1) % SLOTS][SLOT_PIECES];
    s->reads++;
    return hop__progress_add(s->base.context, 0) ? HOP_OK : hop__progress_end(s->base.context);
}

static hop_status launch(search *s, const char *kernel, hop__shape shape,
                         const hop__argument *arguments, size_t count) {
    s->launches++;
    return hop__launch_named(s->base.sweeper.program, kernel, shape, arguments, count);
}

static hop_status launch_pieces(search *s, uint32_t level) {
    hop__argument arguments[] = {hop__arg_u32(level),
                                 hop__arg_buffer(s->base.rows.offsets),
                                 hop__arg_buffer(s->base.rows.targets),
                                 hop__arg_buffer(s->base.levels),
                                 hop__arg_buffer(hop__bfs_device_parents(&s->base)),
                                 hop__arg_u32(s->base.parents && s->base.own_parents),
                                 hop__arg_buffer(s->queue),
                                 hop__arg_buffer(s->pieces),
                                 hop__arg_buffer(s->state),
                                 hop__arg_u32((uint32_t)s->values[HOP__FRONTIER_HUB])};
    return launch(s, "pieces_expand", hop__sweep_shape(&s->base.sweeper, BLIND), arguments,
                  HOP_LENGTH(arguments));
}

/* Some levels without looking. */
static hop_status expand_blind(search *s, uint32_t ahead) {
    hop_status status = HOP_OK;
    for (uint32_t level = s->level; level < s->level + ahead; level++) {
        hop__argument arguments[] = {hop__arg_u64(0),
                                     hop__arg_u64(BLIND),
                                     hop__arg_u32(level),
                                     hop__arg_u32(BLIND),
                                     hop__arg_buffer(s->base.rows.offsets),
                                     hop__arg_buffer(s->base.rows.targets),
                                     hop__arg_buffer(s->base.levels),
                                     hop__arg_buffer(hop__bfs_device_parents(&s->base)),
                                     hop__arg_u32(s->base.parents && s->base.own_parents),
                                     hop__arg_buffer(s->queue),
                                     hop__arg_buffer(s->pieces),
                                     hop__arg_buffer(s->state),
                                     hop__arg_u32((uint32_t)s->values[HOP__FRONTIER_HUB])};
        HOP_TRY(status, launch(s, "expand", hop__sweep_shape(&s->base.sweeper, BLIND), arguments,
                               HOP_LENGTH(arguments)));
        if (s->hubs)
            HOP_TRY(status, launch_pieces(s, level));
    }
done:
    return status;
}

/* One level of any size. */
static hop_status expand_sliced(search *s) {
    hop_status status;
    hop__argument arguments[] = {hop__arg_u32(s->level),
                                 hop__arg_u32(UINT32_MAX),
                                 hop__arg_buffer(s->base.rows.offsets),
                                 hop__arg_buffer(s->base.rows.targets),
                                 hop__arg_buffer(s->base.levels),
                                 hop__arg_buffer(hop__bfs_device_parents(&s->base)),
                                 hop__arg_u32(s->base.parents && s->base.own_parents),
                                 hop__arg_buffer(s->queue),
                                 hop__arg_buffer(s->pieces),
                                 hop__arg_buffer(s->state),
                                 hop__arg_u32((uint32_t)s->values[HOP__FRONTIER_HUB])};
    HOP_TRY(status, hop__sweep_over(&s->base.sweeper, "expand", s->count, 12, arguments,
                                    HOP_LENGTH(arguments)));
    if (s->hubs)
        HOP_TRY(status, launch_pieces(s, s->level));
done:
    return status;
}

/* One group goes on by itself, for at most so many levels. */
static hop_status expand_small(search *s, uint32_t levels) {
    hop__argument arguments[] = {hop__arg_u32(s->level),
                                 hop__arg_u32((uint32_t)s->values[HOP__FRONTIER_THRESHOLD]),
                                 hop__arg_u32(levels),
                                 hop__arg_u32(s->target),
                                 hop__arg_buffer(s->base.rows.offsets),
                                 hop__arg_buffer(s->base.rows.targets),
                                 hop__arg_buffer(s->base.levels),
                                 hop__arg_buffer(hop__bfs_device_parents(&s->base)),
                                 hop__arg_u32(s->base.parents && s->base.own_parents),
                                 hop__arg_buffer(s->queue),
                                 hop__arg_buffer(s->pieces),
                                 hop__arg_buffer(s->state),
                                 hop__arg_u32((uint32_t)s->values[HOP__FRONTIER_HUB])};
    hop__shape shape = hop__shape_of(1, hop__form_group(s->base.device, &s->base.sweeper.form));
    s->small_launches++;
    return launch(s, "expand_small", shape, arguments, HOP_LENGTH(arguments));
}

hop_status hop__frontier_look(hop__frontier *s) {
    uint32_t pieces;
    return look(s, &pieces);
}

hop_status hop__frontier_step(hop__frontier *s) {
    hop_status status;
    uint32_t left = s->base.task->query.max_level - s->level, pieces, before = s->level;
    bool few = s->count <= s->values[HOP__FRONTIER_THRESHOLD] && s->arcs <= SMALL_ARCS;
    bool small = few && s->values[HOP__FRONTIER_SMALL] == SMALL_GROUP;
    if (few && s->values[HOP__FRONTIER_SMALL] == SMALL_HOST)
        return hop__frontier_host(s);
    if (small) {
        HOP_TRY(status, expand_small(s, left < LEVELS_MOST ? left : LEVELS_MOST));
    } else if (s->count <= BLIND) {
        uint32_t ahead = s->target != HOP_NO_VERTEX ? 1 : (uint32_t)s->values[HOP__FRONTIER_AHEAD];
        HOP_TRY(status, expand_blind(s, left < ahead ? left : ahead));
    } else {
        HOP_TRY(status, expand_sliced(s));
    }
    HOP_TRY(status, look(s, &pieces));
    if (small && pieces > 0 && s->level > before) { /* its last level is not complete yet */
        HOP_TRY(status, launch_pieces(s, s->level - 1));
        HOP_TRY(status, look(s, &pieces));
    }
done:
    return status;
}

hop_status hop__frontier_over(hop__frontier *s, bool *over) {
    *over = s->count == 0 || s->level >= s->base.task->query.max_level;
    return *over ? HOP_OK : hop__bfs_device_targets(&s->base, over, &s->target);
}

hop_status hop__frontier_clear(hop__frontier *s) {
    return hop__buffer_fill(s->state, 0, STATE_BYTES, 0);
}

hop_status hop__frontier_move(hop__frontier *s, uint32_t level, uint32_t count) {
    uint32_t words[SLOTS][SLOT_WORDS] = {{0}};
    s->begin += s->count;
    s->level = level;
    s->count = count;
    words[level % SLOTS][SLOT_COUNT] = count;
    words[level % SLOTS][SLOT_LEVEL] = level;
    words[level % SLOTS][SLOT_BEGIN] = s->begin;
    hop_status status = hop__buffer_write(s->state, 0, STATE_BYTES, words);
    return status == HOP_OK ? hop__device_finish(s->base.device) : status;
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
    HOP_TRY(status, hop__bfs_device_sources(&s->base, s->queue, s->state, SLOT_COUNT));
    s->count = 1;
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

/* Per vertex and arc, in nanoseconds of the processors where they were measured. */
static double frontier_cost(const void *given, const hop_device_info *device) {
    const hop_graph *graph = ((const hop__bfs_task *)given)->query.graph;
    (void)device;
    return 4.0 * ((double)graph->vertices + (double)graph->arcs);
}

static double block_cost(const void *given, const hop_device_info *device) {
    return frontier_cost(given, device) * 0.95;
}

static double tiered_cost(const void *given, const hop_device_info *device) {
    return frontier_cost(given, device) * 0.97;
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
            .copy_cost = HOP__BFS_COPY_COST,
            .device_cost = frontier_cost},
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
            .copy_cost = HOP__BFS_COPY_COST,
            .device_cost = block_cost},
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
            .copy_cost = HOP__BFS_COPY_COST,
            .device_cost = tiered_cost},
    .run = tiered_run,
};
