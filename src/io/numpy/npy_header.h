/* SPDX-License-Identifier: Apache-2.0
 *
 * The header of a NumPy array file (.npy): what the bytes after it mean.
 *
 *     \x93NUMPY  major minor  length (2 bytes in version 1, 4 in versions 2 and 3)
 *     {'descr': '<i4', 'fortran_order': False, 'shape': (5,), }   spaces, newline
 *
 * The text is a Python dict. Only what NumPy writes is accepted: the three keys once each, in any
 * order; strings without escapes; at most two dimensions. */
#ifndef HOPLITE_IO_NUMPY_NPY_HEADER_H
#define HOPLITE_IO_NUMPY_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hoplite/status.h"

/* Headers longer than this are refused: NumPy's own are 128 bytes, ours below 1 KiB. */
enum { HOP__NPY_LONGEST_HEADER = 65536, HOP__NPY_OUR_HEADER = 1024 };

typedef struct hop__npy {
    char kind;       /* 'b' 'i' 'u' 'f' 'c' 'S' 'U' 'V'; 'R' for a record */
    bool fortran;    /* column after column */
    bool big_endian; /* items are wider than one byte, most significant first */
    uint64_t item_bytes;
    unsigned dimensions;
    uint64_t shape[2]; /* 1 where there is no such dimension */
    uint64_t items;
    uint64_t header_bytes; /* the array begins here */
    /* The type as it stands in the header, between its quotes or brackets; points into it. */
    const char *type;
    size_t type_length;
} hop__npy;

/* Reads the header at the beginning of `bytes`, of which `count` are at hand; the whole array
 * file has `size` bytes, which must be what the header says. Returns NULL, or what is wrong. */
const char *hop__npy_parse(const unsigned char *bytes, size_t count, uint64_t size, hop__npy *npy);

/* Bytes of the header, from its first 12: for reading the rest of it. 0: not an array file. */
size_t hop__npy_header_bytes(const unsigned char bytes[12]);

/* Writes a version 1 header for an array of `dimensions` 0, 1 or 2 and returns its length, a
 * multiple of 64. `type` is a NumPy type with its quotes or brackets, such as "'<i4'". */
HOP_API size_t hop__npy_format(unsigned char header[HOP__NPY_OUR_HEADER], const char *type,
                               unsigned dimensions, const uint64_t shape[2]);

#endif
