/* SPDX-License-Identifier: Apache-2.0
 *
 * bellman-ford on all threads: the rounds of Bellman and Ford, for graphs with negative weights.
 *
 * A round looks at the arcs of the vertices that were lowered in the round before. It goes by
 * batches of some 10^5 arcs, and a batch has two steps with a meeting between: first arcs are
 * looked at, and each that would lower its target becomes an *offer* (target, vertex, sum) in a
 * bin; a bin is for a range of targets. Then each range is taken by one member, which applies the
 * offers to it. So nobody writes what another reads, sums of 128 bits need no lock, and
 * distances, tree and the number of rounds do not depend on the threads. Rounds of few arcs run
 * on one member, without bins.
 *
 * `tree` has, for each vertex, who lowered it last. Invariants:
 *  1. d[v] >= d[tree[v]] + w, and more than that if tree[v] was lowered since. So a cycle in
 *     the tree has a negative sum: its vertex that was lowered last has a successor on it that was
 *     lowered before. The sum is computed all the same before it is called negative.
 *  2. While the tree has no cycle, no distance is below n times the least weight. The first that is
 *     makes a check due, so nothing overflows: the sums have room for twice that.
 *  3. A vertex that is lowered in round k has a vertex before it in the tree that was lowered in
 *     round k - 1 or later. So after n rounds there is nothing to do, or following the tree from
 *     what is to do leads round a cycle.
 * Checks for cycles (from the vertices of the round, upwards) are due when the work has grown by a
 * half since the last one, when 2 or 3 say so, and at the end.
 *
 * Skipping: a vertex of which one of the next few vertices above in the tree still has to be
 * expanded is out of date, and will be lowered again: it is not expanded (Cherkassky, Goldberg and
 * Radzik 1996 call the one-step form parent checking). A vertex with its final distance is never
 * skipped, so 3 is not touched. On a cycle all may wait for each other: hence the check at the end;
 * without a cycle, the highest one that waits would not have been skipped.
 *
 * What bounds the work for the worst input: n rounds of m arcs, by 3; checks follow the tree for at
 * most n steps each, and come when the work has grown by a half. No better bound is known for
 * negative weights that is of use.
 *
 * Source: D2 3.2.3, D4 algorithm 5; D4's count of relaxations triggers checks, it is no verdict.
 * Cost: O(n m); 16.3 bytes per vertex, and the exact sums; bins of some MB. */
#include "sssp/bellman/sssp_bellman_rounds.h"

#include "core/checked.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"

enum {
    SLICE = 1 << 11,       /* arcs that a member takes at a time, less than twice as many */
    BATCH = 64,            /* slices */
    RANGES_MOST = 256,     /* of targets */
    ALONE_VERTICES = 1024, /* rounds of fewer vertices and arcs run on one member */
    ALONE_ARCS = 1 << 12,
    FILL_GRAIN = 1 << 16,
    REPORT_ROUNDS = 64 /* on one member */
};

bool hop__bellman_rounds_can(const hop__sssp_query *query) {
    const hop__facts *facts = &query->graph->shared->facts;
    uint64_t low, sum;
    if (!query->negative || query->exact.words > 2)
        return false;
    if (query->exact.words == 2)
        return true;
    low = 0 - (uint64_t)facts->min_weight_int;
    return hop__mul_u64(query->graph->vertices, low, &sum) && sum < INT64_MAX / 2;
}

/* Following the tree upwards from v: a vertex on a cycle, or HOP_NO_VERTEX when the walk ends at a
 * source or comes to where an earlier one of this check (stamps from `since` on) has been. */
static hop_vertex walk_up(hop__rounds_job *job, hop_vertex v, hop_vertex since) {
    hop_vertex walk = ++job->walk;
    while (v != HOP_NO_VERTEX && job->stamp[v] <= since) {
        job->stamp[v] = walk;
        v = job->tree[v];
    }
    return v != HOP_NO_VERTEX && job->stamp[v] == walk ? v : HOP_NO_VERTEX;
}

static bool ends_with_cycle(hop__rounds_job *job, hop_vertex v) {
    if (v == HOP_NO_VERTEX || !job->steps->is_negative(job, v))
        return false;
    job->place = v;
    job->end = HOP__SEARCH_CYCLE;
    return true;
}

static hop_vertex begin_check(hop__rounds_job *job) {
    if (job->walk >= HOP_NO_VERTEX - job->graph->vertices - 1) { /* stamps would run out */
        for (uint64_t v = 0; v < job->graph->vertices; v++)
            job->stamp[v] = 0;
        job->walk = 0;
    }
    return job->walk;
}

/* True when the tree above the vertices of this round has a cycle. */
static bool check_round(hop__rounds_job *job) {
    hop_vertex since = begin_check(job);
    for (uint32_t a = 0; a < job->active_count; a++) {
        uint64_t base = (uint64_t)job->active[a] << job->shift;
        for (uint64_t at = base; at < base + job->count[job->active[a]]; at++)
            if (ends_with_cycle(job, walk_up(job, job->queue[at], since)))
                return true;
    }
    return false;
}

static bool check_all(hop__rounds_job *job) {
    hop_vertex since = begin_check(job);
    for (uint64_t v = 0; v < job->graph->vertices; v++)
        if (ends_with_cycle(job, walk_up(job, (hop_vertex)v, since)))
            return true;
    return false;
}

static uint64_t relaxations_of(const hop__rounds_job *job) {
    uint64_t sum = 0;
    for (unsigned t = 0; t < job->threads; t++)
        sum += job->lanes[t].relaxations;
    return sum;
}

#define SWAP(type, a, b)                                                                           \
    do {                                                                                           \
        type held = a;                                                                             \
        a = b;                                                                                     \
        b = held;                                                                                  \
    } while (0)

/* The next round's vertices become this one's. The old ones are still to be cleared: their list
 * stands in `later`, their bits in `next`. */
static void turn(hop__rounds_job *job) {
    SWAP(hop_vertex *, job->queue, job->later);
    SWAP(uint32_t *, job->count, job->later_count);
    SWAP(uint32_t *, job->active, job->later_active);
    SWAP(uint32_t, job->active_count, job->later_active_count);
    SWAP(uint64_t *, job->now, job->next);
}

static void clear_later(hop__rounds_job *job, uint32_t range) {
    uint64_t base = (uint64_t)range << job->shift;
    for (uint64_t at = base; at < base + job->later_count[range]; at++)
        job->next[job->later[at] / 64] = 0; /* those of its word go as well: all are cleared */
    job->later_count[range] = 0;
}

/* Whether the round under way is to be followed by another one. */
static bool goes_on(hop__rounds_job *job) {
    uint64_t done = relaxations_of(job);
    if (atomic_load_explicit(&job->cancelled, memory_order_relaxed)) {
        job->end = HOP__SEARCH_CANCELLED;
        return false;
    }
    if (job->active_count == 0) {
        if (atomic_load_explicit(&job->skipped, memory_order_relaxed))
            (void)check_all(job);
        return false;
    }
    job->rounds++;
    bool due = atomic_exchange_explicit(&job->suspicious, false, memory_order_relaxed) ||
               job->rounds > job->graph->vertices ||
               done - job->checked_at > job->checked_at / 2 + job->graph->vertices;
    if (!due)
        return true;
    job->checked_at = done;
    return !check_round(job);
}

/* Whether one member can do this round in no time. */
static bool is_small(const hop__rounds_job *job) {
    uint64_t vertices = 0, arcs = 0;
    for (uint32_t a = 0; a < job->active_count; a++)
        vertices += job->count[job->active[a]];
    if (vertices > ALONE_VERTICES)
        return false;
    for (uint32_t a = 0; a < job->active_count && arcs <= ALONE_ARCS; a++) {
        uint64_t base = (uint64_t)job->active[a] << job->shift;
        for (uint64_t at = base; at < base + job->count[job->active[a]]; at++)
            arcs += hop__offset(job->graph, (uint64_t)job->queue[at] + 1) -
                    hop__offset(job->graph, job->queue[at]);
    }
    job->lanes[0].relaxations += arcs <= ALONE_ARCS ? arcs : 0;
    return arcs <= ALONE_ARCS;
}

/* Rounds as long as they are small. Progress is called here: by member 0 only. */
static void run_alone(hop__rounds_job *job) {
    for (uint64_t i = 1;; i++) {
        for (uint32_t a = 0; a < job->later_active_count; a++)
            clear_later(job, job->later_active[a]);
        job->later_active_count = 0;
        job->steps->alone(job);
        turn(job);
        if (i % REPORT_ROUNDS == 0 && !hop__progress_add(job->context, 0))
            atomic_store(&job->cancelled, true);
        if (!goes_on(job)) {
            job->then = HOP__ROUNDS_DONE;
            return;
        }
        if (!is_small(job)) {
            job->then = HOP__ROUNDS_PREPARE;
            return;
        }
    }
}

static uint64_t slice_base(const hop__rounds_job *job, uint32_t range) {
    uint64_t first = (uint64_t)range << job->shift;
    return 4 * (hop__offset(job->graph, first) / SLICE) + 4 * (uint64_t)range;
}

static void add_slice(hop__rounds_slice *slices, uint64_t *count, hop__rounds_slice part) {
    slices[(*count)++] = part;
}

/* Cuts the vertices of a range into slices. Each has SLICE arcs or more (but less than twice as
 * many), is followed by a long row, or is the last; long rows have slices of their own. */
static void prepare(hop__rounds_job *job, uint32_t range) {
    const hop_graph *graph = job->graph;
    uint64_t base = (uint64_t)range << job->shift, end = base + job->count[range];
    uint64_t arcs = 0, begin = base, count = 0;
    hop__rounds_slice *slices = job->slices + slice_base(job, range);
    clear_later(job, range);
    for (uint64_t at = base; at < end; at++) {
        uint64_t first = hop__offset(graph, job->queue[at]);
        uint64_t last = hop__offset(graph, (uint64_t)job->queue[at] + 1);
        if (last - first > SLICE) {
            if (at > begin)
                add_slice(slices, &count, (hop__rounds_slice){begin, at, 0, UINT64_MAX});
            for (uint64_t from = first; from < last; from += SLICE)
                add_slice(slices, &count,
                          (hop__rounds_slice){at, at + 1, from,
                                              last - from < SLICE ? last : from + SLICE});
            begin = at + 1;
            arcs = 0;
            continue;
        }
        arcs += last - first;
        if (arcs >= SLICE) {
            add_slice(slices, &count, (hop__rounds_slice){begin, at + 1, 0, UINT64_MAX});
            begin = at + 1;
            arcs = 0;
        }
    }
    if (arcs > 0)
        add_slice(slices, &count, (hop__rounds_slice){begin, end, 0, UINT64_MAX});
    job->slice_count[range] = count;
}

/* The range that flat slice number `at` belongs to; past the last one, the number of ranges. */
static uint32_t range_of_slice(const hop__rounds_job *job, uint64_t at) {
    uint32_t low = 0, high = job->ranges;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (job->flat[middle + 1] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void begin_batch(hop__rounds_job *job, uint64_t from) {
    uint64_t all = job->flat[job->ranges];
    job->batch_begin = from;
    job->batch_end = all - from < BATCH ? all : from + BATCH;
    atomic_store_explicit(&job->blocks, 0, memory_order_relaxed);
    job->step = HOP__ROUNDS_EXPAND;
}

static void begin_batches(hop__rounds_job *job) {
    for (uint32_t range = 0; range < job->ranges; range++)
        job->flat[range + 1] = job->flat[range] + job->slice_count[range];
    begin_batch(job, 0);
}

static void end_round(hop__rounds_job *job) {
    job->later_active_count = 0;
    for (uint32_t range = 0; range < job->ranges; range++)
        if (job->later_count[range] > 0)
            job->later_active[job->later_active_count++] = range;
    turn(job);
    if (!goes_on(job))
        job->step = HOP__ROUNDS_DONE;
    else
        job->step = is_small(job) ? HOP__ROUNDS_ALONE : HOP__ROUNDS_PREPARE;
}

/* Between two steps: what comes next. One member, while the others wait. */
static void advance(hop__rounds_job *job) {
    switch (job->step) {
    case HOP__ROUNDS_PREPARE:
        begin_batches(job);
        break;
    case HOP__ROUNDS_EXPAND:
        job->step = HOP__ROUNDS_APPLY;
        break;
    case HOP__ROUNDS_APPLY:
        if (job->batch_end < job->flat[job->ranges] &&
            !atomic_load_explicit(&job->cancelled, memory_order_relaxed))
            begin_batch(job, job->batch_end);
        else
            end_round(job);
        break;
    case HOP__ROUNDS_ALONE:
        job->step = job->then;
        break;
    case HOP__ROUNDS_DONE:
        break;
    }
    atomic_store_explicit(&job->cursor, 0, memory_order_relaxed);
}

static void expand_slices(hop__rounds_job *job, unsigned thread) {
    uint64_t before = job->lanes[thread].relaxations;
    for (;;) {
        uint64_t at =
            job->batch_begin + atomic_fetch_add_explicit(&job->cursor, 1, memory_order_relaxed);
        if (at >= job->batch_end)
            break;
        uint32_t range = range_of_slice(job, at);
        job->steps->expand(job, thread,
                           &job->slices[slice_base(job, range) + at - job->flat[range]]);
    }
    if (!hop__progress_add(job->context, job->lanes[thread].relaxations - before))
        atomic_store_explicit(&job->cancelled, true, memory_order_relaxed);
}

/* The next round's vertices of a range, in the order of their numbers. Offers come in the order of
 * threads, and which cycle is found first, and how a round is cut, must not depend on them. */
static void put_in_order(hop__rounds_job *job, uint32_t range) {
    const uint64_t base = (uint64_t)range << job->shift, past = base + (UINT64_C(1) << job->shift);
    const uint64_t n = job->graph->vertices, words = hop__bitmap_words(past < n ? past : n);
    uint64_t at = base;
    for (uint64_t word = base / 64; job->later_count[range] > 1 && word < words; word++)
        for (uint64_t bits = job->next[word]; bits != 0; bits &= bits - 1)
            job->later[at++] = (hop_vertex)(64 * word + (unsigned)__builtin_ctzll(bits));
}

/* What the batch has expanded of a range no longer has its turn in this round; then the offers. */
static void apply(hop__rounds_job *job, uint32_t range) {
    uint64_t begin = job->flat[range], end = job->flat[range + 1];
    const hop__rounds_slice *slices = job->slices + slice_base(job, range);
    uint64_t from = begin < job->batch_begin ? job->batch_begin : begin;
    for (uint64_t s = from; s < end && s < job->batch_end; s++)
        for (uint64_t at = slices[s - begin].begin; at < slices[s - begin].end; at++)
            hop__rounds_clear_bit(job->now, job->queue[at]);
    job->steps->apply(job, range);
    if (job->batch_end == job->flat[job->ranges])
        put_in_order(job, range);
}

static void each_range(hop__rounds_job *job, void (*fn)(hop__rounds_job *, uint32_t)) {
    for (;;) {
        uint64_t range = atomic_fetch_add_explicit(&job->cursor, 1, memory_order_relaxed);
        if (range >= job->ranges)
            return;
        fn(job, (uint32_t)range);
    }
}

static void member(void *arg, unsigned thread, unsigned threads) {
    hop__rounds_job *job = arg;
    if (thread == 0) {
        job->threads = threads;
        hop__gate_init(&job->gate, threads);
    }
    hop__team_barrier();
    while (job->step != HOP__ROUNDS_DONE) {
        switch (job->step) {
        case HOP__ROUNDS_PREPARE:
            each_range(job, prepare);
            break;
        case HOP__ROUNDS_EXPAND:
            expand_slices(job, thread);
            break;
        case HOP__ROUNDS_APPLY:
            each_range(job, apply);
            break;
        default:
            if (thread == 0)
                run_alone(job);
            break;
        }
        if (hop__gate_arrive(&job->gate)) {
            advance(job);
            hop__gate_open(&job->gate);
        }
    }
}

static void fill(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__rounds_job *job = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++) {
        if (job->sums)
            hop__exact_set_none(&job->query->exact, job->sums + 2 * v);
        job->tree[v] = HOP_NO_VERTEX;
        job->stamp[v] = 0;
    }
    for (uint64_t v = begin; v < end; v++)
        hop__sssp_unreach(job->query, job->distances, v);
    for (uint64_t word = begin / 64; word < hop__bitmap_words(end); word++)
        job->now[word] = job->next[word] = 0;
}

static void start(hop__rounds_job *job, const hop_vertex *sources, hop_vertex source_count) {
    for (hop_vertex i = 0; i < source_count; i++) {
        hop_vertex s = sources[i];
        if (job->sums)
            hop__exact_clear(&job->query->exact, job->sums + 2 * (uint64_t)s);
        else
            job->distances[s] = 0;
        hop__rounds_enlist_alone(job, s);
    }
    turn(job);
    job->step = HOP__ROUNDS_DONE;
    if (goes_on(job))
        job->step = is_small(job) ? HOP__ROUNDS_ALONE : HOP__ROUNDS_PREPARE;
}

/* n times the least weight, in the numbers that are added. */
static void set_lowest(hop__rounds_job *job) {
    const hop__facts *facts = &job->graph->shared->facts;
    hop_vertex n = job->graph->vertices;
    if (!job->sums)
        job->lowest64 = facts->min_weight_int * (int64_t)n;
    else if (job->query->distance_type == HOP_TYPE_INT64)
        job->lowest128 = (hop__i128)facts->min_weight_int * n;
    else
        job->lowest128 =
            hop__rounds_shifted(hop__exact_real(&job->query->exact, facts->min_weight)) * n;
}

typedef struct rounds_layout {
    unsigned shift;
    uint32_t ranges;
    uint64_t words, slices, blocks;
    size_t offer;
} rounds_layout;

static rounds_layout lay_out(const hop__sssp_query *query, unsigned threads) {
    const hop_graph *graph = query->graph;
    uint64_t n = graph->vertices, offers = 2 * (uint64_t)BATCH * SLICE;
    rounds_layout l = {.shift = 6};
    while (((n - 1) >> l.shift) + 1 > RANGES_MOST)
        l.shift++;
    l.ranges = (uint32_t)((n - 1) >> l.shift) + 1;
    l.words = hop__bitmap_words(n);
    l.slices = 4 * (graph->arcs / SLICE) + 4 * (uint64_t)l.ranges + 4;
    offers = offers < graph->arcs ? offers : graph->arcs;
    l.blocks = offers / HOP__ROUNDS_BLOCK + (uint64_t)threads * l.ranges + 1;
    l.offer = query->exact.words > 0 ? sizeof(hop__rounds_offer128) : sizeof(hop__rounds_offer64);
    return l;
}

void hop__bellman_rounds_blocks(hop__workspace *space, size_t at, const hop__sssp_query *query,
                                unsigned threads) {
    static const char what[] = "bellman-ford: rounds";
    const rounds_layout l = lay_out(query, threads);
    uint64_t n = query->graph->vertices;
    HOP__BLOCK_AT(space, at, what, n, hop__rounds_job, queue);
    HOP__BLOCK_AT(space, at, what, n, hop__rounds_job, later);
    HOP__BLOCK_AT(space, at, what, n, hop__rounds_job, stamp);
    HOP__BLOCK_AT(space, at, what, l.words, hop__rounds_job, now);
    HOP__BLOCK_AT(space, at, what, l.words, hop__rounds_job, next);
    HOP__BLOCK_AT(space, at, what, l.ranges, hop__rounds_job, count)->zero = true;
    HOP__BLOCK_AT(space, at, what, l.ranges, hop__rounds_job, later_count)->zero = true;
    HOP__BLOCK_AT(space, at, what, l.ranges, hop__rounds_job, active);
    HOP__BLOCK_AT(space, at, what, l.ranges, hop__rounds_job, later_active);
    HOP__BLOCK_AT(space, at, what, l.ranges + 1, hop__rounds_job, slice_count)->zero = true;
    HOP__BLOCK_AT(space, at, what, l.ranges + 1, hop__rounds_job, flat)->zero = true;
    HOP__BLOCK_AT(space, at, what, l.slices, hop__rounds_job, slices);
    HOP__BLOCK_AT(space, at, what, threads, hop__rounds_job, lanes)->zero = true;
    HOP__BLOCK_AT(space, at, what, (uint64_t)threads * l.ranges, hop__rounds_job, bins);
    hop__block_add(space, "bellman-ford: bins", l.blocks * HOP__ROUNDS_BLOCK, l.offer,
                   at + offsetof(hop__rounds_job, offers));
    HOP__BLOCK_AT(space, at, what, l.blocks, hop__rounds_job, block_next);
}

/* All but the arrays. */
static void set_up(hop__rounds_job *job, hop_context *context, const hop__sssp_query *query,
                   unsigned threads, const hop__bellman_ford *ford, void *distances) {
    job->context = context;
    job->query = query;
    job->graph = query->graph;
    job->steps = hop__rounds_steps_of(query);
    job->distances = distances;
    job->tree = ford->tree;
    job->sums = ford->sums;
    job->threads = threads;
    const rounds_layout l = lay_out(query, threads);
    job->shift = l.shift;
    job->ranges = l.ranges;
    for (uint64_t i = 0; i < (uint64_t)job->threads * l.ranges; i++)
        job->bins[i] = (hop__rounds_bin){HOP__ROUNDS_NO_BLOCK, HOP__ROUNDS_BLOCK};
    set_lowest(job);
}

void hop__bellman_rounds_run(hop_context *context, const hop__sssp_query *query, unsigned threads,
                             const hop_vertex *sources, hop_vertex source_count, void *distances,
                             hop__bellman_search *search) {
    hop__rounds_job *job = &search->rounds;
    set_up(job, context, query, threads, &search->ford, distances);
    hop__for(context, job->graph->vertices, FILL_GRAIN, fill, job);
    start(job, sources, source_count);
    if (job->step != HOP__ROUNDS_DONE)
        hop__team_of(context, threads, UINT64_MAX, member, job);
    search->ford.passes = job->rounds;
    search->ford.relaxations = relaxations_of(job);
    search->end = job->end;
    search->place = job->place;
}
