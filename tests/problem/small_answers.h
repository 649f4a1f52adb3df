/* SPDX-License-Identifier: Apache-2.0
 *
 * Small graphs as matrices, and the canonical answers of all problems for them by brute force: each
 * rule of the public headers word by word, nothing of the library. Weights are small multiples of
 * 1/4, so that doubles add them exactly in any order. */
#ifndef HOPLITE_TESTS_SMALL_ANSWERS_H
#define HOPLITE_TESTS_SMALL_ANSWERS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "hoplite/hoplite.h"

enum { SMALL_MOST = 12 };

typedef struct small_graph {
    unsigned n;
    bool directed, negative; /* negative: some weights are, and arcs lead to larger vertices */
    hop_weight_type type;
    bool arc[SMALL_MOST][SMALL_MOST];
    double weight[SMALL_MOST][SMALL_MOST]; /* of arcs; 1 without weights */
    unsigned source_count;
    hop_vertex sources[3];
} small_graph;

static uint64_t small_state;

/* splitmix64 */
static inline uint64_t small_next(void) {
    uint64_t z = small_state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static inline unsigned small_below(unsigned limit) {
    return (unsigned)((small_next() >> 32) % limit);
}

static inline double small_weight(const small_graph *g) {
    static const unsigned limits[] = {1, 3, 20, 5000};
    if (g->type == HOP_TYPE_NONE)
        return 1;
    double value = small_below(limits[small_below(4)]);
    if (g->negative && small_below(2))
        value = -value;
    return g->type == HOP_TYPE_FLOAT32 || g->type == HOP_TYPE_FLOAT64 ? value / 4 : value;
}

static inline void small_draw(small_graph *g) {
    static const hop_weight_type types[] = {HOP_TYPE_NONE, HOP_TYPE_INT32, HOP_TYPE_INT64,
                                            HOP_TYPE_FLOAT32, HOP_TYPE_FLOAT64};
    *g = (small_graph){.n = 1 + small_below(SMALL_MOST), .directed = small_below(2) == 0};
    g->type = types[small_below(5)];
    g->negative = g->directed && g->type != HOP_TYPE_NONE && small_below(5) == 0;
    for (unsigned left = small_below(3 * g->n + 1); left > 0; left--) {
        unsigned u = small_below(g->n), v = small_below(g->n);
        if (g->negative && u >= v)
            continue; /* no cycle */
        g->arc[u][v] = true;
        g->weight[u][v] = small_weight(g);
        if (!g->directed) {
            g->arc[v][u] = true;
            g->weight[v][u] = g->weight[u][v];
        }
    }
    g->source_count = 1 + (small_below(4) == 0 ? small_below(3) : 0);
    for (unsigned i = 0; i < g->source_count; i++)
        g->sources[i] = small_below(g->n);
}

static inline bool small_is_negative(const small_graph *g) {
    for (unsigned u = 0; u < g->n; u++)
        for (unsigned v = 0; v < g->n; v++)
            if (g->arc[u][v] && g->weight[u][v] < 0)
                return true;
    return false;
}

/* Least sums from the sources; HUGE_VAL: not reached. `unit`: each arc counts 1. */
static inline void small_distances(const small_graph *g, const hop_vertex *sources, unsigned count,
                                   bool unit, double *d) {
    bool again = true;
    for (unsigned v = 0; v < g->n; v++)
        d[v] = HUGE_VAL;
    for (unsigned i = 0; i < count; i++)
        d[sources[i]] = 0;
    while (again) {
        again = false;
        for (unsigned u = 0; u < g->n; u++)
            for (unsigned v = 0; v < g->n; v++)
                if (g->arc[u][v] && d[u] + (unit ? 1 : g->weight[u][v]) < d[v]) {
                    d[v] = d[u] + (unit ? 1 : g->weight[u][v]);
                    again = true;
                }
    }
}

static inline bool small_tight(const small_graph *g, bool unit, const double *d, unsigned u,
                               unsigned v) {
    return g->arc[u][v] && isfinite(d[u]) && d[u] + (unit ? 1 : g->weight[u][v]) == d[v];
}

/* The parents of sssp.h; with `unit` they are those of bfs.h. */
static inline void small_parents(const small_graph *g, bool unit, const double *d,
                                 hop_vertex *parents) {
    unsigned layer[SMALL_MOST];
    bool negative = !unit && small_is_negative(g);
    for (unsigned v = 0; v < g->n; v++) {
        parents[v] = HOP_NO_VERTEX;
        layer[v] = SMALL_MOST;
        for (unsigned u = g->n; !negative && u-- > 0;)
            if (small_tight(g, unit, d, u, v) && d[u] < d[v]) {
                parents[v] = u;
                layer[v] = 0;
            }
    }
    for (unsigned i = 0; i < g->source_count; i++)
        if (d[g->sources[i]] == 0) {
            parents[g->sources[i]] = g->sources[i];
            layer[g->sources[i]] = 0;
        }
    for (unsigned next = 1; next < g->n; next++)
        for (unsigned v = 0; v < g->n; v++)
            for (unsigned u = 0; u < g->n && layer[v] == SMALL_MOST; u++)
                if (small_tight(g, unit, d, u, v) && (negative || d[u] == d[v]) &&
                    layer[u] == next - 1) {
                    parents[v] = u;
                    layer[v] = next;
                }
}

/* The smallest vertex of each component, weak or strong; how many there are. */
static inline hop_vertex small_labels(const small_graph *g, bool strong, hop_vertex *labels) {
    bool reach[SMALL_MOST][SMALL_MOST];
    hop_vertex count = 0;
    for (unsigned u = 0; u < g->n; u++)
        for (unsigned v = 0; v < g->n; v++)
            reach[u][v] = u == v || g->arc[u][v] || (!strong && g->arc[v][u]);
    for (unsigned k = 0; k < g->n; k++)
        for (unsigned u = 0; u < g->n; u++)
            for (unsigned v = 0; v < g->n; v++)
                reach[u][v] |= reach[u][k] && reach[k][v];
    for (unsigned v = 0; v < g->n; v++) {
        labels[v] = 0;
        while (!reach[labels[v]][v] || !reach[v][labels[v]])
            labels[v]++;
        count += labels[v] == v;
    }
    return count;
}

/* What each vertex reaches by one arc or more; `back`: against them. */
static inline void small_closure(const small_graph *g, bool back,
                                 bool reach[SMALL_MOST][SMALL_MOST]) {
    for (unsigned u = 0; u < g->n; u++)
        for (unsigned v = 0; v < g->n; v++)
            reach[u][v] = back ? g->arc[v][u] : g->arc[u][v];
    for (unsigned k = 0; k < g->n; k++)
        for (unsigned u = 0; u < g->n; u++)
            for (unsigned v = 0; v < g->n; v++)
                reach[u][v] |= reach[u][k] && reach[k][v];
}

/* The smallest of the sources that are nearest to each vertex. Weights are not negative. */
static inline void small_cells(const small_graph *g, hop_vertex *cells) {
    double least[SMALL_MOST], d[SMALL_MOST];
    small_distances(g, g->sources, g->source_count, false, least);
    for (unsigned v = 0; v < g->n; v++)
        cells[v] = HOP_NO_VERTEX;
    for (unsigned i = 0; i < g->source_count; i++) {
        small_distances(g, &g->sources[i], 1, false, d);
        for (unsigned v = 0; v < g->n; v++)
            if (isfinite(d[v]) && d[v] == least[v] && g->sources[i] < cells[v])
                cells[v] = g->sources[i];
    }
}

/* before[v][u]: u comes before v on a shortest path from the first source; how many such paths
 * there are to each vertex, -1 where one may pass a cycle of weight 0. */
static inline void small_shortest_paths(const small_graph *g, const double *d,
                                        bool before[SMALL_MOST][SMALL_MOST], double *counts) {
    bool known[SMALL_MOST];
    for (unsigned v = 0; v < g->n; v++) {
        for (unsigned u = 0; u < g->n; u++)
            before[v][u] = u != v && v != g->sources[0] && small_tight(g, false, d, u, v);
        known[v] = v == g->sources[0] || !isfinite(d[v]);
        counts[v] = v == g->sources[0] ? 1 : known[v] ? 0 : -1;
    }
    for (unsigned round = 0; round < g->n; round++)
        for (unsigned v = 0; v < g->n; v++) {
            double sum = 0;
            bool all = !known[v];
            for (unsigned u = 0; u < g->n; u++) {
                all = all && (!before[v][u] || known[u]);
                sum += before[v][u] ? counts[u] : 0;
            }
            counts[v] = all ? sum : counts[v];
            known[v] |= all;
        }
}

/* The minimum spanning forest: the lightest arc, the first of equals, that joins two trees, until
 * there is none. Numbers of arcs, ascending; how many. */
static inline hop_vertex small_forest(const small_graph *g, uint64_t *arcs) {
    unsigned tree[SMALL_MOST], best_u = 0, best_v = 0;
    bool taken[SMALL_MOST][SMALL_MOST] = {{false}};
    hop_vertex count = 0;
    uint64_t number = 0;
    for (unsigned v = 0; v < g->n; v++)
        tree[v] = v;
    for (bool found = true; found;) {
        found = false;
        for (unsigned u = 0; u < g->n; u++)
            for (unsigned v = 0; v < g->n; v++)
                if (g->arc[u][v] && tree[u] != tree[v] &&
                    (!found || g->weight[u][v] < g->weight[best_u][best_v])) {
                    best_u = u;
                    best_v = v;
                    found = true;
                }
        unsigned gone = tree[best_v], stays = tree[best_u];
        for (unsigned v = 0; found && v < g->n; v++)
            tree[v] = tree[v] == gone ? stays : tree[v];
        taken[best_u][best_v] |= found;
    }
    for (unsigned u = 0; u < g->n; u++)
        for (unsigned v = 0; v < g->n; v++) {
            if (taken[u][v])
                arcs[count++] = number;
            number += g->arc[u][v];
        }
    return count;
}

/* Whether these vertices are a cycle, each once, of negative sum. */
static inline bool small_is_cycle(const small_graph *g, const hop_vertex *vertices,
                                  unsigned length) {
    unsigned seen = 0;
    double sum = 0;
    for (unsigned i = 0; i < length; i++) {
        hop_vertex u = vertices[i], v = vertices[(i + 1) % length];
        if (u >= g->n || v >= g->n || (seen >> u & 1) || !g->arc[u][v])
            return false;
        seen |= 1u << u;
        sum += g->weight[u][v];
    }
    return length > 0 && sum < 0;
}

#endif
