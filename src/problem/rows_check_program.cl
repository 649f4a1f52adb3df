/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the rows of a graph and measures its facts where they are, on the device: what
 * graph_verify.c and graph_facts.c do on the host, with the same sums. Weights are looked at as
 * bits: a device without doubles can do it too.
 *
 * Each group adds what it finds to its own record of FINDINGS words, which begin as 0: sums, and
 * greatest values. (The least is the complement of the greatest complement.) Then `rows_found`, by
 * one group, makes one record of all. A fault sets *faults; which it is, the host finds out. */
#include "kernels/offset.cl"
#include "kernels/shim.h"

#ifndef WG
#define WG 128
#endif
/* 0: there are none; 1: int32; 2: int64; 3: float32; 4: float64. As in device_rows_check.c. */
#ifndef WEIGHTS
#define WEIGHTS 0
#endif
#ifndef UNDIRECTED
#define UNDIRECTED 0
#endif

#if WEIGHTS == 2 || WEIGHTS == 4
#define WEIGHT u64
#define SIGN   ((u64)1 << 63)
#define ABOVE  U64_C(0x7ff0000000000000) /* infinity */
#else
#define WEIGHT u32
#define SIGN   0x80000000u
#define ABOVE  0x7f800000u
#endif
#define ROWS GLOBAL const OFFSET *RESTRICT
#include "kernels/row_of.cl"

/* Sums, then greatest values. */
#define LOOPS        0
#define ISOLATED     1
#define BALANCE      2
#define MOST         3 /* of arcs in a row, above the complement of its number */
#define LEAST        4
#define LOW          5 /* of weights */
#define HIGH         6
#define FINDINGS     7
#define IS_SUM(word) ((word) < MOST)

FN u64 greater(u64 a, u64 b) {
    return a > b ? a : b;
}

/* By all items; item 0 gets what the group has. */
FN u64 group_fold(LOCALP u64 *values, u64 value, u32 is_sum) {
    u32 me = local_id();
    values[me] = value;
    BARRIER_LOCAL();
    for (u32 left = WG; left > 1;) {
        u32 reach = (left + 1) / 2;
        if (me + reach < left)
            values[me] =
                is_sum ? values[me] + values[me + reach] : greater(values[me], values[me + reach]);
        left = reach;
        BARRIER_LOCAL();
    }
    u64 all = values[0];
    BARRIER_LOCAL();
    return all;
}

/* By all items: what they found goes to the group's record. */
FN void record_add(LOCALP u64 *values, const u64 *found, GLOBAL u64 *records) {
    GLOBAL u64 *record = records + (u64)group_id() * FINDINGS;
    for (u32 i = 0; i < FINDINGS; i++) {
        u64 all = group_fold(values, found[i], IS_SUM(i));
        if (local_id() == 0)
            record[i] = IS_SUM(i) ? record[i] + all : greater(record[i], all);
    }
}

/* Vertices [first, first + count): offsets that rise from 0 to `arcs`, and degrees. */
KERNEL_WG(WG)
void rows_check(u64 first, u64 count, ROWS offsets, u64 arcs, GLOBAL u32 *faults,
                GLOBAL u64 *records) {
    LOCALV u64 values[WG];
    u64 found[FINDINGS];
    u32 wrong = 0;
    for (u32 i = 0; i < FINDINGS; i++)
        found[i] = 0;
    FOR_WORK(i, count) {
        u64 v = first + i, begin = offsets[v], end = offsets[v + 1], degree = end - begin;
        wrong |= begin > end || end > arcs || (v == 0 && begin != 0) || degree >> 32 != 0;
        found[ISOLATED] += degree == 0;
        found[MOST] = greater(found[MOST], degree << 32 | (~v & 0xffffffffu));
        found[LEAST] = greater(found[LEAST], ~degree);
    }
    if (wrong)
        atomic_or_u32(faults, 1);
    record_add(values, found, records);
}

/* The weight of an arc as a number whose order is that of weights, with one zero. */
FN u64 weight_bits(GLOBAL const WEIGHT *weights, u64 arc) {
    WEIGHT bits = WEIGHTS == 0 ? 0 : weights[arc];
    return WEIGHTS >= 3 && bits == SIGN ? 0 : bits;
}

FN u64 weight_order(u64 bits) {
    WEIGHT word = (WEIGHT)bits;
    return WEIGHTS >= 3 && (word & SIGN) ? (WEIGHT)~word : (WEIGHT)(word ^ SIGN);
}

FN u64 mix(u64 x) {
    x ^= x >> 32;
    x *= U64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= U64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

/* What the arc adds to a sum that is 0 if each has its partner; see graph_verify.c. */
FN u64 balance_of(u64 u, u64 v, u64 weight) {
    u64 key = u < v ? u << 32 | v : v << 32 | u;
    u64 hash = mix(key ^ weight * U64_C(0x9e3779b97f4a7c15));
    return u < v ? hash : u > v ? 0 - hash : 0;
}

/* Arcs [first, first + count): ends, their order in rows, weights. Offsets are sound, or a fault is
 * known already, and nothing is looked at. */
KERNEL_WG(WG)
void arcs_check(u64 first, u64 count, ROWS offsets, GLOBAL const u32 *RESTRICT targets,
                GLOBAL const WEIGHT *RESTRICT weights, u64 rows, GLOBAL u32 *faults,
                GLOBAL u64 *records) {
    LOCALV u64 values[WG];
    u64 found[FINDINGS], row = 0;
    u32 wrong = 0;
    for (u32 i = 0; i < FINDINGS; i++)
        found[i] = 0;
    if (relaxed_load_u32(faults) != 0)
        count = 0;
    FOR_WORK(i, count) {
        u64 arc = first + i;
        u32 v = targets[arc];
        row = row_of(offsets, row, rows, arc);
        wrong |= v >= rows || (arc > offsets[row] && targets[arc - 1] > v);
        found[LOOPS] += v == row;
        u64 weight = weight_bits(weights, arc), order = weight_order(weight);
        wrong |= WEIGHTS >= 3 && (weight & (SIGN - 1)) > ABOVE;
        found[LOW] = greater(found[LOW], ~order);
        found[HIGH] = greater(found[HIGH], order);
        if (UNDIRECTED)
            found[BALANCE] += balance_of(row, v, weight);
    }
    if (wrong)
        atomic_or_u32(faults, 1);
    record_add(values, found, records);
}

/* One group: `all` gets the findings of so many records, and the faults behind them. */
KERNEL_WG(WG)
void rows_found(GLOBAL const u64 *records, u32 count, GLOBAL const u32 *faults, GLOBAL u64 *all) {
    LOCALV u64 values[WG];
    for (u32 i = 0; i < FINDINGS; i++) {
        u64 found = 0;
        for (u32 k = local_id(); k < count; k += WG) {
            u64 other = records[(u64)k * FINDINGS + i];
            found = IS_SUM(i) ? found + other : greater(found, other);
        }
        found = group_fold(values, found, IS_SUM(i));
        if (local_id() == 0)
            all[i] = found;
    }
    if (local_id() == 0)
        all[FINDINGS] = faults[0];
}
