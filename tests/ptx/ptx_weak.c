/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that shows stores late: see ptx.h. A group has a buffer of its stores to global memory.
 * Its own items see them at once, others when they leave it, which they do in an order that is
 * drawn, or when something makes them.
 *
 *  1. Stores to the same bytes leave in the order in which they were made.
 *  2. A fence makes those leave that its item has made, and those that the group had made before
 *     its last barrier: what an item has seen behind a barrier, its fence hands on.
 *  3. An atomic works in memory itself, and makes those to its own word leave, no others.
 *  4. All leave when the launch ends, or another group begins in this one's place.
 *
 * Loads are not late: an item that reads two words reads them in its order. */
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx_internal.h"

enum { PENDING_MOST = 1024, ONE_IN = 8 };

struct ptx_pending {
    char *at;
    uint32_t bytes, item;
    bool settled; /* a barrier came after it */
    char data[16];
};

static bool overlaps(const ptx_pending *one, const char *at, uint32_t bytes) {
    return one->at < at + bytes && at < one->at + one->bytes;
}

/* Stores number i, or the oldest to the same bytes. */
static void leave(ptx_group *group, uint32_t i) {
    for (uint32_t k = 0; k < i; k++)
        if (overlaps(&group->pending[k], group->pending[i].at, group->pending[i].bytes)) {
            i = k;
            break;
        }
    const ptx_pending *one = &group->pending[i];
    memcpy(one->at, one->data, one->bytes);
    group->pending_count--;
    memmove(&group->pending[i], &group->pending[i + 1],
            (group->pending_count - i) * sizeof *group->pending);
}

void ptx_weak_store(ptx_group *group, uint32_t item, char *at, const void *data, uint32_t bytes) {
    if (group->pending == NULL)
        group->pending = malloc(PENDING_MOST * sizeof *group->pending);
    if (group->pending == NULL)
        abort();
    if (group->pending_count == PENDING_MOST)
        leave(group, 0);
    ptx_pending *one = &group->pending[group->pending_count++];
    *one = (ptx_pending){.at = at, .bytes = bytes, .item = item};
    memcpy(one->data, data, bytes);
}

void ptx_weak_load(const ptx_group *group, const char *at, void *data, uint32_t bytes) {
    memcpy(data, at, bytes);
    for (uint32_t i = 0; i < group->pending_count; i++) {
        const ptx_pending *one = &group->pending[i];
        if (!overlaps(one, at, bytes))
            continue;
        for (uint32_t b = 0; b < bytes; b++)
            if (at + b >= one->at && at + b < one->at + one->bytes)
                ((char *)data)[b] = one->data[at + b - one->at];
    }
}

void ptx_weak_update(ptx_group *group, const char *at, uint32_t bytes) {
    for (uint32_t i = 0; i < group->pending_count;)
        if (overlaps(&group->pending[i], at, bytes))
            leave(group, i);
        else
            i++;
}

void ptx_weak_fence(ptx_group *group, uint32_t first, uint32_t lanes) {
    for (uint32_t i = 0; i < group->pending_count;) {
        const ptx_pending *one = &group->pending[i];
        bool own = one->item >= first && one->item < first + PTX_LANES &&
                   (lanes >> (one->item - first) & 1) != 0;
        if (own || one->settled) {
            leave(group, i);
            i = 0; /* another may have left in its place */
        } else {
            i++;
        }
    }
}

void ptx_weak_barrier(ptx_group *group) {
    for (uint32_t i = 0; i < group->pending_count; i++)
        group->pending[i].settled = true;
}

void ptx_weak_turn(const ptx_run *run, ptx_group *group) {
    while (group->pending_count > 0 && ptx_random(run->machine) % ONE_IN == 0)
        leave(group, ptx_random(run->machine) % group->pending_count);
}

void ptx_weak_end(ptx_group *group) {
    while (group->pending_count > 0)
        leave(group, 0);
}
