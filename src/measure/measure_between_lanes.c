/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes: Brandes' sums for eight sources at once, a lane of a vector each; no weights. Brandes, "A
 * faster algorithm for betweenness centrality", 2001; several sources at once after Sariyuce et
 * al., "Betweenness centrality on GPUs and heterogeneous architectures", 2013.
 *
 * A search breadth first in eight lanes. An entry is a vertex and a mask of the lanes in which it
 * is found in a level; a vertex has one for each level in which some lane finds it: often two or
 * three, since sources of small worlds are equally far from most vertices.
 *
 *   forward   an entry's arcs: targets that have lanes of the mask not yet seen get the vertex's
 *             counts of paths, all lanes in one addition; what came to lanes that were seen is
 *             thrown away when the level ends
 *   back      an entry's arcs: of targets in the level behind, the shares (1 + dependency) / count
 *             are added up; times the count that is the dependency. Shares are there for the level
 *             behind only, and 0 in lanes of others, so that nothing is to be masked. Of arcs:
 *             the share of the target times the count, lanes of the entry only
 *
 * Counts are doubles: exact to 2^53, then rounded. Where one exceeds 2^512, its lane's counts of
 * that level are multiplied by 2^-512, which changes no bit of the quotients that matter; a count
 * that thereby leaves what doubles hold (2^-1022) is too many paths beside too few:
 * HOP__BETWEEN_UNCOUNTED.
 *
 * All processors add the same numbers in the same order: no fused operations.
 *
 * Cost: O(n + m) per source, vectors of eight; 64 to 217 bytes per vertex and thread. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/cpu.h"
#include "core/progress.h"
#include "measure/measure_between.h"

enum { LANES = HOP__BETWEEN_BATCH };
#define LARGE 0x1p512
#define SMALL 0x1p-512

typedef double doubles __attribute__((vector_size(64)));
typedef int64_t words __attribute__((vector_size(64)));

typedef struct entry {
    hop_vertex vertex;
    uint32_t mask;
} entry;

typedef struct lanes_worker {
    doubles *counts;
    doubles *shares;  /* 0 between batches; forward: what arrives in a level */
    uint8_t *seen;    /* lanes in which it was found */
    uint8_t *level;   /* 0 between batches; lanes of the level that is made, or of the one behind */
    entry *entries;   /* level by level */
    uint64_t *begins; /* of the levels */
    uint8_t *scaled;  /* of the levels: lanes whose counts were multiplied by SMALL */
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
    HOP__BLOCK(space, "betweenness: shares", n, lanes_worker, shares)->zero = true;
    HOP__BLOCK(space, "betweenness: seen", n, lanes_worker, seen);
    HOP__BLOCK(space, "betweenness: level", n, lanes_worker, level)->zero = true;
    HOP__BLOCK(space, "betweenness: entries", n * LANES, lanes_worker, entries);
    HOP__BLOCK(space, "betweenness: begins", n + 2, lanes_worker, begins);
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

/* From the entries of a level to those of the next; where that ends. */
INLINE uint64_t push_level(lanes_worker *worker, const hop_graph *graph, uint64_t begin,
                           uint64_t end) {
    uint64_t next = end;
    for (uint64_t k = begin; k < end; k++) {
        const uint64_t v = worker->entries[k].vertex, stop = hop__offset(graph, v + 1);
        const uint32_t mask = worker->entries[k].mask;
        words lanes;
        doubles counts;
        lanes_of(mask, &lanes);
        pick(&lanes, &worker->counts[v], &counts);
        for (uint64_t i = hop__offset(graph, v); i < stop; i++) {
            const hop_vertex w = graph->targets[i];
            const uint32_t fresh = mask & ~(uint32_t)worker->seen[w];
            if (fresh == 0)
                continue;
            if (worker->level[w] == 0)
                worker->entries[next++].vertex = w;
            worker->level[w] = (uint8_t)(worker->level[w] | fresh);
            worker->shares[w] += counts;
        }
        worker->relaxations += stop - hop__offset(graph, v);
    }
    return next;
}

/* Multiplies the counts of some lanes of a level. */
static void scale_level(lanes_worker *worker, uint64_t begin, uint64_t end, uint32_t scaled) {
    for (uint64_t k = begin; k < end; k++)
        for (unsigned lane = 0; lane < LANES; lane++)
            if (worker->entries[k].mask & scaled & 1u << lane) {
                double *count = &((double *)&worker->counts[worker->entries[k].vertex])[lane];
                *count *= SMALL;
                worker->uncounted |= *count < 0x1p-1022;
            }
}

/* What has arrived becomes the counts of the new entries. */
INLINE void close_level(lanes_worker *worker, uint64_t begin, uint64_t end, uint8_t *scaled) {
    const doubles none = {0};
    words large = {0};
    for (uint64_t k = begin; k < end; k++) {
        const hop_vertex v = worker->entries[k].vertex;
        const uint32_t mask = worker->level[v];
        words lanes;
        lanes_of(mask, &lanes);
        blend(&lanes, &worker->shares[v], &worker->counts[v]);
        large |= lanes & (worker->counts[v] >= LARGE);
        worker->shares[v] = none;
        worker->seen[v] = (uint8_t)(worker->seen[v] | mask);
        worker->level[v] = 0;
        worker->entries[k].mask = mask;
    }
    uint32_t over = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        over |= (uint32_t)(large[lane] != 0) << lane;
    *scaled = (uint8_t)over;
    if (over != 0)
        scale_level(worker, begin, end, over);
}

/* All lanes of a vector, in an order that no processor changes. */
INLINE double added(const doubles *sum) {
    const double *of = (const double *)sum;
    return ((of[0] + of[1]) + (of[2] + of[3])) + ((of[4] + of[5]) + (of[6] + of[7]));
}

/* Counts of a level behind that were multiplied by SMALL made its shares too large. */
INLINE void make_small(uint32_t scaled, doubles *shares) {
    words small;
    if (scaled == 0)
        return;
    const doubles less = *shares * SMALL;
    lanes_of(scaled, &small);
    blend(&small, &less, shares);
}

/* Adds the dependencies of the arcs of v. `counts` are 0 in lanes that are not of the entry. */
INLINE void add_arcs(const lanes_worker *worker, const hop_graph *graph, uint64_t v, uint32_t mask,
                     uint32_t scaled, const doubles *counts, double *sums) {
    const uint64_t stop = hop__offset(graph, v + 1);
    for (uint64_t i = hop__offset(graph, v); i < stop; i++)
        if (worker->level[graph->targets[i]] & mask) {
            doubles shares = worker->shares[graph->targets[i]];
            make_small(scaled, &shares);
            shares *= *counts;
            sums[i] += added(&shares);
        }
}

/* The dependencies of a level's entries; for now their shares are where their counts were. */
INLINE void pull_level(lanes_worker *worker, const hop_graph *graph, uint64_t begin, uint64_t end,
                       uint32_t scaled, bool of_arcs, double *sums) {
    for (uint64_t k = begin; k < end; k++) {
        const uint64_t v = worker->entries[k].vertex, stop = hop__offset(graph, v + 1);
        const uint32_t mask = worker->entries[k].mask;
        doubles sum = {0}, shares;
        words lanes;
        for (uint64_t i = hop__offset(graph, v); i < stop; i++)
            if (worker->level[graph->targets[i]] & mask)
                sum += worker->shares[graph->targets[i]];
        lanes_of(mask, &lanes);
        pick(&lanes, &sum, &sum);
        make_small(scaled, &sum);
        pick(&lanes, &worker->counts[v], &shares);
        if (of_arcs)
            add_arcs(worker, graph, v, mask, scaled, &shares, sums);
        sum *= shares;
        shares = (1 + sum) / worker->counts[v];
        blend(&lanes, &shares, &worker->counts[v]);
        if (!of_arcs)
            sums[v] += added(&sum);
    }
}

/* The shares of one level go, those of the one before come. */
INLINE void change_level(lanes_worker *worker, uint64_t begin, uint64_t middle, uint64_t end) {
    const doubles none = {0};
    for (uint64_t k = middle; k < end; k++) {
        worker->shares[worker->entries[k].vertex] = none;
        worker->level[worker->entries[k].vertex] = 0;
    }
    for (uint64_t k = begin; k < middle; k++) {
        const hop_vertex v = worker->entries[k].vertex;
        words lanes;
        lanes_of(worker->entries[k].mask, &lanes);
        pick(&lanes, &worker->counts[v], &worker->shares[v]);
        worker->level[v] = (uint8_t)worker->entries[k].mask;
    }
}

/* One entry for each source; they differ. */
static void put_sources(lanes_worker *worker, const hop_vertex *sources, unsigned count) {
    for (unsigned lane = 0; lane < count; lane++) {
        const hop_vertex v = sources[lane];
        ((double *)&worker->counts[v])[lane] = 1;
        worker->entries[lane] = (entry){v, 1u << lane};
        worker->seen[v] = (uint8_t)(1u << lane);
    }
    worker->begins[0] = 0;
    worker->begins[1] = count;
    worker->scaled[0] = 0;
}

INLINE hop__between_end search_batch(hop_context *context, const hop_graph *graph,
                                     lanes_worker *worker, unsigned count, double *sums) {
    const bool of_arcs = worker->of_arcs;
    const uint64_t least = of_arcs ? 0 : 1; /* the sources have arcs, but no dependencies */
    uint64_t *begins = worker->begins, depth = 0;
    bool goes_on = true;
    while (goes_on && begins[depth] < begins[depth + 1]) {
        depth++;
        begins[depth + 1] = push_level(worker, graph, begins[depth - 1], begins[depth]);
        close_level(worker, begins[depth], begins[depth + 1], &worker->scaled[depth]);
        goes_on = hop__progress_add(context, 0) && !worker->uncounted;
    }
    /* Level `depth` is empty, or it is given up. */
    begins[depth + 1] = begins[depth];
    for (uint64_t level = depth; goes_on && level-- > least;) {
        pull_level(worker, graph, begins[level], begins[level + 1], worker->scaled[level + 1],
                   of_arcs, sums);
        change_level(worker, begins[level], begins[level + 1], begins[level + 2]);
        goes_on = hop__progress_add(context, 0);
    }
    if (depth > least)
        change_level(worker, begins[least], begins[least], begins[least + 1]);
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
    memset(worker->seen, 0, task->graph->vertices);
    put_sources(worker, sources, count);
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
