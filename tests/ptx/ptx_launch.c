/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch: groups are begun in order, some of them are resident, and the warps of all of those
 * take turns until every group has ended. */
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx_internal.h"

enum { TURN_MOST = 256, RUBBISH = 0xa5, GRID_MOST = 65535 };

static void *must(void *memory) {
    if (memory == NULL)
        abort();
    return memory;
}

static bool group_allocate(const ptx_run *run, ptx_group *group) {
    const ptx_kernel *kernel = run->kernel;
    group->machine = run->machine;
    group->warps = must(calloc(run->warps, sizeof *group->warps));
    group->shared = must(aligned_alloc(64, (kernel->facts.shared_bytes + 127) / 64 * 64));
    if (run->machine->options.races)
        group->shadow = must(calloc(kernel->facts.shared_bytes / 4 + 2, sizeof *group->shadow));
    for (uint32_t i = 0; i < run->warps; i++) {
        ptx_warp *warp = &group->warps[i];
        warp->first = i * PTX_LANES;
        warp->registers = must(aligned_alloc(64, (size_t)kernel->register_count * PTX_LANES *
                                                     sizeof *warp->registers));
        warp->local = must(malloc((size_t)kernel->facts.local_bytes * PTX_LANES + 1));
    }
    return true;
}

static void group_release(const ptx_run *run, ptx_group *group) {
    for (uint32_t i = 0; i < run->warps; i++) {
        free(group->warps[i].registers);
        free(group->warps[i].local);
    }
    free(group->warps);
    free(group->shared);
    free(group->shadow);
    ptx_weak_end(group);
    free(group->pending);
}

/* What is the same in all lanes of a warp. */
static void set_special(const ptx_run *run, ptx_warp *warp, int which, uint64_t value) {
    uint32_t number = run->kernel->specials[which];
    if (number != PTX_NONE)
        for (int i = 0; i < PTX_LANES; i++)
            warp->registers[(size_t)number * PTX_LANES + (size_t)i] = value;
}

static void set_lane(const ptx_run *run, ptx_warp *warp, int which, uint32_t lane, uint64_t value) {
    uint32_t number = run->kernel->specials[which];
    if (number != PTX_NONE)
        warp->registers[(size_t)number * PTX_LANES + lane] = value;
}

static void set_specials(const ptx_run *run, const ptx_group *group, ptx_warp *warp) {
    const uint32_t *size = run->group;
    for (int i = 0; i < 3; i++) {
        set_special(run, warp, PTX_NTID + i, size[i]);
        set_special(run, warp, PTX_CTAID + i, group->id[i]);
        set_special(run, warp, PTX_NCTAID + i, run->groups[i]);
    }
    set_special(run, warp, PTX_WARPID, warp->first / PTX_LANES);
    set_special(run, warp, PTX_NWARPID, run->warps);
    set_special(run, warp, PTX_SMID, 0);
    set_special(run, warp, PTX_NSMID, 1);
    set_special(run, warp, PTX_GRIDID, run->kernel->facts.counters.launches);
    set_special(run, warp, PTX_WARP_SIZE, PTX_LANES);
    for (uint32_t lane = 0; lane < PTX_LANES; lane++) {
        uint32_t item = warp->first + lane, bit = 1u << lane;
        set_lane(run, warp, PTX_TID, lane, item % size[0]);
        set_lane(run, warp, PTX_TID + 1, lane, item / size[0] % size[1]);
        set_lane(run, warp, PTX_TID + 2, lane, item / size[0] / size[1]);
        set_lane(run, warp, PTX_LANEID, lane, lane);
        set_lane(run, warp, PTX_LANEMASK_EQ, lane, bit);
        set_lane(run, warp, PTX_LANEMASK_LT, lane, bit - 1);
        set_lane(run, warp, PTX_LANEMASK_LE, lane, (bit - 1) | bit);
        set_lane(run, warp, PTX_LANEMASK_GT, lane, ~((bit - 1) | bit));
        set_lane(run, warp, PTX_LANEMASK_GE, lane, ~(bit - 1));
    }
}

static void warp_start(const ptx_run *run, const ptx_group *group, ptx_warp *warp) {
    const ptx_kernel *kernel = run->kernel;
    uint32_t left = run->items - warp->first;
    warp->live = left >= PTX_LANES ? ~0u : (1u << left) - 1;
    warp->waiting = 0;
    warp->held = 0;
    memset(warp->at, 0, sizeof warp->at);
    memset(warp->local, RUBBISH, (size_t)kernel->facts.local_bytes * PTX_LANES);
    for (uint32_t r = 0; r < kernel->register_count; r++) {
        const ptx_register *about = &kernel->registers[r];
        uint64_t value = 0xa5a5a5a5a5a5a5a5ull;
        if (about->bits == 0)
            value = about->value;
        else if (about->bits < 64)
            value &= (1ull << about->bits) - 1;
        for (int i = 0; i < PTX_LANES; i++)
            warp->registers[(size_t)r * PTX_LANES + (size_t)i] = value;
    }
    set_specials(run, group, warp);
}

static void group_start(const ptx_run *run, ptx_group *group, uint64_t number) {
    const struct ptx_facts *facts = &run->kernel->facts;
    group->id[0] = (uint32_t)(number % run->groups[0]);
    group->id[1] = (uint32_t)(number / run->groups[0] % run->groups[1]);
    group->id[2] = (uint32_t)(number / run->groups[0] / run->groups[1]);
    ptx_weak_end(group); /* of the one that was there before */
    group->live = run->items;
    group->arrived = 0;
    group->epoch = 1;
    group->held = 0;
    group->running = true;
    memset(group->shared, RUBBISH, facts->shared_bytes);
    if (group->shadow != NULL)
        memset(group->shadow, 0, (facts->shared_bytes / 4 + 2) * sizeof *group->shadow);
    for (uint32_t i = 0; i < run->warps; i++)
        warp_start(run, group, &group->warps[i]);
}

/* Every warp of the group once, beginning anywhere. */
static ptx_turn group_turn(const ptx_run *run, ptx_group *group) {
    uint32_t first = ptx_random(run->machine) % run->warps;
    ptx_turn turn = PTX_IDLE;
    for (uint32_t i = 0; i < run->warps; i++) {
        ptx_warp *warp = &group->warps[(first + i) % run->warps];
        uint32_t steps = 1 + ptx_random(run->machine) % TURN_MOST;
        ptx_turn one = ptx_warp_run(run, group, warp, steps);
        if (one == PTX_FAILED)
            return PTX_FAILED;
        if (one == PTX_RAN)
            turn = PTX_RAN;
    }
    /* The last items may have ended while the others wait. */
    if (group->arrived > 0 && group->arrived == group->live) {
        ptx_barrier_open(run, group);
        turn = PTX_RAN;
    }
    return turn;
}

static ptx_error stuck(const ptx_run *run, const ptx_group *group) {
    return ptx_fail(run->machine, PTX_STUCK,
                    "kernel %s, line %u, group (%u, %u, %u): %u of %u items wait at a barrier that "
                    "the others do not come to",
                    run->kernel->name, run->kernel->code[group->barrier_at].line, group->id[0],
                    group->id[1], group->id[2], group->arrived, group->live);
}

static ptx_error run_groups(const ptx_run *run, ptx_group *groups, uint32_t resident,
                            uint64_t count) {
    uint64_t started = 0, ended = 0;
    for (uint32_t i = 0; i < resident; i++)
        group_start(run, &groups[i], started++);
    while (ended < count) {
        uint32_t first = ptx_random(run->machine) % resident;
        for (uint32_t i = 0; i < resident; i++) {
            ptx_group *group = &groups[(first + i) % resident];
            if (group->held > 0) {
                group->held--;
                continue;
            }
            ptx_weak_turn(run, group);
            if (!group->running)
                continue;
            ptx_turn turn = group_turn(run, group);
            if (turn == PTX_FAILED)
                return run->machine->error;
            if (group->live == 0) {
                ended++;
                group->running = false;
                if (started < count)
                    group_start(run, group, started++);
            } else if (turn == PTX_IDLE) {
                return stuck(run, group);
            }
        }
    }
    return PTX_OK;
}

static ptx_error check_shape(ptx_machine *machine, const ptx_run *run) {
    uint64_t items = (uint64_t)run->group[0] * run->group[1] * run->group[2];
    for (int i = 0; i < 3; i++)
        if (run->groups[i] == 0 || run->group[i] == 0 || (i > 0 && run->groups[i] > GRID_MOST) ||
            run->groups[i] > INT32_MAX)
            return ptx_fail(machine, PTX_BAD_VALUE, "kernel %s: a launch of %u groups of %u items",
                            run->kernel->name, run->groups[i], run->group[i]);
    if (items > run->kernel->facts.group_most)
        return ptx_fail(machine, PTX_BAD_VALUE, "kernel %s: groups of %u items, %u at most",
                        run->kernel->name, (unsigned)items, run->kernel->facts.group_most);
    return PTX_OK;
}

ptx_error ptx_launch(ptx_machine *machine, ptx_kernel *kernel, const uint32_t groups[3],
                     const uint32_t group[3], const void *parameters) {
    ptx_run run = {.machine = machine, .kernel = kernel, .parameters = parameters};
    memcpy(run.groups, groups, sizeof run.groups);
    memcpy(run.group, group, sizeof run.group);
    ptx_error error = check_shape(machine, &run);
    if (error != PTX_OK)
        return error;
    uint64_t count = (uint64_t)groups[0] * groups[1] * groups[2];
    uint32_t resident = machine->options.resident > 0 ? machine->options.resident : 1;
    if (resident > count)
        resident = (uint32_t)count;
    run.items = group[0] * group[1] * group[2];
    run.warps = (run.items + PTX_LANES - 1) / PTX_LANES;
    if (machine->options.weak)
        ptx_weak_mark(kernel);
    kernel->facts.counters.launches++;
    kernel->facts.counters.groups += count;
    ptx_group *all = must(calloc(resident, sizeof *all));
    for (uint32_t i = 0; i < resident; i++)
        group_allocate(&run, &all[i]);
    machine->launches++;
    error = run_groups(&run, all, resident, count);
    ptx_count_end(&run);
    for (uint32_t i = 0; i < resident; i++)
        group_release(&run, &all[i]);
    free(all);
    return error;
}
