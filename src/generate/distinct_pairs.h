/* SPDX-License-Identifier: Apache-2.0
 *
 * Distinct random pairs of vertices, without memory: pair i is the pair number shuffle(i) of all
 * pairs there are. So the first m are m different ones, each set of m equally likely as far as the
 * shuffle is random.
 *
 * Numbering without a square root: pair t joins column c = t mod n and (c + d) mod n, where
 * d = t / n + 1 is a distance on the circle. Ordered pairs (arcs) are d = 1 .. n-1. Unordered ones
 * (edges) are d = 1 .. (n-1)/2, and for even n the half circle d = n/2 with c < n/2: that is where
 * t < n(n-1)/2 ends by itself. */
#ifndef HOPLITE_GENERATE_DISTINCT_PAIRS_H
#define HOPLITE_GENERATE_DISTINCT_PAIRS_H

#include "core/rng.h"
#include "hoplite/graph.h"

typedef struct hop__pairs {
    hop__shuffle shuffle;
    uint64_t vertices;
    uint64_t inverse;  /* floor(2^64 / vertices): division by multiplication */
    hop_vertex offset; /* added to both ends */
} hop__pairs;

/* How many pairs n vertices have; exact, since n < 2^32. */
static inline uint64_t hop__pairs_possible(uint64_t vertices, bool ordered) {
    uint64_t arcs = vertices == 0 ? 0 : vertices * (vertices - 1);
    return ordered ? arcs : arcs / 2;
}

/* At least one pair must be possible. */
void hop__pairs_init(hop__pairs *pairs, uint64_t vertices, bool ordered, hop_vertex offset,
                     uint64_t seed, uint64_t stream);

/* Pairs first .. first+count-1; first + count at most the number of possible pairs. */
void hop__pairs_fill(const hop__pairs *pairs, uint64_t first, uint32_t count, hop_vertex *from,
                     hop_vertex *to);

#endif
