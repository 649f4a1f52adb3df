/* SPDX-License-Identifier: Apache-2.0
 * Fields of tables; see text_field.h. */
#include "io/text/text_field.h"

#include <string.h>

static bool is_blank(char delimiter, char byte) {
    return byte == ' ' || (byte == '\t' && delimiter != '\t');
}

static bool is_delimiter(char delimiter, char byte) {
    return byte == delimiter || (delimiter == ' ' && byte == '\t');
}

/* What follows a field: its delimiter or the end of the row is taken. */
static hop__field_end take_end(char delimiter, const char **place, const char *end) {
    const char *at = *place;
    while (at < end && is_blank(delimiter, *at))
        at++;
    if (at < end && *at == '\r' && (at + 1 == end || at[1] == '\n'))
        at++;
    *place = at;
    if (at == end || *at == '\n') {
        *place = at == end ? end : at + 1;
        return HOP__FIELD_LAST;
    }
    if (delimiter == ' ') /* blanks were the delimiter */
        return at > *place || is_blank(' ', at[-1]) ? HOP__FIELD_MORE : HOP__FIELD_AFTER;
    if (*at != delimiter)
        return HOP__FIELD_AFTER;
    *place = at + 1;
    return HOP__FIELD_MORE;
}

static hop__field_end take_quoted(char delimiter, const char **place, const char *end,
                                  hop__field *field) {
    const char *at = *place + 1;
    field->at = at;
    field->quoted = true;
    for (;;) {
        const char *quote = at < end ? memchr(at, '"', (size_t)(end - at)) : NULL;
        if (quote == NULL) {
            field->length = (size_t)(end - field->at);
            *place = end;
            return HOP__FIELD_OPEN;
        }
        at = quote + 1;
        if (at == end || *at != '"') {
            field->length = (size_t)(quote - field->at);
            break;
        }
        field->doubled = true;
        at++;
    }
    *place = at;
    return take_end(delimiter, place, end);
}

hop__field_end hop__text_field(char delimiter, const char **place, const char *end,
                               hop__field *field) {
    const char *at = *place;
    *field = (hop__field){.at = at};
    while (at < end && is_blank(delimiter, *at))
        at++;
    *place = at;
    if (at < end && *at == '"')
        return take_quoted(delimiter, place, end, field);
    field->at = at;
    while (at < end && *at != '\n' && !is_delimiter(delimiter, *at))
        at++;
    const char *last = at;
    if ((at == end || *at == '\n') && last > field->at && last[-1] == '\r')
        last--;
    while (last > field->at && is_blank(delimiter, last[-1]))
        last--;
    field->length = (size_t)(last - field->at);
    *place = at;
    return take_end(delimiter, place, end);
}

size_t hop__field_copy(const hop__field *field, char *text) {
    size_t used = 0;
    for (size_t i = 0; i < field->length; i++) {
        text[used++] = field->at[i];
        i += field->doubled && field->at[i] == '"';
    }
    return used;
}
