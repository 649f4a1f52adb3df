/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite-mpi apsp GRAPH. */
#include <math.h>
#include <string.h>

#include "cluster/cluster_job.h"
#include "distance_text.h"
#include "exit_codes.h"
#include "number_text.h"

/* What the matrix says as a whole. */
typedef struct pair_facts {
    uint64_t connected; /* pairs of different vertices with a path */
    hop_type type;      /* of distances */
    union {
        int64_t integer;
        float narrow;
        double real;
    } diameter;
} pair_facts;

/* A distance, or 0 if it is less, as a number that is in its order; UINT64_MAX: no path. */
static uint64_t key_at(const hop_cluster_matrix *matrix, bool whole, uint64_t row, uint64_t v) {
    uint64_t bits;
    if (whole) {
        int64_t distance = hop_cluster_matrix_at(matrix, row, v);
        return distance == HOP_NO_DISTANCE ? UINT64_MAX : distance > 0 ? (uint64_t)distance : 0;
    }
    double distance = hop_cluster_matrix_real_at(matrix, row, v);
    memcpy(&bits, &distance, sizeof bits);
    return distance == HUGE_VAL ? UINT64_MAX : distance > 0 ? bits : 0;
}

static void set_diameter(pair_facts *facts, uint64_t key) {
    double real;
    memcpy(&real, &key, sizeof real);
    if (facts->type == HOP_TYPE_INT64)
        facts->diameter.integer = (int64_t)key;
    else if (facts->type == HOP_TYPE_FLOAT32)
        facts->diameter.narrow = (float)real;
    else
        facts->diameter.real = real;
}

static hop_status measure(cluster_job *job, const hop_cluster_matrix *matrix, pair_facts *facts) {
    hop_cluster_area area = hop_cluster_matrix_area(matrix);
    uint64_t connected = 0, farthest = 0;
    facts->type = hop_cluster_matrix_type(matrix);
    for (uint64_t row = area.first_row; row < area.first_row + area.rows; row++)
        for (uint64_t v = area.first_column; v < area.first_column + area.columns; v++) {
            uint64_t key = key_at(matrix, facts->type == HOP_TYPE_INT64, row, v);
            if (key == UINT64_MAX || row == v)
                continue;
            connected++;
            farthest = key > farthest ? key : farthest;
        }
    hop_status status = hop_cluster_total(job->cluster, connected, &facts->connected, NULL);
    if (status == HOP_OK)
        status = hop_cluster_total(job->cluster, farthest, NULL, &farthest);
    set_diameter(facts, farthest);
    return status;
}

static int tell(cluster_job *job, const pair_facts *facts) {
    bool certified = is_given(job->given, OPT_SPREAD_CERTIFY);
    json out;
    cluster_job_report(job, &out);
    if (job->work.json) {
        json_string(&out, "weights", hop_type_name(hop_cluster_graph_weight_type(job->graph)));
        json_count(&out, "connected", facts->connected);
        distance_json(&out, "diameter", facts->type, &facts->diameter, 0);
        json_bool(&out, "certified", certified);
    } else {
        printf("%s connected, the farthest at distance %s, in %s%s\n",
               counted_text(facts->connected, "pair", "pairs").s,
               distance_text(facts->type, &facts->diameter, 0).s,
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
