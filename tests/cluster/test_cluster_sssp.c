/* SPDX-License-Identifier: Apache-2.0
 *
 * Shortest paths over the ranks: the distances and parents of the library, bit by bit, for every
 * type of weights; certified; and every wrong answer is rejected. Graphs come from files, as
 * weights do. */
#include <math.h>

#include "cluster_testing.h"

/* What weights are like: none of zero, many of zero, all equal, some infinite. */
typedef enum mixture { POSITIVE, ZEROS, EQUAL, BARRIERS, MIXTURES } mixture;

static double weight_at(mixture kind, uint64_t edge) {
    uint64_t drawn = hop__random_at(5, (uint64_t)kind, edge);
    switch (kind) {
    case ZEROS:
        return drawn % 3 == 0 ? (double)(drawn % 4) : 0;
    case EQUAL:
        return 3;
    case BARRIERS:
        return drawn % 4 == 0 ? HUGE_VAL : 1 + (double)(drawn % 1000) / 7;
    default:
        return 1 + (double)(drawn % 1000) / 7;
    }
}

/* What graphs are like: with few arcs for a vertex, in one direction or both; with many, which have
 * a horizon: at random with hubs, and groups in a chain, where it moves often. Both of these have
 * vertices with one arc. */
typedef enum shape { ONE_WAY, SPARSE, DENSE, CHAIN } shape;

enum { VERTICES = 300, FEW_EDGES = 900, MANY_EDGES = 4500, GROUP = 25 };

static void ends_at(shape kind, uint64_t edge, uint32_t *from, uint32_t *to) {
    uint64_t a = hop__random_at(6, 0, edge), b = hop__random_at(6, 1, edge);
    bool leaf = kind >= DENSE && edge < 60;
    *from = (uint32_t)(a % (kind >= DENSE ? VERTICES - 60 : VERTICES));
    if (kind == CHAIN)
        *to = (uint32_t)((*from / GROUP * GROUP + b % (GROUP + 2)) % (VERTICES - 60));
    else
        *to = (uint32_t)(b % (edge % 3 == 0 ? 9 : kind == DENSE ? VERTICES - 60 : VERTICES));
    if (leaf)
        *to = VERTICES - 60 + (uint32_t)edge;
}

/* A graph of random edges; integers are what the weights are cut to. */
static hop_graph *graph_make(job *work, hop_type type, mixture kind, shape of) {
    static uint32_t from[MANY_EDGES], to[MANY_EDGES];
    static union {
        int32_t i[MANY_EDGES];
        int64_t l[MANY_EDGES];
        float f[MANY_EDGES];
        double d[MANY_EDGES];
    } weights;
    uint64_t count = of >= DENSE ? MANY_EDGES : FEW_EDGES;
    for (uint64_t i = 0; i < count; i++) {
        double weight = weight_at(kind, i);
        ends_at(of, i, &from[i], &to[i]);
        if (type == HOP_TYPE_INT32)
            weights.i[i] = (int32_t)weight;
        else if (type == HOP_TYPE_INT64)
            weights.l[i] = (int64_t)weight * (INT64_C(1) << 40);
        else if (type == HOP_TYPE_FLOAT32)
            weights.f[i] = (float)weight;
        else
            weights.d[i] = weight;
    }
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_edges edges = HOP_EDGES_INIT;
    hop_graph *graph = NULL;
    options.directed = of == ONE_WAY;
    options.vertices = VERTICES + 5;
    edges.count = count;
    edges.from = from;
    edges.to = to;
    edges.weight_type = type;
    edges.weights = type == HOP_TYPE_NONE ? NULL : &weights;
    CHECK_OK(work->context, hop_graph_from_edges(work->context, &edges, &options, &graph));
    return graph;
}

typedef struct result {
    hop_span distances, whole;
    uint64_t *parents;
    hop_vertex *whole_parents;
} result;

static result result_make(const hop_cluster_graph *graph) {
    hop_type type = hop_distance_type(hop_cluster_graph_weight_type(graph));
    uint64_t own = hop_cluster_count(graph), all = hop_cluster_graph_vertices(graph);
    result made = {{calloc(own + 1, 8), own, type},
                   {calloc(all + 1, 8), all, type},
                   calloc(own + 1, 8),
                   calloc(all + 1, 4)};
    CHECK(made.distances.items && made.whole.items && made.parents && made.whole_parents);
    return made;
}

static void result_free(result *made) {
    free(made->distances.items);
    free(made->whole.items);
    free(made->parents);
    free(made->whole_parents);
}

static hop_status certify(job *work, const hop_cluster_graph *graph, const uint64_t *sources,
                          uint64_t count, const result *made) {
    hop_view view = {made->distances.items, made->distances.count, made->distances.type};
    return hop_cluster_sssp_certify(work->cluster, graph, sources, count, NULL, &view,
                                    made->parents);
}

static void check_search(job *work, const hop_cluster_graph *graph, const hop_graph *whole,
                         const uint64_t *sources, uint32_t count) {
    result made = result_make(graph);
    hop_vertex narrow[4];
    size_t size = hop_type_size(made.whole.type);
    uint64_t first = hop_cluster_first(graph), own = hop_cluster_count(graph);
    for (uint32_t i = 0; i < count; i++)
        narrow[i] = (hop_vertex)sources[i];
    CHECK_OK(work->context,
             hop_sssp(work->context, whole, narrow, count, NULL, &made.whole, made.whole_parents));
    CHECK_OK(work->context, hop_cluster_sssp(work->cluster, graph, sources, count, NULL,
                                             &made.distances, made.parents));
    CHECK(memcmp(made.distances.items, (const char *)made.whole.items + first * size,
                 (size_t)own * size) == 0);
    for (uint64_t i = 0; i < own; i++) {
        hop_vertex parent = made.whole_parents[first + i];
        CHECK(made.parents[i] == (parent == HOP_NO_VERTEX ? HOP_NO_CLUSTER_VERTEX : parent));
    }
    CHECK_OK(work->context, certify(work, graph, sources, count, &made));
    /* Distances alone are the same. */
    memset(made.distances.items, 7, (size_t)own * size);
    CHECK_OK(work->context,
             hop_cluster_sssp(work->cluster, graph, sources, count, NULL, &made.distances, NULL));
    CHECK(memcmp(made.distances.items, (const char *)made.whole.items + first * size,
                 (size_t)own * size) == 0);
    result_free(&made);
}

static hop_cluster_graph *spread(job *work, const shared_path *place, const hop_graph *whole) {
    hop_cluster_graph *graph = NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    if (work->rank == 0)
        CHECK_OK(work->context, hop_graph_write(work->context, whole, place->path, NULL));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(work->context, hop_cluster_graph_read(work->cluster, place->path, &graph));
    return graph;
}

static void check_types(job *work, const shared_path *place) {
    const hop_type types[] = {HOP_TYPE_NONE, HOP_TYPE_INT32, HOP_TYPE_INT64, HOP_TYPE_FLOAT32,
                              HOP_TYPE_FLOAT64};
    for (size_t i = 0; i < 5; i++)
        for (int kind = 0; kind < MIXTURES; kind++) {
            bool real = types[i] == HOP_TYPE_FLOAT32 || types[i] == HOP_TYPE_FLOAT64;
            if ((kind == BARRIERS && !real) || (i == 0 && kind > 0))
                continue;
            hop_graph *whole =
                graph_make(work, types[i], (mixture)kind, kind == POSITIVE ? ONE_WAY : SPARSE);
            hop_cluster_graph *graph = spread(work, place, whole);
            const uint64_t sources[3] = {0, 77, 301}, one = 17;
            check_search(work, graph, whole, &one, 1);
            check_search(work, graph, whole, sources, 3);
            check_search(work, graph, whole, NULL, 0);
            hop_cluster_graph_free(graph);
            hop_graph_release(whole);
        }
}

/* Graphs with a horizon: that it moved, and what was left pulled, is asked too. */
static void check_horizon(job *work, const shared_path *place) {
    const hop_type types[] = {HOP_TYPE_INT32, HOP_TYPE_INT64, HOP_TYPE_FLOAT32, HOP_TYPE_FLOAT64};
    const uint64_t sources[2] = {299, 100}; /* the first one is a leaf */
    uint64_t moved = 0;
    for (size_t i = 0; i < 4; i++)
        for (int kind = 0; kind < MIXTURES; kind++)
            for (shape of = DENSE; of <= CHAIN; of++) {
                if (kind == BARRIERS && i < 2)
                    continue;
                hop_graph *whole = graph_make(work, types[i], (mixture)kind, of);
                hop_cluster_graph *graph = spread(work, place, whole);
                hop_cluster_reset(work->cluster);
                check_search(work, graph, whole, sources, 1);
                check_search(work, graph, whole, sources, 2);
                CHECK(kind == ZEROS || rounds_of(work, "sssp: pulled") == 4);
                moved += rounds_of(work, "sssp: horizon");
                hop_cluster_graph_free(graph);
                hop_graph_release(whole);
            }
    CHECK(moved >= 16);
}

/* Every parent of a graph with many arcs of no weight, and every distance, changed. */
static void check_wrong(job *work, const shared_path *place) {
    hop_graph *whole = graph_make(work, HOP_TYPE_INT32, ZEROS, SPARSE);
    hop_cluster_graph *graph = spread(work, place, whole);
    result made = result_make(graph);
    uint64_t source = 17, first = hop_cluster_first(graph), own = hop_cluster_count(graph);
    int64_t *distances = made.distances.items;
    CHECK_OK(work->context, hop_cluster_sssp(work->cluster, graph, &source, 1, NULL,
                                             &made.distances, made.parents));
    for (uint64_t trial = 0; trial < 120; trial++) {
        uint64_t v = hop__random_at(8, 1, trial) % 300, other = hop__random_at(8, 2, trial) % 300;
        bool mine = v >= first && v - first < own;
        int64_t distance = mine ? distances[v - first] : 0;
        uint64_t parent = mine ? made.parents[v - first] : 0, same = 1;
        if (mine && trial % 3 != 0)
            made.parents[v - first] = trial % 29 == 1 ? HOP_NO_CLUSTER_VERTEX : other;
        if (mine && trial % 3 != 1)
            distances[v - first] = trial % 31 == 0 ? HOP_NO_DISTANCE : (int64_t)(other % 9) - 2;
        if (mine)
            same = distances[v - first] == distance && made.parents[v - first] == parent;
        CHECK_OK(work->context, hop__min_all(work->cluster, &same, 1));
        CHECK(certify(work, graph, &source, 1, &made) == (same ? HOP_OK : HOP_ERR_CERTIFICATE));
        if (mine) {
            distances[v - first] = distance;
            made.parents[v - first] = parent;
        }
    }
    result_free(&made);
    hop_cluster_graph_free(graph);
    hop_graph_release(whole);
}

static hop_graph *graph_of(const job *work, uint64_t count, const uint32_t *from,
                           const uint32_t *to, const int32_t *weights) {
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_edges edges = HOP_EDGES_INIT;
    hop_graph *graph = NULL;
    edges.count = count;
    edges.from = from;
    edges.to = to;
    edges.weight_type = HOP_TYPE_INT32;
    edges.weights = weights;
    CHECK_OK(work->context, hop_graph_from_edges(work->context, &edges, &options, &graph));
    return graph;
}

/* Two vertices as far as each other that have each other as parents. */
static void check_cycle(job *work, const shared_path *place) {
    const uint32_t from[4] = {0, 1, 2, 3}, to[4] = {1, 2, 3, 4};
    const int32_t weights[4] = {5, 0, 0, 0};
    hop_graph *whole = graph_of(work, 4, from, to, weights);
    hop_cluster_graph *graph = spread(work, place, whole);
    result made = result_make(graph);
    uint64_t source = 0, first = hop_cluster_first(graph), own = hop_cluster_count(graph);
    const int64_t near[5] = {0, 5, 5, 5, 5}, wrong[5] = {0, 4, 4, 4, 4};
    const uint64_t right[5] = {0, 0, 1, 2, 3},
                   cycles[3][5] = {{0, 2, 1, 2, 3}, {0, 2, 3, 1, 3}, {0, 0, 3, 2, 3}};
    for (int trial = 0; trial < 5; trial++) {
        for (uint64_t i = 0; i < own; i++) {
            ((int64_t *)made.distances.items)[i] = trial == 1 ? wrong[first + i] : near[first + i];
            made.parents[i] = trial < 2 ? right[first + i] : cycles[trial - 2][first + i];
        }
        CHECK(certify(work, graph, &source, 1, &made) ==
              (trial == 0 ? HOP_OK : HOP_ERR_CERTIFICATE));
    }
    result_free(&made);
    hop_cluster_graph_free(graph);
    hop_graph_release(whole);
}

/* Wrong answers that only one rule rejects: a longer path with a parent that fits it, and a parent
 * as far as the vertex, smaller than the nearer one that it has. */
static void check_fitting(job *work, const shared_path *place) {
    const uint32_t from[8] = {0, 1, 0, 2, 0, 6, 0, 4}, to[8] = {1, 3, 2, 3, 6, 5, 4, 5};
    const int32_t weights[8] = {2, 3, 2, 4, 2, 3, 5, 0};
    const int64_t near[7] = {0, 2, 2, 5, 5, 5, 2};
    const uint64_t right[7] = {0, 0, 0, 1, 0, 6, 0};
    hop_graph *whole = graph_of(work, 8, from, to, weights);
    hop_cluster_graph *graph = spread(work, place, whole);
    result made = result_make(graph);
    uint64_t source = 0, first = hop_cluster_first(graph), own = hop_cluster_count(graph);
    for (int trial = 0; trial < 3; trial++) {
        for (uint64_t i = 0; i < own; i++) {
            uint64_t v = first + i;
            ((int64_t *)made.distances.items)[i] = trial == 1 && v == 3 ? 6 : near[v];
            made.parents[i] = trial == 1 && v == 3 ? 2 : trial == 2 && v == 5 ? 4 : right[v];
        }
        CHECK(certify(work, graph, &source, 1, &made) ==
              (trial == 0 ? HOP_OK : HOP_ERR_CERTIFICATE));
    }
    result_free(&made);
    hop_cluster_graph_free(graph);
    hop_graph_release(whole);
}

static void check_refused(job *work, const shared_path *place) {
    uint32_t from[2] = {0, 1}, to[2] = {1, 2};
    int64_t weights[2] = {INT64_MAX - 5, 9};
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_sssp_options limits = HOP_SSSP_OPTIONS_INIT;
    hop_edges edges = HOP_EDGES_INIT;
    uint64_t source = 0;
    limits.cutoff = 4;
    options.directed = true;
    edges.count = 2;
    edges.from = from;
    edges.to = to;
    edges.weight_type = HOP_TYPE_INT64;
    edges.weights = weights;
    for (int trial = 0; trial < 2; trial++) {
        hop_graph *whole = NULL;
        CHECK_OK(work->context, hop_graph_from_edges(work->context, &edges, &options, &whole));
        hop_cluster_graph *graph = spread(work, place, whole);
        result made = result_make(graph);
        CHECK(hop_cluster_sssp(work->cluster, graph, &source, 1, NULL, &made.distances,
                               made.parents) == HOP_ERR_UNSUPPORTED);
        CHECK(strstr(hop_context_message(work->context),
                     trial == 0 ? "does not fit int64" : "negative weights") != NULL);
        CHECK(hop_cluster_sssp(work->cluster, graph, &source, 1, &limits, &made.distances,
                               made.parents) == HOP_ERR_UNSUPPORTED);
        made.distances.type = HOP_TYPE_FLOAT32;
        CHECK(hop_cluster_sssp(work->cluster, graph, &source, 1, NULL, &made.distances,
                               made.parents) != HOP_OK);
        result_free(&made);
        hop_cluster_graph_free(graph);
        hop_graph_release(whole);
        weights[0] = -1;
    }
}

int main(void) {
    job work = job_begin();
    shared_path place = path_begin(&work, "graph.npz");
    check_types(&work, &place);
    check_horizon(&work, &place);
    check_wrong(&work, &place);
    check_cycle(&work, &place);
    check_fitting(&work, &place);
    check_refused(&work, &place);
    path_end(&work, &place);
    job_end(&work);
    return 0;
}
