/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs that are hard for a search by buckets: shapes, most of them long and thin, times
 * weightings, most of them of no one scale. Each is drawn from a seed. Who uses this: the test that
 * counts work (test_sssp_work.c), which can also print times. */
#ifndef HOPLITE_TESTS_SSSP_HARD_H
#define HOPLITE_TESTS_SSSP_HARD_H

#include "sssp/sssp_shapes.h"

/* An edge whose weight is drawn: its number, where it lies between the source (0) and the far end
 * (1), and the steps along the shape that it is as good as. */
typedef struct hard_edge {
    uint64_t seed, number;
    double place, steps;
} hard_edge;

typedef double (*hard_weigher)(const hard_edge *edge);

/* Uniform in [0, 1), number `stream` of the edge. */
static inline double hard_uniform(const hard_edge *edge, uint64_t stream) {
    return hop__random_unit(hop__random_at(edge->seed, stream, edge->number));
}

static inline double weigh_constant(const hard_edge *edge) {
    return (double)(1 + edge->seed % 1000);
}

static inline double weigh_uniform(const hard_edge *edge) {
    return floor(1 + 255 * hard_uniform(edge, 1));
}

static inline double weigh_two_scales(const hard_edge *edge) {
    return hard_uniform(edge, 1) < .5 ? 1 : 1e6;
}

/* The large ones are rare, so that no sample sees them, or common. */
static inline double weigh_rare_scale(const hard_edge *edge) {
    return hard_uniform(edge, 1) < 1e-3 ? 1e8 : 1;
}

static inline double weigh_log_uniform(const hard_edge *edge) {
    return floor(exp2(40 * hard_uniform(edge, 1)));
}

static inline double weigh_pareto(const hard_edge *edge) {
    double weight = pow(1 - hard_uniform(edge, 1), -1 / .7);
    return floor(weight < 1e12 ? weight : 1e12);
}

static inline double weigh_mostly_zero(const hard_edge *edge) {
    return hard_uniform(edge, 1) < .95 ? 0 : floor(1e6 * hard_uniform(edge, 2));
}

static inline double weigh_rising(const hard_edge *edge) {
    return floor(exp2(40 * edge->place) * (1 + hard_uniform(edge, 1)));
}

static inline double weigh_falling(const hard_edge *edge) {
    return floor(exp2(40 * (1 - edge->place)) * (1 + hard_uniform(edge, 1)));
}

/* For floating point only: these are not whole numbers. */
static inline double weigh_spread(const hard_edge *edge) {
    return pow(10, 60 * hard_uniform(edge, 1) - 30);
}

static inline double weigh_outlier(const hard_edge *edge) {
    return edge->number == edge->seed % 97 ? 0x1p52 : floor(1 + 100 * hard_uniform(edge, 1));
}

/* What goes far in one step costs as much as the square: each vertex makes later ones nearer. */
static inline double weigh_by_span(const hard_edge *edge) {
    return floor(edge->steps * edge->steps * (1 + hard_uniform(edge, 1)));
}

/* In blocks of 30 edges weights are halved from one to the next: two ways around such an edge that
 * differ by it give every label-correcting search a doubling of the work. */
static inline double weigh_halving(const hard_edge *edge) {
    double whole = exp2(30 - (double)(edge->number / 3 % 30));
    return edge->number % 3 == 0 ? 2 * whole : edge->number % 3 == 1 ? whole : 0;
}

typedef struct hard_weighting {
    const char *name;
    hard_weigher weigh;
    bool real; /* for floating point only */
} hard_weighting;

static const hard_weighting hard_weightings[] = {
    {"constant", weigh_constant, false},       {"uniform", weigh_uniform, false},
    {"two scales", weigh_two_scales, false},   {"rare scale", weigh_rare_scale, false},
    {"log-uniform", weigh_log_uniform, false}, {"pareto", weigh_pareto, false},
    {"mostly zero", weigh_mostly_zero, false}, {"rising", weigh_rising, false},
    {"falling", weigh_falling, false},         {"spread", weigh_spread, true},
    {"one outlier", weigh_outlier, false},     {"by span", weigh_by_span, false},
    {"halving", weigh_halving, false},
};

/* Adds edges of a shape, with vertices numbered along it. */
typedef struct hard_draft {
    shape s;
    uint64_t seed;
    hard_weigher weigh;
} hard_draft;

static inline void hard_add(hard_draft *draft, uint64_t u, uint64_t v, double steps) {
    hard_edge edge = {draft->seed, draft->s.m, (double)u / draft->s.n, steps};
    add_edge(&draft->s, u, v, draft->weigh(&edge));
}

static inline void draw_ladder(hard_draft *draft) {
    uint64_t rungs = draft->s.n / 2;
    for (uint64_t i = 0; i < rungs; i++) {
        hard_add(draft, 2 * i, 2 * i + 1, 1);
        if (i + 1 < rungs) {
            hard_add(draft, 2 * i, 2 * i + 2, 1);
            hard_add(draft, 2 * i + 1, 2 * i + 3, 1);
        }
    }
}

static inline void draw_path(hard_draft *draft) {
    for (uint64_t v = 0; v + 1 < draft->s.n; v++)
        hard_add(draft, v, v + 1, 1);
}

/* A path with ways around up to ten of its edges. */
static inline void draw_chords(hard_draft *draft) {
    for (uint64_t v = 0; v + 1 < draft->s.n; v++) {
        hard_add(draft, v, v + 1, 1);
        uint64_t steps = 2 + hop__random_at(draft->seed, 9, v) % 9;
        if (v + steps < draft->s.n)
            hard_add(draft, v, v + steps, (double)steps);
    }
}

static inline void draw_grid(hard_draft *draft) {
    uint64_t side = (uint64_t)sqrt((double)draft->s.n);
    for (uint64_t y = 0; y < side; y++)
        for (uint64_t x = 0; x < side; x++) {
            if (x + 1 < side)
                hard_add(draft, y * side + x, y * side + x + 1, 1);
            if (y + 1 < side)
                hard_add(draft, y * side + x, (y + 1) * side + x, 1);
        }
}

static inline void draw_random(hard_draft *draft, uint64_t per_vertex, bool skewed) {
    uint64_t n = draft->s.n;
    for (uint64_t i = 0; i < per_vertex * n; i++) {
        uint64_t u = hop__random_below(hop__random_at(draft->seed, 11, i), n);
        uint64_t v = hop__random_below(hop__random_at(draft->seed, 12, i), n);
        hard_add(draft, skewed ? u * u / n : u, skewed ? v * v / n * v / n : v,
                 1 + (double)(i % 16));
    }
}

static inline void draw_sparse(hard_draft *draft) {
    draw_random(draft, 2, false);
}

static inline void draw_dense(hard_draft *draft) {
    draw_random(draft, 8, false);
}

static inline void draw_skewed(hard_draft *draft) {
    draw_random(draft, 8, true);
}

static inline void draw_star_of_paths(hard_draft *draft) {
    for (uint64_t v = 1; v < draft->s.n; v++)
        hard_add(draft, v % 100 == 1 ? 0 : v - 1, v, 1);
}

static inline void draw_caterpillar(hard_draft *draft) {
    uint64_t spine = draft->s.n / 4;
    for (uint64_t v = 0; v < spine; v++) {
        if (v + 1 < spine)
            hard_add(draft, v, v + 1, 1);
        for (uint64_t k = 1; k < 4; k++)
            hard_add(draft, v, v + k * spine, 1);
    }
}

/* Triangles in a row: straight on, or by a third vertex. */
static inline void draw_triangles(hard_draft *draft) {
    for (uint64_t v = 0; v + 2 < draft->s.n; v += 2) {
        hard_add(draft, v, v + 2, 2);
        hard_add(draft, v, v + 1, 1);
        hard_add(draft, v + 1, v + 2, 1);
    }
}

/* Layers of 16 vertices; each leads to four of the next. */
static inline void draw_layers(hard_draft *draft) {
    for (uint64_t v = 0; v < draft->s.n; v++)
        for (uint64_t k = 0; k < 4; k++) {
            uint64_t to = (v / 16 + 1) * 16 + hop__random_at(draft->seed, 13 + k, v) % 16;
            if (to < draft->s.n)
                hard_add(draft, v, to, 1 + (double)k);
        }
}

typedef struct hard_shape {
    const char *name;
    void (*draw)(hard_draft *draft);
} hard_shape;

static const hard_shape hard_forms[] = {
    {"ladder", draw_ladder},       {"path", draw_path},
    {"chords", draw_chords},       {"grid", draw_grid},
    {"random", draw_sparse},       {"dense", draw_dense},
    {"skewed", draw_skewed},       {"star of paths", draw_star_of_paths},
    {"triangles", draw_triangles}, {"caterpillar", draw_caterpillar},
    {"layers", draw_layers},
};

/* A shape with weights, by a seed; its vertices numbered along it, or at random. */
static inline shape hard_draw(const hard_shape *which, const hard_weighting *weighting, uint32_t n,
                              bool directed, bool shuffled, uint64_t seed) {
    hard_draft draft = {
        {.name = which->name, .n = n, .directed = directed}, seed, weighting->weigh};
    which->draw(&draft);
    if (!shuffled)
        return draft.s;
    hop__shuffle order;
    hop__shuffle_init(&order, n, seed, 1);
    for (uint64_t i = 0; i < draft.s.m; i++) {
        draft.s.from[i] = (uint32_t)hop__shuffle_at(&order, draft.s.from[i]);
        draft.s.to[i] = (uint32_t)hop__shuffle_at(&order, draft.s.to[i]);
    }
    draft.s.source = (hop_vertex)hop__shuffle_at(&order, 0);
    return draft.s;
}

#endif
