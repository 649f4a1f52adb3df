/* SPDX-License-Identifier: Apache-2.0
 *
 * boruvka in many orders of its members' steps, drawn by a seed. Its source is compiled into this
 * file, and takes the place of the library's. Each order is a forest, which must be kruskal's.
 * Built again from a source with a planted mistake (tests/CMakeLists.txt) it must find it. */
#include <string.h>

#include "core/sanitized_testing.h"
#include "hoplite/spanning.h"

enum { MEMBERS = 3, MOST = 200, STEPS_MOST = 1000000, ORDERS = 20000 };

#include "core/loop_orders.h"
#ifndef BORUVKA_SOURCE
#define BORUVKA_SOURCE "spanning/spanning_boruvka.c"
#endif
#include BORUVKA_SOURCE

static hop_context *context;

/* A path whose weights grow, in one order of ids or another, which is a chain of parts; or edges
 * without order; with directions in one of four. */
static hop_graph *draw_graph(void) {
    const bool path = draw_below(4), back = draw_below(4), directed = draw_below(4) == 0;
    const uint32_t n = 2 + draw_below(MOST - 1), m = path ? n - 1 : draw_below(4 * MOST);
    uint32_t from[4 * MOST], to[4 * MOST];
    int32_t weights[4 * MOST];
    hop_edges list = HOP_EDGES_INIT;
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    for (uint32_t i = 0; i < m; i++) {
        from[i] = path ? (back ? n - 1 - i : i) : draw_below(n);
        to[i] = path ? (back ? n - 2 - i : i + 1) : draw_below(n);
        weights[i] = path ? (int32_t)i : (int32_t)draw_below(9);
    }
    list.count = m;
    list.from = from;
    list.to = to;
    list.weights = weights;
    list.weight_type = HOP_TYPE_INT32;
    build.vertices = n;
    build.directed = directed;
    build.duplicates = HOP_DUPLICATES_KEEP;
    if (hop_graph_from_edges(context, &list, &build, &graph) != HOP_OK)
        give_up(hop_context_message(context));
    return graph;
}

static hop_vertex forest(const hop_graph *graph, const char *variant, uint64_t *arcs) {
    hop_run run = HOP_RUN_INIT;
    hop_spanning_options options = HOP_SPANNING_OPTIONS_INIT;
    hop_vertex count = 0;
    run.variant = variant;
    options.run = &run;
    if (hop_spanning_forest(context, graph, &options, arcs, &count) != HOP_OK)
        give_up(hop_context_message(context));
    return count;
}

static void run_order(uint64_t seed) {
    uint64_t right[MOST], found[MOST];
    (void)seed; /* it has been set */
    hop_graph *graph = draw_graph();
    hop_vertex count = forest(graph, "kruskal", right);
    if (forest(graph, "boruvka", found) != count || memcmp(found, right, count * sizeof *right))
        give_up("another forest than kruskal's");
    hop_graph_release(graph);
}

int main(int argc, char **argv) {
    if (SANITIZED_THREAD)
        return 0; /* it does not know fibers */
    if (hop_context_create(NULL, &context) != HOP_OK)
        return 1;
    drawn.steps_most = STEPS_MOST;
    run_orders(argc, argv, ORDERS, run_order);
    hop_context_free(context);
    return 0;
}
