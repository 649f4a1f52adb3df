/* SPDX-License-Identifier: Apache-2.0
 * What the tests of rank share: lists by number, and ranks by walking from every element. */
#ifndef HOPLITE_TESTS_RANK_TESTING_H
#define HOPLITE_TESTS_RANK_TESTING_H

#include "core/core_testing.h"
#include "core/rng.h"
#include "hoplite/hoplite.h"

#define NONE HOP_NO_RANK

enum { TINY = 8 };

static inline void assert_says(const hop_context *context, const char *part) {
    if (!strstr(hop_context_message(context), part))
        fail_msg("'%s' is not in '%s'", part, hop_context_message(context));
}

/* Array number `code` of n entries to the base `base`; what is left of the code. */
static inline uint32_t digits(uint32_t code, uint32_t base, uint32_t n, hop_vertex *array) {
    for (uint32_t i = 0; i < n; i++, code /= base)
        array[i] = code % base;
    return code;
}

/* The ranks by the definition, element after element; false when the successors are to be refused.
 * `heads` NULL: all from element 0. */
static inline bool brute_force(const hop_vertex *successors, hop_vertex n, const hop_vertex *heads,
                               hop_vertex head_count, hop_vertex *ranks) {
    static const hop_vertex zero = 0;
    bool whole = heads == NULL;
    if (whole) {
        heads = &zero;
        head_count = n > 0;
    }
    unsigned visits[TINY] = {0};
    for (hop_vertex i = 0; i < n; i++)
        ranks[i] = NONE;
    for (hop_vertex k = 0; k < head_count; k++) {
        hop_vertex i = heads[k];
        for (hop_vertex steps = 0;; i = successors[i], steps++) {
            if (i >= n || steps > n)
                return false; /* out of range, or going round */
            visits[i]++;
            if (successors[i] == i)
                break;
        }
    }
    for (hop_vertex i = 0; i < n; i++) {
        if (visits[i] > 1 || (whole && visits[i] != 1))
            return false;
        if (visits[i] == 0)
            continue;
        ranks[i] = 0;
        for (hop_vertex j = i; successors[j] != j; j = successors[j])
            ranks[i]++;
    }
    return true;
}

/* `lists` lists in random order over n elements: all of them, or all but every `gap`-th, which are
 * left with a successor that is out of range. Heads and ranks are told. */
static inline hop_vertex random_lists(hop_vertex n, hop_vertex lists, hop_vertex gap, uint64_t seed,
                                      hop_vertex *successors, hop_vertex *heads,
                                      hop_vertex *ranks) {
    hop_vertex *order = malloc((size_t)n * sizeof *order + 1), used = 0, made = 0;
    for (hop_vertex i = 0; i < n; i++) {
        successors[i] = NONE;
        ranks[i] = NONE;
        if (!gap || i % gap)
            order[used++] = i;
    }
    for (hop_vertex i = used; i > 1; i--) { /* Fisher and Yates */
        hop_vertex j = (hop_vertex)(hop__random_at(seed, 3, i) % i), held = order[i - 1];
        order[i - 1] = order[j];
        order[j] = held;
    }
    for (hop_vertex begin = 0; begin < used && made < lists; made++) {
        hop_vertex left = used - begin, spread = 2 * (used / lists) + 1;
        hop_vertex length = 1 + (hop_vertex)(hop__random_at(seed, 4, made) % spread);
        length = made + 1 == lists || length > left ? left : length;
        for (hop_vertex k = 0; k < length; k++) {
            successors[order[begin + k]] = order[begin + (k + 1 < length ? k + 1 : k)];
            ranks[order[begin + k]] = length - 1 - k;
        }
        heads[made] = order[begin];
        begin += length;
    }
    free(order);
    return made;
}

static inline void assert_same(const hop_vertex *found, const hop_vertex *expected, hop_vertex n) {
    for (hop_vertex i = 0; i < n; i++)
        if (found[i] != expected[i])
            fail_msg("rank of %u: %u instead of %u", i, found[i], expected[i]);
}

#endif
