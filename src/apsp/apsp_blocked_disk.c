/* SPDX-License-Identifier: Apache-2.0
 *
 * blocked-disk: the rounds of `blocked` over tiles that stay in a file, three of them in memory at
 * a time: for matrices larger than the memory. D2 4.7 in the place of the device's memory.
 *
 * A round for each tile on the diagonal, as in apsp_blocked.c: it is closed, the tiles in its row
 * and column are multiplied by it, every other one gets the product of the two that it meets there.
 * A tile as large as memory allows: the file is gone over n / side times. What happens when the
 * program is killed is said in tile_file.h.
 *
 * Reading and writing go through the system's page cache, which is told what comes next; the phases
 * "read" and "write" of the report are the time that the threads wait for it.
 *
 * Cost: n^3 sums; 3 n^2 / side numbers through the disk or its cache for each of n / side rounds;
 * the file has the matrix and 3 n / side tiles beside it; memory: three tiles and packed slices. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apsp/apsp_matrix.h"
#include "apsp/tile_file.h"
#include "apsp/tile_product.h"
#include "core/progress.h"
#include "core/try.h"

enum { SIDE };

/* Rounds are what may be lost, so tiles do not grow without bound. */
enum { SIDE_MOST = 4096, SIDE_LEAST = 64, ROWS_ROOM = 1 << 26 };

static const hop_parameter parameters[] = {
    {.name = "side",
     .summary = "vertices of a tile; 0: up to 4096, as the budget allows",
     .type = HOP_PARAMETER_INTEGER,
     .maximum = HOP__TILE_SIDE_MOST},
};

typedef struct disk_work {
    hop_context *context;
    hop__tile_file file;
    hop__tile_product product;
    hop__apsp_panels panels;
    void *a, *b, *c; /* tiles */
    size_t bytes;    /* of a tile */
} disk_work;

/* --- sizes ----------------------------------------------------------------------------------- */

typedef struct tile_size {
    hop_weight_type type;
    uint64_t side;
} tile_size;

/* In stage 1 the rounds, after which there is only the file. */
static void tile_blocks(const void *given, hop__workspace *space) {
    const tile_size *tile = given;
    const uint64_t count = tile->side * tile->side;
    const size_t size = hop_type_size(tile->type);
    hop__block_reserve(space, HOP__MEMORY_HOST, "apsp: checks of a tile",
                       hop__tile_file_memory(tile->side));
    hop__block_stage(space, 1);
    hop__block_add(space, "apsp: tile", count, size, offsetof(disk_work, a));
    hop__block_add(space, "apsp: tile", count, size, offsetof(disk_work, b));
    hop__block_add(space, "apsp: tile", count, size, offsetof(disk_work, c));
    hop__tile_product_blocks(space, offsetof(disk_work, product), tile->type, tile->side);
    hop__apsp_panel_blocks(space, offsetof(disk_work, panels), tile->type, tile->side);
}

static uint64_t need_of_side(hop_weight_type type, uint64_t side) {
    return hop__apsp_add(
        hop__blocks_need(tile_blocks, &(tile_size){type, side}, NULL).bytes[HOP__MEMORY_HOST],
        hop__block_bytes(1, sizeof(disk_work)));
}

/* As few tiles as fit, all of about the same size. */
static uint64_t side_of(const hop__apsp_task *task) {
    const uint64_t n = task->query.graph->vertices;
    const hop_weight_type type = hop__apsp_blocked_type(task);
    uint64_t most = (uint64_t)task->values[SIDE];
    if (most == 0) {
        uint64_t room = task->free_bytes > 2 * (uint64_t)ROWS_ROOM ? task->free_bytes - ROWS_ROOM
                                                                   : task->free_bytes / 2;
        for (most = SIDE_MOST; most > SIDE_LEAST && need_of_side(type, most) > room;)
            most -= SIDE_LEAST;
    }
    uint64_t tiles = hop__tile_count(n, most), side = (n + tiles - 1) / tiles;
    return (side + HOP__TILE_GRAIN - 1) / HOP__TILE_GRAIN * HOP__TILE_GRAIN;
}

bool hop__apsp_disk_fits(const hop__apsp_task *task) {
    return need_of_side(hop__apsp_blocked_type(task), SIDE_LEAST) <= task->free_bytes / 2;
}

/* Tiles of a file that is gone on with have its side: it is opened before this is listed to
 * allocate. */
static void disk_blocks(const void *given, hop__workspace *space) {
    const hop__apsp_task *task = given;
    const disk_work *w = task->state;
    tile_blocks(&(tile_size){hop__apsp_blocked_type(task),
                             w && w->file.side > 0 ? w->file.side : side_of(task)},
                space);
}

static uint64_t file_bytes(const hop__apsp_task *task) {
    return hop__tile_file_bytes(hop__apsp_blocked_type(task), task->query.graph->vertices,
                                side_of(task));
}

static bool refuse(const void *given, char reason[HOP__REASON]) {
    return hop__apsp_blocked.row.refuse(given, reason);
}

/* --- rounds ---------------------------------------------------------------------------------- */

static hop_status read_tile(disk_work *w, hop__tile_place place, void *tile) {
    hop__phase_copy(w->context, "read");
    hop__phase_bytes(w->context, w->bytes);
    return hop__tile_read(&w->file, place, tile);
}

static hop_status write_tile(disk_work *w, hop__tile_place place, const void *tile) {
    hop__phase_copy(w->context, "write");
    hop__phase_bytes(w->context, w->bytes);
    return hop__tile_write(&w->file, place, tile);
}

static hop_status mark(disk_work *w, uint64_t round, hop__tile_stage stage, uint64_t row) {
    hop__phase_copy(w->context, "sync");
    return hop__tile_mark(&w->file, round, stage, row);
}

static hop_status multiply(disk_work *w, const void *a, const void *b) {
    hop__phase(w->context, "product");
    hop__phase_items(w->context, w->file.side * w->file.side * w->file.side);
    return hop__tile_multiply(&w->product, w->c, a, b) ? HOP_OK : HOP_ERR_CANCELLED;
}

/* Of the matrix, after `epoch` rounds. */
static hop__tile_place at(uint64_t row, uint64_t column, uint64_t epoch) {
    return (hop__tile_place){false, row, column, epoch};
}

/* Tile number i of the row (column 0) or of the column (1) of the cross. */
static hop__tile_place in_cross(uint64_t i, unsigned column, uint64_t round) {
    return (hop__tile_place){true, i, column, round};
}

/* All tiles as the arcs say; what is outside of the matrix is far away. */
static hop_status fill_tiles(disk_work *w, const hop_graph *graph) {
    hop_status status = HOP_OK;
    hop__tile_file *file = &w->file;
    for (uint64_t t = 0; t < file->tiles * file->tiles; t++) {
        hop__phase(w->context, "fill");
        hop__apsp_fill_tile(w->context, graph, file->type, file->side, t / file->tiles,
                            t % file->tiles, w->c);
        if (!hop__progress_add(w->context, 0))
            return HOP_ERR_CANCELLED;
        HOP_TRY(status, write_tile(w, at(t / file->tiles, t % file->tiles, 0), w->c));
    }
    status = mark(w, 0, HOP__TILES_ROUND, 0);
done:
    return status;
}

/* The diagonal tile, then its row and its column, from the matrix into the cross. */
static hop_status make_cross(disk_work *w, uint64_t round) {
    hop_status status;
    hop__tile_file *file = &w->file;
    HOP_TRY(status, read_tile(w, at(round, round, round), w->a));
    HOP_TRY(status, hop__apsp_close(w->context, file->type, file->side, w->a, &w->panels));
    HOP_TRY(status, write_tile(w, in_cross(round, 0, round), w->a));
    for (uint64_t i = 0; i < 2 * file->tiles; i++) {
        uint64_t other = i / 2;
        unsigned column = i % 2;
        if (other == round)
            continue;
        HOP_TRY(status,
                read_tile(w, column ? at(other, round, round) : at(round, other, round), w->b));
        memcpy(w->c, w->b, w->bytes);
        HOP_TRY(status, column ? multiply(w, w->b, w->a) : multiply(w, w->a, w->b));
        HOP_TRY(status, write_tile(w, in_cross(other, column, round), w->c));
    }
    status = mark(w, round, HOP__TILES_CROSS, 0);
done:
    return status;
}

/* One row of tiles: that of the cross goes to its place, others get their products. */
static hop_status update_row(disk_work *w, uint64_t round, uint64_t i) {
    hop_status status;
    hop__tile_file *file = &w->file;
    if (i != round) {
        HOP_TRY(status, read_tile(w, in_cross(i, 1, round), w->a));
        HOP_TRY(status, write_tile(w, at(i, round, round + 1), w->a));
    }
    for (uint64_t j = 0; j < file->tiles; j++) {
        if (i != round && j == round)
            continue;
        HOP_TRY(status, read_tile(w, in_cross(j, 0, round), w->b));
        if (i == round) {
            HOP_TRY(status, write_tile(w, at(round, j, round + 1), w->b));
            continue;
        }
        HOP_TRY(status, read_tile(w, at(i, j, round), w->c));
        if (j + 1 < file->tiles) {
            hop__tile_soon(file, in_cross(j + 1, 0, round));
            hop__tile_soon(file, at(i, j + 1, round));
        }
        HOP_TRY(status, multiply(w, w->a, w->b));
        HOP_TRY(status, write_tile(w, at(i, j, round + 1), w->c));
    }
    status = HOP_OK;
done:
    return status;
}

static hop_status run_rounds(disk_work *w, const hop_graph *graph) {
    hop_status status = HOP_OK;
    hop__tile_file *file = &w->file;
    if (file->stage == HOP__TILES_NEW)
        HOP_TRY(status, fill_tiles(w, graph));
    while (file->round < file->tiles) {
        uint64_t round = file->round;
        if (file->stage != HOP__TILES_CROSS)
            HOP_TRY(status, make_cross(w, round));
        for (uint64_t i = file->row; i < file->tiles; i++) {
            HOP_TRY(status, update_row(w, round, i));
            if (i + 1 < file->tiles)
                HOP_TRY(status, mark(w, round, HOP__TILES_CROSS, i + 1));
        }
        HOP_TRY(status, mark(w, round + 1, HOP__TILES_ROUND, 0));
    }
done:
    return status;
}

/* --- the row --------------------------------------------------------------------------------- */

static hop_status make_tiles(disk_work *w, const hop__apsp_task *task) {
    const hop__tile_file *file = &w->file;
    hop_status status;
    w->bytes = file->side * file->side * hop_type_size(file->type);
    w->product = (hop__tile_product){.context = w->context, .type = file->type, .side = file->side};
    HOP_TRY(status, hop__workspace_open(w->context, NULL, disk_blocks, task, w, task->space));
    status = hop__workspace_stage(task->space, 1);
done:
    return status;
}

/* A file that is gone on with may have larger tiles than the budget would have given it now. */
static hop_status check_side(hop_context *context, const hop__apsp_task *task,
                             const hop__tile_file *file) {
    char what[96];
    if (file->side <= side_of(task))
        return HOP_OK;
    snprintf(what, sizeof what, "apsp: blocked-disk: going on with tiles of %llu vertices",
             (unsigned long long)file->side);
    return hop__reserve_check(context, what, need_of_side(file->type, file->side));
}

/* Products of tiles that the file has behind it; a round has tiles^2, those of the cross first. */
static uint64_t products_done(const hop__tile_file *file) {
    const uint64_t tiles = file->tiles, others = tiles - 1;
    const uint64_t rows = file->row - (file->row > file->round); /* the cross's own has none */
    const uint64_t cross = file->stage == HOP__TILES_CROSS ? 1 + 2 * others + rows * others : 0;
    return file->round * tiles * tiles + cross;
}

/* The whole work is the total also of a run that goes on, and begins with what is done. */
static void begin_progress(hop_context *context, const hop__tile_file *file) {
    const uint64_t cube = file->side * file->side * file->side, done = products_done(file);
    const uint64_t all = hop__apsp_times(file->tiles * file->tiles, file->tiles);
    const uint64_t total = hop__apsp_times(all, cube);
    hop__count(context, "rounds gone on from", file->round);
    if (file->resumed && file->stage != HOP__TILES_NEW)
        hop__log(
            context, HOP_LOG_WARNING,
            "tiles in %s: going on from %.0f %%, where an earlier run has stopped (round %llu of "
            "%llu); to begin anew remove the file",
            file->path, floor(100 * (double)done / (double)all), (unsigned long long)file->round,
            (unsigned long long)file->tiles);
    hop__progress_resume(context, "apsp: blocked-disk", total == UINT64_MAX ? 0 : total,
                         hop__apsp_times(done, cube));
}

static hop_status start(hop_context *context, hop__apsp_task *task) {
    hop_status status;
    const hop_graph *graph = task->query.graph;
    disk_work *w = task->state;
    w->context = context;
    HOP_TRY(status, hop__tile_file_open(context, task->scratch, hop__apsp_blocked_type(task), graph,
                                        side_of(task), &w->file));
    HOP_TRY(status, check_side(context, task, &w->file));
    const uint64_t padded = w->file.tiles * w->file.side;
    begin_progress(context, &w->file);
    status = make_tiles(w, task);
    if (status == HOP_OK)
        status = run_rounds(w, graph);
    if (status == HOP_OK)
        status = hop__workspace_stage(task->space, 2); /* the tiles are freed */
    hop_status end = hop__progress_end(context);
    HOP_TRY(status, end != HOP_OK ? end : status);
    task->rounds = w->file.tiles;
    task->relaxations = hop__apsp_times(padded * padded, padded);
done:
    return status;
}

static hop_status rows(hop_context *context, hop__apsp_task *task, hop_vertex first,
                       hop_vertex count, void *out) {
    disk_work *w = task->state;
    hop_status status = HOP_OK;
    const uint64_t n = w->file.n;
    hop__phase_copy(context, "rows");
    hop__progress_resume(context, "apsp: rows of the file", task->row_count, first);
    bool goes_on = hop__progress_add(context, 0);
    for (uint64_t i = 0; goes_on && status == HOP_OK && i < count; i++) {
        status = hop__tile_row(&w->file, hop__apsp_vertex(task, first + (hop_vertex)i),
                               (char *)out + i * n * hop_type_size(w->file.type));
        goes_on = hop__progress_add(context, 1);
    }
    hop_status end = hop__progress_end(context);
    if (status != HOP_OK || end != HOP_OK)
        return status != HOP_OK ? status : end;
    hop__apsp_finish(context, w->file.type, task->distance_type, count * n, out);
    return HOP_OK;
}

static void finish(hop__apsp_task *task) {
    disk_work *w = task->state;
    hop__tile_file_close(&w->file, task->succeeded);
}

const hop__apsp_variant hop__apsp_blocked_disk = {
    .row = {.about = {.name = "blocked-disk",
                      .summary = "blocked, over tiles in a file; continues after being killed",
                      .source = "Kemp 2012, 4.7, with the disk for the memory",
                      .place = HOP_PLACE_HOST,
                      HOP__PARAMETERS(parameters)},
            .refuse = refuse,
            .blocks = disk_blocks},
    .state_bytes = sizeof(disk_work),
    .keeps_file = true,
    .file_bytes = file_bytes,
    .start = start,
    .rows = rows,
    .finish = finish,
};
