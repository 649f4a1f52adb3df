/* SPDX-License-Identifier: Apache-2.0
 *
 * Parallel loops in drawn orders, for a source that is included after this: the pieces of a
 * hop__for are done by members that are fibers of one thread (fiber_orders.h), and before every
 * atomic access the seed draws whose turn it is. A piece is a few items, whatever grain is asked
 * for, so that small inputs have many. The file that includes this has defined MEMBERS. */
#ifndef HOPLITE_TESTS_LOOP_ORDERS_H
#define HOPLITE_TESTS_LOOP_ORDERS_H

#include "core/fiber_orders.h"

#define __atomic_load_n(...)             (explore_point(), __atomic_load_n(__VA_ARGS__))
#define __atomic_store_n(...)            (explore_point(), __atomic_store_n(__VA_ARGS__))
#define __atomic_compare_exchange_n(...) (explore_point(), __atomic_compare_exchange_n(__VA_ARGS__))
#include "core/atomic.h"
#include "core/parallel.h"

static struct {
    hop__range_fn body;
    void *arg;
    uint64_t next, count;
} loop;

static void loop_member(void) {
    const unsigned member = (unsigned)exploration.running;
    while (loop.next < loop.count) {
        uint64_t begin = loop.next, left = loop.count - begin, piece = 1 + draw_below(3);
        loop.next += piece < left ? piece : left;
        loop.body(loop.arg, begin, loop.next, member);
    }
    explore_end();
}

static inline void explore_loop(uint64_t count, hop__range_fn body, void *arg) {
    loop.body = body;
    loop.arg = arg;
    loop.next = 0;
    loop.count = count;
    run_members(loop_member);
}

#define hop__for(context, count, grain, body, arg)                                                 \
    ((void)(context), (void)(grain), explore_loop(count, body, arg))

#endif
