/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite certify PROBLEM INPUT RESULT: proves results that stand in files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "exit_codes.h"
#include "failure_text.h"
#include "graph_report.h"
#include "number_text.h"
#include "problem_job.h"
#include "result_read.h"
#include "search_ends.h"
#include "vertex_file.h"
#include "vertex_text.h"

static const double ldbc_tolerance = 1e-4;

typedef struct certify_verb {
    problem_job job;
    const char *result;
    search_ends ends;
    const char *what; /* that was proved */
    hop_status status;
    double seconds;
    double tolerance; /* 0: none */
} certify_verb;

/* ---- bfs and sssp -------------------------------------------------------------------------- */

typedef struct search_result {
    hop_weight_type type; /* of the distances */
    void *values;         /* levels or distances */
    hop_vertex *parents;  /* NULL: there are none */
} search_result;

/* Other programs leave the sources without a parent. */
static void complete_sources(const certify_verb *proof, hop_vertex *parents) {
    for (size_t i = 0; i < proof->ends.sources.count; i++) {
        hop_vertex source = proof->ends.sources.vertices[i];
        if (parents[source] == HOP_NO_VERTEX && proof->job.run.certify == HOP_CERTIFY_VALID)
            parents[source] = source;
    }
}

/* Levels or distances and, where there are any, parents: in one text, or in two files. */
static int load_search(certify_verb *proof, const char *name, result_meaning meaning,
                       search_result *found) {
    problem_job *job = &proof->job;
    const option_value *other = &job->work.given->values[OPT_PARENTS];
    hop_vertex n = job->info.vertices;
    size_t size = meaning == MEANS_COUNT ? sizeof(hop_vertex) : hop_type_size(found->type);
    result_source values = {0}, tree = {0};
    void *parents = NULL;
    int code = job_array(job, name, n, size, &found->values);
    if (code == CODE_OK)
        code = result_open(&values, job, proof->result, n);
    if (code == CODE_OK)
        code = result_column_read(&values, name, 0, meaning, found->type, found->values);
    bool inside = code == CODE_OK && result_has(&values, "parent", 1);
    if (code == CODE_OK && (inside || other->times > 0))
        code = job_array(job, "parents", n, sizeof(hop_vertex), &parents);
    if (code == CODE_OK && other->times > 0)
        code = result_open(&tree, job, other->text, n);
    if (code == CODE_OK && parents != NULL)
        code = other->times > 0
                   ? result_column_read(&tree, "parent", 0, MEANS_VERTEX, HOP_TYPE_NONE, parents)
                   : result_column_read(&values, "parent", 1, MEANS_VERTEX, HOP_TYPE_NONE, parents);
    if (code == CODE_OK && parents != NULL)
        complete_sources(proof, parents);
    found->parents = parents;
    result_close(&values);
    result_close(&tree);
    return code;
}

static int certify_bfs(certify_verb *proof) {
    problem_job *job = &proof->job;
    const arguments *given = job->work.given;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    search_result found = {0};
    int code = load_search(proof, "level", MEANS_COUNT, &found);
    if (code != CODE_OK)
        return code;
    options.run = &job->run;
    options.targets = proof->ends.targets.vertices;
    options.target_count = (hop_vertex)proof->ends.targets.count;
    options.nearest = (hop_vertex)given->values[OPT_NEAREST].number;
    if (is_given(given, OPT_DEPTH))
        options.max_level = (hop_vertex)given->values[OPT_DEPTH].number;
    double began = clock_seconds();
    proof->status = hop_bfs_certify(
        job->work.context, job->opened.graph, proof->ends.sources.vertices,
        (hop_vertex)proof->ends.sources.count, &options, found.values, found.parents);
    proof->seconds = clock_seconds() - began;
    proof->what = found.parents != NULL ? "levels and parents" : "levels";
    return CODE_OK;
}

/* LDBC Graphalytics calls a result valid within its own tolerance, and its references are rounded.
 */
static bool is_for_ldbc(const certify_verb *proof, const search_result *found) {
    const problem_job *job = &proof->job;
    return job->run.certify == HOP_CERTIFY_VALID && !is_given(job->work.given, OPT_TOLERANCE) &&
           found->parents == NULL && found->type != HOP_TYPE_INT64 && job->opened.format != NULL &&
           strcmp(job->opened.format->name, "ldbc") == 0;
}

static int certify_sssp(certify_verb *proof) {
    problem_job *job = &proof->job;
    const arguments *given = job->work.given;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    search_result found = {.type = hop_distance_type(job->info.weight_type)};
    int code = load_search(proof, "distance", MEANS_DISTANCE, &found);
    if (code != CODE_OK)
        return code;
    options.run = &job->run;
    options.targets = proof->ends.targets.vertices;
    options.target_count = (hop_vertex)proof->ends.targets.count;
    options.nearest = (hop_vertex)given->values[OPT_NEAREST].number;
    if (is_given(given, OPT_CUTOFF))
        options.cutoff = given->values[OPT_CUTOFF].real;
    if (is_for_ldbc(proof, &found))
        proof->tolerance = ldbc_tolerance;
    options.tolerance = proof->tolerance;
    double began = clock_seconds();
    proof->status =
        hop_sssp_certify(job->work.context, job->opened.graph, proof->ends.sources.vertices,
                         (hop_vertex)proof->ends.sources.count, &options,
                         &(hop_view){found.values, job->info.vertices, found.type}, found.parents);
    proof->seconds = clock_seconds() - began;
    proof->what = found.parents != NULL ? "distances and parents" : "distances";
    return CODE_OK;
}

/* ---- components, apsp, rank ------------------------------------------------------------------ */

static int certify_components(certify_verb *proof) {
    problem_job *job = &proof->job;
    hop_vertex n = job->info.vertices;
    bool valid = job->run.certify == HOP_CERTIFY_VALID;
    result_source source = {0};
    void *labels = NULL;
    int code = job_array(job, "components", n, sizeof(hop_vertex), &labels);
    if (code == CODE_OK)
        code = result_open(&source, job, proof->result, n);
    if (code == CODE_OK)
        code = result_column_read(&source, "component", 0, valid ? MEANS_NAME : MEANS_VERTEX,
                                  HOP_TYPE_NONE, labels);
    result_close(&source);
    for (hop_vertex v = 0; code == CODE_OK && !valid && v < n; v++)
        if (((hop_vertex *)labels)[v] >= n)
            code = job_reject(job, "%s: vertex %s has no component", proof->result,
                              vertex_text(job->opened.graph, v).s);
    if (code != CODE_OK)
        return code;
    hop_components_options options = {sizeof options, &job->run};
    double began = clock_seconds();
    proof->status = hop_components_certify(job->work.context, job->opened.graph, &options, labels,
                                           HOP_NO_VERTEX);
    proof->seconds = clock_seconds() - began;
    proof->what = "components";
    return CODE_OK;
}

static int certify_apsp(certify_verb *proof) {
    problem_job *job = &proof->job;
    hop_vertex n = job->info.vertices;
    hop_apsp_options options = HOP_APSP_OPTIONS_INIT;
    hop_array_file *file = NULL;
    hop_status status = file_read_array(&job->work, proof->result, &file);
    if (status != HOP_OK)
        return session_fail(&job->work, status);
    const hop_array *array = hop_array_file_array(file);
    hop_weight_type type = hop_distance_type(job->info.weight_type);
    if (type == HOP_TYPE_INT64 && array->type == HOP_TYPE_INT32)
        options.distance_type = type = HOP_TYPE_INT32;
    int code = CODE_OK;
    if (array->dimensions != 2 || array->rows != n || array->columns != n)
        code = complain(CODE_BAD_INPUT, "%s: %s x %s items; a matrix of %s x %s expected",
                        proof->result, count_text(array->rows).s, count_text(array->columns).s,
                        count_text(n).s, count_text(n).s);
    else if (array->type != type)
        code = complain(CODE_BAD_INPUT, "%s: items of type %s; distances of this graph are %s",
                        proof->result, hop_type_name(array->type), hop_type_name(type));
    if (code == CODE_OK) {
        options.run = &job->run;
        options.certify_rows = (hop_vertex)job->work.given->values[OPT_CERTIFY_ROWS].number;
        double began = clock_seconds();
        proof->status =
            hop_apsp_certify(job->work.context, job->opened.graph, &options, 0, n,
                             &(hop_view){array->items, array->rows * array->columns, array->type});
        proof->seconds = clock_seconds() - began;
        proof->what = options.certify_rows > 0 ? "some rows of the matrix" : "matrix";
    }
    hop_array_file_free(file);
    return code;
}

static int certify_rank(certify_verb *proof) {
    problem_job *job = &proof->job;
    const arguments *given = job->work.given;
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    opened_list list = {0};
    result_source source = {0};
    vertex_set heads = {0};
    void *ranks = NULL;
    int code = file_read_list(&job->work, job->input, &list);
    const hop_vertex *successors = list.successors, count = list.count;
    job->opened.open_seconds = list.open_seconds;
    vertex_space space = {.count = count, .noun = "element", .owner = "the list"};
    if (code == CODE_OK)
        code = is_given(given, OPT_ALL)
                   ? list_heads(successors, count, &heads)
                   : vertices_take(&job->work, &space, OPT_HEAD, OPT_HEADS, &heads);
    if (code == CODE_OK)
        code = job_array(job, "ranks", count, sizeof(hop_vertex), &ranks);
    if (code == CODE_OK)
        code = result_open(&source, job, proof->result, count);
    if (code == CODE_OK)
        code = result_column_read(&source, "rank", 0, MEANS_COUNT, HOP_TYPE_NONE, ranks);
    if (code == CODE_OK) {
        options.run = &job->run;
        options.heads = heads.vertices;
        options.head_count = (hop_vertex)heads.count;
        double began = clock_seconds();
        proof->status = hop_rank_certify(job->work.context, successors, count, &options, ranks);
        proof->seconds = clock_seconds() - began;
        proof->what = "ranks";
    }
    result_close(&source);
    free(heads.vertices);
    list_close(&list);
    return code;
}

/* ---- the verb -------------------------------------------------------------------------------- */

static const struct {
    int (*certify)(certify_verb *proof);
    uint64_t groups; /* options that mean something for it */
} problems[HOP_PROBLEM_COUNT] = {
    [HOP_PROBLEM_RANK] = {certify_rank, GROUP_FILE | GROUP_HEADS},
    [HOP_PROBLEM_COMPONENTS] = {certify_components, GROUP_INPUT},
    [HOP_PROBLEM_BFS] = {certify_bfs, GROUP_INPUT | GROUP_ENDS | GROUP_DEPTH | GROUP_TREE},
    [HOP_PROBLEM_SSSP] = {certify_sssp,
                          GROUP_INPUT | GROUP_ENDS | GROUP_CUTOFF | GROUP_TREE | GROUP_TOLERANCE},
    [HOP_PROBLEM_APSP] = {certify_apsp, GROUP_INPUT | GROUP_MATRIX},
};

/* Options of other problems are mistakes. */
static int check_options(const arguments *given, hop_problem problem) {
    const unsigned all = GROUP_INPUT | GROUP_ENDS | GROUP_DEPTH | GROUP_CUTOFF | GROUP_HEADS |
                         GROUP_MATRIX | GROUP_TREE | GROUP_TOLERANCE;
    for (size_t id = 0; id < OPTION_COUNT; id++)
        if (is_given(given, (option_id)id) && (option_rows[id].group & all) != 0 &&
            (option_rows[id].group & problems[problem].groups) == 0)
            return complain(CODE_USAGE, "--%s means nothing for %s", option_rows[id].name,
                            hop_problem_name(problem));
    return CODE_OK;
}

static void print_json(const certify_verb *proof, const char *fault) {
    const problem_job *job = &proof->job;
    json out;
    json_begin(&out, stdout, "certify");
    json_string(&out, "problem", hop_problem_name(job->problem));
    json_string(&out, "input", job->input);
    json_string(&out, "result", proof->result);
    json_string(&out, "mode", word_of_certify(job->run.certify - 1u));
    json_real(&out, "tolerance", proof->tolerance);
    json_bool(&out, "right", fault == NULL);
    json_string(&out, "certified", fault == NULL && proof->tolerance == 0 ? job_proof(job) : NULL);
    json_string(&out, "fault", fault);
    json_real(&out, "seconds", proof->seconds);
    json_finish(&out);
}

/* A fault found in the file itself, before the certifier sees it. */
static int tell_fault(certify_verb *proof) {
    if (proof->job.work.json)
        print_json(proof, proof->job.fault);
    else
        complain(CODE_REJECTED, "%s", proof->job.fault);
    return CODE_REJECTED;
}

static int tell(certify_verb *proof) {
    problem_job *job = &proof->job;
    bool right = proof->status == HOP_OK;
    bar_wipe(&job->work.bar);
    if (!right && proof->status != HOP_ERR_CERTIFICATE)
        return session_fail(&job->work, proof->status);
    if (job->work.json) {
        print_json(proof, right ? NULL : failure_fault(job->work.context).s);
        return right ? CODE_OK : CODE_REJECTED;
    }
    if (!right) {
        int code = session_fail(&job->work, proof->status);
        if (proof->ends.chosen && proof->ends.sources.count > 0)
            advise("no --source was given, so vertex %s, with the most arcs, was taken",
                   vertex_text(job->opened.graph, proof->ends.sources.vertices[0]).s);
        return code;
    }
    if (job->work.quiet)
        return CODE_OK;
    if (proof->ends.sources.count > 0)
        ends_line(stdout, job, &proof->ends);
    if (proof->tolerance > 0) {
        report_line(stdout, "valid", "%s: within %s of the right ones, not certified; in %s",
                    proof->what, real_text(proof->tolerance).s, seconds_text(proof->seconds).s);
        return CODE_OK;
    }
    const char *word = job_proof(job);
    report_line(stdout, "certified", "%s: %s, in %s", proof->what,
                strcmp(word, "canonical") == 0   ? "the canonical answer"
                : strcmp(word, "tolerance") == 0 ? "right within the tolerance of rounding"
                                                 : "a right answer",
                seconds_text(proof->seconds).s);
    return CODE_OK;
}

static int prove(certify_verb *proof) {
    problem_job *job = &proof->job;
    int code = CODE_OK;
    if (job->problem != HOP_PROBLEM_RANK)
        code = job_read_graph(job);
    if (code == CODE_OK && (job->problem == HOP_PROBLEM_BFS || job->problem == HOP_PROBLEM_SSSP))
        code = ends_take(job, &proof->ends);
    if (code == CODE_OK)
        code = problems[job->problem].certify(proof);
    if (code == CODE_REJECTED)
        return tell_fault(proof);
    return code == CODE_OK ? tell(proof) : code;
}

/* A tolerance makes the mode valid, and cannot be canonical. */
static int take_tolerance(certify_verb *proof, const arguments *given) {
    const option_value *tolerance = &given->values[OPT_TOLERANCE];
    if (tolerance->times == 0)
        return CODE_OK;
    if (!(tolerance->real >= 0 && tolerance->real < 1))
        return complain(CODE_USAGE,
                        "--tolerance %s: a part of the distance expected, from 0 (none) to "
                        "below 1, such as 1e-4",
                        tolerance->text);
    if (tolerance->real == 0)
        return CODE_OK;
    if (proof->job.run.certify == HOP_CERTIFY_CANONICAL)
        return complain(CODE_USAGE, "--tolerance and --certify=canonical contradict each other");
    proof->tolerance = tolerance->real;
    proof->job.run.certify = HOP_CERTIFY_VALID;
    return CODE_OK;
}

int run_certify(const arguments *given) {
    certify_verb proof = {0};
    hop_problem problem = 0;
    if (given->operand_count < 3) {
        complain(CODE_USAGE, "a problem, a graph (or list) and a result expected");
        advise("usage: hoplite certify [options] PROBLEM INPUT RESULT");
        return CODE_USAGE;
    }
    while (problem < HOP_PROBLEM_COUNT &&
           strcmp(hop_problem_name(problem), given->operands[0]) != 0)
        problem++;
    if (problem == HOP_PROBLEM_COUNT)
        return complain_word("PROBLEM", given->operands[0], word_of_problem);
    if (strcmp(given->operands[1], "-") == 0 && strcmp(given->operands[2], "-") == 0)
        return complain(CODE_USAGE, "only one of input and result can be -");
    int code = check_options(given, problem);
    if (code != CODE_OK)
        return code;
    code = job_open(&proof.job, given, problem);
    proof.result = given->operands[2];
    if (code == CODE_OK)
        code = take_tolerance(&proof, given);
    if (proof.job.run.certify == HOP_CERTIFY_NONE)
        proof.job.run.certify = HOP_CERTIFY_CANONICAL;
    if (code == CODE_OK)
        code = ends_check(&proof.job);
    if (code == CODE_OK)
        code = prove(&proof);
    ends_free(&proof.ends);
    job_close(&proof.job);
    return code;
}
