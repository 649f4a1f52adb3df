/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranks against threads, alternating in one run:
 *
 *     mpirun --bind-to none -n 2 bench_cluster FILE.npz THREADS ROUNDS [PROBLEM]
 *
 * Not bound, since Open MPI binds each of two ranks to a core of its own: all threads of the
 * library would share that of rank 0.
 *
 * In each round all ranks solve each problem together, then rank 0 alone with the library, on
 * THREADS threads, while the others sleep. Printed are the median of the seconds of both and their
 * ratio, library by ranks: 0.5 means that the ranks take twice as long; the same of the least
 * seconds; and of the median of the processor seconds of all ranks, waiting included, and of the
 * library's threads. Edges per second are those of the graph by the least seconds. Each round has a
 * source of its own, a vertex that reaches many, the same for both. */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hoplite/cluster.h"
#include "hoplite/hoplite.h"
#include "trial.h"

enum { ROUNDS_MOST = 1000 };

typedef struct bench {
    hop_context *context, *threads;
    hop_cluster *cluster;
    hop_cluster_graph *graph;
    hop_graph *whole;
    uint64_t vertices, arcs, source;
    int rank;
    uint32_t *levels;
    uint64_t *parents;
    hop_vertex *whole_levels, *whole_parents;
    double *distances, *whole_distances;
} bench;

static double processor(void) {
    struct timespec at;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void must(const bench *work, hop_context *context, hop_status status) {
    if (status == HOP_OK)
        return;
    fprintf(stderr, "bench_cluster: rank %d: %s\n", work->rank, hop_context_message(context));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Those who have nothing to do leave the cores to who has. */
static void wait_asleep(void) {
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        (void)nanosleep(&(struct timespec){0, 200000}, NULL);
}

typedef struct problem {
    const char *name;
    hop_status (*ranks)(bench *work);
    hop_status (*library)(bench *work);
} problem;

static hop_status bfs_ranks(bench *work) {
    return hop_cluster_bfs(work->cluster, work->graph, &work->source, 1, NULL, work->levels,
                           work->parents);
}

static hop_status bfs_library(bench *work) {
    hop_vertex source = (hop_vertex)work->source;
    return hop_bfs(work->threads, work->whole, &source, 1, NULL, work->whole_levels,
                   work->whole_parents);
}

static hop_status components_ranks(bench *work) {
    return hop_cluster_components(work->cluster, work->graph, work->parents, NULL);
}

static hop_status components_library(bench *work) {
    return hop_components(work->threads, work->whole, NULL, work->whole_parents, NULL);
}

/* The types of distances differ: an array has room for any. */
static hop_status sssp_ranks(bench *work) {
    hop_span distances = {work->distances, hop_cluster_count(work->graph),
                          hop_distance_type(hop_cluster_graph_weight_type(work->graph))};
    return hop_cluster_sssp(work->cluster, work->graph, &work->source, 1, NULL, &distances,
                            work->parents);
}

static hop_status sssp_library(bench *work) {
    hop_vertex source = (hop_vertex)work->source;
    hop_span distances = {work->whole_distances, work->vertices,
                          hop_distance_type(hop_cluster_graph_weight_type(work->graph))};
    return hop_sssp(work->threads, work->whole, &source, 1, NULL, &distances, work->whole_parents);
}

static const problem problems[] = {
    {"bfs", bfs_ranks, bfs_library},
    {"components", components_ranks, components_library},
    {"sssp", sssp_ranks, sssp_library},
};

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

typedef struct series {
    double seconds[ROUNDS_MOST], used[ROUNDS_MOST];
} series;

static double middle(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return values[count / 2];
}

/* The next vertex, in an order of its own, that reaches one in ten of all. */
static void source_next(bench *work) {
    for (uint64_t reached = 0, tried = 0; 10 * reached < work->vertices && tried < 1000; tried++) {
        work->source = (work->source + 7919) % work->vertices;
        must(work, work->context, bfs_ranks(work));
        reached = 0;
        for (uint64_t i = 0; i < hop_cluster_count(work->graph); i++)
            reached += work->levels[i] != HOP_NO_LEVEL;
        must(work, work->context, hop_cluster_total(work->cluster, reached, &reached, NULL));
    }
}

static void compare(bench *work, const problem *what, int rounds) {
    static series ranks, library;
    for (int i = 0; i < rounds; i++) {
        source_next(work);
        MPI_Barrier(MPI_COMM_WORLD);
        double began = now(), used = processor();
        must(work, work->context, what->ranks(work));
        used = processor() - used;
        ranks.seconds[i] = now() - began;
        MPI_Reduce(&used, &ranks.used[i], 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        wait_asleep();
        if (work->rank == 0) {
            began = now(), used = processor();
            must(work, work->threads, what->library(work));
            library.used[i] = processor() - used;
            library.seconds[i] = now() - began;
        }
        wait_asleep();
    }
    if (work->rank != 0)
        return;
    double a = middle(ranks.seconds, rounds), b = middle(library.seconds, rounds);
    double c = middle(ranks.used, rounds), d = middle(library.used, rounds);
    double e = ranks.seconds[0], f = library.seconds[0];
    printf("%-10s median: ranks %.2f ms, library %.2f ms, ratio %.2f; least: %.2f, %.2f, %.2f; "
           "processor: %.2f, %.2f, %.2f; %.0f million edges/s\n",
           what->name, 1e3 * a, 1e3 * b, b / a, 1e3 * e, 1e3 * f, f / e, 1e3 * c, 1e3 * d, d / c,
           1e-6 * (double)work->arcs / 2 / e);
}

static void bench_open(bench *work, const char *path, uint32_t threads) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = 1;
    if (hop_context_create(&options, &work->context) != HOP_OK)
        exit(1);
    options.threads = threads;
    if (hop_context_create(&options, &work->threads) != HOP_OK)
        exit(1);
    must(work, work->context, hop_cluster_create(work->context, NULL, &work->cluster));
    must(work, work->context, hop_cluster_graph_read(work->cluster, path, &work->graph));
    work->rank = (int)hop_cluster_rank(work->cluster);
    work->vertices = hop_cluster_graph_vertices(work->graph);
    work->arcs = hop_cluster_graph_arcs(work->graph);
    size_t own = (size_t)hop_cluster_count(work->graph) + 1;
    work->levels = calloc(own, sizeof *work->levels);
    work->parents = calloc(own, sizeof *work->parents);
    work->distances = calloc(own, sizeof *work->distances);
    if (work->rank == 0) {
        must(work, work->threads, hop_graph_read(work->threads, path, NULL, &work->whole));
        work->whole_levels = calloc((size_t)work->vertices + 1, sizeof *work->whole_levels);
        work->whole_parents = calloc((size_t)work->vertices + 1, sizeof *work->whole_parents);
        work->whole_distances = calloc((size_t)work->vertices + 1, sizeof *work->whole_distances);
    }
}

static void bench_close(bench *work) {
    free(work->levels);
    free(work->parents);
    free(work->distances);
    free(work->whole_distances);
    free(work->whole_levels);
    free(work->whole_parents);
    hop_graph_release(work->whole);
    hop_cluster_graph_free(work->graph);
    hop_cluster_free(work->cluster);
    hop_context_free(work->context);
    hop_context_free(work->threads);
}

static bool has_cores(int threads) {
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) != 0 || CPU_COUNT(&cores) >= threads;
}

int main(int argc, char **argv) {
    bench work = {.rank = 0};
    int rounds = argc == 4 || argc == 5 ? atoi(argv[3]) : 0;
    if (rounds < 1 || rounds > ROUNDS_MOST || atoi(argv[2]) < 1) {
        fprintf(stderr, "usage: mpirun --bind-to none -n RANKS bench_cluster FILE.npz "
                        "THREADS ROUNDS [PROBLEM]\n");
        return 2;
    }
    if (!has_cores(atoi(argv[2]))) {
        fprintf(stderr, "bench_cluster: fewer cores than threads; use mpirun --bind-to none\n");
        return 2;
    }
    bench_open(&work, argv[1], (uint32_t)atoi(argv[2]));
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        if (argc == 4 || strcmp(argv[4], problems[i].name) == 0)
            compare(&work, &problems[i], rounds);
    bench_close(&work);
    return 0;
}
