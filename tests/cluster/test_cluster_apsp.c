/* SPDX-License-Identifier: Apache-2.0
 *
 * All pairs over the ranks: the distances of the library; certified; and every wrong one is
 * rejected. */
#include <math.h>

#include "cluster/cluster_matrix.h"
#include "cluster_testing.h"

/* The whole matrix of the library; of floating point by a variant with the bits of hop_sssp. */
static void *whole_matrix(job *work, const hop_graph *whole) {
    uint64_t n = hop_graph_vertices(whole);
    hop_type type;
    (void)hop_graph_weights(whole, &type);
    type = hop_distance_type(type);
    hop_span matrix = {calloc((size_t)(n * n) + 1, 8), n * n, type};
    hop_run run = HOP_RUN_INIT;
    hop_apsp_options options = HOP_APSP_OPTIONS_INIT;
    run.variant = type == HOP_TYPE_INT64 ? "auto" : "bellman-ford";
    options.run = &run;
    CHECK_OK(work->context, hop_apsp(work->context, whole, &options, &matrix, NULL));
    return matrix.items;
}

/* Whether a pair of this rank's has the bits of the library. */
static bool pair_is_right(const hop_cluster_matrix *matrix, const void *expected, uint64_t i,
                          uint64_t j) {
    uint64_t at = i * matrix->vertices + j;
    if (hop_cluster_matrix_type(matrix) == HOP_TYPE_INT64)
        return hop_cluster_matrix_at(matrix, i, j) == ((const int64_t *)expected)[at];
    return memcmp(matrix->numbers + hop__matrix_place(matrix, i, j) * matrix->size,
                  (const char *)expected + at * matrix->size, matrix->size) == 0;
}

static hop_cluster_matrix *spread_matrix(job *work, const hop_cluster_graph *graph) {
    hop_cluster_matrix *matrix = NULL;
    CHECK_OK(work->context, hop_cluster_apsp(work->cluster, graph, &matrix));
    return matrix;
}

static void check_graph(job *work, const hop_cluster_graph *graph, const hop_graph *whole) {
    void *expected = whole_matrix(work, whole);
    hop_cluster_matrix *matrix = spread_matrix(work, graph);
    hop_cluster_area area = hop_cluster_matrix_area(matrix);
    uint64_t n = hop_graph_vertices(whole), pairs = area.rows * area.columns;
    for (uint64_t i = area.first_row; i < area.first_row + area.rows; i++)
        for (uint64_t j = area.first_column; j < area.first_column + area.columns; j++)
            CHECK(pair_is_right(matrix, expected, i, j));
    CHECK_OK(work->context, hop__sum_all(work->cluster, &pairs, 1));
    CHECK(pairs == n * n); /* each pair is on one rank, so all are */
    CHECK_OK(work->context, hop_cluster_apsp_certify(work->cluster, graph, matrix));
    hop_cluster_matrix_free(matrix);
    free(expected);
}

static void check_recipes(job *work) {
    for (size_t i = 0; i < RECIPES; i++) {
        hop_graph *whole = whole_graph(work->context, &recipes[i]);
        if (hop_graph_vertices(whole) <= 600) {
            hop_cluster_graph *graph = spread_graph(work, &recipes[i]);
            check_graph(work, graph, whole);
            hop_cluster_graph_free(graph);
        }
        hop_graph_release(whole);
    }
}

/* A graph with weights, by way of a file, on all ranks and whole. */
typedef struct weighted {
    hop_graph *whole;
    hop_cluster_graph *graph;
} weighted;

static weighted weighted_make(job *work, const hop_edges *edges, const hop_build_options *options) {
    shared_path place = path_begin(work, "g.npz");
    weighted made = {NULL, NULL};
    CHECK_OK(work->context, hop_graph_from_edges(work->context, edges, options, &made.whole));
    if (work->rank == 0)
        CHECK_OK(work->context, hop_graph_write(work->context, made.whole, place.path, NULL));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(work->context, hop_cluster_graph_read(work->cluster, place.path, &made.graph));
    path_end(work, &place);
    return made;
}

static void weighted_end(weighted *made) {
    hop_graph_release(made->whole);
    hop_cluster_graph_free(made->graph);
}

enum { N = 200, M = 800 };

/* Random arcs with weights of a type, `most` at most, from `least` on. Floating point: in tenths,
 * which no sum of has the same bits in another order; of negative ones, arcs lead upwards, so that
 * there is no cycle. */
static weighted weighted_random(job *work, hop_type type, int64_t least, int64_t most) {
    static uint32_t from[M], to[M];
    static int64_t wide[M];
    static int32_t narrow[M];
    static float real[M];
    static double real_wide[M];
    bool upwards = least < 0 && most > 0;
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    for (uint32_t i = 0; i < M; i++) {
        from[i] = (uint32_t)(hop__random_at(1, 1, i) % N);
        to[i] = (uint32_t)(hop__random_at(1, 2, i) % N);
        wide[i] = least + (int64_t)(hop__random_at(1, 3, i) % (uint64_t)(most - least + 1));
        narrow[i] = (int32_t)wide[i];
        real_wide[i] = (double)wide[i] / 10;
        real[i] = (float)real_wide[i];
        if (upwards && from[i] > to[i]) {
            uint32_t above = from[i];
            from[i] = to[i];
            to[i] = above;
        }
        if (upwards && from[i] == to[i])
            wide[i] = narrow[i] = 1, real_wide[i] = real[i] = 1;
    }
    edges.from = from;
    edges.to = to;
    edges.count = M;
    edges.weights = type == HOP_TYPE_INT32     ? (const void *)narrow
                    : type == HOP_TYPE_INT64   ? (const void *)wide
                    : type == HOP_TYPE_FLOAT32 ? (const void *)real
                                               : (const void *)real_wide;
    edges.weight_type = type;
    options.vertices = N;
    options.directed = true;
    return weighted_make(work, &edges, &options);
}

/* 32 bits, 64 bits, weights of 0, floating point, negative ones; and what is refused. */
static void check_weights(job *work) {
    const struct {
        hop_type type;
        int64_t least, most;
        const char *refused;
        hop_status status;
    } cases[] = {
        {HOP_TYPE_INT32, 1, 1000, NULL, HOP_OK},
        {HOP_TYPE_INT32, 0, 2, NULL, HOP_OK},
        {HOP_TYPE_INT64, 1, INT64_C(1) << 40, NULL, HOP_OK},
        {HOP_TYPE_INT32, 0, 1 << 30, NULL, HOP_OK},
        {HOP_TYPE_FLOAT32, 0, 999, NULL, HOP_OK},
        {HOP_TYPE_FLOAT64, 1, 999, NULL, HOP_OK},
        {HOP_TYPE_INT32, -5, 900, NULL, HOP_OK},
        {HOP_TYPE_INT64, -900, INT64_C(1) << 40, NULL, HOP_OK},
        {HOP_TYPE_FLOAT32, -300, 900, NULL, HOP_OK},
        {HOP_TYPE_FLOAT64, -300, 900, NULL, HOP_OK},
        {HOP_TYPE_INT64, INT64_C(1) << 60, INT64_C(1) << 60, "a quarter", HOP_ERR_UNSUPPORTED},
        {HOP_TYPE_INT32, -5, -1, "cycle", HOP_ERR_NEGATIVE_CYCLE},
        {HOP_TYPE_FLOAT64, -5, -1, "cycle", HOP_ERR_NEGATIVE_CYCLE}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        weighted made = weighted_random(work, cases[k].type, cases[k].least, cases[k].most);
        hop_cluster_matrix *matrix = NULL;
        if (cases[k].refused == NULL) {
            check_graph(work, made.graph, made.whole);
        } else {
            CHECK(hop_cluster_apsp(work->cluster, made.graph, &matrix) == cases[k].status);
            CHECK(matrix == NULL &&
                  strstr(hop_context_message(work->context), cases[k].refused) != NULL);
        }
        weighted_end(&made);
    }
    CHECK(hop_cluster_apsp(work->cluster, NULL, NULL) == HOP_ERR_ARGUMENT);
}

/* The place of a pair, on the rank that has it. */
static int32_t *number_at(const hop_cluster_matrix *matrix, uint64_t row, uint64_t column) {
    hop_cluster_area area = hop_cluster_matrix_area(matrix);
    uint64_t side = matrix->side;
    if (row - area.first_row >= area.rows || column - area.first_column >= area.columns)
        return NULL;
    void *tile = hop__matrix_tile(matrix, row / side - matrix->first_row,
                                  column / side - matrix->first_column);
    return (int32_t *)tile + row % side * side + column % side;
}

/* Some pairs of a graph of several tiles, each with other values: rejected but for the right one.
 */
static void check_wrong(job *work) {
    weighted made = weighted_random(work, HOP_TYPE_INT32, 0, 2);
    hop_cluster_matrix *matrix = spread_matrix(work, made.graph);
    CHECK(matrix->type == HOP_TYPE_INT32);
    for (uint64_t k = 0; k < 6; k++) {
        uint64_t row = hop__random_at(2, 1, k) % N, column = hop__random_at(2, 2, k) % N;
        int32_t *place = number_at(matrix, row, k % 3 == 0 ? row : column), right = 0;
        for (int32_t change = -1; change <= 1; change++) {
            if (place != NULL) {
                right = *place;
                *place += change;
            }
            CHECK(hop_cluster_apsp_certify(work->cluster, made.graph, matrix) ==
                  (change == 0 ? HOP_OK : HOP_ERR_CERTIFICATE));
            if (place != NULL)
                *place = right;
        }
    }
    hop_cluster_matrix_free(matrix);
    weighted_end(&made);
}

/* The same of floating point, with weights below 0 and without: the next number is wrong. What is
 * sent is what docs/cluster.md says. */
static void check_wrong_reals(job *work) {
    for (int64_t least = -300; least <= 0; least += 300) {
        weighted made = weighted_random(work, HOP_TYPE_FLOAT32, least, 900);
        hop_cluster_reset(work->cluster);
        hop_cluster_matrix *matrix = spread_matrix(work, made.graph);
        CHECK(bytes_of(work, "apsp: all arcs") == 12 * made.graph->arc_count * (work->ranks - 1));
        for (uint64_t k = 0; k < 3; k++) {
            uint64_t row = hop__random_at(3, 1, k) % N, column = hop__random_at(3, 2, k) % N;
            uint64_t place = hop__matrix_place(matrix, row, column);
            bool here = row - matrix->first_row < matrix->rows;
            float *number = here ? (float *)(void *)matrix->numbers + place : NULL;
            float right = here ? *number : 0;
            if (here)
                *number = isinf(right) ? 1e6F : nextafterf(right, HUGE_VALF);
            CHECK(hop_cluster_apsp_certify(work->cluster, made.graph, matrix) ==
                  HOP_ERR_CERTIFICATE);
            if (here)
                *number = right;
        }
        CHECK_OK(work->context, hop_cluster_apsp_certify(work->cluster, made.graph, matrix));
        hop_cluster_matrix_free(matrix);
        weighted_end(&made);
    }
}

/* Two vertices with arcs of weight 0 between them, that nothing else leads to: with any distance
 * from a third they agree with each other, and only going back tells. */
static void check_ungrounded(job *work) {
    const uint32_t from[] = {0, 1, 0}, to[] = {1, 0, 2};
    const int32_t weights[] = {0, 0, 5};
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    edges.from = from;
    edges.to = to;
    edges.count = 3;
    edges.weights = weights;
    edges.weight_type = HOP_TYPE_INT32;
    options.directed = true;
    weighted made = weighted_make(work, &edges, &options);
    hop_cluster_matrix *matrix = spread_matrix(work, made.graph);
    for (uint64_t v = 0; v < 2; v++)
        if (number_at(matrix, 2, v) != NULL)
            *number_at(matrix, 2, v) = 3;
    CHECK(hop_cluster_apsp_certify(work->cluster, made.graph, matrix) == HOP_ERR_CERTIFICATE);
    CHECK(strstr(hop_context_message(work->context), "is that of no path") != NULL);
    hop_cluster_matrix_free(matrix);
    weighted_end(&made);
}

int main(void) {
    job work = job_begin();
    check_recipes(&work);
    check_weights(&work);
    check_wrong(&work);
    check_wrong_reals(&work);
    check_ungrounded(&work);
    job_end(&work);
    return 0;
}
