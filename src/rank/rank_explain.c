/* SPDX-License-Identifier: Apache-2.0
 *
 * Says what is wrong with successors that a variant has refused, always in the same words.
 *
 * Walks from the heads in their order and marks each element with the number of its head; the
 * first fault on the way is the one that is told. When every element should be on the list, the
 * smallest one that is not is told, and where it leads to. Cost: O(count), sequential; the ranks,
 * which are void now, hold the marks. */
#include "core/progress.h"
#include "rank/rank_fault.h"
#include "rank/rank_internal.h"

enum {
    STEPS = 1 << 14, /* of walks between two reports */
    PIECE = 1 << 18  /* marks that are cleared between two */
};

#define UNMARKED HOP_NO_RANK

typedef struct inquiry {
    hop_context *context;
    const hop__rank_query *query;
    hop_vertex *marks;
    uint64_t steps; /* of all walks */
} inquiry;

/* How the walk from `head` ends. */
static hop__rank_fault walk(inquiry *state, hop_vertex head, hop_vertex mark) {
    const hop__rank_query *query = state->query;
    hop__rank_fault end = {.how = HOP__RANK_TAIL, .head = head, .count = query->count};
    hop_vertex i = head;
    for (;; i = query->successors[i]) {
        if (state->marks[i] != UNMARKED) {
            end.how = state->marks[i] == mark ? HOP__RANK_CYCLE : HOP__RANK_JOIN;
            break;
        }
        state->marks[i] = mark;
        if (++state->steps % STEPS == 0 && !hop__progress_add(state->context, STEPS)) {
            end.how = HOP__RANK_STOPPED;
            break;
        }
        if (query->successors[i] == i)
            break;
        if (query->successors[i] >= query->count) {
            end.how = HOP__RANK_OUT_OF_RANGE;
            break;
        }
    }
    end.element = i;
    end.successor = query->successors[i];
    return end;
}

/* An element that is not on the one list: where it leads to. */
static hop_status explain_left_over(inquiry *state, hop_vertex i) {
    hop__rank_fault end = walk(state, i, 1);
    end.left_over = true;
    return end.how == HOP__RANK_STOPPED ? HOP_ERR_CANCELLED
                                        : hop__rank_refuse(state->context, &end);
}

static hop_status explain_heads(inquiry *state) {
    const hop__rank_query *query = state->query;
    for (hop_vertex k = 0; k < query->head_count; k++) {
        hop__rank_fault end = walk(state, query->heads[k], k);
        if (end.how == HOP__RANK_STOPPED)
            return HOP_ERR_CANCELLED;
        if (end.how == HOP__RANK_JOIN)
            end.other = query->heads[state->marks[end.element]];
        if (end.how != HOP__RANK_TAIL)
            return hop__rank_refuse(state->context, &end);
    }
    return HOP_OK;
}

hop_status hop__rank_explain(hop_context *context, const hop__rank_query *query,
                             hop_vertex *marks) {
    inquiry state = {.context = context, .query = query, .marks = marks};
    hop_status status = HOP_OK;
    hop__progress_begin(context, "rank: what is wrong", query->count);
    for (uint64_t i = 0; status == HOP_OK && i < query->count; i++) {
        marks[i] = UNMARKED;
        if (i % PIECE == 0 && !hop__progress_add(context, 0))
            status = HOP_ERR_CANCELLED;
    }
    if (status == HOP_OK)
        status = explain_heads(&state);
    for (hop_vertex i = 0; status == HOP_OK && query->whole && i < query->count; i++)
        if (marks[i] == UNMARKED)
            status = explain_left_over(&state, i);
    hop_status end = hop__progress_end(context);
    return end != HOP_OK ? end : status;
}
