/* SPDX-License-Identifier: Apache-2.0
 * Zip archives made by hand, right or wrong in any field: every number can be set to something
 * else than what it should be. Written apart from src/io/numpy/zip_write.c, to check the reader. */
#ifndef HOPLITE_TESTS_ZIP_TESTING_H
#define HOPLITE_TESTS_ZIP_TESTING_H

#include <zlib.h>

#include "io/binary_testing.h"
#include "io/bytes/little_endian.h"
#include "io/numpy/npy_header.h"

enum { ZIP_ROOM = 1 << 18 };

typedef struct zip_item {
    const char *name;
    const void *contents;
    size_t count;
    bool deflate;
    bool sizes_after; /* the local header leaves sizes and checksum open */
    bool local_zip64; /* the local header has its sizes in a zip64 field, as NumPy writes it */
    /* Added to what would be right. */
    int64_t size, packed, offset, crc, local_size, method;
    unsigned flags;
} zip_item;

typedef struct zip_end {
    int64_t entries, directory_bytes, directory_offset; /* added to what would be right */
    const char *comment;
    size_t junk; /* bytes between the directory and its end record */
    bool zip64;
    int64_t locator, record_bytes; /* added: where the zip64 record is, how long it says it is */
} zip_end;

typedef struct zip_made {
    uint64_t offset;
    size_t packed;
    uint32_t crc;
} zip_made;

static inline unsigned char *zip_fields(unsigned char *at, const zip_item *item, uint32_t crc,
                                        uint64_t packed, uint64_t size) {
    at = hop__le16_store(at, 45);
    at = hop__le16_store(at, (uint16_t)(item->flags | (item->sizes_after ? 8 : 0)));
    at = hop__le16_store(at, (uint16_t)((item->deflate ? 8 : 0) + item->method));
    at = hop__le32_store(at, 0x210000);
    at = hop__le32_store(at, crc);
    at = hop__le32_store(at, (uint32_t)packed);
    at = hop__le32_store(at, (uint32_t)size);
    return hop__le16_store(at, (uint16_t)strlen(item->name));
}

static inline size_t zip_pack(const zip_item *item, unsigned char *at) {
    if (!item->deflate) {
        memcpy(at, item->contents, item->count);
        return item->count;
    }
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)item->contents;
    z.avail_in = (uInt)item->count;
    z.next_out = at;
    z.avail_out = ZIP_ROOM / 2;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return ZIP_ROOM / 2 - z.avail_out;
}

static inline unsigned char *zip_local(unsigned char *file, unsigned char *at, const zip_item *item,
                                       zip_made *made) {
    unsigned char packed[ZIP_ROOM];
    made->offset = (uint64_t)(at - file);
    made->packed = zip_pack(item, packed);
    made->crc = (uint32_t)((int64_t)crc32(0, item->contents, (uInt)item->count) + item->crc);
    uint64_t size = (uint64_t)((int64_t)item->count + item->size + item->local_size);
    uint64_t bytes = (uint64_t)((int64_t)made->packed + item->packed);
    bool open = item->sizes_after;
    at = hop__le32_store(at, 0x04034b50);
    at = zip_fields(at, item, open ? 0 : made->crc,
                    item->local_zip64 ? UINT32_MAX
                    : open            ? 0
                                      : bytes,
                    item->local_zip64 ? UINT32_MAX
                    : open            ? 0
                                      : size);
    at = hop__le16_store(at, item->local_zip64 ? 20 : 0);
    memcpy(at, item->name, strlen(item->name));
    at += strlen(item->name);
    if (item->local_zip64)
        at = hop__le64_store(hop__le64_store(hop__le32_store(at, 16 << 16 | 1), size), bytes);
    memcpy(at, packed, made->packed);
    at += made->packed;
    if (open)
        at = hop__le32_store(hop__le32_store(hop__le32_store(at, made->crc), (uint32_t)bytes),
                             (uint32_t)size);
    return at;
}

static inline unsigned char *zip_finish(unsigned char *file, unsigned char *at, uint64_t directory,
                                        size_t count, const zip_end *end) {
    uint64_t bytes = (uint64_t)(at - file) - directory;
    uint64_t entries = (uint64_t)((int64_t)count + end->entries);
    uint64_t said_bytes = (uint64_t)((int64_t)bytes + end->directory_bytes);
    uint64_t said_offset = (uint64_t)((int64_t)directory + end->directory_offset);
    memset(at, 0, end->junk);
    at += end->junk;
    if (end->zip64) {
        uint64_t here = (uint64_t)(at - file);
        at = hop__le32_store(at, 0x06064b50);
        at = hop__le64_store(at, (uint64_t)(44 + end->record_bytes));
        at = hop__le32_store(at, 45 << 16 | 45);
        at = hop__le64_store(at, 0);
        at = hop__le64_store(at, entries);
        at = hop__le64_store(at, entries);
        at = hop__le64_store(at, said_bytes);
        at = hop__le64_store(at, said_offset);
        at = hop__le32_store(at, 0x07064b50);
        at = hop__le32_store(at, 0);
        at = hop__le64_store(at, (uint64_t)((int64_t)here + end->locator));
        at = hop__le32_store(at, 1);
    }
    at = hop__le32_store(at, 0x06054b50);
    at = hop__le32_store(at, 0);
    at = hop__le16_store(at, end->zip64 ? UINT16_MAX : (uint16_t)entries);
    at = hop__le16_store(at, end->zip64 ? UINT16_MAX : (uint16_t)entries);
    at = hop__le32_store(at, end->zip64 ? UINT32_MAX : (uint32_t)said_bytes);
    at = hop__le32_store(at, end->zip64 ? UINT32_MAX : (uint32_t)said_offset);
    size_t comment = end->comment ? strlen(end->comment) : 0;
    at = hop__le16_store(at, (uint16_t)comment);
    if (comment > 0)
        memcpy(at, end->comment, comment);
    return at + comment;
}

/* Makes the archive; `end` NULL: as it should be. */
static inline file_bytes make_zip(const zip_item *items, size_t count, const zip_end *end) {
    static const zip_end right = {0};
    zip_made made[80];
    file_bytes file = {malloc(16 * ZIP_ROOM), 0};
    unsigned char *at = file.bytes;
    for (size_t i = 0; i < count; i++)
        at = zip_local(file.bytes, at, &items[i], &made[i]);
    uint64_t directory = (uint64_t)(at - file.bytes);
    for (size_t i = 0; i < count; i++) {
        const zip_item *item = &items[i];
        at = hop__le32_store(at, 0x02014b50);
        at = hop__le16_store(at, 45);
        at = zip_fields(at, item, made[i].crc, (uint64_t)((int64_t)made[i].packed + item->packed),
                        (uint64_t)((int64_t)item->count + item->size));
        memset(at, 0, 12);
        at += 12;
        at = hop__le32_store(at, (uint32_t)((int64_t)made[i].offset + item->offset));
        memcpy(at, item->name, strlen(item->name));
        at += strlen(item->name);
    }
    at = zip_finish(file.bytes, at, directory, count, end ? end : &right);
    file.count = (size_t)(at - file.bytes);
    return file;
}

/* An array as NumPy would write it, in the caller's buffer. */
static inline zip_item array_item(const char *name, unsigned char *buffer, const char *type,
                                  unsigned dimensions, uint64_t length, const void *items,
                                  size_t bytes) {
    uint64_t shape[2] = {length, 1};
    size_t header = hop__npy_format(buffer, type, dimensions, shape);
    memcpy(buffer + header, items, bytes);
    zip_item item = {.name = name, .contents = buffer, .count = header + bytes};
    return item;
}

#endif
