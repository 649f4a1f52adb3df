/* SPDX-License-Identifier: Apache-2.0
 *
 * ranges: union-find over ranges of ids, each by one thread without atomics; then the edges
 * between ranges by compare-and-swap.
 *
 * Ids of real graphs are seldom random: most edges of a lattice or a road network stay within a
 * range. Inside one, a vertex is met once, in ascending order, with the edges to smaller ones:
 *   - its parent is written once, with the parent of its first neighbour, which needs no atomics;
 *   - where the second has the same one, and there is no third, that is all, without a branch.
 * A vertex with an edge to another range gets a bit; the second step looks only at those.
 *
 * When ids are random (a sample of arcs tells) ranges would keep few edges: then every edge is
 * joined by compare-and-swap at once, with the parents of the arcs to come prefetched.
 *
 * The giant variant hands over what its sweeps left: see hop__forest. An arc to the giant counts
 * as one between ranges.
 *
 * Invariants: those of components_forest.h; in the first step a tree never leaves its range.
 * Cost: nearly linear; each undirected edge once; n / 8 bytes. */
#include <string.h>

#include "components/components_forest.h"
#include "core/parallel.h"
#include "core/try.h"

enum {
    RANGES_PER_THREAD = 8,
    RANGE_LEAST = 1 << 14, /* vertices */
    REPORT = 1 << 14,      /* vertices between reports of progress */
    BLOCK = 1 << 12,       /* vertices whose parents stay in the first-level cache */
    SAMPLES = 256,
    FEW_LEFT = 64,
    AHEAD = 16,         /* arcs between a prefetch and its use */
    STREAM_AHEAD = 512, /* the same for arrays read in order: the hardware's own prefetching
                           leaves a third of the time on a lattice */
};

typedef struct job {
    hop__forest *forest;
    uint64_t range;     /* vertices per range, a multiple of 64 */
    uint64_t *crossing; /* NULL: all that are not done */
    atomic_bool stopped;
} job;

static bool giant_has(const hop__forest *forest, hop_vertex v) {
    return forest->giant != NULL && hop__bitmap_get(forest->giant, v);
}

void hop__forest_blocks(hop__workspace *space, size_t at, const hop_graph *graph) {
    hop__block *block = HOP__BLOCK_AT(space, at, "components: crossing vertices",
                                      hop__bitmap_words(graph->vertices), hop__forest, crossing);
    block->zero = block->on_demand = true;
}

static bool report(job *work, uint64_t vertices) {
    if (hop__progress_add(work->forest->context, vertices))
        return true;
    atomic_store_explicit(&work->stopped, true, memory_order_relaxed);
    return false;
}

/* Joins v of a range of an undirected graph with its smaller neighbours there, which begin at arc
 * i. */
static void join_smaller(hop_vertex *parents, const hop_vertex *targets, uint64_t i, uint64_t end,
                         hop_vertex v) {
    hop_vertex root = v, w;
    for (; i < end && (w = targets[i]) < v; i++) {
        if (parents[w] == root)
            continue;
        hop_vertex above = hop__forest_climb_alone(parents, w);
        if (root == v) {
            root = above; /* nobody can be below v yet */
        } else if (above < root) {
            parents[root] = above;
            root = above;
        } else if (root < above) {
            parents[above] = root;
        }
    }
    parents[v] = root;
}

/* The vertices [v, stop), of the range that begins at `low`. Of most rows of lattices and roads no
 * more than two arcs lead to smaller ids, and both into one tree already. That is found out without
 * a branch, since which of them are missing cannot be predicted; all others go to join_smaller. */
static inline __attribute__((always_inline)) void
join_block(const job *work, uint64_t v, uint64_t stop, hop_vertex low, const bool wide) {
    const hop_graph *graph = work->forest->graph;
    const hop_vertex *targets = graph->targets;
    const void *offsets = graph->offsets;
    hop_vertex *parents = work->forest->parents;
    uint64_t next = hop__offset_of(graph, v, wide), arcs = graph->arcs;
    for (uint64_t u = v; u < stop; u++)
        parents[u] = (hop_vertex)u;
    for (; v < stop; v++) {
        uint64_t row = next;
        next = hop__offset_in(offsets, v + 1, wide);
        __builtin_prefetch(&targets[row + STREAM_AHEAD]);
        if (row + 3 <= arcs && targets[row] >= low) { /* can be read, and no arc crosses */
            hop_vertex first = targets[row], second = targets[row + 1];
            bool one = (row < next) & (first < v), two = (row + 1 < next) & (second < v);
            bool more = (row + 2 < next) & (targets[row + 2] < v);
            first = one ? first : (hop_vertex)v;
            second = two ? second : first;
            hop_vertex above = parents[first];
            if (__builtin_expect(!more & (parents[second] == above), 1)) {
                parents[v] = above;
                continue;
            }
        }
        if (row < next && targets[row] < low) {
            hop__bitmap_set(work->crossing, v);
            while (row < next && targets[row] < low)
                row++;
        }
        join_smaller(parents, targets, row, next, (hop_vertex)v);
    }
}

static inline __attribute__((always_inline)) void range_undirected(job *work, uint64_t begin,
                                                                   uint64_t end, const bool wide) {
    hop_vertex low = (hop_vertex)begin;
    uint64_t unreported = 0;
    for (uint64_t stop; begin < end; begin = stop) {
        stop = end - begin < BLOCK ? end : begin + BLOCK;
        join_block(work, begin, stop, low, wide);
        unreported += stop - begin;
        if (unreported >= REPORT || stop == end) {
            if (!report(work, unreported))
                return;
            unreported = 0;
        }
    }
}

/* One row of any graph, in a range [low, high): joins what stays inside; true if something does
 * not. */
static bool join_row(const hop__forest *forest, const hop_graph *graph, hop_vertex v,
                     hop_vertex low, hop_vertex high) {
    bool crosses = false;
    uint64_t end = hop__offset(graph, (uint64_t)v + 1);
    for (uint64_t i = hop__offset(graph, v); i < end; i++) {
        hop_vertex w = graph->targets[i];
        if (giant_has(forest, w) || w < low || w > high)
            crosses = true;
        else if (graph->directed || w < v)
            hop__forest_join_alone(forest->parents, v, w);
    }
    return crosses;
}

static void range_general(job *work, uint64_t begin, uint64_t end) {
    const hop__forest *forest = work->forest;
    hop_vertex low = (hop_vertex)begin, high = (hop_vertex)(end - 1);
    if (!forest->giant)
        for (uint64_t v = begin; v < end; v++)
            forest->parents[v] = (hop_vertex)v;
    for (uint64_t word = begin / 64; word * 64 < end; word++) {
        uint64_t open = forest->done ? ~forest->done[word] : UINT64_MAX;
        for (; open != 0; open &= open - 1) {
            uint64_t v = word * 64 + (uint64_t)__builtin_ctzll(open);
            if (v >= end)
                break;
            bool crosses = join_row(forest, forest->graph, (hop_vertex)v, low, high);
            if (forest->reverse)
                crosses |= join_row(forest, forest->reverse, (hop_vertex)v, low, high);
            if (crosses)
                hop__bitmap_set(work->crossing, v);
        }
        if (word % (REPORT / 64) == REPORT / 64 - 1 && !report(work, REPORT))
            return;
    }
}

static void own_ranges(void *arg, uint64_t first, uint64_t past, unsigned thread) {
    job *work = arg;
    const hop__forest *forest = work->forest;
    const hop_graph *graph = forest->graph;
    (void)thread;
    for (uint64_t r = first; r < past; r++) {
        uint64_t begin = r * work->range, end = begin + work->range;
        if (atomic_load_explicit(&work->stopped, memory_order_relaxed))
            return;
        if (end > graph->vertices)
            end = graph->vertices;
        if (graph->directed || forest->giant || forest->reverse)
            range_general(work, begin, end);
        else if (graph->offset_bytes == 8)
            range_undirected(work, begin, end, true);
        else
            range_undirected(work, begin, end, false);
    }
}

/* Joins v with the ends of its arcs that are not in its range, or in the giant. */
static void cross_row(const hop__forest *forest, const hop_graph *graph, hop_vertex v,
                      hop_vertex low, hop_vertex high) {
    uint64_t end = hop__offset(graph, (uint64_t)v + 1);
    for (uint64_t i = hop__offset(graph, v); i < end; i++) {
        hop_vertex w = graph->targets[i];
        if (giant_has(forest, w))
            hop__forest_join(forest->parents, v, forest->root);
        else if (w < low || (graph->directed && w > high))
            hop__forest_join(forest->parents, v, w);
        else if (!graph->directed && !forest->giant)
            return; /* sorted: the rest is not below the range */
    }
}

/* Vertices of a word that the second step looks at. */
static uint64_t cross_bits(const job *work, uint64_t word) {
    uint64_t n = work->forest->graph->vertices;
    uint64_t bits = work->crossing ? work->crossing[word] : ~work->forest->done[word];
    return n - word * 64 >= 64 ? bits : bits & ((UINT64_C(1) << (n % 64)) - 1);
}

/* What those of the next word will need: their rows, and for this word the parents that their rows
 * name. A vertex that is left over has few arcs, so the first ones are most. */
static void cross_prefetch(const job *work, uint64_t bits, uint64_t next, uint64_t word) {
    const hop_graph *graph = work->forest->graph;
    for (; next != 0; next &= next - 1) {
        uint64_t v = word * 64 + 64 + (uint64_t)__builtin_ctzll(next);
        __builtin_prefetch(&graph->targets[hop__offset(graph, v)]);
    }
    for (; bits != 0; bits &= bits - 1) {
        uint64_t v = word * 64 + (uint64_t)__builtin_ctzll(bits);
        uint64_t i = hop__offset(graph, v), end = hop__offset(graph, v + 1);
        for (uint64_t stop = end - i < 4 ? end : i + 4; i < stop; i++)
            __builtin_prefetch(&work->forest->parents[graph->targets[i]]);
    }
}

/* Words, not ranges, are handed out here: crossings cluster. */
static void cross_words(void *arg, uint64_t first, uint64_t past, unsigned thread) {
    job *work = arg;
    const hop__forest *forest = work->forest;
    (void)thread;
    if (!hop__progress_add(forest->context, 0))
        return;
    for (uint64_t word = first; word < past; word++) {
        uint64_t bits = cross_bits(work, word);
        cross_prefetch(work, bits, word + 1 < past ? cross_bits(work, word + 1) : 0, word);
        for (; bits != 0; bits &= bits - 1) {
            uint64_t v = word * 64 + (uint64_t)__builtin_ctzll(bits);
            uint64_t low = v / work->range * work->range, high = low + work->range - 1;
            if (high >= forest->graph->vertices)
                high = forest->graph->vertices - 1;
            cross_row(forest, forest->graph, (hop_vertex)v, (hop_vertex)low, (hop_vertex)high);
            if (forest->reverse)
                cross_row(forest, forest->reverse, (hop_vertex)v, (hop_vertex)low,
                          (hop_vertex)high);
        }
    }
}

/* Every arc by compare-and-swap, without regard to ranges. */
static void scattered_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    const hop_graph *graph = work->forest->graph;
    const hop_vertex *targets = graph->targets;
    hop_vertex *parents = work->forest->parents;
    (void)thread;
    if (atomic_load_explicit(&work->stopped, memory_order_relaxed))
        return;
    uint64_t next = hop__offset(graph, begin), arcs = graph->arcs;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t i = next;
        next = hop__offset(graph, v + 1);
        for (; i < next; i++) {
            __builtin_prefetch(&targets[i + STREAM_AHEAD]);
            if (i + AHEAD < arcs)
                __builtin_prefetch(&parents[targets[i + AHEAD]]);
            if (!graph->directed && targets[i] > v)
                break;
            hop__forest_join(parents, (hop_vertex)v, targets[i]);
        }
    }
    (void)report(work, end - begin);
}

/* Whether most of a sample of arcs, of vertices spread evenly, stay within a range. */
static bool mostly_local(const hop_graph *graph, uint64_t range) {
    uint64_t near = 0, taken = 0, step = graph->vertices / SAMPLES + 1;
    for (uint64_t v = step / 2; v < graph->vertices; v += step) {
        uint64_t row = hop__offset(graph, v), degree = hop__offset(graph, v + 1) - row;
        if (degree == 0)
            continue;
        taken++;
        near += graph->targets[row + v % degree] / range == v / range;
    }
    return near * 2 >= taken;
}

static void start_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop_vertex *parents = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        parents[v] = (hop_vertex)v;
}

void hop__forest_start(hop_context *context, hop_vertex *parents, uint64_t vertices) {
    hop__for(context, vertices, 1 << 16, start_range, parents);
}

hop_status hop__forest_join_arcs(hop__forest *forest) {
    hop_context *context = forest->context;
    const hop_graph *graph = forest->graph;
    uint64_t n = graph->vertices, words = hop__bitmap_words(n);
    unsigned threads = hop__team_expect(context, n + graph->arcs);
    job work = {.forest = forest};
    hop_status status;
    uint64_t ranges = threads == 1 ? 1 : (uint64_t)threads * RANGES_PER_THREAD;
    work.range = (n / ranges + 64) / 64 * 64;
    if (work.range < RANGE_LEAST)
        work.range = RANGE_LEAST;
    ranges = n / work.range + (n % work.range != 0);
    hop__phase(context, "join");
    hop__progress_begin(context, "components: ranges", n);
    bool few = forest->giant && forest->left < n / FEW_LEFT;
    /* Of a directed graph without reverse arcs, arcs of the giant have been followed: its tree has
     * vertices of many ranges. */
    bool spread = forest->giant && graph->directed && !forest->reverse;
    if (!few && !spread && (ranges == 1 || mostly_local(graph, work.range))) {
        HOP_TRY(status, hop__workspace_take(forest->space, &forest->crossing, words));
        work.crossing = forest->crossing;
        hop__for(context, ranges, 1, own_ranges, &work);
        hop__phase(context, "cross");
        if (ranges > 1 || forest->giant)
            hop__for(context, words, 256, cross_words, &work);
    } else if (forest->giant) { /* of what is left */
        work.range = 1;         /* every arc leaves its range */
        hop__for(context, words, 256, cross_words, &work);
    } else {
        hop__forest_start(context, forest->parents, n);
        hop__for(context, n, REPORT, scattered_range, &work);
    }
    if (!forest->giant)
        forest->arcs += graph->arcs;
    status = hop__progress_end(context);
done:
    hop__workspace_drop(forest->space, &forest->crossing);
    return status;
}

typedef struct flatten_job {
    hop__forest *forest;
    hop_vertex giant_root;
    atomic_uint_fast64_t roots;
} flatten_job;

/* Points v to its root; 1 if it is one. Most vertices are right already: writing them again would
 * cost more than looking. Few are more than two steps below: the loop is seldom entered. */
static inline uint64_t flatten_vertex(hop_vertex *parents, uint64_t v) {
    hop_vertex parent = hop__load_u32(&parents[v]), root = hop__load_u32(&parents[parent]), above;
    while ((above = hop__load_u32(&parents[root])) != root)
        root = above;
    if (root != parent)
        hop__store_u32(&parents[v], root);
    return root == v;
}

/* The vertices of one word of the giant's bits: the giant's get its label, closed ones their own,
 * which nobody has written yet, and open ones that of their root. */
static uint64_t flatten_word(const flatten_job *work, uint64_t word, uint64_t end) {
    const hop__forest *forest = work->forest;
    hop_vertex *labels = forest->parents + word * 64, label = work->giant_root;
    uint64_t giant = forest->giant[word], open = hop__forest_open(forest, word), roots = 0;
    uint64_t count = end - word * 64 < 64 ? end - word * 64 : 64;
    if (count == 64 && open == 0) {
        for (uint64_t b = 0; b < 64; b++) {
            hop_vertex mask = -(hop_vertex)(giant >> b & 1);
            labels[b] = (label & mask) | ((hop_vertex)(word * 64 + b) & ~mask);
        }
        return 64 - (uint64_t)__builtin_popcountll(giant);
    }
    for (uint64_t b = 0; b < count; b++) {
        uint64_t v = word * 64 + b;
        if (giant >> b & 1)
            hop__store_u32(&labels[b], label);
        else if (open >> b & 1)
            roots += flatten_vertex(forest->parents, v);
        else
            labels[b] = (hop_vertex)v, roots++;
    }
    return roots;
}

static void flatten_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    flatten_job *work = arg;
    const hop__forest *forest = work->forest;
    uint64_t roots = 0;
    (void)thread;
    if (forest->giant)
        for (uint64_t word = begin / 64; word * 64 < end; word++) {
            for (uint64_t b = 0; b < 64; b += 16)
                __builtin_prefetch(&forest->parents[word * 64 + b + STREAM_AHEAD], 1);
            roots += flatten_word(work, word, end);
        }
    else
        for (uint64_t v = begin; v < end; v++) {
            __builtin_prefetch(&forest->parents[v + STREAM_AHEAD], 1);
            roots += flatten_vertex(forest->parents, v);
        }
    atomic_fetch_add(&work->roots, roots);
    (void)hop__progress_add(forest->context, end - begin);
}

hop_status hop__forest_flatten(hop__forest *forest) {
    flatten_job work = {.forest = forest};
    hop_vertex n = forest->graph->vertices;
    if (forest->giant) {
        work.giant_root = hop__forest_climb_alone(forest->parents, forest->root);
        atomic_init(&work.roots, work.giant_root == forest->root);
    }
    hop__phase(forest->context, "flatten");
    hop__phase_bytes(forest->context, 4 * (uint64_t)n);
    hop__progress_begin(forest->context, "components: labels", n);
    hop__for(forest->context, n, REPORT, flatten_range, &work);
    forest->roots = (hop_vertex)atomic_load(&work.roots);
    return hop__progress_end(forest->context);
}

static void ranges_blocks(const void *user, hop__workspace *space) {
    hop__forest_blocks(space, 0, ((const hop__components_task *)user)->graph);
}

static hop_status ranges_run(hop_context *context, const hop__components_task *task) {
    hop__workspace space = {0};
    hop__forest forest = {
        .context = context, .graph = task->graph, .parents = task->labels, .space = &space};
    hop_status status;
    HOP_TRY(status, hop__workspace_open(context, NULL, ranges_blocks, task, &forest, &space));
    hop__advise_huge(task->labels, sizeof *task->labels * (uint64_t)task->graph->vertices);
    HOP_TRY(status, hop__forest_join_arcs(&forest));
    HOP_TRY(status, hop__forest_flatten(&forest));
    task->report->relaxations = forest.arcs;
    *task->count = forest.roots;
done:
    hop__workspace_close(&space, status);
    return status;
}

const hop__components_variant hop__components_ranges = {
    .row = {.about = {.name = "ranges",
                      .summary = "union-find over ranges of ids without atomics, then the edges "
                                 "between them",
                      .source = "ours",
                      .place = HOP_PLACE_HOST},
            .blocks = ranges_blocks},
    .run = ranges_run,
};
