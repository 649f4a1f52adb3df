/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite apsp GRAPH: distances between all pairs. Rows come in blocks that fit the budget; they
 * are looked at for the summary, appended to the file if there is one, and forgotten. */
#include <string.h>
#include <sys/stat.h>

#include "complaint.h"
#include "cycle_report.h"
#include "exit_codes.h"
#include "matrix_facts.h"
#include "number_text.h"
#include "result_file.h"

typedef struct apsp_verb {
    problem_job job;
    hop_apsp_options options;
    hop_cycle *cycle;
    matrix_facts facts;
    /* The file is written inside a call of the library, so by a context of its own. */
    hop_context *helper;
    hop_array_writer *writer;
    hop_status written; /* of the writer */
    double write_seconds;
} apsp_verb;

static bool take_rows(void *user, hop_vertex first, hop_vertex count, const void *rows) {
    apsp_verb *apsp = user;
    facts_take(&apsp->facts, first, count, rows);
    if (apsp->writer == NULL)
        return true;
    double began = clock_seconds();
    apsp->written =
        hop_array_append(apsp->helper, apsp->writer, rows, (uint64_t)count * apsp->facts.n);
    apsp->write_seconds += clock_seconds() - began;
    return apsp->written == HOP_OK;
}

/* Opens the file anew for each run; only the last one's is kept. */
static hop_status open_writer(apsp_verb *apsp) {
    const arguments *given = apsp->job.work.given;
    hop_array array = HOP_ARRAY_INIT;
    if (!is_given(given, OPT_OUTPUT))
        return HOP_OK;
    if (apsp->writer != NULL)
        (void)!hop_array_close(apsp->helper, apsp->writer, HOP_ERR_CANCELLED);
    array.type = item_of_weight(apsp->facts.type);
    array.dimensions = 2;
    array.rows = array.columns = apsp->facts.n;
    return hop_array_create(apsp->helper, given->values[OPT_OUTPUT].text, &array, &apsp->writer);
}

static hop_status call(void *user, const hop_run *run) {
    apsp_verb *apsp = user;
    apsp->options.run = run;
    facts_begin(&apsp->facts, apsp->job.info.vertices,
                hop_apsp_distance_type(apsp->job.opened.graph, &apsp->options));
    if (!run->plan) {
        apsp->written = open_writer(apsp);
        if (apsp->written != HOP_OK)
            return HOP_ERR_CANCELLED; /* and the helper has the message */
    }
    return hop_apsp_rows(apsp->job.work.context, apsp->job.opened.graph, &apsp->options, take_rows,
                         apsp);
}

/* What is wrong with the file is said by the context that writes it. */
static int fail_writer(apsp_verb *apsp) {
    bar_wipe(&apsp->job.work.bar);
    if (apsp->written == HOP_ERR_CANCELLED)
        return session_fail(&apsp->job.work, HOP_ERR_CANCELLED);
    return complain(exit_code_of(apsp->written), "%s", hop_context_message(apsp->helper));
}

static int keep_file(apsp_verb *apsp, const char *path) {
    struct stat about;
    double began = clock_seconds();
    apsp->written = hop_array_close(apsp->helper, apsp->writer, HOP_OK);
    apsp->writer = NULL;
    if (apsp->written != HOP_OK)
        return fail_writer(apsp);
    written_file written = {.seconds = apsp->write_seconds + clock_seconds() - began};
    if (stat(path, &about) == 0)
        written.bytes = (uint64_t)about.st_size;
    job_wrote(&apsp->job, "matrix", path, written);
    return CODE_OK;
}

static int report(apsp_verb *apsp) {
    problem_job *job = &apsp->job;
    FILE *file = job_facts(job);
    double n = apsp->facts.n;
    int code = CODE_OK;
    job_tell(job, n * n, " pairs/s");
    if (file != NULL) {
        facts_lines(file, &apsp->facts, job->opened.graph);
        if (file == stdout)
            facts_matrix(file, &apsp->facts, job->opened.graph);
    }
    if (apsp->writer != NULL)
        code = keep_file(apsp, job->work.given->values[OPT_OUTPUT].text);
    if (code == CODE_OK)
        code = results_write_ids(job);
    if (code == CODE_OK && job->work.json) {
        json out;
        json_begin(&out, stdout, "apsp");
        job_json(&out, job);
        facts_json(&out, &apsp->facts, job->opened.graph);
        json_null(&out, "negative_cycle");
        job_files_json(&out, job);
        json_finish(&out);
    }
    return code;
}

static int check_output(const arguments *given) {
    const char *path = given->values[OPT_OUTPUT].text;
    if (path != NULL && !path_ends(path, ".npy"))
        return complain(CODE_USAGE, "-o %s: a matrix is written as .npy", path);
    return results_check(given);
}

static int solve(apsp_verb *apsp) {
    problem_job *job = &apsp->job;
    const arguments *given = job->work.given;
    hop_status status;
    apsp->options = (hop_apsp_options)HOP_APSP_OPTIONS_INIT;
    apsp->options.cycle = &apsp->cycle;
    if (is_given(given, OPT_DISTANCE_TYPE))
        apsp->options.distance_type =
            given->values[OPT_DISTANCE_TYPE].number == 0 ? HOP_WEIGHT_INT32 : HOP_WEIGHT_INT64;
    apsp->options.certify_rows = (hop_vertex)given->values[OPT_CERTIFY_ROWS].number;
    apsp->options.scratch = given->values[OPT_SCRATCH].text;
    apsp->helper = session_helper(&job->work);
    if (apsp->helper == NULL)
        return complain(CODE_FAILURE, "no memory for a second context");
    job->elsewhere = &apsp->written;
    int code = job_solve(job, call, apsp, &status);
    if (apsp->written != HOP_OK)
        return fail_writer(apsp);
    if (code != CODE_OK || job_is_dry(job))
        return code;
    return status == HOP_OK ? report(apsp) : cycle_report(job, apsp->cycle);
}

int run_apsp(const arguments *given) {
    apsp_verb apsp = {0};
    int code = job_open(&apsp.job, given, HOP_PROBLEM_APSP);
    if (code == CODE_OK && is_given(given, OPT_CERTIFY_ROWS) && !is_given(given, OPT_CERTIFY))
        apsp.job.run.certify = HOP_CERTIFY_CANONICAL;
    if (code == CODE_OK)
        code = check_output(given);
    if (code == CODE_OK)
        code = job_read_graph(&apsp.job);
    if (code == CODE_OK)
        code = solve(&apsp);
    if (apsp.writer != NULL)
        (void)!hop_array_close(apsp.helper, apsp.writer, HOP_ERR_CANCELLED);
    hop_context_free(apsp.helper);
    job_close(&apsp.job);
    return code;
}
