/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that shows stores late and gives old values: see ptx.h. A group has a buffer of its stores
 * to global memory, and of its atomics whose result nobody reads. Its own items see them at once,
 * others when they leave it, which they do in an order that is drawn, or when something makes them.
 * And a load may give what was there a while ago.
 *
 *  1. Stores and atomics to the same bytes leave in the order in which they were made.
 *  2. A fence makes those leave that its item has made, and those that the group had made before
 *     its last barrier: what an item has seen behind a barrier, its fence hands on.
 *  3. An atomic whose result is read works in memory itself, and makes those to its own word leave,
 *     no others.
 *  4. All leave when the launch ends, or another group begins in this one's place.
 *  5. A load gives the bytes as they were at a time that is drawn, not before the group's last
 *     fence, nor before what the group has last read from, or written to, these bytes. So one word
 *     is coherent, and a fence between two loads is needed.
 *
 *  6. A group may be held up behind an atomic or a fence, and its stores with it.
 *
 * It is stronger than PTX: what one item of a group has read, or fenced, all have. */
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx_internal.h"

enum { PENDING_MOST = 1024, ONE_IN = 8, MOST_BYTES = 16 };

struct ptx_pending {
    char *at;
    uint32_t bytes, item;
    bool settled; /* a barrier came after it */
    bool update;  /* an atomic, with operands in the place of data */
    ptx_access access;
    uint64_t b, c;
    char data[MOST_BYTES];
};

/* --- what was there before ------------------------------------------------------------------- */

static ptx_past *past_of(ptx_machine *machine, uint64_t time) {
    return &machine->past[time % PTX_PAST];
}

static uint64_t *seen_of(ptx_group *group, const char *at) {
    return &group->seen[(uintptr_t)at / 8 % PTX_SEEN];
}

static void note_seen(ptx_group *group, const char *at, uint32_t bytes, uint64_t time) {
    for (uint32_t i = 0; i < bytes; i += 8)
        if (*seen_of(group, at + i) < time)
            *seen_of(group, at + i) = time;
}

void ptx_weak_changes(ptx_group *group, char *at, uint32_t bytes) {
    ptx_machine *machine = group->machine;
    ptx_past *past = past_of(machine, ++machine->changes);
    *past = (ptx_past){.at = at, .bytes = bytes};
    memcpy(past->old, at, bytes);
    note_seen(group, at, bytes, machine->changes);
}

/* The bytes as they were after change number `time`. */
static void recall(ptx_machine *machine, const char *at, char *data, uint32_t bytes,
                   uint64_t time) {
    memcpy(data, at, bytes);
    for (uint64_t t = machine->changes; t > time; t--) {
        const ptx_past *past = past_of(machine, t);
        for (uint32_t b = 0; b < past->bytes; b++)
            if (past->at + b >= at && past->at + b < at + bytes)
                data[past->at + b - at] = past->old[b];
    }
}

static uint64_t draw_time(ptx_group *group, const char *at, uint32_t bytes) {
    ptx_machine *machine = group->machine;
    uint64_t now = machine->changes, first = group->fresh;
    for (uint32_t i = 0; i < bytes; i += 8)
        if (*seen_of(group, at + i) > first)
            first = *seen_of(group, at + i);
    if (now - first >= PTX_PAST)
        first = now - PTX_PAST + 1;
    return ptx_random(machine) % 2 != 0 ? now : first + ptx_random(machine) % (now - first + 1);
}

/* --- what others do not see yet --------------------------------------------------------------- */

static bool overlaps(const ptx_pending *one, const char *at, uint32_t bytes) {
    return one->at < at + bytes && at < one->at + one->bytes;
}

/* Number i, or the oldest to the same bytes. */
static void leave(ptx_group *group, uint32_t i) {
    for (uint32_t k = 0; k < i; k++)
        if (overlaps(&group->pending[k], group->pending[i].at, group->pending[i].bytes)) {
            i = k;
            break;
        }
    const ptx_pending *one = &group->pending[i];
    ptx_weak_changes(group, one->at, one->bytes);
    if (one->update)
        ptx_update_word(&one->access, one->at, one->b, one->c);
    else
        memcpy(one->at, one->data, one->bytes);
    group->pending_count--;
    memmove(&group->pending[i], &group->pending[i + 1],
            (group->pending_count - i) * sizeof *group->pending);
}

static ptx_pending *add(ptx_group *group) {
    if (group->pending == NULL)
        group->pending = malloc(PENDING_MOST * sizeof *group->pending);
    if (group->pending == NULL)
        abort();
    if (group->pending_count == PENDING_MOST)
        leave(group, 0);
    return &group->pending[group->pending_count++];
}

void ptx_weak_store(ptx_group *group, uint32_t item, char *at, const void *data, uint32_t bytes) {
    ptx_pending *one = add(group);
    *one = (ptx_pending){.at = at, .bytes = bytes, .item = item};
    memcpy(one->data, data, bytes);
}

void ptx_weak_update_late(ptx_group *group, uint32_t item, char *at, const ptx_access *access,
                          uint64_t b, uint64_t c) {
    *add(group) = (ptx_pending){.at = at,
                                .bytes = access->bytes,
                                .item = item,
                                .update = true,
                                .access = *access,
                                .b = b,
                                .c = c};
}

void ptx_weak_load(ptx_group *group, const char *at, void *data, uint32_t bytes) {
    for (uint32_t i = 0; i < group->pending_count; i++)
        if (group->pending[i].update && overlaps(&group->pending[i], at, bytes)) {
            ptx_weak_update(group, at, bytes);
            break;
        }
    uint64_t time = draw_time(group, at, bytes);
    recall(group->machine, at, data, bytes, time);
    note_seen(group, at, bytes, time);
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
    group->fresh = group->machine->changes;
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
    if (group->machine->options.weak)
        memset(group->seen, 0, sizeof group->seen);
    group->fresh = group->machine->changes;
}

/* --- atomics without a reader ----------------------------------------------------------------- */

static bool reads(const ptx_instruction *what, uint32_t number) {
    bool stored = false;
    for (int i = 0; i < 4 && what->kind == PTX_STORE; i++)
        stored |= what->values[i] == number;
    return stored || what->predicate == number || what->a == number || what->b == number ||
           what->c == number || what->e == number;
}

void ptx_weak_mark(ptx_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->count; i++) {
        ptx_instruction *what = &kernel->code[i];
        what->unread = what->kind == PTX_ATOMIC;
        for (uint32_t k = 0; what->unread && what->values[0] != PTX_NONE && k < kernel->count; k++)
            what->unread = !reads(&kernel->code[k], what->values[0]);
    }
}
