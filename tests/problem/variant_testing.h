/* SPDX-License-Identifier: Apache-2.0
 * The part of the tables that tests without a device loop over. */
#ifndef HOPLITE_TESTS_VARIANT_TESTING_H
#define HOPLITE_TESTS_VARIANT_TESTING_H

#include "hoplite/variant.h"

/* Rows of a problem's table that a context without a device can run: they come first. */
static inline size_t host_variant_count(hop_problem problem) {
    size_t count = 0;
    while (count < hop_variant_count(problem) &&
           hop_variant_at(problem, count)->place == HOP_PLACE_HOST)
        count++;
    return count;
}

#endif
