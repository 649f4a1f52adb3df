/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks of every problem, and one way to call all of them: what test_conformance.c loops over.
 *
 * A subject is a kind of task. Which variants of the problem's table can do it they say themselves
 * (HOP_ERR_UNSUPPORTED); every variant must be able to do one of its problem's. */
#ifndef HOPLITE_TESTS_CONFORMANCE_TESTING_H
#define HOPLITE_TESTS_CONFORMANCE_TESTING_H

#include <math.h>

#include "hoplite/hoplite.h"
#include "rank/rank_testing.h"
#include "span_testing.h"
#include "sssp/sssp_internal.h"

/* What is tried; the sizes of tasks differ. */
typedef enum trial { TRIAL_MEMORY, TRIAL_FAULTS, TRIAL_CANCEL, TRIALS } trial;

typedef struct subject {
    const char *name;
    unsigned problem;     /* hop__problem_at */
    hop_vertex n[TRIALS]; /* elements or vertices; 0: not in this trial */
    unsigned degree;      /* arcs per vertex; 0: of a hub and all others */
    bool directed;
    hop_weight_type type;
    double low, high; /* of the weights; a graph with negative ones has no cycles, but: */
    bool cycle;       /* two vertices with a negative one; of an order: with arcs both ways */
    bool rises;       /* arcs lead to greater numbers, so there is an order */
    const char *measure;
    bool listed;       /* the edges are in a list, there is no graph */
    bool limits;       /* targets and a cutoff; of lists: one head of several */
    hop_vertex lists;  /* so many */
    bool circle;       /* a tail leads back to its head */
    hop_status status; /* that the call ends with */
    unsigned slack;    /* the estimate is above the peak by 1 / slack of it at most; 0: by any */
    bool yields;       /* with less memory it takes less, by fewer threads: the problem's way */
    unsigned reports;  /* there are more than this when it can be cancelled */
    uint64_t widest;   /* work between two reports at most; 0: not looked at */
} subject;

static const subject subjects[] = {
    {"ten lists, with gaps", HOP_PROBLEM_RANK, {10000, 500, 0}, .lists = 10, .slack = 4},
    {"one head of ten", HOP_PROBLEM_RANK, {10000, 0, 0}, .lists = 10, .limits = true, .slack = 4},
    {"one list", HOP_PROBLEM_RANK, {0, 0, 200000}, .lists = 1, .reports = 10, .widest = 1 << 16},
    {"many lists",
     HOP_PROBLEM_RANK,
     {0, 0, 200000},
     .lists = 20000,
     .reports = 10,
     .widest = 1 << 16},
    {"a circle",
     HOP_PROBLEM_RANK,
     {0, 0, 200000},
     .lists = 1,
     .circle = true,
     .status = HOP_ERR_INPUT,
     .reports = 10,
     .widest = 1 << 16},
    {"a circle among lists",
     HOP_PROBLEM_RANK,
     {0, 0, 200000},
     .lists = 20000,
     .circle = true,
     .status = HOP_ERR_INPUT,
     .reports = 10,
     .widest = 1 << 16},

    {"directed", HOP_PROBLEM_COMPONENTS, {8192, 128, 0}, 8, true},
    {"undirected", HOP_PROBLEM_COMPONENTS, {8192, 128, 50000}, 3, .reports = 1},
    {"a hub", HOP_PROBLEM_COMPONENTS, {5000, 128, 0}, 0},

    {"directed", HOP_PROBLEM_BFS, {5000, 300, 0}, 2, true, .slack = 4},
    {"undirected", HOP_PROBLEM_BFS, {5000, 300, 0}, 2, .slack = 4},
    {"a hub", HOP_PROBLEM_BFS, {0, 0, 200000}, 0, .reports = 10, .widest = 1 << 18},

#define SSSP(weights, least, most, ...)                                                            \
    HOP_PROBLEM_SSSP, {3000, 100, 8000}, 4, true, weights, least, most, .slack = 2, .reports = 4,  \
                                                                        __VA_ARGS__
    {"unit", SSSP(HOP_TYPE_NONE, 1, 1, .cycle = false)},
    {"positive", SSSP(HOP_TYPE_INT32, 1, 9, .limits = true)},
    {"zeros", SSSP(HOP_TYPE_INT64, 0, 2, .cycle = false)},
    {"zeros, limits", SSSP(HOP_TYPE_INT32, 0, 2, .limits = true)},
    {"wide", SSSP(HOP_TYPE_INT64, 0, 0x1p60, .limits = true)},
    {"float32", SSSP(HOP_TYPE_FLOAT32, 0, 2, .cycle = false)},
    {"float64", SSSP(HOP_TYPE_FLOAT64, 0, 2, .limits = true)},
    {"negative", SSSP(HOP_TYPE_INT32, -3, 0, .cycle = false)},
    {"negative, limits", SSSP(HOP_TYPE_INT64, -3, 0, .limits = true)},
    {"negative float32", SSSP(HOP_TYPE_FLOAT32, -3, 0, .cycle = false)},
    {"negative float64", SSSP(HOP_TYPE_FLOAT64, -3, 0, .limits = true)},
    {"cycle", SSSP(HOP_TYPE_INT32, -3, 0, .cycle = true, .status = HOP_ERR_NEGATIVE_CYCLE)},
    {"cycle of float64", SSSP(HOP_TYPE_FLOAT64, -3, 0, .cycle = true, .limits = true,
                              .status = HOP_ERR_NEGATIVE_CYCLE)},
#undef SSSP

#define APSP(size, weights, least, most)                                                           \
    HOP_PROBLEM_APSP, {size, 20, 150}, 4, true, weights, least, most, .slack = 1, .yields = true,  \
                                                                      .reports = 1
    {"unit", APSP(100, HOP_TYPE_NONE, 1, 1)},
    {"positive", APSP(100, HOP_TYPE_INT32, 1, 9)},
    {"negative", APSP(100, HOP_TYPE_INT32, -3, 0)},
    {"float32", APSP(100, HOP_TYPE_FLOAT32, 0, 2)},
    {"negative float64", APSP(100, HOP_TYPE_FLOAT64, -3, 0)},
#undef APSP

    {"directed", HOP__PROBLEM_STRONG, {5000, 300, 8000}, 2, true, .reports = 3},
    {"a giant", HOP__PROBLEM_STRONG, {5000, 300, 8000}, 8, true, .reports = 3},
    {"without cycles", HOP__PROBLEM_STRONG, {5000, 300, 8000}, 2, true, .rises = true},
    {"undirected", HOP__PROBLEM_STRONG, {3000, 300, 8000}, 2, .slack = 10, .reports = 3},

    {"wide levels", HOP__PROBLEM_ORDER, {5000, 300, 20000}, 2, true, .rises = true, .slack = 2},
    {"a cycle",
     HOP__PROBLEM_ORDER,
     {5000, 300, 20000},
     2,
     true,
     .rises = true,
     .cycle = true,
     .status = HOP_ERR_INPUT},

#define SPANNING(degree, weights, least, most, ...)                                                \
    HOP__PROBLEM_SPANNING, {5000, 300, 5000}, degree, .type = weights, .low = least, .high = most, \
                                                      .slack = 10, .reports = 3, __VA_ARGS__
    {"unit", SPANNING(8, HOP_TYPE_NONE, 1, 1, .directed = true)},
    {"positive", SPANNING(8, HOP_TYPE_INT32, 1, 9, .directed = false)},
    {"few edges", SPANNING(1, HOP_TYPE_FLOAT64, 0, 2, .directed = false)},
    {"list", SPANNING(8, HOP_TYPE_INT64, 0, 900, .listed = true)},
    {"list of few", SPANNING(1, HOP_TYPE_FLOAT32, 0, 2, .listed = true)},
#undef SPANNING

    {"directed", HOP__PROBLEM_CLOSURE, {1000, 100, 1500}, 2, true, .yields = true, .reports = 1},
    {"without cycles",
     HOP__PROBLEM_CLOSURE,
     {1000, 100, 1500},
     2,
     true,
     .rises = true,
     .yields = true,
     .reports = 1},

#define MEASURE(problem, which, weights, ...)                                                      \
    problem, {300, 40, 400}, .degree = 4, .type = weights, .low = 1, .high = 9, .measure = which,  \
                             .yields = true, .reports = 1, __VA_ARGS__
    {"closeness", MEASURE(HOP__PROBLEM_MEASURE, "closeness", HOP_TYPE_NONE, .directed = true)},
    {"closeness, weights",
     MEASURE(HOP__PROBLEM_MEASURE, "closeness", HOP_TYPE_INT32, .directed = true)},
    {"eccentricity",
     MEASURE(HOP__PROBLEM_MEASURE, "eccentricity", HOP_TYPE_NONE, .directed = false)},
    {"betweenness", MEASURE(HOP__PROBLEM_BETWEEN, "betweenness", HOP_TYPE_NONE, .directed = true)},
    {"betweenness, weights",
     MEASURE(HOP__PROBLEM_BETWEEN, "betweenness", HOP_TYPE_FLOAT64, .directed = false)},
    {"local efficiency",
     MEASURE(HOP__PROBLEM_LOCAL, "local-efficiency", HOP_TYPE_NONE, .directed = false)},
#undef MEASURE
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

typedef struct task {
    const subject *about;
    hop_vertex n;
    hop_context *owner;
    hop_graph *graph;
    hop_edges edges; /* in its place */
    hop_vertex *successors, *heads, head_count;
    void *results[2]; /* distances, levels, labels or ranks; parents */
    size_t bytes[2];
    unsigned asked; /* bits: which of them */
} task;

static inline void set_weight(void *weights, hop_weight_type type, uint64_t i, double w) {
    if (type == HOP_TYPE_INT32)
        ((int32_t *)weights)[i] = (int32_t)w;
    else if (type == HOP_TYPE_INT64)
        ((int64_t *)weights)[i] = (int64_t)w;
    else if (type == HOP_TYPE_FLOAT32)
        ((float *)weights)[i] = (float)w;
    else
        ((double *)weights)[i] = w;
}

/* Weights are rounded to eighths. Negative ones lead upwards only. edges_free frees them. */
static inline hop_edges task_edges(const subject *s, hop_vertex n) {
    uint64_t m = s->degree ? (uint64_t)s->degree * n : n;
    uint32_t *from = malloc(m * 4), *to = malloc(m * 4);
    void *weights = malloc(m * 8);
    for (uint64_t i = 0; i < m; i++) {
        uint64_t u = s->degree ? hop__random_at(9, 1, i) % n : n / 2;
        uint64_t v = s->degree ? hop__random_at(9, 2, i) % n : i;
        double w = s->low + hop__random_unit(hop__random_at(9, 3, i)) * (s->high - s->low);
        w = s->type <= HOP_TYPE_INT64 ? round(w) : round(w * 8) / 8;
        if ((s->low < 0 || s->rises) && u >= v) {
            uint64_t turn = u;
            u = v;
            v = turn;
            w = u == v ? 1 : w;
        }
        if (s->cycle && i < 2) {
            u = i;
            v = 1 - i;
            w = i ? -1 : 0.875;
        }
        from[i] = (uint32_t)u;
        to[i] = (uint32_t)v;
        set_weight(weights, s->type, i, w);
    }
    hop_edges edges = HOP_EDGES_INIT;
    edges.count = m;
    edges.from = from;
    edges.to = to;
    edges.weights = weights;
    edges.weight_type = s->type;
    return edges;
}

static inline void edges_free(const hop_edges *edges) {
    free((void *)(uintptr_t)edges->from);
    free((void *)(uintptr_t)edges->to);
    free((void *)(uintptr_t)edges->weights);
}

static inline hop_graph *task_graph(hop_context *context, const subject *s, hop_vertex n) {
    hop_edges edges = task_edges(s, n), given = edges;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    if (s->type == HOP_TYPE_NONE)
        given.weights = NULL;
    options.vertices = n;
    options.directed = s->directed;
    if (s->rises)
        options.loops = HOP_LOOPS_DROP;
    assert_int_equal(hop_graph_from_edges(context, &given, &options, &graph), HOP_OK);
    edges_free(&edges);
    return graph;
}

static inline void task_lists(task *t) {
    t->successors = malloc(t->n * sizeof *t->successors);
    t->heads = malloc(t->n * sizeof *t->heads);
    t->head_count = random_lists(t->n, t->about->lists, t->about->slack ? 2 : 0, 1, t->successors,
                                 t->heads, t->results[0]);
    if (t->about->circle) { /* of a list of several elements */
        hop_vertex k = t->head_count - 1, tail;
        while (t->successors[t->heads[k]] == t->heads[k])
            k--;
        for (tail = t->heads[k]; t->successors[tail] != tail;)
            tail = t->successors[tail];
        t->successors[tail] = t->heads[k];
    }
    if (t->about->limits)
        t->head_count = 1;
}

static inline task task_make(const subject *s, trial what) {
    task t = {.about = s, .n = s->n[what], .owner = make_context(1)};
    size_t n = t.n;
    t.bytes[0] = s->problem == HOP_PROBLEM_APSP ? n * n * 8 : n * 8;
    t.bytes[1] = n * 4;
    for (int i = 0; i < 2; i++)
        t.results[i] = calloc(1, t.bytes[i]);
    if (s->problem == HOP_PROBLEM_RANK)
        task_lists(&t);
    else if (s->listed)
        t.edges = task_edges(s, t.n);
    else
        t.graph = task_graph(t.owner, s, t.n);
    return t;
}

static inline void task_free(task *t) {
    hop_graph_release(t->graph);
    edges_free(&t->edges);
    free(t->successors);
    free(t->heads);
    free(t->results[0]);
    free(t->results[1]);
    free_context(t->owner);
}

/* Whether a problem's caller may ask for these results (bits) and no others. */
static inline bool may_ask(unsigned problem, unsigned asked) {
    return asked == 1 || problem == HOP_PROBLEM_BFS || problem == HOP_PROBLEM_SSSP ||
           (asked == 3 && problem == HOP__PROBLEM_ORDER);
}

static inline bool takes_any_labels(unsigned problem) { /* HOP_CERTIFY_VALID is something else */
    return problem == HOP_PROBLEM_COMPONENTS || problem == HOP__PROBLEM_STRONG ||
           problem == HOP__PROBLEM_SPANNING;
}

static inline hop_status solve_sssp(hop_context *context, task *t, const hop_run *run, void *first,
                                    void *second) {
    const hop_vertex sources[] = {0, 1}, targets[] = {2, 3};
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    options.run = run;
    if (t->about->limits) {
        options.targets = targets;
        options.target_count = 2;
        options.cutoff = 0x1p61;
    }
    hop_status status =
        hop_sssp(context, t->graph, sources, 2, &options, ROOM(t->graph, first), second);
    hop_vertex length;
    const hop_vertex *cycle = hop_context_cycle(context, &length);
    assert_int_equal(status == HOP_ERR_NEGATIVE_CYCLE, cycle != NULL);
    assert_int_equal(length, cycle ? 2 : 0);
    hop__cycle_drop(context); /* the one thing that stays: as the next search does */
    return status;
}

/* Of each vertex. */
static inline hop_status solve_measure(hop_context *context, const hop_graph *graph,
                                       const char *measure, const hop_run *run, void *values) {
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    hop_span span = {values, hop_graph_vertices(graph), hop_measure_type(graph, measure)};
    options.run = run;
    return hop_measure_run(context, graph, measure, &options, &span, NULL);
}

static inline hop_status solve(hop_context *context, task *t, const hop_run *run) {
    void *first = t->asked & 1 ? t->results[0] : NULL;
    void *second = t->asked & 2 ? t->results[1] : NULL;
    const hop_vertex source = 1;
    uint32_t count;
    hop_rank_options rank = HOP_RANK_OPTIONS_INIT;
    hop_components_options components = {sizeof components, run};
    hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
    hop_apsp_options apsp = HOP_APSP_OPTIONS_INIT;
    hop_strong_options strong = {sizeof strong, run};
    hop_spanning_options spanning = HOP_SPANNING_OPTIONS_INIT;
    hop_closure_options closure = HOP_CLOSURE_OPTIONS_INIT;
    rank.run = bfs.run = apsp.run = spanning.run = closure.run = run;
    rank.heads = t->heads;
    rank.head_count = t->head_count;
    switch (t->about->problem) {
    case HOP_PROBLEM_RANK:
        return hop_rank(context, t->successors, t->n, &rank, first);
    case HOP_PROBLEM_COMPONENTS:
        return hop_components(context, t->graph, &components, first, &count);
    case HOP_PROBLEM_BFS:
        return hop_bfs(context, t->graph, &source, 1, &bfs, first, second);
    case HOP_PROBLEM_SSSP:
        return solve_sssp(context, t, run, first, second);
    case HOP_PROBLEM_APSP:
        return hop_apsp(context, t->graph, &apsp, MATRIX_ROOM(t->graph, &apsp, first), NULL);
    case HOP__PROBLEM_STRONG:
        return hop_strong_components(context, t->graph, &strong, first, &count);
    case HOP__PROBLEM_ORDER:
        return hop_topological_order(context, t->graph, &strong, first, second, &count);
    case HOP__PROBLEM_SPANNING:
        return t->graph ? hop_spanning_forest(context, t->graph, &spanning, first, &count)
                        : hop_spanning_forest_of_edges(context, &t->edges, t->n, &spanning, first,
                                                       &count);
    case HOP__PROBLEM_CLOSURE:
        return hop_closure_counts(context, t->graph, &closure, first, NULL);
    case HOP__PROBLEM_MEASURE:
    case HOP__PROBLEM_BETWEEN:
    case HOP__PROBLEM_LOCAL:
        return solve_measure(context, t->graph, t->about->measure, run, first);
    }
    return HOP_ERR_ARGUMENT;
}

#endif
