/* SPDX-License-Identifier: Apache-2.0
 *
 * density: D0's random graphs by edge density (Appendix A, genRandomGraph). m arcs, n =
 * sqrt(m / (2 delta)) vertices, rounded to the nearest; `count` sub-graphs of n/count vertices and
 * m/count arcs each, where what does not divide evenly goes to the first ones. Sub-graph s has the
 * vertices after those of sub-graph s-1.
 *
 * m counts arcs, two per edge (D0 has n = m/2 for its lists and trees), so it must be even. By the
 * formula m = 2 delta n^2, which from delta = 1/2 on is more than the n(n-1) arcs there are: D0's
 * remark that delta = 1 is the complete graph can't hold, and such requests are refused. A
 * sub-graph needs count times the density, and is refused likewise.
 *
 * Each sub-graph takes its edges from distinct_pairs.h, with a stream of its own. It need not be
 * connected. Cost: about 14 ns per edge, 0.1 us per sub-graph and block of edges, no memory. */
#include <math.h>

#include "core/try.h"
#include "generate/distinct_pairs.h"
#include "generate/family.h"

typedef struct density_plan {
    uint64_t vertices, edges, count, seed;
    hop__weighting weighting;
} density_plan;

static void density_fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                         hop_vertex *to, void *weights) {
    const density_plan *plan = user;
    uint32_t done = 0;
    while (done < count) {
        uint64_t part = hop__even_part(plan->edges, plan->count, first + done);
        uint64_t begin = hop__even_start(plan->edges, plan->count, part);
        uint64_t left = begin + hop__even_size(plan->edges, plan->count, part) - first - done;
        uint32_t piece = left < count - done ? (uint32_t)left : count - done;
        hop__pairs pairs;
        hop__pairs_init(&pairs, hop__even_size(plan->vertices, plan->count, part), false,
                        (hop_vertex)hop__even_start(plan->vertices, plan->count, part), plan->seed,
                        HOP__STREAM_PARTS + part);
        hop__pairs_fill(&pairs, first + done - begin, piece, from + done, to + done);
        done += piece;
    }
    hop__weighting_fill(&plan->weighting, first, count, weights);
}

enum { M, DELTA, COUNT };

static const hop_parameter parameters[] = {
    [M] = {"m", "number of arcs, two per edge", HOP_PARAMETER_INTEGER, true, 0,
           2 * (double)HOP_MAX_EDGES, 0},
    [DELTA] = {"delta", "edge density; n = sqrt(m / (2 delta))", HOP_PARAMETER_REAL, true, 1e-18, 1,
               0},
    [COUNT] = {"count", "number of sub-graphs", HOP_PARAMETER_INTEGER, false, 1, HOP_MAX_VERTICES,
               1},
};

/* Sub-graphs have at most three shapes: with one vertex more or not, one edge more or not. */
static hop_status check_parts(hop_context *context, const density_plan *plan) {
    uint64_t more_vertices = plan->vertices % plan->count;
    uint64_t more_edges = plan->edges % plan->count;
    const uint64_t shapes[] = {0, more_vertices, more_edges};
    for (size_t i = 0; i < HOP_LENGTH(shapes); i++) {
        uint64_t vertices = hop__even_size(plan->vertices, plan->count, shapes[i]);
        uint64_t edges = hop__even_size(plan->edges, plan->count, shapes[i]);
        uint64_t possible = hop__pairs_possible(vertices, false);
        if (edges > possible)
            return hop__fail(context, HOP_ERR_ARGUMENT,
                             "density: sub-graph %llu of %llu would have %llu arcs between %llu "
                             "vertices, which have only %llu; lower delta, or count",
                             (unsigned long long)shapes[i], (unsigned long long)plan->count,
                             (unsigned long long)(2 * edges), (unsigned long long)vertices,
                             (unsigned long long)(2 * possible));
    }
    return HOP_OK;
}

static hop_status density_make(hop_context *context, const hop__recipe *recipe, hop_graph **graph) {
    double arcs = recipe->values[M], delta = recipe->values[DELTA];
    double exact = sqrt(arcs / (2 * delta));
    if (fmod(arcs, 2) != 0)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "density: m = %.0f counts arcs, two per edge: it must be even", arcs);
    if (exact > HOP_MAX_VERTICES)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "density: m = %.0f and delta = %.15g make sqrt(m / (2 delta)) = %.0f "
                         "vertices, and at most %u are possible; raise delta",
                         arcs, delta, exact, HOP_MAX_VERTICES);
    density_plan plan = {
        .vertices = (uint64_t)round(exact),
        .edges = (uint64_t)arcs / 2,
        .count = (uint64_t)recipe->values[COUNT],
        .seed = recipe->seed,
        .weighting = recipe->weighting,
    };
    if (plan.count > plan.vertices && plan.count > 1)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "density: m = %.0f and delta = %.15g make %llu vertices, too few for %llu "
                         "sub-graphs; lower delta, or count",
                         arcs, delta, (unsigned long long)plan.vertices,
                         (unsigned long long)plan.count);
    hop_status status = check_parts(context, &plan);
    if (status != HOP_OK)
        return status;
    hop__edge_source source = {plan.edges, recipe->weighting.type, density_fill, &plan};
    hop__build build = {
        .vertices = (hop_vertex)plan.vertices,
        .duplicates = HOP_DUPLICATES_MIN,
        .loops = HOP_LOOPS_KEEP,
        .what = "density: edge",
    };
    return hop__family_build(context, recipe, &source, &build, plan.edges, graph);
}

const hop__family hop__family_density = {
    .about = {.name = "density",
              .summary = "random graph of m arcs and a given density, in count sub-graphs",
              .source = "Yogaratnam 2010, Appendix A (genRandomGraph)",
              HOP__PARAMETERS(parameters),
              HOP__NO_WEIGHTS_BY_DEFAULT},
    .make = density_make,
};
