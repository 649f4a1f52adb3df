/* SPDX-License-Identifier: Apache-2.0
 *
 * fanout: D4's synthetic graph, which keeps every thread of a search busy: vertex i has arcs to
 * k*i+1 .. k*i+k, as far as these are below n. From vertex 0 the levels have 1, k, k^2, ...
 * vertices, the last one what is left. D4 6.2 has n = 10,485,760 and k = 4, fig. 7.1 its levels.
 *
 * Arc i goes from i / k to i + 1; nothing is random but the weights. The arcs point away from
 * vertex 0, as D4 counts them ("a fan-out of 4"); --no-directed gives the tree.
 * Cost: a nanosecond or two per arc, no memory. */
#include "core/try.h"
#include "generate/family.h"

typedef struct fanout_plan {
    uint64_t fan;
    hop__weighting weighting;
} fanout_plan;

static void fanout_fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                        hop_vertex *to, void *weights) {
    const fanout_plan *plan = user;
    uint64_t parent = first / plan->fan, child = first % plan->fan;
    for (uint32_t i = 0; i < count; i++) {
        from[i] = (hop_vertex)parent;
        to[i] = (hop_vertex)(first + i + 1);
        if (++child == plan->fan) {
            child = 0;
            parent++;
        }
    }
    hop__weighting_fill(&plan->weighting, first, count, weights);
}

enum { N, K, DIRECTED };

static const hop_parameter parameters[] = {
    [N] = {"n", "number of vertices", HOP_PARAMETER_INTEGER, false, 0, HOP_MAX_VERTICES, 10485760},
    [K] = {"k", "arcs out of a vertex", HOP_PARAMETER_INTEGER, false, 1, HOP_MAX_VERTICES, 4},
    [DIRECTED] = {"directed", "arcs away from vertex 0 only", HOP_PARAMETER_FLAG, false, 0, 1, 1},
};

static hop_status fanout_make(hop_context *context, const hop__recipe *recipe, hop_graph **graph) {
    uint64_t vertices = (uint64_t)recipe->values[N];
    fanout_plan plan = {(uint64_t)recipe->values[K], recipe->weighting};
    hop__edge_source source = {vertices == 0 ? 0 : vertices - 1, recipe->weighting.type,
                               fanout_fill, &plan};
    hop__build build = {
        .vertices = (hop_vertex)vertices,
        .directed = recipe->values[DIRECTED] != 0,
        .duplicates = HOP_DUPLICATES_MIN,
        .loops = HOP_LOOPS_KEEP,
        .what = "fanout: arc",
    };
    return hop__family_build(context, recipe, &source, &build, source.count, graph);
}

const hop__family hop__family_fanout = {
    .about = {.name = "fanout",
              .summary = "tree of fixed fan-out k, whose levels grow k-fold",
              .source = "Troendle 2019, 6.2 and 7.1",
              HOP__PARAMETERS(parameters),
              HOP__NO_WEIGHTS_BY_DEFAULT},
    .make = fanout_make,
};
