/* SPDX-License-Identifier: Apache-2.0
 *
 * Files named on the command line: reading with the options of GROUP_INPUT, writing with those of
 * GROUP_OUTPUT. A recipe (recipe.h) may stand for what is read. Failures are reported here;
 * functions return an exit code. */
#ifndef HOPLITE_CLI_GRAPH_FILE_H
#define HOPLITE_CLI_GRAPH_FILE_H

#include "session.h"

typedef struct opened_graph {
    hop_graph *graph;
    const hop_format *format;
    double open_seconds;
} opened_graph;

/* What a path is called: "-" is "standard input" or "standard output". */
const char *file_name(const char *path, bool written);

/* Whether the file is a list rather than a graph: --from list, or it begins like a .npy. */
bool file_is_list(const arguments *given, const char *path);

/* Whether a word is a recipe, and no file is called so. */
bool file_is_made(const char *word);

int file_read(session *work, const char *path, opened_graph *opened);

/* The name of what it was read from: a format, or "recipe"; NULL without a graph. */
const char *opened_format(const opened_graph *opened);

typedef struct opened_list {
    const hop_vertex *successors;
    hop_vertex count;
    double open_seconds;
    hop_list *file;   /* who owns the successors: a file, or ... */
    hop_vertex *made; /* a recipe */
} opened_list;

int file_read_list(session *work, const char *path, opened_list *opened);
void list_close(opened_list *opened);
hop_status file_read_array(session *work, const char *path, hop_array_file **file);

/* Finds out before the work begins whether the output can be written: the format exists, can be
 * compressed, holds one of these weight types (bits 1 << hop_weight_type), and the folder can be
 * written to. `is_list`: for a list. */
int output_check(const arguments *given, const char *path, bool is_list, unsigned weight_types);
enum { ANY_WEIGHTS = 0x1f };
/* The part of it about the folder alone. */
int folder_check(const char *path);

typedef struct written_file {
    double seconds; /* 0: it was written while it was built */
    uint64_t bytes; /* 0: standard output */
} written_file;

/* Whether the output is a native file: one that is built on disk where memory does not do. */
bool output_is_native(const arguments *given, const char *path);
/* Reads `input` and writes the native file `path`, in memory or on disk. Then the graph that is
 * opened is the new file, mapped: for describing it. */
int file_convert(session *work, const char *input, const char *path, opened_graph *opened,
                 written_file *written, hop_convert_report *report);
/* The same for a recipe. */
int file_generate(session *work, const char *family, const hop_generate_options *made,
                  const char *path, opened_graph *opened, written_file *written,
                  hop_convert_report *report);

int file_write(session *work, const hop_graph *graph, const char *path, written_file *written);
/* Says so if the ids of the graph are others in the file that was written; the library has logged
 * it, for those who want to see that much. */
void file_say_ids(session *work, const hop_graph *graph, const char *path);
int file_write_list(session *work, const char *path, const hop_vertex *successors, hop_vertex count,
                    written_file *written);

#endif
