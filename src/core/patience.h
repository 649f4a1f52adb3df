/* SPDX-License-Identifier: Apache-2.0
 *
 * How long a thread that waits looks before it sleeps: one number for the process, learned from
 * every sleep.
 *
 * On a free machine what is waited for mostly comes sooner than a sleeping thread would run again:
 * looking pays. On a busy one the thread that is waited for has no core, for milliseconds: then
 * looking takes time from it, and from this thread's own share. */
#ifndef HOPLITE_CORE_PATIENCE_H
#define HOPLITE_CORE_PATIENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What the waiting of this process came to since it began; for tests and measurements. */
typedef struct hop__wait_counts {
    atomic_uint_fast64_t sleeps;   /* of members of a team, for each other */
    atomic_uint_fast64_t slept_ns; /* until they were woken */
    atomic_uint_fast64_t late;     /* of these, and of idle helpers: woken, they had no core */
    atomic_uint_fast64_t late_ns;
} hop__wait_counts;
extern hop__wait_counts hop__waits;

/* Turns of looking that are worth it now. */
unsigned hop__patience(void);
/* The same for who waits for the next call, which comes later than the next step of one. */
unsigned hop__patience_idle(void);

/* The patience for a machine whose cores are wanted by others, or are not. */
void hop__patience_suit(bool is_crowded);

/* Looks at most `turns` times; whether the word has another value by now. */
bool hop__look_for_change(const atomic_uint *word, unsigned value, unsigned turns);

/* Wakes all who sleep on the word, which need not exist any more, and notes when. */
void hop__rouse(atomic_uint *word);

/* Sleep while the word has this value, perhaps less long, and learn from how long that was. */
void hop__sleep_learning(atomic_uint *word, unsigned value);
/* Who has to wait for work, not for others who are late, learns only from being woken soon. Returns
 * the nanoseconds without a core after that. */
uint64_t hop__sleep_idle(atomic_uint *word, unsigned value);
void hop__sleep_at_most(atomic_uint *word, unsigned value, long limit_ns);

/* Adds what this thread has waited elsewhere, for a lock. */
void hop__slept_add(double seconds);
/* Around what may wait for a file or a pipe, and may copy bytes too: adds the time without a core.
 */
uint64_t hop__pause_begin(void);
void hop__pause_end(uint64_t begin);

/* Nanoseconds that this thread has slept so, not counting when it was idle, nor from when it was
 * woken to when it had a core, if that was later than a free core is had. */
uint64_t hop__slept_ns(void);

/* Nanoseconds that it waited for a core after such sleeps. */
uint64_t hop__waited_ns(void);

/* Of a sleep from `begin` to `end`, how long the thread was without a core if it was woken then; 0
 * where that was no longer than a free core takes, or the stamp is not of this sleep. */
uint64_t hop__late_ns(uint64_t begin, uint64_t woken, uint64_t end);

#endif
