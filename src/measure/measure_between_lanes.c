/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes: Brandes' sums for eight sources at once, a lane of a vector each; no weights. Brandes, "A
 * faster algorithm for betweenness centrality", 2001; several sources at once after Sariyuce et
 * al., "Betweenness centrality on GPUs and heterogeneous architectures", 2013.
 *
 * A search breadth first in eight lanes. An entry is a vertex and a mask of the lanes in which it
 * is found in a level; a vertex has one for each level in which some lane finds it: often two or
 * three, since sources of small worlds are equally far from most vertices. What passes between two
 * levels is worked out from one of its sides:
 *
 *   forward   push: an entry's arcs; targets that have lanes of the mask not yet seen get the
 *             vertex's counts of paths there, all lanes in one addition.
 *             pull: the arcs of vertices that have lanes not yet seen; the counts of those in the
 *             level are added up
 *   back      pull: an entry's arcs; of targets in the level behind, the shares
 *             (1 + dependency) / count are added up; times the count that is the dependency.
 *             push: the arcs of the entries behind; targets in the level get the shares.
 *             Of arcs: the share times the count, in the lanes that both have
 *
 * Along the arcs as they are, that is push forward and pull back; the others go against them, so
 * they are for undirected graphs: where that side has fewer arcs. In small worlds that is so for
 * the last levels, and halves the work. An arc of an undirected edge gets what the other would:
 * they are added up in the end.
 *
 * Counts are doubles: exact to 2^53, then rounded. Where their sum in a level exceeds 2^512, its
 * lane's counts of that level are multiplied by 2^-512, which changes no bit of the quotients that
 * matter; a count that thereby falls below LEAST is too many paths beside too few:
 * HOP__BETWEEN_UNCOUNTED. The sum of m shares, each up to n / count, is below 2^1024 above LEAST.
 *
 * All processors add the same numbers in the same order: no fused operations.
 *
 * Cost: O(n + m) per source, vectors of eight; 211 bytes per vertex and thread. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/cpu.h"
#include "core/progress.h"
#include "measure/measure_between.h"

enum { LANES = HOP__BETWEEN_BATCH };
#define LARGE 0x1p512
#define SMALL 0x1p-512
#define LEAST 0x1p-950

typedef double doubles __attribute__((vector_size(64)));
typedef int64_t words __attribute__((vector_size(64)));

typedef struct entry {
    hop_vertex vertex;
    uint32_t mask;
} entry;

typedef struct lanes_worker {
    doubles *counts;      /* paths; back: the shares of levels that are done */
    doubles *given;       /* 0 between steps; what one level gives or gets */
    uint8_t *unseen;      /* lanes in which it was not found yet */
    uint8_t *level;       /* 0 between steps; lanes of the level that is looked at */
    entry *entries;       /* level by level */
    uint64_t *begins;     /* of the levels */
    uint64_t *arcs;       /* of the entries of the levels */
    uint8_t *scaled;      /* of the levels: lanes whose counts were multiplied by SMALL */
    uint64_t unseen_arcs; /* of vertices with unseen lanes */
    uint64_t relaxations;
    bool uncounted, of_arcs;
    hop__cpu_level cpu;
} lanes_worker;

static bool lanes_refuse(const void *given, char reason[HOP__REASON]) {
    const hop__between_task *task = given;
    if (task->graph->weight_type == HOP_TYPE_NONE)
        return false;
    snprintf(reason, HOP__REASON,
             "it counts arcs, and the graph has weights (%s); searches adds them up",
             hop_type_name(task->graph->weight_type));
    return true;
}

static void lanes_worker_blocks(const hop__between_task *task, hop__workspace *space) {
    const uint64_t n = task->graph->vertices;
    HOP__BLOCK(space, "betweenness: counts", n, lanes_worker, counts)->zero = true;
    HOP__BLOCK(space, "betweenness: given", n, lanes_worker, given)->zero = true;
    HOP__BLOCK(space, "betweenness: unseen", n, lanes_worker, unseen);
    HOP__BLOCK(space, "betweenness: level", n, lanes_worker, level)->zero = true;
    HOP__BLOCK(space, "betweenness: entries", n * LANES, lanes_worker, entries);
    HOP__BLOCK(space, "betweenness: begins", n + 2, lanes_worker, begins);
    HOP__BLOCK(space, "betweenness: arcs", n + 2, lanes_worker, arcs);
    HOP__BLOCK(space, "betweenness: scaled", n + 2, lanes_worker, scaled);
}

static void lanes_begin(const hop__between_task *task, void *given) {
    lanes_worker *worker = given;
    worker->of_arcs = task->of_arcs;
    worker->cpu = hop__cpu();
}

#define INLINE static inline __attribute__((always_inline))

/* All bits in the lanes of a mask. */
INLINE void lanes_of(uint32_t mask, words *lanes) {
    const words bits = {1, 2, 4, 8, 16, 32, 64, 128};
    const words all = bits & (int64_t)mask;
    *lanes = all == bits;
}

INLINE void pick(const words *lanes, const doubles *values, doubles *picked) {
    *picked = (doubles)(*lanes & (words)*values);
}

INLINE void blend(const words *lanes, const doubles *chosen, doubles *other) {
    *other = (doubles)((*lanes & (words)*chosen) | (~*lanes & (words)*other));
}

/* Whether to go against the arcs of an undirected graph, from a side with so many of them. */
INLINE bool pays(const hop_graph *graph, uint64_t back, uint64_t along) {
    return !graph->directed && back < along;
}

/* Counts that were multiplied by SMALL made shares too large. */
INLINE void make_small(uint32_t scaled, doubles *values) {
    words lanes;
    if (scaled == 0)
        return;
    const doubles less = *values * SMALL;
    lanes_of(scaled, &lanes);
    blend(&lanes, &less, values);
}

/* The lanes of the entries of a level are marked; and no more. */
INLINE void mark(lanes_worker *worker, uint64_t begin, uint64_t end) {
    for (uint64_t k = begin; k < end; k++)
        worker->level[worker->entries[k].vertex] = (uint8_t)worker->entries[k].mask;
}

INLINE void unmark(lanes_worker *worker, uint64_t begin, uint64_t end) {
    for (uint64_t k = begin; k < end; k++)
        worker->level[worker->entries[k].vertex] = 0;
}

/* What `counts` has of a vertex in the lanes of a mask, 0 in others. */
INLINE void counts_of(const doubles *counts, uint32_t mask, doubles *picked) {
    words lanes;
    lanes_of(mask, &lanes);
    pick(&lanes, counts, picked);
}

/* --- forward --------------------------------------------------------------------------------- */

/* Lanes of v are found: it is an entry of level `depth`. `total` gets its counts. */
INLINE void put_entry(lanes_worker *worker, const hop_graph *graph, uint64_t depth, uint64_t at,
                      hop_vertex v, uint32_t mask, doubles *total) {
    const uint64_t degree = hop__offset(graph, (uint64_t)v + 1) - hop__offset(graph, v);
    doubles counts;
    counts_of(&worker->counts[v], mask, &counts);
    *total += counts;
    worker->entries[at] = (entry){v, mask};
    worker->arcs[depth] += degree;
    worker->unseen[v] = (uint8_t)(worker->unseen[v] & ~mask);
    if (worker->unseen[v] == 0)
        worker->unseen_arcs -= degree;
}

/* From the entries of a level to those of the next; where that ends. What is written to bytes might
 * be the worker's pointers, for all that compilers know: these have names of their own. */
INLINE uint64_t push_counts(lanes_worker *worker, const hop_graph *graph, uint64_t depth,
                            doubles *total) {
    const uint64_t end = worker->begins[depth];
    const uint8_t *unseen = worker->unseen;
    const hop_vertex *targets = graph->targets;
    uint8_t *level = worker->level;
    doubles *counts = worker->counts;
    entry *entries = worker->entries;
    uint64_t next = end;
    for (uint64_t k = worker->begins[depth - 1]; k < end; k++) {
        const uint64_t v = entries[k].vertex, stop = hop__offset(graph, v + 1);
        const uint32_t mask = entries[k].mask;
        const doubles from = counts[v];
        for (uint64_t i = hop__offset(graph, v); i < stop; i++) {
            const hop_vertex w = targets[i];
            const uint32_t fresh = mask & unseen[w];
            doubles more;
            if (fresh == 0)
                continue;
            if (level[w] == 0)
                entries[next++].vertex = w;
            level[w] = (uint8_t)(level[w] | fresh);
            counts_of(&from, fresh, &more);
            counts[w] += more;
        }
    }
    for (uint64_t k = end; k < next; k++)
        put_entry(worker, graph, depth, k, entries[k].vertex, level[entries[k].vertex], total);
    unmark(worker, end, next);
    return next;
}

/* The same by the arcs of vertices that have unseen lanes. */
INLINE uint64_t pull_counts(lanes_worker *worker, const hop_graph *graph, uint64_t depth,
                            doubles *total) {
    const uint64_t begin = worker->begins[depth - 1], end = worker->begins[depth];
    const uint8_t *level = worker->level;
    const hop_vertex *targets = graph->targets;
    doubles *counts = worker->counts;
    uint64_t next = end;
    mark(worker, begin, end);
    for (hop_vertex w = 0; w < graph->vertices; w++) {
        const uint32_t unseen = worker->unseen[w];
        if (unseen == 0)
            continue;
        const uint64_t stop = hop__offset(graph, (uint64_t)w + 1);
        uint32_t found = 0;
        doubles sum = {0};
        for (uint64_t i = hop__offset(graph, w); i < stop; i++) {
            const uint32_t fresh = level[targets[i]] & unseen;
            doubles more;
            if (fresh == 0)
                continue;
            found |= fresh;
            counts_of(&counts[targets[i]], fresh, &more);
            sum += more;
        }
        if (found == 0)
            continue;
        counts[w] += sum;
        put_entry(worker, graph, depth, next++, w, found, total);
    }
    unmark(worker, begin, end);
    return next;
}

/* Multiplies the counts of some lanes of a level. */
static void scale_level(lanes_worker *worker, uint64_t begin, uint64_t end, uint32_t scaled) {
    for (uint64_t k = begin; k < end; k++)
        for (unsigned lane = 0; lane < LANES; lane++)
            if (worker->entries[k].mask & scaled & 1u << lane) {
                double *count = &((double *)&worker->counts[worker->entries[k].vertex])[lane];
                *count *= SMALL;
                worker->uncounted |= *count < LEAST;
            }
}

/* Makes level `depth`. */
INLINE void next_level(lanes_worker *worker, const hop_graph *graph, uint64_t depth) {
    uint64_t *begins = worker->begins;
    doubles total = {0};
    uint32_t scaled = 0;
    worker->arcs[depth] = 0;
    if (pays(graph, worker->unseen_arcs + graph->vertices / 4, worker->arcs[depth - 1])) {
        worker->relaxations += worker->unseen_arcs;
        begins[depth + 1] = pull_counts(worker, graph, depth, &total);
    } else {
        worker->relaxations += worker->arcs[depth - 1];
        begins[depth + 1] = push_counts(worker, graph, depth, &total);
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        scaled |= (uint32_t)(total[lane] >= LARGE) << lane;
    worker->scaled[depth] = (uint8_t)scaled;
    if (scaled != 0)
        scale_level(worker, begins[depth], begins[depth + 1], scaled);
}

/* --- back ------------------------------------------------------------------------------------ */

/* All lanes of a vector, in an order that no processor changes. */
INLINE double added(const doubles *sum) {
    typedef double four __attribute__((vector_size(32), may_alias));
    typedef double two __attribute__((vector_size(16), may_alias));
    const four halves = ((const four *)sum)[0] + ((const four *)sum)[1];
    const two quarters = ((const two *)&halves)[0] + ((const two *)&halves)[1];
    return quarters[0] + quarters[1];
}

/* Of an entry: what the level behind gave makes its dependency, and that its share, which is from
 * now on where its count was. */
INLINE void put_share(lanes_worker *worker, entry of, uint32_t scaled, const doubles *got,
                      double *sums) {
    doubles dependency = *got, shares;
    words lanes;
    make_small(scaled, &dependency);
    dependency *= worker->counts[of.vertex];
    lanes_of(of.mask, &lanes);
    pick(&lanes, &dependency, &dependency);
    shares = (1 + dependency) / worker->counts[of.vertex];
    blend(&lanes, &shares, &worker->counts[of.vertex]);
    if (!worker->of_arcs)
        sums[of.vertex] += added(&dependency);
}

/* The shares of a level by the arcs of its entries. */
INLINE void pull_shares(lanes_worker *worker, const hop_graph *graph, uint64_t at, bool of_arcs,
                        double *sums) {
    const uint64_t *begins = worker->begins;
    const uint8_t *level = worker->level;
    const hop_vertex *targets = graph->targets;
    const doubles *shares = worker->counts;
    const uint32_t scaled = worker->scaled[at + 1];
    mark(worker, begins[at + 1], begins[at + 2]);
    for (uint64_t k = begins[at]; k < begins[at + 1]; k++) {
        const entry of = worker->entries[k];
        const uint64_t stop = hop__offset(graph, (uint64_t)of.vertex + 1);
        doubles got = {0}, counts = worker->counts[of.vertex];
        make_small(scaled, &counts);
        for (uint64_t i = hop__offset(graph, of.vertex); i < stop; i++) {
            const uint32_t both = level[targets[i]] & of.mask;
            doubles more;
            if (both == 0)
                continue;
            counts_of(&shares[targets[i]], both, &more);
            got += more;
            if (of_arcs) {
                more *= counts;
                sums[i] += added(&more);
            }
        }
        put_share(worker, of, scaled, &got, sums);
    }
    unmark(worker, begins[at + 1], begins[at + 2]);
}

/* The same by the arcs of the entries behind. */
INLINE void push_shares(lanes_worker *worker, const hop_graph *graph, uint64_t at, bool of_arcs,
                        double *sums) {
    const doubles none = {0};
    const uint64_t *begins = worker->begins;
    const entry *entries = worker->entries;
    const hop_vertex *targets = graph->targets;
    const doubles *counts = worker->counts;
    const uint8_t *level = worker->level;
    const uint32_t scaled = worker->scaled[at + 1];
    doubles *given = worker->given;
    mark(worker, begins[at], begins[at + 1]);
    for (uint64_t k = begins[at + 1]; k < begins[at + 2]; k++) {
        const uint64_t w = entries[k].vertex, stop = hop__offset(graph, w + 1);
        const uint32_t mask = entries[k].mask;
        doubles shares;
        counts_of(&counts[w], mask, &shares);
        for (uint64_t i = hop__offset(graph, w); i < stop; i++) {
            const hop_vertex v = targets[i];
            const uint32_t both = level[v] & mask;
            if (both == 0)
                continue;
            given[v] += shares;
            if (of_arcs) {
                doubles along;
                counts_of(&counts[v], both, &along);
                make_small(scaled, &along);
                along *= shares;
                sums[i] += added(&along);
            }
        }
    }
    for (uint64_t k = begins[at]; k < begins[at + 1]; k++) {
        put_share(worker, entries[k], scaled, &given[entries[k].vertex], sums);
        given[entries[k].vertex] = none;
    }
    unmark(worker, begins[at], begins[at + 1]);
}

/* One entry for each source; they differ. */
static void put_sources(lanes_worker *worker, const hop_graph *graph, const hop_vertex *sources,
                        unsigned count) {
    doubles total = {0};
    memset(worker->unseen, (int)((1u << count) - 1), graph->vertices);
    worker->unseen_arcs = graph->arcs;
    worker->arcs[0] = 0;
    for (unsigned lane = 0; lane < count; lane++) {
        ((double *)&worker->counts[sources[lane]])[lane] = 1;
        put_entry(worker, graph, 0, lane, sources[lane], 1u << lane, &total);
    }
    worker->begins[0] = 0;
    worker->begins[1] = count;
    worker->scaled[0] = 0;
}

/* No vertex has counts. */
INLINE void clear_counts(lanes_worker *worker, hop_vertex n, uint64_t entries) {
    const doubles none = {0};
    if (entries > n / 4)
        memset(worker->counts, 0, n * sizeof none);
    else
        for (uint64_t k = 0; k < entries; k++)
            worker->counts[worker->entries[k].vertex] = none;
}

INLINE hop__between_end search_batch(hop_context *context, const hop_graph *graph,
                                     lanes_worker *worker, unsigned count, double *sums) {
    const bool of_arcs = worker->of_arcs;
    const uint64_t least = of_arcs ? 0 : 1; /* the sources have arcs, but no dependencies */
    const uint64_t *begins = worker->begins, *arcs = worker->arcs;
    uint64_t depth = 0;
    bool goes_on = true;
    while (goes_on && begins[depth] < begins[depth + 1]) {
        next_level(worker, graph, ++depth);
        goes_on = hop__progress_add(context, 0) && !worker->uncounted;
    }
    /* Level `depth` is empty, or it is given up. */
    for (uint64_t at = depth; goes_on && at-- > least;) {
        if (begins[at + 1] == begins[at + 2] || pays(graph, arcs[at + 1], arcs[at]))
            push_shares(worker, graph, at, of_arcs, sums);
        else
            pull_shares(worker, graph, at, of_arcs, sums);
        goes_on = hop__progress_add(context, 0);
    }
    clear_counts(worker, graph->vertices, begins[depth + 1]);
    goes_on = hop__progress_add(context, count) && goes_on;
    return worker->uncounted ? HOP__BETWEEN_UNCOUNTED
           : goes_on         ? HOP__BETWEEN_DONE
                             : HOP__BETWEEN_CANCELLED;
}

typedef hop__between_end batch_fn(hop_context *context, const hop_graph *graph,
                                  lanes_worker *worker, unsigned count, double *sums);

static hop__between_end batch_plain(hop_context *context, const hop_graph *graph,
                                    lanes_worker *worker, unsigned count, double *sums) {
    return search_batch(context, graph, worker, count, sums);
}

#if HOP__CPU_X86
__attribute__((target("avx2"))) static hop__between_end batch_avx2(hop_context *context,
                                                                   const hop_graph *graph,
                                                                   lanes_worker *worker,
                                                                   unsigned count, double *sums) {
    return search_batch(context, graph, worker, count, sums);
}

__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2"))) static hop__between_end
batch_avx512(hop_context *context, const hop_graph *graph, lanes_worker *worker, unsigned count,
             double *sums) {
    return search_batch(context, graph, worker, count, sums);
}
#else
#define batch_avx2   batch_plain
#define batch_avx512 batch_plain
#endif

static hop__between_end lanes_batch(hop_context *context, const hop__between_task *task,
                                    void *given, const hop_vertex *sources, unsigned count,
                                    double *sums) {
    static batch_fn *const forms[HOP__CPU_LEVELS] = {batch_plain, batch_avx2, batch_avx512};
    lanes_worker *worker = given;
    put_sources(worker, task->graph, sources, count);
    return forms[worker->cpu](context, task->graph, worker, count, sums);
}

static uint64_t lanes_relaxations(const void *worker) {
    return ((const lanes_worker *)worker)->relaxations;
}

static void lanes_blocks(const void *task, hop__workspace *space) {
    hop__between_blocks(&hop__between_lanes, task, space);
}

const hop__between_variant hop__between_lanes = {
    .row = {.about = {.name = "lanes",
                      .summary = "eight sources at once, a lane of a vector each; no weights",
                      .source = "Brandes 2001, Sariyuce et al. 2013",
                      .place = HOP_PLACE_HOST},
            .refuse = lanes_refuse,
            .blocks = lanes_blocks},
    .worker_bytes = sizeof(lanes_worker),
    .worker_blocks = lanes_worker_blocks,
    .begin = lanes_begin,
    .batch = lanes_batch,
    .relaxations = lanes_relaxations,
};
