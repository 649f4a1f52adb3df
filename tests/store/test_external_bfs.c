/* SPDX-License-Identifier: Apache-2.0
 * Breadth-first search of graphs on disk: the same bits as the sequential search in memory, for
 * every family, number of threads and cache; certified by one reading; limits, targets and faults
 * too. */
#include "core/sanitized_testing.h"
#include "store/store_testing.h"

typedef struct question {
    hop_vertex sources[3], source_count;
    hop_vertex targets[2], target_count;
    hop_vertex max_level, nearest;
} question;

static const question questions[] = {
    {{0}, 1, {0}, 0, HOP_NO_LEVEL, 0},       {{5, 77, 5}, 3, {0}, 0, HOP_NO_LEVEL, 0},
    {{3}, 1, {600, 10}, 2, HOP_NO_LEVEL, 0}, {{3}, 1, {0}, 0, 4, 0},
    {{1}, 1, {0}, 0, HOP_NO_LEVEL, 300},     {{0}, 0, {0}, 0, HOP_NO_LEVEL, 0},
};
enum { QUESTIONS = sizeof questions / sizeof questions[0] };

static hop_bfs_options ask(const question *q, const hop_run *run) {
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    options.targets = q->targets;
    options.target_count = q->target_count;
    options.max_level = q->max_level;
    options.nearest = q->nearest;
    options.run = run;
    return options;
}

static void compare(hop_context *context, const hop_graph *graph, const hop_graph *disk,
                    const question *q, bool parents_wanted) {
    hop_run first = HOP_RUN_INIT, run = HOP_RUN_INIT;
    hop_report *report = NULL;
    size_t bytes = (size_t)graph->vertices * 4;
    hop_vertex *levels = malloc(bytes), *parents = malloc(bytes);
    hop_vertex *expected = malloc(bytes), *expected_parents = malloc(bytes);
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    first.variant = "sequential";
    run.certify = HOP_CERTIFY_CANONICAL;
    run.report = report;
    hop_bfs_options one = ask(q, &first), two = ask(q, &run);
    assert_int_equal(
        hop_bfs(context, graph, q->sources, q->source_count, &one, expected, expected_parents),
        HOP_OK);
    if (hop_bfs(context, disk, q->sources, q->source_count, &two, levels,
                parents_wanted ? parents : NULL) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    assert_string_equal(hop_report_variant(report)->name, "semi-external");
    assert_true(counter_of(report, "bytes read") != UINT64_MAX);
    assert_memory_equal(levels, expected, bytes);
    if (parents_wanted)
        assert_memory_equal(parents, expected_parents, bytes);
    /* What is wrong is found. */
    for (unsigned i = 0; i < 5; i++) {
        uint64_t v = hop__random_at(3, i, graph->vertices) % graph->vertices;
        hop_vertex *wrong = i % 2 == 0 || !parents_wanted ? levels : parents, old = wrong[v];
        if (parents_wanted && wrong == parents && (levels[v] == HOP_NO_LEVEL || levels[v] == 0))
            continue;
        wrong[v] = wrong == levels             ? (old == HOP_NO_LEVEL ? 1 : old + 1)
                   : old + 1 < graph->vertices ? old + 1
                                               : 0;
        assert_int_equal(hop_bfs_certify(context, disk, q->sources, q->source_count, &two, levels,
                                         parents_wanted ? parents : NULL),
                         HOP_ERR_CERTIFICATE);
        wrong[v] = old;
    }
    hop_report_free(report);
    free(levels);
    free(parents);
    free(expected);
    free(expected_parents);
}

static void test_same_bits(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        hop_context *context = make_context(threads);
        for (size_t i = 0; i < STORE_SAMPLES; i++) {
            hop_graph *graph =
                make_store_sample(context, &store_samples[i], HOP_TYPE_NONE, threads);
            const char *path = temporary("graph.npz");
            assert_int_equal(hop_graph_write(context, graph, path, NULL), HOP_OK);
            for (unsigned way = 0; way < 2; way++) {
                hop_graph *disk = open_external(context, path, way == 0 ? 1 : 0, false);
                for (size_t k = SMALLER_TESTS ? way : 0; k < QUESTIONS; k += SMALLER_TESTS ? 2 : 1)
                    compare(context, graph, disk, &questions[k], k % 2 == 0);
                hop_graph_release(disk);
            }
            hop_graph_release(graph);
        }
        free_context(context);
    }
}

/* What a search from vertex 0 to this level comes to. */
static void report_search(hop_context *context, const hop_graph *disk, hop_vertex max_level,
                          hop_report *report) {
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_vertex source = 0, *levels = malloc((size_t)disk->vertices * 4);
    run.report = report;
    options.run = &run;
    options.max_level = max_level;
    assert_int_equal(hop_bfs(context, disk, &source, 1, &options, levels, NULL), HOP_OK);
    free(levels);
}

/* A search reads no more than the blocks that its levels need, and each at most once a level. With
 * one thread: what several find in the cache depends on their turns. */
static void test_bytes_read(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    const store_sample path_graph = {"grid", {{"rows", 4}, {"cols", 100000}}, 2, false};
    hop_graph *graph = make_store_sample(context, &path_graph, HOP_TYPE_NONE, 1);
    const char *path = temporary("path.npz");
    assert_int_equal(hop_graph_write(context, graph, path, NULL), HOP_OK);
    hop_graph *disk = open_external(context, path, 1, false);
    hop_report *report = NULL;
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    report_search(context, disk, HOP_NO_LEVEL, report);
    /* The front moves along the rows, a few blocks wide: the cache sees to it that each is read
     * once, although it is needed in a thousand levels. */
    assert_true(counter_of(report, "blocks") > 50 * disk->store->blocks);
    assert_true(counter_of(report, "bytes read") < 13 * disk->store->blocks * 16384 / 10);
    assert_int_equal(counter_of(report, "blocks touched"), disk->store->blocks);
    /* Cut after ten levels, a few blocks are enough. */
    hop_graph_release(disk);
    disk = open_external(context, path, 1, false);
    report_search(context, disk, 10, report);
    assert_true(counter_of(report, "bytes read") <= 4 * 16384);
    assert_true(counter_of(report, "blocks touched") * 16384 <=
                counter_of(report, "bytes read") + 16384);
    hop_report_free(report);
    hop_graph_release(disk);
    hop_graph_release(graph);
    free_context(context);
}

/* A grid whose levels are in more blocks than the cache has frames: these are not read in every
 * level, and what comes out is the same, with limits as well. */
static void test_levels_beyond_cache(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    const store_sample grid = {"grid", {{"rows", 512}, {"cols", 1024}}, 2, false};
    static const question asked[] = {
        {{0}, 1, {0}, 0, HOP_NO_LEVEL, 0},
        {{255 * 1024 + 500}, 1, {0}, 0, HOP_NO_LEVEL, 0},
        {{0}, 1, {400 * 1024 + 7, 300 * 1024}, 2, HOP_NO_LEVEL, 0},
        {{0, 512 * 1024 - 1}, 2, {0}, 0, 700, 0},
        {{3}, 1, {0}, 0, HOP_NO_LEVEL, 200000},
    };
    hop_graph *graph = make_store_sample(context, &grid, HOP_TYPE_NONE, 1);
    const char *path = temporary("wide.npz");
    assert_int_equal(hop_graph_write(context, graph, path, NULL), HOP_OK);
    hop_graph *disk = open_external(context, path, 1, false);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        compare(context, graph, disk, &asked[i], i % 2 == 0);
    hop_context *alone = make_context(1); /* what is read depends on turns otherwise */
    hop_report *report = NULL;
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_vertex source = 0;
    hop_vertex *levels = malloc((size_t)graph->vertices * 4),
               *parents = malloc((size_t)graph->vertices * 4);
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    run.report = report;
    options.run = &run;
    assert_int_equal(hop_bfs(alone, disk, &source, 1, &options, levels, parents), HOP_OK);
    free_context(alone);
    assert_true(counter_of(report, "levels before rounds") != UINT64_MAX);
    assert_true(counter_of(report, "bytes read") < 13 * disk->store->blocks * 16384 / 10);
    hop_report_free(report);
    free(levels);
    free(parents);
    hop_graph_release(disk);
    hop_graph_release(graph);
    free_context(context);
}

/* A random graph in which levels 3 and 4 of vertex 0 are nearly all, and two vertices more, whose
 * rows are longer than two blocks: in level 3 and in level 4. */
static hop_graph *make_hubs(hop_context *context) {
    enum { VERTICES = 40000, EDGES = 800000, HUB_EDGES = 12000 };
    const size_t most = EDGES + 2 * HUB_EDGES;
    hop_vertex *from = malloc(most * sizeof *from), *to = malloc(most * sizeof *to);
    hop_vertex *levels = malloc((VERTICES + 2) * sizeof *levels);
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *plain = NULL, *graph = NULL;
    hop_vertex source = 0;
    for (size_t i = 0; i < EDGES; i++) {
        from[i] = (hop_vertex)(hop__random_at(7, i, 0) % VERTICES);
        to[i] = (hop_vertex)(hop__random_at(8, i, 0) % VERTICES);
    }
    edges.from = from;
    edges.to = to;
    options.vertices = VERTICES + 2;
    edges.count = EDGES;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &plain), HOP_OK);
    assert_int_equal(hop_bfs(context, plain, &source, 1, NULL, levels, NULL), HOP_OK);
    hop_graph_release(plain);
    for (hop_vertex hub = 0; hub < 2; hub++)
        for (hop_vertex v = VERTICES, left = HUB_EDGES; v-- > 0 && left > 0;)
            if (levels[v] != HOP_NO_LEVEL && levels[v] >= 2 + hub) {
                from[edges.count] = VERTICES + hub;
                to[edges.count++] = v;
                left--;
            }
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
    assert_int_equal(hop_bfs(context, graph, &source, 1, NULL, levels, NULL), HOP_OK);
    assert_int_equal(levels[VERTICES], 3);
    assert_int_equal(levels[VERTICES + 1], 4);
    free(from);
    free(to);
    free(levels);
    return graph;
}

/* Large levels, two of which come from one reading: the same bits, and few blocks twice. */
static void test_two_levels(void **state) {
    (void)state;
    static const question asked[] = {
        {{0}, 1, {0}, 0, HOP_NO_LEVEL, 0},
        {{0}, 1, {0}, 0, 4, 0},
        {{0}, 1, {0}, 0, 3, 0},
        {{0, 39999}, 2, {0}, 0, HOP_NO_LEVEL, 0},
        {{0}, 1, {7, 40001}, 2, HOP_NO_LEVEL, 0},
        {{0}, 1, {0}, 0, HOP_NO_LEVEL, 30000},
    };
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        hop_context *context = make_context(threads);
        hop_graph *graph = make_hubs(context);
        const char *path = temporary("hubs.npz");
        assert_int_equal(hop_graph_write(context, graph, path, NULL), HOP_OK);
        hop_graph *disk = open_external(context, path, 1, false);
        for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
            compare(context, graph, disk, &asked[i], i % 2 == 0);
        hop_report *report = NULL;
        assert_int_equal(hop_report_create(0, &report), HOP_OK);
        report_search(context, disk, HOP_NO_LEVEL, report);
        uint64_t by_two = counter_of(report, "levels by two");
        assert_true(by_two >= 2 && by_two != UINT64_MAX);
        assert_true(counter_of(report, "bytes read") < 13 * disk->store->blocks * 16384 / 10);
        hop_report_free(report);
        hop_graph_release(disk);
        hop_graph_release(graph);
        free_context(context);
    }
}

/* A directed random graph, whose levels 4 and 5 are nearly all; a path that leads away from vertex
 * 1; a row that is longer than two blocks; and an island, which stays among the arcs that are kept
 * until they are given up for the path. */
static hop_graph *make_directed(hop_context *context) {
    enum { RANDOM = 40000, PATH = 200, ISLAND = 1000, N = RANDOM + PATH + ISLAND };
    enum { EDGES = 640000, HUB_EDGES = 9000, ISLAND_EDGES = 20000 };
    const size_t most = EDGES + PATH + HUB_EDGES + ISLAND_EDGES;
    hop_vertex *from = malloc(most * sizeof *from), *to = malloc(most * sizeof *to);
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    size_t count = 0;
    for (; count < EDGES + ISLAND_EDGES; count++) {
        hop_vertex least = count < EDGES ? 0 : N - ISLAND, size = count < EDGES ? RANDOM : ISLAND;
        from[count] = least + (hop_vertex)(hop__random_at(17, count, 0) % size);
        to[count] = least + (hop_vertex)(hop__random_at(18, count, 0) % size);
    }
    for (hop_vertex v = 0; v < PATH; v++, count++) {
        from[count] = v == 0 ? 1 : RANDOM + v - 1;
        to[count] = RANDOM + v;
    }
    for (hop_vertex i = 0; i < HUB_EDGES; i++, count++) {
        from[count] = RANDOM / 2;
        to[count] = RANDOM - 1 - i;
    }
    edges.from = from;
    edges.to = to;
    edges.count = count;
    options.vertices = N;
    options.directed = true;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
    free(from);
    free(to);
    return graph;
}

/* Directed, large levels, then many narrow ones: the same bits, with too little room for arcs and
 * with enough; then most blocks are read once. */
static void test_kept_arcs(void **state) {
    (void)state;
    static const question asked[] = {
        {{0}, 1, {0}, 0, HOP_NO_LEVEL, 0},     {{0}, 1, {0}, 0, HOP_NO_LEVEL, 0},
        {{0, 39999}, 2, {0}, 0, 5, 0},         {{9}, 1, {7, 40150}, 2, HOP_NO_LEVEL, 0},
        {{0}, 1, {0}, 0, HOP_NO_LEVEL, 30000},
    };
    static const unsigned frames[] = {1, 100};
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        hop_context *context = make_context(threads);
        hop_graph *graph = make_directed(context);
        const char *path = temporary("directed.npz");
        hop_report *report = NULL;
        assert_int_equal(hop_graph_write(context, graph, path, NULL), HOP_OK);
        assert_int_equal(hop_report_create(0, &report), HOP_OK);
        for (size_t k = 0; k < sizeof frames / sizeof frames[0]; k++) {
            hop_graph *disk = open_external(context, path, frames[k] * (16384 + 16), false);
            for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
                compare(context, graph, disk, &asked[i], i % 2 == 0);
            report_search(context, disk, 8, report);
            if (frames[k] > 1) {
                assert_int_equal(counter_of(report, "readings that kept arcs"), 1);
                assert_true(counter_of(report, "bytes read") < 7 * disk->store->blocks * 4096);
            }
            hop_graph_release(disk);
        }
        hop_report_free(report);
        hop_graph_release(graph);
        free_context(context);
    }
}

/* The file changes between two searches: the next one that needs the block says so. */
static void test_fault(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_graph *graph = make_store_sample(context, &store_samples[0], HOP_TYPE_NONE, 1);
    const char *path = temporary("fault.npz");
    assert_int_equal(hop_graph_write(context, graph, path, NULL), HOP_OK);
    hop_graph *disk = open_external(context, path, 1, false);
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    assert_int_equal(hop_graph_describe(context, disk, &info), HOP_OK);
    hop_vertex source = info.max_degree_vertex, *levels = malloc((size_t)graph->vertices * 4);
    FILE *file = fopen(path, "r+b");
    fseek(file, (long)disk->store->arrays[HOP__BLOCKED_TARGETS].offset + 70 * 16384 + 9, SEEK_SET);
    fputc(0x55, file);
    fputc(0x55, file);
    fclose(file);
    assert_int_equal(hop_bfs(context, disk, &source, 1, NULL, levels, NULL), HOP_ERR_INPUT);
    assert_message(context, "block 70 of indices.npy");
    free(levels);
    hop_graph_release(disk);
    hop_graph_release(graph);
    free_context(context);
}

/* Cancelled at any of its reports: an error, and the graph can be searched again. */
typedef struct refuser {
    hop_context *context;
    unsigned calls, refused;
} refuser;

static bool refuse(void *user, const hop_progress *progress) {
    refuser *r = user;
    (void)progress;
    r->context->next_report = 0;
    return ++r->calls != r->refused;
}

static void test_cancel(void **state) {
    (void)state;
    hop_context *plain = make_context(1);
    hop_graph *graph = make_store_sample(plain, &store_samples[0], HOP_TYPE_NONE, 1);
    const char *path = temporary("cancel.npz");
    assert_int_equal(hop_graph_write(plain, graph, path, NULL), HOP_OK);
    refuser r = {.refused = UINT32_MAX};
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.progress = refuse;
    options.progress_user = &r;
    options.threads = 2;
    assert_int_equal(hop_context_create(&options, &r.context), HOP_OK);
    hop_graph *disk = open_external(r.context, path, 1, false);
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    assert_int_equal(hop_graph_describe(plain, disk, &info), HOP_OK);
    hop_vertex source = info.max_degree_vertex, *levels = malloc((size_t)graph->vertices * 4);
    r.calls = 0;
    assert_int_equal(hop_bfs(r.context, disk, &source, 1, NULL, levels, NULL), HOP_OK);
    unsigned all = r.calls;
    for (unsigned at = 1; at < all; at += 1 + all / 12) {
        r.calls = 0;
        r.refused = at;
        hop_status status = hop_bfs(r.context, disk, &source, 1, NULL, levels, NULL);
        assert_true(status == HOP_ERR_CANCELLED || (status == HOP_OK && r.calls < at));
        r.refused = UINT32_MAX;
        assert_int_equal(hop_bfs(r.context, disk, &source, 1, NULL, levels, NULL), HOP_OK);
    }
    free(levels);
    hop_graph_release(disk);
    free_context(r.context);
    hop_graph_release(graph);
    free_context(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_bytes_read),
        cmocka_unit_test(test_levels_beyond_cache),
        cmocka_unit_test(test_two_levels),
        cmocka_unit_test(test_kept_arcs),
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
