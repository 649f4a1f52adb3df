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

/* The forms of cells. Integers below 2^31, with their parents. */
static inline uint64_t packed_length(uint64_t cell) {
    return cell >> 32;
}

static inline uint64_t packed_cell(uint64_t length, hop_vertex parent) {
    return length << 32 | parent;
}

static inline uint32_t packed_key(const hop__delta_job *job, uint64_t length) {
    (void)job;
    return (uint32_t)length;
}

/* Integers of 64 bits, without parents. */
static inline uint64_t wide_length(uint64_t cell) {
    return cell;
}

static inline uint64_t wide_cell(uint64_t length, hop_vertex parent) {
    (void)parent;
    return length;
}

static inline uint32_t wide_key(const hop__delta_job *job, uint64_t length) {
    uint64_t key = (length - job->key_base) >> job->key_drop;
    return key < UINT32_MAX ? (uint32_t)key : UINT32_MAX;
}

/* Floating point: the bits of a number that is not negative are ordered like it. */
static inline double real_length(uint64_t cell) {
    return hop__double_from(cell);
}

static inline uint64_t real_cell(double length, hop_vertex parent) {
    (void)parent;
    return hop__double_bits(length);
}

static inline uint32_t real_key(const hop__delta_job *job, double length) {
    double key = (length - job->key_base_real) * job->key_scale;
    return key < (double)UINT32_MAX ? (uint32_t)key : UINT32_MAX;
}

/* That of 32 bits has its parent beside it. */
static inline float narrow_length(uint64_t cell) {
    return hop__float_of(cell);
}

static inline uint64_t narrow_cell(float length, hop_vertex parent) {
    return (uint64_t)hop__float_bits(length) << 32 | parent;
}

static inline uint32_t narrow_key(const hop__delta_job *job, float length) {
    return real_key(job, (double)length);
}

/* The weights of int32 with which a length comes to at most `most`, and to more than `above`. */
static inline hop__delta_range weights_within(uint64_t own, bool bounded, uint64_t above,
                                              uint64_t most) {
    uint64_t first = bounded && above >= own ? above - own + 1 : 0;
    uint64_t last = most >= own ? most - own : 0;
    last = last < INT32_MAX ? last : INT32_MAX;
    if (first > last || most < own)
        return (hop__delta_range){0, 0};
    return (hop__delta_range){(uint32_t)first, (uint32_t)(last - first) + 1};
}

#define DOMAIN unit
#define CELLS  packed
#include "sssp/delta/delta_template.h"
#define DOMAIN int32
#define CELLS  packed
#define PICK_WEIGHTS
#include "sssp/delta/delta_template.h"
#define DOMAIN int64
#define CELLS  packed
#include "sssp/delta/delta_template.h"
#define DOMAIN unit
#define CELLS  wide
#include "sssp/delta/delta_template.h"
#define DOMAIN int32
#define CELLS  wide
#define PICK_WEIGHTS
#include "sssp/delta/delta_template.h"
#define DOMAIN int64
#define CELLS  wide
#include "sssp/delta/delta_template.h"
#define DOMAIN float32
#define CELLS  narrow
#include "sssp/delta/delta_template.h"
#define DOMAIN float64
#define CELLS  real
#include "sssp/delta/delta_template.h"

const hop__delta_steps *hop__delta_steps_of(hop_weight_type type, bool packed) {
    static const hop__delta_steps *const with_parents[] = {
        [HOP_TYPE_NONE] = &packed_unit_steps,     [HOP_TYPE_INT32] = &packed_int32_steps,
        [HOP_TYPE_INT64] = &packed_int64_steps,   [HOP_TYPE_FLOAT32] = &narrow_float32_steps,
        [HOP_TYPE_FLOAT64] = &real_float64_steps,
    };
    static const hop__delta_steps *const wide[] = {
        [HOP_TYPE_NONE] = &wide_unit_steps,
        [HOP_TYPE_INT32] = &wide_int32_steps,
        [HOP_TYPE_INT64] = &wide_int64_steps,
        [HOP_TYPE_FLOAT64] = &real_float64_steps,
    };
    return packed ? with_parents[type] : wide[type];
}
