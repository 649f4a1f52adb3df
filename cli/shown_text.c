/* SPDX-License-Identifier: Apache-2.0
 *
 * Text from outside as it is shown: see shown_text.h. */
#include "shown_text.h"

#include <stdbool.h>
#include <stdlib.h>

size_t utf8_length(const unsigned char *s) {
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    /* Overlong forms, surrogates, and beyond U+10FFFF. */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return length;
}

/* C0, DEL, and C1, which is U+0080 to U+009F. */
static bool is_control(const unsigned char *s) {
    return s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0);
}

void put_shown(FILE *file, const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    while (*s != '\0') {
        size_t length = utf8_length(s);
        bool escaped = length == 0 || is_control(s);
        length = length == 0 ? 1 : length;
        for (size_t i = 0; i < length; i++)
            fprintf(file, escaped ? "\\x%02x" : "%c", s[i]);
        s += length;
    }
}

void print_shown(FILE *file, const char *format, va_list rest) {
    char *text = NULL;
    if (vasprintf(&text, format, rest) < 0)
        return; /* no memory for a message */
    put_shown(file, text);
    free(text);
}
