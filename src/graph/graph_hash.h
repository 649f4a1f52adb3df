/* SPDX-License-Identifier: Apache-2.0
 *
 * hop_graph_hash of a graph that is written and never in memory as a whole: the hashes of the
 * chunks of its arrays are collected on the way, in the order offsets (as 64-bit numbers), targets,
 * weights; and joined at the end. */
#ifndef HOPLITE_GRAPH_GRAPH_HASH_H
#define HOPLITE_GRAPH_GRAPH_HASH_H

#include "graph/edge_source.h"
#include "graph/graph_internal.h"

/* Items of a chunk; the last of an array has what is left. */
enum { HOP__HASH_CHUNK = 1 << 18 };

typedef struct hop__hash_head {
    uint64_t vertices, arcs;
    bool directed;
    hop_weight_type weight_type;
} hop__hash_head;

/* The hash of a chunk. Any thread. */
uint64_t hop__hash_items(const void *items, size_t bytes);
/* Hashes that hop__hash_finish joins at most, for so many arcs. */
uint64_t hop__hash_room(hop__names names, uint64_t vertices, uint64_t arcs, bool weighted);
/* The hash of the graph from those of its `count` chunks; the ones of the names are added behind
 * them, where there must be room. */
uint64_t hop__hash_finish(const hop__hash_head *head, hop__names names, uint64_t *hashes,
                          uint64_t count);

#endif
