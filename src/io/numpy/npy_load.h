/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays out of a zip archive into memory, in the type that the caller wants.
 *
 * For files that cannot be used as they lie: deflated, unaligned, big-endian, other types. Every
 * member's checksum is compared, and every item must have the same value in the wanted type. */
#ifndef HOPLITE_IO_NUMPY_NPY_LOAD_H
#define HOPLITE_IO_NUMPY_NPY_LOAD_H

#include "io/numpy/npy_header.h"
#include "io/numpy/zip_read.h"

/* A member that is an array, its header read. */
typedef struct hop__npy_member {
    const hop__zip_member *member;
    const char *name;
    hop__npy npy; /* npy.type is only valid until the next member is opened */
} hop__npy_member;

/* What an item is turned into. */
typedef struct hop__npy_target {
    char kind; /* 'u', 'i' or 'f' */
    size_t bytes;
} hop__npy_target;

typedef struct hop__npy_job {
    const hop__npy_member *array;
    hop__npy_target target;
    void *items; /* room for all of them */
    /* What went wrong, set by hop__npy_load. */
    int failure;
    uint64_t at;   /* item */
    uint32_t *crc; /* of each piece, when stored */
    unsigned char *scratch;
} hop__npy_job;

/* The archive with a buffer to unpack headers into. */
typedef struct hop__npy_archive {
    const hop__input *input;
    hop__zip zip;
    unsigned char *scratch; /* HOP__NPY_SCRATCH bytes */
} hop__npy_archive;

enum { HOP__NPY_SCRATCH = 120 << 10 };

/* Finds the member `name` and reads its header. array->member is NULL when there is none. */
hop_status hop__npy_member_open(hop_context *context, hop__npy_archive *archive, const char *name,
                                hop__npy_member *array);

/* Copies the items of a small array (all of its bytes must be `bytes`, at most 65536) as they lie
 * in the file. */
hop_status hop__npy_member_fetch(hop_context *context, hop__npy_archive *archive,
                                 const hop__npy_member *array, void *items, size_t bytes);

/* Whether the items can be turned into the target without leaving its kind: any integer into an
 * integer, float32 and float64 into themselves. */
bool hop__npy_convertible(const hop__npy *npy, hop__npy_target target);

/* Fills every job's items, members side by side on the context's threads. */
hop_status hop__npy_load(hop_context *context, const hop__npy_archive *archive, hop__npy_job *jobs,
                         unsigned count);

#endif
