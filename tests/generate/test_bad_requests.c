/* SPDX-License-Identifier: Apache-2.0
 * Bad settings: each is refused, before anything is made, with a message that names the
 * parameter, the value and what is allowed. */
#include "core/settings.h"
#include "generate/generate_testing.h"

static hop_context *context;

static int setup(void **state) {
    (void)state;
    context = make_context(2);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    free_context(context);
    return 0;
}

typedef struct bad_request {
    const char *name;
    request request;
    const char *message[4]; /* parts of it */
} bad_request;

static const bad_request bad[] = {
    {"unknown family", {"kronecker", {{NULL, 0}}}, {"'kronecker'", "rmat", "list-graph", "road"}},
    {"misspelt family", {"r-mat", {{NULL, 0}}}, {"'r-mat'", "did you mean 'rmat'"}},
    {"empty family", {"", {{NULL, 0}}}, {"''", "there are list, list-graph"}},
    {"no family", {NULL, {{NULL, 0}}}, {"no family is named"}},
    {"list is not a graph", {"list", {{"n", 5}}}, {"hop_list_generate", "list-graph"}},
    {"unknown parameter",
     {"rmat", {{"scale", 4}, {"vertices", 4}}},
     {"'vertices'", "rmat", "scale, edge-factor, a, b, c, d, directed, shuffle"}},
    {"misspelt parameter",
     {"rmat", {{"scale", 4}, {"edgefactor", 8}}},
     {"did you mean 'edge-factor'"}},
    {"a very long name",
     {"rmat", {{"0123456789012345678901234567890123456789012345678901234567890123456789", 8}}},
     {"012345678901234567890123456789012345678901234567'"}},
    {"a missing parameter", {"rmat", {{"edge-factor", 8}}}, {"scale", "must be given"}},
    {"another missing one", {"erdos-renyi", {{"n", 8}}}, {"erdos-renyi: m (", "must be given"}},
    {"a parameter given twice",
     {"rmat", {{"scale", 4}, {"scale", 5}}},
     {"scale is given twice", "4", "5"}},
    {"above the range", {"rmat", {{"scale", 32}}}, {"scale = 32", "from 0 to 31"}},
    {"below the range", {"rmat", {{"scale", -1}}}, {"scale = -1", "from 0 to 31"}},
    {"NaN", {"rmat", {{"scale", NAN}}}, {"scale = ", "nan"}},
    {"infinity", {"grid", {{"rows", INFINITY}, {"cols", 2}}}, {"rows = inf"}},
    {"minus infinity", {"grid", {{"rows", -INFINITY}, {"cols", 2}}}, {"rows = -inf"}},
    {"a fraction for an integer", {"rmat", {{"scale", 3.5}}}, {"scale = 3.5", "whole number"}},
    {"a flag of two", {"rmat", {{"scale", 3}, {"directed", 2}}}, {"directed = 2", "0 or 1"}},
    {"half a flag", {"rmat", {{"scale", 3}, {"directed", .5}}}, {"directed = 0.5", "0 or 1"}},
    {"a NaN flag", {"rmat", {{"scale", 3}, {"directed", NAN}}}, {"directed = ", "0 or 1"}},
    {"a NaN share", {"grid", {{"rows", 3}, {"cols", 3}, {"removed", NAN}}}, {"removed = "}},
    {"a share above one",
     {"grid", {{"rows", 3}, {"cols", 3}, {"removed", 1.5}}},
     {"removed = 1.5", "from 0 to 1"}},
    {"too many vertices", {"erdos-renyi", {{"n", 4294967295.}, {"m", 1}}}, {"n = 4294967295"}},
    {"too many edges",
     {"erdos-renyi", {{"n", 1e9}, {"m", 0x1p40 + 1}}},
     {"m = 1099511627777", "1099511627776"}},
    {"more edges than pairs",
     {"erdos-renyi", {{"n", 5}, {"m", 11}}},
     {"m = 11", "5 vertices", "only 10 different edges"}},
    {"more arcs than pairs",
     {"erdos-renyi", {{"n", 5}, {"m", 21}, {"directed", 1}}},
     {"m = 21", "only 20 different arcs"}},
    {"edges without vertices", {"erdos-renyi", {{"n", 0}, {"m", 1}}}, {"0 vertices"}},
    {"rmat with too many edges",
     {"rmat", {{"scale", 31}, {"edge-factor", 1000}}},
     {"2147483648000", "1099511627776"}},
    {"shares above one", {"rmat", {{"scale", 3}, {"a", .9}}}, {"a + b + c + d", "1.33"}},
    {"shares below one", {"rmat", {{"scale", 3}, {"a", 0}, {"d", 0}}}, {"0.38"}},
    {"an odd number of arcs", {"density", {{"m", 7}, {"delta", .1}}}, {"m = 7", "even"}},
    {"a density of nothing", {"density", {{"m", 8}, {"delta", 0}}}, {"delta = 0", "1e-18"}},
    {"the complete graph of D0",
     {"density", {{"m", 200}, {"delta", 1}}},
     {"200 arcs", "10 vertices", "only 90"}},
    {"a density of one half",
     {"density", {{"m", 200}, {"delta", .5}}},
     {"200 arcs", "14 vertices", "only 182"}},
    {"too dense a sub-graph",
     {"density", {{"m", 200}, {"delta", .25}, {"count", 4}}},
     {"sub-graph 0 of 4", "50 arcs between 5 vertices", "only 20"}},
    {"too dense a sub-graph among others that are not",
     {"density", {{"m", 20000}, {"delta", .01}, {"count", 49}}},
     {"sub-graph 20 of 49", "408 arcs between 20 vertices", "only 380"}},
    {"sub-graphs without vertices",
     {"density", {{"m", 200}, {"delta", .25}, {"count", 21}}},
     {"20 vertices", "21 sub-graphs"}},
    {"too many vertices by density",
     {"density", {{"m", 1000000}, {"delta", 1e-15}}},
     {"22360679775", "4294967294"}},
    {"more lists than vertices", {"list-graph", {{"n", 3}, {"count", 4}}}, {"3 vertices", "4"}},
    {"lists without vertices", {"list-graph", {{"n", 0}, {"count", 2}}}, {"0 vertices", "2"}},
    {"no list", {"list-graph", {{"n", 3}, {"count", 0}}}, {"count = 0", "from 1"}},
    {"more trees than vertices", {"tree-graph", {{"n", 3}, {"count", 4}}}, {"3 vertices", "4"}},
    {"trees without children", {"tree-graph", {{"n", 3}, {"k", 0}}}, {"k = 0", "from 1"}},
    {"degrees out of order",
     {"degree", {{"n", 30}, {"min-degree", 7}}},
     {"min-degree 7 is above max-degree 6"}},
    {"degrees above the others",
     {"degree", {{"n", 6}}},
     {"max-degree 6", "6 vertices", "only 5 others"}},
    {"too many arcs by degree",
     {"degree", {{"n", 4e9}, {"min-degree", 1}, {"max-degree", 1000}}},
     {"4000000000000", "1099511627776"}},
    {"no fan-out", {"fanout", {{"n", 3}, {"k", 0}}}, {"k = 0", "from 1"}},
    {"too large a grid",
     {"grid", {{"rows", 65536}, {"cols", 65536}}},
     {"4294967296 vertices", "4294967294"}},
    {"a grid that overflows",
     {"grid", {{"rows", 4294967294.}, {"cols", 4294967294.}}},
     {"grid: 4294967294 rows", "4294967294"}},
    {"too large a road network",
     {"road", {{"rows", 65536}, {"cols", 65536}}},
     {"4294967296", "4294967294"}},
    {"too many bends", {"road", {{"rows", 3}, {"cols", 3}, {"bends", 1001}}}, {"bends = 1001"}},
};

static void test_bad_settings_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < HOP_LENGTH(bad); i++) {
        hop_generate_options options = options_of(&bad[i].request, 1);
        hop_graph *graph = (hop_graph *)&options; /* must become NULL */
        hop_context_reset_peak(context);
        hop_status status = hop_graph_generate(context, bad[i].request.family, &options, &graph);
        if (status != HOP_ERR_ARGUMENT)
            fail_msg("%s: %s", bad[i].name, hop_status_name(status));
        assert_null(graph);
        for (size_t part = 0; part < 4 && bad[i].message[part] != NULL; part++)
            assert_message(context, bad[i].message[part]);
        /* Nothing of size was allocated on the way. */
        assert_true(hop_context_memory_peak(context) < 1 << 16);
    }
}

/* Possible by type but not in this memory: refused with the number, at once. Drawing all these
 * edges would take hours. */
static const request too_large[] = {
    {"tree-graph", {{"n", 4294967294.}}},
    {"list-graph", {{"n", 4294967294.}}},
    {"erdos-renyi", {{"n", 4294967294.}, {"m", 0x1p40}}},
    {"density", {{"m", 0x1p40}, {"delta", 1e-6}}},
    {"rmat", {{"scale", 31}, {"edge-factor", 512}}},
    {"fanout", {{"n", 4294967294.}}},
    {"grid", {{"rows", 65535}, {"cols", 65536}}},
    {"road", {{"rows", 8192}, {"cols", 8192}}},
    {"degree", {{"n", 1e8}, {"max-degree", 10000}}},
};

static void test_what_does_not_fit_is_refused(void **state) {
    (void)state;
    hop_context_options context_options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *small = NULL;
    context_options.memory_budget = 1 << 20;
    assert_int_equal(hop_context_create(&context_options, &small), HOP_OK);
    for (size_t i = 0; i < HOP_LENGTH(too_large); i++) {
        hop_generate_options options = options_of(&too_large[i], 1);
        hop_graph *graph = NULL;
        assert_int_equal(hop_graph_generate(small, too_large[i].family, &options, &graph),
                         HOP_ERR_BUDGET);
        assert_message(small, too_large[i].family);
        assert_message(small, "iB needed");
        assert_null(graph);
    }
    free_context(small);
}

static void test_weights_are_checked_too(void **state) {
    (void)state;
    const request small = {"grid", {{"rows", 3}, {"cols", 3}}};
    hop_graph *graph = NULL;
    hop_generate_options options = options_of(&small, 1);
    options.max_weight = 10;
    assert_int_equal(hop_graph_generate(context, "grid", &options, &graph), HOP_ERR_ARGUMENT);
    assert_message(context, "max-weight is 10, but the graph has no weights");
    options = options_of(&small, 1);
    options.weight_type = HOP_TYPE_INT32;
    options.min_weight = 256;
    assert_int_equal(hop_graph_generate(context, "grid", &options, &graph), HOP_ERR_ARGUMENT);
    assert_message(context, "min-weight 256 is above max-weight 255");
    options.min_weight = NAN;
    assert_int_equal(hop_graph_generate(context, "grid", &options, &graph), HOP_ERR_ARGUMENT);
    options.min_weight = INFINITY;
    assert_int_equal(hop_graph_generate(context, "grid", &options, &graph), HOP_ERR_ARGUMENT);
    options = options_of(&small, 1);
    options.weight_type = (hop_weight_type)5;
    assert_int_equal(hop_graph_generate(context, "grid", &options, &graph), HOP_ERR_ARGUMENT);
    assert_null(graph);
}

static void test_arguments_are_checked(void **state) {
    (void)state;
    hop_graph *graph = NULL;
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    assert_int_equal(hop_graph_generate(NULL, "rmat", &options, &graph), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_graph_generate(context, "rmat", &options, NULL), HOP_ERR_ARGUMENT);
    options.size = 0;
    assert_int_equal(hop_graph_generate(context, "fanout", &options, &graph), HOP_ERR_ARGUMENT);
    assert_message(context, "HOP_GENERATE_OPTIONS_INIT");
    options = (hop_generate_options)HOP_GENERATE_OPTIONS_INIT;
    options.setting_count = 1;
    assert_int_equal(hop_graph_generate(context, "fanout", &options, &graph), HOP_ERR_ARGUMENT);
    const hop_setting unnamed = {NULL, 1};
    options.settings = &unnamed;
    assert_int_equal(hop_graph_generate(context, "fanout", &options, &graph), HOP_ERR_ARGUMENT);
    assert_message(context, "setting 0 has no name");
    assert_int_equal(hop_graph_generate(context, "rmat", NULL, &graph), HOP_ERR_ARGUMENT);
    assert_message(context, "scale");
    assert_int_equal(hop_list_generate(NULL, 1, 1, (hop_vertex[]){0}), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_list_generate(context, 1, 1, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_list_generate(context, HOP_NO_VERTEX, 1, (hop_vertex[]){0}),
                     HOP_ERR_ARGUMENT);
    assert_null(graph);
}

static const char *name_at(const void *user, size_t i) {
    return ((const char *const *)user)[i];
}

static void test_nearest_name(void **state) {
    (void)state;
    static const char *const names[] = {"scale", "edge-factor", "a", "b", "min-degree"};
    static const char *const words[][2] = {
        {"sclae", "scale"},
        {"Scale", "scale"},
        {"edge_factor", "edge-factor"},
        {"edgefactor", "edge-factor"},
        {"mindegree", "min-degree"},
        {"x", NULL},
        {"", NULL},
        {"threads", NULL},
        {"scale", "scale"},
    };
    for (size_t i = 0; i < HOP_LENGTH(words); i++) {
        const char *nearest = hop__nearest_name(words[i][0], name_at, names, HOP_LENGTH(names));
        if (words[i][1] == NULL ? nearest != NULL
                                : nearest == NULL || strcmp(nearest, words[i][1]) != 0)
            fail_msg("'%s' gave '%s'", words[i][0], nearest == NULL ? "nothing" : nearest);
    }
}

static void test_name_list_is_cut_between_names(void **state) {
    (void)state;
    static const char *const names[] = {"one", "two", "three"};
    char text[16];
    assert_string_equal(hop__name_list(name_at, names, 3, text, 16), "one, two, three");
    assert_string_equal(hop__name_list(name_at, names, 3, text, 15), "one, two");
    assert_string_equal(hop__name_list(name_at, names, 3, text, 3), "");
    assert_string_equal(hop__name_list(name_at, names, 0, text, 3), "");
}

/* Settings of a caller whose header has longer ones. */
static void test_settings_may_be_longer(void **state) {
    (void)state;
    struct {
        hop_setting setting;
        uint64_t more;
    } longer[] = {{{"rows", 3, NULL}, 0}, {{"cols", 4, NULL}, 0}};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = &longer[0].setting;
    options.setting_count = 2;
    options.setting_size = sizeof longer[0];
    assert_int_equal(hop_graph_generate(context, "grid", &options, &graph), HOP_OK);
    assert_int_equal(hop_graph_vertices(graph), 12);
    hop_graph_release(graph);
    longer[1].more = 1;
    assert_int_equal(hop_graph_generate(context, "grid", &options, &graph), HOP_ERR_UNSUPPORTED);
    assert_non_null(strstr(hop_context_message(context), "grid: setting 1 says more"));
    options.setting_size = sizeof(hop_setting) - 1;
    assert_int_equal(hop_graph_generate(context, "grid", &options, &graph), HOP_ERR_ARGUMENT);
    assert_non_null(strstr(hop_context_message(context), "a setting_size of 23 bytes"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_settings_are_refused),
        cmocka_unit_test(test_what_does_not_fit_is_refused),
        cmocka_unit_test(test_weights_are_checked_too),
        cmocka_unit_test(test_arguments_are_checked),
        cmocka_unit_test(test_settings_may_be_longer),
        cmocka_unit_test(test_nearest_name),
        cmocka_unit_test(test_name_list_is_cut_between_names),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
