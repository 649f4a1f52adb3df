/* SPDX-License-Identifier: Apache-2.0
 *
 * A file being read: its bytes, in blocks of whole lines or as a whole, decompressed if need be.
 *
 * Nothing is mapped: a plain file is read by several threads at their own offsets, gzip, standard
 * input and memory come through the same block buffer. So a file that shrinks while it is read is
 * an error and not a SIGBUS, text costs one block of memory however large the file is, and word
 * loads past the end of a block stay inside the buffer. The native format asks for the descriptor
 * and maps the file itself. */
#ifndef HOPLITE_IO_BYTES_INPUT_H
#define HOPLITE_IO_BYTES_INPUT_H

#include "core/context_internal.h"
#include "hoplite/io.h"

typedef struct hop__input hop__input;

/* Bytes that may be read (they mean nothing) past the end of every block of hop__input_lines. */
enum { HOP__INPUT_SLACK = 64 };
/* Bytes that formats are recognised by. */
enum { HOP__SNIFF_BYTES = 4096 };

/* The options that a call was given, with defaults for those that it does not know of; refuses
 * values out of range. `given` may be NULL. */
hop_status hop__read_options_check(hop_context *context, const hop_read_options *given,
                                   hop_read_options *options);

HOP_API hop_status hop__input_open(hop_context *context, const char *path,
                                   const hop_read_options *options, hop__input **input);
/* Over bytes in memory, which may be gzip too. */
hop_status hop__input_open_memory(hop_context *context, const char *name, const void *bytes,
                                  size_t count, const hop_read_options *options,
                                  hop__input **input);
/* NULL is allowed. */
HOP_API void hop__input_close(hop__input *input);

HOP_API const char *hop__input_name(const hop__input *input);
/* The path for opening files beside it (LDBC), or NULL when it is standard input or memory. */
const char *hop__input_path(const hop__input *input);
/* Size in bytes of the contents when known without reading (a plain file, memory), else 0. */
uint64_t hop__input_size(const hop__input *input);
/* No more bytes than this can come: the size when known, else what the byte limit allows. Counts
 * in headers are held against it before anything is allocated. */
uint64_t hop__input_bound(const hop__input *input);
bool hop__input_compressed(const hop__input *input);
/* Whether contents that begin so are taken for compressed ones. */
bool hop__begins_compressed(const unsigned char *bytes, size_t count);
/* "gzip" or "zstd", for messages. */
const char *hop__input_packing(const hop__input *input);
/* Standard input, a pipe, a device: bytes that come once and in order. */
bool hop__input_is_stream(const hop__input *input);
/* The first bytes, at least `want` of them unless the contents are shorter. They will be returned
 * again by the calls below. want <= HOP__SNIFF_BYTES. */
hop_status hop__input_peek(hop_context *context, hop__input *input, size_t want,
                           const unsigned char **bytes, size_t *count);

/* The longest line that may come, in place of 0 in the options; and the bytes that comments begin
 * with, after blanks: longer ones are cut short. Before the first hop__input_lines. */
void hop__input_set_lines(hop__input *input, uint64_t most, const char *comments);
enum { HOP__LINE_MOST = 16 << 20 };
/* Bytes between two looks at whether to go on, while a line is gathered. */
enum { HOP__INPUT_PIECE = 4 << 20 };

/* A line that is not to be gathered: it has grown too long, or has a zero byte. */
typedef struct hop__bad_line {
    uint64_t bytes; /* so far; 0: all is well */
    bool zero;
} hop__bad_line;
/* Whether the `count` bytes of a line, of which the first `known` were looked at before, show that
 * it is none. Short lines are left to those who read them: their words are better. */
bool hop__line_has_zero(const char *line, size_t known, size_t count);
/* Fails with the message about it. */
hop_status hop__input_fail_long(hop_context *context, const hop__input *input, uint64_t line,
                                const hop__bad_line *bad);
/* Whether a comment may begin so: a line of `count` bytes so far. */
bool hop__input_is_comment(const hop__input *input, const char *line, size_t count);
uint64_t hop__input_max_line(const hop__input *input);

/* The next block of text: whole lines (the last line of the contents may lack its newline; a
 * newline then follows the block, not counted). *count is 0 at the end. Bytes are valid until the
 * next call, and HOP__INPUT_SLACK bytes past the end may be read: parsers can use word loads. A
 * line longer than a block makes the block larger, within the budget and the longest line; before
 * one that is too long the contents end, and hop__input_bad says so. */
hop_status hop__input_lines(hop_context *context, hop__input *input, const char **bytes,
                            size_t *count);
/* The block of the last hop__input_lines and what comes behind it, from its first byte on: at least
 * `want` bytes, unless the contents are shorter. The block stays what it is, at *bytes now. */
hop_status hop__input_ahead(hop_context *context, hop__input *input, size_t want,
                            const char **bytes, size_t *count);
/* The line before which the last block ended, or NULL. */
const hop__bad_line *hop__input_bad(const hop__input *input);
/* Whether the last block is a comment that was too long, of which only the beginning is there. */
bool hop__input_cut(const hop__input *input);
/* Offset in the contents of the first byte of the block of the last hop__input_lines. */
uint64_t hop__input_block_offset(const hop__input *input);
/* Bytes taken from the file so far (compressed ones when it is), for progress. */
uint64_t hop__input_consumed(const hop__input *input);
/* What progress counts to: the size of the file, or 0 for a stream. */
uint64_t hop__input_file_size(const hop__input *input);

/* All the bytes at once, for binary formats, read into memory within the budget and the byte
 * limit. They stay valid until the input is closed. Aligned to 64 bytes unless they came from
 * hop__input_open_memory. */
hop_status hop__input_whole(hop_context *context, hop__input *input, const unsigned char **bytes,
                            uint64_t *count);
/* Bytes offset .. offset+count-1 into the caller's array, in parallel: for arrays that are to be
 * read where they will stay. Only plain files and memory, not compressed (hop__input_size > 0);
 * past the end is an error with the offset. */
hop_status hop__input_read_at(hop_context *context, hop__input *input, uint64_t offset, void *bytes,
                              uint64_t count);
/* The same for the first bytes, where a file that is too short ends inside its header. */
hop_status hop__input_read_header(hop_context *context, hop__input *input, void *header,
                                  size_t count);
/* Whether bytes can be had at any offset, from any thread: a plain file or memory, not compressed.
 */
bool hop__input_is_random(const hop__input *input);
/* Bytes offset .. offset+count-1 (within the size) of such an input, by the calling thread alone.
 * 0, or a number for hop__input_fail_fetch. */
HOP_API int hop__input_fetch(const hop__input *input, uint64_t offset, void *bytes, size_t count);
HOP_API hop_status hop__input_fail_fetch(hop_context *context, const hop__input *input, int error);
/* The file descriptor of a plain file that is not compressed, to map it for longer (native
 * format), else -1. It is closed with the input. */
int hop__input_descriptor(const hop__input *input);

/* Sizes of blocks and of the pieces that one thread parses; for tests of what happens at their
 * edges. Before the first hop__input_lines. */
void hop__input_set_sizes(hop__input *input, size_t block_bytes, size_t chunk_bytes);
size_t hop__input_chunk(const hop__input *input);

/* Of a file that several read together (io/text/parts.h): what this one reads, or NULL. Only for
 * hop__input_is_random, before the first hop__input_lines. */
struct hop__parts;
void hop__input_set_parts(hop__input *input, struct hop__parts *parts);
struct hop__parts *hop__input_parts(const hop__input *input);

/* Notes the file of the last failure: the path as it was given. */
hop_status hop__input_note(hop_context *context, const hop__input *input);
/* "name: cannot open: No such file or directory". */
hop_status hop__input_fail_system(hop_context *context, const hop__input *input, const char *verb,
                                  int error);
/* Fails with HOP_ERR_INPUT and "name:line: ..." or "name: byte offset: ...". */
HOP_PRINTF(4, 5)
hop_status hop__input_fail_line(hop_context *context, const hop__input *input, uint64_t line,
                                const char *format, ...);
HOP_PRINTF(4, 5)
hop_status hop__input_fail_offset(hop_context *context, const hop__input *input, uint64_t offset,
                                  const char *format, ...);

#endif
