/* SPDX-License-Identifier: Apache-2.0
 * The life of a graph and access to what is in it; see graph_internal.h. */
#include <stdio.h>
#include <string.h>

#include "core/checked.h"
#include "core/try.h"
#include "graph/graph_internal.h"

hop_status hop__graph_create(hop_context *context, hop_graph **result) {
    hop_graph *graph = NULL;
    hop_status status;
    HOP_TRY(status, hop__alloc_zero(context, "graph", 1, sizeof *graph, &graph));
    HOP_TRY(status, hop__alloc_zero(context, "graph", 1, sizeof *graph->shared, &graph->shared));
    atomic_init(&graph->shared->references, 1);
    graph->pool = hop__pool_retain(context->pool);
    graph->offset_bytes = 4;
    *result = graph;
    return HOP_OK;
done:
    if (graph)
        hop__free(graph->shared);
    hop__free(graph);
    return status;
}

uint64_t hop__row_among(const void *offsets, size_t bytes, uint64_t vertices, uint64_t arc) {
    uint64_t low = 0, high = vertices; /* the answer is in [low, high) */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (hop__offset_at(offsets, bytes, middle) <= arc)
            low = middle;
        else
            high = middle;
    }
    return low;
}

hop_status hop__graph_set_origin(hop_context *context, hop_graph *graph, const char *name) {
    size_t bytes = strlen(name) + 1;
    hop_status status = hop__alloc(context, "graph: name", bytes, 1, &graph->origin);
    if (status == HOP_OK)
        memcpy(graph->origin, name, bytes);
    return status;
}

hop_graph *hop_graph_retain(hop_graph *graph) {
    atomic_fetch_add(&graph->shared->references, 1);
    return graph;
}

void hop_graph_release(hop_graph *graph) {
    if (!graph || atomic_fetch_sub(&graph->shared->references, 1) != 1)
        return;
    hop__life *life = atomic_load(&graph->shared->life);
    hop__life_end(life);
    hop__life_drop(life);
    hop_graph_release(atomic_load(&graph->shared->reverse));
    if (graph->release)
        graph->release(graph->owner);
    hop__free(graph->own_offsets);
    hop__free(graph->own_targets);
    hop__free(graph->own_weights);
    hop__free(graph->own_labels);
    hop__free(graph->joined);
    hop__free(graph->away);
    hop__vertex_names_release(graph->names);
    hop__free(graph->origin);
    hop__pool *pool = graph->pool;
    hop__free(graph->shared);
    hop__free(graph);
    hop__pool_release(pool);
}

hop__life *hop__graph_life(const hop_graph *graph) {
    hop__life *life = atomic_load_explicit(&graph->shared->life, memory_order_acquire);
    if (life)
        return life;
    hop__life *made = hop__life_begin();
    if (!made || atomic_compare_exchange_strong(&graph->shared->life, &life, made))
        return made;
    hop__life_drop(made); /* another thread was first */
    return life;
}

hop_vertex hop_graph_vertices(const hop_graph *graph) {
    return graph->vertices;
}

hop_offset hop_graph_arcs(const hop_graph *graph) {
    return graph->arcs;
}

bool hop_graph_directed(const hop_graph *graph) {
    return graph->directed;
}

const void *hop_graph_offsets(const hop_graph *graph, size_t *width_bytes) {
    if (width_bytes)
        *width_bytes = graph->offset_bytes;
    return hop__graph_is_away(graph) ? NULL : graph->offsets;
}

const hop_vertex *hop_graph_targets(const hop_graph *graph) {
    return hop__graph_is_away(graph) ? NULL : graph->targets;
}

const void *hop_graph_weights(const hop_graph *graph, hop_weight_type *type) {
    if (type)
        *type = graph->weight_type;
    return hop__graph_is_away(graph) ? NULL : graph->weights;
}

const uint64_t *hop_graph_labels(const hop_graph *graph) {
    return graph->labels;
}

uint64_t hop_graph_first_id(const hop_graph *graph) {
    return graph->vertices > 0 ? hop_graph_label(graph, 0) : 0;
}

uint64_t hop_graph_label(const hop_graph *graph, hop_vertex vertex) {
    if (vertex >= graph->vertices)
        return vertex;
    return graph->labels ? graph->labels[vertex] : graph->first_id + vertex;
}

hop_vertex hop_graph_find(const hop_graph *graph, uint64_t label) {
    if (!graph->labels) /* an id below the first one wraps to one that is too great */
        return label - graph->first_id < graph->vertices ? (hop_vertex)(label - graph->first_id)
                                                         : HOP_NO_VERTEX;
    uint64_t low = 0, high = graph->vertices;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (graph->labels[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->vertices && graph->labels[low] == label ? (hop_vertex)low : HOP_NO_VERTEX;
}

bool hop_graph_named(const hop_graph *graph) {
    return graph->names != NULL;
}

const char *hop_graph_name(const hop_graph *graph, hop_vertex vertex, size_t *length) {
    size_t unused;
    length = length != NULL ? length : &unused;
    *length = 0;
    return graph->names != NULL && vertex < graph->vertices
               ? hop__name_at(graph->names, vertex, length)
               : NULL;
}

hop_vertex hop_graph_find_name(const hop_graph *graph, const char *name, size_t length) {
    if (graph->names == NULL)
        return HOP_NO_VERTEX;
    uint64_t found = hop__name_find(graph->names, name, length);
    return found < graph->vertices ? (hop_vertex)found : HOP_NO_VERTEX;
}

const uint64_t *hop_graph_names(const hop_graph *graph, const char **bytes) {
    if (bytes != NULL)
        *bytes = graph->names != NULL ? graph->names->bytes : NULL;
    return graph->names != NULL ? graph->names->offsets : NULL;
}

hop__vertex_text hop__name(const hop_graph *graph, uint64_t vertex) {
    hop__vertex_text text;
    if (graph->names != NULL && vertex < graph->vertices) {
        size_t length;
        const char *name = hop__name_at(graph->names, vertex, &length);
        return hop__name_text(name, length);
    }
    snprintf(text.s, sizeof text.s, "%llu",
             vertex < graph->vertices
                 ? (unsigned long long)hop_graph_label(graph, (hop_vertex)vertex)
                 : (unsigned long long)vertex);
    return text;
}

hop_status hop__first_id_check(hop_context *context, const char *who, uint64_t first_id,
                               uint64_t vertices) {
    uint64_t largest;
    if (hop__add_u64(first_id, vertices, &largest))
        return HOP_OK;
    return hop__fail(context, HOP_ERR_ARGUMENT,
                     "%s: the first id is %llu, and those of %llu vertices do not fit 64 bits", who,
                     (unsigned long long)first_id, (unsigned long long)vertices);
}

/* Rows that are on a device alone, to the host. */
static hop_status bring(hop_context *context, const hop_graph *graph) {
    hop_status status = HOP_OK;
    hop__process_lock_take(&graph->shared->lock);
    if (hop__graph_is_away(graph))
        status = graph->away->bring(context, graph);
    if (status == HOP_OK)
        atomic_store_explicit(&graph->shared->arrived, true, memory_order_release);
    hop__process_lock_give(&graph->shared->lock);
    return status;
}

hop_status hop_graph_check(hop_context *context, const hop_graph *graph) {
    if (!context || !graph)
        return hop__missing(context, "hop_graph_check");
    if (graph->store != NULL)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "graph: its arcs are on disk, and this needs them in memory; open it "
                         "without that");
    if (graph->joined != NULL)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "graph: its edges did not fit the memory budget and were joined as they "
                         "came, not kept: only components are known; convert the file to .npz, or "
                         "raise the budget");
    if (hop__graph_is_away(graph))
        return bring(context, graph);
    hop__shared *shared = graph->shared;
    if (atomic_load_explicit(&shared->state, memory_order_acquire) != HOP__UNCHECKED)
        return HOP_OK;
    hop_status status = HOP_OK;
    hop__process_lock_take(&shared->lock);
    if (atomic_load(&shared->state) == HOP__UNCHECKED) {
        status = hop__graph_verify(context, graph, &shared->facts);
        if (status == HOP_OK)
            atomic_store_explicit(&shared->state, HOP__CHECKED, memory_order_release);
        else if (graph->origin != NULL) {
            hop__fail_prefix(context, graph->origin);
            hop__note_file(context, graph->origin);
        }
    }
    hop__process_lock_give(&shared->lock);
    return status;
}

/* Bytes of the arrays. */
static uint64_t graph_bytes(const hop_graph *graph) {
    uint64_t n = graph->vertices, weight = hop_type_size(graph->weight_type);
    return (graph->joined != NULL ? n * sizeof(hop_vertex) : (n + 1) * graph->offset_bytes) +
           graph->arcs * (sizeof(hop_vertex) + weight) +
           (graph->labels ? n * sizeof(uint64_t) : 0) +
           (graph->names ? (n + 1) * sizeof(uint64_t) + graph->names->size : 0);
}

static void fill_info(const hop_graph *graph, hop_graph_info *info) {
    const hop__shared *shared = graph->shared;
    const hop__facts *facts = &shared->facts;
    info->vertices = graph->vertices;
    info->arcs = graph->arcs;
    info->loops = facts->loops;
    info->edges = graph->joined != NULL ? graph->edges_given
                  : graph->directed     ? graph->arcs
                                        : (graph->arcs - facts->loops) / 2 + facts->loops;
    info->edges_given = graph->edges_given > 0 ? graph->edges_given : info->edges;
    info->isolated = facts->isolated;
    info->min_degree = facts->min_degree;
    info->max_degree = facts->max_degree;
    info->max_degree_vertex = facts->max_degree_vertex;
    info->weight_type = graph->weight_type;
    info->min_weight = facts->min_weight;
    info->max_weight = facts->max_weight;
    info->min_weight_int = facts->min_weight_int;
    info->max_weight_int = facts->max_weight_int;
    info->offset_bytes = graph->offset_bytes;
    info->memory_bytes = graph_bytes(graph);
    info->directed = graph->directed;
    info->labelled = graph->labels != NULL;
    info->first_id = hop_graph_first_id(graph);
    info->named = graph->names != NULL;
    info->borrowed = graph->borrowed;
    info->mapped = graph->mapped;
    info->checked = atomic_load(&shared->state) == HOP__CHECKED;
    info->has_reverse = hop_graph_prepared_reverse(graph) != NULL;
    info->has_diameter = atomic_load_explicit(&shared->has_diameter, memory_order_acquire);
    info->diameter_low = info->has_diameter ? shared->diameter_low : 0;
}

hop_status hop_graph_describe(hop_context *context, const hop_graph *graph, hop_graph_info *info) {
    if (!context || !graph || !info)
        return hop__missing(context, "hop_graph_describe");
    size_t size = info->size;
    if (size < sizeof(size_t) || size > 4096)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "graph: hop_graph_info.size is %zu; set it with HOP_GRAPH_INFO_INIT",
                         size);
    hop_status status = graph->joined ? HOP_OK : hop__graph_check_away(context, graph);
    if (status != HOP_OK)
        return status;
    hop_graph_info full = HOP_GRAPH_INFO_INIT;
    fill_info(graph, &full);
    /* A caller built against an older header has a shorter struct, a newer one a longer. */
    memcpy(info, &full, size < sizeof full ? size : sizeof full);
    info->size = size;
    return HOP_OK;
}

const hop_graph *hop_graph_prepared_reverse(const hop_graph *graph) {
    if (!graph->directed)
        return graph;
    return atomic_load_explicit(&graph->shared->reverse, memory_order_acquire);
}
