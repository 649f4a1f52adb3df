/* SPDX-License-Identifier: Apache-2.0
 * Graphs on a device; see device_graph.h. */
#include "problem/device_graph.h"

#include <string.h>

#include "core/options.h"
#include "core/try.h"
#include "graph/numbers.h"
#include "kernels/device_check.h"
#include "problem/device_rows_check.h"

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
    hop_status status = HOP_OK;
    if (what != HOP_PREPARE_DEVICE || !context || !graph || !hop__graph_is_away(graph))
        status = hop__graph_derive(context, graph, what & ~HOP_PREPARE_DEVICE);
    else
        status = hop__device_graph_find(context, graph);
    return status == HOP_OK && what & HOP_PREPARE_DEVICE ? bring(context, graph) : status;
}

/* --- graphs of arrays that are on the device ------------------------------------------------- */

/* The rows of the graph are at these addresses of the device: offsets, targets, weights. */
static hop_status adopt(hop__device *device, const hop_graph *graph, const void *const there[3]) {
    hop_status status = HOP_OK;
    part parts[PARTS_MOST];
    size_t count = parts_of(graph, HOP__GRAPH_WEIGHTS, parts);
    for (size_t i = 0; i < count; i++) {
        hop__life *life = hop__graph_life(graph);
        uint64_t bytes = parts[i].count * parts[i].size;
        if (bytes > 0 && !hop__buffer_is_kept(device, bytes, parts[i].array, life))
            HOP_TRY(status, hop__buffer_adopt(device, parts[i].what, bytes, parts[i].array, life,
                                              there[i]));
    }
done:
    return status;
}

static hop_status adopt_away(hop__device *device, const hop_graph *graph) {
    const hop__away *away = graph->away;
    return adopt(device, graph, (const void *const[]){away->offsets, away->targets, away->weights});
}

/* The context's device, if the rows are there; else NULL. */
static hop__device *device_with(hop_context *context, const hop_graph *graph) {
    hop__device *device = NULL;
    bool there = hop__device_chosen(context) && hop__device_of(context, &device) == HOP_OK &&
                 strcmp(hop__device_info(device)->name, graph->away->device) == 0;
    return there ? device : NULL;
}

hop_status hop__device_graph_find(hop_context *context, const hop_graph *graph) {
    hop__device *device = graph->away != NULL ? device_with(context, graph) : NULL;
    return device != NULL ? adopt_away(device, graph) : HOP_OK;
}

/* Into the room that the graph has for them. */
static hop_status read_rows(hop__device *device, const hop_graph *graph) {
    hop_status status;
    part parts[PARTS_MOST];
    hop__buffer *buffer = NULL;
    size_t count = parts_of(graph, HOP__GRAPH_WEIGHTS, parts);
    HOP_TRY(status, adopt_away(device, graph));
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = parts[i].count * parts[i].size;
        HOP_TRY(status, hop__buffer_keep(device, parts[i].what, bytes, parts[i].array,
                                         hop__graph_life(graph), &buffer));
        HOP_TRY(status, hop__buffer_read_now(buffer, 0, bytes, (void *)(uintptr_t)parts[i].array));
        hop__buffer_free(buffer);
        buffer = NULL;
    }
done:
    hop__buffer_free(buffer);
    return status;
}

/* By a context for this alone: that of the call has no device, or another. */
static hop_status read_rows_apart(hop_context *context, const hop_graph *graph) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *own = NULL;
    hop__device *device = NULL;
    options.device = graph->away->device;
    options.allocator = context->options.allocator;
    hop_status status = hop_context_create(&options, &own);
    if (status == HOP_OK)
        status = hop__device_of(own, &device);
    if (status == HOP_OK)
        status = read_rows(device, graph);
    if (status != HOP_OK)
        hop__fail(context, status, "graph: its rows are on %s: %s", graph->away->device,
                  own != NULL ? hop_context_message(own) : "no memory for a context");
    hop_context_free(own);
    return status;
}

static hop_status bring_away(hop_context *context, const hop_graph *graph) {
    hop__device *device = device_with(context, graph);
    hop__log(context, HOP_LOG_INFO, "graph: its rows are copied from %s to the host",
             graph->away->device);
    return device != NULL ? read_rows(device, graph) : read_rows_apart(context, graph);
}

/* A graph whose rows stay where they are; the host has room for them. */
static hop_status create_away(hop__device *device, const hop_csr *csr, const hop__device_rows *rows,
                              const hop__facts *facts, hop_graph **result) {
    hop_status status;
    hop_context *context = hop__device_context(device);
    hop_graph *graph = NULL;
    HOP_TRY(status, hop__graph_create(context, &graph));
    HOP_TRY(status, hop__alloc_zero(context, "graph", 1, sizeof *graph->away, &graph->away));
    *graph->away = (hop__away){csr->offsets, csr->targets, csr->weights, bring_away, ""};
    memcpy(graph->away->device, hop__device_info(device)->name,
           sizeof hop__device_info(device)->name);
    graph->vertices = (hop_vertex)csr->vertices;
    graph->arcs = rows->arcs;
    graph->directed = rows->directed;
    graph->offset_bytes = csr->offset_bytes;
    graph->weight_type = csr->weight_type;
    graph->first_id = csr->first_id;
    graph->shared->facts = *facts;
    HOP_TRY(status, hop__alloc(context, "graph: offsets", csr->vertices + 1, csr->offset_bytes,
                               &graph->own_offsets));
    HOP_TRY(status, hop__alloc(context, "graph: arcs", rows->arcs, 4, &graph->own_targets));
    if (csr->weights != NULL)
        HOP_TRY(status, hop__alloc(context, "graph: weights", rows->arcs,
                                   hop_type_size(csr->weight_type), &graph->own_weights));
    graph->offsets = graph->own_offsets;
    graph->targets = graph->own_targets;
    graph->weights = graph->own_weights;
    atomic_store(&graph->shared->state, HOP__CHECKED);
    HOP_TRY(status, adopt_away(device, graph));
    *result = graph;
    graph = NULL;
done:
    hop_graph_release(graph);
    return status;
}

/* Whether its rows may stay on the device alone, as far as that is known without a look at them. */
static bool may_stay(hop__device *device, const hop_csr *csr, const hop_csr_options *options) {
    bool weighted = csr->weight_type != HOP_TYPE_NONE;
    return !hop__device_shares_memory(device) && !options->copy && csr->vertices > 0 &&
           csr->targets != NULL && csr->target_bytes == 4 && !csr->labels && !csr->name_offsets &&
           hop__is_weight_type(csr->weight_type) && weighted == (csr->weights != NULL);
}

/* One array that was lent. */
static hop_status view(hop__device *device, const char *what, const void *array, uint64_t count,
                       size_t size, hop__buffer **buffer) {
    hop_status status = hop__lent_must(device, what, array);
    return status == HOP_OK ? hop__buffer_borrow(device, what, count * size,
                                                 (void *)(uintptr_t)array, true, buffer)
                            : status;
}

/* The graph of rows that are sound and sorted, without a trip of theirs to the host; *graph stays
 * NULL where the host has to look at them. */
static hop_status graph_there(hop__device *device, const hop_csr *csr,
                              const hop_csr_options *options, hop_graph **graph) {
    hop_status status;
    hop__buffer *offsets = NULL, *targets = NULL, *weights = NULL;
    hop__device_rows rows = {.vertices = csr->vertices,
                             .directed = options->directed,
                             .offset_bytes = csr->offset_bytes,
                             .weight_type = csr->weight_type};
    hop__facts facts = {0};
    uint64_t last[1] = {0};
    bool sound = false;
    HOP_TRY(status, view(device, "graph: offsets", csr->offsets, csr->vertices + 1,
                         csr->offset_bytes, &offsets));
    HOP_TRY(status, hop__buffer_read_now(offsets, csr->vertices * csr->offset_bytes,
                                         csr->offset_bytes, last));
    rows.arcs = hop__offset_at(last, csr->offset_bytes, 0);
    if (rows.arcs == 0 || rows.arcs > 2 * HOP_MAX_EDGES)
        goto done;
    HOP_TRY(status, view(device, "graph: arcs", csr->targets, rows.arcs, 4, &targets));
    if (csr->weights != NULL)
        HOP_TRY(status, view(device, "graph: weights", csr->weights, rows.arcs,
                             hop_type_size(csr->weight_type), &weights));
    rows.offsets = offsets;
    rows.targets = targets;
    rows.weights = weights;
    HOP_TRY(status, hop__device_prove(device)); /* it is about to be believed */
    HOP_TRY(status, hop__device_rows_check(device, NULL, &rows, &facts, &sound));
    if (sound)
        status = create_away(device, csr, &rows, &facts, graph);
done:
    hop__buffer_free(offsets);
    hop__buffer_free(targets);
    hop__buffer_free(weights);
    return status;
}

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
        arcs = hop__offset_at(arrays->offsets, csr->offset_bytes, csr->vertices);
    HOP_TRY(status, hop__lent_fetch(device, "graph: arcs", csr->targets, arcs, csr->target_bytes,
                                    &arrays->targets));
    HOP_TRY(status, hop__lent_fetch(device, "graph: weights", csr->weights, arcs,
                                    hop_type_size(csr->weight_type), &arrays->weights));
done:
    return status;
}

/* The graph by the host, which says what is wrong, or sorts. What it can use as it is, searches on
 * the device find where it was. */
static hop_status graph_fetched(hop__device *device, const hop_csr *csr,
                                const hop_csr_options *options, hop_graph **graph) {
    hop_status status;
    hop_context *context = hop__device_context(device);
    fetched *arrays = NULL;
    bool owned = false;
    HOP_TRY(status, hop__alloc_zero(context, "graph: arrays", 1, sizeof *arrays, &arrays));
    HOP_TRY(status, fetch_csr(device, csr, arrays));
    const fetched copies = *arrays; /* the graph may let go of them at once */
    hop_csr host = *csr;
    host.offsets = copies.offsets;
    host.targets = copies.targets;
    host.weights = copies.weights;
    host.release = fetched_free;
    host.owner = arrays;
    HOP_TRY(status, hop_graph_from_csr(context, &host, options, graph));
    owned = true;
    if ((*graph)->offsets == copies.offsets && (*graph)->targets == copies.targets &&
        (*graph)->weights == copies.weights)
        status =
            adopt(device, *graph, (const void *const[]){csr->offsets, csr->targets, csr->weights});
    else
        hop__log(context, HOP_LOG_INFO,
                 "graph: the rows on the device are not sorted, or ids have 8 bytes; the copy that "
                 "is goes there with the first search");
done:
    if (!owned)
        fetched_free(arrays);
    return status;
}

hop_status hop_graph_from_device(hop_context *context, const hop_csr *given,
                                 const hop_csr_options *given_options, hop_graph **graph) {
    hop_status status;
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options options = HOP_CSR_OPTIONS_INIT;
    hop__device *device = NULL;
    if (!context || !given || !graph)
        return hop__missing(context, "hop_graph_from_device");
    *graph = NULL;
    HOP_TRY(status, hop__options_take(context, "HOP_CSR_INIT", given, &csr, sizeof csr));
    HOP_TRY(status, hop__options_take(context, "HOP_CSR_OPTIONS_INIT", given_options, &options,
                                      sizeof options));
    if (csr.release || csr.vertices >= HOP_NO_VERTEX || !csr.offsets ||
        (csr.offset_bytes != 4 && csr.offset_bytes != 8) ||
        (csr.target_bytes != 4 && csr.target_bytes != 8))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "graph: %llu vertices with offsets of %zu bytes and ids of %zu%s: not "
                         "rows on a device",
                         (unsigned long long)csr.vertices, csr.offset_bytes, csr.target_bytes,
                         csr.release ? ", to be released" : "");
    HOP_TRY(status, hop__first_id_check(context, "csr", csr.first_id, csr.vertices));
    HOP_TRY(status, hop__device_of(context, &device));
    if (may_stay(device, &csr, &options))
        HOP_TRY(status, graph_there(device, &csr, &options, graph));
    if (*graph == NULL)
        status = graph_fetched(device, &csr, &options, graph);
done:
    if (status != HOP_OK && graph && *graph) {
        hop_graph_release(*graph);
        *graph = NULL;
    }
    return status;
}
