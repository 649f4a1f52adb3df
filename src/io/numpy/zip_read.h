/* SPDX-License-Identifier: Apache-2.0
 *
 * A zip archive, in memory or in a file: where its members lie. Nothing is unpacked here.
 *
 * Made for archives of arrays: at most HOP__ZIP_MEMBERS members, stored or deflated, on one disk,
 * not encrypted; zip64 is understood. Every offset and size is checked against the file, the
 * local header of a member must agree with the directory, and members may not overlap or share a
 * name: what this call accepts can be read without further checks. */
#ifndef HOPLITE_IO_NUMPY_ZIP_READ_H
#define HOPLITE_IO_NUMPY_ZIP_READ_H

#include "io/bytes/input.h"

enum { HOP__ZIP_MEMBERS = 64 };

/* Of an archive that is read from its file: the bytes at its end that hold the directory, and those
 * that can be looked at at a time elsewhere. */
enum { HOP__ZIP_TAIL = 1 << 17, HOP__ZIP_VIEW = 1 << 16, HOP__ZIP_ROOM = (1 << 17) + (1 << 16) };

typedef struct hop__zip_member {
    const char *name; /* inside the archive's bytes or room, not terminated */
    size_t name_length;
    uint64_t header; /* offset of the local header */
    uint64_t data;   /* offset of the contents */
    uint64_t packed; /* bytes of the contents in the file */
    uint64_t size;   /* bytes of the contents unpacked */
    uint32_t crc;    /* of the unpacked contents */
    bool deflated;
} hop__zip_member;

typedef struct hop__zip {
    const hop__input *input;
    const unsigned char *bytes; /* NULL: they are in the file */
    uint64_t size;
    unsigned char *room; /* of the file: its last HOP__ZIP_TAIL bytes, then a view */
    uint64_t tail;       /* the offset of the first of these */
    unsigned count;
    hop__zip_member members[HOP__ZIP_MEMBERS];
} hop__zip;

/* Reads the directory of the archive. `input` names the file in messages. */
hop_status hop__zip_open(hop_context *context, const hop__input *input, const unsigned char *bytes,
                         uint64_t size, hop__zip *zip);
/* The same by reading from the input, which is random, with HOP__ZIP_ROOM bytes of the caller's. */
hop_status hop__zip_open_file(hop_context *context, const hop__input *input, unsigned char *room,
                              hop__zip *zip);
/* Bytes of the archive, inside it; of a file at most HOP__ZIP_VIEW, valid until the next view. */
hop_status hop__zip_view(hop_context *context, const hop__zip *zip, uint64_t offset, size_t count,
                         const unsigned char **bytes);

/* The member of this name, or NULL. */
const hop__zip_member *hop__zip_find(const hop__zip *zip, const char *name);

#endif
