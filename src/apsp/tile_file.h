/* SPDX-License-Identifier: Apache-2.0
 *
 * A matrix of distances in a file, in square tiles, with what is needed to go on after the program
 * was killed at any moment.
 *
 * The file: two pages of heads; tiles + 1 rows of tiles for the matrix, one of them free; the cross
 * of the round under way: its row of tiles and its column. A head says which graph it is of and how
 * far the work is; the two are written in turn, the one with the higher number and a right hash is
 * valid. Behind each tile is a check for each of its rows: the XXH3 of the row's numbers, of what
 * the file is of, of the tile's place, and of its epoch: how many rounds it has been through.
 *
 * How it survives being killed, or a loss of power:
 *  1. Nothing that a valid head speaks of is overwritten before the next head is on the disk.
 *  2. A round writes its cross, of epoch `round`, into a place of its own. The matrix is not
 *     touched. A mark says that the cross is complete.
 *  3. Then row after row of tiles is made anew, into the row of the file that is free; a mark says
 *     that it is complete, and what it was made of is the free row from then on. So row i of
 *     epoch e is row (i + 1 - e) mod (tiles + 1) of the file.
 *  4. After the last row a mark says that the round is done. The cross is free.
 *  5. Before a mark is written the file is synced, and after it.
 * So what is begun again reads what it read the first time, and the bytes at the end do not depend
 * on kills, also of floating point.
 *
 * How damage is seen: no number is used before the check of its row was right for the place and the
 * epoch that it must have. A tile that was changed, that belongs elsewhere, or is of another time,
 * as in a copy of the file that was made during a run, is HOP_ERR_INPUT. */
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
    bool resumed;     /* it was there already */
    uint64_t seed;    /* of the checks: what the file is of */
    uint64_t *checks; /* of the tile on its way; has room for a row of one, too */
} hop__tile_file;

enum { HOP__TILE_SIDE_MOST = 1 << 15 };

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
/* What open allocates. */
uint64_t hop__tile_file_memory(uint64_t side);
/* Of the whole file; UINT64_MAX when no file can have so many. */
uint64_t hop__tile_file_bytes(hop_weight_type type, uint64_t n, uint64_t side);

/* A tile: of the matrix, or of the cross (column 0: the row of tiles, number `row`; column 1: the
 * column of tiles). */
typedef struct hop__tile_place {
    bool cross;
    uint64_t row, column;
    uint64_t epoch; /* rounds that it has been through; of the cross: the round */
} hop__tile_place;

/* HOP_ERR_INPUT when what is there is not that tile. */
hop_status hop__tile_read(hop__tile_file *file, hop__tile_place place, void *tile);
hop_status hop__tile_write(hop__tile_file *file, hop__tile_place place, const void *tile);
/* The system may begin to read it. */
void hop__tile_soon(hop__tile_file *file, hop__tile_place place);
/* Writes down how far the work is, after everything before is on the disk. */
hop_status hop__tile_mark(hop__tile_file *file, uint64_t round, hop__tile_stage stage,
                          uint64_t row);
/* Row `row` of the matrix when all rounds are done, n numbers. HOP_ERR_INPUT as above. */
hop_status hop__tile_row(hop__tile_file *file, uint64_t row, void *out);

#endif
