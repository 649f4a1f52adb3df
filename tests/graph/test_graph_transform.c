/* SPDX-License-Identifier: Apache-2.0
 * Reverse, symmetrize, subgraph, edge list, diameter and hash, on random graphs against plain
 * loops. */
#include "graph/graph_internal.h"
#include "graph/graph_testing.h"

enum { N = 300, M = 2000 };

static hop_graph *random_graph(hop_context *context, bool directed, hop_weight_type type,
                               uint64_t seed) {
    static uint32_t from[M], to[M];
    void *weights = type ? make_weights(type, M, seed) : NULL;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    for (uint64_t i = 0; i < M; i++) {
        from[i] = (uint32_t)(hop__random_at(seed, 1, i) % N);
        to[i] = (uint32_t)(hop__random_at(seed, 2, i) % N);
    }
    hop_edges edges = {sizeof edges, M, from, to, 4, 0, weights, type};
    options.vertices = N + 5;
    options.directed = directed;
    options.duplicates = directed ? HOP_DUPLICATES_KEEP : HOP_DUPLICATES_MIN;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
    free(weights);
    return graph;
}

/* All arcs of a graph. */
static arc *arcs_of(const hop_graph *graph) {
    arc *arcs = malloc((hop_graph_arcs(graph) + 1) * sizeof *arcs);
    hop_weight_type type;
    const void *weights = hop_graph_weights(graph, &type);
    for (uint32_t v = 0; v < hop_graph_vertices(graph); v++)
        for (uint64_t i = offset_of(graph, v); i < offset_of(graph, v + 1); i++)
            arcs[i] = (arc){v, hop_graph_targets(graph)[i], i, weight_of(type, weights, i)};
    return arcs;
}

static void for_each_kind(void (*test)(hop_context *, hop_graph *)) {
    for (unsigned threads = 1; threads <= 3; threads++)
        for (int type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++)
            for (int directed = 0; directed < 2; directed++) {
                hop_context *context = make_context(threads);
                hop_graph *graph = random_graph(context, directed != 0, (hop_weight_type)type,
                                                (uint64_t)type * 2 + (uint64_t)directed);
                test(context, graph);
                hop_graph_release(graph);
                free_context(context);
            }
}

static void check_reverse(hop_context *context, hop_graph *graph) {
    hop_graph *reverse = NULL;
    arc *arcs = arcs_of(graph);
    uint64_t count = hop_graph_arcs(graph);
    for (uint64_t i = 0; i < count; i++)
        arcs[i] = (arc){arcs[i].to, arcs[i].from, i, arcs[i].weight};
    qsort(arcs, count, sizeof *arcs, compare_arcs);
    assert_int_equal(hop_graph_reverse(context, graph, &reverse), HOP_OK);
    assert_graph_is(reverse, arcs, count);
    assert_int_equal(hop_graph_directed(reverse), hop_graph_directed(graph));
    assert_true((hop_graph_prepared_reverse(graph) == NULL) == hop_graph_directed(graph));
    assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
    assert_graph_is(hop_graph_prepared_reverse(graph), arcs, count);
    const hop_graph *kept = hop_graph_prepared_reverse(graph);
    assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
    assert_ptr_equal(hop_graph_prepared_reverse(graph), kept);
    hop_graph_release(reverse);
    free(arcs);
}

static void check_symmetrize(hop_context *context, hop_graph *graph) {
    hop_graph *both = NULL;
    uint64_t count = hop_graph_arcs(graph), kept = 0, all = 0;
    arc *one = arcs_of(graph), *arcs = malloc((2 * count + 1) * sizeof *arcs);
    for (uint64_t i = 0; i < count; i++) {
        arcs[all++] = one[i];
        arcs[all++] = (arc){one[i].to, one[i].from, i, one[i].weight};
    }
    qsort(arcs, all, sizeof *arcs, compare_arcs);
    for (uint64_t i = 0; i < all; i++) {
        if (kept && arcs[kept - 1].from == arcs[i].from && arcs[kept - 1].to == arcs[i].to)
            arcs[kept - 1].weight = fmax(arcs[kept - 1].weight, arcs[i].weight);
        else
            arcs[kept++] = arcs[i];
    }
    assert_int_equal(hop_graph_symmetrize(context, graph, HOP_DUPLICATES_MAX, &both), HOP_OK);
    assert_graph_is(both, arcs, kept);
    assert_false(hop_graph_directed(both));
    hop_graph_release(both);
    assert_int_equal(hop_graph_symmetrize(context, graph, HOP_DUPLICATES_KEEP, &both),
                     HOP_ERR_ARGUMENT);
    free(one);
    free(arcs);
}

static void check_subgraph(hop_context *context, hop_graph *graph) {
    hop_graph *part = NULL, *inner = NULL;
    hop_vertex chosen[N], name[N + 5], count = 0, few[] = {1, 4};
    uint64_t kept = 0;
    arc *arcs = arcs_of(graph);
    for (hop_vertex v = 0; v < N; v++) {
        name[v] = HOP_NO_VERTEX;
        if (hop__random_at(9, 9, v) % 3 > 0) {
            name[v] = count;
            chosen[count++] = v;
        }
    }
    for (uint64_t i = 0; i < hop_graph_arcs(graph); i++)
        if (name[arcs[i].from] != HOP_NO_VERTEX && name[arcs[i].to] != HOP_NO_VERTEX)
            arcs[kept++] = (arc){name[arcs[i].from], name[arcs[i].to], i, arcs[i].weight};
    assert_int_equal(hop_graph_subgraph(context, graph, chosen, count, &part), HOP_OK);
    assert_graph_is(part, arcs, kept);
    for (hop_vertex v = 0; v < count; v++)
        assert_int_equal(hop_graph_label(part, v), chosen[v]);
    /* Labels are those of the first graph, also for a part of a part. */
    assert_int_equal(hop_graph_subgraph(context, part, few, 2, &inner), HOP_OK);
    assert_int_equal(hop_graph_label(inner, 1), chosen[4]);
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    assert_int_equal(hop_graph_describe(context, part, &info), HOP_OK);
    uint64_t loops = 0;
    for (uint64_t i = 0; i < kept; i++)
        loops += arcs[i].from == arcs[i].to;
    assert_int_equal(info.loops, loops);
    hop_graph_release(inner);
    hop_graph_release(part);
    few[1] = 1;
    assert_int_equal(hop_graph_subgraph(context, graph, few, 2, &part), HOP_ERR_ARGUMENT);
    few[1] = N + 5;
    assert_int_equal(hop_graph_subgraph(context, graph, few, 2, &part), HOP_ERR_ARGUMENT);
    free(arcs);
}

static void check_edge_list(hop_context *context, hop_graph *graph) {
    arc *arcs = arcs_of(graph);
    hop_weight_type type;
    (void)hop_graph_weights(graph, &type);
    for (int once = 0; once < 2; once++) {
        uint64_t count, next = 0;
        assert_int_equal(hop_graph_edge_count(context, graph, once != 0, &count), HOP_OK);
        hop_edge *edges = malloc(count * sizeof *edges);
        void *weights = malloc(count * 8);
        const hop_span room = {weights, count, type}, narrow = {weights, count, type + 1},
                       small = {weights, count - 1, type};
        /* Refused, not overrun; without weights the array is left alone. */
        hop_status wrong = type != HOP_TYPE_NONE ? HOP_ERR_ARGUMENT : HOP_OK;
        if (count > 0) {
            assert_int_equal(
                hop_graph_edge_list(context, graph, once != 0, edges, count - 1, &room),
                HOP_ERR_ARGUMENT);
            assert_int_equal(hop_graph_edge_list(context, graph, once != 0, edges, count, &small),
                             wrong);
            assert_int_equal(hop_graph_edge_list(context, graph, once != 0, edges, count, &narrow),
                             wrong);
        }
        assert_int_equal(hop_graph_edge_list(context, graph, once != 0, edges, count, &room),
                         HOP_OK);
        for (uint64_t i = 0; i < hop_graph_arcs(graph); i++) {
            if (once && !hop_graph_directed(graph) && arcs[i].from > arcs[i].to)
                continue;
            assert_int_equal(edges[next].from, arcs[i].from);
            assert_int_equal(edges[next].to, arcs[i].to);
            if (type)
                assert_true(weight_of(type, weights, next) == arcs[i].weight);
            next++;
        }
        assert_int_equal(next, count);
        free(edges);
        free(weights);
    }
    free(arcs);
}

static void check_hash(hop_context *context, hop_graph *graph) {
    /* The same graph with 64-bit offsets hashes alike; any single change does not. */
    uint64_t n = hop_graph_vertices(graph), arcs = hop_graph_arcs(graph), hash, other;
    uint64_t *offsets = malloc((n + 1) * 8);
    uint32_t *targets = malloc(arcs * 4);
    hop_weight_type type;
    const void *weights = hop_graph_weights(graph, &type);
    for (uint64_t v = 0; v <= n; v++)
        offsets[v] = offset_of(graph, v);
    memcpy(targets, hop_graph_targets(graph), arcs * 4);
    hop_csr csr = {sizeof csr, n, offsets, 8, targets, 4, weights, type, NULL, NULL, NULL};
    hop_csr_options options = {sizeof options, hop_graph_directed(graph), false, false};
    hop_graph *copy = NULL;
    assert_int_equal(hop_graph_hash(context, graph, &hash), HOP_OK);
    assert_int_equal(hop_graph_from_csr(context, &csr, &options, &copy), HOP_OK);
    assert_int_equal(hop_graph_hash(context, copy, &other), HOP_OK);
    assert_int_equal(hash, other);
    hop_graph_release(copy);
    options.directed = true;
    options.trusted = true;
    targets[arcs - 1] ^= 1;
    assert_int_equal(hop_graph_from_csr(context, &csr, &options, &copy), HOP_OK);
    assert_int_equal(hop_graph_hash(context, copy, &other), HOP_OK);
    assert_int_not_equal(hash, other);
    hop_graph_release(copy);
    free(offsets);
    free(targets);
}

static void reverses(void **state) {
    (void)state;
    for_each_kind(check_reverse);
}

static void symmetrizes(void **state) {
    (void)state;
    for_each_kind(check_symmetrize);
}

/* An undirected edge is one edge, though it stands in two rows. */
static void symmetric_sums_count_once(void **state) {
    (void)state;
    static const uint32_t from[] = {0, 1, 1}, to[] = {1, 1, 2};
    static const int32_t weights[] = {(1 << 30) + 1, 5, 7};
    hop_edges edges = {sizeof edges, 3, from, to, 4, 0, weights, HOP_TYPE_INT32};
    hop_context *context = make_context(1);
    hop_graph *graph = NULL, *same = NULL;
    uint64_t hash, other;
    assert_int_equal(hop_graph_from_edges(context, &edges, NULL, &graph), HOP_OK);
    assert_int_equal(hop_graph_symmetrize(context, graph, HOP_DUPLICATES_SUM, &same), HOP_OK);
    assert_int_equal(hop_graph_hash(context, graph, &hash), HOP_OK);
    assert_int_equal(hop_graph_hash(context, same, &other), HOP_OK);
    assert_int_equal(hash, other);
    hop_graph_release(same);
    /* And a part that is all of it is the same graph: it needs no labels. */
    static const hop_vertex all[] = {0, 1, 2};
    assert_int_equal(hop_graph_subgraph(context, graph, all, 3, &same), HOP_OK);
    assert_null(hop_graph_labels(same));
    assert_int_equal(hop_graph_hash(context, same, &other), HOP_OK);
    assert_int_equal(hash, other);
    hop_graph_release(same);
    hop_graph_release(graph);
    free_context(context);
}

static void assert_names(const hop_graph *graph, uint64_t first) {
    assert_null(hop_graph_labels(graph));
    for (hop_vertex v = 0; v < hop_graph_vertices(graph); v++)
        assert_true(hop_graph_label(graph, v) == first + v);
}

/* The first id goes with every graph that is made of a graph, and is part of the hash as the array
 * would be that it stands for. */
static void the_first_id_goes_along(void **state) {
    (void)state;
    static const uint32_t offsets[] = {0, 2, 3, 3, 4}, targets[] = {1, 2, 3, 0};
    static const uint64_t labels[] = {5, 6, 7, 8};
    static const hop_vertex row[] = {1, 2}, gap[] = {0, 3};
    hop_csr csr = HOP_CSR_INIT;
    hop_context *context = make_context(2);
    hop_graph *graph = NULL, *made = NULL;
    uint64_t hash, other;
    csr.vertices = 4;
    csr.offsets = offsets;
    csr.targets = targets;
    csr.first_id = 5;
    assert_int_equal(hop_graph_from_csr(context, &csr, NULL, &graph), HOP_OK);
    assert_names(graph, 5);
    assert_int_equal(hop_graph_reverse(context, graph, &made), HOP_OK);
    assert_names(made, 5);
    hop_graph_release(made);
    assert_int_equal(hop_graph_symmetrize(context, graph, HOP_DUPLICATES_MIN, &made), HOP_OK);
    assert_names(made, 5);
    hop_graph *again = NULL;
    assert_int_equal(hop_graph_symmetrize(context, made, HOP_DUPLICATES_MIN, &again), HOP_OK);
    assert_names(again, 5);
    hop_graph_release(again);
    hop_graph_release(made);
    assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
    assert_names(hop_graph_prepared_reverse(graph), 5);
    assert_int_equal(hop_graph_subgraph(context, graph, row, 2, &made), HOP_OK);
    assert_names(made, 6);
    hop_graph_release(made);
    assert_int_equal(hop_graph_subgraph(context, graph, gap, 2, &made), HOP_OK);
    assert_int_equal(hop_graph_label(made, 1), 8);
    assert_non_null(hop_graph_labels(made));
    hop_graph_release(made);
    assert_int_equal(hop_graph_hash(context, graph, &hash), HOP_OK);
    for (uint64_t first = 0; first < 6; first++) { /* other names are another graph */
        csr.first_id = first;
        assert_int_equal(hop_graph_from_csr(context, &csr, NULL, &made), HOP_OK);
        assert_int_equal(hop_graph_hash(context, made, &other), HOP_OK);
        assert_int_equal(hash == other, first == 5);
        hop_graph_release(made);
    }
    csr.labels = labels;
    assert_int_equal(hop_graph_from_csr(context, &csr, NULL, &made), HOP_ERR_ARGUMENT);
    assert_message(context, "both labels and a first id (5)");
    csr.first_id = 0;
    assert_int_equal(hop_graph_from_csr(context, &csr, NULL, &made), HOP_OK);
    assert_names(made, 5); /* labels in a row need no array */
    assert_int_equal(hop_graph_hash(context, made, &other), HOP_OK);
    assert_int_equal(hash, other);
    /* A mapped file may have them in a row: there they stay an array, with the same hash. */
    made->labels = labels;
    assert_int_equal(hop_graph_hash(context, made, &other), HOP_OK);
    assert_int_equal(hash, other);
    hop_graph_release(made);
    hop_graph_release(graph);
    free_context(context);
}

/* Every refusal has a message of its own, not that of an earlier one. */
static void missing_arguments_are_named(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph = NULL;
    hop_edges none = HOP_EDGES_INIT;
    assert_int_equal(hop_graph_from_edges(context, &none, NULL, &graph), HOP_OK);
    assert_int_equal(hop_graph_edge_list(context, graph, true, NULL, 0, NULL), HOP_OK);
    assert_int_equal(hop_graph_reverse(context, graph, NULL), HOP_ERR_ARGUMENT);
    assert_message(context, "hop_graph_reverse: NULL");
    assert_int_equal(hop_graph_hash(context, graph, NULL), HOP_ERR_ARGUMENT);
    assert_message(context, "hop_graph_hash: NULL");
    assert_int_equal(hop_graph_hash(NULL, graph, NULL), HOP_ERR_ARGUMENT);
    hop_graph_release(graph);
    free_context(context);
}

static void takes_subgraphs(void **state) {
    (void)state;
    for_each_kind(check_subgraph);
}

static void lists_edges(void **state) {
    (void)state;
    for_each_kind(check_edge_list);
}

static void hashes(void **state) {
    (void)state;
    for_each_kind(check_hash);
}

/* A path of 1000 with a star at one end: the sweeps find its whole length. */
static void estimates_the_diameter(void **state) {
    (void)state;
    enum { PATH = 1000, LEAVES = 50 };
    uint32_t from[PATH + LEAVES], to[PATH + LEAVES];
    for (uint32_t i = 0; i < PATH; i++) {
        from[i] = i;
        to[i] = i + 1;
    }
    for (uint32_t i = 0; i < LEAVES; i++) {
        from[PATH + i] = 0;
        to[PATH + i] = PATH + 1 + i;
    }
    hop_edges edges = {sizeof edges, PATH + LEAVES, from, to, 4, 0, NULL, HOP_TYPE_NONE};
    hop_context *context = make_context(2);
    hop_graph *graph = NULL;
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    assert_int_equal(hop_graph_from_edges(context, &edges, NULL, &graph), HOP_OK);
    assert_int_equal(hop_graph_describe(context, graph, &info), HOP_OK);
    assert_false(info.has_diameter);
    assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_DIAMETER), HOP_OK);
    assert_int_equal(hop_graph_describe(context, graph, &info), HOP_OK);
    assert_true(info.has_diameter);
    assert_int_equal(info.diameter_low, PATH + 1);
    assert_int_equal(hop_graph_prepare(context, graph, 8), HOP_ERR_ARGUMENT);
    hop_graph_release(graph);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reverses),
        cmocka_unit_test(symmetrizes),
        cmocka_unit_test(takes_subgraphs),
        cmocka_unit_test(lists_edges),
        cmocka_unit_test(hashes),
        cmocka_unit_test(estimates_the_diameter),
        cmocka_unit_test(symmetric_sums_count_once),
        cmocka_unit_test(the_first_id_goes_along),
        cmocka_unit_test(missing_arguments_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
