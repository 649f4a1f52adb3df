/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of the problems, above all of them: what is below names none. For tests, and for those
 * who loop over all variants. */
#ifndef HOPLITE_TABLES_PROBLEM_TABLES_H
#define HOPLITE_TABLES_PROBLEM_TABLES_H

#include "problem/problem.h"

/* Those that are no hop_problem: users see their functions, but not their tables. */
enum {
    HOP__PROBLEM_STRONG = HOP_PROBLEM_COUNT,
    HOP__PROBLEM_ORDER,
    HOP__PROBLEM_SPANNING,
    HOP__PROBLEM_CLOSURE,
    HOP__PROBLEM_MEASURE,
    HOP__PROBLEM_BETWEEN,
    HOP__PROBLEM_LOCAL,
    HOP__PROBLEM_COUNT
};

/* A hop_problem, or one of these; NULL after the last. */
const hop__problem *hop__problem_at(unsigned problem);
/* Row number `index` of its table; NULL after the last. */
const hop__variant *hop__variant_at(unsigned problem, size_t index);
/* The row of that name for a place; NULL when there is none. */
const hop__variant *hop__variant_find(hop_problem problem, const char *name, hop_place place);

#endif
