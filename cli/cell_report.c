/* SPDX-License-Identifier: Apache-2.0
 * What is told of Voronoi cells; see cell_report.h. */
#include "cell_report.h"

#include "exit_codes.h"
#include "graph_report.h"
#include "memory_need.h"
#include "number_text.h"
#include "vertex_text.h"

int cells_look(problem_job *job, const hop_vertex *centers, cell_report *cells) {
    void *sizes = NULL;
    cells->vertices = job->info.vertices;
    int code = job_array(job, "sizes", cells->vertices, sizeof(hop_vertex), &sizes);
    if (code != CODE_OK)
        return code;
    cells->sizes = sizes;
    for (hop_vertex v = 0; v < cells->vertices; v++)
        cells->sizes[v] = 0;
    for (hop_vertex v = 0; v < cells->vertices; v++)
        if (centers[v] == HOP_NO_VERTEX)
            cells->unreached++;
        else
            cells->count += cells->sizes[centers[v]]++ == 0;
    return CODE_OK;
}

void cells_tell(FILE *file, const cell_report *cells, const hop_graph *graph, hop_vertex most) {
    hop_vertex told = 0;
    report_line(file, "cells", "%s", count_text(cells->count).s);
    if (cells->unreached > 0)
        report_line(file, "unreached", "%s",
                    counted_text(cells->unreached, "vertex", "vertices").s);
    for (hop_vertex v = 0; v < cells->vertices && told < most; v++)
        if (cells->sizes[v] > 0)
            report_line(file, told++ == 0 ? "around" : "", "%s: %s", vertex_text(graph, v).s,
                        counted_text(cells->sizes[v], "vertex", "vertices").s);
    if (cells->count > told)
        report_line(file, "", "(and %s more; --json tells of all)",
                    count_text(cells->count - told).s);
}

void cells_json(json *out, const cell_report *cells, const hop_graph *graph) {
    json_array(out, "cells");
    for (hop_vertex v = 0; v < cells->vertices; v++)
        if (cells->sizes[v] > 0) {
            json_object(out, NULL);
            vertex_json(out, "center", graph, v);
            json_count(out, "vertices", cells->sizes[v]);
            json_end(out);
        }
    json_end(out);
    json_count(out, "unreached", cells->unreached);
}
