/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of text and words in them (see text_scan.h). */
#include "io/text/text_scan.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/progress.h"
#include "graph/numbers.h"
#include "io/text/text_number.h"

static hop_status next_block(hop__text *text) {
    text->at = 0;
    hop_status status = hop__input_lines(text->context, text->input, &text->block, &text->count);
    const hop__bad_line *bad = hop__input_bad(text->input);
    return status == HOP_OK && bad != NULL
               ? hop__input_fail_long(text->context, text->input, text->line, bad)
               : status;
}

hop_status hop__text_open(hop__text *text, hop_context *context, hop__input *input,
                          const char *comments) {
    *text = (hop__text){.context = context, .input = input, .line = 1};
    hop__input_set_lines(input, 0, comments);
    hop__progress_begin(context, "read: text", hop__input_file_size(input));
    hop_status status = next_block(text);
    if (status == HOP_OK && text->count >= 3 && memcmp(text->block, "\xef\xbb\xbf", 3) == 0)
        text->at = 3; /* a byte order mark, as some editors write */
    return status;
}

hop_status hop__text_close(hop__text *text, hop_status status) {
    hop_status ended = hop__progress_end(text->context);
    return status == HOP_OK ? ended : status;
}

/* Makes sure that there is something at `at`, unless the contents have ended. */
static hop_status advance(hop__text *text) {
    if (text->at < text->count || text->count == 0)
        return HOP_OK;
    uint64_t consumed = hop__input_consumed(text->input);
    bool go_on = hop__progress_add(text->context, consumed - text->reported);
    text->reported = consumed;
    if (!go_on)
        return hop__progress_end(text->context);
    return next_block(text);
}

const char *hop__line_end(const char *at, const char *end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    if (newline == NULL)
        newline = end;
    return newline > at && newline[-1] == '\r' ? newline - 1 : newline;
}

hop_status hop__text_line(hop__text *text, const char **line, const char **end) {
    *line = *end = NULL;
    hop_status status = advance(text);
    if (status != HOP_OK || text->at >= text->count)
        return status;
    *line = text->block + text->at;
    *end = hop__line_end(*line, text->block + text->count);
    return HOP_OK;
}

void hop__text_take(hop__text *text) {
    const char *begin = text->block + text->at;
    const char *newline = memchr(begin, '\n', text->count - text->at);
    text->at = newline == NULL ? text->count : (size_t)(newline - text->block) + 1;
    text->line++;
}

hop_status hop__text_ahead(hop__text *text, size_t most, const char **begin, const char **end) {
    size_t count;
    hop_status status =
        hop__input_ahead(text->context, text->input, text->at + most, &text->block, &count);
    count -= status == HOP_OK ? text->at : 0;
    *begin = text->block + text->at;
    *end = *begin + (count < most ? count : most);
    return status;
}

hop_status hop__text_skip(hop__text *text, size_t bytes) {
    const char *line, *end;
    hop_status status = HOP_OK;
    while (bytes > 0) {
        status = hop__text_line(text, &line, &end);
        if (status != HOP_OK || line == NULL)
            break;
        size_t before = text->at;
        hop__text_take(text);
        bytes -= text->at - before < bytes ? text->at - before : bytes;
    }
    return status;
}

uint64_t hop__text_newlines(const char *begin, const char *end) {
    uint64_t sum = 0;
    /* Byte counters of 16 lanes, emptied before they can overflow: compilers make vectors of it. */
    while (end - begin >= 16) {
        unsigned char lanes[16] = {0};
        ptrdiff_t rounds = (end - begin) / 16;
        if (rounds > 255)
            rounds = 255;
        for (ptrdiff_t round = 0; round < rounds; round++, begin += 16)
            for (int lane = 0; lane < 16; lane++)
                lanes[lane] = (unsigned char)(lanes[lane] + (begin[lane] == '\n'));
        for (int lane = 0; lane < 16; lane++)
            sum += lanes[lane];
    }
    for (; begin < end; begin++)
        sum += *begin == '\n';
    return sum;
}

/* ---- words ------------------------------------------------------------------------------- */

bool hop__text_word(const char **at, const char *end, const char **word, size_t *length) {
    const char *start = hop__skip_blanks(*at, end), *stop = start;
    while (stop < end && *stop != ' ' && *stop != '\t')
        stop++;
    if (start == stop)
        return false;
    *word = start;
    *length = (size_t)(stop - start);
    *at = stop;
    return true;
}

bool hop__text_keyword(const char **at, const char *end, const char *word) {
    const char *next = *at, *found;
    size_t length;
    if (!hop__text_word(&next, end, &found, &length) || length != strlen(word) ||
        strncasecmp(found, word, length) != 0)
        return false;
    *at = next;
    return true;
}

bool hop__text_integer(const char **at, const char *end, uint64_t *value) {
    const char *next = *at, *word;
    size_t length;
    if (!hop__text_word(&next, end, &word, &length) || hop__take_u64(word, value) != next)
        return false;
    *at = next;
    return true;
}

bool hop__text_weight_type(const char **at, const char *end, hop_weight_type *type) {
    for (hop_weight_type i = HOP_TYPE_NONE; hop__is_weight_type(i); i++)
        if (hop__text_keyword(at, end, hop_type_name(i))) {
            *type = i;
            return true;
        }
    return false;
}

hop_status hop__text_foreign(const char *at, const char *end, const char *const *known) {
    for (; *known != NULL; known++)
        if (hop__text_keyword(&at, end, *known))
            return HOP_ERR_UNSUPPORTED;
    return HOP_ERR_INPUT;
}

const char *hop__text_quote(const char *at, const char *end, char text[64]) {
    const char *word;
    size_t length;
    if (!hop__text_word(&at, end, &word, &length))
        return "the end of the line";
    size_t shown = length > 24 ? 24 : length, used = 1;
    text[0] = '"';
    for (size_t i = 0; i < shown && used < 50; i++) {
        unsigned char byte = (unsigned char)word[i];
        used += (size_t)snprintf(text + used, 64 - used, isprint(byte) ? "%c" : "\\x%02x", byte);
    }
    snprintf(text + used, 64 - used, shown < length || used >= 50 ? "...\"" : "\"");
    return text;
}
