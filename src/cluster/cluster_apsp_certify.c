/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks a matrix of distances, row by row of it, without the rounds that made it.
 *
 * 1. No distance is below 0, and that of a vertex to itself is 0.
 * 2. No arc from v to w makes a distance shorter: d(u, w) <= d(u, v) + weight.
 * 3. Every other distance is grounded: d(u, w) = d(u, v) + weight for some arc, whose weight is not
 *    0, or where d(u, v) is 0 or grounded itself. So, going back, distances fall or come nearer to
 *    u by one pass each, and end at u: there is a path of that length; and by 2 no shorter one.
 *
 * The ranks of a column of the grid get all arcs to the vertices of their columns. Columns of the
 * matrix are shared across the rows of the grid, a column of tiles at a time: who has the pairs
 * (u, w) sees the pairs (u, v). One pass where no weight is 0; else passes until nothing is
 * grounded any more, in which what is grounded is shared too.
 *
 * Cost: n m / p sums a pass. Bytes sent: 16 for each arc and row of the grid; 1 / down of the
 * matrix a pass. Memory: a byte for each pair of this rank, 32 for each arc to its columns. */
#include <inttypes.h>
#include <string.h>

#include "cluster/cluster_matrix.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/try.h"

typedef struct proof {
    hop_cluster *cluster;
    hop_context *context;
    const hop_cluster_matrix *matrix;
    hop_cluster_area area;
    hop__matrix_arc *arcs;   /* by the column of tiles of their sources */
    uint64_t *starts;        /* of each such column, and one more */
    unsigned char *grounded; /* of each number of this rank */
    unsigned char *column;   /* tiles that are shared: distances, */
    unsigned char *ground;   /* and whether they are grounded */
    bool zeros;              /* some weight is 0 */
    uint64_t changed;
} proof;

static hop_status rejected(const proof *work, uint64_t source, uint64_t target, const char *why) {
    hop__fail(work->context, HOP_ERR_CERTIFICATE,
              "certify: the distance from vertex %" PRIu64 " to vertex %" PRIu64 " %s", source,
              target, why);
    return hop__note_vertex(work->context, HOP_KIND_CERTIFICATE, target);
}

/* Tiles of this rank, and rows and columns of them that are in the matrix. */
static uint64_t numbers_of(const hop_cluster_matrix *matrix) {
    return matrix->rows * matrix->columns * matrix->side * matrix->side;
}

/* By the columns of tiles of their sources. */
static hop_status arcs_take(proof *work, const hop__inbox *inbox) {
    const hop_cluster_matrix *matrix = work->matrix;
    const hop__matrix_arc *came = inbox->records;
    uint64_t numbers = numbers_of(matrix), tile = hop__matrix_tile_bytes(matrix);
    hop_status status;
    HOP_TRY(status,
            hop__alloc(work->context, "certify: arcs", inbox->count, sizeof *came, &work->arcs));
    HOP_TRY(status,
            hop__alloc_zero(work->context, "certify: arcs", matrix->tiles + 2, 8, &work->starts));
    HOP_TRY(status, hop__alloc_zero(work->context, "certify: pairs", numbers, 1, &work->grounded));
    HOP_TRY(status, hop__alloc(work->context, "certify: column", matrix->rows, (size_t)tile,
                               &work->column));
    HOP_TRY(status, hop__alloc(work->context, "certify: column", matrix->rows,
                               (size_t)(tile / matrix->size), &work->ground));
    for (uint64_t k = 0; k < inbox->count; k++)
        work->starts[came[k].source / matrix->side + 2]++;
    for (uint64_t t = 2; t < matrix->tiles + 2; t++)
        work->starts[t] += work->starts[t - 1];
    for (uint64_t k = 0; k < inbox->count; k++) {
        work->arcs[work->starts[came[k].source / matrix->side + 1]++] = came[k];
        work->zeros = work->zeros || came[k].weight == 0;
    }
done:
    return status;
}

/* Rule 1. */
static hop_status check_own(const proof *work) {
    const hop_cluster_area *area = &work->area;
    for (uint64_t row = area->first_row; row < area->first_row + area->rows; row++)
        for (uint64_t v = area->first_column; v < area->first_column + area->columns; v++) {
            uint64_t at = hop__matrix_place(work->matrix, row, v);
            int64_t distance = hop__matrix_number(work->matrix, work->matrix->numbers, at);
            if (distance < 0 || (row == v && distance != 0))
                return rejected(work, row, v, row == v ? "is not 0" : "is negative");
            work->grounded[at] = row == v;
        }
    return HOP_OK;
}

/* Rules 2 and 3 for an arc, of all rows of this rank. */
static hop_status check_arc(proof *work, const hop__matrix_arc *arc) {
    const hop_cluster_matrix *matrix = work->matrix;
    const hop_cluster_area *area = &work->area;
    uint64_t side = matrix->side, column = arc->target / side - matrix->first_column;
    for (uint64_t row = 0; row < area->rows; row++) {
        /* Tiles of the column follow each other, and so do their rows. */
        uint64_t tile = row / side, from = row * side + arc->source % side;
        uint64_t at = ((tile * matrix->columns + column) * side + row - tile * side) * side +
                      arc->target % side;
        int64_t before = hop__matrix_number(matrix, work->column, from);
        int64_t distance = hop__matrix_number(matrix, matrix->numbers, at);
        if (before > matrix->far / 2)
            continue;
        if (before + arc->weight < distance)
            return rejected(work, area->first_row + row, arc->target,
                            "is not the shortest: an arc makes it shorter");
        if (before + arc->weight == distance && !work->grounded[at] &&
            (arc->weight > 0 || work->ground[from])) {
            work->grounded[at] = 1;
            work->changed++;
        }
    }
    return HOP_OK;
}

/* Column number `k` of tiles to all ranks of its rows; with zeros, what is grounded of it too. */
static hop_status column_share(proof *work, uint64_t k) {
    const hop_cluster_matrix *matrix = work->matrix;
    uint64_t bytes = hop__matrix_tile_bytes(matrix), pairs = bytes / matrix->size;
    uint32_t root = hop__matrix_grid_column(matrix, k);
    hop_status status;
    for (uint64_t i = 0; matrix->grid_column == root && i < matrix->rows; i++) {
        uint64_t j = k - matrix->first_column, tile = i * matrix->columns + j;
        memcpy(work->column + i * bytes, hop__matrix_tile(matrix, i, j), bytes);
        memcpy(work->ground + i * pairs, work->grounded + tile * pairs, pairs);
    }
    HOP_TRY(status, hop__share_across(work->cluster, matrix, "certify: columns", root, work->column,
                                      matrix->rows * bytes));
    if (work->zeros)
        HOP_TRY(status, hop__share_across(work->cluster, matrix, "certify: grounded", root,
                                          work->ground, matrix->rows * pairs));
done:
    return status;
}

/* All arcs once. A rank that has found something goes on sharing. */
static hop_status pass(proof *work, hop_status found) {
    hop_status status = HOP_OK, stopped;
    work->changed = 0;
    hop__progress_begin(work->context, "certify: columns", work->matrix->tiles);
    for (uint64_t k = 0; status == HOP_OK && k < work->matrix->tiles; k++) {
        status = column_share(work, k);
        for (uint64_t a = work->starts[k];
             status == HOP_OK && found == HOP_OK && a < work->starts[k + 1]; a++)
            found = check_arc(work, &work->arcs[a]);
        (void)hop__progress_add(work->context, 1);
    }
    stopped = hop__progress_end(work->context);
    if (status != HOP_OK)
        goto done;
    found = found == HOP_OK ? stopped : found;
    status = hop__sum_agreed(work->cluster, found, &work->changed, 1);
done:
    return status;
}

/* Rule 3, after the last pass. */
static hop_status check_grounded(const proof *work) {
    const hop_cluster_area *area = &work->area;
    for (uint64_t row = area->first_row; row < area->first_row + area->rows; row++)
        for (uint64_t v = area->first_column; v < area->first_column + area->columns; v++) {
            uint64_t at = hop__matrix_place(work->matrix, row, v);
            if (!work->grounded[at] && hop__matrix_number(work->matrix, work->matrix->numbers,
                                                          at) <= work->matrix->far / 2)
                return rejected(work, row, v, "is that of no path");
        }
    return HOP_OK;
}

static hop_status matrix_check(hop_context *context, const hop_cluster_graph *graph,
                               const hop_cluster_matrix *matrix) {
    if (graph == NULL || matrix == NULL)
        return hop__missing(context, "hop_cluster_apsp_certify");
    bool by_rows = graph->negative || hop_distance_type(graph->weight_type) != HOP_TYPE_INT64;
    if (graph->vertices != matrix->vertices || by_rows != matrix->by_rows ||
        hop_distance_type(graph->weight_type) != hop_cluster_matrix_type(matrix))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "certify: the matrix, of %" PRIu64 " vertices, is not of this graph",
                         matrix->vertices);
    return HOP_OK;
}

hop_status hop_cluster_apsp_certify(hop_cluster *cluster, const hop_cluster_graph *graph,
                                    const hop_cluster_matrix *matrix) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    proof work = {.cluster = cluster, .context = cluster->context, .matrix = matrix};
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    uint64_t zeros;
    hop_status status = matrix_check(work.context, graph, matrix);
    HOP_TRY(status, hop__cluster_begin(cluster, "hop_cluster_apsp_certify",
                                       status == HOP_OK ? graph->arcs : 0, status));
    if (matrix->by_rows)
        return hop__matrix_rows_certify(cluster, graph, matrix);
    work.area = hop_cluster_matrix_area(matrix);
    HOP_TRY(status, hop__matrix_arcs(cluster, graph, matrix, "certify: arcs", true, &inbox));
    status = arcs_take(&work, &inbox);
    hop__inbox_clear(&inbox);
    zeros = work.zeros;
    HOP_TRY(status, hop__sum_agreed(cluster, status, &zeros, 1));
    work.zeros = zeros > 0;
    status = check_own(&work);
    do {
        HOP_TRY(status, pass(&work, status));
    } while (work.zeros && work.changed > 0);
    status = hop__agree(cluster, check_grounded(&work));
done:
    hop__inbox_clear(&inbox);
    hop__free(work.arcs);
    hop__free(work.starts);
    hop__free(work.grounded);
    hop__free(work.column);
    hop__free(work.ground);
    return status;
}
