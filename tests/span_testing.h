/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of results as spans of the type and length that the graph asks for, for tests whose arrays
 * are known to be long enough. That others are refused is what core/test_span.c is about. */
#ifndef HOPLITE_TESTS_SPAN_TESTING_H
#define HOPLITE_TESTS_SPAN_TESTING_H

#include "hoplite/apsp.h"

/* Distances from sources: to be written, and to be read. */
#define ROOM(graph, items)  (&(hop_span){(items), graph_count(graph), distances_of(graph)})
#define GIVEN(graph, items) (&(hop_view){(items), graph_count(graph), distances_of(graph)})
/* The whole matrix of apsp, to be written; `rows` rows of it, to be read. */
#define MATRIX_ROOM(graph, options, items)                                                         \
    (&(hop_span){(items), matrix_count(graph, options), hop_apsp_distance_type(graph, options)})
#define GIVEN_ROWS(graph, options, rows, items)                                                    \
    (&(hop_view){(items), graph_count(graph) * (uint64_t)(rows),                                   \
                 hop_apsp_distance_type(graph, options)})

static inline uint64_t graph_count(const hop_graph *graph) {
    return graph ? hop_graph_vertices(graph) : 0;
}

static inline hop_type distances_of(const hop_graph *graph) {
    hop_weight_type type = HOP_TYPE_NONE;
    if (graph)
        (void)hop_graph_weights(graph, &type);
    return hop_distance_type(type);
}

static inline uint64_t matrix_count(const hop_graph *graph, const hop_apsp_options *options) {
    uint64_t rows = options && options->sources ? options->source_count : graph_count(graph);
    return rows * graph_count(graph);
}

#endif
