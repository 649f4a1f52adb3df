/* SPDX-License-Identifier: Apache-2.0
 *
 * giant-first: finds the giant component that most large graphs have by sweeps over one bitmap,
 * and joins only what is left over.
 *
 * 1. Probe: a short search from the vertex of largest degree (then from a few others). If it comes
 *    to SEED_MOST vertices within LEVELS levels there is a giant component, or something like it.
 * 2. Some rows are read from end to end: components_spread.c.
 * 3. Sweeps: every vertex that is not in the giant looks for a neighbour that is, and stops at the
 *    first one. In place: what one vertex finds, the next ones see. A bit per vertex stays in the
 *    cache where labels would not, and in most rows one of the first few arcs decides: so a sweep
 *    reads a small part of the graph. They go on as long as they find a good part of what is left.
 * 4. What is left (small components, long tails, or everything if the probe was wrong) is joined by
 *    components_ranges.c, in which the giant is one vertex, its smallest.
 * If the probe finds nothing, step 4 does all the work.
 *
 * Directed graphs: a sweep sees arcs out of a vertex, and arcs into it when the reverse arcs are
 * prepared. If they are not, the giant's arcs are followed before step 4, and what they lead to is
 * joined with the giant as in step 4.
 *
 * Data: `giant` a bit per vertex found, `done` a bit per vertex whose arcs need no further look.
 * Invariants:
 * 1. Vertices with a giant bit hang together.
 * 2. A sweep writes a word of bits from one thread only, so plain stores do.
 * 3. After a sweep the giant's vertices are done, and so are those without arcs: an edge that has
 *    an end that is not done comes up in step 4.
 *
 * Source: ours; bottom-up search is Beamer, Asanovic, Patterson, SC'12, and skipping the giant is
 * Sutton, Ben-Nun, Barak, IPDPS'18.
 * Cost: O(n + m) with few of the m read when there is a giant; 3n / 8 bytes and the probe's
 * queue. */
#include "components/components_giant.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "core/try.h"

enum {
    GRAIN = 1 << 13, /* vertices; a multiple of 64 */
    LEVELS = 8,
    SEED_SHARE = 32, /* the probe is content with n / SEED_SHARE vertices */
    SEED_MOST = 1 << 16,
    SEED_ARCS = 8, /* for each of which it looks at so many arcs at most */
    PROBES = 4,
    SWEEPS = 16,
    GAIN = 4, /* a sweep must find 1 / GAIN of what was left, or it is the last */
};

typedef struct job {
    hop_context *context;
    const hop_graph *graph, *reverse; /* reverse: NULL when the rows of `graph` say all */
    uint64_t *giant, *done;
    hop_vertex *queue; /* of the probe: what it found */
    uint64_t probed;   /* arcs that it has looked at */
    atomic_uint_fast64_t found, left, arcs;
    bool swept;                /* at least once */
    hop_vertex *parents, root; /* the forest, and the giant in it, for its arcs */
    hop__forest forest;
    atomic_bool stopped;
} job;

/* Adds what the rows of one direction reach from `v` to the queue; the new length. */
static uint64_t probe_row(job *work, const hop_graph *graph, hop_vertex v, uint64_t length,
                          uint64_t wanted) {
    uint64_t row = hop__offset(graph, v), end = hop__offset(graph, (uint64_t)v + 1), i = row;
    uint64_t budget = wanted * SEED_ARCS + SEED_ARCS;
    for (; i < end && length < wanted && work->probed + (i - row) < budget; i++) {
        hop_vertex w = graph->targets[i];
        if (!hop__bitmap_get(work->giant, w)) {
            hop__bitmap_set(work->giant, w);
            work->queue[length++] = w;
        }
    }
    work->probed += i - row;
    return length;
}

/* A search from one vertex: whether `wanted` vertices are found within LEVELS levels. If not, the
 * bits are cleared again. */
static bool probe_from(job *work, hop_vertex source, uint64_t wanted) {
    uint64_t length = 1, next = 0;
    work->probed = 0;
    work->queue[0] = source;
    hop__bitmap_set(work->giant, source);
    for (int level = 0; level < LEVELS && length < wanted && next < length; level++)
        for (uint64_t level_end = length; next < level_end && length < wanted; next++) {
            length = probe_row(work, work->graph, work->queue[next], length, wanted);
            if (work->reverse)
                length = probe_row(work, work->reverse, work->queue[next], length, wanted);
        }
    if (length >= wanted)
        return true;
    for (uint64_t i = 0; i < length; i++)
        work->giant[work->queue[i] / 64] = 0;
    return false;
}

static uint64_t seed_count(const hop_graph *graph) {
    uint64_t share = graph->vertices / SEED_SHARE + 1;
    return share < SEED_MOST ? share : SEED_MOST;
}

static bool probe(job *work) {
    const hop_graph *graph = work->graph;
    uint64_t wanted = seed_count(graph);
    bool giant = probe_from(work, graph->shared->facts.max_degree_vertex, wanted);
    for (uint64_t i = 1; i < PROBES && !giant; i++) {
        uint64_t v = hop__random_below(hop__random_at(0, 0, i), graph->vertices);
        giant = probe_from(work, (hop_vertex)v, wanted);
    }
    return giant;
}

typedef struct sweep_sums {
    uint64_t found, left, arcs;
} sweep_sums;

/* The vertices of a word without arcs. A third of the vertices of scale-free graphs have none, in
 * no order: without branches they cost little. */
static inline __attribute__((always_inline)) uint64_t
empty_rows(const void *offsets, uint64_t first, uint64_t count, const bool wide) {
    uint64_t empty = 0;
    for (uint64_t b = 0; b < count; b++)
        empty |= (uint64_t)(hop__offset_in(offsets, first + b, wide) ==
                            hop__offset_in(offsets, first + b + 1, wide))
                 << b;
    return empty;
}

/* The vertices of a word that a sweep has to look at; the others are done. Their rows are
 * prefetched. */
static inline __attribute__((always_inline)) uint64_t sweep_open(job *work, uint64_t word,
                                                                 const bool wide) {
    const hop_graph *graph = work->graph, *reverse = work->reverse;
    uint64_t first = word * 64, left = graph->vertices - first, count = left < 64 ? left : 64;
    uint64_t all = count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    uint64_t open = all & ~(work->done[word] | work->giant[word]);
    if (open == 0 || work->swept) { /* later sweeps know the empty rows */
        work->done[word] |= work->giant[word];
    } else {
        uint64_t empty = empty_rows(graph->offsets, first, count, wide);
        if (reverse)
            empty &= empty_rows(reverse->offsets, first, count, reverse->offset_bytes == 8);
        open &= ~empty;
        work->done[word] |= work->giant[word] | empty;
    }
    for (uint64_t bits = open; bits != 0; bits &= bits - 1)
        __builtin_prefetch(
            &graph->targets[hop__offset_of(graph, first + (uint64_t)__builtin_ctzll(bits), wide)]);
    return open;
}

static inline __attribute__((always_inline)) void
sweep_word(job *work, uint64_t word, uint64_t open, sweep_sums *sums, const bool wide) {
    const hop_graph *graph = work->graph, *reverse = work->reverse;
    uint64_t *giant = work->giant, found = 0;
    for (uint64_t bits = open; bits != 0; bits &= bits - 1) {
        uint64_t v = word * 64 + (uint64_t)__builtin_ctzll(bits);
        uint64_t begin = hop__offset_of(graph, v, wide), i = begin;
        bool meets =
            hop__giant_meets(giant, graph->targets, &i, hop__offset_of(graph, v + 1, wide));
        sums->arcs += i - begin + meets; /* the one that meets it is looked at too */
        if (!meets && reverse) {
            i = begin = hop__offset(reverse, v);
            meets = hop__giant_meets(giant, reverse->targets, &i, hop__offset(reverse, v + 1));
            sums->arcs += i - begin + meets;
        }
        if (meets) {
            found |= bits & -bits;
            hop__store_u64(&giant[word], hop__load_u64(&giant[word]) | (bits & -bits));
        }
    }
    work->done[word] |= found;
    sums->found += (uint64_t)__builtin_popcountll(found);
    sums->left += (uint64_t)__builtin_popcountll(open & ~found);
}

static inline __attribute__((always_inline)) void
sweep_words(job *work, uint64_t begin, uint64_t end, sweep_sums *sums, const bool wide) {
    uint64_t words = (end + 63) / 64, open = sweep_open(work, begin / 64, wide);
    for (uint64_t word = begin / 64; word < words; word++) {
        /* Before this word's rows are looked at, the next one's are on their way. */
        uint64_t next = word + 1 < words ? sweep_open(work, word + 1, wide) : 0;
        if (open)
            sweep_word(work, word, open, sums, wide);
        open = next;
    }
}

static void sweep_end(job *work, const sweep_sums *sums, uint64_t vertices) {
    atomic_fetch_add_explicit(&work->found, sums->found, memory_order_relaxed);
    atomic_fetch_add_explicit(&work->left, sums->left, memory_order_relaxed);
    atomic_fetch_add_explicit(&work->arcs, sums->arcs, memory_order_relaxed);
    if (!hop__progress_add(work->context, vertices))
        atomic_store_explicit(&work->stopped, true, memory_order_relaxed);
}

static void sweep_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    sweep_sums sums = {0, 0, 0};
    (void)thread;
    if (atomic_load_explicit(&work->stopped, memory_order_relaxed))
        return;
    if (work->graph->offset_bytes == 8)
        sweep_words(work, begin, end, &sums, true);
    else
        sweep_words(work, begin, end, &sums, false);
    sweep_end(work, &sums, end - begin);
}

/* Joins what a row of the giant leads to, and what is not in it, with its root. Almost everything
 * is: looking at several at once has one branch where looking at each would have many. The bits
 * are only read here: to set one would take its line from all other cores, and slow down every
 * look at it; parents are far more lines. */
static void follow_row(const job *work, hop_vertex root, uint64_t i, uint64_t end) {
    const hop_vertex *targets = work->graph->targets;
    while (i < end) {
        uint64_t stop = end - i < 64 ? end : i + 64, set = 1;
        for (uint64_t k = i; k < stop; k++)
            set &= work->giant[targets[k] / 64] >> (targets[k] % 64);
        for (; i < stop && !set; i++)
            if (!hop__bitmap_get(work->giant, targets[i]))
                hop__forest_join(work->parents, targets[i], root);
        i = stop;
    }
}

/* For directed graphs without reverse arcs: a vertex may have arcs from the giant that it does not
 * know, so the giant's rows are read to the end. Rows stand one after the other, and most words
 * are done: their rows are one long row. */
static void follow_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    const hop_graph *graph = work->graph;
    uint64_t arcs = 0;
    (void)thread;
    if (atomic_load_explicit(&work->stopped, memory_order_relaxed))
        return;
    for (uint64_t word = begin / 64; word * 64 < end; word++) {
        uint64_t first = word * 64, past = end - first < 64 ? end : first + 64;
        uint64_t all = past - first == 64 ? UINT64_MAX : (UINT64_C(1) << (past - first)) - 1;
        uint64_t done = work->done[word] & all;
        if (done == all) {
            follow_row(work, work->root, hop__offset(graph, first), hop__offset(graph, past));
            arcs += hop__offset(graph, past) - hop__offset(graph, first);
            continue;
        }
        for (; done != 0; done &= done - 1) {
            uint64_t v = first + (uint64_t)__builtin_ctzll(done);
            follow_row(work, work->root, hop__offset(graph, v), hop__offset(graph, v + 1));
            arcs += hop__offset(graph, v + 1) - hop__offset(graph, v);
        }
    }
    sweep_sums sums = {0, 0, arcs};
    sweep_end(work, &sums, end - begin);
}

static hop_status follow(job *work) {
    hop__progress_begin(work->context, "components: arcs of the giant", work->graph->vertices);
    hop__for(work->context, work->graph->vertices, GRAIN, follow_range, work);
    return hop__progress_end(work->context);
}

/* Sweeps until one finds little; work->left is what it leaves. */
static hop_status sweep(job *work, uint64_t *rounds) {
    hop__progress_begin(work->context, "components: sweeps", 0);
    for (*rounds = 0; *rounds < SWEEPS;) {
        ++*rounds;
        atomic_store(&work->found, 0);
        atomic_store(&work->left, 0);
        hop__for(work->context, work->graph->vertices, GRAIN, sweep_range, work);
        work->swept = true;
        uint64_t left = atomic_load(&work->left), found = atomic_load(&work->found);
        if (atomic_load(&work->stopped) || left == 0 || found < (left + found) / GAIN + 1)
            break;
    }
    return hop__progress_end(work->context);
}

/* Makes every vertex that is still open a tree. */
static void start_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const hop__forest *forest = arg;
    (void)thread;
    for (uint64_t word = begin / 64; word * 64 < end; word++)
        for (uint64_t bits = hop__forest_open(forest, word); bits != 0; bits &= bits - 1) {
            uint64_t v = word * 64 + (uint64_t)__builtin_ctzll(bits);
            if (v < end)
                forest->parents[v] = (hop_vertex)v;
        }
}

/* Steps 2 to 4, after a probe that found a giant. */
static hop_status with_giant(job *work, uint64_t *rounds) {
    hop__forest *forest = &work->forest;
    hop_context *context = work->context;
    bool one_way = work->graph->directed && !work->reverse;
    uint64_t word = 0;
    hop_status status;
    hop__phase(context, "spread");
    HOP_TRY(status, hop__giant_spread(context, work->graph, work->giant));
    hop__phase(context, "sweep");
    HOP_TRY(status, sweep(work, rounds));
    hop__phase(context, "start");
    while (work->giant[word] == 0)
        word++;
    forest->giant = work->giant;
    forest->done = work->done;
    forest->root = (hop_vertex)(word * 64 + (uint64_t)__builtin_ctzll(work->giant[word]));
    forest->parents[forest->root] = forest->root;
    forest->left = atomic_load(&work->left);
    if (forest->left > 0 || one_way)
        hop__for(context, work->graph->vertices, 1 << 16, start_range, forest);
    if (one_way) {
        hop__phase(context, "follow");
        work->root = forest->root;
        HOP_TRY(status, follow(work));
    }
    if (forest->left > 0)
        HOP_TRY(status, hop__forest_join_arcs(forest));
done:
    return status;
}

static void giant_first_blocks(const void *user, hop__workspace *space) {
    const hop_graph *graph = ((const hop__components_task *)user)->graph;
    uint64_t words = hop__bitmap_words(graph->vertices);
    HOP__BLOCK(space, "components: giant", words, job, giant)->zero = true;
    HOP__BLOCK(space, "components: done", words, job, done)->zero = true;
    HOP__BLOCK(space, "components: probe", seed_count(graph), job, queue);
    hop__forest_blocks(space, offsetof(job, forest), graph);
}

static hop_status giant_first_run(hop_context *context, const hop__components_task *task) {
    const hop_graph *graph = task->graph;
    hop__workspace space = {0};
    job work = {.context = context, .graph = graph, .parents = task->labels};
    hop__forest *forest = &work.forest;
    hop_status status;
    if (graph->directed)
        work.reverse = hop_graph_prepared_reverse(graph);
    *forest = (hop__forest){.context = context,
                            .graph = graph,
                            .reverse = work.reverse,
                            .parents = task->labels,
                            .space = &space};
    HOP_TRY(status, hop__workspace_open(context, NULL, giant_first_blocks, task, &work, &space));
    hop__advise_huge(task->labels, sizeof *task->labels * (uint64_t)graph->vertices);
    hop__phase(context, "probe");
    if (probe(&work))
        HOP_TRY(status, with_giant(&work, &task->report->rounds));
    else
        HOP_TRY(status, hop__forest_join_arcs(forest));
    HOP_TRY(status, hop__forest_flatten(forest));
    task->report->relaxations = atomic_load(&work.arcs) + forest->arcs;
    *task->count = forest->roots;
done:
    hop__workspace_close(&space, status);
    return status;
}

const hop__components_variant hop__components_giant_first = {
    .row = {.about = {.name = "giant-first",
                      .summary = "sweeps find the giant component; only the rest is joined",
                      .source = "ours; Beamer et al. SC'12, Sutton et al. IPDPS'18",
                      .place = HOP_PLACE_HOST,
                      .uses = HOP_PREPARE_REVERSE},
            .blocks = giant_first_blocks},
    .run = giant_first_run,
};
