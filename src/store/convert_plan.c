/* SPDX-License-Identifier: Apache-2.0
 * See convert_plan.h. */
#include "store/convert_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/try.h"
#include "generate/family.h"
#include "graph/graph_internal.h"
#include "io/bytes/input.h"
#include "io/formats/format.h"

enum { PIECES = 16, PIECE = 64 << 10 };

/* Whole lines of a piece that begins at `at`, to the end of the sample; the first piece from its
 * beginning, others from a line on. Returns how many bytes they have. */
static hop_status take_piece(hop_context *context, hop__input *input, uint64_t at, size_t count,
                             char *to, size_t *taken) {
    int error = hop__input_fetch(input, at, to, count);
    if (error != 0)
        return hop__input_fail_fetch(context, input, error);
    char *begin = at > 0 ? memchr(to, '\n', count) : to;
    *taken = 0;
    if (begin == NULL)
        return HOP_OK;
    begin += at > 0;
    while (count > 0 && to[count - 1] != '\n')
        count--;
    if (to + count > begin) {
        *taken = (size_t)(to + count - begin);
        memmove(to, begin, *taken);
    }
    return HOP_OK;
}

/* Small files are read whole. */
static hop_status take_sample(hop_context *context, hop__input *input, char *sample,
                              size_t *count) {
    uint64_t size = hop__input_size(input);
    hop_status status = HOP_OK;
    *count = 0;
    if (size <= PIECES * (uint64_t)PIECE) {
        int error = hop__input_fetch(input, 0, sample, (size_t)size);
        *count = (size_t)size;
        return error == 0 ? HOP_OK : hop__input_fail_fetch(context, input, error);
    }
    for (uint64_t i = 0; i < PIECES && status == HOP_OK; i++) {
        size_t taken = 0;
        status = take_piece(context, input, (size - PIECE) / (PIECES - 1) * i, PIECE,
                            sample + *count, &taken);
        *count += taken;
    }
    return status;
}

/* The counts of such a comment, if a file of so many bytes can have them: a row has 4 at least. */
static bool read_counts(const char *line, uint64_t bytes, hop__build_shape *shape) {
    char vertices[20], edges[20], more[2]; /* of 19 digits, which fit */
    if (sscanf(line, "# Nodes: %19[0-9] Edges: %19[0-9]%1[0-9]", vertices, edges, more) != 2)
        return false;
    shape->vertices = strtoull(vertices, NULL, 10);
    shape->edges = strtoull(edges, NULL, 10);
    return shape->vertices < HOP_NO_VERTEX && shape->edges <= bytes / 4 + 1;
}

/* Counts that the comments before the edges state, and that the sample has not: true, and these
 * lines are comments like others then, as is the one that says that Hoplite has written the file,
 * which would be refused without them. */
static bool take_counts(char *sample, size_t count, uint64_t bytes, hop__build_shape *shape) {
    for (char *line = sample, *end; count > 0 && *line == '#'; line = end + 1) {
        end = memchr(line, '\n', (size_t)(sample + count - line));
        if (end == NULL)
            return false;
        *end = '\0';
        bool stated = strncmp(line, "# Nodes:", 8) == 0 && strstr(line, " Edges:") != NULL;
        bool found = stated && read_counts(line, bytes, shape);
        if (stated || strncmp(line, "# Hoplite", 9) == 0)
            memset(line, '#', (size_t)(end - line));
        *end = '\n';
        if (found)
            return true;
        if (end + 1 == sample + count)
            return false;
    }
    return false;
}

/* What the graph of the sample says of that of the file, which is `times` as long. */
static void extend(const hop_graph *graph, double times, hop__build_shape *shape) {
    const uint64_t *labels = hop_graph_labels(graph);
    uint64_t count = graph->vertices;
    shape->edges = (uint64_t)((double)graph->edges_given * times + 0.5);
    if (times > 1 && labels != NULL && count > 0) { /* most numbers between them are in the rest */
        count = labels[count - 1] - (labels[0] > 1 ? labels[0] : 0) + 1;
        count = count < 2 * shape->edges ? count : 2 * shape->edges;
    }
    shape->vertices = count < HOP_NO_VERTEX ? count : HOP_NO_VERTEX - 1;
}

/* Files of other formats have counts of their own, and are at odds with them when cut. */
static bool is_edge_list(const hop_context *context) {
    return context->format != NULL && strcmp(context->format->name, "edge-list") == 0;
}

hop_status hop__plan_file(hop_context *context, const char *path, const hop_read_options *given,
                          hop__build_shape *shape, uint64_t *bytes) {
    hop_read_options options;
    hop__input *input = NULL;
    hop_graph *graph = NULL;
    char *sample = NULL;
    size_t count;
    bool stated;
    hop_status status;
    HOP_TRY(status, hop__read_options_check(context, given, &options));
    HOP_TRY(status, hop__input_open(context, path, &options, &input));
    *bytes = hop__input_size(input);
    if (!hop__input_is_random(input) || hop__input_compressed(input))
        HOP_TRY(status, hop__fail(context, HOP_ERR_UNSUPPORTED,
                                  "%s: how many edges a %s has is known at its end only", path,
                                  hop__input_compressed(input) ? "compressed file" : "pipe"));
    HOP_TRY(status, hop__alloc(context, "plan: sample", PIECES, PIECE, &sample));
    HOP_TRY(status, take_sample(context, input, sample, &count));
    stated = count < *bytes && take_counts(sample, count, *bytes, shape);
    status = hop_graph_read_memory(context, path, sample, count, given, &graph);
    if (status == HOP_ERR_INPUT && count < *bytes && !is_edge_list(context))
        status = hop__fail(context, HOP_ERR_UNSUPPORTED,
                           "%s: what a part of it says does not tell how large it is; such files "
                           "are edge lists and tables of text",
                           path);
    HOP_TRY(status, status);
    shape->directed = graph->directed;
    shape->type = graph->weight_type;
    if (!stated)
        extend(graph, count > 0 ? (double)*bytes / (double)count : 1, shape);
done:
    hop_graph_release(graph);
    hop__free(sample);
    hop__input_close(input);
    return status;
}

static hop_status take_shape(void *user, const hop__edge_source *source, const hop__build *build) {
    hop__build_shape *shape = user;
    *shape =
        (hop__build_shape){build->vertices, source->count, build->directed, source->weight_type};
    return HOP_OK;
}

hop_status hop__plan_recipe(hop_context *context, const char *family,
                            const hop_generate_options *recipe, hop__build_shape *shape) {
    return hop__family_edges(context, family, recipe, take_shape, shape);
}
