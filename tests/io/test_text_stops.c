/* SPDX-License-Identifier: Apache-2.0
 * Where fields end: both ways of looking, against a look at each byte. */
#include "core/core_testing.h"
#include "io/text/text_stops.h"

static uint64_t byte_by_byte(const char *at, char a, char b) {
    uint64_t stops = 0;
    for (unsigned i = 0; i < 64; i++)
        stops |= (uint64_t)(at[i] == a || at[i] == b) << i;
    return stops;
}

static void check(const char *at, char a, char b) {
    uint64_t expected = byte_by_byte(at, a, b);
    assert_true(hop__stops(at, a, b) == expected);
    assert_true(hop__stops_by_words(at, a, b) == expected);
}

/* Each byte at each place, alone and beside bytes that differ from it in one bit. */
static void test_every_byte(void **state) {
    (void)state;
    char text[64];
    for (unsigned byte = 0; byte < 256; byte++)
        for (unsigned place = 0; place < 64; place++) {
            memset(text, (int)(byte ^ 1u << place % 8), sizeof text);
            text[place] = (char)byte;
            check(text, (char)byte, '\n');
            check(text, '\n', (char)byte);
            check(text, (char)(byte ^ 128), (char)byte);
        }
}

static void test_random_bytes(void **state) {
    (void)state;
    static const char bytes[] = ",\n-+,.;\x8a\xac";
    char text[256];
    uint32_t random = 1;
    for (unsigned round = 0; round < 2000; round++) {
        for (unsigned i = 0; i < sizeof text; i++) {
            random = random * 1664525 + 1013904223;
            text[i] = bytes[random >> 24 & 7];
        }
        for (unsigned i = 0; i + 64 <= sizeof text; i += 13)
            check(text + i, ',', '\n');
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
