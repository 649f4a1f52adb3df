/* SPDX-License-Identifier: Apache-2.0
 *
 * stream: union-find over the arcs as they come, each once, in any order; nothing but the forest is
 * in memory. For graphs on disk, whose arcs are read from front to back; those in memory it takes
 * in the same blocks.
 *
 * Blocks of arcs are joined side by side, by Rem's algorithm with splicing (components_rem.c),
 * which does not care for the order; so one pass is enough, and while one part is joined the next
 * is read. Of an undirected edge the arc from the larger end is taken, the other one passed over.
 *
 * To join an edge is to look at two parents, which are anywhere in memory. Most edges of most
 * graphs have both ends in one giant component soon. So when nearly all of some ends of arcs of a
 * block turn out to have the same root, that root becomes the hub, and from then on there is a bit
 * for each vertex that is known to hang together with it: an edge between two such vertices is
 * passed over, and a vertex with such a neighbour goes below the hub's root. Bits are 32 times
 * smaller than parents, so most of them are in the cache.
 *
 * Invariants
 *  1. parents[v] <= v, and parents never grow; so climbing ends.
 *  2. There is one hub at most, and it stays. A vertex with a bit is in its tree, or will be when
 *     the joins under way are done: a splice takes a vertex out of a tree that its thread then goes
 *     on to join; and a vertex that waits for its link is linked before its block is done.
 *
 * A graph whose edges were joined while they were read (components_joined.c) has its labels
 * already: they are handed out.
 *
 * Cost: one reading of the targets; nearly linear in practice; an eighth of a byte per vertex, and
 * 4, which are the result. */
#include <string.h>

#include "components/components_forest.h"
#include "core/parallel.h"
#include "core/try.h"
#include "problem/arc_counts.h"

enum {
    AHEAD = 16,
    ARCS_LEAST = 8, /* per vertex, for a hub to be worth it */
    LINKS = 256,
    TOGETHER = 64, /* ends whose bits are looked at before anything is decided */
    SAMPLES = 32,  /* ends of a block whose roots are compared */
    ALIKE = 28     /* so many of them with the same root make it the hub */
};

typedef struct job {
    hop_context *context;
    const hop_graph *graph;
    hop_vertex *parents;
    uint64_t *known; /* bits of vertices that hang together with the hub */
    hop_vertex hub;  /* HOP_NO_VERTEX: none yet. Atomic */
    bool looks;      /* for a hub */
} job;

static hop_vertex root_of(const hop_vertex *parents, hop_vertex v) {
    for (hop_vertex parent; (parent = hop__load_u32(&parents[v])) != v;)
        v = parent;
    return v;
}

/* Not one operation: what another thread sets in the word meanwhile may be lost, which is a bit
 * that will be set again or was not needed. */
static void mark(uint64_t *known, hop_vertex v) {
    hop__store_u64(&known[v / 64], hop__load_u64(&known[v / 64]) | UINT64_C(1) << v % 64);
}

/* How many of the first arcs of a row are taken: rows are sorted, and of an undirected graph the
 * rest are edges that come up from their other end. */
static uint64_t taken_of(const hop_graph *graph, hop_vertex row, const hop_vertex *targets,
                         uint64_t count) {
    uint64_t taken = 0;
    if (graph->directed)
        return count;
    for (uint64_t i = 0; i < count; i++)
        taken += targets[i] < row;
    return taken;
}

/* Without a hub. */
static void join_plainly(const job *work, const hop__arc_block *block) {
    const hop_graph *graph = work->graph;
    const hop_vertex *targets = block->targets;
    uint64_t last = block->end - block->begin - 1;
    for (hop__walk row = hop__walk_first(graph, block); row.begin < block->end;
         hop__walk_next(graph, block, &row)) {
        uint64_t end = row.end - block->begin;
        for (uint64_t i = row.begin - block->begin; i < end; i++) {
            if (!graph->directed && targets[i] >= row.vertex)
                break;
            __builtin_prefetch(&work->parents[targets[i + AHEAD < last ? i + AHEAD : last]]);
            hop__rem_join(work->parents, (hop_vertex)row.vertex, targets[i]);
        }
    }
}

/* Joins a vertex with those of a few ends that have no bit; it has one, if `inside`. */
static bool join_others(const job *work, hop_vertex u, hop_vertex root, bool inside,
                        const hop_vertex *ends, uint64_t count) {
    hop_vertex others[TOGETHER];
    unsigned found = 0;
    for (uint64_t i = 0; i < count; i++) {
        others[found] = ends[i];
        if (!hop__bitmap_look(work->known, ends[i]))
            __builtin_prefetch(&work->parents[others[found++]]);
    }
    for (unsigned i = 0; i < found; i++)
        hop__rem_join(work->parents, u, others[i]);
    inside |= found < count || root_of(work->parents, u) == root;
    for (unsigned i = 0; i < found && inside; i++)
        mark(work->known, others[i]);
    return inside;
}

/* Vertices that are to go below the hub's root: together, because each takes an atomic operation,
 * which would wait for the bits of all rows before it. */
typedef struct link_list {
    unsigned count;
    hop_vertex list[LINKS];
} link_list;

static void link_found(const job *work, hop_vertex root, link_list *links) {
    for (unsigned i = 0; i < links->count; i++)
        hop__rem_join(work->parents, links->list[i], root);
    links->count = 0;
}

/* The arcs of a row that are taken, with a hub, whose root is or was `root`. */
static void join_row(const job *work, hop_vertex u, hop_vertex root, const hop_vertex *targets,
                     uint64_t count, link_list *links) {
    bool known = hop__bitmap_look(work->known, u), inside = known;
    for (uint64_t i = 0; i < count; i += TOGETHER) {
        uint64_t some = count - i < TOGETHER ? count - i : TOGETHER, all = 1;
        for (uint64_t k = i; k < i + some; k++)
            all &= hop__load_u64(&work->known[targets[k] / 64]) >> targets[k] % 64;
        inside = all || join_others(work, u, root, inside, targets + i, some);
    }
    if (!inside || known)
        return;
    mark(work->known, u);
    links->list[links->count++] = u;
    if (links->count == LINKS)
        link_found(work, root, links);
}

static void join_beside_hub(const job *work, const hop__arc_block *block, hop_vertex root) {
    link_list links;
    links.count = 0;
    for (hop__walk row = hop__walk_first(work->graph, block); row.begin < block->end;
         hop__walk_next(work->graph, block, &row)) {
        const hop_vertex *targets = block->targets + (row.begin - block->begin);
        hop_vertex u = (hop_vertex)row.vertex;
        join_row(work, u, root, targets, taken_of(work->graph, u, targets, row.end - row.begin),
                 &links);
    }
    link_found(work, root, &links);
}

/* Whether nearly all of some ends of a block that were joined have one root: the hub, then. */
static void look_for_hub(job *work, const hop__arc_block *block) {
    hop_vertex roots[SAMPLES], like = HOP_NO_VERTEX, none = HOP_NO_VERTEX;
    uint64_t count = block->end - block->begin, row = hop__block_row(work->graph, block->number);
    unsigned found = 0, ahead = 0, alike = 0;
    for (uint64_t i = 0; i < count && found < SAMPLES; i += 1 + count / SAMPLES / 4) {
        if (!work->graph->directed && block->targets[i] >= row)
            continue;
        hop_vertex root = root_of(work->parents, block->targets[i]);
        if (ahead == 0)
            like = root; /* what most have, in the end, if most have the same */
        ahead = root == like ? ahead + 1 : ahead - 1;
        roots[found++] = root;
    }
    for (unsigned i = 0; i < found; i++)
        alike += roots[i] == like;
    if (alike >= ALIKE && __atomic_compare_exchange_n(&work->hub, &none, like, false,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        mark(work->known, like);
}

static void join_block(void *arg, const hop__arc_block *block, unsigned thread) {
    job *work = arg;
    hop_vertex hub = hop__load_u32(&work->hub);
    (void)thread;
    if (hub != HOP_NO_VERTEX) {
        join_beside_hub(work, block, root_of(work->parents, hub));
    } else {
        join_plainly(work, block);
        if (work->looks)
            look_for_hub(work, block);
    }
    (void)hop__progress_add(work->context, block->end - block->begin);
}

static void stream_blocks(const void *given, hop__workspace *space) {
    const hop__components_task *task = given;
    if (task->graph->joined != NULL)
        return;
    hop__block_reserve(space, HOP__MEMORY_HOST, "components: blocks of arcs",
                       hop__arcs_bytes(task->graph));
    HOP__BLOCK(space, "components: known", hop__bitmap_words(task->graph->vertices), job, known)
        ->zero = true;
}

static hop_status hand_out(hop_context *context, const hop__components_task *task) {
    uint64_t bytes = sizeof *task->labels * (uint64_t)task->graph->vertices;
    hop__phase(context, "hand out");
    hop__phase_bytes(context, 2 * bytes);
    memcpy(task->labels, task->graph->joined, bytes);
    return HOP_OK;
}

static hop_status stream_run(hop_context *context, const hop__components_task *task) {
    const hop_graph *graph = task->graph;
    job work = {.context = context,
                .graph = graph,
                .parents = task->labels,
                .hub = HOP_NO_VERTEX,
                .looks = graph->arcs / ARCS_LEAST >= graph->vertices};
    hop__forest forest = {.context = context, .graph = graph, .parents = task->labels};
    hop__arcs *arcs = NULL;
    hop__workspace space = {0};
    hop_status status, ended;
    if (graph->joined != NULL)
        return hand_out(context, task);
    HOP_TRY(status, hop__workspace_open(context, NULL, stream_blocks, task, &work, &space));
    HOP_TRY(status, hop__arcs_open(context, graph, false, &arcs));
    hop__advise_huge(task->labels, sizeof *task->labels * (uint64_t)graph->vertices);
    hop__phase(context, "clear");
    hop__phase_bytes(context, 4 * (uint64_t)graph->vertices);
    hop__forest_start(context, work.parents, graph->vertices);
    hop__phase(context, "join");
    hop__phase_items(context, graph->arcs);
    hop__progress_begin(context, "components: stream", graph->arcs);
    status = hop__arcs_visit(context, arcs, NULL, join_block, &work);
    ended = hop__progress_end(context);
    hop__count_reads(context, arcs);
    if (status == HOP_OK)
        status = ended;
    if (status != HOP_OK)
        goto done;
    HOP_TRY(status, hop__forest_flatten(&forest));
    task->report->relaxations = graph->arcs;
    *task->count = forest.roots;
done:
    hop__arcs_close(arcs);
    hop__workspace_close(&space, status);
    return status;
}

const hop__components_variant hop__components_stream = {
    .row = {.about = {.name = "stream",
                      .summary = "union-find over arcs as they come from disk, each once",
                      .source = "Cong 2014, algorithm 4, over blocks of arcs",
                      .place = HOP_PLACE_HOST},
            .blocks = stream_blocks,
            .external = true},
    .run = stream_run,
};
