/* SPDX-License-Identifier: Apache-2.0
 * The last place of a byte; of a path's folders, which a user of Windows divides by '\\' too. */
#ifndef HOPLITE_WINDOWS_POSIX_STRING_H
#define HOPLITE_WINDOWS_POSIX_STRING_H

#include_next <string.h>

void *memrchr(const void *bytes, int wanted, size_t count);
char *strsep(char **rest, const char *marks);

/* strrchr(path, '/') is how every file finds where a path's folders end. */
char *hop__windows_strrchr(const char *text, int wanted);
#define strrchr(text, wanted) hop__windows_strrchr(text, wanted)

#endif
