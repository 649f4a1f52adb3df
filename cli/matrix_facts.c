/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts of a matrix of distances: see matrix_facts.h. */
#include "matrix_facts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "distance_text.h"
#include "graph_report.h"
#include "terminal.h"

/* One row: the vertex, its farthest with the distance, how many it reaches (itself included). */
static void take_row(matrix_facts *facts, hop_vertex row, hop_vertex farthest, const void *distance,
                     size_t size, hop_vertex reached, double sum) {
    char *extremes = (char *)&facts->extremes;
    facts->pairs += reached - 1u;
    facts->sum += sum;
    bool first = !facts->any;
    facts->any = true;
    /* Compared as items of one array: the candidate, the extreme. */
    int64_t room[2];
    char *pair = (char *)room;
    memcpy(pair, distance, size);
    memcpy(pair + size, extremes, size);
    if (first || distance_greater(facts->type, pair, 0, 1)) {
        memcpy(extremes, distance, size);
        facts->diameter_from = row;
        facts->diameter_to = farthest;
    }
    memcpy(pair + size, extremes + size, size);
    if (first || distance_greater(facts->type, pair, 1, 0)) {
        memcpy(extremes + size, distance, size);
        facts->center = row;
    }
}

#define ITEM      int32_t
#define UNREACHED HOP_NO_DISTANCE_32
#define FUNCTION  take_int32
#include "matrix_facts_template.h"
#undef ITEM
#undef UNREACHED
#undef FUNCTION
#define ITEM      int64_t
#define UNREACHED HOP_NO_DISTANCE
#define FUNCTION  take_int64
#include "matrix_facts_template.h"
#undef ITEM
#undef UNREACHED
#undef FUNCTION
#define ITEM      float
#define UNREACHED HUGE_VALF
#define FUNCTION  take_float32
#include "matrix_facts_template.h"
#undef ITEM
#undef UNREACHED
#undef FUNCTION
#define ITEM      double
#define UNREACHED HUGE_VAL
#define FUNCTION  take_float64
#include "matrix_facts_template.h"

void facts_begin(matrix_facts *facts, hop_vertex n, hop_weight_type type) {
    memset(facts, 0, sizeof *facts);
    facts->n = n;
    facts->type = type;
}

void facts_take(matrix_facts *facts, hop_vertex first, hop_vertex count, const void *rows) {
    static void (*const take[])(matrix_facts *, hop_vertex, hop_vertex,
                                const void *) = {[HOP_WEIGHT_INT32] = take_int32,
                                                 [HOP_WEIGHT_INT64] = take_int64,
                                                 [HOP_WEIGHT_FLOAT32] = take_float32,
                                                 [HOP_WEIGHT_FLOAT64] = take_float64};
    size_t row = facts->n * hop_weight_size(facts->type);
    take[facts->type](facts, first, count, rows);
    if (facts->n <= SMALL_MATRIX)
        memcpy((char *)facts->small + first * row, rows, count * row);
}

void facts_lines(FILE *file, const matrix_facts *facts, const hop_graph *graph) {
    uint64_t all = facts->n > 0 ? (uint64_t)facts->n * (facts->n - 1u) : 0;
    report_line(file, "pairs", "%s of %s are connected (%s)", count_text(facts->pairs).s,
                count_text(all).s, percent_text((double)facts->pairs, (double)all).s);
    if (!facts->any)
        return;
    report_line(file, "diameter", "%s, from vertex %" PRIu64 " to %" PRIu64,
                distance_text(facts->type, &facts->extremes, 0).s,
                hop_graph_label(graph, facts->diameter_from),
                hop_graph_label(graph, facts->diameter_to));
    report_line(file, "radius", "%s, of vertex %" PRIu64,
                distance_text(facts->type, &facts->extremes, 1).s,
                hop_graph_label(graph, facts->center));
    if (facts->pairs > 0)
        report_line(file, "mean", "%.6g", facts->sum / (double)facts->pairs);
    if (facts->pairs < all)
        report_line(file, "",
                    "(of what is connected; eccentricities are those of what a vertex "
                    "reaches)");
}

void facts_json(json *out, const matrix_facts *facts, const hop_graph *graph) {
    json_string(out, "distance_type", hop_weight_name(facts->type));
    json_count(out, "connected_pairs", facts->pairs);
    if (!facts->any)
        return;
    distance_json(out, "diameter", facts->type, &facts->extremes, 0);
    json_count(out, "diameter_from", hop_graph_label(graph, facts->diameter_from));
    json_count(out, "diameter_to", hop_graph_label(graph, facts->diameter_to));
    distance_json(out, "radius", facts->type, &facts->extremes, 1);
    json_count(out, "center", hop_graph_label(graph, facts->center));
    if (facts->pairs > 0)
        json_real(out, "mean_distance", facts->sum / (double)facts->pairs);
    else
        json_null(out, "mean_distance");
}

void facts_matrix(FILE *file, const matrix_facts *facts, const hop_graph *graph) {
    char cell[32];
    int width = 1, row_width = 1;
    hop_vertex n = facts->n;
    if (n == 0 || n > SMALL_MATRIX)
        return;
    for (hop_vertex v = 0; v < n; v++) {
        int length = snprintf(cell, sizeof cell, "%" PRIu64, hop_graph_label(graph, v));
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
        fprintf(file, " %*" PRIu64, width, hop_graph_label(graph, v));
    fprintf(file, "%s\n", style_off(file));
    for (hop_vertex u = 0; u < n; u++) {
        fprintf(file, "%s%*" PRIu64 "%s", style_on(file, STYLE_BOLD), row_width,
                hop_graph_label(graph, u), style_off(file));
        for (hop_vertex v = 0; v < n; v++)
            fprintf(file, " %*s", width, distance_text(facts->type, facts->small, u * n + v).s);
        fputc('\n', file);
    }
}
