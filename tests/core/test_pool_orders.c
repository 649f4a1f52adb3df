/* SPDX-License-Identifier: Apache-2.0
 *
 * The pool, the gate and the teams in many orders of their threads, drawn by a seed.
 *
 * The sources are compiled into this file with a scheduler between them and the system: only the
 * thread that has the token runs; at every point at which threads can get in each other's way it
 * draws who has the token next; sleeping and waking are done here. So an order can be repeated by
 * its seed, and when nobody can run while a caller is not done, a wake-up was lost.
 *
 * HOPLITE_TEST_ORDERS: how many orders (default 1,500).
 *
 * Built again from sources with a planted mistake (tests/CMakeLists.txt) it must find it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "core/order_testing.h"
#include "core/sanitized_testing.h"
#include "hoplite/context.h"

enum { THREADS_MOST = 32, STEPS_MOST = 200000 };

typedef struct lane {
    atomic_uint *asleep_on; /* NULL: can run */
    bool may_time_out, done;
    pthread_cond_t turn;
} lane;

static struct {
    pthread_mutex_t lock;
    lane lanes[THREADS_MOST];
    unsigned count, callers_left;
    int running; /* who has the token; -1: nobody, before and after an order */
    uint64_t clock_ns;
} exploration = {.lock = PTHREAD_MUTEX_INITIALIZER, .running = -1};

static _Thread_local int own_lane = -1;

/* Draws who runs next; one whose sleep may time out only when nobody else can. */
static void pass_token(void) {
    unsigned ready[THREADS_MOST], count = 0;
    if (exploration.callers_left == 0) {
        exploration.running = -1;
        return;
    }
    count_step();
    for (int timed = 0; timed < 2 && count == 0; timed++)
        for (unsigned i = 0; i < exploration.count; i++) {
            const lane *at = &exploration.lanes[i];
            if (!at->done && (at->asleep_on == NULL || (timed && at->may_time_out)))
                ready[count++] = i;
        }
    if (count == 0)
        give_up("nobody can run: a wake-up was lost");
    exploration.running = (int)ready[draw_below(count)];
    exploration.lanes[exploration.running].asleep_on = NULL;
    pthread_cond_signal(&exploration.lanes[exploration.running].turn);
}

static void await_token(void) {
    while (exploration.running != own_lane)
        pthread_cond_wait(&exploration.lanes[own_lane].turn, &exploration.lock);
}

static void explore_point(void) {
    if (own_lane < 0)
        return;
    pthread_mutex_lock(&exploration.lock);
    await_token();
    pass_token();
    await_token();
    pthread_mutex_unlock(&exploration.lock);
}

static void hop__sleep_while(atomic_uint *word, unsigned value, const struct timespec *limit) {
    pthread_mutex_lock(&exploration.lock);
    await_token();
    if (atomic_load(word) == value) {
        exploration.lanes[own_lane].asleep_on = word;
        exploration.lanes[own_lane].may_time_out = limit != NULL;
        pass_token();
        await_token();
        if (limit != NULL) /* perhaps it was the time */
            exploration.clock_ns += 20000000;
    }
    pthread_mutex_unlock(&exploration.lock);
}

/* Time, too, goes by the seed. */
static int explore_clock(struct timespec *now) {
    exploration.clock_ns += 1000 * draw_below(100);
    now->tv_sec = (time_t)(exploration.clock_ns / 1000000000);
    now->tv_nsec = (long)(exploration.clock_ns % 1000000000);
    return 0;
}

static double explore_now(void) {
    struct timespec now;
    explore_clock(&now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void hop__wake(atomic_uint *word) {
    pthread_mutex_lock(&exploration.lock);
    await_token();
    for (unsigned i = 0; i < exploration.count; i++)
        if (exploration.lanes[i].asleep_on == word)
            exploration.lanes[i].asleep_on = NULL;
    pthread_mutex_unlock(&exploration.lock);
    explore_point();
}

typedef struct beginning {
    void *(*fn)(void *);
    void *arg;
    int lane;
} beginning;

static void *begin_thread(void *arg) {
    beginning made = *(beginning *)arg;
    free(arg);
    own_lane = made.lane;
    pthread_mutex_lock(&exploration.lock);
    await_token();
    pthread_mutex_unlock(&exploration.lock);
    void *result = made.fn(made.arg);
    pthread_mutex_lock(&exploration.lock);
    await_token();
    exploration.lanes[own_lane].done = true;
    exploration.callers_left--; /* helpers never end */
    pass_token();
    pthread_mutex_unlock(&exploration.lock);
    return result;
}

/* New threads are known from the start: who runs next does not depend on the system. */
static int explore_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*fn)(void *),
                          void *arg) {
    beginning *made = malloc(sizeof *made);
    if (made == NULL)
        return 1;
    pthread_mutex_lock(&exploration.lock);
    unsigned at = 0;
    while (at < exploration.count && !exploration.lanes[at].done)
        at++; /* a caller of an order before has left its lane */
    if (at == THREADS_MOST)
        give_up("too many threads");
    *made = (beginning){fn, arg, (int)at};
    exploration.lanes[at] = (lane){.asleep_on = NULL};
    pthread_cond_init(&exploration.lanes[at].turn, NULL);
    exploration.count += at == exploration.count;
    pthread_mutex_unlock(&exploration.lock);
    return pthread_create(thread, attributes, begin_thread, made);
}

#include "core/machine_share.h"
#include "core/timing.h"
#define HOP__POINT()              explore_point()
#define HOP__LOOKS_MOST           2
#define pthread_create            explore_create
#define clock_gettime(clock, now) explore_clock(now)
#define hop__now()                explore_now()
#define hop__cores_known()        6u /* so that both callers have helpers */
#define hop__crowded()            (draw_below(4) == 0)
#define hop__share_begin()        ((void)0)
#define hop__share_tell()         ((void)0)
#ifndef POOL_SOURCE
#define POOL_SOURCE "core/pool.c"
#endif
#ifndef GATE_SOURCE
#define GATE_SOURCE "core/gate.c"
#endif
#include "core/patience.c"
#include GATE_SOURCE
#include POOL_SOURCE
#include "core/parallel.c"
#undef pthread_create

/* ---- what the callers do --------------------------------------------------------------------- */

typedef struct caller_job {
    hop_context *context;
    unsigned plan; /* drawn: which calls, how many threads */
    atomic_uint met, pieces, loose;
    bool wrong;
} caller_job;

static void meet_twice(void *arg, unsigned thread, unsigned threads) {
    caller_job *job = arg;
    (void)thread;
    for (unsigned round = 1; round <= 2; round++) {
        atomic_fetch_add(&job->met, 1);
        hop__team_barrier();
        if (atomic_load(&job->met) != round * threads)
            job->wrong = true;
        hop__team_barrier();
    }
}

static void count_piece(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    HOP__POINT();
    atomic_fetch_add(&((caller_job *)arg)->pieces, (unsigned)(end - begin));
}

static void take_loosely(void *arg, unsigned thread, unsigned threads) {
    caller_job *job = arg;
    if (thread >= threads)
        job->wrong = true;
    for (unsigned i = 0; i < 3; i++) {
        HOP__POINT();
        atomic_fetch_add(&job->loose, 1);
    }
}

static void *call_pool(void *arg) {
    caller_job *job = arg;
    for (unsigned i = 0, plan = job->plan; i < 2; i++, plan /= 3) {
        if (plan % 3 == 0) {
            atomic_store(&job->met, 0);
            hop__team(job->context, meet_twice, job);
        } else if (plan % 3 == 1) {
            atomic_store(&job->pieces, 0);
            hop__for(job->context, 7, 2, count_piece, job);
            job->wrong |= atomic_load(&job->pieces) != 7;
        } else {
            atomic_store(&job->loose, 0);
            hop__team_loose(job->context, 3, take_loosely, job);
            job->wrong |= atomic_load(&job->loose) % 3 != 0 || atomic_load(&job->loose) == 0;
        }
    }
    return NULL;
}

static hop_context *contexts[2];

static void run_order(uint64_t seed) {
    caller_job jobs[2];
    pthread_t threads[2];
    unsigned callers = 1 + (unsigned)(seed % 2);
    exploration.callers_left = callers;
    for (unsigned i = 0; i < callers; i++) {
        jobs[i] = (caller_job){.context = contexts[i], .plan = draw_below(9)};
        if (explore_create(&threads[i], NULL, call_pool, &jobs[i]) != 0)
            give_up("no thread");
    }
    pthread_mutex_lock(&exploration.lock);
    pass_token();
    pthread_mutex_unlock(&exploration.lock);
    for (unsigned i = 0; i < callers; i++) {
        pthread_join(threads[i], NULL);
        if (jobs[i].wrong)
            give_up("a wrong answer");
    }
}

int main(int argc, char **argv) {
    const char *wanted = getenv("HOPLITE_TEST_ORDERS");
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = 3;
    drawn.steps_most = STEPS_MOST;
    for (int i = 0; i < 2; i++)
        if (hop_context_create(&options, &contexts[i]) != HOP_OK)
            return 1;
    run_orders(argc, argv,
               wanted          ? strtoull(wanted, NULL, 10)
               : SMALLER_TESTS ? 200
                               : 1500,
               run_order);
    for (int i = 0; i < 2; i++)
        hop_context_free(contexts[i]);
    return 0;
}
