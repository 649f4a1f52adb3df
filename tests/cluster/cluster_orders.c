/* SPDX-License-Identifier: Apache-2.0
 *
 * Exchanges of the cluster, and the problems that stand on them, in many orders of ranks and
 * messages, drawn by a seed (drawn_mpi.h). One order in four has a network that fails somewhere in
 * it: every rank then ends, with an error or with the right answer.
 *
 * HOPLITE_TEST_ORDERS: how many orders (default 1,500).
 *
 * Built again with a planted mistake in exchange.c (tests/CMakeLists.txt) it must find it. */
#include <stdbool.h>

enum { MEMBERS = 4 };
#define FIBER_STACK (1 << 18)
#include "cluster/drawn_mpi.h"
#include "core/rng.h"
#include "hoplite/hoplite.h"

#ifndef EXCHANGE_SOURCE
#define EXCHANGE_SOURCE "cluster/exchange.c"
#endif
#include EXCHANGE_SOURCE

enum { VERTICES = 24, EDGES = 40, RECORDS = 90, ROUNDS = 3, STEPS_MOST = 200000 };
typedef enum task { EXCHANGES, COMPONENTS, BFS, SSSP, RANK, APSP, TASKS } task;

/* What all ranks of an order know. */
static struct {
    task what;
    bool failing; /* the network fails at some time */
    bool rounds;  /* components by rounds, as large graphs are */
    uint64_t message_bytes;
    uint32_t from[EDGES], to[EDGES], successors[VERTICES];
    uint64_t counts[ROUNDS][MEMBERS][MEMBERS];
    uint32_t blamed; /* the rank that fails in the last round of exchanges; MEMBERS: none */
    hop_graph *whole;
    hop_vertex labels[VERTICES], levels[VERTICES], parents[VERTICES], near[VERTICES],
        ranks[VERTICES];
    int64_t distances[VERTICES], pairs[VERTICES * VERTICES];
} given;

static hop_context *contexts[MEMBERS + 1]; /* the last is that of main */

static void must(bool holds, const char *what) {
    if (!holds)
        give_up(what);
}

/* Whether a call went well; if not, it is because the network failed. */
static bool went_well(hop_status status) {
    if (status == HOP_OK)
        return true;
    must(status == HOP_ERR_IO && given.failing, "a call failed without a reason");
    return false;
}

/* ---- exchanges ------------------------------------------------------------------------------- */

static uint64_t record_of(uint32_t from, uint32_t to, uint64_t round, uint64_t i) {
    return (uint64_t)from << 56 | (uint64_t)to << 48 | round << 40 | i;
}

static bool one_exchange(hop_cluster *cluster, uint64_t round, bool fails) {
    uint32_t me = cluster->rank;
    uint64_t records[MEMBERS * RECORDS], at = 0;
    hop__inbox inbox;
    for (uint32_t to = 0; to < cluster->ranks; to++)
        for (uint64_t i = 0; i < given.counts[round][me][to]; i++)
            records[at++] = record_of(me, to, round, i);
    hop_status status = HOP_OK;
    if (fails && me == given.blamed)
        status = hop__fail(cluster->context, HOP_ERR_INPUT, "planted");
    status = (round == 1 ? hop__exchange_kept : hop__exchange)(
        cluster, "orders", status, 8, records, given.counts[round][me], &inbox);
    if (fails && status == HOP_ERR_INPUT) {
        must(strstr(hop_context_message(cluster->context), "planted") != NULL, "another failure");
        return true;
    }
    if (!went_well(status))
        return false;
    must(!fails, "a failure was not told");
    const uint64_t *got = inbox.records;
    for (uint32_t from = 0; from < cluster->ranks; from++)
        for (uint64_t i = 0; i < given.counts[round][from][me]; i++)
            must(*got++ == record_of(from, me, round, i), "a record is wrong");
    hop__inbox_clear(&inbox);
    return true;
}

/* The bytes of one rank to every second one. */
static bool one_share(hop_cluster *cluster, uint32_t root) {
    hop__members members = {root % 2, 2, (cluster->ranks - root % 2 + 1) / 2};
    uint64_t shared[RECORDS];
    if (cluster->rank % 2 != root % 2)
        return true;
    for (uint64_t i = 0; i < RECORDS; i++)
        shared[i] = cluster->rank == root ? record_of(root, 0, 9, i) : 0;
    if (!went_well(hop__share_known(cluster, "share", members, root, shared, sizeof shared)))
        return false;
    for (uint64_t i = 0; i < RECORDS; i++)
        must(shared[i] == record_of(root, 0, 9, i), "a shared record is wrong");
    return true;
}

static void run_exchanges(hop_cluster *cluster) {
    uint64_t room[MEMBERS * MEMBERS], mine[MEMBERS], total, sum = 0;
    for (uint64_t round = 0; round < ROUNDS; round++)
        if (!one_exchange(cluster, round, round == 2 && given.blamed < cluster->ranks) ||
            !one_share(cluster, (uint32_t)round % cluster->ranks))
            return;
    for (uint32_t i = 0; i < cluster->rank; i++)
        mine[i] = record_of(cluster->rank, 0, 8, i);
    if (!went_well(hop__gather_records(cluster, "gather", HOP_OK, 8, mine, cluster->rank, room,
                                       MEMBERS * MEMBERS, &total)))
        return;
    for (uint32_t rank = 0; rank < cluster->ranks; rank++)
        for (uint32_t i = 0; i < rank; i++)
            must(room[sum++] == record_of(rank, 0, 8, i), "a gathered record is wrong");
    must(sum == total, "not all records were gathered");
}

/* ---- problems -------------------------------------------------------------------------------- */

/* This rank has every ranks-th edge. */
static hop_cluster_graph *spread(hop_cluster *cluster) {
    uint32_t from[EDGES], to[EDGES], count = 0;
    for (uint32_t i = cluster->rank; i < EDGES; i += cluster->ranks, count++) {
        from[count] = given.from[i];
        to[count] = given.to[i];
    }
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_edges edges = HOP_EDGES_INIT;
    hop_cluster_graph *graph = NULL;
    options.vertices = VERTICES;
    edges.count = count;
    edges.from = from;
    edges.to = to;
    (void)went_well(hop_cluster_graph_from_edges(cluster, &edges, &options, &graph));
    return graph;
}

static bool is_vertex(uint64_t found, hop_vertex expected) {
    return found == (expected == HOP_NO_VERTEX ? HOP_NO_CLUSTER_VERTEX : expected);
}

static void run_components(hop_cluster *cluster, const hop_cluster_graph *graph, uint64_t first,
                           uint64_t count) {
    uint64_t labels[VERTICES], found;
    if (given.rounds)
        cluster->gather_most = 0;
    if (!went_well(hop_cluster_components(cluster, graph, labels, &found)))
        return;
    for (uint64_t i = 0; i < count; i++)
        must(labels[i] == given.labels[first + i], "a label is wrong");
    (void)went_well(hop_cluster_components_certify(cluster, graph, labels, found));
}

static void run_bfs(hop_cluster *cluster, const hop_cluster_graph *graph, uint64_t first,
                    uint64_t count) {
    uint64_t parents[VERTICES], source = 0;
    uint32_t levels[VERTICES];
    if (!went_well(hop_cluster_bfs(cluster, graph, &source, 1, NULL, levels, parents)))
        return;
    for (uint64_t i = 0; i < count; i++)
        must(levels[i] == given.levels[first + i] &&
                 is_vertex(parents[i], given.parents[first + i]),
             "a level or parent is wrong");
    (void)went_well(hop_cluster_bfs_certify(cluster, graph, &source, 1, NULL, levels, parents));
}

static void run_sssp(hop_cluster *cluster, const hop_cluster_graph *graph, uint64_t first,
                     uint64_t count) {
    uint64_t parents[VERTICES], source = 0;
    int64_t distances[VERTICES];
    hop_span span = {distances, count, HOP_TYPE_INT64};
    if (!went_well(hop_cluster_sssp(cluster, graph, &source, 1, NULL, &span, parents)))
        return;
    for (uint64_t i = 0; i < count; i++)
        must(distances[i] == given.distances[first + i] &&
                 is_vertex(parents[i], given.near[first + i]),
             "a distance or parent is wrong");
    hop_view view = {distances, count, HOP_TYPE_INT64};
    (void)went_well(hop_cluster_sssp_certify(cluster, graph, &source, 1, NULL, &view, parents));
}

static void run_apsp(hop_cluster *cluster, const hop_cluster_graph *graph) {
    hop_cluster_matrix *matrix = NULL;
    if (!went_well(hop_cluster_apsp(cluster, graph, &matrix)))
        return;
    hop_cluster_area area = hop_cluster_matrix_area(matrix);
    for (uint64_t i = area.first_row; i < area.first_row + area.rows; i++)
        for (uint64_t j = area.first_column; j < area.first_column + area.columns; j++)
            must(hop_cluster_matrix_at(matrix, i, j) == given.pairs[i * VERTICES + j],
                 "a pair is wrong");
    (void)went_well(hop_cluster_apsp_certify(cluster, graph, matrix));
    hop_cluster_matrix_free(matrix);
}

static void run_rank(hop_cluster *cluster) {
    uint64_t successors[VERTICES], ranks[VERTICES], first, count;
    hop_cluster_rank_options options = HOP_CLUSTER_RANK_OPTIONS_INIT;
    hop_cluster_part(cluster, VERTICES, &first, &count);
    for (uint64_t i = 0; i < count; i++)
        successors[i] = given.successors[first + i];
    if (!went_well(hop_cluster_list_rank(cluster, successors, VERTICES, &options, ranks)))
        return;
    for (uint64_t i = 0; i < count; i++)
        must(ranks[i] == given.ranks[first + i], "a rank is wrong");
    (void)went_well(hop_cluster_list_certify(cluster, successors, VERTICES, &options, ranks));
}

static void run_task(hop_cluster *cluster) {
    if (given.what == EXCHANGES) {
        run_exchanges(cluster);
        return;
    }
    if (given.what == RANK) {
        run_rank(cluster);
        return;
    }
    hop_cluster_graph *graph = spread(cluster);
    if (graph == NULL)
        return;
    uint64_t first = hop_cluster_first(graph), count = hop_cluster_count(graph);
    if (given.what == COMPONENTS)
        run_components(cluster, graph, first, count);
    else if (given.what == BFS)
        run_bfs(cluster, graph, first, count);
    else if (given.what == APSP)
        run_apsp(cluster, graph);
    else
        run_sssp(cluster, graph, first, count);
    hop_cluster_graph_free(graph);
}

/* ---- orders ---------------------------------------------------------------------------------- */

static void rank_body(void) {
    int me = exploration.running;
    hop_cluster_options options = HOP_CLUSTER_OPTIONS_INIT;
    hop_cluster *cluster = NULL;
    options.message_bytes = given.message_bytes;
    if (me < (int)net.ranks) {
        if (went_well(hop_cluster_create(contexts[me], &options, &cluster)))
            run_task(cluster);
        hop_cluster_free(cluster);
        must(hop_context_memory_used(contexts[me]) == 0, "memory was not given back");
    }
    explore_end();
}

/* One list through all elements, from the first on. */
static void draw_list(void) {
    uint32_t order_of[VERTICES];
    for (uint32_t i = 0; i < VERTICES; i++)
        order_of[i] = i;
    for (uint32_t i = VERTICES - 1; i > 1; i--) {
        uint32_t j = 1 + draw_below(i), kept = order_of[i];
        order_of[i] = order_of[j];
        order_of[j] = kept;
    }
    for (uint32_t i = 0; i < VERTICES; i++)
        given.successors[order_of[i]] = order_of[i + 1 < VERTICES ? i + 1 : i];
}

static void draw_question(void) {
    hop_context *context = contexts[MEMBERS];
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_edges edges = HOP_EDGES_INIT;
    const hop_vertex source = 0;
    hop_span span = {given.distances, VERTICES, HOP_TYPE_INT64};
    hop_span pairs = {given.pairs, VERTICES * VERTICES, HOP_TYPE_INT64};
    for (uint32_t i = 0; i < EDGES; i++) {
        given.from[i] = draw_below(VERTICES);
        given.to[i] = draw_below(draw_below(3) ? VERTICES : 3);
    }
    draw_list();
    for (uint64_t i = 0; i < ROUNDS * MEMBERS * MEMBERS; i++)
        (&given.counts[0][0][0])[i] = draw_below(3) ? draw_below(RECORDS + 1) : 0;
    given.blamed = draw_below(2) ? MEMBERS : draw_below(MEMBERS);
    options.vertices = VERTICES;
    edges.count = EDGES;
    edges.from = given.from;
    edges.to = given.to;
    if (hop_graph_from_edges(context, &edges, &options, &given.whole) != HOP_OK ||
        hop_components(context, given.whole, NULL, given.labels, NULL) != HOP_OK ||
        hop_bfs(context, given.whole, &source, 1, NULL, given.levels, given.parents) != HOP_OK ||
        hop_sssp(context, given.whole, &source, 1, NULL, &span, given.near) != HOP_OK ||
        hop_rank(context, given.successors, VERTICES, NULL, given.ranks) != HOP_OK ||
        hop_apsp(context, given.whole, NULL, &pairs, NULL) != HOP_OK)
        give_up(hop_context_message(context));
    hop_graph_release(given.whole);
}

static void run_order(uint64_t seed) {
    (void)seed;
    given.what = (task)draw_below(TASKS);
    given.message_bytes = draw_below(2) ? 8 : 1 << 10;
    given.failing = draw_below(4) == 0;
    given.rounds = draw_below(2);
    draw_question();
    net_begin(1 + draw_below(MEMBERS), given.failing ? 1 + draw_below(400) : UINT64_MAX);
    run_members(rank_body);
    net_end();
}

int main(int argc, char **argv) {
    const char *count = getenv("HOPLITE_TEST_ORDERS");
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = 1;
    drawn.steps_most = STEPS_MOST;
    for (unsigned i = 0; i <= MEMBERS; i++)
        if (hop_context_create(&options, &contexts[i]) != HOP_OK)
            return 1;
    run_orders(argc, argv, count != NULL ? strtoull(count, NULL, 10) : 1500, run_order);
    for (unsigned i = 0; i <= MEMBERS; i++)
        hop_context_free(contexts[i]);
    return 0;
}
