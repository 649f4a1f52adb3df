/* SPDX-License-Identifier: Apache-2.0
 * Graphs of the caller's CSR arrays: borrowed or copied, checked either way. */
#include "graph/graph_testing.h"

/* 0 -> 1, 0 -> 3, 1 -> 1, 3 -> 0: four vertices, vertex 2 without arcs. */
static const uint32_t offsets32[] = {0, 2, 3, 3, 4};
static const uint64_t offsets64[] = {0, 2, 3, 3, 4};
static const uint32_t targets32[] = {1, 3, 1, 0};
static const int64_t targets64[] = {1, 3, 1, 0};
static const float weights[] = {0.5f, 1.5f, 2.5f, 3.5f};
static const arc expected[] = {{0, 1, 0, 0.5}, {0, 3, 0, 1.5}, {1, 1, 0, 2.5}, {3, 0, 0, 3.5}};

static void count_release(void *owner) {
    ++*(int *)owner;
}

static hop_csr small_csr(int *released) {
    hop_csr csr = HOP_CSR_INIT;
    csr.vertices = 4;
    csr.offsets = offsets32;
    csr.targets = targets32;
    csr.weights = weights;
    csr.weight_type = HOP_TYPE_FLOAT32;
    csr.release = count_release;
    csr.owner = released;
    return csr;
}

static void borrows_what_it_can(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        int released = 0;
        hop_csr csr = small_csr(&released);
        hop_context *context = make_context(2);
        hop_graph *graph = NULL;
        hop_graph_info info = HOP_GRAPH_INFO_INIT;
        size_t width;
        if (wide) {
            csr.offsets = offsets64;
            csr.offset_bytes = 8;
        }
        assert_int_equal(hop_graph_from_csr(context, &csr, NULL, &graph), HOP_OK);
        assert_graph_is(graph, expected, 4);
        assert_ptr_equal(hop_graph_targets(graph), targets32);
        assert_ptr_equal(hop_graph_weights(graph, NULL), weights);
        assert_ptr_equal(hop_graph_offsets(graph, &width), csr.offsets);
        assert_int_equal(width, wide ? 8 : 4);
        assert_int_equal(hop_graph_describe(context, graph, &info), HOP_OK);
        assert_true(info.borrowed && info.checked && info.directed && !info.mapped);
        assert_int_equal(info.loops, 1);
        assert_int_equal(info.isolated, 1);
        assert_int_equal(info.max_degree_vertex, 0);
        assert_int_equal(info.memory_bytes, 5 * (wide ? 8 : 4) + 4 * 8);
        assert_int_equal(released, 0);
        /* The graph outlives its context. */
        hop_context_free(context);
        assert_int_equal(hop_graph_retain(graph) == graph, 1);
        hop_graph_release(graph);
        assert_int_equal(released, 0);
        hop_graph_release(graph);
        assert_int_equal(released, 1);
    }
}

static void last_message(void *user, hop_log_level level, const char *message) {
    assert_int_equal(level, HOP_LOG_INFO);
    snprintf(user, 200, "%s", message);
}

static void copies_what_it_must(void **state) {
    (void)state;
    static const uint32_t unsorted[] = {3, 1, 1, 0};
    static const float unsorted_weights[] = {1.5f, 0.5f, 2.5f, 3.5f};
    static const char *const reasons[] = {"rows are not sorted", "targets have 8 bytes", ""};
    for (int which = 0; which < 3; which++) {
        int released = 0;
        char message[200] = "";
        hop_csr csr = small_csr(&released);
        hop_csr_options options = HOP_CSR_OPTIONS_INIT;
        hop_context_options context_options = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        hop_graph *graph = NULL;
        hop_graph_info info = HOP_GRAPH_INFO_INIT;
        context_options.log = last_message;
        context_options.log_user = message;
        context_options.log_level = HOP_LOG_INFO;
        assert_int_equal(hop_context_create(&context_options, &context), HOP_OK);
        if (which == 0) {
            csr.targets = unsorted;
            csr.weights = unsorted_weights;
        } else if (which == 1) {
            csr.targets = targets64;
            csr.target_bytes = 8;
        }
        options.copy = which == 2;
        assert_int_equal(hop_graph_from_csr(context, &csr, &options, &graph), HOP_OK);
        assert_non_null(strstr(message, reasons[which]));
        assert_int_equal(released, 1);
        assert_graph_is(graph, expected, 4);
        assert_ptr_not_equal(hop_graph_targets(graph), csr.targets);
        assert_int_equal(hop_graph_describe(context, graph, &info), HOP_OK);
        assert_false(info.borrowed);
        assert_int_equal(info.loops, 1);
        hop_graph_release(graph);
        free_context(context);
    }
}

static void refuses(const hop_csr *csr, const hop_csr_options *options, hop_status expected_status,
                    const char *part) {
    for (unsigned threads = 1; threads <= 2; threads++) {
        hop_context *context = make_context(threads);
        hop_graph *graph = NULL;
        assert_int_equal(hop_graph_from_csr(context, csr, options, &graph), expected_status);
        assert_message(context, part);
        assert_null(graph);
        free_context(context);
    }
}

static void refuses_bad_arrays(void **state) {
    (void)state;
    static const uint32_t late[] = {1, 2, 3, 3, 4}, falling[] = {0, 3, 2, 3, 4},
                          beyond[] = {0, 9, 3, 3, 4}, wrong[] = {1, 3, 4, 0};
    static const int64_t wide_wrong[] = {1, 3, -1, 0};
    static const uint64_t labels[] = {1, 2, 2, 9}, huge[] = {0, 0, 0, 0, UINT64_C(1) << 42};
    const float not_a_number[] = {1, 2, NAN, 4};
    int released = 0;
    hop_csr good = small_csr(&released), csr = good;
    csr.offsets = late;
    refuses(&csr, NULL, HOP_ERR_INPUT, "first offset is 1");
    csr.offsets = falling;
    refuses(&csr, NULL, HOP_ERR_INPUT, "row 1 goes from offset 3 to 2");
    csr.offsets = beyond;
    refuses(&csr, NULL, HOP_ERR_INPUT, "row 0 goes from offset 0 to 9");
    csr.offsets = huge;
    csr.offset_bytes = 8;
    refuses(&csr, NULL, HOP_ERR_INPUT, "4398046511104 arcs");
    csr = good;
    csr.targets = wrong;
    refuses(&csr, NULL, HOP_ERR_INPUT, "row 1, arc 2: target 4, but there are only 4");
    csr.targets = wide_wrong;
    csr.target_bytes = 8;
    refuses(&csr, NULL, HOP_ERR_INPUT, "csr: arc 2");
    csr = good;
    csr.weights = not_a_number;
    refuses(&csr, NULL, HOP_ERR_INPUT, "row 1, arc 2: its weight is not a number");
    csr = good;
    csr.labels = labels;
    refuses(&csr, NULL, HOP_ERR_INPUT, "strictly ascending");
    csr = good;
    csr.weights = NULL;
    refuses(&csr, NULL, HOP_ERR_ARGUMENT, "weight type is float32, but the weights are NULL");
    csr = good;
    csr.targets = NULL;
    refuses(&csr, NULL, HOP_ERR_ARGUMENT, "no targets");
    csr = good;
    csr.offset_bytes = 2;
    refuses(&csr, NULL, HOP_ERR_ARGUMENT, "offsets of 2");
    csr = good;
    csr.vertices = UINT64_C(1) << 32;
    refuses(&csr, NULL, HOP_ERR_ARGUMENT, "4294967296 vertices");
    assert_int_equal(released, 0);
}

static void checks_symmetry(void **state) {
    (void)state;
    static const uint32_t offsets[] = {0, 2, 4, 6, 6}, targets[] = {1, 2, 0, 2, 0, 1},
                          one_way[] = {1, 2, 0, 2, 0, 2}, twice[] = {1, 1, 0, 2, 1, 2};
    static const int32_t good[] = {7, 8, 7, 9, 8, 9}, bad[] = {7, 8, 7, 9, 8, 10};
    const double zeros[] = {0.0, 8, -0.0, 9, 8, 9};
    hop_csr_options options = HOP_CSR_OPTIONS_INIT;
    hop_csr csr = HOP_CSR_INIT;
    hop_context *context = make_context(2);
    hop_graph *graph = NULL;
    options.directed = false;
    csr.vertices = 4;
    csr.offsets = offsets;
    csr.targets = targets;
    csr.weights = good;
    csr.weight_type = HOP_TYPE_INT32;
    assert_int_equal(hop_graph_from_csr(context, &csr, &options, &graph), HOP_OK);
    assert_false(hop_graph_directed(graph));
    assert_ptr_equal(hop_graph_prepared_reverse(graph), graph);
    hop_graph_release(graph);
    csr.weights = zeros; /* the two zeros are equal */
    csr.weight_type = HOP_TYPE_FLOAT64;
    assert_int_equal(hop_graph_from_csr(context, &csr, &options, &graph), HOP_OK);
    hop_graph_release(graph);
    free_context(context);
    csr.weights = bad;
    csr.weight_type = HOP_TYPE_INT32;
    refuses(&csr, &options, HOP_ERR_INPUT, "between 1 and 2 have different weights");
    csr.weights = NULL;
    csr.weight_type = HOP_TYPE_NONE;
    csr.targets = one_way;
    refuses(&csr, &options, HOP_ERR_INPUT, "1 has an arc to 2 and none comes back");
    csr.targets = twice;
    refuses(&csr, &options, HOP_ERR_INPUT, "2 arcs lead from 0 to 1 and 1 back");
    /* 0 and 1 have the same arcs in another order; those between 1 and 2 differ. */
    static const uint32_t many[] = {0, 2, 5, 6}, ends[] = {1, 1, 0, 0, 2, 1};
    static const int32_t mixed[] = {1, 2, 2, 1, 5, 6};
    csr.vertices = 3;
    csr.offsets = many;
    csr.targets = ends;
    csr.weights = mixed;
    csr.weight_type = HOP_TYPE_INT32;
    refuses(&csr, &options, HOP_ERR_INPUT, "between 1 and 2 have different weights");
}

/* Loops are counted in arrays that are taken on trust too: the list of edges has room for them. */
static void trusted_arrays_have_their_loops(void **state) {
    (void)state;
    static const uint32_t rows[] = {0, 3, 5, 6}, ends[] = {0, 0, 1, 0, 1, 2};
    for (int copy = 0; copy < 2; copy++)
        for (int directed = 0; directed < 2; directed++) {
            hop_csr_options options = HOP_CSR_OPTIONS_INIT;
            hop_csr csr = HOP_CSR_INIT;
            hop_context *context = make_context(2);
            hop_graph *graph = NULL;
            hop_graph_info info = HOP_GRAPH_INFO_INIT;
            uint64_t count;
            hop_edge edges[7] = {[6] = {9, 9}};
            options.directed = directed != 0;
            options.trusted = true;
            options.copy = copy != 0;
            csr.vertices = 3;
            csr.offsets = rows;
            csr.targets = ends;
            assert_int_equal(hop_graph_from_csr(context, &csr, &options, &graph), HOP_OK);
            assert_int_equal(hop_graph_describe(context, graph, &info), HOP_OK);
            assert_int_equal(info.loops, 4);
            assert_int_equal(info.edges, directed ? 6 : 5);
            assert_int_equal(hop_graph_edge_count(context, graph, true, &count), HOP_OK);
            assert_int_equal(count, info.edges);
            edges[count] = (hop_edge){9, 9};
            assert_int_equal(hop_graph_edge_list(context, graph, true, edges, count, NULL), HOP_OK);
            assert_int_equal(edges[count].from, 9);
            assert_int_equal(edges[count - 1].to, 2);
            hop_graph_release(graph);
            free_context(context);
        }
}

/* What is not borrowed is built from arcs: these are not the edges that were given. */
static void arcs_are_not_edges_given(void **state) {
    (void)state;
    static const uint32_t rows[] = {0, 2, 3, 4};
    static const int64_t ends[] = {1, 2, 0, 0};
    static const uint64_t plain[] = {0, 1, 2}, named[] = {0, 1, 5};
    hop_csr_options options = HOP_CSR_OPTIONS_INIT;
    hop_csr csr = HOP_CSR_INIT;
    hop_context *context = make_context(1);
    hop_graph *graph = NULL, *reverse = NULL, *both = NULL;
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    options.directed = false;
    csr.vertices = 3;
    csr.offsets = rows;
    csr.targets = ends;
    csr.target_bytes = 8;
    csr.labels = plain; /* which say nothing */
    assert_int_equal(hop_graph_from_csr(context, &csr, &options, &graph), HOP_OK);
    assert_null(hop_graph_labels(graph));
    assert_int_equal(hop_graph_reverse(context, graph, &reverse), HOP_OK);
    assert_int_equal(hop_graph_symmetrize(context, graph, HOP_DUPLICATES_MIN, &both), HOP_OK);
    hop_graph *const made[] = {graph, reverse, both};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(hop_graph_describe(context, made[i], &info), HOP_OK);
        assert_int_equal(info.edges, 2);
        assert_int_equal(info.edges_given, 2);
        hop_graph_release(made[i]);
    }
    csr.labels = named;
    assert_int_equal(hop_graph_from_csr(context, &csr, &options, &graph), HOP_OK);
    assert_int_equal(hop_graph_label(graph, 2), 5);
    hop_graph_release(graph);
    free_context(context);
}

/* Neither zero is the smaller one: files with either must not depend on which thread was first. */
static void zeros_are_measured_alike(void **state) {
    (void)state;
    enum { N = 1 << 18 };
    uint32_t *rows = malloc((N + 1) * 4), *ends = malloc(N * 4);
    double *values = malloc(N * 8);
    for (uint32_t v = 0; v < N; v++) {
        rows[v] = v;
        ends[v] = (v + 1) % N;
        values[v] = v < N / 2 ? -0.0 : 0.0;
    }
    rows[N] = N;
    hop_csr csr = HOP_CSR_INIT;
    csr.vertices = N;
    csr.offsets = rows;
    csr.targets = ends;
    csr.weights = values;
    csr.weight_type = HOP_TYPE_FLOAT64;
    hop_context *context = make_context(2);
    hop_graph *graph = NULL;
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    assert_int_equal(hop_graph_from_csr(context, &csr, NULL, &graph), HOP_OK);
    assert_int_equal(hop_graph_describe(context, graph, &info), HOP_OK);
    assert_false(signbit(info.min_weight) || signbit(info.max_weight));
    hop_graph_release(graph);
    free_context(context);
    free(rows);
    free(ends);
    free(values);
}

/* Rows of 0 to 40 arcs, every third empty, each sorted, with what begins one below what ends the
 * one before. */
typedef struct many_rows {
    uint32_t offsets[301], targets[6000];
    double weights[6000];
    hop_csr csr;
} many_rows;

static void make_rows(many_rows *rows) {
    enum { N = 300 };
    uint32_t arcs = 0;
    for (uint32_t v = 0; v < N; v++) {
        rows->offsets[v] = arcs;
        for (uint32_t i = 0; v % 3 != 1 && i < v * 7 % 41; i++, arcs++) {
            rows->targets[arcs] = 2 + i * 7;
            rows->weights[arcs] = 1 + i;
        }
    }
    rows->offsets[N] = arcs;
    rows->csr = (hop_csr)HOP_CSR_INIT;
    rows->csr.vertices = N;
    rows->csr.offsets = rows->offsets;
    rows->csr.targets = rows->targets;
    rows->csr.weights = rows->weights;
    rows->csr.weight_type = HOP_TYPE_FLOAT64;
}

static hop_graph_info facts_of(hop_context *context, const hop_csr *csr) {
    hop_graph *graph = NULL;
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    assert_int_equal(hop_graph_from_csr(context, csr, NULL, &graph), HOP_OK);
    assert_int_equal(hop_graph_describe(context, graph, &info), HOP_OK);
    hop_graph_release(graph);
    return info;
}

/* The checks look at long runs of arcs at once: none may hide in them. */
static void one_arc_among_many_is_seen(void **state) {
    (void)state;
    static many_rows rows;
    make_rows(&rows);
    hop_context *context = make_context(2);
    assert_true(facts_of(context, &rows.csr).borrowed);
    for (uint32_t i = 0, v = 0; i < rows.offsets[300]; i++) {
        hop_graph *graph = NULL;
        char text[40];
        const double weight = rows.weights[i];
        const uint32_t target = rows.targets[i];
        while (rows.offsets[v + 1] <= i)
            v++;
        snprintf(text, sizeof text, "row %u, arc %u", v, i);
        rows.weights[i] = i % 2 == 0 ? NAN : -NAN;
        assert_int_equal(hop_graph_from_csr(context, &rows.csr, NULL, &graph), HOP_ERR_INPUT);
        assert_message(context, text);
        rows.weights[i] = -3;
        assert_true(facts_of(context, &rows.csr).min_weight == -3);
        rows.weights[i] = INFINITY;
        assert_true(isinf(facts_of(context, &rows.csr).max_weight));
        rows.weights[i] = weight;
        rows.targets[i] = 300;
        assert_int_equal(hop_graph_from_csr(context, &rows.csr, NULL, &graph), HOP_ERR_INPUT);
        rows.targets[i] = 0; /* sorted only where a row begins */
        assert_int_equal(facts_of(context, &rows.csr).borrowed, i == rows.offsets[v]);
        rows.targets[i] = target;
    }
    free_context(context);
}

static void takes_no_vertices_at_all(void **state) {
    (void)state;
    static const uint32_t zero[] = {0};
    hop_csr csr = HOP_CSR_INIT;
    hop_context *context = make_context(1);
    hop_graph *graph = NULL;
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    csr.offsets = zero;
    assert_int_equal(hop_graph_from_csr(context, &csr, NULL, &graph), HOP_OK);
    assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_DIAMETER | HOP_PREPARE_REVERSE),
                     HOP_OK);
    assert_int_equal(hop_graph_describe(context, graph, &info), HOP_OK);
    assert_int_equal(info.vertices, 0);
    assert_int_equal(info.min_degree, 0);
    assert_int_equal(info.max_degree_vertex, HOP_NO_VERTEX);
    assert_true(info.has_diameter && info.has_reverse && info.diameter_low == 0);
    hop_graph_release(graph);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borrows_what_it_can),
        cmocka_unit_test(copies_what_it_must),
        cmocka_unit_test(refuses_bad_arrays),
        cmocka_unit_test(checks_symmetry),
        cmocka_unit_test(takes_no_vertices_at_all),
        cmocka_unit_test(trusted_arrays_have_their_loops),
        cmocka_unit_test(arcs_are_not_edges_given),
        cmocka_unit_test(zeros_are_measured_alike),
        cmocka_unit_test(one_arc_among_many_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
