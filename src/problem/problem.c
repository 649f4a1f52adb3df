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
#include "core/traffic.h"
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
    hop__report_give(run->report, (hop_report){0}); /* nothing is left of the call before */
    if ((unsigned)run->certify > HOP_CERTIFY_VALID)
        return hop__fail(context, HOP_ERR_ARGUMENT, "run: there is no certificate number %d",
                         (int)run->certify);
    return HOP_OK;
}

hop_status hop__vertices_bring(hop_context *context, const char *what, const hop_vertex **vertices,
                               hop_vertex count, hop_vertex **copy) {
    *copy = NULL;
    if (count == 0 || !hop__device_lends(context->device, *vertices))
        return HOP_OK;
    hop_status status =
        hop__lent_fetch(context->device, what, *vertices, count, sizeof **vertices, copy);
    if (status == HOP_OK)
        *vertices = *copy;
    return status;
}

hop_status hop__vertices_check(hop_context *context, const char *problem, const char *what,
                               const hop_vertex *vertices, hop_vertex count, hop_vertex n) {
    if (!vertices && count > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT, "%s: %u %ss, but their array is NULL", problem,
                         count, what);
    if (hop__device_lends(context->device, vertices))
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: the %ss are in the memory of a device, and the host checks them: "
                         "pass an array of the host",
                         problem, what);
    for (hop_vertex i = 0; i < count; i++)
        if (vertices[i] >= n) {
            hop__fail(context, HOP_ERR_ARGUMENT,
                      "%s: %s number %u is vertex %u, but there are only %u vertices", problem,
                      what, i, vertices[i], n);
            return hop__note_range(context, vertices[i], n);
        }
    return HOP_OK;
}

hop__need hop__variant_need(const hop__variant *row, const void *task, hop__device *device) {
    return hop__blocks_need(row->blocks, task, device);
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

#if defined(HOPLITE_COUNT_ATOMICS)
static void traffic_begin(hop__call *call) {
    call->traffic = hop__traffic_now();
}

static void traffic_end(hop_context *context, const hop__call *call) {
    const hop__traffic now = hop__traffic_now(), *then = &call->traffic;
    const uint64_t swaps = now.swaps - then->swaps;
    hop__count(context, "atomic writes",
               now.changes - then->changes + now.stores - then->stores + swaps);
    hop__count(context, "swaps", swaps);
    hop__count(context, "failed swaps", now.failed - then->failed);
    hop__count(context, "lines taken over", now.taken - then->taken);
    hop__count(context, "barriers", now.barriers - then->barriers);
    hop__count(context, "regions", now.regions - then->regions);
    hop__count(context, "serial ns", now.serial_ns - then->serial_ns);
    hop__traffic_log(context);
}
#else
static void traffic_begin(hop__call *call) {
    (void)call;
}

static void traffic_end(hop_context *context, const hop__call *call) {
    (void)context;
    (void)call;
}
#endif

static bool on_device(const hop_context *context, const hop__call *call) {
    return call->row != NULL && call->row->about.place == HOP_PLACE_DEVICE &&
           context->device != NULL;
}

void hop__run_begin(hop_context *context, hop__call *call) {
    if (on_device(context, call)) {
        hop__device_tally_reset(context->device);
        hop__device_time(context->device, call->run.report != NULL);
        call->compiled = hop__device_compiling(context->device);
        call->moved = hop__device_kept_bytes(context->device);
    }
    hop__recorder_begin(context, &call->recorder, &call->report);
    hop__pool_call_begin();
    call->outer_threads = context->call_threads;
    if (call->threads > 0)
        context->call_threads = call->threads;
    call->alone =
        call->work > 0 && !on_device(context, call) && hop__better_alone(context, call->work);
    if (call->alone) {
        context->call_threads = 1;
        hop__share_begin();
    }
    traffic_begin(call);
    call->begin = hop__now();
}

void hop__run_end(hop_context *context, hop__call *call) {
    double now = hop__now();
    traffic_end(context, call);
    if (call->alone)
        hop__share_tell();
    hop__pool_call_end();
    context->call_threads = call->outer_threads;
    call->report.seconds += now - call->begin;
    if (on_device(context, call)) {
        report_tallies(context, context->device);
        call->report.compile_seconds += hop__device_compiling(context->device) - call->compiled;
        call->copied += hop__device_kept_bytes(context->device).copied - call->moved.copied;
        call->report.copy_bytes = call->copied;
    }
    hop__recorder_end(context, &call->recorder, now);
}

void hop__certify_begin(hop__call *call) {
    call->begin = hop__now();
}

void hop__certify_end(hop__call *call) {
    call->report.certify_seconds += hop__now() - call->begin;
}

hop_status hop__report_out(const hop__call *call, hop_status status) {
    const hop_run *run = &call->run;
    hop_report report = call->report;
    report.memory_bytes += call->held;
    hop__report_give(run->report, report);
    return status;
}
