/* SPDX-License-Identifier: Apache-2.0
 *
 * What the driver of the rounds (sssp_bellman_rounds.c, where the idea stands) and their steps
 * (bellman_rounds_steps.c) share. */
#ifndef HOPLITE_SSSP_BELLMAN_ROUNDS_H
#define HOPLITE_SSSP_BELLMAN_ROUNDS_H

#include <stdatomic.h>

#include "core/bitmap.h"
#include "core/gate.h"
#include "sssp/bellman/sssp_bellman_ford.h"

enum {
    HOP__ROUNDS_BLOCK = 64, /* offers in a block of a bin */
    HOP__ROUNDS_ABOVE = 16, /* how far up the tree skipping looks */
    HOP__ROUNDS_AHEAD = 8   /* for prefetches */
};
#define HOP__ROUNDS_NO_BLOCK UINT32_MAX

/* The frontier vertices queue[begin .. end-1], and of the arcs of the graph those in [from, to). */
typedef struct hop__rounds_slice {
    uint64_t begin, end, from, to;
} hop__rounds_slice;

typedef struct hop__rounds_bin {
    uint32_t head; /* the block that is being filled; the others are full */
    uint32_t used; /* in it */
} hop__rounds_bin;

typedef struct hop__rounds_lane {
    _Alignas(64) uint64_t relaxations;
} hop__rounds_lane;

typedef struct hop__rounds_offer64 {
    hop_vertex v, u;
    int64_t sum;
} hop__rounds_offer64;

typedef struct hop__rounds_offer128 {
    hop_vertex v, u;
    uint64_t sum[2];
} hop__rounds_offer128;

typedef struct hop__rounds_job hop__rounds_job;
typedef struct hop__rounds_steps {
    void (*expand)(hop__rounds_job *job, unsigned thread, const hop__rounds_slice *part);
    void (*apply)(hop__rounds_job *job, uint32_t range);
    void (*alone)(hop__rounds_job *job);
    bool (*is_negative)(const hop__rounds_job *job, hop_vertex place);
} hop__rounds_steps;

typedef enum hop__rounds_step {
    HOP__ROUNDS_PREPARE,
    HOP__ROUNDS_EXPAND,
    HOP__ROUNDS_APPLY,
    HOP__ROUNDS_ALONE,
    HOP__ROUNDS_DONE
} hop__rounds_step;

struct hop__rounds_job {
    hop_context *context;
    const hop__sssp_query *query;
    const hop_graph *graph;
    const hop__rounds_steps *steps;
    int64_t *distances; /* when they are the sums */
    uint64_t *sums;
    hop_vertex *tree; /* HOP_NO_VERTEX above sources */
    unsigned threads;
    unsigned shift; /* a range is 2^shift vertices */
    uint32_t ranges;
    /* This round's vertices and the next one's: those of a range stand from its first vertex's
     * place on. A bit in `now` or `next`, never in both, for each vertex that was lowered and not
     * expanded since (nor skipped). */
    hop_vertex *queue, *later;
    uint32_t *count, *later_count, *active, *later_active;
    uint32_t active_count, later_active_count;
    uint64_t *now, *next;
    /* Slices of ranges, as slice_base() says; flat[r] is how many come before. */
    hop__rounds_slice *slices;
    uint64_t *slice_count, *flat;
    uint64_t batch_begin, batch_end;
    hop__rounds_bin *bins;
    void *offers;
    uint32_t *block_next;
    hop_vertex *stamp; /* of the last walk that came by */
    hop_vertex walk;
    hop__rounds_lane *lanes;
    int64_t lowest64;
    hop__i128 lowest128;
    uint64_t rounds, checked_at; /* relaxations at the last check */
    hop_vertex place;
    hop__search_end end;
    hop__rounds_step step;
    hop__rounds_step then; /* after HOP__ROUNDS_ALONE */
    hop__gate gate;
    atomic_uint_fast64_t cursor;
    atomic_uint_fast32_t blocks;
    atomic_bool suspicious, cancelled, skipped;
};

static inline void hop__rounds_clear_bit(uint64_t *map, hop_vertex v) {
    map[v / 64] &= ~(UINT64_C(1) << v % 64);
}

static inline hop__rounds_bin *hop__rounds_bin_of(const hop__rounds_job *job, unsigned thread,
                                                  uint32_t range) {
    return &job->bins[(uint64_t)thread * job->ranges + range];
}

/* The place of the next offer of a member to a range. */
static inline uint64_t hop__rounds_next_offer(hop__rounds_job *job, unsigned thread,
                                              uint32_t range) {
    hop__rounds_bin *to = hop__rounds_bin_of(job, thread, range);
    if (to->used == HOP__ROUNDS_BLOCK) {
        uint32_t block = (uint32_t)atomic_fetch_add_explicit(&job->blocks, 1, memory_order_relaxed);
        job->block_next[block] = to->head;
        *to = (hop__rounds_bin){block, 0};
    }
    return (uint64_t)to->head * HOP__ROUNDS_BLOCK + to->used++;
}

/* Puts v into the next round, unless it still has its turn in this one. Only the member that has
 * the range. */
static inline void hop__rounds_enlist(hop__rounds_job *job, uint32_t range, hop_vertex v) {
    if (hop__bitmap_get(job->now, v) || hop__bitmap_get(job->next, v))
        return;
    hop__bitmap_set(job->next, v);
    job->later[((uint64_t)range << job->shift) + job->later_count[range]++] = v;
}

static inline void hop__rounds_enlist_alone(hop__rounds_job *job, hop_vertex v) {
    uint32_t range = v >> job->shift;
    if (hop__bitmap_get(job->now, v) || hop__bitmap_get(job->next, v))
        return;
    hop__bitmap_set(job->next, v);
    if (job->later_count[range] == 0)
        job->later_active[job->later_active_count++] = range;
    job->later[((uint64_t)range << job->shift) + job->later_count[range]++] = v;
}

/* Whether u will have to be expanded again anyway: the next round has it (it was lowered after the
 * first part of a long row), or one of the next few above it in the tree was lowered and has not
 * been expanded since. */
static inline bool hop__rounds_is_stale(hop__rounds_job *job, hop_vertex u) {
    hop_vertex above = u;
    if (hop__bitmap_get(job->next, u))
        return true;
    for (int i = 0; i < HOP__ROUNDS_ABOVE; i++) {
        above = job->tree[above];
        if (above == HOP_NO_VERTEX || above == u)
            return false;
        if (hop__bitmap_get(job->next, above) || hop__bitmap_get(job->now, above)) {
            if (!atomic_load_explicit(&job->skipped, memory_order_relaxed))
                atomic_store_explicit(&job->skipped, true, memory_order_relaxed);
            return true;
        }
    }
    return false;
}

/* The steps for the query's type of weights. */
const hop__rounds_steps *hop__rounds_steps_of(const hop__sssp_query *query);

static inline hop__i128 hop__rounds_shifted(hop__exact_term term) {
    return (hop__i128)((hop__u128)term.mantissa << term.shift);
}

#endif
