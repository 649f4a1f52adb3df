/* SPDX-License-Identifier: Apache-2.0
 * Vertex ids permuted at random, for families whose own numbering has locality. */
#ifndef HOPLITE_GENERATE_SCRAMBLE_H
#define HOPLITE_GENERATE_SCRAMBLE_H

#include "core/rng.h"
#include "hoplite/graph.h"

typedef struct hop__scramble {
    bool wanted;
    hop__shuffle shuffle;
} hop__scramble;

/* When not wanted, or when there are no vertices, ids stay as they are. */
void hop__scramble_init(hop__scramble *scramble, bool wanted, uint64_t vertices, uint64_t seed);
void hop__scramble_apply(const hop__scramble *scramble, hop_vertex *ids, uint32_t count);

#endif
