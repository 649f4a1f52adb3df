/* SPDX-License-Identifier: Apache-2.0
 *
 * Serialized graphs of the GAP Benchmark Suite: .sg without weights, .wsg with int32 weights.
 *
 *     byte   0  directed: 0 or 1
 *            1  arcs (int64)
 *            9  vertices (int64)
 *           17  vertices + 1 offsets (int64)
 *               arcs items: target (int32), in .wsg followed by weight (int32)
 *               directed: offsets and items of the reversed graph
 *
 * There is no magic number and nothing is aligned, but the counts determine the size of the file
 * to the byte: that is how it is recognised, how weights are told from none, and why the counts
 * can be believed before anything is allocated. (Without arcs both kinds look alike, and the
 * suffix says.) The reversed graph is written, since GAP needs it, and not read: it can be made.
 *
 * Source: gapbs src/writer.h and src/reader.h. */
#include <inttypes.h>
#include <string.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "io/bytes/array_stream.h"
#include "io/bytes/little_endian.h"
#include "io/bytes/path_suffix.h"
#include "io/formats/csr_build.h"

enum { HEADER_BYTES = 17 };

static const uint64_t most_vertices = UINT64_C(1) << 31; /* ids are int32 */

typedef struct layout {
    bool directed, weighted;
    uint64_t vertices, arcs;
    uint64_t offsets, items; /* where they begin */
} layout;

/* The size of a file with these counts; false when it overflows. */
static bool file_size(const layout *file, bool weighted, uint64_t *size) {
    uint64_t offsets, items, half;
    return hop__mul_u64(file->vertices + 1, 8, &offsets) &&
           hop__mul_u64(file->arcs, weighted ? 8 : 4, &items) &&
           hop__add_u64(offsets, items, &half) &&
           hop__mul_add_u64(half, file->directed ? 2 : 1, HEADER_BYTES, size);
}

/* Reads the header; false when the file cannot have this format. */
static bool plan(const unsigned char header[HEADER_BYTES], uint64_t size, bool prefer_weights,
                 layout *file) {
    uint64_t plain, weighted;
    file->directed = header[0] == 1;
    file->arcs = hop__le64_load(header + 1);
    file->vertices = hop__le64_load(header + 9);
    if (header[0] > 1 || file->vertices > most_vertices || !file_size(file, false, &plain) ||
        !file_size(file, true, &weighted) || (size != plain && size != weighted))
        return false;
    file->weighted = plain == weighted ? prefer_weights : size == weighted;
    file->offsets = HEADER_BYTES;
    file->items = HEADER_BYTES + 8 * (file->vertices + 1);
    return true;
}

static int sniff(const unsigned char *bytes, size_t count, uint64_t size) {
    layout file;
    return count >= HEADER_BYTES && plan(bytes, size, false, &file) ? HOP__SNIFF_YES
                                                                    : HOP__SNIFF_NO;
}

static hop_status read_header(hop_context *context, hop__input *input, layout *file) {
    unsigned char header[HEADER_BYTES];
    uint64_t size = hop__input_size(input);
    hop_status status = hop__input_read_header(context, input, header, sizeof header);
    if (status != HOP_OK)
        return status;
    if (!plan(header, size, hop__path_ends(hop__input_name(input), ".wsg"), file))
        return hop__input_fail_offset(context, input, 1,
                                      "%" PRIu64 " arcs and %" PRIu64 " vertices, directed %u: "
                                      "no GAP graph has that in %" PRIu64 " bytes",
                                      file->arcs, file->vertices, header[0], size);
    return HOP_OK;
}

static void take_weighted(void *user, uint64_t first, uint64_t count, unsigned char *bytes) {
    hop__csr_arrays *arrays = user;
    int32_t *weights = arrays->weights;
    for (uint64_t i = 0; i < count; i++) {
        arrays->targets[first + i] = hop__le32_load(bytes + 8 * i);
        weights[first + i] = (int32_t)hop__le32_load(bytes + 8 * i + 4);
    }
}

static hop_status read_arrays(hop_context *context, hop__input *input, const void *given,
                              hop__csr_arrays *arrays) {
    const layout *file = given;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "read: targets", file->arcs, sizeof *arrays->targets,
                               &arrays->targets));
    HOP_TRY(status,
            hop__stream_read_offsets(context, input, file->offsets, file->vertices, file->arcs,
                                     false, &arrays->offsets, &arrays->offset_bytes));
    if (!file->weighted) {
        HOP_TRY(status, hop__stream_read_bytes(context, input, file->items, 4 * file->arcs,
                                               arrays->targets));
    } else {
        HOP_TRY(status, hop__alloc(context, "read: weights", file->arcs, sizeof(int32_t),
                                   &arrays->weights));
        arrays->weight_type = HOP_TYPE_INT32;
        HOP_TRY(status, hop__stream_read(context, input, file->items, file->arcs, 8, take_weighted,
                                         arrays));
    }
done:
    return status;
}

static hop_status read_gap(hop_context *context, hop__input *input, const hop_read_options *options,
                           hop_graph **graph) {
    layout file = {0};
    hop_status status = read_header(context, input, &file);
    hop__csr_header header = {file.vertices, file.arcs, file.directed, file.weighted ? 4 : 0};
    *graph = NULL;
    return status != HOP_OK
               ? status
               : hop__csr_read(context, input, options, &header, read_arrays, &file, graph);
}

/* ---- writing ------------------------------------------------------------------------------- */

static void make_weighted(void *user, uint64_t first, uint64_t count, unsigned char *bytes) {
    const hop_graph *graph = user;
    const int32_t *weights = graph->weights;
    for (uint64_t i = 0; i < count; i++) {
        hop__le32_store(bytes + 8 * i, graph->targets[first + i]);
        hop__le32_store(bytes + 8 * i + 4, (uint32_t)weights[first + i]);
    }
}

static hop_status write_half(hop_context *context, const hop_graph *graph, hop__output *output) {
    hop_graph view = *graph; /* the callback takes no const pointer */
    hop_status status;
    HOP_TRY(status, hop__stream_write_offsets(context, output, graph, 0));
    if (graph->weight_type == HOP_TYPE_NONE)
        HOP_TRY(status, hop__stream_write_bytes(context, output, graph->targets, 4 * graph->arcs));
    else
        HOP_TRY(status, hop__stream_write(context, output, graph->arcs, 8, make_weighted, &view));
done:
    return status;
}

static hop_status check_writable(hop_context *context, const hop_graph *graph,
                                 const hop__output *output) {
    const char *name = hop__output_name(output);
    bool weighted = graph->weight_type != HOP_TYPE_NONE;
    if (graph->vertices > most_vertices)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: %" PRIu32 " vertices; GAP's int32 ids allow %" PRIu64, name,
                         graph->vertices, most_vertices);
    /* GAP tells the two apart by the suffix alone. */
    if (hop__path_ends(name, weighted ? ".sg" : ".wsg"))
        return hop__fail(context, HOP_ERR_ARGUMENT, "%s: a graph with%s weights is a %s file", name,
                         weighted ? "" : "out", weighted ? ".wsg" : ".sg");
    return HOP_OK;
}

static hop_status write_gap(hop_context *context, const hop_graph *graph, hop__output *output) {
    unsigned char header[HEADER_BYTES];
    hop_graph *reversed = NULL;
    const hop_graph *back = hop_graph_prepared_reverse(graph);
    hop_status status, ended;
    HOP_TRY(status, check_writable(context, graph, output));
    if (graph->directed && (back == NULL || back->weight_type != graph->weight_type)) {
        HOP_TRY(status, hop_graph_reverse(context, graph, &reversed));
        back = reversed;
    }
    header[0] = graph->directed;
    hop__le64_store(header + 1, graph->arcs);
    hop__le64_store(header + 9, graph->vertices);
    uint64_t half =
        8 * ((uint64_t)graph->vertices + 1) + graph->arcs * (4 + hop_type_size(graph->weight_type));
    hop__progress_begin(context, "write", graph->directed ? 2 * half : half);
    status = hop__output_write(context, output, header, sizeof header);
    if (status == HOP_OK)
        status = write_half(context, graph, output);
    if (status == HOP_OK && graph->directed)
        status = write_half(context, back, output);
    ended = hop__progress_end(context);
    if (status == HOP_OK)
        status = ended;
done:
    hop_graph_release(reversed);
    return status;
}

const hop__format hop__format_gap = {
    .about = {.name = "gap",
              .summary = "serialized graph of the GAP Benchmark Suite",
              .suffixes = ".sg .wsg",
              .can_read = true,
              .can_write = true,
              .weight_types = 1u << HOP_TYPE_NONE | 1u << HOP_TYPE_INT32,
              .directed = true,
              .undirected = true},
    .sniff = sniff,
    .read_graph = read_gap,
    .write = write_gap,
};
