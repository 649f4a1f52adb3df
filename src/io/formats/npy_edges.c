/* SPDX-License-Identifier: Apache-2.0
 *
 * Edges as a NumPy array (.npy): n rows "from to" or "from to weight", or the same transposed, two
 * or three rows of n items, as an "edge index" is.
 *
 * The array has one type for all. Ids must be whole numbers from 0 up whatever it is (floats: below
 * 2^53). Weights are int32 where the type is not wider, else int64, float32 or float64. What the
 * array cannot say is as in an edge list: undirected, ids are labels.
 *
 * Rows are converted by all threads block by block; columns that lie one after the other are read
 * one after the other. Cost: one pass over the file, one block of memory beside the edges. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/atomic.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/try.h"
#include "io/bytes/array_stream.h"
#include "io/formats/format.h"
#include "io/numpy/npy_header.h"

typedef struct npy_edges {
    hop__npy npy;
    unsigned columns; /* 2 or 3 */
    uint64_t rows;
    bool apart;      /* column after column */
    unsigned column; /* of those, the one that is read */
    hop__edge_list *list;
    uint64_t largest; /* atomic: of all ids */
    uint64_t bad;     /* atomic: the first cell that is wrong, row * columns + column */
} npy_edges;

/* ---- cells --------------------------------------------------------------------------------- */

typedef struct cell {
    bool real, negative;
    uint64_t bits; /* of an integer */
    double value;  /* of a float */
} cell;

static cell load_cell(const hop__npy *npy, const unsigned char *bytes) {
    size_t width = (size_t)npy->item_bytes;
    cell out = {.real = npy->kind == 'f'};
    for (size_t i = 0; i < width; i++)
        out.bits |= (uint64_t)bytes[npy->big_endian ? width - 1 - i : i] << (8 * i);
    if (out.real && width == 4) {
        uint32_t half = (uint32_t)out.bits;
        float single;
        memcpy(&single, &half, sizeof single);
        out.value = (double)single;
    } else if (out.real) {
        memcpy(&out.value, &out.bits, sizeof out.value);
    } else if (npy->kind == 'i' && (out.bits >> (8 * width - 1) & 1) != 0) {
        out.negative = true;
        if (width < 8)
            out.bits |= UINT64_MAX << (8 * width);
    }
    return out;
}

static bool take_id(const npy_edges *work, const cell *from, void *array, uint64_t row,
                    uint64_t *largest) {
    uint64_t id = from->bits;
    if (from->real) {
        if (!(from->value >= 0 && from->value < 0x1p53) || from->value != floor(from->value))
            return false;
        id = (uint64_t)from->value;
    } else if (from->negative) {
        return false;
    }
    *largest = id > *largest ? id : *largest;
    hop__put_id(array, work->list->id_bytes, row, id);
    return true;
}

static bool take_weight(const npy_edges *work, const cell *from, uint64_t row) {
    void *weights = work->list->weights;
    switch (work->list->weight_type) {
    case HOP_TYPE_INT32:
        ((int32_t *)weights)[row] = (int32_t)(int64_t)from->bits;
        return true;
    case HOP_TYPE_INT64:
        ((int64_t *)weights)[row] = (int64_t)from->bits;
        return from->negative || from->bits <= INT64_MAX;
    case HOP_TYPE_FLOAT32:
        ((float *)weights)[row] = (float)from->value;
        return !isnan(from->value);
    default:
        ((double *)weights)[row] = from->value;
        return !isnan(from->value);
    }
}

static bool take_cell(const npy_edges *work, unsigned column, uint64_t row,
                      const unsigned char *bytes, uint64_t *largest) {
    cell from = load_cell(&work->npy, bytes);
    return column == 2 ? work->list->weights == NULL || take_weight(work, &from, row)
                       : take_id(work, &from, column == 0 ? work->list->from : work->list->to, row,
                                 largest);
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* Items are rows, or the cells of one column. */
static void take_items(void *user, uint64_t first, uint64_t count, unsigned char *bytes) {
    npy_edges *work = user;
    unsigned begin = work->apart ? work->column : 0;
    unsigned end = work->apart ? work->column + 1 : work->columns;
    uint64_t largest = 0, bad = UINT64_MAX;
    for (uint64_t row = first; row < first + count && bad == UINT64_MAX; row++)
        for (unsigned column = begin; column < end; column++, bytes += work->npy.item_bytes)
            if (!take_cell(work, column, row, bytes, &largest) && bad == UINT64_MAX)
                bad = row * work->columns + column;
    hop__raise_u64(&work->largest, largest);
    hop__lower_u64(&work->bad, bad);
}

static uint64_t offset_of_cell(const npy_edges *work, uint64_t row, unsigned column) {
    uint64_t place = work->apart ? column * work->rows + row : row * work->columns + column;
    return work->npy.header_bytes + place * work->npy.item_bytes;
}

static hop_status fail_cell(hop_context *context, hop__input *input, const npy_edges *work) {
    uint64_t row = work->bad / work->columns;
    unsigned column = (unsigned)(work->bad % work->columns);
    uint64_t offset = offset_of_cell(work, row, column);
    unsigned char bytes[8];
    char found[32];
    hop_status status =
        hop__input_read_at(context, input, offset, bytes, (size_t)work->npy.item_bytes);
    if (status != HOP_OK)
        return status;
    cell from = load_cell(&work->npy, bytes);
    if (from.real)
        snprintf(found, sizeof found, "%.17g", from.value);
    else
        snprintf(found, sizeof found, from.negative ? "%" PRId64 : "%" PRIu64, from.bits);
    return hop__input_fail_offset(context, input, offset,
                                  "row %" PRIu64 ", column %u: %s, expected %s", row, column, found,
                                  column == 2 ? "a weight that is a number of 63 bits"
                                              : "a vertex id (a whole number from 0 up)");
}

/* Reads all with ids of list->id_bytes. */
static hop_status read_all(hop_context *context, hop__input *input, npy_edges *work) {
    hop__edge_list *list = work->list;
    const size_t width = (size_t)work->npy.item_bytes;
    hop_status status, ended;
    hop__free(list->from);
    hop__free(list->to);
    list->from = list->to = NULL;
    HOP_TRY(status, hop__alloc(context, "read: edges", work->rows, list->id_bytes, &list->from));
    HOP_TRY(status, hop__alloc(context, "read: edges", work->rows, list->id_bytes, &list->to));
    hop__progress_begin(context, "read", work->rows * work->columns * width);
    work->column = 0;
    do
        status = hop__stream_read(context, input, offset_of_cell(work, 0, work->column), work->rows,
                                  work->apart ? width : width * work->columns, take_items, work);
    while (status == HOP_OK && work->apart && ++work->column < work->columns);
    ended = hop__progress_end(context);
    HOP_TRY(status, status != HOP_OK ? status : ended);
    if (work->bad != UINT64_MAX)
        status = fail_cell(context, input, work);
done:
    return status;
}

/* ---- the header ---------------------------------------------------------------------------- */

static bool is_edges(const hop__npy *npy) {
    return npy->dimensions == 2 &&
           (npy->shape[1] == 2 || npy->shape[1] == 3 || npy->shape[0] == 2 || npy->shape[0] == 3);
}

static bool is_numbers(const hop__npy *npy) {
    if (npy->kind == 'f')
        return npy->item_bytes == 4 || npy->item_bytes == 8;
    return (npy->kind == 'i' || npy->kind == 'u') &&
           (npy->item_bytes == 1 || npy->item_bytes == 2 || npy->item_bytes == 4 ||
            npy->item_bytes == 8);
}

static hop_status read_header(hop_context *context, hop__input *input, npy_edges *work) {
    const unsigned char *bytes;
    size_t count;
    hop__npy *npy = &work->npy;
    hop_status status;
    HOP_TRY(status, hop__input_peek(context, input, HOP__SNIFF_BYTES, &bytes, &count));
    const char *wrong = hop__npy_parse(bytes, count, hop__input_size(input), npy);
    if (wrong != NULL)
        return hop__input_fail_offset(context, input, 0, "%s", wrong);
    if (!is_edges(npy))
        return npy->dimensions == 2
                   ? hop__input_fail_offset(context, input, 0,
                                            "an array of %" PRIu64 " x %" PRIu64
                                            " items; edges are n x 2, or n x 3 with weights",
                                            npy->shape[0], npy->shape[1])
                   : hop__input_fail_offset(context, input, 0,
                                            "an array of %u dimension%s; edges are n x 2, or n x 3 "
                                            "with weights",
                                            npy->dimensions, npy->dimensions == 1 ? "" : "s");
    if (!is_numbers(npy))
        return hop__input_fail_offset(
            context, input, 0, "items of type %.*s, expected integers, float32 or float64",
            npy->type_length < 40 ? (int)npy->type_length : 40, npy->type);
    bool upright = npy->shape[1] == 2 || npy->shape[1] == 3;
    work->columns = (unsigned)npy->shape[upright];
    work->rows = npy->shape[!upright];
    work->apart = npy->fortran == upright;
done:
    return status;
}

static hop_weight_type weight_type_of(const hop__npy *npy) {
    if (npy->kind == 'f')
        return npy->item_bytes == 4 ? HOP_TYPE_FLOAT32 : HOP_TYPE_FLOAT64;
    return npy->item_bytes < 4 || (npy->item_bytes == 4 && npy->kind == 'i') ? HOP_TYPE_INT32
                                                                             : HOP_TYPE_INT64;
}

static hop_status read_edges(hop_context *context, hop__input *input,
                             const hop_read_options *options, hop__edge_list *list) {
    npy_edges work = {.list = list, .bad = UINT64_MAX};
    uint64_t used = hop__pool_usage(context->pool).used;
    hop_status status;
    HOP_TRY(status, read_header(context, input, &work));
    HOP_TRY(status, hop__read_limits_check(context, hop__input_name(input), options, 0, work.rows));
    list->count = work.rows;
    list->id_bytes = 4;
    list->ids = HOP_IDS_SPARSE;
    if (work.columns == 3 && !options->drop_weights) {
        list->weight_type = weight_type_of(&work.npy);
        HOP_TRY(status, hop__alloc(context, "read: weights", work.rows,
                                   hop_type_size(list->weight_type), &list->weights));
    }
    HOP_TRY(status, read_all(context, input, &work));
    if (work.largest > UINT32_MAX) {
        list->id_bytes = 8; /* once more, with room for them */
        HOP_TRY(status, read_all(context, input, &work));
    }
done:
    if (status == HOP_ERR_BUDGET)
        status = hop__edge_list_fail_total(context, list, options, used, list->count, false);
    return status;
}

/* Every array of NumPy is known by its first bytes; of those that hold no edges the reader says
 * so. */
static int sniff(const unsigned char *bytes, size_t count, uint64_t size) {
    (void)size;
    return count >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0 ? HOP__SNIFF_YES : HOP__SNIFF_NO;
}

const hop__format hop__format_npy = {
    .about = {.name = "npy",
              .summary = "edges as an array of NumPy, n x 2 or n x 3",
              .suffixes = ".npy",
              .can_read = true,
              .weight_types = HOP__WEIGHTS_ANY,
              .undirected = true,
              .labels = true,
              .counts_from = -1},
    .sniff = sniff,
    .read_edges = read_edges,
};
