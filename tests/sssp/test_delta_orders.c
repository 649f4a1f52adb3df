/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue of delta-stepping in many orders of its members' steps, drawn by a seed.
 *
 * Its source is compiled into this file with a scheduler between it and the system: members are
 * fibers of one thread, and before every atomic access the seed draws whose turn it is. Chunks have
 * two entries, so that small graphs are stolen from, shared and purged all the time. Each order is
 * a search; its distances must be those of Bellman-Ford, and it must end.
 *
 *     test_delta_orders [SEED [COUNT]]
 *
 * Built again from a source with a planted mistake (tests/CMakeLists.txt) it must find it. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "core/patience.h"
#include "core/progress.h"
#include "core/sanitized_testing.h"
#include "core/wait.h"

enum {
    MEMBERS = 3,
    VERTICES = 24,
    STACK = 1 << 16,
    STEPS_MOST = 1000000,
    ORDERS = SANITIZED ? 100 : 2000
};

static struct {
    ucontext_t contexts[MEMBERS + 1]; /* the last is that of main */
    bool done[MEMBERS];
    int running; /* -1: outside of an order */
    unsigned arrived, generation;
    uint64_t seed, state, steps, clock;
} exploration = {.running = -1};

static unsigned draw_below(unsigned limit) {
    exploration.state = exploration.state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((exploration.state >> 33) % limit);
}

static void give_up(const char *what) {
    printf("%s; seed %llu, step %llu\n", what, (unsigned long long)exploration.seed,
           (unsigned long long)exploration.steps);
    fflush(stdout);
    _Exit(1);
}

static void switch_to(int next) {
    int from = exploration.running;
    exploration.running = next;
    if (next != from)
        swapcontext(&exploration.contexts[from], &exploration.contexts[next]);
}

static void explore_point(void) {
    if (exploration.running < 0)
        return;
    if (++exploration.steps > STEPS_MOST)
        give_up("an order without end");
    unsigned next = draw_below(2 * MEMBERS); /* half of the time it goes on */
    if (next < MEMBERS && !exploration.done[next])
        switch_to((int)next);
}

/* The rest of the team has its turn. */
static void explore_wait(void) {
    unsigned next = draw_below(MEMBERS);
    explore_point();
    if (!exploration.done[next])
        switch_to((int)next);
}

static void explore_barrier(void) {
    unsigned mine = exploration.generation;
    if (++exploration.arrived == MEMBERS) {
        exploration.arrived = 0;
        exploration.generation++;
    }
    while (exploration.generation == mine)
        explore_wait();
}

static int explore_clock(struct timespec *now) {
    exploration.clock += 1000;
    *now = (struct timespec){(time_t)(exploration.clock / 1000000000),
                             (long)(exploration.clock % 1000000000)};
    return 0;
}

#define __atomic_load_n(...)             (explore_point(), __atomic_load_n(__VA_ARGS__))
#define __atomic_store_n(...)            (explore_point(), __atomic_store_n(__VA_ARGS__))
#define __atomic_exchange_n(...)         (explore_point(), __atomic_exchange_n(__VA_ARGS__))
#define __atomic_fetch_add(...)          (explore_point(), __atomic_fetch_add(__VA_ARGS__))
#define __atomic_fetch_sub(...)          (explore_point(), __atomic_fetch_sub(__VA_ARGS__))
#define __atomic_compare_exchange_n(...) (explore_point(), __atomic_compare_exchange_n(__VA_ARGS__))
#define HOP__DELTA_CHUNK_ENTRIES         2
#define HOP__DELTA_SLICE_ARCS            2
#define HOP__DELTA_FREE_KEPT             40 /* not below the bins: stock() fills this list */
#include "core/atomic.h"
#include "core/parallel.h"
#define sched_yield()                  explore_wait()
#define nanosleep(...)                 explore_wait()
#define clock_gettime(clock, now)      explore_clock(now)
#define hop__relax()                   explore_wait()
#define hop__patience()                2u
#define hop__rouse(word)               ((void)(word))
#define hop__sleep_at_most(word, a, b) ((void)(word), (void)(a), (void)(b), explore_wait())
#define hop__team_barrier()            explore_barrier()
#define hop__progress_add(context, n)  ((void)(context), true)
#ifndef DELTA_QUEUE_SOURCE
#define DELTA_QUEUE_SOURCE "sssp/delta/delta_queue.c"
#endif
#include DELTA_QUEUE_SOURCE

/* ---- a search -------------------------------------------------------------------------------- */

typedef struct fixture {
    hop_context *context;
    hop__workspace space;
    hop__delta_queue queue;
    uint32_t offsets[VERTICES + 1];
    uint32_t targets[VERTICES * VERTICES], weights[VERTICES * VERTICES];
    uint32_t keys[VERTICES];
} fixture;

static fixture f;

static uint32_t key_of(const void *arg, hop_vertex v) {
    return hop__load_u32((const uint32_t *)arg + v);
}

/* Rows of very different lengths, weights of two scales. */
static void draw_graph(void) {
    uint32_t arcs = 0;
    for (uint32_t u = 0; u < VERTICES; u++) {
        unsigned share = 1 + draw_below(8);
        f.offsets[u] = arcs;
        for (uint32_t v = 0; v < VERTICES; v++)
            if (draw_below(10) < (u % 5 == 0 ? share : 1)) {
                f.targets[arcs] = v;
                f.weights[arcs++] = draw_below(draw_below(2) ? 4 : 60);
            }
    }
    f.offsets[VERTICES] = arcs;
}

static void relax(hop__delta_worker *worker, uint64_t begin, uint64_t end, uint32_t key) {
    for (uint64_t i = begin; i < end; i++)
        if (hop__lower_u32(&f.keys[f.targets[i]], key + f.weights[i]))
            hop__delta_put(worker, key + f.weights[i], f.targets[i]);
}

static void relax_slice(hop__delta_worker *worker) {
    relax(worker, worker->slice.begin, worker->slice.end,
          hop__load_u32(&f.keys[worker->slice.vertex]));
}

static void relax_entry(hop__delta_worker *worker, uint64_t entry) {
    hop_vertex v = (hop_vertex)entry;
    if (hop__load_u32(&f.keys[v]) < entry >> 32)
        return;
    if (f.offsets[v + 1] - f.offsets[v] <= 3 * SLICE) {
        relax(worker, f.offsets[v], f.offsets[v + 1], (uint32_t)(entry >> 32));
        return;
    }
    hop__delta_share(worker, v, f.offsets[v], f.offsets[v + 1]);
    while (hop__delta_own_slice(worker))
        relax_slice(worker);
}

static void search(void) {
    int member = exploration.running; /* that has its first turn */
    hop__delta_worker *worker = &f.queue.workers[member];
    uint32_t chunk, count;
    hop__delta_begin(&f.queue, (unsigned)member, MEMBERS);
    while ((chunk = hop__delta_take(worker, &count)) != HOP__DELTA_NONE) {
        if (chunk == HOP__DELTA_SLICE) {
            relax_slice(worker);
            continue;
        }
        for (uint32_t i = 0; i < count; i++)
            relax_entry(worker, hop__delta_entries(&f.queue, chunk)[i]);
        hop__delta_done(worker, chunk);
        if (draw_below(16) == 0) /* as one does that finds no chunk */
            __atomic_fetch_add(&f.queue.purges, 1, __ATOMIC_RELAXED);
    }
    exploration.done[member] = true;
    int next = 0;
    while (next < MEMBERS && exploration.done[next])
        next++;
    switch_to(next);
}

static void check_keys(void) {
    uint32_t right[VERTICES];
    char text[64];
    memset(right, 0xff, sizeof right);
    right[0] = 0;
    for (uint32_t round = 0; round < VERTICES; round++)
        for (uint32_t u = 0; u < VERTICES; u++)
            for (uint32_t i = f.offsets[u]; right[u] != UINT32_MAX && i < f.offsets[u + 1]; i++)
                if (right[u] + f.weights[i] < right[f.targets[i]])
                    right[f.targets[i]] = right[u] + f.weights[i];
    for (uint32_t v = 0; v < VERTICES; v++)
        if (f.keys[v] != right[v]) {
            snprintf(text, sizeof text, "vertex %u is %u away, not %u", v, right[v], f.keys[v]);
            give_up(text);
        }
}

/* Not inline: to the compiler getcontext() returns twice, and it fears for variables. */
__attribute__((noinline)) static void make_fiber(int member, char *stack) {
    ucontext_t *made = &exploration.contexts[member];
    getcontext(made);
    made->uc_stack.ss_sp = stack;
    made->uc_stack.ss_size = STACK;
    made->uc_link = NULL;
    makecontext(made, search, 0);
    exploration.done[member] = false;
}

static void run_order(uint64_t seed, char *stacks) {
    exploration.seed = seed;
    exploration.state = seed * UINT64_C(0x9E3779B97F4A7C15);
    exploration.steps = 0;
    draw_graph();
    memset(f.keys, 0xff, sizeof f.keys);
    f.keys[0] = 0;
    hop__delta_queue_reset(&f.queue);
    f.queue.shift = draw_below(5);
    hop__delta_put(&f.queue.workers[draw_below(MEMBERS)], 0, 0);
    for (int i = 0; i < MEMBERS; i++)
        make_fiber(i, stacks + (size_t)i * STACK);
    exploration.running = 0;
    swapcontext(&exploration.contexts[MEMBERS], &exploration.contexts[0]);
    exploration.running = -1;
    if (f.queue.exhausted)
        give_up("the queue is exhausted");
    check_keys();
}

static void fixture_blocks(const void *given, hop__workspace *space) {
    (void)given;
    hop__delta_queue_blocks(space, offsetof(fixture, queue), VERTICES, MEMBERS);
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : ORDERS, steps = 0, steals = 0;
    char *stacks = malloc((size_t)MEMBERS * STACK);
    if (SANITIZED_THREAD)
        return 0; /* it does not know fibers */
    if (!stacks || hop_context_create(NULL, &f.context) != HOP_OK ||
        hop__workspace_open(f.context, NULL, fixture_blocks, &f, &f, &f.space) != HOP_OK ||
        hop__delta_queue_begin(&f.space, VERTICES, MEMBERS, &f.queue) != HOP_OK)
        return 1;
    f.queue.key_of = key_of;
    f.queue.key_arg = f.keys;
    for (uint64_t i = 0; i < count; i++) {
        run_order(seed + i, stacks);
        steps += exploration.steps;
    }
    for (unsigned i = 0; i < MEMBERS; i++)
        steals += f.queue.workers[i].steals;
    hop__workspace_close(&f.space, HOP_OK);
    hop_context_free(f.context);
    free(stacks);
    printf("%llu orders, %llu steps, %llu steals\n", (unsigned long long)count,
           (unsigned long long)steps, (unsigned long long)steals);
    return 0;
}
