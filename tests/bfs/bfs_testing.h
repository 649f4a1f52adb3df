/* SPDX-License-Identifier: Apache-2.0
 * What the tests of bfs share: small graphs by number, questions by number, and a search that is
 * right because it is the definition, and slow. */
#ifndef HOPLITE_TESTS_BFS_TESTING_H
#define HOPLITE_TESTS_BFS_TESTING_H

#include "core/core_testing.h"
#include "core/rng.h"
#include "hoplite/hoplite.h"

#define NONE HOP_NO_LEVEL

static inline void assert_says(const hop_context *context, const char *part) {
    if (!strstr(hop_context_message(context), part))
        fail_msg("'%s' is not in '%s'", part, hop_context_message(context));
}

/* A graph as plain arrays, and as a hop_graph that borrows them. */
typedef struct plain {
    uint32_t n, m;
    uint32_t *offsets, *targets;
    uint64_t *wide; /* the same offsets, 64 bits wide */
    bool directed;
    hop_graph *graph;
} plain;

enum { TINY = 8 };

/* Arrays for the tiny graphs, used again and again. */
typedef struct tiny {
    plain p;
    uint32_t offsets[TINY + 1], targets[TINY * TINY];
    uint64_t wide[TINY + 1];
} tiny;

static inline void plain_wrap(hop_context *context, plain *p, bool wide) {
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options options = HOP_CSR_OPTIONS_INIT;
    csr.vertices = p->n;
    csr.offsets = wide ? (const void *)p->wide : p->offsets;
    csr.offset_bytes = wide ? 8 : 4;
    csr.targets = p->targets;
    options.directed = p->directed;
    if (hop_graph_from_csr(context, &csr, &options, &p->graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
}

/* Graph number `code` on n vertices: bit by bit the pairs (u, v). Directed: all n * n pairs, loops
 * included; undirected: those with u < v. */
static inline void tiny_make(hop_context *context, tiny *t, uint32_t n, bool directed,
                             uint32_t code) {
    bool adjacent[TINY][TINY] = {{false}};
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = directed ? 0 : u + 1; v < n; v++, code >>= 1)
            if (code & 1) {
                adjacent[u][v] = true;
                adjacent[v][u] |= !directed;
            }
    t->p = (plain){.n = n,
                   .directed = directed,
                   .offsets = t->offsets,
                   .targets = t->targets,
                   .wide = t->wide};
    t->offsets[0] = 0;
    t->wide[0] = 0;
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++)
            if (adjacent[u][v])
                t->targets[t->p.m++] = v;
        t->wide[u + 1] = t->offsets[u + 1] = t->p.m;
    }
    plain_wrap(context, &t->p, (n ^ t->p.m) & 1);
}

static inline uint32_t tiny_codes(uint32_t n, bool directed) {
    return 1u << (directed ? n * n : n * (n - (n > 0)) / 2);
}

/* A question about a graph. */
typedef struct question {
    hop_vertex sources[TINY], targets[TINY];
    hop_vertex source_count, target_count, max_level, nearest;
} question;

/* Question number `number`: the first n have one source and no limits, the rest are random: some
 * sources with repetition, targets in half of the cases, a limit in half, nearest in a quarter. */
static inline question question_make(uint32_t n, uint32_t number, uint64_t salt) {
    question q = {.max_level = NONE};
    if (number < n) {
        q.sources[0] = number;
        q.source_count = 1;
        return q;
    }
    uint64_t bits = hop__random_at(20, salt, number);
    q.source_count = n ? (hop_vertex)(1 + bits % 3) : 0;
    q.target_count = n && (bits >> 8) & 1 ? (hop_vertex)(1 + (bits >> 9) % 3) : 0;
    for (uint32_t i = 0; n > 0 && i < 3; i++) {
        q.sources[i] = (hop_vertex)((bits >> (16 + 5 * i)) % n);
        q.targets[i] = (hop_vertex)((bits >> (32 + 5 * i)) % n);
    }
    if ((bits >> 50) & 1)
        q.max_level = (hop_vertex)((bits >> 51) % 4);
    if (((bits >> 54) & 3) == 0)
        q.nearest = (hop_vertex)(1 + (bits >> 56) % 4);
    return q;
}

static inline hop_bfs_options question_options(const question *q, const hop_run *run) {
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    options.run = run;
    options.targets = q->target_count ? q->targets : NULL;
    options.target_count = q->target_count;
    options.max_level = q->max_level;
    options.nearest = q->nearest;
    return options;
}

/* Distances by relaxing every arc until nothing changes, then the definition of the cut and of
 * parents, word by word. */
static inline void brute_force(const plain *p, const hop_vertex *sources, hop_vertex source_count,
                               const hop_bfs_options *options, hop_vertex *levels,
                               hop_vertex *parents) {
    bool changed = true, all = options->target_count > 0;
    hop_vertex limit = options->max_level, deepest = 0;
    for (uint32_t v = 0; v < p->n; v++)
        levels[v] = NONE;
    for (hop_vertex i = 0; i < source_count; i++)
        levels[sources[i]] = 0;
    while (changed) {
        changed = false;
        for (uint32_t u = 0; u < p->n; u++)
            for (uint32_t i = p->offsets[u]; i < p->offsets[u + 1] && levels[u] != NONE; i++)
                if (levels[p->targets[i]] > levels[u] + 1) {
                    levels[p->targets[i]] = levels[u] + 1;
                    changed = true;
                }
    }
    for (hop_vertex i = 0; i < options->target_count; i++) {
        hop_vertex level = levels[options->targets[i]];
        all = all && level != NONE && level <= options->max_level;
        deepest = level > deepest ? level : deepest;
    }
    if (all)
        limit = deepest;
    for (hop_vertex last = p->n; options->nearest > 0 && last-- > 0;) {
        hop_vertex near = 0;
        for (uint32_t v = 0; v < p->n; v++)
            near += levels[v] > 0 && levels[v] <= last;
        if (near >= options->nearest && last < limit)
            limit = last;
    }
    for (uint32_t v = 0; v < p->n; v++) {
        if (levels[v] > limit)
            levels[v] = NONE;
        parents[v] = levels[v] == 0 ? v : HOP_NO_VERTEX;
    }
    for (uint32_t u = p->n; u-- > 0;) /* the smallest comes last */
        for (uint32_t i = p->offsets[u]; i < p->offsets[u + 1] && levels[u] != NONE; i++)
            if (levels[p->targets[i]] == levels[u] + 1)
                parents[p->targets[i]] = u;
}

static inline void assert_same(const hop_vertex *found, const hop_vertex *expected, uint32_t n,
                               const char *what) {
    for (uint32_t v = 0; v < n; v++)
        if (found[v] != expected[v])
            fail_msg("%s of %u: %u instead of %u", what, v, found[v], expected[v]);
}

static inline int compare_arcs(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* A random graph: `edges` pairs, or of a hub (vertex n / 2) and all others when edges is 0.
 * Parallel arcs and loops are kept. */
static inline plain plain_random(hop_context *context, uint32_t n, uint32_t edges, bool directed,
                                 bool wide, uint64_t seed) {
    uint32_t drawn = edges ? edges : n, m = 0;
    uint64_t *arcs = malloc(2 * (size_t)drawn * sizeof *arcs);
    plain p = {.n = n, .directed = directed};
    for (uint32_t i = 0; i < drawn; i++) {
        uint64_t u = edges ? hop__random_at(seed, 1, i) % n : n / 2;
        uint64_t v = edges ? hop__random_at(seed, 2, i) % n : i;
        arcs[m++] = u << 32 | v;
        if (!directed && u != v)
            arcs[m++] = v << 32 | u;
    }
    qsort(arcs, m, sizeof *arcs, compare_arcs);
    p.m = m;
    p.offsets = calloc((size_t)n + 1, sizeof *p.offsets);
    p.wide = calloc((size_t)n + 1, sizeof *p.wide);
    p.targets = malloc((size_t)m * sizeof *p.targets + 1);
    for (uint32_t i = 0; i < m; i++) {
        p.offsets[(arcs[i] >> 32) + 1]++;
        p.targets[i] = (uint32_t)arcs[i];
    }
    for (uint32_t u = 0; u < n; u++)
        p.wide[u + 1] = p.offsets[u + 1] += p.offsets[u];
    free(arcs);
    plain_wrap(context, &p, wide);
    return p;
}

static inline void plain_free(plain *p) {
    hop_graph_release(p->graph);
    free(p->offsets);
    free(p->wide);
    free(p->targets);
}

#endif
