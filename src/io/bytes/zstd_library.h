/* SPDX-License-Identifier: Apache-2.0
 *
 * Decompression by libzstd, which is looked for when a file needs it and is never linked. The few
 * declarations of zstd.h that are used are here: its stable interface has them since 1.4. */
#ifndef HOPLITE_IO_BYTES_ZSTD_LIBRARY_H
#define HOPLITE_IO_BYTES_ZSTD_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct hop__zstd_in {
    const void *bytes;
    size_t size, at;
} hop__zstd_in;

typedef struct hop__zstd_out {
    void *bytes;
    size_t size, at;
} hop__zstd_out;

/* The functions; `stream` is a ZSTD_DCtx. */
typedef struct hop__zstd {
    void *library; /* NULL: it is not open */
    void *stream;
    /* Returns 0 at the end of a frame. */
    size_t (*decompress)(void *stream, hop__zstd_out *out, hop__zstd_in *in);
    size_t (*set)(void *stream, int parameter, int value);
    size_t (*bytes_of)(const void *stream);
    unsigned (*is_error)(size_t code);
    const char *(*error_name)(size_t code);
    void *(*create)(void);
    size_t (*destroy)(void *stream);
} hop__zstd;

/* The first bytes of every frame. */
#define HOP__ZSTD_MAGIC "\x28\xb5\x2f\xfd"

/* Opens the library; false when it is not there, or too old. */
bool hop__zstd_open(hop__zstd *zstd);
/* Makes a stream that takes at most about 2^window_log bytes; false when there is no memory. */
bool hop__zstd_begin(hop__zstd *zstd, int window_log);
/* Also what was never opened, if it is all zero. */
void hop__zstd_close(hop__zstd *zstd);

#endif
