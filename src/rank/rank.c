/* SPDX-License-Identifier: Apache-2.0
 *
 * The front of rank: validates, chooses a variant, checks the memory, runs it, certifies. Whether
 * the successors are lists can only be seen by following them, so that is left to the variant;
 * what is wrong is then found here. */
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
    for (hop_vertex i = 0; i < options->head_count; i++)
        if (options->heads[i] >= count) {
            hop__fail(context, HOP_ERR_ARGUMENT,
                      "rank: head number %u is element %u, but there are only %u", i,
                      options->heads[i], count);
            return hop__note_range(context, options->heads[i], count);
        }
    return HOP_OK;
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
static const hop__variant *pick(const void *given, char reason[HOP__REASON]) {
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

const hop__problem hop__rank_problem = {
    .name = "rank", .rows = variants, .row_count = HOP_LENGTH(variants), .pick = pick};

/* The row's need, and the certifier's, which comes after it. */
static hop_status check_memory(hop_context *context, const hop_run *run, const hop__rank_task *task,
                               hop__choice *choice) {
    uint64_t proof = run->certify != HOP_CERTIFY_NONE ? hop__rank_certify_memory(&task->query) : 0;
    return hop__check_need(context, &hop__rank_problem, task, proof, 0, choice);
}

static hop_status refuse_list(hop_context *context, const hop__rank_task *task,
                              const hop__variant *row) {
    hop_status status = hop__rank_explain(context, &task->query, task->ranks);
    if (status != HOP_OK)
        return status;
    return hop__fail(context, HOP_ERR_INPUT,
                     "rank: %s refused the list, but nothing is wrong with it; this is a fault of "
                     "the variant: use another and report it",
                     row->about.name);
}

/* One attempt with the chosen row; a plan ends after the check of the memory. */
static hop_status attempt(hop_context *context, const hop_run *run, hop__rank_task *task,
                          hop__choice *choice) {
    hop_status status = check_memory(context, run, task, choice);
    if (status != HOP_OK || run->plan)
        return status;
    task->rounds = task->relaxations = 0;
    hop__run_begin(context, choice);
    status = ((const hop__rank_variant *)choice->row)->run(context, task);
    hop__run_end(context, choice);
    choice->report.rounds = task->rounds;
    choice->report.relaxations = task->relaxations;
    return status;
}

hop_status hop_rank(hop_context *context, const hop_vertex *successors, hop_vertex count,
                    const hop_rank_options *options, hop_vertex *ranks) {
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop_status status;
    hop_run run = HOP_RUN_INIT;
    hop__choice choice = {0};
    hop__rank_task task = {
        .ranks = ranks, .threads = hop__team_limit(context), .tuning = &context->tuning};
    HOP_TRY(status, take_query(context, successors, count, options, &run, &task.query));
    if (count > 0 && (!ranks || ranks == successors)) {
        status = hop__fail(context, HOP_ERR_ARGUMENT,
                           "rank: the ranks need an array of their own, of %u elements", count);
        goto done;
    }
    HOP_TRY(status, hop__choose(context, &hop__rank_problem, &run, &task, &choice));
    task.values = choice.values;
    do {
        status = attempt(context, &run, &task, &choice);
    } while (hop__choose_again(context, &hop__rank_problem, &run, &task, &choice, status));
    if (run.plan)
        goto done;
    if (status == HOP_ERR_INPUT)
        status = refuse_list(context, &task, choice.row);
    if (status == HOP_OK && run.certify != HOP_CERTIFY_NONE) {
        hop__certify_begin(&choice);
        status = hop__rank_certify(context, &task.query, ranks);
        hop__certify_end(&choice);
    }
done:
    return hop__report_out(&run, &choice, status);
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
    HOP_TRY(status,
            hop__reserve_check(context, "rank: certificate", hop__rank_certify_memory(&query)));
    status = hop__rank_certify(context, &query, ranks);
done:
    return status;
}
