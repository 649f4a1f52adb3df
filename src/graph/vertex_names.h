/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of vertices as text: the bytes of all names one after the other, and where each begins.
 *
 * Names are in the order of their bytes, each greater than the one before, so that the numbering of
 * the vertices follows from the names alone, whatever the order of the edges and the number of
 * threads, and a name is found by halving, without a table. A list never changes, and graphs made
 * from one another share it: names are in memory once. Cost: their bytes and 8 per vertex.
 *
 * A list of a mapped file, or of a caller's arrays, belongs to them: a graph that is to live longer
 * gets a copy. Until such a list has been checked its offsets may be anything; hop__name_at stays
 * inside the bytes all the same. */
#ifndef HOPLITE_GRAPH_VERTEX_NAMES_H
#define HOPLITE_GRAPH_VERTEX_NAMES_H

#include <stdatomic.h>

#include "core/memory.h"
#include "hoplite/graph.h"

typedef struct hop__vertex_names {
    atomic_uint references;
    hop__pool *pool;
    uint64_t count;          /* names */
    uint64_t size;           /* bytes of all names */
    const uint64_t *offsets; /* count + 1 */
    const char *bytes;
    void *own_offsets, *own_bytes; /* blocks of the pool, or NULL: someone else's */
} hop__vertex_names;

/* An empty list, one reference. */
hop_status hop__vertex_names_create(hop_context *context, hop__vertex_names **list);
/* A list over arrays of others: `count` names, `size` bytes; size UINT64_MAX: as the last offset
 * says. NULL offsets give no list. */
hop_status hop__vertex_names_borrow(hop_context *context, const uint64_t *offsets,
                                    const char *bytes, uint64_t count, uint64_t size,
                                    hop__vertex_names **list);
/* One owner fewer; NULL is allowed. */
void hop__vertex_names_release(hop__vertex_names *list);

/* The same list, or a copy of one that belongs to others. NULL stays NULL. */
hop_status hop__vertex_names_share(hop_context *context, hop__vertex_names *from,
                                   hop__vertex_names **list);
/* The names of some vertices, which are ascending. NULL stays NULL. */
hop_status hop__vertex_names_pick(hop_context *context, const hop__vertex_names *from,
                                  const hop_vertex *vertices, hop_vertex count,
                                  hop__vertex_names **list);

/* Whether offsets and order are as they must be; in parallel. */
hop_status hop__vertex_names_check(hop_context *context, const hop__vertex_names *list);

/* Name number `index`, which is below count; *length is never beyond the bytes. */
const char *hop__name_at(const hop__vertex_names *list, uint64_t index, size_t *length);
/* The number of a name, or `count`. */
uint64_t hop__name_find(const hop__vertex_names *list, const char *name, size_t length);

/* Below 0, 0 or above it, as memcmp; the shorter of two that agree comes first. */
int hop__name_compare(const char *a, size_t a_length, const char *b, size_t b_length);

/* Bytes of the longest name. */
size_t hop__vertex_names_longest(const hop__vertex_names *list);

/* A name for messages: in quotes, cut short where it is long. */
typedef struct hop__vertex_text {
    char s[72];
} hop__vertex_text;
hop__vertex_text hop__name_text(const char *name, size_t length);

#endif
