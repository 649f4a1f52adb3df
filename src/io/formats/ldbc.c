/* SPDX-License-Identifier: Apache-2.0
 *
 * LDBC Graphalytics: a pair of files, NAME.v with one vertex id per line and NAME.e with "from to"
 * or "from to weight" per line; either path opens both. Ids are 64-bit labels, kept as such.
 * NAME.properties beside them may say
 *
 *     graph.NAME.directed = true            nothing said: undirected
 *     hoplite.weights = float32             ours: the type of the weights
 *
 * There are no comments and no blank lines, so line i is vertex or edge i. An undirected edge
 * stands there once. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "core/try.h"
#include "io/bytes/path_suffix.h"
#include "io/formats/text_records.h"
#include "io/text/text_print.h"

static int sniff(const unsigned char *bytes, size_t count, uint64_t size) {
    (void)size;
    return count > 0 && bytes[0] >= '0' && bytes[0] <= '9' ? HOP__SNIFF_MAYBE : HOP__SNIFF_NO;
}

/* ---- names -------------------------------------------------------------------------------- */

/* Splits a path: where the suffix .v or .e begins, and whether .gz follows. */
static bool split(const char *path, size_t *stem, bool *is_vertices, bool *gzip) {
    size_t length = strlen(path);
    *gzip = hop__path_ends(path, ".gz");
    if (*gzip)
        length -= 3;
    if (length < 3 || path[length - 2] != '.')
        return false;
    char kind = (char)(path[length - 1] | 0x20);
    *stem = length - 2;
    *is_vertices = kind == 'v';
    return kind == 'v' || kind == 'e';
}

/* The first `stem` bytes of the path with another suffix. */
static hop_status sibling(hop_context *context, const char *path, size_t stem, const char *suffix,
                          bool gzip, char **name) {
    size_t length = strlen(suffix);
    hop_status status = hop__alloc(context, "path", stem + length + 4, 1, name);
    if (status != HOP_OK)
        return status;
    memcpy(*name, path, stem);
    memcpy(*name + stem, suffix, length);
    memcpy(*name + stem + length, gzip ? ".gz" : "", gzip ? 4 : 1);
    return HOP_OK;
}

/* Opens the other file of the pair, compressed or not, whichever there is. */
static hop_status open_sibling(hop_context *context, const char *path, size_t stem, bool gzip,
                               const char *suffix, const hop_read_options *options,
                               hop__input **input) {
    char *name = NULL, *other = NULL;
    hop_status status;
    HOP_TRY(status, sibling(context, path, stem, suffix, gzip, &name));
    HOP_TRY(status, sibling(context, path, stem, suffix, !gzip, &other));
    bool use_other = access(name, F_OK) != 0 && access(other, F_OK) == 0;
    HOP_TRY(status, hop__input_open(context, use_other ? other : name, options, input));
done:
    hop__free(name);
    hop__free(other);
    return status;
}

/* ---- properties --------------------------------------------------------------------------- */

/* One line "key = value"; others are not ours. The name of the graph is a part of the key, and may
 * have blanks and equal signs. */
static hop_status read_property(hop__text *text, const char *at, const char *end, bool *directed,
                                hop_weight_type *type) {
    char found[64];
    const char *equals = memrchr(at, '=', (size_t)(end - at));
    if (equals == NULL)
        return HOP_OK;
    const char *key = hop__skip_blanks(at, equals);
    size_t length = (size_t)(equals - key);
    while (length > 0 && (key[length - 1] == ' ' || key[length - 1] == '\t'))
        length--;
    at = equals + 1;
    if (hop__ends_in(key, length, ".directed", 9)) {
        *directed = hop__text_keyword(&at, end, "true");
        if (!*directed && !hop__text_keyword(&at, end, "false"))
            return hop__input_fail_line(text->context, text->input, text->line,
                                        "found %s, expected true or false",
                                        hop__text_quote(at, end, found));
    } else if (length == 15 && strncasecmp(key, "hoplite.weights", length) == 0) {
        if (!hop__text_weight_type(&at, end, type))
            return hop__input_fail_line(text->context, text->input, text->line,
                                        "found %s, expected a type of weights",
                                        hop__text_quote(at, end, found));
    }
    return HOP_OK;
}

static hop_status read_properties(hop_context *context, const char *path, size_t stem,
                                  const hop_read_options *options, bool *directed,
                                  hop_weight_type *type) {
    char *name = NULL;
    hop__input *input = NULL;
    hop__text text = {0};
    const char *line, *end;
    hop_status status;
    HOP_TRY(status, sibling(context, path, stem, ".properties", false, &name));
    if (access(name, F_OK) != 0)
        goto done;
    HOP_TRY(status, hop__input_open(context, name, options, &input));
    HOP_TRY(status, hop__text_open(&text, context, input, "#"));
    for (;; hop__text_take(&text)) {
        HOP_TRY(status, hop__text_line(&text, &line, &end));
        if (line == NULL)
            break;
        HOP_TRY(status, read_property(&text, line, end, directed, type));
    }
done:
    if (text.context != NULL)
        status = hop__text_close(&text, status);
    hop__input_close(input);
    hop__free(name);
    return status;
}

/* ---- vertices ----------------------------------------------------------------------------- */

typedef struct labels_job {
    const hop__edge_list *vertices;
    uint64_t *labels;
    bool ascending;
} labels_job;

static void copy_labels(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    labels_job *work = arg;
    const hop__edge_list *list = work->vertices;
    for (uint64_t i = begin; i < end; i++)
        work->labels[i] = list->id_bytes == 4 ? ((const uint32_t *)list->from)[i]
                                              : ((const uint64_t *)list->from)[i];
}

static void test_order(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    labels_job *work = arg;
    for (uint64_t i = begin; i < end; i++)
        if (i > 0 && work->labels[i - 1] >= work->labels[i])
            __atomic_store_n(&work->ascending, false, __ATOMIC_RELAXED);
}

/* The ids in ascending order, each once. */
static hop_status sort_labels(hop_context *context, const hop__input *input, labels_job *work,
                              uint64_t largest) {
    uint64_t count = work->vertices->count;
    hop__for(context, count, 1 << 16, copy_labels, work);
    work->ascending = true;
    hop__for(context, count, 1 << 16, test_order, work);
    if (work->ascending)
        return HOP_OK;
    hop_status status = hop__sort_u64(context, work->labels, count, hop__bit_width(largest));
    if (status != HOP_OK)
        return status;
    for (uint64_t i = 1; i < count; i++) {
        if (work->labels[i - 1] != work->labels[i])
            continue;
        uint64_t twice = work->labels[i], line = 0, seen = 0;
        hop__for(context, count, count, copy_labels, work); /* the order of the file again */
        while (seen < 2)
            seen += work->labels[line++] == twice;
        return hop__input_fail_line(context, input, line, "vertex %" PRIu64 " for the second time",
                                    twice);
    }
    return HOP_OK;
}

static hop_status read_vertices(hop_context *context, hop__input *input,
                                const hop_read_options *options, hop__edge_list *list) {
    static const hop__record_spec spec = {.comments = "",
                                          .strict = true,
                                          .ids = 1,
                                          .weights = HOP__WEIGHTS_NEVER,
                                          .record_name = "vertex"};
    hop__text text;
    hop__edge_list records = {0};
    labels_job work = {.vertices = &records};
    uint64_t largest = 0;
    hop_status status;
    hop_read_options of_vertices = *options;
    of_vertices.max_edges = 0; /* these records are none */
    HOP_TRY(status, hop__text_open(&text, context, input, ""));
    HOP_TRY(status, hop__records_read(&text, &spec, &of_vertices, &records, &largest));
    HOP_TRY(status,
            hop__read_limits_check(context, hop__input_name(input), options, records.count, 0));
    HOP_TRY(status, hop__alloc(context, "labels", records.count, sizeof(uint64_t), &work.labels));
    HOP_TRY(status, sort_labels(context, input, &work, largest));
    list->labels = work.labels;
    list->vertices = records.count;
    list->stated = true;
    list->ids = HOP_IDS_SPARSE;
    work.labels = NULL;
done:
    hop__free(work.labels);
    hop__edge_list_clear(&records);
    return hop__text_close(&text, status);
}

/* ---- edges -------------------------------------------------------------------------------- */

static hop_status read_rows(hop_context *context, hop__input *input,
                            const hop_read_options *options, hop_weight_type type,
                            hop__edge_list *list) {
    hop__record_spec spec = {.comments = "",
                             .strict = true,
                             .ids = 2,
                             .weights =
                                 type == HOP_TYPE_NONE ? HOP__WEIGHTS_MAYBE : HOP__WEIGHTS_ALWAYS,
                             .type = type,
                             .record_name = "edge"};
    hop__text text;
    hop_status status;
    HOP_TRY(status, hop__text_open(&text, context, input, ""));
    HOP_TRY(status, hop__records_read(&text, &spec, options, list, NULL));
    list->first_line = 1;
done:
    return hop__text_close(&text, status);
}

static hop_status read_edges(hop_context *context, hop__input *input,
                             const hop_read_options *options, hop__edge_list *list) {
    const char *path = hop__input_path(input);
    hop__input *other = NULL;
    hop_weight_type type = HOP_TYPE_NONE;
    size_t stem;
    bool is_vertices, gzip, directed = false;
    hop_status status;
    if (path == NULL || !split(path, &stem, &is_vertices, &gzip))
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: ldbc is a pair of files; give the path of one, ending in .v or .e",
                         hop__input_name(input));
    HOP_TRY(status, read_properties(context, path, stem, options, &directed, &type));
    HOP_TRY(status,
            open_sibling(context, path, stem, gzip, is_vertices ? ".e" : ".v", options, &other));
    HOP_TRY(status, read_vertices(context, is_vertices ? input : other, options, list));
    HOP_TRY(status, read_rows(context, is_vertices ? other : input, options, type, list));
    if (is_vertices) {
        size_t length = strlen(hop__input_name(other)) + 1;
        HOP_TRY(status, hop__alloc(context, "path", length, 1, &list->file));
        memcpy(list->file, hop__input_name(other), length);
    }
    list->directed = directed;
done:
    hop__input_close(other);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------ */

static char *print_vertices(const void *user, uint64_t begin, uint64_t end, char *at) {
    const hop_graph *graph = user;
    for (uint64_t v = begin; v < end; v++) {
        at = hop__print_u64(at, hop_graph_label(graph, (hop_vertex)v));
        *at++ = '\n';
    }
    return at;
}

static hop_status write_vertices(hop_context *context, const hop_graph *graph,
                                 hop__output *output) {
    return hop__print_items(context, output, "write: vertices", graph->vertices, HOP__PRINT_U64 + 1,
                            print_vertices, graph);
}

static hop_status write_rows(hop_context *context, const hop_graph *graph, hop__output *output) {
    hop__arc_style style = {.graph = graph,
                            .tag = "",
                            .separator = ' ',
                            .which = graph->directed ? HOP__ARCS_ALL : HOP__ARCS_UPPER};
    return hop__print_arcs(context, output, &style);
}

static hop_status write_properties(hop_context *context, const hop_graph *graph, const char *path,
                                   size_t stem, hop__output **slot) {
    char *name = NULL;
    hop_status status;
    const char *slash = strrchr(path, '/');
    size_t start = slash == NULL ? 0 : (size_t)(slash + 1 - path);
    HOP_TRY(status, sibling(context, path, stem, ".properties", false, &name));
    HOP_TRY(status, hop__output_open(context, name, false, slot));
    hop__output *output = *slot;
    HOP_TRY(status, hop__output_write(context, output, "graph.", 6));
    HOP_TRY(status, hop__output_write(context, output, path + start, stem - start));
    HOP_TRY(status, hop__output_print(context, output, ".directed = %s\n",
                                      graph->directed ? "true" : "false"));
    if (graph->weight_type != HOP_TYPE_NONE)
        HOP_TRY(status, hop__output_print(context, output, "hoplite.weights = %s\n",
                                          hop_type_name(graph->weight_type)));
    status = hop__output_finish(context, output);
done:
    hop__free(name);
    return status;
}

/* All of them are whole on the disk before the first gets its name: no failure leaves files of two
 * graphs side by side. The one that was asked for gets it last, so that it stands only where the
 * others do. */
static hop_status write_graph(hop_context *context, const hop_graph *graph, hop__output *output) {
    const char *path = hop__output_name(output); /* the others stand beside a link, too */
    char *name = NULL;
    hop__output *properties = NULL, *other = NULL;
    size_t stem;
    bool is_vertices, gzip;
    hop_status status;
    if (hop__output_path(output) == NULL || !split(path, &stem, &is_vertices, &gzip))
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: ldbc is a pair of files; give the path of one, ending in .v or .e",
                         hop__output_name(output));
    HOP_TRY(status, write_properties(context, graph, path, stem, &properties));
    HOP_TRY(status, sibling(context, path, stem, is_vertices ? ".e" : ".v", gzip, &name));
    HOP_TRY(status, hop__output_open(context, name, hop__output_gzip(output), &other));
    HOP_TRY(status, is_vertices ? write_rows(context, graph, other)
                                : write_vertices(context, graph, other));
    HOP_TRY(status, hop__output_finish(context, other));
    HOP_TRY(status, is_vertices ? write_vertices(context, graph, output)
                                : write_rows(context, graph, output));
    status = hop__output_finish(context, output);
done:
    status = hop__output_close(context, properties, status);
    status = hop__output_close(context, other, status);
    hop__free(name);
    return status;
}

const hop__format hop__format_ldbc = {
    .about = {.name = "ldbc",
              .summary = "LDBC Graphalytics: a pair of files .v and .e",
              .suffixes = ".v .e",
              .can_read = true,
              .can_write = true,
              .text = true,
              .weight_types = HOP__WEIGHTS_ANY,
              .directed = true,
              .undirected = true,
              .labels = true,
              .counts_from = -1},
    .sniff = sniff,
    .read_edges = read_edges,
    .write = write_graph,
};
