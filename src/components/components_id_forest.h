/* SPDX-License-Identifier: Apache-2.0
 *
 * A forest over ids as a file has them, which become known as edges come: what is connected, in one
 * pass, without the edges.
 *
 * While the ids are small enough, parents[id] is the parent of an id, and a bit says whether it
 * occurs. Where ids are too far apart for that, those that occur are kept sorted, and parents are
 * between their places; ids that are new move the others up, which keeps their order.
 *
 * Invariant: a parent is at most its child, as in components_forest.h; so roots are the smallest
 * ids of their trees, before and after ids are numbered in their order.
 *
 * Cost: 4 bytes (and a bit) for each id up to the largest, or 12 for each that occurs. */
#ifndef HOPLITE_COMPONENTS_COMPONENTS_ID_FOREST_H
#define HOPLITE_COMPONENTS_COMPONENTS_ID_FOREST_H

#include "core/memory.h"
#include "graph/edge_source.h"
#include "graph/id_map.h"

typedef struct hop__id_forest {
    bool labels;         /* the ids that occur are the vertices */
    hop_vertex *parents; /* `room` of them */
    uint64_t room;
    uint64_t *present; /* a bit for each id below room, if they are labels; else NULL */
    uint64_t *ids;     /* sorted, `room` of them; NULL: parents[id] is that of id */
    hop__id_map map;   /* of ids */
    uint64_t edges;    /* that were joined, for messages */
} hop__id_forest;

void hop__id_forest_clear(hop__id_forest *forest);
/* Joins from[i] and to[i], ids of 4 or 8 bytes; in parallel. */
hop_status hop__id_forest_add(hop_context *context, hop__id_forest *forest, const void *from,
                              const void *to, size_t id_bytes, uint64_t count);
/* Of labels, once: numbers the ids in their order; as the joiner's number() (edge_source.h). */
hop_status hop__id_forest_number(hop_context *context, hop__id_forest *forest, uint64_t **labels,
                                 uint64_t *first_id, uint64_t *count);
/* At the end: the labels of vertices 0 .. count-1, a block that the caller frees. */
hop_status hop__id_forest_finish(hop_context *context, hop__id_forest *forest, uint64_t count,
                                 hop__id_ranks ranks, hop_vertex **labels);

#endif
