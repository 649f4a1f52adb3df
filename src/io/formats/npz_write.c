/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the native format (npz.h has the layout) from front to back, for outputs that cannot be
 * patched later: pipes and devices. Files are written by npz_stream.c.
 *
 * A zip header stands before its contents and holds their checksum, so every array is read twice:
 * once for the checksum, in pieces by all threads, once for the file. Nothing is copied but
 * offsets whose width in the file is not the one in memory.
 *
 * scipy wants values even where a graph has none. The ones that it gets are deflated: a block of
 * BLOCK_ONES of them is packed once, ended by a full flush so that it stands on its own, and
 * written as often as needed. So they cost a thousandth of their size and no time.
 *
 * Cost: two passes over the arrays; memory 4 bytes per MiB of the largest array, and 8 per block of
 * all of them (npz_blocks.h). */
#include "io/formats/npz.h"

#include <string.h>
#include <zlib.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/graph_internal.h"

enum {
    WRITE_PIECE = 16 << 20,
    OFFSET_BLOCK = 1 << 15, /* offsets that are converted at once: whole blocks of 4 or 8 bytes */
    BLOCK_ONES = 1 << 20,
    PACKED_ROOM = 1 << 14 /* more than a packed block of ones or a packed header needs */
};

const char *hop__npz_index_type(uint64_t vertices) {
    return vertices <= UINT64_C(1) << 31 ? "'<i4'" : "'<u4'";
}

const char *hop__npz_offset_type(uint64_t arcs) {
    return arcs < UINT64_C(1) << 31 ? "'<i4'" : "'<i8'";
}

const char *hop__npz_weight_items(hop_weight_type type) {
    static const char *const types[] = {NULL, "'<i4'", "'<i8'", "'<f4'", "'<f8'"};
    return types[type];
}

/* The checksum of `count` copies of a block that has the checksum `block`. */
static uint32_t crc_repeat(uint32_t block, uint64_t bytes, uint64_t count) {
    uint32_t crc = 0;
    while (count > 0) {
        if (count & 1)
            crc = (uint32_t)crc32_combine(crc, block, (z_off_t)bytes);
        block = (uint32_t)crc32_combine(block, block, (z_off_t)bytes);
        bytes *= 2;
        count /= 2;
    }
    return crc;
}

/* ---- stored arrays --------------------------------------------------------------------------- */

typedef struct member {
    const char *name;
    const char *type; /* of NumPy, quoted */
    unsigned dimensions;
    uint64_t shape[2];
    const void *items;
    uint64_t bytes;
    hop__block_sums *sums; /* NULL: its blocks have no checksums */
    hop__blocked blocked;
} member;

/* Writes bytes in pieces, so that cancelling takes effect. */
static hop_status write_bytes(hop_context *context, hop__output *output, const void *bytes,
                              uint64_t count) {
    for (uint64_t at = 0; at < count; at += WRITE_PIECE) {
        size_t part = count - at < WRITE_PIECE ? (size_t)(count - at) : WRITE_PIECE;
        hop_status status =
            hop__output_write(context, output, (const unsigned char *)bytes + at, part);
        if (status != HOP_OK)
            return status;
        if (!hop__progress_add(context, part))
            return HOP_ERR_CANCELLED;
    }
    return HOP_OK;
}

/* Arrays of some blocks begin at a page: small files stay small. */
static size_t page_lead(const member *array, size_t header_bytes) {
    return array->sums != NULL && array->bytes >= HOP__BLOCK_BYTES ? header_bytes : 0;
}

static hop_status write_member(hop_context *context, hop__zip_writer *writer, const member *array) {
    unsigned char header[HOP__NPY_OUR_HEADER];
    size_t header_bytes = hop__npy_format(header, array->type, array->dimensions, array->shape);
    uint32_t crc = (uint32_t)crc32(0, header, (uInt)header_bytes);
    hop_status status;
    HOP_TRY(status,
            hop__sum_bytes(context, array->items, array->bytes, &crc, array->sums, array->blocked));
    uint64_t size = header_bytes + array->bytes;
    hop__zip_entry entry = {.name = array->name,
                            .size = size,
                            .packed = size,
                            .crc = crc,
                            .page_lead = page_lead(array, header_bytes)};
    HOP_TRY(status, hop__zip_member_begin(context, writer, &entry));
    HOP_TRY(status, hop__output_write(context, writer->output, header, header_bytes));
    HOP_TRY(status, write_bytes(context, writer->output, array->items, array->bytes));
done:
    return status;
}

/* ---- offsets of another width -----------------------------------------------------------------
 */

static size_t convert_offsets(const hop_graph *graph, uint64_t first, size_t width, void *block) {
    uint64_t left = (uint64_t)graph->vertices + 1 - first;
    size_t count = left < OFFSET_BLOCK ? (size_t)left : OFFSET_BLOCK;
    for (size_t i = 0; i < count; i++) {
        if (width == 4)
            ((uint32_t *)block)[i] = (uint32_t)hop__offset(graph, first + i);
        else
            ((uint64_t *)block)[i] = hop__offset(graph, first + i);
    }
    return count;
}

static hop_status write_converted(hop_context *context, hop__zip_writer *writer,
                                  const hop_graph *graph, const member *array, size_t width) {
    unsigned char header[HOP__NPY_OUR_HEADER];
    size_t header_bytes = hop__npy_format(header, array->type, 1, array->shape);
    uint32_t crc = (uint32_t)crc32(0, header, (uInt)header_bytes);
    uint64_t *block = NULL, count = array->shape[0];
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "write: offsets", OFFSET_BLOCK, sizeof *block, &block));
    for (uint64_t first = 0; first < count; first += OFFSET_BLOCK) {
        size_t part = convert_offsets(graph, first, width, block);
        HOP_TRY(status,
                hop__sum_bytes(context, block, part * width, &crc, array->sums, array->blocked));
        if (!hop__progress_add(context, 0))
            goto done;
    }
    uint64_t size = header_bytes + array->bytes;
    hop__zip_entry entry = {.name = array->name,
                            .size = size,
                            .packed = size,
                            .crc = crc,
                            .page_lead = page_lead(array, header_bytes)};
    HOP_TRY(status, hop__zip_member_begin(context, writer, &entry));
    HOP_TRY(status, hop__output_write(context, writer->output, header, header_bytes));
    for (uint64_t first = 0; first < count; first += OFFSET_BLOCK) {
        size_t part = convert_offsets(graph, first, width, block);
        HOP_TRY(status, write_bytes(context, writer->output, block, part * width));
    }
done:
    hop__free(block);
    return status;
}

static hop_status write_offsets(hop_context *context, hop__zip_writer *writer,
                                const hop_graph *graph, hop__block_sums *sums) {
    const char *type = hop__npz_offset_type(graph->arcs);
    size_t width = type[3] == '4' ? 4 : 8;
    uint64_t count = (uint64_t)graph->vertices + 1;
    member array = {"indptr.npy",   type,          1,    {count, 1},
                    graph->offsets, count * width, sums, HOP__BLOCKED_OFFSETS};
    if (width != graph->offset_bytes)
        return write_converted(context, writer, graph, &array, width);
    return write_member(context, writer, &array);
}

/* ---- the ones ------------------------------------------------------------------------------- */

static voidpf zlib_alloc(voidpf context, uInt count, uInt size) {
    void *block;
    return hop__alloc(context, "compression", count, size, &block) == HOP_OK ? block : NULL;
}

static void zlib_free(voidpf context, voidpf block) {
    (void)context;
    hop__free(block);
}

typedef struct packed_bytes {
    unsigned char bytes[PACKED_ROOM];
    size_t count;
} packed_bytes;

/* Packs bytes into a piece that stands on its own: the last of a stream, or followed by others. */
static bool pack(z_stream *z, const void *bytes, size_t count, bool last, packed_bytes *packed) {
    z->next_in = (Bytef *)(uintptr_t)bytes;
    z->avail_in = (uInt)count;
    z->next_out = packed->bytes;
    z->avail_out = PACKED_ROOM;
    int code = deflate(z, last ? Z_FINISH : Z_FULL_FLUSH);
    packed->count = PACKED_ROOM - z->avail_out;
    bool whole = code == (last ? Z_STREAM_END : Z_OK) && z->avail_in == 0 && z->avail_out > 0;
    return deflateReset(z) == Z_OK && whole;
}

typedef struct ones_room {
    unsigned char header[HOP__NPY_OUR_HEADER];
    packed_bytes packed_header, block, rest;
    unsigned char ones[]; /* BLOCK_ONES, or fewer if there are fewer arcs */
} ones_room;

hop_status hop__npz_write_ones(hop_context *context, hop__zip_writer *writer, uint64_t arcs) {
    ones_room *room = NULL;
    z_stream z = {.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = context};
    bool packing = false;
    hop_status status;
    uint64_t shape[2] = {arcs, 1}, blocks = arcs / BLOCK_ONES;
    size_t rest = (size_t)(arcs % BLOCK_ONES), most = blocks > 0 ? BLOCK_ONES : rest;
    HOP_TRY(status, hop__alloc(context, "write: values", sizeof *room + most, 1, &room));
    memset(room->ones, 1, most);
    size_t header_bytes = hop__npy_format(room->header, "'|i1'", 1, shape);
    packing = deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) == Z_OK;
    if (!packing || !pack(&z, room->header, header_bytes, false, &room->packed_header) ||
        (blocks > 0 && !pack(&z, room->ones, BLOCK_ONES, false, &room->block)) ||
        !pack(&z, room->ones, rest, true, &room->rest))
        HOP_TRY(status, hop__fail(context, HOP_ERR_MEMORY, "%s: cannot compress: out of memory",
                                  hop__output_name(writer->output)));
    uLong crc = crc32(0, room->header, (uInt)header_bytes);
    uint32_t block_crc = (uint32_t)crc32(0, room->ones, (uInt)most); /* if there is a block */
    crc = crc32_combine(crc, crc_repeat(block_crc, BLOCK_ONES, blocks),
                        (z_off_t)(blocks * BLOCK_ONES));
    crc = crc32_combine(crc, crc32(0, room->ones, (uInt)rest), (z_off_t)rest);
    hop__zip_entry entry = {.name = "data.npy",
                            .size = header_bytes + arcs,
                            .packed = room->packed_header.count + room->rest.count +
                                      (blocks > 0 ? blocks * room->block.count : 0),
                            .crc = (uint32_t)crc,
                            .deflated = true};
    HOP_TRY(status, hop__zip_member_begin(context, writer, &entry));
    HOP_TRY(status, hop__output_write(context, writer->output, room->packed_header.bytes,
                                      room->packed_header.count));
    for (uint64_t i = 0; i < blocks; i++)
        HOP_TRY(status,
                hop__output_write(context, writer->output, room->block.bytes, room->block.count));
    HOP_TRY(status, hop__output_write(context, writer->output, room->rest.bytes, room->rest.count));
done:
    if (packing)
        deflateEnd(&z);
    hop__free(room);
    return status;
}

/* ---- the file ------------------------------------------------------------------------------- */

hop__npz_record hop__npz_record_of(uint64_t vertices, uint64_t arcs, bool directed,
                                   hop_weight_type type) {
    hop__npz_record record = {
        .version = 1, .directed = directed, .vertices = vertices, .arcs = arcs};
    const char *weight = hop_type_name(type);
    memcpy(record.weight, weight, strlen(weight)); /* 7 characters at most */
    return record;
}

static hop_status fill_record(hop_context *context, const hop_graph *graph,
                              hop__npz_record *record) {
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    hop_status status;
    HOP_TRY(status, hop_graph_describe(context, graph, &info));
    *record = hop__npz_record_of(graph->vertices, graph->arcs, graph->directed, graph->weight_type);
    record->loops = info.loops;
    record->isolated = info.isolated;
    record->min_degree = info.min_degree;
    record->max_degree = info.max_degree;
    record->max_degree_vertex = info.max_degree_vertex;
    if (graph->weight_type != HOP_TYPE_NONE && graph->arcs > 0) {
        record->min_weight = info.min_weight;
        record->max_weight = info.max_weight;
        record->min_weight_int = info.min_weight_int;
        record->max_weight_int = info.max_weight_int;
    }
    HOP_TRY(status, hop_graph_hash(context, graph, &record->hash));
done:
    return status;
}

hop_status hop__npz_write_head(hop_context *context, hop__zip_writer *writer,
                               const hop__npz_record *record) {
    uint64_t shape[2] = {record->vertices, record->vertices};
    const member members[] = {
        {"format.npy", "'|S3'", 0, {1, 1}, "csr", 3, NULL, 0},
        {"shape.npy", "'<i8'", 1, {2, 1}, shape, sizeof shape, NULL, 0},
        {"hoplite.npy", HOP__NPZ_RECORD_TYPE, 0, {1, 1}, record, sizeof *record, NULL, 0},
    };
    hop_status status = HOP_OK;
    for (size_t i = 0; i < HOP_LENGTH(members) && status == HOP_OK; i++)
        status = write_member(context, writer, &members[i]);
    return status;
}

hop_status hop__npz_write_names(hop_context *context, hop__zip_writer *writer, hop__names names,
                                uint64_t n, hop__block_sums *sums) {
    const hop__vertex_names *texts = names.texts;
    const member labels = {"labels.npy", "'<u8'", 1,    {n, 1},
                           names.labels, n * 8,   sums, HOP__BLOCKED_LABELS};
    const member first = {"first_id.npy", "'<u8'", 0, {1, 1}, &names.first_id, 8, NULL, 0};
    hop_status status = HOP_OK;
    if (names.labels != NULL)
        HOP_TRY(status, write_member(context, writer, &labels));
    else if (names.first_id != 0)
        HOP_TRY(status, write_member(context, writer, &first));
    if (texts != NULL) {
        const member offsets = {"name_offsets.npy", "'<u8'",     1,    {n + 1, 1},
                                texts->offsets,     (n + 1) * 8, sums, HOP__BLOCKED_NAME_OFFSETS};
        const member bytes = {"name_bytes.npy", "'|u1'",     1,    {texts->size, 1},
                              texts->bytes,     texts->size, sums, HOP__BLOCKED_NAME_BYTES};
        HOP_TRY(status, write_member(context, writer, &offsets));
        HOP_TRY(status, write_member(context, writer, &bytes));
    }
done:
    return status;
}

hop_status hop__npz_write_sums(hop_context *context, hop__zip_writer *writer,
                               const hop__block_sums *sums) {
    uint64_t words = HOP__BLOCKS_HEAD + sums->count;
    const member blocks = {"blocks.npy", "'<u8'", 1, {words, 1}, sums->words, words * 8, NULL, 0};
    return write_member(context, writer, &blocks);
}

static hop_status write_arrays(hop_context *context, const hop_graph *graph,
                               const hop__npz_record *record, hop__block_sums *sums,
                               hop__zip_writer *writer) {
    uint64_t n = graph->vertices, arcs = graph->arcs;
    hop_weight_type type = graph->weight_type;
    const member targets = {"indices.npy", hop__npz_index_type(n), 1,
                            {arcs, 1},     graph->targets,         arcs * 4,
                            sums,          HOP__BLOCKED_TARGETS};
    const member weights = {
        "data.npy",     hop__npz_weight_items(type), 1,    {arcs, 1},
        graph->weights, arcs * hop_type_size(type),  sums, HOP__BLOCKED_WEIGHTS};
    hop_status status;
    HOP_TRY(status, hop__npz_write_head(context, writer, record));
    HOP_TRY(status, write_offsets(context, writer, graph, sums));
    HOP_TRY(status, write_member(context, writer, &targets));
    if (type == HOP_TYPE_NONE)
        HOP_TRY(status, hop__npz_write_ones(context, writer, arcs));
    else
        HOP_TRY(status, write_member(context, writer, &weights));
    HOP_TRY(status, hop__npz_write_names(context, writer, hop__graph_names(graph), n, sums));
    HOP_TRY(status, hop__npz_write_sums(context, writer, sums));
    HOP_TRY(status, hop__zip_finish(context, writer));
done:
    return status;
}

uint64_t hop__npz_name_blocks(hop__names names, uint64_t vertices) {
    uint64_t blocks = names.labels != NULL ? hop__blocks_of(vertices * 8) : 0;
    if (names.texts != NULL)
        blocks += hop__blocks_of((vertices + 1) * 8) + hop__blocks_of(names.texts->size);
    return blocks;
}

hop_status hop__npz_write(hop_context *context, const hop_graph *graph, hop__output *output,
                          uint64_t limit) {
    hop__zip_writer writer = {.output = output, .limit = limit};
    hop__block_sums sums = {NULL, 0, 0};
    hop__npz_record record;
    hop_status status, ended;
    HOP_TRY(status, fill_record(context, graph, &record));
    uint64_t n = graph->vertices, arc_bytes = 4 + hop_type_size(graph->weight_type);
    HOP_TRY(status,
            hop__block_sums_open(context,
                                 hop__blocks_of((n + 1) * 8) + hop__blocks_of(graph->arcs * 4) +
                                     hop__blocks_of(graph->arcs * (arc_bytes - 4)) +
                                     hop__npz_name_blocks(hop__graph_names(graph), n),
                                 &sums));
    uint64_t bytes = graph->arcs * arc_bytes + (n + 1) * graph->offset_bytes +
                     (graph->labels != NULL ? n * 8 : 0) +
                     (graph->names != NULL ? n * 8 + graph->names->size : 0) + sums.room * 8;
    hop__progress_begin(context, "write", 2 * bytes);
    status = write_arrays(context, graph, &record, &sums, &writer);
    ended = hop__progress_end(context);
    if (status == HOP_OK || status == HOP_ERR_CANCELLED)
        status = ended;
done:
    hop__block_sums_close(&sums);
    return status;
}
