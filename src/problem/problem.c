/* SPDX-License-Identifier: Apache-2.0
 * Rows of a table, and what happens around a run; see problem.h. */
#include "problem/problem.h"

#include <stdio.h>
#include <string.h>

#include "core/checked.h"
#include "core/machine_share.h"
#include "core/options.h"
#include "core/parallel.h"
#include "core/pool.h"
#include "core/timing.h"
#include "core/try.h"

const hop__variant *hop__row_named(const hop__problem *problem, const char *name, hop_place place) {
    for (size_t i = 0; name != NULL && i < problem->row_count; i++) {
        const hop_variant *about = &problem->rows[i]->about;
        if (about->place == place && strcmp(about->name, name) == 0)
            return problem->rows[i];
    }
    return NULL;
}

hop_status hop__run_take(hop_context *context, const hop_run *given, hop_run *run) {
    *run = (hop_run)HOP_RUN_INIT;
    hop_status status = hop__options_take(context, "HOP_RUN_INIT", given, run, sizeof *run);
    if (status != HOP_OK)
        return status;
    if ((unsigned)run->certify > HOP_CERTIFY_VALID)
        return hop__fail(context, HOP_ERR_ARGUMENT, "run: there is no certificate number %d",
                         (int)run->certify);
    return HOP_OK;
}

hop__need hop__variant_need(const hop__variant *row, const void *task, hop__device *device) {
    return hop__blocks_need(row->blocks, task, device);
}

void hop__report_copy(const void *task, hop__device *device, hop__choice *choice) {
    const hop__variant *row = choice->row;
    hop__graph_copy copy = device && row->copy ? row->copy(task, device) : (hop__graph_copy){0, 0};
    choice->report.copy_bytes = copy.missing;
    choice->report.kept_bytes = copy.there;
}

hop_status hop__check_need(hop_context *context, const hop__problem *problem, const void *task,
                           uint64_t later, uint64_t beside, hop__choice *choice) {
    char what[64];
    hop_status status;
    hop__device *device = NULL;
    const hop__variant *row = choice->row;
    if (row->about.place == HOP_PLACE_DEVICE)
        HOP_TRY(status, hop__device_of(context, &device));
    hop__need need = hop__variant_need(row, task, device);
    hop__report_copy(task, device, choice);
    uint64_t bytes = need.bytes[HOP__MEMORY_HOST];
    bytes = later > bytes ? later : bytes;
    if (!hop__add_u64(bytes, beside, &bytes))
        bytes = UINT64_MAX;
    choice->report.memory_bytes = bytes;
    choice->report.device_bytes = need.bytes[HOP__MEMORY_DEVICE];
    snprintf(what, sizeof what, "%s: %s", problem->name, row->about.name);
    HOP_TRY(status, hop__reserve_check(context, what, bytes));
    if (device)
        HOP_TRY(status,
                hop__device_check_need(device, what, need.bytes[HOP__MEMORY_DEVICE], need.largest));
done:
    return status;
}

/* What the device's own clock says about the run, as phases. */
static void report_tallies(hop_context *context, const hop__device *device) {
    const hop__tally *tally;
    for (size_t i = 0; (tally = hop__device_tally(device, i)) != NULL; i++) {
        hop_phase phase = {.name = tally->name,
                           .kind = tally->copy ? HOP_PHASE_COPY : HOP_PHASE_COMPUTE,
                           .calls = tally->calls,
                           .seconds = tally->seconds,
                           .bytes = tally->bytes,
                           .items = tally->items};
        if (phase.calls > 0)
            hop__phase_add(context, &phase);
    }
}

static bool on_device(const hop_context *context, const hop__choice *choice) {
    return choice->row != NULL && choice->row->about.place == HOP_PLACE_DEVICE &&
           context->device != NULL;
}

void hop__run_begin(hop_context *context, hop__choice *choice) {
    if (on_device(context, choice)) {
        hop__device_tally_reset(context->device);
        choice->compiled = hop__device_compiling(context->device);
        choice->moved = hop__device_kept_bytes(context->device);
    }
    hop__recorder_begin(context, &choice->recorder, &choice->report);
    hop__pool_call_begin();
    choice->outer_threads = context->call_threads;
    if (choice->threads > 0)
        context->call_threads = choice->threads;
    choice->alone =
        choice->work > 0 && !on_device(context, choice) && hop__better_alone(context, choice->work);
    if (choice->alone) {
        context->call_threads = 1;
        hop__share_begin();
    }
    choice->begin = hop__now();
}

void hop__run_end(hop_context *context, hop__choice *choice) {
    double now = hop__now();
    if (choice->alone)
        hop__share_tell();
    hop__pool_call_end();
    context->call_threads = choice->outer_threads;
    choice->report.seconds += now - choice->begin;
    if (on_device(context, choice)) {
        report_tallies(context, context->device);
        choice->report.compile_seconds += hop__device_compiling(context->device) - choice->compiled;
        choice->copied += hop__device_kept_bytes(context->device).copied - choice->moved.copied;
        choice->report.copy_bytes = choice->copied;
    }
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
    hop_report report = choice->report;
    report.steps = run->report->steps; /* the caller's, also when nothing was chosen */
    report.step_capacity = run->report->step_capacity;
    *run->report = report;
    return status;
}
