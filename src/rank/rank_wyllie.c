/* SPDX-License-Identifier: Apache-2.0
 *
 * wyllie: pointer jumping (D0 5.1.2). Every element knows an element further down its list, and
 * how many links that is; in a round it takes over what that one knows, so distances double.
 *
 * Both numbers are one 64-bit word, links in the high half, so that a jump is one load and one
 * store and a word that another thread is changing is seen before or after, never between. Jumps
 * are made in place: a word may already have been changed in this round, then the jump is longer,
 * and as true. D0 marks the end with no element; here a tail points to itself with 0 links, so that
 * at the end every word tells the tail too. Rounds stop when one had nothing to do. After round k
 * no jump is shorter than 2^k, or it leads to a tail; so if there is still work after as many
 * rounds as count has bits, it is in cycles.
 *
 * What is on which list is then found from the tails: an element of the list of head h has h's tail
 * and a rank of at most h's. There are as many of those as that list has elements unless others
 * lead into it; if so, or if a head does not lead to a tail, see hop__rank_retreat.
 *
 * Each round is a call of phase "jump" in the report, its items the jumps; with `addresses` they
 * are the different elements that were read, which D0 7.2 asks for.
 *
 * Cost: O(count log count) work; memory: 8 bytes per element (and a bit with `addresses`). */
#include <stdatomic.h>

#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "rank/rank_sublists.h"

enum {
    GRAIN = 1 << 14, /* elements of a piece */
    AHEAD = 24       /* elements between prefetch and use */
};

static const hop_parameter parameters[] = {
    {.name = "addresses",
     .summary = "count the different elements that each round reads",
     .type = HOP_PARAMETER_FLAG,
     .maximum = 1},
};

typedef struct ranking {
    hop_context *context;
    const hop__rank_query *query;
    hop_vertex *ranks;
    uint64_t *words;
    uint64_t *read; /* bitmap; NULL: not counted */
    atomic_uint_fast64_t jumps, addresses, ranked;
} ranking;

static inline uint64_t pack(hop_vertex last, hop_vertex links) {
    return (uint64_t)links << 32 | last;
}

static inline hop_vertex last_of(uint64_t word) {
    return (hop_vertex)word;
}

static inline hop_vertex links_of(uint64_t word) {
    return (hop_vertex)(word >> 32);
}

/* What leads out of range stays where it is; that it is no tail shows at the end. */
static void begin_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    ranking *r = arg;
    const hop_vertex *successors = r->query->successors;
    (void)thread;
    if (!hop__progress_add(r->context, 0))
        return;
    for (uint64_t i = begin; i < end; i++) {
        hop_vertex next = successors[i] < r->query->count ? successors[i] : (hop_vertex)i;
        r->words[i] = pack(next, next != i);
    }
}

static void jump_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    ranking *r = arg;
    uint64_t *words = r->words, jumps = 0, addresses = 0;
    (void)thread;
    if (!hop__progress_add(r->context, end - begin))
        return;
    for (uint64_t i = begin; i < end; i++) {
        if (i + AHEAD < end)
            __builtin_prefetch(words + last_of(hop__load_u64(words + i + AHEAD)));
        uint64_t word = hop__load_u64(words + i);
        uint64_t there = hop__load_u64(words + last_of(word));
        if (r->read && hop__bitmap_claim(r->read, last_of(word)))
            addresses++;
        if (last_of(there) == last_of(word))
            continue; /* it is a tail */
        hop__store_u64(words + i, pack(last_of(there), links_of(word) + links_of(there)));
        jumps++;
    }
    atomic_fetch_add_explicit(&r->jumps, jumps, memory_order_relaxed);
    atomic_fetch_add_explicit(&r->addresses, addresses, memory_order_relaxed);
}

/* One round; the jumps that were made. */
static uint64_t jump(ranking *r) {
    uint64_t count = r->query->count;
    atomic_store(&r->jumps, 0);
    atomic_store(&r->addresses, 0);
    hop__phase(r->context, "jump");
    for (uint64_t w = 0; r->read && w < hop__bitmap_words(count); w++)
        r->read[w] = 0;
    hop__for(r->context, count, GRAIN, jump_range, r);
    uint64_t jumps = atomic_load(&r->jumps);
    hop__phase_items(r->context, r->read ? atomic_load(&r->addresses) : jumps);
    hop__phase_bytes(r->context, 16 * count + 8 * jumps);
    return jumps;
}

/* Notes in the word of each head's tail how far the head is away, 0 for a tail that no head leads
 * to, else the rank + 1: tails themselves are told by their successors. Returns the number of
 * elements that all heads lead to, or UINT64_MAX when a head leads to no tail, or two to one. */
static uint64_t note_heads(ranking *r) {
    const hop__rank_query *query = r->query;
    uint64_t total = 0;
    for (hop_vertex k = 0; k < query->head_count; k++) {
        uint64_t word = r->words[query->heads[k]];
        hop_vertex tail = last_of(word);
        /* A head that is a tail itself has had its word changed if another head leads to it. */
        bool taken = links_of(r->words[tail]) != 0;
        hop_vertex rank = tail == query->heads[k] ? 0 : links_of(word);
        if (query->successors[tail] != tail || taken || rank >= query->count)
            return UINT64_MAX;
        r->words[tail] = pack(tail, rank + 1);
        total += (uint64_t)rank + 1;
        if (k % GRAIN == 0 && !hop__progress_add(r->context, 0))
            return UINT64_MAX;
    }
    return total;
}

static void rank_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    ranking *r = arg;
    const hop_vertex *successors = r->query->successors;
    uint64_t ranked = 0, count = r->query->count;
    (void)thread;
    if (!hop__progress_add(r->context, 0))
        return;
    for (uint64_t i = begin; i < end; i++) {
        if (i + AHEAD < count) {
            __builtin_prefetch(r->words + last_of(r->words[i + AHEAD]));
            __builtin_prefetch(successors + last_of(r->words[i + AHEAD]));
        }
        hop_vertex tail = last_of(r->words[i]), rank = i == tail ? 0 : links_of(r->words[i]);
        bool on_list = successors[tail] == tail && rank < links_of(r->words[tail]);
        r->ranks[i] = on_list ? rank : HOP_NO_RANK;
        ranked += on_list;
    }
    atomic_fetch_add_explicit(&r->ranked, ranked, memory_order_relaxed);
}

static hop_status rank_all(ranking *r, hop__rank_task *task) {
    hop_context *context = r->context;
    uint64_t count = r->query->count, most = 1;
    hop__phase(context, "pack");
    hop__phase_bytes(context, 12 * count);
    hop__for(context, count, GRAIN, begin_range, r);
    while (count >> most)
        most++;
    for (uint64_t round = 0; round <= most; round++) {
        uint64_t jumps = jump(r);
        if (!hop__progress_add(context, 0))
            return HOP_ERR_CANCELLED;
        task->relaxations += jumps;
        task->rounds++;
        if (jumps == 0)
            break;
    }
    hop__phase(context, "extract");
    hop__phase_bytes(context, 12 * count);
    uint64_t expected = note_heads(r);
    if (!hop__progress_add(context, 0))
        return HOP_ERR_CANCELLED;
    if (expected == UINT64_MAX || (r->query->whole && expected != count))
        return HOP_ERR_INPUT;
    hop__for(context, count, GRAIN, rank_range, r);
    return atomic_load(&r->ranked) == expected ? HOP_OK : HOP_ERR_INPUT;
}

static void wyllie_blocks(const void *given, hop__workspace *space) {
    const hop__rank_task *task = given;
    hop_vertex count = task->query.count;
    HOP__BLOCK(space, "rank: jumps", count, ranking, words);
    if (task->values[0] != 0)
        HOP__BLOCK(space, "rank: addresses", hop__bitmap_words(count), ranking, read);
}

static hop_status wyllie_run(hop_context *context, hop__rank_task *task) {
    hop_status status;
    ranking r = {.context = context, .query = &task->query, .ranks = task->ranks};
    hop__workspace space = {0};
    atomic_init(&r.ranked, 0);
    HOP_TRY(status, hop__workspace_open(context, NULL, wyllie_blocks, task, &r, &space));
    hop__progress_begin(context, "rank: wyllie", 0);
    status = rank_all(&r, task);
    hop_status end = hop__progress_end(context);
    status = end != HOP_OK ? end : status;
done:
    hop__workspace_close(&space, status);
    return status == HOP_ERR_INPUT ? hop__rank_retreat(context, task) : status;
}

const hop__rank_variant hop__rank_wyllie = {
    .row = {.about = {.name = "wyllie",
                      .summary = "pointer jumping: distances double in every round",
                      .source = "Yogaratnam 2010, 5.1.2",
                      .place = HOP_PLACE_HOST,
                      HOP__PARAMETERS(parameters)},
            .blocks = wyllie_blocks},
    .run = wyllie_run,
};
