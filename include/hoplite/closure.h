/* SPDX-License-Identifier: Apache-2.0
 *
 * The transitive closure: which vertices each vertex reaches, row by row, never all at once.
 *
 * The row of v has every u to which a path of one or more arcs leads from v, ascending. An
 * undirected edge is an arc each way. Weights play no part. With `backward` the row of v has every
 * u from which such a path leads to v: descendants become ancestors. */
#ifndef HOPLITE_CLOSURE_H
#define HOPLITE_CLOSURE_H

#include "hoplite/graph.h"
#include "hoplite/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a vertex is in a row of its own. */
typedef enum hop_closure_self {
    HOP_CLOSURE_CYCLES = 0, /* where a path of one or more arcs leads back to it */
    HOP_CLOSURE_NEVER = 1,
    HOP_CLOSURE_ALWAYS = 2
} hop_closure_self;

typedef struct hop_closure_options {
    size_t size;        /* sizeof(hop_closure_options), set by the initialiser */
    const hop_run *run; /* NULL: the defaults */
    bool backward;      /* what reaches the vertex, in place of what it reaches */
    hop_closure_self self;
    /* NULL: every vertex has its row. Else row i is that of sources[i], in any order and as often
     * as it is named. */
    const hop_vertex *sources;
    hop_vertex source_count;
    /* One row: of what at least one of the sources reaches. `self` is then about all of them: the
     * paths of HOP_CLOSURE_CYCLES may come from any of the sources. */
    bool together;
} hop_closure_options;

#define HOP_CLOSURE_OPTIONS_INIT                                                                   \
    { sizeof(hop_closure_options), NULL, false, HOP_CLOSURE_CYCLES, NULL, 0, false }
HOP_API void hop_closure_options_init(hop_closure_options *options, size_t size);

/* Rows first .. first+count-1: row first + i is vertices[offsets[i]] .. vertices[offsets[i + 1] -
 * 1], ascending; offsets[0] is 0. Valid during the call. Called on the thread that made the call,
 * in ascending order, each row once. It must not use the context. Return false to stop
 * (HOP_ERR_CANCELLED). */
typedef bool (*hop_closure_rows_fn)(void *user, hop_vertex first, hop_vertex count,
                                    const uint64_t *offsets, const hop_vertex *vertices);

/* Hands over the rows. `pairs` (may be NULL) gets how many vertices they have in all.
 * Cost: O(n + m) for strong components and their order; then for each 512 rows what these reach is
 * gone through once, O((n' + m') 512 / 64) for n' vertices and m' arcs, and each pair written once.
 * Bytes: 13 per vertex, 64 per strong component and thread, and room for a row of n vertices, or
 * for 262,144; within the budget, with fewer rows at once where there is less. Backward the arcs
 * are turned round first, unless they are prepared (hop_graph_prepare). With run->certify each row
 * is found again by a search of its own along the arcs, before it is handed over. The same rows on
 * any number of threads. Blocking; runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_closure_rows(hop_context *context, const hop_graph *graph,
                                                  const hop_closure_options *options,
                                                  hop_closure_rows_fn rows, void *user,
                                                  uint64_t *pairs);

/* How many vertices each row has, into the caller's array of as many as there are rows, without
 * making the rows. */
HOP_NODISCARD HOP_API hop_status hop_closure_counts(hop_context *context, const hop_graph *graph,
                                                    const hop_closure_options *options,
                                                    hop_vertex *counts, uint64_t *pairs);

/* Checks rows as the callback gets them, by a search along the arcs for each: HOP_OK, or
 * HOP_ERR_CERTIFICATE with the first wrong row's vertex. */
HOP_NODISCARD HOP_API hop_status hop_closure_certify(hop_context *context, const hop_graph *graph,
                                                     const hop_closure_options *options,
                                                     hop_vertex first, hop_vertex count,
                                                     const uint64_t *offsets,
                                                     const hop_vertex *vertices);

#ifdef __cplusplus
}
#endif
#endif
