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
 * On processors the host looks after every step and decides. A GPU is given a whole search at once,
 * as searches of graphs with few levels are: small frontiers, some large ones, three levels
 * bottom-up, one of any size and small ones. Its kernels follow the same rules, and those whose
 * turn it is not do nothing (bfs_frontiers.cl); the host looks at the end, and gives it another
 * round if there is more to do. Small results are on their way before it looks.
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
enum { QUEUE = 1024, BITS = 32 };
enum { LEVELS_UP = 3 }; /* bottom-up, that are put into the queue together */
/* A graph is taken for one of few levels: up to so many, and with so many arcs for a vertex. */
enum { ROUND_LEVELS = 8, DENSE = 8 };
enum { RESULTS_EARLY = 2 << 20 }; /* bytes that are copied before it is known that all is there */
static const uint32_t MUST = UINT32_MAX; /* as in bfs_dense_program.cl */

typedef struct direction {
    hop__frontier top;
    hop__sweeper dense;         /* of the program of bottom-up levels */
    hop__buffer *fronts, *open; /* bitmaps, two of frontiers */
    uint64_t words;
} direction;

static uint64_t map_words(const hop_graph *graph) {
    return (graph->vertices + 31ull) / 32;
}

static void device_direction_blocks(const void *given, hop__workspace *space) {
    const hop__bfs_task *task = given;
    uint64_t words = map_words(task->query.graph);
    hop__frontier_blocks(space, task, true);
    hop__buffer_add(space, "bfs: fronts", 2 * words, 4, offsetof(direction, fronts));
    hop__buffer_add(space, "bfs: open", words, 4, offsetof(direction, open));
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
    /* Few arcs of a row are looked at. */
    d->dense.slice_most =
        hop__frontier_far(&d->top) ? base->sweeper.slice_most : base->sweeper.slice_most / 4 + 1;
done:
    return status;
}

/* Over the words of the bitmaps, with an item for each vertex where there are many. */
static hop_status sweep_words(direction *d, const char *kernel, uint64_t bytes,
                              const hop__argument *arguments, size_t argument_count) {
    const hop__sweep sweep = {.kernel = kernel,
                              .count = d->words,
                              .bytes = bytes,
                              .items = BITS,
                              .arguments = arguments,
                              .argument_count = argument_count};
    return hop__sweep_run(&d->dense, &sweep);
}

static uint32_t limit(const direction *d) {
    return d->top.base.task->query.max_level;
}

/* alpha MUST: the host says so; else the device decides whether the frontier becomes a bitmap. */
static hop_status densify(direction *d, uint32_t alpha) {
    hop__bfs_device *base = &d->top.base;
    hop__argument arguments[] = {hop__arg_buffer(base->rows.in_offsets),
                                 hop__arg_buffer(base->levels),
                                 hop__arg_buffer(d->fronts),
                                 hop__arg_buffer(d->open),
                                 hop__arg_u32(d->top.turn++),
                                 hop__arg_buffer(d->top.state),
                                 hop__arg_u32(limit(d)),
                                 hop__arg_u32(alpha),
                                 hop__arg_u32(hop__frontier_units(&d->top)),
                                 hop__arg_u64(base->n)};
    return sweep_words(d, "densify", 32 * 8 + 8, arguments, HOP_LENGTH(arguments));
}

/* The rows that were put aside, with the arguments of the kernel that did. */
static hop_status bottom_up_pieces(direction *d, const hop__argument *arguments, size_t count) {
    d->dense.launches++;
    return hop__launch_named(d->dense.program, "bottom_up_pieces",
                             hop__sweep_shape(&d->dense, d->words), arguments, count);
}

/* One level; beta as above. */
static hop_status bottom_up(direction *d, uint32_t beta) {
    enum { OF_PIECES = 12 };
    hop_status status;
    hop__bfs_device *base = &d->top.base;
    hop__argument arguments[] = {hop__arg_buffer(base->rows.in_offsets),
                                 hop__arg_buffer(base->rows.in_targets),
                                 hop__arg_buffer(base->levels),
                                 hop__arg_buffer(hop__bfs_device_parents(base)),
                                 hop__arg_u32(base->parents != NULL),
                                 hop__arg_buffer(d->fronts),
                                 hop__arg_buffer(d->open),
                                 hop__arg_u32(d->top.turn++),
                                 hop__arg_buffer(d->top.pieces),
                                 hop__arg_buffer(d->top.state),
                                 hop__arg_u32((uint32_t)d->top.values[HOP__FRONTIER_HUB]),
                                 hop__arg_u64(base->n),
                                 hop__arg_u32(limit(d)),
                                 hop__arg_u32(beta)};
    HOP_TRY(status, sweep_words(d, "bottom_up", 32 * 12, arguments, HOP_LENGTH(arguments)));
    if (d->top.hubs || base->task->query.graph->directed)
        HOP_TRY(status, bottom_up_pieces(d, arguments, OF_PIECES));
done:
    return status;
}

/* The frontier becomes a list; beta as above. */
static hop_status sparsify(direction *d, uint32_t beta) {
    hop__argument arguments[] = {hop__arg_buffer(d->fronts),  hop__arg_buffer(d->top.queue),
                                 hop__arg_u32(d->top.turn++), hop__arg_buffer(d->top.state),
                                 hop__arg_u32(limit(d)),      hop__arg_u32(beta),
                                 hop__arg_u64(d->top.base.n)};
    return sweep_words(d, "sparsify", 8, arguments, HOP_LENGTH(arguments));
}

/* --- the host decides ------------------------------------------------------------------------ */

/* Whether the next level is to be found bottom-up too. On a processor a list, and launches for few
 * vertices, cost more than a level of that kind: half as many vertices are enough. */
static bool stays_up(const direction *d) {
    const hop__frontier *top = &d->top;
    double beta = (hop__frontier_far(top) ? 1 : 2) * top->values[BETA];
    uint32_t before = top->seen.slots[(top->level + HOP__SLOTS - 1) % HOP__SLOTS][HOP__SLOT_COUNT];
    return top->count >= before || (double)top->count * beta >= (double)top->base.n;
}

/* One step, and a look; `grows` since the last one. */
static hop_status go_step(direction *d, bool grows) {
    hop_status status;
    bool dense = (double)d->top.arcs * d->top.values[ALPHA] > (double)d->top.unexplored;
    if (d->top.form == HOP__FRONTIER_MAP && !stays_up(d)) {
        HOP_TRY(status, sparsify(d, MUST));
        d->top.form = HOP__FRONTIER_LIST;
    } else if (d->top.form == HOP__FRONTIER_LIST && d->top.base.rows.in_offsets && grows && dense) {
        HOP_TRY(status, densify(d, MUST));
        d->top.form = HOP__FRONTIER_MAP;
    }
    if (d->top.form == HOP__FRONTIER_LIST)
        return hop__frontier_step(&d->top);
    HOP_TRY(status, bottom_up(d, MUST));
    HOP_TRY(status, hop__frontier_look(&d->top));
done:
    return status;
}

/* --- the device decides ---------------------------------------------------------------------- */

/* Whether levels are put into the queue before the host looks. */
static bool goes_ahead(const direction *d) {
    return hop__frontier_far(&d->top) && d->top.base.task->query.target_count == 0 &&
           d->top.values[HOP__FRONTIER_AHEAD] > 1 &&
           d->top.values[HOP__FRONTIER_SMALL] != HOP__SMALL_HOST;
}

/* Whether a frontier may become large enough for bottom-up within the levels of a round. */
static bool may_rise(const direction *d) {
    const hop__frontier *top = &d->top;
    double degree = (double)top->base.arcs / (double)top->base.n;
    if (!top->base.rows.in_offsets || top->values[ALPHA] == 0)
        return false;
    return (degree >= DENSE && top->level < ROUND_LEVELS) ||
           (double)top->arcs * top->values[ALPHA] * degree > (double)top->unexplored;
}

/* Levels top-down that a frontier which is no longer small takes to rise, if each has as many times
 * as many arcs as a vertex has. */
static uint32_t levels_to_rise(const direction *d) {
    const hop__frontier *top = &d->top;
    double degree = (double)top->base.arcs / (double)top->base.n, arcs = HOP__SMALL_ARCS;
    uint32_t levels = 1, most = (uint32_t)top->values[HOP__FRONTIER_AHEAD];
    arcs = degree * (arcs > (double)top->arcs ? arcs : (double)top->arcs);
    for (; levels < most && arcs * top->values[ALPHA] < (double)top->unexplored; levels++)
        arcs *= degree;
    return levels;
}

static hop_status go_up(direction *d) {
    hop_status status;
    uint32_t most = (uint32_t)d->top.values[HOP__FRONTIER_AHEAD];
    uint32_t beta = (uint32_t)d->top.values[BETA];
    for (uint32_t i = 0; i < LEVELS_UP && i < most; i++)
        HOP_TRY(status, bottom_up(d, beta));
    HOP_TRY(status, sparsify(d, beta));
    HOP_TRY(status, hop__frontier_blind(&d->top, 1, 0));
    HOP_TRY(status, hop__frontier_small(&d->top));
    status = hop__bfs_device_return_early(&d->top.base, RESULTS_EARLY);
done:
    return status;
}

/* Some levels, and a look. */
static hop_status go_round(direction *d) {
    hop_status status;
    bool rises = may_rise(d);
    d->top.base.returned = false;
    uint32_t alpha = rises ? (uint32_t)d->top.values[ALPHA] : 0, before = d->top.level;
    uint32_t form = d->top.form, all = (uint32_t)d->top.values[HOP__FRONTIER_AHEAD];
    if (form == HOP__FRONTIER_LIST) {
        HOP_TRY(status, hop__frontier_small(&d->top));
        HOP_TRY(status, hop__frontier_blind(&d->top, rises ? levels_to_rise(d) : all, alpha));
        if (rises)
            HOP_TRY(status, densify(d, alpha));
    }
    if (rises || form == HOP__FRONTIER_MAP)
        HOP_TRY(status, go_up(d));
    HOP_TRY(status, hop__frontier_look(&d->top));
    if (d->top.level == before && d->top.form == form) { /* too large for all of them */
        d->top.base.returned = false;
        HOP_TRY(status, hop__frontier_step(&d->top));
    }
done:
    return status;
}

static hop_status run_levels(direction *d) {
    hop_status status;
    bool over, ahead = goes_ahead(d);
    uint32_t before = 0;
    HOP_TRY(status, hop__frontier_over(&d->top, &over));
    while (!over) {
        bool grows = d->top.count > before;
        before = d->top.count;
        HOP_TRY(status, ahead ? go_round(d) : go_step(d, grows));
        HOP_TRY(status, hop__frontier_over(&d->top, &over));
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
    hop__count(context, "switches", d.top.seen.switches);
done:
    hop__frontier_end(&d.top, status);
    hop__sweeper_end(&d.dense);
    return status;
}

/* With arcs in, levels that are found bottom-up look at a fifth of the arcs (counted on R-MAT and
 * uniform graphs); without it goes top-down, with less to append than frontier-block. */
static hop__device_work work_of(const void *task) {
    const hop_graph *graph = ((const hop__bfs_task *)task)->query.graph;
    bool in = !graph->directed || hop_graph_prepared_reverse(graph);
    return hop__bfs_device_work(task, in ? 0.2 : 1, in ? 0 : 1.0 / 256);
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
            .device_work = work_of},
    .run = device_direction_run,
};
