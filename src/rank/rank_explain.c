/* SPDX-License-Identifier: Apache-2.0
 *
 * Says what is wrong with successors that a variant has refused, always in the same words.
 *
 * Walks from the heads in their order and marks each element with the number of its head; the
 * first fault on the way is the one that is told. When every element should be on the list, the
 * smallest one that is not is told, and where it leads to. Cost: O(count), sequential; the ranks,
 * which are void now, hold the marks. */
#include "core/progress.h"
#include "rank/rank_internal.h"

enum {
    STEPS = 1 << 14, /* of walks between two reports */
    PIECE = 1 << 18  /* marks that are cleared between two */
};

#define UNMARKED HOP_NO_RANK

typedef enum ending { TAIL, OUT_OF_RANGE, CYCLE, JOIN, STOPPED } ending;

/* How a walk ended, and at which element: the tail, the one whose successor is out of range, or the
 * one that was met again. */
typedef struct outcome {
    ending how;
    hop_vertex element;
} outcome;

typedef struct inquiry {
    hop_context *context;
    const hop__rank_query *query;
    hop_vertex *marks;
    uint64_t steps; /* of all walks */
} inquiry;

static outcome walk(inquiry *state, hop_vertex head, hop_vertex mark) {
    const hop__rank_query *query = state->query;
    for (hop_vertex i = head;; i = query->successors[i]) {
        if (state->marks[i] != UNMARKED)
            return (outcome){state->marks[i] == mark ? CYCLE : JOIN, i};
        state->marks[i] = mark;
        if (++state->steps % STEPS == 0 && !hop__progress_add(state->context, STEPS))
            return (outcome){STOPPED, i};
        if (query->successors[i] == i)
            return (outcome){TAIL, i};
        if (query->successors[i] >= query->count)
            return (outcome){OUT_OF_RANGE, i};
    }
}

static hop_status out_of_range(const inquiry *state, hop_vertex i) {
    hop__fail(state->context, HOP_ERR_INPUT,
              "rank: element %u has successor %u, but there are only %u elements", i,
              state->query->successors[i], state->query->count);
    return hop__note_vertex(state->context, HOP_KIND_DATA, i);
}

/* An element that is not on the one list: where it leads to. */
static hop_status explain_left_over(inquiry *state, hop_vertex i) {
    hop_context *context = state->context;
    outcome end = walk(state, i, 1);
    switch (end.how) {
    case OUT_OF_RANGE:
        return out_of_range(state, end.element);
    case CYCLE:
        return hop__fail(context, HOP_ERR_INPUT,
                         "rank: element %u is not on the list that begins at element 0; it leads "
                         "to a cycle, at element %u",
                         i, end.element);
    case JOIN:
        return hop__fail(context, HOP_ERR_INPUT,
                         "rank: element %u is not on the list that begins at element 0; it leads "
                         "to a join with that list, at element %u",
                         i, end.element);
    default:
        return hop__fail(context, HOP_ERR_INPUT,
                         "rank: element %u is not on the list that begins at element 0; it leads "
                         "to another tail, element %u; give the heads to rank several lists",
                         i, end.element);
    }
}

static hop_status explain_heads(inquiry *state) {
    hop_context *context = state->context;
    const hop__rank_query *query = state->query;
    for (hop_vertex k = 0; k < query->head_count; k++) {
        hop_vertex head = query->heads[k];
        outcome end = walk(state, head, k);
        switch (end.how) {
        case OUT_OF_RANGE:
            return out_of_range(state, end.element);
        case CYCLE:
            return hop__fail(context, HOP_ERR_INPUT,
                             "rank: the list that begins at element %u has no tail but a cycle, "
                             "which closes at element %u",
                             head, end.element);
        case JOIN:
            return hop__fail(context, HOP_ERR_INPUT,
                             "rank: the lists that begin at elements %u and %u join at element %u",
                             query->heads[state->marks[end.element]], head, end.element);
        case STOPPED:
            return HOP_ERR_CANCELLED;
        default:
            break;
        }
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
