/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue: tokens of 32 bits, put and taken by any number of items at the same time, in an array
 * of slots. D4 chapter 4; docs/scheduler.md explains it at length.
 *
 * Both ends are counted by tickets. A ticket of the rear names the slot that its holder will write,
 * a ticket of the front the slot that its holder will read; equal tickets are the same token. A
 * slot without a token holds QUEUE_NONE (the data-not-arrived sentinel), so a ticket of the front
 * may be had before there is a token for it: its holder looks once per trip and never waits.
 *
 * QUEUE says how tickets are had; all else is the same for the three:
 *   QUEUE_RETRY_FREE   one atomic addition for any number of tickets. It cannot fail: no retries,
 *                      no "empty", no "full". D4's queue.
 *   QUEUE_ARBITRARY_N  compare-and-swap for any number of tickets, repeated while others are
 *                      faster. The front gives only tickets of slots that the rear has given away.
 *   QUEUE_CAS          the same, one ticket at a time. D4's BASE.
 *
 * The host sets, between launches, the window [base, base + span) of tickets that are good in the
 * next launch, where
 *   oldest  is the least ticket of the front that was given and whose token was not yet taken, or
 *           the front itself when there is none; base = oldest;
 *   span    <= capacity, the number of slots; capacity is a power of two where tickets come round
 *           (mask = capacity - 1), else any number (mask = all ones).
 *
 * Invariants
 *  1. Each ticket of an end is given once: additions and successful swaps are atomic. Counters go
 *     round at 2^32; tickets are compared by their distance from base, so this is no event. It
 *     takes capacity + items (1 + tokens per trip) < 2^32, which the host checks.
 *  2. Slots are touched only for tickets inside the window: queue_put and queue_take look. There
 *     are at most `capacity` of them, so two different ones have different slots: no token is
 *     written over another, none is read by the holder of another ticket, however late a holder
 *     comes. In particular the holder of a ticket of an earlier launch, who may not have run since,
 *     finds its own token or none: its ticket is >= oldest = base.
 *  3. At the start of a launch the slots of the window from the rear on hold QUEUE_NONE: tickets
 *     below `oldest` were taken, and taking puts QUEUE_NONE back; the others were never written.
 *     Within a launch a slot is written once, by the holder of the rear's ticket, and then emptied
 *     once, by the holder of the front's.
 *  4. A token that finds no room in the window is refused: queue_put returns 0, and nothing was
 *     changed but the rear's counter. A queue in which every token is put at most once never
 *     refuses if capacity >= tokens + items: at most `tokens` tickets of the rear are given, and
 *     of the front at most one more for each item.
 *  5. No loop here waits for another item. The loops around compare-and-swap repeat only when
 *     another item has succeeded in the meantime.
 *
 * A token must be all that its reader needs, or name words that only grow towards their value (a
 * level that is there or not yet, a distance that falls): nothing orders other memory with a slot.
 *
 * Counting (QUEUE_COUNTED, 0 by default) costs nothing when it is off. */
#ifndef HOPLITE_KERNELS_QUEUE_CL
#define HOPLITE_KERNELS_QUEUE_CL

#include "kernels/shim.h"

#define QUEUE_RETRY_FREE  0
#define QUEUE_ARBITRARY_N 1
#define QUEUE_CAS         2
#ifndef QUEUE
#define QUEUE QUEUE_RETRY_FREE
#endif
#ifndef QUEUE_COUNTED
#define QUEUE_COUNTED 0
#endif

#define QUEUE_NONE 0xffffffffu

/* Words of a queue in its control block, as in scheduler.h. The two ends have lines of their own;
 * the rest does not change in a launch. */
#define QUEUE_FRONT 0
#define QUEUE_REAR  32
#define QUEUE_FIRST 64 /* the ticket of slot 0 */
#define QUEUE_MASK  65
#define QUEUE_BASE  66
#define QUEUE_SPAN  67
#define QUEUE_WORDS 96

/* What an item counts: operations at either end that got tickets, those at the front that found
 * none, compare-and-swaps that came too late; looks at slots, and tokens taken. */
typedef struct queue_counts {
    u32 operations, empties, retries, looks, takes;
} queue_counts;
#if QUEUE_COUNTED
#define QUEUE_COUNT(counter, amount) ((counter) += (amount))
#else
#define QUEUE_COUNT(counter, amount) ((void)&(counter), (void)(amount))
#endif

typedef struct queue {
    GLOBAL u32 *words, *slots;
    u32 first, mask, base, span;
} queue;

/* Results of functions are no structs: Oclgrind 21.10 does not know what inlining makes of them. */
FN void queue_open(queue *q, GLOBAL u32 *words, GLOBAL u32 *slots) {
    q->words = words;
    q->slots = slots;
    q->first = words[QUEUE_FIRST];
    q->mask = words[QUEUE_MASK];
    q->base = words[QUEUE_BASE];
    q->span = words[QUEUE_SPAN];
}

FN GLOBAL u32 *queue_slot(const queue *q, u32 ticket) {
    return &q->slots[(ticket - q->first) & q->mask];
}

#if QUEUE != QUEUE_RETRY_FREE
/* Advances `end` by at most `wanted`: the front not beyond the rear, the rear not beyond the
 * window. Returns by how much, and the first ticket. */
FN u32 queue_swap(const queue *q, u32 end, u32 wanted, u32 *ticket, queue_counts *counts) {
    u32 at = relaxed_load_u32(&q->words[end]);
    for (;;) {
        u32 limit =
            end == QUEUE_FRONT ? relaxed_load_u32(&q->words[QUEUE_REAR]) : q->base + q->span;
        u32 there = limit - at, granted = QUEUE == QUEUE_CAS ? 1 : wanted;
        if (there > q->span) /* the rear that was seen is older than the front: none for now */
            there = 0;
        if (granted > there)
            granted = there;
        if (granted == 0)
            return 0;
        u32 seen = atomic_cas_u32(&q->words[end], at, at + granted);
        if (seen == at) {
            QUEUE_COUNT(counts->operations, 1);
            *ticket = at;
            return granted;
        }
        QUEUE_COUNT(counts->retries, 1);
        at = seen;
    }
}
#endif

/* Tickets of the front: up to `wanted` of them from *ticket on. Returns how many; QUEUE_CAS gives
 * one at most. */
FN u32 queue_claim(const queue *q, u32 wanted, u32 *ticket, queue_counts *counts) {
#if QUEUE == QUEUE_RETRY_FREE
    QUEUE_COUNT(counts->operations, 1);
    *ticket = atomic_add_u32(&q->words[QUEUE_FRONT], wanted);
    return wanted;
#else
    u32 granted = queue_swap(q, QUEUE_FRONT, wanted, ticket, counts);
    QUEUE_COUNT(counts->empties, granted == 0);
    return granted;
#endif
}

/* Tickets of the rear, likewise. Fewer than wanted: QUEUE_CAS gives one at a time; 0: no room. */
FN u32 queue_reserve(const queue *q, u32 wanted, u32 *ticket, queue_counts *counts) {
#if QUEUE == QUEUE_RETRY_FREE
    QUEUE_COUNT(counts->operations, 1);
    *ticket = atomic_add_u32(&q->words[QUEUE_REAR], wanted);
    return wanted;
#else
    return queue_swap(q, QUEUE_REAR, wanted, ticket, counts);
#endif
}

/* 0: there is no room for this token; see invariant 4. */
FN u32 queue_put(const queue *q, u32 ticket, u32 token) {
    if (ticket - q->base >= q->span)
        return 0;
    relaxed_store_u32(queue_slot(q, ticket), token);
    return 1;
}

/* The token of this ticket of the front, whose slot is empty afterwards; QUEUE_NONE: it has not
 * arrived. */
FN u32 queue_take(const queue *q, u32 ticket, queue_counts *counts) {
    QUEUE_COUNT(counts->looks, 1);
    if (ticket - q->base >= q->span)
        return QUEUE_NONE;
    u32 token = relaxed_load_u32(queue_slot(q, ticket));
    if (token != QUEUE_NONE) {
        relaxed_store_u32(queue_slot(q, ticket), QUEUE_NONE);
        QUEUE_COUNT(counts->takes, 1);
    }
    return token;
}

#endif
