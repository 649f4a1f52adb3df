/* SPDX-License-Identifier: Apache-2.0
 *
 * semi-external: distances and parents in memory, arcs and weights on disk. Distances fall along
 * arcs, the nearest first, in rounds over the blocks of arcs that have something to tell, until
 * none falls (problem/arc_settle.h). Graphs in memory it takes in the same blocks.
 *
 * Targets end it when all distances up to theirs are final, the nearest likewise. Vertices that
 * have a tight arc only from vertices as far (weights of 0) get their parents in layers afterwards
 * (sssp_parents.c), by the blocks of these arcs.
 *
 * Graphs of few arcs per vertex are searched without a limit at first, and begun again with one if
 * that does not do.
 *
 * The width of a round is at first that of a bucket of delta-stepping, from a sample of the weights
 * of some blocks; it grows where rounds use little of what they read.
 *
 * Where the graph has many arcs per vertex, most of the cache holds light arcs rather than blocks,
 * which come up again after a whole round only (problem/arc_light.h).
 *
 * Cost: that of a label-correcting search: each arc is looked at a few times. 0.4 bytes per vertex
 * beside the results, and 4.4 more where layers are needed. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "problem/arc_counts.h"
#include "problem/arc_settle.h"
#include "sssp/sssp_internal.h"

enum {
    CLEAR_GRAIN = 1 << 16,
    AHEAD = 16,
    SAMPLE_BLOCKS = 8,
    SAMPLES = 128,    /* of a block */
    LIGHT_DEGREE = 8, /* of graphs for which light arcs are kept: in grids blocks do better */
    LEAST_LIGHT = 2,  /* vertices per light arc, at most */
    LEAST_CACHE = 64, /* blocks that stay beside them, */
    CACHE_SHARE = 8,  /* or one in so many */
    FAR = 64          /* median weights: most vertices are nearer */
};

typedef struct semi_external {
    hop_context *context;
    hop__sssp_task *task;
    hop__arcs *arcs;
    hop__settle settle;
    hop__sssp_layers layers;
    uint64_t most_integer; /* the cutoff, in the type of distances */
    double most_real;
    atomic_uint_fast64_t missing; /* vertices that are reached and have no parent */
    hop__light light;
    double samples[SAMPLE_BLOCKS * SAMPLES];
    atomic_uint_fast64_t sampled;
} semi_external;

static inline void hop__semi_prefetch(const hop__settle *settle, size_t bytes, hop_vertex v) {
    __builtin_prefetch((const char *)settle->labels + v * bytes);
}

#define TEMPLATE "sssp/semi_external_template.h"
#include "graph/each_domain.h"

typedef struct domain_steps {
    hop__settle_relax relax;
    uint64_t (*farther)(uint64_t label, double width);
    uint64_t (*guard)(const hop__settle *settle, hop_vertex u, const hop__arc_block *block,
                      uint64_t begin, uint64_t end);
} domain_steps;

static domain_steps steps_of(hop_weight_type type) {
#define ITEM(domain, type) [type] = {domain##_relax, domain##_farther, domain##_guard},
    static const domain_steps all[] = {HOP__EACH_DOMAIN(ITEM)};
#undef ITEM
    return all[type];
}

/* ---- the width at first ---------------------------------------------------------------------- */

static void sample_block(void *arg, const hop__arc_block *block, unsigned thread) {
    semi_external *s = arg;
    uint64_t count = block->end - block->begin, step = count / SAMPLES + 1;
    (void)thread;
    for (uint64_t i = step / 2; i < count; i += step) {
        double weight = hop__weight_as_double(s->task->query.graph->weight_type, block->weights, i);
        if (weight > 0 && weight < HUGE_VAL)
            s->samples[atomic_fetch_add_explicit(&s->sampled, 1, memory_order_relaxed)] = weight;
    }
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of some weights that are neither 0 nor infinite, shared among the arcs of a vertex. */
static hop_status find_width(semi_external *s) {
    const hop_graph *graph = s->task->query.graph;
    uint64_t blocks = hop__arc_blocks(graph), words = hop__bitmap_words(blocks), count;
    hop_status status = HOP_OK;
    double median = 1, linked = (double)(graph->vertices - graph->shared->facts.isolated);
    double degree = linked > 0 ? (double)graph->arcs / linked : 1;
    if (graph->weight_type != HOP_TYPE_NONE && words > 0) {
        memset(s->settle.wanted, 0, words * sizeof *s->settle.wanted);
        for (uint64_t i = 0; i < SAMPLE_BLOCKS; i++)
            hop__bitmap_set(s->settle.wanted, i * blocks / SAMPLE_BLOCKS);
        HOP_TRY(status, hop__arcs_visit(s->context, s->arcs, s->settle.wanted, sample_block, s));
        count = atomic_load(&s->sampled);
        qsort(s->samples, count, sizeof *s->samples, compare_doubles);
        median = count > 0 ? s->samples[count / 2] : 1;
    }
    s->settle.width = median * (degree < 8 ? 4 : 1) / (degree > 1 ? degree : 1);
    s->settle.open = graph->store != NULL && degree < LIGHT_DEGREE && s->settle.enough == NULL;
    if (s->task->values[0] > 0) {
        s->settle.width = s->task->values[0];
        s->settle.open = false;
    }
done:
    return status;
}

/* Light arcs in place of most of the cache, where there is room for enough of them. */
static void take_light(semi_external *s) {
    const hop_graph *graph = s->task->query.graph;
    unsigned threads = hop__team_limit(s->context);
    uint64_t blocks = hop__arcs_room(s->arcs), keep = blocks / CACHE_SHARE, bytes;
    uint64_t count = atomic_load(&s->sampled);
    keep = keep < LEAST_CACHE ? LEAST_CACHE : keep;
    if (graph->store == NULL || count == 0 || blocks >= hop__arc_blocks(graph) || blocks <= keep ||
        graph->arcs / LIGHT_DEGREE < graph->vertices)
        return;
    uint64_t room = hop__light_room(graph, threads, (blocks - keep) * graph->store->frame_bytes);
    if (room < graph->vertices / LEAST_LIGHT)
        return;
    double share = (double)room / (double)graph->arcs * (double)count;
    double most = s->samples[share < (double)count ? (uint64_t)share : count - 1];
    void *memory = hop__arcs_lend(s->arcs, keep, &bytes);
    hop__light_begin(&s->light, graph, threads, memory, bytes, most, FAR * s->samples[count / 2]);
    s->settle.light = &s->light;
}

/* ---- the search ------------------------------------------------------------------------------ */

static void clear_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    semi_external *s = arg;
    hop__sssp_task *task = s->task;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        hop__sssp_unreach(&task->query, task->distances, v);
    for (uint64_t v = begin; v < end && task->parents; v++)
        task->parents[v] = HOP_NO_VERTEX;
    (void)hop__progress_add(s->context, 0);
}

/* The bits of 0 are 0 in all types. */
static void add_sources(semi_external *s) {
    const hop__sssp_task *task = s->task;
    const hop__sssp_query *query = &task->query;
    size_t bytes = hop_type_size(query->distance_type);
    bool beyond =
        query->distance_type == HOP_TYPE_INT64 ? query->cutoff_integer < 0 : query->cutoff_real < 0;
    for (hop_vertex i = 0; i < query->source_count && !beyond; i++) {
        hop_vertex v = query->sources[i];
        memset((char *)task->distances + v * bytes, 0, bytes);
        if (task->parents)
            task->parents[v] = v;
        hop__settle_start(&s->settle, v);
    }
}

/* How many vertices are nearer than the limit. */
static void count_nearer(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    semi_external *s = arg;
    uint64_t count = 0;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        count += hop__settle_label(&s->settle, s->settle.wide, v) < s->settle.limit;
    atomic_fetch_add_explicit(&s->missing, count, memory_order_relaxed);
}

static bool is_enough(void *user, uint64_t limit) {
    semi_external *s = user;
    const hop__sssp_query *query = &s->task->query;
    bool all = query->target_count > 0;
    for (hop_vertex i = 0; i < query->target_count && all; i++)
        all = hop__settle_label(&s->settle, s->settle.wide, query->targets[i]) < limit;
    if (all || query->settle == 0 || atomic_load(&s->settle.reached) < query->settle)
        return all;
    atomic_store(&s->missing, 0);
    hop__for(s->context, query->graph->vertices, CLEAR_GRAIN, count_nearer, s);
    return atomic_load(&s->missing) >= query->settle;
}

static void count_missing(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    semi_external *s = arg;
    const hop__sssp_task *task = s->task;
    uint64_t missing = 0;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        missing += task->parents[v] == HOP_NO_VERTEX &&
                   hop__sssp_distance(&task->query, task->distances, v) < HUGE_VAL;
    atomic_fetch_add_explicit(&s->missing, missing, memory_order_relaxed);
}

/* What is taken out at the end does not need a parent. */
static hop_status find_missing_parents(semi_external *s, hop__workspace *space) {
    hop__sssp_task *task = s->task;
    if (!task->parents || task->query.increasing)
        return HOP_OK;
    atomic_store(&s->missing, 0);
    hop__for(s->context, task->query.graph->vertices, CLEAR_GRAIN, count_missing, s);
    if (atomic_load(&s->missing) == 0)
        return HOP_OK;
    s->layers.arcs = task->query.graph->store != NULL ? s->arcs : NULL;
    s->layers.wanted = s->settle.wanted;
    return hop__sssp_level_parents(space, &s->layers, task);
}

/* All distances, from none. */
static hop_status settle_all(semi_external *s) {
    hop__phase(s->context, "clear");
    hop__phase_bytes(s->context,
                     (hop_type_size(s->task->query.distance_type) + (s->task->parents ? 4 : 0)) *
                         (uint64_t)s->task->query.graph->vertices);
    hop__for(s->context, s->task->query.graph->vertices, CLEAR_GRAIN, clear_range, s);
    hop__settle_begin(&s->settle);
    add_sources(s);
    hop__phase(s->context, "search");
    hop_status status = hop__settle_run(&s->settle);
    s->task->rounds += s->settle.rounds;
    s->task->relaxations += atomic_load(&s->settle.looked);
    return status;
}

static hop_status search_all(semi_external *s) {
    hop__sssp_task *task = s->task;
    hop_status status, ended;
    hop__progress_begin(s->context, "sssp: semi-external", 0);
    status = find_width(s);
    if (status == HOP_OK) {
        take_light(s);
        status = settle_all(s);
    }
    if (status == HOP_OK && s->settle.wasted) {
        s->settle.open = false;
        status = settle_all(s);
    }
    ended = hop__progress_end(s->context);
    hop__phase_items(s->context, task->relaxations);
    return status != HOP_OK ? status : ended;
}

static void semi_external_blocks(const void *given, hop__workspace *space) {
    const hop__sssp_task *task = given;
    const hop_graph *graph = task->query.graph;
    const size_t layers = offsetof(semi_external, layers);
    hop__settle_blocks(space, offsetof(semi_external, settle), graph, false);
    if (task->wants_parents && !task->query.increasing) {
        hop__sssp_level_block(space, layers, &task->query);
        hop__sssp_layers_blocks(space, layers, &task->query);
    }
    hop__block_reserve(space, HOP__MEMORY_HOST, "sssp: blocks of arcs", hop__arcs_bytes(graph));
}

static void set_up(semi_external *s) {
    const hop__sssp_task *task = s->task;
    const hop__sssp_query *query = &task->query;
    const domain_steps steps = steps_of(query->graph->weight_type);
    const float no_float = (float)HUGE_VAL;
    const double no_double = HUGE_VAL;
    uint32_t narrow;
    hop__settle *settle = &s->settle;
    settle->context = s->context;
    settle->graph = query->graph;
    settle->arcs = s->arcs;
    settle->labels = task->distances;
    settle->wide = hop_type_size(query->distance_type) == 8;
    settle->none = (uint64_t)HOP_NO_DISTANCE;
    if (query->distance_type == HOP_TYPE_FLOAT32) {
        memcpy(&narrow, &no_float, sizeof narrow);
        settle->none = narrow;
    } else if (query->distance_type == HOP_TYPE_FLOAT64) {
        memcpy(&settle->none, &no_double, sizeof settle->none);
    }
    settle->parents = task->parents;
    settle->level = s->layers.level;
    settle->relax = steps.relax;
    settle->farther = steps.farther;
    settle->guard = steps.guard;
    settle->enough = query->target_count > 0 || query->settle > 0 ? is_enough : NULL;
    settle->user = s;
    s->most_integer = query->cutoff_integer < 0 ? 0 : (uint64_t)query->cutoff_integer;
    s->most_real = query->cutoff_real;
}

static hop_status semi_external_run(hop_context *context, hop__sssp_task *task) {
    const hop_graph *graph = task->query.graph;
    semi_external s = {.context = context, .task = task};
    hop__workspace space = {0};
    hop_status status;
    HOP_TRY(status, hop__workspace_open(context, NULL, semi_external_blocks, task, &s, &space));
    HOP_TRY(status, hop__arcs_open(context, graph, true, &s.arcs));
    set_up(&s);
    status = search_all(&s);
    if (status == HOP_OK) {
        hop__sssp_cut(context, task);
        status = find_missing_parents(&s, &space);
    }
    hop__count_reads(context, s.arcs);
    hop__count(context, "rows spared", atomic_load(&s.settle.spared));
    hop__count(context, "light arcs", s.light.used < s.light.room ? s.light.used : s.light.room);
done:
    hop__arcs_close(s.arcs);
    hop__workspace_close(&space, status);
    return status;
}

static const hop_parameter parameters[] = {
    {.name = "delta",
     .summary = "width of a round at first; 0: by the weights",
     .type = HOP_PARAMETER_REAL,
     .minimum = 0,
     .maximum = 1e18,
     .standard = 0},
};

const hop__sssp_variant hop__sssp_semi_external = {
    .row = {.about = {.name = "semi-external",
                      .summary = "distances in memory, blocks of arcs from disk while they have "
                                 "something to tell; no weight below 0",
                      .source = "ours",
                      .place = HOP_PLACE_HOST,
                      HOP__PARAMETERS(parameters)},
            .refuse = hop__sssp_refuse_negative,
            .blocks = semi_external_blocks,
            .external = true},
    .run = semi_external_run,
};
