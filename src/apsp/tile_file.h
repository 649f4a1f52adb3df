/* SPDX-License-Identifier: Apache-2.0
 *
 * A matrix of distances in a file, in square tiles, with what is needed to go on after the program
 * was killed at any moment.
 *
 * The file: two pages of heads, tiles x tiles tiles row by row, then the cross of the round under
 * way: its row of tiles and its column (2 tiles). A head says which graph it is of and how far the
 * work is; the two are written in turn, the one with the higher number and a right hash is valid.
 *
 * How it survives (numbers are rounds):
 *  1. A round writes the cross into its place of its own. The matrix is not touched; who is killed
 *     here begins the round again.
 *  2. A mark says that the cross is complete. From then on the round only takes tiles of the cross
 *     to their places, and gives the others the least of themselves and of a product of two tiles
 *     of the cross, which do not change: doing that twice is doing it once. A mark after each row
 *     of tiles; who is killed here does that row again.
 *  3. A mark says that the round is done. The cross is free.
 * So the bytes at the end do not depend on kills, also of floating point. Before a mark the file is
 * synced, so that they hold after a loss of power too. */
#ifndef HOPLITE_APSP_TILE_FILE_H
#define HOPLITE_APSP_TILE_FILE_H

#include "core/context_internal.h"
#include "hoplite/graph.h"

typedef enum hop__tile_stage {
    HOP__TILES_NEW = 0,   /* nothing is there */
    HOP__TILES_ROUND = 1, /* rounds below `round` are done */
    HOP__TILES_CROSS = 2  /* so is the cross of this one */
} hop__tile_stage;

typedef struct hop__tile_file {
    hop_context *context;
    const char *path; /* for messages, if the file has no name */
    bool named;       /* else it is gone with this process: nothing goes on from it */
    int descriptor;   /* -1: none */
    hop_weight_type type;
    uint64_t n, side, tiles; /* vertices; of a tile; tiles along the matrix */
    uint64_t graph_hash;
    uint64_t number; /* of the head last written */
    uint64_t round;
    uint64_t row; /* of tiles, of this round: those below are done, once the cross is */
    hop__tile_stage stage;
    bool resumed; /* it was there already */
} hop__tile_file;

/* Opens the file, or makes it; `path` NULL: one without a name, in TMPDIR. One that is there must
 * be of this graph and type: then its side is taken, which may differ from the one given.
 * HOP_ERR_IO, or HOP_ERR_INPUT when it is something else, has been cut short, or is in use. */
hop_status hop__tile_file_open(hop_context *context, const char *path, hop_weight_type type,
                               const hop_graph *graph, uint64_t side, hop__tile_file *file);
/* `remove`: the file is no longer wanted. Where its name has become that of something else, or is a
 * symbolic link, it is emptied instead. Accepts one that open has failed on. */
void hop__tile_file_close(hop__tile_file *file, bool remove);
/* Tiles along the matrix for a side. */
uint64_t hop__tile_count(uint64_t n, uint64_t side);

/* A place of a tile: of the matrix, or of the cross (column 0: the row of tiles, number `row`;
 * column 1: the column of tiles). */
typedef struct hop__tile_place {
    bool cross;
    uint64_t row, column;
} hop__tile_place;

hop_status hop__tile_read(hop__tile_file *file, hop__tile_place place, void *tile);
hop_status hop__tile_write(hop__tile_file *file, hop__tile_place place, const void *tile);
/* The system may begin to read it. */
void hop__tile_soon(hop__tile_file *file, hop__tile_place place);
/* Writes down how far the work is, after everything before is on the disk. */
hop_status hop__tile_mark(hop__tile_file *file, uint64_t round, hop__tile_stage stage,
                          uint64_t row);
/* Row `row` of the matrix, n numbers. */
hop_status hop__tile_row(hop__tile_file *file, uint64_t row, void *out);

#endif
