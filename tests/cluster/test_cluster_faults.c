/* SPDX-License-Identifier: Apache-2.0
 *
 * Each allocation of one rank fails in turn, from joining the ranks to the last answer: the failure
 * is that of all ranks, nobody waits for somebody who has left, and nothing is left behind. */
#include "cluster_testing.h"

/* The allocator of a rank: from the one that fails on, none is granted. */
typedef struct purse {
    long left; /* allocations before the one that fails; -1: none does */
    long live;
} purse;

static void *grant(void *user, size_t bytes, size_t alignment) {
    purse *own = user;
    if (own->left == 0)
        return NULL;
    own->left -= own->left > 0;
    void *block = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    own->live += block != NULL;
    return block;
}

static void take_back(void *user, void *block, size_t bytes) {
    (void)bytes;
    ((purse *)user)->live -= block != NULL;
    free(block);
}

/* Whether all ranks have the same. */
static bool is_same(uint64_t value) {
    uint64_t ends[2] = {value, ~value};
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    return ends[0] == ~ends[1];
}

static hop_status solve(hop_cluster *cluster, const hop_cluster_graph *graph) {
    const uint64_t count = hop_cluster_count(graph), source = 0;
    uint64_t *labels = malloc(8 * count + 8), components;
    hop_vertex *levels = malloc(4 * count + 4);
    double *distances = malloc(8 * count + 8);
    hop_status status = hop_cluster_components(cluster, graph, labels, &components);
    if (status == HOP_OK)
        status = hop_cluster_bfs(cluster, graph, &source, 1, NULL, levels, labels);
    if (status == HOP_OK)
        status =
            hop_cluster_sssp(cluster, graph, &source, 1, NULL, HOP_SPAN(distances, count), labels);
    free(labels);
    free(levels);
    free(distances);
    return status;
}

/* Joins, makes a graph by a recipe or of edges, and solves. */
static hop_status work_on(hop_context *context, bool made) {
    static const uint32_t ends[] = {0, 1, 2, 3, 4, 5, 900, 901};
    const recipe rmat = {"rmat", {{"scale", 6}, {"edge-factor", 4}}, 2};
    hop_cluster *cluster = NULL;
    hop_cluster_graph *graph = NULL;
    hop_status status = hop_cluster_create(context, NULL, &cluster);
    if (status == HOP_OK && made) {
        hop_generate_options options = weighted_options(&rmat, HOP_TYPE_FLOAT64);
        status = hop_cluster_graph_generate(cluster, rmat.family, &options, &graph);
    } else if (status == HOP_OK) {
        hop_edges edges = HOP_EDGES_INIT;
        edges.from = ends;
        edges.to = ends + 1;
        edges.count = 7;
        status = hop_cluster_graph_from_edges(cluster, &edges, NULL, &graph);
    }
    if (status == HOP_OK && made)
        status = solve(cluster, graph);
    hop_cluster_graph_free(graph);
    hop_cluster_free(cluster);
    return status;
}

/* `failing` of them; how many allocations there were until all went well. */
static long check_each(int rank, int failing, bool made) {
    hop_status status = HOP_ERR_MEMORY;
    long fail_at;
    for (fail_at = 0; status != HOP_OK; fail_at++) {
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        purse own = {-1, 0};
        options.threads = 1;
        options.allocator.allocate = grant;
        options.allocator.release = take_back;
        options.allocator.user = &own;
        CHECK(hop_context_create(&options, &context) == HOP_OK);
        const long before = own.live;
        own.left = rank == failing ? fail_at : -1;
        status = work_on(context, made);
        CHECK(status == HOP_OK || status == HOP_ERR_MEMORY);
        CHECK(is_same((uint64_t)(int64_t)status));
        CHECK(own.live == before);
        hop_context_free(context);
        CHECK(own.live == 0);
    }
    return fail_at;
}

/* An option that one rank alone has wrong. */
static void check_option(int rank, int failing) {
    hop_context *context = NULL;
    hop_cluster_options options = HOP_CLUSTER_OPTIONS_INIT;
    hop_cluster *cluster = NULL;
    CHECK(hop_context_create(NULL, &context) == HOP_OK);
    options.message_bytes = rank == failing ? UINT64_C(1) << 31 : 0;
    CHECK(hop_cluster_create(context, &options, &cluster) == HOP_ERR_ARGUMENT);
    CHECK(cluster == NULL && strstr(hop_context_message(context), "2^31 - 1") != NULL);
    hop_context_free(context);
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check_option(rank, ranks - 1);
    const long by_edges = check_each(rank, ranks / 2, false);
    const long by_recipe = check_each(rank, ranks - 1, true);
    CHECK(by_edges > 10 && by_recipe > 30);
    MPI_Finalize();
    return 0;
}
