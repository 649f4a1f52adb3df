/* SPDX-License-Identifier: Apache-2.0
 * Sublists: their arrays, and the ranks of their splitters. */
#include "rank/rank_sublists.h"

void hop__sublists_blocks(hop__workspace *space, size_t at, uint64_t most) {
    const char *what = "rank: sublists";
    HOP__BLOCK_AT(space, at, what, most, hop__sublists, splitter);
    HOP__BLOCK_AT(space, at, what, most, hop__sublists, next);
    HOP__BLOCK_AT(space, at, what, most, hop__sublists, length);
    HOP__BLOCK_AT(space, at, what, most, hop__sublists, tail);
    HOP__BLOCK_AT(space, at, what, most, hop__sublists, rank);
}

/* Whether no two sublists lead to the same one, and none into the middle of another. Uses the ranks
 * as marks. */
static bool follow_apart(hop__sublists *s) {
    for (uint32_t k = 0; k < s->count; k++)
        s->rank[k] = HOP_NO_RANK;
    for (uint32_t k = 0; k < s->count; k++) {
        uint32_t next = s->next[k];
        if (next == HOP__SUBLIST_MET)
            return false;
        if (next >= s->count)
            continue;
        if (s->rank[next] != HOP_NO_RANK)
            return false;
        s->rank[next] = 0;
    }
    for (uint32_t k = 0; k < s->count; k++)
        s->rank[k] = HOP_NO_RANK;
    return true;
}

hop_status hop__sublists_link(const hop__rank_query *query, hop__sublists *s) {
    if (!follow_apart(s))
        return HOP_ERR_INPUT;
    for (hop_vertex head = 0; head < query->head_count; head++) {
        uint64_t links = 0;
        uint32_t k = head;
        for (;; k = s->next[k]) { /* ends: no sublist is entered twice */
            if (s->rank[k] != HOP_NO_RANK || s->next[k] == HOP__SUBLIST_NOWHERE)
                return HOP_ERR_INPUT;
            s->rank[k] = (hop_vertex)links;
            links += s->length[k];
            if (s->next[k] == HOP__SUBLIST_TAIL)
                break;
        }
        if (links >= query->count || (query->whole && links != query->count - 1))
            return HOP_ERR_INPUT;
        for (k = head;; k = s->next[k]) {
            s->rank[k] = (hop_vertex)links - s->rank[k];
            if (s->next[k] == HOP__SUBLIST_TAIL)
                break;
        }
    }
    return HOP_OK;
}

hop_status hop__rank_retreat(hop_context *context, hop__rank_task *task) {
    if (task->query.whole)
        return HOP_ERR_INPUT;
    hop__count(context, "retreats", 1);
    return hop__rank_sequential.run(context, task);
}
