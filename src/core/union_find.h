/* SPDX-License-Identifier: Apache-2.0
 *
 * Union-find on an array of parents: a root is its own parent. Parents only ever change to
 * ancestors; so every loop ends, and a reader that misses a change only climbs a longer way. Joins
 * put the larger root below the smaller one. */
#ifndef HOPLITE_CORE_UNION_FIND_H
#define HOPLITE_CORE_UNION_FIND_H

#include "core/atomic.h"

/* The root above v; halves the path to it. Beside other threads. */
static inline uint32_t hop__forest_climb(uint32_t *parents, uint32_t v) {
    uint32_t parent = hop__load_u32(&parents[v]);
    while (parent != v) {
        uint32_t grand = hop__load_u32(&parents[parent]);
        if (grand == parent)
            return parent;
        /* A lost update only loses a short cut: both values are ancestors of v. */
        hop__store_u32(&parents[v], grand);
        v = grand;
        parent = hop__load_u32(&parents[v]);
    }
    return v;
}

/* Joins the trees of u and v. Beside other threads. */
static inline void hop__forest_join(uint32_t *parents, uint32_t u, uint32_t v) {
    for (;;) {
        u = hop__forest_climb(parents, u);
        v = hop__forest_climb(parents, v);
        if (u == v)
            return;
        uint32_t low = u < v ? u : v, high = u < v ? v : u;
        if (hop__replace_u32(&parents[high], high, low))
            return;
    }
}

/* The root above v, for one thread alone in its part of the forest. */
static inline uint32_t hop__forest_climb_alone(uint32_t *parents, uint32_t v) {
    uint32_t parent = parents[v];
    while (parent != v) {
        uint32_t grand = parents[parent];
        if (grand == parent)
            return parent;
        parents[v] = grand;
        v = grand;
        parent = parents[v];
    }
    return v;
}

static inline void hop__forest_join_alone(uint32_t *parents, uint32_t u, uint32_t v) {
    u = hop__forest_climb_alone(parents, u);
    v = hop__forest_climb_alone(parents, v);
    if (u < v)
        parents[v] = u;
    else if (v < u)
        parents[u] = v;
}

#endif
