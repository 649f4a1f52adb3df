/* SPDX-License-Identifier: Apache-2.0
 *
 * Drawn orders of a few members that are fibers of one thread: before an access to what they share
 * a member calls explore_point, and the seed draws whose turn it is. Now and then it has one rest
 * for long, while the others do a lot: many mistakes are seen only then. The file that includes
 * this has defined MEMBERS, and FIBER_STACK if 64 KiB are not enough. */
#ifndef HOPLITE_TESTS_FIBER_ORDERS_H
#define HOPLITE_TESTS_FIBER_ORDERS_H

#include <stdbool.h>
#include <ucontext.h>

#include "core/order_testing.h"

#ifndef FIBER_STACK
#define FIBER_STACK (1 << 16)
#endif

enum { RESTS_AFTER = 50, LONGEST_REST = 10 }; /* steps; the latter a power of two */

static struct {
    ucontext_t contexts[MEMBERS + 1]; /* the last is that of main */
    bool done[MEMBERS];
    uint64_t rests[MEMBERS]; /* until this step */
    int running;             /* -1: outside of an order */
    char stacks[MEMBERS][FIBER_STACK];
} exploration = {.running = -1};

/* Where some members wait for each other. */
typedef struct meeting {
    unsigned arrived, generation;
} meeting;

static void switch_to(int next) {
    int from = exploration.running;
    exploration.running = next;
    if (next != from)
        swapcontext(&exploration.contexts[from], &exploration.contexts[next]);
}

static bool rests(unsigned member) {
    return exploration.done[member] || exploration.rests[member] > drawn.steps;
}

static void explore_point(void) {
    if (exploration.running < 0)
        return;
    count_step();
    if (draw_below(RESTS_AFTER) == 0)
        exploration.rests[exploration.running] =
            drawn.steps + draw_below(1u << draw_below(LONGEST_REST + 1));
    unsigned next = draw_below(2 * MEMBERS); /* half of the time it goes on */
    for (unsigned i = 0; i < MEMBERS && rests((unsigned)exploration.running); i++)
        if (!rests(next = (next + 1) % MEMBERS))
            break;
    if (next < MEMBERS && !rests(next))
        switch_to((int)next);
}

/* The others have their turn. */
static void explore_wait(void) {
    unsigned next = draw_below(MEMBERS);
    explore_point();
    if (!exploration.done[next])
        switch_to((int)next);
}

static inline void explore_meeting(meeting *at, unsigned members) {
    unsigned mine = at->generation;
    if (++at->arrived == members) {
        at->arrived = 0;
        at->generation++;
    }
    while (at->generation == mine)
        explore_wait();
}

/* The end of a member's work: another one has its turn, or main. */
static void explore_end(void) {
    int next = 0;
    exploration.done[exploration.running] = true;
    while (next < MEMBERS && exploration.done[next])
        next++;
    switch_to(next);
}

/* Not inline: to the compiler getcontext() returns twice, and it fears for variables. */
__attribute__((noinline)) static void make_fiber(int member, void (*body)(void)) {
    ucontext_t *made = &exploration.contexts[member];
    getcontext(made);
    made->uc_stack.ss_sp = exploration.stacks[member];
    made->uc_stack.ss_size = FIBER_STACK;
    made->uc_link = NULL;
    makecontext(made, body, 0);
    exploration.done[member] = false;
    exploration.rests[member] = 0;
}

/* All members do `body`, which finds itself by exploration.running and ends by explore_end. */
static void run_members(void (*body)(void)) {
    for (int i = 0; i < MEMBERS; i++)
        make_fiber(i, body);
    exploration.running = 0;
    swapcontext(&exploration.contexts[MEMBERS], &exploration.contexts[0]);
    exploration.running = -1;
}

#endif
