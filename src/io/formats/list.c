/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists for list ranking: element i's successor, as a .npy array or as text.
 *
 * A one-dimensional array of 4-byte little-endian integers in a plain file is mapped and used as
 * it lies there; other integers are converted, and text is parsed, into memory. The format is seen
 * from the first bytes; either may be gzipped. Every successor is checked to be below the length
 * (in parallel, one pass); that the links form one list is for the ranking to say.
 *
 * Text: one number per line; empty lines and lines that begin with '#' do not count. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "core/atomic.h"
#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "io/bytes/array_stream.h"
#include "io/bytes/disk_room.h"
#include "io/bytes/little_endian.h"
#include "io/bytes/path_suffix.h"
#include "io/formats/format.h"
#include "io/formats/list.h"
#include "io/formats/text_records.h"
#include "io/numpy/npy_header.h"

enum { CHECK_GRAIN = 1 << 16 };

struct hop_list {
    hop_vertex count;
    const hop_vertex *successors;
    hop_vertex *own;
    void *map;
    size_t map_bytes;
    hop__pool *pool; /* lists may outlive their context */
};

void hop_list_free(hop_list *list) {
    if (list == NULL)
        return;
    if (list->map != NULL)
        munmap(list->map, list->map_bytes);
    hop__pool *pool = list->pool;
    hop__free(list->own);
    hop__free(list);
    hop__pool_release(pool);
}

const hop_vertex *hop_list_successors(const hop_list *list, hop_vertex *count) {
    if (count != NULL)
        *count = list->count;
    return list->successors;
}

/* ---- checking ------------------------------------------------------------------------------ */

typedef struct check_job {
    hop_context *context;
    const hop_vertex *successors;
    hop_vertex count;
    uint64_t bad; /* atomic: the first that is out of range */
} check_job;

static void check_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    check_job *work = arg;
    bool wrong = false;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        wrong |= work->successors[i] >= work->count;
    if (wrong) {
        while (work->successors[begin] < work->count)
            begin++;
        hop__lower_u64(&work->bad, begin);
    }
    (void)hop__progress_add(work->context, end - begin);
}

hop_status hop__list_refuse(hop_context *context, const char *name, uint64_t element,
                            uint64_t successor, uint64_t count) {
    hop__fail(context, HOP_ERR_INPUT,
              "%s: element %" PRIu64 " has the successor %" PRIu64
              ", but the list has only %" PRIu64 " elements",
              name, element, successor, count);
    return hop__note_vertex(context, HOP_KIND_DATA, element);
}

static hop_status check_successors(hop_context *context, const char *name, const hop_list *list) {
    check_job work = {context, list->successors, list->count, UINT64_MAX};
    hop__progress_begin(context, "check list", list->count);
    hop__for(context, list->count, CHECK_GRAIN, check_range, &work);
    hop_status status = hop__progress_end(context);
    if (status == HOP_OK && work.bad != UINT64_MAX)
        status = hop__list_refuse(context, name, work.bad, list->successors[work.bad], list->count);
    return status;
}

static hop_status check_count(hop_context *context, const char *name, uint64_t count) {
    if (count > HOP_MAX_VERTICES)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: a list of %" PRIu64 " elements, at most %" PRIu32 " are possible",
                         name, count, (uint32_t)HOP_MAX_VERTICES);
    return HOP_OK;
}

/* ---- arrays -------------------------------------------------------------------------------- */

typedef struct convert_job {
    const hop__npy *npy;
    const unsigned char *bytes; /* of the items */
    uint64_t count;
    hop_vertex *successors;
    uint64_t bad; /* atomic: the first that is not below `count` */
} convert_job;

uint64_t hop__list_item(const hop__npy *npy, const unsigned char *bytes, uint64_t index) {
    const unsigned char *item = bytes + index * npy->item_bytes;
    if (npy->item_bytes == 4)
        return npy->big_endian ? __builtin_bswap32(hop__le32_load(item)) : hop__le32_load(item);
    return npy->big_endian ? __builtin_bswap64(hop__le64_load(item)) : hop__le64_load(item);
}

static void convert_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    convert_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t value = hop__list_item(work->npy, work->bytes, i);
        if (value >= work->count) {
            hop__lower_u64(&work->bad, i);
            return;
        }
        work->successors[i] = (hop_vertex)value;
    }
}

static hop_status convert_array(hop_context *context, hop__input *input, const hop__npy *npy,
                                const unsigned char *bytes, hop_list *list) {
    convert_job work = {npy, bytes + npy->header_bytes, npy->items, NULL, UINT64_MAX};
    hop_status status;
    HOP_TRY(status,
            hop__alloc(context, "list", npy->items, sizeof *work.successors, &work.successors));
    list->own = work.successors;
    list->successors = list->own;
    hop__for(context, npy->items, CHECK_GRAIN, convert_range, &work);
    if (work.bad != UINT64_MAX)
        status = hop__list_refuse(context, hop__input_name(input), work.bad,
                                  hop__list_item(npy, work.bytes, work.bad), npy->items);
done:
    return status;
}

static hop_status map_array(hop_context *context, hop__input *input, const hop__npy *npy,
                            hop_list *list) {
    size_t bytes = (size_t)hop__input_size(input);
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, hop__input_descriptor(input), 0);
    if (map == MAP_FAILED)
        return hop__input_fail_system(context, input, "map it", errno);
    list->map = map;
    list->map_bytes = bytes;
    list->successors =
        (const hop_vertex *)(const void *)((const unsigned char *)map + npy->header_bytes);
    return check_successors(context, hop__input_name(input), list);
}

static hop_status parse_header(hop_context *context, hop__input *input, const unsigned char *bytes,
                               size_t count, uint64_t size, hop__npy *npy) {
    const char *wrong = hop__npy_parse(bytes, count, size, npy);
    if (wrong != NULL)
        return hop__input_fail_offset(context, input, 0, "%s", wrong);
    if ((npy->kind != 'i' && npy->kind != 'u') || npy->dimensions != 1 ||
        (npy->item_bytes != 4 && npy->item_bytes != 8))
        return hop__input_fail_offset(context, input, 0,
                                      "an array of type %c%" PRIu64 " with %u dimensions; a list "
                                      "is one-dimensional, of integers of 4 or 8 bytes",
                                      npy->kind, npy->item_bytes, npy->dimensions);
    return HOP_OK;
}

hop_status hop__list_layout(hop_context *context, hop__input *input, hop__npy *npy) {
    const unsigned char *bytes;
    size_t count;
    hop_status status;
    HOP_TRY(status, hop__input_peek(context, input, HOP__SNIFF_BYTES, &bytes, &count));
    if (hop__input_descriptor(input) < 0) {
        status = hop__input_fail_offset(context, input, 0,
                                        "a plain .npy file expected, which is not compressed");
        goto done;
    }
    status = parse_header(context, input, bytes, count, hop__input_size(input), npy);
done:
    return status;
}

static hop_status read_array(hop_context *context, hop__input *input, bool in_memory,
                             hop_list *list) {
    const unsigned char *bytes;
    size_t count;
    uint64_t size = hop__input_size(input);
    hop__npy npy;
    hop_status status;
    if (hop__input_descriptor(input) >= 0 && !in_memory) {
        HOP_TRY(status, hop__list_layout(context, input, &npy));
        HOP_TRY(status, check_count(context, hop__input_name(input), npy.items));
        list->count = (hop_vertex)npy.items;
        if (npy.item_bytes == 4 && !npy.big_endian && npy.header_bytes % 4 == 0)
            return map_array(context, input, &npy, list);
    }
    HOP_TRY(status, hop__input_whole(context, input, &bytes, &size));
    count = size < HOP__NPY_LONGEST_HEADER ? (size_t)size : HOP__NPY_LONGEST_HEADER;
    HOP_TRY(status, parse_header(context, input, bytes, count, size, &npy));
    HOP_TRY(status, check_count(context, hop__input_name(input), npy.items));
    list->count = (hop_vertex)npy.items;
    HOP_TRY(status, convert_array(context, input, &npy, bytes, list));
done:
    return status;
}

/* ---- text ---------------------------------------------------------------------------------- */

static hop_status read_text(hop_context *context, hop__input *input, hop_list *list) {
    const hop__record_spec spec = {.comments = "#", .ids = 1, .record_name = "element"};
    const hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop__edge_list records = {0};
    hop__text text;
    uint64_t largest;
    hop_status status;
    HOP_TRY(status, hop__text_open(&text, context, input, spec.comments));
    status = hop__records_read(&text, &spec, &options, &records, &largest);
    HOP_TRY(status, hop__text_close(&text, status));
    HOP_TRY(status, check_count(context, hop__input_name(input), records.count));
    list->count = (hop_vertex)records.count;
    if (records.id_bytes == 8) {
        /* Some number is beyond 32 bits: this names it. */
        const hop__npy wide = {.item_bytes = 8, .items = records.count};
        HOP_TRY(status, convert_array(context, input, &wide, records.from, list));
    } else {
        list->own = records.from;
        list->successors = list->own;
        records.from = NULL;
        HOP_TRY(status, check_successors(context, hop__input_name(input), list));
    }
done:
    hop__edge_list_clear(&records);
    return status;
}

hop_status hop_list_read(hop_context *context, const char *path, const hop_read_options *given,
                         hop_list **result) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    if (path == NULL || result == NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT, "hop_list_read: %s is NULL",
                         path == NULL ? "the path" : "the result");
    hop__input *input = NULL;
    hop_list *list = NULL;
    hop_read_options options;
    const unsigned char *bytes;
    size_t count;
    hop_status status;
    *result = NULL;
    HOP_TRY(status, hop__read_options_check(context, given, &options));
    HOP_TRY(status, hop__input_open(context, path, &options, &input));
    HOP_TRY(status, hop__alloc_zero(context, "list", 1, sizeof *list, &list));
    list->pool = hop__pool_retain(context->pool);
    HOP_TRY(status, hop__input_peek(context, input, HOP__SNIFF_BYTES, &bytes, &count));
    if (count >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        HOP_TRY(status, read_array(context, input, options.in_memory, list));
    else
        HOP_TRY(status, read_text(context, input, list));
    *result = list;
    list = NULL;
done:
    hop__input_close(input);
    hop_list_free(list);
    return hop__file_done(context, status, path);
}

/* ---- writing ------------------------------------------------------------------------------- */

static hop_status write_array(hop_context *context, hop__output *output,
                              const hop_vertex *successors, hop_vertex count) {
    unsigned char header[HOP__NPY_OUR_HEADER];
    uint64_t shape[2] = {count, 1};
    size_t bytes = hop__npy_format(header, "'<u4'", 1, shape);
    hop_status status = hop__output_write(context, output, header, bytes);
    if (status != HOP_OK)
        return status;
    return hop__stream_write_bytes(context, output, successors,
                                   (uint64_t)count * sizeof *successors);
}

static hop_status write_text(hop_context *context, hop__output *output,
                             const hop_vertex *successors, hop_vertex count) {
    char block[1 << 15];
    size_t filled = 0;
    for (uint64_t i = 0; i < count; i++) {
        char digits[10];
        size_t used = 0;
        hop_vertex value = successors[i];
        do
            digits[used++] = (char)('0' + value % 10);
        while ((value /= 10) > 0);
        while (used > 0)
            block[filled++] = digits[--used];
        block[filled++] = '\n';
        if (filled > sizeof block - 16 || i + 1 == count) {
            hop_status status = hop__output_write(context, output, block, filled);
            if (status != HOP_OK)
                return status;
            if (!hop__progress_add(context, filled))
                break;
            filled = 0;
        }
    }
    return HOP_OK;
}

hop_status hop_list_write(hop_context *context, const char *path, const hop_vertex *successors,
                          hop_vertex count) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    if (path == NULL || (successors == NULL && count > 0))
        return hop__fail(context, HOP_ERR_ARGUMENT, "hop_list_write: %s NULL",
                         path == NULL ? "the path is" : "the successors are");
    hop__output *output = NULL;
    bool gzip = hop__path_ends(path, ".gz");
    bool text = hop__path_ends_unpacked(path, ".txt") || strcmp(path, "-") == 0;
    hop_status status = gzip ? HOP_OK /* text: a digit and a line end at least */
                             : hop__disk_check(context, path, (uint64_t)count * (text ? 2 : 4));
    if (status == HOP_OK)
        status = hop__output_open(context, path, gzip, &output);
    if (status != HOP_OK)
        return status;
    hop__progress_begin(context, "write", 4 * (uint64_t)count);
    status = text ? write_text(context, output, successors, count)
                  : write_array(context, output, successors, count);
    hop_status ended = hop__progress_end(context);
    return hop__output_close(context, output, status != HOP_OK ? status : ended);
}
