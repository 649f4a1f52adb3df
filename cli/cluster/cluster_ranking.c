/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite-mpi rank LIST. */
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster_job.h"
#include "complaint.h"
#include "exit_codes.h"
#include "number_text.h"
#include "vertex_file.h"

typedef struct list_ranking {
    cluster_job job;
    uint64_t count; /* of this rank's elements */
    uint64_t *successors, *ranks, *heads;
    hop_cluster_rank_options options;
    /* Of all ranks. */
    uint64_t ranked, lists, longest;
} list_ranking;

/* Heads as hoplite names them: all ranks read them. */
static int take_heads(list_ranking *work) {
    const arguments *given = work->job.given;
    vertex_set set = {0};
    work->options.all = is_given(given, OPT_ALL);
    if (!is_given(given, OPT_HEAD) && !is_given(given, OPT_HEADS))
        return CODE_OK;
    if (work->options.all)
        return complain(CODE_USAGE, "--all begins at every head; --head and --heads name some");
    if (work->job.elements > HOP_MAX_VERTICES)
        return complain(CODE_USAGE, "--head and --heads are for lists below 2^32 elements; use "
                                    "--all");
    vertex_space space = {
        .count = (hop_vertex)work->job.elements, .noun = "element", .owner = "the list"};
    int code = vertices_take(&work->job.work, &space, OPT_HEAD, OPT_HEADS, &set);
    work->heads = calloc(set.count + 1, sizeof *work->heads);
    if (code == CODE_OK && work->heads == NULL)
        code = complain(CODE_FAILURE, "no memory for %zu heads", set.count);
    for (size_t i = 0; code == CODE_OK && i < set.count; i++)
        work->heads[i] = set.vertices[i];
    work->options.heads = work->heads;
    work->options.head_count = set.count;
    free(set.vertices);
    return code;
}

static hop_status measure(list_ranking *work) {
    uint64_t counts[2] = {0, 0}, longest = 0;
    for (uint64_t i = 0; i < work->count; i++) {
        if (work->ranks[i] == HOP_NO_CLUSTER_VERTEX)
            continue;
        counts[0]++;
        counts[1] += work->ranks[i] == 0;
        longest = work->ranks[i] > longest ? work->ranks[i] : longest;
    }
    hop_status status = hop_cluster_total(work->job.cluster, counts[0], &work->ranked, NULL);
    if (status == HOP_OK)
        status = hop_cluster_total(work->job.cluster, counts[1], &work->lists, NULL);
    if (status == HOP_OK)
        status = hop_cluster_total(work->job.cluster, longest, NULL, &work->longest);
    return status;
}

static int tell(list_ranking *work) {
    cluster_job *job = &work->job;
    bool certified = is_given(job->given, OPT_SPREAD_CERTIFY);
    json out;
    bar_wipe(&job->work.bar);
    if (job->work.json) {
        json_begin(&out, stdout, job->given->verb->name);
        json_string(&out, "list", job->given->operands[0]);
        json_count(&out, "ranks", hop_cluster_ranks(job->cluster));
        json_count(&out, "elements", job->elements);
        json_real(&out, "open_seconds", job->open_seconds);
        json_count(&out, "ranked", work->ranked);
        json_count(&out, "lists", work->lists);
        json_count(&out, "longest", work->longest);
        json_bool(&out, "certified", certified);
    } else {
        printf("%s of %s ranked in %s, the longest has %s, in %s, %.1f million elements/s%s\n",
               count_text(work->ranked).s, counted_text(job->elements, "element", "elements").s,
               counted_text(work->lists, "list", "lists").s,
               counted_text(work->longest, "link", "links").s, seconds_text(job->solve_seconds).s,
               1e-6 * cluster_job_speed(job), certified ? ", certified" : "");
    }
    return cluster_job_finish(job, &out);
}

static hop_status solve(list_ranking *work) {
    cluster_job *job = &work->job;
    void *ranks = NULL;
    hop_status status = hop_block_create(job->work.context, "rank: ranks", work->count,
                                         sizeof *work->ranks, &ranks);
    work->ranks = ranks;
    status = hop_cluster_agree(job->cluster, status);
    double began = clock_seconds();
    if (status == HOP_OK)
        status = hop_cluster_list_rank(job->cluster, work->successors, job->elements,
                                       &work->options, work->ranks);
    job->solve_seconds = clock_seconds() - began;
    if (status == HOP_OK && is_given(job->given, OPT_SPREAD_CERTIFY))
        status = hop_cluster_list_certify(job->cluster, work->successors, job->elements,
                                          &work->options, work->ranks);
    return status == HOP_OK ? measure(work) : status;
}

static int run(list_ranking *work) {
    cluster_job *job = &work->job;
    double began = clock_seconds();
    uint64_t first;
    hop_status status = hop_cluster_list_read(job->cluster, job->given->operands[0], &job->elements,
                                              &work->successors);
    job->open_seconds = clock_seconds() - began;
    if (status != HOP_OK)
        return cluster_job_fail(job, status);
    hop_cluster_part(job->cluster, job->elements, &first, &work->count);
    int code = take_heads(work);
    /* A rank that could not read the heads must not be waited for. */
    status = hop_cluster_agree(job->cluster, code == CODE_OK ? HOP_OK : HOP_ERR_INPUT);
    if (code != CODE_OK || status != HOP_OK)
        return code != CODE_OK ? code : CODE_FAILURE;
    status = solve(work);
    if (status != HOP_OK)
        return cluster_job_fail(job, status);
    code = cluster_job_write(job, OPT_SPREAD_OUTPUT, work->ranks, HOP_TYPE_UINT64);
    return code == CODE_OK ? tell(work) : code;
}

int run_cluster_rank(const arguments *given) {
    list_ranking work = {.options = HOP_CLUSTER_RANK_OPTIONS_INIT};
    int code = cluster_path_check(given, OPT_SPREAD_OUTPUT);
    if (code == CODE_OK && given->operand_count == 0)
        code = complain(CODE_USAGE, "a list expected: an .npy file of successors");
    if (code != CODE_OK)
        return code;
    code = cluster_job_join(&work.job, given);
    if (code == CODE_OK)
        code = run(&work);
    free(work.heads);
    hop_block_free(work.successors);
    hop_block_free(work.ranks);
    cluster_job_close(&work.job);
    return code;
}
