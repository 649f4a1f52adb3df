/* SPDX-License-Identifier: Apache-2.0
 *
 * A warp's turn. The items that are at one place run together until one of them branches away, the
 * turn is over, or they come to where others of the warp are. */
#include <string.h>

#include "ptx/ptx_internal.h"

enum { STRAY = 16 }; /* one choice in so many is not the lowest place, unless it is counted */

/* Items that run together. */
typedef struct front {
    uint32_t at;    /* place in the code */
    uint32_t lanes; /* who */
    uint32_t until; /* where others wait to be joined */
} front;

static uint32_t ready_lanes(const ptx_warp *warp) {
    return warp->live & ~warp->waiting;
}

static front choose(const ptx_run *run, const ptx_warp *warp) {
    uint32_t ready = ready_lanes(warp), free = ready & ~warp->held, lane = 0;
    front chosen = {.at = PTX_NONE, .until = PTX_NONE};
    if (!run->machine->options.count && ptx_random(run->machine) % STRAY == 0) {
        do
            lane = ptx_random(run->machine) % PTX_LANES;
        while ((free >> lane & 1) == 0);
        chosen.at = warp->at[lane];
    } else {
        for (lane = 0; lane < PTX_LANES; lane++)
            if ((free >> lane & 1) != 0 && warp->at[lane] < chosen.at)
                chosen.at = warp->at[lane];
    }
    for (lane = 0; lane < PTX_LANES; lane++) {
        if ((ready >> lane & 1) == 0)
            continue;
        if (warp->at[lane] == chosen.at)
            chosen.lanes |= 1u << lane;
        else if (warp->at[lane] > chosen.at && warp->at[lane] < chosen.until)
            chosen.until = warp->at[lane];
    }
    return chosen;
}

static void set_places(ptx_warp *warp, uint32_t lanes, uint32_t at) {
    for (; lanes != 0; lanes &= lanes - 1)
        warp->at[__builtin_ctz(lanes)] = at;
}

/* Where the lanes of a call will go on. */
static void leave_places(const ptx_warp *warp, uint32_t number, uint32_t lanes, uint32_t at) {
    for (; lanes != 0; lanes &= lanes - 1)
        warp->registers[(size_t)number * PTX_LANES + (size_t)__builtin_ctz(lanes)] = at;
}

static void set_mask(uint64_t keep[PTX_LANES], uint32_t lanes) {
    for (int i = 0; i < PTX_LANES; i++)
        keep[i] = 0 - (uint64_t)(lanes >> i & 1);
}

/* The lanes for which the predicate holds. */
static uint32_t allowed(const ptx_warp *warp, const ptx_instruction *what, uint32_t lanes) {
    if (what->predicate == PTX_NONE)
        return lanes;
    const uint64_t *values = warp->registers + (size_t)what->predicate * PTX_LANES;
    uint32_t holds = 0;
    for (int i = 0; i < PTX_LANES; i++)
        holds |= (uint32_t)(values[i] & 1) << i;
    return lanes & (what->negated ? ~holds : holds);
}

static void compute(const ptx_run *run, const ptx_warp *warp, const ptx_instruction *what,
                    const uint64_t keep[PTX_LANES]) {
    uint64_t *registers = warp->registers;
    const ptx_values values = {.d = registers + (size_t)what->d * PTX_LANES,
                               .a = registers + (size_t)what->a * PTX_LANES,
                               .b = registers + (size_t)what->b * PTX_LANES,
                               .c = registers + (size_t)what->c * PTX_LANES,
                               .e = registers + (size_t)what->e * PTX_LANES,
                               .keep = keep,
                               .wide = what->wide};
    if (what->kind == PTX_COMPUTE) {
        what->run(&values);
        return;
    }
    uint64_t now = ++run->machine->clock & what->wide;
    for (int i = 0; i < PTX_LANES; i++)
        values.d[i] = (now & keep[i]) | (values.d[i] & ~keep[i]);
}

void ptx_barrier_open(const ptx_run *run, ptx_group *group) {
    if (group->arrived == 0 || group->arrived < group->live)
        return;
    for (uint32_t i = 0; i < run->warps; i++)
        group->warps[i].waiting = 0;
    group->arrived = 0;
    group->epoch++;
    ptx_weak_barrier(group);
    run->kernel->facts.counters.barriers++;
}

/* Items of one group that wait at two barriers at once would go on together on a GPU, each with the
 * other's half of the work undone. */
static bool arrive(const ptx_run *run, ptx_group *group, ptx_warp *warp, const front *now,
                   const ptx_instruction *what) {
    if (group->arrived > 0 && group->barrier_at != now->at - 1) {
        ptx_fail(run->machine, PTX_STUCK,
                 "kernel %s, line %u, group (%u, %u, %u), item %u: a barrier, while others of the "
                 "group wait at the one in line %u",
                 run->kernel->name, what->line, group->id[0], group->id[1], group->id[2],
                 warp->first + (uint32_t)__builtin_ctz(now->lanes),
                 run->kernel->code[group->barrier_at].line);
        return false;
    }
    group->barrier_at = now->at - 1;
    warp->waiting |= now->lanes;
    group->arrived += (uint32_t)__builtin_popcount(now->lanes);
    return true;
}

static bool complain(const ptx_run *run, const ptx_group *group, const ptx_instruction *what,
                     const char *why) {
    ptx_fail(run->machine, PTX_TRAP, "kernel %s, line %u, group (%u, %u, %u): %s",
             run->kernel->name, what->line, group->id[0], group->id[1], group->id[2], why);
    return false;
}

/* Those whose masks are not all here wait for the rest. */
static bool exchange(const ptx_run *run, const ptx_group *group, ptx_warp *warp, front *now,
                     const ptx_instruction *what, uint32_t lanes, bool *together) {
    uint32_t gone = 0;
    if (!ptx_together(run, group, warp, what, lanes, &gone))
        return false;
    uint32_t left = lanes & ~gone;
    warp->held = (warp->held & ~gone) | left;
    set_places(warp, left, now->at - 1);
    now->lanes &= ~left;
    *together = left == 0;
    return true;
}

static void count_memory(ptx_counters *counters, ptx_kind kind, uint32_t lanes) {
    uint64_t items = (uint64_t)__builtin_popcount(lanes);
    if (kind == PTX_LOAD)
        counters->loads += items;
    else if (kind == PTX_STORE)
        counters->stores += items;
    else
        counters->atomics += items;
}

/* An instruction that changes where items are, or who runs. Sets *together to false when the front
 * has to be chosen anew. */
static bool control(const ptx_run *run, ptx_group *group, ptx_warp *warp, front *now,
                    const ptx_instruction *what, uint32_t lanes, bool *together) {
    *together = false;
    switch (what->kind) {
    case PTX_CALL:
        leave_places(warp, what->a, lanes, now->at);
        /* fall through */
    case PTX_BRANCH:
        if (lanes == now->lanes) {
            now->at = what->target;
            *together = now->lanes == ready_lanes(warp);
        } else if (lanes == 0) {
            *together = true;
        } else {
            set_places(warp, now->lanes & ~lanes, now->at);
            set_places(warp, lanes, what->target);
            now->lanes = 0;
        }
        return true;
    case PTX_RETURN:
        set_places(warp, now->lanes & ~lanes, now->at);
        for (uint32_t left = lanes; left != 0; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            warp->at[lane] = (uint32_t)warp->registers[(size_t)what->a * PTX_LANES + lane];
        }
        now->lanes = 0;
        return true;
    case PTX_END:
        warp->live &= ~lanes;
        group->live -= (uint32_t)__builtin_popcount(lanes);
        now->lanes &= ~lanes;
        return true;
    case PTX_BARRIER:
        if (lanes != now->lanes)
            return lanes == 0 || complain(run, group, what, "some items of a warp skip a barrier");
        return arrive(run, group, warp, now, what);
    case PTX_TOGETHER:
        return exchange(run, group, warp, now, what, lanes, together);
    default:
        return lanes == 0 || complain(run, group, what, "trap");
    }
}

/* An instruction that leaves all where they are; `lanes` are not none. */
static bool execute(const ptx_run *run, ptx_group *group, ptx_warp *warp,
                    const ptx_instruction *what, uint32_t lanes, const uint64_t keep[PTX_LANES]) {
    ptx_counters *counters = &run->kernel->facts.counters;
    if (what->kind == PTX_COMPUTE || what->kind == PTX_CLOCK) {
        compute(run, warp, what, keep);
        return true;
    }
    if (what->kind == PTX_FENCE) {
        counters->fences += (uint64_t)__builtin_popcount(lanes);
        if (what->access.strong)
            ptx_weak_fence(group, warp->first, lanes);
        return true;
    }
    count_memory(counters, what->kind, lanes);
    if (run->machine->options.count)
        ptx_count_access(run, warp, what, lanes);
    return ptx_memory(run, group, warp, what, lanes);
}

static bool is_control(ptx_kind kind) {
    return kind >= PTX_BRANCH && kind <= PTX_STOP;
}

/* Where memory is weak, a group may be held up behind an atomic or a fence, with its stores: others
 * overtake it by far. */
static void hold_up(const ptx_run *run, ptx_group *group, ptx_kind kind, uint32_t *steps) {
    enum { ONE_IN = 8, TURNS_MOST = 64 };
    if (!run->machine->options.weak || (kind != PTX_ATOMIC && kind != PTX_FENCE) ||
        ptx_random(run->machine) % ONE_IN != 0)
        return;
    *steps = 0;
    group->held = ptx_random(run->machine) % TURNS_MOST;
}

/* Runs the front until it has to be chosen anew. */
static bool advance(const ptx_run *run, ptx_group *group, ptx_warp *warp, front *now,
                    uint32_t *steps) {
    uint64_t all[PTX_LANES], some[PTX_LANES];
    ptx_counters *counters = &run->kernel->facts.counters;
    uint32_t width = (uint32_t)__builtin_popcount(now->lanes);
    bool together = true;
    set_mask(all, now->lanes);
    while (together && now->at != now->until && *steps > 0) {
        const ptx_instruction *what = &run->kernel->code[now->at++];
        uint32_t lanes = allowed(warp, what, now->lanes);
        --*steps;
        counters->steps++;
        counters->lane_steps += width;
        counters->works[what->work]++;
        counters->lanes[width]++;
        if (is_control(what->kind)) {
            if (!control(run, group, warp, now, what, lanes, &together))
                return false;
            continue;
        }
        if (lanes != now->lanes)
            set_mask(some, lanes);
        if (lanes != 0 && !execute(run, group, warp, what, lanes, lanes != now->lanes ? some : all))
            return false;
        hold_up(run, group, what->kind, steps);
    }
    set_places(warp, now->lanes, now->at);
    return true;
}

ptx_turn ptx_warp_run(const ptx_run *run, ptx_group *group, ptx_warp *warp, uint32_t steps) {
    if (ready_lanes(warp) == 0)
        return PTX_IDLE;
    while (steps > 0 && ready_lanes(warp) != 0) {
        if ((ready_lanes(warp) & ~warp->held) == 0)
            return ptx_together_stuck(run, group, warp) ? PTX_RAN : PTX_FAILED;
        front now = choose(run, warp);
        if (!advance(run, group, warp, &now, &steps))
            return PTX_FAILED;
        ptx_barrier_open(run, group);
    }
    return PTX_RAN;
}
