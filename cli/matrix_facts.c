/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts of a matrix of distances: see matrix_facts.h. */
#include "matrix_facts.h"

#include <inttypes.h>
#include <string.h>

#include "distance_text.h"
#include "graph_report.h"
#include "shown_text.h"
#include "terminal.h"
#include "vertex_text.h"

void facts_begin(matrix_facts *facts, hop_vertex n, hop_weight_type type, const hop_vertex *sources,
                 hop_vertex count) {
    memset(facts, 0, sizeof *facts);
    facts->n = n;
    facts->all = sources == NULL;
    facts->rows = facts->all ? n : count;
    facts->type = type;
    facts->summary = (hop_apsp_summary)HOP_APSP_SUMMARY_INIT;
}

bool facts_wants(const matrix_facts *facts) {
    return facts->n <= SMALL_MATRIX && facts->all;
}

void facts_keep(matrix_facts *facts, hop_vertex first, hop_vertex count, const void *rows) {
    size_t row = facts->n * hop_type_size(facts->type);
    if (facts_wants(facts))
        memcpy((char *)facts->small + first * row, rows, count * row);
}

/* Diameter and radius as items 0 and 1 of an array of the type. */
typedef union extremes {
    int32_t i32[2];
    int64_t i64[2];
    float f32[2];
    double f64[2];
} extremes;

static extremes extremes_of(const matrix_facts *facts) {
    const hop_apsp_summary *summary = &facts->summary;
    switch (facts->type) {
    case HOP_TYPE_INT32:
        return (extremes){.i32 = {(int32_t)summary->diameter_int, (int32_t)summary->radius_int}};
    case HOP_TYPE_FLOAT32:
        return (extremes){.f32 = {(float)summary->diameter, (float)summary->radius}};
    case HOP_TYPE_FLOAT64:
        return (extremes){.f64 = {summary->diameter, summary->radius}};
    default:
        return (extremes){.i64 = {summary->diameter_int, summary->radius_int}};
    }
}

void facts_lines(FILE *file, const matrix_facts *facts, const hop_graph *graph) {
    const hop_apsp_summary *summary = &facts->summary;
    uint64_t all = facts->n > 0 ? (uint64_t)facts->rows * (facts->n - 1u) : 0;
    extremes ends = extremes_of(facts);
    if (!facts->all)
        report_line(file, "rows", "%s of %s", count_text(facts->rows).s, count_text(facts->n).s);
    report_line(file, "pairs", "%s of %s are connected (%s)", count_text(summary->connected).s,
                count_text(all).s, percent_text((double)summary->connected, (double)all).s);
    if (summary->rows == 0)
        return;
    report_line(file, facts->all ? "diameter" : "farthest", "%s, from vertex %s to %s",
                distance_text(facts->type, &ends, 0).s,
                vertex_text(graph, summary->diameter_from).s,
                vertex_text(graph, summary->diameter_to).s);
    report_line(file, facts->all ? "radius" : "least", "%s, of vertex %s",
                distance_text(facts->type, &ends, 1).s, vertex_text(graph, summary->center).s);
    if (summary->connected > 0)
        report_line(file, "mean", "%.6g", summary->mean);
    if (summary->connected < all)
        report_line(file, "",
                    "(of what is connected; eccentricities are those of what a vertex "
                    "reaches)");
}

void facts_json(json *out, const matrix_facts *facts, const hop_graph *graph) {
    const hop_apsp_summary *summary = &facts->summary;
    extremes ends = extremes_of(facts);
    json_string(out, "distance_type", hop_type_name(facts->type));
    json_count(out, "rows", facts->rows);
    json_count(out, "connected_pairs", summary->connected);
    if (summary->rows == 0)
        return;
    distance_json(out, "diameter", facts->type, &ends, 0);
    vertex_json(out, "diameter_from", graph, summary->diameter_from);
    vertex_json(out, "diameter_to", graph, summary->diameter_to);
    distance_json(out, "radius", facts->type, &ends, 1);
    vertex_json(out, "center", graph, summary->center);
    if (summary->connected > 0)
        json_real(out, "mean_distance", summary->mean);
    else
        json_null(out, "mean_distance");
}

/* Characters of UTF-8. */
static int columns_of(const char *s) {
    int columns = 0;
    for (; *s != '\0'; s++)
        columns += ((unsigned char)*s & 0xc0) != 0x80;
    return columns;
}

/* Right-aligned. */
static void put_vertex(FILE *file, const hop_graph *graph, hop_vertex v, int width) {
    vertex_words words = vertex_text(graph, v);
    fprintf(file, "%*s", width - columns_of(words.s), "");
    put_shown(file, words.s);
}

void facts_matrix(FILE *file, const matrix_facts *facts, const hop_graph *graph) {
    int width = 1, row_width = 1;
    hop_vertex n = facts->n;
    if (n == 0 || n > SMALL_MATRIX || !facts->all)
        return;
    for (hop_vertex v = 0; v < n; v++) {
        int length = columns_of(vertex_text(graph, v).s);
        row_width = length > row_width ? length : row_width;
    }
    width = row_width;
    for (hop_vertex i = 0; i < n * n; i++) {
        int length = (int)strlen(distance_text(facts->type, facts->small, i).s);
        width = length > width ? length : width;
    }
    if ((unsigned)(row_width + (int)n * (width + 1)) > terminal_width(file))
        return;
    fprintf(file, "\n%s%*s", style_on(file, STYLE_BOLD), row_width, "");
    for (hop_vertex v = 0; v < n; v++)
        put_vertex(file, graph, v, width + 1);
    fprintf(file, "%s\n", style_off(file));
    for (hop_vertex u = 0; u < n; u++) {
        fprintf(file, "%s", style_on(file, STYLE_BOLD));
        put_vertex(file, graph, u, row_width);
        fprintf(file, "%s", style_off(file));
        for (hop_vertex v = 0; v < n; v++)
            fprintf(file, " %*s", width, distance_text(facts->type, facts->small, u * n + v).s);
        fputc('\n', file);
    }
}
