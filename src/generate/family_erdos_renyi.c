/* SPDX-License-Identifier: Apache-2.0
 *
 * erdos-renyi: G(n, m), exactly m different edges between n vertices, every set of m edges equally
 * likely; no loops. With `directed`, m different arcs of the n(n-1) there are.
 *
 * Pairs come from distinct_pairs.h, so nothing is stored and nothing is drawn twice.
 * Source: Erdős and Rényi 1959; D1's random graphs. Cost: about 13 ns per edge, no memory. */
#include "core/try.h"
#include "generate/distinct_pairs.h"
#include "generate/family.h"

typedef struct random_plan {
    hop__pairs pairs;
    hop__weighting weighting;
} random_plan;

static void random_fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                        hop_vertex *to, void *weights) {
    const random_plan *plan = user;
    hop__pairs_fill(&plan->pairs, first, count, from, to);
    hop__weighting_fill(&plan->weighting, first, count, weights);
}

enum { N, M, DIRECTED };

static const hop_parameter parameters[] = {
    [N] = {"n", "number of vertices", HOP_PARAMETER_INTEGER, true, 0, HOP_MAX_VERTICES, 0},
    [M] = {"m", "number of edges", HOP_PARAMETER_INTEGER, true, 0, (double)HOP_MAX_EDGES, 0},
    [DIRECTED] = {"directed", "m arcs instead of m edges", HOP_PARAMETER_FLAG, false, 0, 1, 0},
};

static hop_status erdos_renyi_make(hop_context *context, const hop__recipe *recipe,
                                   hop_graph **graph) {
    uint64_t vertices = (uint64_t)recipe->values[N], edges = (uint64_t)recipe->values[M];
    bool directed = recipe->values[DIRECTED] != 0;
    uint64_t possible = hop__pairs_possible(vertices, directed);
    if (edges > possible)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "erdos-renyi: m = %llu, but %llu vertices have only %llu different %s; "
                         "lower m or raise n",
                         (unsigned long long)edges, (unsigned long long)vertices,
                         (unsigned long long)possible, directed ? "arcs" : "edges");
    random_plan plan = {.weighting = recipe->weighting};
    if (possible > 0)
        hop__pairs_init(&plan.pairs, vertices, directed, 0, recipe->seed, HOP__STREAM_EDGES);
    hop__edge_source source = {edges, recipe->weighting.type, random_fill, &plan};
    hop__build build = {
        .vertices = (hop_vertex)vertices,
        .directed = directed,
        .duplicates = HOP_DUPLICATES_MIN,
        .loops = HOP_LOOPS_KEEP,
        .what = "erdos-renyi: edge",
    };
    return hop__family_build(context, recipe, &source, &build, edges, graph);
}

const hop__family hop__family_erdos_renyi = {
    .about = {.name = "erdos-renyi",
              .summary = "G(n, m): m different random edges between n vertices",
              .source = "Erdos and Renyi 1959; Cong 2014",
              HOP__PARAMETERS(parameters),
              HOP__NO_WEIGHTS_BY_DEFAULT},
    .make = erdos_renyi_make,
};
