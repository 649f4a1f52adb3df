/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite-mpi apsp GRAPH. */
#include "cluster/cluster_job.h"
#include "exit_codes.h"
#include "number_text.h"

/* What the matrix says as a whole. */
typedef struct pair_facts {
    uint64_t connected; /* pairs of different vertices with a path */
    uint64_t diameter;
} pair_facts;

static hop_status measure(cluster_job *job, const hop_cluster_matrix *matrix, pair_facts *facts) {
    hop_cluster_area area = hop_cluster_matrix_area(matrix);
    uint64_t connected = 0, farthest = 0;
    for (uint64_t row = area.first_row; row < area.first_row + area.rows; row++)
        for (uint64_t v = area.first_column; v < area.first_column + area.columns; v++) {
            int64_t distance = hop_cluster_matrix_at(matrix, row, v);
            if (distance == HOP_NO_DISTANCE || row == v)
                continue;
            connected++;
            farthest = (uint64_t)distance > farthest ? (uint64_t)distance : farthest;
        }
    hop_status status = hop_cluster_total(job->cluster, connected, &facts->connected, NULL);
    if (status == HOP_OK)
        status = hop_cluster_total(job->cluster, farthest, NULL, &facts->diameter);
    return status;
}

static int tell(cluster_job *job, const pair_facts *facts) {
    bool certified = is_given(job->given, OPT_SPREAD_CERTIFY);
    json out;
    cluster_job_report(job, &out);
    if (job->work.json) {
        json_string(&out, "weights", hop_type_name(hop_cluster_graph_weight_type(job->graph)));
        json_count(&out, "connected", facts->connected);
        json_count(&out, "diameter", facts->diameter);
        json_bool(&out, "certified", certified);
    } else {
        printf("%s connected, the farthest at distance %s, in %s%s\n",
               counted_text(facts->connected, "pair", "pairs").s, count_text(facts->diameter).s,
               seconds_text(job->solve_seconds).s, certified ? ", certified" : "");
    }
    return cluster_job_finish(job, &out);
}

static int solve(cluster_job *job, hop_cluster_matrix **matrix) {
    const arguments *given = job->given;
    pair_facts facts;
    double began = clock_seconds();
    hop_status status = hop_cluster_apsp(job->cluster, job->graph, matrix);
    job->solve_seconds = clock_seconds() - began;
    if (status == HOP_OK && is_given(given, OPT_SPREAD_CERTIFY))
        status = hop_cluster_apsp_certify(job->cluster, job->graph, *matrix);
    if (status == HOP_OK)
        status = measure(job, *matrix, &facts);
    if (status == HOP_OK && is_given(given, OPT_SPREAD_OUTPUT)) {
        const char *path = given->values[OPT_SPREAD_OUTPUT].text;
        status = hop_cluster_matrix_write(job->cluster, *matrix, path);
        if (status == HOP_OK)
            session_say(&job->work, "wrote %s", path);
    }
    return status == HOP_OK ? tell(job, &facts) : cluster_job_fail(job, status);
}

int run_cluster_apsp(const arguments *given) {
    cluster_job job;
    hop_cluster_matrix *matrix = NULL;
    int code = cluster_path_check(given, OPT_SPREAD_OUTPUT);
    if (code != CODE_OK)
        return code;
    code = cluster_job_open(&job, given);
    if (code == CODE_OK)
        code = solve(&job, &matrix);
    hop_cluster_matrix_free(matrix);
    cluster_job_close(&job);
    return code;
}
