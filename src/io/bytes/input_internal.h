/* SPDX-License-Identifier: Apache-2.0
 *
 * What is inside an input, for input.c (opening, blocks) and input_bytes.c (reading, inflating).
 *
 * Invariants: given <= filled <= capacity; the block of memory is capacity + HOP__INPUT_SLACK
 * bytes; `produced` never exceeds max_bytes, so that a small gzip file cannot become an endless
 * one. */
#ifndef HOPLITE_IO_BYTES_INPUT_INTERNAL_H
#define HOPLITE_IO_BYTES_INPUT_INTERNAL_H

#include <zlib.h>

#include "io/bytes/input.h"
#include "io/bytes/zstd_library.h"

enum hop__input_kind { HOP__INPUT_PLAIN, HOP__INPUT_STREAM, HOP__INPUT_MEMORY };

struct hop__input {
    enum hop__input_kind kind;
    char *name;
    bool has_path;
    bool standard; /* standard input, which was given as "-" */
    int descriptor;
    bool own_descriptor;
    const unsigned char *memory;
    uint64_t size;       /* of the file or the memory; 0 for a stream */
    uint64_t raw_offset; /* of the next raw byte to be read from the file */

    bool compressed;
    bool inflating; /* z is initialised */
    bool in_member; /* inside a gzip member, or a frame of zstd */
    z_stream z;
    hop__zstd zstd;   /* open: compressed by zstd, not gzip */
    void *zstd_bytes; /* a block that is never touched, as large as what the library has taken */
    size_t zstd_size;
    unsigned char *packed; /* raw bytes read ahead: [packed_begin, packed_end) */
    size_t packed_room;
    size_t packed_begin, packed_end;

    uint64_t max_bytes, produced;
    bool ended;

    uint64_t max_line, max_comment; /* what is kept of a line, of a comment */
    const char *comments;           /* bytes that begin one */
    hop__bad_line bad;
    bool cut; /* the block is the beginning of a comment */

    char *buffer;
    size_t capacity, given, filled;
    size_t block_bytes, chunk_bytes;

    unsigned char *whole;
    uint64_t whole_count;

    struct hop__parts *parts; /* NULL: all is read here */
};

/* Offset in the file of the next raw byte that has not been used. */
static inline uint64_t hop__input_packed_offset(const hop__input *input) {
    return input->raw_offset - (input->packed_end - input->packed_begin);
}

/* Exactly `count` bytes of a plain file or of memory, in parallel. */
hop_status hop__input_read_exactly(hop_context *context, const hop__input *input, uint64_t offset,
                                   void *bytes, uint64_t count);
/* Looks at the first bytes for gzip, and prepares for it. */
hop_status hop__input_begin(hop_context *context, hop__input *input);
/* The next bytes of the contents; *got < want only at their end. */
hop_status hop__input_next(hop_context *context, hop__input *input, void *bytes, size_t want,
                           size_t *got);

#endif
