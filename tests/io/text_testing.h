/* SPDX-License-Identifier: Apache-2.0
 * What the tests of text formats share: reading a string, also in blocks and chunks of a few bytes,
 * comparing graphs, and tables of malformed input. */
#ifndef HOPLITE_TESTS_TEXT_TESTING_H
#define HOPLITE_TESTS_TEXT_TESTING_H

#include <inttypes.h>
#include <zlib.h>

#include "graph/graph_internal.h"
#include "io/binary_testing.h"
#include "io/bytes/input.h"
#include "io/formats/format.h"

static inline hop_read_options keep_all(const char *format) {
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    options.format = format;
    options.duplicates = HOP_DUPLICATES_KEEP;
    return options;
}

/* Reads a string as a file named "f"; the string is copied to a block of exactly its size. */
static inline hop_status read_bytes(hop_context *context, const char *format, const char *text,
                                    size_t count, hop_graph **graph) {
    hop_read_options options = keep_all(format);
    char *exact = malloc(count > 0 ? count : 1);
    if (count > 0)
        memcpy(exact, text, count);
    hop_status status = hop_graph_read_memory(context, "f", exact, count, &options, graph);
    free(exact);
    return status;
}

static inline hop_graph *read_text(hop_context *context, const char *format, const char *text) {
    hop_graph *graph = NULL;
    if (read_bytes(context, format, text, strlen(text), &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return graph;
}

/* The same in blocks of `block` bytes, cut into chunks of `chunk`. */
static inline hop_status read_cut(hop_context *context, const char *format, const char *text,
                                  size_t count, size_t block, size_t chunk, hop_graph **graph) {
    hop_read_options options = keep_all(format);
    const hop__format *row = hop__format_named(format);
    hop__input *input = NULL;
    hop__edge_list list = {0};
    *graph = NULL;
    hop_status status = hop__input_open_memory(context, "f", text, count, &options, &input);
    assert_int_equal(status, HOP_OK);
    hop__input_set_sizes(input, block, chunk);
    status = row->read_edges(context, input, &options, &list);
    if (status == HOP_OK)
        status = hop__edge_list_build(context, "f", &list, &options, graph);
    hop__edge_list_clear(&list);
    hop__input_close(input);
    return status;
}

/* gzip of `count` bytes, as one member appended to `out`; returns the end. */
static inline unsigned char *pack(unsigned char *out, const void *bytes, size_t count) {
    z_stream z;
    memset(&z, 0, sizeof z);
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)bytes;
    z.avail_in = (uInt)count;
    z.next_out = out;
    z.avail_out = (uInt)compressBound((uLong)count) + 64;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.next_out;
}

/* Every array, not only a hash of them. */
static inline void assert_same_graph(const hop_graph *a, const hop_graph *b) {
    uint64_t vertices = hop_graph_vertices(a), arcs = hop_graph_arcs(a);
    hop_weight_type type, other_type;
    const void *weights = hop_graph_weights(a, &type);
    const void *other_weights = hop_graph_weights(b, &other_type);
    assert_int_equal(hop_graph_vertices(b), vertices);
    assert_int_equal(hop_graph_arcs(b), arcs);
    assert_int_equal(hop_graph_directed(a), hop_graph_directed(b));
    assert_string_equal(hop_type_name(other_type), hop_type_name(type));
    for (uint64_t v = 0; v <= vertices; v++)
        assert_int_equal(offset_of(a, v), offset_of(b, v));
    if (arcs > 0)
        assert_memory_equal(hop_graph_targets(a), hop_graph_targets(b), arcs * 4);
    if (arcs > 0 && type != HOP_TYPE_NONE)
        assert_memory_equal(weights, other_weights, arcs * hop_type_size(type));
    assert_int_equal(hop_graph_labels(a) == NULL, hop_graph_labels(b) == NULL);
    for (uint64_t v = 0; v < vertices; v++)
        assert_true(hop_graph_label(a, (hop_vertex)v) == hop_graph_label(b, (hop_vertex)v));
}

typedef struct bad_text {
    const char *text;
    const char *part; /* of the message, which also begins with "f:" */
} bad_text;

static inline void assert_all_bad(const char *format, const bad_text *table, size_t count) {
    hop_context *context = make_context(2);
    for (size_t i = 0; i < count; i++) {
        hop_graph *graph = NULL;
        hop_status status =
            read_bytes(context, format, table[i].text, strlen(table[i].text), &graph);
        if (status == HOP_OK)
            fail_msg("accepted: %s", table[i].text);
        assert_true(status == HOP_ERR_INPUT || status == HOP_ERR_UNSUPPORTED);
        assert_null(graph);
        assert_message(context, table[i].part);
        if (strncmp(hop_context_message(context), "f:", 2) != 0)
            fail_msg("no file in '%s'", hop_context_message(context));
    }
    free_context(context);
}

/* "n arcs d|u type" and then "from>to=weight ..." in terms of labels: to compare by eye. */
static inline void assert_graph_text(const hop_graph *graph, const char *expected) {
    char text[4096];
    hop_weight_type type;
    const void *weights = hop_graph_weights(graph, &type);
    int used = snprintf(text, sizeof text, "%u %s %s:", hop_graph_vertices(graph),
                        hop_graph_directed(graph) ? "directed" : "undirected", hop_type_name(type));
    for (uint64_t v = 0; v < hop_graph_vertices(graph); v++)
        for (uint64_t i = offset_of(graph, v); i < offset_of(graph, v + 1); i++) {
            uint32_t to = hop_graph_targets(graph)[i];
            if (!hop_graph_directed(graph) && to < v)
                continue;
            used += snprintf(text + used, sizeof text - (size_t)used, " %" PRIu64 ">%" PRIu64,
                             hop_graph_label(graph, (hop_vertex)v), hop_graph_label(graph, to));
            if (type != HOP_TYPE_NONE)
                used += snprintf(text + used, sizeof text - (size_t)used, "=%g",
                                 weight_of(type, weights, i));
        }
    assert_string_equal(text, expected);
}

static inline void assert_reads(const char *format, const char *text, const char *expected) {
    hop_context *context = make_context(2);
    hop_graph *graph = read_text(context, format, text);
    assert_graph_text(graph, expected);
    hop_graph_release(graph);
    free_context(context);
}

#endif
