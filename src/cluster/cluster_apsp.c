/* SPDX-License-Identifier: Apache-2.0
 *
 * Distances between all pairs over the ranks: Floyd and Warshall's rounds by tiles, on a grid of
 * ranks (cluster_matrix.h), as in apsp_blocked_disk.c, with the library's kernels for tiles.
 *
 * A round for each tile on the diagonal:
 *   1. who has it closes it, and shares it with its row and its column of the grid;
 *   2. these multiply their tiles of its row and its column of tiles by it;
 *   3. they share these tiles: those of the row down the columns of the grid, those of the column
 *      across its rows;
 *   4. every rank gives each other tile of its own the product of the two that it meets there.
 * Nobody can fail once all arrays are there, so nobody waits for all in a round: a rank waits for
 * those of its row and column of the grid alone. Who is told to stop goes on without work, and all
 * learn of it in the end.
 *
 * Cost: n^3 / p sums; n / side rounds. Bytes sent: of the matrix, on the mean, (1 / down +
 * 1 / across) of its bytes by each rank, from one to all others of a row or column of the grid in
 * turn; 16 for each arc whose tile another rank has. Memory: the tiles, and side / n of
 * (down + across) times as much for what is shared. */
#include <inttypes.h>
#include <string.h>

#include "apsp/tile_engine.h"
#include "cluster/cluster_matrix.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/try.h"

enum { SIDE_MOST = 512, TILES_EACH = 4 };

/* ---- the grid -------------------------------------------------------------------------------- */

/* As near to a square as the number of ranks allows. */
static void grid_make(const hop_cluster *cluster, hop_cluster_matrix *matrix) {
    uint32_t down = 1;
    for (uint32_t k = 2; (uint64_t)k * k <= cluster->ranks; k++)
        if (cluster->ranks % k == 0)
            down = k;
    matrix->down = down;
    matrix->across = cluster->ranks / down;
    matrix->grid_row = cluster->rank / matrix->across;
    matrix->grid_column = cluster->rank % matrix->across;
}

/* Some tiles for each rank along its side, so that none has many more than another. */
static void tiles_make(hop_cluster_matrix *matrix) {
    uint64_t each = TILES_EACH * (uint64_t)matrix->across;
    uint64_t wanted = matrix->vertices / each + (matrix->vertices % each != 0);
    uint64_t grain = HOP__TILE_ENGINE_GRAIN;
    matrix->side = (wanted + grain - 1) / grain * grain;
    matrix->side = matrix->side < grain ? grain : matrix->side;
    matrix->side = matrix->side > SIDE_MOST ? SIDE_MOST : matrix->side;
    matrix->tiles = matrix->vertices / matrix->side + (matrix->vertices % matrix->side != 0);
    matrix->first_row = hop__even_start(matrix->tiles, matrix->down, matrix->grid_row);
    matrix->rows = hop__even_size(matrix->tiles, matrix->down, matrix->grid_row);
    matrix->first_column = hop__even_start(matrix->tiles, matrix->across, matrix->grid_column);
    matrix->columns = hop__even_size(matrix->tiles, matrix->across, matrix->grid_column);
}

/* Whole rows of the type of the library, for floating-point and negative weights. */
static void rows_deal(const hop_cluster *cluster, const hop_cluster_graph *graph,
                      hop_cluster_matrix *matrix) {
    matrix->type = hop_distance_type(graph->weight_type);
    matrix->size = hop_type_size(matrix->type);
    matrix->down = cluster->ranks;
    matrix->across = 1;
    matrix->grid_row = cluster->rank;
    matrix->first_row = hop__even_start(graph->vertices, cluster->ranks, cluster->rank);
    matrix->rows = hop__even_size(graph->vertices, cluster->ranks, cluster->rank);
    matrix->columns = graph->vertices;
}

/* Whether all distances fit, and 32 bits are enough. Weights are integers, none is negative. */
static hop_status type_find(hop_context *context, const hop_cluster_graph *graph,
                            hop_cluster_matrix *matrix) {
    uint64_t most = graph->weight_type == HOP_TYPE_NONE ? 1 : graph->most_weight;
    uint64_t links = graph->vertices > 0 ? graph->vertices - 1 : 0;
    if (most > 0 && links > INT64_MAX / 4 / most)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "apsp: sums of %" PRIu64 " weights up to %" PRIu64
                         " may exceed a quarter of what int64 holds, which it keeps free",
                         links, most);
    bool narrow = links * most < INT32_MAX / 4;
    matrix->type = narrow ? HOP_TYPE_INT32 : HOP_TYPE_INT64;
    matrix->size = narrow ? 4 : 8;
    matrix->far = narrow ? INT32_MAX / 2 : INT64_MAX / 2;
    return HOP_OK;
}

static hop_status graph_check(hop_context *context, const hop_cluster_graph *graph) {
    if (graph->vertices > HOP_MAX_VERTICES)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "apsp: %" PRIu64 " vertices, at most %" PRIu32 " are possible",
                         graph->vertices, (uint32_t)HOP_MAX_VERTICES);
    return HOP_OK;
}

/* ---- arcs ------------------------------------------------------------------------------------ */

static int64_t arc_weight(const hop_cluster_graph *graph, uint64_t arc) {
    if (graph->weight_type == HOP_TYPE_INT32)
        return ((const int32_t *)graph->weights)[arc];
    return graph->weight_type == HOP_TYPE_INT64 ? ((const int64_t *)graph->weights)[arc] : 1;
}

/* The ranks that get an arc: from *first on, *count of them, `across` apart. */
static void arc_ranks(const hop_cluster_matrix *matrix, uint64_t source, uint64_t target,
                      bool targets, uint32_t *first, uint32_t *count) {
    uint32_t row = targets ? 0 : hop__matrix_grid_row(matrix, source / matrix->side);
    *first = row * matrix->across + hop__matrix_grid_column(matrix, target / matrix->side);
    *count = targets ? matrix->down : 1;
}

/* Counts the arcs for each rank (`arcs` NULL), or puts them to their places; loops are no ways. */
static void arcs_pass(const hop_cluster_graph *graph, const hop_cluster_matrix *matrix,
                      bool targets, uint64_t *places, hop__matrix_arc *arcs) {
    uint32_t first, count;
    for (uint64_t row = 0; row < graph->row_count; row++) {
        uint64_t source = hop__row_vertex(graph, row);
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++) {
            uint64_t target = hop__end_vertex(graph, arc);
            if (target == source)
                continue;
            arc_ranks(matrix, source, target, targets, &first, &count);
            for (uint32_t k = 0; k < count; k++) {
                uint64_t place = places[first + k * matrix->across]++;
                if (arcs != NULL)
                    arcs[place] = (hop__matrix_arc){(uint32_t)source, (uint32_t)target,
                                                    arc_weight(graph, arc)};
            }
        }
    }
}

hop_status hop__matrix_arcs(hop_cluster *cluster, const hop_cluster_graph *graph,
                            const hop_cluster_matrix *matrix, const char *phase, bool targets,
                            hop__inbox *inbox) {
    uint64_t *counts = NULL, *places, total = 0;
    hop__matrix_arc *arcs = NULL;
    hop_status status =
        hop__alloc_zero(cluster->context, phase, 2 * (uint64_t)cluster->ranks, 8, &counts);
    if (status == HOP_OK) {
        places = counts + cluster->ranks;
        arcs_pass(graph, matrix, targets, counts, NULL);
        for (uint32_t rank = 0; rank < cluster->ranks; rank++) {
            places[rank] = total;
            total += counts[rank];
        }
        status = hop__alloc(cluster->context, phase, total, sizeof *arcs, &arcs);
        if (status == HOP_OK)
            arcs_pass(graph, matrix, targets, places, arcs);
    }
    status = hop__exchange(cluster, phase, status, sizeof *arcs, arcs, counts, inbox);
    hop__free(counts);
    hop__free(arcs);
    return status;
}

static void number_set(const hop_cluster_matrix *matrix, void *numbers, uint64_t at,
                       int64_t value) {
    if (matrix->type == HOP_TYPE_INT32)
        ((int32_t *)numbers)[at] = (int32_t)value;
    else
        ((int64_t *)numbers)[at] = value;
}

/* As the arcs say: the lightest of parallel ones. */
static void matrix_fill(hop_cluster_matrix *matrix, const hop__inbox *inbox) {
    uint64_t side = matrix->side, all = matrix->rows * matrix->columns * side * side;
    const hop__matrix_arc *arcs = inbox->records;
    for (uint64_t at = 0; at < all; at++)
        number_set(matrix, matrix->numbers, at, matrix->far);
    for (uint64_t k = 0; k < inbox->count; k++) {
        uint64_t at = hop__matrix_place(matrix, arcs[k].source, arcs[k].target);
        if (arcs[k].weight < hop__matrix_number(matrix, matrix->numbers, at))
            number_set(matrix, matrix->numbers, at, arcs[k].weight);
    }
    for (uint64_t v = matrix->first_row * side; v < (matrix->first_row + matrix->rows) * side; v++)
        if (v < matrix->vertices && v / side - matrix->first_column < matrix->columns)
            number_set(matrix, matrix->numbers, hop__matrix_place(matrix, v, v), 0);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

typedef struct rounds {
    hop_cluster *cluster;
    hop_cluster_matrix *matrix;
    hop__tile_engine *engine;
    unsigned char *diagonal, *row, *column; /* tiles that are shared */
    hop_status status;                      /* of this rank: who has stopped */
} rounds;

static void multiply(rounds *work, void *c, const void *a, const void *b) {
    if (work->status == HOP_OK)
        work->status = hop__tile_engine_multiply(work->engine, c, a, b);
}

/* Steps 1 and 2 of the round `k`. */
static hop_status cross_make(rounds *work, uint64_t k) {
    const hop_cluster_matrix *matrix = work->matrix;
    uint64_t bytes = hop__matrix_tile_bytes(matrix), i = k - matrix->first_row;
    uint64_t j = k - matrix->first_column;
    uint32_t row = hop__matrix_grid_row(matrix, k), column = hop__matrix_grid_column(matrix, k);
    hop_status status = HOP_OK;
    if (matrix->grid_row == row && matrix->grid_column == column) {
        if (work->status == HOP_OK)
            work->status = hop__tile_engine_close(work->engine, hop__matrix_tile(matrix, i, j));
        memcpy(work->diagonal, hop__matrix_tile(matrix, i, j), bytes);
    }
    if (matrix->grid_column == column)
        HOP_TRY(status, hop__share_down(work->cluster, matrix, "apsp: diagonal", row,
                                        work->diagonal, bytes));
    if (matrix->grid_row == row)
        HOP_TRY(status, hop__share_across(work->cluster, matrix, "apsp: diagonal", column,
                                          work->diagonal, bytes));
    for (uint64_t t = 0; matrix->grid_row == row && t < matrix->columns; t++) {
        unsigned char *tile = hop__matrix_tile(matrix, i, t), *copy = work->row + t * bytes;
        memcpy(copy, tile, bytes);
        if (t != j)
            multiply(work, tile, work->diagonal, copy);
        memcpy(copy, tile, bytes);
    }
    for (uint64_t t = 0; matrix->grid_column == column && t < matrix->rows; t++) {
        unsigned char *tile = hop__matrix_tile(matrix, t, j), *copy = work->column + t * bytes;
        memcpy(copy, tile, bytes);
        if (t != i)
            multiply(work, tile, copy, work->diagonal);
        memcpy(copy, tile, bytes);
    }
done:
    return status;
}

/* Steps 3 and 4. */
static hop_status rest_make(rounds *work, uint64_t k) {
    const hop_cluster_matrix *matrix = work->matrix;
    uint64_t bytes = hop__matrix_tile_bytes(matrix);
    hop_status status;
    HOP_TRY(status,
            hop__share_down(work->cluster, matrix, "apsp: rows", hop__matrix_grid_row(matrix, k),
                            work->row, matrix->columns * bytes));
    HOP_TRY(status, hop__share_across(work->cluster, matrix, "apsp: columns",
                                      hop__matrix_grid_column(matrix, k), work->column,
                                      matrix->rows * bytes));
    for (uint64_t i = 0; i < matrix->rows; i++)
        for (uint64_t j = 0; j < matrix->columns; j++)
            if (i + matrix->first_row != k && j + matrix->first_column != k)
                multiply(work, hop__matrix_tile(matrix, i, j), work->column + i * bytes,
                         work->row + j * bytes);
done:
    return status;
}

static hop_status rounds_open(rounds *work) {
    const hop_cluster_matrix *matrix = work->matrix;
    hop_context *context = work->cluster->context;
    uint64_t bytes = hop__matrix_tile_bytes(matrix);
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "apsp: diagonal", bytes, 1, &work->diagonal));
    HOP_TRY(status, hop__alloc(context, "apsp: rows", matrix->columns, bytes, &work->row));
    HOP_TRY(status, hop__alloc(context, "apsp: columns", matrix->rows, bytes, &work->column));
    HOP_TRY(status, hop__tile_engine_open(context, matrix->type, matrix->side, &work->engine));
done:
    return status;
}

/* Of all ranks, though some have no part in some of them. */
static void phases_open(hop_cluster *cluster) {
    static const char *const names[] = {"apsp: diagonal", "apsp: rows", "apsp: columns"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        (void)hop__cluster_phase(cluster, names[i]);
}

/* Sums of two distances that this rank makes, as its engine counts them, but for those along the
 * diagonal. */
static uint64_t sums_count(const hop_cluster_matrix *matrix) {
    uint64_t side = matrix->side;
    return matrix->tiles * matrix->rows * matrix->columns * side * side * side;
}

static hop_status rounds_run(hop_cluster *cluster, hop_cluster_matrix *matrix) {
    rounds work = {.cluster = cluster, .matrix = matrix};
    phases_open(cluster);
    hop_status status = hop__agree(cluster, rounds_open(&work)), stopped;
    if (status == HOP_OK) /* the phase that the engine has begun, with what there is to do */
        hop__progress_resume(cluster->context, "apsp: tiles", sums_count(matrix), 0);
    for (uint64_t k = 0; status == HOP_OK && k < matrix->tiles; k++) {
        status = cross_make(&work, k);
        if (status == HOP_OK)
            status = rest_make(&work, k);
    }
    stopped = hop__tile_engine_free(work.engine);
    if (status == HOP_OK)
        status = hop__agree(cluster, stopped != HOP_OK ? stopped : work.status);
    hop__free(work.diagonal);
    hop__free(work.row);
    hop__free(work.column);
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* Decides how it is dealt; room for the part of this rank. */
static hop_status matrix_open(hop_cluster *cluster, const hop_cluster_graph *graph,
                              hop_cluster_matrix *matrix) {
    hop_status status = HOP_OK;
    matrix->vertices = graph->vertices;
    matrix->by_rows = graph->negative || hop_distance_type(graph->weight_type) != HOP_TYPE_INT64;
    if (matrix->by_rows) {
        rows_deal(cluster, graph, matrix);
        return hop__alloc(cluster->context, "apsp: rows", matrix->rows * matrix->columns,
                          matrix->size, &matrix->numbers);
    }
    HOP_TRY(status, type_find(cluster->context, graph, matrix));
    grid_make(cluster, matrix);
    tiles_make(matrix);
    status = hop__alloc(cluster->context, "apsp: tiles", matrix->rows * matrix->columns,
                        (size_t)hop__matrix_tile_bytes(matrix), &matrix->numbers);
done:
    return status;
}

hop_status hop_cluster_apsp(hop_cluster *cluster, const hop_cluster_graph *graph,
                            hop_cluster_matrix **slot) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    hop_context *context = cluster->context;
    hop_cluster_matrix *matrix = NULL;
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    hop_status status = graph == NULL || slot == NULL ? hop__missing(context, "hop_cluster_apsp")
                                                      : graph_check(context, graph);
    if (slot != NULL)
        *slot = NULL;
    if (status == HOP_OK)
        status = hop__alloc_zero(context, "apsp: matrix", 1, sizeof *matrix, &matrix);
    if (status == HOP_OK)
        status = matrix_open(cluster, graph, matrix);
    HOP_TRY(status, hop__cluster_begin(cluster, "hop_cluster_apsp",
                                       status == HOP_OK ? graph->arcs : 0, status));
    if (matrix->by_rows) {
        HOP_TRY(status, hop__matrix_rows_run(cluster, graph, matrix));
    } else {
        HOP_TRY(status, hop__matrix_arcs(cluster, graph, matrix, "apsp: arcs", false, &inbox));
        matrix_fill(matrix, &inbox);
        hop__inbox_clear(&inbox);
        HOP_TRY(status, rounds_run(cluster, matrix));
    }
    *slot = matrix;
    matrix = NULL;
done:
    hop__inbox_clear(&inbox);
    hop_cluster_matrix_free(matrix);
    return status;
}
