/* SPDX-License-Identifier: Apache-2.0
 * Calls on a finished graph stop soon after the progress callback says so: with one thread, what
 * comes after the first piece of work is not touched. */
#include "graph_testing.h"

enum { N = 1 << 17 };

static bool stop_at_once(void *user, const hop_progress *progress) {
    (void)user;
    (void)progress;
    return false;
}

static hop_context *impatient_context(void) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = 1;
    options.progress = stop_at_once;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

/* 0 -> 1 -> ... -> N-1, and the arrays of its rows. */
static hop_graph *make_path(hop_context *context, uint32_t *offsets, uint32_t *targets) {
    hop_csr csr = HOP_CSR_INIT;
    hop_graph *graph = NULL;
    for (uint32_t v = 0; v < N; v++) {
        offsets[v] = v;
        targets[v] = v + 1;
    }
    offsets[N] = N - 1;
    csr.vertices = N;
    csr.offsets = offsets;
    csr.targets = targets;
    assert_int_equal(hop_graph_from_csr(context, &csr, NULL, &graph), HOP_OK);
    return graph;
}

/* Callbacks are some time apart, also across calls: each call gets a context of its own. */
static void edge_list_stops_soon(void **state) {
    (void)state;
    hop_context *patient = make_context(1), *impatient = impatient_context();
    uint32_t *offsets = calloc(N + 1, 4), *targets = calloc(N, 4);
    hop_edge *edges = calloc(N, sizeof *edges);
    hop_graph *graph = make_path(patient, offsets, targets);
    edges[N - 2] = (hop_edge){7, 7};
    assert_int_equal(hop_graph_edge_list(impatient, graph, false, edges, N, NULL),
                     HOP_ERR_CANCELLED);
    assert_int_equal(edges[N - 2].from, 7);
    hop_graph_release(graph);
    free_context(impatient);
    free_context(patient);
    free(offsets);
    free(targets);
    free(edges);
}

static void cancelled_calls_leave_nothing(void **state) {
    (void)state;
    hop_context *patient = make_context(1), *impatient = impatient_context();
    uint32_t *offsets = calloc(N + 1, 4), *targets = calloc(N, 4);
    hop_vertex *vertices = calloc(N, sizeof *vertices);
    hop_graph *graph = make_path(patient, offsets, targets), *made = NULL;
    uint64_t hash = 7;
    for (uint32_t v = 0; v < N; v++)
        vertices[v] = v;
    assert_int_equal(hop_graph_hash(impatient, graph, &hash), HOP_ERR_CANCELLED);
    assert_int_equal(hash, 7);
    free_context(impatient);
    impatient = impatient_context();
    assert_int_equal(hop_graph_subgraph(impatient, graph, vertices, N, &made), HOP_ERR_CANCELLED);
    assert_null(made);
    hop_graph_release(graph);
    free_context(impatient);
    free_context(patient);
    free(offsets);
    free(targets);
    free(vertices);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edge_list_stops_soon),
        cmocka_unit_test(cancelled_calls_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
