/* SPDX-License-Identifier: Apache-2.0
 *
 * giant-first: finds the giant component that most large graphs have by sweeps over one bitmap,
 * and joins only what is left over.
 *
 * 1. Probe: a short search from the vertex of largest degree (then from a few others). If it comes
 *    to SEED_MOST vertices within LEVELS levels there is a giant component, or something like it.
 * 2. Sweeps: every vertex that is not in the giant looks for a neighbour that is, and stops at the
 *    first one. In place: what one vertex finds, the next ones see. A bit per vertex stays in the
 *    cache where labels would not, and in most rows one of the first few arcs decides: a sweep
 * reads a small part of the graph. Sweeps go on as long as they find a good part of what is left.
 * 3. What is left (small components, isolated vertices, long tails, or everything if the probe was
 *    wrong) is joined by components_ranges.c, in which the giant is one vertex, its smallest.
 * If the probe finds nothing, step 3 does all the work.
 *
 * Directed graphs: a sweep sees arcs out of a vertex, and arcs into it when the reverse arcs are
 * prepared. If they are not, the giant's arcs are followed once between 2 and 3; vertices that are
 * found then are in the giant, but their own arcs are still to be looked at.
 *
 * Data: `giant` a bit per vertex found, `done` a bit per vertex whose arcs need no further look.
 * Invariants: 1. vertices with a giant bit hang together; 2. a sweep writes a word of bits from one
 * thread only, so plain stores do; 3. an arc between a giant vertex and another one has one end
 * without a done bit, and so comes up in step 3.
 * Source: ours; bottom-up search is Beamer, Asanovic, Patterson, SC'12, and skipping the giant is
 * Sutton, Ben-Nun, Barak, IPDPS'18.
 * Cost: O(n + m) with few of the m read when there is a giant; 3n / 8 bytes and the probe's
 * queue. */
#include "components/components_forest.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "core/try.h"

enum {
    GRAIN = 1 << 13, /* vertices; a multiple of 64 */
    AHEAD = 16,      /* vertices between the prefetch of a row and its use */
    LEVELS = 8,
    SEED_SHARE = 32, /* the probe is content with n / SEED_SHARE vertices */
    SEED_MOST = 1 << 16,
    PROBES = 4,
    SWEEPS = 16,
    GAIN = 4, /* a sweep must find 1 / GAIN of what was left, or it is the last */
};

typedef struct job {
    hop_context *context;
    const hop_graph *graph, *reverse; /* reverse: NULL when the rows of `graph` say all */
    uint64_t *giant, *done;
    atomic_uint_fast64_t found, left, arcs;
    atomic_bool stopped;
} job;

static inline bool bit_is(const uint64_t *map, uint64_t v) {
    return hop__load_u64(&map[v / 64]) >> (v % 64) & 1;
}

/* Adds what the rows of one direction reach from `v` to the queue; the new length. */
static uint64_t probe_row(const job *work, const hop_graph *graph, hop_vertex v, hop_vertex *queue,
                          uint64_t length, uint64_t wanted) {
    uint64_t end = hop__offset(graph, (uint64_t)v + 1);
    for (uint64_t i = hop__offset(graph, v); i < end && length < wanted; i++) {
        hop_vertex w = graph->targets[i];
        if (!hop__bitmap_get(work->giant, w)) {
            hop__bitmap_set(work->giant, w);
            queue[length++] = w;
        }
    }
    return length;
}

/* A search from one vertex: whether `wanted` vertices are found within LEVELS levels. If not, the
 * bits are cleared again. */
static bool probe_from(job *work, hop_vertex source, hop_vertex *queue, uint64_t wanted) {
    uint64_t length = 1, next = 0;
    queue[0] = source;
    hop__bitmap_set(work->giant, source);
    for (int level = 0; level < LEVELS && length < wanted && next < length; level++)
        for (uint64_t level_end = length; next < level_end && length < wanted; next++) {
            length = probe_row(work, work->graph, queue[next], queue, length, wanted);
            if (work->reverse)
                length = probe_row(work, work->reverse, queue[next], queue, length, wanted);
        }
    if (length >= wanted)
        return true;
    for (uint64_t i = 0; i < length; i++)
        work->giant[queue[i] / 64] = 0;
    return false;
}

static uint64_t seed_count(const hop_graph *graph) {
    uint64_t share = graph->vertices / SEED_SHARE + 1;
    return share < SEED_MOST ? share : SEED_MOST;
}

static hop_status probe(job *work, bool *giant) {
    hop_vertex *queue = NULL;
    const hop_graph *graph = work->graph;
    uint64_t wanted = seed_count(graph);
    hop_status status;
    HOP_TRY(status, hop__alloc(work->context, "components: probe", wanted, sizeof *queue, &queue));
    *giant = probe_from(work, graph->shared->facts.max_degree_vertex, queue, wanted);
    for (uint64_t i = 1; i < PROBES && !*giant; i++) {
        uint64_t v = hop__random_below(hop__random_at(0, 0, i), graph->vertices);
        *giant = probe_from(work, (hop_vertex)v, queue, wanted);
    }
done:
    hop__free(queue);
    return status;
}

/* Whether a row has a vertex of the giant. */
static inline __attribute__((always_inline)) bool
row_meets(const uint64_t *giant, const hop_vertex *targets, uint64_t *i, uint64_t end) {
    for (; *i < end; ++*i)
        if (bit_is(giant, targets[*i]))
            return true;
    return false;
}

typedef struct sweep_sums {
    uint64_t found, left, arcs;
} sweep_sums;

/* The vertices of one word that are still open. Rows of the word to come are prefetched. */
static inline __attribute__((always_inline)) void
sweep_word(job *work, uint64_t word, uint64_t open, sweep_sums *sums, const bool wide) {
    const hop_graph *graph = work->graph, *reverse = work->reverse;
    uint64_t *giant = work->giant, found = 0, empty = 0;
    for (uint64_t bits = open; bits != 0; bits &= bits - 1) {
        uint64_t bit = bits & -bits, v = word * 64 + (uint64_t)__builtin_ctzll(bits);
        uint64_t begin = hop__offset_of(graph, v, wide), i = begin;
        uint64_t end = hop__offset_of(graph, v + 1, wide);
        bool meets = row_meets(giant, graph->targets, &i, end);
        sums->arcs += i - begin;
        if (!meets && reverse) {
            uint64_t j = hop__offset(reverse, v), back = hop__offset(reverse, v + 1);
            if (begin == end && j == back)
                empty |= bit;
            meets = row_meets(giant, reverse->targets, &j, back);
        } else if (begin == end) {
            empty |= bit;
        }
        if (meets) {
            found |= bit;
            hop__store_u64(&giant[word], hop__load_u64(&giant[word]) | bit);
        }
    }
    work->done[word] |= found | empty;
    sums->found += (uint64_t)__builtin_popcountll(found);
    sums->left += (uint64_t)__builtin_popcountll(open & ~(found | empty));
}

static inline __attribute__((always_inline)) void
sweep_words(job *work, uint64_t begin, uint64_t end, sweep_sums *sums, const bool wide) {
    const hop_graph *graph = work->graph;
    uint64_t n = graph->vertices, words = (end + 63) / 64;
    for (uint64_t word = begin / 64; word < words; word++) {
        uint64_t all = n - word * 64 >= 64 ? UINT64_MAX : (UINT64_C(1) << (n % 64)) - 1;
        if (word + 1 < words) {
            uint64_t bits = ~work->done[word + 1], v = word * 64 + 64;
            for (; bits != 0; bits &= bits - 1) {
                uint64_t next = v + (uint64_t)__builtin_ctzll(bits);
                if (next >= n)
                    break;
                __builtin_prefetch(&graph->targets[hop__offset_of(graph, next, wide)]);
            }
        }
        uint64_t open = all & ~work->done[word] & ~work->giant[word];
        work->done[word] |= work->giant[word];
        if (open)
            sweep_word(work, word, open, sums, wide);
    }
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
    atomic_fetch_add_explicit(&work->found, sums.found, memory_order_relaxed);
    atomic_fetch_add_explicit(&work->left, sums.left, memory_order_relaxed);
    atomic_fetch_add_explicit(&work->arcs, sums.arcs, memory_order_relaxed);
    if (!hop__progress_add(work->context, end - begin))
        atomic_store_explicit(&work->stopped, true, memory_order_relaxed);
}

static hop_status sweep(job *work, uint64_t *rounds) {
    uint64_t n = work->graph->vertices, before = n;
    hop__progress_begin(work->context, "components: sweeps", 0);
    for (*rounds = 0; *rounds < SWEEPS; ++*rounds) {
        atomic_store(&work->found, 0);
        atomic_store(&work->left, 0);
        hop__for(work->context, n, GRAIN, sweep_range, work);
        uint64_t left = atomic_load(&work->left), found = atomic_load(&work->found);
        before = left + found;
        if (atomic_load(&work->stopped) || left == 0 || found < before / GAIN || found == 0)
            break;
    }
    return hop__progress_end(work->context);
}

/* Follows the arcs of the giant to vertices that the sweeps could not find. */
static void push_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    const hop_graph *graph = work->graph;
    (void)thread;
    if (atomic_load_explicit(&work->stopped, memory_order_relaxed))
        return;
    for (uint64_t v = begin; v < end; v++) {
        if (!hop__bitmap_get(work->done, v))
            continue;
        uint64_t past = hop__offset(graph, v + 1);
        for (uint64_t i = hop__offset(graph, v); i < past; i++)
            hop__bitmap_claim(work->giant, graph->targets[i]);
    }
    if (!hop__progress_add(work->context, end - begin))
        atomic_store_explicit(&work->stopped, true, memory_order_relaxed);
}

/* Without reverse arcs a done bit of an isolated vertex would be pushed over nothing, so it may
 * stay; done bits of the giant's vertices are those of the sweeps. */
static hop_status push(job *work) {
    hop__progress_begin(work->context, "components: arcs of the giant", work->graph->vertices);
    hop__for(work->context, work->graph->vertices, GRAIN, push_range, work);
    return hop__progress_end(work->context);
}

/* Makes every vertex that is still open a tree, and finds the giant's smallest. */
static void start_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__forest *forest = arg;
    hop_vertex least = HOP_NO_VERTEX;
    (void)thread;
    for (uint64_t word = begin / 64; word * 64 < end; word++) {
        for (uint64_t bits = hop__forest_open(forest, word); bits != 0; bits &= bits - 1) {
            uint64_t v = word * 64 + (uint64_t)__builtin_ctzll(bits);
            if (v < end)
                forest->parents[v] = (hop_vertex)v;
        }
        if (least == HOP_NO_VERTEX && forest->giant[word] != 0)
            least = (hop_vertex)(word * 64 + (uint64_t)__builtin_ctzll(forest->giant[word]));
    }
    hop__lower_u32(&forest->root, least);
}

/* Steps 2 and 3, after a probe that found a giant. */
static hop_status with_giant(job *work, hop__forest *forest, uint64_t *rounds) {
    hop_context *context = work->context;
    hop_status status;
    hop__phase(context, "sweep");
    HOP_TRY(status, sweep(work, rounds));
    if (work->graph->directed && !work->reverse) {
        hop__phase(context, "push");
        HOP_TRY(status, push(work));
    }
    hop__phase(context, "start");
    forest->giant = work->giant;
    forest->done = work->done;
    forest->root = HOP_NO_VERTEX;
    hop__for(context, work->graph->vertices, 1 << 16, start_range, forest);
    forest->parents[forest->root] = forest->root;
    HOP_TRY(status, hop__forest_join_arcs(forest));
done:
    return status;
}

static hop_status giant_first_run(hop_context *context, const hop__components_task *task) {
    const hop_graph *graph = task->graph;
    uint64_t words = hop__bitmap_words(graph->vertices);
    job work = {.context = context, .graph = graph};
    hop__forest forest = {.context = context, .graph = graph, .parents = task->labels};
    bool giant;
    hop_status status;
    if (graph->directed)
        forest.reverse = work.reverse = hop_graph_reversed(graph);
    HOP_TRY(status,
            hop__alloc_zero(context, "components: giant", words, sizeof *work.giant, &work.giant));
    HOP_TRY(status,
            hop__alloc_zero(context, "components: done", words, sizeof *work.done, &work.done));
    hop__phase(context, "probe");
    HOP_TRY(status, probe(&work, &giant));
    if (giant)
        HOP_TRY(status, with_giant(&work, &forest, &task->report->rounds));
    else
        HOP_TRY(status, hop__forest_join_arcs(&forest));
    HOP_TRY(status, hop__forest_flatten(&forest));
    task->report->relaxations = atomic_load(&work.arcs) + forest.arcs;
    *task->count = forest.roots;
done:
    hop__free(work.giant);
    hop__free(work.done);
    return status;
}

static uint64_t giant_first_memory(const void *user) {
    const hop_graph *graph = ((const hop__components_task *)user)->graph;
    return 3 * hop__forest_memory(graph) + hop__block_bytes(seed_count(graph), sizeof(hop_vertex));
}

const hop__components_variant hop__components_giant_first = {
    .row = {.about = {.name = "giant-first",
                      .summary = "sweeps find the giant component; only the rest is joined",
                      .source = "ours; Beamer et al. SC'12, Sutton et al. IPDPS'18",
                      .place = HOP_PLACE_HOST},
            .memory = giant_first_memory},
    .run = giant_first_run,
};
