/* SPDX-License-Identifier: Apache-2.0
 *
 * delta-stepping: vertices relax their arcs roughly nearest first, on all threads at once, until
 * nothing changes. Meyer and Sanders, "Delta-stepping: a parallelizable shortest path algorithm",
 * 2003; without barriers, work being taken from whoever is behind, after D'Antonio, Mai, Tsigas and
 * Vandierendonck, "Wasp: efficient asynchronous single-source shortest path on multicore systems",
 * 2025.
 *
 * A cell is 64 bits: distance above parent, where 31 bits are enough for distances (float32 always
 * is); lowering it by compare-and-swap gives the least distance and of the tight vertices the
 * smallest, whatever the order. Where 31 bits are too few that is found out on the way, and the
 * search is done again with cells that hold a distance of 64 bits; their parents come from
 * sssp_parents.c, in another pass.
 *
 * Most arcs of a graph of small diameter lead to vertices that are nearer by other ways. So after a
 * while, if there are many arcs per vertex, only sums up to a horizon are relaxed; the others cost
 * a look at the weight and no access to the target. When all is settled up to the horizon, it is
 * moved on and the settled vertices relax what has come within it; or, when the vertices that are
 * left have few arcs, these look at their neighbours instead: the settled vertices never relax the
 * rest of their arcs. Needs arcs by target: an undirected graph, or a reverse that is prepared.
 *
 * Delta, the width of a bucket, is a power of two near the median weight by the arcs per vertex, a
 * small factor aside; too small costs order, too large costs arcs relaxed twice. It has no part in
 * the answer.
 *
 * Invariants:
 *  1. A cell only falls, and is always that of a path. A vertex whose distance falls gets an entry
 *     in the queue; when the queue is empty no arc within the limit makes a distance fall.
 *  2. Every tight arc is relaxed (or pulled) with the final distance of its start: the last entry
 *     of a vertex has it. So the smallest tight vertex is in the cell. An arc between equal
 *     distances offers no parent; who has none is left to hop__sssp_level_parents.
 *
 * Cost: O(n + m) in practice, one random access per arc, per sixth arc if the horizon works;
 * 10.2 bytes per vertex, 8 more for float32. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "problem/phases.h"
#include "sssp/delta_queue.h"
#include "sssp/sssp_internal.h"

enum {
    REPORT_ARCS = 1 << 16,
    MEMBER_ARCS = 1 << 14,
    FAR_ARCS = 1 << 16, /* no horizon with fewer */
    FILL_GRAIN = 1 << 16,
    RESUME_GRAIN = 1 << 10,
    PULL_GRAIN = 1 << 9,
    AHEAD = 4, /* vertices between the stages of the pipeline */
    PULL_AHEAD = 8,
    PULL_SLOTS = PULL_AHEAD + 1,
    ROW_AHEAD = 16, /* arcs of a row whose targets are asked for early */
    PICKS = 256,    /* arcs that are looked through at a time */
    SHORT_ROW = 128,
    TINY_ROW = 16,     /* not worth choosing among its arcs */
    SLOTS = AHEAD + 1, /* short rows that have been looked through and not relaxed */
    SAMPLES = 1024,    /* weights that the automatic choices look at */
    FINE_BITS = 10,    /* keys that are not distances are delta / 2^10 */
    STRIDE = 5,        /* of the horizon at first, in widths within which a vertex has one arc */
    /* Shares of all arcs: when there is a horizon from, when vertices that are left pull, when they
     * need no horizon. */
    FIRST_SHARE = 64,
    PULL_SHARE = 2,
    REST_SHARE = 16,
};
/* Distances of packed cells: HOP_NO_DISTANCE is a cell of 2^31 - 1 and HOP_NO_VERTEX. */
static const uint64_t packed_most = (UINT64_C(1) << 31) - 2;

typedef struct delta_job delta_job;

/* What is compiled for each type. */
typedef struct delta_steps {
    hop__team_fn search;
    hop__range_fn resume, mark, pull;
    hop__delta_key_fn key_of;
} delta_steps;

struct delta_job {
    hop_context *context;
    hop__sssp_task *task;
    const hop_graph *graph;
    const hop_graph *reverse; /* NULL: there is none, and no pull */
    const delta_steps *steps;
    hop__delta_queue queue;
    uint64_t *cells, *own_cells;
    uint64_t *level; /* see hop__sssp_level_parents; NULL: not needed */
    uint64_t none;   /* the cell of a vertex that is not reached */
    unsigned team;   /* members at most */
    bool packed, alone;
    bool pruned;         /* sums beyond the limit are not the last word */
    unsigned key_drop;   /* bits of an integer length below its key */
    double key_scale;    /* from a real length to its key */
    uint64_t pause_arcs; /* a member that has relaxed so many ends the search; 0: none does */
    /* Sums up to limit are relaxed; up to low all is settled; what is nearer than whole has relaxed
     * all its arcs. */
    uint64_t limit_integer, low_integer, whole_integer;
    double limit_real, low_real, whole_real;
    uint64_t *settled; /* a bit each; only while there is a horizon */
    atomic_uint_fast64_t farthest;
    atomic_uint_fast64_t missing; /* vertices that are reached and have no parent */
};

static inline bool report_arcs(delta_job *job, hop__delta_worker *worker, uint64_t arcs) {
    worker->relaxations += arcs;
    worker->unreported += arcs;
    if (worker->unreported < REPORT_ARCS)
        return true;
    arcs = worker->unreported;
    worker->unreported = 0;
    bool go_on = hop__progress_add(job->context, arcs);
    if (!go_on || (job->pause_arcs > 0 && worker->processed > job->pause_arcs))
        __atomic_store_n(&job->queue.stop, true, __ATOMIC_RELAXED);
    return go_on;
}

static inline void mark_level(delta_job *job, hop_vertex u) {
    if (job->level)
        (void)hop__bitmap_claim(job->level, u);
}

static inline void prefetch_offset(const hop_graph *graph, hop_vertex v) {
    __builtin_prefetch((const char *)graph->offsets + v * graph->offset_bytes);
}

static inline uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of(uint64_t cell) {
    uint32_t high = (uint32_t)(cell >> 32);
    float value;
    memcpy(&value, &high, sizeof value);
    return value;
}

static inline uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t cell) {
    double value;
    memcpy(&value, &cell, sizeof value);
    return value;
}

static inline uint32_t key_of_wide(const delta_job *job, uint64_t length) {
    uint64_t key = length >> job->key_drop;
    return key < UINT32_MAX ? (uint32_t)key : UINT32_MAX;
}

static inline uint32_t key_of_real(const delta_job *job, double length) {
    double key = length * job->key_scale;
    return key < (double)UINT32_MAX ? (uint32_t)key : UINT32_MAX;
}

/* The weights of int32 with which a length comes within the limit (and above what is settled). */
typedef struct pick_range {
    uint32_t first, count;
} pick_range;

static inline pick_range range_of(const delta_job *job, uint64_t own, bool above) {
    uint64_t first = above ? job->low_integer - own + 1 : 0;
    uint64_t last = job->limit_integer - own; /* own is within the limit */
    last = last < INT32_MAX ? last : INT32_MAX;
    if (first > last)
        return (pick_range){0, 0};
    return (pick_range){(uint32_t)first, (uint32_t)(last - first) + 1};
}

static inline unsigned in_range(pick_range range, uint32_t weight) {
    return weight - range.first < range.count;
}

/* Integers below 2^31, with their parents. */
#define LENGTH             uint64_t
#define LENGTH_OF(cell)    ((cell) >> 32)
#define CELL_OF(length, u) ((uint64_t)(length) << 32 | (u))
#define KEY(job, length)   ((uint32_t)(length))
#define LIMIT(job)         (job)->limit_integer
#define LOW(job)           (job)->low_integer
#define WHOLE(job)         (job)->whole_integer

#define DELTA(name)        unit_##name
#define WEIGHTS(graph)     (void)0
#define ADD(own, i)        ((own) + 1)
#define PREFETCH_WEIGHT(i) (void)0
#include "sssp/delta_template.h"

#define DELTA(name) int32_##name
#define PICK_WEIGHTS
#define WEIGHTS(graph)     const int32_t *weights = (graph)->weights
#define ADD(own, i)        ((own) + (uint64_t)weights[i])
#define PREFETCH_WEIGHT(i) __builtin_prefetch(&weights[i])
#include "sssp/delta_template.h"

#define DELTA(name)        int64_##name
#define WEIGHTS(graph)     const int64_t *weights = (graph)->weights
#define ADD(own, i)        ((own) + (uint64_t)weights[i])
#define PREFETCH_WEIGHT(i) __builtin_prefetch(&weights[i])
#include "sssp/delta_template.h"

/* Integers of 64 bits, without parents. */
#undef LENGTH_OF
#undef CELL_OF
#undef KEY
#define LENGTH_OF(cell)    (cell)
#define CELL_OF(length, u) ((void)(u), (length))
#define KEY(job, length)   key_of_wide(job, length)

#define DELTA(name)        wide_unit_##name
#define WEIGHTS(graph)     (void)0
#define ADD(own, i)        ((own) + 1)
#define PREFETCH_WEIGHT(i) (void)0
#include "sssp/delta_template.h"

#define DELTA(name) wide_int32_##name
#define PICK_WEIGHTS
#define WEIGHTS(graph)     const int32_t *weights = (graph)->weights
#define ADD(own, i)        ((own) + (uint64_t)weights[i])
#define PREFETCH_WEIGHT(i) __builtin_prefetch(&weights[i])
#include "sssp/delta_template.h"

#define DELTA(name)        wide_int64_##name
#define WEIGHTS(graph)     const int64_t *weights = (graph)->weights
#define ADD(own, i)        ((own) + (uint64_t)weights[i])
#define PREFETCH_WEIGHT(i) __builtin_prefetch(&weights[i])
#include "sssp/delta_template.h"

/* Floating point: the bits of a number that is not negative are ordered like it. */
#undef LENGTH
#undef LENGTH_OF
#undef CELL_OF
#undef KEY
#undef LIMIT
#undef LOW
#undef WHOLE
#define KEY(job, length) key_of_real(job, (double)(length))
#define LIMIT(job)       (job)->limit_real
#define LOW(job)         (job)->low_real
#define WHOLE(job)       (job)->whole_real

#define LENGTH             float
#define LENGTH_OF(cell)    float_of(cell)
#define CELL_OF(length, u) ((uint64_t)float_bits(length) << 32 | (u))
#define DELTA(name)        float32_##name
#define WEIGHTS(graph)     const float *weights = (graph)->weights
#define ADD(own, i)        ((own) + weights[i])
#define PREFETCH_WEIGHT(i) __builtin_prefetch(&weights[i])
#include "sssp/delta_template.h"

#undef LENGTH
#undef LENGTH_OF
#undef CELL_OF
#define LENGTH             double
#define LENGTH_OF(cell)    double_of(cell)
#define CELL_OF(length, u) ((void)(u), double_bits(length))
#define DELTA(name)        float64_##name
#define WEIGHTS(graph)     const double *weights = (graph)->weights
#define ADD(own, i)        ((own) + weights[i])
#define PREFETCH_WEIGHT(i) __builtin_prefetch(&weights[i])
#include "sssp/delta_template.h"

static bool is_real(const delta_job *job) {
    return job->task->query.distance_type != HOP_WEIGHT_INT64;
}

static const delta_steps *steps_of(hop_weight_type type, bool packed) {
    static const delta_steps *const with_parents[] = {
        [HOP_WEIGHT_NONE] = &unit_steps,       [HOP_WEIGHT_INT32] = &int32_steps,
        [HOP_WEIGHT_INT64] = &int64_steps,     [HOP_WEIGHT_FLOAT32] = &float32_steps,
        [HOP_WEIGHT_FLOAT64] = &float64_steps,
    };
    static const delta_steps *const wide[] = {
        [HOP_WEIGHT_NONE] = &wide_unit_steps,
        [HOP_WEIGHT_INT32] = &wide_int32_steps,
        [HOP_WEIGHT_INT64] = &wide_int64_steps,
        [HOP_WEIGHT_FLOAT64] = &float64_steps,
    };
    return packed ? with_parents[type] : wide[type];
}

/* Whether cells hold parents: float64 never, integers at first if one weight fits. Without weights
 * distances are below n, so 31 bits may be too few only for paths of 2^31 arcs. */
static bool starts_packed(const hop_graph *graph) {
    switch (graph->weight_type) {
    case HOP_WEIGHT_FLOAT64:
        return false;
    case HOP_WEIGHT_INT32:
    case HOP_WEIGHT_INT64:
        return graph->arcs == 0 || (uint64_t)graph->shared->facts.max_weight_int <= packed_most / 2;
    default:
        return true;
    }
}

/* What the automatic choices rest on. */
typedef struct delta_plan {
    double delta;    /* the width of a bucket: a power of two, at least 1 for integers */
    uint32_t stride; /* of the horizon, in buckets; 0: there is none */
} delta_plan;

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Up to SAMPLES finite weights at even steps, ascending. */
static unsigned sample_weights(const hop_graph *graph, double samples[SAMPLES]) {
    unsigned count = 0;
    uint64_t step = graph->arcs / SAMPLES + 1;
    for (uint64_t i = step / 2; i < graph->arcs && count < SAMPLES; i += step) {
        double weight = graph->weight_type == HOP_WEIGHT_NONE
                            ? 1
                            : hop__weight_as_double(graph->weight_type, graph->weights, i);
        if (weight < HUGE_VAL)
            samples[count++] = weight;
    }
    qsort(samples, count, sizeof *samples, compare_doubles);
    return count;
}

/* The largest power of two that is at most `width`. */
static double round_delta(double width, bool real) {
    int exponent;
    if (!(width >= DBL_MIN) || (!real && width < 1))
        return real ? 0x1p-40 : 1;
    if (width > 0x1p60)
        width = 0x1p60;
    (void)frexp(width, &exponent);
    exponent = exponent - 1 < -900 ? -900 : exponent - 1;
    return ldexp(1, exponent);
}

static delta_plan make_plan(const delta_job *job, double wanted) {
    static const double least_degree = 8;
    const hop_graph *graph = job->graph;
    double samples[SAMPLES];
    unsigned count = sample_weights(graph, samples), zeros = 0;
    uint64_t linked = graph->vertices - graph->shared->facts.isolated;
    double degree = linked > 0 ? (double)graph->arcs / (double)linked : 1;
    delta_plan plan = {wanted, 0};
    while (zeros < count && samples[zeros] == 0)
        zeros++;
    double median = zeros < count ? samples[zeros + (count - zeros) / 2] : 1;
    if (!(wanted > 0))
        plan.delta = (degree < least_degree ? 4 : 1) * median / (degree > 1 ? degree : 1);
    plan.delta = round_delta(plan.delta, is_real(job));
    if (job->reverse && degree >= least_degree && graph->arcs >= FAR_ARCS && count > 0) {
        /* The number of settled vertices grows e-fold over the width of one arc. */
        unsigned at = (unsigned)((double)count / degree);
        double width = samples[at < count ? at : count - 1];
        /* If most weights are about the same, it grows by the arcs of a vertex, not e-fold. */
        double stride = ceil((width > median / 2 ? 1 : STRIDE) * width / plan.delta);
        plan.stride = stride < 1 ? 1 : stride > 1e6 ? 0 : (uint32_t)stride;
    }
    return plan;
}

/* Keys and buckets for a width. */
static void set_keys(delta_job *job, double delta) {
    int exponent;
    (void)frexp(delta, &exponent);
    exponent--; /* delta = 2^exponent */
    if (is_real(job)) {
        job->queue.shift = FINE_BITS;
        job->key_scale = ldexp(1, FINE_BITS - exponent);
    } else if (job->packed) {
        job->queue.shift = exponent < 31 ? (unsigned)exponent : 31;
    } else {
        unsigned shift = exponent > 0 ? (unsigned)exponent : 0;
        job->key_drop = shift > FINE_BITS ? shift - FINE_BITS : 0;
        job->queue.shift = shift - job->key_drop;
    }
}

/* No horizon: what the caller allows, and the cells. */
static void open_limit(delta_job *job) {
    const hop__sssp_query *query = &job->task->query;
    job->pruned = false;
    job->queue.limit = UINT32_MAX;
    job->limit_integer = query->cutoff_integer < 0 ? 0 : (uint64_t)query->cutoff_integer;
    if (job->packed && job->limit_integer > packed_most)
        job->limit_integer = packed_most;
    job->limit_real = query->cutoff_real;
}

/* A horizon at the end of a bucket; false when there is nothing beyond it. */
static bool set_limit(delta_job *job, uint64_t bucket, double delta) {
    open_limit(job);
    uint64_t last = UINT32_MAX >> job->queue.shift;
    if (bucket >= last)
        return false;
    job->pruned = true;
    if (is_real(job)) {
        double end = (double)(bucket + 1) * delta;
        end = job->packed ? (double)nextafterf((float)end, 0) : nextafter(end, 0);
        if (end >= job->limit_real)
            return false;
        job->limit_real = end;
    } else {
        uint64_t end = ((bucket + 1) << (job->queue.shift + job->key_drop)) - 1;
        if (end >= job->limit_integer)
            return false;
        job->limit_integer = end;
    }
    job->queue.limit = (uint32_t)bucket;
    return true;
}

/* No entry has a key below this. */
static void set_whole(delta_job *job, uint32_t key) {
    job->whole_integer = (uint64_t)key << job->key_drop;
    job->whole_real = is_real(job) ? (double)key / job->key_scale : 0;
    if (job->packed && is_real(job)) /* so that it is exact in the type */
        job->whole_real = (double)nextafterf((float)job->whole_real, 0);
}

static uint64_t total(const delta_job *job, size_t field) {
    uint64_t sum = 0;
    for (unsigned t = 0; t < job->queue.threads; t++)
        sum += *(const uint64_t *)((const char *)&job->queue.workers[t] + field);
    return sum;
}

static bool is_cancelled(const delta_job *job) {
    return !hop__progress_add(job->context, 0);
}

static void search(delta_job *job) {
    hop__phase(job->context, "search");
    hop__team_of(job->context, job->team, job->steps->search, job);
}

/* The horizon is moved on, to a bucket: what is settled relaxes the arcs that are within it now. */
static void resume(delta_job *job, const delta_plan *plan, uint64_t bucket) {
    if (!set_limit(job, bucket, plan->delta))
        open_limit(job);
    hop__phase(job->context, "resume");
    hop__for(job->context, job->graph->vertices, RESUME_GRAIN, job->steps->resume, job);
}

/* What is not settled takes the best from what is. */
static void pull(delta_job *job) {
    const uint64_t n = job->graph->vertices;
    open_limit(job);
    hop__phase(job->context, "pull");
    hop__for(job->context, n, FILL_GRAIN, job->steps->mark, job);
    hop__for(job->context, n, PULL_GRAIN, job->steps->pull, job);
}

/* How far to go next, when `done` of the arcs, `before` of them a stride ago, are settled: to three
 * quarters of them, if they go on growing like that. */
static uint64_t next_stride(uint64_t stride, uint64_t before, uint64_t done, uint64_t arcs) {
    double grown = log((double)done / (double)before),
           left = log(.75 * (double)arcs / (double)done);
    double strides = left > 0 ? 1.3 * left / grown : 1;
    strides = strides < .5 ? .5 : strides > 4 ? 4 : strides;
    return 1 + (uint64_t)((double)stride * strides);
}

/* The search with a horizon; see the top. */
static void search_far(delta_job *job, const delta_plan *plan) {
    const uint64_t arcs = job->graph->arcs;
    uint64_t stride = plan->stride, done, before;
    job->pause_arcs = arcs / FIRST_SHARE / job->team + 1;
    search(job);
    job->pause_arcs = 0;
    done = total(job, offsetof(hop__delta_worker, processed));
    set_whole(job, hop__delta_least(&job->queue));
    uint64_t bucket = hop__delta_farthest(&job->queue) + stride;
    while (!is_cancelled(job) && set_limit(job, bucket, plan->delta)) {
        search(job);
        before = done;
        done = total(job, offsetof(hop__delta_worker, processed));
        if (is_cancelled(job))
            return;
        job->low_integer = job->limit_integer;
        job->low_real = job->limit_real;
        /* Where little is added by a stride the horizon is of no use: passes over all vertices must
         * be few on any graph. */
        bool last = done - before < before / 8 || done + arcs / REST_SHARE >= arcs;
        stride = last ? 0 : next_stride(stride, before, done, arcs);
        bucket = last ? UINT32_MAX : bucket + stride;
        if (done + arcs / PULL_SHARE >= arcs)
            pull(job);
        else
            resume(job, plan, bucket);
    }
    open_limit(job);
    if (!is_cancelled(job))
        search(job);
}

/* Cells */

static void fill_cells(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    delta_job *job = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        job->cells[v] = job->none;
}

static bool is_beyond_cutoff(const hop__sssp_query *query) {
    return query->distance_type == HOP_WEIGHT_INT64 ? query->cutoff_integer < 0
                                                    : query->cutoff_real < 0;
}

/* Sources are queued with the members in turn. */
static void start(delta_job *job) {
    const hop__sssp_query *query = &job->task->query;
    hop__for(job->context, job->graph->vertices, FILL_GRAIN, fill_cells, job);
    if (is_beyond_cutoff(query))
        return;
    for (hop_vertex i = 0; i < query->source_count; i++) {
        hop_vertex s = query->sources[i];
        if (job->cells[s] != job->none)
            continue;
        job->cells[s] = job->packed ? s : 0;
        hop__delta_put(&job->queue.workers[0], 0, s);
    }
}

/* Cells with parents become distances and parents. */
static void unpack(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    delta_job *job = arg;
    hop_vertex *parents = job->task->parents;
    float *reals = is_real(job) ? job->task->distances : NULL;
    uint64_t missing = 0;
    (void)thread;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t cell = job->cells[v];
        if (reals)
            reals[v] = float_of(cell);
        else if (cell != job->none)
            job->cells[v] = cell >> 32;
        if (parents)
            parents[v] = (hop_vertex)cell;
        missing += cell != job->none && (hop_vertex)cell == HOP_NO_VERTEX;
    }
    if (missing > 0)
        atomic_fetch_add(&job->missing, missing);
}

/* Whether an arc leads from a vertex that is reached to one that is not. */
static void find_edge(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    delta_job *job = arg;
    (void)thread;
    for (uint64_t u = begin; u < end; u++) {
        if (job->cells[u] == job->none)
            continue;
        for (uint64_t i = hop__offset(job->graph, u); i < hop__offset(job->graph, u + 1); i++)
            if (job->cells[job->graph->targets[i]] == job->none)
                atomic_store(&job->missing, 1);
    }
}

static void find_farthest(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    delta_job *job = arg;
    uint_fast64_t farthest = 0, known = atomic_load(&job->farthest);
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        if (job->cells[v] != job->none && job->cells[v] >> 32 > farthest)
            farthest = job->cells[v] >> 32;
    while (farthest > known && !atomic_compare_exchange_weak(&job->farthest, &known, farthest))
        ;
}

/* Whether packed cells were too small: a sum that did not fit was all that led to some vertex. If
 * the farthest vertex and the largest weight fit together, there was none. */
static bool is_too_small(delta_job *job) {
    const hop_graph *graph = job->graph;
    if (!job->packed || is_real(job) || graph->arcs == 0 ||
        job->task->query.cutoff_integer <= (int64_t)packed_most)
        return false;
    uint64_t weight =
        graph->weight_type == HOP_WEIGHT_NONE ? 1 : (uint64_t)graph->shared->facts.max_weight_int;
    if (weight * graph->vertices <= packed_most) /* 31 and 32 bits */
        return false;
    atomic_store(&job->farthest, 0);
    hop__for(job->context, graph->vertices, FILL_GRAIN, find_farthest, job);
    if (atomic_load(&job->farthest) + weight <= packed_most)
        return false;
    atomic_store(&job->missing, 0);
    hop__for(job->context, graph->vertices, FILL_GRAIN, find_edge, job);
    return atomic_exchange(&job->missing, 0) != 0;
}

static void count_work(delta_job *job) {
    job->task->rounds += total(job, offsetof(hop__delta_worker, settled));
    job->task->relaxations += total(job, offsetof(hop__delta_worker, relaxations));
    hop__phase_items(job->context, job->task->relaxations);
    hop__count(job->context, "chunks taken from others",
               total(job, offsetof(hop__delta_worker, steals)));
}

/* One search, with cells of one kind. */
static hop_status run_search(delta_job *job, bool packed) {
    hop_status status;
    hop__sssp_task *task = job->task;
    job->packed = packed;
    job->steps = steps_of(job->graph->weight_type, packed);
    job->none = !is_real(job) ? (uint64_t)HOP_NO_DISTANCE
                : packed      ? (uint64_t)float_bits((float)HUGE_VAL) << 32 | HOP_NO_VERTEX
                              : double_bits(HUGE_VAL);
    HOP_TRY(status, hop__delta_queue_create(job->context, job->graph->vertices, task->threads,
                                            &job->queue));
    /* Below some ten thousand arcs for each, more members only get into each other's way. */
    uint64_t useful = 1 + (job->graph->arcs + job->graph->vertices) / MEMBER_ARCS;
    job->team = useful < task->threads ? (unsigned)useful : task->threads;
    job->queue.key_of = job->steps->key_of;
    job->queue.key_arg = job;
    delta_plan plan = make_plan(job, task->values[0]);
    set_keys(job, plan.delta);
    open_limit(job);
    job->alone = task->threads == 1 || (job->team == 1 && plan.stride == 0);
    hop__progress_begin(job->context, "sssp: delta-stepping", job->graph->arcs);
    hop__phase(job->context, "fill");
    start(job);
    if (plan.stride > 0) {
        HOP_TRY(status, hop__alloc(job->context, "delta-stepping: settled vertices",
                                   hop__bitmap_words(job->graph->vertices), 8, &job->settled));
        search_far(job, &plan);
    }
    if (plan.stride == 0)
        search(job);
    count_work(job);
    HOP_TRY(status, hop__progress_end(job->context));
done:
    hop__delta_queue_clear(&job->queue);
    hop__free(job->settled);
    job->settled = NULL;
    return status;
}

static hop_status run_row(hop_context *context, hop__sssp_task *task) {
    const hop__sssp_query *query = &task->query;
    const hop_graph *graph = query->graph;
    delta_job job = {.context = context,
                     .task = task,
                     .graph = graph,
                     .reverse = hop_graph_reversed(graph),
                     .cells = task->distances};
    hop_status status;
    if (graph->weight_type == HOP_WEIGHT_FLOAT32) {
        HOP_TRY(status, hop__alloc(context, "delta-stepping: cells", graph->vertices,
                                   sizeof(uint64_t), &job.own_cells));
        job.cells = job.own_cells;
    }
    if (task->parents && !query->increasing && starts_packed(graph))
        HOP_TRY(status, hop__alloc_zero(context, "delta-stepping: level arcs",
                                        hop__bitmap_words(graph->vertices), 8, &job.level));
    HOP_TRY(status, run_search(&job, starts_packed(graph)));
    if (is_too_small(&job))
        HOP_TRY(status, run_search(&job, false));
    hop__phase(context, "unpack");
    if (job.packed)
        hop__for(context, graph->vertices, FILL_GRAIN, unpack, &job);
    hop__free(job.own_cells);
    job.own_cells = NULL;
    hop__sssp_cut(context, task);
    if (task->parents && !job.packed)
        HOP_TRY(status, hop__sssp_parents(context, task, NULL));
    else if (task->parents && atomic_load(&job.missing) > 0)
        HOP_TRY(status, hop__sssp_level_parents(context, task, job.level));
done:
    hop__free(job.own_cells);
    hop__free(job.level);
    return status;
}

static uint64_t memory(const void *given) {
    const hop__sssp_task *task = given;
    const hop__sssp_query *query = &task->query;
    uint64_t n = query->graph->vertices, later = 0;
    uint64_t bytes = hop__delta_queue_memory(n, task->threads);
    if (hop_graph_reversed(query->graph) && query->graph->arcs >= FAR_ARCS)
        bytes += hop__block_bytes(hop__bitmap_words(n), 8); /* if there is a horizon */
    if (query->graph->weight_type == HOP_WEIGHT_FLOAT32)
        bytes += hop__block_bytes(n, sizeof(uint64_t));
    if (!task->wants_parents)
        return bytes;
    if (!query->increasing || !starts_packed(query->graph))
        later = hop__sssp_parents_memory(query);
    else if (n > packed_most || query->graph->weight_type != HOP_WEIGHT_NONE)
        later = hop__sssp_parents_memory(query); /* if packed cells are found to be too small */
    bytes = later > bytes ? later : bytes;
    if (!query->increasing)
        bytes += hop__block_bytes(hop__bitmap_words(n), 8);
    return bytes;
}

static const hop_parameter parameters[] = {
    {.name = "delta",
     .summary = "width of a bucket of distances, rounded down to a power of two; 0: by the weights",
     .type = HOP_PARAMETER_REAL,
     .minimum = 0,
     .maximum = 1e18,
     .standard = 0},
};

const hop__sssp_row hop__sssp_delta_stepping = {
    .row = {.about = {.name = "delta-stepping",
                      .summary =
                          "nearest buckets first on all threads, without barriers; no weight "
                          "below 0",
                      .source = "Meyer and Sanders 2003; D'Antonio et al. 2025",
                      .place = HOP_PLACE_HOST,
                      .parameters = parameters,
                      .parameter_count = HOP_LENGTH(parameters)},
            .refuse = hop__sssp_refuse_negative,
            .memory = memory},
    .run = run_row,
};
