/* SPDX-License-Identifier: Apache-2.0
 * Text that a terminal can show: every byte, every pair, and rooms that are too small. */
#include "core/core_testing.h"
#include "core/printable.h"
#include "hoplite/hoplite.h"

#include <stdio.h>
#include <string.h>

static void assert_shown(const char *from, const char *expected) {
    char text[256];
    snprintf(text, sizeof text, "%s", from);
    hop__printable(text, sizeof text);
    assert_string_equal(text, expected);
    hop__printable(text, sizeof text); /* twice is as once */
    assert_string_equal(text, expected);
}

static void known_texts(void **state) {
    (void)state;
    assert_shown("", "");
    assert_shown("plain \\x1b text", "plain \\x1b text");
    assert_shown("a\033[2Jb", "a\\x1b[2Jb");
    assert_shown("a\nb\tc\rd\177", "a\\x0ab\\x09c\\x0dd\\x7f");
    assert_shown("Z\303\274rich \346\235\261 \360\237\230\200",
                 "Z\303\274rich \346\235\261 \360\237\230\200");
    assert_shown("\302\233 31m", "\\xc2\\x9b 31m");                      /* C1 */
    assert_shown("\377 \200 \303", "\\xff \\x80 \\xc3");                 /* no UTF-8 */
    assert_shown("\300\257 \355\240\200", "\\xc0\\xaf \\xed\\xa0\\x80"); /* overlong, surrogate */
    assert_shown("\364\220\200\200", "\\xf4\\x90\\x80\\x80");            /* beyond U+10FFFF */
}

/* Every pair of bytes: what is left has no control byte, and ends in the room. */
static void all_pairs(void **state) {
    (void)state;
    for (unsigned a = 1; a < 256; a++)
        for (unsigned b = 1; b < 256; b++)
            for (size_t room = 3; room <= 16; room += 13) {
                char text[16] = {(char)a, (char)b, 0};
                hop__printable(text, room);
                assert_true(strlen(text) < room);
                for (const unsigned char *s = (const unsigned char *)text; *s != 0; s++)
                    assert_true(*s >= 0x20 && *s != 0x7f);
            }
}

/* What gets into the message of a context is made so at one place. */
static void messages(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph = NULL;
    assert_int_not_equal(hop_graph_read(context, "/nowhere/\033[31m\n\377", NULL, &graph), HOP_OK);
    assert_non_null(strstr(hop_context_message(context), "/nowhere/\\x1b[31m\\x0a\\xff"));
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts),
        cmocka_unit_test(all_pairs),
        cmocka_unit_test(messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
