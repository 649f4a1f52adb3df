/* SPDX-License-Identifier: Apache-2.0
 *
 * graft: grafting and shortcutting on a list of edges. D1, algorithm 1.
 *
 * A round: every edge whose ends have different labels grafts the tree of the larger label onto the
 * smaller label, then every vertex is pointed to its root. Rounds end when no edge grafts. D1's
 * listing shows one round and one direction of the test; the loop around it and the other direction
 * are needed, and are here.
 *
 * labels[v] <= v, and labels only fall (D1 states it; concurrent writes to one label keep the
 * least), so a graft never makes a cycle, and the smallest vertex of a component stays a root and
 * is the only one in the end. A graft that another one overwrites leaves its edge with two labels,
 * so it comes up again in the next round.
 *
 * Cost: O((n + m) log n) expected; 8 bytes per edge. */
#include "components/components_edges.h"
#include "core/atomic.h"
#include "core/parallel.h"

static void graft_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__edge_task *task = arg;
    hop_vertex *labels = task->labels;
    bool changed = false;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t edge = task->edges.list[i];
        hop_vertex a = hop__load_u32(&labels[hop__edge_from(edge)]);
        hop_vertex b = hop__load_u32(&labels[hop__edge_to(edge)]);
        if (a == b)
            continue;
        changed = true;
        hop__lower_u32(&labels[a < b ? b : a], a < b ? a : b);
    }
    if (changed)
        atomic_store_explicit(&task->changed, true, memory_order_relaxed);
    (void)hop__edge_task_goes_on(task, end - begin);
}

void hop__graft_edges(hop__edge_task *task) {
    do {
        atomic_store(&task->changed, false);
        hop__edge_task_for(task, "graft", task->edges.count, 16, graft_range, task);
        hop__edge_task_shortcut(task);
        task->report->rounds++;
        task->report->relaxations += task->edges.count;
    } while (atomic_load(&task->changed) && !atomic_load(&task->stopped));
}

static hop_status graft_run(hop_context *context, const hop__components_task *task) {
    return hop__edge_task_run(context, task, hop__edge_task_blocks, "components: graft", false,
                              hop__graft_edges);
}

const hop__components_variant hop__components_graft = {
    .row = {.about = {.name = "graft",
                      .summary =
                          "graft trees along a list of edges, shortcut, until nothing changes",
                      .source = "Cong 2014, algorithm 1",
                      .place = HOP_PLACE_HOST},
            .blocks = hop__edge_task_blocks},
    .run = graft_run,
};
