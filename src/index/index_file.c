/* SPDX-License-Identifier: Apache-2.0
 *
 * An index in a file: a NumPy archive (.npz), so that its arrays can be read elsewhere, with a
 * checksum of each.
 *
 *     hoplite_index.npy   version, kind, vertices, hash of the graph, of the weights: their type,
 *                         unit and reach; words of a weight; landmarks, their shift
 *     contraction:        places.npy (uint32), offsets.npy (uint64), words.npy (uint32)
 *     landmarks:          landmarks.npy (uint32), distances.npy (uint32)
 *
 * What a query relies on is checked when a file is opened: that it is of this graph; places are a
 * permutation, offsets ascend, arcs lead to smaller places. So a file that was forged can give
 * wrong distances (hop_index_certify finds that), but nothing else. */
#include <math.h>
#include <string.h>
#include <zlib.h>

#include "core/bitmap.h"
#include "core/progress.h"
#include "core/try.h"
#include "hoplite/io.h"
#include "index/index_internal.h"
#include "io/numpy/npy_load.h"
#include "io/numpy/zip_write.h"

enum { VERSION = 1, PIECE = 1 << 20, RECORD_WORDS = 10 };

enum {
    IN_VERSION,
    IN_KIND,
    IN_VERTICES,
    IN_HASH,
    IN_TYPE,
    IN_UNIT,
    IN_REACH,
    IN_WEIGHT_WORDS,
    IN_LANDMARKS,
    IN_SHIFT
};

typedef struct file_array {
    const char *name, *type; /* of NumPy, with its quotes */
    uint64_t count;
    size_t size;
    void *items;
} file_array;

/* The arrays of an index, whose counts are known; how many. */
static unsigned list_arrays(hop_index *index, uint64_t arcs, file_array arrays[3]) {
    hop__hierarchy *h = &index->hierarchy;
    hop__landmarks *landmarks = &index->landmarks;
    const uint64_t n = index->graph->vertices;
    if (index->kind == HOP_INDEX_CONTRACTION) {
        arrays[0] = (file_array){"places.npy", "'<u4'", n, 4, h->places};
        arrays[1] = (file_array){"offsets.npy", "'<u8'", n + 1, 8, h->offsets};
        arrays[2] = (file_array){"words.npy", "'<u4'", arcs * hop__arc_words(index), 4, h->words};
        return 3;
    }
    arrays[0] = (file_array){"landmarks.npy", "'<u4'", landmarks->count, 4, landmarks->at};
    arrays[1] = (file_array){"distances.npy", "'<u4'", n * hop__landmark_row(index), 4,
                             landmarks->distances};
    return 2;
}

/* ---- writing --------------------------------------------------------------------------------- */

static hop_status write_array(hop_context *context, hop__zip_writer *writer,
                              const file_array *array) {
    unsigned char header[HOP__NPY_OUR_HEADER];
    const uint64_t shape[2] = {array->count, 1}, bytes = array->count * array->size;
    const size_t head = hop__npy_format(header, array->type, 1, shape);
    uint32_t crc = (uint32_t)crc32(0, header, (uInt)head);
    hop_status status = HOP_OK;
    for (uint64_t at = 0; at < bytes; at += PIECE) {
        uint64_t piece = bytes - at < PIECE ? bytes - at : PIECE;
        crc = (uint32_t)crc32(crc, (const unsigned char *)array->items + at, (uInt)piece);
        if (!hop__progress_add(context, 0))
            return HOP_OK;
    }
    const hop__zip_entry entry = {
        .name = array->name, .size = head + bytes, .packed = head + bytes, .crc = crc};
    HOP_TRY(status, hop__zip_member_begin(context, writer, &entry));
    HOP_TRY(status, hop__output_write(context, writer->output, header, head));
    for (uint64_t at = 0; at < bytes && hop__progress_add(context, 0); at += PIECE)
        HOP_TRY(status, hop__output_write(context, writer->output, (const char *)array->items + at,
                                          (size_t)(bytes - at < PIECE ? bytes - at : PIECE)));
done:
    return status;
}

static void fill_record(const hop_index *index, uint64_t record[RECORD_WORDS]) {
    record[IN_VERSION] = VERSION;
    record[IN_KIND] = (uint64_t)index->kind;
    record[IN_VERTICES] = index->graph->vertices;
    record[IN_HASH] = index->graph_hash;
    record[IN_TYPE] = (uint64_t)index->graph->weight_type;
    memcpy(&record[IN_UNIT], &index->metric.unit, sizeof(double));
    memcpy(&record[IN_REACH], &index->metric.reach, sizeof(double));
    record[IN_WEIGHT_WORDS] = index->hierarchy.weight_words;
    record[IN_LANDMARKS] = index->landmarks.count;
    record[IN_SHIFT] = index->landmarks.shift;
}

hop_status hop_index_save(hop_context *context, const hop_index *index, const char *path) {
    hop__output *output = NULL;
    hop_status status, ended;
    file_array arrays[3];
    uint64_t record[RECORD_WORDS];
    if (!context || !index || !path)
        return hop__missing(context, "hop_index_save");
    const bool contraction = index->kind == HOP_INDEX_CONTRACTION;
    const unsigned count =
        list_arrays((hop_index *)index,
                    contraction ? index->hierarchy.offsets[index->graph->vertices] : 0, arrays);
    fill_record(index, record);
    hop__progress_begin(context, "index: write", 0);
    HOP_TRY(status, hop__output_open(context, path, false, &output));
    hop__zip_writer writer = {output, HOP__ZIP_LIMIT, 0, {{0}}};
    HOP_TRY(status,
            write_array(context, &writer,
                        &(file_array){"hoplite_index.npy", "'<u8'", RECORD_WORDS, 8, record}));
    for (unsigned i = 0; i < count; i++)
        HOP_TRY(status, write_array(context, &writer, &arrays[i]));
    HOP_TRY(status, hop__zip_finish(context, &writer));
done:
    ended = hop__progress_end(context);
    status = status == HOP_OK ? ended : status;
    return output ? hop__output_close(context, output, status) : status;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct index_file {
    hop__input *input;
    hop__npy_archive archive;
} index_file;

static hop_status refuse(hop_context *context, const index_file *file, const char *why) {
    return hop__fail(context, HOP_ERR_INPUT, "%s: %s", hop__input_name(file->input), why);
}

/* Reads an array of exactly so many items into `items`, allocated here if that is NULL. */
static hop_status read_array(hop_context *context, index_file *file, const file_array *array,
                             void *slot) {
    hop__npy_member member;
    hop_status status;
    void *items = array->items;
    HOP_TRY(status, hop__npy_member_open(context, &file->archive, array->name, &member));
    if (!member.member && array->items && !slot)
        return refuse(context, file, "not an index: it has no member hoplite_index.npy");
    if (!member.member || member.npy.dimensions != 1 || member.npy.items != array->count ||
        member.npy.kind != 'u' || member.npy.item_bytes != array->size)
        return hop__fail(context, HOP_ERR_INPUT, "%s: %s is missing, or not what an index has",
                         hop__input_name(file->input), array->name);
    if (slot)
        HOP_TRY(status, hop__alloc(context, "index", array->count, array->size, slot));
    if (slot)
        memcpy(&items, slot, sizeof items);
    hop__npy_job job = {.array = &member, .target = {'u', array->size}, .items = items};
    HOP_TRY(status, hop__npy_load(context, &file->archive, &job, 1));
done:
    return status;
}

static hop_status read_record(hop_context *context, index_file *file, hop_index *index) {
    uint64_t record[RECORD_WORDS];
    const file_array array = {"hoplite_index.npy", "'<u8'", RECORD_WORDS, 8, record};
    hop_status status;
    HOP_TRY(status, read_array(context, file, &array, NULL));
    if (record[IN_VERSION] != VERSION)
        return refuse(context, file, "it is an index of a version that is not known here");
    if (record[IN_HASH] != index->graph_hash || record[IN_VERTICES] != index->graph->vertices ||
        record[IN_TYPE] != (uint64_t)index->graph->weight_type)
        return hop__fail(context, HOP_ERR_INPUT,
                         "%s: it is the index of another graph: its hash is %016llx, that of this "
                         "one %016llx",
                         hop__input_name(file->input), (unsigned long long)record[IN_HASH],
                         (unsigned long long)index->graph_hash);
    memcpy(&index->metric.unit, &record[IN_UNIT], sizeof(double));
    memcpy(&index->metric.reach, &record[IN_REACH], sizeof(double));
    index->metric.real = index->graph->weight_type == HOP_TYPE_FLOAT32 ||
                         index->graph->weight_type == HOP_TYPE_FLOAT64;
    index->kind = (hop_index_kind)record[IN_KIND];
    const bool contraction = record[IN_KIND] == HOP_INDEX_CONTRACTION;
    if (!(index->metric.unit > 0) || isinf(index->metric.unit) || !(index->metric.reach >= 0) ||
        (!contraction && record[IN_KIND] != HOP_INDEX_LANDMARKS) ||
        (contraction && record[IN_WEIGHT_WORDS] - 1 > 1) ||
        (!contraction && record[IN_LANDMARKS] - 1 >= HOP__LANDMARKS_MOST) || record[IN_SHIFT] > 31)
        return refuse(context, file, "its head is not that of an index");
    index->hierarchy.weight_words = contraction ? (uint32_t)record[IN_WEIGHT_WORDS] : 0;
    index->landmarks.count = contraction ? 0 : (uint32_t)record[IN_LANDMARKS];
    index->landmarks.shift = (uint32_t)record[IN_SHIFT];
done:
    return status;
}

/* Whether each vertex has a place of its own. */
static hop_status check_places(hop_context *context, const index_file *file,
                               const hop_index *index) {
    const hop_vertex n = index->graph->vertices;
    uint64_t *seen = NULL;
    hop_status status;
    HOP_TRY(status,
            hop__alloc_zero(context, "index: places", hop__bitmap_words(n), sizeof *seen, &seen));
    for (hop_vertex v = 0; v < n && status == HOP_OK; v++) {
        hop_vertex place = index->hierarchy.places[v];
        if (place >= n || !hop__bitmap_claim(seen, place))
            status = refuse(context, file, "places.npy is no order of the vertices");
    }
done:
    hop__free(seen);
    return status;
}

/* Whether arcs lead to smaller places; and the depth. */
static hop_status check_rows(hop_context *context, const index_file *file, hop_index *index) {
    hop__hierarchy *h = &index->hierarchy;
    const hop_vertex n = index->graph->vertices;
    const unsigned stride = hop__arc_words(index);
    uint32_t *depths = NULL;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "index: depths", n, sizeof *depths, &depths));
    h->depth = 1;
    for (hop_vertex place = 0; place < n; place++) {
        depths[place] = 1;
        for (uint64_t i = h->offsets[place]; i < h->offsets[place + UINT64_C(1)]; i++) {
            uint32_t above = h->words[i * stride];
            if (above >= place) {
                status = refuse(context, file, "words.npy has an arc that does not lead up");
                goto done;
            }
            if (depths[above] >= depths[place])
                depths[place] = depths[above] + 1;
        }
        h->depth = depths[place] > h->depth ? depths[place] : h->depth;
    }
done:
    hop__free(depths);
    return status;
}

static hop_status read_hierarchy(hop_context *context, index_file *file, hop_index *index) {
    hop__hierarchy *h = &index->hierarchy;
    const uint64_t n = index->graph->vertices;
    file_array arrays[3];
    hop_status status;
    list_arrays(index, 0, arrays);
    HOP_TRY(status, read_array(context, file, &arrays[0], &h->places));
    HOP_TRY(status, read_array(context, file, &arrays[1], &h->offsets));
    for (uint64_t v = 0; v < n; v++)
        if (h->offsets[v] > h->offsets[v + 1] || h->offsets[0] != 0)
            return refuse(context, file, "offsets.npy does not ascend from 0");
    if (h->offsets[n] > UINT64_C(1) << 48)
        return refuse(context, file, "offsets.npy has too many arcs");
    list_arrays(index, h->offsets[n], arrays);
    HOP_TRY(status, read_array(context, file, &arrays[2], &h->words));
    HOP_TRY(status, check_places(context, file, index));
    HOP_TRY(status, check_rows(context, file, index));
done:
    return status;
}

static hop_status read_landmarks(hop_context *context, index_file *file, hop_index *index) {
    file_array arrays[3];
    hop_status status;
    list_arrays(index, 0, arrays);
    HOP_TRY(status, read_array(context, file, &arrays[0], NULL));
    HOP_TRY(status, read_array(context, file, &arrays[1], &index->landmarks.distances));
done:
    return status;
}

static hop_status open_archive(hop_context *context, const char *path, index_file *file) {
    const unsigned char *bytes;
    const hop_read_options options = HOP_READ_OPTIONS_INIT;
    uint64_t size;
    hop_status status;
    HOP_TRY(status, hop__input_open(context, path, &options, &file->input));
    HOP_TRY(status,
            hop__alloc(context, "index: headers", HOP__NPY_SCRATCH, 1, &file->archive.scratch));
    HOP_TRY(status, hop__input_whole(context, file->input, &bytes, &size));
    file->archive.input = file->input;
    HOP_TRY(status, hop__zip_open(context, file->input, bytes, size, &file->archive.zip));
done:
    return status;
}

hop_status hop_index_open(hop_context *context, const char *path, hop_graph *graph,
                          hop_index **index) {
    index_file file = {0};
    hop_index *made = NULL;
    hop_status status;
    if (!context || !path || !graph || !index)
        return hop__missing(context, "hop_index_open");
    *index = NULL;
    HOP_TRY(status, hop__index_create(context, graph, &made));
    HOP_TRY(status, open_archive(context, path, &file));
    HOP_TRY(status, read_record(context, &file, made));
    HOP_TRY(status, made->kind == HOP_INDEX_CONTRACTION ? read_hierarchy(context, &file, made)
                                                        : read_landmarks(context, &file, made));
    *index = made;
    made = NULL;
done:
    hop__free(file.archive.scratch);
    hop__input_close(file.input);
    hop_index_free(made);
    return status;
}
