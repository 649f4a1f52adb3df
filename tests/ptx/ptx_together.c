/* SPDX-License-Identifier: Apache-2.0
 *
 * Votes and shuffles: the items of a mask, which each of them names, come to one instruction and
 * give each other their values. By the manual of PTX an item waits there until all of its mask have
 * come. What it leaves undefined is reported: an item that is not in its own mask, two that name
 * different ones, a mask with an item that has ended or never comes, and a value that is taken from
 * an item outside of the mask. */
#include "ptx/ptx_internal.h"

static bool complain(const ptx_run *run, const ptx_group *group, const ptx_warp *warp,
                     const ptx_instruction *what, uint32_t lane, ptx_error error, const char *why) {
    ptx_fail(run->machine, error, "kernel %s, line %u, group (%u, %u, %u), item %u: %s",
             run->kernel->name, what->line, group->id[0], group->id[1], group->id[2],
             warp->first + lane, why);
    return false;
}

static uint32_t first_of(uint32_t lanes) {
    return (uint32_t)__builtin_ctz(lanes);
}

static uint64_t *register_of(const ptx_warp *warp, uint32_t number) {
    return warp->registers + (size_t)number * PTX_LANES;
}

static void vote(const ptx_warp *warp, const ptx_instruction *what, uint32_t mask) {
    const uint64_t *values = register_of(warp, what->a);
    uint64_t *to = register_of(warp, what->d);
    uint32_t holds = 0;
    for (uint32_t left = mask; left != 0; left &= left - 1)
        holds |= (uint32_t)((values[first_of(left)] & 1) != what->source_negated) << first_of(left);
    uint32_t result = what->exchange == PTX_BALLOT ? holds
                      : what->exchange == PTX_ANY  ? holds != 0
                                                   : holds == mask;
    for (uint32_t left = mask; left != 0; left &= left - 1)
        to[first_of(left)] = result;
}

/* The lane that `lane` takes its value from; *inside says whether it is in the lane's segment,
 * which `limits` has: bits 0 to 4 the last lane, or for up the first, bits 8 to 12 those of the
 * segment. */
static uint32_t source_of(ptx_exchange how, uint32_t lane, uint32_t by, uint32_t limits,
                          bool *inside) {
    uint32_t segment = limits >> 8 & 31, low = lane & segment, from;
    uint32_t end = low | (limits & 31 & ~segment);
    by &= 31;
    switch (how) {
    case PTX_UP:
        from = lane - by;
        *inside = (int32_t)from >= (int32_t)end;
        break;
    case PTX_DOWN:
        from = lane + by;
        *inside = from <= end;
        break;
    case PTX_BUTTERFLY:
        from = lane ^ by;
        *inside = from <= end;
        break;
    default:
        from = low | (by & ~segment);
        *inside = from <= end;
    }
    return *inside ? from : lane;
}

static bool shuffle(const ptx_run *run, const ptx_group *group, const ptx_warp *warp,
                    const ptx_instruction *what, uint32_t mask) {
    const uint64_t *values = register_of(warp, what->a), *by = register_of(warp, what->b);
    const uint64_t *limits = register_of(warp, what->c);
    uint64_t taken[PTX_LANES];
    bool inside[PTX_LANES];
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = first_of(left);
        uint32_t from = source_of(what->exchange, lane, (uint32_t)by[lane], (uint32_t)limits[lane],
                                  &inside[lane]);
        if ((mask >> from & 1) == 0)
            return complain(run, group, warp, what, lane, PTX_TRAP,
                            "a shuffle takes the value of an item outside of its mask");
        taken[lane] = values[from];
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = first_of(left);
        register_of(warp, what->d)[lane] = taken[lane];
        if (what->values[0] != PTX_NONE)
            register_of(warp, what->values[0])[lane] = inside[lane];
    }
    return true;
}

bool ptx_together(const ptx_run *run, const ptx_group *group, const ptx_warp *warp,
                  const ptx_instruction *what, uint32_t lanes, uint32_t *gone) {
    const uint64_t *masks = register_of(warp, what->e);
    for (uint32_t left = lanes; left != 0;) {
        uint32_t lane = first_of(left), mask = (uint32_t)masks[lane], here = mask & lanes;
        if ((mask >> lane & 1) == 0)
            return complain(run, group, warp, what, lane, PTX_TRAP,
                            "an item that is not in its own mask");
        for (uint32_t some = here; some != 0; some &= some - 1)
            if ((uint32_t)masks[first_of(some)] != mask)
                return complain(run, group, warp, what, first_of(some), PTX_TRAP,
                                "its mask is not that of others in it");
        if ((mask & ~warp->live) != 0)
            return complain(run, group, warp, what, lane, PTX_STUCK,
                            "its mask has an item that has ended, or never was");
        if (here == mask) {
            if (what->exchange < PTX_UP)
                vote(warp, what, mask);
            else if (!shuffle(run, group, warp, what, mask))
                return false;
            *gone |= here;
        }
        left &= ~here;
    }
    return true;
}

bool ptx_together_stuck(const ptx_run *run, const ptx_group *group, const ptx_warp *warp) {
    uint32_t lane = first_of(warp->held & warp->live);
    return complain(run, group, warp, &run->kernel->code[warp->at[lane]], lane, PTX_STUCK,
                    "it waits for items of its mask that do not come");
}
