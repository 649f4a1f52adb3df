/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks rows of a matrix of distances, in parallel over the rows: all of them or some that are
 * drawn. How a row is checked is in apsp_certify_row.c. The workers store what they find; the
 * caller's thread reports it. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "apsp/apsp_certificate.h"
#include "core/bitmap.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/rng.h"
#include "core/span.h"
#include "core/try.h"
#include "graph/numbers.h"
#include "io/text/text_print.h"

enum { DRAW_STREAM = 0x61707370 };

typedef struct certify_job {
    const hop__apsp_claim *claim;
    proof_space *spaces;
    hop_vertex first, count;
    const char *rows;
    size_t row_bytes;
    atomic_uint_fast64_t next;
    atomic_bool stopped;
    atomic_flag failed; /* whoever sets it writes the rest */
    row_verdict verdict;
    hop_vertex source;
    const void *row;
} certify_job;

static void certify_rows(void *arg, unsigned thread, unsigned threads) {
    certify_job *job = arg;
    const hop__apsp_claim *claim = job->claim;
    (void)threads;
    while (!atomic_load_explicit(&job->stopped, memory_order_relaxed)) {
        uint64_t at = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        if (at >= job->count)
            return;
        hop_vertex source = job->first + (hop_vertex)at;
        if (claim->chosen && !hop__bitmap_get(claim->chosen, source))
            continue;
        source = claim->sources ? claim->sources[source] : source;
        row_verdict verdict = hop__apsp_certify_row(claim, &job->spaces[thread],
                                                    job->rows + at * job->row_bytes, source);
        if (verdict.fault == FAULT_NONE)
            continue;
        atomic_store(&job->stopped, true);
        if (verdict.fault == FAULT_CANCELLED || atomic_flag_test_and_set(&job->failed))
            return;
        job->verdict = verdict;
        job->source = source;
        job->row = job->rows + at * job->row_bytes;
    }
}

/* A distance as text. */
static const char *distance_text(hop_weight_type type, const void *row, uint64_t v,
                                 char text[HOP__WEIGHT_TEXT]) {
    if (hop__is_integer_type(type)) {
        int64_t d = type == HOP_TYPE_INT32 ? ((const int32_t *)row)[v] : ((const int64_t *)row)[v];
        bool none = d == (type == HOP_TYPE_INT32 ? HOP_NO_DISTANCE_32 : HOP_NO_DISTANCE);
        if (none)
            return "not reached";
    }
    return hop__weight_text(type, row, v, text);
}

static hop_status explain(hop_context *context, const certify_job *job) {
    const hop_graph *graph = job->claim->query->graph;
    hop_weight_type type = job->claim->distance_type;
    const row_verdict *verdict = &job->verdict;
    const void *row = job->row;
    hop_vertex s = job->source, v = verdict->vertex;
    char to[HOP__WEIGHT_TEXT], from[HOP__WEIGHT_TEXT], weight[HOP__WEIGHT_TEXT],
        rule[224] = "but no path has that length";
    switch (verdict->fault) {
    case FAULT_SOURCE:
        snprintf(rule, sizeof rule, "but it should be 0");
        break;
    case FAULT_SHORTER:
        snprintf(rule, sizeof rule, "but to %s it is %s, and an arc of weight %s leads from there",
                 hop__name(graph, verdict->from).s, distance_text(type, row, verdict->from, from),
                 hop__weight_text(graph->weight_type, graph->weights, verdict->arc, weight));
        break;
    case FAULT_BITS:
        snprintf(rule, sizeof rule, "but no distance is -0.0");
        break;
    case FAULT_FAR:
        snprintf(rule, sizeof rule,
                 "but a path over %s has length %.17g, which is farther off than rounding allows",
                 hop__name(graph, verdict->from).s, verdict->other);
        break;
    case FAULT_CYCLE:
        snprintf(rule, sizeof rule, "but there is a negative cycle, so there are no distances");
        break;
    default:
        break;
    }
    hop__fail(context, HOP_ERR_CERTIFICATE,
              "apsp: certificate: the distance from %s to %s is given as %s, %s",
              hop__name(graph, s).s, hop__name(graph, v).s, distance_text(type, row, v, to), rule);
    return hop__note_arc(context, HOP_KIND_DISTANCE, v,
                         verdict->fault == FAULT_SHORTER ? verdict->arc : HOP_UNKNOWN);
}

uint64_t hop__apsp_certify_memory(const hop__apsp_claim *claim) {
    return hop__apsp_add(hop__block_bytes(claim->workers, sizeof(proof_space)),
                         hop__apsp_times(hop__proof_space_memory(claim), claim->workers));
}

hop_status hop__apsp_certify(hop_context *context, const hop__apsp_claim *claim, hop_vertex first,
                             hop_vertex count, const void *rows) {
    const hop_graph *graph = claim->query->graph;
    certify_job job = {.claim = claim,
                       .first = first,
                       .count = count,
                       .rows = rows,
                       .row_bytes = graph->vertices * hop_type_size(claim->distance_type),
                       .failed = ATOMIC_FLAG_INIT};
    unsigned team = claim->workers < count ? claim->workers : count;
    hop_status status;
    HOP_TRY(status,
            hop__alloc_zero(context, "apsp: certificate", team, sizeof *job.spaces, &job.spaces));
    for (unsigned i = 0; i < team; i++)
        HOP_TRY(status, hop__proof_space_create(context, claim, &job.spaces[i]));
    hop__progress_begin(context, "apsp: certificate", 0);
    if (team > 0)
        hop__team_loose(context, team, certify_rows, &job);
    HOP_TRY(status, hop__progress_end(context));
    if (job.verdict.fault != FAULT_NONE)
        status = explain(context, &job);
done:
    for (unsigned i = 0; job.spaces && i < team; i++)
        hop__proof_space_clear(&job.spaces[i]);
    hop__free(job.spaces);
    return status;
}

hop_status hop__apsp_draw(hop_context *context, hop_vertex rows, hop_vertex first, hop_vertex count,
                          hop_vertex wanted, uint64_t **chosen) {
    hop__shuffle shuffle;
    *chosen = NULL;
    if (wanted == 0 || wanted >= count)
        return HOP_OK;
    hop_status status = hop__alloc_zero(context, "apsp: rows to certify", hop__bitmap_words(rows),
                                        sizeof **chosen, chosen);
    if (status != HOP_OK)
        return status;
    hop__shuffle_init(&shuffle, count, hop_context_seed(context), DRAW_STREAM);
    for (hop_vertex i = 0; i < wanted; i++)
        hop__bitmap_set(*chosen, first + hop__shuffle_at(&shuffle, i));
    return HOP_OK;
}

/* Whether the options name a variant that gives the bits of hop_sssp. */
static bool names_exact(const hop_run *run) {
    const hop__problem *problem = &hop__apsp_problem;
    const hop__variant *row = hop__row_named(problem, run->variant, HOP_PLACE_HOST);
    if (!row)
        row = hop__row_named(problem, run->variant, HOP_PLACE_DEVICE);
    return row && ((const hop__apsp_variant *)row)->exact;
}

hop_status hop_apsp_certify(hop_context *context, const hop_graph *graph,
                            const hop_apsp_options *given, hop_vertex first, hop_vertex count,
                            const hop_view *view) {
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop_status status;
    hop_apsp_options options;
    hop_run run;
    hop__apsp_task task = {.by_rows = true};
    uint64_t *chosen = NULL;
    const void *rows;
    HOP_TRY(status, hop__apsp_take(context, graph, given, &options, &run, &task));
    if (first > task.row_count || count > task.row_count - first)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "apsp: certificate: %u rows from row %u on, but there are only %u", count,
                         first, task.row_count);
    HOP_TRY(status, hop__view_take(context, "apsp: certificate: rows", view, task.distance_type,
                                   (uint64_t)count * graph->vertices, &rows));
    HOP_TRY(status, hop__lent_refuse(context, "apsp: certificate: rows", rows));
    if (!rows && (uint64_t)count * graph->vertices > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT, "apsp: certificate: the rows are NULL");
    hop__apsp_claim claim = {.query = &task.query,
                             .distance_type = task.distance_type,
                             .exact = names_exact(&run),
                             .sources = task.sources,
                             .workers = task.workers < count ? task.workers : count};
    while (claim.workers > 1 && hop__apsp_certify_memory(&claim) > task.free_bytes)
        claim.workers--;
    HOP_TRY(status,
            hop__reserve_check(context, "apsp: certificate", hop__apsp_certify_memory(&claim)));
    HOP_TRY(status,
            hop__apsp_draw(context, task.row_count, first, count, options.certify_rows, &chosen));
    claim.chosen = chosen;
    status = hop__apsp_certify(context, &claim, first, count, rows);
done:
    hop__free(chosen);
    return status;
}
