/* SPDX-License-Identifier: Apache-2.0
 *
 * dijkstra: distances in ascending order from a queue. The reference for weights that are not
 * negative. D2, 3.2.2 (Dijkstra 1959); the queue is a radix heap (Ahuja, Mehlhorn, Orlin and
 * Tarjan, "Faster algorithms for the shortest path problem", 1990).
 *
 * The nearest vertex that is not settled yet is taken from the queue; no way to it can be shorter,
 * so it is settled, and its arcs are relaxed: a neighbour that comes nearer gets a new entry. An
 * entry whose distance is not that of its vertex any more is dropped when it comes up.
 *
 * The queue uses that distances leave it in ascending order. With `last` the distance taken last,
 * as an unsigned number, bucket b > 0 has the entries whose highest bit that differs from last is
 * bit b - 1; bucket 0 those that are equal. When bucket 0 is empty, last becomes the least distance
 * of the first bucket that is not, and that bucket is spread over those before it: so an entry
 * moves at most 64 times, and always from one array to the end of another. That is what makes it
 * fast: on a million vertices it takes half the time of a heap with four children per node, whether
 * that keeps positions or drops late (docs/sssp.md).
 *
 * Buckets are lists of chunks from one pool of fixed size, so that a search allocates nothing. When
 * the pool is used up, all useless entries are dropped: at most n are left.
 *
 * An entry is one 64-bit number, distance above vertex, where a bound proves that both fit.
 *
 * Invariants:
 *  1. A vertex that is reached and not settled has exactly one entry with its distance.
 *  2. Distances leave the queue in ascending order, rounded sums included, since a + w >= a.
 *  3. When a bucket is spread, more chunks are free than there are buckets: it may begin one in
 *     each before its own become free.
 *  4. Parents: of the tight u nearer than v all are settled before v, so the smallest one that
 *     relaxed v to its final distance is the parent. A vertex that was reached over an arc between
 *     equal distances has no nearer tight u: it is left to hop__sssp_level_parents.
 *
 * What bounds the work for the worst input: a vertex is settled once, so an arc is relaxed once and
 * makes one entry at most; that moves 64 times at most, since it only ever goes to an earlier
 * bucket; a purge looks at 1.5 n entries and leaves n, so there is one per n / 2 entries at most.
 * apsp does that once per source.
 *
 * Cost: O(m + n log C) for distances up to C, one random access per arc; 12.2 bytes per vertex
 * (24.2 for float64, or where the bound fails), n / 8 more for parents where an arc may join equal
 * distances. */
#include "sssp/sssp_dijkstra.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "core/bitmap.h"
#include "core/checked.h"
#include "core/progress.h"
#include "core/sort.h"
#include "core/try.h"
#include "sssp/real_bits.h"

enum { REPORT_ARCS = 1 << 16, FILL_VERTICES = 1 << 20 };
enum { CHUNK = 32, BUCKETS = 65 };
static const uint32_t NO_CHUNK = UINT32_MAX; /* beyond int, so not in the enum */

/* The first chunk of a list, and how much of it is used; the others are full. An empty bucket has
 * no chunk and counts as full. */
typedef struct bucket {
    uint32_t chunk, fill;
} bucket;

/* One search. */
typedef struct dijkstra_run {
    hop_context *context;
    hop__dijkstra *space;
    const hop_vertex *sources;
    hop_vertex source_count;
    void *distances;
    hop_vertex *parents;              /* NULL: not wanted */
    uint64_t *level;                  /* with parents: see hop__sssp_level_parents */
    uint64_t level_count;             /* vertices that are left to it */
    const hop__dijkstra_known *known; /* NULL: nothing */
    const uint64_t *targets;          /* a bit each, or NULL */
    uint64_t targets_left;
    int64_t limit_integer; /* nothing farther is reached */
    double limit_real;
    uint64_t unreported;
    /* The queue. */
    unsigned vertex_bits;
    uint64_t last;
    uint64_t used;        /* a bit for each bucket above 0 that is not empty */
    uint32_t free_chunk;  /* a list of chunks that were used before */
    uint32_t fresh_chunk; /* this and all after it were not */
    uint64_t free_count;  /* of both kinds */
    unsigned bucket_count;
    bucket buckets[BUCKETS];
} dijkstra_run;

static bool report(dijkstra_run *run) {
    uint64_t arcs = run->unreported;
    run->unreported = 0;
    run->space->relaxations += arcs;
    return hop__progress_add(run->context, arcs);
}

static inline unsigned bucket_of(uint64_t last, uint64_t key) {
    return key == last ? 0 : 64 - (unsigned)__builtin_clzll(key ^ last);
}

/* Puts an empty chunk before those of a bucket. */
static void bucket_grow(dijkstra_run *run, unsigned number) {
    uint32_t chunk = run->free_chunk;
    if (chunk == NO_CHUNK)
        chunk = run->fresh_chunk++;
    else
        run->free_chunk = run->space->links[chunk];
    run->free_count--;
    run->space->links[chunk] = run->buckets[number].chunk;
    run->buckets[number] = (bucket){chunk, 0};
    if (number > 0)
        run->used |= UINT64_C(1) << (number - 1);
}

/* Frees a chunk that is the first of a list; the rest of the list. */
static bucket chunk_free(dijkstra_run *run, uint32_t chunk) {
    bucket rest = {run->space->links[chunk], CHUNK};
    run->space->links[chunk] = run->free_chunk;
    run->free_chunk = chunk;
    run->free_count++;
    return rest;
}

static void bucket_shrink(dijkstra_run *run, unsigned number) {
    run->buckets[number] = chunk_free(run, run->buckets[number].chunk);
}

/* Empties a bucket; what was in it. */
static bucket bucket_take(dijkstra_run *run, unsigned number) {
    bucket taken = run->buckets[number];
    run->buckets[number] = (bucket){NO_CHUNK, CHUNK};
    if (number > 0)
        run->used &= ~(UINT64_C(1) << (number - 1));
    return taken;
}

static bool first_bucket(const dijkstra_run *run, unsigned *number) {
    if (run->used == 0)
        return false;
    *number = 1 + (unsigned)__builtin_ctzll(run->used);
    return true;
}

/* All chunks are free, all buckets empty. */
static void queue_begin(dijkstra_run *run) {
    run->free_chunk = NO_CHUNK;
    run->fresh_chunk = 0;
    run->free_count = run->space->chunk_count;
    run->last = run->used = 0;
    run->vertex_bits = run->space->vertex_bits;
    run->bucket_count = run->space->bucket_count;
    for (unsigned number = 0; number < BUCKETS; number++)
        run->buckets[number] = (bucket){NO_CHUNK, CHUNK};
}

typedef struct long_entry {
    int64_t distance;
    hop_vertex vertex;
} long_entry;

typedef struct real_entry {
    double distance;
    hop_vertex vertex;
} real_entry;

/* Integers: sums are unsigned, so that one beyond int64 neither wraps nor wins over NONE. */
#define DISTANCE       int64_t
#define SUM            uint64_t
#define NONE           HOP_NO_DISTANCE
#define LIMIT(run)     (run)->limit_integer
#define LESS_SUM(a, b) ((uint64_t)(a) < (uint64_t)(b))
#define KEY_OF(d)      ((uint64_t)(d))

/* Packed entries. */
#define ENTRY                  uint64_t
#define ENTRY_OF(run, d, v)    ((uint64_t)(d) << (run)->vertex_bits | (v))
#define ENTRY_DISTANCE(run, e) ((int64_t)((e) >> (run)->vertex_bits))
#define ENTRY_VERTEX(run, e)   ((hop_vertex)((e) & ((UINT64_C(1) << (run)->vertex_bits) - 1)))

#define DIJKSTRA(name) unit_##name
#define WEIGHTS(graph) (void)0
#define ADD(d, i)      ((uint64_t)(d) + 1)
#include "sssp/dijkstra_template.h"

#define DIJKSTRA(name) int32_##name
#define WEIGHTS(graph) const int32_t *weights = (graph)->weights
#define ADD(d, i)      ((uint64_t)(d) + (uint64_t)weights[i])
#include "sssp/dijkstra_template.h"

#define DIJKSTRA(name) int64_##name
#define WEIGHTS(graph) const int64_t *weights = (graph)->weights
#define ADD(d, i)      ((uint64_t)(d) + (uint64_t)weights[i])
#include "sssp/dijkstra_template.h"

/* Long entries, where packed ones may not fit. */
#undef ENTRY
#undef ENTRY_OF
#undef ENTRY_DISTANCE
#undef ENTRY_VERTEX
#define ENTRY                  long_entry
#define ENTRY_OF(run, d, v)    ((ENTRY){(d), (v)})
#define ENTRY_DISTANCE(run, e) ((e).distance)
#define ENTRY_VERTEX(run, e)   ((e).vertex)

#define DIJKSTRA(name) int32_long_##name
#define WEIGHTS(graph) const int32_t *weights = (graph)->weights
#define ADD(d, i)      ((uint64_t)(d) + (uint64_t)weights[i])
#include "sssp/dijkstra_template.h"

#define DIJKSTRA(name) int64_long_##name
#define WEIGHTS(graph) const int64_t *weights = (graph)->weights
#define ADD(d, i)      ((uint64_t)(d) + (uint64_t)weights[i])
#include "sssp/dijkstra_template.h"

/* Floating point: the bits of a number that is not negative are ordered like it. */
#undef KEY_OF
#undef DISTANCE
#undef SUM
#undef NONE
#undef LIMIT
#undef LESS_SUM
#undef ENTRY
#define DISTANCE       double
#define SUM            double
#define NONE           HUGE_VAL
#define LIMIT(run)     (run)->limit_real
#define LESS_SUM(a, b) ((a) < (b))
#define KEY_OF(d)      hop__double_bits(d)
#define ENTRY          real_entry

#define DIJKSTRA(name) float64_##name
#define WEIGHTS(graph) const double *weights = (graph)->weights
#define ADD(d, i)      ((d) + weights[i])
#include "sssp/dijkstra_template.h"

#undef KEY_OF
#undef DISTANCE
#undef SUM
#undef NONE
#undef ENTRY
#undef ENTRY_OF
#undef ENTRY_DISTANCE
#undef ENTRY_VERTEX
#define DISTANCE               float
#define SUM                    float
#define NONE                   ((float)HUGE_VAL)
#define KEY_OF(d)              hop__float_bits(d)
#define ENTRY                  uint64_t
#define ENTRY_OF(run, d, v)    ((uint64_t)hop__float_bits(d) << 32 | (v))
#define ENTRY_DISTANCE(run, e) hop__float_from((uint32_t)((e) >> 32))
#define ENTRY_VERTEX(run, e)   ((hop_vertex)(e))

#define DIJKSTRA(name) float32_##name
#define WEIGHTS(graph) const float *weights = (graph)->weights
#define ADD(d, i)      ((d) + weights[i])
#include "sssp/dijkstra_template.h"

enum { UNIT, INT32, INT64, INT32_LONG, INT64_LONG, FLOAT32, FLOAT64 };

typedef struct flavour {
    size_t entry;
    bool (*search)(dijkstra_run *run);
} flavour;

static const flavour flavours[] = {
    [UNIT] = {sizeof(uint64_t), unit_search},
    [INT32] = {sizeof(uint64_t), int32_search},
    [INT64] = {sizeof(uint64_t), int64_search},
    [INT32_LONG] = {sizeof(long_entry), int32_long_search},
    [INT64_LONG] = {sizeof(long_entry), int64_long_search},
    [FLOAT32] = {sizeof(uint64_t), float32_search},
    [FLOAT64] = {sizeof(real_entry), float64_search},
};

static uint64_t last_vertex(const hop_graph *graph) {
    return graph->vertices > 0 ? graph->vertices - 1 : 0;
}

/* Bits of the largest distance that can be; 64 when that is not known to be less. */
static unsigned distance_bits(const hop_graph *graph) {
    uint64_t weight = (uint64_t)graph->shared->facts.max_weight_int, farthest;
    if (graph->weight_type == HOP_WEIGHT_FLOAT64)
        return 64;
    if (graph->weight_type == HOP_WEIGHT_FLOAT32)
        return 32;
    if (graph->weight_type == HOP_WEIGHT_NONE)
        weight = 1;
    if (graph->arcs == 0)
        return 0;
    return hop__mul_u64(last_vertex(graph), weight, &farthest) ? hop__bit_width(farthest) : 64;
}

/* Whether any distance and any vertex fit into one 64-bit entry. */
static bool fits_packed(const hop_graph *graph) {
    return distance_bits(graph) + hop__bit_width(last_vertex(graph)) <= 64;
}

static int flavour_of(const hop_graph *graph) {
    switch (graph->weight_type) {
    case HOP_WEIGHT_INT32:
        return fits_packed(graph) ? INT32 : INT32_LONG;
    case HOP_WEIGHT_INT64:
        return fits_packed(graph) ? INT64 : INT64_LONG;
    case HOP_WEIGHT_FLOAT32:
        return FLOAT32;
    case HOP_WEIGHT_FLOAT64:
        return FLOAT64;
    default:
        return UNIT;
    }
}

static unsigned buckets_of(const hop_graph *graph) {
    return distance_bits(graph) + 1;
}

/* No more entries than sources and arcs; and half as many as vertices to spare, so that a purge
 * pays. A bucket may have a chunk that is not full, or be given one before others are free. */
static uint64_t chunks_of(const hop_graph *graph) {
    uint64_t n = graph->vertices, spare = n / 2 + 64;
    return (n + (graph->arcs < spare ? graph->arcs : spare)) / CHUNK + 2 * buckets_of(graph) + 2;
}

uint64_t hop__dijkstra_memory(const hop_graph *graph) {
    return hop__block_bytes(chunks_of(graph) * CHUNK, flavours[flavour_of(graph)].entry) +
           hop__block_bytes(chunks_of(graph), sizeof(uint32_t));
}

void hop__dijkstra_blocks(hop__workspace *space, size_t at, const hop_graph *graph,
                          bool on_demand) {
    uint64_t chunks = chunks_of(graph);
    hop__block *entries =
        hop__block_add(space, "dijkstra: queue", chunks * CHUNK, flavours[flavour_of(graph)].entry,
                       at + offsetof(hop__dijkstra, entries));
    hop__block *links = HOP__BLOCK_AT(space, at, "dijkstra: queue", chunks, hop__dijkstra, links);
    entries->on_demand = links->on_demand = on_demand;
}

void hop__dijkstra_begin(hop__dijkstra *search, const hop_graph *graph) {
    search->graph = graph;
    search->flavour = flavour_of(graph);
    search->vertex_bits = hop__bit_width(last_vertex(graph));
    search->bucket_count = buckets_of(graph);
    search->chunk_count = chunks_of(graph);
}

hop_status hop__dijkstra_create(hop_context *context, const hop_graph *graph,
                                hop__dijkstra *space) {
    hop_status status;
    *space = (hop__dijkstra){0};
    hop__dijkstra_begin(space, graph);
    HOP_TRY(status, hop__alloc(context, "dijkstra: queue", space->chunk_count * CHUNK,
                               flavours[space->flavour].entry, &space->entries));
    HOP_TRY(status, hop__alloc(context, "dijkstra: queue", space->chunk_count, sizeof(uint32_t),
                               &space->links));
done:
    return status;
}

void hop__dijkstra_clear(hop__dijkstra *space) {
    hop__free(space->entries);
    hop__free(space->links);
    space->entries = NULL;
    space->links = NULL;
}

static bool search(dijkstra_run *run) {
    queue_begin(run);
    return flavours[run->space->flavour].search(run);
}

bool hop__dijkstra_run(hop_context *context, hop__dijkstra *space, hop_vertex source,
                       void *distances) {
    dijkstra_run run = {.context = context,
                        .space = space,
                        .sources = &source,
                        .source_count = 1,
                        .distances = distances,
                        .limit_integer = HOP_NO_DISTANCE - 1,
                        .limit_real = space->flavour == FLOAT32 ? (double)FLT_MAX : DBL_MAX};
    return search(&run);
}

static uint64_t bitmap_bytes(const hop_graph *graph) {
    return hop__block_bytes(hop__bitmap_words(graph->vertices), sizeof(uint64_t));
}

static uint64_t memory(const void *given) {
    const hop__sssp_task *task = given;
    const hop_graph *graph = task->query.graph;
    uint64_t bytes = hop__dijkstra_memory(graph);
    if (task->query.target_count > 0)
        bytes += bitmap_bytes(graph);
    if (task->wants_parents && !task->query.increasing) {
        uint64_t later = hop__sssp_parents_memory(&task->query);
        bytes = (later > bytes ? later : bytes) + bitmap_bytes(graph);
    }
    return bytes;
}

static void mark_targets(const hop__sssp_query *query, uint64_t *targets, dijkstra_run *run) {
    for (hop_vertex i = 0; i < query->target_count; i++)
        if (hop__bitmap_claim(targets, query->targets[i]))
            run->targets_left++;
    run->targets = targets;
}

static void count_work(hop_context *context, hop__sssp_task *task, const hop__dijkstra *space) {
    task->rounds += space->settled;
    task->relaxations += space->relaxations;
    hop__phase_items(context, space->relaxations);
    hop__count(context, "moves", space->moves);
}

hop_status hop__dijkstra_finish(hop_context *context, hop__sssp_task *task,
                                hop__dijkstra_known *known) {
    const hop__sssp_query *query = &task->query;
    hop__dijkstra space = {0};
    dijkstra_run run = {.context = context,
                        .space = &space,
                        .known = known,
                        .distances = task->distances,
                        .parents = known->parents ? task->parents : NULL,
                        .level = known->level,
                        .limit_integer = query->cutoff_integer,
                        .limit_real = query->cutoff_real};
    hop_status status;
    HOP_TRY(status, hop__dijkstra_create(context, query->graph, &space));
    hop__progress_begin(context, "sssp: dijkstra", query->graph->arcs);
    hop__phase(context, "search in order");
    (void)search(&run);
    known->level_count = run.level_count;
    count_work(context, task, &space);
    HOP_TRY(status, hop__progress_end(context));
done:
    hop__dijkstra_clear(&space);
    return status;
}

static hop_status run_row(hop_context *context, hop__sssp_task *task) {
    const hop__sssp_query *query = &task->query;
    const hop_graph *graph = query->graph;
    uint64_t words = hop__bitmap_words(graph->vertices), *targets = NULL, *level = NULL;
    hop__dijkstra space = {0};
    dijkstra_run run = {.context = context,
                        .space = &space,
                        .sources = query->sources,
                        .source_count = query->source_count,
                        .distances = task->distances,
                        .parents = task->parents,
                        .limit_integer = query->cutoff_integer,
                        .limit_real = query->cutoff_real};
    hop_status status;
    HOP_TRY(status, hop__dijkstra_create(context, graph, &space));
    if (query->target_count > 0) {
        HOP_TRY(status, hop__alloc_zero(context, "dijkstra: targets", words, 8, &targets));
        mark_targets(query, targets, &run);
    }
    if (task->parents && !query->increasing) {
        HOP_TRY(status, hop__alloc_zero(context, "dijkstra: level arcs", words, 8, &level));
        run.level = level;
    }
    hop__progress_begin(context, "sssp: dijkstra", graph->arcs);
    hop__phase(context, "search");
    (void)search(&run);
    count_work(context, task, &space);
    HOP_TRY(status, hop__progress_end(context));
    hop__dijkstra_clear(&space);
    hop__free(targets);
    targets = NULL;
    if (run.level_count > 0)
        HOP_TRY(status, hop__sssp_level_parents(context, task, level));
done:
    hop__dijkstra_clear(&space);
    hop__free(targets);
    hop__free(level);
    return status;
}

const hop__sssp_variant hop__sssp_dijkstra = {
    .row = {.about = {.name = "dijkstra",
                      .summary = "nearest vertex first, from a radix heap; no weight below 0",
                      .source = "D2 3.2.2 (Dijkstra 1959; Ahuja et al. 1990)",
                      .place = HOP_PLACE_HOST},
            .refuse = hop__sssp_refuse_negative,
            .memory = memory},
    .run = run_row,
};
