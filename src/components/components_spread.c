/* SPDX-License-Identifier: Apache-2.0
 *
 * Spreading: the step of giant-first between the probe and the sweeps.
 *
 * A row of the giant that is read from end to end costs a few bytes per vertex that it leads to,
 * where a sweep takes a cache line for each vertex that it finds. So some rows are read first:
 *   - of a graph with skewed degrees the largest, which together lead to half of the vertices;
 *   - of others, with rows that are not short, the first ones, as they stand in memory.
 * After that most vertices are found, and the sweeps look at the rest.
 *
 * Threads share the targets among them, not the rows: rows are sorted, so each thread takes the
 * part of a row that falls into its part of the bits. No two of them write to one cache line, and
 * lines do not travel between cores. With more than PARTS threads several work on one part: then a
 * bit may be lost that two set in one word at the same time, since setting is no atomic step. The
 * sweeps find it again.
 *
 * Cost: at most LARGE_ARCS arcs per vertex; 16 KiB on the stack. */
#include "components/components_giant.h"
#include "core/parallel.h"

enum {
    SKEWED = 64,        /* degrees are, when the largest is so many times the mean */
    LARGE_MOST = 4096,  /* rows */
    LARGE_HALVINGS = 4, /* large: of the largest degree, halved at most so often */
    LARGE_ARCS = 3,     /* arcs per vertex that large rows may have together */
    FIRST_ARCS = 1,     /* arcs per vertex of the first rows, where degrees are not skewed */
    FIRST_MEAN = 16,    /* shorter rows lead to too few vertices */
    PARTS = 4,
    LINE = 512, /* vertices whose bits are in one cache line */
    SHORT_ROW = 64,
    REPORT_ARCS = 1 << 20,
};

typedef struct job {
    hop_context *context;
    const hop_graph *graph;
    uint64_t *giant;
    uint64_t least; /* degree of a large row */
    uint64_t rows;
    hop_vertex *large; /* the rows; NULL: the first ones */
    atomic_uint_fast64_t count;
} job;

static uint64_t degree_of(const hop_graph *graph, hop_vertex v) {
    return hop__offset(graph, (uint64_t)v + 1) - hop__offset(graph, v);
}

static void collect_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    uint64_t next = hop__offset(work->graph, begin);
    (void)thread;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t row = next;
        next = hop__offset(work->graph, v + 1);
        if (next - row < work->least)
            continue;
        uint64_t place = atomic_fetch_add_explicit(&work->count, 1, memory_order_relaxed);
        if (place < LARGE_MOST)
            work->large[place] = (hop_vertex)v;
    }
    (void)hop__progress_add(work->context, end - begin);
}

/* Collects large rows. How many arcs they have depends on the graph: the least degree that counts
 * as large is raised until those arcs are not too many. */
static void large_rows(job *work, hop_vertex large[LARGE_MOST]) {
    const hop_graph *graph = work->graph;
    uint64_t degree = graph->shared->facts.max_degree, arcs[LARGE_HALVINGS + 1] = {0};
    unsigned halvings = LARGE_HALVINGS;
    work->large = large;
    work->least = (degree >> LARGE_HALVINGS) + 1;
    hop__for(work->context, graph->vertices, 1 << 16, collect_range, work);
    uint64_t count = atomic_load(&work->count);
    if (count > LARGE_MOST)
        count = LARGE_MOST;
    for (uint64_t k = 0; k < count; k++)
        for (unsigned h = LARGE_HALVINGS; h > 0 && degree_of(graph, large[k]) > degree >> h; h--)
            arcs[h] += degree_of(graph, large[k]);
    while (halvings > 1 && arcs[halvings] / LARGE_ARCS > graph->vertices)
        halvings--;
    for (uint64_t k = 0; k < count; k++)
        if (degree_of(graph, large[k]) > degree >> halvings)
            large[work->rows++] = large[k];
}

/* As many of the first rows as have FIRST_ARCS arcs per vertex together. */
static uint64_t first_rows(const hop_graph *graph) {
    uint64_t low = 0, high = graph->vertices, wanted = high * FIRST_ARCS;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (hop__offset(graph, middle) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* First arc of [i, end) with a target of at least `least`. Counting has no branch to guess wrong,
 * and is faster on short rows than halving. */
static uint64_t row_seek(const hop_vertex *targets, uint64_t i, uint64_t end, hop_vertex least) {
    while (end - i > SHORT_ROW) {
        uint64_t middle = i + (end - i) / 2;
        if (targets[middle] < least)
            i = middle + 1;
        else
            end = middle;
    }
    uint32_t count = 0, length = (uint32_t)(end - i);
    for (uint32_t k = 0; k < length; k++)
        count += targets[i + k] < least;
    return i + count;
}

/* Without looking first whether a bit is set: half of those branches would be guessed wrong. */
static void mark_row(uint64_t *giant, const hop_vertex *targets, uint64_t i, uint64_t end) {
    for (; i < end; i++) {
        uint64_t *word = &giant[targets[i] / 64];
        hop__store_u64(word, hop__load_u64(word) | UINT64_C(1) << (targets[i] % 64));
    }
}

static void spread_rows(void *arg, unsigned thread, unsigned threads) {
    job *work = arg;
    const hop_graph *graph = work->graph;
    const hop_vertex *targets = graph->targets;
    unsigned parts = threads < PARTS ? threads : PARTS, groups = threads / parts;
    unsigned part = thread % parts, group = thread / parts;
    uint64_t lines = (uint64_t)graph->vertices / LINE + 1, marked = 0;
    hop_vertex low = (hop_vertex)(hop__share(lines, part, parts) * LINE);
    hop_vertex high = (hop_vertex)(hop__share(lines, part + 1, parts) * LINE);
    for (uint64_t k = group; group < groups && k < work->rows; k += groups) {
        uint64_t v = work->large ? work->large[k] : k;
        uint64_t i = hop__offset(graph, v), end = hop__offset(graph, v + 1), j = i;
        if (!hop__giant_has(work->giant, v) && !hop__giant_meets(work->giant, targets, &j, end))
            continue;
        if (part > 0)
            i = row_seek(targets, i, end, low);
        if (part + 1 < parts)
            end = row_seek(targets, i, end, high);
        mark_row(work->giant, targets, i, end);
        marked += end - i;
        if (marked >= REPORT_ARCS) {
            marked = 0;
            if (!hop__progress_add(work->context, 0))
                return;
        }
    }
}

hop_status hop__giant_spread(hop_context *context, const hop_graph *graph, uint64_t *giant) {
    uint64_t degree = graph->shared->facts.max_degree, mean = graph->arcs / graph->vertices;
    hop_vertex large[LARGE_MOST];
    job work = {.context = context, .graph = graph, .giant = giant};
    hop__progress_begin(context, "components: spread", graph->vertices);
    if (degree / SKEWED > mean)
        large_rows(&work, large);
    else if (mean >= FIRST_MEAN)
        work.rows = first_rows(graph);
    if (work.rows > 0)
        hop__team(context, spread_rows, &work);
    return hop__progress_end(context);
}
