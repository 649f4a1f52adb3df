/* SPDX-License-Identifier: Apache-2.0
 *
 * What is told of Voronoi cells: how many vertices each has, and how many none. */
#ifndef HOPLITE_CLI_CELL_REPORT_H
#define HOPLITE_CLI_CELL_REPORT_H

#include "job_state.h"
#include "json_writer.h"

typedef struct cell_report {
    hop_vertex *sizes;           /* of the cell around each vertex; 0 where there is none */
    hop_vertex count, unreached; /* cells; vertices in none */
    hop_vertex vertices;
} cell_report;

/* Counts. A center in the cell of another has no cell of its own. Returns an exit code. */
int cells_look(problem_job *job, const hop_vertex *centers, cell_report *cells);
/* In lines, the first `most` of them by their centers, in ascending order. */
void cells_tell(FILE *file, const cell_report *cells, const hop_graph *graph, hop_vertex most);
/* All of them. */
void cells_json(json *out, const cell_report *cells, const hop_graph *graph);

#endif
