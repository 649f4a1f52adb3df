/* SPDX-License-Identifier: Apache-2.0
 *
 * What every variant of every problem owes its caller, whatever it computes: the memory that it
 * takes is what it told, and is refused before anything is allocated; every allocation may fail;
 * it can be cancelled at every report. A new variant is tried without a new test. */
#include <stdio.h>

#include "problem/conformance_testing.h"
#include "problem/report.h"

/* A variant at a task, and what came out when nothing was in its way. */
typedef struct attempt {
    task *task;
    hop_run run;
    hop_report report;
    void *right[2];
} attempt;

static const char *described(const attempt *a) {
    static char text[200];
    snprintf(text, sizeof text, "%s, %s, %s, results %u, certify %d",
             hop__problem_at(a->task->about->problem)->name, a->run.variant, a->task->about->name,
             a->task->asked, (int)a->run.certify);
    return text;
}

#define ensure(attempt, truth)                                                                     \
    do {                                                                                           \
        if (!(truth))                                                                              \
            fail_msg("%s: not true: %s", described(attempt), #truth);                              \
    } while (0)

/* What is asked for is the same as before. Where the call fails by its input, nothing is said. */
static void ensure_same(attempt *a) {
    for (int i = 0; i < 2 && a->task->about->status == HOP_OK; i++)
        if (a->task->asked >> i & 1)
            ensure(a, memcmp(a->task->results[i], a->right[i], a->task->bytes[i]) == 0);
}

static void ensure_right(attempt *a, hop_context *context) {
    for (int i = 0; i < 2; i++)
        memset(a->task->results[i], 0, a->task->bytes[i]);
    ensure(a, solve(context, a->task, &a->run) == a->task->about->status);
    ensure_same(a);
}

/* The first run. False: the variant cannot do the task, and says why. */
static bool begins(attempt *a) {
    hop_context *context = make_context(1);
    for (int i = 0; i < 2; i++)
        memset(a->task->results[i], 0, a->task->bytes[i]);
    hop_status status = solve(context, a->task, &a->run);
    bool can = status != HOP_ERR_UNSUPPORTED;
    if (can && status != a->task->about->status)
        fail_msg("%s: %s: %s", described(a), hop_status_name(status), hop_context_message(context));
    ensure(a, can || hop_context_message(context)[0] != '\0');
    for (int i = 0; i < 2; i++)
        memcpy(a->right[i], a->task->results[i], a->task->bytes[i]);
    free_context(context);
    return can;
}

static unsigned tried[HOP__PROBLEM_COUNT][64];

static void try_variant(task *t, size_t v, hop_certify certify, void (*body)(attempt *a)) {
    attempt a = {.task = t, .run = HOP_RUN_INIT, .report = {0}};
    a.run.variant = hop__variant_at(t->about->problem, v)->about.name;
    a.run.certify = certify;
    a.run.report = &a.report;
    for (int i = 0; i < 2; i++)
        a.right[i] = malloc(t->bytes[i]);
    if (begins(&a)) {
        ensure(&a, strcmp(a.report.variant->name, a.run.variant) == 0);
        tried[t->about->problem][v]++;
        body(&a);
    }
    free(a.right[0]);
    free(a.right[1]);
}

/* Every subject, variant, choice of results (all of them, unless `each`) and certificate. */
static void for_each_attempt(trial what, bool each, void (*body)(attempt *a)) {
    memset(tried, 0, sizeof tried);
    for (unsigned s = 0; s < SUBJECTS; s++) {
        if (subjects[s].n[what] == 0)
            continue;
        unsigned problem = subjects[s].problem, all = may_ask(problem, 3) ? 3 : 1;
        int last = takes_any_labels(problem) ? HOP_CERTIFY_VALID : HOP_CERTIFY_CANONICAL;
        task t = task_make(&subjects[s], what);
        for (t.asked = each ? 0 : all; t.asked <= all; t.asked++)
            for (size_t v = 0; may_ask(problem, t.asked) && v < host_variant_count(problem); v++)
                for (int certify = each ? HOP_CERTIFY_NONE : HOP_CERTIFY_CANONICAL; certify <= last;
                     certify++)
                    try_variant(&t, v, (hop_certify)certify, body);
        task_free(&t);
    }
    for (unsigned p = 0; p < HOP__PROBLEM_COUNT; p++)
        for (size_t v = 0; v < host_variant_count(p); v++)
            if (tried[p][v] == 0)
                fail_msg("no subject for %s", hop__variant_at(p, v)->about.name);
}

static hop_context *budgeted(uint64_t budget) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = 2;
    options.memory_budget = budget;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

/* The estimate is what is used, or little more; it is enough; with less, nothing is allocated. */
static void check_memory(attempt *a) {
    hop_context *context = make_context(2);
    ensure_right(a, context);
    uint64_t peak = hop_context_memory_peak(context), estimate = a->report.memory_bytes;
    unsigned slack = a->task->about->slack;
    free_context(context);
    if (peak > estimate || (slack != 0 && estimate > peak + peak / slack + 4096))
        fail_msg("%s: %llu bytes estimated, %llu used", described(a), (unsigned long long)estimate,
                 (unsigned long long)peak);
    ensure(a, (a->report.certify_seconds > 0) == (a->run.certify != HOP_CERTIFY_NONE) ||
                  a->task->about->status != HOP_OK);
    if (estimate == 0)
        return;
    context = budgeted(estimate);
    ensure_right(a, context);
    free_context(context);
    context = budgeted(estimate - 1);
    hop_status status = solve(context, a->task, &a->run);
    if (a->task->about->yields && status == HOP_OK) {
        ensure(a, hop_context_memory_peak(context) <= a->report.memory_bytes);
        ensure(a, a->report.memory_bytes < estimate);
        ensure_same(a);
    } else {
        ensure(a, status == HOP_ERR_BUDGET);
        ensure(a, hop_context_memory_peak(context) == 0);
        ensure(a, a->report.memory_bytes == estimate);
    }
    free_context(context);
}

static void memory_is_estimated_and_kept_to(void **state) {
    (void)state;
    for_each_attempt(TRIAL_MEMORY, true, check_memory);
}

static bool go_on(void *user, const hop_progress *progress) {
    (void)user;
    (void)progress;
    return true;
}

/* Each fails in turn: an error that says so, nothing left behind (no phase of progress either, in
 * which what comes next would be cancelled), and the same context then does it. */
static void fail_each_allocation(attempt *a) {
    for (unsigned threads = 1; threads <= 2; threads++) {
        test_heap heap = {0};
        hop_context_options options = heap_options(&heap, threads == 1);
        hop_context *context = NULL;
        unsigned failed = 0;
        options.threads = threads;
        options.progress = go_on;
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        for (unsigned k = 1;; k++) {
            heap_fail_at(&heap, k);
            hop_status status = solve(context, a->task, &a->run);
            bool over = atomic_load(&heap.requests) < k;
            heap_fail_at(&heap, 0);
            ensure(a, hop_context_memory_used(context) == 0);
            ensure(a, context->phase == NULL);
            ensure(a, status == (over ? a->task->about->status : HOP_ERR_MEMORY));
            if (over)
                break;
            ensure(a, strstr(hop_context_message(context), "the system refused") != NULL);
            ensure_right(a, context);
            failed++;
        }
        ensure(a, failed >= 1 || a->run.certify == HOP_CERTIFY_NONE);
        free_context(context);
        assert_heap_empty(&heap);
    }
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for_each_attempt(TRIAL_FAULTS, true, fail_each_allocation);
}

/* Counts reports, makes the next one due at once, and cancels at number `cancel_at`. */
typedef struct watcher {
    hop_context *context;
    unsigned calls, cancel_at;
    uint64_t last, widest; /* most work between two reports of a phase */
} watcher;

static bool watch(void *user, const hop_progress *progress) {
    watcher *w = user;
    if (progress->done > w->last && progress->done - w->last > w->widest)
        w->widest = progress->done - w->last;
    w->last = progress->done;
    w->context->next_report = 0;
    return ++w->calls != w->cancel_at;
}

static void cancel_at_each_report(attempt *a) {
    const subject *s = a->task->about;
    for (unsigned threads = 1; threads <= 2; threads++) {
        watcher w = {0};
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        options.threads = threads;
        options.progress = watch;
        options.progress_user = &w;
        assert_int_equal(hop_context_create(&options, &w.context), HOP_OK);
        w.context->next_report = 0;
        ensure_right(a, w.context);
        /* With helpers, how often the caller itself reports depends on the hour. */
        ensure(a, threads > 1 || w.calls > s->reports);
        ensure(a, threads > 1 || s->widest == 0 || w.widest <= s->widest);
        unsigned all = w.calls;
        for (unsigned at = 1; at <= all; at += 1 + all / (SMALLER_TESTS || threads > 1 ? 4 : 20)) {
            w.calls = 0;
            w.cancel_at = at;
            w.context->next_report = 0;
            hop_status status = solve(w.context, a->task, &a->run);
            ensure(a, status == HOP_ERR_CANCELLED || (threads > 1 && w.calls < at));
            ensure(a, status != HOP_ERR_CANCELLED || w.calls == at); /* it was not asked again */
            ensure(a, status != HOP_ERR_CANCELLED ||
                          strstr(hop_context_message(w.context), "cancelled") != NULL);
            ensure(a, hop_context_memory_used(w.context) == 0);
            ensure(a, w.context->phase == NULL);
        }
        w.cancel_at = 0;
        ensure_right(a, w.context);
        free_context(w.context);
    }
}

static void reports_often_and_can_be_cancelled(void **state) {
    (void)state;
    for_each_attempt(TRIAL_CANCEL, false, cancel_at_each_report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_estimated_and_kept_to),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(reports_often_and_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
