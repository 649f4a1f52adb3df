/* SPDX-License-Identifier: Apache-2.0
 *
 * list-graph: `count` lists as an undirected graph (D0, Appendix A, genListGraph). Their vertices
 * are spread over all n at random; the lists have n/count vertices, the first n mod count one
 * more. So n - count edges and count components.
 *
 * The n vertices in random order are cut into count pieces, each of which is a list: vertex
 * at(p) = shuffle(p), and edges join p and p+1 unless a list ends there.
 * Cost: about 13 ns per edge, no memory. */
#include "core/rng.h"
#include "core/try.h"
#include "generate/family.h"

typedef struct lists_plan {
    hop__shuffle shuffle;
    uint64_t vertices, count;
    hop__weighting weighting;
} lists_plan;

/* The position where edge number `edge` begins: list s has one edge less than vertices, so s edges
 * are missing before those of list s. */
static uint64_t position_of(const lists_plan *plan, uint64_t edge) {
    return edge + hop__even_part(plan->vertices - plan->count, plan->count, edge);
}

static void lists_fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                       hop_vertex *to, void *weights) {
    const lists_plan *plan = user;
    uint64_t edge = first, end = first + count;
    uint64_t places[HOP__SOURCE_BLOCK + 1];
    uint32_t done = 0;
    while (edge < end) {
        /* Edges of one list are neighbours: one vertex more than edges. */
        uint64_t part = hop__even_part(plan->vertices - plan->count, plan->count, edge);
        uint64_t last = hop__even_start(plan->vertices - plan->count, plan->count, part + 1);
        uint32_t piece = (uint32_t)((last < end ? last : end) - edge);
        uint64_t position = position_of(plan, edge);
        for (uint32_t i = 0; i <= piece; i++)
            places[i] = position + i;
        hop__shuffle_all(&plan->shuffle, places, piece + 1);
        for (uint32_t i = 0; i < piece; i++) {
            from[done + i] = (hop_vertex)places[i];
            to[done + i] = (hop_vertex)places[i + 1];
        }
        done += piece;
        edge += piece;
    }
    hop__weighting_fill(&plan->weighting, first, count, weights);
}

enum { N, COUNT };

static const hop_parameter parameters[] = {
    [N] = {"n", "number of vertices", HOP_PARAMETER_INTEGER, true, 0, HOP_MAX_VERTICES, 0},
    [COUNT] = {"count", "number of lists", HOP_PARAMETER_INTEGER, false, 1, HOP_MAX_VERTICES, 1},
};

static hop_status list_graph_make(hop_context *context, const hop__recipe *recipe,
                                  hop_graph **graph) {
    lists_plan plan = {
        .vertices = (uint64_t)recipe->values[N],
        .count = (uint64_t)recipe->values[COUNT],
        .weighting = recipe->weighting,
    };
    if (plan.count > plan.vertices && plan.count > 1)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "list-graph: %llu vertices are too few for %llu lists; lower count or "
                         "raise n",
                         (unsigned long long)plan.vertices, (unsigned long long)plan.count);
    if (plan.vertices > 0)
        hop__shuffle_init(&plan.shuffle, plan.vertices, recipe->seed, HOP__STREAM_ORDER);
    hop__edge_source source = {
        plan.vertices == 0 ? 0 : plan.vertices - plan.count,
        recipe->weighting.type,
        lists_fill,
        &plan,
    };
    hop__build build = {
        .vertices = (hop_vertex)plan.vertices,
        .duplicates = HOP_DUPLICATES_MIN,
        .loops = HOP_LOOPS_KEEP,
        .what = "list-graph: edge",
    };
    return hop__family_build(context, recipe, &source, &build, source.count, graph);
}

const hop__family hop__family_list_graph = {
    .about = {.name = "list-graph",
              .summary = "one or more lists, their vertices spread at random",
              .source = "Yogaratnam 2010, Appendix A (genListGraph)",
              HOP__PARAMETERS(parameters),
              HOP__NO_WEIGHTS_BY_DEFAULT},
    .make = list_graph_make,
};
