/* SPDX-License-Identifier: Apache-2.0
 *
 * The front of rank: what is asked, the pick, the operations of the driver. Whether the successors
 * are lists can only be seen by following them, so that is left to the variant; what is wrong is
 * then found here. */
#include <stdio.h>

#include "core/options.h"
#include "core/parallel.h"
#include "core/try.h"
#include "rank/rank_internal.h"

static const hop__variant *const variants[] = {
    &hop__rank_sequential.row,
    &hop__rank_wyllie.row,
    &hop__rank_splitter.row,
    &hop__rank_interleaved.row,
    /* for devices */
    &hop__rank_device_wyllie.row,
    &hop__rank_device_splitter.row,
    &hop__rank_device_splitter48.row,
};
static const hop_vertex element_zero[] = {0};

static hop_status check_heads(hop_context *context, const hop_rank_options *options,
                              hop_vertex count) {
    if (!options->heads && options->head_count > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT, "rank: %u heads, but their array is NULL",
                         options->head_count);
    hop_status status = hop__lent_refuse(context, "rank: heads", options->heads);
    for (hop_vertex i = 0; i < options->head_count && status == HOP_OK; i++)
        if (options->heads[i] >= count) {
            hop__fail(context, HOP_ERR_ARGUMENT,
                      "rank: head number %u is element %u, but there are only %u", i,
                      options->heads[i], count);
            return hop__note_range(context, options->heads[i], count);
        }
    return status;
}

/* Reads everything of a call that says what is asked, and checks it. */
static hop_status take_query(hop_context *context, const hop_vertex *successors, hop_vertex count,
                             const hop_rank_options *given, hop_run *run, hop__rank_query *query) {
    hop_status status;
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    HOP_TRY(status,
            hop__options_take(context, "HOP_RANK_OPTIONS_INIT", given, &options, sizeof options));
    HOP_TRY(status, hop__run_take(context, options.run, run));
    if (count > HOP_MAX_VERTICES)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "rank: %u elements, but at most %u are possible", count, HOP_MAX_VERTICES);
    if (!successors && count > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT, "rank: the successors are NULL");
    HOP_TRY(status, check_heads(context, &options, count));
    *query = (hop__rank_query){.successors = successors,
                               .count = count,
                               .heads = options.heads,
                               .head_count = options.head_count,
                               .whole = options.heads == NULL};
    if (query->whole) {
        query->heads = element_zero;
        query->head_count = count > 0;
    }
done:
    return status;
}

/* Measured: the walks of `interleaved` pay from about where the array leaves the cache. */
static const hop__variant *rank_pick(const void *given, char reason[HOP__REASON]) {
    const hop__rank_task *task = given;
    char limit[HOP__TUNED_TEXT];
    hop__tuned_text(task->tuning, HOP__RANK_SMALL, limit);
    if (task->query.count < task->tuning->values[HOP__RANK_SMALL]) {
        snprintf(reason, HOP__REASON, "%u elements are in the cache, where one walk is enough (%s)",
                 task->query.count, limit);
        return &hop__rank_sequential.row;
    }
    char refusal[HOP__REASON];
    const hop__variant *row = &hop__rank_interleaved.row;
    if (row->refuse(task, refusal))
        row = &hop__rank_splitter.row;
    snprintf(reason, HOP__REASON,
             "with %u elements a walk waits for memory at every step, and it "
             "has %s (%s)",
             task->query.count,
             row == &hop__rank_splitter.row ? "one per thread" : "many per thread", limit);
    return row;
}

static uint64_t rank_later(const hop_context *context, const hop__call *call) {
    const hop__rank_task *task = call->task;
    (void)context;
    return call->run.certify != HOP_CERTIFY_NONE ? hop__rank_certify_memory(&task->query) : 0;
}

static hop_status rank_run(hop_context *context, hop__call *call) {
    hop__rank_task *task = call->task;
    task->rounds = task->relaxations = 0;
    hop_status status = ((const hop__rank_variant *)call->row)->run(context, task);
    call->report.rounds = task->rounds;
    call->report.relaxations = task->relaxations;
    return status;
}

static hop_status rank_certify(hop_context *context, hop__call *call, hop_status ended) {
    const hop__rank_task *task = call->task;
    (void)ended;
    return hop__rank_certify(context, &task->query, task->ranks);
}

/* What is wrong with a list that the row has refused. */
static hop_status rank_finish(hop_context *context, hop__call *call, hop_status status) {
    const hop__rank_task *task = call->task;
    if (status != HOP_ERR_INPUT)
        return status;
    if (hop__device_lends(context->device, task->query.successors) ||
        hop__device_lends(context->device, task->ranks))
        return hop__fail(context, HOP_ERR_INPUT,
                         "rank: not lists from the heads, each element in one of them; to learn "
                         "where, pass arrays of the host");
    status = hop__rank_explain(context, &task->query, task->ranks);
    if (status != HOP_OK)
        return status;
    return hop__fail(context, HOP_ERR_INPUT,
                     "rank: %s refused the list, but nothing is wrong with it; this is a fault of "
                     "the variant: use another and report it",
                     call->row->about.name);
}

const hop__problem hop__rank_problem = {.name = "rank",
                                        .rows = variants,
                                        .row_count = HOP_LENGTH(variants),
                                        .pick = rank_pick,
                                        .later = rank_later,
                                        .run = rank_run,
                                        .certify = rank_certify,
                                        .finish = rank_finish};

hop_status hop_rank(hop_context *context, const hop_vertex *successors, hop_vertex count,
                    const hop_rank_options *options, hop_vertex *ranks) {
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop__rank_task task = {
        .ranks = ranks, .threads = hop__team_limit(context), .tuning = &context->tuning};
    hop__call call = {.problem = &hop__rank_problem, .task = &task, .arrays = {successors, ranks}};
    task.values = call.values;
    hop_status status = take_query(context, successors, count, options, &call.run, &task.query);
    if (status == HOP_OK && count > 0 && (!ranks || ranks == successors))
        status = hop__fail(context, HOP_ERR_ARGUMENT,
                           "rank: the ranks need an array of their own, of %u elements", count);
    return hop__solve(context, &call, status);
}

hop_status hop_rank_certify(hop_context *context, const hop_vertex *successors, hop_vertex count,
                            const hop_rank_options *options, const hop_vertex *ranks) {
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop_status status;
    hop_run run;
    hop__rank_query query;
    HOP_TRY(status, take_query(context, successors, count, options, &run, &query));
    if (!ranks && count > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT, "rank: certificate: the ranks are NULL");
    HOP_TRY(status, hop__lent_refuse(context, "rank: certificate: successors", successors));
    HOP_TRY(status, hop__lent_refuse(context, "rank: certificate: ranks", ranks));
    HOP_TRY(status,
            hop__reserve_check(context, "rank: certificate", hop__rank_certify_memory(&query)));
    status = hop__rank_certify(context, &query, ranks);
done:
    return status;
}
