/* SPDX-License-Identifier: Apache-2.0
 * Environment, paths, and files that are gone when they are closed. */
#ifndef HOPLITE_WINDOWS_POSIX_STDLIB_H
#define HOPLITE_WINDOWS_POSIX_STDLIB_H

#include_next <stdlib.h>

#define secure_getenv getenv /* no program runs with the rights of another user */

/* Folders are told apart by '/', as everywhere in this library. */
char *realpath(const char *path, char *room);
/* Gone with its descriptor: who makes one removes its name at once. */
int mkostemp(char *name, int flags);
/* As malloc aligns it, to 16 bytes, so that free() takes it: more is asked for speed only. */
void *aligned_alloc(size_t alignment, size_t bytes);

#endif
