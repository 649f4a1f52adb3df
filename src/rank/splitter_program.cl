/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of splitter and splitter48 on devices. rank_device_splitter.c says what they do together;
 * D0's names for them: clear is RS1, split RS2, walk RS3, link RS4, rank RS5.
 *
 * Each element has a cell, which says on whose sublist it is (owner) and how many links it is from
 * that one's splitter. In which form, by -D:
 *
 *   OWNER16  SEPARATE  successors         cells                               owners
 *   0        0         as given; ranks    FREE32 << 32 | successor, later     -
 *                                         links << 32 | owner
 *   0        1         as given; ranks    all ones, later as above            -
 *   1        0         = cells            successor, later MARK | links;      FREE16, later owner
 *                                         ranks
 *   1        1         as given           later links; ranks                  FREE16, later owner
 *
 * SEPARATE is D0's form. Without it, the successor stands in the cell until it is walked over: an
 * element costs one random line less. That hangs on a cell being read whole: OWNER16 0 without
 * SEPARATE is for devices whose 64-bit accesses do not tear.
 *
 * WALKS is the number of sublists that an item walks at the same time: on a processor, what hides
 * the latency of its memory; on a GPU, one. WALK_WG is the group size of walk. */
#include "kernels/kiss.h"
#include "kernels/shim.h"

#ifndef WG
#define WG 128
#endif
#ifndef OWNER16
#define OWNER16 0
#endif
#ifndef SEPARATE
#define SEPARATE 0
#endif
#ifndef WALKS
#define WALKS (HOP_CPU ? 24 : 1)
#endif
#ifndef WALK_WG
#define WALK_WG WG
#endif

#define FREE16  0xffffu
#define FREE32  0xffffffffu
#define MARK    0x80000000u
#define NO_RANK 0xffffffffu

/* What stands in nexts beside numbers of sublists; the host has the same. */
#define NEXT_TAIL    0xfffffffeu /* it ends with a tail */
#define NEXT_NOWHERE 0xffffffffu /* it leads out of range or back to itself, or is no sublist */
#define NEXT_MET     0xfffffffdu /* it leads into another sublist */

/* Words of counters. */
#define COUNTER_TICKET 0 /* the next sublist to be walked */
#define COUNTER_ACTIVE 1 /* walks that are not at their end */
#define COUNTER_STEPS  2 /* elements that were walked over by this launch */
#define COUNTER_FAULTS 3 /* not 0: these are no lists, or walks have met */
#define COUNTER_WORK   4 /* not 0: the last round of link had something to do */

#if OWNER16
typedef u32 cell;
#else
typedef u64 cell;
#endif

FN u64 pack(u32 owner, u32 links) {
    return (u64)links << 32 | owner;
}

/* --- cells ----------------------------------------------------------------------------------- */

/* Whether nobody has been at element j; then *next is its successor. Else *owner is whose it is;
 * with OWNER16 only a splitter's is sure to be written yet. */
FN u32 cell_free(GLOBAL const u32 *successors, GLOBAL const cell *cells, GLOBAL const u16 *owners,
                 u32 j, u32 *next, u32 *owner) {
#if OWNER16 && SEPARATE
    *owner = relaxed_load_u16(owners + j);
    *next = successors[j];
    return *owner == FREE16;
#elif OWNER16
    *next = relaxed_load_u32(cells + j);
    if ((*next & MARK) == 0)
        return 1;
    *owner = relaxed_load_u16(owners + j);
    return 0;
#else
    u64 word = relaxed_load_u64(cells + j);
    *owner = (u32)word;
#if SEPARATE
    *next = successors[j];
    return word == ~(u64)0;
#else
    *next = (u32)word;
    return (u32)(word >> 32) == FREE32;
#endif
#endif
}

FN void cell_take(GLOBAL cell *cells, GLOBAL u16 *owners, u32 j, u32 owner, u32 links) {
#if OWNER16
    relaxed_store_u16(owners + j, (u16)owner);
    relaxed_store_u32(cells + j, SEPARATE ? links : MARK | links);
#else
    relaxed_store_u64(cells + j, pack(owner, links));
#endif
}

/* Element j is looked at soon. */
FN void prefetch_cell(GLOBAL const u32 *successors, GLOBAL const cell *cells,
                      GLOBAL const u16 *owners, u32 j) {
    PREFETCH(cells + j);
#if OWNER16
    PREFETCH(owners + j);
#endif
#if SEPARATE
    PREFETCH_READ(successors + j);
#endif
}

/* After the walks: the owner and the links of element j; false when nobody was there. */
FN u32 cell_read(GLOBAL const cell *cells, GLOBAL const u16 *owners, u64 j, u32 *owner,
                 u32 *links) {
#if OWNER16
    *owner = owners[j];
    *links = SEPARATE ? cells[j] : cells[j] & ~MARK;
    return *owner != FREE16;
#else
    u64 word = cells[j];
    *owner = (u32)word;
    *links = (u32)(word >> 32);
    return *links != FREE32;
#endif
}

/* --- RS1 ------------------------------------------------------------------------------------- */

/* Nobody has been at the elements [first, first + count). OWNER16 without SEPARATE: the cells may
 * be the successors themselves, and what is out of range must not look like a mark. */
KERNEL_WG(WG)
void clear(GLOBAL const u32 *successors, GLOBAL cell *cells, GLOBAL u16 *owners, u32 elements,
           u64 first, u64 count) {
    FOR_WORK(i, count) {
#if OWNER16
        owners[first + i] = (u16)FREE16;
#if !SEPARATE
        u32 next = successors[first + i];
        cells[first + i] = next < elements ? next : MARK - 1;
#endif
#elif SEPARATE
        cells[first + i] = ~(u64)0;
#else
        cells[first + i] = (u64)FREE32 << 32 | successors[first + i];
#endif
    }
}

/* --- RS2 ------------------------------------------------------------------------------------- */

/* Makes element e, whose successor is `next`, the splitter of sublist k. */
FN void add_splitter(GLOBAL cell *cells, GLOBAL u16 *owners, GLOBAL u32 *splitters,
                     GLOBAL u32 *starts, u32 e, u32 k, u32 next) {
    splitters[k] = e;
    starts[k] = next;
    cell_take(cells, owners, e, k, 0);
}

/* The heads are splitters 0, 1, ... in their order. One that is given twice is found by
 * heads_check.
 */
KERNEL_WG(WG)
void heads(GLOBAL const u32 *given, GLOBAL const u32 *successors, GLOBAL cell *cells,
           GLOBAL u16 *owners, GLOBAL u32 *splitters, GLOBAL u32 *starts, u64 first, u64 count) {
    FOR_WORK(i, count) {
        u32 k = (u32)(first + i), next, owner;
        cell_free(successors, cells, owners, given[k], &next, &owner);
        add_splitter(cells, owners, splitters, starts, given[k], k, next);
    }
}

KERNEL_WG(WG)
void heads_check(GLOBAL const u32 *given, GLOBAL const cell *cells, GLOBAL const u16 *owners,
                 GLOBAL u32 *counters, u64 first, u64 count) {
    FOR_WORK(i, count) {
        u32 k = (u32)(first + i), owner, links;
        cell_read(cells, owners, given[k], &owner, &links);
        if (owner != k)
            relaxed_store_u32(counters + COUNTER_FAULTS, 1);
    }
}

/* A random element of each of the parts [first, first + count), of `parts` even ones, is the
 * splitter of sublist number part + shift; there is none where it is a head already. */
KERNEL_WG(WG)
void split(GLOBAL const u32 *successors, GLOBAL cell *cells, GLOBAL u16 *owners,
           GLOBAL u32 *splitters, GLOBAL u32 *starts, u32 elements, u32 seed, u32 parts, u32 shift,
           u64 first, u64 count) {
    FOR_WORK(i, count) {
        u32 part = (u32)(first + i), next, owner;
        u64 begin = (u64)elements * part / parts;
        u64 end = (u64)elements * ((u64)part + 1) / parts;
        kiss state = kiss_seed(seed, part);
        u32 e = (u32)begin + kiss_below(&state, (u32)(end - begin));
        if (cell_free(successors, cells, owners, e, &next, &owner)) {
            add_splitter(cells, owners, splitters, starts, e, part + shift, next);
        } else {
            splitters[part + shift] = NO_RANK;
            starts[part + shift] = NO_RANK;
        }
    }
}

/* --- RS3 ------------------------------------------------------------------------------------- */

/* Takes sublists until one has a second element: its number, and that element in *at; NO_RANK when
 * there are no more. */
FN u32 begin_walk(GLOBAL const u32 *splitters, GLOBAL const u32 *starts, GLOBAL u32 *nexts,
                  GLOBAL u32 *lengths, GLOBAL u32 *tails, GLOBAL u32 *counters, u32 elements,
                  u32 sublists, u32 *at) {
    for (;;) {
        /* Idle items come here in every launch: adding each time would turn the counter round. */
        if (relaxed_load_u32(counters + COUNTER_TICKET) >= sublists)
            return NO_RANK;
        u32 k = atomic_add_u32(counters + COUNTER_TICKET, 1);
        if (k >= sublists)
            return NO_RANK;
        u32 start = starts[k];
        if (start < elements && start != splitters[k]) {
            *at = start;
            return k;
        }
        nexts[k] = start < elements ? NEXT_TAIL : NEXT_NOWHERE;
        lengths[k] = 0;
        tails[k] = start;
    }
}

/* Walks on, at most about `steps` elements per item; what is under way is kept in slots: for each
 * of an item's walks the sublist (NO_RANK: none), the element to be looked at next and the links to
 * it. Relaunched until COUNTER_ACTIVE stays 0. */
KERNEL_WG(WALK_WG)
void walk(GLOBAL const u32 *successors, GLOBAL cell *cells, GLOBAL u16 *owners,
          GLOBAL const u32 *splitters, GLOBAL const u32 *starts, GLOBAL u32 *nexts,
          GLOBAL u32 *lengths, GLOBAL u32 *tails, GLOBAL u32 *slots, GLOBAL u32 *counters,
          u32 elements, u32 sublists, u32 steps) {
    u32 sublist[WALKS], at[WALKS], links[WALKS];
    u32 active = 0, done = 0;
    for (u32 w = 0; w < WALKS; w++) {
        GLOBAL u32 *slot = slots + 3 * ((u64)w * item_count() + item_id());
        sublist[w] = slot[0];
        at[w] = slot[1];
        links[w] = slot[2];
        if (sublist[w] == NO_RANK) {
            sublist[w] = begin_walk(splitters, starts, nexts, lengths, tails, counters, elements,
                                    sublists, &at[w]);
            links[w] = 1;
        }
        active += sublist[w] != NO_RANK;
    }
    while (active > 0 && done < steps) {
        for (u32 w = 0; w < WALKS; w++) {
            u32 k = sublist[w], j = at[w], next, owner, end;
            if (k == NO_RANK)
                continue;
            if (cell_free(successors, cells, owners, j, &next, &owner)) {
                cell_take(cells, owners, j, k, links[w]);
                done++;
                if (next != j && next < elements) {
                    prefetch_cell(successors, cells, owners, next);
                    at[w] = next;
                    links[w]++;
                    continue;
                }
                end = next == j ? NEXT_TAIL : NEXT_NOWHERE;
            } else if (owner < sublists && splitters[owner] == j) {
                end = owner;
            } else {
                end = owner == k ? NEXT_NOWHERE : NEXT_MET;
            }
            nexts[k] = end;
            lengths[k] = links[w];
            tails[k] = j;
            sublist[w] = begin_walk(splitters, starts, nexts, lengths, tails, counters, elements,
                                    sublists, &at[w]);
            links[w] = 1;
            active -= sublist[w] == NO_RANK;
        }
    }
    for (u32 w = 0; w < WALKS; w++) {
        GLOBAL u32 *slot = slots + 3 * ((u64)w * item_count() + item_id());
        slot[0] = sublist[w];
        slot[1] = at[w];
        slot[2] = links[w];
    }
    if (active > 0)
        atomic_add_u32(counters + COUNTER_ACTIVE, active);
    if (done > 0)
        atomic_add_u32(counters + COUNTER_STEPS, done);
}

/* --- RS4 ------------------------------------------------------------------------------------- */

/* Makes the list of splitters: links << 32 | sublist that they lead to; one that leads to no other
 * sublist leads to itself, with 0 links. `entries` was 0 and counts who leads where. */
KERNEL_WG(WG)
void link_begin(GLOBAL const cell *cells, GLOBAL const u16 *owners, GLOBAL const u32 *nexts,
                GLOBAL const u32 *lengths, GLOBAL const u32 *tails, GLOBAL u64 *jumps,
                GLOBAL u32 *entries, GLOBAL u32 *counters, u32 sublists, u64 first, u64 count) {
    u32 fault = 0;
    FOR_WORK(i, count) {
        u32 k = (u32)(first + i), next = nexts[k], owner, links;
        jumps[k] = next < sublists ? pack(next, lengths[k]) : pack(k, 0);
        if (next < sublists)
            fault |= atomic_add_u32(entries + next, 1) > 0;
        if (next == NEXT_TAIL)
            fault |= !cell_read(cells, owners, tails[k], &owner, &links) || owner != k ||
                     links != lengths[k];
        fault |= next == NEXT_MET;
    }
    if (fault)
        relaxed_store_u32(counters + COUNTER_FAULTS, 1);
}

/* One jump of sublist k; whether there was one to make. */
FN u32 link_jump(GLOBAL const u64 *from, GLOBAL u64 *to, u32 k) {
    u64 word = from[k], there = from[(u32)word];
    u32 jump = (u32)there != (u32)word;
    to[k] = jump ? pack((u32)there, (u32)(word >> 32) + (u32)(there >> 32)) : word;
    return jump;
}

/* At most `rounds` rounds of pointer jumping by one group, from jumps to others and back: `rounds`
 * is even, and when it ends earlier both are the same. D0's listing 5.9 has barriers in a branch
 * that not all items take, and each item stops by its own count; here all come to each barrier, and
 * stop together. */
KERNEL_WG(WG)
void link(GLOBAL u64 *jumps, GLOBAL u64 *others, GLOBAL u32 *counters, u32 sublists, u32 rounds) {
    LOCALV u32 work;
    u32 any = 1;
    for (u32 round = 0; round < rounds && any; round++) {
        u32 mine = 0;
        if (local_id() == 0)
            relaxed_store_local_u32(&work, 0);
        BARRIER_ALL();
        for (u32 k = local_id(); k < sublists; k += WG)
            mine |= link_jump(round % 2 ? others : jumps, round % 2 ? jumps : others, k);
        if (mine)
            relaxed_store_local_u32(&work, 1);
        BARRIER_ALL();
        any = relaxed_load_local_u32(&work);
        BARRIER_LOCAL();
    }
    if (local_id() == 0)
        counters[COUNTER_WORK] = any;
}

/* One round of the same by many groups, for more sublists than one group should have. */
KERNEL_WG(WG)
void link_wide(GLOBAL const u64 *from, GLOBAL u64 *to, GLOBAL u32 *counters, u64 first, u64 count) {
    u32 mine = 0;
    FOR_WORK(i, count) {
        mine |= link_jump(from, to, (u32)(first + i));
    }
    if (mine)
        relaxed_store_u32(counters + COUNTER_WORK, 1);
}

/* Links from the splitter of sublist k to its tail; *last is the sublist of the tail. */
FN u32 splitter_rank(GLOBAL const u64 *jumps, GLOBAL const u32 *lengths, u32 k, u32 *last) {
    u64 word = jumps[k];
    *last = (u32)word;
    return (u32)(word >> 32) + lengths[*last];
}

/* Each head claims its tail: the rank of the head + 1 stands in claims, which was 0. `expected` is
 * the rank that the one head of a whole list must have, or NO_RANK. */
KERNEL_WG(WG)
void link_heads(GLOBAL const u64 *jumps, GLOBAL const u32 *nexts, GLOBAL const u32 *lengths,
                GLOBAL u32 *claims, GLOBAL u32 *counters, u32 elements, u32 expected, u64 first,
                u64 count) {
    FOR_WORK(i, count) {
        u32 last, rank = splitter_rank(jumps, lengths, (u32)(first + i), &last);
        u32 fault = nexts[last] != NEXT_TAIL || rank >= elements ||
                    (expected != NO_RANK && rank != expected) ||
                    atomic_swap_u32(claims + last, rank + 1) != 0;
        if (fault)
            relaxed_store_u32(counters + COUNTER_FAULTS, 1);
    }
}

/* The ranks of the splitters that a head leads to: those with the same tail that are not before it.
 */
KERNEL_WG(WG)
void link_ranks(GLOBAL const u64 *jumps, GLOBAL const u32 *nexts, GLOBAL const u32 *lengths,
                GLOBAL const u32 *claims, GLOBAL u32 *ranks, u64 first, u64 count) {
    FOR_WORK(i, count) {
        u32 k = (u32)(first + i), last, rank = splitter_rank(jumps, lengths, k, &last);
        ranks[k] = nexts[last] == NEXT_TAIL && rank < claims[last] ? rank : NO_RANK;
    }
}

/* --- RS5 ------------------------------------------------------------------------------------- */

/* The ranks of the elements [first, first + count). `out` is an array that is no longer needed: the
 * successors, or with OWNER16 the cells themselves. */
KERNEL_WG(WG)
void rank(GLOBAL const cell *cells, GLOBAL const u16 *owners,
          GLOBAL const u32 *RESTRICT splitter_ranks, GLOBAL u32 *out, u64 first, u64 count) {
    FOR_WORK(i, count) {
        u32 owner, links;
        u32 owned = cell_read(cells, owners, first + i, &owner, &links);
        /* No branch: all owners are numbers of sublists but those of nobody. */
        u32 above = splitter_ranks[owned ? owner : 0];
        out[first + i] = owned && above != NO_RANK ? above - links : NO_RANK;
    }
}

/* D0 5.2.7, listing 5.12: the same with the ranks of splitters read in order. The result is wrong,
 * on purpose: it shows what reading them at random costs. */
KERNEL_WG(WG)
void rank_coalesced(GLOBAL const cell *cells, GLOBAL const u16 *owners,
                    GLOBAL const u32 *RESTRICT splitter_ranks, GLOBAL u32 *out, u32 sublists,
                    u64 first, u64 count) {
    u32 at = item_id() % sublists;
    FOR_WORK(i, count) {
        u32 owner, links;
        u32 owned = cell_read(cells, owners, first + i, &owner, &links);
        u32 above = splitter_ranks[at];
        at = at + 1 < sublists ? at + 1 : 0;
        out[first + i] = owned && above != NO_RANK ? above + owner - links : NO_RANK;
    }
}
