/* SPDX-License-Identifier: Apache-2.0
 *
 * All pairs over the ranks: the distances of the library; certified; and every wrong one is
 * rejected. */
#include "cluster/cluster_matrix.h"
#include "cluster_testing.h"

/* The whole matrix of the library. */
static int64_t *whole_matrix(job *work, const hop_graph *whole) {
    uint64_t n = hop_graph_vertices(whole);
    hop_span matrix = {calloc((size_t)(n * n) + 1, 8), n * n, HOP_TYPE_INT64};
    CHECK_OK(work->context, hop_apsp(work->context, whole, NULL, &matrix, NULL));
    return matrix.items;
}

static hop_cluster_matrix *spread_matrix(job *work, const hop_cluster_graph *graph) {
    hop_cluster_matrix *matrix = NULL;
    CHECK_OK(work->context, hop_cluster_apsp(work->cluster, graph, &matrix));
    return matrix;
}

static void check_graph(job *work, const hop_cluster_graph *graph, const hop_graph *whole) {
    int64_t *expected = whole_matrix(work, whole);
    hop_cluster_matrix *matrix = spread_matrix(work, graph);
    hop_cluster_area area = hop_cluster_matrix_area(matrix);
    uint64_t n = hop_graph_vertices(whole), pairs = area.rows * area.columns;
    for (uint64_t i = area.first_row; i < area.first_row + area.rows; i++)
        for (uint64_t j = area.first_column; j < area.first_column + area.columns; j++)
            CHECK(hop_cluster_matrix_at(matrix, i, j) == expected[i * n + j]);
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

/* Random arcs with weights of a type, `most` at most, from `least` on. */
static weighted weighted_random(job *work, hop_type type, int64_t least, int64_t most) {
    static uint32_t from[M], to[M];
    static int64_t wide[M];
    static int32_t narrow[M];
    static float real[M];
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    for (uint32_t i = 0; i < M; i++) {
        from[i] = (uint32_t)(hop__random_at(1, 1, i) % N);
        to[i] = (uint32_t)(hop__random_at(1, 2, i) % N);
        wide[i] = least + (int64_t)(hop__random_at(1, 3, i) % (uint64_t)(most - least + 1));
        narrow[i] = (int32_t)wide[i];
        real[i] = (float)wide[i];
    }
    edges.from = from;
    edges.to = to;
    edges.count = M;
    edges.weights = type == HOP_TYPE_INT32   ? (const void *)narrow
                    : type == HOP_TYPE_INT64 ? (const void *)wide
                                             : (const void *)real;
    edges.weight_type = type;
    options.vertices = N;
    options.directed = true;
    return weighted_make(work, &edges, &options);
}

/* 32 bits, 64 bits, weights of 0; and what is refused. */
static void check_weights(job *work) {
    const struct {
        hop_type type;
        int64_t least, most;
        const char *refused;
    } cases[] = {{HOP_TYPE_INT32, 1, 1000, NULL},
                 {HOP_TYPE_INT32, 0, 2, NULL},
                 {HOP_TYPE_INT64, 1, INT64_C(1) << 40, NULL},
                 {HOP_TYPE_INT32, 0, 1 << 30, NULL},
                 {HOP_TYPE_INT64, INT64_C(1) << 60, INT64_C(1) << 60, "a quarter"},
                 {HOP_TYPE_INT32, -1, 5, "negative"},
                 {HOP_TYPE_FLOAT32, 1, 5, "integers"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        weighted made = weighted_random(work, cases[k].type, cases[k].least, cases[k].most);
        hop_cluster_matrix *matrix = NULL;
        if (cases[k].refused == NULL) {
            check_graph(work, made.graph, made.whole);
        } else {
            CHECK(hop_cluster_apsp(work->cluster, made.graph, &matrix) == HOP_ERR_UNSUPPORTED);
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
    check_ungrounded(&work);
    job_end(&work);
    return 0;
}
