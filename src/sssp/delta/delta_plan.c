/* SPDX-License-Identifier: Apache-2.0
 *
 * What delta-stepping chooses: the width of buckets by a sample of the weights, keys, limits. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "sssp/delta/delta_job.h"

enum {
    SAMPLES = 1024, /* weights that the automatic choices look at */
    LEAST_DEGREE = 8,
    LEAF_SHARE = 8, /* a vertex in so many */
    MANY_SIZES = 4,
    EVEN_SPREAD = 4, /* degrees are even if none is above so many times the average */
    STRIDE = 5,      /* of the horizon at first, in widths within which a vertex has one arc */
};

bool hop__delta_starts_packed(const hop_graph *graph) {
    switch (graph->weight_type) {
    case HOP_TYPE_FLOAT64:
        return false;
    case HOP_TYPE_INT32:
    case HOP_TYPE_INT64:
        return graph->arcs == 0 ||
               (uint64_t)graph->shared->facts.max_weight_int <= HOP__DELTA_PACKED_MOST / 2;
    default:
        return true;
    }
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Up to SAMPLES finite weights at even steps, ascending. */
static unsigned sample_weights(const hop_graph *graph, double samples[SAMPLES]) {
    unsigned count = 0;
    uint64_t step = graph->arcs / SAMPLES + 1;
    for (uint64_t i = step / 2; i < graph->arcs && count < SAMPLES; i += step) {
        double weight = graph->weight_type == HOP_TYPE_NONE
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
    const double widest = real ? 0x1p900 : 0x1p60;
    if (width > widest)
        width = widest;
    (void)frexp(width, &exponent);
    exponent = exponent - 1 < -900 ? -900 : exponent - 1;
    return ldexp(1, exponent);
}

/* Whether a fair share of the vertices that have arcs have one, which leads back, or none. */
static bool has_leaves(const hop_graph *graph) {
    unsigned leaves = 0, looked = 0;
    uint64_t step = graph->vertices / SAMPLES + 1;
    for (uint64_t v = step / 2; v < graph->vertices; v += step) {
        uint64_t degree = hop__offset(graph, v + 1) - hop__offset(graph, v);
        looked += graph->directed || degree > 0;
        leaves += graph->directed ? degree == 0 : degree == 1;
    }
    return leaves > looked / LEAF_SHARE;
}

/* The weight that one arc of a vertex is below, on average. */
static double short_weight(const double *samples, unsigned count, double degree) {
    unsigned at = (unsigned)((double)count / degree);
    return samples[at < count ? at : count - 1];
}

/* How many times the width that an average arc fits into. Where vertices have few arcs, a bucket of
 * that width has little work. Where all have about as many, no row is so long that another look at
 * it costs much, and fewer buckets are worth more. */
static double widen(const hop_graph *graph, double degree) {
    static const double few_arcs = 4, even = 2;
    if (degree < LEAST_DEGREE)
        return few_arcs;
    return (double)graph->shared->facts.max_degree <= EVEN_SPREAD * degree ? even : 1;
}

hop__delta_plan hop__delta_make_plan(const hop__delta_job *job, double wanted) {
    const hop_graph *graph = job->graph;
    double samples[SAMPLES];
    unsigned count = sample_weights(graph, samples), zeros = 0;
    uint64_t linked = graph->vertices - graph->shared->facts.isolated;
    double degree = linked > 0 ? (double)graph->arcs / (double)linked : 1;
    hop__delta_plan plan = {wanted, 0, degree < LEAST_DEGREE, has_leaves(graph)};
    while (zeros < count && samples[zeros] == 0)
        zeros++;
    double median = zeros < count ? samples[zeros + (count - zeros) / 2] : 1;
    double per_arc = median / (degree > 1 ? degree : 1);
    /* Half the width within which a vertex has one arc: the same, unless weights are of many sizes.
     * Then only this width has few arcs in it, and no horizon is a good one. */
    double shortest = zeros < count ? short_weight(samples + zeros, count - zeros, degree) / 2 : 1;
    bool many_sizes = shortest < per_arc / MANY_SIZES;
    if (!(wanted > 0))
        plan.delta = widen(graph, degree) * (many_sizes ? shortest : per_arc);
    plan.delta = round_delta(plan.delta, hop__delta_is_real(job));
    if (job->reverse && degree >= LEAST_DEGREE && graph->arcs >= HOP__DELTA_FAR_ARCS && count > 0 &&
        !many_sizes) {
        /* The number of settled vertices grows e-fold over the width of one arc. */
        double width = short_weight(samples, count, degree);
        /* If most weights are about the same, it grows by the arcs of a vertex, not e-fold. */
        double stride = ceil((width > median / 2 ? 1 : STRIDE) * width / plan.delta);
        plan.stride = stride < 1 ? 1 : stride > 1e6 ? 0 : (uint32_t)stride;
    }
    return plan;
}

/* Keys and buckets for a width. */
void hop__delta_set_keys(hop__delta_job *job, double delta, uint64_t base, unsigned fine) {
    int exponent;
    (void)frexp(delta, &exponent);
    exponent--; /* delta = 2^exponent */
    job->delta = delta;
    job->base_cell = base;
    if (hop__delta_is_real(job)) {
        job->queue.shift = fine;
        job->key_scale = ldexp(1, (int)fine - exponent);
        job->key_base_real = job->packed ? (double)hop__float_of(base) : hop__double_from(base);
    } else if (job->packed) {
        job->queue.shift = exponent < 31 ? (unsigned)exponent : 31;
    } else {
        unsigned shift = exponent > 0 ? (unsigned)exponent : 0;
        job->key_drop = shift > fine ? shift - fine : 0;
        job->queue.shift = shift - job->key_drop;
        job->key_base = base;
    }
}

/* No horizon: what the caller allows, and the cells. The last bucket has all that is beyond the
 * keys, in no order: it is left to hop__delta_widen. */
void hop__delta_open_limit(hop__delta_job *job) {
    const hop__sssp_query *query = &job->task->query;
    job->pruned = false;
    job->queue.limit = (UINT32_MAX >> job->queue.shift) - 1;
    job->limit_integer = query->cutoff_integer < 0 ? 0 : (uint64_t)query->cutoff_integer;
    if (job->packed && job->limit_integer > HOP__DELTA_PACKED_MOST)
        job->limit_integer = HOP__DELTA_PACKED_MOST;
    job->limit_real = query->cutoff_real;
}

/* The largest number below `end`: of float32, in which `end` may be no number itself. */
static double before_end(double end, bool single) {
    const float nearest = (float)end;
    if (!single)
        return nextafter(end, 0);
    return (double)((double)nearest < end ? nearest : nextafterf(nearest, 0));
}

/* A horizon at the end of a bucket, exactly: the queue gives out what is in the bucket, and what is
 * within the limit is relaxed. False when there is nothing beyond it. */
bool hop__delta_set_limit(hop__delta_job *job, uint64_t bucket, double delta) {
    hop__delta_open_limit(job);
    uint64_t last = UINT32_MAX >> job->queue.shift;
    if (bucket >= last)
        return false;
    job->pruned = true;
    if (hop__delta_is_real(job)) {
        double end = before_end((double)(bucket + 1) * delta, job->packed);
        if (end >= job->limit_real)
            return false;
        job->limit_real = end;
    } else {
        const unsigned shift = job->queue.shift + job->key_drop;
        const uint64_t next = bucket + 1;
        if (next > UINT64_MAX >> shift || (next << shift) - 1 >= job->limit_integer)
            return false;
        job->limit_integer = (next << shift) - 1;
    }
    job->queue.limit = (uint32_t)bucket;
    return true;
}

/* No entry has a key below this. */
void hop__delta_set_whole(hop__delta_job *job, uint32_t key) {
    job->whole_integer = (uint64_t)key << job->key_drop;
    job->whole_real = hop__delta_is_real(job) ? (double)key / job->key_scale : 0;
    if (job->packed && hop__delta_is_real(job)) /* so that it is exact in the type */
        job->whole_real = (double)nextafterf((float)job->whole_real, 0);
}
