/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that try the queue and the scheduler: test_queue.c and test_scheduler.c.
 *
 * pump    items below `producers` put tokens, the others take; each keeps its ticket, or its
 *         place, from launch to launch. Token t is bit t of `seen`: taken once, or an error.
 * grow    a tree: token t has the children fan t + 1 ... fan t + fan below `count`.
 * again   every token comes back to the queue until its number in `left` is used up; `marks` says
 *         which are in the queue or should be.
 * The first and the last are for rings, grow is for queues that have room for all. */
#include "kernels/shim.h"

#ifndef WG
#define WG 64
#endif
#ifndef FAN
#define FAN 3
#endif

#include "kernels/scheduler.cl"

#if SCHEDULER_RING

/* Puts `many` tokens from *next on; returns how many had room. */
FN u32 pump_put(const queue *q, u32 *next, u32 many, queue_counts *counts) {
    u32 done = 0;
    while (done < many) {
        u32 ticket = 0, got = queue_reserve(q, many - done, &ticket, counts);
        if (got == 0)
            break;
        for (u32 i = 0; i < got; i++, done++)
            if (queue_put(q, ticket + i, *next + done) == 0)
                return 0; /* the host has seen to it that this does not happen */
    }
    *next += done;
    return done;
}

/* errors[0]: tokens taken twice, [1]: unknown tokens, [2]: tokens that had no room; [3]: taken. */
KERNEL_WG(WG)
void pump(GLOBAL u32 *control, GLOBAL u32 *states, GLOBAL u32 *slots, GLOBAL u32 *slots_behind,
          u32 trips, u32 patience, u32 producers, u32 count, u32 quota, GLOBAL u32 *seen,
          GLOBAL u32 *errors) {
    queue q;
    scheduler_item me;
    queue_open(&q, control, slots);
    scheduler_load(&me, states);
    u32 share = producers == 0 ? 0 : (count + producers - 1) / producers, taken = 0;
    (void)slots_behind;
    (void)patience;
    for (u32 trip = 0; trip < trips; trip++) {
        if (item_id() < producers) {
            u32 end = share * (item_id() + 1) < count ? share * (item_id() + 1) : count;
            u32 next = share * item_id() + me.token; /* its token is the number that it has put */
            u32 many = 1 + (next ^ trip) % 8;
            if (next >= end || quota == 0)
                continue;
            many = many < end - next ? many : end - next;
            many = many < quota ? many : quota;
            if (pump_put(&q, &next, many, &me.counts) != many)
                atomic_add_u32(&errors[2], 1);
            me.token = next - share * item_id();
            quota -= many;
        } else {
            if ((me.holds & 2) == 0 && queue_claim(&q, 1, &me.ticket[0], &me.counts) == 1)
                me.holds |= 2;
            u32 token = (me.holds & 2) != 0 ? queue_take(&q, me.ticket[0], &me.counts) : QUEUE_NONE;
            if (token == QUEUE_NONE)
                continue;
            me.holds &= ~2u;
            taken++;
            if (token >= count)
                atomic_add_u32(&errors[1], 1);
            else if ((atomic_or_u32(&seen[token / 32], 1u << token % 32) >> token % 32 & 1) != 0)
                atomic_add_u32(&errors[0], 1);
        }
    }
    atomic_add_u32(&errors[3], taken);
    scheduler_save(&me, states, control);
}

typedef struct again {
    GLOBAL u32 *left, *marks, *done;
} again;

FN void again_open(const again *job, u32 q, u32 token, u64 *at, u64 *end) {
    (void)q;
    atomic_swap_u32(&job->marks[token], 0);
    *at = 0;
    *end = 1;
}
FN u32 again_step(const again *job, u32 token, u64 at, u32 stage, u32 *found) {
    (void)at;
    (void)stage;
    atomic_add_u32(&job->done[token], 1);
    *found = token;
    return atomic_add_u32(&job->left[token], 0xffffffffu) > 1 &&
           atomic_swap_u32(&job->marks[token], 1) == 0;
}
FN void again_close(const again *job, u32 token, u32 stage) {
    (void)job;
    (void)token;
    (void)stage;
}
#define JOB             again
#define SCHEDULED(name) again_##name
#include "kernels/scheduler_template.cl"

KERNEL_WG(WG)
void again_all(GLOBAL u32 *control, GLOBAL u32 *states, GLOBAL u32 *slots, GLOBAL u32 *slots_behind,
               u32 trips, u32 patience, GLOBAL u32 *left, GLOBAL u32 *marks, GLOBAL u32 *done) {
    LOCALV scheduler_group group;
    again job;
    job.left = left;
    job.marks = marks;
    job.done = done;
    again_scheduler_run(&job, control, states, slots, slots_behind, trips, patience, &group);
}

#else

typedef struct grow {
    GLOBAL u32 *seen;
    u32 count;
} grow;

FN void grow_open(const grow *job, u32 q, u32 token, u64 *at, u64 *end) {
    (void)q;
    u64 child = (u64)token * FAN + 1;
    *at = child < job->count ? child : job->count;
    *end = child + FAN < job->count ? child + FAN : job->count;
}
FN u32 grow_step(const grow *job, u32 token, u64 at, u32 stage, u32 *found) {
    (void)job;
    (void)token;
    (void)stage;
    *found = (u32)at;
    return 1 + (SCHEDULER_QUEUES == 2 && at % 3 == 0);
}
/* How often it was done, and in which stage. */
FN void grow_close(const grow *job, u32 token, u32 stage) {
    atomic_add_u32(&job->seen[token], 1 + (SCHEDULER_STAGED ? stage << 8 : 0));
}
FN u32 grow_stage(const grow *job, u32 token) {
    u32 depth = 0;
    (void)job;
    for (; token != 0; token = (token - 1) / FAN)
        depth++;
    return depth;
}
FN u32 grow_advance(const grow *job, u32 stage) {
    (void)job;
    (void)stage;
    return 1;
}
#define JOB             grow
#define SCHEDULED(name) grow_##name
#include "kernels/scheduler_template.cl"

KERNEL_WG(WG)
void grow_all(GLOBAL u32 *control, GLOBAL u32 *states, GLOBAL u32 *slots, GLOBAL u32 *slots_behind,
              u32 trips, u32 patience, GLOBAL u32 *seen, u32 count) {
    LOCALV scheduler_group group;
    grow job;
    job.seen = seen;
    job.count = count;
    grow_scheduler_run(&job, control, states, slots, slots_behind, trips, patience, &group);
}

#endif
