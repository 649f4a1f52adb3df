/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite bfs GRAPH: levels and parents from one or several sources. */
#include <stdlib.h>

#include "bar_chart.h"
#include "complaint.h"
#include "exit_codes.h"
#include "graph_report.h"
#include "memory_need.h"
#include "number_text.h"
#include "problem_job.h"
#include "result_file.h"
#include "search_ends.h"
#include "svg_chart.h"

typedef struct bfs_verb {
    problem_job job;
    search_ends ends;
    hop_bfs_options options;
    hop_vertex *levels, *parents;
    /* What is told. */
    hop_vertex reached, deepest;
    uint64_t arcs;   /* of what was reached */
    uint64_t *sizes; /* of each level */
} bfs_verb;

static hop_status call(void *user, const hop_run *run) {
    bfs_verb *bfs = user;
    bfs->options.run = run;
    return hop_bfs(bfs->job.work.context, bfs->job.opened.graph, bfs->ends.sources.vertices,
                   (hop_vertex)bfs->ends.sources.count, &bfs->options, bfs->levels, bfs->parents);
}

static void measure(bfs_verb *bfs) {
    hop_vertex n = bfs->job.info.vertices;
    for (hop_vertex v = 0; v < n; v++)
        if (bfs->levels[v] != HOP_NO_LEVEL) {
            bfs->reached++;
            bfs->arcs += hop_graph_degree(bfs->job.opened.graph, v);
            if (bfs->levels[v] > bfs->deepest)
                bfs->deepest = bfs->levels[v];
        }
    bfs->sizes = need_memory(NULL, (size_t)bfs->deepest + 1, sizeof *bfs->sizes);
    for (size_t i = 0; i <= bfs->deepest; i++)
        bfs->sizes[i] = 0;
    for (hop_vertex v = 0; v < n; v++)
        if (bfs->levels[v] != HOP_NO_LEVEL)
            bfs->sizes[bfs->levels[v]]++;
}

enum { ROWS = 16 };

/* Levels for a chart, several in a row when there are many. How many rows there are. */
static size_t level_rows(const bfs_verb *bfs, chart_row rows[ROWS]) {
    uint64_t levels = (uint64_t)bfs->deepest + 1;
    uint64_t each = (levels + ROWS - 1) / ROWS;
    size_t count = 0;
    for (uint64_t low = 0; low < levels; low += each, count++) {
        uint64_t high = low + each <= levels ? low + each - 1 : levels - 1;
        rows[count] = (chart_row){.low = low, .high = high};
        for (uint64_t level = low; level <= high; level++)
            rows[count].count += bfs->sizes[level];
    }
    return count;
}

static void print_levels(FILE *file, const bfs_verb *bfs) {
    chart_row rows[ROWS];
    size_t count = level_rows(bfs, rows);
    chart_print(file, "level", "vertices", rows, count, bfs->job.info.vertices);
}

static int plot_levels(const bfs_verb *bfs) {
    chart_row rows[ROWS];
    char title[PLOT_TITLE];
    size_t count = level_rows(bfs, rows);
    plot_title(title, file_name(bfs->job.input, false), "levels");
    return plot_write(bfs->job.work.given, title, "level", "vertices", rows, count);
}

static void tell(bfs_verb *bfs) {
    problem_job *job = &bfs->job;
    FILE *file = job_facts(job);
    /* As the Graph500 counts: edges of the part that was reached, each once. */
    double edges = (double)bfs->arcs / (job->info.directed ? 1 : 2);
    job_tell(job, edges, "TEPS");
    if (file == NULL)
        return;
    const search_values found = {.levels = bfs->levels};
    ends_line(file, job, &bfs->ends);
    targets_lines(file, job, &bfs->ends, &found);
    nearest_lines(file, job, &bfs->ends, &found);
    reached_line(file, job, &bfs->ends, &found, bfs->reached);
    if (bfs->reached > 0)
        report_line(file, "levels", "0 to %s", count_text(bfs->deepest).s);
    if (file == stdout)
        print_levels(file, bfs);
}

static void print_json(bfs_verb *bfs) {
    json out;
    json_begin(&out, stdout, "bfs");
    job_json(&out, &bfs->job);
    const search_values found = {.levels = bfs->levels};
    ends_json(&out, &bfs->job, &bfs->ends);
    targets_json(&out, &bfs->job, &bfs->ends, &found);
    nearest_json(&out, &bfs->job, &bfs->ends, &found);
    json_count(&out, "reached", bfs->reached);
    json_count(&out, "levels", bfs->reached > 0 ? (uint64_t)bfs->deepest + 1 : 0);
    json_count(&out, "arcs_reached", bfs->arcs);
    json_array(&out, "level_sizes");
    for (uint64_t i = 0; bfs->reached > 0 && i <= bfs->deepest; i++)
        json_count(&out, NULL, bfs->sizes[i]);
    json_end(&out);
    job_files_json(&out, &bfs->job);
    json_finish(&out);
}

static int solve(bfs_verb *bfs) {
    problem_job *job = &bfs->job;
    hop_vertex n = job->info.vertices;
    const option_value *depth = &job->work.given->values[OPT_DEPTH];
    hop_status status;
    void *levels = NULL, *parents = NULL;
    int code = job_result(job, "levels", n, sizeof(hop_vertex), &levels);
    if (code == CODE_OK)
        code = job_result(job, "parents", n, sizeof(hop_vertex), &parents);
    bfs->levels = levels;
    bfs->parents = parents;
    bfs->options = (hop_bfs_options)HOP_BFS_OPTIONS_INIT;
    bfs->options.targets = bfs->ends.targets.vertices;
    bfs->options.target_count = (hop_vertex)bfs->ends.targets.count;
    bfs->options.nearest = (hop_vertex)job->work.given->values[OPT_NEAREST].number;
    if (depth->times > 0)
        bfs->options.max_level = (hop_vertex)depth->number;
    return code == CODE_OK ? job_solve(job, call, bfs, &status) : code;
}

static int report(bfs_verb *bfs) {
    const result_column columns[] = {
        {"level", "levels", HOP_TYPE_UINT32, bfs->levels, "-1", false, 0},
        {"parent", "parents", HOP_TYPE_UINT32, bfs->parents, "-1", true, OPT_PARENTS}};
    const result_table table = {"vertex", bfs->job.info.vertices, columns, 2};
    const search_values found = {.levels = bfs->levels};
    measure(bfs);
    int code = nearest_take(&bfs->job, &bfs->ends, &found);
    if (code != CODE_OK)
        return code;
    tell(bfs);
    code = results_write(&bfs->job, &table);
    if (code == CODE_OK)
        code = plot_levels(bfs);
    if (code == CODE_OK && bfs->job.work.json)
        print_json(bfs);
    return code;
}

int run_bfs(const arguments *given) {
    bfs_verb bfs = {0};
    int code = job_open(&bfs.job, given, HOP_PROBLEM_BFS);
    if (code == CODE_OK)
        code = results_check(given);
    if (code == CODE_OK)
        code = plot_check(given);
    if (code == CODE_OK)
        code = ends_check(&bfs.job);
    if (code == CODE_OK)
        code = job_read_graph(&bfs.job);
    if (code == CODE_OK)
        code = ends_take(&bfs.job, &bfs.ends);
    if (code == CODE_OK)
        code = solve(&bfs);
    if (code == CODE_OK && !job_is_dry(&bfs.job))
        code = report(&bfs);
    free(bfs.sizes);
    ends_free(&bfs.ends);
    job_close(&bfs.job);
    return code;
}
