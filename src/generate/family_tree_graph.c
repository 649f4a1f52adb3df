/* SPDX-License-Identifier: Apache-2.0
 *
 * tree-graph: `count` random trees as an undirected graph, no vertex with more than k children
 * (D0, Appendix A, genTreeGraph). n - count edges, count components; k = 1 makes lists.
 *
 * D0's process: choose count roots, the first members of P; until P holds all n vertices, choose
 * a member x with fewer than k children and a vertex y outside P, make y a child of x and add y
 * to P. The trees are about n/count large, not exactly, since a large tree has more places to grow
 * at. A step needs all those before it, so this is one thread's work and the edges are stored; the
 * generator is KISS, seeded as D0 seeds it.
 *
 * Encoding: order[t] is the vertex that joined P as number t (roots first); order[t..] are those
 * outside. parents[t] is the number, not the vertex, of its parent. `open` holds the members with
 * fewer than k children, in any order, so that a choice is one draw; one that is full is replaced
 * by the last.
 *
 * Cost: about 90 ns per vertex (n = 32 M), 16 bytes per vertex while the trees grow and 8 while the
 * graph is built. */
#include "core/memory.h"
#include "core/progress.h"
#include "core/rng.h"
#include "core/try.h"
#include "generate/family.h"

typedef struct open_member {
    uint32_t number, children;
} open_member;

typedef struct trees_plan {
    hop_vertex vertices, roots;
    uint32_t most_children;
    hop_vertex *order;
    uint32_t *parents;
    hop__weighting weighting;
} trees_plan;

static void trees_fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                       hop_vertex *to, void *weights) {
    const trees_plan *plan = user;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = plan->roots + first + i;
        from[i] = plan->order[plan->parents[number]];
        to[i] = plan->order[number];
    }
    hop__weighting_fill(&plan->weighting, first, count, weights);
}

/* Chooses one of the vertices outside P and moves it to place t. */
static void choose_next(hop__kiss *kiss, const trees_plan *plan, uint32_t t) {
    uint32_t place = t + hop__kiss_below(kiss, plan->vertices - t);
    hop_vertex chosen = plan->order[place];
    plan->order[place] = plan->order[t];
    plan->order[t] = chosen;
}

/* Runs D0's process. Stops early when cancelled; the caller finds out by itself. */
static void trees_grow(hop_context *context, const trees_plan *plan, uint64_t seed,
                       open_member *open) {
    enum { REPORT = 1 << 14 };
    hop__kiss kiss;
    hop__kiss_seed(&kiss, (uint32_t)seed, 0);
    /* D0's seeds have 32 bits. The rest of a longer one goes into the register that every value
     * is good for. */
    kiss.x += (uint32_t)(seed >> 32);
    uint32_t open_count = 0;
    for (uint32_t t = 0; t < plan->vertices; t++) {
        if (t % REPORT == 0 && !hop__progress_add(context, t == 0 ? 0 : REPORT))
            return;
        if (t >= plan->roots) {
            uint32_t slot = hop__kiss_below(&kiss, open_count);
            plan->parents[t] = open[slot].number;
            if (++open[slot].children == plan->most_children)
                open[slot] = open[--open_count];
        }
        choose_next(&kiss, plan, t);
        open[open_count++] = (open_member){t, 0};
    }
}

enum { N, COUNT, K };

static const hop_parameter parameters[] = {
    [N] = {"n", "number of vertices", HOP_PARAMETER_INTEGER, true, 0, HOP_MAX_VERTICES, 0},
    [COUNT] = {"count", "number of trees", HOP_PARAMETER_INTEGER, false, 1, HOP_MAX_VERTICES, 1},
    [K] = {"k", "most children of a vertex", HOP_PARAMETER_INTEGER, false, 1, HOP_MAX_VERTICES, 2},
};

static hop_status trees_make(hop_context *context, const hop__recipe *recipe, trees_plan *plan) {
    hop_status status = HOP_OK;
    open_member *open = NULL;
    HOP_TRY(status, hop__alloc(context, "tree-graph: order of the vertices", plan->vertices,
                               sizeof *plan->order, &plan->order));
    HOP_TRY(status, hop__alloc(context, "tree-graph: parents", plan->vertices,
                               sizeof *plan->parents, &plan->parents));
    HOP_TRY(status, hop__alloc(context, "tree-graph: members with room for children",
                               plan->vertices, sizeof *open, &open));
    for (uint32_t vertex = 0; vertex < plan->vertices; vertex++)
        plan->order[vertex] = vertex;
    hop__progress_begin(context, "generate: trees", plan->vertices);
    trees_grow(context, plan, recipe->seed, open);
    HOP_TRY(status, hop__progress_end(context));
done:
    hop__free(open);
    return status;
}

static hop_status tree_graph_make(hop_context *context, const hop__recipe *recipe,
                                  hop_graph **graph) {
    hop_status status = HOP_OK;
    trees_plan plan = {
        .vertices = (hop_vertex)recipe->values[N],
        .roots = (hop_vertex)recipe->values[COUNT],
        .most_children = (uint32_t)recipe->values[K],
        .weighting = recipe->weighting,
    };
    if (plan.roots > plan.vertices && plan.roots > 1)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "tree-graph: %u vertices are too few for %u trees; lower count or raise n",
                         plan.vertices, plan.roots);
    hop__edge_source source = {
        plan.vertices == 0 ? 0 : plan.vertices - plan.roots,
        recipe->weighting.type,
        trees_fill,
        &plan,
    };
    hop__build build = {
        .vertices = plan.vertices,
        .duplicates = HOP_DUPLICATES_MIN,
        .loops = HOP_LOOPS_KEEP,
        .what = "tree-graph: edge",
    };
    HOP_TRY(status, hop__family_fits(context, &build, source.weight_type, source.count));
    HOP_TRY(status, trees_make(context, recipe, &plan));
    HOP_TRY(status, hop__family_build(context, recipe, &source, &build, source.count, graph));
done:
    hop__free(plan.order);
    hop__free(plan.parents);
    return status;
}

const hop__family hop__family_tree_graph = {
    .about = {.name = "tree-graph",
              .summary = "one or more random trees of at most k children per vertex",
              .source = "Yogaratnam 2010, Appendix A (genTreeGraph)",
              HOP__PARAMETERS(parameters),
              HOP__NO_WEIGHTS_BY_DEFAULT},
    .make = tree_graph_make,
    .plans_vertices = true,
};
