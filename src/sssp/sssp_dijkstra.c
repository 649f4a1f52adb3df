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
#include "core/real_bits.h"
#include "core/sort.h"
#include "core/try.h"

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
    uint64_t settle_left; /* vertices to be settled before the limit is theirs; 0: any number */
    hop__dijkstra_trace *trace; /* of what is reached; NULL: not wanted. Its progress is not told */
    int64_t limit_integer;      /* nothing farther is reached */
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
    return hop__progress_add(run->context, run->trace ? 0 : arcs);
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

/* The forms of entries. Packed: distance above vertex, where a bound proves that both fit. */
typedef uint64_t packed_entry;

static inline packed_entry packed_make(const dijkstra_run *run, int64_t distance, hop_vertex v) {
    return (uint64_t)distance << run->vertex_bits | v;
}

static inline int64_t packed_distance(const dijkstra_run *run, packed_entry entry) {
    return (int64_t)(entry >> run->vertex_bits);
}

static inline hop_vertex packed_vertex(const dijkstra_run *run, packed_entry entry) {
    return (hop_vertex)(entry & ((UINT64_C(1) << run->vertex_bits) - 1));
}

static inline uint64_t packed_key(int64_t distance) {
    return (uint64_t)distance;
}

/* The same for float32, whose bits are ordered like the numbers, as none is negative. */
typedef uint64_t narrow_entry;

static inline narrow_entry narrow_make(const dijkstra_run *run, float distance, hop_vertex v) {
    (void)run;
    return (uint64_t)hop__float_bits(distance) << 32 | v;
}

static inline float narrow_distance(const dijkstra_run *run, narrow_entry entry) {
    (void)run;
    return hop__float_from((uint32_t)(entry >> 32));
}

static inline hop_vertex narrow_vertex(const dijkstra_run *run, narrow_entry entry) {
    (void)run;
    return (hop_vertex)entry;
}

static inline uint64_t narrow_key(float distance) {
    return hop__float_bits(distance);
}

/* Side by side, where they may not fit into one word. */
#define SIDE_BY_SIDE(form, number)                                                                 \
    typedef struct form##_entry {                                                                  \
        number distance;                                                                           \
        hop_vertex vertex;                                                                         \
    } form##_entry;                                                                                \
    static inline form##_entry form##_make(const dijkstra_run *run, number distance,               \
                                           hop_vertex v) {                                         \
        (void)run;                                                                                 \
        return (form##_entry){distance, v};                                                        \
    }                                                                                              \
    static inline number form##_distance(const dijkstra_run *run, form##_entry entry) {            \
        (void)run;                                                                                 \
        return entry.distance;                                                                     \
    }                                                                                              \
    static inline hop_vertex form##_vertex(const dijkstra_run *run, form##_entry entry) {          \
        (void)run;                                                                                 \
        return entry.vertex;                                                                       \
    }
SIDE_BY_SIDE(pair, int64_t)
SIDE_BY_SIDE(real, double)

static inline uint64_t pair_key(int64_t distance) {
    return (uint64_t)distance;
}

static inline uint64_t real_key(double distance) {
    return hop__double_bits(distance);
}

#define DOMAIN unit
#define QUEUED packed
#include "sssp/dijkstra_template.h"
#define DOMAIN int32
#define QUEUED packed
#include "sssp/dijkstra_template.h"
#define DOMAIN int64
#define QUEUED packed
#include "sssp/dijkstra_template.h"
#define DOMAIN int32
#define QUEUED pair
#include "sssp/dijkstra_template.h"
#define DOMAIN int64
#define QUEUED pair
#include "sssp/dijkstra_template.h"
#define DOMAIN float32
#define QUEUED narrow
#include "sssp/dijkstra_template.h"
#define DOMAIN float64
#define QUEUED real
#include "sssp/dijkstra_template.h"

enum { UNIT, INT32, INT64, INT32_LONG, INT64_LONG, FLOAT32, FLOAT64 };

typedef struct flavour {
    size_t entry;
    bool (*search)(dijkstra_run *run);
    bool (*clear)(const dijkstra_run *run);
    void (*untrace)(const dijkstra_run *run);
    bool (*reach)(dijkstra_run *run);
    bool (*between)(dijkstra_run runs[2], void *found);
} flavour;

#define FLAVOUR(queued, domain)                                                                    \
    {                                                                                              \
        sizeof(queued##_entry), queued##_##domain##_search, queued##_##domain##_clear,             \
            queued##_##domain##_untrace, queued##_##domain##_reach, queued##_##domain##_between    \
    }
static const flavour flavours[] = {
    [UNIT] = FLAVOUR(packed, unit),      [INT32] = FLAVOUR(packed, int32),
    [INT64] = FLAVOUR(packed, int64),    [INT32_LONG] = FLAVOUR(pair, int32),
    [INT64_LONG] = FLAVOUR(pair, int64), [FLOAT32] = FLAVOUR(narrow, float32),
    [FLOAT64] = FLAVOUR(real, float64),
};

static uint64_t last_vertex(const hop_graph *graph) {
    return graph->vertices > 0 ? graph->vertices - 1 : 0;
}

/* Bits of the largest distance that can be; 64 when that is not known to be less. */
static unsigned distance_bits(const hop_graph *graph) {
    uint64_t weight = (uint64_t)graph->shared->facts.max_weight_int, farthest;
    if (graph->weight_type == HOP_TYPE_FLOAT64)
        return 64;
    if (graph->weight_type == HOP_TYPE_FLOAT32)
        return 32;
    if (graph->weight_type == HOP_TYPE_NONE)
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
    case HOP_TYPE_INT32:
        return fits_packed(graph) ? INT32 : INT32_LONG;
    case HOP_TYPE_INT64:
        return fits_packed(graph) ? INT64 : INT64_LONG;
    case HOP_TYPE_FLOAT32:
        return FLOAT32;
    case HOP_TYPE_FLOAT64:
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

static bool run_queue(dijkstra_run *run) {
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
    return run_queue(&run);
}

static dijkstra_run traced(hop_context *context, hop__dijkstra *space, hop__dijkstra_trace *trace,
                           const hop_vertex *source) {
    dijkstra_run run = {.context = context,
                        .space = space,
                        .sources = source,
                        .source_count = 1,
                        .distances = trace->distances,
                        .trace = trace,
                        .limit_integer = HOP_NO_DISTANCE - 1,
                        .limit_real = space->flavour == FLOAT32 ? (double)FLT_MAX : DBL_MAX};
    queue_begin(&run);
    return run;
}

bool hop__dijkstra_clear(hop_context *context, hop__dijkstra *space, hop__dijkstra_trace *trace) {
    dijkstra_run run = traced(context, space, trace, NULL);
    trace->count = 0;
    return flavours[space->flavour].clear(&run);
}

void hop__dijkstra_untrace(hop__dijkstra *space, hop__dijkstra_trace *trace) {
    dijkstra_run run = {.space = space, .distances = trace->distances, .trace = trace};
    flavours[space->flavour].untrace(&run);
}

bool hop__dijkstra_reach(hop_context *context, hop__dijkstra *space, hop__dijkstra_trace *trace,
                         hop_vertex source, const uint64_t *targets, uint64_t target_count) {
    dijkstra_run run = traced(context, space, trace, &source);
    run.targets = targets;
    run.targets_left = target_count;
    return flavours[space->flavour].reach(&run);
}

bool hop__dijkstra_between(hop_context *context, hop__dijkstra spaces[2],
                           hop__dijkstra_trace traces[2], hop_vertex source, hop_vertex target,
                           void *distance) {
    dijkstra_run runs[2] = {traced(context, &spaces[0], &traces[0], &source),
                            traced(context, &spaces[1], &traces[1], &target)};
    bool done = flavours[spaces[0].flavour].between(runs, distance);
    hop__dijkstra_untrace(&spaces[0], &traces[0]);
    hop__dijkstra_untrace(&spaces[1], &traces[1]);
    return done;
}

/* Parts of a run. */
enum { SEARCH = 1, LEVEL_PARENTS = 2 };

typedef struct dijkstra_state {
    hop__dijkstra search;
    uint64_t *targets;
    hop__sssp_layers layers;
} dijkstra_state;

static void dijkstra_blocks(const void *given, hop__workspace *space) {
    const hop__sssp_task *task = given;
    const hop__sssp_query *query = &task->query;
    const size_t layers = offsetof(dijkstra_state, layers);
    bool levels = task->wants_parents && !query->increasing;
    if (levels)
        hop__sssp_level_block(space, layers, query);
    hop__block_stage(space, SEARCH);
    hop__dijkstra_blocks(space, offsetof(dijkstra_state, search), query->graph, false);
    if (query->target_count > 0)
        HOP__BLOCK(space, "dijkstra: targets", hop__bitmap_words(query->graph->vertices),
                   dijkstra_state, targets)
            ->zero = true;
    hop__block_stage(space, LEVEL_PARENTS);
    if (levels)
        hop__sssp_layers_blocks(space, layers, query);
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

hop_status hop__dijkstra_finish(hop__workspace *space, hop__dijkstra *search, hop__sssp_task *task,
                                hop__dijkstra_known *known) {
    hop_context *context = space->context;
    const hop__sssp_query *query = &task->query;
    dijkstra_run run = {.context = context,
                        .space = search,
                        .known = known,
                        .distances = task->distances,
                        .parents = known->parents ? task->parents : NULL,
                        .level = known->level,
                        .limit_integer = query->cutoff_integer,
                        .limit_real = query->cutoff_real};
    hop_status status;
    hop__dijkstra_begin(search, query->graph);
    HOP_TRY(status, hop__workspace_take(space, &search->entries, search->chunk_count * CHUNK));
    HOP_TRY(status, hop__workspace_take(space, &search->links, search->chunk_count));
    hop__progress_begin(context, "sssp: dijkstra", query->graph->arcs);
    hop__phase(context, "search in order");
    (void)run_queue(&run);
    known->level_count = run.level_count;
    count_work(context, task, search);
    status = hop__progress_end(context);
done:
    return status;
}

static hop_status dijkstra_run_row(hop_context *context, hop__sssp_task *task) {
    const hop__sssp_query *query = &task->query;
    dijkstra_state state = {0};
    hop__workspace space = {0};
    dijkstra_run run = {.context = context,
                        .space = &state.search,
                        .sources = query->sources,
                        .source_count = query->source_count,
                        .distances = task->distances,
                        .parents = task->parents,
                        .settle_left = query->settle,
                        .limit_integer = query->cutoff_integer,
                        .limit_real = query->cutoff_real};
    hop_status status;
    HOP_TRY(status, hop__workspace_open(context, NULL, dijkstra_blocks, task, &state, &space));
    HOP_TRY(status, hop__workspace_stage(&space, SEARCH));
    hop__dijkstra_begin(&state.search, query->graph);
    mark_targets(query, state.targets, &run);
    run.level = state.layers.level;
    hop__progress_begin(context, "sssp: dijkstra", query->graph->arcs);
    hop__phase(context, "search");
    (void)run_queue(&run);
    count_work(context, task, &state.search);
    HOP_TRY(status, hop__progress_end(context));
    HOP_TRY(status, hop__workspace_stage(&space, LEVEL_PARENTS));
    if (run.level_count > 0)
        HOP_TRY(status, hop__sssp_level_parents(&space, &state.layers, task));
done:
    hop__workspace_close(&space, status);
    return status;
}

const hop__sssp_variant hop__sssp_dijkstra = {
    .row = {.about = {.name = "dijkstra",
                      .summary = "nearest vertex first, from a radix heap; no weight below 0",
                      .source = "Kemp 2012, 3.2.2 (Dijkstra 1959; Ahuja et al. 1990)",
                      .place = HOP_PLACE_HOST},
            .refuse = hop__sssp_refuse_negative,
            .blocks = dijkstra_blocks},
    .run = dijkstra_run_row,
};
