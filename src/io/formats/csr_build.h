/* SPDX-License-Identifier: Apache-2.0
 *
 * From the rows of a file to a graph, for formats that hold CSR: what edge_list_build.c is for
 * formats that hold edges. */
#ifndef HOPLITE_IO_FORMATS_CSR_BUILD_H
#define HOPLITE_IO_FORMATS_CSR_BUILD_H

#include "io/formats/format.h"

/* Rows as they stand in a file. Arrays are blocks of the context's pool. */
typedef struct hop__csr_arrays {
    uint64_t vertices;
    void *offsets;       /* vertices + 1 */
    size_t offset_bytes; /* 4 or 8 */
    hop_vertex *targets;
    void *weights; /* NULL when unweighted */
    hop_weight_type weight_type;
    uint64_t *labels;       /* NULL when ids are first_id, first_id + 1 ... */
    uint64_t first_id;      /* then */
    uint64_t *name_offsets; /* names of text instead, or NULL */
    char *name_bytes;
    uint64_t name_size; /* bytes */
    bool directed;      /* as the file says, or the default of the format */
} hop__csr_arrays;

void hop__csr_arrays_clear(hop__csr_arrays *arrays);

/* What the header of a file says. */
typedef struct hop__csr_header {
    uint64_t vertices, arcs;
    bool directed;
    size_t weight_bytes; /* of what is to be read */
} hop__csr_header;

/* Reads the arrays of a file into `arrays`, which has vertices and directed. `layout` is the
 * reader's own. */
typedef hop_status (*hop__csr_read_fn)(hop_context *context, hop__input *input, const void *layout,
                                       hop__csr_arrays *arrays);
/* A whole graph, after the header: limits, arrays with progress, hop__csr_arrays_build. Fails with
 * what the arrays take in all where the budget is too small. */
hop_status hop__csr_read(hop_context *context, hop__input *input, const hop_read_options *options,
                         const hop__csr_header *header, hop__csr_read_fn read, const void *layout,
                         hop_graph **graph);
/* Makes the graph: checks everything, sorts rows, then applies the options as
 * hop__csr_apply_options does. Takes the arrays. */
hop_status hop__csr_arrays_build(hop_context *context, hop__csr_arrays *arrays,
                                 const hop_read_options *options, hop_graph **graph);

/* Does to a graph what the options ask for: another direction, no self-loops and, when `merge` is
 * set, one arc instead of several. *graph may be replaced by another one. */
hop_status hop__csr_apply_options(hop_context *context, const hop_read_options *options, bool merge,
                                  hop_graph **graph);

#endif
