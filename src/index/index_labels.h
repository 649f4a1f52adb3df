/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search knows of the vertices that it has seen, and its queue. A search of an index sees
 * few of many vertices: labels are found by a hash of the vertex, so that beginning costs nothing,
 * and forgetting what was seen.
 *
 * The room is fixed while a search runs; one that runs out of it says so and is begun again with
 * more. The queue is a heap of labels with four children per node; each label knows its place. */
#ifndef HOPLITE_INDEX_INDEX_LABELS_H
#define HOPLITE_INDEX_INDEX_LABELS_H

#include "core/memory.h"
#include "hoplite/graph.h"

#define HOP__FAR UINT64_MAX /* the distance of what is not reached; as a weight: no arc */

enum { HOP__NOT_QUEUED = 0 };

typedef struct hop__label {
    hop_vertex vertex;
    uint32_t slot;
    uint32_t queued; /* 1 + its place in the heap, or HOP__NOT_QUEUED */
    uint32_t mark;   /* of the search's own */
    uint64_t distance;
    uint64_t key; /* the least goes first */
} hop__label;

typedef struct hop__labels {
    uint32_t *slots; /* twice the room: 1 + the number of a label; 0: free */
    hop__label *items;
    uint32_t *heap; /* numbers of labels */
    uint32_t room;  /* a power of two */
    unsigned shift; /* from the hash to a slot */
    uint32_t count, waiting;
} hop__labels;

/* Makes room for so many labels, a power of two from 2 to 2^31, in place of what there was. */
hop_status hop__labels_open(hop_context *context, hop__labels *labels, uint32_t room);
void hop__labels_close(hop__labels *labels);
/* Forgets all. */
void hop__labels_clear(hop__labels *labels);
/* Puts a label into the queue by its key, or where it belongs after the key became less. */
void hop__labels_push(hop__labels *labels, hop__label *label);
/* Takes the label of the least key; there is one. */
hop__label *hop__labels_pop(hop__labels *labels);

static inline uint32_t hop__labels_slot(const hop__labels *labels, hop_vertex vertex) {
    uint32_t mask = 2 * labels->room - 1;
    uint32_t slot = (uint32_t)(vertex * UINT32_C(2654435761)) >> labels->shift;
    while (labels->slots[slot] != 0 && labels->items[labels->slots[slot] - 1].vertex != vertex)
        slot = (slot + 1) & mask;
    return slot;
}

/* The label of a vertex, or NULL. */
static inline hop__label *hop__labels_find(const hop__labels *labels, hop_vertex vertex) {
    uint32_t number = labels->slots[hop__labels_slot(labels, vertex)];
    return number == 0 ? NULL : &labels->items[number - 1];
}

/* The label of a vertex, made anew, with distance HOP__FAR, if there was none; NULL: no room. */
static inline hop__label *hop__labels_get(hop__labels *labels, hop_vertex vertex) {
    uint32_t slot = hop__labels_slot(labels, vertex);
    if (labels->slots[slot] != 0)
        return &labels->items[labels->slots[slot] - 1];
    if (labels->count == labels->room)
        return NULL;
    hop__label *label = &labels->items[labels->count++];
    labels->slots[slot] = labels->count;
    *label = (hop__label){vertex, slot, HOP__NOT_QUEUED, 0, HOP__FAR, HOP__FAR};
    return label;
}

static inline uint64_t hop__labels_least(const hop__labels *labels) {
    return labels->waiting == 0 ? HOP__FAR : labels->items[labels->heap[0]].key;
}

#endif
