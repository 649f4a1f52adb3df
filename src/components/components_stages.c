/* SPDX-License-Identifier: Apache-2.0
 *
 * stages: a meta-algorithm over others. D1, algorithm 3.
 *
 * The edges are permuted at random and cut into groups of q n. The inner algorithm joins one group
 * after the other into the same labels; before it starts on a group, the ends of that group's edges
 * are replaced by their labels. When a random graph has more than n / 2 edges it has a giant
 * component: so after the first group most ends of later edges are one vertex, which stays in the
 * cache, and most of those edges have nothing left to do.
 *
 * `q` is D1's, above 1/2; more than m / n is one group. report.rounds counts the rounds of the
 * inner algorithm over all groups; the counter "groups" counts those.
 *
 * Cost: that of the inner algorithm on lists of q n edges, plus O(m); memory as it. */
#include "components/components_edges.h"
#include "core/try.h"

const hop_parameter hop__stages_parameters[HOP__STAGES_OWN + HOP__FORM_PARAMETERS] = {
    [HOP__STAGES_INNER] = {.name = "inner",
                           .summary = "the algorithm that joins each group",
                           .type = HOP_PARAMETER_CHOICE,
                           .maximum = 3,
                           .standard = 1,
                           .choices = "graft graft-update shiloach-vishkin rem"},
    [HOP__STAGES_Q] = {.name = "q",
                       .summary = "edges per group and vertex, above 1/2",
                       .type = HOP_PARAMETER_REAL,
                       .minimum = 0.5,
                       .maximum = 1e12,
                       .standard = 1},
    [HOP__STAGES_OWN + HOP__FORM_GROUP] = HOP__FORM_GROUP_ROW,
    [HOP__STAGES_OWN + HOP__FORM_CUT] = HOP__FORM_CUT_ROW,
};

enum { INNER_SHILOACH_VISHKIN = 2 };
static const hop__edge_join_fn inner[] = {hop__graft_edges, hop__graft_update_edges,
                                          hop__shiloach_vishkin_edges, hop__rem_edges};

static size_t inner_of(const hop__components_task *task) {
    return (size_t)task->values[HOP__STAGES_INNER];
}

/* Edges per group: more than n / 2, and at least one. */
uint64_t hop__stages_group(const hop__components_task *task, uint64_t edges) {
    double size = task->values[HOP__STAGES_Q] * task->graph->vertices;
    uint64_t least = task->graph->vertices / 2 + 1;
    if (size >= (double)edges)
        return edges;
    return size < (double)least ? least : (uint64_t)size;
}

static void join_groups(hop__edge_task *task) {
    const hop__components_task *given = task->given;
    hop__packed_edges all = task->edges;
    uint64_t size = hop__stages_group(given, all.count), groups = 0;
    for (uint64_t begin = 0; begin < all.count; begin += task->edges.count, groups++) {
        task->edges.list = all.list + begin;
        task->edges.count = all.count - begin < size ? all.count - begin : size;
        if (begin > 0)
            hop__edge_task_update(task);
        inner[inner_of(given)](task);
        if (atomic_load(&task->stopped))
            break;
    }
    task->edges = all;
    hop__count(task->context, "groups", groups);
}

static void stages_blocks(const void *user, hop__workspace *space) {
    if (inner_of(user) == INNER_SHILOACH_VISHKIN)
        hop__edge_scratch_blocks(user, space);
    else
        hop__edge_task_blocks(user, space);
}

static hop_status stages_run(hop_context *context, const hop__components_task *given) {
    return hop__edge_task_run(context, given, stages_blocks, "components: stages", true,
                              join_groups);
}

const hop__components_variant hop__components_stages = {
    .row = {.about = {.name = "stages",
                      .summary = "another variant on one random group of edges after the other",
                      .source = "Cong 2014, algorithm 3",
                      .place = HOP_PLACE_HOST,
                      HOP__FIRST_PARAMETERS(hop__stages_parameters, HOP__STAGES_OWN)},
            .blocks = stages_blocks},
    .run = stages_run,
};
