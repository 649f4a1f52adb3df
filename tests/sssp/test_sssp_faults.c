/* SPDX-License-Identifier: Apache-2.0
 * Every allocation fails in turn; the memory that is used is what was estimated; budgets are kept;
 * cancelling works at every point. For every variant and the certifiers. */
#include "core/core_testing.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "core/rng.h"
#include "hoplite/hoplite.h"

/* The cases: kinds of weights, with and without limits. */
typedef struct fault_case {
    const char *name;
    hop_weight_type type;
    double low, high; /* of the weights */
    bool cycle;       /* a negative one is put in */
    bool limits;
} fault_case;

static const fault_case cases[] = {
    {"unit", HOP_WEIGHT_NONE, 1, 1, false, false},
    {"positive", HOP_WEIGHT_INT32, 1, 9, false, true},
    {"zeros", HOP_WEIGHT_INT64, 0, 2, false, false},
    {"zeros, limits", HOP_WEIGHT_INT32, 0, 2, false, true},
    {"wide", HOP_WEIGHT_INT64, 0, 0x1p60, false, true},
    {"float32", HOP_WEIGHT_FLOAT32, 0, 2, false, false},
    {"float64", HOP_WEIGHT_FLOAT64, 0, 2, false, true},
    {"negative", HOP_WEIGHT_INT32, -3, 0, false, false},
    {"negative, limits", HOP_WEIGHT_INT64, -3, 0, false, true},
    {"negative float32", HOP_WEIGHT_FLOAT32, -3, 0, false, false},
    {"negative float64", HOP_WEIGHT_FLOAT64, -3, 0, false, true},
    {"cycle", HOP_WEIGHT_INT32, -3, 0, true, false},
    {"cycle of float64", HOP_WEIGHT_FLOAT64, -3, 0, true, true},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* Weights are rounded to eighths. Negative ones lead upwards only. */
static hop_graph *make_graph(hop_context *context, const fault_case *c, uint32_t n, uint64_t m) {
    uint32_t *from = malloc(m * 4), *to = malloc(m * 4);
    void *weights = malloc(m * 8);
    for (uint64_t i = 0; i < m; i++) {
        uint64_t u = hop__random_at(9, 1, i) % n, v = hop__random_at(9, 2, i) % n;
        double w = c->low + hop__random_unit(hop__random_at(9, 3, i)) * (c->high - c->low);
        w = c->type <= HOP_WEIGHT_INT64 ? round(w) : round(w * 8) / 8;
        if (c->low < 0 && (u > v || u == v)) {
            uint64_t turn = u;
            u = v;
            v = turn;
            w = u == v ? 1 : w;
        }
        if (c->cycle && i < 2) {
            u = i;
            v = 1 - i;
            w = i ? -1 : 0.875;
        }
        from[i] = (uint32_t)u;
        to[i] = (uint32_t)v;
        if (c->type == HOP_WEIGHT_INT32)
            ((int32_t *)weights)[i] = (int32_t)w;
        else if (c->type == HOP_WEIGHT_INT64)
            ((int64_t *)weights)[i] = (int64_t)w;
        else if (c->type == HOP_WEIGHT_FLOAT32)
            ((float *)weights)[i] = (float)w;
        else
            ((double *)weights)[i] = w;
    }
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    edges.count = m;
    edges.from = from;
    edges.to = to;
    edges.weights = c->type == HOP_WEIGHT_NONE ? NULL : weights;
    edges.weight_type = c->type;
    options.vertices = n;
    options.directed = true;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
    free(from);
    free(to);
    free(weights);
    return graph;
}

/* A call of a variant; `ask` 1: distances, 2: parents. */
typedef struct call {
    const fault_case *c;
    const char *variant;
    unsigned ask;
    hop_certify certify;
    hop_report report;
} call;

static hop_status run_call(hop_context *context, const hop_graph *graph, call *k, int64_t *d,
                           hop_vertex *parents) {
    hop_vertex sources[] = {0, 1}, targets[] = {2, 3};
    hop_cycle *cycle = NULL;
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    k->report = (hop_report)HOP_REPORT_INIT;
    run.variant = k->variant;
    run.certify = k->certify;
    run.report = &k->report;
    options.run = &run;
    options.cycle = &cycle;
    if (k->c->limits) {
        options.targets = targets;
        options.target_count = 2;
        options.cutoff = 0x1p61;
    }
    hop_status status = hop_sssp(context, graph, sources, 2, &options, k->ask & 1 ? d : NULL,
                                 k->ask & 2 ? parents : NULL);
    if (status == HOP_ERR_NEGATIVE_CYCLE) {
        assert_true(k->c->cycle);
        assert_non_null(cycle);
        assert_int_equal(hop_cycle_length(cycle), 2);
    } else {
        assert_null(cycle);
    }
    hop_cycle_free(cycle);
    return status;
}

/* Calls fn for every case, variant, choice of arrays, and with and without a certificate. */
static void for_each_call(void (*fn)(call *k)) {
    for (unsigned i = 0; i < CASES; i++)
        for (size_t v = 0; v < host_variant_count(HOP_PROBLEM_SSSP); v++)
            for (unsigned ask = 0; ask < 8; ask++) {
                call k = {.c = &cases[i],
                          .variant = hop_variant_at(HOP_PROBLEM_SSSP, v)->name,
                          .ask = ask & 3,
                          .certify = ask & 4 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE};
                if (cases[i].low < 0 && strcmp(k.variant, "bellman-ford") != 0)
                    continue;
                fn(&k);
            }
}

static hop_status expected_status(const call *k) {
    return k->c->cycle ? HOP_ERR_NEGATIVE_CYCLE : HOP_OK;
}

static void fail_each_allocation(call *k) {
    test_heap heap = {0};
    hop_context_options options = heap_options(&heap, false);
    hop_context *context = NULL;
    int64_t d[200];
    hop_vertex parents[200];
    options.threads = 1;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    hop_graph *graph = make_graph(context, k->c, 200, 800);
    uint64_t before = hop_context_memory(context).used;
    unsigned failed = 0;
    for (unsigned at = 1;; at++) {
        heap_fail_at(&heap, at);
        hop_status status = run_call(context, graph, k, d, parents);
        bool over = atomic_load(&heap.requests) < at;
        heap_fail_at(&heap, 0);
        assert_int_equal(hop_context_memory(context).used, before);
        if (over) {
            assert_int_equal(status, expected_status(k));
            break;
        }
        assert_int_equal(status, HOP_ERR_MEMORY);
        assert_non_null(strstr(hop_context_message(context), "the system refused"));
        failed++;
        /* The same context then solves it. */
        assert_int_equal(run_call(context, graph, k, d, parents), expected_status(k));
    }
    assert_true(failed >= 1 + (k->certify != HOP_CERTIFY_NONE));
    hop_graph_release(graph);
    hop_context_free(context);
    assert_heap_empty(&heap);
}

static void allocations_fail(void **state) {
    (void)state;
    for_each_call(fail_each_allocation);
}

/* The certifiers by themselves. */
static void allocations_of_certifiers_fail(void **state) {
    (void)state;
    for (unsigned i = 0; i < CASES; i++)
        for (int with_parents = 0; with_parents < 2; with_parents++) {
            test_heap heap = {0};
            hop_context_options options = heap_options(&heap, true);
            hop_context *context = NULL;
            int64_t d[200];
            hop_vertex parents[200], source = 0, cycle[] = {0, 1};
            if (cases[i].type >= HOP_WEIGHT_FLOAT32 && cases[i].low < 0 && !with_parents)
                continue;
            assert_int_equal(hop_context_create(&options, &context), HOP_OK);
            hop_graph *graph = make_graph(context, &cases[i], 200, 800);
            if (!cases[i].cycle)
                assert_int_equal(hop_sssp(context, graph, &source, 1, NULL, d, parents), HOP_OK);
            for (unsigned at = 1;; at++) {
                heap_fail_at(&heap, at);
                hop_status status = cases[i].cycle
                                        ? hop_cycle_certify(context, graph, cycle, 2)
                                        : hop_sssp_certify(context, graph, &source, 1, NULL, d,
                                                           with_parents ? parents : NULL);
                bool over = atomic_load(&heap.requests) < at;
                heap_fail_at(&heap, 0);
                assert_int_equal(status, over ? HOP_OK : HOP_ERR_MEMORY);
                if (over) {
                    assert_true(at > 1);
                    break;
                }
            }
            hop_graph_release(graph);
            hop_context_free(context);
            assert_heap_empty(&heap);
        }
}

/* The estimate is what is used, or little more; with less, nothing is allocated. */
static void check_estimate(call *k) {
    enum { N = 5000 };
    static int64_t d[N];
    static hop_vertex parents[N];
    hop_context *context = make_context(1);
    hop_graph *graph = make_graph(context, k->c, N, 20000);
    uint64_t used = hop_context_memory(context).used;
    hop_context_reset_peak(context);
    assert_int_equal(run_call(context, graph, k, d, parents), expected_status(k));
    uint64_t peak = hop_context_memory(context).peak - used, estimate = k->report.memory_bytes;
    if (peak > estimate || estimate > peak + peak / 2 + 4096)
        fail_msg("%s, %s, arrays %u, certify %d: %llu bytes estimated, %llu used", k->c->name,
                 k->variant, k->ask, (int)k->certify, (unsigned long long)estimate,
                 (unsigned long long)peak);
    hop_graph_release(graph);
    free_context(context);

    /* Enough, and one byte too little. */
    for (int less = 0; less < 2; less++) {
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        options.threads = 1;
        options.memory_budget = UINT64_C(1) << 30;
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        graph = make_graph(context, k->c, N, 20000);
        hop_context *tight = NULL;
        options.memory_budget = estimate - (uint64_t)less;
        assert_int_equal(hop_context_create(&options, &tight), HOP_OK);
        assert_int_equal(run_call(tight, graph, k, d, parents),
                         less ? HOP_ERR_BUDGET : expected_status(k));
        if (less)
            assert_int_equal(hop_context_memory(tight).peak, 0);
        free_context(tight);
        hop_graph_release(graph);
        free_context(context);
    }
}

static void estimates_hold(void **state) {
    (void)state;
    for_each_call(check_estimate);
}

typedef struct canceller {
    hop_context *context;
    long left;
} canceller;

static bool cancel_at(void *user, const hop_progress *progress) {
    canceller *c = user;
    (void)progress;
    c->context->next_report = 0; /* every count is reported */
    return c->left-- > 0;
}

/* Cancelled at the first, the second ... report, until it comes to its end; the same context then
 * does it. */
static void check_cancel(call *k) {
    enum { N = 20000, M = 70000 };
    static int64_t d[N];
    static hop_vertex parents[N];
    if (k->ask != 3 || k->certify == HOP_CERTIFY_NONE)
        return;
    for (unsigned threads = 1; threads <= 2; threads++) {
        canceller c = {NULL, 0};
        hop_context *maker = make_context(1);
        hop_graph *graph = make_graph(maker, k->c, N, M);
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        hop_status status = HOP_ERR_CANCELLED;
        options.threads = threads;
        options.progress = cancel_at;
        options.progress_user = &c;
        assert_int_equal(hop_context_create(&options, &c.context), HOP_OK);
        long reports = 0;
        for (; status == HOP_ERR_CANCELLED; reports += reports < 20 ? 1 : reports / 10) {
            c.left = reports;
            c.context->next_report = 0;
            status = run_call(c.context, graph, k, d, parents);
            assert_int_equal(hop_context_memory(c.context).used, 0);
        }
        assert_int_equal(status, expected_status(k));
        assert_true(reports > 4);
        free_context(c.context);
        hop_graph_release(graph);
        free_context(maker);
    }
}

static void cancelling_works(void **state) {
    (void)state;
    for_each_call(check_cancel);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct watch {
    double last, longest;
} watch;

static bool note_time(void *user, const hop_progress *progress) {
    watch *w = user;
    double now = seconds();
    (void)progress;
    w->longest = now - w->last > w->longest ? now - w->last : w->longest;
    w->last = now;
    return true;
}

/* The longest time between two reports of a call. */
static double longest_silence(call *k, const hop_graph *graph, int64_t *d, hop_vertex *parents) {
    hop_context *context = NULL;
    watch w = {0, 0};
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = 1;
    options.progress = note_time;
    options.progress_user = &w;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    w.last = seconds();
    assert_int_equal(run_call(context, graph, k, d, parents), expected_status(k));
    (void)note_time(&w, NULL);
    free_context(context);
    return w.longest;
}

/* Reports come so often that cancelling takes effect soon: measured in processor time, so that a
 * busy machine does not matter, and the best of a few tries, since a guest's clock goes on while
 * its host does something else. */
static void reports_come_often(void **state) {
    (void)state;
    enum { N = 300000, M = 1500000, TRIES = 10 };
    const double soon = SANITIZED ? 2 : 0.2;
    static const unsigned chosen[] = {3, 6, 10};
    int64_t *d = malloc(N * 8);
    hop_vertex *parents = malloc(N * 4);
    for (unsigned i = 0; i < 3; i++)
        for (size_t v = 0; v < host_variant_count(HOP_PROBLEM_SSSP); v++) {
            call k = {&cases[chosen[i]], hop_variant_at(HOP_PROBLEM_SSSP, v)->name, 3,
                      HOP_CERTIFY_CANONICAL, HOP_REPORT_INIT};
            if (k.c->low < 0 && strcmp(k.variant, "bellman-ford") != 0)
                continue;
            hop_context *maker = make_context(1);
            hop_graph *graph = make_graph(maker, k.c, N, M);
            double best = longest_silence(&k, graph, d, parents);
            for (int attempt = 1; attempt < TRIES && best > soon; attempt++)
                best = longest_silence(&k, graph, d, parents);
            if (best > soon)
                fail_msg("%s, %s: %.3f s without a report", k.c->name, k.variant, best);
            hop_graph_release(graph);
            free_context(maker);
        }
    free(d);
    free(parents);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_fail),   cmocka_unit_test(allocations_of_certifiers_fail),
        cmocka_unit_test(estimates_hold),     cmocka_unit_test(cancelling_works),
        cmocka_unit_test(reports_come_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
