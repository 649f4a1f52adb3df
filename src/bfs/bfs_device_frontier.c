/* SPDX-License-Identifier: Apache-2.0
 *
 * frontier, frontier-block, frontier-tiered: searches on devices with a queue of what each level
 * has found (D3). They differ in how items append to it: straight to the global queue, through a
 * queue of the group in local memory, or through several of those. The kernels are in
 * bfs_frontier_program.cl: expand, pieces_expand, expand_small.
 *
 * A level is found in one of three ways:
 *   small    frontiers of at most `threshold` vertices, by one group that goes on level after level
 *            in one launch (`small` = group);
 *   blind    up to BLIND vertices: `ahead` levels are put into the device's queue before the host
 *            looks. A launch whose frontier turned out larger does nothing, nor do those behind it;
 *   sliced   larger ones, by launches of bounded length, between which a cancel takes effect.
 *
 * Levels alone are found; parents follow from them at the end (bfs_device.h).
 *
 * Source: D3. Cost: O(n + m) work; on the device the rows, 8 bytes per vertex (12 with parents) and
 * 16 bytes per `hub` arcs where rows are longer. */
#include "bfs/bfs_device.h"
#include "core/progress.h"
#include "kernels/launching.h"

extern const hop__program_source hop__program_bfs_frontier;

/* Parameters. QUEUE and QUEUES come last, since not all variants have them. */
enum { GROUP, CUT, SMALL, THRESHOLD, BALANCE, READONLY, AHEAD, HUB, QUEUE, QUEUES, PARAMETERS };
enum { SMALL_GROUP, SMALL_OFF };
enum { BALANCE_AUTO, BALANCE_VERTEX, BALANCE_EDGES };

enum {
    BLIND = 1 << 15,   /* vertices */
    LEVELS_MOST = 4096 /* of one group in a launch */
};

/* As in bfs_frontier_program.cl. */
enum { SLOT_LEVEL, SLOT_BEGIN, SLOT_COUNT, SLOT_PIECES, SLOT_WORDS, SLOTS = 4 };
enum { STATE_BYTES = SLOTS * SLOT_WORDS * 4 };

typedef struct search {
    hop__bfs_device base;
    const double *values;
    hop__buffer *queue, *pieces, *state;
    uint32_t level, count; /* the frontier: level and vertices */
    bool hubs;             /* there are rows longer than `hub` */
    hop_vertex target;     /* one without a level; HOP_NO_VERTEX: there are no targets */
    uint64_t launches, small_launches, reads;
} search;

static bool spread(const hop__device *device, const double *values) {
    hop__form form = hop__form_of(device, values);
    return values[BALANCE] == BALANCE_EDGES ||
           (values[BALANCE] == BALANCE_AUTO && !hop__form_chunked(device, &form));
}

static bool has_hubs(const hop_graph *graph, const double *values) {
    return (double)graph->shared->facts.max_degree > values[HUB];
}

/* Every row longer than `hub` has fewer than twice arcs / hub parts. */
static uint64_t pieces_bytes(const hop_graph *graph, const double *values) {
    return has_hubs(graph, values) ? (2 * graph->arcs / (uint64_t)values[HUB] + 1) * 8 : 8;
}

static hop_status create_buffers(search *s) {
    hop_status status;
    hop__device *device = s->base.device;
    const hop_graph *graph = s->base.task->query.graph;
    HOP_TRY(status, hop__buffer_create(device, "bfs: queue", s->base.n * 4, &s->queue));
    HOP_TRY(status, hop__buffer_create(device, "bfs: parts of rows", pieces_bytes(graph, s->values),
                                       &s->pieces));
    HOP_TRY(status, hop__buffer_create(device, "bfs: frontiers", STATE_BYTES, &s->state));
    HOP_TRY(status, hop__buffer_fill(s->state, 0, STATE_BYTES, 0));
done:
    return status;
}

/* Where the search stands, after waiting for what is under way. *pieces: of the level before. */
static hop_status look(search *s, uint32_t *pieces) {
    uint32_t words[SLOTS][SLOT_WORDS];
    hop_status status = hop__buffer_read_now(s->state, 0, STATE_BYTES, words);
    if (status != HOP_OK)
        return status;
    for (uint32_t i = 0; i < SLOTS; i++)
        if (words[i][SLOT_LEVEL] % SLOTS == i && words[i][SLOT_LEVEL] >= s->level)
            s->level = words[i][SLOT_LEVEL];
    s->count = words[s->level % SLOTS][SLOT_COUNT];
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
                                 hop__arg_buffer(s->base.offsets),
                                 hop__arg_buffer(s->base.targets),
                                 hop__arg_buffer(s->base.levels),
                                 hop__arg_buffer(s->queue),
                                 hop__arg_buffer(s->pieces),
                                 hop__arg_buffer(s->state),
                                 hop__arg_u32((uint32_t)s->values[HUB])};
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
                                     hop__arg_buffer(s->base.offsets),
                                     hop__arg_buffer(s->base.targets),
                                     hop__arg_buffer(s->base.levels),
                                     hop__arg_buffer(s->queue),
                                     hop__arg_buffer(s->pieces),
                                     hop__arg_buffer(s->state),
                                     hop__arg_u32((uint32_t)s->values[HUB])};
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
                                 hop__arg_buffer(s->base.offsets),
                                 hop__arg_buffer(s->base.targets),
                                 hop__arg_buffer(s->base.levels),
                                 hop__arg_buffer(s->queue),
                                 hop__arg_buffer(s->pieces),
                                 hop__arg_buffer(s->state),
                                 hop__arg_u32((uint32_t)s->values[HUB])};
    HOP_TRY(status, hop__bfs_device_sweep(&s->base.sweeper, "expand", s->count, 12, arguments,
                                          HOP_LENGTH(arguments)));
    if (s->hubs)
        HOP_TRY(status, launch_pieces(s, s->level));
done:
    return status;
}

/* One group goes on by itself, for at most so many levels. */
static hop_status expand_small(search *s, uint32_t levels) {
    hop__argument arguments[] = {hop__arg_u32(s->level),
                                 hop__arg_u32((uint32_t)s->values[THRESHOLD]),
                                 hop__arg_u32(levels),
                                 hop__arg_u32(s->target),
                                 hop__arg_buffer(s->base.offsets),
                                 hop__arg_buffer(s->base.targets),
                                 hop__arg_buffer(s->base.levels),
                                 hop__arg_buffer(s->queue),
                                 hop__arg_buffer(s->pieces),
                                 hop__arg_buffer(s->state),
                                 hop__arg_u32((uint32_t)s->values[HUB])};
    hop__shape shape = hop__shape_of(1, hop__form_group(s->base.device, &s->base.sweeper.form));
    s->small_launches++;
    return launch(s, "expand_small", shape, arguments, HOP_LENGTH(arguments));
}

static hop_status find_some_levels(search *s) {
    hop_status status;
    uint32_t left = s->base.task->query.max_level - s->level, pieces, before = s->level;
    bool small = s->values[SMALL] == SMALL_GROUP && s->count <= s->values[THRESHOLD];
    if (small) {
        HOP_TRY(status, expand_small(s, left < LEVELS_MOST ? left : LEVELS_MOST));
    } else if (s->count <= BLIND) {
        uint32_t ahead = s->target != HOP_NO_VERTEX ? 1 : (uint32_t)s->values[AHEAD];
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

static hop_status find_levels(search *s) {
    hop_status status;
    bool reached;
    uint32_t pieces;
    HOP_TRY(status, hop__bfs_device_sources(&s->base, s->queue, s->state, SLOT_COUNT));
    HOP_TRY(status, look(s, &pieces));
    while (s->count > 0 && s->level < s->base.task->query.max_level) {
        HOP_TRY(status, hop__bfs_device_targets(&s->base, &reached, &s->target));
        if (reached)
            break;
        HOP_TRY(status, find_some_levels(s));
    }
    s->base.task->rounds = s->level;
done:
    return status;
}

static hop_status run(hop_context *context, hop__bfs_task *task, const char *phase,
                      int queue_levels) {
    hop_status status;
    const double *values = task->values;
    search s = {.values = values, .target = HOP_NO_VERTEX};
    hop__device *device;
    if (task->query.graph->vertices == 0)
        return HOP_OK;
    HOP_TRY(status, hop__device_of(context, &device));
    hop__define defines[] = {
        {"QUEUE_LEVELS", queue_levels},
        {"QUEUE", queue_levels > 1 ? (int64_t)values[QUEUE] : 1},
        {"SUB_QUEUES", queue_levels > 2 ? (int64_t)1 << (int)values[QUEUES] : 1},
        {"SPREAD", spread(device, values)},
        {"READONLY", values[READONLY] != 0},
    };
    hop__bfs_device_plan plan = {.phase = phase,
                                 .program = &hop__program_bfs_frontier,
                                 .defines = defines,
                                 .define_count = HOP_LENGTH(defines),
                                 .form = values};
    HOP_TRY(status, hop__bfs_device_begin(context, task, &plan, &s.base));
    s.hubs = has_hubs(task->query.graph, values);
    HOP_TRY(status, create_buffers(&s));
    HOP_TRY(status, find_levels(&s));
    s.base.sweeper.launches += s.launches;
    HOP_TRY(status, hop__bfs_device_finish(&s.base));
    hop__count(context, "small launches", s.small_launches);
    hop__count(context, "looks", s.reads);
done:
    hop__device_settle(s.base.device, status);
    hop__buffer_free(s.queue);
    hop__buffer_free(s.pieces);
    hop__buffer_free(s.state);
    hop__bfs_device_end(&s.base, status);
    return status;
}

static hop_status frontier_run(hop_context *context, hop__bfs_task *task) {
    return run(context, task, "bfs: frontier", 1);
}

static hop_status block_run(hop_context *context, hop__bfs_task *task) {
    return run(context, task, "bfs: frontier-block", 2);
}

static hop_status tiered_run(hop_context *context, hop__bfs_task *task) {
    return run(context, task, "bfs: frontier-tiered", 3);
}

static uint64_t device_memory(const void *given, const hop_device_info *device, uint64_t *largest) {
    const hop__bfs_task *task = given;
    const hop_graph *graph = task->query.graph;
    uint64_t queue = graph->vertices * 4ull;
    uint64_t pieces = pieces_bytes(graph, task->values);
    (void)device;
    return hop__bfs_device_memory(task, false, queue + pieces + STATE_BYTES,
                                  queue > pieces ? queue : pieces, largest);
}

/* Per vertex and arc, in nanoseconds of the processors where they were measured. */
static double frontier_cost(const void *given, const hop_device_info *device) {
    const hop_graph *graph = ((const hop__bfs_task *)given)->query.graph;
    (void)device;
    return 4.0 * ((double)graph->vertices + (double)graph->arcs);
}

static double block_cost(const void *given, const hop_device_info *device) {
    return frontier_cost(given, device) * 0.9;
}

static double tiered_cost(const void *given, const hop_device_info *device) {
    return frontier_cost(given, device) * 0.95;
}

static const hop_parameter parameters[PARAMETERS] = {
    [GROUP] = HOP__FORM_GROUP_ROW,
    [CUT] = HOP__FORM_CUT_ROW,
    [SMALL] = {.name = "small",
               .summary = "small frontiers: one group goes on level after level in one launch, or "
                          "every level is a launch",
               .type = HOP_PARAMETER_CHOICE,
               .maximum = 1,
               .choices = "group off"},
    [THRESHOLD] = {.name = "threshold",
                   .summary = "vertices of a small frontier at most",
                   .type = HOP_PARAMETER_INTEGER,
                   .maximum = 1 << 20,
                   .standard = 512},
    [BALANCE] = {.name = "balance",
                 .summary = "an item walks the row of a vertex, or the items of a group share the "
                            "arcs of its vertices; auto: by form",
                 .type = HOP_PARAMETER_CHOICE,
                 .maximum = 2,
                 .choices = "auto vertex edges"},
    [READONLY] = {.name = "readonly",
                  .summary = "declare the graph's arrays as only read, for devices with a cache "
                             "for those",
                  .type = HOP_PARAMETER_FLAG,
                  .maximum = 1,
                  .standard = 1},
    [AHEAD] = {.name = "ahead",
               .summary = "levels that are put into the device's queue before the host looks",
               .type = HOP_PARAMETER_INTEGER,
               .minimum = 1,
               .maximum = 256,
               .standard = 4},
    [HUB] = {.name = "hub",
             .summary = "arcs above which a row is cut into parts for all groups",
             .type = HOP_PARAMETER_INTEGER,
             .minimum = 32,
             .maximum = 1 << 16,
             .standard = 4096},
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

const hop__bfs_row hop__bfs_device_frontier = {
    .row = {.about = {.name = "frontier",
                      .summary = "one queue of the level's vertices, appended to atomically",
                      .source = "D3",
                      .place = HOP_PLACE_DEVICE,
                      .parameters = parameters,
                      .parameter_count = QUEUE},
            .memory = hop__bfs_device_host_memory,
            .device_memory = device_memory,
            .device_cost = frontier_cost},
    .run = frontier_run,
};

const hop__bfs_row hop__bfs_device_frontier_block = {
    .row = {.about = {.name = "frontier-block",
                      .summary = "groups collect what they find in local memory",
                      .source = "D3",
                      .place = HOP_PLACE_DEVICE,
                      .parameters = parameters,
                      .parameter_count = QUEUES},
            .memory = hop__bfs_device_host_memory,
            .device_memory = device_memory,
            .device_cost = block_cost},
    .run = block_run,
};

const hop__bfs_row hop__bfs_device_frontier_tiered = {
    .row = {.about = {.name = "frontier-tiered",
                      .summary = "several queues per group, then the group's, then the global one",
                      .source = "D3",
                      .place = HOP_PLACE_DEVICE,
                      .parameters = parameters,
                      .parameter_count = PARAMETERS},
            .memory = hop__bfs_device_host_memory,
            .device_memory = device_memory,
            .device_cost = tiered_cost},
    .run = tiered_run,
};
