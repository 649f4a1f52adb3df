/* SPDX-License-Identifier: Apache-2.0
 *
 * How the constants are measured.
 *
 * A size from which one variant is faster than another: both run on inputs of growing size, in
 * turn, and the least time of each counts, since other work only ever adds to it. The size is where
 * the ratio of the two crosses 1, between two inputs by interpolation of logarithms. With noise
 * there may be several crossings: the one is taken that leaves the fewest sizes on the wrong side.
 *
 * Costs of steps (apsp): the least time over the number of steps. */
#include "tune_measure.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZES_MOST = 12, THREADS_MOST = 256 };

static double clock_now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *spin(void *share) {
    double begin = clock_now(CLOCK_MONOTONIC), cpu = clock_now(CLOCK_THREAD_CPUTIME_ID);
    while (clock_now(CLOCK_MONOTONIC) < begin + 0.1)
        ;
    *(double *)share =
        (clock_now(CLOCK_THREAD_CPUTIME_ID) - cpu) / (clock_now(CLOCK_MONOTONIC) - begin);
    return NULL;
}

double measure_share(unsigned threads) {
    pthread_t made[THREADS_MOST];
    double shares[THREADS_MOST], sum = 0;
    unsigned count = 0;
    threads = threads < THREADS_MOST ? threads : THREADS_MOST;
    while (count < threads && pthread_create(&made[count], NULL, spin, &shares[count]) == 0)
        count++;
    for (unsigned i = 0; i < count; i++) {
        pthread_join(made[i], NULL);
        sum += shares[i];
    }
    return count > 0 ? sum / count : 0;
}

/* One input, and how a variant of the problem is run on it. */
typedef struct trial {
    hop_context *context;
    hop_graph *graph;
    hop_vertex *list, length;
    hop_problem problem;
    void *results, *more;
} trial;

static hop_status run_once(const trial *t, const char *variant, double *seconds) {
    hop_run run = HOP_RUN_INIT;
    hop_vertex source = 0, count;
    hop_status status = HOP_ERR_ARGUMENT;
    run.variant = variant;
    double begin = clock_now(CLOCK_MONOTONIC);
    if (t->problem == HOP_PROBLEM_RANK) {
        hop_rank_options options = HOP_RANK_OPTIONS_INIT;
        options.run = &run;
        status = hop_rank(t->context, t->list, t->length, &options, t->results);
    } else if (t->problem == HOP_PROBLEM_COMPONENTS) {
        hop_components_options options = HOP_COMPONENTS_OPTIONS_INIT;
        options.run = &run;
        status = hop_components(t->context, t->graph, &options, t->results, &count);
    } else if (t->problem == HOP_PROBLEM_BFS) {
        hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
        options.run = &run;
        status = hop_bfs(t->context, t->graph, &source, 1, &options, t->results, t->more);
    } else if (t->problem == HOP_PROBLEM_SSSP) {
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        options.run = &run;
        status = hop_sssp(t->context, t->graph, &source, 1, &options,
                          &(hop_span){t->results, hop_graph_vertices(t->graph), HOP_TYPE_INT64},
                          t->more);
    } else {
        hop_apsp_options options = HOP_APSP_OPTIONS_INIT;
        options.run = &run;
        options.distance_type = HOP_TYPE_INT32;
        uint64_t n = hop_graph_vertices(t->graph);
        status = hop_apsp(t->context, t->graph, &options,
                          &(hop_span){t->results, n * n, HOP_TYPE_INT32}, NULL);
    }
    *seconds = clock_now(CLOCK_MONOTONIC) - begin;
    return status;
}

static hop_status make_graph(trial *t, double n, double m, bool weighted) {
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_setting settings[] = {{"n", n, NULL}, {"m", m, NULL}};
    options.settings = settings;
    options.setting_count = 2;
    if (weighted) {
        options.weight_type = HOP_TYPE_INT32;
        options.min_weight = 1;
        options.max_weight = 255;
    }
    return hop_graph_generate(t->context, "erdos-renyi", &options, &t->graph);
}

typedef struct crossing {
    const char *constant;
    hop_problem problem;
    const char *few, *many; /* the variant for small inputs, and for large ones */
    double least;           /* sizes: this, and each next one twice as large */
    int sizes;
    bool alone;   /* on one thread */
    double edges; /* per vertex */
} crossing;

/* An input of about `size` in the unit of the problem's constant, and room for results. */
static hop_status begin_trial(trial *t, hop_context *context, hop_problem problem, double edges,
                              double size) {
    hop_status status = HOP_OK;
    double n = size;
    *t = (trial){.context = context, .problem = problem};
    if (problem == HOP_PROBLEM_RANK) {
        t->length = (hop_vertex)size;
        t->list = malloc((size_t)t->length * sizeof *t->list);
        status = t->list ? hop_list_generate(context, t->length, 1, t->list) : HOP_ERR_MEMORY;
    } else if (problem == HOP_PROBLEM_SSSP) {
        status = make_graph(t, n, edges * n, true);
    } else {
        n = floor(size / (2 * edges + (problem == HOP_PROBLEM_BFS)));
        status = make_graph(t, n, edges * n, false);
    }
    t->results = malloc((size_t)n * 8 + 64);
    t->more = malloc((size_t)n * 8 + 64);
    return status == HOP_OK && (!t->results || !t->more) ? HOP_ERR_MEMORY : status;
}

static void end_trial(trial *t) {
    hop_graph_release(t->graph);
    free(t->list);
    free(t->results);
    free(t->more);
}

/* log(time of `few` / time of `many`) on one input: the least times, the two run in turn. */
static hop_status compare_at(hop_context *context, const crossing *what, double size,
                             double seconds, double *ratio) {
    trial t;
    double best[2] = {HUGE_VAL, HUGE_VAL}, taken;
    hop_status status = begin_trial(&t, context, what->problem, what->edges, size);
    double end = clock_now(CLOCK_MONOTONIC) + seconds;
    for (int i = 0; status == HOP_OK && (i < 6 || clock_now(CLOCK_MONOTONIC) < end); i++) {
        status = run_once(&t, i % 2 ? what->many : what->few, &taken);
        best[i % 2] = taken < best[i % 2] ? taken : best[i % 2];
    }
    *ratio = log(best[0] / best[1]);
    end_trial(&t);
    return status;
}

/* The size at which the sign changes best: few on the wrong side of it. */
static double crossing_of(const double *sizes, const double *ratios, int count) {
    int best = 0, least = count + 1;
    for (int cut = 0; cut <= count; cut++) { /* from here on `many` is to be faster */
        int wrong = 0;
        for (int i = 0; i < count; i++)
            wrong += i < cut ? ratios[i] > 0 : ratios[i] <= 0;
        if (wrong < least) {
            least = wrong;
            best = cut;
        }
    }
    if (best == 0 || best == count)
        return best == 0 ? sizes[0] : sizes[count - 1] * 2;
    double below = ratios[best - 1], above = ratios[best];
    double part = below < 0 && above > 0 ? below / (below - above) : 0.5;
    return sizes[best - 1] * exp(part * log(sizes[best] / sizes[best - 1]));
}

static hop_status measure_crossing(hop_context *context, const crossing *what, double seconds) {
    double sizes[SIZES_MOST], ratios[SIZES_MOST];
    hop_context *runner = context, *alone = NULL;
    hop_status status = HOP_OK;
    if (what->alone) {
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        options.threads = 1;
        status = hop_context_create(&options, &alone);
        runner = alone;
    }
    for (int i = 0; status == HOP_OK && i < what->sizes; i++) {
        sizes[i] = what->least * (double)(1u << i);
        status = compare_at(runner, what, sizes[i], seconds / what->sizes, &ratios[i]);
    }
    if (status == HOP_OK)
        status =
            hop_tuning_set(context, what->constant, round(crossing_of(sizes, ratios, what->sizes)));
    hop_context_free(alone);
    return status;
}

/* The least time of all pairs on n vertices with `degree` arcs each. */
static hop_status time_pairs(hop_context *context, double n, double degree, const char *variant,
                             double seconds, double *best) {
    trial t = {.context = context, .problem = HOP_PROBLEM_APSP};
    double end = clock_now(CLOCK_MONOTONIC) + seconds, taken;
    hop_status status = make_graph(&t, n, n * degree / 2, true);
    *best = HUGE_VAL;
    t.results = malloc((size_t)(n * n) * 4);
    if (!t.results)
        status = HOP_ERR_MEMORY;
    for (int i = 0; status == HOP_OK && (i < 2 || clock_now(CLOCK_MONOTONIC) < end); i++) {
        status = run_once(&t, variant, &taken);
        *best = taken < *best ? taken : *best;
    }
    end_trial(&t);
    return status;
}

/* The three constants of all pairs: as the cost model of the library counts them, on int32. */
static hop_status measure_pairs(hop_context *context, double seconds) {
    const double n = 768, few = 8, many = 128, threads = hop_context_threads(context);
    double matrix, sparse, dense;
    hop_status status = time_pairs(context, n, few, "blocked", seconds / 3, &matrix);
    if (status == HOP_OK)
        status = time_pairs(context, n, few, "dijkstra", seconds / 3, &sparse);
    if (status == HOP_OK)
        status = time_pairs(context, n, many, "dijkstra", seconds / 3, &dense);
    if (status != HOP_OK)
        return status;
    double arc = (dense - sparse) * 1e9 * threads / (n * n * (many - few));
    arc = arc > 0.01 ? arc : 0.01;
    double queue = sparse * 1e9 * threads / (n * n) - arc * few;
    queue = queue > 0.1 ? queue : 0.1;
    status = hop_tuning_set(context, "apsp.step", matrix * 1e9 * threads / (n * n * n));
    if (status == HOP_OK)
        status = hop_tuning_set(context, "apsp.queue", queue);
    if (status == HOP_OK)
        status = hop_tuning_set(context, "apsp.arc", arc);
    return status;
}

hop_status measure_constants(hop_context *context, double seconds) {
    static const crossing crossings[] = {
        {"rank.small", HOP_PROBLEM_RANK, "sequential", "interleaved", 1 << 12, 8, false, 0},
        {"components.small", HOP_PROBLEM_COMPONENTS, "rem", "giant-first", 1 << 11, 8, false, 8},
        {"bfs.small", HOP_PROBLEM_BFS, "sequential", "direction-optimizing", 1 << 11, 8, false, 8},
        {"sssp.small", HOP_PROBLEM_SSSP, "dijkstra", "delta-stepping", 1 << 10, 8, false, 4},
        {"sssp.small-alone", HOP_PROBLEM_SSSP, "dijkstra", "delta-stepping", 1 << 11, 7, true, 4},
        {"sssp.small-sparse", HOP_PROBLEM_SSSP, "dijkstra", "delta-stepping", 1 << 9, 7, false, 2},
    };
    enum { COUNT = sizeof crossings / sizeof crossings[0] };
    hop_status status = HOP_OK;
    for (int i = 0; status == HOP_OK && i < COUNT; i++)
        status = measure_crossing(context, &crossings[i], seconds / (COUNT + 1));
    return status == HOP_OK ? measure_pairs(context, seconds / (COUNT + 1)) : status;
}
