/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of the problems, above all of them: what is below names none. For tests, and for those
 * who loop over all variants. */
#ifndef HOPLITE_TABLES_PROBLEM_TABLES_H
#define HOPLITE_TABLES_PROBLEM_TABLES_H

#include "problem/problem.h"

/* Row number `index` of its table; NULL after the last. */
const hop__variant *hop__variant_at(hop_problem problem, size_t index);
/* The row of that name for a place; NULL when there is none. */
const hop__variant *hop__variant_find(hop_problem problem, const char *name, hop_place place);

#endif
