/* SPDX-License-Identifier: Apache-2.0
 * What holds for every family: the table is sound; the same request gives the same bytes whatever
 * the number of threads, and the same as it ever did; another seed gives another graph; it can be
 * cancelled; an allocation that fails leaves nothing behind. */
#include <limits.h>

#include "core/context_internal.h"
#include "generate/generate_testing.h"

/* Several requests per family, large enough to be split among threads. */
static const request requests[] = {
    {"list-graph", {{"n", 0}}},
    {"list-graph", {{"n", 1}}},
    {"list-graph", {{"n", 20011}, {"count", 13}}},
    {"list-graph", {{"n", 70000}, {"count", 30000}}},
    {"tree-graph", {{"n", 0}}},
    {"tree-graph", {{"n", 1}}},
    {"tree-graph", {{"n", 20011}, {"count", 13}, {"k", 3}}},
    {"tree-graph", {{"n", 50000}, {"k", 1}}},
    {"density", {{"m", 0}, {"delta", .1}}},
    {"density", {{"m", 60000}, {"delta", .01}, {"count", 3}}},
    {"density", {{"m", 100000}, {"delta", .4}}},
    {"density", {{"m", 50000}, {"delta", .00001}, {"count", 4000}}},
    {"erdos-renyi", {{"n", 0}, {"m", 0}}},
    {"erdos-renyi", {{"n", 1}, {"m", 0}}},
    {"erdos-renyi", {{"n", 3000}, {"m", 50000}}},
    {"erdos-renyi", {{"n", 70000}, {"m", 70000}, {"directed", 1}}},
    {"degree", {{"n", 0}}},
    {"degree", {{"n", 1}, {"min-degree", 0}, {"max-degree", 0}}},
    {"degree", {{"n", 15000}}},
    {"degree", {{"n", 700}, {"min-degree", 20}, {"max-degree", 90}}},
    {"degree", {{"n", 9000}, {"min-degree", 0}, {"max-degree", 1}}},
    {"rmat", {{"scale", 0}, {"edge-factor", 5}}},
    {"rmat", {{"scale", 10}, {"edge-factor", 0}}},
    {"rmat", {{"scale", 12}}},
    {"rmat", {{"scale", 13}, {"edge-factor", 8}, {"directed", 1}, {"shuffle", 0}}},
    {"rmat", {{"scale", 11}, {"a", .45}, {"b", .15}, {"c", .15}, {"d", .25}}},
    {"fanout", {{"n", 0}}},
    {"fanout", {{"n", 1}}},
    {"fanout", {{"n", 50000}}},
    {"fanout", {{"n", 40000}, {"k", 7}, {"directed", 0}}},
    {"grid", {{"rows", 0}, {"cols", 5}}},
    {"grid", {{"rows", 1}, {"cols", 1}}},
    {"grid", {{"rows", 150}, {"cols", 170}, {"removed", .1}}},
    {"grid", {{"rows", 90}, {"cols", 110}, {"diagonals", 1}, {"removed", .3}, {"shuffle", 1}}},
    {"road", {{"rows", 5}, {"cols", 0}}},
    {"road", {{"rows", 1}, {"cols", 1}}},
    {"road", {{"rows", 120}, {"cols", 110}}},
    {"road", {{"rows", 60}, {"cols", 70}, {"extra", .8}, {"bends", 9}, {"shuffle", 1}}},
};

static const hop_weight_type weight_types[] = {HOP_TYPE_NONE, HOP_TYPE_INT32, HOP_TYPE_INT64,
                                               HOP_TYPE_FLOAT32, HOP_TYPE_FLOAT64};

static void test_table_is_sound(void **state) {
    (void)state;
    assert_true(hop_family_count() >= 10);
    assert_null(hop_family_at(hop_family_count()));
    assert_null(hop_family_find("no such family"));
    assert_null(hop_family_find(NULL));
    for (size_t i = 0; i < hop_family_count(); i++) {
        const hop_family *family = hop_family_at(i);
        assert_ptr_equal(hop_family_find(family->name), family);
        assert_true(strlen(family->summary) > 0 && strlen(family->source) > 0);
        assert_true(family->parameter_count > 0);
        assert_true(family->is_list != family->takes_weights);
        if (family->takes_weights)
            assert_true(family->min_weight <= family->max_weight);
        for (size_t k = 0; k < family->parameter_count; k++) {
            const hop_parameter *parameter = hop_parameter_at(family->parameters, k);
            assert_true(strlen(parameter->name) > 0 && strlen(parameter->summary) > 0);
            assert_true(parameter->minimum <= parameter->maximum);
            if (!parameter->required)
                assert_true(parameter->standard >= parameter->minimum &&
                            parameter->standard <= parameter->maximum);
            for (size_t other = 0; other < k; other++)
                assert_string_not_equal(parameter->name,
                                        hop_parameter_at(family->parameters, other)->name);
        }
        /* Every family has requests here, so that a new row can't go untested. */
        size_t found = family->is_list;
        for (size_t r = 0; r < HOP_LENGTH(requests); r++)
            found += strcmp(requests[r].family, family->name) == 0;
        if (found == 0)
            fail_msg("no request for %s", family->name);
    }
}

static void assert_same_arrays(const request *wanted, const hop_graph *a, const hop_graph *b) {
    size_t a_width, b_width;
    hop_weight_type a_type, b_type;
    const void *a_offsets = hop_graph_offsets(a, &a_width);
    const void *b_offsets = hop_graph_offsets(b, &b_width);
    const void *a_weights = hop_graph_weights(a, &a_type);
    const void *b_weights = hop_graph_weights(b, &b_type);
    size_t arcs = hop_graph_arcs(a), n = hop_graph_vertices(a);
    if (n != hop_graph_vertices(b) || arcs != hop_graph_arcs(b) || a_width != b_width ||
        a_type != b_type || hop_graph_directed(a) != hop_graph_directed(b) ||
        memcmp(a_offsets, b_offsets, (n + 1) * a_width) != 0 ||
        memcmp(hop_graph_targets(a), hop_graph_targets(b), arcs * sizeof(hop_vertex)) != 0 ||
        (a_weights != NULL && memcmp(a_weights, b_weights, arcs * hop_type_size(a_type)) != 0))
        fail_msg("%s, %s: graphs differ", wanted->family, hop_type_name(a_type));
}

static void test_same_bytes_for_every_thread_count(void **state) {
    (void)state;
    const unsigned threads[] = {1, 2, 3, 8};
    hop_context *contexts[HOP_LENGTH(threads)];
    for (size_t t = 0; t < HOP_LENGTH(threads); t++)
        contexts[t] = make_context(threads[t]);
    for (size_t r = 0; r < HOP_LENGTH(requests); r++) {
        for (size_t w = 0; w < HOP_LENGTH(weight_types); w++) {
            hop_graph *graphs[HOP_LENGTH(threads)];
            uint64_t hashes[HOP_LENGTH(threads)];
            for (size_t t = 0; t < HOP_LENGTH(threads); t++) {
                graphs[t] = generate_weighted(contexts[t], &requests[r], 42, weight_types[w]);
                assert_int_equal(hop_graph_hash(contexts[t], graphs[t], &hashes[t]), HOP_OK);
                assert_int_equal(hashes[t], hashes[0]);
                assert_same_arrays(&requests[r], graphs[0], graphs[t]);
            }
            for (size_t t = 0; t < HOP_LENGTH(threads); t++)
                hop_graph_release(graphs[t]);
        }
    }
    for (size_t t = 0; t < HOP_LENGTH(threads); t++)
        free_context(contexts[t]);
}

static void test_same_list_for_every_thread_count(void **state) {
    (void)state;
    const uint32_t sizes[] = {0, 1, 2, 1000, 65536, 65537, 262145, 1000003};
    for (size_t i = 0; i < HOP_LENGTH(sizes); i++) {
        hop_vertex *lists[4];
        for (unsigned t = 0; t < 4; t++) {
            hop_context *context = make_context((const unsigned[]){1, 2, 3, 8}[t]);
            lists[t] = calloc(sizes[i] + 1u, sizeof **lists);
            assert_int_equal(hop_list_generate(context, sizes[i], 9, lists[t]), HOP_OK);
            assert_memory_equal(lists[0], lists[t], sizes[i] * sizeof **lists);
            free_context(context);
        }
        for (unsigned t = 0; t < 4; t++)
            free(lists[t]);
    }
}

/* Every bit of the seed matters. Not for shapes that have nothing random. */
static void test_other_seeds_give_other_graphs(void **state) {
    (void)state;
    const uint64_t seeds[] = {0, 1, UINT64_C(1) << 32, UINT64_C(1) << 63};
    hop_context *context = make_context(2);
    for (size_t r = 0; r < HOP_LENGTH(requests); r++) {
        bool fixed = strcmp(requests[r].family, "fanout") == 0;
        uint64_t hashes[2 * HOP_LENGTH(seeds)];
        hop_graph *graph = generate(context, &requests[r], 1);
        bool tiny = hop_graph_arcs(graph) < 100;
        hop_graph_release(graph);
        if (tiny)
            continue;
        for (size_t s = 0; s < HOP_LENGTH(seeds); s++) {
            graph = generate(context, &requests[r], seeds[s]);
            assert_int_equal(hop_graph_hash(context, graph, &hashes[s]), HOP_OK);
            hop_graph_release(graph);
            graph = generate_weighted(context, &requests[r], seeds[s], HOP_TYPE_FLOAT64);
            assert_int_equal(hop_graph_hash(context, graph, &hashes[HOP_LENGTH(seeds) + s]),
                             HOP_OK);
            hop_graph_release(graph);
            for (size_t other = 0; other < s; other++) {
                assert_int_equal(hashes[s] == hashes[other], fixed);
                assert_int_not_equal(hashes[HOP_LENGTH(seeds) + s],
                                     hashes[HOP_LENGTH(seeds) + other]);
            }
        }
    }
    free_context(context);
}

/* FNV-1a over the arrays: this test's own, so that only the bits of the graph can change it. */
static uint64_t fingerprint_add(uint64_t hash, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        hash ^= value >> (8 * i) & 0xff;
        hash *= UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t fingerprint(const hop_graph *graph) {
    hop_weight_type type;
    const unsigned char *weights = hop_graph_weights(graph, &type);
    uint64_t hash = UINT64_C(0xcbf29ce484222325), n = hop_graph_vertices(graph);
    hash = fingerprint_add(hash, n, 4);
    for (uint64_t v = 0; v < n; v++) {
        hash = fingerprint_add(hash, offset_of(graph, v + 1), 8);
        for (uint64_t i = offset_of(graph, v); i < offset_of(graph, v + 1); i++) {
            hash = fingerprint_add(hash, hop_graph_targets(graph)[i], 4);
            uint64_t bits = 0;
            memcpy(&bits, weights + i * hop_type_size(type), hop_type_size(type));
            hash = fingerprint_add(hash, bits, hop_type_size(type));
        }
    }
    return hash;
}

/* Any seed gives the same graph on every machine, and in every later version: whoever changes one
 * of these changes the graphs that users' results were computed on, and says so in CHANGELOG. */
typedef struct pin {
    const char *name;
    request request;
    hop_weight_type type;
    uint64_t fingerprint;
} pin;

static const pin pins[] = {
    {"lists of three lengths",
     {"list-graph", {{"n", 1000}, {"count", 7}}},
     HOP_TYPE_INT32,
     UINT64_C(0x1f82122b13c32ffa)},
    {"trees by KISS",
     {"tree-graph", {{"n", 1000}, {"count", 5}, {"k", 3}}},
     HOP_TYPE_INT64,
     UINT64_C(0xcd8eb2ec545cf346)},
    {"D0's density",
     {"density", {{"m", 8000}, {"delta", .01}}},
     HOP_TYPE_FLOAT32,
     UINT64_C(0x2e9f69e378cbad38)},
    {"density in parts",
     {"density", {{"m", 8000}, {"delta", .01}, {"count", 6}}},
     HOP_TYPE_FLOAT64,
     UINT64_C(0x4f014938f75651e6)},
    {"G(n, m)",
     {"erdos-renyi", {{"n", 500}, {"m", 3000}}},
     HOP_TYPE_FLOAT32,
     UINT64_C(0xe4af50fd83825cf1)},
    {"D2's degrees", {"degree", {{"n", 1024}}}, HOP_TYPE_FAMILY, UINT64_C(0x542bda2724c4408f)},
    {"degrees by shuffle",
     {"degree", {{"n", 100}, {"min-degree", 40}, {"max-degree", 60}}},
     HOP_TYPE_INT64,
     UINT64_C(0x0e550517549cf6f9)},
    {"Graph500 quarters", {"rmat", {{"scale", 10}}}, HOP_TYPE_INT32, UINT64_C(0xb57b6651378e8183)},
    {"D1 quarters, ids as drawn",
     {"rmat", {{"scale", 9}, {"a", .45}, {"b", .15}, {"c", .15}, {"d", .25}, {"shuffle", 0}}},
     HOP_TYPE_FLOAT64,
     UINT64_C(0xf2d51639e86b3445)},
    {"D4's fan-out", {"fanout", {{"n", 1000}}}, HOP_TYPE_INT32, UINT64_C(0x0e0bb88d641ec1f2)},
    {"a grid with holes",
     {"grid", {{"rows", 30}, {"cols", 40}, {"removed", .1}}},
     HOP_TYPE_INT32,
     UINT64_C(0x5abfe0aa93cc3014)},
    {"a shuffled grid",
     {"grid", {{"rows", 30}, {"cols", 40}, {"diagonals", 1}, {"shuffle", 1}}},
     HOP_TYPE_FLOAT32,
     UINT64_C(0x1436835a8c4155a8)},
    {"roads with lengths",
     {"road", {{"rows", 20}, {"cols", 30}}},
     HOP_TYPE_FLOAT64,
     UINT64_C(0x3f184f1a2d57cfce)},
};

static void test_graphs_are_those_of_earlier_versions(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    size_t changed = 0;
    for (size_t i = 0; i < HOP_LENGTH(pins); i++) {
        hop_graph *graph = generate_weighted(context, &pins[i].request, 2010, pins[i].type);
        uint64_t found = fingerprint(graph);
        if (found != pins[i].fingerprint) {
            print_error("%s: UINT64_C(0x%016llx)\n", pins[i].name, (unsigned long long)found);
            changed++;
        }
        hop_graph_release(graph);
    }
    hop_vertex list[1000];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    assert_int_equal(hop_list_generate(context, 1000, 2010, list), HOP_OK);
    for (size_t i = 0; i < HOP_LENGTH(list); i++)
        hash = fingerprint_add(hash, list[i], 4);
    if (hash != UINT64_C(0xa549bfbd0ddbb841)) {
        print_error("D0's list: UINT64_C(0x%016llx)\n", (unsigned long long)hash);
        changed++;
    }
    free_context(context);
    assert_int_equal(changed, 0);
}

/* Stops at the first report of a phase, and wants one at every chance. */
typedef struct stopper {
    hop_context *context;
    const char *phase; /* how it begins; NULL: never */
    unsigned skip;     /* reports of it to let pass */
    unsigned reports, wrong;
} stopper;

static bool stop_in_phase(void *user, const hop_progress *progress) {
    stopper *watch = user;
    watch->context->next_report = 0;
    watch->reports++;
    watch->wrong += progress->total > 0 && progress->done > progress->total;
    if (watch->phase == NULL || strncmp(progress->phase, watch->phase, strlen(watch->phase)))
        return true;
    return watch->skip-- > 0;
}

static hop_context *make_stoppable(stopper *watch, uint32_t threads) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = threads;
    options.progress = stop_in_phase;
    options.progress_user = watch;
    assert_int_equal(hop_context_create(&options, &watch->context), HOP_OK);
    return watch->context;
}

static void test_cancel(void **state) {
    (void)state;
    static const struct {
        request request;
        const char *phase;
    } cases[] = {
        {{"list-graph", {{"n", 300000}}}, "build"},
        {{"tree-graph", {{"n", 300000}}}, "generate: trees"},
        {{"tree-graph", {{"n", 300000}}}, "build"},
        {{"density", {{"m", 300000}, {"delta", .001}}}, "build"},
        {{"erdos-renyi", {{"n", 300000}, {"m", 300000}}}, "build"},
        {{"degree", {{"n", 300000}}}, "generate: degrees"},
        {{"degree", {{"n", 300000}}}, "build"},
        {{"rmat", {{"scale", 15}}}, "build"},
        {{"fanout", {{"n", 300000}}}, "build"},
        {{"grid", {{"rows", 500}, {"cols", 500}}}, "build"},
        {{"road", {{"rows", 500}, {"cols", 500}}}, "generate: roads"},
        {{"road", {{"rows", 500}, {"cols", 500}}}, "generate: ids"},
        {{"road", {{"rows", 500}, {"cols", 500}}}, "build"},
    };
    for (size_t i = 0; i < HOP_LENGTH(cases); i++) {
        /* A phase reports at its beginning and its end, and between only from the caller's thread,
         * which may find all the work taken. */
        for (unsigned skip = 0; skip < 2; skip++) {
            stopper watch = {.phase = cases[i].phase, .skip = skip};
            hop_context *context = make_stoppable(&watch, 2);
            hop_generate_options options = options_of(&cases[i].request, 1);
            hop_graph *graph = NULL;
            hop_status status =
                hop_graph_generate(context, cases[i].request.family, &options, &graph);
            if (status != HOP_ERR_CANCELLED)
                fail_msg("%s, %s: %s", cases[i].request.family, cases[i].phase,
                         hop_status_name(status));
            assert_null(graph);
            assert_message(context, cases[i].phase);
            assert_message(context, "cancelled");
            assert_int_equal(watch.wrong, 0);
            free_context(context);
        }
    }
}

static void test_cancel_list(void **state) {
    (void)state;
    enum { N = 1 << 20 };
    hop_vertex *list = malloc(sizeof *list * N);
    stopper watch = {.phase = "generate: list", .skip = 1};
    hop_context *context = make_stoppable(&watch, 2);
    assert_int_equal(hop_list_generate(context, N, 1, list), HOP_ERR_CANCELLED);
    free_context(context);
    /* Cancelled at its beginning, or soon, it writes next to nothing: not a piece of each part that
     * is left, nor a page here and there. With two threads only at its beginning: later a helper
     * goes on for as long as the caller, whose reports they are, is kept from its core. */
    for (unsigned skip = 0; skip < 3; skip++) {
        unsigned written = 0;
        memset(list, 0xff, sizeof *list * N);
        watch.skip = skip;
        context = make_stoppable(&watch, skip == 0 ? 2 : 1);
        assert_int_equal(hop_list_generate(context, N, 1, list), HOP_ERR_CANCELLED);
        free_context(context);
        for (size_t i = 0; i < N; i++)
            written += list[i] != HOP_NO_VERTEX;
        assert_true(written <= N / 1024); /* a word of each page */
    }
    watch.phase = NULL;
    watch.reports = 0;
    context = make_stoppable(&watch, 2);
    assert_int_equal(hop_list_generate(context, N, 1, list), HOP_OK);
    assert_true(watch.reports >= 2);
    assert_int_equal(watch.wrong, 0);
    free_context(context);
    free(list);
}

/* Each allocation made to fail in turn, until none is left to. */
static void test_failed_allocations(void **state) {
    (void)state;
    static const request small[] = {
        {"tree-graph", {{"n", 200}}},
        {"degree", {{"n", 200}}},
        {"road", {{"rows", 9}, {"cols", 9}}},
        {"rmat", {{"scale", 6}}},
        {"density", {{"m", 100}, {"delta", .01}}},
    };
    for (size_t i = 0; i < HOP_LENGTH(small); i++) {
        hop_status status = HOP_ERR_MEMORY;
        for (long allowed = 0; status != HOP_OK; allowed++) {
            assert_true(allowed < 1000);
            long left = LONG_MAX;
            hop_context_options context_options = HOP_CONTEXT_OPTIONS_INIT;
            hop_context *context = NULL;
            context_options.threads = 2;
            context_options.allocator =
                (hop_allocator){failing_allocate, NULL, failing_release, &left};
            assert_int_equal(hop_context_create(&context_options, &context), HOP_OK);
            left = allowed;
            hop_generate_options options = options_of(&small[i], 1);
            hop_graph *graph = NULL;
            status = hop_graph_generate(context, small[i].family, &options, &graph);
            assert_true(status == HOP_OK || status == HOP_ERR_MEMORY);
            assert_int_equal(graph != NULL, status == HOP_OK);
            hop_graph_release(graph);
            free_context(context);
        }
    }
}

/* Options from an older header, which ended after the seed. */
static void test_shorter_options(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *a = NULL, *b = NULL;
    hop_setting n = {"n", 100};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    options.settings = &n;
    options.setting_count = 1;
    assert_int_equal(hop_graph_generate(context, "fanout", &options, &a), HOP_OK);
    options.size = offsetof(hop_generate_options, weight_type);
    options.weight_type = HOP_TYPE_FLOAT64; /* not there for such a caller */
    options.min_weight = NAN;
    assert_int_equal(hop_graph_generate(context, "fanout", &options, &b), HOP_OK);
    assert_null(hop_graph_weights(b, NULL));
    assert_same_arrays(&(const request){"fanout", {{"n", 100}}}, a, b);
    hop_graph_release(a);
    hop_graph_release(b);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_is_sound),
        cmocka_unit_test(test_same_bytes_for_every_thread_count),
        cmocka_unit_test(test_same_list_for_every_thread_count),
        cmocka_unit_test(test_other_seeds_give_other_graphs),
        cmocka_unit_test(test_graphs_are_those_of_earlier_versions),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_cancel_list),
        cmocka_unit_test(test_failed_allocations),
        cmocka_unit_test(test_shorter_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
