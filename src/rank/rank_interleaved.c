/* SPDX-License-Identifier: Apache-2.0
 *
 * interleaved: many walks per core at the same time. A step of a walk is a cache miss, and a core
 * can wait for some ten of them as well as for one.
 *
 * The ranks are first a copy of the successors. Random elements are splitters: their cell holds a
 * mark instead. A thread walks 64 sublists in turn, fetching the next cell of each while it steps
 * through the others, so an element costs one cache line, read and written: its successor is
 * replaced by a ticket. Cells are fetched into the second-level cache as soon as they are known,
 * since that can wait for more lines at once than the first level, and from there shortly before
 * they are needed. When all sublists are walked, their splitters are ranked, and a pass over
 * the array turns tickets into ranks.
 *
 * Encoding of a cell:
 *   successor        the high bit is 0: nobody has been here
 *   MARK | ticket    somebody has. Tickets come in blocks of 2^shift; ticket = block, then the low
 *                    bits of the number of links from the splitter. Block k < sublists is the
 *                    first of sublist k, and its ticket 0 is the splitter. A table tells the
 *                    sublist of every block and the links from its splitter to ticket 0.
 *
 * If the successors are lists, no cell is reached by two walks. If not, a walk meets a ticket that
 * is no splitter, or two meet in one cell at the same time and go on together: then both end at the
 * same splitter, or the last cell has the ticket of only one. All three are looked for, on the way
 * from a head and elsewhere (rank_sublists.h).
 *
 * Source: splitters from D0 5.1.3; the walks are ours. Cost: O(count) work, one random cache line
 * per element; memory: 20 bytes per sublist and 8 per block, together less than 1/10 of a byte per
 * element.
 */
#include <stdatomic.h>
#include <stdio.h>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/rng.h"
#include "core/try.h"
#include "rank/rank_sublists.h"

#define MARK  UINT32_C(0x80000000)
#define LIMIT (MARK - (UINT32_C(1) << 28)) /* elements, so that tickets have room */

enum {
    NEAR = 16,                /* steps between the second prefetch of a cell and its use */
    AHEAD = 16,               /* splitters between prefetch and use */
    WALKS = 64,               /* of a thread at the same time */
    SUBLIST = 256,            /* elements of a sublist, or more when there would be too many */
    SUBLISTS = 1 << 14,       /* at most, beside the heads; with many threads: */
    SUBLISTS_EACH = 1 << 12,  /* for each of them, so that all have walks nearly to the end */
    SPLITTERS_MOST = 1 << 24, /* by the parameter */
    SHIFT_MOST = 14,          /* blocks of 16,384 tickets: a table that stays in near caches */
    STEPS = 1 << 14,          /* of a thread between two reports */
    GRAIN = 1 << 15           /* elements of a piece of a pass */
};

static const hop_parameter parameters[] = {
    {.name = "splitters",
     .summary = "random splitters; 0: one for 256 elements, at most 16,384 or 4,096 per thread",
     .type = HOP_PARAMETER_INTEGER,
     .maximum = SPLITTERS_MOST},
};

typedef struct block {
    uint32_t owner; /* its sublist */
    uint32_t links; /* from the splitter to its ticket 0 */
} block;

typedef struct ranking {
    hop_context *context;
    const hop_vertex *successors;
    hop_vertex *ranks;
    uint64_t count;
    unsigned shift;
    hop__sublists sublists;
    block *blocks;
    uint64_t block_count;
    uint32_t *firsts; /* of each block: the rank of its ticket 0; in the place of the blocks */
    bool whole;       /* every element has a rank */
    _Alignas(64) atomic_uint_fast64_t next_sublist;
    _Alignas(64) atomic_uint_fast64_t next_block;
} ranking;

/* One walk under way. */
typedef struct walk {
    hop_vertex at; /* the cell that is looked at next */
    uint32_t sublist;
    uint32_t links;   /* from the splitter to `at` */
    uint32_t tickets; /* the block's first */
} walk;

static uint32_t splitters_wanted(const hop__rank_task *task) {
    uint64_t wanted = (uint64_t)task->values[0], most = (uint64_t)SUBLISTS_EACH * task->threads;
    most = most < SUBLISTS ? SUBLISTS : most > SPLITTERS_MOST ? SPLITTERS_MOST : most;
    if (wanted == 0)
        wanted = task->query.count / SUBLIST < most ? task->query.count / SUBLIST : most;
    return (uint32_t)(wanted < task->query.count ? wanted : task->query.count);
}

/* The number of bits of a ticket in its block, so that all blocks have numbers below MARK: each
 * sublist fills all of its blocks but the last. */
static unsigned choose_shift(uint64_t count, uint64_t sublists) {
    unsigned shift = SHIFT_MOST;
    while (shift > 0 && count + (sublists << shift) >= MARK)
        shift--;
    return shift;
}

static uint64_t blocks_most(uint64_t count, uint64_t sublists, unsigned shift) {
    return sublists + (count >> shift) + 1;
}

static void copy_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    ranking *r = arg;
    (void)thread;
    if (!hop__progress_add(r->context, 0))
        return;
    for (uint64_t i = begin; i < end; i++)
        /* What is out of range might look like a mark. */
        r->ranks[i] = r->successors[i] < r->count ? r->successors[i] : MARK - 1;
}

/* Makes `element` the splitter of the next sublist; false when it is one already. */
static bool add_splitter(ranking *r, hop_vertex element) {
    hop__sublists *s = &r->sublists;
    if (r->ranks[element] & MARK)
        return false;
    r->ranks[element] = MARK | s->count << r->shift;
    r->blocks[s->count] = (block){.owner = s->count, .links = 0};
    s->splitter[s->count] = element;
    s->count++;
    return true;
}

/* A random element of part k of `parts` equal parts. */
static hop_vertex candidate(const ranking *r, uint32_t k, uint32_t parts) {
    uint64_t begin = r->count * k / parts, room = r->count * ((uint64_t)k + 1) / parts - begin;
    uint64_t bits = hop__random_at(r->context->options.seed, 0x72616e6b, k);
    return (hop_vertex)(begin + hop__random_below(bits, room));
}

/* The heads, then a random element of each of `wanted` equal parts. */
static hop_status add_splitters(ranking *r, const hop__rank_query *query, uint32_t wanted) {
    r->sublists.count = 0;
    for (hop_vertex k = 0; k < query->head_count; k++) {
        if (!add_splitter(r, query->heads[k]))
            return HOP_ERR_INPUT; /* a head given twice */
        if (k % STEPS == 0 && !hop__progress_add(r->context, 0))
            return HOP_ERR_CANCELLED;
    }
    for (uint32_t k = 0; k < wanted; k++) {
        if (k + AHEAD < wanted)
            __builtin_prefetch(r->ranks + candidate(r, k + AHEAD, wanted), 1);
        (void)add_splitter(r, candidate(r, k, wanted));
    }
    return HOP_OK;
}

static void end_walk(ranking *r, const walk *w, uint32_t next, hop_vertex tail) {
    hop__sublists *s = &r->sublists;
    s->next[w->sublist] = next;
    s->length[w->sublist] = w->links;
    s->tail[w->sublist] = tail;
}

/* Takes sublists until one has a second element; false when there are no more. */
static bool begin_walk(ranking *r, walk *w) {
    for (;;) {
        uint64_t k = atomic_fetch_add_explicit(&r->next_sublist, 1, memory_order_relaxed);
        if (k >= r->sublists.count)
            return false;
        hop_vertex splitter = r->sublists.splitter[k], next = r->successors[splitter];
        *w = (walk){.at = next, .sublist = (uint32_t)k, .tickets = (uint32_t)k << r->shift};
        if (next == splitter) {
            end_walk(r, w, HOP__SUBLIST_TAIL, splitter);
        } else if (next >= r->count) {
            end_walk(r, w, HOP__SUBLIST_NOWHERE, 0);
        } else {
            w->links = 1;
            __builtin_prefetch(r->ranks + next, 0, 2);
            return true;
        }
    }
}

/* A cell that has a mark: the splitter of another sublist, or what should not be. Whose it is, if
 * it is not a splitter's, can be read when no thread writes blocks: settle_meetings. */
static void meet(ranking *r, const walk *w, uint32_t cell) {
    uint32_t ticket = cell & ~MARK, sublist = ticket >> r->shift;
    bool splitter = ticket == sublist << r->shift && sublist < r->sublists.count;
    end_walk(r, w, splitter ? sublist : HOP__SUBLIST_MET, w->at);
}

/* False when there is none left: walks that go on together may need more than there should be. */
static inline bool new_block(ranking *r, walk *w) {
    uint64_t number = atomic_fetch_add_explicit(&r->next_block, 1, memory_order_relaxed);
    if (number >= r->block_count)
        return false;
    r->blocks[number] = (block){.owner = w->sublist, .links = w->links};
    w->tickets = (uint32_t)number << r->shift;
    return true;
}

/* One step of a walk; false when it has ended. */
static inline bool step(ranking *r, walk *w, uint32_t low) {
    uint32_t *cell = r->ranks + w->at, next = __atomic_load_n(cell, __ATOMIC_RELAXED);
    if (next & MARK) {
        meet(r, w, next);
        return false;
    }
    if ((w->links & low) == 0 && !new_block(r, w)) {
        end_walk(r, w, HOP__SUBLIST_MET, w->at);
        return false;
    }
    __atomic_store_n(cell, MARK | w->tickets | (w->links & low), __ATOMIC_RELAXED);
    if (next == w->at || next >= r->count) {
        end_walk(r, w, next == w->at ? HOP__SUBLIST_TAIL : HOP__SUBLIST_NOWHERE, w->at);
        return false;
    }
    __builtin_prefetch(r->ranks + next, 0, 2);
    w->at = next;
    w->links++;
    return true;
}

static void walk_sublists(void *arg, unsigned thread, unsigned threads) {
    ranking *r = arg;
    walk walks[WALKS];
    unsigned active = 0;
    uint32_t low = (UINT32_C(1) << r->shift) - 1;
    (void)thread;
    (void)threads;
    while (active < WALKS && begin_walk(r, &walks[active]))
        active++;
    while (active > 0) {
        uint64_t steps = 0;
        while (active > 0 && steps < STEPS) {
            steps += active;
            for (unsigned i = 0; i < active; i++) {
                unsigned soon = i + NEAR < active ? i + NEAR : i + NEAR - active;
                if (soon < active)
                    __builtin_prefetch(r->ranks + walks[soon].at, 1);
                if (!step(r, &walks[i], low) && !begin_walk(r, &walks[i]))
                    walks[i--] = walks[--active];
            }
        }
        if (!hop__progress_add(r->context, steps))
            return;
    }
}

/* A walk that has met a cell of its own is in a cycle, and has met nobody. */
static void settle_meetings(ranking *r) {
    hop__sublists *s = &r->sublists;
    for (uint32_t k = 0; k < s->count; k++) {
        if (s->next[k] != HOP__SUBLIST_MET)
            continue;
        uint32_t cell = r->ranks[s->tail[k]];
        if ((cell & MARK) && r->blocks[(cell & ~MARK) >> r->shift].owner == k)
            s->next[k] = HOP__SUBLIST_NOWHERE;
    }
}

/* Whether the last cell of each sublist that ends with a tail is its own. */
static bool tails_are_own(const ranking *r) {
    const hop__sublists *s = &r->sublists;
    uint32_t low = (UINT32_C(1) << r->shift) - 1;
    for (uint32_t k = 0; k < s->count; k++) {
        if (s->next[k] != HOP__SUBLIST_TAIL)
            continue;
        uint32_t ticket = r->ranks[s->tail[k]] & ~MARK;
        const block *b = &r->blocks[ticket >> r->shift];
        if (b->owner != k || b->links + (ticket & low) != s->length[k])
            return false;
    }
    return true;
}

/* Turns the blocks, each 8 bytes, into ranks of 4, in the same place, from the front. */
static void rank_blocks(ranking *r, uint64_t count) {
    r->firsts = (uint32_t *)r->blocks;
    for (uint64_t b = 0; b < count; b++) {
        const block old = r->blocks[b];
        hop_vertex rank = r->sublists.rank[old.owner];
        r->firsts[b] = rank == HOP_NO_RANK ? HOP_NO_RANK : rank - old.links;
    }
}

static void rank_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    ranking *r = arg;
    const unsigned shift = r->shift;
    const uint32_t low = (UINT32_C(1) << shift) - 1, *firsts = r->firsts;
    hop_vertex *ranks = r->ranks;
    (void)thread;
    if (!hop__progress_add(r->context, 0))
        return;
    if (r->whole) {
        for (uint64_t i = begin; i < end; i++)
            ranks[i] = firsts[(ranks[i] & ~MARK) >> shift] - (ranks[i] & low);
        return;
    }
    for (uint64_t i = begin; i < end; i++) {
        uint32_t cell = ranks[i], ticket = cell & ~MARK;
        /* A successor is no ticket; any block will do for it. */
        uint32_t first = firsts[cell & MARK ? ticket >> shift : 0];
        bool ranked = (cell & MARK) && first != HOP_NO_RANK;
        ranks[i] = ranked ? first - (ticket & low) : HOP_NO_RANK;
    }
}

static hop_status rank_all(ranking *r, const hop__rank_query *query, uint32_t wanted) {
    hop_status status;
    hop_context *context = r->context;
    hop__phase(context, "copy");
    hop__phase_bytes(context, 8 * r->count);
    hop__for(context, r->count, GRAIN, copy_range, r);
    hop__phase(context, "split");
    HOP_TRY(status, add_splitters(r, query, wanted));
    hop__phase_bytes(context, 20 * (uint64_t)r->sublists.count); /* cell, block, id */
    atomic_init(&r->next_sublist, 0);
    atomic_init(&r->next_block, r->sublists.count);
    hop__phase(context, "walk");
    hop__phase_items(context, r->count);
    hop__phase_bytes(context, 8 * r->count); /* cell looked at and set */
    hop__team_loose(context, HOP__THREADS_MAX, walk_sublists, r);
    if (!hop__progress_add(context, 0)) {
        status = HOP_ERR_CANCELLED;
        goto done;
    }
    hop__phase(context, "link");
    hop__phase_items(context, r->sublists.count);
    hop__phase_bytes(context, HOP__SUBLIST_LINK_BYTES * (uint64_t)r->sublists.count);
    settle_meetings(r);
    if (!tails_are_own(r)) {
        status = HOP_ERR_INPUT;
        goto done;
    }
    HOP_TRY(status, hop__sublists_link(query, &r->sublists));
    hop__phase(context, "rank");
    hop__phase_bytes(context, 8 * r->count);
    rank_blocks(r, atomic_load(&r->next_block));
    r->whole = query->whole; /* or hop__sublists_link would have refused */
    hop__for(context, r->count, GRAIN, rank_range, r);
done:
    return status;
}

/* Sublists at most: a head that is given twice is an error, so there are not more than elements. */
static uint64_t sublists_most(const hop__rank_query *query, uint32_t wanted) {
    return (query->head_count < query->count ? query->head_count : query->count) + (uint64_t)wanted;
}

static void interleaved_blocks(const void *given, hop__workspace *space) {
    const hop__rank_task *task = given;
    hop_vertex count = task->query.count;
    uint64_t sublists = sublists_most(&task->query, splitters_wanted(task));
    hop__sublists_blocks(space, offsetof(ranking, sublists), sublists);
    HOP__BLOCK(space, "rank: blocks", blocks_most(count, sublists, choose_shift(count, sublists)),
               ranking, blocks);
}

static hop_status interleaved_run(hop_context *context, hop__rank_task *task) {
    hop_status status;
    const hop__rank_query *query = &task->query;
    uint32_t wanted = splitters_wanted(task);
    uint64_t sublists = sublists_most(query, wanted);
    ranking r = {.context = context,
                 .successors = query->successors,
                 .ranks = task->ranks,
                 .count = query->count,
                 .shift = choose_shift(query->count, sublists)};
    hop__workspace space = {0};
    r.block_count = blocks_most(query->count, sublists, r.shift);
    if (query->head_count > query->count)
        return hop__rank_retreat(context, task);
    HOP_TRY(status, hop__workspace_open(context, NULL, interleaved_blocks, task, &r, &space));
    hop__advise_huge(task->ranks, sizeof *task->ranks * (uint64_t)query->count);
    hop__progress_begin(context, "rank: interleaved", query->count);
    status = rank_all(&r, query, wanted);
    task->rounds = r.sublists.count;
    task->relaxations = query->count;
    hop_status end = hop__progress_end(context);
    status = end != HOP_OK ? end : status;
done:
    hop__workspace_close(&space, status);
    return status == HOP_ERR_INPUT ? hop__rank_retreat(context, task) : status;
}

static bool refuse(const void *given, char reason[HOP__REASON]) {
    const hop__rank_query *query = &((const hop__rank_task *)given)->query;
    if (query->count <= LIMIT && query->count + sublists_most(query, SPLITTERS_MOST) < MARK)
        return false;
    snprintf(reason, HOP__REASON,
             "%u elements with %u heads, but it has numbers for about %u; use splitter",
             query->count, query->head_count, LIMIT);
    return true;
}

const hop__rank_variant hop__rank_interleaved = {
    .row = {.about = {.name = "interleaved",
                      .summary = "64 walks per core at the same time, from random splitters",
                      .source = "Yogaratnam 2010, 5.1.3 for the splitters",
                      .place = HOP_PLACE_HOST,
                      HOP__PARAMETERS(parameters)},
            .refuse = refuse,
            .blocks = interleaved_blocks},
    .run = interleaved_run,
};
