/* SPDX-License-Identifier: Apache-2.0
 *
 * Files for the fuzz targets: in a folder of this process, in memory where the system has /dev/shm,
 * removed at exit. The paths that are returned are valid until the next call. */
#ifndef HOPLITE_FUZZ_SCRATCH_FILE_H
#define HOPLITE_FUZZ_SCRATCH_FILE_H

#include <stddef.h>

/* The path of a file with this name, which need not exist. */
const char *scratch_path(const char *name);

/* Writes the file and returns its path; aborts when that is not possible. The file stays open, and
 * its pages are used again by the next contents: making them is what takes long. */
const char *scratch_write(const char *name, const void *bytes, size_t count);

/* Removes the file, if there is one. */
void scratch_remove(const char *name);

#endif
