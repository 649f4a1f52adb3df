/* SPDX-License-Identifier: Apache-2.0
 *
 * direction-optimizing on devices: levels top-down as in frontier-block, and bottom-up where most
 * arcs that are left lead to the frontier: vertices without a level then look for a neighbour in
 * it. The kernels of these levels are in bfs_dense_program.cl.
 *
 * Bottom-up begins when the frontier grows and has more than 1/alpha of the arcs that were not yet
 * looked at (at the end of a long search a small one has, level after level), and ends when the
 * frontier has less than 1/beta of the vertices (Beamer's rules). Parents are found with the
 * levels: rows are sorted, so the first neighbour in the frontier is the smallest.
 *
 * Wants rows of arcs in: undirected graphs have them, directed ones when they are prepared; without
 * them all levels are top-down.
 *
 * Source: Beamer, Asanovic, Patterson, "Direction-optimizing breadth-first search", SC'12. Cost: as
 * frontier-block, and 3 bits per vertex; rows of arcs in, where they are other ones. */
#include "bfs/bfs_device_frontier.h"
#include "core/bitmap.h"
#include "kernels/launching.h"

extern const hop__program_source hop__program_bfs_dense;

enum { ALPHA = HOP__FRONTIER_PARAMETERS, BETA, PARAMETERS };
/* As in bfs_dense_program.cl. */
enum { SLOT_FOUND, SLOT_ARCS, SLOT_PIECES, SLOT_HERE, SLOT_WORDS = 8, SLOTS = 4 };
enum { UNIT = 32, QUEUE = 1024 };
enum { AHEAD_MOST = SLOTS - 1 }; /* slots of so many levels are there when the host looks */

typedef struct direction {
    hop__frontier top;
    hop__sweeper dense; /* of the program of bottom-up levels */
    hop__buffer *front, *next, *open, *state;
    uint64_t words;
    uint64_t unexplored; /* arcs of vertices without a level, about */
    uint64_t switches;
    uint32_t slots[SLOTS][SLOT_WORDS]; /* of bottom-up levels, as they go there and come back */
} direction;

static uint64_t map_words(const hop_graph *graph) {
    return (graph->vertices + 31ull) / 32;
}

static void device_direction_blocks(const void *given, hop__workspace *space) {
    const hop__bfs_task *task = given;
    uint64_t words = map_words(task->query.graph);
    hop__frontier_blocks(space, task, true);
    hop__buffer_add(space, "bfs: front", words, 4, offsetof(direction, front));
    hop__buffer_add(space, "bfs: next front", words, 4, offsetof(direction, next));
    hop__buffer_add(space, "bfs: open", words, 4, offsetof(direction, open));
    hop__buffer_add(space, "bfs: found", SLOTS * SLOT_WORDS, 4, offsetof(direction, state));
    hop__block_reserve(space, HOP__MEMORY_DEVICE, "flags of kernels", HOP__FLAGS * 4);
}

static hop_status begin_dense(direction *d) {
    hop_status status;
    hop__bfs_device *base = &d->top.base;
    const hop_graph *graph = base->task->query.graph;
    hop__define defines[] = {{"WIDE_OFFSETS", graph->offset_bytes == 8},
                             {"READONLY", d->top.values[HOP__FRONTIER_READONLY] != 0}};
    hop__form form = base->sweeper.form;
    d->words = map_words(graph);
    HOP_TRY(status, hop__sweeper_begin(base->device, &form, NULL, &d->dense));
    HOP_TRY(status, hop__form_program(base->device, &form, &hop__program_bfs_dense, defines,
                                      HOP_LENGTH(defines), &d->dense.program));
    d->dense.slice_most = base->sweeper.slice_most / 4 + 1; /* few arcs of a row are looked at */
done:
    return status;
}

/* Over the words of the bitmaps, with an item for each vertex where there are many. */
static hop_status sweep_words(direction *d, const char *kernel, uint64_t bytes,
                              const hop__argument *arguments, size_t argument_count) {
    const hop__sweep sweep = {.kernel = kernel,
                              .count = d->words,
                              .bytes = bytes,
                              .items = UNIT,
                              .arguments = arguments,
                              .argument_count = argument_count};
    return hop__sweep_run(&d->dense, &sweep);
}

static hop_status densify(direction *d) {
    hop__bfs_device *base = &d->top.base;
    hop__argument arguments[] = {hop__arg_buffer(base->rows.in_offsets),
                                 hop__arg_buffer(base->levels),
                                 hop__arg_buffer(d->front),
                                 hop__arg_buffer(d->open),
                                 hop__arg_u32(d->top.level),
                                 hop__arg_u64(base->n)};
    return sweep_words(d, "densify", 32 * 8 + 8, arguments, HOP_LENGTH(arguments));
}

/* The rows that were put aside, with the arguments of the kernel that did. */
static hop_status bottom_up_pieces(direction *d, const hop__argument *arguments, size_t count) {
    d->dense.launches++;
    return hop__launch_named(d->dense.program, "bottom_up_pieces",
                             hop__sweep_shape(&d->dense, d->words), arguments, count);
}

/* One level, if the device finds that it goes up. */
static hop_status bottom_up(direction *d, uint32_t level, hop__buffer *front, hop__buffer *next) {
    enum { OF_PIECES = 12 };
    hop_status status;
    hop__bfs_device *base = &d->top.base;
    hop__argument arguments[] = {hop__arg_buffer(base->rows.in_offsets),
                                 hop__arg_buffer(base->rows.in_targets),
                                 hop__arg_buffer(base->levels),
                                 hop__arg_buffer(hop__bfs_device_parents(base)),
                                 hop__arg_u32(base->parents != NULL),
                                 hop__arg_buffer(front),
                                 hop__arg_buffer(next),
                                 hop__arg_buffer(d->open),
                                 hop__arg_u32(level),
                                 hop__arg_buffer(d->top.pieces),
                                 hop__arg_buffer(d->state),
                                 hop__arg_u32((uint32_t)d->top.values[HOP__FRONTIER_HUB]),
                                 hop__arg_u32((uint32_t)d->top.values[BETA]),
                                 hop__arg_u64(base->n)};
    HOP_TRY(status, sweep_words(d, "bottom_up", 32 * 12, arguments, HOP_LENGTH(arguments)));
    if (d->top.hubs || base->task->query.graph->directed)
        HOP_TRY(status, bottom_up_pieces(d, arguments, OF_PIECES));
done:
    return status;
}

/* What was found last becomes a list behind the `queued` vertices of the queue, if the device finds
 * that no further level goes up. */
static hop_status sparsify(direction *d, uint32_t queued) {
    hop__argument arguments[] = {
        hop__arg_buffer(d->front),     hop__arg_buffer(d->next),
        hop__arg_buffer(d->top.queue), hop__arg_buffer(d->state),
        hop__arg_buffer(d->top.state), hop__arg_u32(d->top.begin + queued),
        hop__arg_u32(d->top.level),    hop__arg_u32((uint32_t)d->top.values[BETA]),
        hop__arg_u64(d->top.base.n)};
    return sweep_words(d, "sparsify", 8, arguments, HOP_LENGTH(arguments));
}

/* How many levels are put into the device's queue before the host looks. On a processor, which is
 * waited for in no time, a launch that does nothing would cost more than a look. */
static uint32_t levels_ahead(const direction *d) {
    const hop__bfs_device *base = &d->top.base;
    uint32_t left = base->task->query.max_level - d->top.level;
    uint32_t ahead = (uint32_t)d->top.values[HOP__FRONTIER_AHEAD];
    bool few = (hop__device_info(base->device)->capabilities & HOP_DEVICE_FEW) != 0;
    if (few || base->task->query.target_count > 0)
        ahead = 1;
    ahead = ahead < AHEAD_MOST ? ahead : AHEAD_MOST;
    return ahead < left ? ahead : left;
}

/* The level is the frontier, as far as bottom-up is concerned. */
static hop_status begin_slots(direction *d) {
    for (uint32_t i = 0; i < SLOTS * SLOT_WORDS; i++)
        d->slots[i / SLOT_WORDS][i % SLOT_WORDS] = 0;
    d->slots[d->top.level % SLOTS][SLOT_HERE] = d->top.level;
    d->slots[d->top.level % SLOTS][SLOT_FOUND] = d->top.count;
    return hop__buffer_write(d->state, 0, sizeof d->slots, d->slots);
}

static void explored(direction *d) {
    d->unexplored -= d->top.arcs < d->unexplored ? d->top.arcs : d->unexplored;
}

/* The levels that have run, of those that were put into the queue; slots were read. */
static void take_levels(direction *d) {
    for (uint32_t next = d->top.level + 1; d->slots[next % SLOTS][SLOT_HERE] == next; next++) {
        hop__buffer *swapped = d->front;
        d->front = d->next;
        d->next = swapped;
        d->top.level = next;
        d->top.count = d->slots[next % SLOTS][SLOT_FOUND];
        d->top.arcs = (uint64_t)UNIT * d->slots[next % SLOTS][SLOT_ARCS];
        explored(d);
    }
}

/* Whether the next level is to be found bottom-up too. */
static bool is_dense(const direction *d) {
    uint32_t before = d->slots[(d->top.level + SLOTS - 1) % SLOTS][SLOT_FOUND];
    return d->top.count >= before ||
           (double)d->top.count * d->top.values[BETA] >= (double)d->top.base.n;
}

/* Some levels bottom-up. With more than one the list is made in the same go, if it is time. */
static hop_status go_up(direction *d, uint32_t queued, bool *listed) {
    hop_status status;
    uint32_t ahead = levels_ahead(d);
    for (uint32_t i = 0; i < ahead; i++)
        HOP_TRY(status, bottom_up(d, d->top.level + 1 + i, i % 2 == 0 ? d->front : d->next,
                                  i % 2 == 0 ? d->next : d->front));
    *listed = ahead > 1;
    if (*listed)
        HOP_TRY(status, sparsify(d, queued));
    HOP_TRY(status, hop__buffer_read_now(d->state, 0, sizeof d->slots, d->slots));
    take_levels(d);
done:
    return status;
}

/* Levels bottom-up, until the frontier is small again; then it is a list. */
static hop_status run_dense(direction *d, bool *over) {
    hop_status status;
    uint32_t queued = d->top.count;
    bool listed = false;
    HOP_TRY(status, densify(d));
    HOP_TRY(status, begin_slots(d));
    HOP_TRY(status, hop__frontier_clear(&d->top));
    d->switches++;
    do {
        HOP_TRY(status, go_up(d, queued, &listed));
        HOP_TRY(status, hop__frontier_over(&d->top, over));
    } while (!*over && is_dense(d));
    if (*over)
        goto done;
    if (listed) { /* `look` would only say the same */
        d->top.begin += queued;
        d->top.arcs = 0;
        goto done;
    }
    HOP_TRY(status, sparsify(d, queued));
    HOP_TRY(status, hop__frontier_look(&d->top));
done:
    return status;
}

static hop_status run_levels(direction *d) {
    hop_status status;
    bool over;
    double alpha = d->top.values[ALPHA];
    uint32_t before = 0;
    d->unexplored = d->top.base.arcs;
    HOP_TRY(status, hop__frontier_over(&d->top, &over));
    while (!over) {
        bool grows = d->top.count > before,
             dense = (double)d->top.arcs * alpha > (double)d->unexplored;
        before = d->top.count;
        if (d->top.base.rows.in_offsets && grows && dense) {
            HOP_TRY(status, run_dense(d, &over));
        } else {
            HOP_TRY(status, hop__frontier_step(&d->top));
            explored(d);
            HOP_TRY(status, hop__frontier_over(&d->top, &over));
        }
    }
done:
    return status;
}

static hop_status device_direction_run(hop_context *context, hop__bfs_task *task) {
    hop_status status;
    direction d = {0};
    hop__frontier_plan plan = {
        "bfs: direction-optimizing", device_direction_blocks, 2, QUEUE, 1, true, true};
    if (task->query.graph->vertices == 0)
        return HOP_OK;
    HOP_TRY(status, hop__frontier_begin(context, task, &plan, &d.top));
    HOP_TRY(status, begin_dense(&d));
    HOP_TRY(status, run_levels(&d));
    d.top.base.sweeper.launches += d.dense.launches;
    HOP_TRY(status, hop__frontier_finish(&d.top));
    hop__count(context, "switches", d.switches);
done:
    hop__frontier_end(&d.top, status);
    hop__sweeper_end(&d.dense);
    return status;
}

static double cost(const void *given, const hop_device_info *device) {
    const hop_graph *graph = ((const hop__bfs_task *)given)->query.graph;
    bool in = !graph->directed || hop_graph_prepared_reverse(graph);
    (void)device;
    return (in ? 1.0 : 3.7) * ((double)graph->vertices + (double)graph->arcs);
}

static const hop_parameter parameters[PARAMETERS] = {
    HOP__FRONTIER_ROWS,
    [ALPHA] = {.name = "alpha",
               .summary = "bottom-up from 1/alpha of the arcs that are left; 0: never",
               .type = HOP_PARAMETER_INTEGER,
               .maximum = 1 << 20,
               .standard = 15},
    [BETA] = {.name = "beta",
              .summary = "top-down again below 1/beta of the vertices",
              .type = HOP_PARAMETER_INTEGER,
              .minimum = 1,
              .maximum = 1 << 20,
              .standard = 24},
};

const hop__bfs_variant hop__bfs_device_direction_optimizing = {
    .row = {.about = {.name = "direction-optimizing",
                      .summary = "top-down or bottom-up, whichever is cheaper for the level",
                      .source = "Beamer, Asanovic, Patterson, SC'12",
                      .place = HOP_PLACE_DEVICE,
                      .uses = HOP_PREPARE_REVERSE | HOP_PREPARE_DEVICE,
                      HOP__PARAMETERS(parameters)},
            .blocks = device_direction_blocks,
            .copy = hop__bfs_device_copy_both,
            .copy_cost = HOP__BFS_COPY_COST,
            .device_cost = cost},
    .run = device_direction_run,
};
