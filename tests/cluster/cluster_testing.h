/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests that are the ranks of an MPI job. A check that fails on one rank ends the whole job:
 * the others may be waiting for it. */
#ifndef HOPLITE_TESTS_CLUSTER_TESTING_H
#define HOPLITE_TESTS_CLUSTER_TESTING_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster_graph.h"
#include "core/memory.h"
#include "hoplite/hoplite.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            check_failed(__FILE__, __LINE__, #condition, "");                                      \
    } while (0)
#define CHECK_OK(context, call)                                                                    \
    do {                                                                                           \
        if ((call) != HOP_OK)                                                                      \
            check_failed(__FILE__, __LINE__, #call, hop_context_message(context));                 \
    } while (0)

static inline void check_failed(const char *file, int line, const char *what, const char *message) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "%s:%d: rank %d: %s %s\n", file, line, rank, what, message);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A job with its context: HOPLITE_TEST_MESSAGE_BYTES is the most bytes of a message. */
typedef struct job {
    hop_context *context;
    hop_cluster *cluster;
    uint32_t rank, ranks;
    uint64_t own; /* bytes of the cluster itself */
} job;

static inline job job_begin(void) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_cluster_options cluster_options = HOP_CLUSTER_OPTIONS_INIT;
    const char *bytes = getenv("HOPLITE_TEST_MESSAGE_BYTES");
    job work = {NULL, NULL, 0, 0, 0};
    options.threads = 1;
    cluster_options.message_bytes = bytes != NULL ? strtoull(bytes, NULL, 10) : 0;
    if (hop_context_create(&options, &work.context) != HOP_OK)
        exit(1);
    CHECK_OK(work.context, hop_cluster_create(work.context, &cluster_options, &work.cluster));
    work.rank = (uint32_t)hop_cluster_rank(work.cluster);
    work.ranks = (uint32_t)hop_cluster_ranks(work.cluster);
    work.own = hop_context_memory_used(work.context);
    return work;
}

/* Everything that was allocated is back. */
static inline void job_end(job *work) {
    CHECK(hop_context_memory_used(work->context) == work->own);
    hop_cluster_free(work->cluster);
    hop_context_free(work->context);
}

/* A graph by recipe: "rmat scale 10 edge-factor 8". */
typedef struct recipe {
    const char *family;
    hop_setting settings[4];
    size_t count;
} recipe;

static const recipe recipes[] = {
    {"rmat", {{"scale", 10}, {"edge-factor", 8}}, 2},
    {"rmat", {{"scale", 9}, {"edge-factor", 4}, {"directed", 1}, {"shuffle", 0}}, 4},
    {"erdos-renyi", {{"n", 900}, {"m", 700}}, 2},
    {"erdos-renyi", {{"n", 500}, {"m", 5000}}, 2},
    {"erdos-renyi", {{"n", 300}, {"m", 900}, {"directed", 1}}, 3},
    {"erdos-renyi", {{"n", 5}, {"m", 2}}, 2},
    {"erdos-renyi", {{"n", 40}, {"m", 0}}, 2},
    {"erdos-renyi", {{"n", 0}, {"m", 0}}, 2},
    {"list-graph", {{"n", 3000}}, 1},
    {"grid", {{"rows", 40}, {"cols", 30}}, 2},
    {"fanout", {{"n", 2000}, {"k", 3}}, 2},
};
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

static inline hop_generate_options recipe_options(const recipe *made) {
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    options.settings = made->settings;
    options.setting_count = made->count;
    options.seed = 7;
    return options;
}

/* The same graph whole, on this rank. */
static inline hop_graph *whole_graph(hop_context *context, const recipe *made) {
    hop_generate_options options = recipe_options(made);
    hop_graph *graph = NULL;
    CHECK_OK(context, hop_graph_generate(context, made->family, &options, &graph));
    return graph;
}

static inline hop_cluster_graph *spread_graph(job *work, const recipe *made) {
    hop_generate_options options = recipe_options(made);
    hop_cluster_graph *graph = NULL;
    CHECK_OK(work->context,
             hop_cluster_graph_generate(work->cluster, made->family, &options, &graph));
    return graph;
}

/* The same graphs with weights of a type. */
static inline hop_generate_options weighted_options(const recipe *made, hop_weight_type type) {
    hop_generate_options options = recipe_options(made);
    options.weight_type = type;
    options.min_weight = 1;
    options.max_weight = 9;
    return options;
}

/* A path that all ranks know and nobody else has; `name` in a folder that rank 0 has made. */
typedef struct shared_path {
    char folder[64], path[128];
} shared_path;

static inline shared_path path_begin(job *work, const char *name) {
    shared_path place = {.folder = "/tmp/hoplite-cluster-XXXXXX"};
    if (work->rank == 0)
        CHECK(mkdtemp(place.folder) != NULL);
    MPI_Bcast(place.folder, (int)sizeof place.folder, MPI_BYTE, 0, MPI_COMM_WORLD);
    (void)snprintf(place.path, sizeof place.path, "%s/%s", place.folder, name);
    return place;
}

static inline void path_end(job *work, const shared_path *place) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (work->rank == 0) {
        (void)remove(place->path);
        CHECK(remove(place->folder) == 0);
    }
}

/* Of the phase of this name. */
static inline uint64_t rounds_of(const job *work, const char *name) {
    hop_cluster_phase phase = {.size = sizeof phase};
    for (size_t i = 0; hop_cluster_phase_at(work->cluster, i, &phase); i++)
        if (strcmp(phase.name, name) == 0)
            return phase.rounds;
    return 0;
}
/* Of all phases that begin with `name`. */
static inline uint64_t bytes_of(const job *work, const char *name) {
    hop_cluster_phase phase = {.size = sizeof phase};
    uint64_t bytes = 0;
    for (size_t i = 0; hop_cluster_phase_at(work->cluster, i, &phase); i++)
        bytes += strncmp(phase.name, name, strlen(name)) == 0 ? phase.bytes : 0;
    return bytes;
}

#endif
