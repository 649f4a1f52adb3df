/* SPDX-License-Identifier: Apache-2.0
 *
 * level[v] = the number of arcs on a shortest path from the sources; parent[v] = the smallest u
 * with an arc to v and level[v] - 1: as hop_bfs.
 *
 * Level by level, pushed: the owners of the frontier tell the holders of its rows; these tell the
 * owners of the targets, each target once in the whole search: a target that this rank has told
 * of has a level by the end of that round, so a later word of it could change nothing. Owners of
 * targets without a level give them the next one.
 *
 * 1. The frontier is ascending, and so is what comes of it at the holders, since owners ascend with
 *    the ids: the first source that reaches a target here is the smallest.
 * 2. Ranks hold rows in their order, and what comes is in the order of the ranks: the first who
 *    tells an owner of a target has the smallest source. Sources of one round have one level, so
 *    that is the canonical parent.
 *
 * Bytes sent: 16 for each different target of this rank's arcs that is another's and is reached, at
 * most min(n, arcs of this rank); 8 for each vertex reached whose row, or part of it, another rank
 * holds.
 * Nothing has an element for each vertex of the graph: told is a bit per different target here.
 * Memory: 1/8 byte per different target, 16 bytes per vertex of this rank and 32 per target told in
 * one round. */
#include "cluster/cluster_graph.h"

#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "core/options.h"
#include "core/try.h"

typedef struct search {
    hop_cluster *cluster;
    hop_context *context;
    const hop_cluster_graph *graph;
    uint32_t *levels;
    uint64_t *parents;
    uint64_t *frontier, frontier_count; /* of this rank's vertices, ascending */
    uint64_t *orders, order_room;       /* vertices, for the holders of their rows */
    uint64_t *told;                     /* a bit for each ghost */
    hop__u128 *found;                   /* ghost and source; then vertex and source */
    uint64_t found_count;
    uint64_t *counts;
} search;

/* ---- owners to holders ----------------------------------------------------------------------- */

static hop_status orders_room(search *work, uint64_t need) {
    if (need <= work->order_room)
        return HOP_OK;
    hop_status status =
        hop__resize(work->context, "bfs: frontier", 2 * need, sizeof *work->orders, &work->orders);
    if (status == HOP_OK)
        work->order_room = 2 * need;
    return status;
}

/* Each vertex of the frontier to those who hold its row, in the order of the ranks: the holders of
 * a later vertex are not before the last one of this. */
static hop_status frontier_send(search *work, hop__inbox *inbox) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t count = 0;
    hop_status status = HOP_OK;
    memset(work->counts, 0, graph->ranks * sizeof *work->counts);
    for (uint64_t i = 0; status == HOP_OK && i < work->frontier_count; i++) {
        uint64_t vertex = work->frontier[i];
        for (uint32_t rank = hop__first_holder(graph, vertex); hop__holds(graph, rank, vertex);
             rank++) {
            status = orders_room(work, count + 1);
            if (status != HOP_OK)
                break;
            work->orders[count++] = vertex;
            work->counts[rank]++;
        }
    }
    return hop__exchange(work->cluster, "bfs: frontier", status, sizeof *work->orders, work->orders,
                         work->counts, inbox);
}

/* ---- holders to owners ----------------------------------------------------------------------- */

/* The first row at or after `from` that is not before `vertex`. Frontiers are dense or sparse:
 * steps double until the row is passed. */
static uint64_t row_seek(const hop_cluster_graph *graph, uint64_t from, uint64_t vertex) {
    uint64_t step = 1, low = from, high = from;
    while (high < graph->row_count && graph->rows[high] < vertex) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    high = high < graph->row_count ? high : graph->row_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (graph->rows[middle] < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Arcs of the rows that were told of, of which there may be many more than targets. */
static uint64_t arcs_ahead(const hop_cluster_graph *graph, const hop__inbox *inbox) {
    const uint64_t *vertices = inbox->records;
    uint64_t arcs = 0, row = 0;
    for (uint64_t i = 0; i < inbox->count; i++) {
        row = row_seek(graph, row, vertices[i]);
        if (row < graph->row_count && graph->rows[row] == vertices[i])
            arcs += graph->starts[row + 1] - graph->starts[row];
    }
    return arcs < graph->ghost_count ? arcs : graph->ghost_count;
}

static void row_push(search *work, uint64_t row) {
    const hop_cluster_graph *graph = work->graph;
    unsigned bits = hop__id_bits(graph->vertices);
    for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++) {
        uint64_t ghost = graph->ends[arc];
        if (work->told[ghost / 64] >> ghost % 64 & 1)
            continue;
        work->told[ghost / 64] |= UINT64_C(1) << ghost % 64;
        work->found[work->found_count++] = (hop__u128)ghost << bits | graph->rows[row];
    }
}

/* What is found, in the order of the ghosts, and so of their owners. */
static hop_status found_send(search *work, hop_status status, hop__inbox *inbox) {
    const hop_cluster_graph *graph = work->graph;
    unsigned bits = hop__id_bits(graph->vertices);
    memset(work->counts, 0, graph->ranks * sizeof *work->counts);
    if (status == HOP_OK)
        status = hop__sort_u128(work->context, work->found, work->found_count,
                                bits + hop__bit_width(graph->ghost_count));
    for (uint64_t i = 0; status == HOP_OK && i < work->found_count; i++) {
        hop__u128 key = work->found[i], ghost = key >> bits;
        uint64_t vertex = graph->ghosts[ghost];
        work->found[i] = (hop__u128)vertex << 64 | (key - (ghost << bits));
        work->counts[hop__owner(graph, vertex)]++;
    }
    return hop__exchange(work->cluster, "bfs: targets", status, sizeof *work->found, work->found,
                         work->counts, inbox);
}

static hop_status frontier_push(search *work, const hop__inbox *orders, hop__inbox *inbox) {
    const hop_cluster_graph *graph = work->graph;
    const uint64_t *vertices = orders->records;
    uint64_t row = 0;
    work->found_count = 0;
    hop_status status = hop__alloc(work->context, "bfs: targets", arcs_ahead(graph, orders),
                                   sizeof *work->found, &work->found);
    for (uint64_t i = 0; status == HOP_OK && i < orders->count; i++) {
        row = row_seek(graph, row, vertices[i]);
        if (row < graph->row_count && graph->rows[row] == vertices[i])
            row_push(work, row);
    }
    status = found_send(work, status, inbox);
    hop__free(work->found);
    work->found = NULL;
    return status;
}

/* ---- levels ---------------------------------------------------------------------------------- */

static hop_status level_set(search *work, const hop__inbox *inbox, uint32_t level) {
    const hop__u128 *told = inbox->records;
    work->frontier_count = 0;
    for (uint64_t i = 0; i < inbox->count; i++) {
        uint64_t vertex = (uint64_t)(told[i] >> 64), parent = (uint64_t)told[i];
        uint64_t at = vertex - work->graph->first_vertex;
        if (work->levels[at] != HOP_NO_LEVEL)
            continue;
        work->levels[at] = level;
        work->parents[at] = parent;
        work->frontier[work->frontier_count++] = vertex;
    }
    return hop__sort_u64(work->context, work->frontier, work->frontier_count,
                         hop__id_bits(work->graph->vertices));
}

static hop_status levels_run(search *work, uint32_t max_level) {
    hop_status status = HOP_OK;
    for (uint32_t level = 1; level != HOP_NO_LEVEL && level - 1 < max_level; level++) {
        hop__inbox orders = {NULL, 0, NULL}, inbox = {NULL, 0, NULL};
        uint64_t left = work->frontier_count;
        HOP_TRY(status, hop__sum_all(work->cluster, &left, 1));
        if (left == 0)
            goto done;
        status = frontier_send(work, &orders);
        if (status == HOP_OK)
            status = frontier_push(work, &orders, &inbox);
        if (status == HOP_OK)
            status = hop__agree(work->cluster, level_set(work, &inbox, level));
        hop__inbox_clear(&orders);
        hop__inbox_clear(&inbox);
        if (status != HOP_OK)
            goto done;
    }
done:
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static hop_status search_open(search *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t own = graph->vertex_count;
    hop_status status;
    HOP_TRY(status, hop__alloc(work->context, "bfs: frontier", own, sizeof *work->frontier,
                               &work->frontier));
    HOP_TRY(status,
            hop__alloc(work->context, "bfs: frontier", own, sizeof *work->orders, &work->orders));
    work->order_room = own;
    HOP_TRY(status, hop__alloc_zero(work->context, "bfs: told", graph->ghost_count / 64 + 1,
                                    sizeof *work->told, &work->told));
    HOP_TRY(status, hop__alloc(work->context, "bfs: counts", graph->ranks, sizeof *work->counts,
                               &work->counts));
done:
    return status;
}

static void sources_set(search *work, const uint64_t *sources, uint64_t count) {
    const hop_cluster_graph *graph = work->graph;
    for (uint64_t i = 0; i < graph->vertex_count; i++) {
        work->levels[i] = HOP_NO_LEVEL;
        work->parents[i] = HOP_NO_CLUSTER_VERTEX;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = sources[i] - graph->first_vertex;
        if (sources[i] < graph->first_vertex || at >= graph->vertex_count)
            continue;
        work->levels[at] = 0;
        work->parents[at] = sources[i];
    }
    for (uint64_t i = 0; i < graph->vertex_count; i++)
        if (work->levels[i] == 0)
            work->frontier[work->frontier_count++] = graph->first_vertex + i;
}

hop_status hop__cluster_search(hop_cluster *cluster, const char *call,
                               const hop_cluster_graph *graph, hop__cluster_sources from,
                               const hop_bfs_options *given, uint32_t *max_level) {
    hop_context *context = cluster->context;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_status status = graph == NULL || (from.sources == NULL && from.count > 0)
                            ? hop__missing(context, call)
                            : HOP_OK;
    if (status == HOP_OK)
        status =
            hop__options_take(context, "HOP_BFS_OPTIONS_INIT", given, &options, sizeof options);
    if (status == HOP_OK &&
        (options.run != NULL || options.target_count > 0 || options.nearest > 0))
        status = hop__fail(context, HOP_ERR_UNSUPPORTED,
                           "bfs: targets, nearest and run are not possible on a cluster");
    for (uint64_t i = 0; status == HOP_OK && i < from.count; i++)
        if (from.sources[i] >= graph->vertices) {
            hop__fail(context, HOP_ERR_ARGUMENT,
                      "bfs: source %" PRIu64 ", but there are %" PRIu64 " vertices",
                      from.sources[i], graph->vertices);
            status = hop__note_range(context, from.sources[i], graph->vertices);
        }
    *max_level = options.max_level;
    uint64_t hash = options.max_level;
    if (status == HOP_OK && from.count > 0)
        hash = hop__cluster_mix(hash, from.sources, from.count * sizeof *from.sources);
    return hop__cluster_begin(cluster, call, hash, status);
}

hop_status hop_cluster_bfs(hop_cluster *cluster, const hop_cluster_graph *graph,
                           const uint64_t *sources, uint64_t source_count,
                           const hop_bfs_options *options, uint32_t *levels, uint64_t *parents) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    search work = {.cluster = cluster,
                   .context = cluster->context,
                   .graph = graph,
                   .levels = levels,
                   .parents = parents};
    uint32_t max_level;
    hop_status status;
    HOP_TRY(status, hop__cluster_search(cluster, "hop_cluster_bfs", graph,
                                        (hop__cluster_sources){sources, source_count}, options,
                                        &max_level));
    status = (levels == NULL || parents == NULL) && graph->vertex_count > 0
                 ? hop__missing(cluster->context, "hop_cluster_bfs")
                 : search_open(&work);
    HOP_TRY(status, hop__agree(cluster, status));
    sources_set(&work, sources, source_count);
    HOP_TRY(status, levels_run(&work, max_level));
done:
    hop__free(work.frontier);
    hop__free(work.orders);
    hop__free(work.told);
    hop__free(work.found);
    hop__free(work.counts);
    return status;
}
