/* SPDX-License-Identifier: Apache-2.0
 * Making and finishing matrices of distances; see apsp_matrix.h. */
#include "apsp/apsp_matrix.h"

#include <string.h>

#include "core/parallel.h"
#include "core/progress.h"

enum { FILL_ROWS = 16, PIECE = 1 << 16 };

/* --- filling --------------------------------------------------------------------------------- */

typedef struct fill_job {
    hop_context *progress; /* NULL: none is told */
    const hop_graph *graph;
    hop__area area;
    void *out;
    uint64_t stride;
    bool is_far;
} fill_job;

#define TEMPLATE "apsp/apsp_matrix_template.h"
#include "graph/each_weighted.h"

static const struct {
    hop__range_fn fill, mark;
    void (*fill_far)(void *out, uint64_t count);
} steps[] = {
#define ITEM(domain, type) [type] = {domain##_fill, domain##_mark, domain##_fill_far},
    HOP__EACH_WEIGHTED(ITEM)
#undef ITEM
};

void hop__apsp_fill(const hop_context *context, const hop_graph *graph, hop_weight_type type,
                    hop__area area, void *out, uint64_t stride) {
    fill_job job = {NULL, graph, area, out, stride, true};
    hop__for(context, area.rows, FILL_ROWS, steps[type].fill, &job);
}

bool hop__apsp_fill_whole(hop_context *context, const hop_graph *graph, hop_weight_type type,
                          bool is_far, void *out) {
    const uint64_t n = graph->vertices;
    fill_job job = {context, graph, {0, 0, n, n}, out, n, is_far};
    hop__for(context, n, FILL_ROWS, steps[type].fill, &job);
    return hop__progress_add(context, 0);
}

void hop__apsp_fill_tile(const hop_context *context, const hop_graph *graph, hop_weight_type type,
                         uint64_t side, uint64_t i, uint64_t j, void *tile) {
    const uint64_t n = graph->vertices, row = i * side, column = j * side;
    const uint64_t rows = n - row < side ? n - row : side;
    const uint64_t columns = n - column < side ? n - column : side;
    const size_t size = hop_type_size(type);
    hop__apsp_fill(context, graph, type, (hop__area){row, column, rows, columns}, tile, side);
    for (uint64_t r = 0; r < rows && columns < side; r++)
        steps[type].fill_far((char *)tile + (r * side + columns) * size, side - columns);
    steps[type].fill_far((char *)tile + rows * side * size, (side - rows) * side);
}

/* --- finishing ------------------------------------------------------------------------------- */

/* Entries first .. of int32 to int64, in the same memory. Those of the upper half go to where no
 * entry is read any more; then those of the upper half of the rest, and so on. */
typedef struct stretch_job {
    void *matrix;
    uint64_t first;
} stretch_job;

static void stretch_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const stretch_job *job = arg;
    (void)thread;
    for (uint64_t i = end; i-- > begin;) { /* downwards: the last piece overlaps itself */
        int32_t d;
        memcpy(&d, (const char *)job->matrix + (job->first + i) * sizeof d, sizeof d);
        int64_t wide = d > HOP__FAR_32 / 2 ? HOP_NO_DISTANCE : d;
        memcpy((char *)job->matrix + (job->first + i) * sizeof wide, &wide, sizeof wide);
    }
}

static void stretch(const hop_context *context, uint64_t count, void *matrix) {
    while (count > PIECE) {
        stretch_job half = {matrix, count / 2 + count % 2};
        hop__for(context, count - half.first, PIECE, stretch_range, &half);
        count = half.first;
    }
    stretch_job last = {matrix, 0};
    stretch_range(&last, 0, count, 0);
}

void hop__apsp_finish(const hop_context *context, hop_weight_type type, hop_weight_type wanted,
                      uint64_t count, void *matrix) {
    if (type != wanted)
        stretch(context, count, matrix);
    else if (hop__is_integer_type(type))
        hop__for(context, count, PIECE, steps[type].mark, matrix);
}
