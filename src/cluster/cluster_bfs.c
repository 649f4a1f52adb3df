/* SPDX-License-Identifier: Apache-2.0
 *
 * level[v] = the number of arcs on a shortest path from the sources; parent[v] = the smallest u
 * with an arc to v and level[v] - 1: as hop_bfs.
 *
 * Level by level, in one of two directions (Beamer, Asanovic, Patterson, SC'12).
 *
 * Down: the owners of the frontier tell the holders of its rows; these tell the owners of the
 * targets, each target once in the whole search: a target that this rank has told of has a level by
 * the end of that round, so a later word of it could change nothing.
 *
 * Up, of undirected graphs, when the frontier has many arcs: the owners tell everyone who knows a
 * vertex whether it is in the frontier, a bit each, by place; a row of a vertex without a level
 * looks for its first target in the frontier, and its owner is told of that.
 *
 * Either way owners of vertices without a level give them the next one, and of all that are told of
 * one vertex in the round they take the smallest parent: sources of one round have one level, so
 * that is the canonical one.
 *
 * 1. The frontier is ascending, and so is what comes of it at the holders, since owners ascend with
 *    the ids: the first source that reaches a target here is the smallest. Targets of a row are
 *    ascending: the first in the frontier is the smallest.
 * 2. A large frontier is kept as bits (here), a small one as a list; each becomes the other where
 *    the direction needs it.
 * 3. told: ends that have a level, as far as this rank knows: those that it has told of; going up,
 *    all of its own, and what was in a frontier. What it tells again is to no effect.
 *
 * Bytes sent: down 12 for each different target of this rank's arcs that is another's, is reached
 * and was not told of; 8 for each vertex reached whose row, or part of it, another rank holds. Up,
 * in each level, 1/8 for each end of another rank's arcs that this rank owns; and 12 for each row
 * that is found and another rank's.
 * Nothing has an element for each vertex of the graph: told is a bit per different end here.
 * Memory: 8.5 bytes per different end, 8 per vertex of this rank, 24 per vertex told at once. */
#include "cluster/cluster_bits.h"
#include "cluster/cluster_checkpoint.h"
#include "cluster/cluster_look.h"

#include <inttypes.h>
#include <string.h>

#include "core/bitmap.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/try.h"

enum {
    UP_ARCS = 12,  /* upwards when the frontier has one in so many of the arcs, */
    UP_SHARE = 24, /* or one in so many of the vertices; and until it has less than this */
    BITS_SHARE = 8 /* a frontier with one in so many words' number of vertices is kept as bits */
};

typedef struct search {
    hop_cluster *cluster;
    hop_context *context;
    const hop_cluster_graph *graph;
    uint32_t *levels;
    uint64_t *parents;
    uint64_t *frontier, frontier_count; /* of this rank's vertices, ascending */
    uint64_t before; /* vertices of this rank that were reached before where the search began */
    bool as_bits;    /* it is in `here`, not in the list */
    uint64_t *told, *front;    /* bits of the ends: see 3; in the frontier */
    uint32_t *found, *sources; /* ends found in a round; of each, the end it was from */
    uint64_t found_count;
    uint64_t *here, *reached;     /* bits of this rank's vertices: see 2; with a level */
    uint64_t own_first, own_stop; /* rows of these */
    hop__bits bits;
    uint32_t level; /* that is being found */
    bool was_up;    /* the last level was found upwards, or is being */
} search;

/* ---- the frontier ---------------------------------------------------------------------------- */

static void frontier_list(search *work) {
    const hop_cluster_graph *graph = work->graph;
    if (!work->as_bits)
        return;
    work->as_bits = false;
    work->frontier_count = 0;
    for (uint64_t w = 0; w < hop__bitmap_words(graph->vertex_count); w++)
        for (uint64_t left = work->here[w]; left != 0; left &= left - 1)
            work->frontier[work->frontier_count++] =
                graph->first_vertex + 64 * w + (unsigned)__builtin_ctzll(left);
}

static void here_clear(search *work) {
    memset(work->here, 0, hop__bitmap_words(work->graph->vertex_count) * sizeof *work->here);
}

static void frontier_bits(search *work) {
    if (work->as_bits)
        return;
    here_clear(work);
    for (uint64_t i = 0; i < work->frontier_count; i++)
        hop__bitmap_set(work->here, work->frontier[i] - work->graph->first_vertex);
    work->as_bits = true;
}

static void frontier_reached(search *work) {
    const hop_cluster_graph *graph = work->graph;
    for (uint64_t w = 0; work->as_bits && w < hop__bitmap_words(graph->vertex_count); w++)
        work->reached[w] |= work->here[w];
    for (uint64_t i = 0; !work->as_bits && i < work->frontier_count; i++)
        hop__bitmap_set(work->reached, work->frontier[i] - graph->first_vertex);
}

static inline void find(search *work, uint32_t end, uint32_t source) {
    hop__bitmap_set(work->told, end);
    work->sources[end] = source;
    work->found[work->found_count++] = end;
}

/* ---- down ------------------------------------------------------------------------------------ */

static void rows_push(search *work, const hop__inbox *orders) {
    const hop_cluster_graph *graph = work->graph;
    const uint64_t *rows = orders->records;
    for (uint64_t i = 0; i < orders->count; i++)
        for (uint64_t arc = graph->starts[rows[i]]; arc < graph->starts[rows[i] + 1]; arc++)
            if (!hop__bitmap_get(work->told, graph->ends[arc]))
                find(work, graph->ends[arc], graph->rows[rows[i]]);
}

/* ---- up -------------------------------------------------------------------------------------- */

/* `front` from the owners, and `told` with what is known now: of this rank's own ends all that are
 * reached, of others those that were in a frontier since levels go up. The frontier is done with
 * then: `here` is free for the next one. */
static hop_status front_share(search *work) {
    const hop_cluster_graph *graph = work->graph;
    hop_status status;
    frontier_bits(work);
    HOP_TRY(status, hop__bits_share(work->cluster, graph, "bfs: bits", &work->bits, work->here,
                                    work->front));
    for (uint64_t w = 0; w < hop__bitmap_words(graph->id_count); w++)
        work->told[w] |= work->front[w];
    if (!work->was_up)
        hop__bits_add_own(work->cluster, graph, &work->bits, work->reached, work->told);
    here_clear(work);
    work->frontier_count = 0;
done:
    return status;
}

/* Rows of this rank's own vertices. If another rank has part of one, its word comes later. */
static void hits_reach(void *user, const uint32_t *rows, const uint32_t *hits, uint64_t count) {
    search *work = user;
    const uint64_t *ids = work->graph->ids, first = work->graph->first_vertex;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = ids[rows[i]] - first;
        work->levels[at] = work->level;
        work->parents[at] = ids[hits[i]];
        hop__bitmap_set(work->here, at);
    }
    work->frontier_count += count;
}

static void hits_find(void *user, const uint32_t *rows, const uint32_t *hits, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        find(user, rows[i], hits[i]);
}

static void all_rows_look(search *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t first = work->own_first, stop = work->own_stop;
    hop__look own = {work->told, work->front, false, hits_reach, work}, others = own;
    others.take = hits_find;
    hop__rows_look(graph, 0, first, &others);
    hop__rows_look(graph, first, stop, &own);
    hop__rows_look(graph, stop, graph->row_count, &others);
}

/* Rows ascend as owners do: those of this rank's own vertices are a stretch. */
static void own_rows_find(search *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t first = 0, stop = graph->row_count;
    while (first < stop && !hop__is_own_end(work->cluster, graph, graph->rows[first]))
        first++;
    while (stop > first && !hop__is_own_end(work->cluster, graph, graph->rows[stop - 1]))
        stop--;
    work->own_first = first;
    work->own_stop = stop;
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* Vertex number `at` of this rank has a neighbour, `parent`, in the level before. */
static void vertex_reach(void *user, uint32_t at, uint64_t parent) {
    search *work = user;
    if (work->levels[at] == HOP_NO_LEVEL) {
        work->levels[at] = work->level;
        work->parents[at] = parent;
        if (work->as_bits)
            hop__bitmap_set(work->here, at);
        else
            work->frontier[work->frontier_count] = work->graph->first_vertex + at;
        work->frontier_count++;
    } else if (work->levels[at] == work->level && parent < work->parents[at]) {
        work->parents[at] = parent;
    }
}

/* Tells the owners what was found; the frontier is then what they have reached. *own is what came
 * of it on this rank alone. */
static hop_status level_set(search *work, hop_status *own) {
    const hop_cluster_graph *graph = work->graph;
    hop__found_ends found = {work->found, work->found_count, graph->ids, work->sources};
    hop__inbox inbox;
    hop_status status =
        hop__words_tell(work->cluster, graph, "bfs: targets", HOP_OK, &found, &inbox);
    if (status != HOP_OK)
        return status;
    if (!work->was_up) {
        work->frontier_count = 0;
        work->as_bits =
            work->found_count + inbox.count > hop__bitmap_words(graph->vertex_count) / BITS_SHARE;
        if (work->as_bits)
            here_clear(work);
    }
    hop__words_take(work->cluster, graph, &found, &inbox, work, vertex_reach);
    hop__inbox_clear(&inbox);
    if (!work->as_bits)
        *own = hop__sort_u64(work->context, work->frontier, work->frontier_count,
                             hop__id_bits(graph->vertices));
    return HOP_OK;
}

/* The next level is found, either way: `total` vertices are in the frontier of all ranks. */
static hop_status level_find(search *work, uint64_t total) {
    const hop_cluster_graph *graph = work->graph;
    hop__inbox orders = {NULL, 0, NULL, NULL};
    bool up = !graph->directed && total > graph->vertices / UP_SHARE;
    hop_status status = HOP_OK;
    work->found_count = 0;
    frontier_reached(work);
    if (!up) {
        uint64_t arcs;
        frontier_list(work);
        hop__told_rows told = {work->frontier, work->frontier_count, NULL};
        HOP_TRY(status, hop__rows_tell(work->cluster, graph, "bfs: frontier", HOP_OK, &told,
                                       &orders, &arcs));
        if (!graph->directed) {
            HOP_TRY(status, hop__sum_all(work->cluster, &arcs, 1));
            up = arcs > graph->arcs / UP_ARCS;
        }
    }
    if (up) {
        HOP_TRY(status, front_share(work));
        all_rows_look(work);
    } else {
        if (work->was_up)
            hop__bits_add_own(work->cluster, graph, &work->bits, work->reached, work->told);
        rows_push(work, &orders);
    }
    work->was_up = up;
done:
    hop__inbox_clear(&orders);
    return status;
}

/* From `level` on, whose frontier is there. A checkpoint has what is before it. */
static hop_status levels_run(search *work, uint32_t level, uint32_t max_level,
                             hop__checkpoint *saved) {
    hop_status status = HOP_OK, own = HOP_OK;
    uint64_t reached = 0;
    for (;; level++) {
        uint64_t sums[3] = {work->frontier_count, hop__checkpoint_due(saved), work->before};
        HOP_TRY(status, hop__sum_agreed(work->cluster, own, sums, 3));
        reached += sums[0] + sums[2];
        work->before = 0;
        hop__cluster_step(work->cluster, "bfs: vertices", reached, work->graph->vertices);
        if (sums[0] == 0 || level == HOP_NO_LEVEL || level - 1 >= max_level)
            goto done;
        HOP_TRY(status, hop__checkpoint_write(saved, sums[1], level));
        work->level = level;
        HOP_TRY(status, level_find(work, sums[0]));
        HOP_TRY(status, level_set(work, &own));
    }
done:
    hop__cluster_step_end(work->cluster);
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static hop_status search_open(search *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t own = graph->vertex_count, ends = graph->id_count;
    hop_status status;
    HOP_TRY(status, hop__alloc(work->context, "bfs: frontier", own, sizeof *work->frontier,
                               &work->frontier));
    HOP_TRY(status, hop__alloc_zero(work->context, "bfs: told", ends / 64 + 2, 8, &work->told));
    HOP_TRY(status, hop__alloc(work->context, "bfs: bits", ends / 64 + 2, 8, &work->front));
    /* And one that is written before it is known whether it stays. */
    HOP_TRY(status, hop__alloc(work->context, "bfs: found", ends + 1, 4, &work->found));
    HOP_TRY(status, hop__alloc(work->context, "bfs: sources", ends, 4, &work->sources));
    HOP_TRY(status, hop__alloc(work->context, "bfs: bits", own / 64 + 1, 8, &work->here));
    HOP_TRY(status, hop__alloc_zero(work->context, "bfs: bits", own / 64 + 1, 8, &work->reached));
    HOP_TRY(status, hop__bits_open(work->context, graph, &work->bits));
    own_rows_find(work);
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
}

/* The vertices of the level before, and of all before that. */
static void frontier_find(search *work, uint32_t level) {
    for (uint64_t i = 0; i < work->graph->vertex_count; i++) {
        if (work->levels[i] == HOP_NO_LEVEL)
            continue;
        hop__bitmap_set(work->reached, i);
        if (work->levels[i] == level - 1)
            work->frontier[work->frontier_count++] = work->graph->first_vertex + i;
        else
            work->before++;
    }
}

/* Which ends were told of is not in a checkpoint: some are told of again, to no effect. */
static hop_status search_run(search *work, hop__cluster_sources from, uint32_t max_level) {
    hop__checkpoint saved = {
        .cluster = work->cluster,
        .graph = work->graph,
        .problem = "bfs",
        .step_name = "level",
        .search = hop__cluster_mix(max_level, from.sources, from.count * sizeof *from.sources),
        .arrays = {{work->levels, 4}, {work->parents, 8}},
        .array_count = 2};
    uint64_t step;
    hop_status status;
    sources_set(work, from.sources, from.count);
    HOP_TRY(status, hop__checkpoint_begin(&saved, &step));
    uint32_t level = saved.found && step > 0 && step < HOP_NO_LEVEL ? (uint32_t)step : 1;
    frontier_find(work, level);
    status = levels_run(work, level, max_level, &saved);
done:
    return status;
}

hop_status hop__cluster_sources_check(hop_cluster *cluster, const char *call,
                                      const hop_cluster_graph *graph, hop__cluster_sources from,
                                      uint64_t hash, hop_status status) {
    for (uint64_t i = 0; status == HOP_OK && i < from.count; i++)
        if (from.sources[i] >= graph->vertices) {
            hop__fail(cluster->context, HOP_ERR_ARGUMENT,
                      "%s: source %" PRIu64 ", but there are %" PRIu64 " vertices", call,
                      from.sources[i], graph->vertices);
            status = hop__note_range(cluster->context, from.sources[i], graph->vertices);
        }
    if (status == HOP_OK && from.count > 0)
        hash = hop__cluster_mix(hash, from.sources, from.count * sizeof *from.sources);
    return hop__cluster_begin(cluster, call, hash, status);
}

hop_status hop__cluster_search(hop_cluster *cluster, const char *call,
                               const hop_cluster_graph *graph, hop__cluster_sources from,
                               const hop_bfs_options *given, hop_status status,
                               uint32_t *max_level) {
    hop_context *context = cluster->context;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    if (graph == NULL || (from.sources == NULL && from.count > 0))
        status = hop__missing(context, call);
    if (status == HOP_OK)
        status =
            hop__options_take(context, "HOP_BFS_OPTIONS_INIT", given, &options, sizeof options);
    if (status == HOP_OK &&
        (options.run != NULL || options.target_count > 0 || options.nearest > 0))
        status = hop__fail(context, HOP_ERR_UNSUPPORTED,
                           "bfs: targets, nearest and run are not possible on a cluster");
    *max_level = options.max_level;
    return hop__cluster_sources_check(cluster, call, graph, from, options.max_level, status);
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
    hop_status status = HOP_OK;
    if (graph != NULL)
        status = (levels == NULL || parents == NULL) && graph->vertex_count > 0
                     ? hop__missing(cluster->context, "hop_cluster_bfs")
                     : search_open(&work);
    HOP_TRY(status, hop__cluster_search(cluster, "hop_cluster_bfs", graph,
                                        (hop__cluster_sources){sources, source_count}, options,
                                        status, &max_level));
    status = search_run(&work, (hop__cluster_sources){sources, source_count}, max_level);
done:
    hop__free(work.frontier);
    hop__free(work.told);
    hop__free(work.front);
    hop__free(work.found);
    hop__free(work.sources);
    hop__free(work.here);
    hop__free(work.reached);
    hop__bits_close(&work.bits);
    return status;
}
