/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks one row of a matrix of distances.
 *
 * The certificate of row s: its entry s is 0; every vertex that is reached can be come to from s
 * over arcs x -> y that are tight, d[x] + w = d[y]; and no arc out of a vertex that is reached
 * makes another one nearer, or reaches one that is not. By the second, each distance is the length
 * of a path; by the third, no path is shorter. One breadth-first pass over tight arcs from s looks
 * at every arc once and checks both: the arcs out of a vertex are looked at when the pass comes to
 * it, and it must come to everything that is reached. This is no search: nothing is compared but
 * what is claimed. It shares no code with the variants.
 *
 * Floating point that is added up in another order, or has negative weights, is left to
 * apsp_certify_near.c.
 *
 * Cost: O(n + m) per row; per thread 4 bytes and a bit per vertex. */
#include <math.h>
#include <string.h>

#include "apsp/apsp_certificate.h"
#include "core/bitmap.h"
#include "core/progress.h"
#include "core/try.h"
#include "sssp/certify/checked_sum.h"

enum { POLL_ARCS = 1 << 18 };

#define DOMAIN    unit
#define DISTANCES int32
#include "apsp/apsp_certify_template.h"
#define DOMAIN    int32
#define DISTANCES int32
#include "apsp/apsp_certify_template.h"
#define DOMAIN    int64
#define DISTANCES int32
#include "apsp/apsp_certify_template.h"
#define DOMAIN    unit
#define DISTANCES int64
#include "apsp/apsp_certify_template.h"
#define DOMAIN    int32
#define DISTANCES int64
#include "apsp/apsp_certify_template.h"
#define DOMAIN    int64
#define DISTANCES int64
#include "apsp/apsp_certify_template.h"
#define DOMAIN    float32
#define DISTANCES float32
#include "apsp/apsp_certify_template.h"
#define DOMAIN    float64
#define DISTANCES float64
#include "apsp/apsp_certify_template.h"

typedef row_verdict (*row_fn)(proof_space *space, const void *row, hop_vertex source);

static row_fn certificate_of(hop_weight_type distances, hop_weight_type weights) {
    static const row_fn narrow[] = {int32_unit_row, int32_int32_row, int32_int64_row};
    static const row_fn plain[] = {int64_unit_row, int64_int32_row, int64_int64_row,
                                   float32_float32_row, float64_float64_row};
    return distances == HOP_TYPE_INT32 ? narrow[weights] : plain[weights];
}

static bool is_real(const hop__apsp_claim *claim) {
    return claim->query->distance_type != HOP_TYPE_INT64;
}

/* Floating point whose bits are not those of hop_sssp, or cannot be followed. */
static bool is_near(const hop__apsp_claim *claim) {
    return is_real(claim) && (claim->query->negative || !claim->exact);
}

row_verdict hop__apsp_certify_row(const hop__apsp_claim *claim, proof_space *space, const void *row,
                                  hop_vertex source) {
    if (is_near(claim))
        return hop__apsp_certify_near(claim, space, row, source);
    return certificate_of(claim->distance_type, space->graph->weight_type)(space, row, source);
}

/* The bytes of a sum. */
static size_t sum_size(const hop__apsp_claim *claim) {
    return claim->query->negative ? claim->query->exact.words * sizeof(uint64_t)
                                  : hop_type_size(claim->distance_type);
}

uint64_t hop__proof_space_memory(const hop__apsp_claim *claim) {
    const hop_graph *graph = claim->query->graph;
    uint64_t n = graph->vertices;
    uint64_t bytes = hop__apsp_add(hop__block_bytes(n, sizeof(hop_vertex)),
                                   hop__block_bytes(hop__bitmap_words(n), sizeof(uint64_t)));
    if (is_near(claim))
        bytes = hop__apsp_add(bytes, hop__block_bytes(n, sum_size(claim)));
    if (is_near(claim) && claim->query->negative)
        bytes = hop__apsp_add(bytes, hop__block_bytes(n, sizeof(hop_vertex)));
    return bytes;
}

hop_status hop__proof_space_create(hop_context *context, const hop__apsp_claim *claim,
                                   proof_space *space) {
    static const char what[] = "apsp: certificate";
    const hop_graph *graph = claim->query->graph;
    uint64_t n = graph->vertices;
    hop_status status;
    space->context = context;
    space->graph = graph;
    HOP_TRY(status, hop__alloc(context, what, n, sizeof *space->queue, &space->queue));
    HOP_TRY(status,
            hop__alloc(context, what, hop__bitmap_words(n), sizeof *space->seen, &space->seen));
    if (is_near(claim))
        HOP_TRY(status, hop__alloc(context, what, n, sum_size(claim), &space->sums));
    if (is_near(claim) && claim->query->negative)
        HOP_TRY(status, hop__alloc(context, what, n, sizeof *space->hops, &space->hops));
done:
    return status;
}

void hop__proof_space_clear(proof_space *space) {
    hop__free(space->queue);
    hop__free(space->seen);
    hop__free(space->sums);
    hop__free(space->hops);
}
