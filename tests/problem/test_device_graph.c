/* SPDX-License-Identifier: Apache-2.0
 * Graphs that stay on a device: what is copied and when, counted in bytes; what gives way to what;
 * and that no search ever sees an old copy. Devices are kept apart from the host's memory. */
#include "problem/device_graph.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/backend.h"
#include "device/refusal_testing.h"
#include "problem/device_graph_testing.h"

enum { SECONDS_MOST = 300 };

/* Runs it, compares with the host, and with what the plan says: bytes of the graph that are copied
 * and that are there. The bytes that were sent in all. */
static uint64_t check_search(hop_context *context, const hop_graph *graph, hop_problem problem,
                             const char *variant, uint64_t copied, uint64_t there) {
    static answer right, plan, got;
    solve_on_host(graph, problem, 1, &right);
    assert_fine(context, solve(context, graph, problem, variant, 1, true, &plan));
    uint64_t before = hop__device_kept_bytes(context->device).copied;
    assert_fine(context, solve(context, graph, problem, variant, 1, false, &got));
    assert_same(&got, &right);
    if (plan.report.copy_bytes != copied || plan.report.kept_bytes != there ||
        got.report.copy_bytes != copied)
        fail_msg("%s %s: planned %llu and %llu there, copied %llu; %llu and %llu expected",
                 hop_problem_name(problem), variant ? variant : "auto",
                 (unsigned long long)plan.report.copy_bytes,
                 (unsigned long long)plan.report.kept_bytes,
                 (unsigned long long)got.report.copy_bytes, (unsigned long long)copied,
                 (unsigned long long)there);
    assert_int_equal(hop__device_kept_bytes(context->device).copied - before, copied);
    assert_true(context->device->used + context->device->spare_bytes <= context->device->budget);
    assert_true(bytes_sent(&got.report) >= copied);
    return bytes_sent(&got.report);
}

static uint64_t rows_bytes(const hop_graph *graph) {
    return (graph->vertices + UINT64_C(1)) * graph->offset_bytes + graph->arcs * 4;
}

static uint64_t weights_bytes(const hop_graph *graph) {
    return graph->arcs * hop_type_size(graph->weight_type);
}

/* --- tests ----------------------------------------------------------------------------------- */

/* Those whose number of rounds, and so of small words that are sent, is decided by races. */
static bool is_exact(const char *variant) {
    return strcmp(variant, "persistent") != 0 && strcmp(variant, "speculate") != 0;
}

static bool works_on_rows(hop_problem problem, const char *variant) {
    return problem == HOP_PROBLEM_BFS || problem == HOP_PROBLEM_SSSP ||
           strcmp(variant, "rem") == 0 || strcmp(variant, "afforest") == 0 ||
           strcmp(variant, "harish-narayanan") == 0 || strcmp(variant, "bfs-bits") == 0;
}

static void every_variant(hop_context *context, hop__device *device) {
    unsigned ran = 0;
    hop_graph *weighted = generate_weighted(context, false, 1, HOP_TYPE_INT32);
    hop_graph *bare = generate_weighted(context, false, 1, HOP_TYPE_NONE);
    hop__device_keep_apart(device, true);
    for (unsigned p = 0; p < HOP_PROBLEM_COUNT; p++)
        for (size_t i = 0; i < hop_variant_count((hop_problem)p); i++) {
            const hop_variant *row = hop_variant_at((hop_problem)p, i);
            bool counts = strcmp(row->name, "bfs-bits") == 0; /* arcs, which then have no weights */
            bool weights = !counts && (p == HOP_PROBLEM_SSSP || p == HOP_PROBLEM_APSP);
            const hop_graph *graph = counts ? bare : weighted;
            uint64_t all = rows_bytes(graph) + (weights ? weights_bytes(graph) : 0);
            if (row->place != HOP_PLACE_DEVICE || !works_on_rows((hop_problem)p, row->name))
                continue;
            static answer plan;
            ran++;
            if (lacks_capability(context,
                                 solve(context, graph, (hop_problem)p, row->name, 1, true, &plan)))
                continue;
            hop_device_trim(context);
            assert_int_equal(hop_device_memory_used(context), 0);
            uint64_t first = check_search(context, graph, (hop_problem)p, row->name, all, 0);
            assert_int_equal(hop_device_memory_used(context), all);
            uint64_t second = check_search(context, graph, (hop_problem)p, row->name, 0, all);
            assert_int_equal(hop_device_memory_used(context), all);
            assert_true(second < graph->arcs); /* not even a byte for each arc */
            if (is_exact(row->name))
                assert_int_equal(second, first - all);
        }
    assert_true(ran >= 12);
    hop_graph_release(weighted);
    hop_graph_release(bare);
}

static void a_second_search_copies_no_arcs(void **state) {
    (void)state;
    on_each_device(every_variant);
}

/* One copy for all problems, and each array by itself. */
static void shared_body(hop_context *context, hop__device *device) {
    hop_graph *graph = generate_weighted(context, true, 2, HOP_TYPE_INT32);
    uint64_t rows = rows_bytes(graph), weights = weights_bytes(graph);
    hop__device_keep_apart(device, true);
    check_search(context, graph, HOP_PROBLEM_COMPONENTS, "rem", rows, 0);
    check_search(context, graph, HOP_PROBLEM_SSSP, NULL, weights, rows);
    check_search(context, graph, HOP_PROBLEM_BFS, "frontier", 0, rows);
    check_search(context, graph, HOP_PROBLEM_APSP, "harish-narayanan", 0, rows + weights);
    /* Reverse arcs that are prepared now are copied by the first that uses them. */
    check_search(context, graph, HOP_PROBLEM_BFS, "direction-optimizing", 0, rows);
    assert_fine(context, hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE));
    uint64_t in = rows_bytes(hop_graph_prepared_reverse(graph));
    check_search(context, graph, HOP_PROBLEM_BFS, "direction-optimizing", in, rows);
    check_search(context, graph, HOP_PROBLEM_COMPONENTS, "afforest", 0, rows + in);
    assert_int_equal(hop_device_memory_used(context), rows + weights + in);
    hop_graph_release(graph);
}

static void all_problems_share_it(void **state) {
    (void)state;
    on_each_device(shared_body);
}

static void prepare_body(hop_context *context, hop__device *device) {
    hop_graph *graph = generate_weighted(context, true, 3, HOP_TYPE_FLOAT64);
    uint64_t all = rows_bytes(graph) + weights_bytes(graph);
    hop__device_keep_apart(device, false);
    if (hop__device_shares_memory(device)) { /* nothing to do */
        assert_fine(context, hop_graph_prepare(context, graph, HOP_PREPARE_DEVICE));
        assert_int_equal(hop_device_memory_used(context), 0);
        check_search(context, graph, HOP_PROBLEM_BFS, NULL, 0, 0);
        assert_int_equal(hop_device_memory_used(context), 0);
    }
    hop__device_keep_apart(device, true);
    assert_fine(context, hop_graph_prepare(context, graph, HOP_PREPARE_DEVICE));
    assert_int_equal(hop_device_memory_used(context), all);
    check_search(context, graph, HOP_PROBLEM_BFS, "frontier", 0, rows_bytes(graph));
    assert_fine(context,
                hop_graph_prepare(context, graph, HOP_PREPARE_DEVICE | HOP_PREPARE_REVERSE));
    all += rows_bytes(hop_graph_prepared_reverse(graph));
    assert_int_equal(hop_device_memory_used(context), all);
    assert_fine(context, hop_graph_prepare(context, graph, HOP_PREPARE_DEVICE));
    assert_int_equal(hop_device_memory_used(context), all);
    assert_int_equal(hop__device_kept_bytes(device).copied, all);
    hop_context *small = device_context_of(context->options.device, all - 1);
    hop__device *other = NULL;
    assert_fine(small, hop__device_of(small, &other));
    hop__device_keep_apart(other, true);
    assert_int_equal(hop_graph_prepare(small, graph, HOP_PREPARE_DEVICE), HOP_ERR_BUDGET);
    assert_non_null(strstr(hop_context_message(small), "prepare: graph"));
    assert_int_equal(hop_device_memory_peak(small), 0);
    free_context(small);
    hop_context *host = make_context(1);
    assert_int_equal(hop_graph_prepare(host, graph, HOP_PREPARE_DEVICE), HOP_ERR_DEVICE);
    assert_int_equal(hop_graph_prepare(host, graph, 8), HOP_ERR_ARGUMENT);
    free_context(host);
    hop_graph_release(graph);
}

static void it_can_be_brought_there_first(void **state) {
    (void)state;
    on_each_device(prepare_body);
}

/* What auto expects of a search includes the copies that it would make: arcs in are worth it once
 * they are there, where the bus is slow beside the device, as that of a graphics card. */
static void choice_body(hop_context *context, hop__device *device) {
    static answer got;
    hop_graph *graph = generate(context, true, 4);
    assert_fine(context, hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE));
    assert_fine(context, hop_tuning_device_set(context, "device.bus", 10));
    hop__device_keep_apart(device, true);
    assert_fine(context, solve(context, graph, HOP_PROBLEM_BFS, NULL, 1, false, &got));
    assert_string_not_equal(got.report.variant->name, "direction-optimizing");
    assert_int_equal(got.report.copy_bytes, rows_bytes(graph));
    assert_fine(context, hop_graph_prepare(context, graph, HOP_PREPARE_DEVICE));
    assert_fine(context, solve(context, graph, HOP_PROBLEM_BFS, NULL, 1, false, &got));
    assert_string_equal(got.report.variant->name, "direction-optimizing");
    assert_int_equal(got.report.copy_bytes, 0);
    hop_device_trim(context);
    hop__device_keep_apart(device, false);
    if (hop__device_shares_memory(device)) { /* there is no copy to count */
        assert_fine(context, solve(context, graph, HOP_PROBLEM_BFS, NULL, 1, false, &got));
        assert_string_equal(got.report.variant->name, "direction-optimizing");
    }
    hop_graph_release(graph);
}

static void auto_counts_what_is_still_to_be_copied(void **state) {
    (void)state;
    on_each_device(choice_body);
}

/* A budget for the workspace of a search and `graphs` graphs like this one, or a little more. */
static hop_context *with_room_for(const char *name, const hop_graph *graph, unsigned graphs) {
    static answer plan;
    hop_context *all = device_context(name);
    assert_fine(all, solve(all, graph, HOP_PROBLEM_BFS, "frontier", 1, true, &plan));
    uint64_t rows = rows_bytes(graph);
    hop_context *made =
        device_context_of(name, plan.report.device_bytes + (graphs - 1) * rows + rows / 2);
    free_context(all);
    hop__device *device = NULL;
    assert_fine(made, hop__device_of(made, &device));
    hop__device_keep_apart(device, true);
    return made;
}

/* Three graphs of about one size. */
static void eviction_body(hop_context *context, hop__device *device) {
    hop_graph *a = generate(context, false, 5), *b = generate(context, false, 6),
              *c = generate(context, false, 7);
    uint64_t bytes[] = {rows_bytes(a), rows_bytes(b), rows_bytes(c)};
    (void)device;
    hop_context *one = with_room_for(context->options.device, a, 1);
    for (int i = 0; i < 2; i++) { /* each makes the one before go */
        check_search(one, a, HOP_PROBLEM_BFS, "frontier", bytes[0], 0);
        check_search(one, a, HOP_PROBLEM_BFS, "frontier", 0, bytes[0]);
        check_search(one, b, HOP_PROBLEM_BFS, "frontier", bytes[1], 0);
        assert_true(hop_device_memory_peak(one) <= hop_device_memory_budget(one));
    }
    free_context(one);
    hop_context *two = with_room_for(context->options.device, a, 2);
    check_search(two, a, HOP_PROBLEM_BFS, "frontier", bytes[0], 0);
    check_search(two, b, HOP_PROBLEM_BFS, "frontier", bytes[1], 0);
    check_search(two, a, HOP_PROBLEM_BFS, "frontier", 0, bytes[0]);
    check_search(two, c, HOP_PROBLEM_BFS, "frontier", bytes[2], 0); /* b was used longest ago */
    check_search(two, a, HOP_PROBLEM_BFS, "frontier", 0, bytes[0]);
    static answer plan;
    assert_fine(two, solve(two, b, HOP_PROBLEM_BFS, "frontier", 1, true, &plan));
    assert_true(plan.report.copy_bytes > 0);
    assert_true(hop_device_memory_peak(two) <= hop_device_memory_budget(two));
    /* A run's own arrays come first: a list has nothing to do with graphs. */
    uint64_t left = hop__device_left(two->device);
    hop__buffer *large = NULL;
    assert_true(left > hop_device_memory_budget(two) - hop_device_memory_used(two));
    assert_fine(two, hop__buffer_create(two->device, "large", left, &large));
    assert_int_equal(hop_device_memory_used(two), hop_device_memory_budget(two));
    hop__buffer_free(large);
    assert_int_equal(hop_device_memory_used(two), 0);
    check_search(two, a, HOP_PROBLEM_BFS, "frontier", bytes[0], 0);
    free_context(two);
    hop_graph_release(a);
    hop_graph_release(b);
    hop_graph_release(c);
}

static void the_budget_decides_what_stays(void **state) {
    (void)state;
    on_each_device(eviction_body);
}

/* With so much of the device's memory the graph goes there in windows, `passes` times. */
static void check_windows(const char *name, const hop_graph *graph, const char *variant,
                          uint64_t memory, uint64_t passes, const answer *right) {
    static answer plan, got;
    hop__device *device = NULL;
    uint64_t rows = rows_bytes(graph);
    hop_context *small = device_context_of(name, memory);
    assert_fine(small, hop__device_of(small, &device));
    hop__device_keep_apart(device, true);
    for (int again = 0; again < 2; again++) {
        assert_fine(small, solve(small, graph, HOP_PROBLEM_COMPONENTS, variant, 1, true, &plan));
        assert_int_equal(plan.report.copy_bytes, passes * rows);
        assert_fine(small, solve(small, graph, HOP_PROBLEM_COMPONENTS, variant, 1, false, &got));
        assert_same(&got, right);
        /* offsets where windows meet are in both */
        assert_true(got.report.copy_bytes >= passes * rows);
        assert_true(got.report.copy_bytes < passes * rows + rows / 8);
        assert_true(got.report.copy_bytes <= bytes_sent(&got.report));
        assert_int_equal(hop_device_memory_used(small), 0);
    }
    hop__device_keep_apart(device, false);
    if (hop__device_shares_memory(device)) {
        assert_fine(small, solve(small, graph, HOP_PROBLEM_COMPONENTS, variant, 1, false, &got));
        assert_int_equal(got.report.copy_bytes, 0);
    }
    free_context(small);
}

/* A graph that does not fit goes there in windows, which are counted as copied each time. */
static void windows_body(hop_context *context, hop__device *device) {
    static const char *const variants[] = {"rem", "afforest"};
    static answer right, plan;
    hop_graph *graph = generate(context, false, 12);
    uint64_t rows = rows_bytes(graph), labels = 4 * (uint64_t)graph->vertices;
    (void)device;
    solve_on_host(graph, HOP_PROBLEM_COMPONENTS, 1, &right);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t passes = i + 1; /* afforest: the sample, and the rest */
        /* What a variant needs besides depends on the device: GPUs have more items. */
        assert_fine(context,
                    solve(context, graph, HOP_PROBLEM_COMPONENTS, variants[i], 1, true, &plan));
        uint64_t need = plan.report.device_bytes;
        const char *name = context->options.device;
        check_windows(name, graph, variants[i], need + rows / 4, passes, &right);
        /* It would fit alone, but not beside the labels. */
        if (rows + labels / 2 >= need)
            check_windows(name, graph, variants[i], rows + labels / 2, passes, &right);
    }
    hop_graph_release(graph);
}

static void windows_are_counted(void **state) {
    (void)state;
    on_each_device(windows_body);
}

/* Offsets of 8 bytes, as a caller may have them: the reverse arcs have the same, and are used. */
static void wide_body(hop_context *context, hop__device *device) {
    static uint64_t wide[ROOM + 1];
    static answer got, right;
    hop_graph *narrow = generate(context, true, 13), *graph = NULL;
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options how = HOP_CSR_OPTIONS_INIT;
    for (uint64_t v = 0; v <= narrow->vertices; v++)
        wide[v] = hop__offset(narrow, v);
    csr.vertices = narrow->vertices;
    csr.offsets = wide;
    csr.offset_bytes = 8;
    csr.targets = narrow->targets;
    how.directed = true;
    assert_fine(context, hop_graph_from_csr(context, &csr, &how, &graph));
    assert_fine(context, hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE));
    hop__device_keep_apart(device, true);
    uint64_t rows = rows_bytes(graph), in = rows_bytes(hop_graph_prepared_reverse(graph));
    check_search(context, graph, HOP_PROBLEM_BFS, "direction-optimizing", rows + in, 0);
    const hop_setting pull = {"direction", 0, "pull"};
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_vertex source = 1;
    run.variant = "vertex-parallel";
    run.settings = &pull;
    run.setting_count = 1;
    options.run = &run;
    solve_on_host(graph, HOP_PROBLEM_BFS, source, &right);
    memset(&got, 0, sizeof got);
    assert_fine(context, hop_bfs(context, graph, &source, 1, &options, got.of.words, got.parents));
    assert_same(&got, &right);
    hop_graph_release(graph);
    hop_graph_release(narrow);
}

static void wide_offsets_have_arcs_in(void **state) {
    (void)state;
    on_each_device(wide_body);
}

/* A buffer in use does not give way, whoever asks, and however long ago it was asked for. */
static void pinned_body(hop_context *context, hop__device *device) {
    static uint32_t words[1000], others[1000];
    uint32_t out[1000];
    hop__buffer *first = NULL, *second = NULL, *third = NULL;
    hop__life *life = hop__life_begin(), *other_life = hop__life_begin(),
              *third_life = hop__life_begin();
    hop_context *small = device_context_of(context->options.device, 2 * sizeof words + 100);
    for (uint32_t i = 0; i < 1000; i++)
        words[i] = i, others[i] = ~i;
    assert_fine(small, hop__device_of(small, &device));
    hop__device_keep_apart(device, true);
    assert_fine(small, hop__buffer_keep(device, "words", sizeof words, words, life, &first));
    assert_fine(small, hop__buffer_keep(device, "words", sizeof words, words, life, &second));
    assert_ptr_equal(first, second);
    hop__buffer_free(first);
    assert_fine(small,
                hop__buffer_keep(device, "others", sizeof others, others, other_life, &first));
    assert_int_equal(hop__buffer_create(device, "third", 200, &third), HOP_ERR_BUDGET);
    hop__buffer_free(first);
    assert_true(hop__buffer_is_kept(device, sizeof others, others, other_life));
    assert_fine(small, hop__buffer_create(device, "third", 200, &third));
    assert_false(hop__buffer_is_kept(device, sizeof others, others, other_life));
    assert_true(hop__buffer_is_kept(device, sizeof words, words, life));
    assert_fine(small, hop__buffer_read_now(second, 0, sizeof out, out));
    assert_memory_equal(out, words, sizeof out);
    hop__life_end(life); /* now it goes with its last user */
    hop__buffer_free(second);
    assert_int_equal(hop_device_memory_used(small), 200);
    hop__buffer_free(third);
    /* The same place with another life is another array. */
    assert_fine(small,
                hop__buffer_keep(device, "others", sizeof others, others, other_life, &first));
    hop__buffer_free(first);
    hop__life_end(other_life);
    memset(others, 7, sizeof others);
    assert_fine(small,
                hop__buffer_keep(device, "others", sizeof others, others, third_life, &first));
    assert_fine(small, hop__buffer_read_now(first, 0, sizeof out, out));
    assert_memory_equal(out, others, sizeof out);
    hop__buffer_free(first);
    hop__life_drop(third_life);
    hop__life_drop(life);
    hop__life_drop(other_life);
    free_context(small);
}

static void what_is_used_does_not_give_way(void **state) {
    (void)state;
    on_each_device(pinned_body);
}

/* Graphs that borrow the same arrays one after the other, with other contents each time: paths with
 * one arc that is turned aside. An old copy would give old levels. */
static hop_graph *borrowed_path(hop_context *context, uint32_t cut) {
    enum { N = 1000 };
    static uint32_t offsets[N + 1];
    static hop_vertex targets[N];
    for (uint32_t v = 0; v < N; v++) {
        offsets[v] = v;
        targets[v] = v == cut ? 0 : v + 1 < N ? v + 1 : v;
    }
    offsets[N] = N;
    hop_csr csr = HOP_CSR_INIT;
    csr.vertices = N;
    csr.offsets = offsets;
    csr.targets = targets;
    hop_csr_options how = HOP_CSR_OPTIONS_INIT;
    how.directed = true;
    hop_graph *graph = NULL;
    assert_fine(context, hop_graph_from_csr(context, &csr, &how, &graph));
    assert_true(graph->borrowed);
    return graph;
}

static void freed_body(hop_context *context, hop__device *device) {
    hop_context *maker = make_context(1);
    hop__device_keep_apart(device, true);
    for (uint32_t cut = 3; cut < 300; cut += 99) {
        hop_graph *graph = borrowed_path(maker, cut);
        uint64_t rows = rows_bytes(graph);
        check_search(context, graph, HOP_PROBLEM_BFS, "frontier-block", rows, 0);
        assert_int_equal(hop_device_memory_used(context), rows); /* nothing of the one before */
        check_search(context, graph, HOP_PROBLEM_BFS, "frontier-block", 0, rows);
        hop_graph_release(graph);
    }
    assert_true(hop_device_memory_used(context) > 0);
    assert_fine(context, hop__device_of(context, &device));
    assert_int_equal(hop_device_memory_used(context), 0);
    free_context(maker);
}

static void a_freed_graph_is_not_found(void **state) {
    (void)state;
    on_each_device(freed_body);
}

/* Graph before context, context before graph, and the context that made the graph before both. */
static void order_body(hop_context *context, hop__device *device) {
    (void)device;
    for (int order = 0; order < 2; order++) {
        static answer got;
        hop_context *maker = make_context(1), *own = device_context(context->options.device);
        hop_graph *graph = generate(maker, false, 8);
        hop_context_free(maker);
        hop__device *apart = NULL;
        assert_fine(own, hop__device_of(own, &apart));
        hop__device_keep_apart(apart, true);
        assert_fine(own, solve(own, graph, HOP_PROBLEM_BFS, NULL, 1, false, &got));
        assert_true(got.report.copy_bytes > 0);
        if (order == 0)
            hop_graph_release(graph);
        free_context(own);
        if (order == 1)
            hop_graph_release(graph);
    }
}

static void either_may_be_freed_first(void **state) {
    (void)state;
    on_each_device(order_body);
}

typedef struct searcher {
    const char *device;
    hop_graph *graph;
    const answer *right;
    pthread_t thread;
    bool wrong;
} searcher;

/* Asserting in a thread would end the wrong one. */
static void *search_often(void *user) {
    searcher *own = user;
    answer *got = malloc(sizeof *got);
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    hop__device *device = NULL;
    options.device = own->device;
    options.threads = 1;
    own->wrong = hop_context_create(&options, &context) != HOP_OK ||
                 hop__device_of(context, &device) != HOP_OK;
    if (!own->wrong)
        hop__device_keep_apart(device, true);
    for (int i = 0; i < 12 && !own->wrong; i++) {
        own->wrong = solve(context, own->graph, HOP_PROBLEM_BFS, NULL, 1, false, got) != HOP_OK ||
                     memcmp(&got->of, &own->right->of, sizeof got->of) != 0 ||
                     got->report.copy_bytes != (i % 4 == 0 ? rows_bytes(own->graph) : 0);
        if (i % 4 == 3)
            hop_device_trim(context);
    }
    hop_graph_release(own->graph); /* while others search it, and this one's copy is there */
    hop_context_free(context);
    free(got);
    return NULL;
}

static void threads_body(hop_context *context, hop__device *device) {
    enum { SEARCHERS = 4 };
    static answer right;
    searcher all[SEARCHERS];
    hop_graph *graph = generate(context, false, 9);
    (void)device;
    solve_on_host(graph, HOP_PROBLEM_BFS, 1, &right);
    for (int i = 0; i < SEARCHERS; i++) {
        all[i] = (searcher){
            .device = context->options.device, .graph = hop_graph_retain(graph), .right = &right};
        assert_int_equal(pthread_create(&all[i].thread, NULL, search_often, &all[i]), 0);
    }
    hop_graph_release(graph);
    for (int i = 0; i < SEARCHERS; i++) {
        assert_int_equal(pthread_join(all[i].thread, NULL), 0);
        assert_false(all[i].wrong);
    }
}

static void threads_search_one_graph_at_once(void **state) {
    (void)state;
    on_each_device(threads_body);
}

/* The child of a fork leaves the parent's copies alone, and its own calls do not hang. */
static void fork_body(hop_context *context, hop__device *device) {
    static answer got;
    hop_graph *graph = generate(context, false, 10);
    hop__device_keep_apart(device, true);
    check_search(context, graph, HOP_PROBLEM_BFS, "frontier", rows_bytes(graph), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS_MOST);
        hop_device_trim(context);
        /* the first call that leaves the choice to the library runs on the host */
        bool refused = solve(context, graph, HOP_PROBLEM_BFS, NULL, 1, false, &got) == HOP_OK &&
                       got.report.device[0] == '\0';
        refused &=
            solve(context, graph, HOP_PROBLEM_BFS, "frontier", 1, false, &got) == HOP_ERR_DEVICE;
        hop_device_trim(context);
        hop_graph_release(graph);
        hop_context_free(context);
        _exit(refused ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check_search(context, graph, HOP_PROBLEM_BFS, "frontier", 0, rows_bytes(graph));
    hop_graph_release(graph);
}

static void a_child_leaves_it_alone(void **state) {
    (void)state;
    on_each_device(fork_body);
}

/* Cancelled after the copy began: it stays or goes, but what is found later is right. */
static bool say_no(void *user, const hop_progress *progress) {
    (void)progress;
    return !*(bool *)user;
}

static void cancel_body(hop_context *context, hop__device *device) {
    static answer got, right;
    bool cancels = true;
    hop_context *own = NULL;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_graph *graph = generate(context, false, 11);
    options.device = context->options.device;
    options.progress = say_no;
    options.progress_user = &cancels;
    assert_int_equal(hop_context_create(&options, &own), HOP_OK);
    assert_fine(own, hop__device_of(own, &device));
    hop__device_keep_apart(device, true);
    solve_on_host(graph, HOP_PROBLEM_BFS, 1, &right);
    for (int i = 0; i < 4; i++) {
        cancels = i % 2 == 0;
        own->next_report = 0;
        hop_status status = solve(own, graph, HOP_PROBLEM_BFS, "frontier", 1, false, &got);
        assert_true(cancels ? status == HOP_OK || status == HOP_ERR_CANCELLED : status == HOP_OK);
        if (!cancels)
            assert_same(&got, &right);
    }
    free_context(own);
    hop_graph_release(graph);
}

static void after_a_cancel_answers_are_right(void **state) {
    (void)state;
    on_each_device(cancel_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_search_copies_no_arcs),
        cmocka_unit_test(all_problems_share_it),
        cmocka_unit_test(it_can_be_brought_there_first),
        cmocka_unit_test(auto_counts_what_is_still_to_be_copied),
        cmocka_unit_test(the_budget_decides_what_stays),
        cmocka_unit_test(windows_are_counted),
        cmocka_unit_test(wide_offsets_have_arcs_in),
        cmocka_unit_test(what_is_used_does_not_give_way),
        cmocka_unit_test(a_freed_graph_is_not_found),
        cmocka_unit_test(either_may_be_freed_first),
        cmocka_unit_test(threads_search_one_graph_at_once),
        cmocka_unit_test(a_child_leaves_it_alone),
        cmocka_unit_test(after_a_cancel_answers_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
