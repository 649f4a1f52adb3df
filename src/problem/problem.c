/* SPDX-License-Identifier: Apache-2.0
 * Choosing and describing variants; see problem.h. */
#include "problem/problem.h"

#include <stdio.h>
#include <string.h>

#include "core/options.h"
#include "core/timing.h"
#include "core/try.h"

typedef struct table {
    const char *name;
    const hop__row *const *rows;
    const size_t *count;
} table;

static const table tables[HOP_PROBLEM_COUNT] = {
    [HOP_PROBLEM_RANK] = {"rank", hop__rank_rows, &hop__rank_row_count},
    [HOP_PROBLEM_COMPONENTS] = {"components", hop__components_rows, &hop__components_row_count},
    [HOP_PROBLEM_BFS] = {"bfs", hop__bfs_rows, &hop__bfs_row_count},
    [HOP_PROBLEM_SSSP] = {"sssp", hop__sssp_rows, &hop__sssp_row_count},
    [HOP_PROBLEM_APSP] = {"apsp", hop__apsp_rows, &hop__apsp_row_count},
};

const char *hop_problem_name(hop_problem problem) {
    return (unsigned)problem < HOP_PROBLEM_COUNT ? tables[problem].name : NULL;
}

size_t hop_variant_count(hop_problem problem) {
    if ((unsigned)problem >= HOP_PROBLEM_COUNT || !tables[problem].count)
        return 0;
    return *tables[problem].count;
}

const hop_variant *hop_variant_at(hop_problem problem, size_t index) {
    return index < hop_variant_count(problem) ? &tables[problem].rows[index]->about : NULL;
}

static const hop__row *row_find(hop_problem problem, const char *name) {
    for (size_t i = 0; name != NULL && i < hop_variant_count(problem); i++)
        if (strcmp(tables[problem].rows[i]->about.name, name) == 0)
            return tables[problem].rows[i];
    return NULL;
}

const hop_variant *hop_variant_find(hop_problem problem, const char *name) {
    const hop__row *row = row_find(problem, name);
    return row ? &row->about : NULL;
}

static const char *variant_name_at(const void *user, size_t i) {
    return ((const table *)user)->rows[i]->about.name;
}

static hop_status unknown_variant(hop_context *context, hop_problem problem, const char *name) {
    const table *rows = &tables[problem];
    size_t count = hop_variant_count(problem);
    char names[512];
    hop__name_list(variant_name_at, rows, count, names, sizeof names);
    const char *nearest = hop__nearest_name(name, variant_name_at, rows, count);
    return hop__fail(context, HOP_ERR_ARGUMENT,
                     "%s: there is no variant '%.48s'%s%s%s; there are auto, %s", rows->name, name,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "",
                     names);
}

hop_status hop__run_take(hop_context *context, const hop_run *given, hop_run *run) {
    *run = (hop_run)HOP_RUN_INIT;
    hop_status status = hop__options_take(context, "HOP_RUN_INIT", given, run, sizeof *run);
    if (status != HOP_OK)
        return status;
    if ((unsigned)run->certify > HOP_CERTIFY_VALID)
        return hop__fail(context, HOP_ERR_ARGUMENT, "run: there is no certificate number %d",
                         (int)run->certify);
    if (run->report &&
        (run->report->size < sizeof run->report->size || run->report->size > 1 << 16)) {
        size_t size = run->report->size;
        run->report = NULL; /* nobody may write to it */
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "run: the report has size %zu; set it by HOP_REPORT_INIT", size);
    }
    return HOP_OK;
}

/* Whether the caller's header knows of steps. */
static bool takes_steps(const hop_report *report) {
    return report->size >= offsetof(hop_report, step_count);
}

/* The first row that can do the task; why the ones before cannot is no news to the caller. */
static const hop__row *first_usable(hop_problem problem, const void *task) {
    char reason[HOP__REASON];
    for (size_t i = 0; i < hop_variant_count(problem); i++) {
        const hop__row *row = tables[problem].rows[i];
        if (!row->refuse || !row->refuse(task, reason))
            return row;
    }
    return NULL;
}

static hop_status choose_named(hop_context *context, hop_problem problem, const char *name,
                               const void *task, hop__choice *choice) {
    char reason[HOP__REASON];
    const hop__row *row = row_find(problem, name);
    if (!row)
        return unknown_variant(context, problem, name);
    if (row->refuse && row->refuse(task, reason))
        return hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: %s cannot do this: %s",
                         tables[problem].name, name, reason);
    choice->row = row;
    snprintf(choice->report.reason, sizeof choice->report.reason, "it was asked for by name");
    return HOP_OK;
}

static hop_status choose_best(hop_context *context, hop_problem problem, const void *task,
                              hop__pick_fn pick, hop__choice *choice) {
    snprintf(choice->report.reason, sizeof choice->report.reason,
             "it is the first in the table that can do this");
    choice->row = pick ? pick(task, choice->report.reason) : first_usable(problem, task);
    if (!choice->row)
        return hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: no variant can do this",
                         tables[problem].name);
    return HOP_OK;
}

hop_status hop__choose(hop_context *context, hop_problem problem, const hop_run *run,
                       const void *task, hop__pick_fn pick, hop__choice *choice) {
    hop_status status;
    memset(choice, 0, sizeof *choice);
    choice->report.size = sizeof choice->report;
    if (run->report && takes_steps(run->report) && run->report->steps) {
        choice->report.steps = run->report->steps;
        choice->report.step_capacity = run->report->step_capacity;
    }
    bool named = run->variant && strcmp(run->variant, "auto") != 0;
    HOP_TRY(status, named ? choose_named(context, problem, run->variant, task, choice)
                          : choose_best(context, problem, task, pick, choice));
    choice->report.variant = &choice->row->about;
    hop__log(context, HOP_LOG_INFO, "%s: %s, because %s", tables[problem].name,
             choice->row->about.name, choice->report.reason);
    if (!named && run->setting_count > 0) {
        status = hop__fail(context, HOP_ERR_ARGUMENT,
                           "%s: settings belong to a variant; name the one that they are for",
                           tables[problem].name);
        goto done;
    }
    HOP_TRY(status,
            hop__settings_resolve(context, choice->row->about.name, choice->row->about.parameters,
                                  choice->row->about.parameter_count, run->settings,
                                  run->setting_count, choice->values));
done:
    return status;
}

hop_status hop__check_need(hop_context *context, hop_problem problem, const void *task,
                           hop__choice *choice) {
    char what[64];
    uint64_t bytes = choice->row->memory ? choice->row->memory(task) : 0;
    choice->report.memory_bytes = bytes;
    snprintf(what, sizeof what, "%s: %s", tables[problem].name, choice->row->about.name);
    return hop__reserve_check(context, what, bytes);
}

void hop__run_begin(hop_context *context, hop__choice *choice) {
    hop__recorder_begin(context, &choice->recorder, &choice->report);
    choice->begin = hop__now();
}

void hop__run_end(hop_context *context, hop__choice *choice) {
    double now = hop__now();
    choice->report.seconds += now - choice->begin;
    hop__recorder_end(context, &choice->recorder, now);
}

void hop__certify_begin(hop__choice *choice) {
    choice->begin = hop__now();
}

void hop__certify_end(hop__choice *choice) {
    choice->report.certify_seconds += hop__now() - choice->begin;
}

hop_status hop__report_out(const hop_run *run, const hop__choice *choice, hop_status status) {
    if (!run->report)
        return status;
    size_t size = run->report->size;
    hop_report report = choice->report;
    report.size = size; /* this and the next two are the caller's */
    if (takes_steps(run->report)) {
        report.steps = run->report->steps;
        report.step_capacity = run->report->step_capacity;
    }
    memcpy(run->report, &report, size < sizeof report ? size : sizeof report);
    return status;
}
