/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite measure NAME GRAPH: what distances say about the vertices or the graph. One verb for all
 * rows of the library's table of measures. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cell_report.h"
#include "complaint.h"
#include "core/nearest_word.h"
#include "distance_text.h"
#include "exit_codes.h"
#include "graph_report.h"
#include "greatest.h"
#include "help_text.h"
#include "io/bytes/path_suffix.h"
#include "memory_need.h"
#include "problem_job.h"
#include "result_file.h"
#include "vertex_file.h"
#include "vertex_text.h"

enum { SHOWN = 5, LISTED = 20 };

typedef struct measure_verb {
    problem_job job;
    const hop_measure *measure;
    hop_measure_options options;
    hop_type type;
    uint64_t room;
    void *values;
    uint64_t count;
    uint64_t *greatest; /* those with the greatest values; the first among equals */
    size_t shown;
    hop_vertex components, largest, largest_size; /* of labels; the first among equals */
    hop_vertex *from, *to;                        /* of arcs */
    void *weights;                                /* of those; NULL: there are none */
    hop_weight_type weight_type;
    double weight; /* of all */
    vertex_set centers;
    cell_report cells;
} measure_verb;

const char *word_of_measure(size_t index) {
    const hop_measure *measure = hop_measure_at(index);
    return measure == NULL ? NULL : measure->name;
}

void help_measures(FILE *file, const arguments *given) {
    (void)given;
    fprintf(file, "\nMeasures\n");
    for (size_t i = 0; i < hop_measure_count(); i++)
        help_entry(file, hop_measure_at(i)->name, hop_measure_at(i)->summary);
}

static hop_status call(void *user, const hop_run *run) {
    measure_verb *asked = user;
    const hop_span span = {asked->values, asked->room, asked->type};
    hop_vertex count = 0;
    asked->options.run = run;
    hop_status status = hop_measure_run(asked->job.work.context, asked->job.opened.graph,
                                        asked->measure->name, &asked->options, &span, &count);
    asked->count = asked->measure->shape == HOP_MEASURE_ARC ? asked->room : count;
    return status;
}

static double value_at(const void *user, uint64_t at) {
    const measure_verb *asked = user;
    return asked->type == HOP_TYPE_UINT64   ? (double)((const uint64_t *)asked->values)[at]
           : asked->type == HOP_TYPE_UINT32 ? ((const uint32_t *)asked->values)[at]
                                            : distance_real(asked->type, asked->values, at);
}

static text value_text(const measure_verb *asked, uint64_t at) {
    return asked->type == HOP_TYPE_UINT64 ? count_text(((const uint64_t *)asked->values)[at])
                                          : distance_text(asked->type, asked->values, at);
}

static void value_json(json *out, const char *key, const measure_verb *asked, uint64_t at) {
    if (asked->type == HOP_TYPE_UINT64)
        json_count(out, key, ((const uint64_t *)asked->values)[at]);
    else
        distance_json(out, key, asked->type, asked->values, at);
}

/* Finds the greatest values. */
static int rank_values(measure_verb *asked) {
    const option_value *top = &asked->job.work.given->values[OPT_TOP];
    uint64_t most = top->times > 0 ? top->number : SHOWN;
    void *places = NULL;
    most = most < asked->count ? most : asked->count;
    int code = job_array(&asked->job, "greatest", most, sizeof *asked->greatest, &places);
    asked->greatest = places;
    if (code == CODE_OK)
        asked->shown = greatest_find(asked, value_at, asked->count, (size_t)most, asked->greatest);
    return code;
}

/* Counts the components that labels tell apart. `sizes` has room for one of each vertex. */
static void count_labels(measure_verb *asked, hop_vertex *sizes) {
    const hop_vertex *labels = asked->values;
    for (hop_vertex v = 0; v < asked->count; v++)
        sizes[v] = 0;
    for (hop_vertex v = 0; v < asked->count; v++)
        asked->components += sizes[labels[v]]++ == 0;
    for (hop_vertex v = 0; v < asked->count; v++)
        if (sizes[v] > asked->largest_size) {
            asked->largest = v;
            asked->largest_size = sizes[v];
        }
}

static int look_at_labels(measure_verb *asked) {
    void *sizes = NULL;
    int code = job_array(&asked->job, "sizes", asked->count, sizeof(hop_vertex), &sizes);
    if (code == CODE_OK)
        count_labels(asked, sizes);
    return code;
}

static void tell_labels(FILE *file, const measure_verb *asked) {
    report_line(file, "components", "%s", count_text(asked->components).s);
    if (asked->components > 0)
        report_line(file, "largest", "%s, the smallest of which is %s",
                    counted_text(asked->largest_size, "vertex", "vertices").s,
                    vertex_text(asked->job.opened.graph, asked->largest).s);
}

/* Whether the values are estimates. */
static bool is_sampled(const measure_verb *asked) {
    return asked->options.samples > 0 &&
           asked->options.samples < hop_graph_vertices(asked->job.opened.graph);
}

/* How far they may be from the exact ones, for nine seeds in ten. */
static double sampling_error(const measure_verb *asked) {
    return hop_measure_bound(asked->job.opened.graph, asked->measure->name, &asked->options, 0.1);
}

static void tell_greatest(FILE *file, const measure_verb *asked) {
    const hop_graph *graph = asked->job.opened.graph;
    const char *bounded = asked->measure->bounded;
    if (is_sampled(asked))
        report_line(file, "estimated",
                    "from %s of %s vertices; %s%swithin %.3g of the exact values for 9 of 10 seeds",
                    count_text(asked->options.samples).s, count_text(hop_graph_vertices(graph)).s,
                    bounded ? bounded : "", bounded ? ", is " : "", sampling_error(asked));
    for (size_t i = 0; i < asked->shown; i++) {
        const uint64_t at = asked->greatest[i];
        const char *title = i == 0 ? "greatest" : "";
        if (asked->from != NULL)
            report_line(file, title, "%s, of the edge from %s to %s", value_text(asked, at).s,
                        vertex_text(graph, asked->from[at]).s, vertex_text(graph, asked->to[at]).s);
        else
            report_line(file, title, "%s, of vertex %s", value_text(asked, at).s,
                        vertex_text(graph, (hop_vertex)at).s);
    }
}

static void tell_set(FILE *file, const measure_verb *asked) {
    const hop_graph *graph = asked->job.opened.graph;
    report_line(file, asked->measure->name, "%s",
                counted_text(asked->count, "vertex", "vertices").s);
    for (uint64_t i = 0; i < asked->count && i < LISTED; i++)
        report_line(file, i == 0 ? "vertices" : "", "%s",
                    vertex_text(graph, ((const hop_vertex *)asked->values)[i]).s);
    if (asked->count > LISTED)
        report_line(file, "", "(and %s more; -o writes all)", count_text(asked->count - LISTED).s);
}

static uint64_t offset_of(const hop_graph *graph, hop_vertex v) {
    size_t width;
    const void *offsets = hop_graph_offsets(graph, &width);
    return width == 4 ? ((const uint32_t *)offsets)[v] : ((const uint64_t *)offsets)[v];
}

/* Room for both ends of so many edges. */
static int take_ends(measure_verb *asked, uint64_t count) {
    void *ends[2] = {NULL, NULL};
    int code = job_array(&asked->job, "edges", count, sizeof(hop_vertex), &ends[0]);
    if (code == CODE_OK)
        code = job_array(&asked->job, "edges", count, sizeof(hop_vertex), &ends[1]);
    asked->from = ends[0];
    asked->to = ends[1];
    return code;
}

/* Numbers of arcs as edges with their weights, and what these add up to. */
static int look_at_arcs(measure_verb *asked) {
    const hop_graph *graph = asked->job.opened.graph;
    const uint64_t *arcs = asked->values;
    const void *weights = hop_graph_weights(graph, &asked->weight_type);
    const size_t size = hop_type_size(asked->weight_type);
    int code = take_ends(asked, asked->count);
    if (code == CODE_OK && weights != NULL)
        code = job_array(&asked->job, "weights", asked->count, size, &asked->weights);
    if (code != CODE_OK)
        return code;
    hop_vertex row = 0;
    for (uint64_t i = 0; i < asked->count; i++) {
        while (arcs[i] >= offset_of(graph, row + 1))
            row++; /* arcs ascend */
        asked->from[i] = row;
        asked->to[i] = hop_graph_targets(graph)[arcs[i]];
        if (weights != NULL) {
            memcpy((char *)asked->weights + i * size, (const char *)weights + arcs[i] * size, size);
            asked->weight += distance_real(asked->weight_type, asked->weights, i);
        }
    }
    return CODE_OK;
}

/* Values of all arcs become those of the edges, which an undirected graph has twice. */
static int look_at_edges(measure_verb *asked) {
    const hop_graph *graph = asked->job.opened.graph;
    const bool directed = hop_graph_directed(graph);
    double *values = asked->values;
    int code = take_ends(asked, asked->count);
    if (code != CODE_OK)
        return code;
    asked->count = 0;
    for (hop_vertex v = 0; v < hop_graph_vertices(graph); v++)
        for (uint64_t i = offset_of(graph, v); i < offset_of(graph, v + 1); i++) {
            const hop_vertex target = hop_graph_targets(graph)[i];
            if (!directed && target < v)
                continue;
            asked->from[asked->count] = v;
            asked->to[asked->count] = target;
            values[asked->count++] = values[i];
        }
    return CODE_OK;
}

static void tell_arcs(FILE *file, const measure_verb *asked) {
    const hop_graph *graph = asked->job.opened.graph;
    report_line(file, "edges", "%s", count_text(asked->count).s);
    if (asked->weights != NULL)
        report_line(file, "weight", "%.15g", asked->weight);
    for (uint64_t i = 0; i < asked->count && i < LISTED; i++)
        report_line(file, i == 0 ? "from, to" : "", "%s, %s", vertex_text(graph, asked->from[i]).s,
                    vertex_text(graph, asked->to[i]).s);
    if (asked->count > LISTED)
        report_line(file, "", "(and %s more; -o writes all)", count_text(asked->count - LISTED).s);
}

static void tell(measure_verb *asked) {
    FILE *file = job_facts(&asked->job);
    job_tell(&asked->job, 0, "");
    if (file == NULL)
        return;
    switch (asked->measure->shape) {
    case HOP_MEASURE_VERTEX:
    case HOP_MEASURE_ARC:
        tell_greatest(file, asked);
        break;
    case HOP_MEASURE_NUMBER:
        report_line(file, asked->measure->name, "%s", value_text(asked, 0).s);
        break;
    case HOP_MEASURE_SET:
    case HOP_MEASURE_ORDER:
        tell_set(file, asked);
        break;
    case HOP_MEASURE_LABELS:
        tell_labels(file, asked);
        break;
    case HOP_MEASURE_ARCS:
        tell_arcs(file, asked);
        break;
    case HOP_MEASURE_CELLS:
        cells_tell(file, &asked->cells, asked->job.opened.graph, LISTED);
        break;
    default:
        for (uint64_t i = 0; i < asked->count; i++) {
            char name[24];
            snprintf(name, sizeof name, "%" PRIu64, i);
            report_line(file, name, "%s", value_text(asked, i).s);
        }
        break;
    }
}

static void labels_json(json *out, const measure_verb *asked) {
    json_count(out, "components", asked->components);
    json_object(out, "largest");
    json_count(out, "vertices", asked->largest_size);
    if (asked->components > 0)
        vertex_json(out, "smallest", asked->job.opened.graph, asked->largest);
    json_end(out);
}

static void arcs_json(json *out, const measure_verb *asked) {
    if (asked->weights != NULL)
        json_real(out, "weight", asked->weight);
    json_array(out, "edges");
    for (uint64_t i = 0; i < asked->count; i++) {
        json_object(out, NULL);
        vertex_json(out, "from", asked->job.opened.graph, asked->from[i]);
        vertex_json(out, "to", asked->job.opened.graph, asked->to[i]);
        if (asked->weights != NULL)
            distance_json(out, "weight", asked->weight_type, asked->weights, i);
        json_end(out);
    }
    json_end(out);
}

static void values_json(json *out, const measure_verb *asked) {
    const bool vertices = asked->measure->shape != HOP_MEASURE_LEVELS;
    json_array(out, vertices ? "vertices" : "pairs");
    for (uint64_t i = 0; i < asked->count; i++)
        if (vertices)
            vertex_json(out, NULL, asked->job.opened.graph, ((const hop_vertex *)asked->values)[i]);
        else
            value_json(out, NULL, asked, i);
    json_end(out);
}

static void greatest_json(json *out, const measure_verb *asked) {
    const hop_graph *graph = asked->job.opened.graph;
    if (is_sampled(asked)) {
        json_count(out, "samples", asked->options.samples);
        json_real(out, "error", sampling_error(asked));
        if (asked->measure->bounded != NULL)
            json_string(out, "bounded", asked->measure->bounded);
    }
    json_array(out, "greatest");
    for (size_t i = 0; i < asked->shown; i++) {
        const uint64_t at = asked->greatest[i];
        json_object(out, NULL);
        if (asked->from != NULL) {
            vertex_json(out, "from", graph, asked->from[at]);
            vertex_json(out, "to", graph, asked->to[at]);
        } else
            vertex_json(out, "vertex", graph, (hop_vertex)at);
        value_json(out, "value", asked, at);
        json_end(out);
    }
    json_end(out);
}

static void print_json(measure_verb *asked) {
    static const char *const shapes[] = {"vertex", "number", "set", "levels", "labels",
                                         "order",  "arcs",   "arc", "cells"};
    const hop_measure_shape shape = asked->measure->shape;
    json out;
    json_begin(&out, stdout, "measure");
    job_json(&out, &asked->job);
    json_string(&out, "measure", asked->measure->name);
    json_string(&out, "definition", asked->measure->definition);
    json_string(&out, "shape", shapes[shape]);
    json_count(&out, "count", asked->count);
    if (shape == HOP_MEASURE_NUMBER)
        value_json(&out, "value", asked, 0);
    else if (shape == HOP_MEASURE_VERTEX || shape == HOP_MEASURE_ARC)
        greatest_json(&out, asked);
    else if (shape == HOP_MEASURE_LABELS)
        labels_json(&out, asked);
    else if (shape == HOP_MEASURE_ARCS)
        arcs_json(&out, asked);
    else if (shape == HOP_MEASURE_CELLS)
        cells_json(&out, &asked->cells, asked->job.opened.graph);
    else
        values_json(&out, asked);
    job_files_json(&out, &asked->job);
    json_finish(&out);
}

/* An array has one column. */
static int write_columns(measure_verb *asked, const result_table *table) {
    const char *path = asked->job.work.given->values[OPT_OUTPUT].text;
    int code = results_write(&asked->job, table);
    if (code == CODE_OK && path != NULL && !asked->job.work.json && hop__path_ends(path, ".npy"))
        session_say(&asked->job.work, "it has %s alone; a .txt or .csv file has all %zu columns",
                    table->columns[0].what, table->count);
    return code;
}

/* A value of each edge, and its ends. */
static int write_edges(measure_verb *asked) {
    const char *name = asked->measure->name;
    const result_column columns[3] = {{name, name, asked->type, asked->values, NULL, false, 0},
                                      {"from", "from", HOP_TYPE_UINT32, asked->from, NULL, true, 0},
                                      {"to", "to", HOP_TYPE_UINT32, asked->to, NULL, true, 0}};
    const result_table table = {NULL, asked->count, columns, 3};
    return write_columns(asked, &table);
}

/* Arcs as pairs of vertices, with their weights. */
static int write_arcs(measure_verb *asked) {
    const result_column columns[3] = {
        {"from", "from", HOP_TYPE_UINT32, asked->from, NULL, true, 0},
        {"to", "to", HOP_TYPE_UINT32, asked->to, NULL, true, 0},
        {"weight", "weights", asked->weight_type, asked->weights, NULL, false, 0}};
    const result_table table = {NULL, asked->count, columns, asked->weights != NULL ? 3 : 2};
    return write_columns(asked, &table);
}

/* Values of vertices stand beside these; numbers of pairs beside their distances. */
static int write_values(measure_verb *asked) {
    problem_job *job = &asked->job;
    const char *name = asked->measure->name;
    const hop_measure_shape shape = asked->measure->shape;
    const bool of_vertices = asked->type == HOP_TYPE_UINT32;
    void *memory = NULL;
    result_column columns[2] = {{name, name, asked->type, asked->values, "inf", of_vertices, 0}};
    const bool of_all =
        shape == HOP_MEASURE_VERTEX || shape == HOP_MEASURE_LABELS || shape == HOP_MEASURE_CELLS;
    result_table table = {of_all ? "vertex" : NULL, asked->count, columns, 1};
    if (shape == HOP_MEASURE_ARCS)
        return write_arcs(asked);
    if (shape == HOP_MEASURE_ARC)
        return write_edges(asked);
    if (shape == HOP_MEASURE_SET || shape == HOP_MEASURE_ORDER)
        columns[0].name = "vertex";
    if (shape == HOP_MEASURE_CELLS) {
        columns[0].name = "center";
        columns[0].missing = "-1";
    }
    if (shape == HOP_MEASURE_LEVELS && is_given(job->work.given, OPT_OUTPUT)) {
        results_room(job);
        int code = job_array(job, "distances", asked->count, sizeof(uint64_t), &memory);
        if (code != CODE_OK)
            return code;
        for (uint64_t i = 0; i < asked->count; i++)
            ((uint64_t *)memory)[i] = i;
        columns[0].name = "pairs";
        columns[1] =
            (result_column){"distance", "distances", HOP_TYPE_UINT64, memory, NULL, false, 0};
        table.count = 2;
    }
    return results_write(job, &table);
}

static int take_measure(measure_verb *asked, const arguments *given) {
    hop__nearest search;
    const char *name = given->operand_count > 0 ? given->operands[0] : NULL;
    if (name == NULL) {
        complain(CODE_USAGE, "the name of a measure expected");
        advise("hoplite measure --help lists them");
        return CODE_USAGE;
    }
    asked->measure = hop_measure_find(name);
    if (asked->measure != NULL)
        return CODE_OK;
    hop__nearest_begin(&search, name);
    for (size_t i = 0; i < hop_measure_count(); i++)
        hop__nearest_offer(&search, hop_measure_at(i)->name);
    complain(CODE_USAGE, "there is no measure \"%s\"", name);
    if (given->operand_count > 1 && hop_measure_find(given->operands[1]) != NULL)
        advise("the measure comes first: hoplite measure %s %s", given->operands[1], name);
    else if (hop__nearest_best(&search) != NULL)
        advise("did you mean %s?", hop__nearest_best(&search));
    else if (given->operand_count == 1 && access(name, F_OK) == 0)
        advise("the measure comes first, such as: hoplite measure diameter %s", name);
    else
        advise("hoplite measure --help lists them");
    return CODE_USAGE;
}

/* Options of some measures only, and who takes them. */
static const struct {
    option_id option;
    unsigned bit;
} own_options[] = {
    {OPT_DIRECTION, HOP_MEASURE_TAKES_DIRECTION}, {OPT_REACH_WITHIN, HOP_MEASURE_TAKES_WITHIN},
    {OPT_UNSCALED, HOP_MEASURE_TAKES_SCALED},     {OPT_SAMPLES, HOP_MEASURE_TAKES_SAMPLES},
    {OPT_CENTERS, HOP_MEASURE_TAKES_CENTERS},     {OPT_CENTERS_FROM, HOP_MEASURE_TAKES_CENTERS},
};

static int refuse_option(option_id option, unsigned bit, const char *measure) {
    char takers[512] = "";
    for (size_t i = 0; i < hop_measure_count(); i++) {
        const size_t used = strlen(takers);
        if (hop_measure_at(i)->takes & bit)
            snprintf(takers + used, sizeof takers - used, "%s%s", used > 0 ? ", " : "",
                     hop_measure_at(i)->name);
    }
    complain(CODE_USAGE, "%s does not take --%s", measure, option_rows[option].name);
    advise("it is for %s", takers);
    return CODE_USAGE;
}

static int take_options(measure_verb *asked, const arguments *given) {
    asked->options = (hop_measure_options)HOP_MEASURE_OPTIONS_INIT;
    for (size_t i = 0; i < sizeof own_options / sizeof own_options[0]; i++)
        if (is_given(given, own_options[i].option) && !(asked->measure->takes & own_options[i].bit))
            return refuse_option(own_options[i].option, own_options[i].bit, asked->measure->name);
    const hop_measure_shape shape = asked->measure->shape;
    if (is_given(given, OPT_TOP) && shape != HOP_MEASURE_VERTEX && shape != HOP_MEASURE_ARC) {
        complain(CODE_USAGE, "%s does not take --top", asked->measure->name);
        advise("it is for measures with a value for each vertex or edge");
        return CODE_USAGE;
    }
    if (is_given(given, OPT_DIRECTION))
        asked->options.direction =
            given->values[OPT_DIRECTION].number == 0 ? HOP_MEASURE_INWARD : HOP_MEASURE_OUTWARD;
    if (is_given(given, OPT_REACH_WITHIN))
        asked->options.within = (hop_vertex)given->values[OPT_REACH_WITHIN].number;
    if (is_given(given, OPT_SAMPLES))
        asked->options.samples = (hop_vertex)given->values[OPT_SAMPLES].number;
    asked->options.scaled = !is_given(given, OPT_UNSCALED);
    const char *centers = given->values[OPT_CENTERS_FROM].text, *graph = asked->job.input;
    if (centers != NULL && strcmp(centers, "-") == 0 && graph != NULL && strcmp(graph, "-") == 0)
        return complain(CODE_USAGE, "only one of graph and --centers-from can be -");
    if ((asked->measure->takes & HOP_MEASURE_TAKES_CENTERS) && !is_given(given, OPT_CENTERS) &&
        !is_given(given, OPT_CENTERS_FROM)) {
        complain(CODE_USAGE, "%s needs vertices around which the cells are", asked->measure->name);
        advise("name them: --centers V,... or --centers-from FILE");
        return CODE_USAGE;
    }
    return CODE_OK;
}

/* The centers, which are ids of the graph. */
static int take_centers(measure_verb *asked) {
    const vertex_space space = space_of_graph(asked->job.opened.graph);
    if (!(asked->measure->takes & HOP_MEASURE_TAKES_CENTERS))
        return CODE_OK;
    int code =
        vertices_take(&asked->job.work, &space, OPT_CENTERS, OPT_CENTERS_FROM, &asked->centers);
    if (code == CODE_OK && asked->centers.count == 0)
        return complain(CODE_USAGE, "--centers-from: no vertex is named");
    if (code == CODE_OK && asked->centers.count > UINT32_MAX)
        return complain(CODE_USAGE, "--centers: more than 2^32 - 1 of them");
    asked->options.centers = asked->centers.vertices;
    asked->options.center_count = (hop_vertex)asked->centers.count;
    return code;
}

/* What is told of the values beside them. */
static int look_at(measure_verb *asked) {
    int code = CODE_OK;
    switch (asked->measure->shape) {
    case HOP_MEASURE_LABELS:
        return look_at_labels(asked);
    case HOP_MEASURE_CELLS:
        return cells_look(&asked->job, asked->values, &asked->cells);
    case HOP_MEASURE_ARCS:
        return look_at_arcs(asked);
    case HOP_MEASURE_ARC:
        code = look_at_edges(asked);
        break;
    case HOP_MEASURE_VERTEX:
        break;
    default:
        return CODE_OK;
    }
    return code == CODE_OK ? rank_values(asked) : code;
}

int run_measure(const arguments *given) {
    measure_verb asked = {0};
    problem_job *job = &asked.job;
    hop_status status;
    int code = take_measure(&asked, given);
    if (code != CODE_OK)
        return code;
    code = job_open(job, given, (hop_problem)HOP_PROBLEM_COUNT);
    if (code == CODE_OK)
        code = take_options(&asked, given);
    if (code == CODE_OK)
        code = results_check(given);
    if (code == CODE_OK)
        code = job_read_graph(job);
    if (code == CODE_OK)
        code = take_centers(&asked);
    asked.type = hop_measure_type(job->opened.graph, asked.measure->name);
    asked.room = hop_measure_room(job->opened.graph, asked.measure->name, &asked.options);
    if (code == CODE_OK)
        code = job_result(job, "values", asked.room, hop_type_size(asked.type), &asked.values);
    if (code == CODE_OK)
        code = job_solve(job, call, &asked, &status);
    if (code == CODE_OK)
        code = look_at(&asked);
    if (code == CODE_OK) {
        tell(&asked);
        code = write_values(&asked);
    }
    if (code == CODE_OK && job->work.json)
        print_json(&asked);
    free(asked.centers.vertices);
    job_close(job);
    return code;
}
