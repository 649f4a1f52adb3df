/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler of devices in many orders of its items' steps, drawn by a seed: the kernel's own
 * source (src/kernels/scheduler_template.cl) as C, two groups of two items that are fibers, and a
 * turn that is drawn before every access to a shared word. Each order is a search: levels must be
 * those of a search by one, every vertex that is reached is closed once, and it must end, by
 * launches that are cut short all the time. Memory is sequentially consistent.
 *
 * A test sets SCHEDULER_STAGED and QUEUE, and includes this file. Built again from a source with a
 * planted mistake (tests/CMakeLists.txt) it must find it. */
#ifndef HOPLITE_TESTS_SCHEDULER_ORDERS_H
#define HOPLITE_TESTS_SCHEDULER_ORDERS_H

#include <string.h>

#include "core/sanitized_testing.h"

enum { GROUPS = 2, GROUP = 2, MEMBERS = GROUPS * GROUP, VERTICES = 12, CAPACITY = VERTICES + 4 };

#include "core/fiber_orders.h"

/* In the place of the shim. */
#define HOPLITE_KERNELS_SHIM_H
#define GLOBAL
#define LOCALP
#define FN __attribute__((unused)) static
#define WG 2
typedef uint32_t u32;
typedef uint64_t u64;

static meeting barriers[GROUPS];

FN u32 item_id(void) {
    return (u32)exploration.running;
}
FN u32 item_count(void) {
    return MEMBERS;
}
FN u32 local_id(void) {
    return item_id() % GROUP;
}
#define BARRIER_LOCAL() explore_meeting(&barriers[item_id() / GROUP], GROUP)
#define BARRIER_ALL()   BARRIER_LOCAL()
#define FENCE_GLOBAL()  ((void)0)

FN u32 relaxed_load_u32(const u32 *word) {
    explore_point();
    return *(const volatile u32 *)word;
}
FN void relaxed_store_u32(u32 *word, u32 value) {
    explore_point();
    *(volatile u32 *)word = value;
}
FN u32 atomic_add_u32(u32 *word, u32 value) {
    explore_point();
    u32 old = *(volatile u32 *)word;
    *word = old + value;
    return old;
}
FN u32 atomic_cas_u32(u32 *word, u32 expected, u32 value) {
    explore_point();
    u32 old = *(volatile u32 *)word;
    if (old == expected)
        *word = value;
    return old;
}
#define atomic_add_local_u32    atomic_add_u32
#define relaxed_store_local_u32 relaxed_store_u32

/* --- a search --------------------------------------------------------------------------------- */

#define SCHEDULER_CHUNK 2
#define SCHEDULED(name) reach_##name
typedef struct reach_job {
    u32 offsets[VERTICES + 1], targets[VERTICES * VERTICES];
    u32 levels[VERTICES], closed[VERTICES];
} reach_job;
#define JOB reach_job

static reach_job search;
static const u32 no_level = 0xffffffffu;

FN void reach_open(const JOB *job, u32 q, u32 token, u64 *at, u64 *end) {
    (void)q;
    *at = job->offsets[token];
    *end = job->offsets[token + 1];
}
FN u32 reach_step(const JOB *job, u32 token, u64 at, u32 stage, u32 *found) {
    (void)token;
    *found = job->targets[at];
    return atomic_cas_u32(&search.levels[*found], no_level, stage + 1) == no_level;
}
FN void reach_close(const JOB *job, u32 token, u32 stage) {
    (void)job, (void)stage;
    search.closed[token]++;
}
FN u32 reach_stage(const JOB *job, u32 token) {
    return relaxed_load_u32(&job->levels[token]);
}
FN u32 reach_advance(const JOB *job, u32 stage) {
    (void)job, (void)stage;
    return 1;
}

#ifndef SCHEDULER_SOURCE
#define SCHEDULER_SOURCE "kernels/scheduler_template.cl"
#endif
/* gcc does not see that an item finds only what it has stored. */
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include SCHEDULER_SOURCE
#pragma GCC diagnostic pop

static u32 control[SCHEDULER_COUNTS + 8], states[8 * MEMBERS], slots[CAPACITY];
static scheduler_group groups[GROUPS];
static u32 trips, patience;

static void draw_graph(void) {
    u32 arcs = 0;
    for (u32 u = 0; u < VERTICES; u++) {
        search.offsets[u] = arcs;
        for (u32 v = 0; v < VERTICES; v++)
            if (draw_below(VERTICES) < (u % 4 == 0 ? 5 : 1))
                search.targets[arcs++] = v;
    }
    search.offsets[VERTICES] = arcs;
}

/* As hop__scheduler_start does, with tickets that go round at 2^32. */
static void fill_queue(void) {
    const u32 first = 0u - draw_below(8);
    memset(control, 0, sizeof control);
    memset(states, 0, sizeof states);
    memset(slots, 0xff, sizeof slots);
    memset(search.levels, 0xff, sizeof search.levels);
    memset(search.closed, 0, sizeof search.closed);
    search.levels[0] = slots[0] = 0;
    control[QUEUE_FRONT] = control[QUEUE_FIRST] = control[QUEUE_BASE] = first;
    control[QUEUE_REAR] = first + 1;
    control[QUEUE_MASK] = QUEUE_NONE;
    control[QUEUE_SPAN] = CAPACITY;
    control[SCHEDULER_PENDING] = 1;
}

static void run_item(void) {
    reach_scheduler_run(&search, control, states, slots, slots, trips, patience,
                        &groups[item_id() / GROUP]);
    explore_end();
}

static void check_levels(void) {
    u32 right[VERTICES];
    char text[96];
    memset(right, 0xff, sizeof right);
    right[0] = 0;
    for (u32 level = 0; level < VERTICES; level++)
        for (u32 u = 0; u < VERTICES; u++)
            for (u32 i = search.offsets[u]; right[u] == level && i < search.offsets[u + 1]; i++)
                if (right[search.targets[i]] == no_level)
                    right[search.targets[i]] = level + 1;
    for (u32 v = 0; v < VERTICES; v++) {
        const bool reached = right[v] != no_level;
        snprintf(text, sizeof text, "vertex %u has level %u, not %u, and was closed %u times", v,
                 search.levels[v], right[v], search.closed[v]);
        if (search.closed[v] != reached || (search.levels[v] != no_level) != reached ||
            (SCHEDULER_STAGED && search.levels[v] != right[v]))
            give_up(text);
    }
}

static void run_order(uint64_t seed) {
    (void)seed;
    draw_graph();
    fill_queue();
    trips = 1 + draw_below(6);
    patience = 1 + draw_below(3);
    while (scheduler_wanted(control)) {
        memset(groups, 0xab, sizeof groups);
        memset(barriers, 0, sizeof barriers);
        run_members(run_item);
        count_step();
    }
    if (control[SCHEDULER_REFUSED] != 0)
        give_up("a token was refused");
    check_levels();
}

int main(int argc, char **argv) {
    if (SANITIZED_THREAD)
        return 0; /* it does not know fibers */
    drawn.steps_most = 1000000;
    run_orders(argc, argv, SMALLER_TESTS ? 200 : 4000, run_order);
    return 0;
}

#endif
