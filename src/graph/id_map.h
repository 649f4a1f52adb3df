/* SPDX-License-Identifier: Apache-2.0
 *
 * From ids to vertex numbers: the distinct ids, in ascending order, are vertices 0..n-1.
 *
 * A set collects ids, part by part: in a bitmap while that is small, else in a sorted array that
 * parts are merged into. A map finds the number of an id: by its rank in a bitmap, or by searching
 * the sorted ids, which are the labels. */
#ifndef HOPLITE_GRAPH_ID_MAP_H
#define HOPLITE_GRAPH_ID_MAP_H

#include "core/context_internal.h"
#include "hoplite/graph.h"

enum { HOP__RANK_WORDS = 8 /* of the bitmap per stored rank: one cache line */ };

typedef struct hop__id_map {
    uint64_t *map; /* NULL: the labels are searched */
    uint64_t *ranks;
    const uint64_t *labels; /* not the map's own */
    uint64_t count;
    /* table[id >> shift] is the first label that has these high bits, or more. */
    uint32_t *table;
    unsigned shift;
    uint64_t largest;
} hop__id_map;

/* The failure of more ids than vertices are possible. */
hop_status hop__id_too_many(hop_context *context, uint64_t count);

/* Of the ids that are set in a bitmap, which the map takes; all that are looked up must be among
 * them. *labels, of which there are *count, are the caller's. */
hop_status hop__id_map_of_bits(hop_context *context, uint64_t **bits, uint64_t words,
                               hop__id_map *map, uint64_t **labels, uint64_t *count);
/* Of ascending labels, which must outlive the map. */
hop_status hop__id_map_of_labels(hop_context *context, const uint64_t *labels, uint64_t count,
                                 hop__id_map *map);
void hop__id_map_clear(hop__id_map *map);

static inline hop_vertex hop__id_rank(const hop__id_map *look, uint64_t id) {
    uint64_t word = id / 64, group = word / HOP__RANK_WORDS, rank = look->ranks[group];
    for (uint64_t i = group * HOP__RANK_WORDS; i < word; i++)
        rank += (uint64_t)__builtin_popcountll(look->map[i]);
    return (hop_vertex)(rank + (uint64_t)__builtin_popcountll(look->map[word] &
                                                              ((UINT64_C(1) << (id % 64)) - 1)));
}

/* The vertex number of an id, or HOP_NO_VERTEX. */
static inline hop_vertex hop__id_find(const hop__id_map *look, uint64_t id) {
    if (look->map)
        return hop__id_rank(look, id);
    if (id > look->largest || look->count == 0)
        return HOP_NO_VERTEX;
    uint64_t low = look->table[id >> look->shift], high = look->table[(id >> look->shift) + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (look->labels[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < look->count && look->labels[low] == id ? (hop_vertex)low : HOP_NO_VERTEX;
}

typedef struct hop__id_set {
    uint64_t *bits; /* NULL when there are ids too large for a bitmap */
    uint64_t words;
    uint64_t *sorted; /* then: distinct, ascending */
    uint64_t count;
} hop__id_set;

/* Adds ids of 4 or 8 bytes, in parallel. */
hop_status hop__id_set_add(hop_context *context, hop__id_set *set, const void *ids, size_t id_bytes,
                           uint64_t count);
/* Makes the map; empties the set. *labels, of which there are *count, are the caller's. */
hop_status hop__id_set_finish(hop_context *context, hop__id_set *set, hop__id_map *map,
                              uint64_t **labels, uint64_t *count);
void hop__id_set_clear(hop__id_set *set);

#endif
