/* SPDX-License-Identifier: Apache-2.0
 *
 * A file being written: it takes its path when it is complete, and is gone when something failed
 * (output_draft.h). "-" is standard output; a path that exists and is no regular file (a pipe,
 * a device) is written directly. Optionally gzipped, in members of a fixed size that are compressed
 * in parallel: the bytes do not depend on the number of threads. */
#ifndef HOPLITE_IO_BYTES_OUTPUT_H
#define HOPLITE_IO_BYTES_OUTPUT_H

#include "core/context_internal.h"

typedef struct hop__output hop__output;

/* What an output takes if it is opened now: 80 KiB at least, or 2.3 MiB if gzipped; up to some MiB
 * where the budget has room for them. One that is not gzipped begins with 80 KiB, and grows. */
uint64_t hop__output_bytes(const hop_context *context, bool gzip);
hop_status hop__output_open(hop_context *context, const char *path, bool gzip,
                            hop__output **output);
hop_status hop__output_write(hop_context *context, hop__output *output, const void *bytes,
                             size_t count);
/* At most 511 bytes. */
HOP_PRINTF(3, 4)
hop_status hop__output_print(hop_context *context, hop__output *output, const char *format, ...);
/* Writes over bytes that were written before. Only where hop__output_patchable: a regular file that
 * is not gzipped. */
hop_status hop__output_patch(hop_context *context, hop__output *output, uint64_t offset,
                             const void *bytes, size_t count);
bool hop__output_patchable(const hop__output *output);
/* Bytes written so far, before compression. */
uint64_t hop__output_offset(const hop__output *output);
const char *hop__output_name(const hop__output *output);
/* For the end of a call: notes the file if `status` is a failure, and returns it. */
hop_status hop__output_note(hop_context *context, const hop__output *output, hop_status status);
/* Where the file will stand, links resolved, or NULL when it is not a regular file. Files beside it
 * (LDBC) go by the name. */
const char *hop__output_path(const hop__output *output);
bool hop__output_gzip(const hop__output *output);
/* Writes all of it to the disk: after this only giving it its name can fail. For
 * graphs of several files, which are finished before the first is closed. */
hop_status hop__output_finish(hop_context *context, hop__output *output);
/* Finishes it and renames when `status` is HOP_OK, else removes; frees `output` (which may be
 * NULL) and returns the first failure. */
hop_status hop__output_close(hop_context *context, hop__output *output, hop_status status);

#endif
