/* SPDX-License-Identifier: Apache-2.0
 *
 * sequential: walks the list from its head and counts down (D0 5.1.1). The baseline.
 *
 * D0 knows the length n beforehand, so that the head has rank n - 1 and one walk does it: that is
 * the case without heads. (D0's loop tests the successor of the next element and a variable that
 * it never sets; what is meant is a walk until an element that is its own successor.) A list
 * from a given head may be shorter: its walk counts down from the largest number there is, and
 * then the number that its tail got is subtracted, by a second walk, or by a sweep over the whole
 * array when the list is a good part of it (a step of a walk is a cache miss, a step of a sweep
 * is not).
 *
 * A rank is also the mark that an element has been visited: meeting one ends the walk, so cycles
 * and joins are found at once. The sweep can tell the numbers of the list that it is for from
 * those of finished lists: if that list has `length` elements, its numbers are at least
 * 2^32 - 1 - length, and the ranks of all others are below count - length <= 2^32 - 2 - length.
 *
 * Cost: O(count); one or two cache misses per element, one after the other. No memory. */
#include "core/progress.h"
#include "rank/rank_internal.h"

enum {
    STEPS = 1 << 14, /* of a walk between two reports */
    PIECE = 1 << 18, /* elements of a sweep between two reports */
    SWEEP_SHARE = 64 /* a list of 1 / SWEEP_SHARE of the array or more is worth a sweep */
};

static bool clear(hop_context *context, hop_vertex *ranks, uint64_t count) {
    for (uint64_t begin = 0; begin < count; begin += PIECE) {
        uint64_t end = count - begin < PIECE ? count : begin + PIECE;
        for (uint64_t i = begin; i < end; i++)
            ranks[i] = HOP_NO_RANK;
        if (!hop__progress_add(context, 0))
            return false;
    }
    return true;
}

/* Numbers the list from `head`: first, first - 1, ...; *last is the tail's number. */
static hop_status walk(hop_context *context, hop__rank_task *task, hop_vertex head,
                       hop_vertex first, hop_vertex *last) {
    const hop_vertex *successors = task->query.successors;
    hop_vertex *ranks = task->ranks, count = task->query.count, i = head, number = first;
    uint64_t visits = task->relaxations; /* through all lists: many short ones are reported too */
    hop_status status = HOP_OK;
    for (;; number--) {
        if (ranks[i] != HOP_NO_RANK) {
            status = HOP_ERR_INPUT;
            break;
        }
        ranks[i] = number;
        if (++visits % STEPS == 0 && !hop__progress_add(context, STEPS)) {
            status = HOP_ERR_CANCELLED;
            break;
        }
        hop_vertex next = successors[i];
        if (next == i)
            break;
        if (next >= count) {
            status = HOP_ERR_INPUT;
            break;
        }
        i = next;
    }
    task->relaxations = visits;
    *last = number;
    return status;
}

/* The second walk over a list that is known to be sound. */
static hop_status walk_again(hop_context *context, const hop_vertex *successors, hop_vertex head,
                             hop_vertex last, hop_vertex *ranks) {
    for (hop_vertex i = head;; i = successors[i]) {
        ranks[i] -= last;
        if (ranks[i] == 0)
            return HOP_OK;
        if (ranks[i] % STEPS == 0 && !hop__progress_add(context, 0))
            return HOP_ERR_CANCELLED;
    }
}

static hop_status sweep(hop_context *context, hop_vertex last, hop_vertex *ranks, uint64_t count) {
    for (uint64_t begin = 0; begin < count; begin += PIECE) {
        uint64_t end = count - begin < PIECE ? count : begin + PIECE;
        for (uint64_t i = begin; i < end; i++)
            ranks[i] -= ranks[i] >= last && ranks[i] != HOP_NO_RANK ? last : 0;
        if (!hop__progress_add(context, 0))
            return HOP_ERR_CANCELLED;
    }
    return HOP_OK;
}

static hop_status rank_list(hop_context *context, hop__rank_task *task, hop_vertex head) {
    const hop__rank_query *query = &task->query;
    hop_vertex first = query->whole ? query->count - 1 : HOP_NO_RANK - 1, last;
    hop_status status = walk(context, task, head, first, &last);
    if (status != HOP_OK)
        return status;
    task->rounds++;
    if (query->whole)
        return last == 0 ? HOP_OK : HOP_ERR_INPUT;
    if (first - last >= query->count / SWEEP_SHARE)
        return sweep(context, last, task->ranks, query->count);
    return walk_again(context, query->successors, head, last, task->ranks);
}

static hop_status sequential_run(hop_context *context, hop__rank_task *task) {
    const hop__rank_query *query = &task->query;
    hop_status status = HOP_OK;
    hop__progress_begin(context, "rank: sequential", query->count);
    hop__phase(context, "clear");
    hop__phase_bytes(context, 4 * (uint64_t)query->count);
    if (!clear(context, task->ranks, query->count))
        status = HOP_ERR_CANCELLED;
    hop__phase(context, "walk"); /* all lists, so that many short ones cost no clock reads */
    for (hop_vertex i = 0; status == HOP_OK && i < query->head_count; i++)
        status = rank_list(context, task, query->heads[i]);
    hop__phase_items(context, task->relaxations);
    hop__phase_bytes(context, 12 * task->relaxations); /* rank looked at and set, successor */
    hop_status end = hop__progress_end(context);
    return end != HOP_OK ? end : status;
}

const hop__rank_variant hop__rank_sequential = {
    .row = {.about = {.name = "sequential",
                      .summary = "one walk on one core, counting down",
                      .source = "Yogaratnam 2010, 5.1.1",
                      .place = HOP_PLACE_HOST}},
    .run = sequential_run,
};
