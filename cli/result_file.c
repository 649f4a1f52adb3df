/* SPDX-License-Identifier: Apache-2.0
 *
 * Results in files: see result_file.h. */
#include "result_file.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "complaint.h"
#include "exit_codes.h"
#include "io/bytes/path_suffix.h"
#include "io/results/result_table.h"
#include "number_text.h"

/* All files that a problem writes; the first ones are results. */
static const option_id file_options[] = {OPT_OUTPUT, OPT_PARENTS, OPT_SIZES,  OPT_ECCENTRICITIES,
                                         OPT_IDS,    OPT_LARGEST, OPT_SCRATCH};
enum { FILES = sizeof file_options / sizeof file_options[0], RESULTS = 5 };

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

static bool is_text(const char *path) {
    return is_standard(path) || hop__path_ends_unpacked(path, ".txt") ||
           hop__path_ends_unpacked(path, ".tsv") || hop__path_ends_unpacked(path, ".csv");
}

static int check_file(const arguments *given, option_id option, unsigned *standard) {
    const char *path = given->values[option].text;
    const char *name = option_rows[option].name;
    if (is_standard(path) && is_given(given, OPT_JSON))
        return complain(CODE_USAGE, "--json and --%s - both want standard output", name);
    if (is_standard(path) && ++*standard > 1)
        return complain(CODE_USAGE, "two results cannot both go to standard output");
    if (is_standard(path))
        return CODE_OK;
    if (hop__path_ends_unpacked(path, ".npz"))
        return complain(CODE_USAGE,
                        "--%s %s: results are single arrays; .npy holds one, .txt all columns",
                        name, path);
    if (!is_text(path) && !hop__path_ends_unpacked(path, ".npy")) {
        complain(CODE_USAGE, "--%s %s: .npy (an array), .txt, .tsv or .csv (text) expected", name,
                 path);
        advise("- prints text on standard output");
        return CODE_USAGE;
    }
    return folder_check(path);
}

/* Whether two paths name one file, which need not exist. Devices may be written to twice. */
static bool is_same_file(const char *a, const char *b) {
    struct stat first, second;
    bool there = stat(a, &first) == 0;
    if (there && !S_ISREG(first.st_mode))
        return false;
    if (strcmp(a, b) == 0)
        return !is_standard(a);
    return there && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

int results_apart(const arguments *given) {
    for (size_t i = 0; i < FILES; i++) {
        const option_id option = file_options[i];
        const char *path = given->values[option].text, *name = option_rows[option].name;
        if (!is_given(given, option))
            continue;
        if (is_same_file(path, given->operands[0]) ||
            (is_given(given, OPT_INDEX) && is_same_file(path, given->values[OPT_INDEX].text)))
            return complain(CODE_USAGE, "--%s %s: this is the input itself", name, path);
        for (size_t j = 0; j < i; j++)
            if (is_given(given, file_options[j]) &&
                is_same_file(path, given->values[file_options[j]].text))
                return complain(CODE_USAGE, "--%s and --%s both name %s",
                                option_rows[file_options[j]].name, name, path);
    }
    return CODE_OK;
}

int results_check(const arguments *given) {
    unsigned standard = 0;
    int code = results_apart(given);
    for (size_t i = 0; i < RESULTS && code == CODE_OK; i++)
        if ((given->verb->groups & option_rows[file_options[i]].group) != 0 &&
            is_given(given, file_options[i]))
            code = check_file(given, file_options[i], &standard);
    return code;
}

/* What one file takes, beside the arrays of the results, with the least of buffers: when they are
 * written, the memory of the work is free again. */
static uint64_t file_need(const problem_job *job, const hop_context *least, option_id option) {
    uint64_t need = hop_results_bytes(least, job->work.given->values[option].text);
    uint64_t n = job->info.vertices;
    if (option == OPT_IDS && hop_graph_labels(job->opened.graph) == NULL &&
        !hop_graph_named(job->opened.graph))
        need += n * sizeof(uint64_t) + 64; /* ids that are made to be written */
    if (option == OPT_SIZES)
        need += n * 4 * sizeof(hop_vertex) + 128; /* sorted, and as columns */
    return need;
}

uint64_t results_need(problem_job *job) {
    uint64_t most = 0; /* they are written one after the other */
    hop_context *least = session_helper(&job->work, 1);
    for (size_t i = 0; i < RESULTS; i++)
        if (is_given(job->work.given, file_options[i])) {
            uint64_t need =
                file_need(job, least != NULL ? least : job->work.context, file_options[i]);
            most = need > most ? need : most;
        }
    hop_context_free(least);
    return most;
}

int results_set_aside(problem_job *job) {
    uint64_t most = results_need(job);
    hop_status status = HOP_OK;
    if (most > 0 && job->set_aside == NULL)
        status = hop_block_create(job->work.context, "room to write the results", most, 1,
                                  &job->set_aside);
    if (status == HOP_ERR_BUDGET) {
        job->lacking = true;
        return CODE_OK;
    }
    return status == HOP_OK ? CODE_OK : session_fail(&job->work, status);
}

void results_room(problem_job *job) {
    hop_block_free(job->set_aside);
    job->set_aside = NULL;
}

static hop_status write_array(problem_job *job, const char *path, hop_type type, const void *items,
                              uint64_t rows) {
    hop_context *context = job->work.context;
    hop_array_writer *writer = NULL;
    hop_array array = HOP_ARRAY_INIT;
    array.type = type;
    array.rows = rows;
    hop_status status = hop_array_create(context, path, &array, &writer);
    if (status == HOP_OK && rows > 0)
        status = hop_array_append(context, writer, &(hop_view){items, rows, type});
    return hop_array_close(context, writer, status);
}

static hop_status write_text(problem_job *job, const char *path, const result_table *table) {
    hop__result_column columns[HOP__TABLE_COLUMNS];
    const hop_graph *graph = job->opened.graph;
    size_t count = 0;
    if (table->index != NULL)
        columns[count++] =
            (hop__result_column){.name = table->index, .type = HOP_TYPE_UINT32, .graph = graph};
    for (size_t c = 0; c < table->count; c++) {
        const result_column *column = &table->columns[c];
        columns[count++] = (hop__result_column){.name = column->name,
                                                .type = column->type,
                                                .items = column->items,
                                                .missing = column->missing,
                                                .graph = column->vertices ? graph : NULL};
    }
    return hop__result_table_write(job->work.context, path, columns, count, table->rows);
}

int results_write_to(problem_job *job, const char *path, const result_table *table) {
    written_file written = {0};
    struct stat about;
    const result_column *first = &table->columns[0];
    double began = clock_seconds();
    results_room(job);
    hop_status status = is_text(path)
                            ? write_text(job, path, table)
                            : write_array(job, path, first->type, first->items, table->rows);
    bar_wipe(&job->work.bar);
    if (status != HOP_OK)
        return session_fail(&job->work, status);
    written.seconds = clock_seconds() - began;
    if (!is_standard(path) && stat(path, &about) == 0)
        written.bytes = (uint64_t)about.st_size;
    job_wrote(job, first->what, path, written);
    return CODE_OK;
}

static int write_main(problem_job *job, const char *path, const result_table *table) {
    int code = results_write_to(job, path, table);
    if (code != CODE_OK || is_text(path) || table->index == NULL ||
        is_given(job->work.given, OPT_IDS) || job->work.json)
        return code;
    if (job->info.named)
        session_say(&job->work, "row i of it is vertex i; --ids FILE.txt writes their names in %s",
                    file_name(job->input, false));
    else if (job->info.labelled)
        session_say(&job->work, "row i of it is vertex i; --ids FILE writes their ids in %s",
                    file_name(job->input, false));
    else if (job->info.first_id != 0)
        session_say(&job->work, "row i of it, from 0 on, is vertex i + %" PRIu64 " of %s",
                    job->info.first_id, file_name(job->input, false));
    return code;
}

int results_write_ids(problem_job *job) {
    const hop_graph *graph = job->opened.graph;
    void *made = NULL;
    if (graph == NULL || !is_given(job->work.given, OPT_IDS))
        return CODE_OK;
    hop_vertex n = hop_graph_vertices(graph);
    const uint64_t *labels = hop_graph_labels(graph);
    if (hop_graph_named(graph)) {
        const char *path = job->work.given->values[OPT_IDS].text;
        const result_column names = {
            .name = "id", .what = "names", .type = HOP_TYPE_UINT32, .vertices = true};
        const result_table column = {NULL, n, &names, 1};
        if (!is_text(path))
            return complain(CODE_USAGE,
                            "--ids %s: names are text; give a file FILE.txt or "
                            "FILE.csv",
                            path);
        return results_write_to(job, path, &column);
    }
    if (labels == NULL) {
        results_room(job);
        int code = job_array(job, "ids", n, sizeof *labels, &made);
        if (code != CODE_OK)
            return code;
        for (hop_vertex v = 0; v < n; v++)
            ((uint64_t *)made)[v] = hop_graph_label(graph, v);
        labels = made;
    }
    const result_column column = {
        .name = "id", .what = "ids", .type = HOP_TYPE_UINT64, .items = labels};
    const result_table table = {NULL, n, &column, 1};
    return results_write_to(job, job->work.given->values[OPT_IDS].text, &table);
}

int results_write(problem_job *job, const result_table *table) {
    const arguments *given = job->work.given;
    int code = CODE_OK;
    if (is_given(given, OPT_OUTPUT))
        code = write_main(job, given->values[OPT_OUTPUT].text, table);
    for (size_t c = 0; c < table->count && code == CODE_OK; c++) {
        const result_column *column = &table->columns[c];
        result_table alone = {table->index, table->rows, column, 1};
        if (column->option != 0 && is_given(given, column->option))
            code = results_write_to(job, given->values[column->option].text, &alone);
    }
    return code == CODE_OK ? results_write_ids(job) : code;
}
