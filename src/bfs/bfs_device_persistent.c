/* SPDX-License-Identifier: Apache-2.0
 *
 * persistent: work-groups that stay, and live on one queue of vertices (D4 chapters 4 to 7,
 * appendices A to E). The queue, the trips and the launches are the scheduler's
 * (kernels/scheduler.h, docs/scheduler.md); the token is a vertex, its range the arcs out.
 *
 * A vertex is followed only in its level: the level is a stage of the scheduler, which is D4's gate
 * (CurrentCost, nCurrentCostThreads, nNextCostThreads). Without it a vertex could be reached on a
 * longer way first, and levels would come out wrong.
 *
 * Invariants
 *  1. levels[v] is written once, from NO_LEVEL, and v is put at most once into the queue: by
 *     whoever wrote it. So n + items slots suffice, and no token is refused.
 *  2. All vertices of level l are in the queue, and counted, before the stage is l.
 *
 * D4's listings leave out what its wavefronts gave for free: barriers around the group's counters,
 * and the order between the counts of the next level and the current one.
 *
 * Parents follow from the levels at the end (bfs_device.h). Cost: O(n + m) work, and a trip of
 * every group for each level; the rows, 8 bytes per vertex (12 with parents) on the device. */
#include "bfs/bfs_device.h"
#include "kernels/scheduler.h"

extern const hop__program_source hop__program_bfs_persistent;

enum { LEAVES = HOP__SCHEDULE_PARAMETERS, PARAMETERS };

static hop_status search_levels(hop__bfs_device *base, hop__scheduler *scheduler) {
    hop_status status;
    const hop__bfs_query *query = &base->task->query;
    bool more = true, reached;
    hop_vertex wanted;
    uint32_t count = 0;
    HOP_TRY(status, hop__scheduler_clear(scheduler));
    HOP_TRY(status, hop__bfs_device_sources(base, scheduler->slots[0], scheduler->control, 0));
    HOP_TRY(status, hop__buffer_read_now(scheduler->control, 0, sizeof count, &count));
    HOP_TRY(status, hop__scheduler_filled(scheduler, 0, count));
    if (query->max_level == 0 || count == 0)
        return HOP_OK;
    HOP_TRY(status, hop__bfs_device_targets(base, &reached, &wanted));
    while (more && !reached) {
        hop__argument arguments[] = {
            hop__arg_buffer(base->rows.offsets), hop__arg_buffer(base->rows.targets),
            hop__arg_buffer(base->levels), hop__arg_u32(wanted), hop__arg_u32(query->max_level)};
        HOP_TRY(status, hop__scheduler_run(scheduler, "persist", arguments, HOP_LENGTH(arguments)));
        more = false;
        if (wanted != HOP_NO_VERTEX && scheduler->stage + 1 < query->max_level) {
            HOP_TRY(status, hop__bfs_device_targets(base, &reached, &wanted));
            if (!reached)
                HOP_TRY(status, hop__scheduler_advance(scheduler, &more));
        }
    }
    base->task->rounds = (uint64_t)scheduler->stage + 1;
done:
    return status;
}

static hop__schedule schedule_of(const hop__bfs_task *task, const hop__device *device) {
    hop__schedule schedule = hop__schedule_of(task->values);
    schedule.staged = true;
    schedule.of[0].capacity = task->query.graph->vertices +
                              hop__schedule_items(hop__device_info(device), &schedule,
                                                  (uint32_t)task->values[HOP__SCHEDULE_FORM]);
    return schedule;
}

static void persistent_blocks(const void *given, hop__workspace *space) {
    const hop__bfs_task *task = given;
    hop__schedule schedule = schedule_of(task, space->device);
    uint64_t queue = schedule.of[0].capacity * 4;
    uint64_t items = schedule.of[0].capacity - task->query.graph->vertices;
    hop__bfs_device_blocks(space, task, false);
    hop__block_reserve(space, HOP__MEMORY_DEVICE, "scheduler: queue", queue);
    hop__block_reserve(space, HOP__MEMORY_DEVICE, "scheduler: work-items",
                       hop__schedule_memory(&schedule, items) - queue);
}

static hop_status persistent_run(hop_context *context, hop__bfs_task *task) {
    hop_status status;
    hop__device *device;
    hop__bfs_device base = {0};
    hop__scheduler scheduler = {0};
    hop__schedule_counter counters[HOP__SCHEDULE_COUNTERS];
    hop__define defines[HOP__SCHEDULE_DEFINES + 1];
    if (task->query.graph->vertices == 0)
        return HOP_OK;
    HOP_TRY(status, hop__device_of(context, &device));
    hop__schedule schedule = schedule_of(task, device);
    hop__schedule_defines(&schedule, defines);
    defines[HOP__SCHEDULE_DEFINES] = (hop__define){"SKIP_LEAVES", task->values[LEAVES] != 0};
    hop__bfs_device_plan plan = {.phase = "bfs: persistent",
                                 .program = &hop__program_bfs_persistent,
                                 .defines = defines,
                                 .define_count = HOP_LENGTH(defines),
                                 .blocks = persistent_blocks,
                                 .form = task->values + HOP__SCHEDULE_FORM};
    HOP_TRY(status, hop__bfs_device_begin(context, task, &plan, &base));
    HOP_TRY(status, hop__scheduler_begin(base.device, &base.sweeper.form, &schedule,
                                         base.sweeper.program, &scheduler));
    HOP_TRY(status, search_levels(&base, &scheduler));
    base.sweeper.launches += scheduler.counts.launches;
    HOP_TRY(status, hop__bfs_device_finish(&base));
    task->relaxations = scheduler.counts.steps;
    for (size_t i = 0, count = hop__scheduler_counters(&scheduler, counters); i < count; i++)
        hop__count(context, counters[i].name, counters[i].value);
done:
    hop__scheduler_end(&scheduler, status);
    hop__bfs_device_end(&base, status);
    return status;
}

static bool persistent_refuse(const void *task, const hop_device_info *device,
                              char reason[HOP__REASON]) {
    (void)task;
    return hop__schedule_refuse(device, reason, HOP__REASON);
}

static const hop_parameter parameters[PARAMETERS] = {
    HOP__SCHEDULE_ROWS(8),
    [LEAVES] = {.name = "leaves",
                .summary = "early leaf detection: vertices without arcs out are not queued",
                .type = HOP_PARAMETER_FLAG,
                .maximum = 1,
                .standard = 1},
};

const hop__bfs_variant hop__bfs_device_persistent = {
    .row = {.about = {.name = "persistent",
                      .summary = "work-groups that stay, on one retry-free queue of vertices",
                      .source = "Troendle 2019, chapters 4 and 5",
                      .place = HOP_PLACE_DEVICE,
                      .uses = HOP_PREPARE_DEVICE,
                      HOP__PARAMETERS(parameters)},
            .refuse_device = persistent_refuse,
            .copy = hop__bfs_device_copy,
            .blocks = persistent_blocks},
    .run = persistent_run,
};
