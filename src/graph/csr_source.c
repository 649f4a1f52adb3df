/* SPDX-License-Identifier: Apache-2.0
 * The arcs of CSR arrays as an edge source; see csr_source.h. */
#include "graph/csr_source.h"

#include <string.h>

static inline hop_vertex target_at(const hop_csr *csr, uint64_t arc) {
    if (csr->target_bytes == 4)
        return ((const uint32_t *)csr->targets)[arc];
    uint64_t target = ((const uint64_t *)csr->targets)[arc];
    return target > HOP_MAX_VERTICES ? HOP_NO_VERTEX : (hop_vertex)target;
}

static void fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from, hop_vertex *to,
                 void *weights) {
    const hop__csr_source *source = user;
    const hop_csr *csr = &source->csr;
    hop_vertex *tail = source->swap ? to : from, *head = source->swap ? from : to;
    uint64_t row = hop__row_among(csr->offsets, csr->offset_bytes, csr->vertices, first);
    for (uint32_t i = 0; i < count; i++) {
        while (hop__offset_at(csr->offsets, csr->offset_bytes, row + 1) <= first + i)
            row++;
        tail[i] = (hop_vertex)row;
        head[i] = target_at(csr, first + i);
    }
    if (weights) {
        size_t size = hop_type_size(csr->weight_type);
        memcpy(weights, (const unsigned char *)csr->weights + first * size, count * size);
    }
}

hop__edge_source hop__csr_edge_source(const hop__csr_source *user) {
    hop__edge_source source = {
        hop__offset_at(user->csr.offsets, user->csr.offset_bytes, user->csr.vertices),
        user->csr.weight_type, fill, user};
    return source;
}

hop_csr hop__graph_csr(const hop_graph *graph) {
    hop_csr csr = HOP_CSR_INIT;
    csr.vertices = graph->vertices;
    csr.offsets = graph->offsets;
    csr.offset_bytes = graph->offset_bytes;
    csr.targets = graph->targets;
    csr.weights = graph->weights;
    csr.weight_type = graph->weight_type;
    csr.labels = graph->labels;
    csr.first_id = graph->first_id;
    csr.name_offsets = graph->names != NULL ? graph->names->offsets : NULL;
    csr.name_bytes = graph->names != NULL ? graph->names->bytes : NULL;
    return csr;
}
