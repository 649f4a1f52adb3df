/* SPDX-License-Identifier: Apache-2.0
 *
 * A file being read: its bytes, in blocks or as a whole, decompressed if need be.
 *
 * A plain file is mapped for the time of reading, so the whole of it is one block. gzip and
 * standard input come in blocks. Readers of text ask for blocks that end at a line's end and parse
 * them in parallel; readers of small binary headers ask for the whole. */
#ifndef HOPLITE_IO_INPUT_H
#define HOPLITE_IO_INPUT_H

#include "core/context_internal.h"
#include "hoplite/io.h"

typedef struct hop__input hop__input;

hop_status hop__input_open(hop_context *context, const char *path, const hop_read_options *options,
                           hop__input **input);
/* Over bytes in memory, which may be gzip too. */
hop_status hop__input_open_memory(hop_context *context, const char *name, const void *bytes,
                                  size_t count, const hop_read_options *options,
                                  hop__input **input);
void hop__input_close(hop__input *input);

const char *hop__input_name(const hop__input *input);
/* The path for opening files beside it (LDBC), or NULL when it is standard input or memory. */
const char *hop__input_path(const hop__input *input);
/* Size in bytes of the contents when known without reading (a plain file, memory), else 0. */
uint64_t hop__input_size(const hop__input *input);
bool hop__input_compressed(const hop__input *input);
/* The first bytes, at least `want` of them unless the contents are shorter. They will be returned
 * again by the calls below. want <= HOP__SNIFF_BYTES. */
hop_status hop__input_peek(hop_context *context, hop__input *input, size_t want,
                           const unsigned char **bytes, size_t *count);

/* The next block of text: whole lines (the last line of the contents may lack its newline).
 * *count is 0 at the end. Bytes are valid until the next call. A plain file comes as one block.
 * At least 8 bytes may be read past the end of every block (they are NOT part of it): parsers can
 * use word loads. */
hop_status hop__input_lines(hop_context *context, hop__input *input, const char **bytes,
                            size_t *count);
/* Line number (from 1) at which the block of the last hop__input_lines begins, so that messages
 * can name lines. Readers call hop__input_count_lines(input, lines) after each block. */
uint64_t hop__input_line(const hop__input *input);
void hop__input_count_lines(hop__input *input, uint64_t lines);

/* All the bytes at once, for binary formats: mapped when the file is plain, else read into memory
 * within the budget and the byte limit. */
hop_status hop__input_whole(hop_context *context, hop__input *input, const unsigned char **bytes,
                            uint64_t *count);
/* The file descriptor of a plain file, to map it for longer (native format), else -1. */
int hop__input_descriptor(const hop__input *input);

/* Fails with "name:line: ..." or "name: byte offset: ...". */
HOP_PRINTF(4, 5)
hop_status hop__input_fail_line(hop_context *context, const hop__input *input, uint64_t line,
                                const char *format, ...);
HOP_PRINTF(4, 5)
hop_status hop__input_fail_offset(hop_context *context, const hop__input *input, uint64_t offset,
                                  const char *format, ...);

#endif
