/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver of a call, by a problem that is none: what it asks for, in which order, and what it
 * makes of failures. (Rows for devices, and what follows when they fail: test_choose.c and the
 * tests of the problems.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/try.h"
#include "hoplite/hoplite.h"
#include "problem/problem.h"

static hop_context *context;

static int set_up(void **state) {
    (void)state;
    return hop_context_create(NULL, &context) == HOP_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    hop_context_free(context);
    return 0;
}

enum { ELEMENTS = 100, LATER = 1 << 20 };

/* What the operations are to return, and a letter for each that was called. */
typedef struct toy_task {
    uint32_t *array; /* the caller's, or kept */
    char calls[16];
    hop_status run_status, proof, end;
    bool array_there;
} toy_task;

static void note(toy_task *task, char letter) {
    size_t length = strlen(task->calls);
    assert_true(length + 1 < sizeof task->calls);
    task->calls[length] = letter;
}

static void row_blocks(const void *given, hop__workspace *space) {
    (void)given;
    hop__block_reserve(space, HOP__MEMORY_HOST, "toy: row", 1000);
}

static const hop__variant first = {.about = {.name = "first"}, .blocks = row_blocks};
static const hop__variant second = {.about = {.name = "second"}, .blocks = row_blocks};
static const hop__variant *const rows[] = {&first, &second};

static const hop__variant *pick(const void *given, char reason[HOP__REASON]) {
    note((toy_task *)(uintptr_t)given, 'p');
    strcpy(reason, "it is the second");
    return &second;
}

static void kept(const void *given, hop__workspace *space) {
    const toy_task *task = given;
    if (!task->array)
        HOP__BLOCK(space, "toy: array", ELEMENTS, toy_task, array);
}

static uint64_t later(const hop_context *used, const hop__call *call) {
    (void)used;
    return call->run.certify != HOP_CERTIFY_NONE ? LATER : 0;
}

static hop_status run(hop_context *used, hop__call *call) {
    toy_task *task = call->task;
    note(task, 'r');
    assert_ptr_equal(used->recorder, &call->recorder);
    task->array_there = task->array != NULL;
    task->array[ELEMENTS - 1] = 7;
    call->report.rounds = 3;
    return task->run_status;
}

static hop_status certify(hop_context *used, hop__call *call, hop_status ended) {
    toy_task *task = call->task;
    note(task, ended == HOP_OK ? 'c' : 'n');
    assert_null(used->recorder);
    assert_int_equal(task->array[ELEMENTS - 1], 7);
    return task->proof;
}

static hop_status finish(hop_context *used, hop__call *call, hop_status status) {
    toy_task *task = call->task;
    (void)used;
    note(task, 'f');
    assert_non_null(task->array);
    return task->end != HOP_OK ? task->end : status;
}

static const hop__problem toy = {.name = "toy",
                                 .rows = rows,
                                 .row_count = 2,
                                 .pick = pick,
                                 .kept = kept,
                                 .later = later,
                                 .run = run,
                                 .certify = certify,
                                 .finish = finish};

/* How a call ends, and what it called. */
static void solve_as(hop_run asked, toy_task *task, hop_status taken, const char *calls,
                     hop_status expected, hop_report *report) {
    hop__call call = {.problem = &toy, .task = task, .run = asked};
    uint64_t used = hop_context_memory_used(context);
    *report = (hop_report){0};
    call.run.report = report;
    assert_int_equal(hop__solve(context, &call, taken), expected);
    assert_string_equal(task->calls, calls);
    assert_int_equal(hop_context_memory_used(context), used);
}

static void test_the_order_of_a_call(void **state) {
    (void)state;
    hop_report report;
    static const struct {
        hop_certify certify;
        bool plan;
        hop_status run, proof, end;
        const char *calls;
        hop_status expected;
    } cases[] = {
        {HOP_CERTIFY_NONE, false, HOP_OK, HOP_OK, HOP_OK, "prf", HOP_OK},
        {HOP_CERTIFY_VALID, false, HOP_OK, HOP_OK, HOP_OK, "prcf", HOP_OK},
        {HOP_CERTIFY_VALID, true, HOP_OK, HOP_OK, HOP_OK, "p", HOP_OK},
        {HOP_CERTIFY_VALID, false, HOP_ERR_NEGATIVE_CYCLE, HOP_OK, HOP_OK, "prnf",
         HOP_ERR_NEGATIVE_CYCLE},
        {HOP_CERTIFY_VALID, false, HOP_ERR_NEGATIVE_CYCLE, HOP_ERR_CERTIFICATE, HOP_OK, "prnf",
         HOP_ERR_CERTIFICATE},
        {HOP_CERTIFY_VALID, false, HOP_ERR_INPUT, HOP_OK, HOP_OK, "prf", HOP_ERR_INPUT},
        {HOP_CERTIFY_VALID, false, HOP_ERR_MEMORY, HOP_OK, HOP_OK, "prf", HOP_ERR_MEMORY},
        {HOP_CERTIFY_VALID, false, HOP_OK, HOP_ERR_CERTIFICATE, HOP_OK, "prcf",
         HOP_ERR_CERTIFICATE},
        {HOP_CERTIFY_NONE, false, HOP_ERR_INPUT, HOP_OK, HOP_ERR_UNSUPPORTED, "prf",
         HOP_ERR_UNSUPPORTED},
    };
    for (size_t i = 0; i < HOP_LENGTH(cases); i++) {
        hop_run asked = HOP_RUN_INIT;
        toy_task task = {.run_status = cases[i].run, .proof = cases[i].proof, .end = cases[i].end};
        asked.certify = cases[i].certify;
        asked.plan = cases[i].plan;
        solve_as(asked, &task, HOP_OK, cases[i].calls, cases[i].expected, &report);
        assert_ptr_equal(report.variant, &second.about);
        assert_string_equal(report.reason, "it is the second");
        assert_int_equal(report.rounds, cases[i].plan ? 0 : 3);
        assert_null(task.array);
        assert_int_equal(task.array_there, !cases[i].plan);
    }
}

static void test_what_a_front_refused_is_only_reported(void **state) {
    (void)state;
    hop_report report;
    toy_task task = {.run_status = HOP_OK};
    solve_as((hop_run)HOP_RUN_INIT, &task, HOP_ERR_INPUT, "", HOP_ERR_INPUT, &report);
    assert_null(report.variant);
}

static void test_the_need_is_that_of_the_whole_call(void **state) {
    (void)state;
    hop_report report;
    uint32_t array[ELEMENTS];
    uint64_t kept_bytes = hop__block_bytes(ELEMENTS, sizeof(uint32_t));
    for (int own = 0; own < 2; own++)
        for (int proved = 0; proved < 2; proved++) {
            hop_run asked = HOP_RUN_INIT;
            toy_task task = {.array = own ? array : NULL};
            asked.variant = "first";
            asked.plan = true;
            asked.certify = proved ? HOP_CERTIFY_VALID : HOP_CERTIFY_NONE;
            solve_as(asked, &task, HOP_OK, "", HOP_OK, &report);
            assert_ptr_equal(report.variant, &first.about);
            assert_int_equal(report.memory_bytes, (proved ? LATER : 1000) + (own ? 0 : kept_bytes));
        }
}

static void test_an_empty_task_is_not_run(void **state) {
    (void)state;
    toy_task task = {.array = NULL};
    hop__call call = {.problem = &toy, .task = &task, .empty = true};
    assert_int_equal(hop__solve(context, &call, HOP_OK), HOP_OK);
    assert_string_equal(task.calls, "p");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_order_of_a_call),
        cmocka_unit_test(test_what_a_front_refused_is_only_reported),
        cmocka_unit_test(test_the_need_is_that_of_the_whole_call),
        cmocka_unit_test(test_an_empty_task_is_not_run),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
