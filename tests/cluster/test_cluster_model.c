/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that are sent, of each rank and phase, against the model of docs/cluster.md: within 5 %. A
 * random graph, of whose arcs' ends the model knows how many are different: of A that are drawn
 * from n, n (1 - exp(-A/n)). */
#include <math.h>

#include "cluster_testing.h"

enum { VERTICES = 20000, EDGES = 100000 };

/* Of all phases that begin with `name`. */
static uint64_t bytes_of(const job *work, const char *name) {
    hop_cluster_phase phase = {.size = sizeof phase};
    uint64_t bytes = 0;
    for (size_t i = 0; hop_cluster_phase_at(work->cluster, i, &phase); i++)
        bytes += strncmp(phase.name, name, strlen(name)) == 0 ? phase.bytes : 0;
    return bytes;
}

static uint64_t rounds_of(const job *work, const char *name) {
    hop_cluster_phase phase = {.size = sizeof phase};
    for (size_t i = 0; hop_cluster_phase_at(work->cluster, i, &phase); i++)
        if (strcmp(phase.name, name) == 0)
            return phase.rounds;
    return 0;
}

static void check_near(const job *work, const char *what, uint64_t bytes, double model) {
    if (work->rank == 0)
        printf("%u ranks: %s: %llu bytes, model %.0f\n", (unsigned)work->ranks, what,
               (unsigned long long)bytes, model);
    CHECK(fabs((double)bytes - model) <= 0.05 * model);
}

int main(void) {
    job work = job_begin();
    const recipe made = {"erdos-renyi", {{"n", VERTICES}, {"m", EDGES}}, 2};
    hop_cluster_reset(work.cluster);
    hop_cluster_graph *graph = spread_graph(&work, &made);
    double others = 1 - 1.0 / work.ranks, arcs = 2.0 * EDGES / work.ranks;
    double different = VERTICES * (1 - exp(-arcs / VERTICES)) * others;
    uint64_t own = hop_cluster_count(graph), source = 0;
    uint64_t *ids = calloc(own + 1, 8);
    uint32_t *levels = calloc(own + 1, 4);
    check_near(&work, "build: arcs", bytes_of(&work, "build: arcs"), 16 * arcs * others);

    hop_cluster_reset(work.cluster);
    CHECK_OK(work.context, hop_cluster_bfs(work.cluster, graph, &source, 1, NULL, levels, ids));
    check_near(&work, "bfs", bytes_of(&work, "bfs: "), 16 * different);

    hop_cluster_reset(work.cluster);
    CHECK_OK(work.context, hop_cluster_components(work.cluster, graph, ids, NULL));
    uint64_t rounds = rounds_of(&work, "components: labels");
    uint64_t fixed = bytes_of(&work, "components: members") +
                     bytes_of(&work, "components: shared") + bytes_of(&work, "components: first") +
                     bytes_of(&work, "components: labels");
    check_near(&work, "components, without hooks", fixed,
               different * (2 * 8 + 1 + 16 + 8 * (double)rounds));
    uint64_t hooks = bytes_of(&work, "components: hook") + bytes_of(&work, "components: parents");
    CHECK(rounds <= 8 && hooks < 48 * rounds * VERTICES / work.ranks);
    hop_cluster_graph_free(graph);
    free(ids);
    free(levels);
    job_end(&work);
    return 0;
}
