/* SPDX-License-Identifier: Apache-2.0
 * Merging the weights of two arcs with the same ends, by the builder's rule. */
#ifndef HOPLITE_GRAPH_WEIGHT_H
#define HOPLITE_GRAPH_WEIGHT_H

#include "hoplite/graph.h"

/* Merges weight j of `from`, which comes later in the input, into weight i of `into`. False when
 * an integer sum leaves its type, or a sum of infinities is not a number. Not for
 * HOP_DUPLICATES_KEEP. */
HOP_API bool hop__weight_merge(hop_weight_type type, hop_duplicates rule, void *into, uint64_t i,
                               const void *from, uint64_t j);

#endif
