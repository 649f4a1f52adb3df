/* SPDX-License-Identifier: Apache-2.0
 *
 * Names in the order of their bytes, as they come out of a name index (name_index.h). */
#ifndef HOPLITE_IO_FORMATS_NAME_ORDER_H
#define HOPLITE_IO_FORMATS_NAME_ORDER_H

#include "graph/vertex_names.h"

/* A short name has HOP__SHORT_NAME bytes at most, with zeros behind it, and its number plus 1 in 4
 * bytes; a long one is a record of an arena, with HOP__RECORD_HEAD bytes before the name. */
enum { HOP__SHORT_NAME = 12, HOP__SHORT_BYTES = 16, HOP__RECORD_HEAD = 8 };

typedef struct hop__record_head {
    uint32_t id, length;
} hop__record_head;

typedef struct hop__unsorted_names {
    const char *shorts; /* HOP__SHORT_BYTES each */
    uint64_t short_count;
    const uint64_t *longs; /* offsets in the arena */
    uint64_t long_count;
    const char *arena;
    uint64_t given; /* numbers are below this; not all need be used */
} hop__unsorted_names;

/* The names in their order, and, for each number, the place of its name among them, HOP_NO_VERTEX
 * where it is not used. The caller frees both. */
hop_status hop__names_sort(hop_context *context, const hop__unsorted_names *from,
                           hop__vertex_names **names, uint32_t **ranks);

#endif
