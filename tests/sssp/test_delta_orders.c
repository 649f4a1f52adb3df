/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue of delta-stepping in many orders of its members' steps, drawn by a seed.
 *
 * Its source is compiled into this file with a scheduler between it and the system: members are
 * fibers of one thread, and before every atomic access the seed draws whose turn it is. Chunks have
 * two entries, so that small graphs are stolen from, shared and purged all the time. Each order is
 * a search; its distances must be those of Bellman-Ford, and it must end.
 * Built again from a source with a planted mistake (tests/CMakeLists.txt) it must find it. */
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "core/patience.h"
#include "core/progress.h"
#include "core/sanitized_testing.h"
#include "core/wait.h"

enum { MEMBERS = 3, VERTICES = 24, STEPS_MOST = 1000000, ORDERS = SMALLER_TESTS ? 100 : 2000 };

#include "core/fiber_orders.h"

static meeting barrier;
static uint64_t explored_clock;

static int explore_clock(struct timespec *now) {
    explored_clock += 1000;
    *now = (struct timespec){(time_t)(explored_clock / 1000000000),
                             (long)(explored_clock % 1000000000)};
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
#define hop__team_barrier()            explore_meeting(&barrier, MEMBERS)
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
    if (entry >> 32 >> f.queue.shift > f.queue.limit)
        give_up("an entry beyond the limit");
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
    explore_end();
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

static void run_order(uint64_t seed) {
    (void)seed; /* it has been set */
    draw_graph();
    memset(f.keys, 0xff, sizeof f.keys);
    f.keys[0] = 0;
    hop__delta_queue_reset(&f.queue);
    f.queue.shift = draw_below(5);
    hop__delta_put(&f.queue.workers[draw_below(MEMBERS)], 0, 0);
    f.queue.limit = draw_below(40) >> f.queue.shift;
    run_members(search);
    f.queue.limit = UINT32_MAX;
    run_members(search);
    if (f.queue.exhausted)
        give_up("the queue is exhausted");
    check_keys();
}

static void fixture_blocks(const void *given, hop__workspace *space) {
    (void)given;
    hop__delta_queue_blocks(space, offsetof(fixture, queue), VERTICES, MEMBERS);
}

int main(int argc, char **argv) {
    uint64_t steals = 0;
    if (SANITIZED_THREAD)
        return 0; /* it does not know fibers */
    if (hop_context_create(NULL, &f.context) != HOP_OK ||
        hop__workspace_open(f.context, NULL, fixture_blocks, &f, &f, &f.space) != HOP_OK ||
        hop__delta_queue_begin(&f.space, VERTICES, MEMBERS, &f.queue) != HOP_OK)
        return 1;
    f.queue.key_of = key_of;
    f.queue.key_arg = f.keys;
    drawn.steps_most = STEPS_MOST;
    run_orders(argc, argv, ORDERS, run_order);
    for (unsigned i = 0; i < MEMBERS; i++)
        steals += f.queue.workers[i].steals;
    hop__workspace_close(&f.space, HOP_OK);
    hop_context_free(f.context);
    printf("%llu steals\n", (unsigned long long)steals);
    return 0;
}
