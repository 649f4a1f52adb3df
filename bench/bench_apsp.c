/* SPDX-License-Identifier: Apache-2.0
 * How near the variant `blocked` of apsp comes to what the processor can do:
 *     bench_apsp N TYPE THREADS REPEATS
 * with TYPE float32, float64, int32 or int64 (the distances). In turn, REPEATS times: a loop of
 * additions and minimums on registers alone, on THREADS threads at the same time, for half a
 * second; and all pairs of a random graph of N vertices. Prints 10^9 relaxations (one addition and
 * one minimum) per second of both, and their ratio, and the phases of the last run. The loop needs
 * AVX-512. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hoplite/hoplite.h"
#include "trial.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define TARGET __attribute__((target("avx512f,avx512dq")))

enum { ROUNDS = 1 << 16, HELD = 16 };

/* HELD independent vectors, as many as a tile of the variant holds. The empty assembly keeps the
 * compiler from seeing that all sums are the same. */
#define LOOP(name, vector, spread, add, least, one, lanes)                                         \
    TARGET static double name##_loop(double seconds) {                                             \
        vector best[HELD], via = spread(one), first = spread(one);                                 \
        double begin = now(), end = begin, done = 0;                                               \
        for (int i = 0; i < HELD; i++)                                                             \
            best[i] = spread(one);                                                                 \
        for (; end < begin + seconds; end = now(), done += (double)ROUNDS * HELD * (lanes))        \
            for (int k = 0; k < ROUNDS; k++) {                                                     \
                FOUR(0, 1, 2, 3, add, least)                                                       \
                FOUR(4, 5, 6, 7, add, least)                                                       \
                FOUR(8, 9, 10, 11, add, least)                                                     \
                FOUR(12, 13, 14, 15, add, least)                                                   \
            }                                                                                      \
        for (int i = 0; i < HELD; i++)                                                             \
            __asm__ volatile("" : : "v"(best[i]));                                                 \
        return done / (end - begin);                                                               \
    }
#define FOUR(a, b, c, d, add, least)                                                               \
    STEP(a, add, least);                                                                           \
    STEP(b, add, least);                                                                           \
    STEP(c, add, least);                                                                           \
    STEP(d, add, least);
#define STEP(i, add, least)                                                                        \
    __asm__ volatile("" : "+v"(first));                                                            \
    best[i] = least(add(first, via), best[i])

LOOP(float32, __m512, _mm512_set1_ps, _mm512_add_ps, _mm512_min_ps, 1.0f, 16)
LOOP(float64, __m512d, _mm512_set1_pd, _mm512_add_pd, _mm512_min_pd, 1.0, 8)
LOOP(int32, __m512i, _mm512_set1_epi32, _mm512_add_epi32, _mm512_min_epi32, 1, 16)
LOOP(int64, __m512i, _mm512_set1_epi64, _mm512_add_epi64, _mm512_min_epi64, 1, 8)

static double (*loop_of(hop_weight_type type))(double) {
    static double (*const loops[])(double) = {[HOP_TYPE_INT32] = int32_loop,
                                              [HOP_TYPE_INT64] = int64_loop,
                                              [HOP_TYPE_FLOAT32] = float32_loop,
                                              [HOP_TYPE_FLOAT64] = float64_loop};
    return __builtin_cpu_supports("avx512dq") ? loops[type] : NULL;
}
#else
static double (*loop_of(hop_weight_type type))(double) {
    (void)type;
    return NULL;
}
#endif

typedef struct worker {
    pthread_t thread;
    hop_weight_type type;
    double rate;
} worker;

static void *work(void *arg) {
    worker *me = arg;
    me->rate = loop_of(me->type)(0.5);
    return NULL;
}

/* Relaxations per second of all threads together. */
static double measure_loop(hop_weight_type type, unsigned threads) {
    worker workers[64];
    double sum = 0;
    for (unsigned i = 0; i < threads; i++) {
        workers[i].type = type;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            exit(1);
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        sum += workers[i].rate;
    }
    return sum;
}

static int fail(const hop_context *context) {
    fprintf(stderr, "bench_apsp: %s\n", hop_context_message(context));
    return 1;
}

static hop_graph *make_graph(hop_context *context, double n, hop_weight_type type) {
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_setting settings[] = {{"n", n, NULL}, {"m", 8 * n, NULL}};
    hop_graph *graph = NULL;
    options.settings = settings;
    options.setting_count = 2;
    options.weight_type = type == HOP_TYPE_INT64 ? HOP_TYPE_INT32 : type;
    options.min_weight = 1;
    options.max_weight = 255;
    return hop_graph_generate(context, "erdos-renyi", &options, &graph) == HOP_OK ? graph : NULL;
}

static hop_weight_type type_named(const char *name) {
    for (int i = HOP_TYPE_INT32; i <= HOP_TYPE_FLOAT64; i++)
        if (strcmp(hop_type_name((hop_weight_type)i), name) == 0)
            return (hop_weight_type)i;
    return HOP_TYPE_NONE;
}

int main(int argc, char **argv) {
    hop_weight_type type = argc == 5 ? type_named(argv[2]) : HOP_TYPE_NONE;
    if (type == HOP_TYPE_NONE || atoi(argv[3]) < 1 || atoi(argv[3]) > 64) {
        fprintf(stderr, "usage: bench_apsp N TYPE THREADS REPEATS\n");
        return 2;
    }
    double n = atoi(argv[1]);
    unsigned threads = (unsigned)atoi(argv[3]);
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_apsp_options apsp = HOP_APSP_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_report *report = NULL;
    hop_context *context = NULL;
    options.threads = threads;
    run.variant = "blocked";
    if (hop_report_create(0, &report) != HOP_OK)
        return 1;
    run.report = report;
    apsp.run = &run;
    apsp.distance_type = type;
    void *matrix = malloc((size_t)(n * n) * 8);
    if (!matrix || hop_context_create(&options, &context) != HOP_OK)
        return 1;
    hop_graph *graph = make_graph(context, n, type);
    if (!graph)
        return fail(context);
    for (int i = 0; another_trial(i, atoi(argv[4])); i++) {
        double loop = loop_of(type) ? measure_loop(type, threads) : 0;
        const hop_span room = {matrix, (uint64_t)(n * n), type};
        if (hop_apsp(context, graph, &apsp, &room, NULL) != HOP_OK)
            return fail(context);
        double rate = n * n * n / hop_report_seconds(report);
        printf("Apsp Time: %.5f  blocked %.2f G/s  loop %.2f G/s  share %.3f\n",
               hop_report_seconds(report), rate / 1e9, loop / 1e9, loop > 0 ? rate / loop : 0);
    }
    for (size_t i = 0; i < hop_report_phase_count(report); i++)
        printf("%-9s %.5f s\n", hop_report_phase(report, i)->name,
               hop_report_phase(report, i)->seconds);
    hop_graph_release(graph);
    hop_report_free(report);
    hop_context_free(context);
    free(matrix);
    return 0;
}
