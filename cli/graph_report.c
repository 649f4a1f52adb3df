/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph described, for people and as JSON. The library has measured most of it; the histogram of
 * degrees is counted here, in one pass over the offsets. */
#include "graph_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "bar_chart.h"
#include "complaint.h"
#include "exit_codes.h"
#include "interrupt.h"
#include "number_text.h"
#include "shown_text.h"
#include "svg_chart.h"
#include "terminal.h"

static unsigned bucket_of(uint64_t degree) {
    return degree == 0 ? 0 : 64 - (unsigned)__builtin_clzll(degree);
}

static int count_degrees(session *work, const hop_graph *graph, graph_report *report) {
    hop_vertex n = hop_graph_vertices(graph);
    memset(report->degrees, 0, sizeof report->degrees);
    for (hop_vertex v = 0; v < n; v++) {
        report->degrees[bucket_of(hop_graph_degree(graph, v))]++;
        if (v % (1u << 20) == 0 && interrupted())
            return session_fail(work, HOP_ERR_CANCELLED);
    }
    report->buckets = 0;
    for (size_t b = 0; b < DEGREE_BUCKETS; b++)
        if (report->degrees[b] > 0)
            report->buckets = b + 1;
    return CODE_OK;
}

int report_measure(session *work, const hop_graph *graph, graph_report *report) {
    *report = (graph_report){.info = HOP_GRAPH_INFO_INIT};
    hop_status status = hop_graph_describe(work->context, graph, &report->info);
    if (status != HOP_OK)
        return session_fail(work, status);
    if (report->info.vertices > 0) {
        report->graph = graph;
        report->busiest = vertex_text(graph, report->info.max_degree_vertex);
        report->least = vertex_text(graph, 0);
        report->greatest = vertex_text(graph, report->info.vertices - 1);
    }
    return count_degrees(work, graph, report);
}

void report_line(FILE *file, const char *name, const char *format, ...) {
    va_list rest;
    fprintf(file, "%s%-10s%s ", style_on(file, STYLE_BOLD), name, style_off(file));
    va_start(rest, format);
    print_shown(file, format, rest);
    va_end(rest);
    fputc('\n', file);
}

static void weight_line(FILE *file, const hop_graph_info *info) {
    const char *type = hop_type_name(info->weight_type);
    if (info->weight_type == HOP_TYPE_NONE || info->arcs == 0)
        report_line(file, "weights", "%s", type);
    else if (info->weight_type == HOP_TYPE_INT32 || info->weight_type == HOP_TYPE_INT64)
        report_line(file, "weights", "%s, %" PRId64 " to %" PRId64, type, info->min_weight_int,
                    info->max_weight_int);
    else
        report_line(file, "weights", "%s, %s to %s", type, real_text(info->min_weight).s,
                    real_text(info->max_weight).s);
}

static double mean_degree(const hop_graph_info *info) {
    return info->vertices > 0 ? (double)info->arcs / (double)info->vertices : 0;
}

void report_lines(FILE *file, const graph_report *report) {
    const hop_graph_info *info = &report->info;
    report_line(file, "vertices", "%s, %s of them %s (%s)", count_text(info->vertices).s,
                count_text(info->isolated).s, info->directed ? "without an edge out" : "isolated",
                percent_text(info->isolated, info->vertices).s);
    report_line(file, "edges", "%s %s, %s of them loops", count_text(info->edges).s,
                info->directed ? "directed" : "undirected", count_text(info->loops).s);
    if (info->edges_given != info->edges)
        report_line(file, "given", "%s edges, before duplicates were merged",
                    count_text(info->edges_given).s);
    if (!info->directed)
        report_line(file, "arcs", "%s", count_text(info->arcs).s);
    weight_line(file, info);
    if (info->vertices > 0)
        report_line(file, info->directed ? "out-degree" : "degree", "%s to %s, mean %.2f",
                    count_text(info->min_degree).s, count_text(info->max_degree).s,
                    mean_degree(info));
    if (info->vertices > 0)
        report_line(file, info->named ? "names" : "ids", "%s to %s%s", report->least.s,
                    report->greatest.s, info->labelled ? ", with gaps" : "");
    double per_edge = info->edges > 0 ? (double)info->memory_bytes / (double)info->edges : 0;
    report_line(file, "memory", "%s at rest, %.2f bytes per edge; offsets of %zu bytes",
                bytes_text(info->memory_bytes).s, per_edge, info->offset_bytes);
}

static void degree_rows(const graph_report *report, chart_row rows[DEGREE_BUCKETS]) {
    for (size_t b = 0; b < report->buckets; b++) {
        uint64_t low = b == 0 ? 0 : UINT64_C(1) << (b - 1);
        rows[b] =
            (chart_row){.low = low, .high = b < 2 ? low : 2 * low - 1, .count = report->degrees[b]};
    }
}

static const char *degree_word(const graph_report *report) {
    return report->info.directed ? "out-degree" : "degree";
}

void report_chart(FILE *file, const graph_report *report) {
    chart_row rows[DEGREE_BUCKETS];
    degree_rows(report, rows);
    chart_print(file, degree_word(report), "vertices", rows, report->buckets,
                report->info.vertices);
}

int report_plot(session *work, const char *path, const graph_report *report) {
    chart_row rows[DEGREE_BUCKETS];
    char title[PLOT_TITLE], of[32];
    degree_rows(report, rows);
    snprintf(of, sizeof of, "%ss", degree_word(report));
    plot_title(title, path, of);
    return plot_write(work->given, title, degree_word(report), "vertices", rows, report->buckets);
}

static void weights_json(json *out, const hop_graph_info *info) {
    json_string(out, "weight_type", hop_type_name(info->weight_type));
    if (info->weight_type == HOP_TYPE_NONE || info->arcs == 0) {
        json_null(out, "min_weight");
        json_null(out, "max_weight");
    } else if (info->weight_type == HOP_TYPE_INT32 || info->weight_type == HOP_TYPE_INT64) {
        json_integer(out, "min_weight", info->min_weight_int);
        json_integer(out, "max_weight", info->max_weight_int);
    } else {
        json_real(out, "min_weight", info->min_weight);
        json_real(out, "max_weight", info->max_weight);
    }
}

void report_json(json *out, const graph_report *report) {
    const hop_graph_info *info = &report->info;
    json_object(out, "graph");
    json_count(out, "vertices", info->vertices);
    json_count(out, "edges", info->edges);
    json_count(out, "edges_given", info->edges_given);
    json_count(out, "arcs", info->arcs);
    json_bool(out, "directed", info->directed);
    json_count(out, "loops", info->loops);
    json_count(out, "isolated", info->isolated);
    weights_json(out, info);
    json_count(out, "min_degree", info->min_degree);
    json_count(out, "max_degree", info->max_degree);
    json_real(out, "mean_degree", mean_degree(info));
    if (info->vertices > 0)
        vertex_json(out, "max_degree_vertex", report->graph, info->max_degree_vertex);
    else
        json_null(out, "max_degree_vertex");
    json_bool(out, "labelled", info->labelled);
    json_bool(out, "named", info->named);
    if (info->vertices > 0) {
        vertex_json(out, "least_label", report->graph, 0);
        vertex_json(out, "greatest_label", report->graph, info->vertices - 1);
    }
    json_count(out, "memory_bytes", info->memory_bytes);
    json_count(out, "offset_bytes", info->offset_bytes);
    json_bool(out, "mapped", info->mapped);
    json_array(out, "degree_histogram");
    for (size_t b = 0; b < report->buckets; b++) {
        uint64_t low = b == 0 ? 0 : UINT64_C(1) << (b - 1);
        json_object(out, NULL);
        json_count(out, "from", low);
        json_count(out, "to", b < 2 ? low : 2 * low - 1);
        json_count(out, "vertices", report->degrees[b]);
        json_end(out);
    }
    json_end(out);
    json_end(out);
}
