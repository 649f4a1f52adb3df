/* SPDX-License-Identifier: Apache-2.0
 * The part of the tables that tests without a device loop over. */
#ifndef HOPLITE_TESTS_VARIANT_TESTING_H
#define HOPLITE_TESTS_VARIANT_TESTING_H

#include "tables/problem_tables.h"

/* Rows of a problem's table that a context without a device can run: they come first. */
static inline size_t host_variant_count(unsigned problem) {
    size_t count = 0;
    const hop__variant *row;
    while ((row = hop__variant_at(problem, count)) != NULL && row->about.place == HOP_PLACE_HOST)
        count++;
    return count;
}

#endif
