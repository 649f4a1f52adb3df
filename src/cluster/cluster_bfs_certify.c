/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks levels and parents of a search, without searching.
 *
 * 1. Sources, and nothing else, have level 0 and are their own parents; what is not reached has no
 *    parent; no level is above the limit.
 * 2. No arc leads from a vertex below the limit more than one level down, or to one not reached.
 * 3. The parent of a vertex that is reached, and no source, is the smallest of those with an arc to
 *    it that are one level nearer. So it exists: by induction, a path of that length does; and by 2
 *    no shorter one.
 *
 * Holders of arcs learn the levels of both ends; then each tells the owners of its targets the
 * smallest source one level nearer. Bytes sent: 4 for each different end that another rank knows,
 * and 16 for each different target of others. Memory: 20 bytes per different end, 8 per vertex. */
#include "cluster/cluster_graph.h"

#include <inttypes.h>

#include "core/memory.h"
#include "core/try.h"

typedef struct claim {
    uint64_t vertex, parent;
} claim;

typedef struct proof {
    hop_cluster *cluster;
    hop_context *context;
    const hop_cluster_graph *graph;
    uint32_t max_level;
    const uint32_t *levels;
    const uint64_t *parents;
    uint32_t *ends;  /* levels of the ends of the arcs here */
    claim *claims;   /* of each end */
    uint64_t *least; /* of this rank's vertices: the smallest source one level nearer */
    uint64_t *counts;
    uint64_t *sources; /* a bit for each of this rank's vertices */
} proof;

static hop_status rejected(hop_context *context, uint64_t vertex) {
    return hop__note_vertex(context, HOP_KIND_CERTIFICATE, vertex);
}

/* Rule 1. */
static hop_status check_vertices(const proof *work) {
    for (uint64_t i = 0; i < work->graph->vertex_count; i++) {
        uint64_t vertex = work->graph->first_vertex + i, parent = work->parents[i];
        uint32_t level = work->levels[i];
        bool source = work->sources[i / 64] >> i % 64 & 1;
        if (source != (level == 0) || (source && parent != vertex)) {
            hop__fail(work->context, HOP_ERR_CERTIFICATE,
                      "certify: vertex %" PRIu64 " has level %" PRIu32 " and parent %" PRIu64
                      ", and is %s source",
                      vertex, level, parent, source ? "a" : "no");
            return rejected(work->context, vertex);
        }
        if ((level == HOP_NO_LEVEL) != (parent == HOP_NO_CLUSTER_VERTEX) ||
            (level != HOP_NO_LEVEL && level > work->max_level)) {
            hop__fail(work->context, HOP_ERR_CERTIFICATE,
                      "certify: vertex %" PRIu64 " has level %" PRIu32 " and parent %" PRIu64,
                      vertex, level, parent);
            return rejected(work->context, vertex);
        }
    }
    return HOP_OK;
}

static void sources_mark(const proof *work, const uint64_t *sources, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = sources[i] - work->graph->first_vertex;
        if (sources[i] >= work->graph->first_vertex && at < work->graph->vertex_count)
            work->sources[at / 64] |= UINT64_C(1) << at % 64;
    }
}

static hop_status proof_open(proof *work) {
    const hop_cluster_graph *graph = work->graph;
    hop_status status;
    HOP_TRY(status, hop__alloc(work->context, "certify: ends", graph->id_count, 4, &work->ends));
    HOP_TRY(status, hop__alloc(work->context, "certify: parents", graph->id_count,
                               sizeof *work->claims, &work->claims));
    HOP_TRY(status,
            hop__alloc(work->context, "certify: parents", graph->vertex_count, 8, &work->least));
    HOP_TRY(status, hop__alloc(work->context, "certify: counts", graph->ranks, 8, &work->counts));
    HOP_TRY(status, hop__alloc_zero(work->context, "certify: sources", graph->vertex_count / 64 + 1,
                                    8, &work->sources));
    for (uint64_t i = 0; i < graph->vertex_count; i++)
        work->least[i] = HOP_NO_CLUSTER_VERTEX;
    for (uint64_t i = 0; i < graph->id_count; i++)
        work->claims[i] = (claim){graph->ids[i], HOP_NO_CLUSTER_VERTEX};
done:
    return status;
}

/* Rule 2, and the smallest source of each target for rule 3. */
static hop_status check_arcs(proof *work) {
    const hop_cluster_graph *graph = work->graph;
    for (uint64_t row = 0; row < graph->row_count; row++) {
        uint32_t level = work->ends[graph->rows[row]];
        uint64_t source = hop__row_vertex(graph, row);
        if (level == HOP_NO_LEVEL || level >= work->max_level)
            continue;
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++) {
            uint64_t end = graph->ends[arc];
            if (work->ends[end] > level + 1) {
                hop__fail(work->context, HOP_ERR_CERTIFICATE,
                          "certify: an arc leads from vertex %" PRIu64 " of level %" PRIu32
                          " to vertex %" PRIu64 " of level %" PRIu32,
                          source, level, graph->ids[end], work->ends[end]);
                return hop__note_arc(work->context, HOP_KIND_CERTIFICATE, source,
                                     graph->first_arc + arc);
            }
            if (work->ends[end] == level + 1 && source < work->claims[end].parent)
                work->claims[end].parent = source;
        }
    }
    return HOP_OK;
}

/* Rule 3, at the owners. */
static hop_status check_parents(proof *work, hop_status status) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t count = 0;
    hop__inbox inbox;
    for (uint64_t i = 0; status == HOP_OK && i < graph->id_count; i++)
        if (work->claims[i].parent != HOP_NO_CLUSTER_VERTEX)
            work->claims[count++] = work->claims[i];
    for (uint32_t rank = 0; rank < graph->ranks; rank++)
        work->counts[rank] = 0;
    for (uint64_t i = 0; status == HOP_OK && i < count; i++)
        work->counts[hop__owner(graph, work->claims[i].vertex)]++;
    HOP_TRY(status, hop__exchange(work->cluster, "certify: parents", status, sizeof *work->claims,
                                  work->claims, work->counts, &inbox));
    const claim *claims = inbox.records;
    for (uint64_t i = 0; i < inbox.count; i++) {
        uint64_t *least = &work->least[claims[i].vertex - graph->first_vertex];
        *least = claims[i].parent < *least ? claims[i].parent : *least;
    }
    hop__inbox_clear(&inbox);
    for (uint64_t i = 0; status == HOP_OK && i < graph->vertex_count; i++) {
        if (work->levels[i] == 0 || work->levels[i] == HOP_NO_LEVEL ||
            work->least[i] == work->parents[i])
            continue;
        hop__fail(work->context, HOP_ERR_CERTIFICATE,
                  "certify: vertex %" PRIu64 " of level %" PRIu32 " has the parent %" PRIu64 "; %s",
                  graph->first_vertex + i, work->levels[i], work->parents[i],
                  work->least[i] == HOP_NO_CLUSTER_VERTEX
                      ? "no vertex one level nearer has an arc to it"
                      : "it is not the smallest that is one level nearer");
        status = rejected(work->context, graph->first_vertex + i);
    }
    status = hop__agree(work->cluster, status);
done:
    return status;
}

hop_status hop_cluster_bfs_certify(hop_cluster *cluster, const hop_cluster_graph *graph,
                                   const uint64_t *sources, uint64_t source_count,
                                   const hop_bfs_options *options, const uint32_t *levels,
                                   const uint64_t *parents) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    proof work = {.cluster = cluster,
                  .context = cluster->context,
                  .graph = graph,
                  .levels = levels,
                  .parents = parents};
    hop_status status;
    HOP_TRY(status, hop__cluster_search(cluster, "hop_cluster_bfs_certify", graph,
                                        (hop__cluster_sources){sources, source_count}, options,
                                        HOP_OK, &work.max_level));
    status = (levels == NULL || parents == NULL) && graph->vertex_count > 0
                 ? hop__missing(cluster->context, "hop_cluster_bfs_certify")
                 : proof_open(&work);
    if (status == HOP_OK) {
        sources_mark(&work, sources, source_count);
        status = check_vertices(&work);
    }
    HOP_TRY(status, hop__fetch_ends(cluster, graph, "certify: ends", status, sizeof *levels, levels,
                                    work.ends));
    HOP_TRY(status, check_parents(&work, check_arcs(&work)));
done:
    hop__free(work.ends);
    hop__free(work.claims);
    hop__free(work.least);
    hop__free(work.counts);
    hop__free(work.sources);
    return status;
}
