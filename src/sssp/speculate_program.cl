/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of speculate: what a work-item does with a vertex, on the scheduler of
 * kernels/scheduler_template.cl. What they do together is said in sssp_device_speculate.c.
 *
 * PAIR 1: cost and parent of a vertex are one number of 64 bits, the cost above (D4 8.3.1); KIND is
 * 0 then, and every weight above 0. PAIR 0: the cost alone is lowered, as a key (sssp_numbers.cl).
 *
 * marks, per vertex: bit 0, it is in the queue of corrections, or was refused there; bit 1, in that
 * of speculations, from when its token was found until it is opened.
 *
 * Who opens a vertex clears its bit first and reads its distance later; who lowers the distance
 * does that first and looks at the bit later. With the fences between, one of the two sees the
 * other: a vertex whose distance was lowered is opened afterwards. */
#include "sssp/sssp_numbers.cl"

#include "kernels/scheduler.cl"

#ifndef PAIR
#define PAIR 0
#endif
#define CORRECTED  1u
#define SPECULATED 2u
/* Words of the state, with negative weights: a distance would have become too small; how often a
 * vertex may be lowered before the host shall look for a cycle. */
#define BELOW        0
#define OFTEN        1
#define CORRECTIONS  1 /* q + 1 of the queues */
#define SPECULATIONS 2

typedef struct speculation {
    GLOBAL const OFFSET *offsets;
    GLOBAL const u32 *targets;
    GLOBAL const WEIGHT_TYPE *weights;
    GLOBAL KEY *keys;
    GLOBAL u64 *pairs;
    GLOBAL u32 *marks, *tree, *lowered, *control, *state;
    KEY low, limit;
} speculation;

FN void speculation_open(const speculation *job, u32 q, u32 vertex, u64 *at, u64 *end) {
    atomic_and_u32(&job->marks[vertex], q + 1 == CORRECTIONS ? ~CORRECTED : ~SPECULATED);
    FENCE_GLOBAL();
    *at = job->offsets[vertex];
    *end = job->offsets[vertex + 1];
}

/* Lowers the end of an arc; what it had before. A result not above *key: it was not lowered. */
FN KEY speculation_lower(const speculation *job, u32 from, u32 to, u64 arc, KEY *key) {
#if PAIR
    u64 mine = relaxed_load_u64(&job->pairs[from]);
    *key = 0;
    if ((u32)mine == to) /* back to the parent: no weight is negative, so it cannot be nearer */
        return 0;
    *key = key_add((u32)(mine >> 32), job->weights, arc);
    u64 pair = (u64)*key << 32 | from, there = relaxed_load_u64(&job->pairs[to]);
    if (*key > job->limit || pair >= there)
        return 0;
    return (u32)(atomic_min_u64(&job->pairs[to], pair) >> 32);
#else
    *key = key_add(key_load(&job->keys[from]), job->weights, arc);
#if SIGNED
    if (*key < job->low) { /* only a negative cycle leads there */
        relaxed_store_u32(&job->state[BELOW], 1);
        relaxed_store_u32(&job->control[SCHEDULER_LEAVE], 1);
        return 0;
    }
#endif
    if (*key > job->limit || *key >= key_load(&job->keys[to]))
        return 0;
    return key_min(&job->keys[to], *key);
#endif
}

FN u32 speculation_step(const speculation *job, u32 vertex, u64 at, u32 stage, u32 *found) {
    KEY key, before;
    u32 other = job->targets[at];
    (void)stage;
    *found = other;
    before = speculation_lower(job, vertex, other, at, &key);
    if (before <= key)
        return 0;
#if SIGNED
    relaxed_store_u32(&job->tree[other], vertex);
    if (atomic_add_u32(&job->lowered[other], 1) >= relaxed_load_u32(&job->state[OFTEN]))
        relaxed_store_u32(&job->control[SCHEDULER_LEAVE], 1);
#endif
    if (before == KEY_NONE) { /* the first time: this item alone sees that */
        atomic_or_u32(&job->marks[other], SPECULATED);
        FENCE_GLOBAL(); /* who finds its token clears the bit, and must find it set */
        return SPECULATIONS;
    }
    FENCE_GLOBAL();
    if ((relaxed_load_u32(&job->marks[other]) & SPECULATED) != 0)
        return 0; /* it has not been opened yet, and has nothing to correct */
    return (atomic_or_u32(&job->marks[other], CORRECTED) & CORRECTED) != 0 ? 0 : CORRECTIONS;
}

FN void speculation_close(const speculation *job, u32 vertex, u32 stage) {
    (void)job;
    (void)vertex;
    (void)stage;
}

#define JOB             speculation
#define SCHEDULED(name) speculation_##name
#include "kernels/scheduler_template.cl"

KERNEL_WG(WG)
void speculate(GLOBAL u32 *control, GLOBAL u32 *states, GLOBAL u32 *slots, GLOBAL u32 *slots_behind,
               u32 trips, u32 patience, GLOBAL const OFFSET *offsets, GLOBAL const u32 *targets,
               GLOBAL const WEIGHT_TYPE *weights, GLOBAL KEY *keys, GLOBAL u64 *pairs,
               GLOBAL u32 *marks, GLOBAL u32 *tree, GLOBAL u32 *lowered, GLOBAL u32 *state, KEY low,
               KEY limit) {
    LOCALV scheduler_group group;
    speculation job;
    job.offsets = offsets;
    job.targets = targets;
    job.weights = weights;
    job.keys = keys;
    job.pairs = pairs;
    job.marks = marks;
    job.tree = tree;
    job.lowered = lowered;
    job.control = control;
    job.state = state;
    job.low = low;
    job.limit = limit;
    speculation_scheduler_run(&job, control, states, slots, slots_behind, trips, patience, &group);
}

/* Before queue 0 is filled anew: which vertices belong there. */
KERNEL_WG(WG) void marks_split(u64 first, u64 count, GLOBAL const u32 *marks, GLOBAL u32 *flags) {
    FOR_WORK(i, count) {
        flags[first + i] = marks[first + i] & CORRECTED;
    }
}

#if PAIR
/* Sources are their own parents. */
KERNEL_WG(WG) void pairs_start(u64 first, u64 count, GLOBAL const KEY *keys, GLOBAL u64 *pairs) {
    FOR_WORK(i, count) {
        u64 v = first + i;
        pairs[v] = keys[v] == KEY_NONE ? U64_C(0xffffffffffffffff) : v;
    }
}

KERNEL_WG(WG)
void pairs_end(u64 first, u64 count, GLOBAL const u64 *pairs, GLOBAL KEY *keys, GLOBAL u32 *parents,
               u32 wanted) {
    FOR_WORK(i, count) {
        u64 v = first + i;
        keys[v] = (u32)(pairs[v] >> 32);
        if (wanted)
            parents[v] = (u32)pairs[v];
    }
}
#endif
