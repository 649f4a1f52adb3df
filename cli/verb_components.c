/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite components GRAPH: which vertices hang together; sizes, and the largest as a graph. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "complaint.h"
#include "exit_codes.h"
#include "graph_report.h"
#include "memory_need.h"
#include "number_text.h"
#include "problem_job.h"
#include "result_file.h"
#include "svg_chart.h"
#include "vertex_text.h"

enum { SHOWN = 5, SIZES = 33 }; /* sizes by powers of two */

typedef struct component {
    hop_vertex label, size;
} component;

typedef struct components_verb {
    problem_job job;
    hop_vertex *labels, *sizes;
    hop_vertex count, singles;
    component *largest; /* first the largest; by label among equals */
    component few[SHOWN];
    component *all; /* for --top: room for n */
    size_t shown;
    chart_row sizes_chart[SIZES];
    size_t sizes_rows;
} components_verb;

static hop_status call(void *user, const hop_run *run) {
    components_verb *parts = user;
    hop_components_options options = HOP_COMPONENTS_OPTIONS_INIT;
    options.run = run;
    return hop_components(parts->job.work.context, parts->job.opened.graph, &options, parts->labels,
                          &parts->count);
}

static int by_size(const void *a, const void *b) {
    const component *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? 1 : -1;
    return (x->label > y->label) - (x->label < y->label);
}

/* Puts a component in its place among the few largest, if it has one. */
static void offer(components_verb *parts, component each) {
    size_t at = parts->shown;
    while (at > 0 && parts->few[at - 1].size < each.size)
        at--;
    if (at == SHOWN)
        return;
    size_t kept = parts->shown < SHOWN ? parts->shown : SHOWN - 1;
    memmove(&parts->few[at + 1], &parts->few[at], (kept - at) * sizeof each);
    parts->few[at] = each;
    parts->shown = kept + 1;
}

/* All of them, sorted, for --top K. */
static void sort_all(components_verb *parts) {
    const option_value *top = &parts->job.work.given->values[OPT_TOP];
    size_t k = 0;
    if (top->times == 0)
        return;
    parts->largest = parts->all;
    for (hop_vertex v = 0; v < parts->job.info.vertices; v++)
        if (parts->sizes[v] > 0)
            parts->largest[k++] = (component){v, parts->sizes[v]};
    qsort(parts->largest, k, sizeof *parts->largest, by_size);
    parts->shown = k < top->number ? k : (size_t)top->number;
}

static int measure(components_verb *parts) {
    problem_job *job = &parts->job;
    hop_vertex n = job->info.vertices;
    hop_status status = hop_components_sizes(job->work.context, parts->labels, n, parts->sizes);
    if (status != HOP_OK)
        return session_fail(&job->work, status);
    parts->largest = parts->few;
    for (hop_vertex v = 0; v < n; v++)
        if (parts->sizes[v] > 0) {
            unsigned power = 31 - (unsigned)__builtin_clz(parts->sizes[v]);
            parts->singles += parts->sizes[v] == 1;
            parts->sizes_chart[power].count++;
            parts->sizes_rows = power + 1 > parts->sizes_rows ? power + 1 : parts->sizes_rows;
            offer(parts, (component){v, parts->sizes[v]});
        }
    for (size_t i = 0; i < parts->sizes_rows; i++) {
        parts->sizes_chart[i].low = UINT64_C(1) << i;
        parts->sizes_chart[i].high = (UINT64_C(2) << i) - 1;
    }
    sort_all(parts);
    return CODE_OK;
}

static int plot(const components_verb *parts) {
    char title[PLOT_TITLE];
    plot_title(title, file_name(parts->job.input, false), "sizes of components");
    return plot_write(parts->job.work.given, title, "vertices of a component", "components",
                      parts->sizes_chart, parts->sizes_rows);
}

static void tell(components_verb *parts) {
    problem_job *job = &parts->job;
    FILE *file = job_facts(job);
    if (hop_graph_joined(job->opened.graph))
        session_say(&job->work,
                    "components: stream, %s, %s edges/s, while they were read: the graph does not "
                    "fit the memory budget, its edges were not kept",
                    seconds_text(job->opened.open_seconds).s,
                    rate_text((double)job->info.edges / job->opened.open_seconds).s);
    else
        job_tell(job, (double)job->info.edges, " edges/s");
    if (file == NULL)
        return;
    report_line(file, "components", "%s, %s of them single vertices", count_text(parts->count).s,
                count_text(parts->singles).s);
    bool all = is_given(job->work.given, OPT_TOP);
    for (size_t i = 0; i < parts->shown && (all || i == 0 || parts->largest[i].size > 1); i++)
        report_line(file, i == 0 ? "largest" : "", "%s (%s), with vertex %s",
                    counted_text(parts->largest[i].size, "vertex", "vertices").s,
                    percent_text(parts->largest[i].size, job->info.vertices).s,
                    vertex_text(job->opened.graph, parts->largest[i].label).s);
    if (file == stdout)
        chart_print(file, "size", "components", parts->sizes_chart, parts->sizes_rows,
                    parts->count);
}

static void print_json(components_verb *parts) {
    json out;
    json_begin(&out, stdout, "components");
    job_json(&out, &parts->job);
    json_count(&out, "components", parts->count);
    json_count(&out, "single_vertices", parts->singles);
    json_array(&out, "largest");
    for (size_t i = 0; i < parts->shown; i++) {
        json_object(&out, NULL);
        vertex_json(&out, "vertex", parts->job.opened.graph, parts->largest[i].label);
        json_count(&out, "size", parts->largest[i].size);
        json_end(&out);
    }
    json_end(&out);
    json_array(&out, "size_histogram");
    for (size_t i = 0; i < parts->sizes_rows; i++) {
        json_object(&out, NULL);
        json_count(&out, "from", parts->sizes_chart[i].low);
        json_count(&out, "to", parts->sizes_chart[i].high);
        json_count(&out, "components", parts->sizes_chart[i].count);
        json_end(&out);
    }
    json_end(&out);
    job_files_json(&out, &parts->job);
    json_finish(&out);
}

/* Names and sizes, largest first: as text both, as an array the sizes. */
static int write_sizes(components_verb *parts, const char *path) {
    problem_job *job = &parts->job;
    void *memory = NULL, *columns = NULL;
    hop_vertex k = 0, n = job->info.vertices;
    results_room(job);
    int code = job_array(job, "sizes", parts->count, sizeof(component), &memory);
    if (code == CODE_OK)
        code = job_array(job, "sizes", (uint64_t)parts->count * 2, sizeof(hop_vertex), &columns);
    if (code != CODE_OK)
        return code;
    component *all = memory;
    hop_vertex *sizes = columns, *labels = sizes + parts->count;
    for (hop_vertex v = 0; v < n; v++)
        if (parts->sizes[v] > 0)
            all[k++] = (component){v, parts->sizes[v]};
    qsort(all, k, sizeof *all, by_size);
    for (hop_vertex i = 0; i < k; i++) {
        sizes[i] = all[i].size;
        labels[i] = all[i].label;
    }
    const result_column made[] = {
        {"size", "sizes of the components", HOP_TYPE_UINT32, sizes, NULL, false, 0},
        {"component", "names of the components", HOP_TYPE_UINT32, labels, NULL, true, 0}};
    const result_table table = {NULL, k, made, 2};
    return results_write_to(job, path, &table);
}

static int write_largest(components_verb *parts, const char *path) {
    problem_job *job = &parts->job;
    written_file written = {0};
    hop_graph *largest = NULL;
    hop_status status =
        hop_components_largest(job->work.context, job->opened.graph, parts->labels, &largest);
    if (status != HOP_OK)
        return session_fail(&job->work, status);
    int code = file_write(&job->work, largest, path, &written);
    if (code == CODE_OK) {
        job_wrote(job, "the largest component", path, written);
        file_say_ids(&job->work, largest, path);
    }
    hop_graph_release(largest);
    return code;
}

static int write_all(components_verb *parts) {
    problem_job *job = &parts->job;
    const arguments *given = job->work.given;
    bool relabel = is_given(given, OPT_RELABEL);
    int code = CODE_OK;
    if (is_given(given, OPT_LARGEST))
        code = write_largest(parts, given->values[OPT_LARGEST].text);
    if (code == CODE_OK && is_given(given, OPT_SIZES))
        code = write_sizes(parts, given->values[OPT_SIZES].text);
    if (code == CODE_OK && relabel) {
        hop_status status = hop_components_number(job->work.context, parts->labels,
                                                  job->info.vertices, parts->labels, NULL);
        if (status != HOP_OK)
            return session_fail(&job->work, status);
    }
    const result_column column = {
        "component", "components", HOP_TYPE_UINT32, parts->labels, NULL, !relabel, 0};
    const result_table table = {"vertex", job->info.vertices, &column, 1};
    return code == CODE_OK ? results_write(job, &table) : code;
}

static int check_files(const arguments *given) {
    int code = results_check(given);
    if (code == CODE_OK)
        code = plot_check(given);
    if (code == CODE_OK && is_given(given, OPT_LARGEST))
        code = output_check(given, given->values[OPT_LARGEST].text, false, ANY_WEIGHTS);
    if (code == CODE_OK && is_given(given, OPT_RELABEL) && !is_given(given, OPT_OUTPUT))
        code = complain(CODE_USAGE, "--relabel is about what -o FILE writes; there is no -o");
    return code;
}

int run_components(const arguments *given) {
    components_verb parts = {0};
    problem_job *job = &parts.job;
    hop_status status;
    void *labels = NULL, *sizes = NULL, *all = NULL;
    int code = job_open(job, given, HOP_PROBLEM_COMPONENTS);
    if (code == CODE_OK)
        code = check_files(given);
    if (code == CODE_OK)
        code = job_read_graph(job);
    if (code == CODE_OK)
        code = job_result(job, "labels", job->info.vertices, sizeof(hop_vertex), &labels);
    if (code == CODE_OK)
        code = job_result(job, "sizes", job->info.vertices, sizeof(hop_vertex), &sizes);
    if (code == CODE_OK && is_given(given, OPT_TOP))
        code = job_result(job, "largest", job->info.vertices, sizeof(component), &all);
    parts.labels = labels;
    parts.sizes = sizes;
    parts.all = all;
    if (code == CODE_OK)
        code = job_solve(job, call, &parts, &status);
    if (code == CODE_OK && !job_is_dry(job)) {
        code = measure(&parts);
        if (code == CODE_OK) {
            tell(&parts);
            code = write_all(&parts);
            if (code == CODE_OK)
                code = plot(&parts);
        }
        if (code == CODE_OK && job->work.json)
            print_json(&parts);
    }
    job_close(job);
    return code;
}
