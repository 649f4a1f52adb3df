/* SPDX-License-Identifier: Apache-2.0
 *
 * One file per format, one row per file. format.c holds the table; nothing else knows them all.
 *
 * Reading: input.c opens the path (file, gzip, standard input), format.c shows the first bytes to
 * each row's sniff(), and graph_read.c hands the input to the winner's read(). A reader either
 * fills in a hop__edge_list (text and tuple formats: the shared code then makes the graph, relabels
 * sparse ids, and applies duplicates and loops), or makes the graph itself (CSR formats).
 *
 * Writing: graph_write.c checks that the format can hold what the graph has, output.c opens a
 * temporary file beside the path and renames it at the end. A row's write() may take for granted
 * that the graph is checked and that `about` allows its weights, direction and labels. */
#ifndef HOPLITE_IO_FORMATS_FORMAT_H
#define HOPLITE_IO_FORMATS_FORMAT_H

#include "graph/vertex_names.h"
#include "io/bytes/input.h"
#include "io/bytes/output.h"

/* Edges as they stand in a file. Arrays are blocks of the context's pool. */
typedef struct hop__edge_list {
    uint64_t count;
    size_t id_bytes; /* 4 or 8 */
    void *from, *to; /* separate arrays */
    void *weights;   /* NULL when unweighted */
    hop_weight_type weight_type;
    uint64_t vertices; /* as the file states, 0 if it does not; ids are then 0 .. vertices-1 */
    uint64_t first_id; /* with DENSE: what the file calls vertex 0; `from` and `to` are less it */
    bool stated;       /* the file states `vertices` (which may be 0) */
    bool directed;     /* as the file says, or the default of the format */
    hop_ids ids;       /* HOP_IDS_SPARSE: ids are labels; in a row they need no array */
    uint64_t *labels;  /* with SPARSE: all ids, strictly ascending, `vertices` of them, or NULL */
    /* With SPARSE: behind the edges `from` and `to` have this many more entries, the same in both:
     * ids of vertices without an edge. They have no weights. */
    uint64_t lone;
    uint64_t first_line;      /* when not 0: edge i stands on line first_line + i */
    char *file;               /* that the edges are in, if it is not the one that was opened */
    hop__vertex_names *names; /* with DENSE: names of text of all `vertices`, or NULL */
    /* All edges are there, and not in the arrays, which are NULL (edge_spool.h); or NULL. */
    struct hop__edge_spool *spool;
    uint64_t others; /* edges of parts of the file that others have read (io/text/parts.h) */
    uint32_t *ranks; /* with `spool` and names: the vertex of each id; or NULL */
    uint64_t rank_count;
} hop__edge_list;

/* An id into one of these arrays. Inlined, so that a width that is known costs no branch. */
__attribute__((always_inline)) static inline void hop__put_id(void *array, size_t id_bytes,
                                                              uint64_t slot, uint64_t id) {
    if (id_bytes == 4)
        ((uint32_t *)array)[slot] = (uint32_t)id;
    else
        ((uint64_t *)array)[slot] = id;
}

/* How sure a row is that the first bytes are its own. Suffixes decide between equals. */
enum { HOP__SNIFF_NO = 0, HOP__SNIFF_MAYBE = 1, HOP__SNIFF_YES = 2 };

/* Sets of weight types, for the rows. */
enum {
    HOP__WEIGHTS_INTEGER = 1u << HOP_TYPE_NONE | 1u << HOP_TYPE_INT32 | 1u << HOP_TYPE_INT64,
    HOP__WEIGHTS_ANY = HOP__WEIGHTS_INTEGER | 1u << HOP_TYPE_FLOAT32 | 1u << HOP_TYPE_FLOAT64
};

typedef struct hop__format {
    hop_format about; /* what users see */
    /* `count` is the whole file when that is shorter than `HOP__SNIFF_BYTES`; `size` is the size of
     * the (decompressed) file when known, else 0. */
    int (*sniff)(const unsigned char *bytes, size_t count, uint64_t size);
    /* Exactly one of the next two; NULL both when the format cannot be read. */
    hop_status (*read_edges)(hop_context *context, hop__input *input,
                             const hop_read_options *options, hop__edge_list *list);
    hop_status (*read_graph)(hop_context *context, hop__input *input,
                             const hop_read_options *options, hop_graph **graph);
    hop_status (*write)(hop_context *context, const hop_graph *graph, hop__output *output);
    bool parts; /* read_edges knows of files that several read together (io/text/parts.h) */
} hop__format;

extern const hop__format hop__format_npz, hop__format_npy, hop__format_edge_list,
    hop__format_matrix_market, hop__format_dimacs, hop__format_metis, hop__format_gap,
    hop__format_galois, hop__format_graph500, hop__format_graph500_wide, hop__format_ldbc;

/* The rows in the order of the public table, then NULL. */
extern const hop__format *const hop__formats[];

/* The row of this name, or NULL. */
const hop__format *hop__format_named(const char *name);
/* The first row that can write and has the path's suffix, or NULL. */
const hop__format *hop__format_of_path(const char *path);
/* The row for what the input holds: contents first, suffix second (see docs/formats.md). */
hop_status hop__format_recognise(hop_context *context, hop__input *input, const hop__format **row);
/* "edge-list, matrix-market, ..." of the rows that can be read (or written), for messages. */
void hop__format_list(bool writable, char text[256]);

/* Whether to build directed: what the option says, else what the file says. */
static inline bool hop__directed(const hop_read_options *options, bool file_says) {
    return options->direction == HOP_DIRECTION_FILE ? file_says
                                                    : options->direction == HOP_DIRECTION_DIRECTED;
}
/* Refuses counts over the options' limits or the types', before anything is allocated. */
hop_status hop__read_limits_check(hop_context *context, const char *name,
                                  const hop_read_options *options, uint64_t vertices,
                                  uint64_t edges);

/* The edges of one part of a file that several read together, and what all know of it: a list that
 * the caller clears. *name is the format's. HOP_ERR_UNSUPPORTED where a file cannot be read so. */
HOP_API hop_status hop__edges_read_part(hop_context *context, const char *path,
                                        struct hop__parts *parts, hop__edge_list *list,
                                        const char **name);
/* HOP_ERR_UNSUPPORTED, because of something that a file has: what to do. */
hop_status hop__unsupported_parts(hop_context *context, const hop__input *input, const char *what);

HOP_API void hop__edge_list_clear(hop__edge_list *list);
void hop__edge_list_drop_weights(hop__edge_list *list);

/* The failure of edge number `edge`, whose end `id` is not in the list of vertices. */
hop_status hop__edge_list_unknown(hop_context *context, const hop__edge_list *list, uint64_t edge,
                                  uint64_t id);

/* HOP_ERR_BUDGET with what reading `rows` edges and building their graph takes in all, when `used`
 * was in use before. */
hop_status hop__edge_list_fail_total(hop_context *context, const hop__edge_list *list,
                                     const hop_read_options *options, uint64_t used, uint64_t rows,
                                     bool guessed);
/* Makes the graph of a list: relabels sparse ids, checks limits, builds. Takes the arrays (they
 * are freed as soon as they are not needed). A failure is one of the file `name`, or of
 * list->file. */
hop_status hop__edge_list_build(hop_context *context, const char *name, hop__edge_list *list,
                                const hop_read_options *options, hop_graph **graph);

#endif
