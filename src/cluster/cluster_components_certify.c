/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks labels of components, without the code that finds them.
 *
 * 1. label[v] <= v, and label[label[v]] = label[v].
 * 2. Both ends of every arc have the same label. With 1: a label is constant on components and is
 *    their smallest vertex, unless components share one.
 * 3. So there are at most as many labels as components, and as many only if none is shared. The
 *    components are counted by contraction with random mates (Reif, 1985): in each round a coin,
 *    a function of the round and the vertex, makes a vertex head or tail; a tail with an edge to a
 *    head becomes one with it. Every such step leaves one vertex less, and nothing else does: at
 *    the end, without edges, n less the steps are the components.
 *
 * Cost: a quarter of the ends with edges is gone in a round, on average; some 2.4 log2 n rounds.
 * Memory: 64 bytes per arc of this rank, 8 per vertex. */
#include "cluster/cluster_graph.h"

#include <inttypes.h>

#include "core/memory.h"
#include "core/try.h"

typedef struct proof {
    hop_cluster *cluster;
    hop_context *context;
    const hop_cluster_graph *graph;
    const uint64_t *labels;
    /* Contraction. */
    unsigned id_bits;
    uint64_t round, steps;
    hop__u128 *edges, *offers; /* pairs of ids, id_bits each */
    uint64_t edge_count;
    uint64_t *ends, *now; /* the different ends of the edges, and what they have become */
    uint64_t *mates;      /* of this rank's vertices: what each has become */
    uint64_t *counts;
} proof;

static hop_status rejected(hop_context *context, uint64_t vertex, const char *format,
                           uint64_t label, uint64_t other) {
    hop__fail(context, HOP_ERR_CERTIFICATE, format, vertex, label, other);
    return hop__note_vertex(context, HOP_KIND_CERTIFICATE, vertex);
}

/* ---- labels ---------------------------------------------------------------------------------- */

static hop_status check_bounds(const proof *work) {
    for (uint64_t i = 0; i < work->graph->vertex_count; i++) {
        uint64_t vertex = work->graph->first_vertex + i;
        if (work->labels[i] > vertex)
            return rejected(work->context, vertex,
                            "certify: vertex %" PRIu64 " has the label %" PRIu64
                            ", and labels are the smallest vertices: at most %" PRIu64,
                            work->labels[i], vertex);
    }
    return HOP_OK;
}

/* Rule 1. Labels are looked up one by one: they need not be few. */
static hop_status check_labels(const proof *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t *ids = NULL, *found = NULL, count = 0;
    hop_status status = check_bounds(work);
    if (status == HOP_OK)
        status = hop__alloc(work->context, "certify: labels", graph->vertex_count, 8, &ids);
    if (status == HOP_OK)
        status = hop__alloc(work->context, "certify: labels", graph->vertex_count, 8, &found);
    for (uint64_t i = 0; status == HOP_OK && i < graph->vertex_count; i++)
        ids[i] = work->labels[i];
    if (status == HOP_OK)
        status = hop__sort_u64(work->context, ids, graph->vertex_count, work->id_bits);
    for (uint64_t i = 0; status == HOP_OK && i < graph->vertex_count; i++)
        if (count == 0 || ids[count - 1] != ids[i])
            ids[count++] = ids[i];
    HOP_TRY(status, hop__fetch(work->cluster, graph, "certify: labels", status, ids, count,
                               work->labels, found));
    for (uint64_t i = 0; status == HOP_OK && i < count; i++)
        if (found[i] != ids[i])
            status = rejected(work->context, ids[i],
                              "certify: vertex %" PRIu64 " is a label, but its own is %" PRIu64
                              "%.0" PRIu64,
                              found[i], 0);
    status = hop__agree(work->cluster, status);
done:
    hop__free(ids);
    hop__free(found);
    return status;
}

/* Rule 2. */
static hop_status check_arcs(const proof *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t *ends = NULL;
    hop_status status = hop__alloc(work->context, "certify: ends", graph->id_count, 8, &ends);
    HOP_TRY(status,
            hop__fetch_ends(work->cluster, graph, "certify: ends", status, 8, work->labels, ends));
    for (uint64_t row = 0; row < graph->row_count; row++)
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++)
            if (status == HOP_OK && ends[graph->rows[row]] != ends[graph->ends[arc]]) {
                rejected(work->context, hop__row_vertex(graph, row),
                         "certify: an arc leads from vertex %" PRIu64 " to %" PRIu64
                         ", whose label is %" PRIu64 ": not the same",
                         hop__end_vertex(graph, arc), ends[graph->ends[arc]]);
                status = hop__note_arc(work->context, HOP_KIND_CERTIFICATE,
                                       hop__row_vertex(graph, row), graph->first_arc + arc);
            }
    status = hop__agree(work->cluster, status);
done:
    hop__free(ends);
    return status;
}

/* ---- contraction ----------------------------------------------------------------------------- */

static uint64_t first_of(const proof *work, hop__u128 pair) {
    return (uint64_t)(pair >> work->id_bits);
}

static uint64_t second_of(const proof *work, hop__u128 pair) {
    return (uint64_t)(pair - ((hop__u128)first_of(work, pair) << work->id_bits));
}

static hop__u128 pair_of(const proof *work, uint64_t first, uint64_t second) {
    return (hop__u128)first << work->id_bits | second;
}

static bool is_head(const proof *work, uint64_t vertex) {
    return hop__random_at(work->round, 77, vertex) & 1;
}

static hop_status sort_pairs(const proof *work, hop__u128 *pairs, uint64_t *count) {
    uint64_t kept = 0;
    hop_status status = hop__sort_u128(work->context, pairs, *count, 2 * work->id_bits);
    for (uint64_t i = 0; status == HOP_OK && i < *count; i++)
        if (kept == 0 || pairs[kept - 1] != pairs[i])
            pairs[kept++] = pairs[i];
    *count = kept;
    return status;
}

/* Different edges, without loops; and their different ends. */
static hop_status edges_tidy(proof *work, uint64_t *ends) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < work->edge_count; i++)
        if (first_of(work, work->edges[i]) != second_of(work, work->edges[i]))
            work->edges[kept++] = work->edges[i];
    work->edge_count = kept;
    hop_status status = sort_pairs(work, work->edges, &work->edge_count);
    for (uint64_t i = 0; i < work->edge_count; i++) {
        work->ends[2 * i] = first_of(work, work->edges[i]);
        work->ends[2 * i + 1] = second_of(work, work->edges[i]);
    }
    if (status == HOP_OK)
        status = hop__sort_u64(work->context, work->ends, 2 * work->edge_count, work->id_bits);
    *ends = 0;
    for (uint64_t i = 0; status == HOP_OK && i < 2 * work->edge_count; i++)
        if (*ends == 0 || work->ends[*ends - 1] != work->ends[i])
            work->ends[(*ends)++] = work->ends[i];
    return status;
}

/* Tails ask their owners to become one with a head; the first that asks is taken. */
static hop_status mates_find(proof *work, hop_status status) {
    uint64_t count = 0, first = work->graph->first_vertex;
    hop__inbox inbox;
    for (uint32_t rank = 0; rank < work->cluster->ranks; rank++)
        work->counts[rank] = 0;
    for (uint64_t i = 0; status == HOP_OK && i < work->edge_count; i++) {
        uint64_t a = first_of(work, work->edges[i]), b = second_of(work, work->edges[i]);
        bool head = is_head(work, a);
        if (head != is_head(work, b))
            work->offers[count++] = head ? pair_of(work, b, a) : pair_of(work, a, b);
    }
    if (status == HOP_OK)
        status = sort_pairs(work, work->offers, &count);
    for (uint64_t i = 0; status == HOP_OK && i < count; i++)
        work->counts[hop__owner(work->graph, first_of(work, work->offers[i]))]++;
    HOP_TRY(status, hop__exchange(work->cluster, "certify: mates", status, sizeof *work->offers,
                                  work->offers, work->counts, &inbox));
    const hop__u128 *offers = inbox.records;
    for (uint64_t i = 0; i < inbox.count; i++) {
        uint64_t tail = first_of(work, offers[i]);
        if (work->mates[tail - first] == tail) {
            work->mates[tail - first] = second_of(work, offers[i]);
            work->steps++;
        }
    }
    hop__inbox_clear(&inbox);
done:
    return status;
}

static uint64_t what_became(const proof *work, uint64_t ends, uint64_t vertex) {
    uint64_t low = 0, high = ends;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (work->ends[middle] <= vertex)
            low = middle;
        else
            high = middle;
    }
    return work->now[low];
}

static hop_status contract(proof *work) {
    uint64_t ends = 0, left;
    hop_status status;
    for (work->round = 1;; work->round++) {
        status = edges_tidy(work, &ends);
        left = work->edge_count;
        HOP_TRY(status, hop__sum_agreed(work->cluster, status, &left, 1));
        if (left == 0)
            goto done;
        HOP_TRY(status, mates_find(work, HOP_OK));
        HOP_TRY(status, hop__fetch(work->cluster, work->graph, "certify: mates", HOP_OK, work->ends,
                                   ends, work->mates, work->now));
        for (uint64_t i = 0; i < work->edge_count; i++) {
            uint64_t a = what_became(work, ends, first_of(work, work->edges[i]));
            uint64_t b = what_became(work, ends, second_of(work, work->edges[i]));
            work->edges[i] = a < b ? pair_of(work, a, b) : pair_of(work, b, a);
        }
    }
done:
    return status;
}

static hop_status contract_open(proof *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t arcs = graph->arc_count;
    hop_status status;
    HOP_TRY(status, hop__alloc(work->context, "certify: edges", arcs, 16, &work->edges));
    HOP_TRY(status, hop__alloc(work->context, "certify: mates", arcs, 16, &work->offers));
    HOP_TRY(status, hop__alloc(work->context, "certify: ends", 2 * arcs, 8, &work->ends));
    HOP_TRY(status, hop__alloc(work->context, "certify: ends", 2 * arcs, 8, &work->now));
    HOP_TRY(status,
            hop__alloc(work->context, "certify: vertices", graph->vertex_count, 8, &work->mates));
    HOP_TRY(status, hop__alloc(work->context, "certify: counts", graph->ranks, 8, &work->counts));
    for (uint64_t i = 0; i < graph->vertex_count; i++)
        work->mates[i] = graph->first_vertex + i;
    for (uint64_t row = 0; row < graph->row_count; row++)
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++)
            work->edges[work->edge_count++] =
                pair_of(work, hop__row_vertex(graph, row), hop__end_vertex(graph, arc));
done:
    return status;
}

/* Rule 3. */
static hop_status check_count(proof *work, uint64_t count) {
    uint64_t sums[2] = {0, 0};
    hop_status status;
    HOP_TRY(status, hop__agree(work->cluster, contract_open(work)));
    HOP_TRY(status, contract(work));
    sums[0] = work->steps;
    for (uint64_t i = 0; i < work->graph->vertex_count; i++)
        sums[1] += work->labels[i] == work->graph->first_vertex + i;
    HOP_TRY(status, hop__sum_all(work->cluster, sums, 2));
    uint64_t components = work->graph->vertices - sums[0];
    if (sums[1] != components || (count != HOP_UNKNOWN && count != components)) {
        hop__fail(work->context, HOP_ERR_CERTIFICATE,
                  "certify: there are %" PRIu64 " components, but %" PRIu64
                  " different labels, and %" PRIu64 " were said",
                  components, sums[1], count == HOP_UNKNOWN ? sums[1] : count);
        status = hop__note_need(work->context, HOP_KIND_CERTIFICATE, components, sums[1]);
    }
done:
    return status;
}

hop_status hop_cluster_components_certify(hop_cluster *cluster, const hop_cluster_graph *graph,
                                          const uint64_t *labels, uint64_t count) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    proof work = {
        .cluster = cluster, .context = cluster->context, .graph = graph, .labels = labels};
    hop_status status = graph == NULL || (labels == NULL && graph->vertex_count > 0)
                            ? hop__missing(cluster->context, "hop_cluster_components_certify")
                            : HOP_OK;
    HOP_TRY(status, hop__cluster_begin(cluster, "components_certify", count, status));
    work.id_bits = hop__id_bits(graph->vertices);
    HOP_TRY(status, check_labels(&work));
    HOP_TRY(status, check_arcs(&work));
    HOP_TRY(status, check_count(&work, count));
done:
    hop__free(work.edges);
    hop__free(work.offers);
    hop__free(work.ends);
    hop__free(work.now);
    hop__free(work.mates);
    hop__free(work.counts);
    return status;
}
