/* SPDX-License-Identifier: Apache-2.0
 * The joins of lists of edges on devices, one by one: lists that no graph gives in this order,
 * joins that are stopped, and rounds that must be seen to change something. */
#include "components/components_device_edges.h"

#include "components/components_device_testing.h"
#include "problem/report.h"

/* A list that is joined, and how. */
typedef struct joining {
    const hop_graph *graph; /* whose vertices they are; its edges do not count */
    hop__packed_edges list; /* afterwards what the join has made of it */
    int form;
    uint32_t steps; /* of an item in a launch */
    uint64_t launches, rounds;
} joining;

static void join_list(hop_context *context, joining *j, hop__device_join_fn join,
                      const uint32_t *expected) {
    uint32_t n = hop_graph_vertices(j->graph), *labels = malloc((size_t)n * 4), count = 0;
    uint32_t roots = 0;
    const double values[1 + HOP__FORM_PARAMETERS] = {[1 + HOP__FORM_CUT] = j->form};
    hop_report report = {0};
    hop__components_task task = {
        .graph = j->graph, .labels = labels, .report = &report, .values = values};
    hop__device_edges edges = {.sort_grafts = false};
    hop__workspace space;
    assert_int_equal(hop__device_forest_open(context, &task,
                                             hop__components_device_sorted.row.blocks, &space,
                                             &edges.forest),
                     HOP_OK);
    assert_int_equal(hop__device_forest_begin(&edges.forest, &hop__program_components_edges, NULL,
                                              0, values + 1),
                     HOP_OK);
    edges.forest.steps = j->steps;
    edges.count = j->list.count;
    uint64_t bytes = j->list.count * 8, before = edges.forest.sweeper.launches;
    assert_int_equal(hop__buffer_create(edges.forest.device, "edges", bytes, &edges.block), HOP_OK);
    assert_int_equal(hop__buffer_write(edges.block, 0, bytes, j->list.list), HOP_OK);
    assert_int_equal(join(&edges), HOP_OK);
    j->launches = edges.forest.sweeper.launches - before;
    j->rounds = report.rounds;
    assert_int_equal(hop__device_forest_finish(&edges.forest, &count), HOP_OK);
    assert_int_equal(hop__buffer_read_now(edges.block, 0, bytes, j->list.list), HOP_OK);
    hop__buffer_free(edges.block);
    hop__device_forest_end(&edges.forest, HOP_OK);
    for (uint32_t v = 0; v < n; v++)
        roots += expected[v] == v;
    assert_int_equal(count, roots);
    assert_memory_equal(labels, expected, (size_t)n * 4);
    free(labels);
}

static void list_blocks(const void *graph, hop__workspace *space) {
    hop__packed_edges_blocks(space, 0, graph);
}

static void make_list(hop_context *context, const hop_graph *graph, hop__workspace *space,
                      hop__packed_edges *edges) {
    assert_int_equal(hop__workspace_open(context, NULL, list_blocks, graph, edges, space), HOP_OK);
    assert_int_equal(hop__packed_edges_make(space, graph, true, edges), HOP_OK);
}

/* rem with few steps per launch; and `sorted`, whose labels would be right in any order, leaves the
 * list in the order of the ends that it looked at last. */
static void few_steps_body(hop_context *context, bool apart) {
    (void)apart;
    for (int kind = 0; kind < 2; kind++) {
        hop_graph *graph = sparse_graph(context, kind);
        uint32_t *expected = plain_labels(graph);
        for (int form = 1; form <= 2; form++) {
            joining j = {.graph = graph, .form = form};
            hop__workspace space;
            for (j.steps = 1; j.steps <= 3; j.steps += 2) {
                make_list(context, graph, &space, &j.list);
                join_list(context, &j, hop__device_rem, expected);
                assert_true(j.launches > 3);
                hop__workspace_close(&space, HOP_OK);
            }
            j.steps = HOP__STEPS;
            make_list(context, graph, &space, &j.list);
            join_list(context, &j, hop__device_sorted, expected);
            for (uint64_t i = 1; i < j.list.count; i++)
                assert_true(hop__edge_to(j.list.list[i - 1]) <= hop__edge_to(j.list.list[i]));
            hop__workspace_close(&space, HOP_OK);
        }
        free(expected);
        hop_graph_release(graph);
    }
}

static void joins_go_on_where_they_stopped(void **state) {
    (void)state;
    if (most_vertices() < SPARSE)
        skip();
    on_each_memory(0, few_steps_body);
}

/* A list of loops but for one edge, in either direction, at one place or another of what an item
 * has. The first round joins it and the second sees that there is nothing left: a round that does
 * not tell of its change would be the last. Labels alone would not show it. */
static void one_edge_body(hop_context *context, bool apart) {
    static const hop__device_join_fn joins[] = {hop__device_graft, hop__device_graft_update,
                                                hop__device_sorted};
    enum { MOST = 20000 };
    static uint64_t list[MOST];
    const uint64_t count = most_vertices() < MOST ? 700 : MOST; /* several for an item */
    const uint64_t places[] = {0, 1, count / 2, count - 1};
    uint32_t expected[10];
    hop_graph *graph = generated(context, "list-graph", (hop_setting[]){{"n", 10}}, 1, 1);
    for (uint32_t v = 0; v < 10; v++)
        expected[v] = v == 7 ? 2 : v;
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++)
        for (unsigned k = 0; k < 16 && !apart; k += count < MOST ? 5 : 1) {
            joining j = {.graph = graph, .form = 1 + (int)(k & 1), .steps = HOP__STEPS};
            j.list = (hop__packed_edges){.list = list, .count = count};
            for (uint64_t e = 0; e < count; e++)
                list[e] = hop__edge_make((uint32_t)(e % 10), (uint32_t)(e % 10));
            list[places[k / 4]] = k & 2 ? hop__edge_make(7, 2) : hop__edge_make(2, 7);
            join_list(context, &j, joins[i], expected);
            assert_int_equal(j.rounds, 2);
        }
    hop_graph_release(graph);
}

static void every_change_is_seen(void **state) {
    (void)state;
    on_each_memory(0, one_edge_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_go_on_where_they_stopped),
        cmocka_unit_test(every_change_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
