/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite rank LIST: how many links each element is away from its tail. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "exit_codes.h"
#include "graph_report.h"
#include "memory_need.h"
#include "number_text.h"
#include "problem_job.h"
#include "result_file.h"
#include "vertex_file.h"

typedef struct rank_verb {
    problem_job job;
    opened_list list;
    const hop_vertex *successors; /* of it */
    hop_vertex count;
    vertex_set heads;
    bool named; /* heads were named: not one list of all elements from 0 on */
    hop_vertex *ranks;
    /* What is told. */
    hop_vertex ranked, lists, longest; /* longest: the element of the greatest rank */
} rank_verb;

static hop_status call(void *user, const hop_run *run) {
    rank_verb *rank = user;
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    static const hop_vertex none = 0;
    options.run = run;
    if (rank->named) {
        options.heads = rank->heads.count > 0 ? rank->heads.vertices : &none;
        options.head_count = (hop_vertex)rank->heads.count;
    }
    return hop_rank(rank->job.work.context, rank->successors, rank->count, &options, rank->ranks);
}

static int take_heads(rank_verb *rank) {
    const arguments *given = rank->job.work.given;
    vertex_space space = {.count = rank->count, .noun = "element", .owner = "the list"};
    bool some = is_given(given, OPT_HEAD) || is_given(given, OPT_HEADS);
    rank->named = some || is_given(given, OPT_ALL);
    if (some && is_given(given, OPT_ALL))
        return complain(CODE_USAGE, "--all begins at every head; --head and --heads name some");
    if (is_given(given, OPT_HEADS) && strcmp(given->values[OPT_HEADS].text, "-") == 0 &&
        strcmp(rank->job.input, "-") == 0)
        return complain(CODE_USAGE, "only one of list and --heads can be -");
    if (is_given(given, OPT_ALL))
        return list_heads(rank->successors, rank->count, &rank->heads);
    return vertices_take(&rank->job.work, &space, OPT_HEAD, OPT_HEADS, &rank->heads);
}

static void measure(rank_verb *rank) {
    for (hop_vertex i = 0; i < rank->count; i++)
        if (rank->ranks[i] != HOP_NO_RANK) {
            if (rank->ranked++ == 0 || rank->ranks[i] > rank->ranks[rank->longest])
                rank->longest = i;
            rank->lists += rank->ranks[i] == 0;
        }
}

static void tell(rank_verb *rank) {
    FILE *file = job_facts(&rank->job);
    job_tell(&rank->job, rank->ranked, " elements/s");
    if (file == NULL)
        return;
    report_line(file, "ranked", "%s of %s elements (%s)", count_text(rank->ranked).s,
                count_text(rank->count).s, percent_text(rank->ranked, rank->count).s);
    report_line(file, "lists", "%s", count_text(rank->lists).s);
    if (rank->ranked > 0)
        report_line(file, "longest", "%s links, from element %" PRIu32,
                    count_text(rank->ranks[rank->longest]).s, rank->longest);
}

static void print_json(rank_verb *rank) {
    json out;
    json_begin(&out, stdout, "rank");
    job_json(&out, &rank->job);
    json_count(&out, "elements", rank->count);
    json_count(&out, "ranked", rank->ranked);
    json_count(&out, "lists", rank->lists);
    if (rank->ranked > 0) {
        json_count(&out, "longest", rank->ranks[rank->longest]);
        json_count(&out, "longest_head", rank->longest);
    }
    job_files_json(&out, &rank->job);
    json_finish(&out);
}

static int report(rank_verb *rank) {
    const result_column column = {"rank", "ranks", HOP_TYPE_UINT32, rank->ranks, "-1", false, 0};
    const result_table table = {"element", rank->count, &column, 1};
    measure(rank);
    tell(rank);
    int code = results_write(&rank->job, &table);
    if (code == CODE_OK && rank->job.work.json)
        print_json(rank);
    return code;
}

static int solve(rank_verb *rank) {
    problem_job *job = &rank->job;
    hop_status status;
    void *ranks = NULL;
    int code = file_read_list(&job->work, job->input, &rank->list);
    if (code != CODE_OK)
        return code;
    job->opened.open_seconds = rank->list.open_seconds;
    rank->successors = rank->list.successors;
    rank->count = rank->list.count;
    code = take_heads(rank);
    if (code == CODE_OK)
        code = job_result(job, "ranks", rank->count, sizeof(hop_vertex), &ranks);
    rank->ranks = ranks;
    return code == CODE_OK ? job_solve(job, call, rank, &status) : code;
}

int run_rank(const arguments *given) {
    rank_verb rank = {0};
    int code = job_open(&rank.job, given, HOP_PROBLEM_RANK);
    if (code == CODE_OK)
        code = results_check(given);
    if (code == CODE_OK)
        code = solve(&rank);
    if (code == CODE_OK && !job_is_dry(&rank.job))
        code = report(&rank);
    free(rank.heads.vertices);
    list_close(&rank.list);
    job_close(&rank.job);
    return code;
}
