/* SPDX-License-Identifier: Apache-2.0
 *
 * From a file, or a recipe, to a file: graphs that need not fit in memory.
 *
 * Where the output is a native file (.npz), the graph is built in memory if that fits the context's
 * budget, else on disk, by itself: the edges go through scratch files, sorted in parts. What has to
 * fit is 4 or 8 bytes per vertex, labels or names if there are any, and some MiB. The bytes of the
 * file are the same either way, for every budget and number of threads. */
#ifndef HOPLITE_CONVERT_H
#define HOPLITE_CONVERT_H

#include "hoplite/generate.h"
#include "hoplite/io.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_convert_options {
    size_t size; /* sizeof(hop_convert_options), set by the initialiser */
    /* Folder for scratch files; NULL: that of the output. They have no names: they are gone when
     * the call or the process ends, however it ends. A build on disk takes up to 2.2 times the size
     * of the output there, the output included; a little more where most edges are duplicates,
     * which are dropped on the way. */
    const char *scratch;
    const hop_write_options *write; /* of the output, or NULL */
    /* Nothing is built or written: the report says what it would take. The output must be a native
     * file. A recipe says how many edges there are; of a file, 1 MiB is read, spread over it: it
     * must be an edge list or a table of text, not compressed.
     * HOP_ERR_UNSUPPORTED where it cannot be told; HOP_ERR_BUDGET and HOP_ERR_IO where memory or
     * disk would not do. Names that the sample does not have are not counted. */
    bool plan;
} hop_convert_options;

#define HOP_CONVERT_OPTIONS_INIT                                                                   \
    { sizeof(hop_convert_options), NULL, NULL, false }
HOP_API void hop_convert_options_init(hop_convert_options *options, size_t size);

typedef struct hop_convert_report {
    size_t size;                    /* sizeof(hop_convert_report), set by the initialiser */
    bool on_disk;                   /* it was built on disk */
    uint64_t scratch_bytes;         /* most that scratch took at once */
    uint64_t vertices, edges, arcs; /* that were written; an undirected edge is two arcs */
    uint64_t edges_given;           /* that were read, or drawn */
    double read_seconds;            /* reading, or drawing, and building; on disk also writing */
    double write_seconds;           /* the rest */
    /* Of a plan, before duplicates are merged, so at most: bytes of the file, and of memory if it
     * is built there. Then `on_disk` says whether that is more than the budget has. */
    uint64_t output_bytes, memory_bytes;
    uint64_t read_bytes; /* of a plan: the size of the input; 0: a recipe */
} hop_convert_report;

#define HOP_CONVERT_REPORT_INIT                                                                    \
    { sizeof(hop_convert_report), false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
HOP_API void hop_convert_report_init(hop_convert_report *report, size_t size);

/* Reads a graph, as hop_graph_read does, and writes it, as hop_graph_write does. On disk: formats
 * of text with an edge per line (edge lists and tables, Matrix Market, DIMACS, LDBC), compressed
 * and piped ones included. Others that do not fit are HOP_ERR_BUDGET with the number that would do,
 * as is a graph whose vertices do not fit. The phases of progress, and a line of the log, say when
 * it is built on disk. Blocking; runs on the context's threads. `options`, `read` and `report` may
 * be NULL. */
HOP_NODISCARD HOP_API hop_status hop_graph_convert(hop_context *context, const char *input,
                                                   const hop_read_options *read, const char *output,
                                                   const hop_convert_options *options,
                                                   hop_convert_report *report);

/* The same for a graph of hop_graph_generate. */
HOP_NODISCARD HOP_API hop_status hop_graph_generate_file(hop_context *context, const char *family,
                                                         const hop_generate_options *recipe,
                                                         const char *output,
                                                         const hop_convert_options *options,
                                                         hop_convert_report *report);

#ifdef __cplusplus
}
#endif
#endif
