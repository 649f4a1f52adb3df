/* SPDX-License-Identifier: Apache-2.0
 *
 * Components over the ranks: the labels of the library, bit by bit; certified; and every wrong
 * label is rejected. */
#include "cluster_testing.h"

static uint64_t *room(uint64_t count) {
    uint64_t *made = calloc(count + 1, sizeof *made);
    CHECK(made != NULL);
    return made;
}

/* The labels of the whole graph, and how many components. */
static hop_vertex *whole_labels(job *work, const hop_graph *whole, hop_vertex *count) {
    hop_vertex *labels = calloc((size_t)hop_graph_vertices(whole) + 1, sizeof *labels);
    CHECK_OK(work->context, hop_components(work->context, whole, NULL, labels, count));
    return labels;
}

/* Labels by pairs that every rank gets, and by rounds, which are for more of them. */
static void check_graph(job *work, hop_cluster_graph *graph, const hop_graph *whole) {
    hop_vertex expected_count;
    hop_vertex *expected = whole_labels(work, whole, &expected_count);
    uint64_t first = hop_cluster_first(graph), own = hop_cluster_count(graph), count;
    uint64_t *labels = room(own), most = work->cluster->gather_most;
    for (int rounds = 0; rounds < 2; rounds++) {
        work->cluster->gather_most = rounds ? 0 : most;
        CHECK_OK(work->context, hop_cluster_components(work->cluster, graph, labels, &count));
        CHECK(count == expected_count);
        for (uint64_t i = 0; i < own; i++)
            CHECK(labels[i] == expected[first + i]);
    }
    work->cluster->gather_most = most;
    CHECK_OK(work->context,
             hop_cluster_components_certify(work->cluster, graph, labels, HOP_UNKNOWN));
    CHECK_OK(work->context, hop_cluster_components_certify(work->cluster, graph, labels, count));
    CHECK(hop_cluster_components_certify(work->cluster, graph, labels, count + 1) ==
          HOP_ERR_CERTIFICATE);
    free(labels);
    free(expected);
}

static void check_recipes(job *work) {
    for (size_t i = 0; i < RECIPES; i++) {
        hop_graph *whole = whole_graph(work->context, &recipes[i]);
        hop_cluster_graph *graph = spread_graph(work, &recipes[i]);
        check_graph(work, graph, whole);
        hop_cluster_graph_free(graph);
        hop_graph_release(whole);
    }
}

/* One label changed, at any vertex to any other value, in all of a small graph: rejected, but for
 * the right one. */
static void check_wrong(job *work) {
    const recipe *small = &recipes[5]; /* 5 vertices, 2 edges */
    hop_cluster_graph *graph = spread_graph(work, small);
    uint64_t first = hop_cluster_first(graph), own = hop_cluster_count(graph);
    uint64_t *labels = room(own), vertices = hop_cluster_graph_vertices(graph);
    CHECK_OK(work->context, hop_cluster_components(work->cluster, graph, labels, NULL));
    for (uint64_t v = 0; v < vertices; v++)
        for (uint64_t label = 0; label <= vertices; label++) {
            uint64_t *place = v >= first && v - first < own ? &labels[v - first] : NULL;
            uint64_t right = place != NULL ? *place : 0;
            CHECK_OK(work->context, hop__max_all(work->cluster, &right, 1));
            if (place != NULL)
                *place = label;
            hop_status status =
                hop_cluster_components_certify(work->cluster, graph, labels, HOP_UNKNOWN);
            CHECK(status == (label == right ? HOP_OK : HOP_ERR_CERTIFICATE));
            if (place != NULL)
                *place = right;
        }
    free(labels);
    hop_cluster_graph_free(graph);
}

/* Two components that have one label: every arc agrees, only the count does not. */
static void check_merged(job *work) {
    hop_cluster_graph *graph = spread_graph(work, &recipes[2]);
    uint64_t own = hop_cluster_count(graph), *labels = room(own);
    CHECK_OK(work->context, hop_cluster_components(work->cluster, graph, labels, NULL));
    uint64_t highest = 0, next = 0; /* labels of two components */
    for (uint64_t i = 0; i < own; i++)
        highest = labels[i] > highest ? labels[i] : highest;
    CHECK_OK(work->context, hop__max_all(work->cluster, &highest, 1));
    for (uint64_t i = 0; i < own; i++)
        next = labels[i] > next && labels[i] < highest ? labels[i] : next;
    CHECK_OK(work->context, hop__max_all(work->cluster, &next, 1));
    for (uint64_t i = 0; i < own; i++)
        labels[i] = labels[i] == highest ? next : labels[i];
    CHECK(hop_cluster_components_certify(work->cluster, graph, labels, HOP_UNKNOWN) ==
          HOP_ERR_CERTIFICATE);
    CHECK(strstr(hop_context_message(work->context), "components") != NULL);
    /* A label that is not its own label, by which no arc disagrees. */
    for (uint64_t i = 0; i < own; i++)
        labels[i] = labels[i] == next ? 0 : labels[i];
    uint64_t inner = UINT64_MAX; /* of vertex 0's component, and not 0 */
    for (uint64_t i = own; i-- > 0;)
        inner = labels[i] == 0 && hop_cluster_first(graph) + i > 0 ? hop_cluster_first(graph) + i
                                                                   : inner;
    CHECK_OK(work->context, hop__min_all(work->cluster, &inner, 1));
    uint64_t last = hop_cluster_graph_vertices(graph) - 1;
    CHECK(inner < last);
    for (uint64_t i = 0; i < own; i++)
        labels[i] = labels[i] == 0 && hop_cluster_first(graph) + i > inner ? inner : labels[i];
    CHECK(hop_cluster_components_certify(work->cluster, graph, labels, HOP_UNKNOWN) ==
          HOP_ERR_CERTIFICATE);
    CHECK(strstr(hop_context_message(work->context), "is a label, but its own is") != NULL);
    free(labels);
    hop_cluster_graph_free(graph);
}

/* A hub whose leaves are the beginnings of lists, in no order, so that most vertices are beyond
 * what rounds find from it (cluster_reach.h), pairs that it does not reach, and lonely ones; with a
 * length of 1, leaves only. */
static void check_hub(job *work, uint32_t length) {
    enum { VERTICES = 3001, LEAVES = 300, PAIRS = 100 };
    uint32_t from[VERTICES], to[VERTICES], edges = 0;
    for (uint32_t i = 0; i < LEAVES * length; i++, edges++) {
        from[edges] = i < LEAVES ? 0 : 1 + i - LEAVES;
        to[edges] = 1 + i;
    }
    for (uint32_t i = 0; i < PAIRS; i++, edges++) {
        from[edges] = VERTICES - 1 - 2 * i;
        to[edges] = VERTICES - 2 - 2 * i;
    }
    for (uint32_t i = 0; i < edges; i++) {
        from[i] = (from[i] + 5) * 1789 % VERTICES;
        to[i] = (to[i] + 5) * 1789 % VERTICES;
    }
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_edges all = HOP_EDGES_INIT;
    options.vertices = VERTICES;
    all.from = from;
    all.to = to;
    all.count = edges;
    hop_graph *whole = NULL;
    hop_cluster_graph *graph = NULL;
    CHECK_OK(work->context, hop_graph_from_edges(work->context, &all, &options, &whole));
    all.count = work->rank == 0 ? edges : 0;
    CHECK_OK(work->context, hop_cluster_graph_from_edges(work->cluster, &all, &options, &graph));
    hop_cluster_reset(work->cluster);
    check_graph(work, graph, whole);
    CHECK(work->ranks > 2 || rounds_of(work, "components: bits") > 0);
    hop_cluster_graph_free(graph);
    hop_graph_release(whole);
}

/* Many small graphs of every density. */
static void check_small(job *work) {
    for (uint64_t n = 1; n < 40; n += 12)
        for (uint64_t m = 0; m <= 2 * n; m += 9) {
            recipe made = {
                "erdos-renyi", {{"n", (double)n}, {"m", (double)(m < n * (n - 1) / 2 ? m : 0)}}, 2};
            hop_graph *whole = whole_graph(work->context, &made);
            hop_cluster_graph *graph = spread_graph(work, &made);
            check_graph(work, graph, whole);
            hop_cluster_graph_free(graph);
            hop_graph_release(whole);
        }
}

int main(void) {
    job work = job_begin();
    check_recipes(&work);
    check_wrong(&work);
    check_merged(&work);
    check_small(&work);
    check_hub(&work, 1);
    check_hub(&work, 6);
    job_end(&work);
    return 0;
}
