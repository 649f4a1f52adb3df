/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes zip archives with aligned contents (PKWARE's APPNOTE 6.3.9, sections 4.3 and 4.5).
 *
 * The alignment comes from an extra field in the local header, of the kind that Android's
 * packages use for it (0xd935: the alignment in two bytes, then zeros). A size or offset that
 * does not fit into 32 bits stands in a zip64 field, as does the directory's own. */
#include "io/numpy/zip_write.h"

#include "core/try.h"
#include "io/bytes/little_endian.h"

enum {
    LOCAL_BYTES = 30,
    LOCAL_ZIP64_BYTES = 20,
    ALIGN_BYTES = 6, /* of the alignment field, before its zeros */
    LONGEST_NAME = 64,
    VERSION_PLAIN = 20,
    VERSION_ZIP64 = 45,
    MADE_ON_UNIX = 3 << 8,
    METHOD_DEFLATED = 8,
    FIRST_DAY = 0x21, /* 1 January 1980: the earliest date there is */
    LOCAL_MOST = LOCAL_BYTES + LONGEST_NAME + LOCAL_ZIP64_BYTES + ALIGN_BYTES + HOP__ZIP_PAGE
};

static const uint32_t FILE_MODE = (uint32_t)0100644 << 16;

static uint32_t narrow(uint64_t value, uint64_t limit) {
    return value >= limit ? UINT32_MAX : (uint32_t)value;
}

/* The fields that local header and directory entry share, from `version` to `size`. */
static unsigned char *put_common(unsigned char *at, const hop__zip_entry *entry, uint64_t limit,
                                 bool zip64) {
    at = hop__le16_store(at, zip64 ? VERSION_ZIP64 : VERSION_PLAIN);
    at = hop__le16_store(at, 0);
    at = hop__le16_store(at, entry->deflated ? METHOD_DEFLATED : 0);
    at = hop__le16_store(at, 0);
    at = hop__le16_store(at, FIRST_DAY);
    at = hop__le32_store(at, entry->crc);
    at = hop__le32_store(at, narrow(entry->packed, limit));
    at = hop__le32_store(at, narrow(entry->size, limit));
    return hop__le16_store(at, (uint16_t)strlen(entry->name));
}

/* The local header of a member whose contents begin at a multiple of the alignment. Both sizes go
 * to the zip64 field together: that is what APPNOTE asks of local headers. */
static size_t make_local(unsigned char header[LOCAL_MOST], const hop__zip_entry *entry,
                         uint64_t limit, bool zip64) {
    size_t name_bytes = strlen(entry->name);
    size_t least = LOCAL_BYTES + name_bytes + (zip64 ? LOCAL_ZIP64_BYTES : 0) + ALIGN_BYTES;
    size_t zeros = entry->page_lead != 0
                       ? (size_t)(-(entry->header + least + entry->page_lead) % HOP__ZIP_PAGE)
                       : (size_t)(-(entry->header + least) % HOP__ZIP_ALIGNMENT);
    memset(header, 0, LOCAL_MOST);
    unsigned char *at = hop__le32_store(header, 0x04034b50);
    at = put_common(at, entry, zip64 ? 0 : limit, zip64);
    at = hop__le16_store(at, (uint16_t)(least + zeros - LOCAL_BYTES - name_bytes));
    memcpy(at, entry->name, name_bytes);
    at += name_bytes;
    if (zip64) {
        at = hop__le16_store(at, 1);
        at = hop__le16_store(at, LOCAL_ZIP64_BYTES - 4);
        at = hop__le64_store(at, entry->size);
        at = hop__le64_store(at, entry->packed);
    }
    at = hop__le16_store(at, 0xd935);
    at = hop__le16_store(at, (uint16_t)(2 + zeros));
    hop__le16_store(at, HOP__ZIP_ALIGNMENT);
    return least + zeros;
}

static hop_status begin_member(hop_context *context, hop__zip_writer *writer,
                               const hop__zip_entry *entry, bool zip64) {
    unsigned char header[LOCAL_MOST];
    if (writer->count == HOP__ZIP_WRITTEN_MEMBERS || strlen(entry->name) > LONGEST_NAME)
        return hop__fail(context, HOP_ERR_ARGUMENT, "zip: too many members, or too long a name");
    hop__zip_entry *kept = &writer->entries[writer->count++];
    *kept = *entry;
    kept->header = hop__output_offset(writer->output);
    return hop__output_write(context, writer->output, header,
                             make_local(header, kept, writer->limit, zip64));
}

hop_status hop__zip_member_begin(hop_context *context, hop__zip_writer *writer,
                                 const hop__zip_entry *entry) {
    bool zip64 = entry->size >= writer->limit || entry->packed >= writer->limit;
    return begin_member(context, writer, entry, zip64);
}

hop_status hop__zip_open_member_begin(hop_context *context, hop__zip_writer *writer,
                                      const char *name, size_t page_lead) {
    hop__zip_entry entry = {.name = name, .page_lead = page_lead};
    return begin_member(context, writer, &entry, true);
}

hop_status hop__zip_open_member_end(hop_context *context, hop__zip_writer *writer, uint64_t size,
                                    uint32_t crc) {
    unsigned char header[LOCAL_MOST];
    hop__zip_entry *entry = &writer->entries[writer->count - 1];
    entry->size = entry->packed = size;
    entry->crc = crc;
    size_t bytes = make_local(header, entry, writer->limit, true);
    return hop__output_patch(context, writer->output, entry->header, header, bytes);
}

static hop_status write_entry(hop_context *context, hop__zip_writer *writer,
                              const hop__zip_entry *entry) {
    unsigned char record[46 + LONGEST_NAME + 28] = {0};
    unsigned char wide[28], *extra = wide + 4;
    if (entry->size >= writer->limit)
        extra = hop__le64_store(extra, entry->size);
    if (entry->packed >= writer->limit)
        extra = hop__le64_store(extra, entry->packed);
    if (entry->header >= writer->limit)
        extra = hop__le64_store(extra, entry->header);
    size_t extra_bytes = extra == wide + 4 ? 0 : (size_t)(extra - wide);
    size_t name_bytes = strlen(entry->name);

    unsigned char *at = hop__le32_store(record, 0x02014b50);
    at = hop__le16_store(at, MADE_ON_UNIX | VERSION_ZIP64);
    at = put_common(at, entry, writer->limit, extra_bytes != 0);
    at = hop__le16_store(at, (uint16_t)extra_bytes);
    at += 6; /* no comment, first disk, no attributes of the contents */
    at = hop__le32_store(at, FILE_MODE);
    at = hop__le32_store(at, narrow(entry->header, writer->limit));
    memcpy(at, entry->name, name_bytes);
    at += name_bytes;
    if (extra_bytes != 0) {
        hop__le16_store(hop__le16_store(wide, 1) /* zip64 */, (uint16_t)(extra_bytes - 4));
        memcpy(at, wide, extra_bytes);
        at += extra_bytes;
    }
    return hop__output_write(context, writer->output, record, (size_t)(at - record));
}

/* The zip64 end record and its locator, before the end record. */
static hop_status write_end64(hop_context *context, const hop__zip_writer *writer,
                              uint64_t directory, uint64_t end) {
    unsigned char record[56 + 20] = {0};
    unsigned char *at = hop__le32_store(record, 0x06064b50);
    at = hop__le64_store(at, 44); /* bytes of the record after this field */
    at = hop__le16_store(at, MADE_ON_UNIX | VERSION_ZIP64);
    at = hop__le16_store(at, VERSION_ZIP64);
    at += 8; /* disks */
    at = hop__le64_store(at, writer->count);
    at = hop__le64_store(at, writer->count);
    at = hop__le64_store(at, end - directory);
    at = hop__le64_store(at, directory);
    at = hop__le32_store(at, 0x07064b50);
    at += 4;
    at = hop__le64_store(at, end);
    hop__le32_store(at, 1);
    return hop__output_write(context, writer->output, record, sizeof record);
}

hop_status hop__zip_finish(hop_context *context, hop__zip_writer *writer) {
    unsigned char record[22] = {0};
    hop_status status;
    uint64_t directory = hop__output_offset(writer->output);
    for (unsigned i = 0; i < writer->count; i++)
        HOP_TRY(status, write_entry(context, writer, &writer->entries[i]));
    uint64_t end = hop__output_offset(writer->output);
    if (directory >= writer->limit || end - directory >= writer->limit)
        HOP_TRY(status, write_end64(context, writer, directory, end));
    unsigned char *at = hop__le32_store(record, 0x06054b50);
    at += 4; /* disks */
    at = hop__le16_store(at, (uint16_t)writer->count);
    at = hop__le16_store(at, (uint16_t)writer->count);
    at = hop__le32_store(at, narrow(end - directory, writer->limit));
    hop__le32_store(at, narrow(directory, writer->limit));
    HOP_TRY(status, hop__output_write(context, writer->output, record, sizeof record));
done:
    return status;
}
