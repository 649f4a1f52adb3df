/* SPDX-License-Identifier: Apache-2.0
 *
 * Index files that were forged: arrays of a right index are changed as the bytes say, and it is
 * saved, so that all checksums are right. Opening it fails as bad input does, or all questions to
 * it end: with distances that may be wrong, or with an error; no memory stays in use.
 *
 * Bytes: the first chooses graph and kind; then changes of 7 bytes: which array, which item (two),
 * the new value (four; of wider items it is repeated). */
#include <string.h>

#include "fuzz_target.h"
#include "index/index_internal.h"
#include "scratch_file.h"

enum { N = 12, M = 20, CHANGE = 7, PATHS = 11 };

static hop_graph *make_graph(hop_context *context, uint8_t choice) {
    hop_vertex from[M], to[M];
    int64_t wide[M];
    float real[M];
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    for (hop_vertex i = 0; i < M; i++) {
        from[i] = i % N;
        to[i] = (i * 5 + 1 + i / N) % N;
        wide[i] = i % 4 == 0 ? INT64_C(1) << 40 : i;
        real[i] = (float)(i % 7) / 3;
    }
    edges.from = from;
    edges.to = to;
    edges.count = M;
    edges.weights = choice & 1 ? (void *)real : wide;
    edges.weight_type = choice & 1 ? HOP_TYPE_FLOAT32 : HOP_TYPE_INT64;
    options.directed = choice & 2;
    require(hop_graph_from_edges(context, &edges, &options, &graph) == HOP_OK, "a graph", context);
    return graph;
}

static void put(void *items, size_t size, uint64_t count, const uint8_t *change) {
    const uint64_t at = (change[1] | (uint64_t)change[2] << 8) % (count > 0 ? count : 1);
    for (size_t i = 0; count > 0 && i < size; i++)
        ((uint8_t *)items)[at * size + i] = change[3 + i % 4];
}

/* The number of arcs stays: it is how long an array is. */
static void change(hop_index *index, const uint8_t *how) {
    hop__hierarchy *h = &index->hierarchy;
    const bool contraction = index->kind == HOP_INDEX_CONTRACTION;
    switch (how[0] % 6) {
    case 0:
        put(&index->metric.unit, sizeof(double), 1, how);
        break;
    case 1:
        put(&index->metric.reach, sizeof(double), 1, how);
        break;
    case 2:
        index->landmarks.shift = how[3];
        break;
    case 3:
        put(contraction ? h->places : index->landmarks.at, sizeof(hop_vertex),
            contraction ? N : index->landmarks.count, how);
        break;
    case 4: /* small steps, or hardly any would ascend */
        if (contraction)
            h->offsets[how[1] % N] += (uint64_t)(int64_t)(int8_t)how[3];
        break;
    default:
        if (contraction)
            put(h->words, 4, h->offsets[N] * hop__arc_words(index), how);
        else
            put(index->landmarks.distances, 4, N * (uint64_t)hop__landmark_row(index), how);
    }
}

/* All distances, and one path in PATHS, from pair `first` on. */
static void ask(hop_context *context, const hop_index *index, unsigned first) {
    hop_edge pairs[N * N];
    char room[N * N * 8];
    const hop_type type = hop_distance_type(index->graph->weight_type);
    for (hop_vertex i = 0; i < N * N; i++)
        pairs[i] = (hop_edge){i / N, i % N};
    hop_status status =
        hop_index_distances(context, index, pairs, N * N, &(hop_span){room, N * N, type});
    require(status == HOP_OK, "every distance is told", context);
    for (hop_vertex i = first % PATHS; i < N * N; i += PATHS) {
        hop_vertex path[N], length = 0;
        status = hop_index_path(context, index, i / N, i % N, path, N, &length, NULL);
        require(status == HOP_OK || status == HOP_ERR_INPUT, "a path, or not", context);
        for (hop_vertex k = 0; status == HOP_OK && k < length; k++)
            require(path[k] < N, "of vertices", context);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    hop_context *context = fuzz_context();
    hop_index_options options = HOP_INDEX_OPTIONS_INIT;
    hop_index *index = NULL, *forged = NULL;
    hop_graph *graph = make_graph(context, count > 0 ? bytes[0] : 0);
    const char *path = scratch_path("forged.npz");
    options.kind = count > 0 && bytes[0] & 4 ? HOP_INDEX_LANDMARKS : HOP_INDEX_CONTRACTION;
    options.landmarks = 3;
    require(hop_index_build(context, graph, &options, &index) == HOP_OK, "an index", context);
    for (size_t at = 1; at + CHANGE <= count; at += CHANGE)
        change(index, bytes + at);
    require(hop_index_save(context, index, path) == HOP_OK, "it can be saved", context);
    hop_index_free(index);
    hop_status status = hop_index_open(context, path, graph, &forged);
    if (status == HOP_OK) {
        ask(context, forged, count > 1 ? bytes[count - 1] : 0);
    } else {
        require(status == HOP_ERR_INPUT, "the status is one for bad input", context);
        require(strstr(hop_context_message(context), path) != NULL, "the message names the file",
                context);
    }
    hop_index_free(forged);
    hop_graph_release(graph);
    require(hop_context_memory_used(context) == 0, "no memory is left in use", context);
    return 0;
}
