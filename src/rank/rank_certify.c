/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks ranks against the successors, without following any list. Call an element ranked when its
 * rank is not HOP_NO_RANK. The rules:
 *  1. a ranked element is its own successor and has rank 0, or its successor s is an element, is
 *     ranked, and rank = rank[s] + 1;
 *  2. every head is ranked;
 *  3. whole list (no heads given): the head's rank is count - 1;
 *     one head: there are as many ranked elements as the head's rank + 1;
 *     several heads: no two heads are the same; no element is the successor of two ranked ones
 *     (tails aside), no head of any; and there are as many ranked tails as heads.
 *
 * Why they suffice. By 1 ranks fall along every link from a ranked element, so no cycle can be
 * ranked (a cycle would have rank[i] = rank[i] + its length), the walk ends at a tail, and the rank
 * is the number of its links. By 2, that holds from every head. It remains to show that the
 * ranked elements are exactly those that the heads lead to, and that no two heads lead to the
 * same one.
 *  - One head h leads to rank[h] + 1 elements, all ranked, all different since ranks fall. If that
 *    is the number of ranked elements, or of all elements, there are no others.
 *  - Several: let every ranked element but the tails point to its successor. By 3 an element is
 *    pointed to at most once, and a head never; so the pointers and the heads name different
 *    elements, all ranked. They are (ranked - tails) + heads = ranked in number: each ranked
 *    element is named exactly once. Going back from a ranked element, from successor to the only
 *    predecessor, ranks rise, so it ends: at an element that nothing points to, which must be a
 *    head. So some head leads to it; and only one, because the way back is unique.
 *
 * Cost: O(count), one random access per element (its successor's rank); for several heads one more
 * into a bitmap, count / 8 bytes. */
#include <stdatomic.h>

#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "rank/rank_internal.h"

enum {
    GRAIN = 1 << 15, /* elements of a piece */
    AHEAD = 32       /* elements between prefetch and use */
};

typedef struct certificate {
    hop_context *context;
    const hop__rank_query *query;
    const hop_vertex *ranks;
    uint64_t *named;             /* heads and successors; NULL when one head is enough */
    atomic_uint_fast64_t ranked; /* how many have a rank */
    atomic_uint_fast64_t tails;  /* how many of them are tails */
    uint64_t wrong;              /* smallest element that breaks rule 1, or UINT64_MAX */
    uint64_t bare;               /* smallest head without a rank, or UINT64_MAX */
    uint64_t twice;              /* smallest element that is named twice, or UINT64_MAX */
} certificate;

static void name_element(certificate *state, hop_vertex i) {
    if (!hop__bitmap_claim(state->named, i))
        hop__lower_u64(&state->twice, i);
}

/* Rule 2, and the names of the heads. */
static void check_heads(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    certificate *state = arg;
    if (!hop__progress_add(state->context, 0))
        return;
    for (uint64_t k = begin; k < end; k++) {
        hop_vertex head = state->query->heads[k];
        if (state->ranks[head] == HOP_NO_RANK)
            hop__lower_u64(&state->bare, head);
        if (state->named)
            name_element(state, head);
    }
}

/* Rule 1 for element i, which is ranked. */
static inline bool is_linked(const certificate *state, uint64_t i) {
    hop_vertex next = state->query->successors[i], rank = state->ranks[i];
    if (next == i)
        return rank == 0;
    /* rank - 1 is not HOP_NO_RANK: rank 0 is ruled out first. */
    return next < state->query->count && rank != 0 && state->ranks[next] == rank - 1;
}

/* Rule 1, the counts and the names of elements begin .. end-1. */
static void check_links(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    certificate *state = arg;
    const hop_vertex *successors = state->query->successors, *ranks = state->ranks;
    uint64_t ranked = 0, tails = 0, count = state->query->count;
    if (!hop__progress_add(state->context, end - begin))
        return;
    for (uint64_t i = begin; i < end; i++) {
        if (i + AHEAD < count && successors[i + AHEAD] < count)
            __builtin_prefetch(&ranks[successors[i + AHEAD]]);
        if (ranks[i] == HOP_NO_RANK)
            continue;
        ranked++;
        tails += successors[i] == i;
        if (!is_linked(state, i)) {
            hop__lower_u64(&state->wrong, i);
            break;
        }
        if (state->named && successors[i] != i)
            name_element(state, successors[i]);
    }
    atomic_fetch_add_explicit(&state->ranked, ranked, memory_order_relaxed);
    atomic_fetch_add_explicit(&state->tails, tails, memory_order_relaxed);
}

static hop_status explain_link(const certificate *state, hop_vertex i) {
    hop_context *context = state->context;
    hop_vertex next = state->query->successors[i], rank = state->ranks[i];
    if (next == i) {
        hop__fail(context, HOP_ERR_CERTIFICATE,
                  "rank: certificate: element %u is a tail, but its rank is %u", i, rank);
    } else if (next >= state->query->count) {
        hop__fail(context, HOP_ERR_CERTIFICATE,
                  "rank: certificate: element %u has rank %u, but its successor %u is not "
                  "one of the %u elements",
                  i, rank, next, state->query->count);
    } else if (state->ranks[next] == HOP_NO_RANK) {
        hop__fail(context, HOP_ERR_CERTIFICATE,
                  "rank: certificate: element %u has rank %u, but its successor %u has none", i,
                  rank, next);
    } else {
        hop__fail(context, HOP_ERR_CERTIFICATE,
                  "rank: certificate: element %u has rank %u, but its successor %u has rank %u", i,
                  rank, next, state->ranks[next]);
    }
    return hop__note_vertex(context, HOP_KIND_CERTIFICATE, i);
}

/* Rule 3 for one head, or none. */
static hop_status check_count(const certificate *state) {
    const hop__rank_query *query = state->query;
    uint64_t found = query->whole ? query->count : atomic_load(&state->ranked);
    uint64_t expected = query->head_count == 1 ? (uint64_t)state->ranks[query->heads[0]] + 1 : 0;
    if (found == expected)
        return HOP_OK;
    if (query->head_count == 0)
        return hop__fail(state->context, HOP_ERR_CERTIFICATE,
                         "rank: certificate: there are no heads, but %llu elements have a rank",
                         (unsigned long long)found);
    return hop__fail(state->context, HOP_ERR_CERTIFICATE,
                     "rank: certificate: element %u has rank %llu, so its list has %llu elements, "
                     "but there are %llu%s",
                     query->heads[0], (unsigned long long)expected - 1,
                     (unsigned long long)expected, (unsigned long long)found,
                     query->whole ? "" : " with a rank");
}

/* Rule 3 for several heads. */
static hop_status check_names(const certificate *state) {
    uint64_t twice = hop__load_u64(&state->twice);
    if (twice != UINT64_MAX)
        return hop__fail(state->context, HOP_ERR_CERTIFICATE,
                         "rank: certificate: lists that have ranks join at element %llu",
                         (unsigned long long)twice);
    if (atomic_load(&state->tails) == state->query->head_count)
        return HOP_OK;
    /* By rules 1 and 2 only ranked elements are named, so here fewer are named than ranked. */
    hop_vertex i = 0;
    while (state->ranks[i] == HOP_NO_RANK || hop__bitmap_get(state->named, i))
        i++;
    return hop__fail(state->context, HOP_ERR_CERTIFICATE,
                     "rank: certificate: element %u has rank %u, but no head leads to it", i,
                     state->ranks[i]);
}

/* The first rule that is broken, if any. */
static hop_status verdict(const certificate *state) {
    uint64_t wrong = hop__load_u64(&state->wrong), bare = hop__load_u64(&state->bare);
    if (wrong != UINT64_MAX)
        return explain_link(state, (hop_vertex)wrong);
    if (bare != UINT64_MAX)
        return hop__fail(state->context, HOP_ERR_CERTIFICATE,
                         "rank: certificate: element %llu is a head, but has no rank",
                         (unsigned long long)bare);
    return state->query->head_count > 1 ? check_names(state) : check_count(state);
}

uint64_t hop__rank_certify_memory(const hop__rank_query *query) {
    if (query->head_count <= 1)
        return 0;
    return hop__block_bytes(hop__bitmap_words(query->count), sizeof(uint64_t));
}

hop_status hop__rank_certify(hop_context *context, const hop__rank_query *query,
                             const hop_vertex *ranks) {
    hop_status status;
    certificate state = {.context = context, .query = query, .ranks = ranks};
    atomic_init(&state.ranked, 0);
    atomic_init(&state.tails, 0);
    state.wrong = UINT64_MAX;
    state.bare = UINT64_MAX;
    state.twice = UINT64_MAX;
    if (query->head_count > 1)
        HOP_TRY(status,
                hop__alloc_zero(context, "rank: certificate", hop__bitmap_words(query->count),
                                sizeof *state.named, &state.named));
    hop__progress_begin(context, "rank: certificate", query->count);
    hop__for(context, query->head_count, GRAIN, check_heads, &state);
    hop__for(context, query->count, GRAIN, check_links, &state);
    HOP_TRY(status, hop__progress_end(context));
    status = verdict(&state);
done:
    hop__free(state.named);
    return status;
}
