/* SPDX-License-Identifier: Apache-2.0
 * The arcs of CSR arrays as an edge source; see csr_source.h. */
#include "graph/csr_source.h"

#include <string.h>

static inline uint64_t offset_at(const hop_csr *csr, uint64_t vertex) {
    return csr->offset_bytes == 4 ? ((const uint32_t *)csr->offsets)[vertex]
                                  : ((const uint64_t *)csr->offsets)[vertex];
}

/* The vertex whose row holds arc number `arc`. */
static uint64_t row_of(const hop_csr *csr, uint64_t arc) {
    uint64_t low = 0, high = csr->vertices;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (offset_at(csr, middle) <= arc)
            low = middle;
        else
            high = middle;
    }
    return low;
}

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
    uint64_t row = row_of(csr, first);
    for (uint32_t i = 0; i < count; i++) {
        while (offset_at(csr, row + 1) <= first + i)
            row++;
        tail[i] = (hop_vertex)row;
        head[i] = target_at(csr, first + i);
    }
    if (weights) {
        size_t size = hop_weight_size(csr->weight_type);
        memcpy(weights, (const unsigned char *)csr->weights + first * size, count * size);
    }
}

hop__edge_source hop__csr_edge_source(const hop__csr_source *user) {
    hop__edge_source source = {offset_at(&user->csr, user->csr.vertices), user->csr.weight_type,
                               fill, user};
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
    return csr;
}
