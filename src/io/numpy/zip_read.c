/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the directory of a zip archive (PKWARE's APPNOTE 6.3.9, sections 4.3 and 4.5).
 *
 * From the end of the file: the end record gives the directory, directly or through a zip64 end
 * record; the directory gives each member's sizes and local header; the local header gives where
 * the contents begin. All three levels say some things twice, and here they must agree.
 *
 * Invariants of an archive that was opened:
 *  1. Each member's local header and contents lie before the directory, inside the file.
 *  2. No two members overlap and no two have the same name.
 *  3. A stored member has as many bytes unpacked as packed; a deflated one claims at most what
 *     deflate can hold (1032 to 1), so that its size can be believed before it is unpacked.
 *
 * Cost: reads the last 64 KiB at most and one header per member, whatever the size. */
#include "io/numpy/zip_read.h"

#include "core/checked.h"
#include "core/try.h"
#include "io/bytes/little_endian.h"

enum {
    END_BYTES = 22,
    LOCATOR_BYTES = 20,
    END64_BYTES = 56,
    ENTRY_BYTES = 46,
    LOCAL_BYTES = 30,
    LONGEST_COMMENT = 65535,
    DEFLATE_RATIO = 1032,
    FLAG_ENCRYPTED = 1,
    FLAG_SIZES_AFTER = 8, /* sizes and checksum follow the contents; the local header has none */
    METHOD_STORED = 0,
    METHOD_DEFLATED = 8,
    EXTRA_ZIP64 = 1,
    LOCAL_MOST = HOP__ZIP_VIEW /* bytes of a local header: names and fields of 64 KiB are refused */
};

static const uint32_t END_SIGNATURE = 0x06054b50, LOCATOR_SIGNATURE = 0x07064b50,
                      END64_SIGNATURE = 0x06064b50, ENTRY_SIGNATURE = 0x02014b50,
                      LOCAL_SIGNATURE = 0x04034b50;

typedef struct archive {
    hop_context *context;
    const hop__input *input;
    const hop__zip *zip;
    const unsigned char *bytes; /* from `begin` on: 0, or of a file the last ones */
    uint64_t begin, size;
    uint64_t directory, directory_end, entries;
} archive;

/* The bytes from `offset` on, which is not before `begin`. */
static const unsigned char *at_end(const archive *zip, uint64_t offset) {
    return zip->bytes + (offset - zip->begin);
}

/* Whether [offset, offset + count) lies in [0, limit). */
static bool inside(uint64_t offset, uint64_t count, uint64_t limit) {
    return offset <= limit && count <= limit - offset;
}

/* The end record is the last thing in the file but for a comment whose length it states. */
static bool find_end(const archive *zip, uint64_t *end) {
    if (zip->size < END_BYTES)
        return false;
    uint64_t last = zip->size - END_BYTES;
    uint64_t first = last > LONGEST_COMMENT ? last - LONGEST_COMMENT : 0;
    for (uint64_t at = last + 1; at-- > first;) {
        if (hop__le32_load(at_end(zip, at)) == END_SIGNATURE &&
            hop__le16_load(at_end(zip, at + 20)) == last - at) {
            *end = at;
            return true;
        }
    }
    return false;
}

/* True when a 32- or 16-bit field says the same as its zip64 counterpart, or refers to it. */
static bool agrees(uint64_t narrow, uint64_t saturated, uint64_t wide) {
    return narrow == saturated || narrow == wide;
}

/* The zip64 end record before `end`; *found says whether there is one. */
static hop_status read_end64(archive *zip, uint64_t end, bool *found) {
    const unsigned char *record = at_end(zip, end);
    *found = false;
    if (end < LOCATOR_BYTES || hop__le32_load(record - LOCATOR_BYTES) != LOCATOR_SIGNATURE)
        return HOP_OK;
    uint64_t locator = end - LOCATOR_BYTES;
    uint64_t at = hop__le64_load(at_end(zip, locator + 8));
    if (hop__le32_load(at_end(zip, locator + 4)) != 0 ||
        hop__le32_load(at_end(zip, locator + 16)) != 1 || !inside(at, END64_BYTES, locator) ||
        at < zip->begin || hop__le32_load(at_end(zip, at)) != END64_SIGNATURE)
        return hop__input_fail_offset(zip->context, zip->input, locator,
                                      "the zip64 locator does not point at a zip64 end record; the "
                                      "file is damaged or not a zip archive");
    const unsigned char *wide = at_end(zip, at);
    uint64_t length = hop__le64_load(wide + 4);
    zip->entries = hop__le64_load(wide + 24);
    zip->directory = hop__le64_load(wide + 48);
    uint64_t bytes = hop__le64_load(wide + 40);
    if (length != locator - at - 12 || hop__le64_load(wide + 32) != zip->entries ||
        hop__le32_load(wide + 16) != 0 || hop__le32_load(wide + 20) != 0 ||
        !agrees(hop__le16_load(record + 10), UINT16_MAX, zip->entries) ||
        !agrees(hop__le32_load(record + 12), UINT32_MAX, bytes) ||
        !agrees(hop__le32_load(record + 16), UINT32_MAX, zip->directory) ||
        !inside(zip->directory, bytes, at) || zip->directory + bytes != at)
        return hop__input_fail_offset(zip->context, zip->input, at,
                                      "the zip64 end record contradicts the file: directory of "
                                      "%llu bytes at %llu, which must end here",
                                      (unsigned long long)bytes,
                                      (unsigned long long)zip->directory);
    zip->directory_end = at;
    *found = true;
    return HOP_OK;
}

static hop_status read_end(archive *zip) {
    uint64_t end;
    bool found;
    if (!find_end(zip, &end))
        return hop__input_fail_offset(zip->context, zip->input, zip->size,
                                      "no zip directory at the end of the file: it is cut short "
                                      "(%llu bytes) or not a zip archive",
                                      (unsigned long long)zip->size);
    const unsigned char *record = at_end(zip, end);
    hop_status status = read_end64(zip, end, &found);
    if (status != HOP_OK)
        return status;
    if (hop__le16_load(record + 4) != 0 || hop__le16_load(record + 6) != 0 ||
        hop__le16_load(record + 8) != hop__le16_load(record + 10))
        return hop__input_fail_offset(zip->context, zip->input, end,
                                      "a zip archive of several disks; one file was expected");
    if (found)
        return HOP_OK;
    zip->entries = hop__le16_load(record + 10);
    uint64_t bytes = hop__le32_load(record + 12);
    zip->directory = hop__le32_load(record + 16);
    zip->directory_end = end;
    if (!inside(zip->directory, bytes, end) || zip->directory + bytes != end)
        return hop__input_fail_offset(zip->context, zip->input, end,
                                      "the zip end record contradicts the file: directory of %llu "
                                      "bytes at %llu, which must end here",
                                      (unsigned long long)bytes,
                                      (unsigned long long)zip->directory);
    return HOP_OK;
}

/* The zip64 field among `count` bytes of extra fields, or NULL. */
static const unsigned char *find_zip64(const unsigned char *extra, size_t count, size_t *length) {
    while (count >= 4) {
        size_t bytes = hop__le16_load(extra + 2);
        if (bytes > count - 4)
            return NULL;
        if (hop__le16_load(extra) == EXTRA_ZIP64) {
            *length = bytes;
            return extra + 4;
        }
        extra += 4 + bytes;
        count -= 4 + bytes;
    }
    return NULL;
}

/* Replaces each saturated value by the next 8 bytes of the zip64 field. */
static bool widen(const unsigned char *extra, size_t extra_bytes, uint64_t *values[],
                  unsigned count) {
    size_t length = 0, used = 0;
    const unsigned char *wide = find_zip64(extra, extra_bytes, &length);
    for (unsigned i = 0; i < count; i++) {
        if (*values[i] != UINT32_MAX)
            continue;
        if (wide == NULL || length - used < 8)
            return false;
        *values[i] = hop__le64_load(wide + used);
        used += 8;
    }
    return true;
}

/* Checks the local header of a member against its directory entry; finds the contents. */
static hop_status read_local(const archive *zip, const unsigned char *entry,
                             hop__zip_member *member) {
    const unsigned char *local = NULL;
    hop_status status = HOP_OK;
    if (inside(member->header, LOCAL_BYTES, zip->directory)) {
        uint64_t left = zip->directory - member->header;
        status = hop__zip_view(zip->context, zip->zip, member->header,
                               left < LOCAL_MOST ? (size_t)left : LOCAL_MOST, &local);
    }
    if (status != HOP_OK)
        return status;
    if (local == NULL || hop__le32_load(local) != LOCAL_SIGNATURE)
        return hop__input_fail_offset(zip->context, zip->input, member->header,
                                      "no member begins here, although the zip directory says so");
    size_t name_bytes = hop__le16_load(local + 26), extra_bytes = hop__le16_load(local + 28);
    uint64_t length = LOCAL_BYTES + name_bytes + extra_bytes;
    uint64_t packed = hop__le32_load(local + 18), size = hop__le32_load(local + 22);
    uint64_t *wide[] = {&size, &packed};
    unsigned flags = hop__le16_load(local + 6);
    if (!inside(member->header, length, zip->directory) || length > LOCAL_MOST ||
        name_bytes != member->name_length ||
        memcmp(local + LOCAL_BYTES, member->name, name_bytes) != 0 ||
        flags != hop__le16_load(entry + 8) ||
        hop__le16_load(local + 8) != hop__le16_load(entry + 10) ||
        !widen(local + LOCAL_BYTES + name_bytes, extra_bytes, wide, 2) ||
        (!(flags & FLAG_SIZES_AFTER) && (packed != member->packed || size != member->size ||
                                         hop__le32_load(local + 14) != member->crc)))
        return hop__input_fail_offset(zip->context, zip->input, member->header,
                                      "the header of a zip member contradicts the directory");
    member->data = member->header + length;
    if (!inside(member->data, member->packed, zip->directory))
        return hop__input_fail_offset(
            zip->context, zip->input, member->header,
            "a zip member of %llu bytes does not fit into the %llu before "
            "the directory",
            (unsigned long long)member->packed,
            (unsigned long long)(zip->directory - member->data));
    return HOP_OK;
}

static hop_status check_sizes(const archive *zip, const hop__zip_member *member) {
    uint64_t most;
    if (!member->deflated && member->packed != member->size)
        return hop__input_fail_offset(zip->context, zip->input, member->header,
                                      "a stored zip member has %llu bytes here and %llu outside",
                                      (unsigned long long)member->packed,
                                      (unsigned long long)member->size);
    if (member->deflated && hop__mul_u64(member->packed, DEFLATE_RATIO, &most) &&
        member->size > most)
        return hop__input_fail_offset(zip->context, zip->input, member->header,
                                      "%llu deflated bytes cannot hold the %llu that are claimed",
                                      (unsigned long long)member->packed,
                                      (unsigned long long)member->size);
    return HOP_OK;
}

/* Reads the directory entry at `at` and moves past it. */
static hop_status read_entry(const archive *zip, uint64_t *at, hop__zip_member *member) {
    const unsigned char *entry = at_end(zip, *at);
    uint64_t left = zip->directory_end - *at;
    if (left < ENTRY_BYTES || hop__le32_load(entry) != ENTRY_SIGNATURE)
        return hop__input_fail_offset(zip->context, zip->input, *at,
                                      "the zip directory has no entry where one is expected");
    size_t extra_bytes = hop__le16_load(entry + 30), comment = hop__le16_load(entry + 32);
    member->name = (const char *)entry + ENTRY_BYTES;
    member->name_length = hop__le16_load(entry + 28);
    member->crc = hop__le32_load(entry + 16);
    member->packed = hop__le32_load(entry + 20);
    member->size = hop__le32_load(entry + 24);
    member->header = hop__le32_load(entry + 42);
    uint64_t length = ENTRY_BYTES + member->name_length + extra_bytes + comment;
    uint64_t *wide[] = {&member->size, &member->packed, &member->header};
    if (length > left ||
        !widen((const unsigned char *)member->name + member->name_length, extra_bytes, wide, 3))
        return hop__input_fail_offset(zip->context, zip->input, *at,
                                      "an entry of the zip directory is cut short");
    unsigned method = hop__le16_load(entry + 10);
    if (hop__le16_load(entry + 8) & FLAG_ENCRYPTED)
        return hop__input_fail_offset(zip->context, zip->input, *at,
                                      "the zip member is encrypted; decrypt the file first");
    if (method != METHOD_STORED && method != METHOD_DEFLATED)
        return hop__input_fail_offset(zip->context, zip->input, *at,
                                      "compression method %u; only stored (0) and deflated (8) "
                                      "members can be read",
                                      method);
    member->deflated = method == METHOD_DEFLATED;
    hop_status status;
    HOP_TRY(status, read_local(zip, entry, member));
    HOP_TRY(status, check_sizes(zip, member));
    *at += length;
done:
    return status;
}

static hop_status check_pair(const archive *zip, const hop__zip_member *a,
                             const hop__zip_member *b) {
    if (a->name_length == b->name_length && memcmp(a->name, b->name, a->name_length) == 0)
        return hop__input_fail_offset(zip->context, zip->input, b->header,
                                      "a second zip member has the name of the one at byte %llu",
                                      (unsigned long long)a->header);
    if (a->header < b->data + b->packed && b->header < a->data + a->packed)
        return hop__input_fail_offset(zip->context, zip->input, b->header,
                                      "a zip member overlaps the one at byte %llu",
                                      (unsigned long long)a->header);
    return HOP_OK;
}

/* Reads the directory of an archive whose last bytes, from `begin` on, are at hand. */
static hop_status open_archive(hop_context *context, const hop__input *input,
                               const unsigned char *bytes, uint64_t begin, hop__zip *zip) {
    archive source = {context, input, zip, bytes, begin, zip->size, 0, 0, 0};
    hop_status status;
    zip->count = 0;
    HOP_TRY(status, read_end(&source));
    if (source.entries > HOP__ZIP_MEMBERS) {
        status = hop__input_fail_offset(context, input, source.directory,
                                        "%llu zip members; a graph has at most %d",
                                        (unsigned long long)source.entries, HOP__ZIP_MEMBERS);
        goto done;
    }
    if (source.directory < begin) {
        status = hop__input_fail_offset(context, input, source.directory,
                                        "a zip directory of %llu bytes; that of a graph is small",
                                        (unsigned long long)(zip->size - source.directory));
        goto done;
    }
    uint64_t at = source.directory;
    while (zip->count < source.entries) {
        hop__zip_member *member = &zip->members[zip->count];
        HOP_TRY(status, read_entry(&source, &at, member));
        for (unsigned i = 0; i < zip->count; i++)
            HOP_TRY(status, check_pair(&source, &zip->members[i], member));
        zip->count++;
    }
    if (at != source.directory_end)
        status = hop__input_fail_offset(context, input, at,
                                        "%llu bytes after the last entry of the zip directory",
                                        (unsigned long long)(source.directory_end - at));
done:
    return status;
}

hop_status hop__zip_open(hop_context *context, const hop__input *input, const unsigned char *bytes,
                         uint64_t size, hop__zip *zip) {
    zip->input = input;
    zip->bytes = bytes;
    zip->size = size;
    return open_archive(context, input, bytes, 0, zip);
}

hop_status hop__zip_open_file(hop_context *context, const hop__input *input, unsigned char *room,
                              hop__zip *zip) {
    zip->input = input;
    zip->bytes = NULL;
    zip->size = hop__input_size(input);
    zip->room = room;
    zip->tail = zip->size > HOP__ZIP_TAIL ? zip->size - HOP__ZIP_TAIL : 0;
    int error = hop__input_fetch(input, zip->tail, room, (size_t)(zip->size - zip->tail));
    if (error != 0)
        return hop__input_fail_fetch(context, input, error);
    return open_archive(context, input, room, zip->tail, zip);
}

hop_status hop__zip_view(hop_context *context, const hop__zip *zip, uint64_t offset, size_t count,
                         const unsigned char **bytes) {
    if (zip->bytes != NULL) {
        *bytes = zip->bytes + offset;
        return HOP_OK;
    }
    *bytes = zip->room + HOP__ZIP_TAIL;
    int error = hop__input_fetch(zip->input, offset, zip->room + HOP__ZIP_TAIL, count);
    return error == 0 ? HOP_OK : hop__input_fail_fetch(context, zip->input, error);
}

const hop__zip_member *hop__zip_find(const hop__zip *zip, const char *name) {
    size_t length = strlen(name);
    for (unsigned i = 0; i < zip->count; i++)
        if (zip->members[i].name_length == length &&
            memcmp(zip->members[i].name, name, length) == 0)
            return &zip->members[i];
    return NULL;
}
