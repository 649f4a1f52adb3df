/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite apsp GRAPH: distances between all pairs. Rows come in blocks that fit the budget; they
 * are looked at for the summary, appended to the file if there is one, and forgotten. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "complaint.h"
#include "cycle_report.h"
#include "exit_codes.h"
#include "failure_text.h"
#include "io/bytes/path_suffix.h"
#include "matrix_facts.h"
#include "memory_need.h"
#include "number_text.h"
#include "problem_job.h"
#include "result_file.h"
#include "vertex_file.h"

typedef struct apsp_verb {
    problem_job job;
    hop_apsp_options options;
    matrix_facts facts;
    vertex_set rows;      /* that are wanted; none: all */
    void *eccentricities; /* NULL: not wanted */
    /* The file is written inside a call of the library, so by a context of its own. */
    hop_context *helper;
    hop_array_writer *writer;
    hop_status written; /* of the writer */
    double write_seconds;
} apsp_verb;

/* The matrix is complete: its file gets its name. */
static void keep_file(apsp_verb *apsp) {
    double began = clock_seconds();
    apsp->written = hop_array_close(apsp->helper, apsp->writer, HOP_OK);
    apsp->writer = NULL;
    apsp->write_seconds += clock_seconds() - began;
}

static bool take_rows(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    apsp_verb *apsp = user;
    facts_keep(&apsp->facts, first, count, rows->items);
    if (apsp->writer == NULL)
        return true;
    double began = clock_seconds();
    apsp->written = hop_array_append(apsp->helper, apsp->writer, rows);
    apsp->write_seconds += clock_seconds() - began;
    /* Now, while the library still has its scratch file: what cannot be kept can be made again. */
    if (apsp->written == HOP_OK && first + count == apsp->facts.rows)
        keep_file(apsp);
    return apsp->written == HOP_OK;
}

/* Whether somebody looks at the rows: for the summary alone the library need not make them. */
static bool wants_rows(const apsp_verb *apsp) {
    return is_given(apsp->job.work.given, OPT_OUTPUT) || facts_wants(&apsp->facts);
}

/* Opens the file anew for each run; only the last one's is kept. */
static hop_status open_writer(apsp_verb *apsp) {
    const arguments *given = apsp->job.work.given;
    hop_array array = HOP_ARRAY_INIT;
    if (!is_given(given, OPT_OUTPUT))
        return HOP_OK;
    if (apsp->writer != NULL)
        (void)!hop_array_close(apsp->helper, apsp->writer, HOP_ERR_CANCELLED);
    array.type = apsp->facts.type;
    array.dimensions = 2;
    array.rows = apsp->facts.rows;
    array.columns = apsp->facts.n;
    return hop_array_create(apsp->helper, given->values[OPT_OUTPUT].text, &array, &apsp->writer);
}

static hop_status call(void *user, const hop_run *run) {
    apsp_verb *apsp = user;
    apsp->options.run = run;
    facts_begin(&apsp->facts, apsp->job.info.vertices,
                hop_apsp_distance_type(apsp->job.opened.graph, &apsp->options),
                apsp->options.sources, apsp->options.source_count);
    const hop_span farthest = {apsp->eccentricities, apsp->facts.rows, apsp->facts.type};
    apsp->facts.summary.eccentricities = &farthest;
    if (!run->plan) {
        apsp->written = open_writer(apsp);
        if (apsp->written != HOP_OK)
            return HOP_ERR_CANCELLED; /* and the helper has the message */
    }
    hop_status status =
        hop_apsp_rows(apsp->job.work.context, apsp->job.opened.graph, &apsp->options,
                      wants_rows(apsp) ? take_rows : NULL, apsp, &apsp->facts.summary);
    apsp->facts.summary.eccentricities = NULL;
    return status;
}

/* What is wrong with the file is said by the context that writes it. */
static int fail_writer(apsp_verb *apsp) {
    return session_fail_writing(&apsp->job.work, apsp->helper, apsp->written);
}

static int tell_file(apsp_verb *apsp, const char *path) {
    struct stat about;
    if (apsp->writer != NULL) /* no row has come: there are none */
        keep_file(apsp);
    if (apsp->written != HOP_OK)
        return fail_writer(apsp);
    written_file written = {.seconds = apsp->write_seconds};
    if (stat(path, &about) == 0)
        written.bytes = (uint64_t)about.st_size;
    job_wrote(&apsp->job, "matrix", path, written);
    return CODE_OK;
}

/* In text after the vertices that the rows are of. */
static int write_eccentricities(apsp_verb *apsp) {
    const char *path = apsp->job.work.given->values[OPT_ECCENTRICITIES].text;
    const result_column columns[] = {
        {"vertex", "eccentricities", HOP_TYPE_UINT32, apsp->rows.vertices, "-1", true, 0},
        {"eccentricity", "eccentricities", apsp->facts.type, apsp->eccentricities, "inf", false,
         0}};
    if (apsp->eccentricities == NULL)
        return CODE_OK;
    bool named = !apsp->facts.all && !hop__path_ends_unpacked(path, ".npy");
    const result_table table = {apsp->facts.all ? "vertex" : NULL, apsp->facts.rows,
                                named ? columns : columns + 1, named ? 2 : 1};
    return results_write_to(&apsp->job, path, &table);
}

static int report(apsp_verb *apsp) {
    problem_job *job = &apsp->job;
    FILE *file = job_facts(job);
    int code = CODE_OK;
    job_tell(job, (double)apsp->facts.n * apsp->facts.rows, " pairs/s");
    if (file != NULL) {
        facts_lines(file, &apsp->facts, job->opened.graph);
        if (file == stdout)
            facts_matrix(file, &apsp->facts, job->opened.graph);
    }
    if (is_given(job->work.given, OPT_OUTPUT))
        code = tell_file(apsp, job->work.given->values[OPT_OUTPUT].text);
    if (code == CODE_OK)
        code = write_eccentricities(apsp);
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
    const char *rows = given->values[OPT_ROWS_FROM].text;
    if (rows != NULL && strcmp(rows, "-") == 0 && strcmp(given->operands[0], "-") == 0)
        return complain(CODE_USAGE, "only one of graph and --rows-from can be -");
    const char *path = given->values[OPT_OUTPUT].text;
    if (path != NULL && !hop__path_ends_unpacked(path, ".npy")) {
        complain(CODE_USAGE, "-o %s: a matrix is written as .npy", path);
        advise("hoplite table writes text: a row for each vertex of --source V,... or --sources "
               "FILE");
        return CODE_USAGE;
    }
    return results_check(given);
}

/* Which rows are wanted, and a place for what is farthest. */
static int take_rows_wanted(apsp_verb *apsp) {
    problem_job *job = &apsp->job;
    const arguments *given = job->work.given;
    vertex_space space = space_of_graph(job->opened.graph);
    int code = vertices_take(&job->work, &space, OPT_ROWS, OPT_ROWS_FROM, &apsp->rows);
    bool some = is_given(given, OPT_ROWS) || is_given(given, OPT_ROWS_FROM);
    if (code != CODE_OK)
        return code;
    if (apsp->rows.count > UINT32_MAX)
        return complain(CODE_USAGE, "--rows: more than 2^32 - 1 of them");
    if (some && apsp->rows.count == 0)
        return complain(CODE_USAGE, "--rows-from: no vertex is named");
    apsp->options.sources = some ? apsp->rows.vertices : NULL;
    apsp->options.source_count = (hop_vertex)apsp->rows.count;
    job->rows = some ? apsp->rows.count : job->info.vertices;
    job->proved_rows = apsp->options.certify_rows < job->rows ? apsp->options.certify_rows : 0;
    if (is_given(given, OPT_ECCENTRICITIES))
        code = job_result(job, "eccentricities", some ? apsp->rows.count : job->info.vertices,
                          sizeof(int64_t), &apsp->eccentricities);
    return code;
}

/* The matrix and the file that it is worked on in must fit on their disks, before hours of work. */
static int check_disk(apsp_verb *apsp) {
    problem_job *job = &apsp->job;
    const arguments *given = job->work.given;
    const char *folder = getenv("TMPDIR"), *paths[2];
    char unnamed[4096];
    struct stat about;
    uint64_t bytes[2], there;
    hop_report *plan = need_report(0);
    hop_run run = job->run;
    size_t count = 0;
    run.plan = true;
    run.report = plan;
    job->work.mute = true;
    bool planned = call(apsp, &run) == HOP_OK; /* if not, the run tells why */
    job->work.mute = false;
    uint64_t tiles = hop_report_file_bytes(plan);
    hop_report_free(plan);
    if (planned && tiles > 0) {
        snprintf(unnamed, sizeof unnamed, "%s/tiles", folder && *folder ? folder : "/tmp");
        paths[count] = apsp->options.scratch ? apsp->options.scratch : unnamed;
        there = stat(paths[count], &about) == 0 ? (uint64_t)about.st_blocks * 512 : 0;
        bytes[count++] = tiles > there ? tiles - there : 0;
    }
    if (planned && is_given(given, OPT_OUTPUT)) {
        paths[count] = given->values[OPT_OUTPUT].text;
        there = (uint64_t)apsp->facts.n * hop_type_size(apsp->facts.type); /* of a row */
        bytes[count++] = there > 0 && apsp->facts.rows > UINT64_MAX / there
                             ? UINT64_MAX
                             : apsp->facts.rows * there;
    }
    hop_status status = hop_disk_check(job->work.context, paths, bytes, count, job->disk_free);
    for (size_t i = 0; i < count; i++)
        job->disk_bytes[i] = bytes[i], job->disk_paths[i] = paths[i] == unnamed ? NULL : paths[i];
    return status == HOP_OK ? CODE_OK : session_fail(&job->work, status);
}

static int solve(apsp_verb *apsp) {
    problem_job *job = &apsp->job;
    const arguments *given = job->work.given;
    hop_status status;
    apsp->options = (hop_apsp_options)HOP_APSP_OPTIONS_INIT;
    if (is_given(given, OPT_DISTANCE_TYPE))
        apsp->options.distance_type =
            given->values[OPT_DISTANCE_TYPE].number == 0 ? HOP_TYPE_INT32 : HOP_TYPE_INT64;
    apsp->options.certify_rows = (hop_vertex)given->values[OPT_CERTIFY_ROWS].number;
    apsp->options.scratch = given->values[OPT_SCRATCH].text;
    int code = take_rows_wanted(apsp);
    if (code == CODE_OK)
        code = job_writer(job, is_given(given, OPT_OUTPUT) ? given->values[OPT_OUTPUT].text : NULL,
                          &apsp->written, &apsp->helper);
    if (code == CODE_OK)
        code = check_disk(apsp);
    if (code != CODE_OK)
        return code;
    code = job_solve(job, call, apsp, &status);
    if (apsp->written != HOP_OK)
        return fail_writer(apsp);
    if (code != CODE_OK || job_is_dry(job))
        return code;
    return status == HOP_OK ? report(apsp) : cycle_report(job);
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
    free(apsp.rows.vertices);
    job_close(&apsp.job);
    return code;
}
