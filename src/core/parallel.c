/* SPDX-License-Identifier: Apache-2.0
 *
 * Teams and ranges, on the threads of the pool.
 *
 * A range is elastic: the caller begins at once, and helpers take pieces when they come. Where
 * helpers would have to be woken, or the cores are wanted by others, the caller first sees whether
 * it is done soon without them.
 *
 * A team is fixed, because its members divide the work by their number and meet at barriers. It
 * begins when all helpers have come, or without those that have not come for a while.
 *
 * Inside a region the thread knows its team (`current`). A call from there makes a team of one: its
 * barriers then bind to it and not to the team around it, and its per-thread arrays have one
 * entry. */
#include "core/parallel.h"

#include <stdatomic.h>
#include <time.h>

#include "core/context_internal.h"
#include "core/gate.h"
#include "core/machine_share.h"
#include "core/patience.h"
#include "core/pool.h"
#include "core/timing.h"
#include "core/traffic.h"
#include "core/wait.h"

/* With fewer pieces per thread each may be long: helpers are called before the caller does one. */
enum { FINE_PIECES = 4 };
/* So many numbers take longer than waking a helper, whatever is done with them. */
enum { MANY_NUMBERS = 1 << 16 };
/* Two threads were slower than one where each had fewer: docs/measurements/busy-machines.md. */
enum { MEMBER_NUMBERS = 1 << 18 };
/* A helper that is woken comes within a millisecond when a core is free for it. */
static const struct timespec arrival_limit = {0, 20000000}, arrival_limit_crowded = {0, 1000000};
/* How long a caller tries alone before it wakes helpers: about what waking takes, or, where others
 * want the cores, about what a helper that loses its core costs. */
static const double alone_seconds = 15e-6, alone_seconds_crowded = 2e-3;
/* Nanoseconds of work below which a team is not worth it where others want the cores: a member that
 * loses its core has it again after some ten milliseconds, and all wait for it. */
static const uint64_t short_work = 20000000;

typedef struct team {
    hop__crew crew; /* must be first: helpers get this address */
    hop__team_fn fn;
    void *arg;
    atomic_uint arrived;
    atomic_uint size; /* 0 until the team begins */
    atomic_uint sleepers;
    hop__gate gate;
} team;

static team alone = {.gate = {.members = 1}};
static _Thread_local team *current;

/* Runs a member, and is back in the team around it afterwards. */
static void run_member(team *inside, hop__team_fn fn, void *arg, unsigned thread,
                       unsigned threads) {
    team *around = current;
    current = inside;
    fn(arg, thread, threads);
    current = around;
}

unsigned hop__team_limit(const hop_context *context) {
    if (current != NULL)
        return 1;
    unsigned most = context->call_threads;
    return most > 0 && most < context->team_size ? most : context->team_size;
}

unsigned hop__team_for(const hop_context *context, uint64_t numbers) {
    unsigned limit = hop__team_limit(context);
    uint64_t useful = numbers / MEMBER_NUMBERS;
    return !context->default_threads || useful >= limit ? limit : useful > 1 ? (unsigned)useful : 1;
}

bool hop__better_alone(const hop_context *context, uint64_t work) {
    return context->default_threads && work < short_work && hop__team_limit(context) > 1 &&
           hop__crowded();
}

unsigned hop__team_expect(const hop_context *context, uint64_t work) {
    unsigned limit = hop__team_limit(context);
    return limit == 1 || work >= short_work ? limit : hop__pool_ask(limit, hop__cores_known());
}

/* The system gave fewer threads than this: the context asks for no more from now on. */
static void lower_limit(const hop_context *context, unsigned had) {
    hop_context *known = (hop_context *)context; /* a context is never a const object */
    if (had >= known->team_size)
        return;
    known->team_size = had;
    hop__log(known, HOP_LOG_WARNING, "threads: the system allows %u of the %u asked for", had,
             context->options.threads);
}

static unsigned call_crew(const hop_context *context, hop__crew *crew, unsigned helpers) {
    unsigned asked = helpers > 0 ? hop__crew_call(crew, helpers) : 0;
    if (asked < helpers)
        lower_limit(context, asked + 1);
    return asked;
}

/* A region begins: how many threads it may have, or 0 when it can have only the caller in any
 * case and is none. */
static unsigned enter(const hop_context *context, uint64_t limit, bool alone_now) {
    unsigned most = hop__team_limit(context);
    unsigned wanted = limit < most ? (unsigned)limit : most;
    if (wanted <= 1)
        return 0;
    hop__share_begin();
    unsigned granted = hop__pool_reserve(alone_now ? 1 : wanted, hop__cores_known());
    if (granted > 1)
        hop__traffic_region_begin();
    return granted;
}

static void leave(unsigned threads) {
    if (threads > 1)
        hop__traffic_region_end();
    hop__share_tell();
    hop__pool_return(threads);
}

/* ---- teams ----------------------------------------------------------------------------------- */

static void join_team(hop__crew *crew, unsigned number) {
    team *joined = (team *)crew;
    (void)number; /* those who come are numbered as they come */
    unsigned thread = atomic_fetch_add(&joined->arrived, 1) + 1;
    HOP__POINT();
    if (atomic_load(&joined->sleepers) != 0)
        hop__rouse(&joined->arrived);
    if (!hop__look_for_change(&joined->size, 0, hop__patience())) {
        atomic_fetch_add(&joined->sleepers, 1);
        HOP__POINT();
        while (atomic_load(&joined->size) == 0)
            hop__sleep_learning(&joined->size, 0);
        atomic_fetch_sub(&joined->sleepers, 1);
    }
    run_member(joined, joined->fn, joined->arg, thread,
               atomic_load_explicit(&joined->size, memory_order_acquire));
}

/* Waits until `expected` helpers have come; with a limit, perhaps less long. */
static void await_arrivals(team *waiting, unsigned expected, const struct timespec *limit) {
    unsigned turns = hop__patience();
    while (turns > 0 && atomic_load_explicit(&waiting->arrived, memory_order_acquire) < expected) {
        hop__relax();
        turns--;
    }
    double end = limit ? hop__now() + 1e-9 * (double)limit->tv_nsec : 0;
    atomic_fetch_add(&waiting->sleepers, 1);
    for (;;) {
        unsigned arrived = atomic_load(&waiting->arrived);
        if (arrived >= expected || (limit && hop__now() >= end))
            break;
        if (limit)
            hop__sleep_at_most(&waiting->arrived, arrived, limit->tv_nsec);
        else
            hop__sleep_learning(&waiting->arrived, arrived);
    }
    atomic_fetch_sub(&waiting->sleepers, 1);
}

static void run_team(const hop_context *context, unsigned threads, hop__team_fn fn, void *arg) {
    team made = {.crew = {.run = join_team}, .fn = fn, .arg = arg};
    unsigned asked = call_crew(context, &made.crew, threads - 1);
    await_arrivals(&made, asked, hop__crowded() ? &arrival_limit_crowded : &arrival_limit);
    unsigned came = hop__crew_close(&made.crew);
    await_arrivals(&made, came, NULL); /* they have taken the work, so they do come */
    hop__gate_init(&made.gate, came + 1);
    atomic_store(&made.size, came + 1);
    HOP__POINT();
    if (atomic_load(&made.sleepers) != 0)
        hop__rouse(&made.size);
    run_member(&made, fn, arg, 0, came + 1);
    hop__crew_dismiss(&made.crew);
}

/* A team for which there is one thread. Outside of all teams its barriers do nothing anyway, and
 * calls from fn may have teams. */
static void run_alone(hop__team_fn fn, void *arg) {
    run_member(current == NULL ? NULL : &alone, fn, arg, 0, 1);
}

void hop__team_of(const hop_context *context, unsigned limit, uint64_t work, hop__team_fn fn,
                  void *arg) {
    unsigned threads = enter(context, limit, work < short_work && hop__crowded());
    if (threads == 0) {
        run_alone(fn, arg);
        return;
    }
    if (threads == 1)
        run_member(&alone, fn, arg, 0, 1);
    else
        run_team(context, threads, fn, arg);
    leave(threads);
}

void hop__team(const hop_context *context, hop__team_fn fn, void *arg) {
    hop__team_of(context, HOP__THREADS_MAX, UINT64_MAX, fn, arg);
}

typedef struct loose_team {
    hop__crew crew; /* must be first: helpers get this address */
    hop__team_fn fn;
    void *arg;
    unsigned threads;
} loose_team;

static void join_loose(hop__crew *crew, unsigned number) {
    loose_team *joined = (loose_team *)crew;
    run_member(&alone, joined->fn, joined->arg, number, joined->threads);
}

void hop__team_loose(const hop_context *context, unsigned limit, hop__team_fn fn, void *arg) {
    unsigned threads = enter(context, limit, false);
    if (threads == 0) {
        run_alone(fn, arg);
        return;
    }
    loose_team made = {{.run = join_loose}, fn, arg, threads};
    call_crew(context, &made.crew, threads - 1);
    run_member(&alone, fn, arg, 0, threads);
    hop__crew_dismiss(&made.crew);
    leave(threads);
}

void hop__team_barrier(void) {
    if (current != NULL && current->gate.members > 1 && hop__gate_arrive(&current->gate))
        hop__gate_open(&current->gate);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

typedef struct range_job {
    hop__crew crew; /* must be first: helpers get this address */
    hop__range_fn fn;
    void *arg;
    uint64_t count, grain, pieces;
    _Alignas(64) atomic_uint_fast64_t next; /* the lowest piece that nobody has taken */
} range_job;

/* Takes a piece and does it; false when there is none. */
static inline bool take_piece(range_job *job, unsigned thread) {
    uint64_t piece = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
    if (piece >= job->pieces)
        return false;
    uint64_t begin = piece * job->grain, left = job->count - begin;
    job->fn(job->arg, begin, begin + (left < job->grain ? left : job->grain), thread);
    return true;
}

static void take_pieces(void *arg, unsigned thread, unsigned threads) {
    (void)threads;
    while (take_piece(arg, thread))
        ;
}

static void help_range(hop__crew *crew, unsigned number) {
    run_member(&alone, take_pieces, crew, number, 0);
}

/* The caller alone, for a while: whether pieces are left. */
static bool try_alone(range_job *job, double seconds) {
    double end = hop__now() + seconds;
    do {
        if (!take_piece(job, 0))
            return false;
    } while (hop__now() < end);
    return atomic_load_explicit(&job->next, memory_order_relaxed) < job->pieces;
}

/* Whether the caller may be done before a helper is awake. With a grain of one each number is a
 * piece of work, as long as whoever chose it likes. */
static bool may_be_short(const range_job *job) {
    return job->grain > 1 && job->count < MANY_NUMBERS && !hop__pool_awake();
}

static void run_range(const hop_context *context, range_job *job, unsigned threads) {
    bool crowded = hop__crowded(), fine = job->pieces > (uint64_t)FINE_PIECES * threads;
    if (fine && (crowded || may_be_short(job)) &&
        !try_alone(job, crowded ? alone_seconds_crowded : alone_seconds))
        return;
    uint64_t left = job->pieces - atomic_load_explicit(&job->next, memory_order_relaxed);
    call_crew(context, &job->crew, left < threads - 1 ? (unsigned)left : threads - 1);
    take_pieces(job, 0, 0);
    hop__crew_dismiss(&job->crew);
}

void hop__for(const hop_context *context, uint64_t count, uint64_t grain, hop__range_fn fn,
              void *arg) {
    if (count == 0)
        return;
    if (grain == 0)
        grain = 1;
    range_job job = {.crew = {.run = help_range},
                     .fn = fn,
                     .arg = arg,
                     .count = count,
                     .grain = grain,
                     .pieces = count / grain + (count % grain != 0)};
    unsigned threads = enter(context, job.pieces, false);
    if (threads == 0) {
        take_pieces(&job, 0, 1);
        return;
    }
    current = &alone; /* there was no team around, or there would be no region */
    if (threads == 1)
        take_pieces(&job, 0, 1);
    else
        run_range(context, &job, threads);
    current = NULL;
    leave(threads);
}
