/* SPDX-License-Identifier: Apache-2.0
 *
 * What the verbs of hoplite-mpi share: the graph that the command line names, spread over the
 * ranks, and the report of what was done and sent. */
#ifndef HOPLITE_CLI_CLUSTER_JOB_H
#define HOPLITE_CLI_CLUSTER_JOB_H

#include "arguments.h"
#include "cluster/cluster_figure.h"
#include "hoplite/cluster.h"
#include "json_writer.h"
#include "session.h"

/* The ranks of the job, for what must be known before a verb has a context. */
extern hop_cluster *cluster_ranks;

typedef struct cluster_job {
    session work;
    const arguments *given;
    hop_cluster *cluster;
    hop_cluster_graph *graph;
    uint64_t elements; /* of a list, where there is no graph */
    double began;      /* when the ranks had joined */
    double open_seconds, solve_seconds;
    uint64_t arcs_most; /* over all ranks */
    figure drawn;       /* of the report */
} cluster_job;

/* Opens the graph; to be closed in any case. Returns an exit code, the same on all ranks. */
int cluster_job_open(cluster_job *job, const arguments *given);
void cluster_job_close(cluster_job *job);
int cluster_job_fail(cluster_job *job, hop_status status);
/* Begins the report: JSON with what is known of the graph, or lines. */
void cluster_job_report(cluster_job *job, json *out);
/* The same without a graph: only the ranks. */
int cluster_job_join(cluster_job *job, const arguments *given);
/* Edges of the graph, or elements of the list, per second of solving; 0 where none was solved. */
double cluster_job_speed(const cluster_job *job);
/* Ends it, with what was sent in each phase, and how long the ranks worked and waited. Collective,
 * by reductions: no rank has more of it than one line. */
int cluster_job_finish(cluster_job *job, json *out);
/* Writes one item for each vertex or element, if the option was given. Collective. */
int cluster_job_write(cluster_job *job, option_id option, const void *items, hop_type type);

/* Refuses a path of results that is no .npy file. */
int cluster_path_check(const arguments *given, option_id option);

int run_cluster_components(const arguments *given);
int run_cluster_bfs(const arguments *given);
int run_cluster_sssp(const arguments *given);
int run_cluster_apsp(const arguments *given);
int run_cluster_rank(const arguments *given);
int run_cluster_info(const arguments *given);

#endif
