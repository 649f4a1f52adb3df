/* SPDX-License-Identifier: Apache-2.0
 *
 * Index files that were forged: arrays of a right index are changed as the bytes say, and it is
 * saved, so that all checksums are right. Opening it fails as bad input does, or questions to it
 * end: with distances that may be wrong, or with an error; no memory stays in use. Asked are N
 * pairs, and one path, chosen by the last byte; by the tests all pairs.
 *
 * Bytes: the first chooses graph and kind; then changes of 7 bytes: which array, which item (two),
 * the new value (four; of wider items it is repeated). */
#include <string.h>

#include "fuzz_target.h"
#include "index/index_internal.h"
#include "scratch_file.h"

enum { N = 12, M = 20, CHANGE = 7, PATHS = 11, CHOICES = 8, ROOM = 1 << 13 };

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

/* The right index for a choice of graph and kind. It is made once, by a context of its own. */
static hop_index *right_index(uint8_t choice) {
    static hop_context *context = NULL;
    static hop_index *made[CHOICES];
    hop_index **index = &made[choice % CHOICES];
    hop_index_options options = HOP_INDEX_OPTIONS_INIT;
    if (*index != NULL)
        return *index;
    if (context == NULL)
        require(hop_context_create(NULL, &context) == HOP_OK, "there is a context", context);
    hop_graph *graph = make_graph(context, choice);
    options.kind = choice & 4 ? HOP_INDEX_LANDMARKS : HOP_INDEX_CONTRACTION;
    options.landmarks = 3;
    require(hop_index_build(context, graph, &options, index) == HOP_OK, "an index", context);
    hop_graph_release(graph);
    return *index;
}

/* What is in an index, to be put back after changes. */
typedef struct contents {
    hop_index index;
    uint8_t bytes[ROOM];
} contents;

/* Copies the arrays of an index, or puts them back. */
static void copy_arrays(hop_index *index, contents *all, bool back) {
    const hop__hierarchy *h = &index->hierarchy;
    const bool contraction = index->kind == HOP_INDEX_CONTRACTION;
    void *const arrays[] = {h->places, h->offsets, h->words, index->landmarks.distances};
    const size_t sizes[] = {
        contraction ? N * sizeof *h->places : 0, contraction ? (N + 1) * sizeof *h->offsets : 0,
        contraction ? h->offsets[N] * hop__arc_words(index) * sizeof *h->words : 0,
        contraction ? 0 : N * hop__landmark_row(index) * sizeof *index->landmarks.distances};
    uint8_t *at = all->bytes;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; at += sizes[i], i++) {
        if (sizes[i] > (size_t)(all->bytes + ROOM - at))
            abort();
        if (sizes[i] > 0)
            memcpy(back ? arrays[i] : at, back ? at : arrays[i], sizes[i]);
    }
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

/* The distances of some pairs, chosen by `first`. */
static void ask_distances(hop_context *context, const hop_index *index, unsigned first) {
    hop_edge pairs[N * N];
    char room[N * N * 8];
    const hop_type type = hop_distance_type(index->graph->weight_type);
    const hop_vertex count = fuzz_all ? N * N : N;
    for (hop_vertex i = 0; i < count; i++)
        pairs[i] = (hop_edge){i % N, (i % N + i / N + first) % N};
    hop_status status =
        hop_index_distances(context, index, pairs, count, &(hop_span){room, count, type});
    require(status == HOP_OK, "every distance is told", context);
}

static void ask_path(hop_context *context, const hop_index *index, hop_vertex from, hop_vertex to) {
    hop_vertex path[N], length = 0;
    hop_status status = hop_index_path(context, index, from, to, path, N, &length, NULL);
    require(status == HOP_OK || status == HOP_ERR_INPUT, "a path, or not", context);
    for (hop_vertex k = 0; status == HOP_OK && k < length; k++)
        require(path[k] < N, "of vertices", context);
}

static void ask(hop_context *context, const hop_index *index, unsigned first) {
    const hop_vertex step = fuzz_all ? PATHS : N * N;
    ask_distances(context, index, first);
    for (hop_vertex i = first % step; i < N * N; i += step)
        ask_path(context, index, i / N, i % N);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static contents right;
    hop_context *context = fuzz_context();
    hop_index *index = right_index(count > 0 ? bytes[0] : 0), *forged = NULL;
    const char *path = scratch_path("forged.npz");
    right.index = *index;
    copy_arrays(index, &right, false);
    for (size_t at = 1; at + CHANGE <= count; at += CHANGE)
        change(index, bytes + at);
    require(hop_index_save(context, index, path) == HOP_OK, "it can be saved", context);
    *index = right.index;
    copy_arrays(index, &right, true);
    hop_status status = hop_index_open(context, path, index->graph, &forged);
    if (status == HOP_OK) {
        ask(context, forged, count > 1 ? bytes[count - 1] : 0);
    } else {
        require(status == HOP_ERR_INPUT, "the status is one for bad input", context);
        require(strstr(hop_context_message(context), path) != NULL, "the message names the file",
                context);
    }
    hop_index_free(forged);
    require(hop_context_memory_used(context) == 0, "no memory is left in use", context);
    return 0;
}
