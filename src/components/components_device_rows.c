/* SPDX-License-Identifier: Apache-2.0
 *
 * rem and afforest on devices. They work on the rows of the graph, not on a list of edges, and look
 * at most arcs once; what they do is said in components_rem.c and components_afforest.c. Items join
 * trees by atomic minimum instead of compare-and-swap (forest.cl), and take a bounded number of
 * steps in a launch.
 *
 * A graph that does not fit into the device's memory, or whose arcs do not fit into one buffer,
 * goes there in windows: some rows with their arcs, where a long row may begin in one window and
 * end in another. Each window is joined before the next. rem needs every window once; afforest
 * twice, once for the sampled arcs and once for the rest. A graph that fits is copied once, and
 * stays on the device (problem/device_graph.h). Labels stay there during the run.
 *
 * Cost: as on the host; on the device 4 bytes per vertex, and the graph, or a window of it. */
#include "components/components_afforest.h"

/* Rows [row, row + rows) and arcs [base, end), on the device. */
typedef struct window {
    uint64_t row, rows, base, end;
} window;

typedef struct rows_task {
    hop__device_forest forest;
    hop__buffer *offsets, *targets; /* of the window at hand */
    hop__buffer *found;             /* afforest: labels of the sample */
    const hop_graph *graph;         /* whose windows are made */
    const hop_graph *whole;         /* all of which is the window at hand, and stays it */
    uint64_t rows_most, arcs_most;  /* of a window */
    uint64_t windows;
    uint32_t round, rounds, downward, giant, one_way;
} rows_task;

static uint64_t width_of(const hop_graph *graph) {
    return graph->offset_bytes;
}

static uint64_t rows_bytes(const hop_graph *graph, uint64_t rows, uint64_t arcs) {
    return (rows + 1) * width_of(graph) + arcs * sizeof(hop_vertex);
}

/* Whether offsets and arcs of the whole graph fit now, beside so many bytes that are still to be
 * allocated. */
static bool fits_whole(const hop__device *device, const hop_graph *graph, uint64_t beside) {
    uint64_t left = hop__device_left(device), room = hop__device_room(device), n = graph->vertices;
    left -= beside < left ? beside : left;
    room = left < room ? left : room;
    return rows_bytes(graph, n, 0) <= room && graph->arcs * sizeof(hop_vertex) <= room &&
           rows_bytes(graph, n, graph->arcs) <= left;
}

/* All of the graph if it fits; else the most of a window. */
static void limit_windows(rows_task *work) {
    const hop_graph *graph = work->graph;
    uint64_t rest = hop__device_left(work->forest.device);
    uint64_t room = hop__device_room(work->forest.device);
    work->rows_most = graph->vertices;
    work->arcs_most = graph->arcs;
    if (fits_whole(work->forest.device, graph, 0))
        return;
    uint64_t part = rest / 2 < room ? rest / 2 : room;
    uint64_t rows = part / width_of(graph) / HOP__BLOCK_GRAIN, arcs = part / 4 / HOP__BLOCK_GRAIN;
    work->rows_most = rows > 0 ? rows * HOP__BLOCK_GRAIN - 1 : HOP__BLOCK_GRAIN - 1;
    work->arcs_most = (arcs > 0 ? arcs : 1) * HOP__BLOCK_GRAIN;
}

/* The last row that begins at or before `arc`. */
static uint64_t row_at(const hop_graph *graph, uint64_t low, uint64_t high, uint64_t arc) {
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (hop__offset(graph, middle) <= arc)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The window that begins with arc `base`. So it has an arc at least. All of the graph, which stays,
 * is known without a look at the rows, which may be on the device alone. */
static window window_at(const rows_task *work, uint64_t base) {
    const hop_graph *graph = work->graph;
    if (work->rows_most == graph->vertices && work->arcs_most == graph->arcs)
        return (window){.rows = graph->vertices, .end = graph->arcs};
    uint64_t row = row_at(graph, 0, graph->vertices, base);
    window made = {.row = row, .base = base, .end = graph->arcs};
    if (made.end - base > work->arcs_most)
        made.end = base + work->arcs_most;
    made.rows = graph->vertices - row;
    if (made.rows > work->rows_most) {
        made.rows = work->rows_most;
        uint64_t past = hop__offset(graph, row + made.rows);
        if (past < made.end)
            made.end = past;
    }
    if (made.end < graph->arcs)
        made.rows = row_at(graph, row, row + made.rows, made.end - 1) - row + 1;
    return made;
}

static void window_free(rows_task *work) {
    hop__workspace_drop(work->forest.space, &work->offsets);
    hop__workspace_drop(work->forest.space, &work->targets);
    work->whole = NULL;
}

/* Slices may be launched again as long as they are not settled, so a window stays until then. */
static hop_status window_end(rows_task *work) {
    hop_status status = hop__sweep_settle(&work->forest.sweeper, NULL);
    if (status == HOP_OK) /* the arrays are the host's again */
        status = hop__device_finish(work->forest.device);
    hop__device_settle(work->forest.device, status);
    window_free(work);
    return status;
}

static hop_status window_load(rows_task *work, const window *made) {
    const hop_graph *graph = work->graph;
    hop__workspace *space = work->forest.space;
    bool whole = made->rows == graph->vertices && made->end - made->base == graph->arcs;
    hop__life *life = whole ? hop__graph_life(graph) : NULL; /* a window does not stay */
    hop_status status;
    HOP_TRY(status,
            hop__workspace_keep(space, &work->offsets, made->rows + 1,
                                (const char *)graph->offsets + made->row * width_of(graph), life));
    HOP_TRY(status, hop__workspace_keep(space, &work->targets, made->end - made->base,
                                        graph->targets + made->base, life));
    if (life == NULL && !hop__device_shares_memory(work->forest.device))
        hop__device_count_copied(work->forest.device,
                                 rows_bytes(graph, made->rows, made->end - made->base));
    work->whole = whole ? graph : NULL;
done:
    return status;
}

typedef hop_status (*window_fn)(rows_task *work, const window *at);

/* One window after the other, with fewer arcs when the device has less memory than it says. A graph
 * that is one window is left there, and its slices are not waited for. */
static hop_status for_windows(rows_task *work, window_fn fn) {
    uint64_t base = 0;
    unsigned tries = 0;
    hop_status status = HOP_OK;
    if (work->whole && work->whole != work->graph)
        HOP_TRY(status, window_end(work));
    if (!work->whole)
        limit_windows(work);
    if (work->arcs_most < work->graph->arcs || work->rows_most < work->graph->vertices)
        HOP_TRY(status, hop_graph_check(hop__device_context(work->forest.device), work->graph));
    while (base < work->graph->arcs) {
        window at = window_at(work, base);
        status = work->whole ? HOP_OK : window_load(work, &at);
        if (hop__device_shrink(work->forest.device, status, &tries, &work->arcs_most,
                               HOP__BLOCK_GRAIN)) {
            window_free(work);
            continue;
        }
        if (status == HOP_OK)
            status = fn(work, &at);
        if (status == HOP_OK && !work->whole)
            status = window_end(work);
        if (status != HOP_OK)
            break;
        work->windows++;
        base = at.end;
    }
done:
    return status;
}

/* Chunks are of arcs, and tiles are of rows. */
static hop_status join_arcs(rows_task *work, const char *kernel, const window *at,
                            const hop__argument *arguments, size_t argument_count) {
    hop__device_forest *forest = &work->forest;
    bool chunked = hop__form_chunked(forest->device, &forest->sweeper.form);
    uint64_t arcs = at->end - at->base, count = chunked ? arcs : at->rows;
    forest->report->relaxations += arcs;
    return hop__device_forest_trips(forest, kernel, count, chunked ? 8 : width_of(work->graph) + 4,
                                    arguments, argument_count);
}

static hop_status join_window(rows_task *work, const window *at) {
    hop__device_forest *forest = &work->forest;
    hop__argument arguments[] = {hop__arg_buffer(work->offsets),  hop__arg_buffer(work->targets),
                                 hop__arg_buffer(forest->labels), hop__arg_buffer(forest->resume),
                                 hop__arg_u32(forest->steps),     hop__arg_u32((uint32_t)at->row),
                                 hop__arg_u64(at->rows),          hop__arg_u64(at->base),
                                 hop__arg_u64(at->end),           hop__arg_u32(work->downward)};
    return join_arcs(work, "join_rows", at, arguments, HOP_LENGTH(arguments));
}

static hop_status sample_window(rows_task *work, const window *at) {
    hop__device_forest *forest = &work->forest;
    bool whole = at->end - at->base == work->graph->arcs;
    hop_status status = HOP_OK;
    for (uint32_t round = 0; round < work->rounds; round++) {
        hop__argument arguments[] = {hop__arg_buffer(work->offsets),
                                     hop__arg_buffer(work->targets),
                                     hop__arg_buffer(forest->labels),
                                     hop__arg_buffer(forest->resume),
                                     hop__arg_u32(forest->steps),
                                     hop__arg_u32((uint32_t)at->row),
                                     hop__arg_u64(at->base),
                                     hop__arg_u64(at->end),
                                     hop__arg_u32(round)};
        HOP_TRY(status,
                hop__device_forest_trips(forest, "sample", at->rows, width_of(work->graph) + 12,
                                         arguments, HOP_LENGTH(arguments)));
        if (whole)
            HOP_TRY(status, hop__device_forest_shortcut(forest));
        forest->report->relaxations += at->rows;
    }
done:
    return status;
}

static hop_status rest_window(rows_task *work, const window *at) {
    hop__device_forest *forest = &work->forest;
    hop__argument arguments[] = {hop__arg_buffer(work->offsets),  hop__arg_buffer(work->targets),
                                 hop__arg_buffer(forest->labels), hop__arg_buffer(forest->resume),
                                 hop__arg_u32(forest->steps),     hop__arg_u32((uint32_t)at->row),
                                 hop__arg_u64(at->rows),          hop__arg_u64(at->base),
                                 hop__arg_u64(at->end),           hop__arg_u32(work->rounds),
                                 hop__arg_u32(work->giant),       hop__arg_u32(work->one_way)};
    return join_arcs(work, "rest", at, arguments, HOP_LENGTH(arguments));
}

static hop_status rows_begin(hop_context *context, const hop__components_task *task,
                             hop__blocks_fn blocks, const char *phase, const double *form,
                             uint32_t steps, hop__workspace *space, rows_task *work) {
    hop__define wide = {"WIDE_OFFSETS", width_of(task->graph) == 8};
    hop_status status;
    work->graph = task->graph;
    hop__progress_begin(context, phase, 0);
    HOP_TRY(status, hop__device_forest_open(context, task, blocks, space, &work->forest));
    HOP_TRY(status,
            hop__device_forest_begin(&work->forest, &hop__program_components_rows, &wide, 1, form));
    work->forest.steps = steps;
done:
    return status;
}

static hop_status rows_finish(rows_task *work, const hop__components_task *task) {
    hop_status status;
    HOP_TRY(status, hop__device_forest_shortcut(&work->forest));
    HOP_TRY(status, hop__device_forest_finish(&work->forest, task->count));
    hop__count(work->forest.context, "blocks", work->windows);
    status = hop__progress_end(work->forest.context);
done:
    return status;
}

/* The least window that is of use; see limit_windows. */
static void list_window(hop__workspace *space, const hop_graph *graph) {
    uint64_t rows = (uint64_t)graph->vertices + 1, arcs = graph->arcs;
    hop__block *offsets = hop__buffer_add(space, "components: offsets",
                                          rows < HOP__BLOCK_GRAIN ? rows : HOP__BLOCK_GRAIN,
                                          width_of(graph), offsetof(rows_task, offsets));
    hop__block *targets = hop__buffer_add(space, "components: arcs",
                                          arcs < HOP__BLOCK_GRAIN ? arcs : HOP__BLOCK_GRAIN,
                                          sizeof(hop_vertex), offsetof(rows_task, targets));
    offsets->later = offsets->elastic = targets->later = targets->elastic = true;
}

/* What does not fit beside the forest goes there in windows, `passes` times. */
static hop__graph_copy copy_of(hop__device *device, const hop_graph *graph, uint64_t forest,
                               uint64_t passes) {
    if (hop__device_shares_memory(device) || fits_whole(device, graph, forest))
        return hop__device_graph_copy(device, graph, 0);
    return (hop__graph_copy){passes * rows_bytes(graph, graph->vertices, graph->arcs), 0};
}

static void rem_forest(const void *user, hop__workspace *space) {
    const hop__components_task *task = user;
    hop__device_forest_blocks(space, task, task->values);
}

static void afforest_forest(const void *user, hop__workspace *space) {
    const hop__components_task *task = user;
    hop__device_forest_blocks(space, task, task->values + HOP__AFFOREST_OWN);
    hop__buffer_add(space, "components: sample", (uint64_t)task->values[HOP__AFFOREST_SAMPLES], 4,
                    offsetof(rows_task, found));
}

static hop__graph_copy rem_copy(const void *user, hop__device *device) {
    uint64_t forest = hop__blocks_need(rem_forest, user, device).bytes[HOP__MEMORY_DEVICE];
    return copy_of(device, ((const hop__components_task *)user)->graph, forest, 1);
}

static hop__graph_copy afforest_copy(const void *user, hop__device *device) {
    const hop_graph *graph = ((const hop__components_task *)user)->graph;
    const hop_graph *in = graph->directed ? hop__device_graph_in(graph) : NULL;
    uint64_t forest = hop__blocks_need(afforest_forest, user, device).bytes[HOP__MEMORY_DEVICE];
    hop__graph_copy copy = copy_of(device, graph, forest, 2);
    if (in) {
        hop__graph_copy other = copy_of(device, in, forest, 1);
        copy.missing += other.missing;
        copy.there += other.there;
    }
    return copy;
}

static void rem_blocks(const void *user, hop__workspace *space) {
    rem_forest(user, space);
    list_window(space, ((const hop__components_task *)user)->graph);
}

static hop_status rem_run(hop_context *context, const hop__components_task *task) {
    rows_task work = {.downward = !task->graph->directed};
    hop__workspace space = {0};
    hop_status status;
    HOP_TRY(status, rows_begin(context, task, rem_blocks, "components: rem", task->values,
                               (uint32_t)task->values[HOP__FORM_PARAMETERS], &space, &work));
    HOP_TRY(status, for_windows(&work, join_window));
    HOP_TRY(status, rows_finish(&work, task));
done:
    hop__device_forest_end(&work.forest, status);
    return status;
}

/* The labels of the sample are gathered on the device; the host looks which is the most frequent.
 */
static hop_status find_giant(rows_task *work, uint64_t samples) {
    hop__device_forest *forest = &work->forest;
    hop_vertex labels[HOP__AFFOREST_SAMPLES_MOST];
    hop__argument arguments[] = {hop__arg_buffer(forest->labels), hop__arg_buffer(work->found),
                                 hop__arg_u32((uint32_t)forest->n)};
    hop_status status;
    uint32_t left;
    bool late = true;
    while (late) {
        HOP_TRY(status, hop__device_forest_early(forest, "pick", samples, 8, arguments,
                                                 HOP_LENGTH(arguments)));
        HOP_TRY(status, hop__buffer_read(work->found, 0, samples * 4, labels));
        HOP_TRY(status, hop__sweep_read(&forest->sweeper, HOP__FLAG_LEFT, &left, &late));
    }
    work->giant = hop__afforest_giant(labels, samples, (hop_vertex)forest->n, true);
done:
    hop__device_settle(forest->device, status); /* it may write to this stack */
    return status;
}

static void afforest_blocks(const void *user, hop__workspace *space) {
    afforest_forest(user, space);
    list_window(space, ((const hop__components_task *)user)->graph);
}

static hop_status afforest_run(hop_context *context, const hop__components_task *task) {
    rows_task work = {.rounds = (uint32_t)task->values[HOP__AFFOREST_ROUNDS]};
    const hop_graph *reverse = task->graph->directed ? hop__device_graph_in(task->graph) : NULL;
    hop__workspace space = {0};
    hop_status status;
    work.one_way = task->graph->directed && !reverse;
    HOP_TRY(status, rows_begin(context, task, afforest_blocks, "components: afforest",
                               task->values + HOP__AFFOREST_OWN,
                               (uint32_t)task->values[HOP__AFFOREST_STEPS], &space, &work));
    HOP_TRY(status, for_windows(&work, sample_window));
    if (work.windows != 1)
        HOP_TRY(status, hop__device_forest_shortcut(&work.forest));
    HOP_TRY(status, find_giant(&work, (uint64_t)task->values[HOP__AFFOREST_SAMPLES]));
    HOP_TRY(status, for_windows(&work, rest_window));
    if (reverse) {
        work.graph = reverse;
        work.rounds = 0; /* none of its arcs is joined yet */
        HOP_TRY(status, for_windows(&work, rest_window));
    }
    task->report->rounds = (uint64_t)task->values[HOP__AFFOREST_ROUNDS];
    HOP_TRY(status, rows_finish(&work, task));
done:
    hop__device_forest_end(&work.forest, status);
    return status;
}

/* Two arcs of each vertex, both ends of each, and a look at labels; of the other arcs the few whose
 * rows are outside of the giant component. No other row counts, so this one is always taken. */
static hop__device_work afforest_work(const void *user) {
    const hop_graph *graph = ((const hop__components_task *)user)->graph;
    double n = graph->vertices, m = (double)graph->arcs;
    return (hop__device_work){
        .bytes = 24 * n + 0.4 * m, .gathers = 6 * n + 0.1 * m, .atomics = n, .waits = 5};
}

static const hop_parameter rem_parameters[] = {
    [HOP__FORM_GROUP] = HOP__FORM_GROUP_ROW,
    [HOP__FORM_CUT] = HOP__FORM_CUT_ROW,
    [HOP__FORM_PARAMETERS] = HOP__STEPS_ROW,
};

const hop__components_variant hop__components_device_rem = {
    .row = {.about = {.name = "rem",
                      .summary = "union-find with splicing: both ends of an edge climb together",
                      .source = "Cong 2014, algorithm 4 (Rem, in Dijkstra 1976)",
                      .place = HOP_PLACE_DEVICE,
                      .uses = HOP_PREPARE_DEVICE,
                      HOP__PARAMETERS(rem_parameters)},
            .copy = rem_copy,
            .blocks = rem_blocks},
    .run = rem_run,
};

const hop__components_variant hop__components_device_afforest = {
    .row = {.about = {.name = "afforest",
                      .summary = "joins two arcs per vertex, then what is outside the largest tree",
                      .source = "Sutton, Ben-Nun, Barak, IPDPS 2018",
                      .place = HOP_PLACE_DEVICE,
                      .uses = HOP_PREPARE_REVERSE | HOP_PREPARE_DEVICE,
                      HOP__PARAMETERS(hop__afforest_parameters)},
            .copy = afforest_copy,
            .blocks = afforest_blocks,
            .device_work = afforest_work},
    .run = afforest_run,
};
