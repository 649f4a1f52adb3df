/* SPDX-License-Identifier: Apache-2.0
 *
 * rem: union-find by Rem's algorithm with splicing. D1, algorithm 4, mirrored: D1 links to the
 * larger parent, here parents are smaller than their children, so that roots are smallest ids.
 *
 * The two ends of an edge climb together: the one with the larger parent moves, and on its way is
 * spliced to the other's smaller parent, so paths get shorter as they are walked. The edge is
 * done when the parents are equal, or a root is linked.
 *
 * On several threads: a root is linked by compare-and-swap, and looked at again when that fails.
 * A splice takes a vertex from one tree to another while the edge that justifies it is still under
 * way; the thread that splices goes on to join the trees, so in the end nothing is lost. It too is
 * a compare-and-swap, because it must not undo what another thread has done to that vertex since.
 *
 * Invariant: parents[v] <= v, and parents never grow; so climbing ends.
 *
 * Cost: nearly linear in practice, O(m n) in theory; each edge once; no memory. */
#include "components/components_edges.h"
#include "components/components_forest.h"
#include "core/parallel.h"
#include "core/try.h"

enum { GRAIN = 1 << 13, AHEAD = 16 };

static void join_alone(hop_vertex *parents, hop_vertex u, hop_vertex v) {
    hop_vertex pu = parents[u], pv = parents[v];
    while (pu != pv) {
        if (pu < pv) { /* let u be the one with the larger parent */
            hop_vertex swap = u;
            u = v;
            v = swap;
            swap = pu;
            pu = pv;
            pv = swap;
        }
        parents[u] = pv;
        if (u == pu)
            return; /* a root, linked */
        u = pu;
        pu = parents[u];
    }
}

typedef struct job {
    hop_context *context;
    const hop_graph *graph;
    hop_vertex *parents;
    atomic_bool stopped;
} job;

static void join_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    const hop_graph *graph = work->graph;
    const hop_vertex *targets = graph->targets;
    (void)thread;
    if (atomic_load_explicit(&work->stopped, memory_order_relaxed))
        return;
    uint64_t next = hop__offset(graph, begin), last = graph->arcs - 1;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t i = next;
        next = hop__offset(graph, v + 1);
        for (; i < next && (graph->directed || targets[i] < v); i++) {
            uint64_t ahead = i + AHEAD < last ? i + AHEAD : last;
            __builtin_prefetch(&work->parents[targets[ahead]]);
            hop__rem_join(work->parents, (hop_vertex)v, targets[i]);
        }
    }
    if (!hop__progress_add(work->context, end - begin))
        atomic_store_explicit(&work->stopped, true, memory_order_relaxed);
}

static hop_status rem_run(hop_context *context, const hop__components_task *task) {
    const hop_graph *graph = task->graph;
    job work = {.context = context, .graph = graph, .parents = task->labels};
    hop__forest forest = {.context = context, .graph = graph, .parents = task->labels};
    hop_status status;
    if (hop__team_limit(context) == 1 || graph->vertices <= GRAIN)
        return hop__components_join_edges(context, task, "components: rem", join_alone);
    hop__forest_start(context, work.parents, graph->vertices);
    hop__phase(context, "join");
    hop__progress_begin(context, "components: rem", graph->vertices);
    hop__for(context, graph->vertices, GRAIN, join_range, &work);
    HOP_TRY(status, hop__progress_end(context));
    HOP_TRY(status, hop__forest_flatten(&forest));
    task->report->relaxations = graph->arcs;
    *task->count = forest.roots;
done:
    return status;
}

static void edges_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__edge_task *task = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t edge = task->edges.list[i];
        hop__rem_join(task->labels, hop__edge_from(edge), hop__edge_to(edge));
    }
    (void)hop__edge_task_goes_on(task, end - begin);
}

void hop__rem_edges(hop__edge_task *task) {
    hop__edge_task_for(task, "join", task->edges.count, 16, edges_range, task);
    hop__edge_task_shortcut(task);
    task->report->rounds++;
    task->report->relaxations += task->edges.count;
}

const hop__components_variant hop__components_rem = {
    .row = {.about = {.name = "rem",
                      .summary = "union-find with splicing: both ends of an edge climb together",
                      .source = "Cong 2014, algorithm 4 (Rem, in Dijkstra 1976)",
                      .place = HOP_PLACE_HOST}},
    .run = rem_run,
};
