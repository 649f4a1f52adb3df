/* SPDX-License-Identifier: Apache-2.0
 *
 * Labels and their queue: see index_labels.h. */
#include "index/index_labels.h"

#include <string.h>

#include "core/try.h"

enum { CHILDREN = 4 };

void hop__labels_close(hop__labels *labels) {
    hop__free(labels->slots);
    hop__free(labels->items);
    hop__free(labels->heap);
    *labels = (hop__labels){0};
}

hop_status hop__labels_open(hop_context *context, hop__labels *labels, uint32_t room) {
    hop_status status;
    hop__labels_close(labels);
    HOP_TRY(status, hop__alloc_zero(context, "index: slots", 2 * (uint64_t)room,
                                    sizeof *labels->slots, &labels->slots));
    HOP_TRY(status,
            hop__alloc(context, "index: labels", room, sizeof *labels->items, &labels->items));
    HOP_TRY(status, hop__alloc(context, "index: queue", room, sizeof *labels->heap, &labels->heap));
    labels->room = room;
    labels->shift = 31 - (unsigned)__builtin_ctz(room);
done:
    if (status != HOP_OK)
        hop__labels_close(labels);
    return status;
}

void hop__labels_clear(hop__labels *labels) {
    for (uint32_t i = 0; i < labels->count; i++)
        labels->slots[labels->items[i].slot] = 0;
    labels->count = labels->waiting = 0;
}

static inline void put(hop__labels *labels, uint32_t place, uint32_t number) {
    labels->heap[place] = number;
    labels->items[number].queued = place + 1;
}

static void rise(hop__labels *labels, uint32_t place, uint32_t number) {
    const uint64_t key = labels->items[number].key;
    while (place > 0) {
        uint32_t parent = (place - 1) / CHILDREN;
        if (labels->items[labels->heap[parent]].key <= key)
            break;
        put(labels, place, labels->heap[parent]);
        place = parent;
    }
    put(labels, place, number);
}

void hop__labels_push(hop__labels *labels, hop__label *label) {
    uint32_t place = label->queued == HOP__NOT_QUEUED ? labels->waiting++ : label->queued - 1;
    rise(labels, place, (uint32_t)(label - labels->items));
}

/* The child of least key of a node that has children. */
static inline uint32_t least_child(const hop__labels *labels, uint64_t first) {
    uint64_t end = first + CHILDREN < labels->waiting ? first + CHILDREN : labels->waiting;
    uint64_t least = first;
    for (uint64_t child = first + 1; child < end; child++)
        if (labels->items[labels->heap[child]].key < labels->items[labels->heap[least]].key)
            least = child;
    return (uint32_t)least;
}

hop__label *hop__labels_pop(hop__labels *labels) {
    hop__label *top = &labels->items[labels->heap[0]];
    uint32_t last = labels->heap[--labels->waiting], place = 0;
    const uint64_t key = labels->items[last].key;
    top->queued = HOP__NOT_QUEUED;
    if (labels->waiting == 0)
        return top;
    for (;;) {
        uint64_t first = (uint64_t)place * CHILDREN + 1;
        if (first >= labels->waiting)
            break;
        uint32_t child = least_child(labels, first);
        if (labels->items[labels->heap[child]].key >= key)
            break;
        put(labels, place, labels->heap[child]);
        place = child;
    }
    put(labels, place, last);
    return top;
}
