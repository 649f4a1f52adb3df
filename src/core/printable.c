/* SPDX-License-Identifier: Apache-2.0
 * Text that a terminal can show; see printable.h. */
#include "core/printable.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character at `s`; 0 when it is none. The 0 at the end is no continuation. */
static size_t character(const unsigned char *s) {
    static const struct {
        unsigned char low, high; /* of the first byte */
        unsigned char from, to;  /* of the second */
        size_t length;
    } forms[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
        {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    if (s[0] < 0x80)
        return 1;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (s[0] < forms[i].low || s[0] > forms[i].high)
            continue;
        bool good = s[1] >= forms[i].from && s[1] <= forms[i].to;
        for (size_t k = 2; k < forms[i].length && good; k++)
            good = (s[k] & 0xc0) == 0x80;
        return good ? forms[i].length : 0;
    }
    return 0;
}

static bool is_control(const unsigned char *s) {
    return s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0);
}

/* Where the first thing is that cannot stay, or the end. */
static const unsigned char *first_bad(const unsigned char *s) {
    while (*s != '\0' && !is_control(s) && character(s) > 0)
        s += character(s);
    return s;
}

void hop__printable(char *text, size_t size) {
    char made[2048];
    const unsigned char *s = (const unsigned char *)text;
    if (*first_bad(s) == '\0')
        return;
    size_t used = 0, room = size < sizeof made ? size : sizeof made;
    while (*s != '\0') {
        size_t length = character(s);
        bool escaped = length == 0 || is_control(s);
        length = length == 0 ? 1 : length;
        if (used + (escaped ? 4 * length : length) >= room)
            break;
        for (size_t i = 0; i < length; i++)
            used += (size_t)snprintf(made + used, room - used, escaped ? "\\x%02x" : "%c", s[i]);
        s += length;
    }
    made[used] = '\0';
    memcpy(text, made, used + 1);
}
