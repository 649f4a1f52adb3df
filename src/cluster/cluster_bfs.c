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
 * 3. told: ends that have a level, as far as this rank knows; all of them after a level upwards.
 *
 * Bytes sent: down 12 for each different target of this rank's arcs that is another's, is reached
 * and was not told of; 8 for each vertex reached whose row, or part of it, another rank holds. Up,
 * in each level, 1/8 for each end of another rank's arcs that this rank owns, twice in the first of
 * them; and 12 for each row that is found and another rank's.
 * Nothing has an element for each vertex of the graph: told is a bit per different end here.
 * Memory: 8.5 bytes per different end, 8 per vertex of this rank, 24 per vertex told at once. */
#include "cluster/cluster_checkpoint.h"

#include <inttypes.h>
#include <string.h>

#include "core/bitmap.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/try.h"

enum {
    UP_ARCS = 12,   /* upwards when the frontier has one in so many of the arcs, */
    UP_SHARE = 24,  /* or one in so many of the vertices; and until it has less than this */
    BITS_SHARE = 8, /* a frontier with one in so many words' number of vertices is kept as bits */
    BATCH = 256,    /* rows that look together */
    LOOKS = 6       /* that are taken so */
};

typedef struct search {
    hop_cluster *cluster;
    hop_context *context;
    const hop_cluster_graph *graph;
    uint32_t *levels;
    uint64_t *parents;
    uint64_t *frontier, frontier_count; /* of this rank's vertices, ascending */
    bool as_bits;                       /* it is in `here`, not in the list */
    uint64_t *told, *front;             /* bits of the ends: see 3; in the frontier */
    uint32_t *found, *sources;          /* ends found in a round; of each, the end it was from */
    uint64_t found_count;
    uint64_t *here;               /* bits of this rank's vertices */
    uint64_t *bits_out, *bits_in; /* those of known and of ids, each rank's in words of its own */
    uint64_t *counts, *word_counts;
    uint32_t level; /* that is being found */
    bool told_all;  /* the last level was found upwards */
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

/* Bits of known vertices, out of those of this rank's, for each rank in words of its own. */
static void bits_pick(search *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t *out = work->bits_out;
    for (uint32_t rank = 0; rank < graph->ranks; rank++) {
        uint64_t begin = graph->known_starts[rank], count = graph->known_counts[rank];
        for (uint64_t i = 0; i < count; i += 64, out++) {
            uint64_t bits = 0, some = count - i < 64 ? count - i : 64;
            for (uint64_t k = 0; k < some; k++)
                bits |= (uint64_t)hop__bitmap_get(work->here, graph->known[begin + i + k]) << k;
            *out = bits;
        }
    }
}

/* What came, to the places of the ids, which lie bit by bit. */
static void bits_place(const search *work, uint64_t *bits) {
    const hop_cluster_graph *graph = work->graph;
    const uint64_t *in = work->bits_in;
    memset(bits, 0, (graph->id_count / 64 + 2) * sizeof *bits);
    for (uint32_t rank = 0; rank < graph->ranks; rank++) {
        uint64_t *to = bits + graph->id_starts[rank] / 64;
        unsigned shift = graph->id_starts[rank] % 64;
        for (uint64_t i = 0; i < graph->id_counts[rank]; i += 64, in++, to++) {
            to[0] |= *in << shift;
            if (shift != 0)
                to[1] |= *in >> (64 - shift);
        }
    }
}

/* `bits` of the ends, from the bits `here` of their owners. */
static hop_status bits_share(search *work, uint64_t *bits) {
    const hop_cluster_graph *graph = work->graph;
    bits_pick(work);
    for (uint32_t rank = 0; rank < graph->ranks; rank++) {
        work->counts[rank] = hop__bitmap_words(graph->known_counts[rank]);
        work->word_counts[rank] = hop__bitmap_words(graph->id_counts[rank]);
    }
    hop_status status = hop__exchange_known(work->cluster, "bfs: bits", 8, work->bits_out,
                                            work->counts, work->bits_in, work->word_counts);
    if (status == HOP_OK)
        bits_place(work, bits);
    return status;
}

static hop_status front_share(search *work) {
    const hop_cluster_graph *graph = work->graph;
    hop_status status = HOP_OK;
    if (!work->told_all) {
        frontier_list(work);
        for (uint64_t v = 0; v < graph->vertex_count; v += 64) {
            uint64_t bits = 0, some = graph->vertex_count - v < 64 ? graph->vertex_count - v : 64;
            for (uint64_t k = 0; k < some; k++)
                bits |= (uint64_t)(work->levels[v + k] != HOP_NO_LEVEL) << k;
            work->here[v / 64] = bits;
        }
        HOP_TRY(status, bits_share(work, work->told));
    }
    frontier_bits(work);
    HOP_TRY(status, bits_share(work, work->front));
    for (uint64_t w = 0; work->told_all && w < hop__bitmap_words(graph->id_count); w++)
        work->told[w] |= work->front[w];
    work->told_all = true;
done:
    return status;
}

/* Rows that look for a source together. Which look ends a row cannot be predicted, so the first
 * ones are taken across the batch, without branches. */
typedef struct batch {
    uint32_t row[BATCH];
    uint64_t arc[BATCH], stop[BATCH];
    uint64_t count;
} batch;

/* The next arc of each row of the batch; rows that have found, or are at their end, go. */
static void batch_look(search *work, batch *open) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t kept = 0, found = work->found_count, before = found;
    uint32_t hits[BATCH];
    for (uint64_t i = 0; i < open->count; i++) {
        uint32_t row = open->row[i], end = graph->ends[open->arc[i]];
        uint64_t next = open->arc[i] + 1, stop = open->stop[i];
        bool hit = hop__bitmap_get(work->front, end);
        work->found[found] = row;
        hits[found - before] = end;
        found += hit;
        open->row[kept] = row;
        open->arc[kept] = next;
        open->stop[kept] = stop;
        kept += !hit & (next < stop);
    }
    work->found_count = before;
    for (uint64_t i = before; i < found; i++)
        find(work, work->found[i], hits[i - before]);
    open->count = kept;
}

static void row_finish(search *work, uint32_t row, uint64_t arc, uint64_t stop) {
    for (; arc < stop; arc++)
        if (hop__bitmap_get(work->front, work->graph->ends[arc])) {
            find(work, row, work->graph->ends[arc]);
            return;
        }
}

static void rows_look(search *work) {
    const hop_cluster_graph *graph = work->graph;
    batch open;
    for (uint64_t row = 0; row < graph->row_count;) {
        open.count = 0;
        for (; row < graph->row_count && open.count < BATCH; row++) {
            open.row[open.count] = graph->rows[row];
            open.arc[open.count] = graph->starts[row];
            open.stop[open.count] = graph->starts[row + 1];
            __builtin_prefetch(&graph->ends[graph->starts[row]]);
            open.count += !hop__bitmap_get(work->told, graph->rows[row]);
        }
        for (int look = 0; look < LOOKS && open.count > 0; look++)
            batch_look(work, &open);
        for (uint64_t i = 0; i < open.count; i++)
            row_finish(work, open.row[i], open.arc[i], open.stop[i]);
    }
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
    work->frontier_count = 0;
    work->as_bits =
        work->found_count + inbox.count > hop__bitmap_words(graph->vertex_count) / BITS_SHARE;
    if (work->as_bits)
        here_clear(work);
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
        rows_look(work);
    } else {
        rows_push(work, &orders);
        work->told_all = false;
    }
done:
    hop__inbox_clear(&orders);
    return status;
}

/* From `level` on, whose frontier is there. A checkpoint has what is before it. */
static hop_status levels_run(search *work, uint32_t level, uint32_t max_level,
                             hop__checkpoint *saved) {
    hop_status status = HOP_OK, own = HOP_OK;
    for (;; level++) {
        uint64_t sums[2] = {work->frontier_count, hop__checkpoint_due(saved)};
        HOP_TRY(status, hop__sum_agreed(work->cluster, own, sums, 2));
        if (sums[0] == 0 || level == HOP_NO_LEVEL || level - 1 >= max_level)
            goto done;
        HOP_TRY(status, hop__checkpoint_write(saved, sums[1], level));
        work->level = level;
        HOP_TRY(status, level_find(work, sums[0]));
        HOP_TRY(status, level_set(work, &own));
    }
done:
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
    HOP_TRY(status,
            hop__alloc(work->context, "bfs: bits",
                       graph->known_starts[graph->ranks] / 64 + graph->ranks, 8, &work->bits_out));
    HOP_TRY(status,
            hop__alloc(work->context, "bfs: bits", ends / 64 + graph->ranks, 8, &work->bits_in));
    HOP_TRY(status, hop__alloc(work->context, "bfs: counts", graph->ranks, 8, &work->counts));
    HOP_TRY(status, hop__alloc(work->context, "bfs: counts", graph->ranks, 8, &work->word_counts));
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

/* The vertices of the level before. */
static void frontier_find(search *work, uint32_t level) {
    for (uint64_t i = 0; i < work->graph->vertex_count; i++)
        if (work->levels[i] == level - 1)
            work->frontier[work->frontier_count++] = work->graph->first_vertex + i;
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
    hop__free(work.bits_out);
    hop__free(work.bits_in);
    hop__free(work.counts);
    hop__free(work.word_counts);
    return status;
}
