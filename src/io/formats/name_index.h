/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for the names of a text while it is read, by all threads at once.
 *
 * One open hash table for all threads: a slot is 0, or 24 bits of a name's hash and where the name
 * is in an arena of bytes. A thread that meets a new name writes it into the arena and puts it into
 * the slot by one compare-and-swap; who loses the race finds the winner's name there, and its own
 * number is not used. So a name is in memory once, and nothing is merged afterwards. Numbers come
 * in the order of arrival, which depends on the threads; hop__name_index_finish sorts the names and
 * says what becomes of each number, which does not.
 *
 * Names are looked up in batches, so that the cache misses of several are waited for together.
 * Memory while reading: the bytes and 8 per name in the arena, 8 in the list of places, 13 to 27 in
 * the table. While sorting: 20 per name beside the arena and the list. */
#ifndef HOPLITE_IO_FORMATS_NAME_INDEX_H
#define HOPLITE_IO_FORMATS_NAME_INDEX_H

#include "graph/vertex_names.h"

typedef struct hop__name_index hop__name_index;

enum { HOP__NAME_BATCH = 64 };

typedef struct hop__name_word {
    const char *at;
    uint32_t length; /* 1 to HOP_MAX_NAME */
    uint32_t id;     /* the number that it gets */
} hop__name_word;

hop_status hop__name_index_create(hop_context *context, hop__name_index **index);
/* NULL is allowed. */
void hop__name_index_free(hop__name_index *index);

/* Numbers up to HOP__NAME_BATCH names; any thread. False when there is no room: then one thread
 * calls hop__name_index_grow, while no other uses the index, and the names are tried again. */
bool hop__name_index_number(hop__name_index *index, hop__name_word *words, unsigned count);
hop_status hop__name_index_grow(hop_context *context, hop__name_index *index);

/* Numbers that were given, used or not; and back to the first `count` of them, while no other
 * thread uses the index. */
uint64_t hop__name_index_count(const hop__name_index *index);
void hop__name_index_cut(hop_context *context, hop__name_index *index, uint64_t count);

/* The names in the order of their bytes, and, for each number that was given, the place of its name
 * among them; the caller frees both. The index can only be freed afterwards. */
hop_status hop__name_index_finish(hop_context *context, hop__name_index *index,
                                  hop__vertex_names **names, uint32_t **ranks);

#endif
