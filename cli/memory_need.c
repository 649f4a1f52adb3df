/* SPDX-License-Identifier: Apache-2.0
 *
 * What a problem needs in all: see memory_need.h. */
#include "memory_need.h"

#include <stdio.h>
#include <string.h>

#include "complaint.h"
#include "exit_codes.h"
#include "failure_text.h"
#include "number_text.h"
#include "result_file.h"

/* What every block of the budget costs beside its contents. */
enum { BLOCK_BYTES = 64 };

int job_result(problem_job *job, const char *what, uint64_t count, size_t size, void **array) {
    static char places[JOB_ARRAYS]; /* plans are made with these: each another, none NULL */
    if (job->result_bytes == 0)
        job->base_bytes = hop_context_memory_used(job->work.context);
    hop_status status = HOP_OK;
    if (!job->lacking)
        status = hop_block_create(job->work.context, what, count, size, array);
    job->lacking |= status == HOP_ERR_BUDGET;
    if (status != HOP_OK && status != HOP_ERR_BUDGET)
        return session_fail(&job->work, status);
    job->result_bytes += count * size + BLOCK_BYTES;
    if (job->lacking)
        *array = &places[job->places++ % JOB_ARRAYS];
    else
        job->arrays[job->array_count++] = *array;
    return CODE_OK;
}

/* What a variant would need beside graph and results; false when it cannot do this at all. */
static bool ask(problem_job *job, job_call call, void *user, const char *name, hop_report *report) {
    hop_run run = job->run;
    run.plan = true;
    run.report = report;
    if (name != NULL) {
        run.variant = name;
        run.settings = NULL;
        run.setting_count = 0;
    }
    job->work.mute = true;
    hop_status status = call(user, &run);
    job->work.mute = false;
    return (status == HOP_OK || status == HOP_ERR_BUDGET) && hop_report_variant(report) != NULL;
}

static uint64_t in_all(const problem_job *job, uint64_t work, uint64_t writing) {
    return job->base_bytes + job->result_bytes + work + (writing > 0 ? writing + BLOCK_BYTES : 0);
}

/* The variant of least need that fits, or NULL. */
static const hop_variant *fitting(problem_job *job, job_call call, void *user, hop_report *report,
                                  uint64_t writing, uint64_t *need) {
    uint64_t budget = hop_context_memory_budget(job->work.context);
    const hop_variant *best = NULL;
    if (strcmp(job->work.given->verb->name, job_name(job)) != 0)
        return NULL; /* path takes the variants of another problem by name */
    for (size_t i = 0; i < hop_variant_count(job->problem); i++) {
        const hop_variant *variant = hop_variant_at(job->problem, i);
        if (hop_variant_for(job->work.context, job->problem, variant->name) != variant ||
            !ask(job, call, user, variant->name, report))
            continue;
        uint64_t all = in_all(job, hop_report_memory_bytes(report), writing);
        if (all > budget || (best != NULL && all >= *need))
            continue;
        best = variant;
        *need = all;
    }
    return best;
}

/* "graph 600 MiB, results 80 MiB, work of NAME 500 MiB, writing 8 MiB" */
static void describe(const problem_job *job, const hop_report *report, uint64_t all,
                     uint64_t writing, char *parts, size_t room) {
    uint64_t rest = all - job->base_bytes - job->result_bytes - hop_report_memory_bytes(report);
    const char *input = job->opened.graph != NULL ? "graph" : "list";
    int length = job->info.mapped
                     ? snprintf(parts, room, "%s mapped, not counted", input)
                     : snprintf(parts, room, "%s %s", input, bytes_text(job->base_bytes).s);
    if (job->result_bytes > 0)
        length += snprintf(parts + length, room - (size_t)length, ", results %s",
                           bytes_text(job->result_bytes).s);
    length +=
        snprintf(parts + length, room - (size_t)length, ", work of %s %s",
                 hop_report_variant(report)->name, bytes_text(hop_report_memory_bytes(report)).s);
    if (writing > 0)
        snprintf(parts + length, room - (size_t)length, ", writing %s", bytes_text(rest).s);
}

int need_refuse(problem_job *job, job_call call, void *user) {
    char parts[256], other[120] = "";
    uint64_t least = 0, budget = hop_context_memory_budget(job->work.context);
    uint64_t writing = results_need(job);
    failure_words message = failure_text(job->work.context); /* plans are made below */
    hop_report *report = need_report(0);
    bool known = ask(job, call, user, NULL, report);
    uint64_t all = in_all(job, hop_report_memory_bytes(report), writing);
    if (!known || all <= budget) { /* it is something else: a device's memory, say */
        bar_wipe(&job->work.bar);
        hop_report_free(report);
        return complain(CODE_FAILURE, "%s", message.s[0] != '\0' ? message.s : "no memory");
    }
    const char *name = hop_report_variant(report)->name;
    describe(job, report, all, writing, parts, sizeof parts);
    const hop_variant *variant = fitting(job, call, user, report, writing, &least);
    hop_report_free(report);
    if (variant != NULL && strcmp(variant->name, name) != 0)
        snprintf(other, sizeof other, ", or --variant %s, which needs %s", variant->name,
                 bytes_text(least).s);
    bar_wipe(&job->work.bar);
    return complain(CODE_FAILURE, "%s needed in all (%s), %s allowed; --memory %s would do%s",
                    bytes_text(all).s, parts, bytes_text(budget).s, budget_text(all).s, other);
}
