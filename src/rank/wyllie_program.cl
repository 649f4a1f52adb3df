/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of wyllie on devices; rank_device_wyllie.c says what they do together.
 *
 * A word is links << 32 | last. A tail has itself as last, and 0 links; what leads out of range has
 * itself too, and BAD links, which nobody adds. When the jumps are done, the links of a tail say
 * who claims it: 0 nobody, else the rank of the head + 1. */
#include "kernels/shim.h"

#ifndef WG
#define WG 128
#endif

#define AHEAD 24 /* elements between prefetch and use */
#ifndef IN_PLACE
#define IN_PLACE HOP_ATOMIC64
#endif
#ifndef ADDRESSES
#define ADDRESSES 0
#endif

#define BAD     0xffffffffu
#define NO_RANK 0xffffffffu

/* Words of counters. The first three are of one launch. */
#define COUNTER_JUMPS     0 /* jumps that were made */
#define COUNTER_ADDRESSES 1 /* elements that were read for the first time in this round */
#define COUNTER_RANKED    2 /* elements that were ranked */
#define COUNTER_FAULTS    3 /* not 0: these are no lists */
#define COUNTER_CLAIMED   4 /* elements that the heads claim, two words */

FN u64 word_of(u32 last, u32 links) {
    return (u64)links << 32 | last;
}

/* Adds up over the group; one item adds to the counter. Every item of the group must come here. */
FN void count_up(LOCALP u32 *sums, GLOBAL u32 *counter, u32 mine) {
    sums[local_id()] = mine;
    BARRIER_LOCAL();
    if (local_id() == 0) {
        u32 sum = 0;
        for (u32 i = 0; i < WG; i++)
            sum += sums[i];
        if (sum > 0)
            atomic_add_u32(counter, sum);
    }
    BARRIER_LOCAL();
}

KERNEL_WG(WG)
void pack(GLOBAL const u32 *RESTRICT successors, GLOBAL u64 *RESTRICT words, u32 elements,
          u64 first, u64 count) {
    FOR_WORK(i, count) {
        u32 at = (u32)(first + i), next = successors[first + i];
        words[first + i] = next < elements ? word_of(next, next != at) : word_of(at, BAD);
    }
}

/* Others may change it meanwhile. */
FN u64 word_at(GLOBAL const u64 *words, u64 i) {
#if IN_PLACE
    return relaxed_load_u64(words + i);
#else
    return words[i];
#endif
}

/* One jump of the elements [first, first + count). IN_PLACE: `to` is `from`, a word may have been
 * changed in this round already, and then the jump is longer and as true; for devices whose 64-bit
 * accesses do not tear. Else the round goes from one array to the other. */
KERNEL_WG(WG)
void jump(GLOBAL const u64 *from, GLOBAL u64 *to, GLOBAL u32 *seen, GLOBAL u32 *counters, u64 first,
          u64 count) {
    LOCALV u32 sums[WG];
    u32 jumps = 0, addresses = 0;
    FOR_WORK(i, count) {
#if WORK_CHUNKED
        if (i + AHEAD < i_end)
            PREFETCH_READ(from + (u32)word_at(from, first + i + AHEAD));
#endif
        u64 word = word_at(from, first + i), there = word_at(from, (u32)word);
#if ADDRESSES
        u32 bit = 1u << ((u32)word & 31);
        addresses += (atomic_or_u32(seen + ((u32)word >> 5), bit) & bit) == 0;
#endif
        u32 jumping = (u32)there != (u32)word; /* else it is a tail */
        if (jumping)
            word = word_of((u32)there, (u32)(word >> 32) + (u32)(there >> 32));
        jumps += jumping;
#if IN_PLACE
        if (jumping)
            relaxed_store_u64(to + first + i, word);
#else
        to[first + i] = word;
#endif
    }
    count_up(sums, counters + COUNTER_JUMPS, jumps);
    if (ADDRESSES)
        count_up(sums, counters + COUNTER_ADDRESSES, addresses);
}

/* Each head claims its tail. `halves` are the words, low half first. */
KERNEL_WG(WG)
void claim(GLOBAL const u32 *given, GLOBAL u32 *halves, GLOBAL u32 *counters, u32 elements,
           u64 first, u64 count) {
    FOR_WORK(k, count) {
        u32 head = given[first + k], last = halves[2 * (u64)head];
        /* A head that is a tail itself may be claimed already; the swap finds that. */
        u32 rank = last == head ? 0 : halves[2 * (u64)head + 1];
        /* Links around a cycle may come to 0 modulo 2^32, but its elements do not end there. */
        u32 fault = rank >= elements || halves[2 * (u64)last] != last;
        if (!fault)
            fault = atomic_cas_u32(halves + 2 * (u64)last + 1, 0, rank + 1) != 0;
        if (fault)
            relaxed_store_u32(counters + COUNTER_FAULTS, 1);
        u32 low = atomic_add_u32(counters + COUNTER_CLAIMED, rank + 1);
        if (low + (rank + 1) < low)
            atomic_add_u32(counters + COUNTER_CLAIMED + 1, 1);
    }
}

/* The ranks of the elements [first, first + count): those with a claimed tail that are not before
 * its head. */
KERNEL_WG(WG)
void extract(GLOBAL const u64 *RESTRICT words, GLOBAL u32 *RESTRICT ranks, GLOBAL u32 *counters,
             u64 first, u64 count) {
    LOCALV u32 sums[WG];
    u32 ranked = 0;
    FOR_WORK(i, count) {
        u64 word = words[first + i];
        u32 last = (u32)word, claimed = (u32)(words[last] >> 32);
        u32 rank = last == (u32)(first + i) ? 0 : (u32)(word >> 32);
        u32 on_list = claimed != BAD && rank < claimed;
        ranks[first + i] = on_list ? rank : NO_RANK;
        ranked += on_list;
    }
    count_up(sums, counters + COUNTER_RANKED, ranked);
}
