/* SPDX-License-Identifier: Apache-2.0
 *
 * Shortest paths between all pairs: row u of the matrix holds the distances from u.
 *
 * n * n distances may be more than memory holds, so there are three ways to get them: the whole
 * matrix in the caller's memory; row blocks through a callback, within the context's budget; and
 * into a .npy file by row blocks. Unreached is HOP_NO_DISTANCE (int64), INT32_MAX (int32) or
 * infinity.
 *
 * Integer distances are the same bits from every variant. Floating-point sums are associated
 * differently by the dense variants: each of at most n - 1 additions rounds once, so a distance
 * differs from the exact one by at most (n - 1) * epsilon / 2 times the sum of absolute weights
 * along the path, and the certifier allows twice that. */
#ifndef HOPLITE_APSP_H
#define HOPLITE_APSP_H

#include "hoplite/sssp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_apsp_options {
    size_t size;        /* sizeof(hop_apsp_options), set by the initialiser */
    const hop_run *run; /* NULL: the defaults */
    /* HOP_WEIGHT_NONE (the default): as hop_distance_type says. HOP_WEIGHT_INT32, for integer
     * weights, halves the matrix; refused where (n - 1) * max |w| may not fit. */
    hop_weight_type distance_type;
    hop_cycle **cycle; /* as in hop_sssp_options */
    /* With run->certify: rows to check, drawn at random by the context's seed; 0: all. */
    hop_vertex certify_rows;
} hop_apsp_options;

#define HOP_APSP_OPTIONS_INIT                                                                      \
    { sizeof(hop_apsp_options), NULL, HOP_WEIGHT_NONE, NULL, 0 }

/* The type of the distances that these options give for this graph. */
HOP_API hop_weight_type hop_apsp_distance_type(const hop_graph *graph,
                                               const hop_apsp_options *options);

/* The whole matrix, row after row, into the caller's array of n * n. Blocking; runs on the
 * context's threads. */
HOP_NODISCARD HOP_API hop_status hop_apsp(hop_context *context, const hop_graph *graph,
                                          const hop_apsp_options *options, void *matrix);

/* Rows first .. first+count-1; they are valid during the call. Called on the thread that made the
 * call, in ascending order, each row once. Return false to stop (HOP_ERR_CANCELLED). */
typedef bool (*hop_apsp_rows_fn)(void *user, hop_vertex first, hop_vertex count, const void *rows);

/* The rows in blocks, as large as the budget allows. Variants that need the whole matrix at once
 * are used when it fits. */
HOP_NODISCARD HOP_API hop_status hop_apsp_rows(hop_context *context, const hop_graph *graph,
                                               const hop_apsp_options *options,
                                               hop_apsp_rows_fn rows, void *user);

/* Checks rows first .. first+count-1 of a matrix: each by the certificate of shortest paths from
 * its vertex. HOP_OK, or HOP_ERR_CERTIFICATE with the pair. */
HOP_NODISCARD HOP_API hop_status hop_apsp_certify(hop_context *context, const hop_graph *graph,
                                                  const hop_apsp_options *options, hop_vertex first,
                                                  hop_vertex count, const void *rows);

/* A shortest path from `source` to `target`, found backwards from row `source` of a matrix (of the
 * options' distance type) over reverse arcs (hop_graph_prepare with HOP_PREPARE_REVERSE). The
 * path is as for hop_path. */
HOP_NODISCARD HOP_API hop_status hop_apsp_path(hop_context *context, const hop_graph *graph,
                                               const hop_apsp_options *options, hop_vertex source,
                                               hop_vertex target, const void *row, hop_vertex *path,
                                               hop_vertex room, hop_vertex *length);

#ifdef __cplusplus
}
#endif
#endif
