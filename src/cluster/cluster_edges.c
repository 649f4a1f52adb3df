/* SPDX-License-Identifier: Apache-2.0
 *
 * Edges into arcs: of the caller, or of a family, of which each rank makes its share: edge i and
 * its weight are a function of (seed, i), so the graph is that of one machine. */
#include <math.h>
#include <string.h>

#include "cluster/cluster_graph.h"
#include "core/checked.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "graph/numbers.h"

static void arc_add(hop__arc_keys *arcs, uint64_t from, uint64_t to, const void *weights,
                    uint64_t at) {
    size_t size = hop_type_size(arcs->type);
    if (size > 0)
        memcpy(arcs->weights + size * arcs->count, (const char *)weights + size * at, size);
    arcs->keys[arcs->count++] = (hop__u128)from << arcs->id_bits | to;
}

void hop__arcs_add(hop__arc_keys *arcs, const hop__build *build, uint64_t from, uint64_t to,
                   const void *weights, uint64_t at) {
    if (from == to && build->loops == HOP_LOOPS_DROP)
        return;
    arc_add(arcs, from, to, weights, at);
    if (!build->directed && from != to)
        arc_add(arcs, to, from, weights, at);
}

hop_status hop__arcs_begin(hop_context *context, const hop__build *build, hop_type type,
                           uint64_t vertices, uint64_t edges, hop__arc_keys *arcs) {
    uint64_t most;
    hop_status status = HOP_OK;
    *arcs = (hop__arc_keys){.id_bits = hop__id_bits(vertices), .type = type};
    if (!hop__mul_u64(edges, build->directed ? 1 : 2, &most))
        return hop__fail(context, HOP_ERR_ARGUMENT, "%s: %llu of them on one rank", build->what,
                         (unsigned long long)edges);
    HOP_TRY(status, hop__alloc(context, "build: arcs", most, sizeof *arcs->keys, &arcs->keys));
    if (type != HOP_TYPE_NONE)
        HOP_TRY(status,
                hop__alloc(context, "build: weights", most, hop_type_size(type), &arcs->weights));
done:
    return status;
}

static hop_status bad_id(hop_context *context, const hop__build *build, uint64_t edge, uint64_t id,
                         uint64_t vertices) {
    hop__fail(context, HOP_ERR_INPUT, "%s %llu of this rank: id %llu, but there are %llu vertices",
              build->what, (unsigned long long)edge, (unsigned long long)id,
              (unsigned long long)vertices);
    return hop__note_range(context, id, vertices);
}

/* ---- a family -------------------------------------------------------------------------------- */

typedef struct family_job {
    hop_cluster *cluster;
    hop_cluster_graph *graph;
    bool taken; /* the family came as far as its edges */
} family_job;

/* Edges [begin, end) of the source. */
static hop_status source_arcs(hop_context *context, const hop__edge_source *source,
                              const hop__build *build, uint64_t begin, uint64_t end,
                              hop__arc_keys *arcs) {
    hop_vertex from[HOP__SOURCE_BLOCK], to[HOP__SOURCE_BLOCK];
    double weights[HOP__SOURCE_BLOCK]; /* of any type */
    hop_status status = HOP_OK, stopped;
    hop__progress_begin(context, "generate: edges", end - begin);
    for (uint32_t count; status == HOP_OK && begin < end; begin += count) {
        count = end - begin < HOP__SOURCE_BLOCK ? (uint32_t)(end - begin) : HOP__SOURCE_BLOCK;
        source->fill(source->user, begin, count, from, to,
                     source->weight_type == HOP_TYPE_NONE ? NULL : weights);
        for (uint32_t i = 0; status == HOP_OK && i < count; i++) {
            hop_vertex larger = from[i] > to[i] ? from[i] : to[i];
            if (larger >= build->vertices)
                status = bad_id(context, build, begin + i, larger, build->vertices);
            else
                hop__arcs_add(arcs, build, from[i], to[i], weights, i);
        }
        if (!hop__progress_add(context, count))
            break;
    }
    stopped = hop__progress_end(context);
    return status == HOP_OK ? stopped : status;
}

static hop_status take_share(void *user, const hop__edge_source *source, const hop__build *build) {
    family_job *job = user;
    hop_cluster *cluster = job->cluster;
    uint64_t begin = hop__even_start(source->count, cluster->ranks, cluster->rank);
    uint64_t end = begin + hop__even_size(source->count, cluster->ranks, cluster->rank);
    hop__arc_keys arcs = {.keys = NULL};
    job->taken = true;
    hop_status status = hop__agree(cluster, HOP_OK); /* with those who are not here */
    if (status != HOP_OK)
        return status;
    status = hop__arcs_begin(cluster->context, build, source->weight_type, build->vertices,
                             end - begin, &arcs);
    if (status == HOP_OK)
        status = source_arcs(cluster->context, source, build, begin, end, &arcs);
    return hop__cluster_build(cluster, status, build, build->vertices, &arcs, &job->graph);
}

static uint64_t recipe_hash(const char *family, const hop_generate_options *options) {
    uint64_t hash = hop__cluster_mix(0, family, strlen(family));
    hash = hop__cluster_mix(hash, &options->seed, sizeof options->seed);
    hash = hop__cluster_mix(hash, &options->weight_type, sizeof options->weight_type);
    hash = hop__cluster_mix(hash, &options->min_weight, sizeof options->min_weight);
    hash = hop__cluster_mix(hash, &options->max_weight, sizeof options->max_weight);
    for (size_t i = 0; i < options->setting_count; i++) {
        size_t size = options->setting_size != 0 ? options->setting_size : sizeof(hop_setting);
        hop_setting setting;
        memcpy(&setting, (const char *)options->settings + i * size, sizeof setting);
        if (setting.name != NULL)
            hash = hop__cluster_mix(hash, setting.name, strlen(setting.name));
        hash = hop__cluster_mix(hash, &setting.value, sizeof setting.value);
    }
    return hash;
}

hop_status hop_cluster_graph_generate(hop_cluster *cluster, const char *family,
                                      const hop_generate_options *given,
                                      hop_cluster_graph **graph) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    hop_context *context = cluster->context;
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    family_job job = {cluster, NULL, false};
    hop_status status = family == NULL || graph == NULL
                            ? hop__missing(context, "hop_cluster_graph_generate")
                            : HOP_OK;
    uint64_t hash = 0;
    if (graph != NULL)
        *graph = NULL;
    if (status == HOP_OK)
        status = hop__options_take(context, "HOP_GENERATE_OPTIONS_INIT", given, &options,
                                   sizeof options);
    if (status == HOP_OK)
        hash = recipe_hash(family, &options);
    HOP_TRY(status, hop__cluster_begin(cluster, "generate", hash, status));
    status = hop__family_edges(context, family, &options, take_share, &job);
    if (!job.taken)
        status = hop__agree(cluster, status);
    if (status == HOP_OK)
        *graph = job.graph;
done:
    return status;
}

/* ---- the caller's edges ---------------------------------------------------------------------- */

static uint64_t edge_id(const hop_edges *edges, const void *ids, uint64_t index) {
    const char *at = (const char *)ids + index * edges->stride;
    if (edges->id_bytes == 8) {
        uint64_t id;
        memcpy(&id, at, sizeof id);
        return id;
    }
    uint32_t id;
    memcpy(&id, at, sizeof id);
    return id;
}

static hop_status check_edges(hop_context *context, const hop_edges *edges,
                              const hop_build_options *options) {
    if (edges->id_bytes != 4 && edges->id_bytes != 8)
        return hop__fail(context, HOP_ERR_ARGUMENT, "edges: id_bytes is %zu, must be 4 or 8",
                         edges->id_bytes);
    if (edges->count > 0 && (edges->from == NULL || edges->to == NULL))
        return hop__fail(context, HOP_ERR_ARGUMENT, "edges: %llu of them, but no array",
                         (unsigned long long)edges->count);
    if (!hop__is_weight_type(edges->weight_type) ||
        (edges->count > 0 && (edges->weight_type != HOP_TYPE_NONE) != (edges->weights != NULL)))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "edges: weights of type %d, but the array is %s", (int)edges->weight_type,
                         edges->weights != NULL ? "given" : "NULL");
    if (options->ids != HOP_IDS_DENSE || options->first_id != 0 || options->labels != NULL ||
        options->name_offsets != NULL)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "cluster: edges with ids that do not count from 0");
    if (options->duplicates > HOP_DUPLICATES_KEEP || options->loops > HOP_LOOPS_DROP ||
        options->vertices > HOP__MOST_CLUSTER_VERTICES)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "build: unknown option value (duplicates %d, loops %d, vertices %llu)",
                         (int)options->duplicates, (int)options->loops,
                         (unsigned long long)options->vertices);
    return HOP_OK;
}

static uint64_t largest_id(const hop_edges *edges) {
    uint64_t most = 0;
    for (uint64_t i = 0; i < edges->count; i++) {
        uint64_t from = edge_id(edges, edges->from, i), to = edge_id(edges, edges->to, i);
        most = from > most ? from : most;
        most = to > most ? to : most;
    }
    return most;
}

/* How many vertices there are, from the ids of all ranks if it was not said. */
static hop_status count_vertices(hop_cluster *cluster, const hop_edges *edges,
                                 const hop_build_options *options, uint64_t *vertices) {
    uint64_t ends[2] = {edges->count > 0, edges->count > 0 ? largest_id(edges) : 0};
    *vertices = options->vertices;
    if (options->vertices != 0)
        return HOP_OK;
    hop_status status = hop__max_all(cluster, ends, 2);
    if (status == HOP_OK && ends[1] >= HOP__MOST_CLUSTER_VERTICES)
        return hop__fail(cluster->context, HOP_ERR_INPUT, "edges: id %llu, at most 2^62 - 1",
                         (unsigned long long)ends[1]);
    *vertices = ends[0] == 0 ? 0 : ends[1] + 1;
    return status;
}

static bool weight_is_nan(const hop_edges *edges, uint64_t edge) {
    return edges->weight_type != HOP_TYPE_NONE &&
           isnan(hop__weight_as_double(edges->weight_type, edges->weights, edge));
}

static hop_status bad_weight(hop_context *context, const hop__build *build, uint64_t edge,
                             uint64_t from, uint64_t to) {
    hop__fail(context, HOP_ERR_INPUT,
              "%s %llu of this rank (%llu to %llu): its weight is not a number (NaN)", build->what,
              (unsigned long long)edge, (unsigned long long)from, (unsigned long long)to);
    return hop__note_arc(context, HOP_KIND_DATA, from, edge);
}

static hop_status edges_arcs(hop_context *context, const hop_edges *edges, const hop__build *build,
                             uint64_t vertices, hop__arc_keys *arcs) {
    hop_status status =
        hop__arcs_begin(context, build, edges->weight_type, vertices, edges->count, arcs);
    for (uint64_t i = 0; status == HOP_OK && i < edges->count; i++) {
        uint64_t from = edge_id(edges, edges->from, i), to = edge_id(edges, edges->to, i);
        uint64_t larger = from > to ? from : to;
        if (larger >= vertices)
            return bad_id(context, build, i, larger, vertices);
        if (weight_is_nan(edges, i))
            return bad_weight(context, build, i, from, to);
        hop__arcs_add(arcs, build, from, to, edges->weights, i);
    }
    return status;
}

hop_status hop_cluster_graph_from_edges(hop_cluster *cluster, const hop_edges *given,
                                        const hop_build_options *given_options,
                                        hop_cluster_graph **graph) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    hop_context *context = cluster->context;
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop__arc_keys arcs = {.keys = NULL};
    uint64_t vertices;
    hop_status status = given == NULL || graph == NULL
                            ? hop__missing(context, "hop_cluster_graph_from_edges")
                            : HOP_OK;
    if (graph != NULL)
        *graph = NULL;
    if (status == HOP_OK)
        status = hop__options_take(context, "HOP_EDGES_INIT", given, &edges, sizeof edges);
    if (status == HOP_OK)
        status = hop__options_take(context, "HOP_BUILD_OPTIONS_INIT", given_options, &options,
                                   sizeof options);
    if (status == HOP_OK)
        status = check_edges(context, &edges, &options);
    edges.stride = edges.stride != 0 ? edges.stride : edges.id_bytes;
    uint64_t same[5] = {options.vertices, options.directed, (uint64_t)options.duplicates,
                        (uint64_t)options.loops, (uint64_t)edges.weight_type};
    HOP_TRY(status, hop__cluster_begin(cluster, "from_edges",
                                       hop__cluster_mix(0, same, sizeof same), status));
    HOP_TRY(status, count_vertices(cluster, &edges, &options, &vertices));
    hop__build build = {.directed = options.directed,
                        .duplicates = options.duplicates,
                        .loops = options.loops,
                        .what = "edge"};
    status = edges_arcs(context, &edges, &build, vertices, &arcs);
    HOP_TRY(status, hop__cluster_build(cluster, status, &build, vertices, &arcs, graph));
done:
    return status;
}
