/* SPDX-License-Identifier: Apache-2.0
 * Lists of blocks: what they come to, how their memory comes and goes; and, for every variant of
 * every table on every family of graphs, that what was declared is what was allocated. */
#include "problem/workspace.h"

#include <unistd.h>

#include "device/backend.h"
#include "generate/generate_testing.h"
#include "hoplite/hoplite.h"
#include "problem/device_variant_testing.h"
#include "problem/problem.h"
#include "problem/report.h"
#include "span_testing.h"
#include "tables/problem_tables.h"

/* --- a list of its own ----------------------------------------------------------------------- */

enum { WORKERS = 3 };

typedef struct worker {
    uint64_t *heap;
} worker;

typedef struct state {
    uint32_t *whole, *first, *second, *list, *fallback;
    worker *workers;
} state;

static void list_blocks(const void *task, hop__workspace *space) {
    uint64_t n = *(const uint64_t *)task;
    HOP__BLOCK(space, "whole", n, state, whole)->zero = true;
    HOP__BLOCK(space, "list", n, state, list)->later = true;
    HOP__BLOCK(space, "fallback", 2 * n, state, fallback)->on_demand = true;
    hop__block *workers = HOP__BLOCK(space, "workers", WORKERS, state, workers);
    workers->zero = true;
    hop__block_within(space, workers);
    HOP__BLOCK(space, "heaps", n, worker, heap);
    hop__block_within(space, NULL);
    hop__block_reserve(space, HOP__MEMORY_HOST, "a sort", n);
    hop__block_stage(space, 1);
    HOP__BLOCK(space, "first", 3 * n, state, first);
    hop__block_stage(space, 2);
    HOP__BLOCK(space, "second", 5 * n, state, second);
}

static uint64_t bytes_of(uint64_t n) {
    return 2 * hop__block_bytes(n, 4) + hop__block_bytes(2 * n, 4) +
           hop__block_bytes(WORKERS, sizeof(worker)) + WORKERS * hop__block_bytes(n, 8) + n +
           hop__block_bytes(5 * n, 4);
}

static void the_estimate_is_the_peak(void **unused) {
    (void)unused;
    for (uint64_t n = 0; n < 3000; n += 999) {
        hop__need need = hop__blocks_need(list_blocks, &n, NULL);
        assert_int_equal(need.bytes[HOP__MEMORY_HOST], bytes_of(n));
        assert_int_equal(need.bytes[HOP__MEMORY_DEVICE], 0);
    }
    uint64_t huge = UINT64_MAX / 16;
    assert_int_equal(hop__blocks_need(list_blocks, &huge, NULL).bytes[HOP__MEMORY_HOST],
                     UINT64_MAX);
    assert_int_equal(hop__blocks_need(NULL, NULL, NULL).bytes[HOP__MEMORY_HOST], 0);
}

/* All that can be done with the list. */
static hop_status use_all(hop_context *context, uint64_t n, bool fallback, hop__workspace *space) {
    hop_status status;
    state s = {0};
    HOP_TRY(status, hop__workspace_open(context, NULL, list_blocks, &n, &s, space));
    assert_true(s.whole && !s.list && !s.fallback && !s.first && !s.second);
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(s.whole[i], 0);
    for (int i = 0; i < WORKERS; i++)
        memset(s.workers[i].heap, 1, n * 8);
    HOP_TRY(status, hop__workspace_take(space, &s.list, n / 2));
    HOP_TRY(status, hop__workspace_stage(space, 1));
    assert_true(s.first && !s.second);
    uint32_t *swapped = s.first; /* what is freed is what was allocated, whatever slots say */
    s.first = s.list;
    s.list = swapped;
    HOP_TRY(status, hop__workspace_stage(space, 2));
    assert_true(s.second != NULL);
    if (fallback) {
        HOP_TRY(status, hop__workspace_take(space, &s.fallback, 2 * n));
        swapped = s.fallback;
        HOP_TRY(status, hop__workspace_take(space, &s.fallback, n));
        assert_ptr_equal(s.fallback, swapped); /* it is there already */
    }
    hop__workspace_drop(space, &s.whole);
    assert_null(s.whole);
done:
    hop__workspace_close(space, status);
    return status;
}

static void what_is_opened_is_closed(void **unused) {
    (void)unused;
    const uint64_t n = 100;
    hop__workspace space = {0};
    hop__block_record record;
    for (int fallback = 0; fallback < 2; fallback++) {
        hop_context *context = make_context(1);
        context->block_record = &record;
        assert_int_equal(use_all(context, n, fallback, &space), HOP_OK);
        assert_int_equal(hop_context_memory_used(context), 0);
        assert_int_equal(record.drawn[HOP__MEMORY_HOST],
                         bytes_of(n) - (fallback ? 0 : hop__block_bytes(2 * n, 4)));
        assert_int_equal(hop_context_memory_peak(context),
                         record.drawn[HOP__MEMORY_HOST] - n - (n / 2) * 4);
        free_context(context);
    }
    hop__workspace never = {0};
    hop__workspace_close(&never, HOP_OK);
}

static void every_allocation_may_fail(void **unused) {
    (void)unused;
    hop__workspace space = {0};
    hop_status status = HOP_ERR_MEMORY;
    for (long allowed = 0; status != HOP_OK; allowed++) {
        long left = allowed;
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        options.allocator = (hop_allocator){failing_allocate, NULL, failing_release, &left};
        left++; /* the pool itself */
        if (hop_context_create(&options, &context) != HOP_OK)
            continue;
        status = use_all(context, 10, true, &space);
        assert_true(status == HOP_OK || status == HOP_ERR_MEMORY);
        assert_int_equal(hop_context_memory_used(context), 0);
        free_context(context);
        assert_true(allowed < 100);
    }
}

static void nothing_is_taken_that_is_not_declared(void **unused) {
    (void)unused;
    uint64_t n = 10;
    hop_context *context = make_context(1);
    hop__workspace space = {0};
    state s = {0};
    uint32_t *other = NULL;
    assert_int_equal(hop__workspace_open(context, NULL, list_blocks, &n, &s, &space), HOP_OK);
    assert_int_equal(hop__workspace_take(&space, &s.list, n + 1), HOP_ERR_ARGUMENT);
    assert_message(context, "list: 11 elements are taken, but 10 are declared");
    assert_int_equal(hop__workspace_take(&space, &other, 1), HOP_ERR_ARGUMENT);
    assert_null(other);
    hop__workspace_drop(&space, &other);
    hop__workspace_close(&space, HOP_OK);
    assert_int_equal(hop_context_memory_used(context), 0);
    free_context(context);
}

static void list_too_many(const void *task, hop__workspace *space) {
    (void)task;
    for (int i = 0; i <= HOP__BLOCKS_MOST; i++)
        HOP__BLOCK(space, "one more", 1, state, whole);
}

static void too_many_blocks_are_refused(void **unused) {
    (void)unused;
    hop_context *context = make_context(1);
    hop__workspace space = {0};
    state s = {0};
    assert_int_equal(hop__blocks_need(list_too_many, NULL, NULL).bytes[HOP__MEMORY_HOST],
                     UINT64_MAX);
    assert_int_equal(hop__workspace_open(context, NULL, list_too_many, NULL, &s, &space),
                     HOP_ERR_ARGUMENT);
    hop__workspace_close(&space, HOP_ERR_ARGUMENT);
    assert_int_equal(hop_context_memory_used(context), 0);
    free_context(context);
}

/* --- the tables ------------------------------------------------------------------------------ */

/* A graph of each family that is not a list. */
static const request requests[] = {
    {"list-graph", {{"n", 90}, {"count", 5}}},
    {"tree-graph", {{"n", 300}, {"count", 3}, {"k", 3}}},
    {"density", {{"m", 2000}, {"delta", .1}, {"count", 3}}},
    {"erdos-renyi", {{"n", 300}, {"m", 1000}, {"directed", 1}}},
    {"degree", {{"n", 200}}},
    {"rmat", {{"scale", 8}}},
    {"fanout", {{"n", 300}}},
    {"grid", {{"rows", 12}, {"cols", 12}}},
    {"road", {{"rows", 5}, {"cols", 5}}},
};

enum { ROOM = 4096 }; /* vertices at most, and elements of the list */

/* One of everything that a call needs. */
typedef struct question {
    const char *family;
    const hop_graph *graph;
    const hop_vertex *successors;
    hop_vertex *one, *two;
    void *wide;
    char scratch[64];
} question;

static bool take_rows(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    (void)user;
    (void)first;
    (void)count;
    (void)rows;
    return true;
}

static hop_status measure(hop_context *context, const question *q, const char *name,
                          const hop_run *run) {
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    hop_span values = {q->wide, hop_graph_vertices(q->graph), hop_measure_type(q->graph, name)};
    options.run = run;
    return hop_measure_run(context, q->graph, name, &options, &values, NULL);
}

static hop_status call(hop_context *context, const question *q, unsigned problem,
                       const hop_run *run) {
    const hop_vertex source = 0;
    hop_rank_options rank = HOP_RANK_OPTIONS_INIT;
    hop_components_options components = HOP_COMPONENTS_OPTIONS_INIT;
    hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
    hop_sssp_options sssp = HOP_SSSP_OPTIONS_INIT;
    hop_apsp_options apsp = HOP_APSP_OPTIONS_INIT;
    hop_strong_options strong = HOP_STRONG_OPTIONS_INIT;
    hop_spanning_options spanning = HOP_SPANNING_OPTIONS_INIT;
    hop_closure_options closure = HOP_CLOSURE_OPTIONS_INIT;
    apsp.scratch = q->scratch;
    rank.run = components.run = bfs.run = sssp.run = apsp.run = strong.run = run;
    spanning.run = closure.run = run;
    switch (problem) {
    case HOP_PROBLEM_RANK:
        return hop_rank(context, q->successors, ROOM, &rank, q->one);
    case HOP_PROBLEM_COMPONENTS:
        return hop_components(context, q->graph, &components, q->one, NULL);
    case HOP_PROBLEM_BFS:
        return hop_bfs(context, q->graph, &source, 1, &bfs, q->one, q->two);
    case HOP_PROBLEM_SSSP:
        return hop_sssp(context, q->graph, &source, 1, &sssp, ROOM(q->graph, q->wide), q->two);
    case HOP__PROBLEM_STRONG:
        return hop_strong_components(context, q->graph, &strong, q->one, NULL);
    case HOP__PROBLEM_ORDER:
        return hop_topological_order(context, q->graph, &strong, q->one, q->two, NULL);
    case HOP__PROBLEM_SPANNING:
        return hop_spanning_forest(context, q->graph, &spanning, q->wide, NULL);
    case HOP__PROBLEM_CLOSURE:
        return hop_closure_counts(context, q->graph, &closure, q->one, NULL);
    case HOP__PROBLEM_LOCAL:
        return measure(context, q, "local-efficiency", run);
    default:
        return hop_apsp_rows(context, q->graph, &apsp, take_rows, NULL, NULL);
    }
}

typedef struct measured {
    uint64_t peak[HOP__MEMORY_PLACES];
    hop__block_record blocks;
    hop_report report;
} measured;

/* One run of a variant; false when it cannot do this. */
static bool run_once(hop_context *context, const question *q, unsigned problem, const char *variant,
                     measured *got) {
    hop_run run = HOP_RUN_INIT;
    uint64_t before = hop_context_memory_used(context);
    *got = (measured){.report = {0}};
    context->block_record = &got->blocks;
    run.variant = variant;
    run.report = &got->report;
    hop_context_reset_peak(context);
    if (context->device) {
        hop_device_trim(context); /* the graph of the question before */
        context->device->busy_peak = context->device->used;
    }
    hop_status status = call(context, q, problem, &run);
    context->block_record = NULL;
    if (status == HOP_ERR_UNSUPPORTED)
        return false;
    /* What has a cycle has no order; that it takes memory for all the same. */
    if (status != HOP_OK && !(problem == HOP__PROBLEM_ORDER && status == HOP_ERR_INPUT))
        fail_msg("%s: %s on %s: %s", hop__problem_at(problem)->name, variant, q->family,
                 hop_context_message(context));
    assert_int_equal(hop_context_memory_used(context), before);
    got->peak[HOP__MEMORY_HOST] = hop_context_memory_peak(context) - before;
    got->peak[HOP__MEMORY_DEVICE] = context->device ? context->device->busy_peak : 0;
    return true;
}

static void expect(bool right, const question *q, unsigned problem, const hop__variant *row,
                   const char *rule, uint64_t first, uint64_t second) {
    if (!right)
        fail_msg("%s: %s on %s, %s: %s, but they are %llu and %llu", hop__problem_at(problem)->name,
                 row->about.name, q->family,
                 row->about.place == HOP_PLACE_DEVICE ? "device" : "host", rule,
                 (unsigned long long)first, (unsigned long long)second);
}

/* Allocated <= estimated; and estimated, without what was on demand and was not used, and with what
 * the device's room decided as it was, <= 1.1 allocated. What the front itself keeps is in both. */
static void check_rules(const question *q, unsigned problem, const hop__variant *row,
                        const measured *got) {
    const uint64_t *listed = got->blocks.listed, *declared = got->blocks.declared;
    const uint64_t *drawn = got->blocks.drawn, *peak = got->peak;
    uint64_t host = got->report.memory_bytes, on_device = got->report.device_bytes;
    expect(peak[0] <= host - listed[0] + declared[0], q, problem, row,
           "no more is allocated than was estimated", peak[0], host - listed[0] + declared[0]);
    uint64_t used = host - listed[0] + drawn[0];
    if (problem != HOP__PROBLEM_CLOSURE) /* its rows are of components, which are counted later */
        expect(10 * used <= 11 * peak[0], q, problem, row, "hardly more is declared than allocated",
               used, peak[0]);
    expect(on_device <= declared[1], q, problem, row, "what is asked for first is declared",
           on_device, declared[1]);
    expect(peak[1] <= declared[1], q, problem, row, "no more buffers are made than declared",
           peak[1], declared[1]);
    expect(10 * drawn[1] <= 11 * peak[1], q, problem, row,
           "hardly more buffers are declared than made", drawn[1], peak[1]);
}

/* Problems that take fewer workers, or smaller blocks, where the host's memory is less. */
static bool yields(unsigned problem) {
    return problem == HOP_PROBLEM_APSP || problem >= HOP__PROBLEM_CLOSURE;
}

/* With a byte less the call is refused before anything is allocated. */
static void check_refusal(const hop_context *context, const question *q, unsigned problem,
                          const hop__variant *row, const hop_report *report) {
    bool on_device = row->about.place == HOP_PLACE_DEVICE;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *small = NULL;
    if (on_device ? report->device_bytes == 0 : report->memory_bytes == 0 || yields(problem))
        return;
    options.threads = 2;
    options.device = context->options.device;
    if (on_device)
        options.device_memory = report->device_bytes - 1;
    else
        options.memory_budget = report->memory_bytes - 1;
    assert_int_equal(hop_context_create(&options, &small), HOP_OK);
    if (on_device)
        hop__device_keep_apart(device_in(small), context->device->apart);
    uint64_t before = hop_context_memory_peak(small);
    hop_run run = HOP_RUN_INIT;
    hop_report refused = {0};
    run.variant = row->about.name;
    run.report = &refused;
    assert_int_equal(call(small, q, problem, &run), HOP_ERR_BUDGET);
    assert_int_equal(refused.memory_bytes, report->memory_bytes);
    assert_int_equal(refused.device_bytes, report->device_bytes);
    assert_int_equal(hop_device_memory_peak(small), 0);
    assert_int_equal(hop_context_memory_peak(small), before);
    free_context(small);
}

/* All rows that this context can run, each of which must run for one question at least. (Not those
 * that open a workspace within another: one is recorded. test_conformance.c has them.) */
static void check_tables(hop_context *context, const question *questions, size_t count) {
    hop_place place = context->device ? HOP_PLACE_DEVICE : HOP_PLACE_HOST;
    for (unsigned p = 0; p < HOP__PROBLEM_COUNT; p++) {
        const hop__variant *row;
        if (p == HOP__PROBLEM_MEASURE || p == HOP__PROBLEM_BETWEEN)
            continue;
        for (size_t i = 0; (row = hop__variant_at(p, i)) != NULL; i++) {
            unsigned ran = 0;
            measured got;
            size_t some = p == HOP_PROBLEM_RANK ? 1 : count; /* there is one list */
            for (size_t k = 0; k < some && row->about.place == place; k++) {
                const question *q = &questions[k];
                bool able = run_once(context, q, p, row->about.name, &got);
                if (able && context->device && got.peak[0] > got.report.memory_bytes)
                    able = run_once(context, q, p, row->about.name,
                                    &got); /* now kernels are compiled */
                if (able)
                    check_rules(q, p, row, &got);
                if (able && ran++ == 0)
                    check_refusal(context, q, p, row, &got.report);
            }
            if (row->about.place == place && place == HOP_PLACE_HOST)
                assert_true(ran > 0);
        }
    }
}

static void for_all_families(hop_context *maker, void (*body)(const question *, size_t, void *),
                             void *user) {
    static const hop_weight_type types[] = {HOP_TYPE_NONE, HOP_TYPE_INT32, HOP_TYPE_FLOAT32};
    enum { MOST = HOP_LENGTH(requests) * HOP_LENGTH(types) };
    static question questions[MOST];
    static hop_vertex successors[ROOM], one[ROOM], two[ROOM];
    static double wide[ROOM];
    size_t count = 0;
    for (size_t r = 0; r < HOP_LENGTH(requests); r++)
        for (size_t t = 0; t < HOP_LENGTH(types); t++) {
            if (((hop_context *)user)->device && t != r % HOP_LENGTH(types))
                continue; /* launches take their time */
            question *q = &questions[count++];
            *q = (question){.family = requests[r].family,
                            .successors = successors,
                            .one = one,
                            .two = two,
                            .wide = wide};
            q->graph = generate_weighted(maker, &requests[r], 1, types[t]);
            assert_true(hop_graph_vertices(q->graph) <= ROOM);
            snprintf(q->scratch, sizeof q->scratch, "workspace-%d.tiles", (int)getpid());
        }
    for (size_t i = 0; i < hop_family_count(); i++) {
        size_t found = hop_family_at(i)->is_list;
        for (size_t r = 0; r < HOP_LENGTH(requests); r++)
            found += strcmp(requests[r].family, hop_family_at(i)->name) == 0;
        assert_true(found > 0);
    }
    assert_int_equal(hop_list_generate(maker, ROOM, 1, successors), HOP_OK);
    body(questions, count, user);
    for (size_t k = 0; k < count; k++)
        hop_graph_release((hop_graph *)(uintptr_t)questions[k].graph);
}

static void check_body(const question *questions, size_t count, void *user) {
    check_tables(user, questions, count);
}

static void what_is_declared_is_allocated(void **unused) {
    (void)unused;
    hop_context *maker = make_context(2), *context = make_context(2);
    for_all_families(maker, check_body, context);
    free_context(context);
    free_context(maker);
}

static void device_body(hop_context *context, bool apart) {
    (void)apart;
    hop_context *maker = make_context(2);
    for_all_families(maker, check_body, context);
    free_context(maker);
}

static void what_is_declared_is_allocated_on_devices(void **unused) {
    (void)unused;
    on_each_memory(0, device_body);
}

/* A stage's counts are those that the task has when the stage begins: fewer, or if they are
 * elastic any. */
typedef struct late_task {
    uint64_t count;
    bool elastic;
} late_task;

static void late_blocks(const void *given, hop__workspace *space) {
    const late_task *task = given;
    hop__block_stage(space, 1);
    HOP__BLOCK(space, "first", task->count, state, first)->elastic = task->elastic;
}

static void a_stage_is_listed_again(void **unused) {
    (void)unused;
    static const uint64_t later[] = {50, 100, 150};
    for (int elastic = 0; elastic < 2; elastic++)
        for (size_t i = 0; i < HOP_LENGTH(later); i++) {
            hop_context *context = make_context(1);
            late_task task = {100, elastic};
            hop__block_record record;
            hop__workspace space = {0};
            state s = {0};
            bool fits = elastic || later[i] <= task.count;
            context->block_record = &record;
            assert_int_equal(hop__workspace_open(context, NULL, late_blocks, &task, &s, &space),
                             HOP_OK);
            task.count = later[i];
            assert_int_equal(hop__workspace_stage(&space, 1), fits ? HOP_OK : HOP_ERR_ARGUMENT);
            assert_int_equal(hop_context_memory_used(context),
                             fits ? hop__block_bytes(later[i], 4) : 0);
            hop__workspace_close(&space, HOP_OK);
            assert_int_equal(record.listed[HOP__MEMORY_HOST], hop__block_bytes(100, 4));
            assert_int_equal(hop_context_memory_used(context), 0);
            free_context(context);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_estimate_is_the_peak),
        cmocka_unit_test(what_is_opened_is_closed),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(nothing_is_taken_that_is_not_declared),
        cmocka_unit_test(too_many_blocks_are_refused),
        cmocka_unit_test(a_stage_is_listed_again),
        cmocka_unit_test(what_is_declared_is_allocated),
        cmocka_unit_test(what_is_declared_is_allocated_on_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
