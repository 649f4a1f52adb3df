/* SPDX-License-Identifier: Apache-2.0
 *
 * Indexes of both kinds against hop_sssp, bit by bit: distances and canonical paths, of every pair
 * of all small graphs with weights of 0 and ties, and of generated families with every type of
 * weights, for several numbers of threads. Wrong calls, graphs that are no roads, cancelling, and
 * every allocation failing in turn. A bug that is put into an index is found. */
#include <unistd.h>

#include "index/index_search.h"
/* After it: what is a name here is a parameter there. */
#include "generate/generate_testing.h"

static const hop_index_kind kinds[] = {HOP_INDEX_CONTRACTION, HOP_INDEX_LANDMARKS};

static const request requests[] = {
    {"list-graph", {{"n", 90}, {"count", 5}}},
    {"tree-graph", {{"n", 200}, {"count", 3}, {"k", 3}}},
    {"erdos-renyi", {{"n", 150}, {"m", 400}, {"directed", 1}}},
    {"erdos-renyi", {{"n", 200}, {"m", 250}}},
    {"degree", {{"n", 150}}},
    {"rmat", {{"scale", 7}}},
    {"grid", {{"rows", 12}, {"cols", 12}}},
    {"road", {{"rows", 8}, {"cols", 8}}},
};

static hop_weight_type weights_of(const hop_graph *graph) {
    hop_weight_type type;
    (void)hop_graph_weights(graph, &type);
    return type;
}

static hop_index *build(hop_context *context, hop_graph *graph, hop_index_kind kind,
                        unsigned landmarks) {
    hop_index_options options = HOP_INDEX_OPTIONS_INIT;
    hop_index *index = NULL;
    options.kind = kind;
    options.landmarks = landmarks;
    hop_status status = hop_index_build(context, graph, &options, &index);
    if (status != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return index;
}

/* All paths from a source, against the parents of a search. */
static void check_paths(hop_context *context, const hop_index *index, hop_vertex source,
                        const void *distances, const hop_vertex *parents) {
    const hop_graph *graph = index->graph;
    const hop_vertex n = hop_graph_vertices(graph);
    const hop_type type = hop_distance_type(weights_of(graph));
    const size_t size = hop_type_size(type);
    hop_vertex *expected = calloc(n, sizeof *expected), *path = calloc(n, sizeof *path);
    char *along = calloc(n, size);
    for (hop_vertex t = 0; t < n; t++) {
        hop_vertex length, found;
        const hop_span span = {along, n, type};
        assert_int_equal(hop_path(context, parents, n, t, expected, n, &length), HOP_OK);
        assert_int_equal(hop_index_path(context, index, source, t, path, n, &found, &span), HOP_OK);
        if (found != length || memcmp(path, expected, length * sizeof *path) != 0)
            fail_msg("another path from %u to %u (%s, kind %d)", source, t,
                     hop_type_name(weights_of(graph)), (int)index->kind);
        for (hop_vertex i = 0; i < length; i++)
            assert_memory_equal(along + i * size, (const char *)distances + path[i] * size, size);
    }
    free(expected);
    free(path);
    free(along);
}

/* Distances and paths from every `stride`-th source to all targets. */
static void check_index(hop_context *context, const hop_index *index, hop_vertex stride) {
    const hop_graph *graph = index->graph;
    const hop_vertex n = hop_graph_vertices(graph);
    const hop_type type = hop_distance_type(weights_of(graph));
    const size_t size = hop_type_size(type);
    char *right = calloc(n, size), *found = calloc(n, size);
    hop_vertex *parents = calloc(n, sizeof *parents);
    hop_edge *pairs = calloc(n, sizeof *pairs);
    for (hop_vertex s = 0; s < n; s += stride) {
        const hop_span spans[2] = {{right, n, type}, {found, n, type}};
        assert_int_equal(hop_sssp(context, graph, &s, 1, NULL, &spans[0], parents), HOP_OK);
        for (hop_vertex t = 0; t < n; t++)
            pairs[t] = (hop_edge){s, t};
        assert_int_equal(hop_index_distances(context, index, pairs, n, &spans[1]), HOP_OK);
        for (hop_vertex t = 0; t < n; t++)
            if (memcmp(right + t * size, found + t * size, size) != 0)
                fail_msg("another distance from %u to %u (%s, kind %d)", s, t,
                         hop_type_name(weights_of(graph)), (int)index->kind);
        check_paths(context, index, s, right, parents);
    }
    free(right);
    free(found);
    free(parents);
    free(pairs);
}

static void answers_are_those_of_searches(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    for (size_t r = 0; r < HOP_LENGTH(requests); r++)
        for (unsigned type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++)
            for (size_t k = 0; k < HOP_LENGTH(kinds); k++) {
                hop_graph *graph =
                    generate_weighted(context, &requests[r], 1 + r, (hop_weight_type)type);
                hop_index *index = build(context, graph, kinds[k], 4);
                hop_graph_release(graph);
                check_index(context, index, 17);
                hop_index_free(index);
            }
    free_context(context);
}

/* A graph of few vertices: parallel arcs, loops, weights of 0 and infinity, ties, and numbers whose
 * sums are rounded. */
static hop_graph *small_graph(hop_context *context, unsigned trial) {
    enum { N = 7, MOST = 24 };
    static const double reals[] = {0, 0.1, 0.2, 0.3, 1, 1e-9, 3e7, HUGE_VAL};
    uint32_t from[MOST], to[MOST];
    int64_t integers[MOST];
    int32_t narrow[MOST];
    double wide[MOST];
    float floats[MOST];
    const void *const weights[] = {NULL, narrow, integers, floats, wide};
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    uint64_t drawn = 100 * (uint64_t)trial;
    edges.count = 4 + hop__random_below(hop__random_at(7, 0, drawn++), MOST - 4);
    for (uint64_t i = 0; i < edges.count; i++) {
        from[i] = (uint32_t)hop__random_below(hop__random_at(7, 0, drawn++), N);
        to[i] = (uint32_t)hop__random_below(hop__random_at(7, 0, drawn++), N);
        uint64_t draw = hop__random_below(hop__random_at(7, 0, drawn++), HOP_LENGTH(reals));
        narrow[i] = (int32_t)(draw / 3);
        integers[i] = draw == 7 ? INT64_C(1) << 40 : (int64_t)draw / 2;
        wide[i] = reals[draw];
        floats[i] = (float)reals[draw];
    }
    edges.from = from;
    edges.to = to;
    edges.weight_type = (hop_weight_type)(trial % HOP_LENGTH(weights));
    edges.weights = weights[trial % HOP_LENGTH(weights)];
    options.vertices = N;
    options.directed = trial / 5 % 2 == 0;
    options.duplicates = HOP_DUPLICATES_KEEP;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
    return graph;
}

static void every_pair_of_small_graphs(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (unsigned trial = 0; trial < 1000; trial++) {
        hop_graph *graph = small_graph(context, trial);
        for (size_t k = 0; k < HOP_LENGTH(kinds); k++) {
            hop_index *index = build(context, graph, kinds[k], 1 + trial % 3);
            check_index(context, index, 1);
            hop_index_free(index);
        }
        hop_graph_release(graph);
    }
    free_context(context);
}

/* All undirected graphs of five vertices, without weights. */
static void all_graphs_of_five_vertices(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (uint32_t bits = 0; bits < 1 << 10; bits++) {
        uint32_t from[10], to[10], bit = 0;
        hop_edges edges = HOP_EDGES_INIT;
        hop_build_options options = HOP_BUILD_OPTIONS_INIT;
        hop_graph *graph = NULL;
        for (uint32_t u = 0; u < 5; u++)
            for (uint32_t v = u + 1; v < 5; v++, bit++)
                if (bits >> bit & 1) {
                    from[edges.count] = u;
                    to[edges.count++] = v;
                }
        edges.from = from;
        edges.to = to;
        options.vertices = 5;
        assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
        for (size_t k = 0; k < HOP_LENGTH(kinds); k++) {
            hop_index *index = build(context, graph, kinds[k], 2);
            check_index(context, index, 1);
            hop_index_free(index);
        }
        hop_graph_release(graph);
    }
    free_context(context);
}

/* The index is the same for every number of threads. */
static void threads_do_not_matter(void **state) {
    (void)state;
    const request road = {"road", {{"rows", 30}, {"cols", 30}}};
    hop_context *context = make_context(1);
    hop_graph *graph = generate_weighted(context, &road, 3, HOP_TYPE_INT32);
    const hop_vertex n = hop_graph_vertices(graph);
    hop_index *first = build(context, graph, HOP_INDEX_AUTO, 16);
    const hop__hierarchy *h = &first->hierarchy;
    assert_int_equal(first->kind, HOP_INDEX_CONTRACTION);
    for (unsigned threads = 2; threads <= 8; threads *= 2) {
        hop_context *other = make_context(threads);
        hop_index *index = build(other, graph, HOP_INDEX_AUTO, 16);
        assert_memory_equal(index->hierarchy.places, h->places, n * sizeof *h->places);
        assert_memory_equal(index->hierarchy.offsets, h->offsets, (n + 1) * sizeof *h->offsets);
        assert_memory_equal(index->hierarchy.words, h->words, h->offsets[n] * 2 * sizeof *h->words);
        hop_index_free(index);
        hop_context_free(other);
    }
    hop_index_free(first);
    hop_graph_release(graph);
    free_context(context);
}

static void a_bug_is_found(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph = generate_weighted(context, &requests[7], 3, HOP_TYPE_INT32);
    hop_index *index = build(context, graph, HOP_INDEX_CONTRACTION, 16);
    const hop_vertex n = hop_graph_vertices(graph);
    hop_edge *pairs = calloc(n, sizeof *pairs);
    for (hop_vertex t = 0; t < n; t++)
        pairs[t] = (hop_edge){0, t};
    assert_int_equal(hop_index_certify(context, index, pairs, n), HOP_OK);
    /* An arc of the hierarchy is as good as none. */
    index->hierarchy.words[1 + index->hierarchy.offsets[index->hierarchy.places[0]] * 2] += 1000000;
    assert_int_equal(hop_index_certify(context, index, pairs, n), HOP_ERR_CERTIFICATE);
    assert_message(context, "is not that of a search");
    hop_index_free(index);
    hop_graph_release(graph);
    free(pairs);
    free_context(context);
}

static void wrong_calls_are_refused(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph = generate_weighted(context, &requests[6], 3, HOP_TYPE_INT32);
    hop_index *index = build(context, graph, HOP_INDEX_AUTO, 16), *none = NULL;
    hop_index_options options = HOP_INDEX_OPTIONS_INIT;
    hop_edge pair = {0, 144};
    int64_t distance;
    hop_vertex path[2], length = 0;
    const hop_span span = {&distance, 1, HOP_TYPE_INT64}, real = {&distance, 1, HOP_TYPE_FLOAT64};
    assert_int_equal(hop_index_distances(context, index, &pair, 1, &span), HOP_ERR_ARGUMENT);
    assert_message(context, "index: a target is vertex 144, but there are only 144 vertices");
    pair.to = 143;
    assert_int_equal(hop_index_distances(context, index, &pair, 1, &real), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_index_path(context, index, 0, 143, path, 2, &length, NULL),
                     HOP_ERR_ARGUMENT);
    assert_true(length > 2);
    options.landmarks = 65;
    assert_int_equal(hop_index_build(context, graph, &options, &none), HOP_ERR_ARGUMENT);
    assert_message(context, "65 landmarks");
    assert_null(none);
    hop_index_free(index);
    hop_graph_release(graph);
    free_context(context);
}

static void negative_and_huge_weights_are_refused(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    uint32_t from[] = {0, 1}, to[] = {1, 2};
    int64_t weights[] = {5, -1};
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    edges.from = from;
    edges.to = to;
    edges.count = 2;
    edges.weights = weights;
    edges.weight_type = HOP_TYPE_INT64;
    options.directed = true;
    for (unsigned i = 0; i < 2; i++) {
        hop_graph *graph = NULL;
        hop_index *index = NULL;
        assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
        assert_int_equal(hop_index_build(context, graph, NULL, &index), HOP_ERR_UNSUPPORTED);
        assert_message(context, i == 0 ? "none may be negative" : "may reach 2^62");
        hop_graph_release(graph);
        weights[1] = INT64_MAX / 4;
    }
    free_context(context);
}

/* Hubs make a contraction grow: it is given up, and auto takes landmarks. */
static void what_is_no_road_gets_landmarks(void **state) {
    (void)state;
    const request dense = {"erdos-renyi", {{"n", 600}, {"m", 12000}}};
    hop_context *context = make_context(1);
    hop_graph *graph = generate_weighted(context, &dense, 3, HOP_TYPE_INT32);
    hop_index_options options = HOP_INDEX_OPTIONS_INIT;
    hop_index_info info = HOP_INDEX_INFO_INIT;
    hop_index *index = NULL;
    options.kind = HOP_INDEX_CONTRACTION;
    assert_int_equal(hop_index_build(context, graph, &options, &index), HOP_ERR_UNSUPPORTED);
    assert_message(context, "use landmarks");
    assert_null(index);
    index = build(context, graph, HOP_INDEX_AUTO, 16);
    assert_int_equal(hop_index_describe(context, index, &info), HOP_OK);
    assert_int_equal(info.kind, HOP_INDEX_LANDMARKS);
    assert_int_equal(info.landmarks, 16);
    assert_int_equal(info.bytes, 600 * 16 * 4);
    check_index(context, index, 200);
    hop_index_free(index);
    hop_graph_release(graph);
    free_context(context);
}

/* Giving up takes little work: of so many hubs a whole rating would take minutes. */
static void what_has_hubs_is_given_up_soon(void **state) {
    (void)state;
    const request hubs = {"rmat", {{"scale", 15}}};
    hop_index_options options = HOP_INDEX_OPTIONS_INIT;
    options.kind = HOP_INDEX_CONTRACTION;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        hop_context *context = make_context(threads);
        hop_graph *graph = generate_weighted(context, &hubs, 3, HOP_TYPE_NONE);
        hop_index *index = NULL;
        assert_int_equal(hop_index_build(context, graph, &options, &index), HOP_ERR_UNSUPPORTED);
        assert_message(context, "use landmarks");
        hop_graph_release(graph);
        free_context(context);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static char *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

static void write_all(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* A file whose bytes are changed one by one gives no index, or one with the same answers: bytes
 * between the members mean nothing. */
static void check_damage(hop_context *context, const char *path, hop_graph *graph) {
    size_t size, refused = 0;
    char *bytes = read_all(path, &size);
    for (size_t at = 0; at < size; at += 1 + size / 500) {
        hop_index *index = NULL;
        bytes[at] ^= 0x55;
        write_all(path, bytes, size);
        hop_status status = hop_index_open(context, path, graph, &index);
        bytes[at] ^= 0x55;
        if (status == HOP_OK)
            check_index(context, index, 31);
        else
            assert_int_equal(status, HOP_ERR_INPUT);
        refused += status != HOP_OK;
        hop_index_free(index);
    }
    assert_true(refused > 100);
    for (size_t shorter = 0; shorter < size; shorter += 1 + size / 50) {
        hop_index *index = NULL;
        write_all(path, bytes, shorter);
        assert_int_equal(hop_index_open(context, path, graph, &index), HOP_ERR_INPUT);
        assert_null(index);
    }
    free(bytes);
}

static void files_are_checked(void **state) {
    (void)state;
    char path[] = "/tmp/hoplite-index-XXXXXX";
    int made = mkstemp(path);
    assert_true(made >= 0);
    assert_int_equal(close(made), 0);
    hop_context *context = make_context(1);
    for (unsigned trial = 0; trial < 4; trial++) {
        const unsigned r = trial / 2 == 0 ? 2 : 7;
        hop_graph *graph = generate_weighted(context, &requests[r], 3, HOP_TYPE_FLOAT32);
        hop_graph *other = generate_weighted(context, &requests[r], 4, HOP_TYPE_FLOAT32);
        hop_index *index = build(context, graph, kinds[trial % 2], 5), *back = NULL;
        assert_int_equal(hop_index_save(context, index, path), HOP_OK);
        assert_int_equal(hop_index_open(context, path, other, &back), HOP_ERR_INPUT);
        assert_message(context, "it is the index of another graph");
        assert_int_equal(hop_index_open(context, path, graph, &back), HOP_OK);
        check_index(context, back, 19);
        hop_index_free(back);
        hop_index_free(index);
        check_damage(context, path, graph);
        hop_graph_release(graph);
        hop_graph_release(other);
    }
    unlink(path);
    free_context(context);
}

/* Words of a forged hierarchy: an arc up whose weight is `weight` modulo 2^64, and none down. */
static void forge_arc(hop_index *index, hop_vertex from, hop_vertex to, int64_t weight) {
    hop__hierarchy *h = &index->hierarchy;
    uint32_t *words = h->words + h->offsets[from + 1] * hop__arc_words(index);
    const uint64_t bits = (uint64_t)weight;
    const uint32_t forged[5] = {to, (uint32_t)bits, (uint32_t)(bits >> 32), UINT32_MAX, UINT32_MAX};
    memcpy(words, forged, sizeof forged);
    h->offsets[from + 1]++;
}

/* Sums that wrap round would be negative weights, by which a search upward comes back to a place as
 * often as there are paths to it: 2^20 here. From 2i + 2 it goes to 2i at once, and later, shorter,
 * by way of 2i + 1. */
static void forged_weights_do_not_make_it_endless(void **state) {
    enum { STEPS = 20, N = 2 * STEPS + 1, STRIDE = 5 };
    (void)state;
    const request chain = {"erdos-renyi", {{"n", N}, {"m", 4 * N}, {"directed", 1}}};
    hop_context *context = make_context(1);
    hop_graph *graph = generate_weighted(context, &chain, 3, HOP_TYPE_INT64);
    hop_index *index = build(context, graph, HOP_INDEX_CONTRACTION, 16);
    hop__hierarchy *h = &index->hierarchy;
    hop__free(h->words);
    assert_int_equal(hop__alloc(context, "words", 3 * STEPS * STRIDE, 4, &h->words), HOP_OK);
    h->weight_words = 2;
    h->depth = N;
    h->offsets[0] = h->offsets[1] = 0;
    h->places[0] = 0;
    for (hop_vertex i = 0; i < STEPS; i++) {
        const int64_t first = INT64_C(1) << 2 * i, later = 8 * first;
        const hop_vertex below = 2 * i, by = 2 * i + 1, from = 2 * i + 2;
        h->places[by] = by;
        h->places[from] = from;
        h->offsets[by + 1] = h->offsets[by];
        forge_arc(index, by, below, -later);
        h->offsets[from + 1] = h->offsets[from];
        forge_arc(index, from, below, first);
        forge_arc(index, from, by, later);
    }
    hop__asker asker;
    assert_int_equal(hop__asker_open(context, index, &asker), HOP_OK);
    assert_int_equal(hop__cone_begin(&asker, N - 1, false), HOP__ASK_DONE);
    assert_true(asker.steps <= 4 * N);
    hop__asker_close(&asker);
    hop_index_free(index);
    hop_graph_release(graph);
    free_context(context);
}

static bool refuse_to_go_on(void *user, const hop_progress *progress) {
    (void)user, (void)progress;
    return false;
}

static void cancelling_is_obeyed(void **state) {
    (void)state;
    const request road = {"road", {{"rows", 60}, {"cols", 60}}};
    hop_context *context = make_context(1);
    hop_graph *graph = generate_weighted(context, &road, 3, HOP_TYPE_INT32);
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *impatient = NULL;
    hop_index *index = NULL;
    options.progress = refuse_to_go_on;
    assert_int_equal(hop_context_create(&options, &impatient), HOP_OK);
    assert_int_equal(hop_index_build(impatient, graph, NULL, &index), HOP_ERR_CANCELLED);
    assert_null(index);
    hop_graph_release(graph);
    free_context(impatient);
    free_context(context);
}

static hop_status build_and_ask(hop_context *context, hop_graph *graph, hop_index_kind kind) {
    hop_index_options options = HOP_INDEX_OPTIONS_INIT;
    hop_index *index = NULL;
    hop_edge pair = {0, 3};
    int64_t distance;
    const hop_span span = {&distance, 1, hop_distance_type(weights_of(graph))};
    options.kind = kind;
    hop_status status = hop_index_build(context, graph, &options, &index);
    if (status == HOP_OK)
        status = hop_index_distances(context, index, &pair, 1, &span);
    if (status == HOP_OK)
        status = hop_index_path(context, index, 0, 3, NULL, 0, NULL, NULL);
    hop_index_free(index);
    return status;
}

static void every_allocation_fails(void **state) {
    (void)state;
    for (unsigned trial = 0; trial < 8; trial++) {
        hop_status status = HOP_ERR_MEMORY;
        for (long at = 0; status != HOP_OK; at++) {
            long left = -1;
            const hop_allocator allocator = {failing_allocate, NULL, failing_release, &left};
            hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
            hop_context *context = NULL;
            options.threads = 1;
            options.allocator = allocator;
            assert_int_equal(hop_context_create(&options, &context), HOP_OK);
            hop_graph *graph =
                generate_weighted(context, &requests[trial / 2 % 2 == 0 ? 2 : 7], 3,
                                  trial / 4 == 0 ? HOP_TYPE_INT32 : HOP_TYPE_FLOAT64);
            left = at;
            status = build_and_ask(context, graph, kinds[trial % 2]);
            if (status != HOP_OK)
                assert_int_equal(status, HOP_ERR_MEMORY);
            left = -1;
            hop_graph_release(graph);
            free_context(context);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_graphs_of_five_vertices),
        cmocka_unit_test(every_pair_of_small_graphs),
        cmocka_unit_test(answers_are_those_of_searches),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_bug_is_found),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(negative_and_huge_weights_are_refused),
        cmocka_unit_test(what_is_no_road_gets_landmarks),
        cmocka_unit_test(what_has_hubs_is_given_up_soon),
        cmocka_unit_test(files_are_checked),
        cmocka_unit_test(forged_weights_do_not_make_it_endless),
        cmocka_unit_test(cancelling_is_obeyed),
        cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
