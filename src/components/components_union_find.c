/* SPDX-License-Identifier: Apache-2.0
 *
 * union-find: every edge joins the trees of its ends. The sequential algorithm on edges that D0
 * 7.2 asks for.
 *
 * labels[] is the forest: a parent is never above its child, because the larger root is linked
 * below the smaller one, so a root is the smallest vertex of its tree. Finding halves the path
 * that it walks. At the end every vertex is pointed to its root.
 *
 * Cost: O(m log n) at worst, nearly linear in practice; each edge once; no memory. */
#include "components/components_internal.h"

static hop_vertex find(hop_vertex *parents, hop_vertex v) {
    while (parents[v] != v) {
        hop_vertex grand = parents[parents[v]];
        parents[v] = grand;
        v = grand;
    }
    return v;
}

static void join(hop_vertex *parents, hop_vertex u, hop_vertex v) {
    hop_vertex a = find(parents, u), b = find(parents, v);
    if (a < b)
        parents[b] = a;
    else if (b < a)
        parents[a] = b;
}

static hop_status union_find_run(hop_context *context, const hop__components_task *task) {
    return hop__components_join_edges(context, task, "components: union-find", join);
}

const hop__components_variant hop__components_union_find = {
    .row = {.about = {.name = "union-find",
                      .summary = "every edge joins two trees; paths are halved",
                      .source = "Yogaratnam 2010, 7.2",
                      .place = HOP_PLACE_HOST}},
    .run = union_find_run,
};
