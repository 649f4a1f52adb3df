/* SPDX-License-Identifier: Apache-2.0
 *
 * Litmus tests: what two items of different work-groups see of each other. Each trial has two words
 * of its own, x and y, both 0; one item plays role 0, the other role 1, and what they see is two
 * bits, of which one value is forbidden where each has a fence between its two accesses:
 *
 *   pattern                     role 0                      role 1                      forbidden
 *   message passing             x = 1; fence; y = 1         a = y; fence; b = x         a and not b
 *   store buffering             x = 1; fence; a = y         y = 1; fence; b = x         neither
 *   load buffering              a = x; fence; y = 1         b = y; fence; x = 1         both
 *   coherence                   x = 1                       a = x; b = x                a and not b
 *   message passing by atomics  x += 1; fence; y += 1       a = y, y += 2; fence; b = x a and not b
 *   store buffering by atomics  x |= 1; fence; a = y        y |= 1; fence; b = x        neither
 *
 * The last two are what the scheduler's stages and `speculate` rely on: whoever finds a counter
 * lowered must see what was raised before; and of two that change a word each and then look at the
 * other's, one sees the change.
 *
 * `words` holds x of all trials, from `behind` on y of all, 0 at first; `seen` gets what role 0
 * saw, then what role 1 saw. An item takes `rounds` trials, which are neighbours, with the
 * same item of the group that is `apart` groups away. Before each it looks whether its partner has
 * come to it too, so that they are at it at the same time if they run at the same time. It looks at
 * most `looks` times in all: where they do not, it goes on alone.
 *
 * Tests plant faults: LITMUS_PLANTED 1 leaves the fences out, 2 exchanges the two accesses, as a
 * compiler or a memory without order might. */
#include "kernels/shim.h"

#ifndef WG
#define WG 64
#endif
#ifndef LITMUS_PLANTED
#define LITMUS_PLANTED 0
#endif

#define MESSAGE_PASSING 0
#define STORE_BUFFERING 1
#define LOAD_BUFFERING  2
#define COHERENCE       3
#define MESSAGE_ATOMIC  4
#define STORE_ATOMIC    5

/* `fenced` is a variable here: a compiler does not exchange relaxed accesses in any case. */
#if LITMUS_PLANTED == 2
#define IN_ORDER(first, second)                                                                    \
    second;                                                                                        \
    first
#else
#define IN_ORDER(first, second)                                                                    \
    first;                                                                                         \
    if (fenced != 0 && LITMUS_PLANTED == 0)                                                        \
        FENCE_GLOBAL();                                                                            \
    second
#endif

/* What role 0 sees. */
FN u32 litmus_first(u32 pattern, u32 fenced, GLOBAL u32 *x, GLOBAL u32 *y) {
    u32 a = 0;
    if (pattern == MESSAGE_PASSING) {
        IN_ORDER(relaxed_store_u32(x, 1), relaxed_store_u32(y, 1));
    } else if (pattern == STORE_BUFFERING) {
        IN_ORDER(relaxed_store_u32(x, 1), a = relaxed_load_u32(y));
    } else if (pattern == LOAD_BUFFERING) {
        IN_ORDER(a = relaxed_load_u32(x), relaxed_store_u32(y, 1));
    } else if (pattern == COHERENCE) {
        relaxed_store_u32(x, 1);
    } else if (pattern == MESSAGE_ATOMIC) {
        IN_ORDER(atomic_add_u32(x, 1), atomic_add_u32(y, 1));
    } else {
        IN_ORDER(atomic_or_u32(x, 1), a = relaxed_load_u32(y));
    }
    return a << 1;
}

FN u32 litmus_second(u32 pattern, u32 fenced, GLOBAL u32 *x, GLOBAL u32 *y) {
    u32 a = 0, b = 0;
    if (pattern == MESSAGE_PASSING) {
        IN_ORDER(a = relaxed_load_u32(y), b = relaxed_load_u32(x));
    } else if (pattern == STORE_BUFFERING) {
        IN_ORDER(relaxed_store_u32(y, 1), b = relaxed_load_u32(x));
    } else if (pattern == LOAD_BUFFERING) {
        IN_ORDER(b = relaxed_load_u32(y), relaxed_store_u32(x, 1));
    } else if (pattern == COHERENCE) {
        IN_ORDER(a = relaxed_load_u32(x), b = relaxed_load_u32(x));
    } else if (pattern == MESSAGE_ATOMIC) {
        IN_ORDER(a = atomic_add_u32(y, 2) & 1, b = relaxed_load_u32(x));
    } else {
        IN_ORDER(atomic_or_u32(y, 1), b = relaxed_load_u32(x));
    }
    return a << 1 | b;
}

/* The number of groups is a multiple of 2 * apart. turns[item] is how many rounds it has begun. */
KERNEL_WG(WG)
void litmus(GLOBAL u32 *words, GLOBAL u32 *seen, GLOBAL u32 *turns, u32 pattern, u32 fenced,
            u32 rounds, u32 looks, u32 apart, u32 behind) {
    u32 second = group_id() / apart & 1, item = item_id();
    u32 other = second ? item - apart * WG : item + apart * WG;
    u32 pair = group_id() / (2 * apart) * apart + group_id() % apart;
    u32 begin = (pair * WG + local_id()) * rounds, trials = item_count() / 2 * rounds;
    for (u32 round = 0; round < rounds; round++) {
        GLOBAL u32 *x = words + begin + round, *y = x + behind;
        relaxed_store_u32(&turns[item], round + 1);
        while (looks > 0 && relaxed_load_u32(&turns[other]) <= round)
            looks--;
        if (second)
            seen[trials + begin + round] = litmus_second(pattern, fenced, x, y);
        else
            seen[begin + round] = litmus_first(pattern, fenced, x, y);
    }
}
