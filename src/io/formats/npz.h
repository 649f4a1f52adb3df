/* SPDX-License-Identifier: Apache-2.0
 *
 * The native format: what npz.c reads, npz_write.c writes and docs/formats_binary.md describes.
 * It is a file of scipy.sparse.save_npz with a few members more, none of them packed (but for
 * the ones that stand for missing weights), each array at a multiple of 64 bytes in the file.
 *
 *     format.npy   |S3, ()      "csr"
 *     shape.npy    <i8, (2,)    n, n
 *     hoplite.npy  a record     what scipy has no place for: hop__npz_record
 *     indptr.npy   (n+1,)       <i4 below 2^31 arcs, else <i8
 *     indices.npy  (arcs,)      <i4 up to 2^31 vertices, else <u4
 *     data.npy     (arcs,)      the weights; unweighted: |i1, all 1, deflated
 *     labels.npy   <u8, (n,)    only when there are labels
 *     first_id.npy <u8, ()      the label of vertex 0; only without labels, when it is not 0
 *     name_offsets.npy <u8, (n+1,)  only when vertices have names of text: where each begins in
 *     name_bytes.npy   |u1          the bytes of all of them
 *     blocks.npy   <u8          checksums of blocks of these arrays: npz_blocks.h */
#ifndef HOPLITE_IO_FORMATS_NPZ_H
#define HOPLITE_IO_FORMATS_NPZ_H

#include "graph/edge_source.h"
#include "io/formats/csr_build.h"
#include "io/formats/npz_blocks.h"
#include "io/numpy/npy_load.h"
#include "io/numpy/zip_write.h"

/* The item of hoplite.npy. Later versions append fields; the ones that stand here stay. */
typedef struct hop__npz_record {
    uint32_t version; /* 1 */
    uint32_t directed;
    char weight[8]; /* hop_type_name, padded with zeros */
    uint64_t vertices, arcs;
    uint64_t hash; /* hop_graph_hash */
    uint64_t loops, isolated, min_degree, max_degree, max_degree_vertex;
    double min_weight, max_weight;
    int64_t min_weight_int, max_weight_int;
} hop__npz_record;

#define HOP__NPZ_RECORD_FIELDS                                                                     \
    "('version', '<u4'), ('directed', '<u4'), ('weight', '|S8'), ('vertices', '<u8'), "            \
    "('arcs', '<u8'), ('hash', '<u8'), ('loops', '<u8'), ('isolated', '<u8'), "                    \
    "('min_degree', '<u8'), ('max_degree', '<u8'), ('max_degree_vertex', '<u8'), "                 \
    "('min_weight', '<f8'), ('max_weight', '<f8'), ('min_weight_int', '<i8'), "                    \
    "('max_weight_int', '<i8')"
#define HOP__NPZ_RECORD_TYPE "[" HOP__NPZ_RECORD_FIELDS "]"

_Static_assert(sizeof(hop__npz_record) == 112, "the record has no padding");

/* The members of an archive that a matrix or a graph is made of; those that are missing have no
 * member. `format` is "csr", "csc", "coo" or another that scipy has. */
typedef struct hop__npz_file {
    hop__npy_archive archive;
    hop__npy_member indptr, indices, data, row, column, labels, name_offsets, name_bytes, blocks;
    char format[8];
    uint64_t rows, columns;
    uint64_t first_id; /* of a native file without labels */
    bool native;
    hop__npz_record record; /* when native */
} hop__npz_file;

/* The weights that the items of data.npy are read as; HOP_ERR_UNSUPPORTED for complex numbers and
 * the like. */
hop_status hop__npz_weight_type(hop_context *context, const hop__npz_file *file,
                                hop_weight_type *type);

/* Reads the headers of the members of an archive that is open, and what is small. */
hop_status hop__npz_read_members(hop_context *context, hop__npz_file *file);
/* Of a native file: whether what the members say agrees, before the arrays are used; */
hop_status hop__npz_check_native(hop_context *context, const hop__npz_file *file,
                                 hop_weight_type *weight);
/* whether its arrays can be used as they lie; */
bool hop__npz_in_place(const hop__npz_file *file, hop_weight_type weight);
/* and the record's facts as those of the graph, unchecked. */
void hop__npz_trust(hop_graph *graph, const hop__npz_record *record);

/* Reads a matrix as scipy writes it, or a native file that is packed or not aligned, by copying. */
hop_status hop__npz_read_matrix(hop_context *context, const hop__npz_file *file,
                                const hop_read_options *options, hop_graph **graph);

/* An array in the file: its first byte, its bytes, and the first byte of its checksums. */
typedef struct hop__npz_span {
    uint64_t data, bytes, sums;
} hop__npz_span;

/* Where the arrays of a native file lie, for who reads parts of them by hop__input_fetch. */
typedef struct hop__npz_layout {
    hop__npz_record record;
    uint64_t offsets, targets, weights; /* byte of the file at which each begins */
    size_t offset_bytes;                /* of one offset: 4 or 8; a target has 4 */
    hop_weight_type weight_type;        /* without weights `weights` is 0 */
    /* What vertices are called; 0 for arrays that are not there. name_size: bytes of all names. */
    uint64_t labels, name_offsets, name_bytes, name_size, first_id;
    /* All of these once more, as blocks with checksums. sums: the byte of the file at which those
     * of the array begin; 0 for files of before there were any. */
    hop__npz_span blocked[HOP__BLOCKED_ARRAYS];
} hop__npz_layout;

/* Opens an archive that stays in its file, without a mapping: its directory, and what is small.
 * *room is memory that it uses; both are to be closed in any case. */
hop_status hop__npz_open_file(hop_context *context, hop__input *input, unsigned char **room,
                              hop__npz_file **file);
void hop__npz_close_file(hop__npz_file *file, unsigned char *room);

/* Refuses a blocks.npy that is there and is not of its form. */
hop_status hop__npz_check_blocks(hop_context *context, const hop__npz_file *file);
hop_status hop__npz_fail_blocks(hop_context *context, const hop__npz_file *file, const char *what);
/* The arrays that have checksums, by the head of blocks.npy; NULL: there is none. */
hop_status hop__npz_spans(hop_context *context, const hop__npz_file *file, hop_weight_type type,
                          const uint64_t *head, hop__npz_span spans[HOP__BLOCKED_ARRAYS]);

/* Refuses what is not a native file, or one that is packed. Of the arrays nothing is read. */
HOP_API hop_status hop__npz_layout_read(hop_context *context, hop__input *input,
                                        hop__npz_layout *layout);

/* Writes the native format. `limit` is HOP__ZIP_LIMIT but in tests. */
hop_status hop__npz_write(hop_context *context, const hop_graph *graph, hop__output *output,
                          uint64_t limit);

/* The types of indices.npy and indptr.npy for a graph of this size, with their quotes. */
const char *hop__npz_index_type(uint64_t vertices);
const char *hop__npz_offset_type(uint64_t arcs);
/* The type of data.npy for weights of a type other than none. */
const char *hop__npz_weight_items(hop_weight_type type);

/* Parts of the file that npz_write.c and npz_stream.c share. A record with what is known at the
 * beginning; */
hop__npz_record hop__npz_record_of(uint64_t vertices, uint64_t arcs, bool directed,
                                   hop_weight_type type);
/* the members that are not arrays of the graph; */
hop_status hop__npz_write_head(hop_context *context, hop__zip_writer *writer,
                               const hop__npz_record *record);
/* data.npy of a graph without weights, in no more memory than this; */
enum { HOP__NPZ_ONES_BYTES = 3 << 19 };
hop_status hop__npz_write_ones(hop_context *context, hop__zip_writer *writer, uint64_t arcs);
/* what the vertices are called, and how many blocks that makes; */
hop_status hop__npz_write_names(hop_context *context, hop__zip_writer *writer, hop__names names,
                                uint64_t vertices, hop__block_sums *sums);
uint64_t hop__npz_name_blocks(hop__names names, uint64_t vertices);
/* blocks.npy. */
hop_status hop__npz_write_sums(hop_context *context, hop__zip_writer *writer,
                               const hop__block_sums *sums);

#endif
