/* SPDX-License-Identifier: Apache-2.0
 *
 * Minimum and maximum spanning forests by every variant, of graphs and of lists of edges, against
 * the definition: of all sets of edges without a cycle that join as much, the first in the order of
 * weights and numbers. All graphs with up to five vertices (of six, a part; HOPLITE_TEST_ALL: all),
 * random ones of all types; 1, 2, 3 and 8 threads. The certifier against every set of edges. */
#include "apsp/apsp_testing.h"

enum { MOST = 64, FEW = 15, WAYS = 3 };

static const char *const ways[WAYS] = {"kruskal", "boruvka", NULL};
static const unsigned thread_counts[] = {1, 2, 3, 8};

typedef struct plain_edge {
    uint32_t from, to;
    uint64_t number;
    double weight;
} plain_edge;

/* The edges of a graph: no loops, of an undirected one the arcs from the smaller end. */
static uint32_t list_edges(const plain_graph *g, plain_edge *edges) {
    uint32_t count = 0;
    for (uint32_t u = 0; u < g->n; u++)
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++) {
            double weight = g->type == HOP_TYPE_NONE      ? 0
                            : g->type == HOP_TYPE_INT32   ? ((int32_t *)g->weights)[i]
                            : g->type == HOP_TYPE_INT64   ? (double)((int64_t *)g->weights)[i]
                            : g->type == HOP_TYPE_FLOAT32 ? (double)((float *)g->weights)[i]
                                                          : ((double *)g->weights)[i];
            if (u < g->targets[i] || (g->directed && u != g->targets[i]))
                edges[count++] = (plain_edge){u, g->targets[i], i, weight};
        }
    return count;
}

/* Joins the labels of two vertices; false when they had the same. */
static bool join(uint32_t *labels, uint32_t n, const plain_edge *edge) {
    uint32_t from = labels[edge->from], to = labels[edge->to];
    for (uint32_t v = 0; v < n; v++)
        if (labels[v] == to)
            labels[v] = from;
    return from != to;
}

static int by_weight(const void *a, const void *b) {
    const plain_edge *x = a, *y = b;
    return x->weight < y->weight ? -1 : x->weight > y->weight ? 1 : (x->number > y->number) * 2 - 1;
}

static int by_number(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* One edge after the other, in order; for graphs whose sets of edges are too many. */
static uint32_t take_in_order(const plain_graph *g, bool maximum, uint64_t *numbers) {
    plain_edge *edges = calloc(g->arcs + 1, sizeof *edges);
    uint32_t count = list_edges(g, edges), *labels = calloc(g->n + 1, 4), found = 0;
    for (uint32_t i = 0; maximum && i < count; i++)
        edges[i].weight = -edges[i].weight;
    qsort(edges, count, sizeof *edges, by_weight);
    for (uint32_t v = 0; v < g->n; v++)
        labels[v] = v;
    for (uint32_t i = 0; i < count; i++)
        if (join(labels, g->n, &edges[i]))
            numbers[found++] = edges[i].number;
    qsort(numbers, found, sizeof *numbers, by_number);
    free(edges);
    free(labels);
    return found;
}

/* Whether a set of edges has no cycle; and how many there are in it, what they weigh. */
static bool is_forest(uint32_t n, const plain_edge *edges, uint32_t count, uint32_t set,
                      uint32_t *size, double *weight) {
    uint32_t labels[MOST];
    *size = 0;
    *weight = 0;
    for (uint32_t v = 0; v < n; v++)
        labels[v] = v;
    for (uint32_t i = 0; i < count; i++)
        if (set >> i & 1) {
            if (!join(labels, n, &edges[i]))
                return false;
            ++*size;
            *weight += edges[i].weight;
        }
    return true;
}

/* The definition: of the sets without a cycle the largest; of those the first, as words of their
 * edges in order. `edges` are in order. The least weight of any of them is its weight. */
static uint32_t define_forest(uint32_t n, const plain_edge *edges, uint32_t count,
                              double *least_weight) {
    uint32_t best = 0, best_size = 0, size;
    double weight, best_weight = 0, least = HUGE_VAL;
    for (uint32_t set = 0; set < 1u << count; set++) {
        if (!is_forest(n, edges, count, set, &size, &weight) || size < best_size)
            continue;
        least = size > best_size || weight < least ? weight : least;
        /* The first place where two sets differ decides: the one that has that edge. */
        uint32_t differ = set ^ best;
        if (size > best_size || (differ & -differ & set) != 0) {
            best = set;
            best_size = size;
            best_weight = weight;
        }
    }
    assert_true(count == 0 || best_weight == least || best_size == 0);
    *least_weight = best_weight;
    return best;
}

static uint32_t forest(hop_context *context, const hop_graph *graph, const char *variant,
                       bool maximum, hop_certify certify, uint64_t *numbers) {
    hop_spanning_options options = HOP_SPANNING_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_vertex count = 77;
    run.variant = variant;
    run.certify = certify;
    options.run = &run;
    options.maximum = maximum;
    if (hop_spanning_forest(context, graph, &options, numbers, &count) != HOP_OK)
        fail_msg("%s: %s", variant ? variant : "auto", hop_context_message(context));
    return count;
}

/* The same by the list of the graph's edges, each with a loop before it; ids of 4 bytes in pairs,
 * or of 8 apart. */
static void check_list(hop_context *context, const plain_graph *g, const char *variant, bool wide,
                       const uint64_t *right, uint32_t right_count) {
    uint32_t arcs = g->arcs, count = 0;
    size_t size = hop_type_size(g->type);
    uint32_t *pairs = calloc(4 * arcs + 1, 4);
    uint64_t *from = calloc(2 * arcs + 1, 8), *to = calloc(2 * arcs + 1, 8);
    uint64_t *numbers = calloc(g->n + 1, 8), *of = calloc(2 * arcs + 1, 8);
    char *weights = calloc(2 * arcs + 1, 8);
    plain_edge *edges = calloc(arcs + 1, sizeof *edges);
    hop_edges list = HOP_EDGES_INIT;
    hop_spanning_options options = HOP_SPANNING_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_vertex found;
    uint32_t edge_count = list_edges(g, edges);
    for (uint32_t i = 0; i < 2 * edge_count; i++, count++) {
        pairs[2 * i] = edges[i / 2].from;
        pairs[2 * i + 1] = i % 2 ? edges[i / 2].to : edges[i / 2].from;
        from[i] = pairs[2 * i];
        to[i] = pairs[2 * i + 1];
        of[i] = edges[i / 2].number;
        memcpy(weights + i * size, (char *)g->weights + of[i] * size, size);
    }
    list.count = count;
    list.from = wide ? (const void *)from : pairs;
    list.to = wide ? (const void *)to : pairs + 1;
    list.id_bytes = wide ? 8 : 4;
    list.stride = wide ? 0 : 8;
    list.weights = g->type == HOP_TYPE_NONE ? NULL : weights;
    list.weight_type = g->type;
    run.variant = variant;
    run.certify = HOP_CERTIFY_CANONICAL;
    options.run = &run;
    if (hop_spanning_forest_of_edges(context, &list, g->n, &options, numbers, &found) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    assert_int_equal(found, right_count);
    for (uint32_t i = 0; i < found; i++) {
        assert_int_equal(numbers[i] % 2, 1);
        assert_int_equal(of[numbers[i]], right[i]);
    }
    free(pairs), free(from), free(to), free(numbers), free(of), free(weights), free(edges);
}

static void check_plain(hop_context *context, const plain_graph *g, bool more) {
    hop_graph *graph = plain_borrow(context, g);
    uint64_t right[MOST + 1], numbers[MOST + 1];
    for (int maximum = 0; maximum < 2; maximum++) {
        uint32_t count = take_in_order(g, maximum, right);
        for (size_t i = 0; i < WAYS; i++) {
            memset(numbers, 0xee, sizeof numbers);
            uint32_t found = forest(context, graph, ways[i], maximum,
                                    more ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE, numbers);
            assert_int_equal(found, count);
            assert_memory_equal(numbers, right, count * sizeof *numbers);
            assert_int_equal(numbers[g->n], UINT64_C(0xeeeeeeeeeeeeeeee));
            if (more && !maximum)
                check_list(context, g, ways[i], i % 2, right, count);
        }
    }
    hop_graph_release(graph);
}

/* The undirected graph whose edges are the bits of a number, with weights from a seed; ties are
 * frequent. */
static plain_graph numbered(uint32_t n, uint32_t bits, uint64_t seed) {
    plain_graph g = plain_make(n, false, HOP_TYPE_INT32, n * n);
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++) {
            uint32_t low = u < v ? u : v, high = u < v ? v : u, bit = high * (high - 1) / 2 + low;
            if (u != v && bits >> bit & 1)
                plain_arc(&g, v, (double)(hop__random_at(seed, 5, bit) % 3));
        }
        plain_end_row(&g, u);
    }
    return g;
}

/* The reference of these tests, and the certifier, against all sets of edges. */
static void check_sets(hop_context *context, const plain_graph *g) {
    hop_graph *graph = plain_borrow(context, g);
    hop_spanning_options options = HOP_SPANNING_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    plain_edge edges[FEW];
    uint64_t right[MOST], numbers[FEW];
    uint32_t count = list_edges(g, edges), found = take_in_order(g, false, right), size;
    double least, weight;
    options.run = &run;
    qsort(edges, count, sizeof *edges, by_weight);
    uint32_t best = define_forest(g->n, edges, count, &least);
    for (uint32_t set = 0; set < 1u << count; set++) {
        uint32_t taken = 0;
        for (uint32_t i = 0; i < count; i++)
            if (set >> i & 1)
                numbers[taken++] = edges[i].number;
        qsort(numbers, taken, sizeof *numbers, by_number);
        if (set == best) {
            assert_int_equal(taken, found);
            assert_memory_equal(numbers, right, taken * sizeof *numbers);
        }
        bool valid =
            is_forest(g->n, edges, count, set, &size, &weight) && size == found && weight == least;
        run.certify = HOP_CERTIFY_CANONICAL;
        assert_int_equal(hop_spanning_certify(context, graph, &options, numbers, taken),
                         set == best ? HOP_OK : HOP_ERR_CERTIFICATE);
        run.certify = HOP_CERTIFY_VALID;
        assert_int_equal(hop_spanning_certify(context, graph, &options, numbers, taken),
                         valid ? HOP_OK : HOP_ERR_CERTIFICATE);
    }
    hop_graph_release(graph);
}

static void all_small_graphs(void **state) {
    hop_context *context = make_context(1);
    bool all = getenv("HOPLITE_TEST_ALL") != NULL;
    (void)state;
    for (uint32_t n = 0; n <= 6; n++) {
        uint32_t edges = n * (n ? n - 1 : 0) / 2, step = n == 6 && !all ? 59 : 1;
        for (uint32_t bits = 0; bits < 1u << edges; bits += step) {
            plain_graph g = numbered(n, bits, bits);
            check_plain(context, &g, n < 5 || bits % 8 == 0);
            if (n < 5 || (n == 5 && (all || bits % 16 == 15)))
                check_sets(context, &g);
            plain_free(&g);
        }
    }
    free_context(context);
}

static void random_graphs(void **state) {
    static const hop_weight_type types[] = {HOP_TYPE_NONE, HOP_TYPE_INT32, HOP_TYPE_INT64,
                                            HOP_TYPE_FLOAT32, HOP_TYPE_FLOAT64};
    (void)state;
    for (unsigned k = 0; k < 300; k++) {
        hop_context *context = make_context(thread_counts[k % 4]);
        hop_weight_type type = types[k % 5];
        double step = is_real(type) ? 0.375 : k % 7 ? 1 : 100000000;
        plain_graph g =
            plain_random(2 + k % 61, k % 6, k % 3 == 0, type, -3 * step, k % 2 ? 7 : 1000,
                         k % 7 || type == HOP_TYPE_INT64 ? step : 1, k);
        if (k % 2)
            plain_widen(&g);
        check_plain(context, &g, true);
        plain_free(&g);
        free_context(context);
    }
}

/* Numbers that only their last bits, their signs or their size tell apart; zeros of both signs. */
static void weights_of_all_sizes(void **state) {
    static const double reals[] = {-0.0,        0.0,         0.1,    0.1 + 0x1p-55, -0.1,
                                   1e300,       -1e300,      1e-310, 1.0,           HUGE_VAL,
                                   1 + 0x1p-52, 1 + 0x1p-51, -1e-310};
    static const int64_t wholes[] = {INT64_MIN, INT64_MAX,     0, -1, 1, INT64_MIN + 1,
                                     5,         INT64_MAX - 1, 0, 5,  1, -1};
    (void)state;
    hop_context *context = make_context(2);
    for (unsigned k = 0; k < 40; k++) {
        plain_graph g =
            plain_random(12, 5, k % 2, k % 4 < 2 ? HOP_TYPE_FLOAT64 : HOP_TYPE_INT64, 0, 12, 1, k);
        for (uint32_t u = 0; u < g.n; u++)
            for (uint32_t i = g.offsets[u]; i < g.offsets[u + 1]; i++) {
                unsigned of = g.directed ? i % 12 : (u + g.targets[i]) % 12;
                if (g.type == HOP_TYPE_FLOAT64)
                    ((double *)g.weights)[i] = reals[of + k % 2];
                else /* as doubles, which the reference has, they must differ */
                    ((int64_t *)g.weights)[i] =
                        of % 3 ? wholes[of] / 1024 * 1024 : wholes[of] / 2048;
            }
        check_plain(context, &g, true);
        plain_free(&g);
    }
    free_context(context);
}

/* Large enough for several blocks and pieces: an undirected lattice, a long path whose weights grow
 * (one chain of parts), a graph without order, the same with directions. */
static hop_graph *large_graph(hop_context *context, unsigned kind) {
    enum { SIDE = 150 };
    const uint32_t n = SIDE * SIDE, m = kind == 1 ? n - 1 : kind == 0 ? 2 * n - 2 * SIDE : 5 * n;
    uint32_t *ends = calloc(2 * (size_t)m, 4), count = 0;
    int32_t *weights = calloc(m, 4);
    hop_edges list = HOP_EDGES_INIT;
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    for (uint32_t v = 0; v < n && kind == 0; v++) {
        if (v % SIDE < SIDE - 1)
            ends[2 * count] = v, ends[2 * count++ + 1] = v + 1;
        if (v < n - SIDE)
            ends[2 * count] = v, ends[2 * count++ + 1] = v + SIDE;
    }
    for (; count < m; count++) {
        ends[2 * count] = kind == 1 ? count : (uint32_t)(hop__random_at(kind, 1, count) % n);
        ends[2 * count + 1] =
            kind == 1 ? count + 1 : (uint32_t)(hop__random_at(kind, 2, count) % n);
    }
    for (uint32_t i = 0; i < m; i++)
        weights[i] = kind == 1 ? (int32_t)i : (int32_t)(hop__random_at(kind, 3, i) % 50);
    list.count = m;
    list.from = ends;
    list.to = ends + 1;
    list.stride = 8;
    list.weights = weights;
    list.weight_type = HOP_TYPE_INT32;
    build.vertices = n;
    build.directed = kind == 3;
    build.duplicates = HOP_DUPLICATES_KEEP;
    assert_int_equal(hop_graph_from_edges(context, &list, &build, &graph), HOP_OK);
    free(ends);
    free(weights);
    return graph;
}

static void the_same_on_any_number_of_threads(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        hop_context *plain = make_context(1);
        hop_graph *graph = large_graph(plain, kind);
        const size_t n = hop_graph_vertices(graph);
        uint64_t *first = calloc(n, 8), *numbers = calloc(n, 8);
        uint32_t one = forest(plain, graph, "kruskal", false, HOP_CERTIFY_CANONICAL, first);
        assert_true(kind < 2 ? one == n - 1 : one > n / 2 && one < n);
        for (size_t t = 0; t < 4; t++) {
            hop_context *context = make_context(thread_counts[t]);
            for (size_t i = 0; i < WAYS; i++) {
                assert_int_equal(forest(context, graph, ways[i], false,
                                        t == 3 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE, numbers),
                                 one);
                assert_memory_equal(numbers, first, one * sizeof *first);
            }
            free_context(context);
        }
        free(first);
        free(numbers);
        hop_graph_release(graph);
        free_context(plain);
    }
}

static bool stop(void *user, const hop_progress *progress) {
    (void)user, (void)progress;
    return false;
}

static void can_be_cancelled(void **state) {
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        hop_context_options how = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL, *calm = make_context(1);
        hop_graph *graph = large_graph(calm, 0);
        uint64_t *numbers = calloc(hop_graph_vertices(graph), 8);
        hop_spanning_options options = HOP_SPANNING_OPTIONS_INIT;
        hop_run run = HOP_RUN_INIT;
        run.variant = ways[i];
        options.run = &run;
        how.progress = stop;
        assert_int_equal(hop_context_create(&how, &context), HOP_OK);
        assert_int_equal(hop_spanning_forest(context, graph, &options, numbers, NULL),
                         HOP_ERR_CANCELLED);
        hop_graph_release(graph);
        free(numbers);
        free_context(context);
        free_context(calm);
    }
}

static void mistakes(void **state) {
    hop_context *context = make_context(1);
    plain_graph g = numbered(3, 7, 1);
    hop_graph *graph = plain_borrow(context, &g);
    uint64_t numbers[3] = {0, 0, 0};
    uint32_t from[2] = {0, 1}, to[2] = {1, 3};
    double weights[2] = {1, NAN};
    hop_edges list = HOP_EDGES_INIT;
    (void)state;
    assert_int_equal(hop_spanning_forest(NULL, graph, NULL, numbers, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_spanning_forest(context, NULL, NULL, numbers, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "no graph");
    assert_int_equal(hop_spanning_forest(context, graph, NULL, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "no array of numbers");
    assert_int_equal(hop_spanning_certify(context, graph, NULL, numbers, 2), HOP_ERR_CERTIFICATE);
    assert_says(context, "not greater than the one before");
    assert_int_equal(hop_spanning_certify(context, graph, NULL, numbers, 3), HOP_ERR_CERTIFICATE);
    assert_says(context, "a forest of 3 vertices has not 3 edges");
    numbers[0] = 2; /* from 1 to 0: the other arc of an edge */
    assert_int_equal(hop_spanning_certify(context, graph, NULL, numbers, 1), HOP_ERR_CERTIFICATE);
    assert_says(context, "not from the smaller end");
    list.count = 2;
    list.from = from;
    list.to = to;
    list.weights = weights;
    list.weight_type = HOP_TYPE_FLOAT64;
    assert_int_equal(hop_spanning_forest_of_edges(context, &list, 3, NULL, numbers, NULL),
                     HOP_ERR_INPUT);
    assert_says(context, "edge 1 is from 1 to 3, and there are 3 vertices");
    assert_int_equal(hop_spanning_forest_of_edges(context, &list, 4, NULL, numbers, NULL),
                     HOP_ERR_INPUT);
    assert_says(context, "the weight of edge 1 is not a number");
    assert_int_equal(hop_spanning_forest_of_edges(context, NULL, 4, NULL, numbers, NULL),
                     HOP_ERR_ARGUMENT);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_graphs),     cmocka_unit_test(random_graphs),
        cmocka_unit_test(weights_of_all_sizes), cmocka_unit_test(the_same_on_any_number_of_threads),
        cmocka_unit_test(can_be_cancelled),     cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
