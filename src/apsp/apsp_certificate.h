/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the certifier share: apsp_certify.c, which goes over the rows, and
 * apsp_certify_row.c and apsp_certify_near.c, which check one. */
#ifndef HOPLITE_APSP_APSP_CERTIFICATE_H
#define HOPLITE_APSP_APSP_CERTIFICATE_H

#include "apsp/apsp_internal.h"

/* What one thread needs. */
typedef struct proof_space {
    hop_context *context;
    const hop_graph *graph;
    hop_vertex *queue;
    uint64_t *seen; /* a bit each */
    /* Floating point within rounding. */
    void *sums;
    hop_vertex *hops; /* arcs of the walk that a sum belongs to; with exact sums */
} proof_space;

typedef enum row_fault {
    FAULT_NONE,
    FAULT_CANCELLED,
    FAULT_SOURCE,      /* the distance to itself is not 0 */
    FAULT_SHORTER,     /* the arc from `from` makes it nearer */
    FAULT_UNSUPPORTED, /* reached, but no path has that length */
    FAULT_BITS,        /* -0.0 */
    FAULT_FAR,  /* a walk whose last arc comes from `from` has length `other`: too much less */
    FAULT_CYCLE /* a negative cycle is reached: there are no distances */
} row_fault;

typedef struct row_verdict {
    row_fault fault;
    hop_vertex vertex, from;
    uint64_t arc;
    double other;
} row_verdict;

/* The bytes of a space, without the struct. */
uint64_t hop__proof_space_memory(const hop__apsp_claim *claim);
/* `space` is zero. What was made is freed by hop__proof_space_clear, also after a failure. */
hop_status hop__proof_space_create(hop_context *context, const hop__apsp_claim *claim,
                                   proof_space *space);
void hop__proof_space_clear(proof_space *space);

/* Any thread. Adds the arcs that it looks at to the phase under way. */
row_verdict hop__apsp_certify_row(const hop__apsp_claim *claim, proof_space *space, const void *row,
                                  hop_vertex source);

/* The same for floating point within rounding: see apsp_certify_near.c. */
row_verdict hop__apsp_certify_near(const hop__apsp_claim *claim, proof_space *space,
                                   const void *row, hop_vertex source);

static inline double real_at(hop_weight_type type, const void *row, uint64_t v) {
    return type == HOP_TYPE_FLOAT32 ? (double)((const float *)row)[v] : ((const double *)row)[v];
}

#endif
