/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrices of distances as the variants on the matrix work on them: in a type that may be narrower
 * than the one asked for (hop__apsp_blocked_type), and with FAR, half of the largest number, for
 * integers that are not reached; apsp_blocked.c says why. */
#ifndef HOPLITE_APSP_APSP_MATRIX_H
#define HOPLITE_APSP_APSP_MATRIX_H

#include "apsp/apsp_internal.h"
#include "graph/numbers.h"

_Static_assert(HOP_NO_DISTANCE_32 == INT32_MAX, "as graph/numbers.h has it");

#define HOP__FAR_32 (INT32_MAX / 2)
#define HOP__FAR_64 (INT64_MAX / 2)

/* In each domain with weights (graph/numbers.h), beside what is there: far(), and arc(graph, arc),
 * the weight of an arc as an entry, never -0.0. */
#define HOP__MATRIX_DOMAIN(domain, far, weight)                                                    \
    static inline hop__##domain##_entry hop__##domain##_far(void) {                                \
        return far;                                                                                \
    }                                                                                              \
    static inline hop__##domain##_entry hop__##domain##_arc(const hop_graph *graph,                \
                                                            uint64_t arc) {                        \
        return (hop__##domain##_entry)weight(graph, arc);                                          \
    }

typedef struct hop__area {
    uint64_t row, column, rows, columns;
} hop__area;

/* The weight of an arc; 1 without weights. */
static inline int64_t hop__apsp_integer_weight(const hop_graph *graph, uint64_t arc) {
    switch (graph->weight_type) {
    case HOP_TYPE_INT32:
        return ((const int32_t *)graph->weights)[arc];
    case HOP_TYPE_INT64:
        return ((const int64_t *)graph->weights)[arc];
    default:
        return 1;
    }
}

static inline float hop__apsp_float_weight(const hop_graph *graph, uint64_t arc) {
    return 0.0f + ((const float *)graph->weights)[arc];
}

static inline double hop__apsp_double_weight(const hop_graph *graph, uint64_t arc) {
    return 0.0 + ((const double *)graph->weights)[arc];
}

HOP__MATRIX_DOMAIN(int32, HOP__FAR_32, hop__apsp_integer_weight)
HOP__MATRIX_DOMAIN(int64, HOP__FAR_64, hop__apsp_integer_weight)
HOP__MATRIX_DOMAIN(float32, (float)HUGE_VAL, hop__apsp_float_weight)
HOP__MATRIX_DOMAIN(float64, HUGE_VAL, hop__apsp_double_weight)

/* An area of the matrix as the arcs say, else far: `stride` numbers from row to row of `out`. */
void hop__apsp_fill(const hop_context *context, const hop_graph *graph, hop_weight_type type,
                    hop__area area, void *out, uint64_t stride);
/* The whole of it, with progress: false if it was cancelled, and is filled only in part. What no
 * arc reaches is far, or has the number for "not reached". */
bool hop__apsp_fill_whole(hop_context *context, const hop_graph *graph, hop_weight_type type,
                          bool is_far, void *out);
/* Tile (i, j) of `side` x `side` numbers; what sticks out of the matrix is far. */
void hop__apsp_fill_tile(const hop_context *context, const hop_graph *graph, hop_weight_type type,
                         uint64_t side, uint64_t i, uint64_t j, void *tile);
/* `count` distances in the place of those that were worked on: integers that are not reached get
 * the number for it, and numbers of `type` become those of `wanted`, in the same memory. */
void hop__apsp_finish(const hop_context *context, hop_weight_type type, hop_weight_type wanted,
                      uint64_t count, void *matrix);

/* apsp_blocked.c: what it keeps beside the matrix, and the list of that. */
typedef struct hop__apsp_panels {
    void *left, *right;                       /* the cross, packed: its column, its row */
    void *block, *block_rows, *block_columns; /* the diagonal block: plain, packed both ways */
    void *inner[4]; /* its own cross, packed: left, right, and what is amid them, both ways */
} hop__apsp_panels;
void hop__apsp_panel_blocks(hop__workspace *space, size_t at, hop_weight_type type, uint64_t n);
/* All distances of the n vertices of a matrix over each other, on all threads, in place; counts n^3
 * sums as progress. HOP_ERR_CANCELLED, without a message, when the work is to stop. */
hop_status hop__apsp_close(hop_context *context, hop_weight_type type, uint64_t n, void *matrix,
                           const hop__apsp_panels *panels);

#endif
