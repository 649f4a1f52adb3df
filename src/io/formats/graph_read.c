/* SPDX-License-Identifier: Apache-2.0
 *
 * The front of reading: options, opening, choice of the format, its reader, then the graph.
 *
 * A reader gives either edges as they stand in the file, which edge_list_build.c makes a graph of,
 * or the graph itself. Here stands what is the same for all. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/try.h"
#include "io/bytes/input.h"
#include "io/formats/foreign.h"
#include "io/formats/format.h"
#include "io/text/parts.h"

struct hop_edge_file {
    hop__edge_list list;
    hop_edges edges; /* the same, for the caller */
};

hop_status hop__read_limits_check(hop_context *context, const char *name,
                                  const hop_read_options *options, uint64_t vertices,
                                  uint64_t edges) {
    if (vertices > HOP_MAX_VERTICES)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: %" PRIu64 " vertices, at most %" PRIu64 " are possible", name,
                         vertices, (uint64_t)HOP_MAX_VERTICES);
    if (edges > HOP_MAX_EDGES)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: %" PRIu64 " edges, at most %" PRIu64 " are possible", name, edges,
                         HOP_MAX_EDGES);
    if (options->max_vertices != 0 && vertices > options->max_vertices) {
        hop__fail(context, HOP_ERR_INPUT,
                  "%s: %" PRIu64 " vertices, the limit (max_vertices) is %" PRIu64, name, vertices,
                  options->max_vertices);
        return hop__note_limit(context, "max_vertices", vertices, options->max_vertices);
    }
    if (options->max_edges != 0 && edges > options->max_edges) {
        hop__fail(context, HOP_ERR_INPUT,
                  "%s: %" PRIu64 " edges, the limit (max_edges) is %" PRIu64, name, edges,
                  options->max_edges);
        return hop__note_limit(context, "max_edges", edges, options->max_edges);
    }
    return HOP_OK;
}

/* The row that the options name, or that the contents show. */
static hop_status choose(hop_context *context, hop__input *input, const hop_read_options *options,
                         const hop__format **row) {
    hop_status status;
    char names[256];
    const unsigned char *bytes;
    size_t count;
    status = hop__input_peek(context, input, HOP__SNIFF_BYTES, &bytes, &count);
    if (status == HOP_OK && options->format == NULL)
        status = hop__foreign_check(context, input, bytes, count, false);
    if (status == HOP_OK && options->format == NULL)
        status = hop__format_recognise(context, input, row);
    if (status != HOP_OK)
        return status;
    if (options->format != NULL) {
        *row = hop__format_named(options->format);
        if (*row == NULL || ((*row)->read_edges == NULL && (*row)->read_graph == NULL)) {
            hop__format_list(false, names);
            hop__fail(context, HOP_ERR_ARGUMENT, "read: \"%s\" is not a format that can be read",
                      options->format);
            return hop__note_unknown(context, options->format, NULL, "there are", names);
        }
        if ((*row)->about.text)
            status = hop__foreign_check(context, input, bytes, count, true);
        if (status != HOP_OK)
            return status;
    }
    context->format = &(*row)->about;
    if (!(*row)->about.text && (hop__input_is_stream(input) || hop__input_compressed(input)))
        return hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: format %s is not read from %s; %s",
                         hop__input_name(input), (*row)->about.name,
                         hop__input_compressed(input) ? hop__input_packing(input) : "a stream",
                         hop__input_compressed(input) ? "decompress it first" : "give a file");
    hop__log(context, HOP_LOG_INFO, "%s: format %s%s%s", hop__input_name(input), (*row)->about.name,
             hop__input_compressed(input) ? ", " : "",
             hop__input_compressed(input) ? hop__input_packing(input) : "");
    return HOP_OK;
}

/* Reads an opened input, which it does not close. */
static hop_status read_input(hop_context *context, hop__input *input,
                             const hop_read_options *options, hop_graph **graph) {
    const hop__format *row;
    hop__edge_list list = {0};
    hop_status status;
    HOP_TRY(status, choose(context, input, options, &row));
    if (row->read_graph != NULL) {
        context->outsider = NULL; /* rows are read into memory, and what is built is a step */
        return row->read_graph(context, input, options, graph);
    }
    HOP_TRY(status, row->read_edges(context, input, options, &list));
    if (options->drop_weights)
        hop__edge_list_drop_weights(&list);
    status = hop__edge_list_build(context, hop__input_name(input), &list, options, graph);
done:
    hop__edge_list_clear(&list);
    return status;
}

hop_status hop__unsupported_parts(hop_context *context, const hop__input *input, const char *what) {
    hop__fail(context, HOP_ERR_UNSUPPORTED,
              "%s: %s, so that it cannot be read in parts, as the ranks of a cluster do",
              hop__input_name(input), what);
    (void)hop__input_note(context, input);
    return hop__remedy(context, HOP_REMEDY_CONVERT,
                       "write it to a native file (.npz) first, on one machine");
}

hop_status hop__edges_read_part(hop_context *context, const char *path, hop__parts *parts,
                                hop__edge_list *list, const char **name) {
    hop_read_options options;
    hop__input *input = NULL;
    const hop__format *row;
    char text[96];
    hop_status status;
    HOP_TRY(status, hop__read_options_check(context, NULL, &options));
    HOP_TRY(status, hop__input_open(context, path, &options, &input));
    if (hop__input_compressed(input)) {
        (void)snprintf(text, sizeof text, "it is compressed (%s)", hop__input_packing(input));
        HOP_TRY(status, hop__unsupported_parts(context, input, text));
    }
    if (!hop__input_is_random(input))
        HOP_TRY(status, hop__unsupported_parts(context, input, "it is no plain file"));
    HOP_TRY(status, choose(context, input, &options, &row));
    *name = row->about.name;
    if (!row->parts) {
        (void)snprintf(text, sizeof text, "its format is %s", row->about.name);
        HOP_TRY(status, hop__unsupported_parts(context, input, text));
    }
    hop__input_set_parts(input, parts);
    status = row->read_edges(context, input, &options, list);
done:
    hop__input_close(input);
    return status;
}

const hop_format *hop_context_format(const hop_context *context) {
    return context == NULL ? NULL : context->format;
}

/* How a call begins. */
static hop_status check_call(hop_context *context, const void *path, const void *result,
                             const char *call) {
    context->format = NULL;
    if (path == NULL || result == NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT, "%s: %s is NULL", call,
                         path == NULL ? "the path" : "the result");
    return HOP_OK;
}

hop_status hop_graph_read(hop_context *context, const char *path, const hop_read_options *given,
                          hop_graph **graph) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    hop__input *input = NULL;
    hop_read_options options;
    hop_status status;
    HOP_TRY(status, check_call(context, path, graph, "hop_graph_read"));
    *graph = NULL;
    HOP_TRY(status, hop__read_options_check(context, given, &options));
    HOP_TRY(status, hop__input_open(context, path, &options, &input));
    HOP_TRY(status, read_input(context, input, &options, graph));
done:
    hop__input_close(input);
    return hop__file_done(context, status, path);
}

hop_status hop_graph_read_memory(hop_context *context, const char *name, const void *bytes,
                                 size_t count, const hop_read_options *given, hop_graph **graph) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    hop__input *input = NULL;
    hop_read_options options;
    hop_status status;
    HOP_TRY(status, check_call(context, name, graph, "hop_graph_read_memory"));
    *graph = NULL;
    if (bytes == NULL && count > 0)
        HOP_TRY(status, hop__fail(context, HOP_ERR_ARGUMENT,
                                  "hop_graph_read_memory: %zu bytes at NULL", count));
    HOP_TRY(status, hop__read_options_check(context, given, &options));
    HOP_TRY(status, hop__input_open_memory(context, name, bytes, count, &options, &input));
    HOP_TRY(status, read_input(context, input, &options, graph));
done:
    hop__input_close(input);
    return hop__file_done(context, status, name);
}

static hop_edges edges_of(const hop__edge_list *list) {
    hop_edges edges = HOP_EDGES_INIT;
    edges.count = list->count;
    edges.from = list->from;
    edges.to = list->to;
    edges.id_bytes = list->id_bytes;
    edges.weights = list->weights;
    edges.weight_type = list->weight_type;
    return edges;
}

hop_status hop_edges_read(hop_context *context, const char *path, const hop_read_options *given,
                          hop_edge_file **slot) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    hop__input *input = NULL;
    hop_edge_file *file = NULL;
    const hop__format *row;
    hop_read_options options;
    hop_status status;
    HOP_TRY(status, check_call(context, path, slot, "hop_edges_read"));
    *slot = NULL;
    HOP_TRY(status, hop__read_options_check(context, given, &options));
    HOP_TRY(status, hop__input_open(context, path, &options, &input));
    HOP_TRY(status, choose(context, input, &options, &row));
    if (row->read_edges == NULL)
        HOP_TRY(status, hop__fail(context, HOP_ERR_UNSUPPORTED,
                                  "%s: format %s has no list of edges; use hop_graph_read", path,
                                  row->about.name));
    HOP_TRY(status, hop__alloc_zero(context, "edges", 1, sizeof *file, &file));
    HOP_TRY(status, row->read_edges(context, input, &options, &file->list));
    if (options.drop_weights)
        hop__edge_list_drop_weights(&file->list);
    file->list.directed = hop__directed(&options, file->list.directed);
    file->edges = edges_of(&file->list);
done:
    hop__input_close(input);
    if (status != HOP_OK) {
        hop_edge_file_free(file);
        file = NULL;
    }
    if (slot != NULL)
        *slot = file;
    return hop__file_done(context, status, path);
}

const hop_edges *hop_edge_file_edges(const hop_edge_file *file) {
    return &file->edges;
}

uint64_t hop_edge_file_vertices(const hop_edge_file *file) {
    return file->list.vertices;
}

uint64_t hop_edge_file_first_id(const hop_edge_file *file) {
    return file->list.first_id;
}

bool hop_edge_file_directed(const hop_edge_file *file) {
    return file->list.directed;
}

void hop_edge_file_free(hop_edge_file *file) {
    if (file == NULL)
        return;
    hop__edge_list_clear(&file->list);
    hop__free(file);
}
