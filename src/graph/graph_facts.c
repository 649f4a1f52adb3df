/* SPDX-License-Identifier: Apache-2.0
 * Degrees and weight range of a graph, measured in one parallel pass. */
#include "graph/graph_facts.h"

#include <math.h>

#include "core/parallel.h"
#include "core/progress.h"
#include "graph/numbers.h"

enum { GRAIN = 1 << 16 };

typedef struct job {
    hop_context *context;
    const hop_graph *graph; /* for degrees */
    hop_weight_type type;   /* for weights */
    const void *weights;
    hop__facts *facts;
    pthread_mutex_t lock;
} job;

static void merge_degrees(hop__facts *into, const hop__facts *part) {
    into->isolated += part->isolated;
    if (part->min_degree < into->min_degree)
        into->min_degree = part->min_degree;
    if (part->max_degree > into->max_degree ||
        (part->max_degree == into->max_degree &&
         part->max_degree_vertex < into->max_degree_vertex)) {
        into->max_degree = part->max_degree;
        into->max_degree_vertex = part->max_degree_vertex;
    }
}

static void degrees_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    hop__facts part = {.min_degree = UINT64_MAX, .max_degree_vertex = HOP_NO_VERTEX};
    uint64_t start = hop__offset(work->graph, begin);
    (void)thread;
    if (!hop__progress_add(work->context, end - begin))
        return;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t next = hop__offset(work->graph, v + 1), degree = next - start;
        start = next;
        part.isolated += degree == 0;
        if (degree < part.min_degree)
            part.min_degree = degree;
        if (degree > part.max_degree || part.max_degree_vertex == HOP_NO_VERTEX) {
            part.max_degree = degree;
            part.max_degree_vertex = (hop_vertex)v;
        }
    }
    pthread_mutex_lock(&work->lock);
    merge_degrees(work->facts, &part);
    pthread_mutex_unlock(&work->lock);
}

static void merge_weights(hop__facts *into, double low, double high, int64_t low_int,
                          int64_t high_int) {
    if (low < into->min_weight)
        into->min_weight = low;
    if (high > into->max_weight)
        into->max_weight = high;
    if (low_int < into->min_weight_int)
        into->min_weight_int = low_int;
    if (high_int > into->max_weight_int)
        into->max_weight_int = high_int;
}

/* The smallest and largest of weights[begin .. end-1]: of every 16th, as compilers make no vectors
 * of one minimum of reals, then of these. */
#define RANGE(type, low, high)                                                                     \
    do {                                                                                           \
        enum { LANES = 16 };                                                                       \
        const type *w = work->weights;                                                             \
        type least[LANES], most[LANES];                                                            \
        uint64_t i = begin;                                                                        \
        for (int k = 0; k < LANES; k++)                                                            \
            least[k] = most[k] = w[begin];                                                         \
        for (; end - i >= LANES; i += LANES)                                                       \
            for (int k = 0; k < LANES; k++) {                                                      \
                least[k] = w[i + (uint64_t)k] < least[k] ? w[i + (uint64_t)k] : least[k];          \
                most[k] = w[i + (uint64_t)k] > most[k] ? w[i + (uint64_t)k] : most[k];             \
            }                                                                                      \
        for (; i < end; i++) {                                                                     \
            least[0] = w[i] < least[0] ? w[i] : least[0];                                          \
            most[0] = w[i] > most[0] ? w[i] : most[0];                                             \
        }                                                                                          \
        for (int k = 1; k < LANES; k++) {                                                          \
            least[0] = least[k] < least[0] ? least[k] : least[0];                                  \
            most[0] = most[k] > most[0] ? most[k] : most[0];                                       \
        }                                                                                          \
        (low) = least[0];                                                                          \
        (high) = most[0];                                                                          \
    } while (0)

static void weights_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    int64_t low_int = INT64_MAX, high_int = INT64_MIN;
    double low = 0, high = 0;
    (void)thread;
    if (!hop__progress_add(work->context, end - begin))
        return;
    switch (work->type) {
    case HOP_TYPE_INT32:
        RANGE(int32_t, low_int, high_int);
        break;
    case HOP_TYPE_INT64:
        RANGE(int64_t, low_int, high_int);
        break;
    case HOP_TYPE_FLOAT32:
        RANGE(float, low, high);
        break;
    default:
        RANGE(double, low, high);
        break;
    }
    if (hop__is_integer_type(work->type)) {
        low = (double)low_int;
        high = (double)high_int;
    }
    pthread_mutex_lock(&work->lock);
    merge_weights(work->facts, low, high, low_int, high_int);
    pthread_mutex_unlock(&work->lock);
}

void hop__facts_begin(uint64_t vertices, hop__facts *facts) {
    uint64_t loops = facts->loops;
    *facts = (hop__facts){.loops = loops,
                          .min_degree = vertices ? UINT64_MAX : 0,
                          .max_degree_vertex = HOP_NO_VERTEX,
                          .min_weight = INFINITY,
                          .max_weight = -INFINITY,
                          .min_weight_int = INT64_MAX,
                          .max_weight_int = INT64_MIN};
}

void hop__facts_weights(hop_context *context, hop_weight_type type, const void *weights,
                        uint64_t count, hop__facts *facts) {
    job work = {context, NULL, type, weights, facts, PTHREAD_MUTEX_INITIALIZER};
    if (type != HOP_TYPE_NONE && count > 0)
        hop__for(context, count, GRAIN, weights_range, &work);
    pthread_mutex_destroy(&work.lock);
}

void hop__facts_end(hop_context *context, const hop_graph *graph, hop__facts *facts) {
    job work = {context, graph, HOP_TYPE_NONE, NULL, facts, PTHREAD_MUTEX_INITIALIZER};
    hop__for(context, graph->vertices, GRAIN, degrees_range, &work);
    pthread_mutex_destroy(&work.lock);
    if (graph->weight_type == HOP_TYPE_NONE || graph->arcs == 0)
        facts->min_weight = facts->max_weight =
            (double)(facts->min_weight_int = facts->max_weight_int = 0);
    facts->min_weight += 0.0; /* -0 and 0 are equal: which of them came first must not show */
    facts->max_weight += 0.0;
}

hop_status hop__facts_measure(hop_context *context, const hop_graph *graph, hop__facts *facts) {
    bool weighted = graph->weight_type != HOP_TYPE_NONE && graph->arcs > 0;
    hop__progress_begin(context, "measure", graph->vertices + (weighted ? graph->arcs : 0));
    hop__facts_begin(graph->vertices, facts);
    hop__facts_weights(context, graph->weight_type, graph->weights, graph->arcs, facts);
    hop__facts_end(context, graph, facts);
    return hop__progress_end(context);
}

bool hop__ids_are_near(const hop_graph *graph) {
    enum { SAMPLES = 64, NEAR = 16 /* less than n / NEAR apart */ };
    uint64_t near = 0, taken = 0, step = graph->vertices / SAMPLES + 1;
    for (uint64_t v = step / 2; v < graph->vertices; v += step) {
        uint64_t row = hop__offset(graph, v), degree = hop__offset(graph, v + 1) - row;
        if (degree == 0)
            continue;
        uint64_t w = graph->targets[row + v % degree];
        near += (v < w ? w - v : v - w) < graph->vertices / NEAR;
        taken++;
    }
    return near * 2 > taken;
}
