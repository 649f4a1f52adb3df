/* SPDX-License-Identifier: Apache-2.0
 *
 * What tests of drawn orders share: a seed that draws whose turn it is, and what is said when an
 * order has gone wrong, so that it can be repeated.
 *
 *     TEST [SEED [COUNT]]      so many orders from this seed on */
#ifndef HOPLITE_TESTS_ORDER_TESTING_H
#define HOPLITE_TESTS_ORDER_TESTING_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    uint64_t seed, state, steps;
    uint64_t steps_most; /* more than any order that ends */
} drawn;

static void begin_order(uint64_t seed) {
    drawn.seed = seed;
    drawn.state = seed * UINT64_C(0x9E3779B97F4A7C15);
    drawn.steps = 0;
}

static unsigned draw_below(unsigned limit) {
    drawn.state = drawn.state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((drawn.state >> 33) % limit);
}

static void give_up(const char *what) {
    printf("%s; seed %llu, step %llu\n", what, (unsigned long long)drawn.seed,
           (unsigned long long)drawn.steps);
    fflush(stdout);
    _Exit(1);
}

static void count_step(void) {
    if (++drawn.steps > drawn.steps_most)
        give_up("an order without end");
}

/* The orders that the arguments ask for, by `run`; `count` of them without arguments. */
static void run_orders(int argc, char **argv, uint64_t count, void (*run)(uint64_t seed)) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, steps = 0;
    count = argc > 2 ? strtoull(argv[2], NULL, 10) : count;
    for (uint64_t i = 0; i < count; i++) {
        begin_order(first + i);
        run(first + i);
        steps += drawn.steps;
    }
    printf("%llu orders, %llu steps\n", (unsigned long long)count, (unsigned long long)steps);
}

#endif
