/* SPDX-License-Identifier: Apache-2.0
 *
 * rem: union-find by Rem's algorithm with splicing. D1, algorithm 4, mirrored: D1 links to the
 * larger parent, here parents are smaller than their children, so that roots are smallest ids.
 *
 * The two ends of an edge climb together: the one with the larger parent moves, and on its way is
 * spliced to the other's smaller parent, so paths get shorter as they are walked. The edge is
 * done when the parents are equal, or a root is linked.
 *
 * Invariant: parents[v] <= v, and parents never grow; so climbing ends.
 *
 * Cost: nearly linear in practice, O(m n) in theory; each edge once; no memory. */
#include "components/components_internal.h"

static void join(hop_vertex *parents, hop_vertex u, hop_vertex v) {
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

static hop_status rem_run(hop_context *context, const hop__components_task *task) {
    return hop__components_join_edges(context, task, "components: rem", join);
}

const hop__components_variant hop__components_rem = {
    .row = {.about = {.name = "rem",
                      .summary = "union-find with splicing: both ends of an edge climb together",
                      .source = "D1 algorithm 4 (Rem, in Dijkstra 1976)",
                      .place = HOP_PLACE_HOST}},
    .run = rem_run,
};
