/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the certifier share (sssp_certify.c, certify_exact.c and the template). */
#ifndef HOPLITE_SSSP_SSSP_CERTIFICATE_H
#define HOPLITE_SSSP_SSSP_CERTIFICATE_H

#include <stdatomic.h>

#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "sssp/sssp_internal.h"
#include "store/arc_visit.h"

enum { CERTIFY_GRAIN = 1 << 16, CERTIFY_POLL = 1 << 18 };

typedef struct certificate {
    hop_context *context;
    const hop__sssp_query *query;
    const hop_graph *graph;
    const void *distances;
    const hop_vertex *parents; /* may be NULL */
    bool canonical;
    /* Nothing farther is reached; INT64_MAX, or the largest finite number: no limit. */
    int64_t limit_integer;
    double limit_real;
    uint64_t *sources; /* a bit each */
    /* The vertices whose distance has been found to be that of a path; later, with parents, those
     * of a layer above 0. */
    uint64_t *supported;
    uint64_t *level;  /* without parents: vertices with a tight arc to one as far */
    uint32_t *layers; /* HOP_NO_VERTEX: not known yet */
    hop_vertex *queue;
    uint64_t head;
    atomic_uint_fast64_t tail;
    atomic_uint_fast64_t open; /* vertices that only layers can support */
    uint64_t wrong;            /* smallest vertex or arc that breaks a rule, or UINT64_MAX */
    hop__arcs *arcs;           /* of a graph on disk, else NULL */
    hop__arc_fn pass;          /* over the arcs, under way */
    /* certify_exact.c */
    double *weights; /* of the arc from the parent */
    uint64_t *sums;
} certificate;

static inline void note_wrong(certificate *state, uint64_t index) {
    hop__lower_u64(&state->wrong, index);
}

/* While others may be setting bits. */
static inline bool is_supported(const certificate *state, uint64_t v) {
    return __atomic_load_n(&state->supported[v / 64], __ATOMIC_RELAXED) >> (v % 64) & 1;
}

typedef enum vertex_fault {
    VERTEX_SOUND,
    NOT_A_DISTANCE,  /* NaN, -infinity, below 0 where no weight is, -0.0 */
    BEYOND_LIMIT,    /* farther than targets or cutoff allow */
    SOURCE_DISTANCE, /* a source that is not reached, or is farther than 0 */
    SOURCE_PARENT,   /* a source of distance 0 whose parent is another */
    PARENT_EXTRA,    /* not reached, but has a parent */
    PARENT_RANGE,    /* reached, but its parent is no vertex, or not reached */
    PARENT_ITSELF    /* its own parent, but no source of distance 0 */
} vertex_fault;

typedef enum arc_fault {
    ARC_SOUND,
    ARC_LEADS_ON,    /* from a vertex that is reached to one that is not, within the limits */
    ARC_SHORTER,     /* makes the distance of its target less */
    ARC_NEARER,      /* its start should be the parent: it is nearer, the parent is not */
    ARC_SMALLER,     /* its start should be the parent: it is smaller */
    ARC_LAYER,       /* its target has too high a layer */
    ARC_LAYER_PARENT /* its start should be the parent: as the parent, but smaller */
} arc_fault;

/* What an arc is, counted from the beginning of its block. */
typedef arc_fault (*hop__arc_rule)(const certificate *state, const hop__arc_block *block,
                                   uint64_t u, uint64_t arc);

/* The passes of one instance of the template, and the questions behind them, for messages. */
typedef struct certify_passes {
    hop__range_fn vertices, support, extend;
    hop__arc_fn arcs, layer_arcs, extend_block;
    vertex_fault (*vertex_of)(const certificate *state, uint64_t v);
    hop__arc_rule arc_of, layer_arc_of;
    /* Whether v has layer 0: a root, or (no weight negative) a vertex with a nearer parent. */
    bool (*is_base)(const certificate *state, uint64_t v);
} certify_passes;

/* Runs a pass; true when something was wrong, at *index. */
static inline bool find_wrong(certificate *state, uint64_t count, hop__range_fn pass,
                              uint64_t *index) {
    state->wrong = UINT64_MAX;
    hop__for(state->context, count, CERTIFY_GRAIN, pass, state);
    *index = hop__load_u64(&state->wrong);
    return *index != UINT64_MAX;
}

/* certify_layers.c: fills in state->layers along parents. Finds fault with a vertex whose parents
 * lead round in a cycle. */
hop_status hop__certify_layers(certificate *state, const certify_passes *passes);

/* certify_exact.c: everything that takes exact sums, once the vertices are sound. */
hop_status hop__certify_exact(certificate *state);
uint64_t hop__certify_exact_memory(const hop__sssp_query *query);
/* Bytes of state->layers. */
uint64_t hop__certify_layers_memory(const hop__sssp_query *query);

#endif
