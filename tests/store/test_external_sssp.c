/* SPDX-License-Identifier: Apache-2.0
 * Shortest paths of graphs on disk: the same bits as dijkstra in memory, for every family, type of
 * weights, number of threads and cache; certified by one reading; limits, weights of 0, faults in
 * the run, and what is read. */
#include "store/arc_visit.h"
#include "store/store_testing.h"

#include <math.h>

typedef struct question {
    hop_vertex sources[3], source_count;
    hop_vertex targets[2], target_count;
    double cutoff;
    hop_vertex nearest;
} question;

static const question questions[] = {
    {{0}, 1, {0}, 0, HUGE_VAL, 0},       {{5, 77, 5}, 3, {0}, 0, HUGE_VAL, 0},
    {{3}, 1, {600, 10}, 2, HUGE_VAL, 0}, {{3}, 1, {0}, 0, 90, 0},
    {{1}, 1, {0}, 0, HUGE_VAL, 300},     {{0}, 0, {0}, 0, HUGE_VAL, 0},
};
enum { QUESTIONS = sizeof questions / sizeof questions[0] };

/* What weights are; of those from 0 on many are 0, and some sums of reals swallow small ones. */
typedef struct weighting {
    hop_weight_type type;
    double least, most;
} weighting;

static const weighting weightings[] = {
    {HOP_TYPE_NONE, 0, 0},      {HOP_TYPE_INT32, 1, 100},   {HOP_TYPE_INT32, 0, 2},
    {HOP_TYPE_INT64, 1, 1e9},   {HOP_TYPE_FLOAT32, 0, 100}, {HOP_TYPE_FLOAT32, 1e-7, 1},
    {HOP_TYPE_FLOAT64, 0, 1e6}, {HOP_TYPE_INT32, 0, 0},     {HOP_TYPE_INT32, 1, 6}, /* ties */
};
enum { WEIGHTINGS = sizeof weightings / sizeof weightings[0] };

static hop_graph *make_weighted(hop_context *context, const store_sample *from, const weighting *w,
                                uint64_t seed) {
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = from->settings;
    options.setting_count = from->count;
    options.seed = seed;
    options.weight_type = w->type;
    if (w->type != HOP_TYPE_NONE) {
        options.min_weight = w->least;
        options.max_weight = w->most;
    }
    if (hop_graph_generate(context, from->family, &options, &graph) != HOP_OK)
        fail_msg("%s: %s", from->family, hop_context_message(context));
    return graph;
}

static hop_sssp_options ask(const question *q, const hop_run *run) {
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    options.targets = q->targets;
    options.target_count = q->target_count;
    options.cutoff = q->cutoff;
    options.nearest = q->nearest;
    options.run = run;
    return options;
}

/* A distance that cannot be. */
static void spoil(void *distances, hop_weight_type type, uint64_t v) {
    if (type == HOP_TYPE_FLOAT32)
        ((float *)distances)[v] = ((float *)distances)[v] < 1e30F ? 3e30F : 1;
    else if (type == HOP_TYPE_FLOAT64)
        ((double *)distances)[v] = ((double *)distances)[v] < 1e300 ? 3e300 : 1;
    else
        ((int64_t *)distances)[v] =
            ((int64_t *)distances)[v] < HOP_NO_DISTANCE ? HOP_NO_DISTANCE - 1 : 1;
}

/* What is wrong is found, in distances and in parents. */
static void plant(hop_context *context, const hop_graph *disk, const question *q,
                  const hop_sssp_options *options, void *distances, hop_vertex *parents) {
    hop_vertex n = disk->vertices;
    hop_weight_type type = hop_distance_type(disk->weight_type);
    size_t width = hop_type_size(type);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t v = hop__random_at(3, i, n) % n, kept;
        hop_view view = {distances, n, type};
        memcpy(&kept, (char *)distances + v * width, width);
        spoil(distances, type, v);
        assert_int_equal(
            hop_sssp_certify(context, disk, q->sources, q->source_count, options, &view, parents),
            HOP_ERR_CERTIFICATE);
        memcpy((char *)distances + v * width, &kept, width);
        if (parents == NULL || parents[v] == v || parents[v] == HOP_NO_VERTEX)
            continue;
        hop_vertex parent = parents[v];
        parents[v] = parent + 1 < n ? parent + 1 : 0;
        assert_int_equal(
            hop_sssp_certify(context, disk, q->sources, q->source_count, options, &view, parents),
            HOP_ERR_CERTIFICATE);
        parents[v] = parent;
    }
}

/* How many light arcs it kept, and how often they spared a row. */
typedef struct light_use {
    uint64_t arcs, spared;
} light_use;

static light_use compare(hop_context *context, const hop_graph *graph, const hop_graph *disk,
                         const question *q, bool parents_wanted, bool planted) {
    hop_run first = HOP_RUN_INIT, run = HOP_RUN_INIT;
    hop_report *report = NULL;
    hop_weight_type type = hop_distance_type(graph->weight_type);
    hop_vertex n = graph->vertices;
    size_t bytes = (size_t)n * hop_type_size(type);
    void *distances = malloc(bytes), *expected = malloc(bytes);
    hop_vertex *parents = malloc((size_t)n * 4), *expected_parents = malloc((size_t)n * 4);
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    first.variant = "dijkstra";
    run.certify = HOP_CERTIFY_CANONICAL;
    run.report = report;
    hop_sssp_options one = ask(q, &first), two = ask(q, &run);
    if (hop_sssp(context, graph, q->sources, q->source_count, &one, &(hop_span){expected, n, type},
                 expected_parents) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    if (hop_sssp(context, disk, q->sources, q->source_count, &two, &(hop_span){distances, n, type},
                 parents_wanted ? parents : NULL) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    assert_string_equal(hop_report_variant(report)->name, "semi-external");
    assert_true(counter_of(report, "bytes read") != UINT64_MAX);
    assert_memory_equal(distances, expected, bytes);
    if (parents_wanted)
        assert_memory_equal(parents, expected_parents, (size_t)n * 4);
    if (planted)
        plant(context, disk, q, &two, distances, parents_wanted ? parents : NULL);
    light_use light = {counter_of(report, "light arcs"), counter_of(report, "rows spared")};
    hop_report_free(report);
    free(distances);
    free(parents);
    free(expected);
    free(expected_parents);
    return light;
}

/* With a cache that has room for light arcs, and blocks that outgrow it: twice with the same graph,
 * so that what was lent is seen to be given back. */
static void test_light_arcs(void **state) {
    (void)state;
    static const store_sample dense = {"rmat", {{"scale", 14}, {"edge-factor", 24}}, 2, false};
    enum { FRAMES = 120 };
    for (size_t k = 1; k < WEIGHTINGS; k++) {
        const weighting *w = &weightings[k];
        hop_context *context = make_context(1 + (unsigned)k % 3);
        hop_graph *graph = make_weighted(context, &dense, w, 5 + k);
        const char *path = temporary("light.npz");
        assert_int_equal(hop_graph_write(context, graph, path, NULL), HOP_OK);
        uint64_t frame = (uint64_t)HOP__ARC_BLOCK * (4 + hop_type_size(w->type)) + 16;
        hop_graph *disk = open_external(context, path, FRAMES * frame, false);
        assert_true(hop__arc_blocks(graph) > FRAMES);
        uint64_t most = 0, spared = 0; /* a source may have no arc */
        for (size_t i = 0; i < QUESTIONS; i++) {
            light_use light = compare(context, graph, disk, &questions[i], i % 2 == 0, false);
            most = light.arcs > most ? light.arcs : most;
            spared += light.spared;
        }
        assert_in_range(most, w->most > 0, graph->arcs / 2);
        bool integers = hop_distance_type(w->type) == HOP_TYPE_INT64;
        assert_int_equal(spared > 0, integers && w->most > 0);
        assert_int_equal(disk->store->frame_count, FRAMES);
        hop_graph_release(disk);
        hop_graph_release(graph);
        free_context(context);
        remove(path);
    }
}

static void test_same_bits(void **state) {
    (void)state;
    unsigned turn = 0;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        hop_context *context = make_context(threads);
        for (size_t i = 0; i < STORE_SAMPLES; i++)
            for (size_t k = 0; k < WEIGHTINGS; k++) {
                if ((i + k + threads) % 3 != 0) /* each pair with one number of threads or none */
                    continue;
                hop_graph *graph = make_weighted(context, &store_samples[i], &weightings[k], k + 1);
                const char *path = temporary("graph.npz");
                assert_int_equal(hop_graph_write(context, graph, path, NULL), HOP_OK);
                hop_graph *disk = open_external(context, path, turn % 2 == 0 ? 1 : 0, turn % 4 > 1);
                for (unsigned times = 0; times < 2; times++, turn++)
                    compare(context, graph, disk, &questions[turn % QUESTIONS], turn % 3 != 0,
                            times == 0);
                compare(context, graph, disk, &questions[0], turn % 4 < 2, false);
                hop_graph_release(disk);
                hop_graph_release(graph);
            }
        free_context(context);
    }
}

/* Grids whose front is in more blocks than the cache has frames: read in each step they would be
 * read some hundred times. A square one is gone over once; one of few long rows is begun again with
 * a limit. */
static const struct read_sample {
    store_sample grid;
    hop_vertex source;
    hop_weight_type type;
    double most; /* readings */
} read_samples[] = {
    {{"grid", {{"rows", 256}, {"cols", 2048}}, 2, false}, 128 * 2048 + 1024, HOP_TYPE_INT32, 6},
    {{"grid", {{"rows", 256}, {"cols", 2048}}, 2, false}, 0, HOP_TYPE_NONE, 1.1},
    {{"grid", {{"rows", 512}, {"cols", 512}}, 2, false}, 0, HOP_TYPE_INT32, 1.1},
    {{"grid", {{"rows", 32}, {"cols", 16384}}, 2, false}, 0, HOP_TYPE_INT32, 6},
};

static void test_bytes_read(void **state) {
    (void)state;
    hop_context *context = make_context(1); /* what is read depends on turns otherwise */
    for (size_t i = 0; i < sizeof read_samples / sizeof read_samples[0]; i++) {
        const struct read_sample *each = &read_samples[i];
        const weighting w = {each->type, 1, 100};
        hop_graph *graph = make_weighted(context, &each->grid, &w, 1);
        const char *path = temporary("grid.npz");
        assert_int_equal(hop_graph_write(context, graph, path, NULL), HOP_OK);
        hop_graph *disk = open_external(context, path, 1, false);
        assert_true(disk->store->blocks > 2 * disk->store->frame_count);
        hop_report *report = NULL;
        hop_run run = HOP_RUN_INIT;
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        int64_t *distances = malloc((size_t)graph->vertices * 8);
        int64_t *in_memory = malloc((size_t)graph->vertices * 8);
        hop_span span = {distances, graph->vertices, HOP_TYPE_INT64};
        hop_span other = {in_memory, graph->vertices, HOP_TYPE_INT64};
        uint64_t file = disk->store->arrays[HOP__BLOCKED_TARGETS].bytes +
                        disk->store->arrays[HOP__BLOCKED_WEIGHTS].bytes;
        assert_int_equal(hop_sssp(context, graph, &each->source, 1, NULL, &other, NULL), HOP_OK);
        assert_int_equal(hop_report_create(0, &report), HOP_OK);
        run.report = report;
        options.run = &run;
        assert_int_equal(hop_sssp(context, disk, &each->source, 1, &options, &span, NULL), HOP_OK);
        double readings = (double)counter_of(report, "bytes read") / (double)file;
        if (readings > each->most)
            fail_msg("sample %zu: %g readings, %g at most", i, readings, each->most);
        assert_memory_equal(distances, in_memory, (size_t)graph->vertices * 8);
        hop_report_free(report);
        free(distances);
        free(in_memory);
        hop_graph_release(disk);
        hop_graph_release(graph);
    }
    free_context(context);
}

/* Something happens to the file while it is open, or searched. */
typedef struct trouble {
    hop_context *context;
    const char *path;
    long at; /* where two bytes are changed; below 0: the file is cut */
    unsigned calls, when;
} trouble;

static void strike(const trouble *t) {
    if (t->at < 0) {
        assert_int_equal(truncate(t->path, -t->at), 0);
        return;
    }
    FILE *file = fopen(t->path, "r+b");
    fseek(file, t->at, SEEK_SET);
    fputc(0x55, file);
    fputc(0x55, file);
    fclose(file);
}

static bool watch(void *user, const hop_progress *progress) {
    trouble *t = user;
    (void)progress;
    t->context->next_report = 0;
    if (++t->calls == t->when)
        strike(t);
    return true;
}

static void test_faults(void **state) {
    (void)state;
    const store_sample from = {"erdos-renyi", {{"n", 60000}, {"m", 400000}}, 2, false};
    static const struct {
        hop__blocked array;
        bool cut, during;
        const char *message;
    } cases[] = {
        {HOP__BLOCKED_TARGETS, false, false, "block 150 of indices.npy: its checksum differs"},
        {HOP__BLOCKED_WEIGHTS, false, false, "block 150 of data.npy: its checksum differs"},
        {HOP__BLOCKED_WEIGHTS, false, true, "block 150 of data.npy: its checksum differs"},
        {HOP__BLOCKED_WEIGHTS, true, true, "of data.npy: the file ends before it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trouble t = {.when = UINT32_MAX};
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        options.progress = watch;
        options.progress_user = &t;
        options.threads = 1;
        assert_int_equal(hop_context_create(&options, &t.context), HOP_OK);
        const weighting w = {HOP_TYPE_INT32, 1, 100};
        hop_graph *graph = make_weighted(t.context, &from, &w, 1);
        t.path = temporary("fault.npz");
        assert_int_equal(hop_graph_write(t.context, graph, t.path, NULL), HOP_OK);
        hop_graph *disk = open_external(t.context, t.path, 1, true);
        t.at = (long)disk->store->arrays[cases[i].array].offset + 150 * 16384 + 8;
        t.at = cases[i].cut ? -t.at : t.at;
        t.calls = 0;
        t.when = cases[i].during ? 12 : UINT32_MAX;
        if (!cases[i].during)
            strike(&t);
        int64_t *distances = malloc((size_t)graph->vertices * 8);
        hop_span span = {distances, graph->vertices, HOP_TYPE_INT64};
        hop_vertex source = 7;
        assert_int_equal(hop_sssp(t.context, disk, &source, 1, NULL, &span, NULL), HOP_ERR_INPUT);
        assert_message(t.context, cases[i].message);
        free(distances);
        hop_graph_release(disk);
        hop_graph_release(graph);
        free_context(t.context);
    }
}

/* Weights below 0: refused with the number, by the search and by the certificate. */
static void test_negative(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    const store_sample from = {"degree", {{"n", 2000}}, 1, true};
    const weighting w = {HOP_TYPE_FLOAT64, -1, 5};
    hop_graph *graph = make_weighted(context, &from, &w, 1);
    const char *path = temporary("negative.npz");
    assert_int_equal(hop_graph_write(context, graph, path, NULL), HOP_OK);
    hop_graph *disk = open_external(context, path, 1, false);
    double distances[2000] = {0};
    hop_span span = {distances, 2000, HOP_TYPE_FLOAT64};
    hop_view view = {distances, 2000, HOP_TYPE_FLOAT64};
    hop_vertex source = 0;
    assert_int_equal(hop_sssp(context, disk, &source, 1, NULL, &span, NULL), HOP_ERR_UNSUPPORTED);
    assert_message(context, "weights below 0 need the arcs in memory, or mapped");
    assert_int_equal(hop_sssp_certify(context, disk, &source, 1, NULL, &view, NULL),
                     HOP_ERR_UNSUPPORTED);
    assert_message(context, "weights below 0 need the arcs in memory, or mapped");
    hop_graph_release(disk);
    hop_graph_release(graph);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_light_arcs), cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_bytes_read), cmocka_unit_test(test_faults),
        cmocka_unit_test(test_negative),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
