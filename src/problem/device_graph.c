/* SPDX-License-Identifier: Apache-2.0
 * Graphs on a device; see device_graph.h. */
#include "problem/device_graph.h"

#include <string.h>

#include "core/options.h"
#include "core/try.h"

/* One array of a graph. */
typedef struct part {
    const char *what;
    uint64_t count;
    size_t size, slot; /* of hop__device_graph */
    const void *array;
    const hop_graph *graph;
} part;

enum { PARTS_MOST = 5 };

const hop_graph *hop__device_graph_in(const hop_graph *graph) {
    const hop_graph *reverse = hop_graph_prepared_reverse(graph);
    /* Other offsets would take another program. */
    return reverse && reverse->offset_bytes == graph->offset_bytes ? reverse : NULL;
}

static size_t rows_of(const hop_graph *graph, size_t offsets, size_t targets, part *parts) {
    parts[0] = (part){.what = "graph: offsets",
                      .count = graph->vertices + UINT64_C(1),
                      .size = graph->offset_bytes,
                      .slot = offsets,
                      .array = graph->offsets,
                      .graph = graph};
    parts[1] = (part){.what = "graph: arcs",
                      .count = graph->arcs,
                      .size = sizeof(hop_vertex),
                      .slot = targets,
                      .array = graph->targets,
                      .graph = graph};
    return 2;
}

/* The arrays of the graph that are asked for; how many there are. */
static size_t parts_of(const hop_graph *graph, unsigned wanted, part parts[PARTS_MOST]) {
    size_t count = rows_of(graph, offsetof(hop__device_graph, offsets),
                           offsetof(hop__device_graph, targets), parts);
    const hop_graph *in = wanted & HOP__GRAPH_REVERSE ? hop__device_graph_in(graph) : NULL;
    if (wanted & HOP__GRAPH_WEIGHTS && graph->weight_type != HOP_TYPE_NONE)
        parts[count++] = (part){.what = "graph: weights",
                                .count = graph->arcs,
                                .size = hop_type_size(graph->weight_type),
                                .slot = offsetof(hop__device_graph, weights),
                                .array = graph->weights,
                                .graph = graph};
    if (in && in != graph)
        count += rows_of(in, offsetof(hop__device_graph, in_offsets),
                         offsetof(hop__device_graph, in_targets), parts + count);
    return count;
}

void hop__device_graph_blocks(hop__workspace *space, size_t at, const hop_graph *graph,
                              unsigned wanted) {
    part parts[PARTS_MOST];
    size_t count = parts_of(graph, wanted, parts);
    for (size_t i = 0; i < count; i++)
        hop__borrow_add(space, parts[i].what, parts[i].count, parts[i].size, at + parts[i].slot,
                        parts[i].array, true)
            ->life = hop__graph_life(parts[i].graph);
}

hop__graph_copy hop__device_graph_copy(hop__device *device, const hop_graph *graph,
                                       unsigned wanted) {
    part parts[PARTS_MOST];
    hop__graph_copy copy = {0, 0};
    if (hop__device_shares_memory(device))
        return copy;
    size_t count = parts_of(graph, wanted, parts);
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = parts[i].count * parts[i].size;
        bool there =
            hop__buffer_is_kept(device, bytes, parts[i].array, hop__graph_life(parts[i].graph));
        *(there ? &copy.there : &copy.missing) += bytes;
    }
    return copy;
}

/* --- hop_graph_prepare ----------------------------------------------------------------------- */

typedef struct prepared {
    hop__device_graph rows;
} prepared;

static void prepared_blocks(const void *graph, hop__workspace *space) {
    hop__device_graph_blocks(space, offsetof(prepared, rows), graph,
                             HOP__GRAPH_WEIGHTS | HOP__GRAPH_REVERSE);
}

static hop_status bring(hop_context *context, const hop_graph *graph) {
    hop_status status;
    hop__device *device = NULL;
    hop__workspace space = {0};
    prepared state = {{0}};
    HOP_TRY(status, hop__device_of(context, &device));
    if (hop__device_shares_memory(device))
        return HOP_OK; /* it is there, where the host has it */
    hop__need need = hop__blocks_need(prepared_blocks, graph, device);
    HOP_TRY(status, hop__device_check_need(device, "prepare: graph", need.bytes[HOP__MEMORY_DEVICE],
                                           need.largest));
    HOP_TRY(status, hop__workspace_open(context, device, prepared_blocks, graph, &state, &space));
    status = hop__device_finish(device);
done:
    hop__workspace_close(&space, status);
    return status;
}

hop_status hop_graph_prepare(hop_context *context, hop_graph *graph, unsigned what) {
    hop_status status = hop__graph_derive(context, graph, what & ~HOP_PREPARE_DEVICE);
    return status == HOP_OK && what & HOP_PREPARE_DEVICE ? bring(context, graph) : status;
}

/* --- graphs of arrays that are on the device ------------------------------------------------- */

/* The host's copies, which the graph has until it is freed. */
typedef struct fetched {
    void *offsets, *targets, *weights;
} fetched;

static void fetched_free(void *owner) {
    fetched *arrays = owner;
    if (arrays != NULL) {
        hop__free(arrays->offsets);
        hop__free(arrays->targets);
        hop__free(arrays->weights);
    }
    hop__free(arrays);
}

static hop_status fetch_csr(hop__device *device, const hop_csr *csr, fetched *arrays) {
    hop_status status;
    uint64_t arcs = 0;
    HOP_TRY(status, hop__lent_fetch(device, "graph: offsets", csr->offsets, csr->vertices + 1,
                                    csr->offset_bytes, &arrays->offsets));
    if (arrays->offsets != NULL)
        arcs = csr->offset_bytes == 8 ? ((const uint64_t *)arrays->offsets)[csr->vertices]
                                      : ((const uint32_t *)arrays->offsets)[csr->vertices];
    HOP_TRY(status, hop__lent_fetch(device, "graph: arcs", csr->targets, arcs, csr->target_bytes,
                                    &arrays->targets));
    HOP_TRY(status, hop__lent_fetch(device, "graph: weights", csr->weights, arcs,
                                    hop_type_size(csr->weight_type), &arrays->weights));
done:
    return status;
}

/* The graph's rows are the caller's, if they are what was fetched. */
static hop_status adopt(hop__device *device, const hop_csr *csr, const fetched *arrays,
                        const hop_graph *graph) {
    hop_status status = HOP_OK;
    part parts[PARTS_MOST];
    const void *const there[] = {csr->offsets, csr->targets, csr->weights};
    if (graph->offsets != arrays->offsets || graph->targets != arrays->targets ||
        graph->weights != arrays->weights) {
        hop__log(hop__device_context(device), HOP_LOG_INFO,
                 "graph: the rows on the device are not sorted, or ids have 8 bytes; the copy that "
                 "is goes there with the first search");
        return HOP_OK;
    }
    size_t count = parts_of(graph, HOP__GRAPH_WEIGHTS, parts);
    for (size_t i = 0; i < count; i++)
        if (parts[i].count > 0)
            HOP_TRY(status, hop__buffer_adopt(device, parts[i].what, parts[i].count * parts[i].size,
                                              parts[i].array, hop__graph_life(graph), there[i]));
done:
    return status;
}

hop_status hop_graph_from_device(hop_context *context, const hop_csr *given,
                                 const hop_csr_options *options, hop_graph **graph) {
    hop_status status;
    hop_csr csr = HOP_CSR_INIT, host;
    hop__device *device = NULL;
    fetched *arrays = NULL;
    bool owned = false;
    if (!context || !given || !graph)
        return hop__missing(context, "hop_graph_from_device");
    *graph = NULL;
    HOP_TRY(status, hop__options_take(context, "HOP_CSR_INIT", given, &csr, sizeof csr));
    if (csr.release || csr.vertices >= HOP_NO_VERTEX || !csr.offsets ||
        (csr.offset_bytes != 4 && csr.offset_bytes != 8) ||
        (csr.target_bytes != 4 && csr.target_bytes != 8))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "graph: %llu vertices with offsets of %zu bytes and ids of %zu%s: not "
                         "rows on a device",
                         (unsigned long long)csr.vertices, csr.offset_bytes, csr.target_bytes,
                         csr.release ? ", to be released" : "");
    HOP_TRY(status, hop__device_of(context, &device));
    HOP_TRY(status, hop__alloc_zero(context, "graph: arrays", 1, sizeof *arrays, &arrays));
    HOP_TRY(status, fetch_csr(device, &csr, arrays));
    const fetched copies = *arrays; /* the graph may let go of them at once */
    host = csr;
    host.offsets = copies.offsets;
    host.targets = copies.targets;
    host.weights = copies.weights;
    host.release = fetched_free;
    host.owner = arrays;
    HOP_TRY(status, hop_graph_from_csr(context, &host, options, graph));
    owned = true;
    status = adopt(device, &csr, &copies, *graph);
done:
    if (!owned)
        fetched_free(arrays);
    if (status != HOP_OK && graph && *graph) {
        hop_graph_release(*graph);
        *graph = NULL;
    }
    return status;
}
