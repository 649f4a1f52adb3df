/* SPDX-License-Identifier: Apache-2.0
 * The last place of a byte. */
#ifndef HOPLITE_WINDOWS_POSIX_STRING_H
#define HOPLITE_WINDOWS_POSIX_STRING_H

#include_next <string.h>

void *memrchr(const void *bytes, int wanted, size_t count);
char *strsep(char **rest, const char *marks);

#endif
