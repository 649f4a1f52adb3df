/* SPDX-License-Identifier: Apache-2.0
 *
 * Choosing a row: by name, or by what the front and the rows say about the task; on the device of
 * the context or on the host. See problem.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/options.h"
#include "core/try.h"
#include "problem/problem.h"

typedef struct name_list {
    hop_problem problem;
    size_t indices[64]; /* of the rows, each name once */
    size_t count;
} name_list;

static const char *variant_name_at(const void *user, size_t i) {
    const name_list *names = user;
    return hop__variant_at(names->problem, names->indices[i])->about.name;
}

static void list_names(hop_problem problem, name_list *names) {
    const hop__variant *row;
    *names = (name_list){.problem = problem};
    for (size_t i = 0;
         (row = hop__variant_at(problem, i)) && names->count < HOP_LENGTH(names->indices); i++) {
        bool second = row->about.place == HOP_PLACE_DEVICE &&
                      hop__variant_find(problem, row->about.name, HOP_PLACE_HOST) != NULL;
        if (!second)
            names->indices[names->count++] = i;
    }
}

static hop_status unknown_variant(hop_context *context, hop_problem problem, const char *name) {
    name_list rows;
    char names[512];
    list_names(problem, &rows);
    hop__name_list(variant_name_at, &rows, rows.count, names, sizeof names);
    hop__fail(context, HOP_ERR_ARGUMENT, "%s: there is no variant '%.48s'",
              hop_problem_name(problem), name);
    return hop__note_unknown(context, name,
                             hop__nearest_name(name, variant_name_at, &rows, rows.count),
                             "there are auto,", names);
}

/* Why the row cannot do the task; `device` is that of a device's row. */
static bool refused(const hop__variant *row, const void *task, const hop_device_info *device,
                    char reason[HOP__REASON]) {
    static const char *const capabilities[] = {
        "64-bit atomics", "float64", "subnormal float32 numbers", "subnormal float64 numbers"};
    if (row->refuse && row->refuse(task, reason))
        return true;
    if (row->about.place != HOP_PLACE_DEVICE)
        return false;
    for (unsigned bit = 0; bit < HOP_LENGTH(capabilities); bit++)
        if ((row->needs & ~device->capabilities & 1u << bit) != 0) {
            snprintf(reason, HOP__REASON, "it needs %s, which %s does not have", capabilities[bit],
                     device->name);
            return true;
        }
    return row->refuse_device && row->refuse_device(task, device, reason);
}

/* --- by name --------------------------------------------------------------------------------- */

static hop_status choose_named(hop_context *context, hop_problem problem, const char *name,
                               const void *task, hop__choice *choice) {
    char reason[HOP__REASON];
    bool chosen = hop__device_chosen(context);
    const hop_device_info *info = NULL;
    const hop__variant *host = hop__variant_find(problem, name, HOP_PLACE_HOST);
    const hop__variant *row = hop__variant_find(problem, name, HOP_PLACE_DEVICE);
    if (!host && !row)
        return unknown_variant(context, problem, name);
    if (row && !chosen && !host) {
        hop__fail(context, HOP_ERR_DEVICE, "%s: %s runs on devices only, and none is chosen",
                  hop_problem_name(problem), name);
        hop__note_name(context, HOP_KIND_NO_DEVICE, name);
        return hop__remedy(context, HOP_REMEDY_CHOOSE_DEVICE,
                           "name one in the options of the context");
    }
    if (row && chosen) {
        hop__device *device;
        hop_status status = hop__device_of(context, &device);
        if (status != HOP_OK)
            return status;
        info = hop__device_info(device);
    } else {
        row = host;
    }
    if (refused(row, task, info, reason)) {
        hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: %s cannot do this: %s",
                  hop_problem_name(problem), name, reason);
        hop__note_reason(context, reason);
        return hop__note_name(context, HOP_KIND_VARIANT, name);
    }
    choice->row = row;
    snprintf(choice->report.reason, sizeof choice->report.reason, "it was asked for by name%s",
             chosen && row == host ? "; it has no form for devices" : "");
    return HOP_OK;
}

/* --- by the library -------------------------------------------------------------------------- */

/* The first row of the host that can do the task; why the ones before cannot is no news. */
static const hop__variant *first_usable(hop_problem problem, const void *task) {
    char reason[HOP__REASON];
    const hop__variant *row;
    for (size_t i = 0; (row = hop__variant_at(problem, i)) != NULL; i++)
        if (row->about.place == HOP_PLACE_HOST && !refused(row, task, NULL, reason))
            return row;
    return NULL;
}

/* `why` is why not on the device; NULL when there is none. */
static hop_status choose_host(hop_context *context, hop_problem problem, const void *task,
                              hop__pick_fn pick, const char *why, hop__choice *choice) {
    char reason[HOP__REASON] = "it is the first in the table that can do this";
    choice->row = pick ? pick(task, reason) : first_usable(problem, task);
    if (!choice->row)
        return hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: no variant can do this",
                         hop_problem_name(problem));
    if (why)
        snprintf(choice->report.reason, sizeof choice->report.reason,
                 "on the host because %.120s; %s", why, reason);
    else
        memcpy(choice->report.reason, reason, sizeof choice->report.reason);
    return HOP_OK;
}

/* The row of the device that expects to be quickest, with the next one; NULL, with why, when none
 * can do it. */
static const hop__variant *best_on_device(hop_problem problem, const void *task,
                                          const hop_device_info *info, char why[HOP__REASON]) {
    const hop__variant *row, *best = NULL;
    char reason[HOP__REASON];
    double least = 0, second = INFINITY;
    const char *next = NULL;
    snprintf(why, HOP__REASON, "%s has no variant for devices", hop_problem_name(problem));
    for (size_t i = 0; (row = hop__variant_at(problem, i)) != NULL; i++) {
        if (row->about.place != HOP_PLACE_DEVICE)
            continue;
        if (refused(row, task, info, reason)) {
            snprintf(why, HOP__REASON, "on %s %s cannot: %.180s", info->name, row->about.name,
                     reason);
            continue;
        }
        if (row->avoid && row->avoid(task, info, reason)) {
            snprintf(why, HOP__REASON, "%.200s", reason);
            continue;
        }
        double cost = row->device_cost ? row->device_cost(task, info) : INFINITY;
        if (!best || cost < least) {
            next = best ? best->about.name : NULL;
            second = best ? least : INFINITY;
            best = row;
            least = cost;
        } else if (!next || cost < second) {
            next = row->about.name;
            second = cost;
        }
    }
    if (best && next && isfinite(second) && least > 0)
        snprintf(why, HOP__REASON, " (%s would take about %.2g times as long)", next,
                 second / least);
    else if (best)
        why[0] = '\0';
    return best;
}

static hop_status choose_best(hop_context *context, hop_problem problem, const void *task,
                              hop__pick_fn pick, hop__choice *choice) {
    char why[HOP__REASON];
    if (!hop__device_chosen(context))
        return choose_host(context, problem, task, pick, NULL, choice);
    if (context->device && hop__device_lost(context->device)) {
        const hop_device_info *info = hop__device_info(context->device);
        snprintf(why, sizeof why, "device %s is lost", info->name);
        return choose_host(context, problem, task, pick, why, choice);
    }
    hop__device *device;
    hop_status status = hop__device_of(context, &device);
    if (status != HOP_OK)
        return status;
    const hop_device_info *info = hop__device_info(device);
    choice->row = best_on_device(problem, task, info, why);
    if (!choice->row)
        return choose_host(context, problem, task, pick, why, choice);
    snprintf(choice->report.reason, sizeof choice->report.reason,
             "%s is chosen, and of the variants for devices it is the first choice for this%.110s",
             info->name,
             info->type == HOP_DEVICE_CPU
                 ? "; it is a processor, on which the variants of the host are as a rule faster: "
                   "without a device they are taken"
                 : why);
    return HOP_OK;
}

/* --- the calls of the fronts ----------------------------------------------------------------- */

static bool is_named(const hop_run *run) {
    return run->variant && strcmp(run->variant, "auto") != 0;
}

/* What the report says about the choice before anything has run. */
static void describe_choice(hop_context *context, hop_problem problem, hop__choice *choice) {
    choice->report.variant = &choice->row->about;
    choice->report.device_bytes = 0;
    choice->report.device[0] = '\0';
    if (choice->row->about.place == HOP_PLACE_DEVICE)
        snprintf(choice->report.device, sizeof choice->report.device, "%s",
                 hop__device_info(context->device)->name);
    hop__log(context, HOP_LOG_INFO, "%s: %s, because %s", hop_problem_name(problem),
             choice->row->about.name, choice->report.reason);
}

hop_status hop__choose(hop_context *context, hop_problem problem, const hop_run *run,
                       const void *task, hop__pick_fn pick, hop__choice *choice) {
    hop_status status;
    memset(choice, 0, sizeof *choice);
    choice->report.size = sizeof choice->report;
    if (run->report && hop__report_takes_steps(run->report) && run->report->steps) {
        choice->report.steps = run->report->steps;
        choice->report.step_capacity = run->report->step_capacity;
    }
    bool named = is_named(run);
    HOP_TRY(status, named ? choose_named(context, problem, run->variant, task, choice)
                          : choose_best(context, problem, task, pick, choice));
    describe_choice(context, problem, choice);
    if (!named && run->setting_count > 0) {
        status = hop__fail(context, HOP_ERR_ARGUMENT,
                           "%s: settings belong to a variant; name the one that they are for",
                           hop_problem_name(problem));
        goto done;
    }
    HOP_TRY(status,
            hop__settings_resolve(context, choice->row->about.name, choice->row->about.parameters,
                                  choice->row->about.parameter_count, run->settings,
                                  run->setting_count, choice->values));
done:
    return status;
}

bool hop__choose_again(hop_context *context, hop_problem problem, const hop_run *run,
                       const void *task, hop__pick_fn pick, hop__choice *choice,
                       hop_status status) {
    bool device_failed =
        status == HOP_ERR_DEVICE || status == HOP_ERR_MEMORY || status == HOP_ERR_BUDGET;
    if (!device_failed || !choice->row || choice->row->about.place != HOP_PLACE_DEVICE ||
        is_named(run))
        return false;
    char why[HOP__REASON];
    snprintf(why, sizeof why, "%.200s", context->failure.message);
    hop__log(context, HOP_LOG_WARNING, "%s: goes on on the host, because %s",
             hop_problem_name(problem), why);
    /* What the first attempt has counted says nothing about the second. */
    hop_report fresh = {.size = choice->report.size,
                        .steps = choice->report.steps,
                        .step_capacity = choice->report.step_capacity};
    choice->report = fresh;
    if (choose_host(context, problem, task, pick, why, choice) != HOP_OK)
        return false;
    describe_choice(context, problem, choice);
    return hop__settings_resolve(context, choice->row->about.name, choice->row->about.parameters,
                                 choice->row->about.parameter_count, NULL, 0,
                                 choice->values) == HOP_OK;
}
