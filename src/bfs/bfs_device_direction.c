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
enum { FOUND, ARCS, PIECES, CHANGED, STATE_WORDS };
enum { UNIT = 32, QUEUE = 1024 };

typedef struct direction {
    hop__frontier top;
    hop__sweeper dense; /* of the program of bottom-up levels */
    hop__buffer *front, *next, *open, *state;
    uint64_t words;
    uint64_t unexplored; /* arcs of vertices without a level, about */
    uint64_t switches;
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
    hop__buffer_add(space, "bfs: found", STATE_WORDS, 4, offsetof(direction, state));
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

/* One level; the frontier becomes what was found. */
static hop_status bottom_up(direction *d) {
    hop_status status;
    hop__bfs_device *base = &d->top.base;
    uint32_t state[STATE_WORDS];
    hop__argument arguments[] = {hop__arg_buffer(base->rows.in_offsets),
                                 hop__arg_buffer(base->rows.in_targets),
                                 hop__arg_buffer(base->levels),
                                 hop__arg_buffer(hop__bfs_device_parents(base)),
                                 hop__arg_u32(base->parents != NULL),
                                 hop__arg_buffer(d->front),
                                 hop__arg_buffer(d->next),
                                 hop__arg_buffer(d->open),
                                 hop__arg_u32(d->top.level + 1),
                                 hop__arg_buffer(d->top.pieces),
                                 hop__arg_buffer(d->state),
                                 hop__arg_u32((uint32_t)d->top.values[HOP__FRONTIER_HUB])};
    HOP_TRY(status, hop__buffer_fill(d->state, 0, STATE_WORDS * 4, 0));
    HOP_TRY(status, sweep_words(d, "bottom_up", 32 * 12, arguments, HOP_LENGTH(arguments)));
    if (d->top.hubs || base->task->query.graph->directed)
        HOP_TRY(status, bottom_up_pieces(d, arguments, HOP_LENGTH(arguments)));
    HOP_TRY(status, hop__buffer_read_now(d->state, 0, STATE_WORDS * 4, state));
    hop__buffer *swapped = d->front;
    d->front = d->next;
    d->next = swapped;
    d->top.level++;
    d->top.count = state[FOUND];
    d->top.arcs = (uint64_t)UNIT * state[ARCS];
done:
    return status;
}

static void explored(direction *d) {
    d->unexplored -= d->top.arcs < d->unexplored ? d->top.arcs : d->unexplored;
}

/* Levels bottom-up, until the frontier is small again; then it is a list. */
static hop_status run_dense(direction *d, bool *over) {
    hop_status status;
    uint64_t before = d->top.count;
    uint32_t queued = d->top.count;
    HOP_TRY(status, densify(d));
    d->switches++;
    for (;;) {
        HOP_TRY(status, bottom_up(d));
        explored(d);
        HOP_TRY(status, hop__frontier_over(&d->top, over));
        bool shrinks = d->top.count < before;
        before = d->top.count;
        if (*over ||
            (shrinks && (double)d->top.count * d->top.values[BETA] < (double)d->top.base.n))
            break;
    }
    if (*over)
        goto done;
    d->top.count = queued; /* of the queue so far */
    HOP_TRY(status, hop__frontier_move(&d->top, d->top.level, 0));
    hop__buffer *tail = d->top.state;
    hop__argument arguments[] = {hop__arg_buffer(d->front), hop__arg_buffer(d->top.queue),
                                 hop__arg_buffer(tail), hop__arg_u32(d->top.begin),
                                 hop__arg_u32(hop__frontier_tail(&d->top))};
    HOP_TRY(status, sweep_words(d, "sparsify", 8, arguments, HOP_LENGTH(arguments)));
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
