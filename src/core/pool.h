/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of the process, shared by all contexts. They are made when they are first needed and
 * then kept asleep; a region of parallel code borrows some as its crew, and gives them back.
 *
 * A helper is asked, not awaited: the caller works meanwhile, and takes back what it asked of
 * helpers that have not come by the time the work is done. So a machine whose cores are busy
 * elsewhere costs the help, not the time.
 *
 * In the child of a fork the pool is empty, and threads are made anew. */
#ifndef HOPLITE_CORE_POOL_H
#define HOPLITE_CORE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct hop__worker;

typedef struct hop__crew {
    /* Run by each helper that comes. `number` is its place in the crew, from 1 on. */
    void (*run)(struct hop__crew *crew, unsigned number);
    struct hop__worker *helpers;  /* a list, borrowed from the pool */
    unsigned asked;               /* how many */
    _Alignas(64) atomic_uint out; /* helpers that may still use the crew; see pool.c */
} hop__crew;

/* Asks at most `count` helpers; returns how many there are to ask, which is fewer when the system
 * gives no more threads. The crew must stay where it is until hop__crew_dismiss. */
unsigned hop__crew_call(hop__crew *crew, unsigned count);

/* Takes the work back from helpers that have not come yet; returns how many have come. */
unsigned hop__crew_close(hop__crew *crew);

/* Closes the crew, waits for the helpers that came, and gives all back. */
void hop__crew_dismiss(hop__crew *crew);

/* Whether some helper is awake, so that calling it costs next to nothing. */
bool hop__pool_awake(void);

/* Around a call of the library that computes: its thread counts as one at work all the time, not
 * only in its regions, and for a moment longer, because callers in a loop come again. May nest. */
void hop__pool_call_begin(void);
void hop__pool_call_end(void);

/* How many of `wanted` threads, the caller among them, a region may have, at least 1: all when no
 * other call or region of the process is at work, else what they leave of the cores. So contexts
 * share the cores, and a caller that asks for more threads than there are cores has them when it is
 * alone. To be given back at the region's end. */
unsigned hop__pool_reserve(unsigned wanted, unsigned cores);
void hop__pool_return(unsigned granted);
/* The same question, without taking them. */
unsigned hop__pool_ask(unsigned wanted, unsigned cores);

/* What the pool has done since the process began. */
typedef struct hop__pool_counts {
    atomic_uint_fast64_t made;     /* threads */
    atomic_uint_fast64_t refused;  /* threads that the system did not give */
    atomic_uint_fast64_t asked;    /* helpers */
    atomic_uint_fast64_t woken;    /* of those, they slept */
    atomic_uint_fast64_t released; /* of those, they had not come when the work was done */
} hop__pool_counts;
extern hop__pool_counts hop__pool_total;

#endif
