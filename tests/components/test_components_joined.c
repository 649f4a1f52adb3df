/* SPDX-License-Identifier: Apache-2.0
 * Components straight from files and recipes that do not fit: every format of text, ids of every
 * kind, names, Graph500, families; the same vertices, names and labels as in memory, within the
 * budget, whatever the number of threads. What is not kept is refused. */
#include "store/convert_testing.h"

#include "components/components_forest.h"
#include "components/components_id_forest.h"
#include "hoplite/store.h"

enum { GROUP = 7, VERTICES = 30000 };

static char input[128], other_path[128];

/* Groups of ids beside each other hang together; most ids of a third of them do not occur. */
static void groups(uint64_t i, uint64_t *u, uint64_t *v) {
    uint64_t group = *u % (VERTICES / GROUP), place = *u / VERTICES % GROUP;
    (void)i;
    if (group % 3 == 1)
        place = *v = 0;
    *u = group * GROUP + place;
    *v = group * GROUP + *v % GROUP;
}

/* ---- the same as in memory ------------------------------------------------------------------- */

static void assert_same_vertices(const hop_graph *a, const hop_graph *b) {
    assert_int_equal(hop_graph_vertices(a), hop_graph_vertices(b));
    assert_int_equal(hop_graph_directed(a), hop_graph_directed(b));
    for (hop_vertex v = 0; v < hop_graph_vertices(a); v++) {
        assert_int_equal(hop_graph_label(a, v), hop_graph_label(b, v));
        assert_string_equal(hop__name(a, v).s, hop__name(b, v).s);
    }
}

static hop_vertex *labels_of(hop_context *context, const hop_graph *graph, const char *variant,
                             hop_vertex *count) {
    hop_components_options options = HOP_COMPONENTS_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_vertex *labels = calloc((size_t)hop_graph_vertices(graph) + 1, sizeof *labels);
    run.variant = variant;
    options.run = &run;
    if (hop_components(context, graph, &options, labels, count) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return labels;
}

/* What the first row, the reference, says of the graph in memory. */
static void assert_same_labels(hop_context *context, const hop_graph *joined,
                               const hop_graph *whole) {
    hop_vertex found, expected;
    hop_vertex *labels = labels_of(context, joined, NULL, &found);
    hop_vertex *reference = labels_of(context, whole, "dfs", &expected);
    assert_int_equal(found, expected);
    assert_memory_equal(labels, reference, hop_graph_vertices(whole) * sizeof *labels);
    free(labels);
    free(reference);
}

static void join_file(const char *path, const hop_read_options *options, uint64_t budget,
                      unsigned threads) {
    hop_context *large = budget_context(UINT64_C(1) << 30, 2);
    hop_context *small = budget_context(budget, threads);
    hop_graph *whole = NULL, *joined = NULL;
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    if (hop_graph_join_file(large, path, options, &whole) != HOP_OK ||
        hop_graph_join_file(small, path, options, &joined) != HOP_OK)
        fail_msg("%s: %s %s", path, hop_context_message(large), hop_context_message(small));
    assert_false(hop_graph_joined(whole)); /* it fits */
    assert_true(hop_graph_joined(joined));
    assert_true(hop_context_memory_peak(small) <= budget);
    assert_int_equal(hop_graph_describe(small, joined, &info), HOP_OK);
    assert_int_equal(info.edges, info.edges_given);
    assert_int_equal(info.arcs, 0);
    assert_same_vertices(joined, whole);
    assert_same_labels(large, joined, whole);
    hop_graph_release(whole);
    hop_graph_release(joined);
    free_context(small);
    free_context(large);
}

static void every_text(void **state) {
    (void)state;
    for (int i = 0; i < TEXTS; i++) {
        hop_read_options options = HOP_READ_OPTIONS_INIT;
        write_lines(&texts[i], groups, path_of(input, texts[i].name));
        join_file(input, &options, (uint64_t)texts[i].mib * MIB / 2, 1 + (unsigned)i % 3);
        remove(input);
    }
}

static void graph500(void **state) {
    (void)state;
    static const char *const names[] = {"a.g500", "a.g500-64"};
    for (int i = 0; i < 4; i++) { /* ids as they are, and too far apart to be places */
        FILE *file = fopen(path_of(input, names[i % 2]), "wb");
        uint64_t step = i < 2 ? 1 : UINT64_C(1000000007);
        for (uint64_t edge = 0; edge < EDGES; edge++) {
            uint64_t ends = hop__random_at(13, 1, edge), u = ends & 0xffffffff, v = ends >> 32;
            groups(edge, &u, &v);
            uint64_t wide[2] = {u * step, v * step};
            uint32_t packed[3] = {(uint32_t)wide[0], (uint32_t)wide[1],
                                  (uint32_t)(wide[0] >> 32) | (uint32_t)(wide[1] >> 32) << 16};
            if (i % 2 == 0)
                fwrite(packed, sizeof packed, 1, file);
            else
                fwrite(wide, sizeof wide, 1, file);
        }
        fclose(file);
        join_file(input, NULL, 5 * MIB, 2);
        remove(input);
    }
}

static void every_family(void **state) {
    (void)state;
    static const char *const names[] = {"rmat", "erdos-renyi", "grid"};
    static const hop_setting settings[][3] = {
        {{"scale", 15, NULL}, {"edge-factor", 16, NULL}},
        {{"n", 50000, NULL}, {"m", 200000, NULL}},
        {{"rows", 300, NULL}, {"cols", 400, NULL}, {"removed", 0.6, NULL}}};
    for (int i = 0; i < 3; i++) {
        hop_context *large = budget_context(UINT64_C(1) << 30, 2);
        hop_context *small = budget_context(MIB, 3);
        hop_generate_options recipe = HOP_GENERATE_OPTIONS_INIT;
        hop_graph *whole = NULL, *joined = NULL;
        recipe.settings = settings[i];
        recipe.setting_count = i < 2 ? 2 : 3;
        recipe.weight_type = i == 1 ? HOP_TYPE_FLOAT64 : HOP_TYPE_NONE;
        assert_int_equal(hop_graph_join_family(large, names[i], &recipe, &whole), HOP_OK);
        if (hop_graph_join_family(small, names[i], &recipe, &joined) != HOP_OK)
            fail_msg("%s: %s", names[i], hop_context_message(small));
        assert_true(hop_graph_joined(joined) && !hop_graph_joined(whole));
        assert_same_vertices(joined, whole);
        assert_same_labels(large, joined, whole);
        hop_graph_release(joined);
        hop_graph_release(whole);
        free_context(small);
        free_context(large);
    }
}

/* ---- ids of every kind ----------------------------------------------------------------------- */

/* Adds random edges part by part; ids become larger on the way by the steps given. */
static void check_forest(uint64_t budget, const uint64_t *steps, size_t step_count) {
    enum { PART = 3000, MOST = 64 * PART };
    hop_context *context = budget_context(budget, 3);
    hop__id_forest forest = {.labels = true};
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    hop_context *large = budget_context(UINT64_C(1) << 30, 1);
    hop_graph *whole = NULL;
    uint64_t *ends = malloc(2 * MOST * sizeof *ends), *labels = NULL, first = 0, count = 0,
             used = 0;
    for (size_t part = 0; part < 4 * step_count; part++) {
        for (uint64_t i = 0; i < PART; i++) {
            uint64_t random = hop__random_at(17, part, i), u = random % 9000;
            ends[used + i] = (4 + u) * steps[part / 4];
            ends[MOST + used + i] = (4 + u / 5 * 5 + random / 9000 % 5) * steps[part / 4];
        }
        if (hop__id_forest_add(context, &forest, ends + used, ends + MOST + used, 8, PART) !=
            HOP_OK)
            fail_msg("%s", hop_context_message(context));
        used += PART;
    }
    edges.count = used;
    edges.from = ends;
    edges.to = ends + MOST;
    edges.id_bytes = edges.stride = 8;
    build.ids = HOP_IDS_SPARSE;
    assert_int_equal(hop_graph_from_edges(large, &edges, &build, &whole), HOP_OK);
    hop_vertex *found = NULL, expected_count,
               *expected = labels_of(large, whole, "dfs", &expected_count);
    assert_int_equal(hop__id_forest_number(context, &forest, &labels, &first, &count), HOP_OK);
    assert_int_equal(count, hop_graph_vertices(whole));
    for (hop_vertex v = 0; v < count; v++)
        assert_int_equal(labels != NULL ? labels[v] : first + v, hop_graph_label(whole, v));
    assert_int_equal(hop__id_forest_finish(context, &forest, count, (hop__id_ranks){0}, &found),
                     HOP_OK);
    assert_memory_equal(found, expected, count * sizeof *found);
    hop__free(found);
    hop__free(labels);
    free(expected);
    free(ends);
    hop_graph_release(whole);
    free_context(large);
    free_context(context);
}

static void ids_of_every_kind(void **state) {
    (void)state;
    static const uint64_t row[] = {1}, growing[] = {1, 3, 20}, apart[] = {UINT64_C(1) << 40, 1},
                          mixed[] = {2, 30, 1, UINT64_C(1) << 33, 7, UINT64_C(1) << 50};
    check_forest(MIB, row, 1);
    check_forest(2 * MIB, growing, 3);
    check_forest(64 * MIB, growing, 3);
    check_forest(2 * MIB, apart, 2);
    check_forest(2 * MIB, mixed, 6); /* from places to a sorted array */
    check_forest(64 * MIB, mixed, 6);
}

/* Two threads that met a name at once took a number each: one of the two is of no name. */
static void numbers_that_no_name_has(void **state) {
    (void)state;
#define NONE HOP_NO_VERTEX
    static const uint32_t from[] = {7, 2, 9}, to[] = {5, 2, 0},
                          ranks[] = {4, NONE, 0, NONE, NONE, 3, NONE, 1, NONE, 5, NONE, 2};
#undef NONE
    static const hop_vertex expected[] = {0, 1, 2, 1, 4, 4};
    hop_context *context = budget_context(MIB, 2);
    hop__id_forest forest = {0};
    hop_vertex *found = NULL;
    assert_int_equal(hop__id_forest_add(context, &forest, from, to, 4, 3), HOP_OK);
    assert_int_equal(hop__id_forest_finish(context, &forest, 6, (hop__id_ranks){ranks, 12}, &found),
                     HOP_OK);
    assert_memory_equal(found, expected, sizeof expected);
    hop__free(found);
    free_context(context);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void edges_are_not_there(void **state) {
    (void)state;
    write_lines(&texts[0], groups, path_of(input, texts[0].name));
    hop_context *context = budget_context(5 * MIB, 2);
    hop_graph *graph = NULL, *other = NULL;
    hop_components_options options = HOP_COMPONENTS_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_vertex *labels = calloc(VERTICES, sizeof *labels);
    assert_int_equal(hop_graph_join_file(context, input, NULL, &graph), HOP_OK);
    assert_int_equal(hop_graph_check(context, graph), HOP_ERR_UNSUPPORTED);
    assert_message(context, "were joined as they came, not kept");
    assert_int_equal(hop_graph_reverse(context, graph, &other), HOP_ERR_UNSUPPORTED);
    assert_int_equal(hop_graph_write(context, graph, path_of(other_path, "x.npz"), NULL),
                     HOP_ERR_UNSUPPORTED);
    assert_int_equal(hop_components_largest(context, graph, labels, &other), HOP_ERR_UNSUPPORTED);
    options.run = &run;
    run.certify = HOP_CERTIFY_CANONICAL;
    assert_int_equal(hop_components(context, graph, &options, labels, NULL), HOP_ERR_UNSUPPORTED);
    run.certify = HOP_CERTIFY_NONE;
    run.variant = "rem";
    assert_int_equal(hop_components(context, graph, &options, labels, NULL), HOP_ERR_UNSUPPORTED);
    assert_int_equal(hop_components_certify(context, graph, NULL, labels, HOP_NO_VERTEX),
                     HOP_ERR_UNSUPPORTED);
    assert_null(hop_graph_offsets(graph, NULL));
    free(labels);
    hop_graph_release(graph);
    free_context(context);
    remove(input);
}

/* Vertices that do not fit are refused with numbers, and what was read is given back. */
static void too_many_vertices(void **state) {
    (void)state;
    hop_error_detail detail = HOP_ERROR_DETAIL_INIT;
    hop_context *context = budget_context(2 * MIB, 1);
    hop_graph *graph = NULL;
    FILE *file = fopen(path_of(input, "many.txt"), "w");
    for (uint64_t i = 0; i < EDGES; i++)
        fprintf(file, "%" PRIu64 " %" PRIu64 "\n", i * 1000003, i * 1000003 + 1);
    fclose(file);
    uint64_t used = hop_context_memory_used(context);
    assert_int_equal(hop_graph_join_file(context, input, NULL, &graph), HOP_ERR_BUDGET);
    assert_true(hop_context_detail(context, &detail));
    assert_true(detail.needed > detail.available);
    assert_int_equal(detail.available, 2 * MIB);
    assert_int_equal(hop_context_memory_used(context), used);
    assert_int_equal(hop_graph_join_family(NULL, "rmat", NULL, &graph), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_graph_join_file(NULL, input, NULL, &graph), HOP_ERR_ARGUMENT);
    free_context(context);
    remove(input);
}

static void every_allocation_fails(void **state) {
    (void)state;
    write_lines(&texts[5], groups, path_of(input, texts[5].name));
    hop_status status = HOP_ERR_MEMORY;
    for (long calls = 1; status != HOP_OK; calls += 1 + calls / 8) {
        long left = calls;
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        hop_graph *graph = NULL;
        options.allocator = (hop_allocator){failing_allocate, NULL, failing_release, &left};
        options.memory_budget = 9 * MIB;
        options.threads = 1;
        status = hop_context_create(&options, &context);
        if (status == HOP_OK) {
            status = hop_graph_join_file(context, input, NULL, &graph);
            hop_graph_release(graph);
            free_context(context);
        }
        assert_true(status == HOP_OK || status == HOP_ERR_MEMORY);
    }
    remove(input);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text),
        cmocka_unit_test(graph500),
        cmocka_unit_test(every_family),
        cmocka_unit_test(ids_of_every_kind),
        cmocka_unit_test(numbers_that_no_name_has),
        cmocka_unit_test(edges_are_not_there),
        cmocka_unit_test(too_many_vertices),
        cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
