/* SPDX-License-Identifier: Apache-2.0
 *
 * Edge lists of the Graph500 benchmark: tuples and nothing else. Two rows of the table:
 *
 *     graph500     12 bytes per edge: low 32 bits of one id, low 32 bits of the other, then the
 *                  high 16 bits of the first in the low half and of the second in the high half of
 *                  a word (the packed_edge of the reference code)
 *     graph500-64  16 bytes per edge: two int64
 *
 * Weights, if any, stand beside in FILE.weights: one float32 per edge, as the reference code for
 * shortest paths keeps them. Nothing in the file says what it is, so it is known by its suffix or
 * by name, and all that can be checked is that the size is a multiple of an edge's.
 *
 * Edges are undirected. Ids are vertex numbers, 0 to the largest, when that makes no more vertices
 * than edges have ends (a Graph500 graph has 32 times fewer); otherwise they are labels. So memory
 * is bounded by the size of the file, whatever one id may say. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/atomic.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/edge_source.h"
#include "graph/graph_internal.h"
#include "io/bytes/array_stream.h"
#include "io/bytes/little_endian.h"
#include "io/formats/edge_spool.h"
#include "io/formats/format.h"
#include "io/text/parts.h"

enum { PACKED_BYTES = 12, WIDE_BYTES = 16, WRITE_EDGES = 1 << 16 };

static const char weights_suffix[] = ".weights";

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct tuples {
    size_t edge_bytes, id_bytes;
    void *from, *to;
    uint64_t largest;  /* atomic: of all ids */
    uint64_t negative; /* atomic: the first edge with a negative id */
} tuples;

static void load_edge(const unsigned char *bytes, size_t edge_bytes, uint64_t ids[2]) {
    if (edge_bytes == WIDE_BYTES) {
        ids[0] = hop__le64_load(bytes);
        ids[1] = hop__le64_load(bytes + 8);
    } else {
        uint32_t high = hop__le32_load(bytes + 8);
        ids[0] = hop__le32_load(bytes) | (uint64_t)(high & 0xffff) << 32;
        ids[1] = hop__le32_load(bytes + 4) | (uint64_t)(high >> 16) << 32;
    }
}

static void take_edges(void *user, uint64_t first, uint64_t count, unsigned char *bytes) {
    tuples *work = user;
    uint64_t largest = 0, bits = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t ids[2];
        load_edge(bytes + i * work->edge_bytes, work->edge_bytes, ids);
        if (work->id_bytes == 4) {
            ((uint32_t *)work->from)[first + i] = (uint32_t)ids[0];
            ((uint32_t *)work->to)[first + i] = (uint32_t)ids[1];
        } else {
            ((uint64_t *)work->from)[first + i] = ids[0];
            ((uint64_t *)work->to)[first + i] = ids[1];
        }
        uint64_t larger = ids[0] > ids[1] ? ids[0] : ids[1];
        largest = larger > largest ? larger : largest;
        bits |= larger;
    }
    hop__raise_u64(&work->largest, largest);
    if (bits >> 63 == 0)
        return;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t ids[2];
        load_edge(bytes + i * work->edge_bytes, work->edge_bytes, ids);
        if ((ids[0] | ids[1]) >> 63 == 0)
            continue;
        hop__lower_u64(&work->negative, first + i);
        return;
    }
}

static hop_status fail_negative(hop_context *context, hop__input *input, size_t edge_bytes,
                                uint64_t edge) {
    return hop__input_fail_offset(context, input, edge * edge_bytes,
                                  "edge %" PRIu64 " has a negative id", edge);
}

/* Reads edges from number `first` on, with ids of the given width. */
static hop_status read_tuples(hop_context *context, hop__input *input, size_t edge_bytes,
                              size_t id_bytes, uint64_t first, hop__edge_list *list,
                              uint64_t *largest) {
    tuples work = {edge_bytes, id_bytes, NULL, NULL, 0, UINT64_MAX};
    hop_status status, ended;
    list->id_bytes = id_bytes;
    HOP_TRY(status, hop__alloc(context, "read: edges", list->count, id_bytes, &list->from));
    HOP_TRY(status, hop__alloc(context, "read: edges", list->count, id_bytes, &list->to));
    work.from = list->from;
    work.to = list->to;
    hop__progress_begin(context, "read", list->count * edge_bytes);
    status = hop__stream_read(context, input, first * edge_bytes, list->count, edge_bytes,
                              take_edges, &work);
    ended = hop__progress_end(context);
    HOP_TRY(status, status != HOP_OK ? status : ended);
    if (work.negative != UINT64_MAX)
        status = fail_negative(context, input, edge_bytes, first + work.negative);
    *largest = work.largest;
done:
    return status;
}

/* Part by part, into a spool: edges that do not fit. */
static hop_status spool_tuples(hop_context *context, hop__input *input, size_t edge_bytes,
                               uint64_t part, hop__edge_list *list, uint64_t *largest) {
    tuples work = {edge_bytes, 8, NULL, NULL, 0, UINT64_MAX};
    hop_status status, ended;
    list->id_bytes = 8;
    HOP_TRY(status, hop__edge_spool_create(context, true, &list->spool));
    part = hop__edge_spool_later(context, 16, part);
    HOP_TRY(status, hop__alloc(context, "read: edges", part, 8, &list->from));
    HOP_TRY(status, hop__alloc(context, "read: edges", part, 8, &list->to));
    work.from = list->from;
    work.to = list->to;
    hop__progress_begin(context, "read", list->count * edge_bytes);
    for (uint64_t first = 0, now; first < list->count && status == HOP_OK; first += now) {
        now = list->count - first < part ? list->count - first : part;
        status = hop__stream_read(context, input, first * edge_bytes, now, edge_bytes, take_edges,
                                  &work);
        if (status == HOP_OK && !hop__progress_add(context, 0))
            break; /* as the end of the phase says */
        if (status == HOP_OK && work.negative != UINT64_MAX)
            status = fail_negative(context, input, edge_bytes, first + work.negative);
        if (status == HOP_OK)
            status = hop__edge_spool_add(context, list->spool, list, now);
    }
    ended = hop__progress_end(context);
    status = status == HOP_OK ? ended : status;
    *largest = work.largest;
    hop__free(list->from);
    hop__free(list->to);
    list->from = list->to = NULL;
done:
    return status;
}

typedef struct weights_job {
    float *weights;
    uint64_t bad; /* atomic: the first that is not a number */
} weights_job;

static void take_weights(void *user, uint64_t first, uint64_t count, unsigned char *bytes) {
    weights_job *work = user;
    memcpy(work->weights + first, bytes, count * sizeof(float));
    for (uint64_t i = first; i < first + count; i++)
        if (isnan(work->weights[i])) {
            hop__lower_u64(&work->bad, i);
            return;
        }
}

/* FILE.weights, or no weights when there is no such file. Those of edges from number `first` on. */
static hop_status read_weights(hop_context *context, const hop__input *input,
                               const hop_read_options *options, uint64_t first,
                               hop__edge_list *list) {
    uint64_t edges = list->count + list->others;
    const char *path = hop__input_path(input);
    char *name = NULL;
    hop__input *beside = NULL;
    struct stat about;
    hop_status status = HOP_OK;
    if (path == NULL || options->drop_weights)
        return HOP_OK;
    size_t length = strlen(path);
    HOP_TRY(status, hop__alloc(context, "read: path", length + sizeof weights_suffix, 1, &name));
    memcpy(name, path, length);
    memcpy(name + length, weights_suffix, sizeof weights_suffix);
    if (edges == 0 || (stat(name, &about) != 0 && errno == ENOENT))
        goto done; /* what is there and cannot be read must not count as no weights */
    HOP_TRY(status, hop__input_open(context, name, options, &beside));
    uint64_t size = hop__input_size(beside);
    if (size != edges * sizeof(float)) {
        status = hop__input_fail_offset(context, beside, size,
                                        "the file ends here, expected %" PRIu64
                                        " bytes: a float32 for each edge",
                                        (uint64_t)(edges * sizeof(float)));
        goto done;
    }
    HOP_TRY(status,
            hop__alloc(context, "read: weights", list->count, sizeof(float), &list->weights));
    list->weight_type = HOP_TYPE_FLOAT32;
    weights_job work = {list->weights, UINT64_MAX};
    hop__progress_begin(context, "read", list->count * sizeof(float));
    status = hop__stream_read(context, beside, first * sizeof(float), list->count, sizeof(float),
                              take_weights, &work);
    hop_status ended = hop__progress_end(context);
    HOP_TRY(status, status != HOP_OK ? status : ended);
    if (work.bad != UINT64_MAX) {
        hop__input_fail_offset(context, beside, (first + work.bad) * sizeof(float),
                               "the weight of edge %" PRIu64 " is not a number (NaN)",
                               first + work.bad);
        status = hop__note_arc(context, HOP_KIND_DATA, HOP_UNKNOWN, first + work.bad);
    }
done:
    hop__input_close(beside);
    hop__free(name);
    return status;
}

/* Whether edges that do not fit can be spooled: weights beside them are read whole, unless nobody
 * wants them. */
static bool may_spool(const hop_context *context, const hop__input *input,
                      const hop_read_options *options) {
    const char *path = hop__input_path(input);
    char name[PATH_MAX];
    struct stat about;
    if (context->outsider == NULL)
        return false;
    if (context->outsider->joiner != NULL || options->drop_weights || path == NULL)
        return true;
    int length = snprintf(name, sizeof name, "%s%s", path, weights_suffix);
    return length < (int)sizeof name && stat(name, &about) != 0 && errno == ENOENT;
}

/* Whether the reader takes ids as labels: more numbers up to the largest than edges have ends. */
static bool ids_are_sparse(uint64_t largest, uint64_t edges) {
    return edges > 0 && largest / 2 >= edges;
}

/* Of a file that several read: the edges of this one's part from number *first on, and what all
 * know of the others. */
static hop_status read_part(hop_context *context, hop__input *input, size_t edge_bytes,
                            uint64_t *first, hop__edge_list *list, uint64_t *largest) {
    const hop__parts *parts = hop__input_parts(input);
    uint64_t edges = list->count;
    *first = hop__part_start(parts, edges, parts->part);
    list->count = hop__part_start(parts, edges, parts->part + 1) - *first;
    list->others = edges - list->count;
    hop_status status = read_tuples(context, input, edge_bytes, 4, *first, list, largest);
    hop__part_facts facts = {
        .records = list->count, .most = UINT64_MAX, .largest = *largest, .id_bytes = 4};
    if (parts->join != NULL)
        status = parts->join(parts->user, status, &facts);
    *largest = facts.largest;
    return status;
}

static hop_status read_edges(hop_context *context, hop__input *input,
                             const hop_read_options *options, size_t edge_bytes,
                             hop__edge_list *list) {
    uint64_t size = hop__input_size(input), largest = 0, first = 0;
    uint64_t used = hop__pool_usage(context->pool).used;
    hop_status status = HOP_OK;
    list->count = size / edge_bytes;
    if (size % edge_bytes != 0) {
        status = hop__input_fail_offset(context, input, size - size % edge_bytes,
                                        "%" PRIu64 " bytes are left over; edges have %zu each",
                                        size % edge_bytes, edge_bytes);
        goto done;
    }
    HOP_TRY(status,
            hop__read_limits_check(context, hop__input_name(input), options, 0, list->count));
    uint64_t most =
        may_spool(context, input, options) ? hop__edge_spool_records(context, 16) : UINT64_MAX;
    if (hop__input_parts(input) != NULL)
        HOP_TRY(status, read_part(context, input, edge_bytes, &first, list, &largest));
    else if (list->count > most)
        HOP_TRY(status, spool_tuples(context, input, edge_bytes, most, list, &largest));
    else
        HOP_TRY(status, read_tuples(context, input, edge_bytes, 4, 0, list, &largest));
    if (list->spool == NULL && largest > UINT32_MAX) {
        /* Rare: ids beyond 32 bits. Once more, with room for them. */
        hop__free(list->from);
        hop__free(list->to);
        list->from = list->to = NULL;
        uint64_t own;
        HOP_TRY(status, read_tuples(context, input, edge_bytes, 8, first, list, &own));
    }
    if (ids_are_sparse(largest, list->count + list->others)) {
        list->ids = HOP_IDS_SPARSE;
    } else {
        list->ids = HOP_IDS_DENSE;
        list->vertices = list->count + list->others == 0 ? 0 : largest + 1;
        list->stated = true;
    }
    if (list->spool == NULL)
        HOP_TRY(status, read_weights(context, input, options, first, list));
done:
    if (status == HOP_ERR_BUDGET && list->spool == NULL)
        status = hop__edge_list_fail_total(context, list, options, used, list->count, false);
    return status;
}

static hop_status read_packed(hop_context *context, hop__input *input,
                              const hop_read_options *options, hop__edge_list *list) {
    return read_edges(context, input, options, PACKED_BYTES, list);
}

static hop_status read_wide(hop_context *context, hop__input *input,
                            const hop_read_options *options, hop__edge_list *list) {
    return read_edges(context, input, options, WIDE_BYTES, list);
}

/* ---- writing ------------------------------------------------------------------------------- */

typedef struct edge_writer {
    hop_context *context;
    const hop_graph *graph;
    hop__output *output;
    size_t item_bytes;
    bool weights; /* write weights instead of edges */
    unsigned char *block;
    size_t filled; /* items */
} edge_writer;

static hop_status flush(edge_writer *writer) {
    size_t bytes = writer->filled * writer->item_bytes;
    writer->filled = 0;
    hop_status status = hop__output_write(writer->context, writer->output, writer->block, bytes);
    if (status == HOP_OK && !hop__progress_add(writer->context, bytes))
        status = HOP_ERR_CANCELLED;
    return status;
}

static void store_edge(const edge_writer *writer, unsigned char *bytes, uint64_t from,
                       uint64_t to) {
    if (writer->item_bytes == WIDE_BYTES) {
        hop__le64_store(hop__le64_store(bytes, from), to);
        return;
    }
    bytes = hop__le32_store(bytes, (uint32_t)from);
    bytes = hop__le32_store(bytes, (uint32_t)to);
    hop__le32_store(bytes, (uint32_t)(from >> 32) | (uint32_t)(to >> 32) << 16);
}

static void store_item(edge_writer *writer, uint64_t from, uint64_t arc) {
    const hop_graph *graph = writer->graph;
    unsigned char *bytes = writer->block + writer->filled++ * writer->item_bytes;
    if (writer->weights) {
        memcpy(bytes, (const float *)graph->weights + arc, sizeof(float));
        return;
    }
    store_edge(writer, bytes, from, hop_graph_label(graph, graph->targets[arc]));
}

/* Nothing in the file says what it is, and some ids and weights begin like a compressed file: then
 * the first edge has its ends the other way round; if that does not help, the graph is refused. */
static hop_status mend_beginning(edge_writer *writer) {
    unsigned char *bytes = writer->block;
    uint64_t ids[2];
    if (!writer->weights && hop__begins_compressed(bytes, writer->item_bytes)) {
        load_edge(bytes, writer->item_bytes, ids);
        store_edge(writer, bytes, ids[1], ids[0]);
    }
    if (!hop__begins_compressed(bytes, writer->item_bytes))
        return HOP_OK;
    return hop__fail(writer->context, HOP_ERR_UNSUPPORTED,
                     "%s: it would be taken for a compressed file, because of the first %s",
                     hop__output_name(writer->output), writer->weights ? "weight" : "edge");
}

/* Each edge once, in the order of the rows. */
static hop_status write_items(edge_writer *writer) {
    const hop_graph *graph = writer->graph;
    bool first = true;
    hop_status status;
    HOP_TRY(status, hop__alloc(writer->context, "write: block", WRITE_EDGES, writer->item_bytes,
                               &writer->block));
    for (uint64_t v = 0; v < graph->vertices; v++) {
        uint64_t label = hop_graph_label(graph, (hop_vertex)v);
        for (uint64_t arc = hop__offset(graph, v); arc < hop__offset(graph, v + 1); arc++) {
            if (graph->targets[arc] < v)
                continue;
            store_item(writer, label, arc);
            if (first)
                HOP_TRY(status, mend_beginning(writer));
            first = false;
            if (writer->filled == WRITE_EDGES)
                HOP_TRY(status, flush(writer));
        }
    }
    HOP_TRY(status, flush(writer));
done:
    hop__free(writer->block);
    writer->block = NULL;
    return status;
}

/* The path of the weights; *exists says whether something is there already. */
static hop_status weights_path(hop_context *context, const hop__output *output, char **name,
                               bool *exists) {
    const char *path = hop__output_name(output); /* beside a link, where it will be looked for */
    struct stat about;
    *name = NULL;
    *exists = false;
    if (hop__output_path(output) == NULL)
        return HOP_OK;
    size_t length = strlen(path);
    hop_status status = hop__alloc(context, "write: path", length + sizeof weights_suffix, 1, name);
    if (status != HOP_OK)
        return status;
    memcpy(*name, path, length);
    memcpy(*name + length, weights_suffix, sizeof weights_suffix);
    *exists = stat(*name, &about) == 0 || errno != ENOENT;
    return HOP_OK;
}

/* Both files are whole before the first gets its name: no failure leaves those of two graphs. */
static hop_status write_weights(hop_context *context, const hop_graph *graph, const char *name,
                                hop__output *edges) {
    hop__output *beside = NULL;
    hop_status status = hop__output_open(context, name, false, &beside);
    if (status != HOP_OK)
        return status;
    edge_writer writer = {context, graph, beside, sizeof(float), true, NULL, 0};
    HOP_TRY(status, write_items(&writer));
    HOP_TRY(status, hop__output_finish(context, beside));
    status = hop__output_finish(context, edges);
done:
    return hop__output_close(context, beside, status);
}

static hop_status check_ids(hop_context *context, const hop_graph *graph, const char *name,
                            size_t edge_bytes) {
    uint64_t limit = edge_bytes == WIDE_BYTES ? UINT64_C(1) << 63 : UINT64_C(1) << 48;
    if (graph->vertices == 0)
        return HOP_OK;
    uint64_t largest = hop_graph_label(graph, graph->vertices - 1);
    if (largest >= limit)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: the label %" PRIu64 " does not fit into an id of %d bits", name,
                         largest, edge_bytes == WIDE_BYTES ? 63 : 48);
    hop_vertex lost = 0, n = graph->vertices;
    uint64_t edges = 0;
    hop_status status = hop_graph_edge_count(context, graph, true, &edges);
    if (status != HOP_OK)
        return status;
    for (hop_vertex v = 0; v < n; v++)
        lost += hop__offset(graph, v + 1) == hop__offset(graph, v);
    /* Ids are all that is read again: up to the last one, or, if sparse, those that occur. */
    bool sparse = graph->labels != NULL || graph->first_id != 0 || ids_are_sparse(n - 1, edges);
    if (hop__offset(graph, n) == hop__offset(graph, n - 1) || (lost > 0 && sparse))
        hop__log(context, HOP_LOG_WARNING,
                 "%s: %u vertices have no edge; this format cannot say that they exist", name,
                 lost);
    return HOP_OK;
}

static hop_status write_edges(hop_context *context, const hop_graph *graph, hop__output *output,
                              size_t edge_bytes) {
    edge_writer writer = {context, graph, output, edge_bytes, false, NULL, 0};
    bool weighted = graph->weight_type != HOP_TYPE_NONE, exists;
    char *beside = NULL;
    hop_status status, ended;
    HOP_TRY(status, check_ids(context, graph, hop__output_name(output), edge_bytes));
    HOP_TRY(status, weights_path(context, output, &beside, &exists));
    if (weighted ? beside == NULL : exists) {
        status = hop__fail(context, HOP_ERR_ARGUMENT,
                           weighted ? "%s: weights need a file beside it, and this is none"
                                    : "%s: a graph without weights, but there are weights beside "
                                      "it; remove %s",
                           hop__output_name(output), beside);
        goto done;
    }
    hop__progress_begin(context, "write",
                        graph->arcs / 2 * (edge_bytes + (weighted ? sizeof(float) : 0)));
    status = write_items(&writer);
    if (status == HOP_OK && weighted)
        status = write_weights(context, graph, beside, output);
    ended = hop__progress_end(context);
    if (status == HOP_OK || status == HOP_ERR_CANCELLED)
        status = ended;
done:
    hop__free(beside);
    return status;
}

static hop_status write_packed(hop_context *context, const hop_graph *graph, hop__output *output) {
    return write_edges(context, graph, output, PACKED_BYTES);
}

static hop_status write_wide(hop_context *context, const hop_graph *graph, hop__output *output) {
    return write_edges(context, graph, output, WIDE_BYTES);
}

/* ---- the rows of the table ----------------------------------------------------------------- */

/* Any bytes can be edges: the suffix or the caller must say so. */
static int sniff(const unsigned char *bytes, size_t count, uint64_t size) {
    (void)bytes;
    (void)count;
    (void)size;
    return HOP__SNIFF_NO;
}

const hop__format hop__format_graph500 = {
    .about = {.name = "graph500",
              .summary = "edge list of Graph500, packed 48-bit ids",
              .suffixes = ".g500",
              .can_read = true,
              .can_write = true,
              .weight_types = 1u << HOP_TYPE_NONE | 1u << HOP_TYPE_FLOAT32,
              .undirected = true,
              .labels = true},
    .sniff = sniff,
    .read_edges = read_packed,
    .write = write_packed,
    .parts = true,
};

const hop__format hop__format_graph500_wide = {
    .about = {.name = "graph500-64",
              .summary = "edge list of Graph500, 64-bit ids",
              .suffixes = ".g500-64",
              .can_read = true,
              .can_write = true,
              .weight_types = 1u << HOP_TYPE_NONE | 1u << HOP_TYPE_FLOAT32,
              .undirected = true,
              .labels = true},
    .sniff = sniff,
    .read_edges = read_wide,
    .write = write_wide,
    .parts = true,
};
