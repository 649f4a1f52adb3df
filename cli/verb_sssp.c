/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite sssp GRAPH: distances and parents from one or several sources. */
#include <inttypes.h>

#include "cycle_report.h"
#include "distance_chart.h"
#include "exit_codes.h"
#include "graph_report.h"
#include "memory_need.h"
#include "problem_job.h"
#include "result_file.h"
#include "search_ends.h"
#include "svg_chart.h"
#include "vertex_text.h"

typedef struct sssp_verb {
    problem_job job;
    search_ends ends;
    hop_sssp_options options;
    hop_weight_type type; /* of the distances */
    void *distances;
    hop_vertex *parents;
    /* What is told. */
    hop_vertex reached, farthest;
    uint64_t arcs; /* of what was reached */
    distance_chart chart;
} sssp_verb;

static hop_status call(void *user, const hop_run *run) {
    sssp_verb *sssp = user;
    sssp->options.run = run;
    return hop_sssp(sssp->job.work.context, sssp->job.opened.graph, sssp->ends.sources.vertices,
                    (hop_vertex)sssp->ends.sources.count, &sssp->options,
                    &(hop_span){sssp->distances, sssp->job.info.vertices, sssp->type},
                    sssp->parents);
}

static void measure(sssp_verb *sssp) {
    for (hop_vertex v = 0; v < sssp->job.info.vertices; v++)
        if (distance_reached(sssp->type, sssp->distances, v)) {
            if (sssp->reached++ == 0 ||
                distance_greater(sssp->type, sssp->distances, v, sssp->farthest))
                sssp->farthest = v;
            sssp->arcs += hop_graph_degree(sssp->job.opened.graph, v);
        }
    distance_chart_make(sssp->type, sssp->distances, sssp->job.info.vertices, &sssp->chart);
}

static void tell(sssp_verb *sssp) {
    problem_job *job = &sssp->job;
    FILE *file = job_facts(job);
    job_tell(job, (double)sssp->arcs / (job->info.directed ? 1 : 2), "TEPS");
    if (file == NULL)
        return;
    if (job->info.weight_type == HOP_TYPE_NONE)
        report_line(file, "weights", "none: each edge counts 1");
    const search_values found = {NULL, sssp->type, sssp->distances};
    ends_line(file, job, &sssp->ends);
    targets_lines(file, job, &sssp->ends, &found);
    nearest_lines(file, job, &sssp->ends, &found);
    reached_line(file, job, &sssp->ends, &found, sssp->reached);
    if (sssp->reached > 0)
        report_line(file, "farthest", "vertex %s, at distance %s",
                    vertex_text(job->opened.graph, sssp->farthest).s,
                    distance_text(sssp->type, sssp->distances, sssp->farthest).s);
    if (file == stdout)
        chart_print(file, "distance", "vertices", sssp->chart.rows, sssp->chart.count,
                    job->info.vertices);
}

static int plot(const sssp_verb *sssp) {
    char title[PLOT_TITLE];
    plot_title(title, file_name(sssp->job.input, false), "distances");
    return plot_write(sssp->job.work.given, title, "distance", "vertices", sssp->chart.rows,
                      sssp->chart.count);
}

static void print_json(sssp_verb *sssp) {
    json out;
    json_begin(&out, stdout, "sssp");
    job_json(&out, &sssp->job);
    const search_values found = {NULL, sssp->type, sssp->distances};
    ends_json(&out, &sssp->job, &sssp->ends);
    targets_json(&out, &sssp->job, &sssp->ends, &found);
    nearest_json(&out, &sssp->job, &sssp->ends, &found);
    json_string(&out, "distance_type", hop_type_name(sssp->type));
    json_count(&out, "reached", sssp->reached);
    json_count(&out, "arcs_reached", sssp->arcs);
    if (sssp->reached > 0) {
        vertex_json(&out, "farthest", sssp->job.opened.graph, sssp->farthest);
        distance_json(&out, "farthest_distance", sssp->type, sssp->distances, sssp->farthest);
    }
    distance_chart_json(&out, &sssp->chart);
    json_null(&out, "negative_cycle");
    job_files_json(&out, &sssp->job);
    json_finish(&out);
}

static int solve(sssp_verb *sssp, hop_status *status) {
    problem_job *job = &sssp->job;
    hop_vertex n = job->info.vertices;
    const option_value *cutoff = &job->work.given->values[OPT_CUTOFF];
    void *parents = NULL;
    sssp->type = hop_distance_type(job->info.weight_type);
    int code = job_result(job, "distances", n, hop_type_size(sssp->type), &sssp->distances);
    if (code == CODE_OK)
        code = job_result(job, "parents", n, sizeof(hop_vertex), &parents);
    sssp->parents = parents;
    sssp->options = (hop_sssp_options)HOP_SSSP_OPTIONS_INIT;
    sssp->options.targets = sssp->ends.targets.vertices;
    sssp->options.target_count = (hop_vertex)sssp->ends.targets.count;
    sssp->options.nearest = (hop_vertex)job->work.given->values[OPT_NEAREST].number;
    if (cutoff->times > 0)
        sssp->options.cutoff = cutoff->real;
    return code == CODE_OK ? job_solve(job, call, sssp, status) : code;
}

static int report(sssp_verb *sssp, hop_status status) {
    const result_column columns[] = {
        {"distance", "distances", sssp->type, sssp->distances, "inf", false, 0},
        {"parent", "parents", HOP_TYPE_UINT32, sssp->parents, "-1", true, OPT_PARENTS}};
    const result_table table = {"vertex", sssp->job.info.vertices, columns, 2};
    if (status == HOP_ERR_NEGATIVE_CYCLE)
        return cycle_report(&sssp->job);
    const search_values found = {.type = sssp->type, .distances = sssp->distances};
    measure(sssp);
    int code = nearest_take(&sssp->job, &sssp->ends, &found);
    if (code != CODE_OK)
        return code;
    tell(sssp);
    code = results_write(&sssp->job, &table);
    if (code == CODE_OK)
        code = plot(sssp);
    if (code == CODE_OK && sssp->job.work.json)
        print_json(sssp);
    return code;
}

int run_sssp(const arguments *given) {
    sssp_verb sssp = {0};
    hop_status status = HOP_OK;
    int code = job_open(&sssp.job, given, HOP_PROBLEM_SSSP);
    if (code == CODE_OK)
        code = results_check(given);
    if (code == CODE_OK)
        code = plot_check(given);
    if (code == CODE_OK)
        code = ends_check(&sssp.job);
    if (code == CODE_OK)
        code = job_read_graph(&sssp.job);
    if (code == CODE_OK)
        code = ends_take(&sssp.job, &sssp.ends);
    if (code == CODE_OK)
        code = solve(&sssp, &status);
    if (code == CODE_OK && !job_is_dry(&sssp.job))
        code = report(&sssp, status);
    ends_free(&sssp.ends);
    job_close(&sssp.job);
    return code;
}
