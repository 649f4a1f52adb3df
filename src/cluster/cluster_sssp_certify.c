/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks distances and parents of shortest paths, without searching.
 *
 * 1. Sources have distance 0 and are their own parents; nothing else is its own parent; what is not
 *    reached has no parent, and all else has one.
 * 2. No arc leads to a vertex that is farther than its beginning and the weight: d[v] <= d[u] + w.
 * 3. Layers, from the parents alone: 0 for a source and for a vertex whose parent is nearer, else
 *    one more than that of its parent, which must be as far. Found by pointer jumping: if parents
 *    of equal distance form a cycle it does not end in time.
 * 4. A vertex of layer 0 that is no source has the smallest u with a tight arc (d[u] + w = d[v])
 *    and d[u] < d[v] as its parent; one of layer k the smallest u with a tight arc, d[u] = d[v] and
 *    layer k - 1, and has no tight arc from a nearer u, nor from one as far of a smaller layer.
 *
 * So every vertex that is reached has a tight path from a source: no distance is too small; by 2
 * none is too large. Bytes sent: 16 for each end that others know, 12 for each with a candidate.
 * Memory: 28 bytes per different end, 33 per vertex of this rank. */
#include <inttypes.h>

#include "cluster/cluster_sssp.h"
#include "core/bitmap.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/try.h"

enum { JUMPS_MOST = 66 };
#define NO_END UINT32_MAX

typedef struct proof {
    hop_cluster *cluster;
    hop_context *context;
    const hop_cluster_graph *graph;
    uint64_t none;
    const uint64_t *parents;
    uint64_t *keys, *layers; /* of this rank's vertices */
    uint64_t *next, *fetched;
    uint64_t *is_source; /* bits */
    uint64_t *least;     /* the smallest candidate for the parent */
    uint64_t *end_keys, *end_layers;
    uint32_t *found, *sources;
    uint64_t found_count;
} proof;

static hop_status rejected(const proof *work, uint64_t at, const char *why) {
    uint64_t vertex = work->graph->first_vertex + at;
    hop__fail(work->context, HOP_ERR_CERTIFICATE,
              "certify: vertex %" PRIu64 " has the parent %" PRIu64 ": %s", vertex,
              work->parents[at], why);
    return hop__note_vertex(work->context, HOP_KIND_CERTIFICATE, vertex);
}

/* Rule 1. */
static hop_status check_vertices(const proof *work) {
    const hop_cluster_graph *graph = work->graph;
    for (uint64_t v = 0; v < graph->vertex_count; v++) {
        uint64_t parent = work->parents[v];
        bool source = hop__bitmap_get(work->is_source, v), reached = work->keys[v] < work->none;
        if (work->keys[v] > work->none)
            return rejected(work, v, "its distance is negative, or not a number");
        if (source ? work->keys[v] != 0 || parent != graph->first_vertex + v
                   : parent == graph->first_vertex + v)
            return rejected(work, v, source ? "it is a source" : "it is no source");
        if (reached != (parent != HOP_NO_CLUSTER_VERTEX) || (reached && parent >= graph->vertices))
            return rejected(work, v, reached ? "it is reached" : "it is not reached");
    }
    return HOP_OK;
}

/* Rule 3. layers[v] arcs lead from v to next[v] along parents that are as far; there, is it the
 * first of its layer, next is none. */
static hop_status layers_begin(proof *work) {
    const hop_cluster_graph *graph = work->graph;
    hop_status status = HOP_OK;
    for (uint64_t v = 0; v < graph->vertex_count; v++)
        work->next[v] = work->keys[v] < work->none ? work->parents[v] : graph->first_vertex + v;
    HOP_TRY(status, hop__fetch_any(work->cluster, graph, "certify: parents", HOP_OK, work->next,
                                   graph->vertex_count, work->keys, work->fetched));
    for (uint64_t v = 0; status == HOP_OK && v < graph->vertex_count; v++) {
        bool source = hop__bitmap_get(work->is_source, v), reached = work->keys[v] < work->none;
        if (reached && work->fetched[v] > work->keys[v])
            status = rejected(work, v, "which is farther than it");
        bool as_far = reached && !source && work->fetched[v] == work->keys[v];
        work->layers[v] = as_far;
        if (!as_far)
            work->next[v] = graph->first_vertex + v;
    }
    status = hop__agree(work->cluster, status);
done:
    return status;
}

static hop_status layers_find(proof *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t moved = 1, *ahead = NULL;
    hop_status status;
    HOP_TRY(status, layers_begin(work));
    HOP_TRY(status, hop__agree(work->cluster, hop__alloc(work->context, "certify: layers",
                                                         graph->vertex_count, 8, &ahead)));
    for (int jump = 0; moved > 0; jump++) {
        HOP_TRY(status, hop__fetch_any(work->cluster, graph, "certify: layers", HOP_OK, work->next,
                                       graph->vertex_count, work->layers, work->fetched));
        HOP_TRY(status, hop__fetch_any(work->cluster, graph, "certify: layers", HOP_OK, work->next,
                                       graph->vertex_count, work->next, ahead));
        moved = 0;
        for (uint64_t v = 0; v < graph->vertex_count; v++) {
            if (work->next[v] == graph->first_vertex + v)
                continue;
            moved += ahead[v] != work->next[v];
            work->layers[v] += ahead[v] != work->next[v] ? work->fetched[v] : 0;
            work->next[v] = ahead[v];
        }
        HOP_TRY(status, hop__sum_all(work->cluster, &moved, 1));
        if (moved > 0 && jump == JUMPS_MOST) {
            status = hop__fail(work->context, HOP_ERR_CERTIFICATE,
                               "certify: parents of equal distance form a cycle");
            goto done;
        }
    }
done:
    hop__free(ahead);
    return status;
}

/* Rule 2. */
static hop_status check_arc(const proof *work, uint64_t row, uint64_t arc, uint64_t sum) {
    const hop_cluster_graph *graph = work->graph;
    if (sum >= work->end_keys[graph->ends[arc]])
        return HOP_OK;
    uint64_t source = hop__row_vertex(graph, row);
    hop__fail(work->context, HOP_ERR_CERTIFICATE,
              "certify: the arc from vertex %" PRIu64 " to vertex %" PRIu64
              " makes a shorter path than its distance says",
              source, hop__end_vertex(graph, arc));
    return hop__note_arc(work->context, HOP_KIND_CERTIFICATE, source, graph->first_arc + arc);
}

/* Whether the beginning of a tight arc is a candidate for rule 4: of a row of this key and layer.
 * Anything that a vertex of layer k may not have is one, too, and smaller than its parent or not
 * it, unless that is equal: so it is no candidate only where it is allowed. */
static bool is_candidate(const proof *work, uint32_t from, uint32_t to) {
    if (work->end_keys[from] < work->end_keys[to])
        return true;
    return work->end_layers[to] > 0 && work->end_keys[from] == work->end_keys[to] &&
           work->end_layers[from] + 1 <= work->end_layers[to];
}

static hop_status check_arcs(proof *work, bool *early) {
    const hop_cluster_graph *graph = work->graph;
    hop_status status = HOP_OK;
    *early = false;
    for (uint64_t i = 0; i < graph->id_count; i++)
        work->sources[i] = NO_END;
    for (uint64_t row = 0; status == HOP_OK && row < graph->row_count; row++) {
        uint32_t from = graph->rows[row];
        if (work->end_keys[from] >= work->none)
            continue;
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++) {
            uint32_t to = graph->ends[arc];
            uint64_t sum =
                hop__key_add(graph->weight_type, graph->weights, work->end_keys[from], arc);
            status = check_arc(work, row, arc, sum);
            if (status != HOP_OK)
                break;
            if (sum != work->end_keys[to] || sum >= work->none || !is_candidate(work, from, to))
                continue;
            /* A vertex of layer k > 0 with a nearer candidate, or one two layers before. */
            if (work->end_layers[to] > 0 && (work->end_keys[from] < work->end_keys[to] ||
                                             work->end_layers[from] + 1 < work->end_layers[to]))
                *early = true;
            if (work->sources[to] == NO_END) {
                work->sources[to] = from;
                work->found[work->found_count++] = to;
            }
        }
    }
    return status;
}

static void least_take(void *user, uint32_t at, uint64_t parent) {
    proof *work = user;
    work->least[at] = parent < work->least[at] ? parent : work->least[at];
}

/* Rule 4, at the owners. */
static hop_status check_parents(proof *work, hop_status status, bool early) {
    const hop_cluster_graph *graph = work->graph;
    hop__found_ends found = {work->found, work->found_count, graph->ids, work->sources};
    hop__inbox inbox;
    if (status == HOP_OK && early)
        status = hop__fail(work->context, HOP_ERR_CERTIFICATE,
                           "certify: a vertex has a parent as far as itself, but a tight arc from "
                           "a nearer vertex or layer leads to it");
    HOP_TRY(status,
            hop__words_tell(work->cluster, graph, "certify: parents", status, &found, &inbox));
    hop__words_take(work->cluster, graph, &found, &inbox, work, least_take);
    hop__inbox_clear(&inbox);
    for (uint64_t v = 0; status == HOP_OK && v < graph->vertex_count; v++)
        if (work->keys[v] < work->none && !hop__bitmap_get(work->is_source, v) &&
            work->least[v] != work->parents[v])
            status = rejected(work, v, "it is not the smallest that has a tight arc to it");
    status = hop__agree(work->cluster, status);
done:
    return status;
}

static hop_status proof_open(proof *work, const uint64_t *sources, uint64_t count,
                             const void *distances) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t own = graph->vertex_count, ends = graph->id_count;
    hop_status status;
    HOP_TRY(status, hop__alloc(work->context, "certify: distances", own, 8, &work->keys));
    HOP_TRY(status, hop__alloc(work->context, "certify: layers", own, 8, &work->layers));
    HOP_TRY(status, hop__alloc(work->context, "certify: layers", own, 8, &work->next));
    HOP_TRY(status, hop__alloc(work->context, "certify: layers", own, 8, &work->fetched));
    HOP_TRY(status, hop__alloc(work->context, "certify: parents", own, 8, &work->least));
    HOP_TRY(status,
            hop__alloc_zero(work->context, "certify: sources", own / 64 + 1, 8, &work->is_source));
    HOP_TRY(status, hop__alloc(work->context, "certify: ends", ends, 8, &work->end_keys));
    HOP_TRY(status, hop__alloc(work->context, "certify: ends", ends, 8, &work->end_layers));
    HOP_TRY(status, hop__alloc(work->context, "certify: ends", ends, 4, &work->found));
    HOP_TRY(status, hop__alloc(work->context, "certify: ends", ends, 4, &work->sources));
    for (uint64_t v = 0; v < own; v++) {
        work->keys[v] = hop__key_load(graph->weight_type, distances, v);
        work->least[v] = HOP_NO_CLUSTER_VERTEX;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = sources[i] - graph->first_vertex;
        if (sources[i] >= graph->first_vertex && at < own)
            hop__bitmap_set(work->is_source, at);
    }
    status = check_vertices(work);
done:
    return status;
}

static void proof_close(proof *work) {
    hop__free(work->keys);
    hop__free(work->layers);
    hop__free(work->next);
    hop__free(work->fetched);
    hop__free(work->least);
    hop__free(work->is_source);
    hop__free(work->end_keys);
    hop__free(work->end_layers);
    hop__free(work->found);
    hop__free(work->sources);
}

hop_status hop__cluster_sssp_check(hop_cluster *cluster, const char *call,
                                   const hop_cluster_graph *graph, hop__cluster_sources from,
                                   const hop_sssp_options *given, const hop_span *distances) {
    hop_context *context = cluster->context;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    hop_status status =
        graph == NULL || distances == NULL || (from.sources == NULL && from.count > 0)
            ? hop__missing(context, call)
            : HOP_OK;
    if (status == HOP_OK)
        status =
            hop__options_take(context, "HOP_SSSP_OPTIONS_INIT", given, &options, sizeof options);
    if (status == HOP_OK &&
        (options.run != NULL || options.target_count > 0 || options.nearest > 0 ||
         !(options.cutoff >= HUGE_VAL) || options.tolerance > 0))
        status = hop__fail(context, HOP_ERR_UNSUPPORTED,
                           "sssp: targets, nearest, cutoff, tolerance and run are not possible on "
                           "a cluster");
    if (status == HOP_OK && graph->negative)
        status = hop__fail(context, HOP_ERR_UNSUPPORTED,
                           "sssp: negative weights are not possible on a cluster");
    if (status == HOP_OK && distances->items != NULL &&
        (distances->type != hop_distance_type(graph->weight_type) ||
         distances->count < graph->vertex_count))
        status =
            hop__fail(context, HOP_ERR_ARGUMENT,
                      "sssp: distances: %" PRIu64 " of type %s, needed are %" PRIu64 " of type %s",
                      distances->count, hop_type_name(distances->type), graph->vertex_count,
                      hop_type_name(hop_distance_type(graph->weight_type)));
    return hop__cluster_sources_check(cluster, call, graph, from, 0, status);
}

hop_status hop_cluster_sssp_certify(hop_cluster *cluster, const hop_cluster_graph *graph,
                                    const uint64_t *sources, uint64_t source_count,
                                    const hop_sssp_options *options, const hop_view *distances,
                                    const uint64_t *parents) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    proof work = {
        .cluster = cluster, .context = cluster->context, .graph = graph, .parents = parents};
    bool early = false;
    hop_status status;
    hop_span span = {NULL, 0, HOP_TYPE_NONE};
    if (distances != NULL) /* they are only compared with what they should be */
        span = (hop_span){(void *)(uintptr_t)distances->items, distances->count, distances->type};
    HOP_TRY(status, hop__cluster_sssp_check(cluster, "hop_cluster_sssp_certify", graph,
                                            (hop__cluster_sources){sources, source_count}, options,
                                            distances != NULL ? &span : NULL));
    work.none = hop__key_none(graph->weight_type);
    status = (span.items == NULL || parents == NULL) && graph->vertex_count > 0
                 ? hop__missing(cluster->context, "hop_cluster_sssp_certify")
                 : proof_open(&work, sources, source_count, span.items);
    HOP_TRY(status, hop__agree(cluster, status));
    HOP_TRY(status, layers_find(&work));
    HOP_TRY(status,
            hop__fetch_ends(cluster, graph, "certify: ends", HOP_OK, 8, work.keys, work.end_keys));
    HOP_TRY(status, hop__fetch_ends(cluster, graph, "certify: ends", HOP_OK, 8, work.layers,
                                    work.end_layers));
    status = check_arcs(&work, &early);
    HOP_TRY(status, check_parents(&work, status, early));
done:
    proof_close(&work);
    return status;
}
