/* SPDX-License-Identifier: Apache-2.0
 *
 * splitter: random splitters, one walk per thread at a time (D0 5.1.3 and 5.1.4).
 *
 * The array is cut into even parts, and a random element of each is a splitter; the head is one in
 * any case, number 0. Threads walk from splitter to splitter and note, in one 64-bit word per
 * element, whose sublist it is on and how many links it is from there. The splitters are ranked
 * one after the other, and a pass over the array adds up both numbers.
 *
 * As D0, the generator of part k is KISS, stream k of the seed. D0 has one splitter per thread; so
 * does splitters=1 here. More of them make the threads' shares more even.
 *
 * A word: owner in the low half, links in the high half, as D0 packs them; FREE: nobody was here.
 * If the successors are not lists, a walk meets a word that is not FREE and not a splitter's, or
 * two walks go on together and one of them finds another's word at its tail.
 *
 * Cost: O(count) work, two random cache lines per element; memory: 8 bytes per element. */
#include <stdatomic.h>

#include "core/atomic.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/rng.h"
#include "core/try.h"
#include "rank/rank_sublists.h"

#define FREE UINT64_MAX

enum {
    STEPS = 1 << 12, /* of a walk between two reports */
    GRAIN = 1 << 15  /* elements of a piece of a pass */
};

static const hop_parameter parameters[] = {
    {.name = "splitters",
     .summary = "random splitters for each thread",
     .type = HOP_PARAMETER_INTEGER,
     .minimum = 1,
     .maximum = 1 << 16,
     .standard = 64},
};

typedef struct ranking {
    hop_context *context;
    const hop__rank_query *query;
    hop_vertex *ranks;
    uint64_t *words;
    hop__sublists sublists;
    _Alignas(64) atomic_uint_fast64_t next_sublist;
    atomic_uint_fast64_t walked; /* links of all walks: more than elements means that some meet */
} ranking;

static inline uint64_t pack(uint32_t owner, hop_vertex links) {
    return (uint64_t)links << 32 | owner;
}

static void free_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    ranking *r = arg;
    (void)thread;
    if (!hop__progress_add(r->context, 0))
        return;
    for (uint64_t i = begin; i < end; i++)
        r->words[i] = FREE;
}

static bool add_splitter(ranking *r, hop_vertex element) {
    hop__sublists *s = &r->sublists;
    if (r->words[element] != FREE)
        return false;
    r->words[element] = pack(s->count, 0);
    s->splitter[s->count++] = element;
    return true;
}

static hop_status add_splitters(ranking *r, uint32_t wanted) {
    const hop__rank_query *query = r->query;
    r->sublists.count = 0;
    for (hop_vertex k = 0; k < query->head_count; k++) {
        if (!add_splitter(r, query->heads[k]))
            return HOP_ERR_INPUT; /* a head given twice */
        if (k % STEPS == 0 && !hop__progress_add(r->context, 0))
            return HOP_ERR_CANCELLED;
    }
    for (uint32_t k = 0; k < wanted; k++) {
        uint64_t begin = query->count * (uint64_t)k / wanted;
        uint64_t room = query->count * ((uint64_t)k + 1) / wanted - begin;
        hop__kiss kiss;
        hop__kiss_seed(&kiss, (uint32_t)r->context->options.seed, k);
        (void)add_splitter(r, (hop_vertex)(begin + hop__kiss_below(&kiss, (uint32_t)room)));
    }
    return HOP_OK;
}

/* Walks sublist k; false when the work is to stop. */
static bool walk(ranking *r, uint32_t k) {
    const hop_vertex *successors = r->query->successors;
    hop__sublists *s = &r->sublists;
    hop_vertex at = s->splitter[k], links = 0;
    s->next[k] = HOP__SUBLIST_NOWHERE;
    for (;;) {
        hop_vertex next = successors[at];
        if (next == at) {
            s->next[k] = HOP__SUBLIST_TAIL;
            break;
        }
        if (next >= r->query->count)
            break;
        links++;
        uint64_t word = hop__load_u64(r->words + next);
        if (word != FREE) {
            uint32_t owner = (uint32_t)word;
            if (s->splitter[owner] == next)
                s->next[k] = owner;
            else if (owner != k)
                s->next[k] = HOP__SUBLIST_MET;
            break;
        }
        hop__store_u64(r->words + next, pack(k, links));
        at = next;
        if (links % STEPS == 0) {
            if (!hop__progress_add(r->context, STEPS))
                return false;
            /* Only walks that go on together can make so many. */
            if (atomic_fetch_add_explicit(&r->walked, STEPS, memory_order_relaxed) >
                (uint64_t)r->query->count) {
                s->next[k] = HOP__SUBLIST_MET;
                break;
            }
        }
    }
    s->tail[k] = at;
    s->length[k] = links;
    return hop__progress_add(r->context, links % STEPS);
}

static void walk_sublists(void *arg, unsigned thread, unsigned threads) {
    ranking *r = arg;
    (void)thread;
    (void)threads;
    for (;;) {
        uint64_t k = atomic_fetch_add_explicit(&r->next_sublist, 1, memory_order_relaxed);
        if (k >= r->sublists.count || !walk(r, (uint32_t)k))
            return;
    }
}

static bool tails_are_own(const ranking *r) {
    const hop__sublists *s = &r->sublists;
    for (uint32_t k = 0; k < s->count; k++)
        if (s->next[k] == HOP__SUBLIST_TAIL && r->words[s->tail[k]] != pack(k, s->length[k]))
            return false;
    return true;
}

static void add_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    ranking *r = arg;
    (void)thread;
    if (!hop__progress_add(r->context, 0))
        return;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t word = r->words[i];
        hop_vertex rank = word == FREE ? HOP_NO_RANK : r->sublists.rank[(uint32_t)word];
        r->ranks[i] = rank == HOP_NO_RANK ? HOP_NO_RANK : rank - (hop_vertex)(word >> 32);
    }
}

static hop_status rank_all(ranking *r, uint32_t wanted) {
    hop_status status;
    hop_context *context = r->context;
    uint64_t count = r->query->count;
    hop__phase(context, "clear");
    hop__phase_bytes(context, 8 * count);
    hop__for(context, count, GRAIN, free_range, r);
    hop__phase(context, "split");
    HOP_TRY(status, add_splitters(r, wanted));
    hop__phase_bytes(context, 20 * (uint64_t)r->sublists.count); /* word looked at and set, id */
    hop__phase(context, "walk");
    hop__phase_items(context, count);
    hop__phase_bytes(context, 20 * count); /* successor, word looked at and set */
    atomic_init(&r->next_sublist, 0);
    atomic_init(&r->walked, 0);
    hop__team_loose(context, HOP__THREADS_MAX, walk_sublists, r);
    if (!hop__progress_add(context, 0)) {
        status = HOP_ERR_CANCELLED;
        goto done;
    }
    hop__phase(context, "link");
    hop__phase_items(context, r->sublists.count);
    hop__phase_bytes(context, HOP__SUBLIST_LINK_BYTES * (uint64_t)r->sublists.count);
    if (!tails_are_own(r)) {
        status = HOP_ERR_INPUT;
        goto done;
    }
    HOP_TRY(status, hop__sublists_link(r->query, &r->sublists));
    hop__phase(context, "rank");
    hop__phase_bytes(context, 12 * count);
    hop__for(context, count, GRAIN, add_range, r);
done:
    return status;
}

static uint64_t wanted_by(const hop__rank_task *task) {
    uint64_t wanted = (uint64_t)task->values[0] * task->threads;
    return wanted < task->query.count ? wanted : task->query.count;
}

/* A head that is given twice is an error, so there are not more sublists than elements. */
static uint32_t sublists_most(const hop__rank_task *task) {
    const hop__rank_query *query = &task->query;
    uint64_t heads = query->head_count < query->count ? query->head_count : query->count;
    uint64_t most = heads + wanted_by(task);
    return most < query->count ? (uint32_t)most : query->count;
}

static void splitter_blocks(const void *given, hop__workspace *space) {
    const hop__rank_task *task = given;
    hop__sublists_blocks(space, offsetof(ranking, sublists), sublists_most(task));
    HOP__BLOCK(space, "rank: owners", task->query.count, ranking, words);
}

static hop_status splitter_run(hop_context *context, hop__rank_task *task) {
    hop_status status;
    const hop__rank_query *query = &task->query;
    ranking r = {.context = context, .query = query, .ranks = task->ranks};
    hop__workspace space = {0};
    if (query->head_count > query->count)
        return hop__rank_retreat(context, task);
    HOP_TRY(status, hop__workspace_open(context, NULL, splitter_blocks, task, &r, &space));
    hop__progress_begin(context, "rank: splitter", query->count);
    status = rank_all(&r, (uint32_t)wanted_by(task));
    task->rounds = r.sublists.count;
    task->relaxations = query->count;
    hop_status end = hop__progress_end(context);
    status = end != HOP_OK ? end : status;
done:
    hop__workspace_close(&space, status);
    return status == HOP_ERR_INPUT ? hop__rank_retreat(context, task) : status;
}

const hop__rank_variant hop__rank_splitter = {
    .row = {.about = {.name = "splitter",
                      .summary = "sublists between random splitters, one walk per thread",
                      .source = "Yogaratnam 2010, 5.1.3, 5.1.4",
                      .place = HOP_PLACE_HOST,
                      HOP__PARAMETERS(parameters)},
            .blocks = splitter_blocks},
    .run = splitter_run,
};
