/* SPDX-License-Identifier: Apache-2.0
 *
 * Labels that fall along arcs until none falls any more (levels, distances without a negative
 * weight), with the labels in memory and the arcs on disk: for searches in which the blocks of
 * arcs that a step needs do not fit memory, or are not used up by it.
 *
 * A row is *pending* when its vertex got a lower label since the row was last read. A round goes
 * over the blocks with pending rows below a limit, up and down the file in turn, and over each
 * block, and over those that are in memory with it, until no such row is left in them: what can be
 * found in the blocks at hand is found before others are read in their place. Where few rows of a
 * block are pending, a round goes on to the blocks ahead that it has made pending itself. Labels
 * only fall, to lengths of paths; when nothing is pending they are the least.
 *
 * The limit keeps the nearest first: it is the least pending label and a width. A small width
 * wastes few looks at arcs on labels that will fall again, a large one few readings of blocks: so
 * the width grows while few of the arcs that are read are used, and shrinks where they are looked
 * at again and again.
 *
 * An *open* search has no such limit: what is read is done with, as far as the blocks in memory go,
 * the nearest rows first. In grids and roads the file is then gone over once or twice, since most
 * shortest paths leave a block for good. Where they come back again and again, as in a grid of few
 * long rows, that is noticed by its many looks, and ends it.
 *
 * Parents are those of sssp.h: the smallest u whose offer is the label, and is more than u's own.
 * Label and parent change together, under a lock; an offer that equals the final label was made by
 * a u whose label was final, or falls without changing the offer; and every u makes its offers
 * after its label fell. So parents are as canonical as labels are. A u that offers its own label
 * (weights of 0, or swallowed by rounding) is marked in `level`, and is no parent.
 *
 * Where there are light arcs in memory (arc_light.h), labels fall along them as well, after each
 * block: such offers are as good as any. A row becomes pending then only if its other arcs may have
 * something to tell of the label (its guard).
 *
 * Labels are 4 or 8 bytes wide and ordered as unsigned numbers.
 *
 * Invariants between two rounds
 *  1. A row in one block is pending exactly if its bit in `active` is set; then the bit of its
 *     group in `queued` is set and the group is in the queue, once.
 *  2. Of a row in several blocks (`crosses`) each part is pending for itself: `out` has the bit of
 *     the block that the row begins in, `in` those of the others.
 *
 * Cost: that of a label-correcting search; a few nanoseconds for each block in memory and pass over
 * these; 0.4 bytes per vertex, and 8 per block. */
#ifndef HOPLITE_PROBLEM_ARC_SETTLE_H
#define HOPLITE_PROBLEM_ARC_SETTLE_H

#include <stdatomic.h>

#include "core/atomic.h"
#include "problem/arc_light.h"
#include "problem/workspace.h"
#include "store/arc_visit.h"

enum { HOP__SETTLE_LOCKS = 1 << 14, HOP__SETTLE_GROUP = 64 };

typedef struct hop__settle hop__settle;

/* A thread in a block. */
typedef struct hop__settle_lane {
    uint64_t first, last; /* rows of the block */
    uint64_t low, high;   /* rows of the window */
    uint64_t looked, reached, spared;
    uint64_t least; /* label of a row that is pending, not below the limit */
    uint32_t *ring; /* vertices whose light arcs have something to tell; NULL: there are none */
    uint64_t head, tail;
    bool again; /* a row of the block became pending, below the limit */
    bool later; /* one of the window did */
} hop__settle_lane;

/* Offers what arcs begin .. end-1 of the block, all of u, make of u's label to their targets. */
typedef void (*hop__settle_relax)(hop__settle *settle, hop__settle_lane *lane, hop_vertex u,
                                  uint64_t label, const hop__arc_block *block, uint64_t begin,
                                  uint64_t end);

struct hop__settle {
    /* The caller's: */
    hop_context *context;
    const hop_graph *graph;
    hop__arcs *arcs;
    void *labels; /* `none`, but where something is known */
    bool wide;    /* they have 8 bytes */
    uint64_t none;
    hop_vertex *parents;       /* or NULL */
    uint64_t *level;           /* bits of vertices, or NULL */
    double width, least_width; /* at first; 0: that one */
    bool open;                 /* rounds have no limit; on disk, and without `enough` */
    hop__settle_relax relax;
    /* The label that is `width` above another, at least one more; UINT64_MAX: more than any. */
    uint64_t (*farther)(uint64_t label, double width);
    /* The largest label for which arcs begin .. end-1 of the block, but for light ones, have
     * anything to tell: UINT64_MAX where not all of these are kept. NULL: not known. */
    uint64_t (*guard)(const hop__settle *settle, hop_vertex u, const hop__arc_block *block,
                      uint64_t begin, uint64_t end);
    /* Whether it is enough that all labels below `limit` are final. NULL: never. */
    bool (*enough)(void *user, uint64_t limit);
    void *user;
    hop__light *light; /* or NULL */
    /* Its memory: */
    uint64_t *active, *crosses, *queued;
    uint64_t *in, *out, *wanted;
    uint64_t *nearest; /* of each block, while a round extends: no pending row has a lesser label */
    uint32_t *queue, *other_queue;
    unsigned char *locks;
    /* Its own: */
    uint64_t limit;
    bool extends; /* the round goes on to the blocks of rows that became pending in it */
    uint64_t rounds;
    bool wasted;       /* an open search gave up: it is to begin again, not open */
    double step_width; /* of an open search, in memory */
    uint64_t pass_looked, step_looked;
    uint64_t blocks_before, looked_before; /* when the limit was set */
    atomic_uint_fast64_t queue_count, looked, reached;
    atomic_uint_fast64_t spared; /* labels that fell, and left their row as it was */
    atomic_bool again;           /* a row of the blocks in memory became pending */
    atomic_uint_fast64_t ready, ready_arcs, waiting; /* rows */
    uint64_t least;                                  /* label of a pending row */
};

/* Lists its memory; `at`: of the settle in the state. On demand: by hop__settle_take. */
void hop__settle_blocks(hop__workspace *space, size_t at, const hop_graph *graph, bool on_demand);
hop_status hop__settle_take(hop__workspace *space, hop__settle *settle);
/* Nothing is pending. */
void hop__settle_begin(hop__settle *settle);
/* The label of v, which has one, is to be offered. Any thread. */
void hop__settle_start(hop__settle *settle, uint64_t v);
/* Until nothing is pending, or it is enough. In a phase of progress of the caller's; HOP_OK when
 * that was cancelled. */
hop_status hop__settle_run(hop__settle *settle);

/* v's label fell to this. */
void hop__settle_activate(hop__settle *settle, hop__settle_lane *lane, hop_vertex v,
                          uint64_t label);

static inline uint64_t hop__settle_label(const hop__settle *settle, bool wide, uint64_t v) {
    return wide ? __atomic_load_n((const uint64_t *)settle->labels + v, __ATOMIC_ACQUIRE)
                : __atomic_load_n((const uint32_t *)settle->labels + v, __ATOMIC_ACQUIRE);
}

/* Lowers a label; false when it was not above. The one that was there is *known. */
static inline bool hop__settle_lower(hop__settle *settle, bool wide, uint64_t v, uint64_t label,
                                     uint64_t *known) {
    hop__before_write();
    if (wide) {
        uint64_t *cell = (uint64_t *)settle->labels + v;
        while (label < *known)
            if (__atomic_compare_exchange_n(cell, known, label, true, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE))
                return true;
        return false;
    }
    uint32_t *cell = (uint32_t *)settle->labels + v, seen = (uint32_t)*known;
    while ((uint32_t)label < seen)
        if (__atomic_compare_exchange_n(cell, &seen, (uint32_t)label, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            *known = seen;
            return true;
        }
    return false;
}

/* Label and parent together. Who reads the label without the lock sees a parent that goes with it:
 * that is written first. */
static inline bool hop__settle_pair(hop__settle *settle, bool wide, hop_vertex u, uint64_t v,
                                    uint64_t label, bool nearer, uint64_t *known) {
    unsigned char *lock = &settle->locks[v % HOP__SETTLE_LOCKS];
    bool fell = false;
    hop__before_write();
    while (__atomic_test_and_set(lock, __ATOMIC_ACQUIRE))
        ;
    *known = hop__settle_label(settle, wide, v);
    if (label < *known) {
        hop__store_u32(&settle->parents[v], nearer ? u : HOP_NO_VERTEX);
        if (wide)
            __atomic_store_n((uint64_t *)settle->labels + v, label, __ATOMIC_RELEASE);
        else
            __atomic_store_n((uint32_t *)settle->labels + v, (uint32_t)label, __ATOMIC_RELEASE);
        fell = true;
    } else if (label == *known && nearer && u < hop__load_u32(&settle->parents[v])) {
        hop__store_u32(&settle->parents[v], u);
    }
    __atomic_clear(lock, __ATOMIC_RELEASE);
    return fell;
}

/* u, whose label is `own`, offers v a label, not below its own. */
static inline void hop__settle_offer(hop__settle *settle, hop__settle_lane *lane, bool wide,
                                     hop_vertex u, uint64_t own, hop_vertex v, uint64_t label) {
    uint64_t known = hop__settle_label(settle, wide, v);
    bool nearer = own < label, fell;
    if (label > known)
        return;
    if (!nearer && u != v && settle->level)
        (void)hop__bitmap_claim(settle->level, u);
    if (label == known && (!settle->parents || !nearer || hop__load_u32(&settle->parents[v]) <= u))
        return;
    fell = settle->parents ? hop__settle_pair(settle, wide, u, v, label, nearer, &known)
                           : hop__settle_lower(settle, wide, v, label, &known);
    if (fell) {
        lane->reached += known == settle->none;
        hop__settle_activate(settle, lane, v, label);
    }
}

#endif
