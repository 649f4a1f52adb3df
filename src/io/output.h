/* SPDX-License-Identifier: Apache-2.0
 *
 * A file being written: under a temporary name beside its path, renamed over it at the end
 * (close with `commit`), removed otherwise. "-" is standard output. Optionally gzipped. */
#ifndef HOPLITE_IO_OUTPUT_H
#define HOPLITE_IO_OUTPUT_H

#include "core/context_internal.h"

typedef struct hop__output hop__output;

hop_status hop__output_open(hop_context *context, const char *path, bool gzip,
                            hop__output **output);
hop_status hop__output_write(hop_context *context, hop__output *output, const void *bytes,
                             size_t count);
HOP_PRINTF(3, 4)
hop_status hop__output_print(hop_context *context, hop__output *output, const char *format, ...);
/* Bytes written so far, before compression. */
uint64_t hop__output_offset(const hop__output *output);
const char *hop__output_name(const hop__output *output);
/* Flushes, syncs and renames when `status` is HOP_OK, else removes; returns the first failure. */
hop_status hop__output_close(hop_context *context, hop__output *output, hop_status status);

#endif
