/* SPDX-License-Identifier: Apache-2.0
 *
 * Delta-stepping for every type of weights and form of cells, from delta_template.h. */
#include "core/atomic.h"
#include "core/bitmap.h"
#include "sssp/delta/delta_job.h"

enum {
    AHEAD = 4, /* vertices between the stages of the pipeline */
    PULL_AHEAD = 8,
    PULL_SLOTS = PULL_AHEAD + 1,
    ROW_AHEAD = 16, /* arcs of a row whose targets are asked for early */
    PICKS = 256,    /* arcs that are looked through at a time */
    SHORT_ROW = 128,
    LONG_ROW = 1 << 14, /* more arcs are shared */
    TINY_ROW = 12,
    OFFERS = 128,
    FEW = 2,           /* entries that are not worth a pipeline */
    SLOTS = AHEAD + 1, /* short rows that have been looked through and not relaxed */
};

static inline bool report_arcs(hop__delta_job *job, hop__delta_worker *worker, uint64_t arcs) {
    worker->relaxations += arcs;
    worker->unreported += arcs;
    return worker->unreported < job->guard.grain || hop__delta_report(job, worker);
}

static inline void mark_level(hop__delta_job *job, hop_vertex u) {
    if (job->level)
        (void)hop__bitmap_claim(job->level, u);
}

/* Whether nothing leads from v to anywhere but, maybe, where it was reached from. */
static inline bool is_leaf(const hop_graph *graph, hop_vertex v) {
    return hop__offset(graph, (uint64_t)v + 1) - hop__offset(graph, v) <= !graph->directed;
}

static inline void prefetch_offset(const hop_graph *graph, hop_vertex v) {
    __builtin_prefetch((const char *)graph->offsets + v * graph->offset_bytes);
}

static inline uint32_t key_of_wide(const hop__delta_job *job, uint64_t length) {
    uint64_t key = (length - job->key_base) >> job->key_drop;
    return key < UINT32_MAX ? (uint32_t)key : UINT32_MAX;
}

static inline uint32_t key_of_real(const hop__delta_job *job, double length) {
    double key = (length - job->key_base_real) * job->key_scale;
    return key < (double)UINT32_MAX ? (uint32_t)key : UINT32_MAX;
}

/* The weights of int32 with which a length comes within the limit (and above what is settled). */
typedef struct pick_range {
    uint32_t first, count;
} pick_range;

static inline pick_range range_of(const hop__delta_job *job, uint64_t own, bool above) {
    uint64_t first = above ? job->low_integer - own + 1 : 0;
    uint64_t last = job->limit_integer - own; /* own is within the limit */
    last = last < INT32_MAX ? last : INT32_MAX;
    if (first > last)
        return (pick_range){0, 0};
    return (pick_range){(uint32_t)first, (uint32_t)(last - first) + 1};
}

static inline unsigned in_range(pick_range range, uint32_t weight) {
    return weight - range.first < range.count;
}

/* Integers below 2^31, with their parents. */
#define LENGTH             uint64_t
#define LENGTH_OF(cell)    ((cell) >> 32)
#define CELL_OF(length, u) ((uint64_t)(length) << 32 | (u))
#define KEY(job, length)   ((uint32_t)(length))
#define LIMIT(job)         (job)->limit_integer
#define LOW(job)           (job)->low_integer
#define WHOLE(job)         (job)->whole_integer

#define DELTA(name)        unit_##name
#define WEIGHTS(graph)     (void)0
#define ADD(own, i)        ((own) + 1)
#define PREFETCH_WEIGHT(i) (void)0
#include "sssp/delta/delta_template.h"

#define DELTA(name) int32_##name
#define PICK_WEIGHTS
#define WEIGHTS(graph)     const int32_t *weights = (graph)->weights
#define ADD(own, i)        ((own) + (uint64_t)weights[i])
#define PREFETCH_WEIGHT(i) __builtin_prefetch(&weights[i])
#include "sssp/delta/delta_template.h"

#define DELTA(name)        int64_##name
#define WEIGHTS(graph)     const int64_t *weights = (graph)->weights
#define ADD(own, i)        ((own) + (uint64_t)weights[i])
#define PREFETCH_WEIGHT(i) __builtin_prefetch(&weights[i])
#include "sssp/delta/delta_template.h"

/* Integers of 64 bits, without parents. */
#undef LENGTH_OF
#undef CELL_OF
#undef KEY
#define LENGTH_OF(cell)    (cell)
#define CELL_OF(length, u) ((void)(u), (length))
#define KEY(job, length)   key_of_wide(job, length)

#define DELTA(name)        wide_unit_##name
#define WEIGHTS(graph)     (void)0
#define ADD(own, i)        ((own) + 1)
#define PREFETCH_WEIGHT(i) (void)0
#include "sssp/delta/delta_template.h"

#define DELTA(name) wide_int32_##name
#define PICK_WEIGHTS
#define WEIGHTS(graph)     const int32_t *weights = (graph)->weights
#define ADD(own, i)        ((own) + (uint64_t)weights[i])
#define PREFETCH_WEIGHT(i) __builtin_prefetch(&weights[i])
#include "sssp/delta/delta_template.h"

#define DELTA(name)        wide_int64_##name
#define WEIGHTS(graph)     const int64_t *weights = (graph)->weights
#define ADD(own, i)        ((own) + (uint64_t)weights[i])
#define PREFETCH_WEIGHT(i) __builtin_prefetch(&weights[i])
#include "sssp/delta/delta_template.h"

/* Floating point: the bits of a number that is not negative are ordered like it. */
#undef LENGTH
#undef LENGTH_OF
#undef CELL_OF
#undef KEY
#undef LIMIT
#undef LOW
#undef WHOLE
#define KEY(job, length) key_of_real(job, (double)(length))
#define LIMIT(job)       (job)->limit_real
#define LOW(job)         (job)->low_real
#define WHOLE(job)       (job)->whole_real

#define LENGTH             float
#define LENGTH_OF(cell)    hop__float_of(cell)
#define CELL_OF(length, u) ((uint64_t)hop__float_bits(length) << 32 | (u))
#define DELTA(name)        float32_##name
#define WEIGHTS(graph)     const float *weights = (graph)->weights
#define ADD(own, i)        ((own) + weights[i])
#define PREFETCH_WEIGHT(i) __builtin_prefetch(&weights[i])
#include "sssp/delta/delta_template.h"

#undef LENGTH
#undef LENGTH_OF
#undef CELL_OF
#define LENGTH             double
#define LENGTH_OF(cell)    hop__double_from(cell)
#define CELL_OF(length, u) ((void)(u), hop__double_bits(length))
#define DELTA(name)        float64_##name
#define WEIGHTS(graph)     const double *weights = (graph)->weights
#define ADD(own, i)        ((own) + weights[i])
#define PREFETCH_WEIGHT(i) __builtin_prefetch(&weights[i])
#include "sssp/delta/delta_template.h"

const hop__delta_steps *hop__delta_steps_of(hop_weight_type type, bool packed) {
    static const hop__delta_steps *const with_parents[] = {
        [HOP_WEIGHT_NONE] = &unit_steps,       [HOP_WEIGHT_INT32] = &int32_steps,
        [HOP_WEIGHT_INT64] = &int64_steps,     [HOP_WEIGHT_FLOAT32] = &float32_steps,
        [HOP_WEIGHT_FLOAT64] = &float64_steps,
    };
    static const hop__delta_steps *const wide[] = {
        [HOP_WEIGHT_NONE] = &wide_unit_steps,
        [HOP_WEIGHT_INT32] = &wide_int32_steps,
        [HOP_WEIGHT_INT64] = &wide_int64_steps,
        [HOP_WEIGHT_FLOAT64] = &float64_steps,
    };
    return packed ? with_parents[type] : wide[type];
}
