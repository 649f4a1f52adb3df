/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting, and now and then calling back. The time of the next report is kept across phases, so
 * that many short phases do not call back more often than one long one. */
#include "core/progress.h"

#include "core/timing.h"

static const double report_interval = 0.05; /* seconds: twenty a second */

/* Calls back when it is time to. Only on the caller's thread. */
static void report_if_due(hop_context *context) {
    double now = hop__now();
    if (context->phase == NULL || now < context->next_report)
        return;
    context->next_report = now + report_interval;
    hop_progress progress = {
        .phase = context->phase,
        .done = atomic_load_explicit(&context->phase_done, memory_order_relaxed),
        .total = context->phase_total,
    };
    if (!context->options.progress(context->options.progress_user, &progress))
        atomic_store_explicit(&context->cancelled, true, memory_order_relaxed);
}

void hop__progress_begin(hop_context *context, const char *phase, uint64_t total) {
    hop__progress_resume(context, phase, total, 0);
}

void hop__progress_resume(hop_context *context, const char *phase, uint64_t total, uint64_t done) {
    context->phase = phase;
    context->phase_total = total;
    context->caller = pthread_self();
    atomic_store_explicit(&context->phase_done, done, memory_order_relaxed);
    atomic_store_explicit(&context->cancelled, false, memory_order_relaxed);
    if (context->options.progress != NULL)
        report_if_due(context);
}

bool hop__progress_add(hop_context *context, uint64_t amount) {
    if (context->options.progress == NULL)
        return true;
    atomic_fetch_add_explicit(&context->phase_done, amount, memory_order_relaxed);
    if (pthread_equal(context->caller, pthread_self()) &&
        !atomic_load_explicit(&context->cancelled, memory_order_relaxed))
        report_if_due(context);
    return !atomic_load_explicit(&context->cancelled, memory_order_relaxed);
}

hop_status hop__progress_end(hop_context *context) {
    if (context->options.progress == NULL)
        return HOP_OK;
    if (!atomic_load_explicit(&context->cancelled, memory_order_relaxed))
        report_if_due(context);
    const char *phase = context->phase;
    context->phase = NULL;
    if (!atomic_load_explicit(&context->cancelled, memory_order_relaxed))
        return HOP_OK;
    if (phase == NULL) /* somebody has ended it before, and said so */
        return HOP_ERR_CANCELLED;
    unsigned long long amount = atomic_load_explicit(&context->phase_done, memory_order_relaxed);
    unsigned long long total = context->phase_total;
    if (total == 0)
        return hop__fail(context, HOP_ERR_CANCELLED,
                         "%s: cancelled by the progress callback after %llu", phase, amount);
    return hop__fail(context, HOP_ERR_CANCELLED,
                     "%s: cancelled by the progress callback after %llu of %llu", phase, amount,
                     total);
}

hop_status hop__progress_ask(hop_context *context, const char *phase) {
    context->next_report = 0;
    hop__progress_begin(context, phase, 0);
    return hop__progress_end(context);
}

bool hop__progress_join(hop_context *context, const char *phase) {
    bool alone = context->phase == NULL;
    if (alone)
        hop__progress_begin(context, phase, 0);
    return alone;
}

hop_status hop__progress_leave(hop_context *context, bool begun) {
    if (begun)
        return hop__progress_end(context);
    if (hop__progress_add(context, 0))
        return HOP_OK;
    if (context->phase == NULL)
        return HOP_ERR_CANCELLED;
    return hop__fail(context, HOP_ERR_CANCELLED, "%s: cancelled by the progress callback",
                     context->phase);
}
