/* SPDX-License-Identifier: Apache-2.0
 * Products on a device, and closing by them; see min_plus_device.h. */
#include "apsp/min_plus_device.h"

#include <stdio.h>

#include "core/progress.h"
#include "core/try.h"
#include "kernels/launching.h"

extern const hop__program_source hop__program_min_plus;

enum {
    TILE_ROWS = 8, /* as in min_plus_program.cl */
    CLOSED = 64,
    SIDE = 16,
    WIDE_ROWS = 4, /* of a tile, and its vectors, as there and in min_plus_wide.cl */
    WIDE_VECTORS = 4,
    CHUNK_ROWS = 256, /* of a task there: the panel of the left factor stays in a cache */
    TILES_UP = 8,
    STAGED_COLUMNS = CLOSED, /* of a group's tiles, as its rows: gaps are of such tiles */
    DOCUMENT_GROUP = SIDE * SIDE
};
/* Sums of a launch, and between two looks at the progress: some 20 to 50 ms on two cores. */
#define SLICE_FEW  ((uint64_t)1 << 30)
#define SLICE_MANY ((uint64_t)1 << 34)

static hop__tile_form form_on(const hop_device_info *device, hop__tile_form form) {
    if (form != HOP__TILE_AUTO)
        return form;
    return device->capabilities & HOP_DEVICE_CHUNKED ? HOP__TILE_WIDE : HOP__TILE_STAGED;
}

static uint32_t workers_on(const hop_device_info *device) {
    return device->compute_units > 0 ? device->compute_units : 1;
}

static uint64_t up_to(uint64_t count, uint64_t multiple) {
    return (count + multiple - 1) / multiple * multiple;
}

/* What a round takes: a depth that makes loading and storing the tile small beside the sums, and
 * blocks that are still few beside the matrix. Multiples of CLOSED, so that gaps are of tiles. */
static uint64_t block_on(hop__tile_form form, uint64_t block, uint64_t side) {
    if (form == HOP__TILE_DOCUMENT)
        return SIDE;
    if (block == 0)
        block = form == HOP__TILE_STAGED || side <= 512 ? 64 : side < 1000 ? 128 : 256;
    return up_to(block, CLOSED);
}

/* A panel is a whole number of tiles of either form. */
static uint64_t panel_bytes(uint64_t side, uint64_t block, hop_weight_type type) {
    return up_to(side, CLOSED) * block * hop_type_size(type);
}

/* Of the buffer that min_plus_wide.cl calls `diagonal`. The smallest blocks have no cross. */
static uint64_t diagonal_bytes(const hop_device_info *device, uint64_t block,
                               hop_weight_type type) {
    uint64_t tile = WIDE_ROWS * WIDE_VECTORS * 64, cross = block > CLOSED ? 2 * CLOSED * block : 0;
    return (2 * block * block + cross) * hop_type_size(type) + 2 * tile * workers_on(device);
}

void hop__min_plus_blocks(hop__workspace *space, size_t at, hop_weight_type type,
                          hop__tile_form form, uint64_t block, uint64_t side) {
    const hop_device_info *info = hop__device_info(space->device);
    form = form_on(info, form);
    if (form == HOP__TILE_DOCUMENT)
        return;
    block = block_on(form, block, side);
    uint64_t panel = panel_bytes(side, block, type);
    hop__buffer_add(space, "apsp: column of blocks", panel, 1,
                    at + offsetof(hop__device_min_plus, left));
    hop__buffer_add(space, "apsp: row of blocks", panel, 1,
                    at + offsetof(hop__device_min_plus, right));
    if (form != HOP__TILE_WIDE)
        return;
    hop__buffer_add(space, "apsp: diagonal block", diagonal_bytes(info, block, type), 1,
                    at + offsetof(hop__device_min_plus, diagonal));
    hop__buffer_add(space, "apsp: tasks", 2, sizeof(uint32_t),
                    at + offsetof(hop__device_min_plus, taken))
        ->zero = true;
}

bool hop__min_plus_refuse(hop_weight_type type, const hop_device_info *device,
                          char reason[HOP__REASON]) {
    static const struct {
        unsigned needs;
        const char *what;
    } types[] = {
        [HOP_TYPE_FLOAT32] = {HOP_DEVICE_SUBNORMAL32, "subnormal float32 numbers"},
        [HOP_TYPE_FLOAT64] = {HOP_DEVICE_FLOAT64 | HOP_DEVICE_SUBNORMAL64,
                              "float64 with subnormal numbers"},
    };
    if (type != HOP_TYPE_FLOAT32 && type != HOP_TYPE_FLOAT64)
        return false;
    if ((types[type].needs & ~device->capabilities) == 0)
        return false;
    snprintf(reason, HOP__REASON, "it needs %s, which %s does not have", types[type].what,
             device->name);
    return true;
}

static hop_status get_program(hop__device_min_plus *m) {
    static const int kinds[] = {
        [HOP_TYPE_FLOAT32] = 0, [HOP_TYPE_INT32] = 1, [HOP_TYPE_FLOAT64] = 2, [HOP_TYPE_INT64] = 3};
    bool staged = m->form != HOP__TILE_WIDE;
    const uint32_t size = (uint32_t)hop_type_size(m->type);
    /* Tiles of 8 x 8 numbers of four bytes, or 8 x 4 of eight: 64 registers of an item. */
    m->lanes = staged ? 32 / size : 64 / size;
    const uint32_t across = STAGED_COLUMNS / m->lanes;
    m->group = staged ? TILES_UP * across : 1;
    m->tile_rows = staged ? TILE_ROWS : WIDE_ROWS;
    m->task_rows = staged ? TILES_UP * TILE_ROWS : CHUNK_ROWS;
    m->task_columns = staged ? STAGED_COLUMNS : WIDE_VECTORS * m->lanes;
    const hop__define defines[] = {{"WG", m->group},
                                   {"WORK_CHUNKED", !staged},
                                   {"KIND", kinds[m->type]},
                                   {"STAGED", staged},
                                   {"LANES", (int)m->lanes},
                                   {"TILES_UP", TILES_UP},
                                   {"TILES_ACROSS", (int)across}};
    return hop__program_get(m->device, &hop__program_min_plus, defines, HOP_LENGTH(defines),
                            &m->program);
}

hop_status hop__min_plus_begin(hop_context *context, hop_weight_type type, hop__tile_form form,
                               uint64_t block, uint64_t side, hop__device_min_plus *m) {
    hop_status status;
    m->context = context;
    m->type = type;
    HOP_TRY(status, hop__device_of(context, &m->device));
    m->form = form_on(hop__device_info(m->device), form);
    m->block = block_on(m->form, block, side);
    status = get_program(m);
done:
    return status;
}

void hop__min_plus_end(hop__device_min_plus *m, hop_status status) {
    hop__device_settle(m->device, status);
    hop__event_free(m->mark);
    m->mark = NULL;
}

/* --- launching ------------------------------------------------------------------------------- */

static uint64_t slice_sums(const hop__device_min_plus *m) {
    if ((hop__device_info(m->device)->capabilities & HOP_DEVICE_FEW) == 0)
        return SLICE_MANY;
    return m->form == HOP__TILE_WIDE ? SLICE_FEW : SLICE_FEW / 16;
}

hop_status hop__min_plus_account(hop__device_min_plus *m, uint64_t sums) {
    hop_status status = HOP_OK;
    hop__event *mark = NULL;
    m->sums += sums;
    if (m->sums < slice_sums(m) / 2)
        return HOP_OK;
    HOP_TRY(status, hop__event_record(m->device, HOP__QUEUE_COMPUTE, &mark));
    HOP_TRY(status, hop__device_flush(m->device));
    if (m->mark) /* the one before: so the device always has something to do */
        HOP_TRY(status, hop__event_sync(m->mark));
    hop__event_free(m->mark);
    m->mark = mark;
    mark = NULL;
    if (!hop__progress_add(m->context, m->sums))
        status = HOP_ERR_CANCELLED;
    m->sums = 0;
done:
    hop__event_free(mark);
    return status;
}

static hop_status launch(hop__device_min_plus *m, const char *kernel, uint64_t groups,
                         uint32_t group, const hop__argument *arguments, size_t count) {
    m->launches++;
    return hop__launch_named(m->program, kernel, hop__shape_of(groups, group), arguments, count);
}

hop_status hop__min_plus_slices(hop__device_min_plus *m, const char *kernel, uint64_t count,
                                uint64_t sums_each, hop__argument *arguments,
                                size_t argument_count) {
    hop_status status = HOP_OK;
    uint64_t most = slice_sums(m) / (sums_each > 0 ? sums_each : 1) + 1;
    for (uint64_t first = 0; first < count; first += most) {
        uint64_t now = count - first < most ? count - first : most;
        arguments[argument_count - 1] = hop__arg_u32((uint32_t)first);
        HOP_TRY(status, launch(m, kernel, now, DOCUMENT_GROUP, arguments, argument_count));
        HOP_TRY(status, hop__min_plus_account(m, now * sums_each));
    }
done:
    return status;
}

/* --- packing and multiplying ----------------------------------------------------------------- */

static hop_status pack(hop__device_min_plus *m, bool left, hop__device_matrix from, uint64_t begin,
                       uint64_t count, uint64_t depth_at, uint64_t depth, hop__buffer *to) {
    hop__argument arguments[] = {hop__arg_buffer(from.buffer),
                                 hop__arg_u64(from.stride),
                                 hop__arg_u32((uint32_t)begin),
                                 hop__arg_u32((uint32_t)count),
                                 hop__arg_u32((uint32_t)depth_at),
                                 hop__arg_u32((uint32_t)depth),
                                 hop__arg_buffer(to)};
    uint64_t width = left ? m->tile_rows : m->task_columns, panels = (count + width - 1) / width;
    uint64_t work = m->form == HOP__TILE_WIDE ? panels : count * depth;
    hop__shape shape = hop__fill_device(m->device, work, m->group);
    shape.bytes = 2 * count * depth * hop_type_size(m->type);
    shape.items = count * depth;
    m->launches++;
    return hop__launch_named(m->program, left ? "pack_left" : "pack_right", shape, arguments,
                             HOP_LENGTH(arguments));
}

/* Column and row of `size` vertices from `first` on, of those from `low` on, into the two panels.
 */
static hop_status pack_cross(hop__device_min_plus *m, hop__device_matrix from, uint64_t low,
                             uint64_t count, uint64_t first, uint64_t size) {
    hop__argument arguments[] = {hop__arg_buffer(from.buffer),  hop__arg_u64(from.stride),
                                 hop__arg_u32((uint32_t)low),   hop__arg_u32((uint32_t)count),
                                 hop__arg_u32((uint32_t)first), hop__arg_u32((uint32_t)size),
                                 hop__arg_buffer(m->left),      hop__arg_buffer(m->right)};
    hop__shape shape = hop__fill_device(m->device, 2 * count * size, m->group);
    shape.bytes = 4 * count * size * hop_type_size(m->type);
    shape.items = 2 * count * size;
    m->launches++;
    return hop__launch_named(m->program, "pack_cross", shape, arguments, HOP_LENGTH(arguments));
}

/* An area with a gap of `size` rows at row `row` and of as many columns at column `column`, counted
 * from its corner; those rows and columns do not count in the area's. */
typedef struct gap {
    uint64_t row, column, size;
} gap;

/* c = min(c, a b) for the packed panels, from number a_first of the left one and b_first of the
 * right one on: the staged form. */
static hop_status multiply(hop__device_min_plus *m, hop__device_matrix c, hop__area area,
                           gap left_out, uint64_t a_first, uint64_t b_first, uint64_t depth) {
    hop_status status = HOP_OK;
    uint64_t tasks = (area.rows + m->task_rows - 1) / m->task_rows *
                     ((area.columns + m->task_columns - 1) / m->task_columns);
    uint64_t each = (uint64_t)m->task_rows * m->task_columns * depth;
    uint64_t most = slice_sums(m) / each + 1;
    for (uint64_t first = 0; first < tasks; first += most) {
        uint64_t now = tasks - first < most ? tasks - first : most;
        hop__argument arguments[] = {hop__arg_buffer(c.buffer),
                                     hop__arg_u64(c.stride),
                                     hop__arg_u32((uint32_t)area.row),
                                     hop__arg_u32((uint32_t)area.rows),
                                     hop__arg_u32((uint32_t)left_out.row),
                                     hop__arg_u32((uint32_t)area.column),
                                     hop__arg_u32((uint32_t)area.columns),
                                     hop__arg_u32((uint32_t)left_out.column),
                                     hop__arg_u32((uint32_t)left_out.size),
                                     hop__arg_buffer(m->left),
                                     hop__arg_u64(a_first),
                                     hop__arg_buffer(m->right),
                                     hop__arg_u64(b_first),
                                     hop__arg_u32((uint32_t)depth),
                                     hop__arg_u64(first)};
        hop__shape shape = hop__shape_of(now, m->group);
        shape.items = now * each;
        m->launches++;
        HOP_TRY(status,
                hop__launch_named(m->program, "product", shape, arguments, HOP_LENGTH(arguments)));
        HOP_TRY(status, hop__min_plus_account(m, now * each));
    }
done:
    return status;
}

/* Launches workers for `tasks` tasks; the last two arguments, set here, are the counters. */
static hop_status launch_workers(hop__device_min_plus *m, const char *kernel, uint64_t tasks,
                                 uint64_t sums, hop__argument *arguments, size_t count) {
    const uint32_t units = workers_on(hop__device_info(m->device));
    hop__shape shape = hop__shape_of(tasks < units ? tasks : units, m->group);
    shape.items = sums;
    arguments[count - 2] = hop__arg_buffer(m->taken);
    arguments[count - 1] = hop__arg_u32(m->turn);
    m->turn = 1 - m->turn;
    m->launches++;
    hop_status status = hop__launch_named(m->program, kernel, shape, arguments, count);
    return status == HOP_OK ? hop__min_plus_account(m, sums) : status;
}

/* Rows of a task: they divide `block`, so that no task is in two blocks; fewer where there would
 * not be enough tasks for all. */
static uint64_t chunk_rows(const hop__device_min_plus *m, uint64_t block, uint64_t rows,
                           uint64_t across) {
    uint64_t chunk = CHUNK_ROWS, enough = 4 * (uint64_t)workers_on(hop__device_info(m->device));
    while (block % chunk != 0)
        chunk -= CLOSED;
    while (chunk % 32 == 0 && (rows + chunk - 1) / chunk * across < enough)
        chunk /= 2;
    return chunk;
}

/* The same in the wide form. left_out.column is not used; `ahead` is a diagonal block, or of size
 * 0, that is closed meanwhile. */
static hop_status multiply_wide(hop__device_min_plus *m, hop__device_matrix c, hop__area area,
                                gap left_out, uint64_t depth, uint64_t ahead, uint64_t ahead_size) {
    hop_status status = HOP_OK;
    const uint64_t across = (area.columns + m->task_columns - 1) / m->task_columns;
    const uint64_t chunk = chunk_rows(m, m->block, area.rows, across);
    const uint64_t tasks = (area.rows + chunk - 1) / chunk * across + (ahead_size > 0);
    const uint64_t each = chunk * m->task_columns * depth, most = slice_sums(m) / each + 1;
    for (uint64_t first = 0; first < tasks; first += most) {
        uint64_t now = tasks - first < most ? tasks - first : most;
        hop__argument arguments[] = {hop__arg_buffer(c.buffer),
                                     hop__arg_u64(c.stride),
                                     hop__arg_u32((uint32_t)area.row),
                                     hop__arg_u32((uint32_t)area.rows),
                                     hop__arg_u32((uint32_t)left_out.row),
                                     hop__arg_u32((uint32_t)left_out.size),
                                     hop__arg_u32((uint32_t)area.column),
                                     hop__arg_u32((uint32_t)area.columns),
                                     hop__arg_buffer(m->left),
                                     hop__arg_buffer(m->right),
                                     hop__arg_u32((uint32_t)depth),
                                     hop__arg_u64(first),
                                     hop__arg_u64(now),
                                     hop__arg_u32((uint32_t)chunk),
                                     hop__arg_u32((uint32_t)ahead),
                                     hop__arg_u32((uint32_t)ahead_size),
                                     hop__arg_buffer(m->diagonal),
                                     hop__arg_u32((uint32_t)m->block),
                                     {0},
                                     {0}};
        HOP_TRY(status,
                launch_workers(m, "product", now, now * each, arguments, HOP_LENGTH(arguments)));
    }
done:
    return status;
}

hop_status hop__min_plus_product(hop__device_min_plus *m, const hop__device_product *p) {
    hop_status status = HOP_OK;
    const gap none = {UINT32_MAX, UINT32_MAX, 0};
    for (uint64_t k = 0; k < p->depth; k += m->block) {
        uint64_t depth = p->depth - k < m->block ? p->depth - k : m->block, at = p->depth_at + k;
        HOP_TRY(status, pack(m, true, p->a, p->a_row, p->area.rows, at, depth, m->left));
        HOP_TRY(status, pack(m, false, p->b, p->b_column, p->area.columns, at, depth, m->right));
        if (m->form == HOP__TILE_WIDE)
            HOP_TRY(status, multiply_wide(m, p->c, p->area, none, depth, 0, 0));
        else
            HOP_TRY(status, multiply(m, p->c, p->area, none, 0, 0, depth));
    }
done:
    return status;
}

/* --- closing --------------------------------------------------------------------------------- */

static hop_status close_one(hop__device_min_plus *m, hop__device_matrix matrix, uint64_t first,
                            uint64_t size) {
    hop__argument arguments[] = {hop__arg_buffer(matrix.buffer), hop__arg_u64(matrix.stride),
                                 hop__arg_u32((uint32_t)first), hop__arg_u32((uint32_t)size)};
    return launch(m, "close_block", 1, m->group, arguments, HOP_LENGTH(arguments));
}

/* Row and column of the block of `size` at `first`, inside of the vertices from `low` on. They are
 * packed as they were, with the block itself, which is a part of either panel; multiplied by it,
 * which changes neither the block nor what the other product reads; and packed anew. Three launches
 * less than packing one by one: they are what small matrices wait for. */
static hop_status cross(hop__device_min_plus *m, hop__device_matrix matrix, uint64_t low,
                        uint64_t count, uint64_t first, uint64_t size) {
    hop_status status;
    const gap row_gap = {UINT32_MAX, first - low, size},
              column_gap = {first - low, UINT32_MAX, size};
    hop__area row = {first, low, size, count - size}, column = {low, first, count - size, size};
    const uint64_t block = (first - low) * size; /* where it begins in a panel */
    HOP_TRY(status, pack_cross(m, matrix, low, count, first, size));
    HOP_TRY(status, multiply(m, matrix, row, row_gap, block, 0, size));
    HOP_TRY(status, multiply(m, matrix, column, column_gap, 0, block, size));
    HOP_TRY(status, pack_cross(m, matrix, low, count, first, size));
done:
    return status;
}

/* Closes `count` vertices from `low` on by rounds of `block`. Panels are free for use between the
 * rounds, since the queue works in order. */
static hop_status close_range(hop__device_min_plus *m, hop__device_matrix matrix, uint64_t low,
                              uint64_t count, uint64_t block) {
    hop_status status = HOP_OK;
    if (count <= CLOSED)
        return close_one(m, matrix, low, count);
    for (uint64_t first = low; first < low + count; first += block) {
        uint64_t size = low + count - first < block ? low + count - first : block;
        HOP_TRY(status, close_range(m, matrix, first, size, CLOSED));
        if (size == count)
            continue;
        HOP_TRY(status, cross(m, matrix, low, count, first, size));
        hop__area rest = {low, low, count - size, count - size};
        gap left_out = {first - low, first - low, size};
        HOP_TRY(status, multiply(m, matrix, rest, left_out, 0, 0, size));
    }
done:
    return status;
}

/* D2's rounds of 16 x 16. */
static hop_status close_document(hop__device_min_plus *m, hop__device_matrix matrix, uint64_t n) {
    hop_status status = HOP_OK;
    const uint64_t blocks = (n + SIDE - 1) / SIDE, each = (uint64_t)SIDE * SIDE * SIDE;
    for (uint64_t primary = 0; primary < blocks; primary++) {
        hop__argument arguments[] = {hop__arg_buffer(matrix.buffer),
                                     hop__arg_u32((uint32_t)n),
                                     hop__arg_u32((uint32_t)primary),
                                     {0}};
        HOP_TRY(status, launch(m, "katz_kider_1", 1, DOCUMENT_GROUP, arguments, 3));
        if (blocks == 1)
            break;
        HOP_TRY(status, launch(m, "katz_kider_2", 2 * (blocks - 1), DOCUMENT_GROUP, arguments, 3));
        HOP_TRY(status, hop__min_plus_slices(m, "katz_kider_3", (blocks - 1) * (blocks - 1), each,
                                             arguments, 4));
    }
done:
    return status;
}

/* By rounds of two launches, see min_plus_wide.cl. */
static hop_status close_wide(hop__device_min_plus *m, hop__device_matrix matrix, uint64_t n) {
    hop_status status = HOP_OK;
    hop__argument opening[] = {hop__arg_buffer(matrix.buffer), hop__arg_u64(matrix.stride),
                               hop__arg_u32((uint32_t)(n < m->block ? n : m->block)),
                               hop__arg_buffer(m->diagonal), hop__arg_u32((uint32_t)m->block)};
    HOP_TRY(status, launch(m, "close_first", 1, m->group, opening, HOP_LENGTH(opening)));
    for (uint64_t first = 0; first < n && n > m->block; first += m->block) {
        uint64_t size = n - first < m->block ? n - first : m->block, next = first + size;
        uint64_t next_size = n - next < m->block ? n - next : m->block;
        hop__argument arguments[] = {hop__arg_buffer(matrix.buffer),
                                     hop__arg_u64(matrix.stride),
                                     hop__arg_u32((uint32_t)n),
                                     hop__arg_u32((uint32_t)first),
                                     hop__arg_u32((uint32_t)size),
                                     hop__arg_buffer(m->left),
                                     hop__arg_buffer(m->right),
                                     hop__arg_buffer(m->diagonal),
                                     hop__arg_u32((uint32_t)m->block),
                                     {0},
                                     {0}};
        uint64_t panels = (n + m->task_columns - 1) / m->task_columns;
        HOP_TRY(status, launch_workers(m, "cross_round", 2 * panels, size * size * (n - size),
                                       arguments, HOP_LENGTH(arguments)));
        hop__area others = {0, 0, n - size, n};
        HOP_TRY(status,
                multiply_wide(m, matrix, others, (gap){first, 0, size}, size, next, next_size));
    }
done:
    return status;
}

hop_status hop__min_plus_close(hop__device_min_plus *m, hop__device_matrix matrix, uint64_t size) {
    if (m->form == HOP__TILE_DOCUMENT)
        return close_document(m, matrix, size);
    if (m->form == HOP__TILE_WIDE)
        return close_wide(m, matrix, size);
    return close_range(m, matrix, 0, size, m->block);
}
