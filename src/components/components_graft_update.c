/* SPDX-License-Identifier: Apache-2.0
 *
 * graft-update: as graft, but after the shortcut each edge (u, v) becomes (D[u], D[v]). D1,
 * algorithm 2.
 *
 * The ends of an edge are then roots, so grafting needs no label of them: one random access per
 * edge fewer, and as trees merge the accesses fall on ever fewer vertices, which the caches keep.
 * As in graft, the loop and the second direction are ours.
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
        hop_vertex a = hop__edge_from(edge), b = hop__edge_to(edge);
        if (a == b)
            continue;
        changed = true;
        hop__lower_u32(&labels[a < b ? b : a], a < b ? a : b);
    }
    if (changed)
        atomic_store_explicit(&task->changed, true, memory_order_relaxed);
    (void)hop__edge_task_goes_on(task, end - begin);
}

void hop__graft_update_edges(hop__edge_task *task) {
    do {
        atomic_store(&task->changed, false);
        hop__edge_task_for(task, "graft", task->edges.count, 8, graft_range, task);
        hop__edge_task_shortcut(task);
        if (atomic_load(&task->changed))
            hop__edge_task_update(task);
        task->report->rounds++;
        task->report->relaxations += task->edges.count;
    } while (atomic_load(&task->changed) && !atomic_load(&task->stopped));
}

static hop_status graft_update_run(hop_context *context, const hop__components_task *task) {
    return hop__edge_task_run(context, task, hop__edge_task_blocks, "components: graft-update",
                              false, hop__graft_update_edges);
}

const hop__components_variant hop__components_graft_update = {
    .row = {.about = {.name = "graft-update",
                      .summary = "graft whose edges become those between the roots of their ends",
                      .source = "Cong 2014, algorithm 2",
                      .place = HOP_PLACE_HOST},
            .blocks = hop__edge_task_blocks},
    .run = graft_update_run,
};
