/* SPDX-License-Identifier: Apache-2.0
 * The driver of a call: choose, need, run, again, certify, report. See problem.h. */
#include <stdio.h>
#include <string.h>

#include "core/checked.h"
#include "core/try.h"
#include "kernels/device_check.h"
#include "problem/problem.h"

/* What the host needs for the whole call: the row's estimate, or what comes later if that is more,
 * and what is kept `beside` both. */
static uint64_t whole_need(hop_context *context, hop__call *call, uint64_t row, uint64_t beside) {
    uint64_t later = call->problem->later ? call->problem->later(context, call) : 0;
    uint64_t bytes;
    return hop__add_u64(later > row ? later : row, beside, &bytes) ? bytes : UINT64_MAX;
}

/* Number i of the devices that the row runs on, after the context's own; NULL after the last. */
static hop__device *other(const hop__call *call, unsigned i) {
    return call->device && call->row->divides ? hop__device_other(call->device, i) : NULL;
}

/* What of the graph is to be copied to the devices, and what is there. */
static void report_copy(hop__call *call) {
    hop__graph_copy copy = {0, 0};
    if (call->device && call->row->copy) {
        copy = call->row->copy(call->task, call->device);
        for (unsigned i = 0; other(call, i); i++) {
            hop__graph_copy more = call->row->copy(call->task, other(call, i));
            copy.missing += more.missing;
            copy.there += more.there;
        }
    } else if (call->device && call->row->sends)
        copy.missing = call->row->sends(call->task, call->device);
    call->report.copy_bytes = copy.missing;
    call->report.kept_bytes = copy.there;
}

/* The other devices: whether the row can do the task there, and the need against their budgets. */
static hop_status check_others(hop_context *context, const hop__call *call, const char *what) {
    hop_status status = HOP_OK;
    char reason[HOP__REASON];
    hop__device *device;
    for (unsigned i = 0; status == HOP_OK && (device = other(call, i)) != NULL; i++) {
        const hop_device_info *info = hop__device_info(device);
        if (hop__row_refuses(call, call->row, info, reason))
            return hop__fail(context,
                             hop__is_named(&call->run) ? HOP_ERR_UNSUPPORTED : HOP_ERR_DEVICE,
                             "%s cannot do this on %s: %s", what, info->name, reason);
        hop__need need = hop__variant_need(call->row, call->task, device);
        status = hop__device_check_need(device, what, need.bytes[HOP__MEMORY_DEVICE], need.largest);
        if (status != HOP_OK)
            return hop__fail_as(context, status, hop__device_context(device));
    }
    return status;
}

/* The need against the budgets, of the host and of the device. The first refusal names all of it;
 * the report has it in any case. */
static hop_status check_need(hop_context *context, hop__call *call, uint64_t beside) {
    const hop__problem *problem = call->problem;
    char what[64];
    hop_status status;
    call->device = NULL;
    if (call->row->about.place == HOP_PLACE_DEVICE)
        HOP_TRY(status, hop__device_of(context, &call->device));
    if (call->device && call->row->divides)
        HOP_TRY(status, hop__device_others_open(call->device));
    if (problem->fit)
        HOP_TRY(status, problem->fit(context, call));
    hop__need need = hop__variant_need(call->row, call->task, call->device);
    if (!problem->fit)
        call->report.memory_bytes = whole_need(context, call, need.bytes[HOP__MEMORY_HOST], beside);
    report_copy(call);
    call->report.device_bytes = need.bytes[HOP__MEMORY_DEVICE];
    snprintf(what, sizeof what, "%s: %s", problem->name, call->row->about.name);
    HOP_TRY(status, hop__reserve_check(context, what, call->report.memory_bytes));
    if (call->device)
        HOP_TRY(status, hop__device_check_need(call->device, what, call->report.device_bytes,
                                               need.largest));
    status = check_others(context, call, what);
done:
    return status;
}

hop_status hop__bring_rows(hop_context *context, hop__call *call) {
    if (call->graph == NULL || !hop__graph_is_away(call->graph))
        return HOP_OK;
    hop_status status = hop_graph_check(context, call->graph);
    call->brought = status == HOP_OK;
    return status;
}

/* Whether the host reads the rows of the graph in this call. */
static bool host_reads_rows(const hop__call *call) {
    return call->row->about.place != HOP_PLACE_DEVICE || call->row->copy == NULL ||
           call->report.copy_bytes > 0 || call->run.certify != HOP_CERTIFY_NONE ||
           (call->problem->host_needs != NULL && call->problem->host_needs(call) != NULL);
}

/* For the report: why it was chosen, and that. */
static void tell_brought(hop__call *call) {
    size_t length = strlen(call->report.reason);
    if (call->brought)
        snprintf(call->report.reason + length, sizeof call->report.reason - length,
                 "; the graph was copied from %s to the host, which reads it",
                 call->graph->away->device);
}

static bool has_lent(const hop_context *context, const hop__call *call) {
    return hop__device_lends(context->device, call->arrays[0]) ||
           hop__device_lends(context->device, call->arrays[1]);
}

/* What is in the device's memory is there for the device's row alone. */
static hop_status check_lent(hop_context *context, const hop__call *call) {
    const char *why = NULL;
    if (!has_lent(context, call))
        return HOP_OK;
    if (call->row->about.place != HOP_PLACE_DEVICE)
        why = "the variant is one of the host";
    else if (call->run.certify != HOP_CERTIFY_NONE)
        why = "certificates are made by the host";
    else if (call->problem->host_needs != NULL)
        why = call->problem->host_needs(call);
    if (why == NULL)
        return HOP_OK;
    return hop__fail(context, HOP_ERR_UNSUPPORTED,
                     "%s: %s: an array is in the memory of %s, and %s; pass one of the host",
                     call->problem->name, call->row->about.name,
                     hop__device_info(context->device)->name, why);
}

static hop_status prove_devices(hop_context *context, const hop__call *call) {
    hop_status status = hop__device_prove(call->device);
    for (unsigned i = 0; status == HOP_OK && other(call, i); i++) {
        status = hop__device_prove(other(call, i));
        if (status != HOP_OK)
            return hop__fail_as(context, status, hop__device_context(other(call, i)));
    }
    return status;
}

/* One attempt with the chosen row; a plan ends after the check of the memory. `kept` is open
 * afterwards if something is kept. */
static hop_status attempt(hop_context *context, hop__call *call, hop__workspace *kept) {
    const hop__problem *problem = call->problem;
    hop_status status;
    uint64_t beside = 0;
    if (problem->kept)
        beside = hop__blocks_need(problem->kept, call->task, NULL).bytes[HOP__MEMORY_HOST];
    HOP_TRY(status, check_need(context, call, beside));
    HOP_TRY(status, check_lent(context, call));
    if (call->run.plan)
        goto done;
    if (call->device)
        HOP_TRY(status, prove_devices(context, call));
    if (host_reads_rows(call))
        HOP_TRY(status, hop__bring_rows(context, call));
    if (beside > 0)
        HOP_TRY(status,
                hop__workspace_open(context, NULL, problem->kept, call->task, call->task, kept));
    hop__run_begin(context, call);
    status = problem->run(context, call);
    if (status == HOP_OK && call->device)
        status = hop__device_conclude(call->device);
    hop__run_end(context, call);
done:
    return status;
}

static hop_status certify(hop_context *context, hop__call *call, hop_status ended) {
    bool found = ended == HOP_OK || ended == HOP_ERR_NEGATIVE_CYCLE;
    if (!found || call->run.certify == HOP_CERTIFY_NONE)
        return ended;
    hop__certify_begin(call);
    hop_status proof = call->problem->certify(context, call, ended);
    hop__certify_end(call);
    return proof != HOP_OK ? proof : ended;
}

hop_status hop__solve(hop_context *context, hop__call *call, hop_status taken) {
    hop__workspace kept;
    hop_status status;
    hop__workspace_clear(&kept);
    HOP_TRY(status, taken);
    if (call->graph != NULL)
        HOP_TRY(status, hop__device_graph_find(context, call->graph));
    HOP_TRY(status, hop__choose(context, call));
    if (call->empty)
        goto done;
    do {
        hop__workspace_close(&kept, HOP_OK);
        status = attempt(context, call, &kept);
    } while (!has_lent(context, call) && hop__choose_again(context, call, status));
    if (call->run.plan)
        goto done;
    status = certify(context, call, status);
    if (call->problem->finish)
        status = call->problem->finish(context, call, status);
done:
    if (status != HOP_OK)
        context->phase = NULL; /* of progress: the row may have failed in the middle of one */
    hop__workspace_close(&kept, HOP_OK);
    tell_brought(call);
    return hop__report_out(call, status);
}
