/* SPDX-License-Identifier: Apache-2.0
 *
 * The only door to threads: everything parallel goes through these calls, so that the runtime
 * (OpenMP now) can be replaced in parallel.c alone.
 *
 * After fork() the child of a process that has used threads runs everything on one thread,
 * because libgomp's workers do not exist there and waiting for them would hang. */
#ifndef HOPLITE_CORE_PARALLEL_H
#define HOPLITE_CORE_PARALLEL_H

#include "hoplite/context.h"

/* Runs fn once on each member of a team, numbered 0 .. threads-1; the caller is number 0.
 * `threads` is what the team really has, which may be fewer than the context asks for. */
typedef void (*hop__team_fn)(void *arg, unsigned thread, unsigned threads);
void hop__team(const hop_context *context, hop__team_fn fn, void *arg);

/* The same with a team of at most `limit`, for work that is too small for all. */
void hop__team_of(const hop_context *context, unsigned limit, hop__team_fn fn, void *arg);

/* Inside a team: waits until every member has come here. */
void hop__team_barrier(void);

/* Runs fn over [0, count) in pieces of at most `grain`, handed out as threads become free, lowest
 * first. With one piece, or one thread, it runs on the caller. */
typedef void (*hop__range_fn)(void *arg, uint64_t begin, uint64_t end, unsigned thread);
void hop__for(const hop_context *context, uint64_t count, uint64_t grain, hop__range_fn fn,
              void *arg);

/* The largest team that hop__team and hop__for will make: size per-thread arrays by it. */
unsigned hop__team_limit(const hop_context *context);

/* The cores that this process may use. */
unsigned hop__cores(void);

/* The part of [0, count) that belongs to member `thread` of `threads`: contiguous, in order. */
static inline uint64_t hop__share(uint64_t count, unsigned thread, unsigned threads) {
    return count / threads * thread + (count % threads < thread ? count % threads : thread);
}

#endif
