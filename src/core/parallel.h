/* SPDX-License-Identifier: Apache-2.0
 *
 * The only door to threads: everything parallel goes through these calls. The threads are those of
 * the process's pool (pool.h); members that wait sleep soon (patience.h). The child of a fork makes
 * threads of its own. */
#ifndef HOPLITE_CORE_PARALLEL_H
#define HOPLITE_CORE_PARALLEL_H

#include "hoplite/context.h"

/* Runs fn once on each member of a team, numbered 0 .. threads-1; the caller is number 0.
 * `threads` is what the team really has, which may be fewer than the context asks for: where other
 * regions of the process are at work, where the system gives no more threads, and where those it
 * gave do not come because the cores are busy. */
typedef void (*hop__team_fn)(void *arg, unsigned thread, unsigned threads);
void hop__team(const hop_context *context, hop__team_fn fn, void *arg);

/* The same with a team of at most `limit`, for work that is too small for all. `work` is about how
 * many nanoseconds one thread would take, UINT64_MAX when it may be long: where other programs want
 * the cores, members wait for each other, so that a short search is done sooner alone. */
void hop__team_of(const hop_context *context, unsigned limit, uint64_t work, hop__team_fn fn,
                  void *arg);

/* Runs fn on the caller, number 0, and on helpers, numbered 1 .. threads-1, each of which may come
 * late or never: for work that is taken from a common store, all of which the caller does if nobody
 * comes. No barriers. `threads` is the largest number there may be, at most `limit`. */
void hop__team_loose(const hop_context *context, unsigned limit, hop__team_fn fn, void *arg);

/* Inside a team: waits until every member has come here. */
void hop__team_barrier(void);

/* Runs fn over [0, count) in pieces of at most `grain`, handed out as threads become free, lowest
 * first. With one piece, or one thread, it runs on the caller; what ends within microseconds does
 * too. */
typedef void (*hop__range_fn)(void *arg, uint64_t begin, uint64_t end, unsigned thread);
void hop__for(const hop_context *context, uint64_t count, uint64_t grain, hop__range_fn fn,
              void *arg);

/* The largest team that hop__team and hop__for will make: size per-thread arrays by it. */
unsigned hop__team_limit(const hop_context *context);

/* As hop__team_limit for a call that reads about so many numbers once: fewer threads when they are
 * few and the caller has named no number of threads. */
unsigned hop__team_for(const hop_context *context, uint64_t numbers);

/* Whether a call of about so much work is done sooner by one thread from its beginning to its end,
 * although the context has more: it is short, others want the cores, and the caller has named no
 * number of threads. Its time is then to be told to machine_share.h: no region does it. */
bool hop__better_alone(const hop_context *context, uint64_t work);

/* How many members a team can expect for work that one thread does in about so many nanoseconds:
 * fewer where it is short and other calls of the process have the cores now. What is then laid out
 * for fewer members costs less. */
unsigned hop__team_expect(const hop_context *context, uint64_t work);

/* The part of [0, count) that belongs to member `thread` of `threads`: contiguous, in order. */
static inline uint64_t hop__share(uint64_t count, unsigned thread, unsigned threads) {
    return count / threads * thread + (count % threads < thread ? count % threads : thread);
}

#endif
