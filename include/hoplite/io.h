/* SPDX-License-Identifier: Apache-2.0
 *
 * Files. Formats are rows of a table; what a file is, is seen from its contents first and its
 * suffix second. `docs/formats.md` describes each of them.
 *
 * Only .npz files (of which the native format is a profile) and lists in .npy are mapped into
 * memory; all others are read. A mapped file that another process truncates later ends this process
 * with SIGBUS, and one that is overwritten in place makes everything undefined: no library can
 * prevent that; set hop_read_options.in_memory where it may happen. */
#ifndef HOPLITE_IO_H
#define HOPLITE_IO_H

#include "hoplite/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_format {
    const char *name;     /* such as "dimacs" */
    const char *summary;  /* one line */
    const char *suffixes; /* separated by spaces, such as ".gr .col"; text: ".gz" may follow */
    bool can_read, can_write;
    bool text;                 /* can be gzipped, and piped unless it is several files (ldbc) */
    unsigned weight_types;     /* bit 1 << hop_weight_type for each type that it can hold */
    bool directed, undirected; /* which of the two it can hold and tell apart */
    bool labels;               /* keeps labels */
    /* Ids are counted from 0 or 1, and a graph whose ids begin at the other is written with ids
     * that are one less or more; -1: the ids are kept. */
    int counts_from;
    bool names; /* keeps names of text */
} hop_format;

HOP_API size_t hop_format_count(void);
HOP_API const hop_format *hop_format_at(size_t index);
HOP_API const hop_format *hop_format_find(const char *name);
/* The one in which hop_graph_write writes to a path, by its suffix; NULL: none has it. */
HOP_API const hop_format *hop_format_of_path(const char *path);

typedef enum hop_direction {
    /* What the file says. Where it says nothing: undirected for lists of edges, directed for
     * matrices and rows (scipy, Galois). */
    HOP_DIRECTION_FILE = 0,
    HOP_DIRECTION_DIRECTED = 1,
    HOP_DIRECTION_UNDIRECTED = 2
} hop_direction;

/* Whether the first line of a table has the names of its columns. */
typedef enum hop_header {
    HOP_HEADER_AUTO = 0, /* as docs/formats.md says: seen from the first two lines */
    HOP_HEADER_YES = 1,
    HOP_HEADER_NO = 2
} hop_header;

typedef struct hop_read_options {
    size_t size;        /* sizeof(hop_read_options), set by the initialiser */
    const char *format; /* NULL: recognised */
    hop_direction direction;
    /* Default HOP_DUPLICATES_MIN; as in hop_build_options. The native format holds a graph that is
     * built already: there parallel edges are kept, unless it is made undirected. */
    hop_duplicates duplicates;
    hop_loops loops; /* default HOP_LOOPS_KEEP */
    /* Weights: by default those of the file in the narrowest of its own types. NONE drops them. */
    bool drop_weights;
    bool trusted;   /* a mapped file is not checked: with a corrupt one everything is undefined */
    bool in_memory; /* read what would be mapped: nobody can change it later */
    /* Refuse more than this before allocating; 0: only what the types and the budget allow. */
    uint64_t max_vertices, max_edges;
    uint64_t max_bytes; /* of text, once decompressed; 0: 1 TiB, or 1032 times the file if less */
    bool verify;        /* native format: compare the contents with the hash stored in the file */
    /* Refuse text with a longer line, before it is gathered in memory; what fits into a block of
     * 256 KiB is never refused. 0: 16 MiB, and 4 GiB in METIS, where the line of a vertex has all
     * of its neighbours. Comments may be of any length: they are not kept. */
    uint64_t max_line;
    /* Edge lists as tables (CSV, TSV; docs/formats.md has the rules):
     * which columns are the two ends and, if there is a third, the weight, such as "1,2,4" or
     * "from,to,cost"; all others are ignored. NULL: the first two, and the third of three. */
    const char *columns;
    char delimiter; /* between columns, ' ' for any blanks; 0: seen from the first line */
    hop_header header;
    bool names; /* ids are text, also where they look like numbers; else the first edge decides */
} hop_read_options;

#define HOP_READ_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(hop_read_options), NULL, HOP_DIRECTION_FILE, HOP_DUPLICATES_MIN, HOP_LOOPS_KEEP,    \
            false, false, false, 0, 0, 0, false, 0, NULL, 0, HOP_HEADER_AUTO, false                \
    }
HOP_API void hop_read_options_init(hop_read_options *options, size_t size);

/* Reads a graph. `path` "-" is standard input. Messages name the file, the line or byte offset,
 * what was found and what was expected. Blocking; runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_graph_read(hop_context *context, const char *path,
                                                const hop_read_options *options, hop_graph **graph);

/* The same from bytes in memory; `name` stands for the file in messages. The bytes are only used
 * during the call. */
HOP_NODISCARD HOP_API hop_status hop_graph_read_memory(hop_context *context, const char *name,
                                                       const void *bytes, size_t count,
                                                       const hop_read_options *options,
                                                       hop_graph **graph);

/* The format that the last hop_graph_read, hop_graph_read_memory or hop_edges_read with this
 * context has read, as it was named or recognised; also where reading then failed. NULL: it is not
 * known. */
HOP_API const hop_format *hop_context_format(const hop_context *context);

typedef struct hop_write_options {
    size_t size;        /* sizeof(hop_write_options), set by the initialiser */
    const char *format; /* NULL: by the suffix of the path */
    bool gzip;          /* text formats; also by a suffix .gz */
    bool drop_weights;  /* write the graph as if it had no weights */
    bool drop_labels;   /* write vertex numbers instead of labels, from 0 on, or as counts_from */
} hop_write_options;

#define HOP_WRITE_OPTIONS_INIT                                                                     \
    { sizeof(hop_write_options), NULL, false, false, false }
HOP_API void hop_write_options_init(hop_write_options *options, size_t size);

/* Writes a graph, to a file without a name (or with a temporary one beside the path, where the file
 * system knows no other) that takes its place at the end: the path never holds half a file. "-" is
 * standard output, for text formats. A format that cannot hold what the graph has (weights,
 * direction, labels) refuses, and says what to drop. */
HOP_NODISCARD HOP_API hop_status hop_graph_write(hop_context *context, const hop_graph *graph,
                                                 const char *path,
                                                 const hop_write_options *options);

/* The edges of a file as they stand there, for those who want no graph: all formats that are edge
 * lists. Nothing is sorted, merged or relabelled. */
typedef struct hop_edge_file hop_edge_file;
HOP_NODISCARD HOP_API hop_status hop_edges_read(hop_context *context, const char *path,
                                                const hop_read_options *options,
                                                hop_edge_file **file);
/* The arrays; they, and the struct, belong to `file`. */
HOP_API const hop_edges *hop_edge_file_edges(const hop_edge_file *file);
/* The number of vertices that the file states, or 0. */
HOP_API uint64_t hop_edge_file_vertices(const hop_edge_file *file);
/* What the file calls vertex 0: 1 where it counts from 1. The ids of the edges are less that. */
HOP_API uint64_t hop_edge_file_first_id(const hop_edge_file *file);
/* Whether the file says that its edges are directed. */
HOP_API bool hop_edge_file_directed(const hop_edge_file *file);
HOP_API void hop_edge_file_free(hop_edge_file *file);

/* Lists for list ranking: a one-dimensional .npy array of 32- or 64-bit integers, or text with
 * one number per line. Element i's successor; checked to be below the length, no more. Of the
 * options, which may be NULL, in_memory, max_bytes and max_line count. */
typedef struct hop_list hop_list;
HOP_NODISCARD HOP_API hop_status hop_list_read(hop_context *context, const char *path,
                                               const hop_read_options *options, hop_list **list);
HOP_API const hop_vertex *hop_list_successors(const hop_list *list, hop_vertex *count);
HOP_API void hop_list_free(hop_list *list);
HOP_NODISCARD HOP_API hop_status hop_list_write(hop_context *context, const char *path,
                                                const hop_vertex *successors, hop_vertex count);

/* Arrays of numbers in files of NumPy (.npy), of one or two dimensions, row after row. */
typedef struct hop_array {
    size_t size; /* sizeof(hop_array), set by the initialiser */
    hop_type type;
    unsigned dimensions;    /* 1 or 2 */
    uint64_t rows, columns; /* columns is 1 when there is one dimension */
    const void *items;      /* of an array that was read; not looked at when writing */
} hop_array;

#define HOP_ARRAY_INIT                                                                             \
    { sizeof(hop_array), HOP_TYPE_INT32, 1, 0, 1, NULL }
HOP_API void hop_array_init(hop_array *array, size_t size);

/* Reads an array: a plain file is mapped (see above), a gzipped one is unpacked into memory. Items
 * of 4 or 8 bytes, little-endian, not in Fortran's order; anything else is refused by name. Of the
 * options, which may be NULL, in_memory and max_bytes count. */
typedef struct hop_array_file hop_array_file;
HOP_NODISCARD HOP_API hop_status hop_array_read(hop_context *context, const char *path,
                                                const hop_read_options *options,
                                                hop_array_file **file);
/* What was read; the items, and the struct, belong to `file`. */
HOP_API const hop_array *hop_array_file_array(const hop_array_file *file);
HOP_API void hop_array_file_free(hop_array_file *file);

/* Writes an array piece by piece: for results that are larger than memory. Like all files it
 * appears at its path when hop_array_close puts it there. */
typedef struct hop_array_writer hop_array_writer;
HOP_NODISCARD HOP_API hop_status hop_array_create(hop_context *context, const char *path,
                                                  const hop_array *array,
                                                  hop_array_writer **writer);
/* The next items, of the array's type. Progress is reported, and cancels. */
HOP_NODISCARD HOP_API hop_status hop_array_append(hop_context *context, hop_array_writer *writer,
                                                  const hop_view *items);
/* Frees the writer (NULL is allowed). With HOP_OK the file takes its place, if all items were
 * written; with anything else it is removed. Returns `status` or what went wrong. */
HOP_NODISCARD HOP_API hop_status hop_array_close(hop_context *context, hop_array_writer *writer,
                                                 hop_status status);

/* The memory of the budget that writing an array to `path` takes, beside what is
 * written. Under a small budget buffers are small: from some 112 KiB on (gzipped: 2.3 MiB) it can
 * be written. Who must not lose what takes hours to compute sets a block of so many bytes aside
 * before (hop_block_create), and frees it to write. */
HOP_API uint64_t hop_results_bytes(const hop_context *context, const char *path);

/* Whether files of so many bytes fit on their disks, those on one together: HOP_ERR_IO, with both
 * numbers, when they do not. Pipes, devices and standard output ("-") always do; a file that is
 * there does not count as free, since it stays until the new one is complete. `room`: NULL, or gets
 * what is free for each, UINT64_MAX where that is not known. Arrays, lists and the file of
 * blocked-disk are checked so by themselves, one by one, before their first byte. */
HOP_NODISCARD HOP_API hop_status hop_disk_check(hop_context *context, const char *const *paths,
                                                const uint64_t *bytes, size_t count,
                                                uint64_t *room);

#ifdef __cplusplus
}
#endif
#endif
