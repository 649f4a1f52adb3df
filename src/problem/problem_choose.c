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
    const hop__problem *problem;
    size_t indices[64]; /* of the rows, each name once */
    size_t count;
} name_list;

static const char *variant_name_at(const void *user, size_t i) {
    const name_list *names = user;
    return names->problem->rows[names->indices[i]]->about.name;
}

static void list_names(const hop__problem *problem, name_list *names) {
    *names = (name_list){.problem = problem};
    for (size_t i = 0; i < problem->row_count && names->count < HOP_LENGTH(names->indices); i++) {
        const hop_variant *about = &problem->rows[i]->about;
        bool second = about->place == HOP_PLACE_DEVICE &&
                      hop__row_named(problem, about->name, HOP_PLACE_HOST) != NULL;
        if (!second)
            names->indices[names->count++] = i;
    }
}

static hop_status unknown_variant(hop_context *context, const hop__problem *problem,
                                  const char *name) {
    name_list rows;
    char names[512];
    list_names(problem, &rows);
    hop__name_list(variant_name_at, &rows, rows.count, names, sizeof names);
    hop__fail(context, HOP_ERR_ARGUMENT, "%s: there is no variant '%.48s'", problem->name, name);
    return hop__note_unknown(context, name,
                             hop__nearest_name(name, variant_name_at, &rows, rows.count),
                             "there are auto,", names);
}

bool hop__row_refuses(const hop__call *call, const hop__variant *row, const hop_device_info *device,
                      char reason[HOP__REASON]) {
    static const char *const capabilities[] = {
        "64-bit atomics", "float64", "subnormal float32 numbers", "subnormal float64 numbers"};
    const void *task = call->task;
    if (call->external && !row->external) {
        snprintf(reason, HOP__REASON, "it needs the arcs of the graph in memory");
        return true;
    }
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

static hop_status choose_named(hop_context *context, hop__call *call) {
    const hop__problem *problem = call->problem;
    const char *name = call->run.variant;
    char reason[HOP__REASON];
    bool chosen = hop__device_chosen(context);
    const hop_device_info *info = NULL;
    const hop__variant *host = hop__row_named(problem, name, HOP_PLACE_HOST);
    const hop__variant *row = hop__row_named(problem, name, HOP_PLACE_DEVICE);
    if (!host && !row)
        return unknown_variant(context, problem, name);
    if (row && !chosen && !host) {
        hop__fail(context, HOP_ERR_DEVICE, "%s: %s runs on devices only, and none is chosen",
                  problem->name, name);
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
    if (hop__row_refuses(call, row, info, reason)) {
        hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: %s cannot do this: %s", problem->name, name,
                  reason);
        hop__note_reason(context, reason);
        hop__note_name(context, HOP_KIND_VARIANT, name);
        return hop__remedy(context, HOP_REMEDY_OTHER_VARIANT, "name another, or none");
    }
    call->row = row;
    snprintf(call->report.reason, sizeof call->report.reason, "it was asked for by name%s",
             chosen && row == host ? "; it has no form for devices" : "");
    return HOP_OK;
}

/* --- by the library -------------------------------------------------------------------------- */

/* Where the row that the front prefers cannot do the task: the first of the host that can, or NULL
 * with why the preferred one cannot. */
static const hop__variant *first_that_can(const hop__call *call, const hop__variant *preferred,
                                          char reason[HOP__REASON]) {
    char why[HOP__REASON], other[HOP__REASON];
    if (!hop__row_refuses(call, preferred, NULL, why))
        return preferred;
    for (size_t i = 0; i < call->problem->row_count; i++) {
        const hop__variant *row = call->problem->rows[i];
        if (row->about.place != HOP_PLACE_HOST || hop__row_refuses(call, row, NULL, other))
            continue;
        snprintf(reason, HOP__REASON, "%s, which would be preferred, cannot: %.150s",
                 preferred->about.name, why);
        return row;
    }
    memcpy(reason, why, sizeof why);
    return NULL;
}

/* `why` is why not on the device; NULL when there is none. */
static hop_status choose_host(hop_context *context, hop__call *call, const char *why) {
    char reason[HOP__REASON];
    hop_status status = hop__bring_rows(context, call); /* which a problem may look at to choose */
    if (status != HOP_OK)
        return status;
    const hop__variant *preferred = call->problem->pick(call->task, reason);
    call->row = first_that_can(call, preferred, reason);
    if (call->row == NULL) {
        hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: no variant can do this; %s cannot: %s",
                  call->problem->name, preferred->about.name, reason);
        return hop__note_reason(context, reason);
    }
    if (why)
        snprintf(call->report.reason, sizeof call->report.reason,
                 "on the host because %.120s; %.113s", why, reason);
    else
        memcpy(call->report.reason, reason, sizeof call->report.reason);
    return HOP_OK;
}

static double expected(const hop__variant *row, const void *task, hop__device *device,
                       const hop__device_constants *constants) {
    if (!row->device_work)
        return INFINITY;
    hop__device_work work = row->device_work(task);
    if (hop__device_shares_memory(device))
        work.copied = 0;
    return hop__device_cost(constants, &work, row->copy ? row->copy(task, device).missing : 0);
}

/* Whether the host is expected to need less than `cost`, with why. */
static bool host_is_faster(const hop__call *call, const hop__variant *row, double cost,
                           const hop_device_info *info, const hop__device_constants *constants,
                           char why[HOP__REASON]) {
    const hop__problem *problem = call->problem;
    double host = problem->host_cost ? problem->host_cost(call->task) : INFINITY;
    if (!(host < cost))
        return false;
    if (!(host > 0) || !isfinite(cost)) {
        snprintf(why, HOP__REASON, "%s on %s would take longer (%s)", row->about.name, info->name,
                 hop__device_constants_text(constants));
        return true;
    }
    snprintf(why, HOP__REASON, "%s on %s would take about %.2g times as long (%s)", row->about.name,
             info->name, cost / host, hop__device_constants_text(constants));
    return true;
}

/* The row of the device that expects to be quickest, with the next one; NULL, with why, when none
 * can do it or the host is faster. */
static const hop__variant *best_on_device(const hop__call *call, hop__device *device,
                                          const hop__device_constants *constants,
                                          char why[HOP__REASON]) {
    const hop__problem *problem = call->problem;
    const void *task = call->task;
    const hop_device_info *info = hop__device_info(device);
    const hop__variant *best = NULL;
    char reason[HOP__REASON];
    double least = 0, second = INFINITY;
    const char *next = NULL;
    snprintf(why, HOP__REASON, "%s has no variant for devices", problem->name);
    for (size_t i = 0; i < problem->row_count; i++) {
        const hop__variant *row = problem->rows[i];
        if (row->about.place != HOP_PLACE_DEVICE)
            continue;
        if (hop__row_refuses(call, row, info, reason)) {
            snprintf(why, HOP__REASON, "on %s %s cannot: %.180s", info->name, row->about.name,
                     reason);
            continue;
        }
        if (row->avoid && row->avoid(task, info, reason)) {
            snprintf(why, HOP__REASON, "%.200s", reason);
            continue;
        }
        double cost = expected(row, task, device, constants);
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
    if (best && host_is_faster(call, best, least, info, constants, why))
        return NULL;
    if (best && next && isfinite(second) && least > 0)
        snprintf(why, HOP__REASON, " (%s would take about %.2g times as long)", next,
                 second / least);
    else if (best)
        why[0] = '\0';
    return best;
}

static hop_status choose_best(hop_context *context, hop__call *call) {
    char why[HOP__REASON];
    if (!hop__device_chosen(context))
        return choose_host(context, call, NULL);
    if (context->device && hop__device_lost(context->device)) {
        const hop_device_info *info = hop__device_info(context->device);
        snprintf(why, sizeof why, "device %s is lost", info->name);
        return choose_host(context, call, why);
    }
    hop__device *device;
    hop_status status = hop__device_of(context, &device);
    if (status != HOP_OK)
        return status;
    const hop_device_info *info = hop__device_info(device);
    const hop__device_constants constants = hop__device_constants_of(context, info);
    call->row = best_on_device(call, device, &constants, why);
    if (!call->row)
        return choose_host(context, call, why);
    snprintf(
        call->report.reason, sizeof call->report.reason,
        "%s is chosen, and of the variants for devices it is the first choice for this, %s%.110s",
        info->name, hop__device_constants_text(&constants),
        constants.processor
            ? "; it is a processor, on which the variants of the host are as a rule faster: "
              "without a device they are taken"
            : why);
    return HOP_OK;
}

/* --- the calls of the driver ------------------------------------------------------------------ */

/* What the report says about the choice before anything has run. */
static void describe_choice(hop_context *context, hop__call *call) {
    call->report.variant = &call->row->about;
    call->report.device_bytes = 0;
    call->report.device[0] = '\0';
    if (call->row->about.place == HOP_PLACE_DEVICE)
        snprintf(call->report.device, sizeof call->report.device, "%s",
                 hop__device_info(context->device)->name);
    hop__log(context, HOP_LOG_INFO, "%s: %s, because %s", call->problem->name,
             call->row->about.name, call->report.reason);
}

static hop_status take_settings(hop_context *context, hop__settings settings, hop__call *call) {
    const hop_variant *about = &call->row->about;
    return hop__settings_resolve(context, about->name, about->parameters, about->parameter_count,
                                 settings, call->values);
}

hop_status hop__choose(hop_context *context, hop__call *call) {
    const hop_run *run = &call->run;
    hop_status status;
    if (run->report) {
        call->report.steps = run->report->steps;
        call->report.step_capacity = run->report->step_capacity;
    }
    bool named = hop__is_named(run);
    HOP_TRY(status, named ? choose_named(context, call) : choose_best(context, call));
    describe_choice(context, call);
    if (!named && run->setting_count > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: settings belong to a variant; name the one that they are for",
                         call->problem->name);
    status = take_settings(
        context, (hop__settings){run->settings, run->setting_count, run->setting_size}, call);
done:
    return status;
}

/* The same row with smaller groups. What the first attempt has counted says nothing about it. */
static void choose_same(hop_context *context, hop__call *call) {
    hop_report fresh = {.steps = call->report.steps, .step_capacity = call->report.step_capacity};
    memcpy(fresh.reason, call->report.reason, sizeof fresh.reason);
    call->report = fresh;
    describe_choice(context, call);
}

bool hop__choose_again(hop_context *context, hop__call *call, hop_status status) {
    if (status == HOP_ERR_DEVICE && call->device && hop__device_smaller_groups(call->device)) {
        choose_same(context, call);
        return true;
    }
    bool device_failed =
        status == HOP_ERR_DEVICE || status == HOP_ERR_MEMORY || status == HOP_ERR_BUDGET;
    if (!device_failed || call->row->about.place != HOP_PLACE_DEVICE || hop__is_named(&call->run) ||
        call->final)
        return false;
    char why[HOP__REASON];
    snprintf(why, sizeof why, "%.200s", context->failure.message);
    hop__log(context, HOP_LOG_WARNING, "%s: continues on the host, because %s", call->problem->name,
             why);
    /* What the first attempt has counted says nothing about the second. */
    hop_report fresh = {.steps = call->report.steps, .step_capacity = call->report.step_capacity};
    call->report = fresh;
    const hop__variant *failed = call->row;
    if (choose_host(context, call, why) != HOP_OK) {
        call->row = failed;
        return false;
    }
    describe_choice(context, call);
    return take_settings(context, (hop__settings){NULL, 0, 0}, call) == HOP_OK;
}
