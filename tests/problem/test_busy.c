/* SPDX-License-Identifier: Apache-2.0
 * What calls do where other programs want the cores: counted, not timed. That the machine is busy
 * or free is what the test says; it may in truth be either. */
#include "core/core_testing.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#include "core/machine_share.h"
#include "core/parallel.h"
#include "core/pool.h"
#include "core/timing.h"
#include "hoplite/hoplite.h"
#include "problem/report.h"

static void make_crowded(void) {
    hop__share_add(1000000000, 0);
    assert_true(hop__crowded());
}

static void make_quiet(void) {
    hop__share_add(1000000000, 1000000000);
    assert_false(hop__crowded());
}

static hop_graph *make_grid(hop_context *context, double side) {
    hop_setting settings[] = {{"rows", side}, {"cols", side}};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    options.settings = settings;
    options.setting_count = 2;
    hop_graph *graph = NULL;
    assert_int_equal(hop_graph_generate(context, "grid", &options, &graph), HOP_OK);
    return graph;
}

typedef struct arrays {
    hop_vertex *first, *second;
    int64_t *distances;
} arrays;

static hop_status call(hop_context *context, const hop_graph *graph, unsigned verb,
                       const arrays *out) {
    hop_vertex source = 0;
    if (verb == 0)
        return hop_components(context, graph, NULL, out->first, NULL);
    if (verb == 1)
        return hop_bfs(context, graph, &source, 1, NULL, out->first, out->second);
    return hop_sssp(context, graph, &source, 1, NULL,
                    HOP_SPAN(out->distances, hop_graph_vertices(graph)), out->second);
}

static arrays make_arrays(const hop_graph *graph) {
    size_t n = hop_graph_vertices(graph);
    arrays made = {malloc(4 * n), malloc(4 * n), malloc(8 * n)};
    assert_true(made.first && made.second && made.distances);
    return made;
}

static void free_arrays(arrays *made) {
    free(made->first);
    free(made->second);
    free(made->distances);
}

static uint64_t asked(void) {
    return atomic_load(&hop__pool_total.asked);
}

/* That others want the cores is forgotten after a second, for which a machine may be held up: then
 * it is false. */
static bool is_alone_where_crowded(hop_context *context, const hop_graph *graph, unsigned verb,
                                   const arrays *out) {
    double begin = hop__now();
    hop__share_add(1000000000, 0);
    uint64_t before = asked(), told = atomic_load(&hop__shares_told);
    assert_int_equal(call(context, graph, verb, out), HOP_OK);
    bool alone = asked() == before;
    if (hop__now() - begin > 0.9)
        return false;
    assert_true(alone);
    assert_true(atomic_load(&hop__shares_told) > told);
    return true;
}

/* A short call asks nobody for help, and says afterwards what it got of its core, or it would stay
 * alone for ever; on a free machine it asks. */
static void short_calls_are_alone(void **state) {
    (void)state;
    hop_context *context = make_context(0);
    context->team_size = 4; /* whatever the machine has */
    hop_graph *graph = make_grid(context, 400);
    arrays out = make_arrays(graph);
    for (unsigned verb = 0; verb < 3; verb++) {
        unsigned seen = 0;
        for (unsigned tries = 0; tries < 100 && seen < 5; tries++) {
            seen += is_alone_where_crowded(context, graph, verb, &out);
            assert_int_equal(hop__team_limit(context), 4); /* that was for the call */
        }
        assert_int_equal(seen, 5);
        uint64_t before = asked();
        for (unsigned tries = 0; tries < 1000 && asked() == before; tries++) {
            make_quiet();
            assert_int_equal(call(context, graph, verb, &out), HOP_OK);
        }
        assert_true(asked() > before);
    }
    free_arrays(&out);
    hop_graph_release(graph);
    free_context(context);
}

/* Long work is not left to one thread, nor is what a caller asked for by number. */
static void only_short_work_of_no_named_number_is_better_alone(void **state) {
    (void)state;
    hop_context *chosen = make_context(0), *named = make_context(4);
    chosen->team_size = 4;
    make_crowded();
    assert_true(hop__better_alone(chosen, 1000000));
    assert_false(hop__better_alone(chosen, 1000000000));
    assert_false(hop__better_alone(named, 1000000));
    chosen->call_threads = 1;
    assert_false(hop__better_alone(chosen, 1000000)); /* it is so anyway */
    chosen->call_threads = 0;
    make_quiet();
    assert_false(hop__better_alone(chosen, 1000000));
    free_context(chosen);
    free_context(named);
}

static bool has_phase(const hop_report *report, const char *name) {
    for (size_t i = 0; i < report->phase_count; i++)
        if (strcmp(report->phases[i].name, name) == 0)
            return true;
    return false;
}

/* Searches from a corner; whether some level was shared. */
static bool shares_levels(hop_context *context, const hop_graph *graph, const arrays *out,
                          hop_setting *setting) {
    hop_vertex source = 0;
    hop_report report = {0};
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    run.report = &report;
    run.variant = "direction-optimizing";
    run.settings = setting;
    run.setting_count = setting != NULL;
    options.run = &run;
    assert_int_equal(hop_bfs(context, graph, &source, 1, &options, out->first, out->second),
                     HOP_OK);
    return has_phase(&report, "shared");
}

/* A search tells what it gets of its cores, and where it is slow (instrumented) that is enough to
 * be believed before its end: so it is said again and again that others want them. */
static void *keep_crowded(void *arg) {
    atomic_bool *end = arg;
    while (!atomic_load(end)) {
        hop__share_add(1000000000, 0);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return NULL;
}

/* A graph of many short levels, whose search is long enough for a team: its members would wait for
 * each other in each level. */
static void short_levels_are_left_to_one_member(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_graph *graph = make_grid(context, 700);
    arrays out = make_arrays(graph);
    hop_setting few = {"alone", 100};
    bool alone = false, shared = false, as_set = false;
    atomic_bool end = false;
    pthread_t others;
    make_crowded();
    assert_int_equal(pthread_create(&others, NULL, keep_crowded, &end), 0);
    for (unsigned tries = 0; tries < 100 && !alone; tries++) /* it may be silent for a while */
        alone = !shares_levels(context, graph, &out, NULL);
    atomic_store(&end, true);
    pthread_join(others, NULL);
    assert_true(alone);
    for (unsigned tries = 0; tries < 300 && !shared; tries++) {
        make_quiet();
        shared = shares_levels(context, graph, &out, NULL);
    }
    assert_true(shared);
    for (unsigned tries = 0; tries < 300 && !as_set; tries++) {
        make_crowded();
        as_set = shares_levels(context, graph, &out, &few);
    }
    assert_true(as_set);
    free_arrays(&out);
    hop_graph_release(graph);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_calls_are_alone),
        cmocka_unit_test(only_short_work_of_no_named_number_is_better_alone),
        cmocka_unit_test(short_levels_are_left_to_one_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
