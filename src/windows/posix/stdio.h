/* SPDX-License-Identifier: Apache-2.0
 * Bytes as they are, and files replaced by a rename. */
#ifndef HOPLITE_WINDOWS_POSIX_STDIO_H
#define HOPLITE_WINDOWS_POSIX_STDIO_H

#include_next <stdio.h>

#include <sys/types.h>

#define fopen  hop__windows_fopen
#define rename hop__windows_rename

FILE *hop__windows_fopen(const char *path, const char *mode);
int hop__windows_rename(const char *from, const char *to);
ssize_t getline(char **line, size_t *room, FILE *file);

#endif
