/* SPDX-License-Identifier: Apache-2.0
 *
 * The pool. Each worker has one word, `state`, on which it also sleeps:
 *
 *     FREE     nothing to do; the worker looks at the word for a while
 *     ASLEEP   nothing to do; the worker sleeps on the word
 *     ASKED    `crew` and `number` are set; the worker takes them by changing the word to FREE
 *
 * Invariants.
 * 1. A worker is in the list of the pool or in that of one crew. Only the thread that called the
 *    crew asks its workers, and takes the request back by changing ASKED to FREE itself.
 * 2. Who changes ASKED to FREE, worker or caller, accounts for one of the crew's `out`. So `out` is
 *    the number of helpers that may still look at the crew, which is on the caller's stack.
 * 3. A helper's last look at the crew is the decrement of `out`. What it must know then, whether
 *    the caller sleeps, is a bit of the same word; it wakes by address only.
 * 4. A worker sleeps only on ASLEEP, which it has set itself; who replaces ASLEEP wakes it. */
#include "core/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/machine_share.h"
#include "core/patience.h"
#include "core/place.h"
#include "core/process_lock.h"
#include "core/timing.h"
#include "core/wait.h"

enum { FREE, ASLEEP, ASKED };
/* Who calls in a loop comes again within so long. */
static const uint64_t soon_ns = 200000;
static const unsigned caller_sleeps = 1u << 31; /* in `out` */

/* The regions need little, and address space may be scarce. */
static const size_t stack_bytes = (size_t)2 << 20;

typedef struct hop__worker {
    _Alignas(64) atomic_uint state;
    hop__crew *crew;
    unsigned number;
    pthread_t thread;
    hop__place place; /* written by who wakes the worker, while it is ASLEEP */
    struct hop__worker *next;
} worker;

/* A thread whose call has ended. */
typedef struct ended_call {
    atomic_uintptr_t caller; /* the address of its `open_calls` */
    atomic_uint_fast64_t ns;
} ended_call;

/* About the process, which no context knows: with patience.c, the mutable globals of the library.
 */
static struct {
    hop__process_lock renewal;
    atomic_int process;     /* whose threads these are */
    atomic_uint lock;       /* of `idle` */
    worker *idle;           /* the one that came last is asked first: its caches are warm */
    atomic_uint looking;    /* idle workers that are not asleep */
    atomic_uint members;    /* threads at work in calls and regions */
    ended_call last, other; /* the call that ended last, and the last one of another thread */
} pool;

hop__pool_counts hop__pool_total;

static void count(atomic_uint_fast64_t *counter, uint64_t amount) {
    atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

/* After a fork, what was borrowed or locked by threads that do not exist here is forgotten. */
static void renew_if_forked(void) {
    int own = (int)getpid();
    if (atomic_load_explicit(&pool.process, memory_order_acquire) == own)
        return;
    hop__process_lock_take(&pool.renewal);
    if (atomic_load_explicit(&pool.process, memory_order_relaxed) != own) {
        atomic_store(&pool.lock, 0);
        atomic_store(&pool.looking, 0);
        atomic_store(&pool.members, 0);
        pool.idle = NULL;
        atomic_store_explicit(&pool.process, own, memory_order_release);
    }
    hop__process_lock_give(&pool.renewal);
}

/* This thread's calls that have not ended. */
static _Thread_local unsigned open_calls;

static void members_leave(unsigned count) {
    unsigned all = atomic_load_explicit(&pool.members, memory_order_relaxed), left;
    do {
        left = all > count ? all - count : 0; /* in a child those of the parent are forgotten */
    } while (!atomic_compare_exchange_weak_explicit(&pool.members, &all, left, memory_order_relaxed,
                                                    memory_order_relaxed));
}

void hop__pool_call_begin(void) {
    renew_if_forked();
    if (open_calls++ == 0)
        atomic_fetch_add_explicit(&pool.members, 1, memory_order_relaxed);
}

static void note_end(ended_call *ended, uintptr_t caller, uint64_t ns) {
    atomic_store_explicit(&ended->ns, ns, memory_order_relaxed);
    atomic_store_explicit(&ended->caller, caller, memory_order_relaxed);
}

void hop__pool_call_end(void) {
    if (--open_calls > 0)
        return;
    uintptr_t last = atomic_load_explicit(&pool.last.caller, memory_order_relaxed);
    if (last != (uintptr_t)&open_calls)
        note_end(&pool.other, last, atomic_load_explicit(&pool.last.ns, memory_order_relaxed));
    note_end(&pool.last, (uintptr_t)&open_calls, hop__clock_ns(CLOCK_MONOTONIC));
    members_leave(1);
}

static bool comes_again(const ended_call *ended) {
    uintptr_t caller = atomic_load_explicit(&ended->caller, memory_order_relaxed);
    return caller != 0 && caller != (uintptr_t)&open_calls &&
           hop__clock_ns(CLOCK_MONOTONIC) - atomic_load_explicit(&ended->ns, memory_order_relaxed) <
               soon_ns;
}

/* Whether another thread's call ended so short ago that its next one is to be expected. */
static bool another_will_come(void) {
    return comes_again(&pool.last) || comes_again(&pool.other);
}

/* What is left when so many are at work, this thread among them if it is in a call. */
static unsigned share_of(unsigned all, unsigned wanted, unsigned cores) {
    unsigned own = open_calls > 0;
    unsigned others = all > own ? all - own : another_will_come();
    unsigned left = cores > others ? cores - others : 1;
    return others == 0 || wanted < left ? wanted : left;
}

unsigned hop__pool_ask(unsigned wanted, unsigned cores) {
    renew_if_forked();
    return share_of(atomic_load_explicit(&pool.members, memory_order_relaxed), wanted, cores);
}

unsigned hop__pool_reserve(unsigned wanted, unsigned cores) {
    renew_if_forked();
    unsigned own = open_calls > 0, granted;
    unsigned all = atomic_load_explicit(&pool.members, memory_order_relaxed);
    do {
        granted = share_of(all, wanted, cores);
    } while (!atomic_compare_exchange_weak_explicit(&pool.members, &all, all + granted - own,
                                                    memory_order_relaxed, memory_order_relaxed));
    return granted;
}

void hop__pool_return(unsigned granted) {
    members_leave(granted - (open_calls > 0));
}

bool hop__pool_awake(void) {
    return atomic_load_explicit(&pool.looking, memory_order_relaxed) > 0;
}

/* Waits for work, and takes it: NULL when it has been taken back meanwhile. */
static hop__crew *next_crew(worker *self) {
    unsigned state = FREE;
    uint64_t late = 0;
    atomic_fetch_add_explicit(&pool.looking, 1, memory_order_relaxed);
    bool found = hop__look_for_change(&self->state, FREE, hop__patience_idle());
    atomic_fetch_sub_explicit(&pool.looking, 1, memory_order_relaxed);
    HOP__POINT();
    if (!found && atomic_compare_exchange_strong(&self->state, &state, ASLEEP)) {
        while (atomic_load(&self->state) == ASLEEP)
            late += hop__sleep_idle(&self->state, ASLEEP);
        hop__place_free(&self->place);
    }
    if (late > 0)
        hop__share_late(late);
    HOP__POINT();
    state = ASKED;
    return atomic_compare_exchange_strong(&self->state, &state, FREE) ? self->crew : NULL;
}

static void *work(void *arg) {
    worker *self = arg;
    for (;;) {
        hop__crew *crew = next_crew(self);
        if (crew == NULL)
            continue;
        hop__share_begin();
        crew->run(crew, self->number);
        hop__share_tell();
        HOP__POINT();
        if (atomic_fetch_sub_explicit(&crew->out, 1, memory_order_acq_rel) == (caller_sleeps | 1))
            hop__rouse(&crew->out);
    }
    return NULL;
}

/* Signals are for the threads of the program, but for those that a thread brings upon itself: were
 * they blocked, the system would end the process without asking a handler. */
static void choose_blocked(sigset_t *blocked) {
    static const int own[] = {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
    sigfillset(blocked);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(blocked, own[i]);
}

static bool start_thread(worker *made) {
    pthread_attr_t attributes;
    sigset_t blocked, before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    choose_blocked(&blocked);
    bool right = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
                 pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
                 pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0;
    if (right) {
        right = pthread_create(&made->thread, &attributes, work, made) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    return right;
}

static worker *make_worker(void) {
    worker *made = aligned_alloc(_Alignof(worker), sizeof *made);
    if (made != NULL) {
        *made = (worker){.next = NULL};
        if (start_thread(made)) {
            count(&hop__pool_total.made, 1);
            return made;
        }
    }
    free(made);
    count(&hop__pool_total.refused, 1);
    return NULL;
}

static unsigned borrow(hop__crew *crew, unsigned wanted) {
    unsigned got = 0;
    hop__lock_take(&pool.lock);
    while (got < wanted && pool.idle != NULL) {
        worker *helper = pool.idle;
        pool.idle = helper->next;
        helper->next = crew->helpers;
        crew->helpers = helper;
        got++;
    }
    hop__lock_give(&pool.lock);
    for (worker *made; got < wanted && (made = make_worker()) != NULL; got++) {
        made->next = crew->helpers;
        crew->helpers = made;
    }
    return got;
}

unsigned hop__crew_call(hop__crew *crew, unsigned wanted) {
    renew_if_forked();
    crew->helpers = NULL;
    crew->asked = borrow(crew, wanted);
    atomic_init(&crew->out, crew->asked);
    unsigned number = 1, woken = 0;
    for (worker *helper = crew->helpers; helper != NULL; helper = helper->next) {
        helper->crew = crew;
        helper->number = number++;
        HOP__POINT();
        if (atomic_load(&helper->state) == ASLEEP)
            hop__place_elsewhere(&helper->place, helper->thread);
        HOP__POINT();
        if (atomic_exchange(&helper->state, ASKED) == ASLEEP) {
            hop__rouse(&helper->state);
            woken++;
        }
    }
    count(&hop__pool_total.asked, crew->asked);
    count(&hop__pool_total.woken, woken);
    return crew->asked;
}

unsigned hop__crew_close(hop__crew *crew) {
    unsigned released = 0;
    for (worker *helper = crew->helpers; helper != NULL; helper = helper->next) {
        unsigned state = ASKED;
        HOP__POINT();
        released += atomic_compare_exchange_strong(&helper->state, &state, FREE);
    }
    count(&hop__pool_total.released, released);
    atomic_fetch_sub_explicit(&crew->out, released, memory_order_relaxed);
    return crew->asked - released;
}

/* Until no helper is out any more. */
static void wait_for_helpers(hop__crew *crew) {
    for (unsigned turns = hop__patience(); turns > 0; turns--) {
        if (atomic_load_explicit(&crew->out, memory_order_acquire) == 0)
            return;
        hop__relax();
    }
    unsigned out = atomic_fetch_or_explicit(&crew->out, caller_sleeps, memory_order_acq_rel);
    out |= caller_sleeps;
    while (out != caller_sleeps) {
        hop__sleep_learning(&crew->out, out);
        out = atomic_load_explicit(&crew->out, memory_order_acquire);
    }
}

void hop__crew_dismiss(hop__crew *crew) {
    if (crew->helpers == NULL)
        return;
    (void)hop__crew_close(crew);
    wait_for_helpers(crew);
    worker *last = crew->helpers;
    while (last->next != NULL)
        last = last->next;
    hop__lock_take(&pool.lock);
    last->next = pool.idle;
    pool.idle = crew->helpers;
    hop__lock_give(&pool.lock);
    crew->helpers = NULL;
}
