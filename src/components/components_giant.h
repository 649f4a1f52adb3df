/* SPDX-License-Identifier: Apache-2.0
 *
 * The giant component as a bit per vertex, for components_giant_first.c and components_spread.c.
 * Vertices whose bits are set hang together; the bits of others may be set later. */
#ifndef HOPLITE_COMPONENTS_COMPONENTS_GIANT_H
#define HOPLITE_COMPONENTS_COMPONENTS_GIANT_H

#include "components/components_forest.h"

static inline bool hop__giant_has(const uint64_t *giant, uint64_t v) {
    return hop__load_u64(&giant[v / 64]) >> (v % 64) & 1;
}

/* Whether a row has a vertex of the giant; *i is then its arc, else the end. */
static inline __attribute__((always_inline)) bool
hop__giant_meets(const uint64_t *giant, const hop_vertex *targets, uint64_t *i, uint64_t end) {
    for (; *i < end; ++*i)
        if (hop__giant_has(giant, targets[*i]))
            return true;
    return false;
}

/* Marks what the rows lead to that are worth reading from end to end; see components_spread.c. */
hop_status hop__giant_spread(hop_context *context, const hop_graph *graph, uint64_t *giant);

#endif
