/* SPDX-License-Identifier: Apache-2.0
 *
 * One file per family, one row per file. generate.c holds the table, checks the settings against
 * the row's parameters, and calls make() with every value filled in, in the row's order. */
#ifndef HOPLITE_GENERATE_FAMILY_H
#define HOPLITE_GENERATE_FAMILY_H

#include "core/context_internal.h"
#include "hoplite/generate.h"

/* What make() gets: one value per parameter, defaults filled in, ranges checked. */
typedef struct hop__recipe {
    const double *values;
    uint64_t seed;
    hop_weight_type weight_type;
    double min_weight, max_weight;
} hop__recipe;

typedef struct hop__family {
    hop_family about; /* what users see */
    hop_status (*make)(hop_context *context, const hop__recipe *recipe, hop_graph **graph);
} hop__family;

#endif
