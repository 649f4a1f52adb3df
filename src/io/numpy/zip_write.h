/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a zip archive whose members can be mapped: the contents of each begin at a multiple of
 * HOP__ZIP_ALIGNMENT bytes in the file. Sizes and checksums must be known beforehand, so the
 * archive is written from front to back, to a pipe if need be; or, for one that is stored, given at
 * its end, which needs an output that can be patched. The same members give the same bytes: no
 * times.
 *
 *     hop__zip_writer writer = {output, HOP__ZIP_LIMIT, 0, {{0}}};
 *     for each member: hop__zip_member_begin, then its packed bytes to the output
 *     hop__zip_finish */
#ifndef HOPLITE_IO_NUMPY_ZIP_WRITE_H
#define HOPLITE_IO_NUMPY_ZIP_WRITE_H

#include "io/bytes/output.h"

enum { HOP__ZIP_ALIGNMENT = 64, HOP__ZIP_PAGE = 4096, HOP__ZIP_WRITTEN_MEMBERS = 16 };

/* Sizes and offsets from here on need zip64 fields. */
#define HOP__ZIP_LIMIT UINT32_MAX

typedef struct hop__zip_entry {
    const char *name; /* must outlive the writer */
    uint64_t size;    /* unpacked */
    uint64_t packed;  /* in the file */
    uint32_t crc;     /* of the unpacked bytes */
    bool deflated;
    /* Not 0: what comes after so many bytes of the contents, a multiple of the alignment, begins at
     * a multiple of HOP__ZIP_PAGE in the file, so that it can be read past the page cache. */
    size_t page_lead;
    uint64_t header; /* set by hop__zip_member_begin */
} hop__zip_entry;

typedef struct hop__zip_writer {
    hop__output *output;
    uint64_t limit; /* HOP__ZIP_LIMIT; less in tests, to have zip64 in small files */
    unsigned count;
    hop__zip_entry entries[HOP__ZIP_WRITTEN_MEMBERS];
} hop__zip_writer;

/* Writes the local header; the caller then writes entry->packed bytes. */
hop_status hop__zip_member_begin(hop_context *context, hop__zip_writer *writer,
                                 const hop__zip_entry *entry);

/* A stored member whose size and checksum are told when it ends. Between the two calls the caller
 * writes `size` bytes, and begins no other member. `page_lead` as in the entry. */
hop_status hop__zip_open_member_begin(hop_context *context, hop__zip_writer *writer,
                                      const char *name, size_t page_lead);
hop_status hop__zip_open_member_end(hop_context *context, hop__zip_writer *writer, uint64_t size,
                                    uint32_t crc);

/* Writes the directory. */
hop_status hop__zip_finish(hop_context *context, hop__zip_writer *writer);

#endif
