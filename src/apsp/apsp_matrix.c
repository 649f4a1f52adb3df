/* SPDX-License-Identifier: Apache-2.0
 * Making and finishing matrices of distances; see apsp_matrix.h. */
#include "apsp/apsp_matrix.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"

enum { FILL_ROWS = 16, PIECE = 1 << 16 };

/* --- filling --------------------------------------------------------------------------------- */

typedef struct fill_job {
    const hop_graph *graph;
    hop__area area;
    void *out;
    uint64_t stride;
} fill_job;

#define FILL               fill_int32
#define NUMBER             int32_t
#define FAR                HOP__FAR_32
#define WEIGHT(graph, arc) ((int32_t)hop__apsp_integer_weight(graph, arc))
#include "apsp/apsp_fill_template.h"

#define FILL               fill_int64
#define NUMBER             int64_t
#define FAR                HOP__FAR_64
#define WEIGHT(graph, arc) hop__apsp_integer_weight(graph, arc)
#include "apsp/apsp_fill_template.h"

#define FILL               fill_float32
#define NUMBER             float
#define FAR                ((float)HUGE_VAL)
#define WEIGHT(graph, arc) (0.0f + ((const float *)(graph)->weights)[arc])
#include "apsp/apsp_fill_template.h"

#define FILL               fill_float64
#define NUMBER             double
#define FAR                HUGE_VAL
#define WEIGHT(graph, arc) (0.0 + ((const double *)(graph)->weights)[arc])
#include "apsp/apsp_fill_template.h"

void hop__apsp_fill(const hop_context *context, const hop_graph *graph, hop_weight_type type,
                    hop__area area, void *out, uint64_t stride) {
    static const hop__range_fn fill[] = {[HOP_WEIGHT_INT32] = fill_int32,
                                         [HOP_WEIGHT_INT64] = fill_int64,
                                         [HOP_WEIGHT_FLOAT32] = fill_float32,
                                         [HOP_WEIGHT_FLOAT64] = fill_float64};
    fill_job job = {graph, area, out, stride};
    hop__for(context, area.rows, FILL_ROWS, fill[type], &job);
}

/* `count` numbers that are far. */
static void fill_far(hop_weight_type type, void *out, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        switch (type) {
        case HOP_WEIGHT_INT32:
            ((int32_t *)out)[i] = HOP__FAR_32;
            break;
        case HOP_WEIGHT_INT64:
            ((int64_t *)out)[i] = HOP__FAR_64;
            break;
        case HOP_WEIGHT_FLOAT32:
            ((float *)out)[i] = (float)HUGE_VAL;
            break;
        default:
            ((double *)out)[i] = HUGE_VAL;
        }
}

void hop__apsp_fill_tile(const hop_context *context, const hop_graph *graph, hop_weight_type type,
                         uint64_t side, uint64_t i, uint64_t j, void *tile) {
    const uint64_t n = graph->vertices, row = i * side, column = j * side;
    const uint64_t rows = n - row < side ? n - row : side;
    const uint64_t columns = n - column < side ? n - column : side;
    const size_t size = hop_type_size(type);
    hop__apsp_fill(context, graph, type, (hop__area){row, column, rows, columns}, tile, side);
    for (uint64_t r = 0; r < rows && columns < side; r++)
        fill_far(type, (char *)tile + (r * side + columns) * size, side - columns);
    fill_far(type, (char *)tile + rows * side * size, (side - rows) * side);
}

/* --- finishing ------------------------------------------------------------------------------- */

static void int32_mark(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    int32_t *d = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        d[i] = d[i] > HOP__FAR_32 / 2 ? HOP_NO_DISTANCE_32 : d[i];
}

static void int64_mark(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    int64_t *d = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        d[i] = d[i] > HOP__FAR_64 / 2 ? HOP_NO_DISTANCE : d[i];
}

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
    else if (type == HOP_WEIGHT_INT32)
        hop__for(context, count, PIECE, int32_mark, matrix);
    else if (type == HOP_WEIGHT_INT64)
        hop__for(context, count, PIECE, int64_mark, matrix);
}
