/* SPDX-License-Identifier: Apache-2.0
 * What the tests of binary formats share: small graphs of every kind, files in a temporary folder,
 * and the two ways to damage a file: cut it anywhere, change any byte. */
#ifndef HOPLITE_TESTS_BINARY_TESTING_H
#define HOPLITE_TESTS_BINARY_TESTING_H

#include <unistd.h>

#include "graph/graph_testing.h"

typedef struct sample {
    const char *name;
    uint64_t vertices;
    size_t count;
    const uint32_t *pairs;  /* from, to, from, to, ... */
    const uint64_t *labels; /* NULL: none */
    uint64_t first_id;
} sample;

static const uint32_t loop_pair[] = {0, 0};
static const uint32_t few_pairs[] = {1, 3, 3, 7, 7, 1, 2, 2};
static const uint32_t many_pairs[] = {0, 1, 1, 2, 0, 1, 2, 0, 2, 0, 1, 1, 1, 1, 3, 0, 4, 2};
static const uint64_t five_labels[] = {3, 70, UINT64_C(1) << 33, UINT64_C(1) << 40,
                                       UINT64_C(1) << 47};

static const sample samples[] = {
    {"empty", 0, 0, NULL, NULL, 0},
    {"one vertex", 1, 0, NULL, NULL, 0},
    {"one loop", 1, 1, loop_pair, NULL, 0},
    {"isolated vertices", 10, 4, few_pairs, NULL, 0},
    {"parallel edges and loops", 5, 9, many_pairs, NULL, 0},
    {"labels", 5, 9, many_pairs, five_labels, 0},
    {"ids from 1", 5, 9, many_pairs, NULL, 1},
    {"ids from 7, isolated vertices", 10, 4, few_pairs, NULL, 7},
};

enum { SAMPLES = sizeof samples / sizeof samples[0] };

static inline hop_graph *make_sample(hop_context *context, const sample *from, bool directed,
                                     hop_weight_type type, hop_duplicates duplicates) {
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    void *weights = make_weights(type, from->count, 5);
    uint64_t ids[64];
    edges.count = from->count;
    for (size_t i = 0; i < 2 * from->count; i++)
        ids[i] = from->labels ? from->labels[from->pairs[i]] : from->first_id + from->pairs[i];
    edges.from = ids;
    edges.to = ids + 1;
    edges.id_bytes = 8;
    edges.stride = 16;
    edges.weights = type == HOP_TYPE_NONE ? NULL : weights;
    edges.weight_type = type;
    build.vertices = from->vertices;
    build.directed = directed;
    build.duplicates = duplicates;
    build.ids = from->labels ? HOP_IDS_SPARSE : HOP_IDS_DENSE;
    build.labels = from->labels;
    build.first_id = from->first_id;
    if (hop_graph_from_edges(context, &edges, &build, &graph) != HOP_OK)
        fail_msg("%s: %s", from->name, hop_context_message(context));
    free(weights);
    return graph;
}

static inline uint64_t hash_of(hop_context *context, const hop_graph *graph) {
    uint64_t hash = 0;
    if (hop_graph_hash(context, graph, &hash) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return hash;
}

/* A path in a folder of this process, which is removed by temporary_end. */
static inline const char *temporary(const char *name) {
    static char folder[64], path[128];
    if (folder[0] == '\0') {
        const char *base = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%.40s/hoplite.XXXXXX", base ? base : "/tmp");
        if (mkdtemp(folder) == NULL)
            fail_msg("no temporary folder");
    }
    if (name == NULL)
        return folder;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline int temporary_end(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", temporary(NULL));
    return system(command);
}

typedef struct file_bytes {
    unsigned char *bytes;
    size_t count;
} file_bytes;

static inline file_bytes load_file(const char *path) {
    file_bytes file = {NULL, 0};
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    file.count = (size_t)ftell(stream);
    rewind(stream);
    file.bytes = malloc(file.count + 1);
    assert_int_equal(fread(file.bytes, 1, file.count, stream), file.count);
    fclose(stream);
    return file;
}

static inline void save_file(const char *path, const void *bytes, size_t count) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, count, stream), count);
    assert_int_equal(fclose(stream), 0);
}

/* Reads damaged bytes, from a block of exactly that size so that a sanitizer sees every access
 * past it. There must be an error with a message, or a graph that can be used once it has passed
 * its check. Returns whether there was a sound graph. */
static inline bool survive(hop_context *context, const char *format, const unsigned char *bytes,
                           size_t count) {
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    unsigned char *exact = malloc(count > 0 ? count : 1);
    uint64_t hash;
    bool sound = false;
    options.format = format;
    if (count > 0)
        memcpy(exact, bytes, count);
    hop_status status = hop_graph_read_memory(context, "damaged", exact, count, &options, &graph);
    free(exact);
    if (status != HOP_OK) {
        assert_null(graph);
        assert_true(status == HOP_ERR_INPUT || status == HOP_ERR_UNSUPPORTED ||
                    status == HOP_ERR_BUDGET);
        assert_true(strlen(hop_context_message(context)) > 0);
        return false;
    }
    if (hop_graph_check(context, graph) == HOP_OK) {
        assert_int_equal(hop_graph_hash(context, graph, &hash), HOP_OK);
        sound = true;
    }
    hop_graph_release(graph);
    return sound;
}

/* A context that refuses what a few kilobytes cannot need. */
static inline hop_context *small_context(void) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = 1;
    options.memory_budget = 64 << 20;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

/* Cuts the file after every byte: no cut may give a graph. */
static inline void cut_everywhere(const char *format, file_bytes file) {
    hop_context *context = small_context();
    for (size_t count = 0; count < file.count; count++)
        if (survive(context, format, file.bytes, count))
            fail_msg("cut to %zu of %zu bytes it is still a graph", count, file.count);
    assert_true(survive(context, format, file.bytes, file.count));
    free_context(context);
}

/* Changes every byte, in several ways; returns how many changes left a sound graph. */
static inline size_t damage_everywhere(const char *format, file_bytes file) {
    static const unsigned char patterns[] = {0x01, 0x80, 0xff, 0x10};
    hop_context *context = small_context();
    size_t sound = 0;
    for (size_t at = 0; at < file.count; at++) {
        unsigned char old = file.bytes[at];
        for (size_t i = 0; i < sizeof patterns; i++) {
            file.bytes[at] = old ^ patterns[i];
            sound += survive(context, format, file.bytes, file.count);
        }
        file.bytes[at] = 0;
        sound += survive(context, format, file.bytes, file.count);
        file.bytes[at] = 0xff;
        sound += survive(context, format, file.bytes, file.count);
        file.bytes[at] = old;
    }
    free_context(context);
    return sound;
}

#endif
