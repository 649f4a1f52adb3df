/* SPDX-License-Identifier: Apache-2.0
 *
 * Binary graphs of Galois, .gr (not to be confused with DIMACS, which is text):
 *
 *     byte   0  version (uint64): 1 has targets of 4 bytes, 2 of 8
 *            8  bytes of edge data (uint64): 0, 4 or 8 here
 *           16  vertices (uint64)
 *           24  arcs (uint64)
 *           32  for each vertex the end of its row (uint64); rows begin where the last one ended
 *               targets
 *               version 1 and an odd number of arcs: 4 bytes of padding
 *               edge data
 *
 * The format does not say what the edge data are: 4 bytes are read as int32 and 8 as int64, which
 * is what Galois' own converters write by default. Graphs of float weights are therefore not
 * written. It knows no direction either: a graph is directed unless the reader is told otherwise.
 *
 * The counts determine the size of the file to the byte (some writers leave out padding at the
 * very end), which is checked before anything is allocated.
 *
 * Source: Galois libgalois/src/FileGraph.cpp. */
#include <inttypes.h>
#include <string.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "io/bytes/array_stream.h"
#include "io/bytes/little_endian.h"
#include "io/formats/csr_build.h"

enum { HEADER_BYTES = 32 };

typedef struct layout {
    uint64_t version, weight_bytes, vertices, arcs;
    uint64_t targets, weights; /* where they begin */
    size_t wanted_bytes;       /* of a weight, if weights are read */
} layout;

/* Reads the header; false when the counts do not go with the size of the file. */
static bool plan(const unsigned char header[HEADER_BYTES], uint64_t size, layout *file) {
    uint64_t targets, weights, end;
    file->version = hop__le64_load(header);
    file->weight_bytes = hop__le64_load(header + 8);
    file->vertices = hop__le64_load(header + 16);
    file->arcs = hop__le64_load(header + 24);
    if (file->version != 1 && file->version != 2)
        return false;
    if (!hop__mul_add_u64(file->vertices, 8, HEADER_BYTES, &file->targets) ||
        !hop__mul_u64(file->arcs, file->version == 1 ? 4 : 8, &targets) ||
        !hop__add_u64(file->targets, targets, &targets))
        return false;
    uint64_t padding = file->version == 1 && file->arcs % 2 != 0 ? 4 : 0;
    if (!hop__add_u64(targets, padding, &file->weights) ||
        !hop__mul_u64(file->arcs, file->weight_bytes, &weights) ||
        !hop__add_u64(file->weights, weights, &end))
        return false;
    return size == end || (file->weight_bytes == 0 && size == targets);
}

static int sniff(const unsigned char *bytes, size_t count, uint64_t size) {
    layout file;
    return count >= HEADER_BYTES && plan(bytes, size, &file) ? HOP__SNIFF_YES : HOP__SNIFF_NO;
}

static hop_status read_header(hop_context *context, hop__input *input, layout *file) {
    unsigned char header[HEADER_BYTES];
    uint64_t size = hop__input_size(input);
    hop_status status = hop__input_read_header(context, input, header, sizeof header);
    if (status != HOP_OK)
        return status;
    if (!plan(header, size, file))
        return hop__input_fail_offset(
            context, input, 0,
            "version %" PRIu64 ", %" PRIu64 " bytes per edge, %" PRIu64 " vertices, %" PRIu64
            " arcs: no Galois graph has that in %" PRIu64 " bytes",
            file->version, file->weight_bytes, file->vertices, file->arcs, size);
    if (file->weight_bytes != 0 && file->weight_bytes != 4 && file->weight_bytes != 8)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: %" PRIu64 " bytes of data per edge; only 0, 4 (int32) and 8 (int64) "
                         "can be read",
                         hop__input_name(input), file->weight_bytes);
    return HOP_OK;
}

static void take_wide(void *user, uint64_t first, uint64_t count, unsigned char *bytes) {
    hop_vertex *targets = user;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t target = hop__le64_load(bytes + 8 * i);
        /* One that is no vertex number stays one: the check of the graph names its place. */
        targets[first + i] = target > UINT32_MAX ? HOP_NO_VERTEX : (hop_vertex)target;
    }
}

static hop_status read_arrays(hop_context *context, hop__input *input, const void *given,
                              hop__csr_arrays *arrays) {
    const layout *file = given;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "read: targets", file->arcs, sizeof *arrays->targets,
                               &arrays->targets));
    HOP_TRY(status,
            hop__stream_read_offsets(context, input, HEADER_BYTES, file->vertices, file->arcs, true,
                                     &arrays->offsets, &arrays->offset_bytes));
    if (file->version == 1)
        HOP_TRY(status, hop__stream_read_bytes(context, input, file->targets, 4 * file->arcs,
                                               arrays->targets));
    else
        HOP_TRY(status, hop__stream_read(context, input, file->targets, file->arcs, 8, take_wide,
                                         arrays->targets));
    if (file->wanted_bytes != 0) {
        HOP_TRY(status, hop__alloc(context, "read: weights", file->arcs, file->wanted_bytes,
                                   &arrays->weights));
        arrays->weight_type = file->weight_bytes == 4 ? HOP_TYPE_INT32 : HOP_TYPE_INT64;
        HOP_TRY(status, hop__stream_read_bytes(context, input, file->weights,
                                               file->weight_bytes * file->arcs, arrays->weights));
    }
done:
    return status;
}

static hop_status read_galois(hop_context *context, hop__input *input,
                              const hop_read_options *options, hop_graph **graph) {
    layout file = {0};
    hop_status status = read_header(context, input, &file);
    file.wanted_bytes = options->drop_weights ? 0 : (size_t)file.weight_bytes;
    hop__csr_header header = {file.vertices, file.arcs, true, file.wanted_bytes};
    *graph = NULL;
    return status != HOP_OK
               ? status
               : hop__csr_read(context, input, options, &header, read_arrays, &file, graph);
}

/* Version 1: ids of 4 bytes hold every graph that there can be here. */
static hop_status write_galois(hop_context *context, const hop_graph *graph, hop__output *output) {
    unsigned char header[HEADER_BYTES];
    static const unsigned char padding[4] = {0};
    uint64_t weight_bytes = hop_type_size(graph->weight_type), arcs = graph->arcs;
    hop_status status, ended;
    hop__le64_store(header, 1);
    hop__le64_store(header + 8, weight_bytes);
    hop__le64_store(header + 16, graph->vertices);
    hop__le64_store(header + 24, arcs);
    hop__progress_begin(context, "write",
                        8 * (uint64_t)graph->vertices + arcs * (4 + weight_bytes));
    HOP_TRY(status, hop__output_write(context, output, header, sizeof header));
    HOP_TRY(status, hop__stream_write_offsets(context, output, graph, 1));
    HOP_TRY(status, hop__stream_write_bytes(context, output, graph->targets, 4 * arcs));
    if (arcs % 2 != 0)
        HOP_TRY(status, hop__output_write(context, output, padding, sizeof padding));
    HOP_TRY(status, hop__stream_write_bytes(context, output, graph->weights, weight_bytes * arcs));
done:
    ended = hop__progress_end(context);
    return status != HOP_OK ? status : ended;
}

const hop__format hop__format_galois = {
    .about = {.name = "galois",
              .summary = "binary graph of Galois, versions 1 and 2 (written: 1)",
              .suffixes = ".gr .sgr",
              .can_read = true,
              .can_write = true,
              .weight_types = HOP__WEIGHTS_INTEGER,
              .directed = true},
    .sniff = sniff,
    .read_graph = read_galois,
    .write = write_galois,
};
