/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the rows of a graph on disk begin, in 2.25 bytes per vertex instead of 8: the degree of
 * each vertex in 16 bits, and the offset of every HOP__INDEX_GROUP-th. Degrees that do not fit are
 * in a list, of which there are at most arcs / 65535. */
#ifndef HOPLITE_STORE_ROW_INDEX_H
#define HOPLITE_STORE_ROW_INDEX_H

#include "core/context_internal.h"

enum { HOP__INDEX_GROUP = 32 };

typedef struct hop__big_row {
    uint64_t vertex, degree;
} hop__big_row;

typedef struct hop__row_index {
    uint64_t vertices, arcs;
    uint64_t *bases;    /* one per group */
    uint16_t *degrees;  /* UINT16_MAX: in the list */
    hop__big_row *bigs; /* ascending once sorted */
    uint64_t big_count, big_room;
} hop__row_index;

hop_status hop__row_index_open(hop_context *context, uint64_t vertices, uint64_t arcs,
                               hop__row_index *index);
void hop__row_index_close(hop__row_index *index);
uint64_t hop__row_index_bytes(uint64_t vertices, uint64_t arcs);

/* Takes the offsets of `count` vertices from `first` on, a multiple of HOP__INDEX_GROUP, and the
 * one after them. False: they fall, or leave the arcs. Any thread, each vertex once. */
bool hop__row_index_take(hop__row_index *index, uint64_t first, uint64_t count, const void *offsets,
                         size_t width);
/* After the last of them. */
void hop__row_index_sort(hop__row_index *index);

uint64_t hop__big_degree(const hop__row_index *index, uint64_t vertex);

static inline uint64_t hop__index_degree(const hop__row_index *index, uint64_t vertex) {
    uint16_t degree = index->degrees[vertex];
    return degree == UINT16_MAX ? hop__big_degree(index, vertex) : degree;
}

/* Where the row of a vertex begins; of `vertices` itself, the end of the last. */
static inline uint64_t hop__index_begin(const hop__row_index *index, uint64_t vertex) {
    uint64_t v = vertex / HOP__INDEX_GROUP * HOP__INDEX_GROUP;
    uint64_t begin = index->bases[vertex / HOP__INDEX_GROUP], most = 0;
    for (; v < vertex; v++) {
        begin += index->degrees[v];
        most = index->degrees[v] > most ? index->degrees[v] : most;
    }
    if (most == UINT16_MAX)
        for (v = vertex / HOP__INDEX_GROUP * HOP__INDEX_GROUP; v < vertex; v++)
            begin += hop__index_degree(index, v) - index->degrees[v];
    return begin;
}

#endif
