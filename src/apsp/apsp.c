/* SPDX-License-Identifier: Apache-2.0
 *
 * The front of apsp: what is asked, the pick, the operations of the driver. Its need is a plan: how
 * many rows at a time, on how many threads. Its run looks for negative cycles first, then has the
 * rows made block by block, proved and handed over.
 *
 * The matrix is either the caller's, and then comes in one block, or is handed over in blocks of
 * rows that are ours and count against the budget. Where the budget does not hold a workspace for
 * every thread, fewer threads work. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apsp/apsp_crew.h"
#include "core/bitmap.h"
#include "core/cpu.h"
#include "core/options.h"
#include "core/parallel.h"
#include "core/span.h"
#include "core/try.h"

/* Rows that variant->facts() tells about at a time; rows from which on bfs-bits pays. */
enum { FACT_ROWS = 1 << 14, BITS_ROWS = 32 };

static const hop__variant *const variants[] = {
    &hop__apsp_floyd_warshall.row,
    &hop__apsp_bfs.row,
    &hop__apsp_bfs_bits.row,
    &hop__apsp_dijkstra.row,
    &hop__apsp_bellman_ford.row,
    &hop__apsp_johnson.row,
    &hop__apsp_blocked.row,
    &hop__apsp_blocked_disk.row,
    /* for devices */
    &hop__apsp_device_katz_kider.row,
    &hop__apsp_device_tran.row,
    &hop__apsp_device_tran_squaring.row,
    &hop__apsp_device_oocore.row,
    &hop__apsp_device_harish_narayanan.row,
    &hop__apsp_device_bfs_bits.row,
};
/* Nanoseconds on one core of 2020 or so, measured with n from 250 to 4000 and 2 to 400 arcs per
 * vertex; what matters is only which of the two is less. The diagonal blocks are closed by one
 * thread, and only the first of them while the others wait. */
static double blocked_cost(const hop__apsp_task *task) {
    static const double steps[] = {
        [HOP__CPU_PLAIN] = 0.3, [HOP__CPU_AVX2] = 0.055, [HOP__CPU_AVX512] = 0.03};
    double n = task->query.graph->vertices, block = n < 256 ? n : 256;
    double tuned = task->tuning->values[HOP__APSP_STEP];
    double all = n * n * n * (tuned > 0 ? tuned : steps[hop__cpu()]),
           closing = block * block * block * 0.1;
    double size = (double)hop_type_size(hop__apsp_blocked_type(task)) / 4;
    return size * (closing + (all + (n / block - 1) * closing) / task->threads);
}

static double plain_cost(const hop__apsp_task *task) {
    static const double step[] = {[HOP_TYPE_INT32] = 0.4,
                                  [HOP_TYPE_INT64] = 1.3,
                                  [HOP_TYPE_FLOAT32] = 0.3,
                                  [HOP_TYPE_FLOAT64] = 0.5};
    double n = task->query.graph->vertices;
    return n * n * n * step[task->distance_type];
}

/* A vertex that is reached costs its place in the queue, an arc a look. Where there are few arcs,
 * not everything is reached. */
static double sources_cost(const hop__apsp_task *task) {
    static const double share[] = {[HOP_TYPE_NONE] = 0.5,
                                   [HOP_TYPE_INT32] = 1,
                                   [HOP_TYPE_INT64] = 1,
                                   [HOP_TYPE_FLOAT32] = 1.25,
                                   [HOP_TYPE_FLOAT64] = 1.25};
    const hop_graph *graph = task->query.graph;
    double n = graph->vertices, m = (double)graph->arcs, sources = task->row_count;
    double reached = task->tuning->values[HOP__APSP_QUEUE];
    double queue = m < 3 * n ? reached / 3 * m : reached * n;
    return sources * (queue + task->tuning->values[HOP__APSP_ARC] * m) * share[graph->weight_type] /
           task->workers;
}

/* Whether searches breadth first are to be made many at once. */
static bool bits_suit(const hop__apsp_task *task) {
    return task->row_count >= BITS_ROWS &&
           hop__variant_need(&hop__apsp_bfs_bits.row, task, NULL).bytes[HOP__MEMORY_HOST] <=
               task->free_bytes / 2;
}

/* Searches breadth first: what a vertex costs is a jump that was not foreseen, or two; of its arcs
 * those from the other end that are looked at hardly count, but there must be such arcs. */
static double breadth_cost(const hop__apsp_task *task) {
    const hop_graph *graph = task->query.graph;
    double n = graph->vertices, m = (double)graph->arcs, sources = task->row_count;
    double arc =
        task->tuning->values[HOP__APSP_ARC] * (hop_graph_prepared_reverse(graph) ? 0.1 : 1);
    double queue = task->tuning->values[HOP__APSP_QUEUE] / 4;
    if (bits_suit(task)) { /* a bit costs next to nothing, an entry that is written a jump */
        arc = task->tuning->values[HOP__APSP_ARC] / 16;
        queue = task->tuning->values[HOP__APSP_QUEUE] / (task->facts_only ? 512 : 16);
    }
    return sources * (queue * (m < n ? m : n) + arc * m) / task->workers;
}

static double searches_cost(const hop__apsp_task *task) {
    char text[HOP__REASON];
    return hop__apsp_bfs.row.refuse(task, text) ? sources_cost(task) : breadth_cost(task);
}

/* Whether the matrix, if it is ours, and what the row needs beside it are within the budget. */
static bool matrix_fits(const hop__apsp_task *task, const hop__variant *row) {
    uint64_t bytes = hop__apsp_times(hop__apsp_row_bytes(task), task->query.graph->vertices);
    bytes = task->by_rows ? hop__apsp_add(bytes, 64) : 0;
    return hop__apsp_add(bytes, hop__variant_need(row, task, NULL).bytes[HOP__MEMORY_HOST]) <=
           task->free_bytes;
}

/* D2's conclusion: searches from each source win on large graphs with few arcs, and their time
 * grows with the arcs; that of the variants on the matrix depends on the vertices alone. */
static const hop__variant *apsp_pick(const void *given, char reason[HOP__REASON]) {
    const hop__apsp_task *task = given;
    const hop_graph *graph = task->query.graph;
    double degree = graph->vertices > 0 ? (double)graph->arcs / graph->vertices : 0;
    char text[HOP__REASON];
    bool negative = task->query.negative;
    bool blocked = !hop__apsp_blocked.row.refuse(task, text);
    char queue[HOP__TUNED_TEXT];
    hop__tuned_text(task->tuning, HOP__APSP_QUEUE, queue);
    const hop__variant *matrix = blocked ? &hop__apsp_blocked.row : &hop__apsp_floyd_warshall.row;
    bool fits = matrix_fits(task, matrix);
    if (!matrix->refuse(task, text) && fits &&
        (blocked ? blocked_cost(task) : plain_cost(task)) < searches_cost(task)) {
        snprintf(reason, HOP__REASON,
                 "with %.3g arcs per vertex of %u, n^3 steps over the matrix cost less than a "
                 "search from each vertex (%s)",
                 degree, graph->vertices, queue);
        return matrix;
    }
    if (blocked && !fits && task->scratch && hop__apsp_disk_fits(task) &&
        blocked_cost(task) < searches_cost(task)) {
        snprintf(reason, HOP__REASON,
                 "with %.3g arcs per vertex of %u, n^3 steps over the matrix cost less than a "
                 "search from each vertex (%s); it does not fit the budget, and stays in the file",
                 degree, graph->vertices, queue);
        return &hop__apsp_blocked_disk.row;
    }
    if (negative && hop__apsp_johnson.row.refuse(task, text)) {
        snprintf(reason, HOP__REASON, "there are negative weights, and only it adds them exactly");
        return &hop__apsp_bellman_ford.row;
    }
    bool breadth = !hop__apsp_bfs.row.refuse(task, text);
    snprintf(
        reason, HOP__REASON,
        "with %.3g arcs per vertex of %u, a search from each costs less than n^3 steps over the "
        "matrix (%s)%s%s",
        degree, graph->vertices, queue, fits ? "" : ", which does not fit the budget",
        breadth    ? graph->weight_type == HOP_TYPE_NONE
                         ? "; there are no weights, so arcs are counted"
                         : "; all weights are the same, so arcs are counted"
        : negative ? "; negative weights need potentials"
                   : "; no weight is negative");
    if (breadth)
        return bits_suit(task) ? &hop__apsp_bfs_bits.row : &hop__apsp_bfs.row;
    return negative ? &hop__apsp_johnson.row : &hop__apsp_dijkstra.row;
}

static double apsp_host_cost(const void *given) {
    char reason[HOP__REASON];
    const hop__apsp_task *task = given;
    const hop__variant *row = apsp_pick(task, reason);
    return row == &hop__apsp_floyd_warshall.row ? plain_cost(task)
           : row == &hop__apsp_blocked.row || row == &hop__apsp_blocked_disk.row
               ? blocked_cost(task)
               : searches_cost(task);
}

/* One call, whichever way the rows go. */
typedef struct apsp_call {
    hop__call base; /* first: the operations get it */
    hop__apsp_task task;
    hop_apsp_options options;
    const hop__apsp_variant *row;
    hop__workspace space;
    hop__apsp_crew crew;
    const hop_span *given;         /* the caller's matrix, or NULL */
    hop_apsp_summary *told;        /* the caller's, or NULL */
    void *matrix, *eccentricities; /* the caller's, or NULL */
    hop_apsp_rows_fn hand_over;
    void *user;
    hop_apsp_summary summary;
    unsigned workers; /* that task.workers begins with */
    hop_vertex block_rows;
    void *block;
    hop__apsp_facts *facts; /* fact_rows of them: see run_facts */
    hop_vertex fact_rows;
    uint64_t *chosen; /* the rows to certify */
} apsp_call;

static bool wants_proof(const apsp_call *call) {
    return call->base.run.certify != HOP_CERTIFY_NONE;
}

/* Whether the row tells what the rows of the matrix say, and does not make them. */
static bool tells_facts(const apsp_call *call) {
    return call->task.facts_only && call->row->facts;
}

static hop__apsp_claim claim_of(const apsp_call *call) {
    return (hop__apsp_claim){.query = &call->task.query,
                             .distance_type = call->task.distance_type,
                             .exact = call->row->exact,
                             .chosen = call->chosen,
                             .sources = call->task.sources,
                             .workers = call->task.workers};
}

/* What the row allocates, for all devices that it runs on. */
static uint64_t variant_need(const apsp_call *call) {
    const hop__variant *row = &call->row->row;
    hop__device *device = call->base.device;
    uint64_t bytes = 0;
    for (unsigned i = 0; i == 0 || device; i++) {
        bytes = hop__apsp_add(bytes,
                              hop__variant_need(row, &call->task, device).bytes[HOP__MEMORY_HOST]);
        if (call->row->state_bytes > 0)
            bytes = hop__apsp_add(bytes, hop__block_bytes(1, call->row->state_bytes));
        device = call->base.device && row->divides ? hop__device_other(call->base.device, i) : NULL;
    }
    return bytes;
}

/* What the call allocates at most at a time, with task.workers and blocks of `rows`. */
static uint64_t need_of(const apsp_call *call, hop_vertex rows) {
    const hop__apsp_task *task = &call->task;
    hop_vertex n = task->query.graph->vertices;
    hop__apsp_claim claim = claim_of(call);
    uint64_t variant = variant_need(call);
    uint64_t proof = wants_proof(call) ? hop__apsp_certify_memory(&claim) : 0;
    uint64_t bytes, other;
    bytes = variant;
    if (task->by_rows) /* the variant keeps its state from block to block */
        bytes = hop__apsp_add(hop__apsp_add(variant, proof),
                              hop__block_bytes(rows, hop__apsp_row_bytes(task)));
    if (tells_facts(call))
        bytes = hop__apsp_add(bytes, hop__block_bytes(call->fact_rows, sizeof *call->facts));
    else if (proof > bytes)
        bytes = proof;
    if (wants_proof(call) && call->options.certify_rows > 0)
        bytes = hop__apsp_add(
            bytes, hop__block_bytes(hop__bitmap_words(task->row_count), sizeof(uint64_t)));
    if (!task->query.negative)
        return bytes;
    if (call->row->wants_potentials)
        bytes = hop__apsp_add(bytes, hop__block_bytes(n, sizeof(int64_t)));
    other = hop__apsp_find_cycle_memory(task);
    return other > bytes ? other : bytes;
}

/* How many rows at a time, and on how many threads. */
static hop_status apsp_fit(hop_context *context, hop__call *given) {
    apsp_call *call = (apsp_call *)given;
    hop__apsp_task *task = &call->task;
    call->row = (const hop__apsp_variant *)given->row;
    task->workers = call->workers;
    hop_vertex n = task->query.graph->vertices;
    bool whole = call->row->whole || !task->by_rows;
    uint64_t need, row_bytes = hop__apsp_row_bytes(task), matrix = hop__apsp_times(row_bytes, n);
    if (!task->by_rows && matrix > PTRDIFF_MAX) /* no array of the caller can be that large */
        return hop__apsp_refuse_bytes(context, call->row->row.about.name, task, matrix, true);
    call->fact_rows = task->row_count < FACT_ROWS ? task->row_count : FACT_ROWS;
    for (;; task->workers--) {
        call->block_rows = whole ? n : tells_facts(call) ? 1 : task->workers;
        need = need_of(call, call->block_rows);
        if (need <= task->free_bytes || task->workers == 1)
            break;
    }
    given->report.memory_bytes = need;
    if (need > task->free_bytes)
        return hop__apsp_refuse_bytes(context, call->row->row.about.name, task, need,
                                      call->row->whole && task->by_rows);
    if (!whole && !tells_facts(call)) {
        uint64_t spare = (task->free_bytes - need) / row_bytes + call->block_rows;
        uint64_t most = HOP__APSP_BLOCK_BYTES / row_bytes;
        most = most > task->workers ? most : task->workers;
        spare = spare < most ? spare : most;
        call->block_rows = spare < task->row_count ? (hop_vertex)spare : task->row_count;
        need = need_of(call, call->block_rows);
    }
    given->report.memory_bytes = need;
    given->report.file_bytes = call->row->file_bytes ? call->row->file_bytes(task) : 0;
    return HOP_OK;
}

static hop_status make_block(hop_context *context, apsp_call *call) {
    hop_status status = HOP_OK;
    hop_vertex rows = call->task.row_count;
    if (call->task.by_rows)
        HOP_TRY(status, hop__alloc(context, "apsp: rows", call->block_rows,
                                   hop__apsp_row_bytes(&call->task), &call->block));
    if (tells_facts(call))
        HOP_TRY(status, hop__alloc(context, "apsp: facts of rows", call->fact_rows,
                                   sizeof *call->facts, &call->facts));
    if (wants_proof(call))
        HOP_TRY(status,
                hop__apsp_draw(context, rows, 0, rows, call->options.certify_rows, &call->chosen));
done:
    return status;
}

static hop_status prove_rows(hop_context *context, apsp_call *call, hop_vertex first,
                             hop_vertex count, const void *rows) {
    hop__apsp_claim claim = claim_of(call);
    if (!wants_proof(call))
        return HOP_OK;
    hop__certify_begin(&call->base);
    hop_status status = hop__apsp_certify(context, &claim, first, count, rows);
    hop__certify_end(&call->base);
    return status;
}

static hop_status hand_over(hop_context *context, apsp_call *call, hop_vertex first,
                            hop_vertex count, const void *rows) {
    const hop_view view = {rows, (uint64_t)count * call->task.query.graph->vertices,
                           call->task.distance_type};
    call->base.final = true; /* rows cannot be taken back */
    if (!call->hand_over || call->hand_over(call->user, first, count, &view))
        return HOP_OK;
    return hop__fail(context, HOP_ERR_CANCELLED, "apsp: stopped by the caller after row %u of %u",
                     first + count - 1, call->task.row_count);
}

/* Rows that are made: checked, summed up, certified, handed over. The run's clock is running. */
static hop_status deliver(hop_context *context, apsp_call *call, hop_vertex first, hop_vertex count,
                          const void *rows) {
    const hop__apsp_task *task = &call->task;
    hop_status status = hop__apsp_check_range(context, task, first, count, rows);
    if (status == HOP_OK && call->told)
        hop__apsp_summarize(context, task, first, count, rows, &call->summary,
                            call->eccentricities);
    hop__run_end(context, &call->base);
    if (task->by_rows && status == HOP_OK)
        status = prove_rows(context, call, first, count, rows);
    if (task->by_rows && status == HOP_OK)
        status = hand_over(context, call, first, count, rows);
    hop__run_begin(context, &call->base);
    return status;
}

/* Of the rows of all vertices those that are wanted, in runs of neighbours. */
static hop_status deliver_sources(hop_context *context, apsp_call *call, const char *rows) {
    const hop__apsp_task *task = &call->task;
    hop_status status = HOP_OK;
    hop_vertex count;
    for (hop_vertex first = 0; status == HOP_OK && first < task->row_count; first += count) {
        const hop_vertex *sources = task->sources + first;
        for (count = 1; first + count < task->row_count; count++)
            if (sources[count] != sources[count - 1] + 1)
                break;
        status =
            deliver(context, call, first, count, rows + sources[0] * hop__apsp_row_bytes(task));
    }
    return status;
}

/* Only the summary: from what the row tells of each row of the matrix. One of these is made, where
 * the greatest distance is, to see which vertex is so far away. */
static hop_status run_facts(apsp_call *call) {
    hop__apsp_task *task = &call->task;
    hop_status status;
    hop_vertex count, farthest = 0;
    for (hop_vertex first = 0; first < task->row_count; first += count) {
        hop_vertex left = task->row_count - first;
        count = left < call->fact_rows ? left : call->fact_rows;
        HOP_TRY(status, hop__apsp_crew_rows(&call->crew, first, count, NULL, call->facts));
        hop__apsp_sum_up(task, first, count, call->facts, &call->summary, call->eccentricities);
    }
    while (hop__apsp_vertex(task, farthest) != call->summary.diameter_from)
        farthest++;
    HOP_TRY(status, hop__apsp_crew_rows(&call->crew, farthest, 1, call->block, NULL));
    call->summary.diameter_to =
        hop__apsp_look(task, call->summary.diameter_from, call->block).farthest;
done:
    return status;
}

/* All rows, block by block. */
static hop_status run_blocks(hop_context *context, apsp_call *call) {
    hop__apsp_task *task = &call->task;
    void *rows = task->by_rows ? call->block : call->matrix;
    bool cut = call->row->whole && task->sources;
    hop_vertex all = cut ? task->query.graph->vertices : task->row_count, count;
    hop_status status = hop__apsp_crew_start(context, call->row, task, &call->crew);
    if (status == HOP_OK && tells_facts(call)) {
        status = run_facts(call);
        all = 0;
    }
    for (hop_vertex first = 0; status == HOP_OK && first < all; first += count) {
        count = all - first < call->block_rows ? all - first : call->block_rows;
        status = hop__apsp_crew_rows(&call->crew, first, count, rows, NULL);
        if (status == HOP_OK)
            status = cut ? deliver_sources(context, call, rows)
                         : deliver(context, call, first, count, rows);
    }
    if (!task->by_rows && call->row->keeps_file && status == HOP_OK) { /* gone when it is proved */
        hop__run_end(context, &call->base);
        status = prove_rows(context, call, 0, all, call->matrix);
        hop__run_begin(context, &call->base);
    }
    hop__apsp_crew_finish(&call->crew, status);
    return status;
}

/* Negative cycles first: then every pair has a distance, or none because it is not reached. */
static hop_status find_cycle(hop_context *context, apsp_call *call) {
    hop__apsp_task *task = &call->task;
    if (!task->query.negative)
        return HOP_OK;
    hop__phase(context, "negative cycles");
    hop_status status = hop__apsp_find_cycle(
        context, task, call->row->wants_potentials && task->query.distance_type == HOP_TYPE_INT64);
    hop__phase_stop(context);
    return status;
}

static void free_all(apsp_call *call) {
    hop__free(call->block);
    hop__free(call->facts);
    hop__free(call->chosen);
    hop__free(call->task.potentials);
    call->block = NULL;
    call->facts = NULL;
    call->chosen = NULL;
    call->task.potentials = NULL;
}

static hop_status apsp_run(hop_context *context, hop__call *given) {
    apsp_call *call = (apsp_call *)given;
    hop__apsp_task *task = &call->task;
    hop_status status;
    task->rounds = task->relaxations = 0;
    call->summary = (hop_apsp_summary)HOP_APSP_SUMMARY_INIT;
    HOP_TRY(status, find_cycle(context, call));
    HOP_TRY(status, make_block(context, call));
    status = run_blocks(context, call);
done:
    given->report.rounds = task->rounds;
    given->report.relaxations = task->relaxations;
    if (status != HOP_OK)
        free_all(call);
    return status;
}

/* What is not proved yet: a cycle, or the whole matrix, in the memory that the row had. */
static hop_status apsp_certify(hop_context *context, hop__call *given, hop_status ended) {
    apsp_call *call = (apsp_call *)given;
    const hop__apsp_task *task = &call->task;
    if (ended == HOP_ERR_NEGATIVE_CYCLE) {
        const hop_graph *graph = task->query.graph;
        hop_status proof = hop_cycle_certify(context, graph, context->cycle, context->cycle_length);
        return proof == HOP_OK ? hop__cycle_report(context, "apsp", graph) : proof;
    }
    if (task->by_rows || call->row->keeps_file)
        return HOP_OK;
    hop__apsp_claim claim = claim_of(call);
    return hop__apsp_certify(context, &claim, 0, task->row_count, call->matrix);
}

static hop_status apsp_finish(hop_context *context, hop__call *given, hop_status status) {
    (void)context;
    free_all((apsp_call *)given);
    return status;
}

/* The host fills a matrix from the rows of the graph, on any device. */
static const char *apsp_host_needs(const hop__call *call) {
    return ((const hop__apsp_variant *)call->row)->whole ? "the host fills the matrix" : NULL;
}

const hop__problem hop__apsp_problem = {.name = "apsp",
                                        .rows = variants,
                                        .row_count = HOP_LENGTH(variants),
                                        .pick = apsp_pick,
                                        .host_cost = apsp_host_cost,
                                        .fit = apsp_fit,
                                        .host_needs = apsp_host_needs,
                                        .run = apsp_run,
                                        .certify = apsp_certify,
                                        .finish = apsp_finish};

/* The caller's header may be older. What the caller has set stays. */
static void write_summary(apsp_call *call) {
    size_t size = call->told->size;
    call->summary.size = size;
    if (size > offsetof(hop_apsp_summary, eccentricities))
        call->summary.eccentricities = call->told->eccentricities;
    memcpy(call->told, &call->summary, size < sizeof call->summary ? size : sizeof call->summary);
}

/* What the caller gives to be written to: the matrix, the summary, the eccentricities. */
static hop_status take_outputs(hop_context *context, apsp_call *call) {
    const hop__apsp_task *task = &call->task;
    hop_apsp_summary told = HOP_APSP_SUMMARY_INIT;
    uint64_t items = hop__apsp_times(task->row_count, task->query.graph->vertices);
    hop_status status;
    HOP_TRY(status, hop__span_take(context, "apsp: matrix", call->given, task->distance_type, items,
                                   &call->matrix));
    HOP_TRY(status, hop__lent_refuse(context, "apsp: matrix", call->matrix));
    HOP_TRY(status,
            hop__options_take(context, "HOP_APSP_SUMMARY_INIT", call->told, &told, sizeof told));
    HOP_TRY(status, hop__span_take(context, "apsp: eccentricities", told.eccentricities,
                                   task->distance_type, task->row_count, &call->eccentricities));
done:
    return status;
}

/* Rows of some vertices into the caller's matrix. */
static bool copy_rows(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    const apsp_call *call = user;
    size_t row_bytes = hop__apsp_row_bytes(&call->task);
    memcpy((char *)call->matrix + first * row_bytes, rows->items, count * row_bytes);
    return true;
}

/* Whether nobody looks at the rows; and whether sums of a row are exact in a double, however they
 * are added up. */
static bool facts_are_enough(const apsp_call *call) {
    const hop__apsp_task *task = &call->task;
    uint64_t n = task->query.graph->vertices;
    return task->by_rows && !call->hand_over && !wants_proof(call) &&
           task->query.distance_type == HOP_TYPE_INT64 &&
           hop__apsp_times(n * n, hop__apsp_heaviest(task->query.graph)) < UINT64_C(1) << 53;
}

/* Reads what is asked, and where the rows go. */
static hop_status take(hop_context *context, const hop_graph *graph, const hop_apsp_options *given,
                       apsp_call *call) {
    hop__apsp_task *task = &call->task;
    hop_status status =
        hop__apsp_take(context, graph, given, &call->options, &call->base.run, task);
    if (status != HOP_OK)
        return status;
    HOP_TRY(status, take_outputs(context, call));
    if (!task->by_rows && task->sources && (call->matrix || task->row_count == 0)) {
        task->by_rows = true;
        call->hand_over = copy_rows;
        call->user = call;
    }
    if (!task->by_rows && !call->matrix && graph->vertices > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT, "apsp: the matrix is NULL");
    if (task->by_rows && !call->hand_over && !call->told)
        return hop__fail(context, HOP_ERR_ARGUMENT, "apsp: the callback is NULL");
    task->facts_only = facts_are_enough(call);
    call->base.empty = task->row_count == 0;
    call->workers = task->workers;
    task->values = call->base.values;
    task->space = &call->space;
done:
    return status;
}

static hop_status solve(hop_context *context, const hop_graph *graph, const hop_apsp_options *given,
                        apsp_call *call) {
    call->base.problem = &hop__apsp_problem;
    call->base.task = &call->task;
    hop__cycle_drop(context);
    hop_status status = hop__solve(context, &call->base, take(context, graph, given, call));
    if (call->told && status == HOP_OK && !call->base.run.plan)
        write_summary(call);
    if (status != HOP_ERR_NEGATIVE_CYCLE)
        hop__cycle_drop(context);
    return status;
}

hop_status hop_apsp(hop_context *context, const hop_graph *graph, const hop_apsp_options *options,
                    const hop_span *matrix, hop_apsp_summary *summary) {
    apsp_call call = {.given = matrix, .told = summary};
    return context ? solve(context, graph, options, &call) : HOP_ERR_ARGUMENT;
}

hop_status hop_apsp_rows(hop_context *context, const hop_graph *graph,
                         const hop_apsp_options *options, hop_apsp_rows_fn rows, void *user,
                         hop_apsp_summary *summary) {
    apsp_call call = {.hand_over = rows, .user = user, .told = summary};
    call.task.by_rows = true;
    return context ? solve(context, graph, options, &call) : HOP_ERR_ARGUMENT;
}
