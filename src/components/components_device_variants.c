/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of graft, graft-update, shiloach-vishkin and stages for devices; what they do is in
 * components_device_edges.c. */
#include "components/components_device_edges.h"

static void plain_blocks(const void *user, hop__workspace *space) {
    const hop__components_task *task = user;
    hop__device_edges_blocks(space, task, task->values, false);
}

static void scratch_blocks(const void *user, hop__workspace *space) {
    const hop__components_task *task = user;
    hop__device_edges_blocks(space, task, task->values, true);
}

static hop_status graft_run(hop_context *context, const hop__components_task *task) {
    hop__device_edges_plan plan = {.join = hop__device_graft,
                                   .blocks = plain_blocks,
                                   .phase = "components: graft",
                                   .form = task->values};
    return hop__device_edges_run(context, task, &plan);
}

static hop_status graft_update_run(hop_context *context, const hop__components_task *task) {
    hop__device_edges_plan plan = {.join = hop__device_graft_update,
                                   .blocks = plain_blocks,
                                   .phase = "components: graft-update",
                                   .form = task->values,
                                   .update = true};
    return hop__device_edges_run(context, task, &plan);
}

static hop_status shiloach_vishkin_run(hop_context *context, const hop__components_task *task) {
    hop__device_edges_plan plan = {
        .join = hop__device_shiloach_vishkin,
        .blocks = scratch_blocks,
        .phase = "components: shiloach-vishkin",
        .form = task->values,
    };
    return hop__device_edges_run(context, task, &plan);
}

/* In the order of the parameter's choices. */
static const hop__device_join_fn inner[] = {hop__device_graft, hop__device_graft_update,
                                            hop__device_shiloach_vishkin, hop__device_rem};

static void stages_blocks(const void *user, hop__workspace *space) {
    const hop__components_task *task = user;
    bool scratch = inner[(size_t)task->values[HOP__STAGES_INNER]] == hop__device_shiloach_vishkin;
    hop__device_edges_blocks(space, task, task->values + HOP__STAGES_OWN, scratch);
}

static hop_status stages_run(hop_context *context, const hop__components_task *task) {
    hop__device_edges_plan plan = {.join = inner[(size_t)task->values[HOP__STAGES_INNER]],
                                   .blocks = stages_blocks,
                                   .phase = "components: stages",
                                   .form = task->values + HOP__STAGES_OWN,
                                   .shuffled = true,
                                   .update = true,
                                   .group = hop__stages_group};
    return hop__device_edges_run(context, task, &plan);
}

const hop__components_variant hop__components_device_graft = {
    .row = {.about = {.name = "graft",
                      .summary =
                          "graft trees along a list of edges, shortcut, until nothing changes",
                      .source = "Cong 2014, algorithm 1",
                      .place = HOP_PLACE_DEVICE,
                      HOP__PARAMETERS(hop__form_parameters)},
            .blocks = plain_blocks,
            .sends = hop__device_edges_sends},
    .run = graft_run,
};

const hop__components_variant hop__components_device_graft_update = {
    .row = {.about = {.name = "graft-update",
                      .summary = "graft whose edges become those between the roots of their ends",
                      .source = "Cong 2014, algorithm 2",
                      .place = HOP_PLACE_DEVICE,
                      HOP__PARAMETERS(hop__form_parameters)},
            .blocks = plain_blocks,
            .sends = hop__device_edges_sends},
    .run = graft_update_run,
};

const hop__components_variant hop__components_device_shiloach_vishkin = {
    .row = {.about = {.name = "shiloach-vishkin",
                      .summary = "hook trees along a list of edges and halve their height, in "
                                 "kernels SV0 to SV5",
                      .source = "Yogaratnam 2010, 4.2.4, 6.1.2 (Shiloach and Vishkin 1982)",
                      .place = HOP_PLACE_DEVICE,
                      HOP__PARAMETERS(hop__form_parameters)},
            .blocks = scratch_blocks,
            .sends = hop__device_edges_sends},
    .run = shiloach_vishkin_run,
};

const hop__components_variant hop__components_device_stages = {
    .row = {.about = {.name = "stages",
                      .summary = "another variant on one random group of edges after the other",
                      .source = "Cong 2014, algorithm 3",
                      .place = HOP_PLACE_DEVICE,
                      HOP__PARAMETERS(hop__stages_parameters)},
            .blocks = stages_blocks,
            .sends = hop__device_edges_sends},
    .run = stages_run,
};
