/* SPDX-License-Identifier: Apache-2.0
 *
 * bfs-bits on a device: searches breadth first from up to 512 vertices at once, where each arc
 * counts the same.
 *
 * Every vertex has a bit per source in a few words, so one look at an arc, which is a segment of 32
 * bytes with 256 sources, serves all of them. A level is found from the frontier, or from what is
 * not reached yet where that is less work and the arcs in are known; the device decides
 * (breadth_bits_program.cl). So `ahead` levels are put into its queue before the host looks whether
 * one was empty, which costs a wait.
 *
 * A level goes to the rows of those sources that have just found a vertex: numbers of 2 bytes, of 4
 * from 65,536 vertices on, which are what goes over the bus. While the device is at one batch,
 * those of the batch before come back, and the host makes distances of them. Where nobody wants the
 * rows, the vertices that each source finds in a level are counted, and nothing else comes back.
 *
 * Weights as in bfs: none, or all the same integer.
 *
 * Source: Then et al., "The more the merrier: efficient multi-source graph traversal", VLDB 2014;
 * on GPUs: Liu, Huang, Hu, "iBFS: concurrent breadth-first search on GPUs", SIGMOD 2016. Cost:
 * O(levels (n + m)) for a batch of 128 to 512 sources; on the device the graph, 52 to 196 bytes per
 * vertex, and 4 or 8 for each of them and each source of a batch. */
#include <stdio.h>

#include "apsp/apsp_internal.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "kernels/launching.h"

extern const hop__program_source hop__program_breadth_bits;

enum { GROUP, CUT, SOURCES, AHEAD, PARAMETERS };
enum { WORDS_LEAST = 4, WORDS_STANDARD = 8, WORDS_MOST = 16 };
/* As in breadth_bits_program.cl. */
enum { SLOTS = 4, SLOT_WORDS = 2, SLOT_COUNT = 0, STATE_WORDS = SLOTS * SLOT_WORDS + 1 };
/* Units, which are rows and arcs, of a launch and of a worker. */
enum { SLICE = 1 << 24, SHARE = 32 };
enum { ROWS_GRAIN = 8 };

typedef struct bits_state {
    hop__device *device;
    hop__program *program;
    hop__form form;
    hop__device_graph rows;
    hop__buffer *now, *seen, *next, *marks, *state;
    hop__buffer *starts, *in_starts; /* of each slice's workers */
    hop__buffer *sources, *counts;   /* of a batch; counts: of `ahead` levels, else NULL */
    hop__buffer *levels[2];          /* of batches in turn; the second NULL: there is one */
    void *staged;                    /* those of a batch, on the host */
    uint32_t *told;                  /* counts, on the host */
    hop__event *read;                /* of what is on its way to `staged`, or NULL */
    hop_vertex read_first, read_count;
    uint32_t words, workers, slices, ahead, shift;
    uint64_t n, units, launches;
} bits_state;

/* --- memory ---------------------------------------------------------------------------------- */

static size_t level_size(const hop_graph *graph) {
    return graph->vertices <= UINT16_MAX ? 2 : 4;
}

/* Of the rows of a batch; an even number, since they are cleared by words. */
static uint64_t level_count(const hop__apsp_task *task, uint32_t words) {
    uint64_t sources = task->facts_only ? 1 : 32 * (uint64_t)words;
    return hop__apsp_add(hop__apsp_times(task->query.graph->vertices, sources), 1) & ~UINT64_C(1);
}

/* Buffers of levels: with one batch there is nothing to be sent meanwhile. */
static unsigned level_buffers(const hop__apsp_task *task, uint32_t words) {
    return !task->facts_only && task->row_count > 32 * words ? 2 : 1;
}

static uint64_t device_bytes(const hop__apsp_task *task, uint32_t words) {
    const hop_graph *graph = task->query.graph;
    uint64_t levels = hop__apsp_times(level_count(task, words), level_size(graph));
    uint64_t vertices = hop__apsp_times(graph->vertices, 12 * words + 4 + 2 * graph->offset_bytes);
    return hop__apsp_add(hop__apsp_times(levels, level_buffers(task, words)),
                         hop__apsp_add(vertices, 8 * graph->arcs));
}

/* The parameter's, else no more than there are rows; fewer where the device has little room. */
static uint32_t words_of(const hop__apsp_task *task, const hop__device *device) {
    const hop_device_info *info = device ? hop__device_info(device) : NULL;
    uint64_t room = task->device_bytes != 0 ? task->device_bytes : UINT64_MAX;
    uint64_t most = info && info->allocation > 0 ? info->allocation : UINT64_MAX;
    uint32_t words = WORDS_LEAST;
    if (task->values && task->values[SOURCES] > 0)
        return (uint32_t)WORDS_LEAST << ((uint32_t)task->values[SOURCES] - 1);
    if (info && info->memory < room)
        room = info->memory;
    while (words < WORDS_STANDARD && task->row_count > 32 * words &&
           device_bytes(task, 2 * words) <= room &&
           level_count(task, 2 * words) <= most / level_size(task->query.graph))
        words *= 2;
    return words;
}

/* Units of a level, cut into slices, each of them into the shares of workers. */
static uint64_t units_of(const hop_graph *graph) {
    return graph->vertices + graph->arcs;
}

static uint32_t slices_of(const hop_graph *graph) {
    return (uint32_t)((units_of(graph) - 1) / SLICE + 1);
}

static hop__shape shape_of(const hop__device *device, const hop__form *form, uint64_t units,
                           uint32_t lanes) {
    uint64_t slice = units < SLICE ? units : SLICE;
    return hop__form_shape(device, form, (slice / SHARE + 1) * lanes);
}

/* Items that go through a share side by side. */
static uint32_t lanes_of(const hop__device *device, const hop__form *form, uint32_t words) {
    return hop__form_chunked(device, form) ? 1 : words;
}

/* At most so many, in either form. */
static uint64_t workers_most(const hop_graph *graph) {
    uint64_t units = units_of(graph);
    return (units < SLICE ? units : SLICE) / SHARE + 1;
}

static bool has_in(const hop_graph *graph) {
    return graph->directed && hop__device_graph_in(graph) != NULL;
}

static void bits_blocks(const void *given, hop__workspace *space) {
    const hop__apsp_task *task = given;
    const hop_graph *graph = task->query.graph;
    const uint32_t words = words_of(task, space->device);
    const uint64_t n = graph->vertices, all = n * words;
    const uint64_t starts = slices_of(graph) * workers_most(graph);
    uint64_t ahead = task->values ? (uint64_t)task->values[AHEAD] : 1;
    hop__device_graph_blocks(space, offsetof(bits_state, rows), graph, HOP__GRAPH_REVERSE);
    hop__buffer_add(space, "apsp: reached now", all, 4, offsetof(bits_state, now))->zero = true;
    hop__buffer_add(space, "apsp: reached by", all, 4, offsetof(bits_state, seen));
    hop__buffer_add(space, "apsp: reached next", all, 4, offsetof(bits_state, next))->zero = true;
    hop__buffer_add(space, "apsp: marks", n, 4, offsetof(bits_state, marks));
    hop__buffer_add(space, "apsp: state", STATE_WORDS, 4, offsetof(bits_state, state));
    hop__buffer_add(space, "apsp: shares", starts, 4, offsetof(bits_state, starts));
    if (has_in(graph))
        hop__buffer_add(space, "apsp: shares of arcs in", starts, 4,
                        offsetof(bits_state, in_starts));
    hop__buffer_add(space, "apsp: sources", 32 * words, 4, offsetof(bits_state, sources));
    for (unsigned i = 0; i < level_buffers(task, words); i++)
        hop__buffer_add(space, "apsp: levels", level_count(task, words), level_size(graph),
                        offsetof(bits_state, levels) + i * sizeof(hop__buffer *));
    hop__block_add(space, "apsp: levels", level_count(task, words), level_size(graph),
                   offsetof(bits_state, staged));
    if (!task->facts_only)
        return;
    hop__buffer_add(space, "apsp: counts", ahead * 32 * words, 4, offsetof(bits_state, counts));
    HOP__BLOCK(space, "apsp: counts", ahead * 32 * words, bits_state, told);
}

/* --- a batch --------------------------------------------------------------------------------- */

static hop_status launch(bits_state *s, const char *kernel, hop__shape shape,
                         const hop__argument *arguments, size_t count) {
    s->launches++;
    return hop__launch_named(s->program, kernel, shape, arguments, count);
}

static hop__buffer *in_offsets(const bits_state *s) {
    return s->rows.in_offsets ? s->rows.in_offsets : s->rows.offsets;
}

static hop_status cut_units(bits_state *s, hop__buffer *offsets, hop__buffer *starts) {
    hop_status status = HOP_OK;
    for (uint32_t i = 0; i < s->slices; i++) {
        uint64_t first = (uint64_t)i * SLICE, left = s->units - first;
        hop__argument arguments[] = {
            hop__arg_u64(first),         hop__arg_u64(left < SLICE ? left : SLICE),
            hop__arg_u64(s->n),          hop__arg_u32(s->workers),
            hop__arg_buffer(offsets),    hop__arg_buffer(starts),
            hop__arg_u32(i * s->workers)};
        HOP_TRY(status, launch(s, "cut", hop__form_shape(s->device, &s->form, s->workers),
                               arguments, HOP_LENGTH(arguments)));
    }
done:
    return status;
}

static hop_status start(hop_context *context, hop__apsp_task *task) {
    bits_state *s = task->state;
    const hop_graph *graph = task->query.graph;
    hop_status status;
    HOP_TRY(status, hop__device_of(context, &s->device));
    HOP_TRY(status, hop__workspace_open(context, s->device, bits_blocks, task, s, task->space));
    s->form = hop__form_of(s->device, task->values);
    s->words = words_of(task, s->device);
    s->ahead = (uint32_t)task->values[AHEAD];
    s->n = graph->vertices;
    s->units = units_of(graph);
    s->slices = slices_of(graph);
    for (s->shift = 0; graph->arcs >> s->shift > UINT32_MAX / 2; s->shift++)
        continue;
    const hop__define defines[] = {{"WIDE_OFFSETS", graph->offset_bytes == 8},
                                   {"WORDS", s->words},
                                   {"LEVEL_BYTES", (int64_t)level_size(graph)}};
    uint32_t lanes = lanes_of(s->device, &s->form, s->words);
    hop__shape shape = shape_of(s->device, &s->form, s->units, lanes);
    uint64_t workers = (uint64_t)shape.groups[0] * shape.group[0] / lanes;
    uint64_t most = workers_most(graph);
    s->workers = (uint32_t)(workers < 1 ? 1 : workers < most ? workers : most);
    HOP_TRY(status, hop__form_program(s->device, &s->form, &hop__program_breadth_bits, defines,
                                      HOP_LENGTH(defines), &s->program));
    HOP_TRY(status, cut_units(s, s->rows.offsets, s->starts));
    if (s->in_starts)
        HOP_TRY(status, cut_units(s, s->rows.in_offsets, s->in_starts));
done:
    return status;
}

/* Level 0 of a batch: sources first .. first+count-1. `levels` NULL: they are not noted. */
static hop_status plant(const hop__apsp_task *task, bits_state *s, hop_vertex first,
                        hop_vertex count, hop__buffer *levels) {
    const uint64_t noted =
        levels ? hop__apsp_times(count, s->n) * level_size(task->query.graph) : 0;
    hop_status status;
    HOP_TRY(status, hop__buffer_fill(s->seen, 0, s->n * s->words * 4, 0));
    HOP_TRY(status, hop__buffer_fill(s->marks, 0, s->n * 4, UINT32_MAX));
    HOP_TRY(status, hop__buffer_fill(s->state, 0, STATE_WORDS * 4, 0));
    if (levels)
        HOP_TRY(status, hop__buffer_fill(levels, 0, (noted + 3) & ~UINT64_C(3), UINT32_MAX));
    if (task->sources)
        HOP_TRY(status, hop__buffer_write(s->sources, 0, count * 4ull, task->sources + first));
    hop__argument arguments[] = {hop__arg_u32(first),
                                 hop__arg_u32(count),
                                 hop__arg_buffer(s->sources),
                                 hop__arg_u32(task->sources != NULL),
                                 hop__arg_u64(s->n),
                                 hop__arg_u32(s->shift),
                                 hop__arg_buffer(s->rows.offsets),
                                 hop__arg_buffer(s->now),
                                 hop__arg_buffer(s->seen),
                                 hop__arg_buffer(s->marks),
                                 hop__arg_buffer(levels ? levels : s->levels[0]),
                                 hop__arg_u32(levels != NULL),
                                 hop__arg_buffer(s->state)};
    status = launch(s, "plant", hop__form_shape(s->device, &s->form, count), arguments,
                    HOP_LENGTH(arguments));
done:
    return status;
}

static hop_status advance(const hop__apsp_task *task, bits_state *s, uint32_t level,
                          hop_vertex count) {
    const hop_graph *graph = task->query.graph;
    const uint32_t lanes = lanes_of(s->device, &s->form, s->words);
    hop_status status = HOP_OK;
    for (uint32_t i = 0; i < s->slices; i++) {
        uint64_t first = (uint64_t)i * SLICE, left = s->units - first;
        uint64_t units = left < SLICE ? left : SLICE;
        hop__shape shape = hop__form_shape(s->device, &s->form, (uint64_t)s->workers * lanes);
        shape.items = units;
        hop__argument arguments[] = {
            hop__arg_u32(level),
            hop__arg_u64(first),
            hop__arg_u64(units),
            hop__arg_u32(s->workers),
            hop__arg_u32(i * s->workers),
            hop__arg_u32(count),
            hop__arg_u32(!graph->directed || s->rows.in_offsets),
            hop__arg_u32((uint32_t)(graph->arcs >> s->shift)),
            hop__arg_buffer(s->rows.offsets),
            hop__arg_buffer(s->rows.targets),
            hop__arg_buffer(s->starts),
            hop__arg_buffer(in_offsets(s)),
            hop__arg_buffer(s->rows.in_targets ? s->rows.in_targets : s->rows.targets),
            hop__arg_buffer(s->in_starts ? s->in_starts : s->starts),
            hop__arg_buffer(s->now),
            hop__arg_buffer(s->seen),
            hop__arg_buffer(s->next),
            hop__arg_buffer(s->marks),
            hop__arg_buffer(s->state)};
        HOP_TRY(status, launch(s, "advance", shape, arguments, HOP_LENGTH(arguments)));
    }
done:
    return status;
}

/* One level, or nothing if the batch is over. */
static hop_status find_level(const hop__apsp_task *task, bits_state *s, uint32_t level,
                             hop_vertex count, hop__buffer *levels) {
    hop_status status;
    hop__shape shape = hop__form_shape(s->device, &s->form, s->n);
    shape.items = s->n;
    hop__argument settle[] = {hop__arg_u32(level),
                              hop__arg_u64(s->n),
                              hop__arg_u32(count),
                              hop__arg_u32(s->shift),
                              hop__arg_buffer(s->rows.offsets),
                              hop__arg_buffer(in_offsets(s)),
                              hop__arg_buffer(s->now),
                              hop__arg_buffer(s->seen),
                              hop__arg_buffer(s->next),
                              hop__arg_buffer(s->marks),
                              hop__arg_buffer(levels ? levels : s->levels[0]),
                              hop__arg_u32(levels != NULL),
                              hop__arg_buffer(s->state)};
    hop__argument tell[] = {
        hop__arg_u32(level),        hop__arg_u64(s->n),
        hop__arg_buffer(s->now),    hop__arg_buffer(s->marks),
        hop__arg_buffer(s->counts), hop__arg_u32(level % s->ahead * 32 * s->words),
        hop__arg_buffer(s->state)};
    HOP_TRY(status, advance(task, s, level, count));
    HOP_TRY(status, launch(s, "settle", shape, settle, HOP_LENGTH(settle)));
    if (!levels)
        HOP_TRY(status, launch(s, "tell", shape, tell, HOP_LENGTH(tell)));
done:
    return status;
}

/* `ahead` levels from `level` on, of which none need be there. */
static hop_status find_some(const hop__apsp_task *task, bits_state *s, uint32_t level,
                            hop_vertex count, hop__buffer *levels) {
    hop_status status = HOP_OK;
    if (!levels)
        HOP_TRY(status, hop__buffer_fill(s->counts, 0, (uint64_t)s->ahead * 32 * s->words * 4, 0));
    for (uint32_t i = 0; i < s->ahead; i++)
        HOP_TRY(status, find_level(task, s, level + i, count, levels));
    status = hop__device_flush(s->device);
done:
    return status;
}

/* Whether the frontier of `level` is empty, after waiting for it. */
static hop_status look(hop_context *context, bits_state *s, uint32_t level, bool *over) {
    uint32_t words[STATE_WORDS];
    hop_status status = hop__buffer_read_now(s->state, 0, sizeof words, words);
    if (status != HOP_OK)
        return status;
    *over = words[level % SLOTS * SLOT_WORDS + SLOT_COUNT] == 0;
    return hop__progress_add(context, 0) ? HOP_OK : hop__progress_end(context);
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Distances of levels, for hop__for over the rows of a batch. */
typedef struct widening {
    const void *levels;
    char *rows;
    int64_t step;
    uint64_t n;
    size_t row_bytes;
    bool narrow; /* int32 */
    bool shorts; /* levels of 2 bytes */
} widening;

static void widen(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const widening *w = arg;
    (void)thread;
    for (uint64_t row = begin; row < end; row++) {
        int32_t *narrow = (int32_t *)(void *)(w->rows + row * w->row_bytes);
        int64_t *wide = (int64_t *)(void *)(w->rows + row * w->row_bytes);
        for (uint64_t v = 0; v < w->n; v++) {
            uint64_t at = row * w->n + v;
            uint32_t level = w->shorts ? ((const uint16_t *)w->levels)[at] : 0;
            if (!w->shorts)
                level = ((const uint32_t *)w->levels)[at];
            bool far = level == (w->shorts ? UINT16_MAX : UINT32_MAX);
            if (w->narrow)
                narrow[v] = far ? HOP_NO_DISTANCE_32 : (int32_t)(level * w->step);
            else
                wide[v] = far ? HOP_NO_DISTANCE : level * w->step;
        }
    }
}

static int64_t step_of(const hop_graph *graph) {
    return graph->weight_type == HOP_TYPE_NONE ? 1 : graph->shared->facts.max_weight_int;
}

/* Waits for the levels that are on their way, if there are any: rows of `out`. */
static hop_status receive(hop_context *context, const hop__apsp_task *task, bits_state *s,
                          void *out) {
    const hop_graph *graph = task->query.graph;
    hop_status status = HOP_OK;
    if (!s->read)
        return HOP_OK;
    HOP_TRY(status, hop__event_sync(s->read));
    widening work = {.levels = s->staged,
                     .rows = (char *)out + s->read_first * hop__apsp_row_bytes(task),
                     .step = step_of(graph),
                     .n = s->n,
                     .row_bytes = hop__apsp_row_bytes(task),
                     .narrow = task->distance_type == HOP_TYPE_INT32,
                     .shorts = level_size(graph) == 2};
    hop__for(context, s->read_count, ROWS_GRAIN, widen, &work);
done:
    hop__event_free(s->read);
    s->read = NULL;
    return status;
}

/* Sends levels off, in the other queue, behind the search. */
static hop_status send(const hop__apsp_task *task, bits_state *s, hop__buffer *levels,
                       hop_vertex first, hop_vertex count) {
    hop_status status;
    hop__event *made = NULL;
    s->read_first = first;
    s->read_count = count;
    HOP_TRY(status, hop__event_record(s->device, HOP__QUEUE_COMPUTE, &made));
    HOP_TRY(status, hop__event_wait(made, HOP__QUEUE_COPY));
    HOP_TRY(status, hop__queue_read(HOP__QUEUE_COPY, levels, 0,
                                    count * s->n * level_size(task->query.graph), s->staged));
    HOP_TRY(status, hop__event_record(s->device, HOP__QUEUE_COPY, &s->read));
    status = hop__device_flush(s->device);
done:
    hop__event_free(made);
    return status;
}

/* Rows of a batch at most. */
static hop_vertex batch_of(const hop__apsp_task *task, const bits_state *s, bool noted) {
    return task->facts_only && noted ? 1 : 32 * s->words;
}

static hop_status rows(hop_context *context, hop__apsp_task *task, hop_vertex first,
                       hop_vertex count, void *out) {
    bits_state *s = task->state;
    hop_status status = HOP_OK;
    hop_vertex at, some;
    hop__progress_begin(context, "apsp: bfs-bits", task->row_count);
    (void)hop__progress_add(context, first);
    for (unsigned turn = 0;
         (some = hop__apsp_take_rows(task, count, batch_of(task, s, true), &at)) > 0; turn++) {
        hop__buffer *levels = s->levels[turn % 2] ? s->levels[turn % 2] : s->levels[0];
        bool over = false;
        task->relaxations += (uint64_t)some * task->query.graph->vertices;
        if (levels == s->levels[0] && !s->levels[1]) /* there is no other */
            HOP_TRY(status, receive(context, task, s, out));
        HOP_TRY(status, plant(task, s, first + at, some, levels));
        for (uint32_t level = 0; !over; level += s->ahead) {
            HOP_TRY(status, find_some(task, s, level, some, levels));
            HOP_TRY(status, receive(context, task, s, out)); /* those of the batch before */
            HOP_TRY(status, look(context, s, level + s->ahead, &over));
        }
        HOP_TRY(status, send(task, s, levels, at, some));
        if (!hop__apsp_made_rows(context, task, some))
            break;
    }
    HOP_TRY(status, receive(context, task, s, out));
    HOP_TRY(status, hop__device_finish(s->device)); /* and the times of the kernels are known */
done:
    hop__device_settle(s->device, status);
    hop_status end = hop__progress_end(context);
    return status != HOP_OK ? status : end;
}

/* Adds up what was found in `ahead` levels behind `level`. */
static void add_counts(const bits_state *s, const hop__apsp_task *task, uint32_t level,
                       hop_vertex count, hop__apsp_facts *facts) {
    const int64_t step = step_of(task->query.graph);
    const uint64_t across = 32 * (uint64_t)s->words;
    for (uint32_t i = 0; i < s->ahead; i++) {
        int64_t distance = (level + i + INT64_C(1)) * step;
        const uint32_t *told = s->told + (level + i) % s->ahead * across;
        for (hop_vertex k = 0; k < count; k++) {
            facts[k].sum += (double)((int64_t)told[k] * distance); /* all are below 2^53 */
            facts[k].reached += told[k];
            if (told[k] > 0)
                facts[k].whole = distance;
        }
    }
}

static hop_status facts_of_batch(hop_context *context, hop__apsp_task *task, hop_vertex first,
                                 hop_vertex count, hop__apsp_facts *facts) {
    bits_state *s = task->state;
    hop_status status;
    bool over = false;
    for (hop_vertex i = 0; i < count; i++)
        facts[i] = (hop__apsp_facts){.reached = 1, .farthest = HOP_NO_VERTEX};
    HOP_TRY(status, plant(task, s, first, count, NULL));
    for (uint32_t level = 0; !over; level += s->ahead) {
        HOP_TRY(status, find_some(task, s, level, count, NULL));
        HOP_TRY(status, hop__buffer_read(s->counts, 0, s->ahead * 128ull * s->words, s->told));
        HOP_TRY(status, look(context, s, level + s->ahead, &over)); /* waits for both */
        add_counts(s, task, level, count, facts);
    }
    for (hop_vertex i = 0; i < count; i++)
        facts[i].number = (double)facts[i].whole;
done:
    return status;
}

static hop_status facts(hop_context *context, hop__apsp_task *task, hop_vertex first,
                        hop_vertex count, hop__apsp_facts *out) {
    bits_state *s = task->state;
    hop_status status = HOP_OK;
    hop_vertex at, some;
    hop__progress_begin(context, "apsp: bfs-bits", task->row_count);
    (void)hop__progress_add(context, first);
    while ((some = hop__apsp_take_rows(task, count, batch_of(task, s, false), &at)) > 0) {
        task->relaxations += (uint64_t)some * task->query.graph->vertices;
        HOP_TRY(status, facts_of_batch(context, task, first + at, some, out + at));
        if (!hop__apsp_made_rows(context, task, some))
            break;
    }
    HOP_TRY(status, hop__device_finish(s->device));
done:
    hop__device_settle(s->device, status);
    hop_status end = hop__progress_end(context);
    return status != HOP_OK ? status : end;
}

static void finish(hop__apsp_task *task) {
    bits_state *s = task->state;
    if (s->device) {
        hop__device_settle(s->device, task->succeeded ? HOP_OK : HOP_ERR_DEVICE);
        hop__count(hop__device_context(s->device), "launches", s->launches);
    }
    hop__event_free(s->read);
    s->read = NULL;
}

/* --- the row --------------------------------------------------------------------------------- */

static hop__graph_copy copy(const void *given, hop__device *device) {
    const hop__apsp_task *task = given;
    return hop__device_graph_copy(device, task->query.graph, HOP__GRAPH_REVERSE);
}

/* A batch looks at most arcs in three levels or so, each look being the words of a vertex; rows go
 * over the bus once. */
static hop__device_work work_of(const void *given) {
    const hop__apsp_task *task = given;
    const hop_graph *graph = task->query.graph;
    double rows = task->row_count, n = graph->vertices, m = (double)graph->arcs;
    double words = words_of(task, NULL), batches = rows > 32 * words ? rows / (32 * words) : 1;
    double noted = task->facts_only ? 0 : rows * n;
    return (hop__device_work){.bytes = batches * (12 * m + 80 * words * n) + 8 * noted,
                              .gathers = batches * (3 * m + 4 * n),
                              .waits = 7 * batches,
                              .copied = noted * (double)level_size(graph)};
}

static const hop_parameter parameters[PARAMETERS] = {
    [GROUP] = HOP__FORM_GROUP_ROW,
    [CUT] = HOP__FORM_CUT_ROW,
    [SOURCES] = {.name = "sources",
                 .summary = "searches at once; auto: 256, or 128 for few rows or little memory",
                 .type = HOP_PARAMETER_CHOICE,
                 .maximum = 3,
                 .choices = "auto 128 256 512"},
    [AHEAD] = {.name = "ahead",
               .summary = "levels that are put into the device's queue before the host looks",
               .type = HOP_PARAMETER_INTEGER,
               .minimum = 1,
               .maximum = 256,
               .standard = 8},
};
_Static_assert(WORDS_LEAST << 2 == WORDS_MOST, "choices of `sources`");

const hop__apsp_variant hop__apsp_device_bfs_bits = {
    .row = {.about = {.name = "bfs-bits",
                      .summary = "searches breadth first from up to 512 vertices at once, a bit "
                                 "each; weights as in bfs",
                      .source = "Then et al. 2014; Liu et al. 2016",
                      .place = HOP_PLACE_DEVICE,
                      .uses = HOP_PREPARE_REVERSE | HOP_PREPARE_DEVICE,
                      HOP__PARAMETERS(parameters)},
            .divides = true,
            .refuse = hop__apsp_refuse_weights,
            .blocks = bits_blocks,
            .copy = copy,
            .device_work = work_of},
    .state_bytes = sizeof(bits_state),
    .exact = true,
    .start = start,
    .rows = rows,
    .facts = facts,
    .finish = finish,
};
