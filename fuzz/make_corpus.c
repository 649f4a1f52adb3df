/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the seeds of the fuzz targets by our own writers:
 *
 *     make_corpus fuzz/corpus
 *
 * A few small graphs (empty, one vertex, isolated vertices, parallel edges and loops, labels, each
 * weight type, directed or not), each in every format that can hold it. Hand-written seeds, such as
 * odd but valid text, stand beside them under other names and are not touched. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hoplite/hoplite.h"

typedef struct sample {
    const char *name;
    bool directed, labelled;
    bool weighted;     /* with each weight type too */
    uint64_t vertices; /* 0: those of the edges */
    size_t count;
    uint32_t from[8], to[8];
} sample;

static const sample samples[] = {
    {"empty", false, false, false, 0, 0, {0}, {0}},
    {"one", false, false, false, 1, 0, {0}, {0}},
    {"path", false, false, true, 0, 3, {0, 1, 2}, {1, 2, 3}},
    {"isolated", false, false, false, 6, 2, {1, 3}, {3, 4}},
    {"directed", true, false, true, 4, 4, {0, 1, 2, 2}, {1, 2, 0, 3}},
    {"parallel", true, false, false, 0, 5, {0, 0, 1, 1, 2}, {1, 1, 1, 2, 0}},
    {"triangle", false, false, true, 4, 3, {0, 0, 1}, {1, 2, 2}},
    {"loops", false, false, false, 3, 3, {0, 1, 2}, {0, 2, 2}},
    {"labelled", false, true, false, 0, 3, {7, 1000, 7}, {1000, 4000000000u, 42}},
};

static const char *const weight_values[] = {"", "i32", "i64", "f32", "f64"};

static void fail(const char *what, const hop_context *context) {
    fprintf(stderr, "make_corpus: %s: %s\n", what, context ? hop_context_message(context) : "");
    exit(EXIT_FAILURE);
}

static hop_graph *build(hop_context *context, const sample *sample, hop_weight_type type) {
    static const int32_t i32[] = {3, -1, 2147483647, 0, 12, 5, 6, 7};
    static const int64_t i64[] = {3, -5000000000, 1, INT64_MAX, 0, 5, 6, 7};
    static const float f32[] = {0.5f, -2, 3.25f, 1e30f, 0, 5, 6, 7};
    static const double f64[] = {0.1, -2, 1e-300, 1e300, 0, 5, 6, 7};
    static const void *const values[] = {NULL, i32, i64, f32, f64};
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    edges.count = sample->count;
    edges.from = sample->from;
    edges.to = sample->to;
    edges.weights = values[type];
    /* Some formats have positive weights only. */
    if (type != HOP_TYPE_NONE && strcmp(sample->name, "triangle") == 0)
        edges.weights = (const char *)values[type] + 5 * hop_type_size(type);
    edges.weight_type = type;
    options.vertices = sample->vertices;
    options.directed = sample->directed;
    options.duplicates = HOP_DUPLICATES_KEEP;
    options.ids = sample->labelled ? HOP_IDS_SPARSE : HOP_IDS_DENSE;
    if (hop_graph_from_edges(context, &edges, &options, &graph) != HOP_OK)
        fail(sample->name, context);
    return graph;
}

static void make_folder(const char *path) {
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        fail(path, NULL);
}

/* Puts the files of one LDBC graph into one, separated by bars as fuzz_ldbc expects, and removes
 * them. */
static void join(const char *path) {
    static const char *const suffixes[] = {".v", ".e", ".properties"};
    FILE *out = fopen(path, "wb");
    for (int i = 0; i < 3 && out != NULL; i++) {
        char part[1100];
        int c;
        snprintf(part, sizeof part, "%s%s", path, suffixes[i]);
        FILE *in = fopen(part, "rb");
        if (in == NULL)
            fail(part, NULL);
        if (i > 0)
            putc('|', out);
        while ((c = getc(in)) != EOF)
            putc(c, out);
        fclose(in);
        unlink(part);
    }
    if (out == NULL || fclose(out) != 0)
        fail(path, NULL);
}

/* Writes one graph in one format; a format that cannot hold it is left out. */
static void write_seed(hop_context *context, const hop_graph *graph, const char *folder,
                       const char *target, const char *format, const char *stem, bool gzip) {
    char path[1024], vertices[1100];
    hop_write_options options = HOP_WRITE_OPTIONS_INIT;
    options.format = format;
    options.gzip = gzip;
    snprintf(path, sizeof path, "%s/%s", folder, target);
    make_folder(path);
    snprintf(path, sizeof path, "%s/%s/made-%s", folder, target, stem);
    bool pair = strcmp(format, "ldbc") == 0;
    snprintf(vertices, sizeof vertices, "%s.v", path);
    hop_status status = hop_graph_write(context, graph, pair ? vertices : path, &options);
    if (status == HOP_ERR_UNSUPPORTED)
        return;
    if (status != HOP_OK)
        fail(path, context);
    if (pair)
        join(path);
}

static void write_formats(hop_context *context, const hop_graph *graph, const char *folder,
                          const char *stem) {
    hop_weight_type type;
    for (size_t i = 0; i < hop_format_count(); i++) {
        const hop_format *format = hop_format_at(i);
        if (!format->can_write || !format->can_read)
            continue;
        /* Its weights are in a second file, which is not part of a seed. */
        if (strncmp(format->name, "graph500", 8) == 0 && hop_graph_weights(graph, &type) != NULL)
            continue;
        write_seed(context, graph, folder, format->name, format->name, stem, false);
        if (format->text && strcmp(format->name, "ldbc") != 0 && strncmp(stem, "path", 4) == 0) {
            char long_stem[128];
            snprintf(long_stem, sizeof long_stem, "%s-%s", format->name, stem);
            write_seed(context, graph, folder, "gzip", format->name, long_stem, true);
        }
    }
}

static void write_lists(hop_context *context, const char *folder) {
    static const hop_vertex successors[] = {2, 3, 1, 3};
    char path[1024];
    snprintf(path, sizeof path, "%s/list", folder);
    make_folder(path);
    for (hop_vertex count = 0; count <= 4; count += 4) {
        snprintf(path, sizeof path, "%s/list/made-%u.npy", folder, (unsigned)count);
        if (hop_list_write(context, path, successors, count) != HOP_OK)
            fail(path, context);
    }
}

int main(int argc, char **argv) {
    hop_context *context = NULL;
    if (argc != 2 || hop_context_create(NULL, &context) != HOP_OK) {
        fprintf(stderr, "usage: make_corpus FOLDER\n");
        return 2;
    }
    make_folder(argv[1]);
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const int types = samples[i].weighted ? HOP_TYPE_FLOAT64 : HOP_TYPE_NONE;
        for (int type = HOP_TYPE_NONE; type <= types; type++) {
            char stem[64];
            hop_graph *graph = build(context, &samples[i], (hop_weight_type)type);
            snprintf(stem, sizeof stem, "%s%s%s", samples[i].name, type ? "-" : "",
                     weight_values[type]);
            write_formats(context, graph, argv[1], stem);
            hop_graph_release(graph);
        }
    }
    write_lists(context, argv[1]);
    hop_context_free(context);
    return EXIT_SUCCESS;
}
