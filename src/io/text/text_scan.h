/* SPDX-License-Identifier: Apache-2.0
 *
 * Text line by line, for headers and small files; text_flow.h has what comes after the header.
 *
 * HOP__INPUT_SLACK bytes past the end of every line may be read, and the byte at the end of a line
 * is never a digit: '\n', or '\r' which belongs to no line. */
#ifndef HOPLITE_IO_TEXT_TEXT_SCAN_H
#define HOPLITE_IO_TEXT_TEXT_SCAN_H

#include "io/bytes/input.h"

typedef struct hop__text {
    hop_context *context;
    hop__input *input;
    const char *block;
    size_t count, at; /* bytes of the block; those before `at` are done with */
    uint64_t line;    /* number of the line at `at` */
    uint64_t reported;
} hop__text;

/* Begins reading (and a phase of progress). `comments` are the bytes that lines to be ignored begin
 * with. */
hop_status hop__text_open(hop__text *text, hop_context *context, hop__input *input,
                          const char *comments);
/* Ends it; returns `status`, or that the caller has cancelled. */
hop_status hop__text_close(hop__text *text, hop_status status);

/* The next line, without its newline and a '\r' before it; not taken yet. *line is NULL at the end
 * of the contents. */
hop_status hop__text_line(hop__text *text, const char **line, const char **end);
/* Takes the line that was looked at. */
void hop__text_take(hop__text *text);

/* What comes from the line that was looked at on, over the ends of blocks: `most` bytes, or all
 * that is left. Lines that were looked at before have moved. */
hop_status hop__text_ahead(hop__text *text, size_t most, const char **begin, const char **end);
/* Takes the lines of the next `bytes` bytes. */
hop_status hop__text_skip(hop__text *text, size_t bytes);

uint64_t hop__text_newlines(const char *begin, const char *end);

/* The end of the line at `at`, at most `end`; a '\r' before the newline does not belong to it. */
const char *hop__line_end(const char *at, const char *end);

static inline const char *hop__skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* The next word of a line: what stands up to a blank. *at moves behind it. False at the end. */
bool hop__text_word(const char **at, const char *end, const char **word, size_t *length);
/* Whether the next word is this one (in any case); if so *at moves behind it. */
bool hop__text_keyword(const char **at, const char *end, const char *word);
/* The next word as a number without a sign; *at moves behind it if it is one. */
bool hop__text_integer(const char **at, const char *end, uint64_t *value);
/* "float32" and so on; false when the word is none of the weight types. */
bool hop__text_weight_type(const char **at, const char *end, hop_weight_type *type);

/* HOP_ERR_UNSUPPORTED when the next word is one of these, up to NULL, which the format knows but no
 * graph here can be; else HOP_ERR_INPUT: it means nothing. */
hop_status hop__text_foreign(const char *at, const char *end, const char *const *known);

/* What stands at `at`, for messages: the word in quotes, or "the end of the line". */
const char *hop__text_quote(const char *at, const char *end, char text[64]);

#endif
