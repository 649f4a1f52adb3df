/* SPDX-License-Identifier: Apache-2.0
 * Files in memory, for reading. */
#ifndef HOPLITE_WINDOWS_POSIX_SYS_MMAN_H
#define HOPLITE_WINDOWS_POSIX_SYS_MMAN_H

#include <stddef.h>

enum { PROT_READ = 1, MAP_SHARED = 1, MAP_PRIVATE = 2, MADV_HUGEPAGE = 14 };
#define MAP_FAILED ((void *)-1)

void *mmap(void *wanted, size_t bytes, int protection, int flags, int descriptor, long long offset);
#define madvise(start, bytes, advice) ((void)(start), (void)(bytes), (void)(advice))
int munmap(void *start, size_t bytes);

#endif
