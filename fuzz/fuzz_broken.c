/* SPDX-License-Identifier: Apache-2.0
 *
 * A target with a mistake, for the test of those who look for mistakes: it cannot have a number
 * above a thousand behind an "n". */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    char text[64] = "";
    memcpy(text, bytes, count < sizeof text ? count : sizeof text - 1);
    const char *n = strchr(text, 'n');
    if (n != NULL && strtol(n + 1, NULL, 10) > 1000)
        abort();
    return 0;
}
