/* SPDX-License-Identifier: Apache-2.0
 * What the tests of graphs share: contexts, plain arcs to compare with, failing allocators. */
#ifndef HOPLITE_TESTS_GRAPH_TESTING_H
#define HOPLITE_TESTS_GRAPH_TESTING_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "core/sanitized_testing.h"
#include "hoplite/hoplite.h"

typedef struct arc {
    uint32_t from, to;
    uint64_t order;
    double weight;
} arc;

static inline int compare_arcs(const void *a, const void *b) {
    const arc *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static inline hop_context *make_context(unsigned threads) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = threads;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

/* Frees a context that must have nothing left. */
static inline void free_context(hop_context *context) {
    assert_int_equal(hop_context_memory_used(context), 0);
    hop_context_free(context);
}

static inline void assert_message(const hop_context *context, const char *part) {
    if (!strstr(hop_context_message(context), part))
        fail_msg("'%s' is not in '%s'", part, hop_context_message(context));
}

static inline double weight_of(hop_weight_type type, const void *weights, uint64_t i) {
    switch (type) {
    case HOP_TYPE_INT32:
        return ((const int32_t *)weights)[i];
    case HOP_TYPE_INT64:
        return (double)((const int64_t *)weights)[i];
    case HOP_TYPE_FLOAT32:
        return (double)((const float *)weights)[i];
    case HOP_TYPE_FLOAT64:
        return ((const double *)weights)[i];
    default:
        return 0;
    }
}

static inline void *make_weights(hop_weight_type type, uint64_t count, uint64_t seed) {
    void *weights = malloc(count * 8 + 8);
    for (uint64_t i = 0; i < count; i++) {
        int value = (int)(hop__random_at(seed, 7, i) % 2001) - 1000;
        switch (type) {
        case HOP_TYPE_INT32:
            ((int32_t *)weights)[i] = value;
            break;
        case HOP_TYPE_INT64:
            ((int64_t *)weights)[i] = value;
            break;
        case HOP_TYPE_FLOAT32:
            ((float *)weights)[i] = (float)value / 7;
            break;
        default:
            ((double *)weights)[i] = value / 7.0;
            break;
        }
    }
    return weights;
}

static inline uint64_t offset_of(const hop_graph *graph, uint64_t v) {
    size_t width;
    const void *offsets = hop_graph_offsets(graph, &width);
    return width == 4 ? ((const uint32_t *)offsets)[v] : ((const uint64_t *)offsets)[v];
}

static inline void assert_graph_is(const hop_graph *graph, const arc *arcs, uint64_t count) {
    hop_weight_type type;
    const void *weights = hop_graph_weights(graph, &type);
    uint64_t next = 0;
    assert_int_equal(hop_graph_arcs(graph), count);
    assert_int_equal(offset_of(graph, 0), 0);
    for (uint64_t v = 0; v < hop_graph_vertices(graph); v++)
        for (uint64_t i = offset_of(graph, v); i < offset_of(graph, v + 1); i++, next++) {
            if (i != next || arcs[i].from != v || arcs[i].to != hop_graph_targets(graph)[i] ||
                (type != HOP_TYPE_NONE && arcs[i].weight != weight_of(type, weights, i)))
                fail_msg("arc %llu: %llu to %u, weight %g; expected %u to %u, weight %g",
                         (unsigned long long)i, (unsigned long long)v, hop_graph_targets(graph)[i],
                         weight_of(type, weights, i), arcs[i].from, arcs[i].to, arcs[i].weight);
        }
    assert_int_equal(next, count);
}

/* An allocator whose call number *user fails (and all after it). */
static inline void *failing_allocate(void *user, size_t bytes, size_t alignment) {
    long *left = user;
    if (*left == 0)
        return NULL;
    --*left;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static inline void failing_release(void *user, void *block, size_t bytes) {
    (void)user;
    (void)bytes;
    free(block);
}

#endif
