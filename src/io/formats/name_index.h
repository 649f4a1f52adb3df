/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for the names of a text while it is read, by all threads at once.
 *
 * Two open hash tables for all threads. Names of up to 12 bytes, which most are, are in the slots
 * of the first one: 16 bytes for the name and its number, so that looking one up costs one cache
 * miss and no call. Longer names are in an arena of bytes, and a slot of the second table has 24
 * bits of the hash and where the name is. A thread that meets a new name puts it there by
 * compare-and-swap; who loses the race finds the winner's name, and its own number is not used. So
 * a name is in memory once, and nothing is merged afterwards. Numbers come in the order of
 * arrival, which depends on the threads; hop__name_index_finish sorts the names and says what
 * becomes of each number, which does not.
 *
 * Names are looked up in batches, so that the cache misses of several are waited for together.
 * Memory while reading: 21 to 43 bytes per short name; of a long one its bytes, 8 in the arena and
 * 13 to 27 in the table. While sorting: 20 per name, beside 16 of a short one, or 8 and the arena
 * of a long one. */
#ifndef HOPLITE_IO_FORMATS_NAME_INDEX_H
#define HOPLITE_IO_FORMATS_NAME_INDEX_H

#include "graph/vertex_names.h"

typedef struct hop__name_index hop__name_index;

/* HOP__NAME_SLACK: so many bytes from the beginning of a name may be read, whatever its length. */
enum { HOP__NAME_BATCH = 64, HOP__NAME_SLACK = 16 };

typedef struct hop__name_word {
    const char *at;
    uint32_t length; /* 1 to HOP_MAX_NAME, without zero bytes */
    uint32_t id;     /* the number that it gets */
    uint64_t hash;
    uint64_t first, end; /* of a short name: its bytes */
} hop__name_word;

hop_status hop__name_index_create(hop_context *context, hop__name_index **index);
/* NULL is allowed. */
void hop__name_index_free(hop__name_index *index);

/* Before names are numbered: sets `hash` and what follows, and fetches the slots, which takes as
 * long as some fifty names take to be found in a text. Any thread. */
void hop__name_index_look(const hop__name_index *index, hop__name_word *words, unsigned count);
/* Numbers up to HOP__NAME_BATCH names; any thread. False when there is no room: then one thread
 * calls hop__name_index_grow, while no other uses the index, and the names are tried again. */
bool hop__name_index_number(hop__name_index *index, hop__name_word *words, unsigned count);
hop_status hop__name_index_grow(hop_context *context, hop__name_index *index);

/* Numbers that were given, used or not; and back to the first `count` of them, while no other
 * thread uses the index. */
uint64_t hop__name_index_count(const hop__name_index *index);
hop_status hop__name_index_cut(hop_context *context, hop__name_index *index, uint64_t count);

/* The names in the order of their bytes, and, for each number that was given, the place of its name
 * among them, HOP_NO_VERTEX where it is not used; the caller frees both. The index can only be
 * freed afterwards. */
hop_status hop__name_index_finish(hop_context *context, hop__name_index *index,
                                  hop__vertex_names **names, uint32_t **ranks);

#endif
