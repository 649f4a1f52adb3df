/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of numbers as .npy files: read whole (mapped where the file allows it), written piece by
 * piece.
 *
 * The header says how many bytes follow, and the file must have just those; so a mapped array is
 * never looked at beyond its end, and a written one that lacks items is not kept. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/span.h"
#include "core/try.h"
#include "hoplite/io.h"
#include "io/bytes/array_stream.h"
#include "io/bytes/disk_room.h"
#include "io/bytes/path_suffix.h"
#include "io/numpy/npy_header.h"
#include "io/results/result_table.h"

static const struct {
    const char *numpy; /* in the header, with its quotes */
    char kind;
} types[] = {
    [HOP_TYPE_NONE] = {NULL, 0},         [HOP_TYPE_INT32] = {"'<i4'", 'i'},
    [HOP_TYPE_INT64] = {"'<i8'", 'i'},   [HOP_TYPE_FLOAT32] = {"'<f4'", 'f'},
    [HOP_TYPE_FLOAT64] = {"'<f8'", 'f'}, [HOP_TYPE_UINT32] = {"'<u4'", 'u'},
    [HOP_TYPE_UINT64] = {"'<u8'", 'u'},
};
enum { TYPES = sizeof types / sizeof types[0] };

unsigned hop__array_dimensions(const char *path) {
    unsigned char header[HOP__SNIFF_BYTES];
    hop__npy npy = {0};
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return 0;
    size_t count = fread(header, 1, sizeof header, file);
    fclose(file);
    (void)hop__npy_parse(header, count, count, &npy); /* bytes that lack are not looked for here */
    return npy.dimensions;
}

/* ---- reading ------------------------------------------------------------------------------- */

struct hop_array_file {
    hop_array array;
    hop__input *input; /* keeps unpacked bytes */
    void *map;
    size_t map_bytes;
};

const hop_array *hop_array_file_array(const hop_array_file *file) {
    return &file->array;
}

void hop_array_file_free(hop_array_file *file) {
    if (file == NULL)
        return;
    if (file->map != NULL)
        munmap(file->map, file->map_bytes);
    hop__input_close(file->input);
    hop__free(file);
}

static hop_status take_header(hop_context *context, hop__input *input, const unsigned char *bytes,
                              size_t count, uint64_t size, hop__npy *npy, hop_array *array) {
    const char *wrong = hop__npy_parse(bytes, count, size, npy);
    if (wrong != NULL)
        return hop__input_fail_offset(context, input, 0, "%s", wrong);
    unsigned type = 0;
    while (type < TYPES &&
           (types[type].kind != npy->kind || hop_type_size((hop_type)type) != npy->item_bytes))
        type++;
    if (type == TYPES || npy->big_endian || npy->header_bytes % 8 != 0)
        return hop__input_fail_offset(context, input, 0,
                                      "an array of type %.*s; int32, uint32, int64, uint64, "
                                      "float32 or float64 expected, little-endian",
                                      (int)npy->type_length, npy->type);
    if (npy->fortran && npy->shape[0] > 1 && npy->shape[1] > 1)
        return hop__input_fail_offset(context, input, 0,
                                      "a matrix column after column (Fortran's order); save it by "
                                      "numpy.ascontiguousarray");
    if (npy->dimensions == 0)
        return hop__input_fail_offset(context, input, 0,
                                      "one number; an array of one or two dimensions expected");
    array->type = (hop_type)type;
    array->dimensions = npy->dimensions;
    array->rows = npy->shape[0];
    array->columns = npy->shape[1];
    return HOP_OK;
}

static hop_status map_items(hop_context *context, const hop__npy *npy, hop_array_file *file) {
    size_t bytes = (size_t)hop__input_size(file->input);
    int descriptor = hop__input_descriptor(file->input);
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (map == MAP_FAILED)
        return hop__input_fail_system(context, file->input, "map it", errno);
    file->map = map;
    file->map_bytes = bytes;
    file->array.items = (const unsigned char *)map + npy->header_bytes;
    return HOP_OK;
}

static hop_status read_items(hop_context *context, bool in_memory, hop_array_file *file) {
    const unsigned char *bytes;
    size_t count;
    uint64_t size = hop__input_size(file->input);
    hop__npy npy;
    hop_status status;
    if (hop__input_descriptor(file->input) >= 0 && !in_memory) {
        HOP_TRY(status, hop__input_peek(context, file->input, HOP__SNIFF_BYTES, &bytes, &count));
        HOP_TRY(status, take_header(context, file->input, bytes, count, size, &npy, &file->array));
        HOP_TRY(status, map_items(context, &npy, file));
        goto done;
    }
    HOP_TRY(status, hop__input_whole(context, file->input, &bytes, &size));
    count = size < HOP__NPY_LONGEST_HEADER ? (size_t)size : HOP__NPY_LONGEST_HEADER;
    HOP_TRY(status, take_header(context, file->input, bytes, count, size, &npy, &file->array));
    file->array.items = bytes + npy.header_bytes;
done:
    return status;
}

hop_status hop_array_read(hop_context *context, const char *path, const hop_read_options *given,
                          hop_array_file **result) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    if (path == NULL || result == NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT, "hop_array_read: %s is NULL",
                         path == NULL ? "the path" : "the result");
    hop_array_file *file = NULL;
    hop_read_options options;
    hop_status status;
    *result = NULL;
    HOP_TRY(status, hop__read_options_check(context, given, &options));
    HOP_TRY(status, hop__alloc_zero(context, "array", 1, sizeof *file, &file));
    file->array = (hop_array)HOP_ARRAY_INIT;
    HOP_TRY(status, hop__input_open(context, path, &options, &file->input));
    HOP_TRY(status, read_items(context, options.in_memory, file));
    *result = file;
    file = NULL;
done:
    hop_array_file_free(file);
    return hop__file_done(context, status, path);
}

/* ---- writing ------------------------------------------------------------------------------- */

struct hop_array_writer {
    hop__output *output;
    hop_type type;
    size_t item_bytes;
    uint64_t items, written;
};

static hop_status check_array(hop_context *context, const hop_array *array, uint64_t *items) {
    uint64_t bytes;
    if (hop_type_size(array->type) == 0 || array->dimensions < 1 || array->dimensions > 2 ||
        (array->dimensions == 1 && array->columns != 1))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "hop_array_create: type %d, %u dimensions, %" PRIu64
                         " columns; arrays have one dimension and one column, or two",
                         (int)array->type, array->dimensions, array->columns);
    if (!hop__mul_u64(array->rows, array->columns, items) ||
        !hop__mul_u64(*items, hop_type_size(array->type), &bytes) || bytes > INT64_MAX)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "hop_array_create: %" PRIu64 " by %" PRIu64 " items are more than a file "
                         "can hold",
                         array->rows, array->columns);
    return HOP_OK;
}

hop_status hop_array_create(hop_context *context, const char *path, const hop_array *array,
                            hop_array_writer **result) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    if (path == NULL || array == NULL || result == NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT, "hop_array_create: a NULL argument");
    unsigned char header[HOP__NPY_OUR_HEADER];
    hop_array_writer *writer = NULL;
    uint64_t items = 0, shape[2] = {array->rows, array->columns};
    bool gzip = hop__path_ends(path, ".gz");
    hop_status status;
    *result = NULL;
    HOP_TRY(status, check_array(context, array, &items));
    if (!gzip)
        HOP_TRY(status, hop__disk_check(context, path, items * hop_type_size(array->type)));
    HOP_TRY(status, hop__alloc_zero(context, "array", 1, sizeof *writer, &writer));
    writer->items = items;
    writer->type = array->type;
    writer->item_bytes = hop_type_size(array->type);
    HOP_TRY(status, hop__output_open(context, path, gzip, &writer->output));
    size_t bytes = hop__npy_format(header, types[array->type].numpy, array->dimensions, shape);
    HOP_TRY(status, hop__output_write(context, writer->output, header, bytes));
    *result = writer;
    writer = NULL;
done:
    if (writer != NULL)
        status = hop_array_close(context, writer, status);
    return hop__file_done(context, status, path);
}

hop_status hop_array_append(hop_context *context, hop_array_writer *writer, const hop_view *view) {
    const void *items;
    if (context == NULL || writer == NULL || view == NULL)
        return hop__missing(context, "hop_array_append");
    uint64_t count = view->count;
    hop_status taken = hop__view_take(context, hop__output_name(writer->output), view, writer->type,
                                      count, &items);
    if (taken != HOP_OK)
        return taken;
    if (items == NULL && count > 0)
        return hop__missing(context, "hop_array_append");
    if (count > writer->items - writer->written)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: %" PRIu64 " items, but after %" PRIu64 " only %" PRIu64
                         " are left of the array",
                         hop__output_name(writer->output), count, writer->written,
                         writer->items - writer->written);
    hop__progress_begin(context, "write", count * writer->item_bytes);
    hop_status status =
        hop__stream_write_bytes(context, writer->output, items, count * writer->item_bytes);
    hop_status ended = hop__progress_end(context);
    writer->written += count;
    return hop__output_note(context, writer->output, status != HOP_OK ? status : ended);
}

hop_status hop_array_close(hop_context *context, hop_array_writer *writer, hop_status status) {
    if (writer == NULL)
        return status;
    if (status == HOP_OK && writer->written < writer->items)
        status = hop__fail(context, HOP_ERR_ARGUMENT,
                           "%s: %" PRIu64 " of %" PRIu64 " items were written; it is not kept",
                           hop__output_name(writer->output), writer->written, writer->items);
    status = hop__output_close(context, writer->output, status);
    hop__free(writer);
    return status;
}
