/* SPDX-License-Identifier: Apache-2.0
 *
 * All shortest paths against the definition: every simple path is walked, and the shortest ones are
 * kept, in lexicographic order. All directed graphs with up to four vertices and undirected ones
 * with up to five, a part of those with one more (HOPLITE_TEST_ALL: all), weights from 0 on, and
 * random ones of every type; predecessors, counts, past cycles of weight 0 too; 1, 2, 3 and 8
 * threads the same. */
#include "apsp/apsp_testing.h"
#include "problem/report_testing.h"

enum { MOST = 12, PATHS = 4096 };

static const unsigned thread_counts[] = {1, 2, 3, 8};

static double weight_at(const plain_graph *g, uint32_t arc) {
    return is_real(g->type) ? plain_real(g, arc) : (double)plain_integer(g, arc);
}

/* The shortest simple paths to each vertex, found by walking all of them from the source. */
typedef struct definition {
    const plain_graph *g;
    double least[MOST];
    uint32_t count[MOST], length[MOST][PATHS];
    uint8_t paths[MOST][PATHS][MOST];
    uint8_t path[MOST];
    bool on_path[MOST];
} definition;

static void walk_all(definition *all, uint32_t v, uint32_t length, double sum) {
    const plain_graph *g = all->g;
    all->path[length++] = (uint8_t)v;
    all->on_path[v] = true;
    if (sum < all->least[v]) {
        all->least[v] = sum;
        all->count[v] = 0;
    }
    if (sum == all->least[v]) {
        assert_true(all->count[v] < PATHS);
        memcpy(all->paths[v][all->count[v]], all->path, length);
        all->length[v][all->count[v]++] = length;
    }
    for (uint32_t i = g->offsets[v]; i < g->offsets[v + 1];) { /* of parallel arcs the lightest */
        const uint32_t to = g->targets[i];
        double weight = HUGE_VAL;
        for (; i < g->offsets[v + 1] && g->targets[i] == to; i++)
            weight = fmin(weight, weight_at(g, i));
        if (!all->on_path[to])
            walk_all(all, to, length, sum + weight);
    }
    all->on_path[v] = false;
}

static definition *define(const plain_graph *g, uint32_t source) {
    definition *all = calloc(1, sizeof *all);
    all->g = g;
    for (uint32_t v = 0; v < g->n; v++)
        all->least[v] = HUGE_VAL;
    walk_all(all, source, 0, 0);
    return all;
}

/* tight[u] has the bits of the v that an arc from u, on a shortest path, leads to; reach[u] those
 * that such arcs lead to one after another. */
static void find_tight(const definition *all, uint32_t source, uint32_t tight[MOST],
                       uint32_t reach[MOST]) {
    const plain_graph *g = all->g;
    for (uint32_t u = 0; u < g->n; u++) {
        tight[u] = 0;
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++) {
            const uint32_t v = g->targets[i];
            if (v != u && v != source && !isinf(all->least[u]) &&
                all->least[u] + weight_at(g, i) == all->least[v])
                tight[u] |= 1u << v;
        }
        reach[u] = tight[u];
    }
    for (uint32_t k = 0; k < g->n; k++)
        for (uint32_t u = 0; u < g->n; u++)
            if (reach[u] >> k & 1)
                reach[u] |= reach[k];
}

static void check_predecessors(const hop_path_dag *dag, const definition *all, uint32_t source) {
    const uint64_t *offsets = hop_path_dag_offsets(dag), *counts = hop_path_dag_counts(dag);
    hop_type type = HOP_TYPE_NONE;
    const void *distances = hop_path_dag_distances(dag, &type);
    const uint32_t n = all->g->n;
    uint32_t tight[MOST], reach[MOST];
    find_tight(all, source, tight, reach);
    assert_int_equal(hop_path_dag_vertices(dag), n);
    assert_int_equal(type, hop_distance_type(all->g->type));
    for (uint32_t v = 0; v < n; v++) {
        const double d = type == HOP_TYPE_INT64     ? (double)((const int64_t *)distances)[v]
                         : type == HOP_TYPE_FLOAT64 ? ((const double *)distances)[v]
                                                    : (double)((const float *)distances)[v];
        if (isinf(all->least[v]) && type == HOP_TYPE_INT64)
            assert_true(((const int64_t *)distances)[v] == HOP_NO_DISTANCE);
        else
            assert_true(d == all->least[v]);
    }
    for (uint32_t v = 0; v < n; v++) {
        bool unknown = false;
        uint64_t at = offsets[v];
        for (uint32_t u = 0; u < n; u++) {
            unknown = unknown || (reach[u] >> u & 1 && (u == v || reach[u] >> v & 1));
            if (tight[u] >> v & 1) {
                assert_true(at < offsets[v + 1]);
                assert_int_equal(hop_path_dag_predecessors(dag)[at++], u);
            }
        }
        assert_int_equal(at, offsets[v + 1]);
        assert_true(counts[v] == (unknown ? HOP_PATHS_UNKNOWN : all->count[v]));
    }
}

static hop_path_dag *create(hop_context *context, const hop_graph *graph, uint32_t source,
                            const hop_vertex *target, hop_certify certify) {
    hop_path_dag_options options = HOP_PATH_DAG_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_path_dag *dag = NULL;
    run.certify = certify;
    options.run = &run;
    options.targets = target;
    options.target_count = target != NULL;
    if (hop_path_dag_create(context, graph, source, &options, &dag) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return dag;
}

static void check_paths(hop_context *context, const hop_path_dag *dag, const definition *all,
                        uint32_t target) {
    hop_path_walk *walk = NULL;
    const hop_vertex *path;
    hop_vertex length = 77;
    assert_int_equal(hop_path_walk_create(context, dag, target, &walk), HOP_OK);
    for (uint32_t k = 0; k < all->count[target]; k++) {
        assert_int_equal(hop_path_walk_next(context, walk, &path, &length), HOP_OK);
        assert_int_equal(length, all->length[target][k]);
        for (uint32_t i = 0; i < length; i++)
            assert_int_equal(path[i], all->paths[target][k][i]);
    }
    for (int again = 0; again < 2; again++) {
        assert_int_equal(hop_path_walk_next(context, walk, &path, &length), HOP_OK);
        assert_int_equal(length, 0);
    }
    hop_path_walk_free(walk);
}

static void check_plain(hop_context *context, const plain_graph *g, unsigned k) {
    hop_graph *graph = plain_borrow(context, g);
    const uint32_t source = k % g->n;
    definition *all = define(g, source);
    hop_path_dag *dag =
        create(context, graph, source, NULL, k % 4 ? HOP_CERTIFY_NONE : HOP_CERTIFY_CANONICAL);
    check_predecessors(dag, all, source);
    for (uint32_t target = 0; target < g->n; target++)
        check_paths(context, dag, all, target);
    hop_path_dag_free(dag);
    const hop_vertex one = (source + 1) % g->n; /* a search that stops there says the same */
    dag = create(context, graph, source, &one, HOP_CERTIFY_NONE);
    check_paths(context, dag, all, one);
    hop_path_dag_free(dag);
    free(all);
    hop_graph_release(graph);
}

static const hop_weight_type types[] = {HOP_TYPE_NONE, HOP_TYPE_INT32, HOP_TYPE_FLOAT64,
                                        HOP_TYPE_INT64, HOP_TYPE_FLOAT32};

static void all_small_graphs(void **state) {
    hop_context *context = make_context(1);
    const bool all = getenv("HOPLITE_TEST_ALL") != NULL;
    (void)state;
    for (uint32_t n = 1; n <= 5; n++) {
        const uint32_t step = n == 5 && !all ? 1297 : 1;
        for (uint32_t bits = 0; bits < 1u << n * (n - 1); bits += step) {
            plain_graph g = plain_numbered(n, true, bits);
            g.type = types[bits % 5];
            for (uint32_t i = 0; i < g.arcs; i++) /* one in three is 0 */
                plain_set(&g, i, (double)(hop__random_at(n, bits, i) % 3));
            check_plain(context, &g, bits);
            plain_free(&g);
        }
    }
    for (uint32_t n = 1; n <= 6; n++) {
        const uint32_t step = n == 6 && !all ? 97 : 1;
        for (uint32_t bits = 0; bits < 1u << n * (n - 1) / 2; bits += step) {
            plain_graph g = plain_numbered(n, false, bits);
            g.type = types[bits % 5];
            for (uint32_t u = 0; u < n; u++)
                for (uint32_t i = g.offsets[u]; i < g.offsets[u + 1]; i++) /* both ways the same */
                    plain_set(&g, i,
                              (double)(hop__random_at(n, bits, (u + 1) * (g.targets[i] + 1)) % 3));
            check_plain(context, &g, bits);
            plain_free(&g);
        }
    }
    free_context(context);
}

static void random_graphs(void **state) {
    (void)state;
    for (unsigned k = 0; k < 250; k++) {
        hop_context *context = make_context(thread_counts[k % 4]);
        plain_graph g = plain_random(2 + k % 8, k % 4 + 1, k % 3 != 0, types[k % 5],
                                     k % 2 ? 0 : 0.25 * (1 + 3 * !is_real(types[k % 5])), 3,
                                     is_real(types[k % 5]) ? 0.25 : 1, k);
        check_plain(context, &g, k);
        plain_free(&g);
        free_context(context);
    }
}

/* A lattice whose paths are binomial numbers: more than 2^64 of them far from the corner. The first
 * ones are listed all the same. */
static plain_graph lattice(uint32_t side, hop_weight_type type) {
    plain_graph g = plain_make(side * side, true, type, 2 * side * side);
    for (uint32_t v = 0; v < side * side; v++) {
        if (v % side + 1 < side)
            plain_arc(&g, v + 1, 1);
        if (v + side < side * side)
            plain_arc(&g, v + side, 1);
        plain_end_row(&g, v);
    }
    return g;
}

static void more_paths_than_there_are_numbers(void **state) {
    enum { SIDE = 40 };
    (void)state;
    plain_graph g = lattice(SIDE, HOP_TYPE_INT32);
    uint64_t first[SIDE * SIDE];
    for (unsigned t = 0; t < 4; t++) {
        hop_context *context = make_context(thread_counts[t]);
        hop_graph *graph = plain_borrow(context, &g);
        hop_path_dag *dag = create(context, graph, 0, NULL, HOP_CERTIFY_CANONICAL);
        const uint64_t *counts = hop_path_dag_counts(dag);
        uint64_t right[SIDE] = {0};
        for (uint32_t v = 0; v < SIDE * SIDE; v++) { /* the row above, and the one before */
            const uint32_t x = v % SIDE;
            const uint64_t before = x > 0 ? right[x - 1] : 0, above = right[x];
            right[x] = v == 0 ? 1 : above + before;
            if (right[x] < above || right[x] > HOP_PATHS_MANY)
                right[x] = HOP_PATHS_MANY;
            assert_true(counts[v] == right[x]);
        }
        assert_true(counts[SIDE * SIDE - 1] == HOP_PATHS_MANY);
        if (t == 0)
            memcpy(first, counts, sizeof first);
        assert_memory_equal(first, counts, sizeof first);
        hop_path_walk *walk = NULL;
        hop_vertex before[2 * SIDE] = {0}, length;
        assert_int_equal(hop_path_walk_create(context, dag, SIDE * SIDE - 1, &walk), HOP_OK);
        for (unsigned k = 0; k < 1000; k++) {
            const hop_vertex *path;
            uint32_t same = 0;
            assert_int_equal(hop_path_walk_next(context, walk, &path, &length), HOP_OK);
            assert_int_equal(length, 2 * SIDE - 1);
            while (same < length && path[same] == before[same])
                same++;
            assert_true(same < length && path[same] > before[same]);
            memcpy(before, path, length * sizeof *path);
        }
        hop_path_walk_free(walk);
        hop_path_dag_free(dag);
        hop_graph_release(graph);
        free_context(context);
    }
    plain_free(&g);
}

/* Integers below 0 where there is no cycle. */
static void negative_weights(void **state) {
    hop_context *context = make_context(2);
    (void)state;
    for (unsigned k = 0; k < 100; k++) {
        plain_graph g = plain_make(8, true, HOP_TYPE_INT32, 64);
        for (uint32_t u = 0; u < g.n; u++) {
            for (uint32_t v = u + 1; v < g.n; v++)
                if (hop__random_at(k, u, v) % 2)
                    plain_arc(&g, v, (double)(hop__random_at(k, u, 100 + v) % 5) - 2);
            plain_end_row(&g, u);
        }
        check_plain(context, &g, 8 * k);
        plain_free(&g);
    }
    plain_graph g = lattice(3, HOP_TYPE_FLOAT64);
    hop_path_dag *dag = NULL;
    plain_set(&g, 0, -0.5);
    hop_graph *graph = plain_borrow(context, &g);
    assert_int_equal(hop_path_dag_create(context, graph, 0, NULL, &dag), HOP_ERR_UNSUPPORTED);
    assert_says(context, "rounded");
    assert_null(dag);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

static bool stop(void *user, const hop_progress *progress) {
    (void)user;
    return strncmp(progress->phase, "all paths", 9) != 0;
}

/* With too little memory, cancelled, planned: nothing is left behind. */
static void refused_and_cancelled(void **state) {
    plain_graph g = lattice(60, HOP_TYPE_INT32);
    (void)state;
    for (unsigned k = 0; k < 40; k++) {
        hop_context_options how = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        hop_path_dag *dag = NULL;
        hop_path_walk *walk = NULL;
        if (k == 0)
            how.progress = stop;
        else
            how.memory_budget = 40000 + 9000 * k;
        assert_int_equal(hop_context_create(&how, &context), HOP_OK);
        hop_graph *graph = plain_borrow(context, &g);
        (void)!hop_graph_check(context, graph);
        const uint64_t before = hop_context_memory_used(context);
        hop_status status = hop_path_dag_create(context, graph, 0, NULL, &dag);
        if (status == HOP_OK)
            status = hop_path_walk_create(context, dag, 3599, &walk);
        hop_path_walk_free(walk);
        hop_path_dag_free(dag);
        assert_int_equal(status, k == 0   ? HOP_ERR_CANCELLED
                                 : k == 1 ? HOP_ERR_BUDGET
                                 : k > 38 ? HOP_OK
                                          : status);
        assert_int_equal(hop_context_memory_used(context), before);
        hop_graph_release(graph);
        free_context(context);
    }
    plain_free(&g);
}

static int calls_left; /* until the caller wants to stop, once */

static bool stop_once(void *user, const hop_progress *progress) {
    (void)user;
    (void)progress;
    return calls_left-- != 0;
}

/* A call that was cancelled is gone on with: no path is lost, whenever it was. */
static void gone_on_with_after_cancelled_calls(void **state) {
    enum { CLIQUE = 6, ALL = 65 };
    plain_graph g = plain_make(CLIQUE, true, HOP_TYPE_INT32, CLIQUE * (CLIQUE - 1));
    hop_context_options how = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    hop_path_dag *dag = NULL;
    (void)state;
    for (hop_vertex u = 0; u < CLIQUE; u++) {
        for (hop_vertex v = 0; v < CLIQUE; v++)
            if (u != v)
                plain_arc(&g, v, 0);
        plain_end_row(&g, u);
    }
    how.progress = stop_once;
    calls_left = -1;
    assert_int_equal(hop_context_create(&how, &context), HOP_OK);
    hop_graph *graph = plain_borrow(context, &g);
    assert_int_equal(hop_path_dag_create(context, graph, 0, NULL, &dag), HOP_OK);
    for (int stop_at = 0; stop_at < 2 * ALL + 2; stop_at++) {
        hop_path_walk *walk = NULL;
        const hop_vertex *path;
        hop_vertex length = 1;
        unsigned paths = 0, cancelled = 0;
        assert_int_equal(hop_path_walk_create(context, dag, CLIQUE - 1, &walk), HOP_OK);
        calls_left = stop_at;
        while (length > 0) {
            context->next_report = 0; /* each call reports when it begins */
            const hop_status status = hop_path_walk_next(context, walk, &path, &length);
            assert_true(status == HOP_OK || status == HOP_ERR_CANCELLED);
            paths += status == HOP_OK && length > 0;
            cancelled += status == HOP_ERR_CANCELLED;
            length += status == HOP_ERR_CANCELLED;
        }
        assert_int_equal(paths, ALL);
        assert_true(cancelled <= 1 && (stop_at > 0 || cancelled == 1));
        hop_path_walk_free(walk);
        calls_left = -1;
    }
    hop_path_dag_free(dag);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

static void mistakes(void **state) {
    hop_context *context = make_context(1);
    plain_graph g = lattice(3, HOP_TYPE_NONE);
    hop_graph *graph = plain_borrow(context, &g);
    hop_path_dag *dag = NULL;
    hop_path_walk *walk = NULL;
    hop_path_dag_options options = HOP_PATH_DAG_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    (void)state;
    assert_int_equal(hop_path_dag_create(NULL, graph, 0, NULL, &dag), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_path_dag_create(context, NULL, 0, NULL, &dag), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_path_dag_create(context, graph, 9, NULL, &dag), HOP_ERR_ARGUMENT);
    assert_says(context, "source");
    run.plan = true;
    options.run = &run;
    assert_int_equal(hop_path_dag_create(context, graph, 0, &options, &dag), HOP_OK);
    assert_null(dag);
    assert_int_equal(hop_path_dag_create(context, graph, 0, NULL, &dag), HOP_OK);
    assert_int_equal(hop_path_walk_create(context, dag, 9, &walk), HOP_ERR_ARGUMENT);
    assert_says(context, "there are only 9");
    assert_int_equal(hop_path_walk_next(context, NULL, NULL, NULL), HOP_ERR_ARGUMENT);
    hop_path_walk_free(NULL);
    hop_path_dag_free(NULL);
    hop_path_dag_free(dag);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_graphs),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(more_paths_than_there_are_numbers),
        cmocka_unit_test(negative_weights),
        cmocka_unit_test(refused_and_cancelled),
        cmocka_unit_test(gone_on_with_after_cancelled_calls),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
