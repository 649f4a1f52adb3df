/* SPDX-License-Identifier: Apache-2.0
 * Where rows begin, in few bytes; see row_index.h. */
#include "store/row_index.h"

#include <stdlib.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/try.h"
#include "graph/graph_internal.h"

static uint64_t groups_of(uint64_t vertices) {
    return vertices / HOP__INDEX_GROUP + 1;
}

static uint64_t most_bigs(uint64_t vertices, uint64_t arcs) {
    uint64_t most = arcs / UINT16_MAX;
    return most < vertices ? most : vertices;
}

hop_status hop__row_index_open(hop_context *context, uint64_t vertices, uint64_t arcs,
                               hop__row_index *index) {
    hop_status status;
    *index =
        (hop__row_index){.vertices = vertices, .arcs = arcs, .big_room = most_bigs(vertices, arcs)};
    HOP_TRY(status, hop__alloc(context, "open: where rows begin", groups_of(vertices),
                               sizeof *index->bases, &index->bases));
    HOP_TRY(status, hop__alloc(context, "open: degrees", vertices, sizeof *index->degrees,
                               &index->degrees));
    HOP_TRY(status, hop__alloc(context, "open: large degrees", index->big_room, sizeof *index->bigs,
                               &index->bigs));
    /* Of the last group only where the last row ends is told by nobody else. */
    if (vertices % HOP__INDEX_GROUP == 0)
        index->bases[vertices / HOP__INDEX_GROUP] = arcs;
done:
    return status;
}

void hop__row_index_close(hop__row_index *index) {
    hop__free(index->bases);
    hop__free(index->degrees);
    hop__free(index->bigs);
}

uint64_t hop__row_index_bytes(uint64_t vertices, uint64_t arcs) {
    return hop__block_bytes(groups_of(vertices), 8) + hop__block_bytes(vertices, 2) +
           hop__block_bytes(most_bigs(vertices, arcs), sizeof(hop__big_row));
}

bool hop__row_index_take(hop__row_index *index, uint64_t first, uint64_t count, const void *offsets,
                         size_t width) {
    uint64_t begin = hop__offset_at(offsets, width, 0);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t end = hop__offset_at(offsets, width, i + 1), degree = end - begin;
        if (end < begin || end > index->arcs)
            return false;
        if (i % HOP__INDEX_GROUP == 0)
            index->bases[(first + i) / HOP__INDEX_GROUP] = begin;
        index->degrees[first + i] = degree < UINT16_MAX ? (uint16_t)degree : UINT16_MAX;
        if (degree >= UINT16_MAX) {
            uint64_t place = __atomic_fetch_add(&index->big_count, 1, __ATOMIC_RELAXED);
            if (place >= index->big_room)
                return false;
            index->bigs[place] = (hop__big_row){first + i, degree};
        }
        begin = end;
    }
    return true;
}

static int compare_bigs(const void *a, const void *b) {
    const hop__big_row *x = a, *y = b;
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

void hop__row_index_sort(hop__row_index *index) {
    if (index->big_count > 1)
        qsort(index->bigs, index->big_count, sizeof *index->bigs, compare_bigs);
}

uint64_t hop__big_degree(const hop__row_index *index, uint64_t vertex) {
    uint64_t low = 0, high = index->big_count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (index->bigs[middle].vertex <= vertex)
            low = middle;
        else
            high = middle;
    }
    return index->bigs[low].degree;
}
