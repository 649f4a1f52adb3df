/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph or a list described, for people and as JSON. */
#ifndef HOPLITE_CLI_GRAPH_REPORT_H
#define HOPLITE_CLI_GRAPH_REPORT_H

#include "json_writer.h"
#include "session.h"
#include "vertex_text.h"

/* Bucket 0 counts degree 0; bucket b > 0 counts degrees 2^(b-1) .. 2^b - 1. */
enum { DEGREE_BUCKETS = 65 };

typedef struct graph_report {
    const hop_graph *graph;
    hop_graph_info info;
    uint64_t degrees[DEGREE_BUCKETS];
    size_t buckets;               /* up to the last one that is not empty */
    vertex_words least, greatest; /* the first and the last vertex, for people */
    vertex_words busiest;         /* of the vertex with the greatest degree */
} graph_report;

/* Measures; returns an exit code. */
int report_measure(session *work, const hop_graph *graph, graph_report *report);
/* The lines from "vertices" to "memory". */
void report_lines(FILE *file, const graph_report *report);
/* Degrees as a bar chart. */
void report_chart(FILE *file, const graph_report *report);
/* The same as the file that --plot asks for. Returns an exit code. */
int report_plot(session *work, const char *path, const graph_report *report);
/* As an object "graph". */
void report_json(json *out, const graph_report *report);

/* "name          value": one line of a description. */
HOP_PRINTF(3, 4) void report_line(FILE *file, const char *name, const char *format, ...);

typedef struct list_report {
    hop_vertex count;
    hop_vertex heads; /* elements that are nobody's successor */
    hop_vertex tails; /* elements that are their own */
    hop_vertex joins; /* elements that are the successor of several others */
} list_report;

int list_measure(session *work, const hop_vertex *successors, hop_vertex count,
                 list_report *report);
void list_lines(FILE *file, const list_report *report);
void list_json(json *out, const list_report *report);

#endif
