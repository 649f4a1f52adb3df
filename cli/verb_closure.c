/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite closure GRAPH: what each vertex reaches. Rows come a few at a time; they are written as
 * edges to the file, or printed, and forgotten. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "complaint.h"
#include "exit_codes.h"
#include "failure_text.h"
#include "graph_report.h"
#include "io/bytes/path_suffix.h"
#include "io/results/result_table.h"
#include "memory_need.h"
#include "number_text.h"
#include "problem_job.h"
#include "result_file.h"
#include "vertex_file.h"
#include "vertex_text.h"

enum { AT_ONCE = 1 << 15 }; /* edges that are written together */

typedef struct closure_verb {
    problem_job job;
    hop_closure_options options;
    vertex_set some; /* that have rows; none: all */
    hop_vertex rows;
    hop_vertex *counts; /* of the rows */
    uint64_t pairs;
    hop_vertex most;  /* the row with the most, the first of equals */
    const char *path; /* of the edges; NULL: they are counted only */
    /* The file is written inside a call of the library, so by a context of its own. */
    hop_context *helper;
    hop__result_stream *stream;
    hop_status written; /* of the stream */
    double write_seconds;
    hop_vertex from[AT_ONCE];
} closure_verb;

static hop_vertex source_of(const closure_verb *asked, hop_vertex row) {
    return asked->options.sources != NULL ? asked->options.sources[row] : row;
}

static bool write_rows(void *user, hop_vertex first, hop_vertex count, const uint64_t *offsets,
                       const hop_vertex *vertices) {
    closure_verb *asked = user;
    const hop_graph *graph = asked->job.opened.graph;
    const bool backward = asked->options.backward;
    const double began = clock_seconds();
    hop_vertex row = 0;
    for (hop_vertex i = 0; i < count; i++)
        asked->counts[first + i] = (hop_vertex)(offsets[i + 1] - offsets[i]);
    for (uint64_t at = 0; at < offsets[count] && asked->written == HOP_OK;) {
        uint64_t end = offsets[count] - at < AT_ONCE ? offsets[count] : at + AT_ONCE;
        for (uint64_t i = at; i < end; i++) {
            while (i >= offsets[row + 1])
                row++;
            asked->from[i - at] = source_of(asked, first + row);
        }
        hop__result_column columns[2] = {
            {.name = "from", .type = HOP_TYPE_UINT32, .items = asked->from, .graph = graph},
            {.name = "to", .type = HOP_TYPE_UINT32, .items = vertices + at, .graph = graph}};
        if (backward) {
            columns[0].items = vertices + at;
            columns[1].items = asked->from;
        }
        const hop__result_column *shown = asked->options.together ? &columns[!backward] : columns;
        asked->written = hop__result_stream_rows(asked->helper, asked->stream, shown,
                                                 asked->options.together ? 1 : 2, end - at);
        at = end;
    }
    asked->write_seconds += clock_seconds() - began;
    return asked->written == HOP_OK;
}

/* Opens the file anew for each run; only the last one's is kept. */
static hop_status open_stream(closure_verb *asked) {
    static const char *const names[] = {"from", "to"}, *const name[] = {"vertex"};
    const bool together = asked->options.together;
    asked->write_seconds = 0;
    (void)!hop__result_stream_close(asked->helper, asked->stream, HOP_ERR_CANCELLED);
    return hop__result_stream_open(asked->helper, asked->path, together ? name : names,
                                   together ? 1 : 2, &asked->stream);
}

static hop_status call(void *user, const hop_run *run) {
    closure_verb *asked = user;
    hop_context *context = asked->job.work.context;
    const hop_graph *graph = asked->job.opened.graph;
    asked->options.run = run;
    if (asked->path == NULL)
        return hop_closure_counts(context, graph, &asked->options, asked->counts, &asked->pairs);
    if (!run->plan) {
        asked->written = open_stream(asked);
        if (asked->written != HOP_OK)
            return HOP_ERR_CANCELLED; /* and the helper has the message */
    }
    return hop_closure_rows(context, graph, &asked->options, write_rows, asked, &asked->pairs);
}

/* What is wrong with the file is said by the context that writes it. */
static int fail_stream(closure_verb *asked) {
    return session_fail_writing(&asked->job.work, asked->helper, asked->written);
}

static int close_stream(closure_verb *asked) {
    written_file written = {.seconds = asked->write_seconds};
    struct stat about;
    asked->written = hop__result_stream_close(asked->helper, asked->stream, HOP_OK);
    asked->stream = NULL;
    if (asked->written != HOP_OK)
        return fail_stream(asked);
    if (strcmp(asked->path, "-") == 0)
        return CODE_OK;
    if (stat(asked->path, &about) == 0)
        written.bytes = (uint64_t)about.st_size;
    job_wrote(&asked->job, "rows", asked->path, written);
    return CODE_OK;
}

static void tell(const closure_verb *asked) {
    FILE *file = job_facts(&asked->job);
    const bool to_it = asked->options.backward;
    if (file == NULL || (asked->path != NULL && strcmp(asked->path, "-") == 0))
        return;
    if (asked->options.together) {
        report_line(file, to_it ? "ancestors" : "descendants", "%s", count_text(asked->pairs).s);
        return;
    }
    report_line(file, "rows", "%s", count_text(asked->rows).s);
    report_line(file, "pairs", "%s", count_text(asked->pairs).s);
    if (asked->rows > 0)
        report_line(file, "most", "%s %s vertex %s", count_text(asked->counts[asked->most]).s,
                    to_it ? "reach" : "reached from",
                    vertex_text(asked->job.opened.graph, source_of(asked, asked->most)).s);
}

static void print_json(const closure_verb *asked) {
    json out;
    json_begin(&out, stdout, "closure");
    job_json(&out, &asked->job);
    json_bool(&out, "backward", asked->options.backward);
    json_bool(&out, "together", asked->options.together);
    json_string(&out, "itself", word_of_itself((size_t)asked->options.self));
    json_count(&out, "rows", asked->rows);
    json_count(&out, "pairs", asked->pairs);
    json_object(&out, "most");
    if (asked->rows > 0) {
        vertex_json(&out, "vertex", asked->job.opened.graph, source_of(asked, asked->most));
        json_count(&out, "count", asked->counts[asked->most]);
    }
    json_end(&out);
    job_files_json(&out, &asked->job);
    json_finish(&out);
}

static int report(closure_verb *asked) {
    int code = CODE_OK;
    for (hop_vertex i = 0; i < asked->rows; i++)
        if (asked->counts[i] > asked->counts[asked->most])
            asked->most = i;
    job_tell(&asked->job, 0, "");
    if (asked->stream != NULL)
        code = close_stream(asked);
    if (code == CODE_OK)
        tell(asked);
    if (code == CODE_OK && asked->job.work.json)
        print_json(asked);
    return code;
}

/* Whose rows, and a place for their sizes. */
static int take_rows_wanted(closure_verb *asked) {
    problem_job *job = &asked->job;
    const arguments *given = job->work.given;
    vertex_space space = space_of_graph(job->opened.graph);
    void *counts = NULL;
    const bool some = is_given(given, OPT_ROWS) || is_given(given, OPT_ROWS_FROM);
    int code = vertices_take(&job->work, &space, OPT_ROWS, OPT_ROWS_FROM, &asked->some);
    if (code != CODE_OK)
        return code;
    if (asked->some.count > UINT32_MAX - 1)
        return complain(CODE_USAGE, "--rows: more than 2^32 - 2 of them");
    if (some && asked->some.count == 0)
        return complain(CODE_USAGE, "--rows-from: no vertex is named");
    asked->options.sources = some ? asked->some.vertices : NULL;
    asked->options.source_count = (hop_vertex)asked->some.count;
    asked->rows = some ? asked->options.source_count : job->info.vertices;
    if (asked->options.together && asked->rows > 1)
        asked->rows = 1;
    if (asked->path == NULL && some && !job->work.json)
        asked->path = "-";
    code = job_result(job, "counts", asked->rows, sizeof *asked->counts, &counts);
    asked->counts = counts;
    return code;
}

static int solve(closure_verb *asked) {
    problem_job *job = &asked->job;
    hop_status status = HOP_OK;
    int code = take_rows_wanted(asked);
    if (code == CODE_OK)
        code = job_writer(job, asked->path, &asked->written, &asked->helper);
    if (code != CODE_OK)
        return code;
    code = job_solve(job, call, asked, &status);
    if (asked->written != HOP_OK)
        return fail_stream(asked);
    if (code != CODE_OK || job_is_dry(job))
        return code;
    return report(asked);
}

/* Rows are pairs, so an array of one column cannot hold them. */
static int check_output(closure_verb *asked, const arguments *given) {
    const char *rows = given->values[OPT_ROWS_FROM].text;
    if (rows != NULL && strcmp(rows, "-") == 0 && strcmp(given->operands[0], "-") == 0)
        return complain(CODE_USAGE, "only one of graph and --rows-from can be -");
    if (is_given(given, OPT_TOGETHER) && !is_given(given, OPT_ROWS) && rows == NULL)
        return complain(CODE_USAGE, "--together is for the vertices of --rows or --rows-from");
    asked->path = given->values[OPT_OUTPUT].text;
    if (asked->path != NULL && hop__path_ends_unpacked(asked->path, ".npy"))
        return complain(CODE_USAGE, "-o %s: rows are written as text: .txt, .tsv or .csv",
                        asked->path);
    return results_check(given);
}

int run_closure(const arguments *given) {
    closure_verb *asked = calloc(1, sizeof *asked);
    if (asked == NULL)
        return complain(CODE_FAILURE, "no memory");
    int code = job_open(&asked->job, given, (hop_problem)HOP_PROBLEM_COUNT);
    asked->options = (hop_closure_options)HOP_CLOSURE_OPTIONS_INIT;
    asked->options.backward = is_given(given, OPT_BACKWARD);
    asked->options.together = is_given(given, OPT_TOGETHER);
    asked->options.self = is_given(given, OPT_ITSELF)
                              ? (hop_closure_self)given->values[OPT_ITSELF].number
                              : HOP_CLOSURE_CYCLES;
    if (code == CODE_OK)
        code = check_output(asked, given);
    if (code == CODE_OK)
        code = job_read_graph(&asked->job);
    if (code == CODE_OK)
        code = solve(asked);
    (void)!hop__result_stream_close(asked->helper, asked->stream, HOP_ERR_CANCELLED);
    hop_context_free(asked->helper);
    free(asked->some.vertices);
    job_close(&asked->job);
    free(asked);
    return code;
}
