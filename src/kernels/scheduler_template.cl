/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler: persistent work-groups that live on a queue of tokens. D4 chapter 5, algorithm 4
 * (the chunked persistent model), with launches that end and are repeated. docs/scheduler.md says
 * how to write an algorithm on it; scheduler.h is its side on the host.
 *
 * Taken in by a program that has defined JOB, a struct type with what the algorithm needs, and the
 * functions SCHEDULED(open), SCHEDULED(step) and so on, which are called here:
 *
 *   void open(const JOB *job, u32 q, u32 token, u64 *at, u64 *end)
 *       Prolog: the token was taken from queue q; its work is the range [*at, *end), which may
 *       be empty.
 *   u32 step(const JOB *job, u32 token, u64 at, u32 stage, u32 *found)
 *       DoChunk: one element of the range. Returns 0, or q + 1 to put token *found into queue q.
 *   void close(const JOB *job, u32 token, u32 stage)
 *       Epilog: the range is done.
 * and if SCHEDULER_STAGED (D4's level gate):
 *   u32 stage(const JOB *job, u32 token)
 *       The stage of a token. It is opened at once and worked on only in its stage. What is put
 *       belongs to the next stage. A value that is not there yet must not look like a stage.
 *   u32 advance(const JOB *job, u32 stage)
 *       Called by one item when all work of `stage` is done. 0: there shall be no further stage.
 *
 * A trip of a group:
 *  1. hungry items get tickets;
 *  2. they look whether their token has arrived, open it and do up to SCHEDULER_CHUNK steps;
 *  3. the group counts what is pending and gets tickets for the tokens that were found;
 *  4. the tokens are put.
 * With `proxy`, item 0 gets the tickets for all; with `direct` each item gets its own, in parts 1
 * and 2.
 *
 * Nobody waits. An item whose token has not come, or whose stage has not, does nothing in this
 * trip. A group leaves the launch when
 *  - its trips are used up,
 *  - nothing is pending,
 *  - a token was refused,
 *  - the algorithm sets control[SCHEDULER_LEAVE], or
 *  - none of its items had anything to do for `patience` trips: it may be that other groups cannot
 *    run before this one leaves.
 * Tickets and unfinished ranges go to memory, and the next launch, with the same number of groups
 * and items, goes on with them.
 *
 * Invariants
 *  1. pending = tokens put and not closed. It is raised before a token is put and lowered after its
 *     work, in one addition where both happen in one trip; so it is 0 only when all is done.
 *     In stages there are two such counts, for even and for odd stages.
 *  2. Where something is pending and nothing was refused, every launch takes a step, or closes a
 *     token. If an item holds a token of the current stage, it does. Otherwise such a token is in a
 *     slot. Were its ticket not given, items without a ticket would get it in their first trip; and
 *     an item that has one, for a slot without token, holds a later ticket than all tokens have,
 *     so tickets of all tokens were given. Stages do not change this: all tokens of a stage
 *     were put before any of the next, so whoever holds one of the next has a later ticket.
 *  3. The stage grows when the count of the current one becomes 0. All tokens of the next are
 *     counted by then: who put them lowered the count of this stage later, with a fence between.
 *
 * SCHEDULER_QUEUES is 1 or 2; an item looks at queue 0 first. Cost per trip: four barriers, and
 * with proxy one or two atomic additions per queue and group. */
#include "kernels/scheduler.cl"

/* Part 2: the token that this item works on in this trip; 0 if there is none. */
FN u32 SCHEDULED(scheduler_ready)(scheduler_item *me, const JOB *job, const queue *queues,
                                  LOCALP scheduler_group *group) {
    for (u32 q = 0; q < SCHEDULER_QUEUES && (me->holds & 1) == 0; q++) {
        if ((me->holds >> (1 + q) & 1) == 0)
            continue;
        u32 token = queue_take(&queues[q], me->ticket[q], &me->counts);
        if (token != QUEUE_NONE) {
            me->holds = (me->holds & ~(2u << q)) | 1;
            me->token = token;
            SCHEDULED(open)(job, q, token, &me->at, &me->end);
        }
    }
#if SCHEDULER_STAGED
    return (me->holds & 1) != 0 && SCHEDULED(stage)(job, me->token) == group->stage;
#else
    (void)group;
    return me->holds & 1;
#endif
}

FN void SCHEDULED(scheduler_work)(scheduler_item *me, const JOB *job, const queue *queues,
                                  LOCALP scheduler_group *group) {
    u32 found = 0, stage = group->stage;
    me->found_queue = 0;
    for (u32 q = 0; q < SCHEDULER_QUEUES; q++)
        me->found_count[q] = 0;
    if (!SCHEDULED(scheduler_ready)(me, job, queues, group))
        return;
    u32 chunk = 0;
    for (; chunk < SCHEDULER_CHUNK && me->at < me->end; chunk++, me->at++) {
        u32 token = 0, where = SCHEDULED(step)(job, me->token, me->at, stage, &token);
        if (where != 0) {
            me->found[found] = token;
            me->found_queue |= (where - 1) << found++;
            me->found_count[where - 1]++;
        }
    }
    QUEUE_COUNT(me->steps, chunk);
    if (me->at >= me->end) {
        SCHEDULED(close)(job, me->token, stage);
        me->holds &= ~1u;
        atomic_add_local_u32(&group->closed, 1);
    }
    relaxed_store_local_u32(&group->busy, 1);
}

/* Part 3, by item 0: counts, and the next stage. Returns whether the group shall go on. */
FN u32 SCHEDULED(scheduler_account)(const JOB *job, GLOBAL u32 *control,
                                    LOCALP scheduler_group *group) {
    u32 found = 0, closed = group->closed;
    for (u32 q = 0; SCHEDULER_PROXY_PUT && q < SCHEDULER_QUEUES; q++)
        found += group->found[q];
#if SCHEDULER_STAGED
    u32 stage = group->stage, next = SCHEDULER_PENDING + (~stage & 1) * SCHEDULER_PARITY;
    if (found != 0)
        atomic_add_u32(&control[next], found);
    FENCE_GLOBAL(); /* invariant 3 */
    if (closed != 0 && atomic_add_u32(&control[SCHEDULER_PENDING + (stage & 1) * SCHEDULER_PARITY],
                                      0 - closed) == closed) {
        FENCE_GLOBAL();
        if (relaxed_load_u32(&control[next]) != 0 && SCHEDULED(advance)(job, stage))
            relaxed_store_u32(&control[SCHEDULER_STAGE], stage + 1);
        else
            relaxed_store_u32(&control[SCHEDULER_DONE], 1);
    }
    group->stage = relaxed_load_u32(&control[SCHEDULER_STAGE]);
#else
    (void)job;
    if (found != closed)
        atomic_add_u32(&control[SCHEDULER_PENDING], found - closed);
#endif
    return scheduler_wanted(control);
}

/* Called by all items of all groups; `group` is local memory. */
FN void SCHEDULED(scheduler_run)(const JOB *job, GLOBAL u32 *control, GLOBAL u32 *states,
                                 GLOBAL u32 *slots, GLOBAL u32 *slots_behind, u32 trips,
                                 u32 patience, LOCALP scheduler_group *group) {
    queue queues[2];
    u32 proxy = local_id() == 0, idle = 0;
    scheduler_item me;
    queue_open(&queues[0], control, slots);
    queue_open(&queues[1], control + QUEUE_WORDS, slots_behind);
    scheduler_load(&me, states);
    if (proxy) {
        scheduler_clear(group->hungry);
        group->refused = 0;
        group->stage = relaxed_load_u32(&control[SCHEDULER_STAGE]);
        group->go = trips != 0 && scheduler_wanted(control);
    }
    SCHEDULER_BARRIER();
    while (group->go) {
        scheduler_ask(&me, queues, group);
        SCHEDULER_BARRIER();
        if (proxy) {
#if SCHEDULER_PROXY_CLAIM
            scheduler_claim(&me, queues, group);
#endif
            scheduler_clear(group->found);
            group->closed = group->busy = 0;
        }
        SCHEDULER_BARRIER();
#if SCHEDULER_PROXY_CLAIM
        scheduler_receive(&me, group);
#if QUEUE == QUEUE_CAS && SCHEDULER_PROXY_PUT
        SCHEDULER_BARRIER(); /* the line is used for tokens now */
#endif
#endif
        SCHEDULED(scheduler_work)(&me, job, queues, group);
        scheduler_offer(&me, queues, control,
                        SCHEDULER_PENDING +
                            (SCHEDULER_STAGED ? (~group->stage & 1) * SCHEDULER_PARITY : 0),
                        group);
        SCHEDULER_BARRIER_ALL(); /* with direct, tokens of other items are counted before item 0
                                    goes on */
        if (proxy) {
            trips--;
            idle = group->busy ? 0 : idle + 1;
            scheduler_clear(group->hungry);
            u32 more = SCHEDULED(scheduler_account)(job, control, group);
#if SCHEDULER_PROXY_PUT
            scheduler_reserve(&me, queues, group);
#endif
            if (group->refused)
                relaxed_store_u32(&control[SCHEDULER_REFUSED], 1);
            group->go = more && trips != 0 && idle < patience && !group->refused;
        }
        SCHEDULER_BARRIER();
#if SCHEDULER_PROXY_PUT
        scheduler_put(&me, queues, control, group);
#endif
    }
    scheduler_save(&me, states, control);
}
