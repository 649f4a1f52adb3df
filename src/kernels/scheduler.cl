/* SPDX-License-Identifier: Apache-2.0
 *
 * What the scheduler is made of, as far as it does not depend on the algorithm: the words in
 * memory, what an item and a group hold, and the parts of a trip that have to do with the queues.
 * scheduler_template.cl says what for. */
#ifndef HOPLITE_KERNELS_SCHEDULER_CL
#define HOPLITE_KERNELS_SCHEDULER_CL

#include "kernels/queue.cl"
#include "kernels/shim.h"

#ifndef SCHEDULER_QUEUES
#define SCHEDULER_QUEUES 1
#endif
#ifndef SCHEDULER_STAGED
#define SCHEDULER_STAGED 0
#endif
#ifndef SCHEDULER_CHUNK
#define SCHEDULER_CHUNK 8
#endif
#ifndef SCHEDULER_PROXY_CLAIM
#define SCHEDULER_PROXY_CLAIM 1
#endif
#ifndef SCHEDULER_PROXY_PUT
#define SCHEDULER_PROXY_PUT 1
#endif
#ifndef SCHEDULER_RING /* whether tickets of a queue may come round, or tokens be refused */
#define SCHEDULER_RING 0
#endif

/* One item needs no barriers, and PoCL 3.1 fails an assertion of its own on them. */
#if WG == 1
#define SCHEDULER_BARRIER()
#define SCHEDULER_BARRIER_ALL()
#else
#define SCHEDULER_BARRIER()     BARRIER_LOCAL()
#define SCHEDULER_BARRIER_ALL() BARRIER_ALL()
#endif

/* Words of the control block behind those of the queues, as in scheduler.h. */
#define SCHEDULER_BASE    (2 * QUEUE_WORDS)
#define SCHEDULER_PENDING SCHEDULER_BASE /* in stages: of even ones, and PARITY words on of odd */
#define SCHEDULER_PARITY  32
#define SCHEDULER_STAGE   (SCHEDULER_BASE + 64)
#define SCHEDULER_DONE    (SCHEDULER_BASE + 65)
#define SCHEDULER_REFUSED (SCHEDULER_BASE + 66)
#define SCHEDULER_LEAVE   (SCHEDULER_BASE + 67) /* set by the algorithm: all shall leave */
#define SCHEDULER_COUNTS  (SCHEDULER_BASE + 96)

/* Words of an item in memory between launches; word k of item i is number k * items + i. */
#define SCHEDULER_HOLDS  0 /* bit 0: a token; bit 1 + q: a ticket of queue q */
#define SCHEDULER_TOKEN  1
#define SCHEDULER_AT     2 /* and 3 */
#define SCHEDULER_END    4 /* and 5 */
#define SCHEDULER_TICKET 6 /* and 7, for queue 1 */

typedef struct scheduler_item {
    u32 holds, token;
    u64 at, end;
    u32 ticket[SCHEDULER_QUEUES];
    u32 found_count[SCHEDULER_QUEUES], found_first[SCHEDULER_QUEUES]; /* in the group's */
    u32 hungry[SCHEDULER_QUEUES];                                     /* place among those */
    u32 found[SCHEDULER_CHUNK], found_queue; /* bit i: number i goes to queue 1 */
    queue_counts counts;
    u32 steps; /* elements of ranges that were done; only if QUEUE_COUNTED */
} scheduler_item;

/* With QUEUE_CAS and proxy, tickets do not follow each other, and item 0 passes them on here; and
 * it puts the tokens that it gets here. */
#if QUEUE == QUEUE_CAS && SCHEDULER_PROXY_PUT
#define SCHEDULER_LINE (WG * SCHEDULER_CHUNK)
#elif QUEUE == QUEUE_CAS && SCHEDULER_PROXY_CLAIM
#define SCHEDULER_LINE WG
#else
#define SCHEDULER_LINE 1
#endif

typedef struct scheduler_group {
    u32 hungry[SCHEDULER_QUEUES], granted[SCHEDULER_QUEUES], claimed[SCHEDULER_QUEUES];
    u32 found[SCHEDULER_QUEUES], room[SCHEDULER_QUEUES], reserved[SCHEDULER_QUEUES];
    u32 closed, busy, refused, go, stage;
    u32 line[SCHEDULER_LINE];
} scheduler_group;

FN void scheduler_clear(LOCALP u32 *counts) {
    for (u32 q = 0; q < SCHEDULER_QUEUES; q++)
        counts[q] = 0;
}

FN void scheduler_load(scheduler_item *me, GLOBAL const u32 *states) {
    u32 items = item_count(), i = item_id();
    me->holds = states[SCHEDULER_HOLDS * items + i];
    me->token = states[SCHEDULER_TOKEN * items + i];
    me->at = states[SCHEDULER_AT * items + i] | (u64)states[(SCHEDULER_AT + 1) * items + i] << 32;
    me->end = states[SCHEDULER_END * items + i] | (u64)states[(SCHEDULER_END + 1) * items + i]
                                                      << 32;
    for (u32 q = 0; q < SCHEDULER_QUEUES; q++) {
        me->ticket[q] = states[(SCHEDULER_TICKET + q) * items + i];
        me->found_count[q] = me->found_first[q] = me->hungry[q] = 0;
    }
    for (u32 k = 0; k < SCHEDULER_CHUNK; k++) /* compilers don't see that unset ones aren't read */
        me->found[k] = 0;
    me->found_queue = 0;
    me->counts.operations = me->counts.empties = me->counts.retries = 0;
    me->counts.looks = me->counts.takes = 0;
    me->steps = 0;
}

FN void scheduler_save(const scheduler_item *me, GLOBAL u32 *states, GLOBAL u32 *control) {
    u32 items = item_count(), i = item_id();
    states[SCHEDULER_HOLDS * items + i] = me->holds;
    states[SCHEDULER_TOKEN * items + i] = me->token;
    states[SCHEDULER_AT * items + i] = (u32)me->at;
    states[(SCHEDULER_AT + 1) * items + i] = (u32)(me->at >> 32);
    states[SCHEDULER_END * items + i] = (u32)me->end;
    states[(SCHEDULER_END + 1) * items + i] = (u32)(me->end >> 32);
    for (u32 q = 0; q < SCHEDULER_QUEUES; q++)
        states[(SCHEDULER_TICKET + q) * items + i] = me->ticket[q];
#if QUEUE_COUNTED
    atomic_add_u32(&control[SCHEDULER_COUNTS], me->counts.operations);
    atomic_add_u32(&control[SCHEDULER_COUNTS + 1], me->counts.empties);
    atomic_add_u32(&control[SCHEDULER_COUNTS + 2], me->counts.retries);
    atomic_add_u32(&control[SCHEDULER_COUNTS + 3], me->counts.looks);
    atomic_add_u32(&control[SCHEDULER_COUNTS + 4], me->counts.takes);
    atomic_add_u32(&control[SCHEDULER_COUNTS + 5], me->steps);
#else
    (void)control;
#endif
}

/* Whether item 0 lets its group make another trip, as far as the rest of the device is concerned.
 */
FN u32 scheduler_wanted(GLOBAL const u32 *control) {
    if (relaxed_load_u32(&control[SCHEDULER_REFUSED]) != 0 ||
        relaxed_load_u32(&control[SCHEDULER_LEAVE]) != 0)
        return 0;
#if SCHEDULER_STAGED
    return relaxed_load_u32(&control[SCHEDULER_DONE]) == 0;
#else
    return relaxed_load_u32(&control[SCHEDULER_PENDING]) != 0;
#endif
}

/* Part 1: what hungry items get, and that item 0 gets it for them. A barrier stands between. */
FN void scheduler_ask(scheduler_item *me, const queue *queues, LOCALP scheduler_group *group) {
    for (u32 q = 0; q < SCHEDULER_QUEUES; q++) {
        u32 hungry = (me->holds & 1) == 0 && (me->holds >> (1 + q) & 1) == 0;
#if SCHEDULER_PROXY_CLAIM
        if (hungry)
            me->hungry[q] = atomic_add_local_u32(&group->hungry[q], 1);
        (void)queues;
#else
        (void)group;
        if (hungry && queue_claim(&queues[q], 1, &me->ticket[q], &me->counts) == 1)
            me->holds |= 2u << q;
#endif
    }
}

#if SCHEDULER_PROXY_CLAIM
FN void scheduler_claim(scheduler_item *me, const queue *queues, LOCALP scheduler_group *group) {
    for (u32 q = 0; q < SCHEDULER_QUEUES; q++) {
        u32 hungry = group->hungry[q], granted = 0, ticket = 0;
#if QUEUE == QUEUE_CAS
        /* both queues share the line: the second one's part begins behind what the first got */
        u32 before = q == 0 ? 0 : group->granted[0];
        while (granted < hungry && before + granted < WG &&
               queue_claim(&queues[q], 1, &ticket, &me->counts) == 1)
            group->line[before + granted++] = ticket;
#else
        if (hungry != 0)
            granted = queue_claim(&queues[q], hungry, &ticket, &me->counts);
#endif
        group->granted[q] = granted;
        group->claimed[q] = ticket;
    }
}

FN void scheduler_receive(scheduler_item *me, LOCALP scheduler_group *group) {
    for (u32 q = 0; q < SCHEDULER_QUEUES; q++) {
        u32 hungry = (me->holds & 1) == 0 && (me->holds >> (1 + q) & 1) == 0;
        if (hungry && me->hungry[q] < group->granted[q]) {
#if QUEUE == QUEUE_CAS
            me->ticket[q] = group->line[(q == 0 ? 0 : group->granted[0]) + me->hungry[q]];
#else
            me->ticket[q] = group->claimed[q] + me->hungry[q];
#endif
            me->holds |= 2u << q;
        }
    }
}
#endif

FN u32 scheduler_queue_of(const scheduler_item *me, u32 number) {
    return SCHEDULER_QUEUES == 1 ? 0 : me->found_queue >> number & 1;
}

/* The end of part 2. With proxy: each item's place among the group's tokens. With direct: they are
 * counted and put. */
FN void scheduler_offer(scheduler_item *me, const queue *queues, GLOBAL u32 *control, u32 pending,
                        LOCALP scheduler_group *group) {
    u32 all = 0;
    for (u32 q = 0; q < SCHEDULER_QUEUES; q++)
        all += me->found_count[q];
    if (all == 0)
        return;
#if SCHEDULER_PROXY_PUT
    (void)queues;
    (void)control;
    (void)pending;
    for (u32 q = 0; q < SCHEDULER_QUEUES; q++)
        if (me->found_count[q] != 0)
            me->found_first[q] = atomic_add_local_u32(&group->found[q], me->found_count[q]);
#if QUEUE == QUEUE_CAS
    u32 placed[2] = {0, 0};
    for (u32 i = 0; i < all; i++) { /* queue 0 from the beginning of the line, 1 from its end */
        u32 q = scheduler_queue_of(me, i), place = me->found_first[q] + placed[q]++;
        group->line[q == 0 ? place : SCHEDULER_LINE - 1 - place] = me->found[i];
    }
#endif
#else
    atomic_add_u32(&control[pending], all);
    for (u32 q = 0; q < SCHEDULER_QUEUES; q++) {
        u32 ticket = 0, room = 0;
        if (QUEUE != QUEUE_CAS && me->found_count[q] != 0)
            room = queue_reserve(&queues[q], me->found_count[q], &ticket, &me->counts);
        for (u32 i = 0; i < all; i++) {
            if (scheduler_queue_of(me, i) != q)
                continue;
            if (QUEUE == QUEUE_CAS)
                room = queue_reserve(&queues[q], 1, &ticket, &me->counts);
            if (room == 0 || queue_put(&queues[q], ticket, me->found[i]) == 0)
                relaxed_store_local_u32(&group->refused, 1);
            ticket++;
            room -= room != 0;
        }
    }
#endif
}

#if SCHEDULER_PROXY_PUT
/* Part 3, by item 0: tickets for what the group found. */
FN void scheduler_reserve(scheduler_item *me, const queue *queues, LOCALP scheduler_group *group) {
    for (u32 q = 0; q < SCHEDULER_QUEUES; q++) {
        u32 found = group->found[q], room = 0, ticket = 0;
#if QUEUE == QUEUE_CAS
        for (u32 i = 0; i < found; i++)
            if (queue_reserve(&queues[q], 1, &ticket, &me->counts) == 0 ||
                queue_put(&queues[q], ticket, group->line[q == 0 ? i : SCHEDULER_LINE - 1 - i]) ==
                    0)
                group->refused = 1;
#else
        if (found != 0)
            room = queue_reserve(&queues[q], found, &ticket, &me->counts);
#endif
        group->room[q] = room;
        group->reserved[q] = ticket;
    }
}

/* Part 4. */
FN void scheduler_put(const scheduler_item *me, const queue *queues, GLOBAL u32 *control,
                      LOCALP scheduler_group *group) {
#if QUEUE == QUEUE_CAS
    (void)me;
    (void)queues;
    (void)control;
    (void)group;
#else
    u32 all = 0, placed[2] = {0, 0};
    for (u32 q = 0; q < SCHEDULER_QUEUES; q++)
        all += me->found_count[q];
    for (u32 i = 0; i < all; i++) {
        u32 q = scheduler_queue_of(me, i), place = me->found_first[q] + placed[q]++;
        if (place >= group->room[q] ||
            queue_put(&queues[q], group->reserved[q] + place, me->found[i]) == 0)
            relaxed_store_u32(&control[SCHEDULER_REFUSED], 1);
    }
#endif
}
#endif

#if SCHEDULER_RING
/* Between launches, one group: the windows of queues whose tickets come round begin at the oldest
 * ticket that is out. */
KERNEL_WG(WG)
void scheduler_settle(GLOBAL u32 *control, GLOBAL const u32 *states, u32 items) {
    LOCALV u32 ages[2];
    if (local_id() < 2)
        ages[local_id()] = 0;
    if (WG == 1)
        ages[1] = 0;
    SCHEDULER_BARRIER();
    for (u32 i = local_id(); i < items; i += WG)
        for (u32 q = 0; q < SCHEDULER_QUEUES; q++)
            if ((states[SCHEDULER_HOLDS * items + i] >> (1 + q) & 1) != 0)
                atomic_max_local_u32(&ages[q], control[q * QUEUE_WORDS + QUEUE_FRONT] -
                                                   states[(SCHEDULER_TICKET + q) * items + i]);
    SCHEDULER_BARRIER();
    for (u32 q = 0; q < SCHEDULER_QUEUES; q++)
        if (local_id() == 0 && control[q * QUEUE_WORDS + QUEUE_MASK] != QUEUE_NONE)
            control[q * QUEUE_WORDS + QUEUE_BASE] =
                control[q * QUEUE_WORDS + QUEUE_FRONT] - ages[q];
}

/* Before queue `q` is filled anew: its tickets are void. */
KERNEL_WG(WG) void scheduler_drop(GLOBAL u32 *states, u32 items, u32 q) {
    FOR_WORK(i, items) {
        states[SCHEDULER_HOLDS * items + i] &= ~(2u << q);
    }
}
#endif

#endif
