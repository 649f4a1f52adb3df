/* SPDX-License-Identifier: Apache-2.0
 *
 * The variants of apsp that keep the matrix in the memory of a device: D2 4.4 to 4.6.
 *
 *   katz-kider      rounds over blocks on the diagonal, see min_plus_device.h. `tile` is how a
 *                   block is worked on; `document` is D2's form: blocks of 16 x 16 in local
 *                   memory, three kernels per round, a number for each work-item.
 *   tran            Floyd and Warshall's n rounds, each one launch over all pairs, from one matrix
 *                   to another and back, so that no round reads what it writes.
 *   tran-squaring   the matrix is multiplied by itself: then it has the shortest of paths over at
 *                   most 2, 4, 8 ... arcs; ceil(log2(n - 1)) products. D2 keeps the least of the
 *                   product alone, which is the same because the diagonal is 0.
 *
 * The host fills the matrix from the arcs, in the caller's memory, and replaces FAR at the end.
 * Where the device works in the host's memory the matrix is not copied.
 *
 * Cost: n^3 sums, tran-squaring n^3 log2 n; memory of the device: a matrix and two panels of
 * `block`, tran a second matrix, tran-squaring a second matrix and two panels. Negative cycles are
 * found by the front before the first round. */
#include <stdio.h>

#include "apsp/min_plus_device.h"
#include "core/progress.h"
#include "core/try.h"
#include "kernels/launching.h"

enum { TILE, BLOCK };
enum { TRAN_BLOCK = 64 }; /* the least: tran makes no products */

static const hop_parameter block_parameters[] = {HOP__TILE_PARAMETER, HOP__BLOCK_PARAMETER};
static const hop_parameter tile_parameters[] = {HOP__TILE_PARAMETER};

typedef struct device_apsp {
    hop_context *context;
    hop__apsp_task *task;
    hop__workspace *space;
    hop__device_min_plus m;
    uint64_t n, bytes;
    hop__device_matrix matrix; /* over the caller's */
    hop__device_matrix other;  /* if there are two */
} device_apsp;

typedef hop_status (*device_rounds_fn)(device_apsp *work);

/* Copies between the two, in pieces that can be cancelled. */
static hop_status copy_matrix(device_apsp *work, hop__buffer *from, hop__buffer *to) {
    enum { PIECE = 1 << 26 };
    hop_status status = HOP_OK;
    for (uint64_t at = 0; at < work->bytes; at += PIECE) {
        uint64_t piece = work->bytes - at < PIECE ? work->bytes - at : PIECE;
        HOP_TRY(status, hop__buffer_copy(from, at, to, at, piece));
    }
done:
    return status;
}

static hop_status run_on_device(device_apsp *work, void *out, device_rounds_fn rounds) {
    hop_status status;
    hop__device *device = work->m.device;
    hop_weight_type type = work->m.type;
    const hop_graph *graph = work->task->query.graph;
    hop__apsp_fill(work->context, graph, type, (hop__area){0, 0, work->n, work->n}, out, work->n);
    if (!hop__progress_add(work->context, 0))
        return HOP_ERR_CANCELLED;
    HOP_TRY(status,
            hop__workspace_borrow(work->space, &work->matrix.buffer, work->n * work->n, out));
    if (!hop__device_shares_memory(device))
        hop__device_count_copied(device, work->bytes);
    HOP_TRY(status, rounds(work));
    HOP_TRY(status, hop__buffer_return(work->matrix.buffer));
    HOP_TRY(status, hop__device_finish(device));
    hop__count(work->context, "launches", work->m.launches);
    hop__apsp_finish(work->context, type, work->task->distance_type, work->n * work->n, out);
done:
    return status;
}

/* A matrix, or two, and what products with blocks of so many vertices need. */
static void list_matrices(hop__workspace *space, const hop__apsp_task *task, unsigned matrices,
                          uint64_t block) {
    const uint64_t n = task->query.graph->vertices;
    const hop_weight_type type = hop__apsp_blocked_type(task);
    const size_t size = hop_type_size(type);
    hop__buffer_add(space, "apsp: matrix", n * n, size, offsetof(device_apsp, matrix.buffer))
        ->later = true;
    if (matrices > 1)
        hop__buffer_add(space, "apsp: second matrix", n * n, size,
                        offsetof(device_apsp, other.buffer));
    hop__min_plus_blocks(space, offsetof(device_apsp, m), type, (hop__tile_form)task->values[TILE],
                         block, n);
}

static hop_status rounds_run(hop_context *context, hop__apsp_task *task, void *out,
                             hop__blocks_fn blocks, uint64_t block, uint64_t total,
                             device_rounds_fn rounds) {
    hop_status status;
    hop__workspace space = {0};
    device_apsp work = {
        .context = context, .task = task, .space = &space, .n = task->query.graph->vertices};
    hop_weight_type type = hop__apsp_blocked_type(task);
    work.bytes = work.n * work.n * hop_type_size(type);
    work.matrix.stride = work.other.stride = work.n;
    hop__progress_begin(context, "apsp: on a device", total);
    HOP_TRY(status, hop__min_plus_begin(context, type, (hop__tile_form)task->values[TILE], block,
                                        work.n, &work.m));
    HOP_TRY(status, hop__workspace_open(context, work.m.device, blocks, task, &work, &space));
    status = run_on_device(&work, out, rounds);
done:
    hop__min_plus_end(&work.m, status);
    hop__workspace_close(&space, status);
    hop_status end = hop__progress_end(context);
    return end != HOP_OK ? end : status;
}

static uint64_t cube(uint64_t n) {
    uint64_t total = hop__apsp_times(hop__apsp_times(n, n), n);
    return total == UINT64_MAX ? 0 : total;
}

/* --- katz-kider ------------------------------------------------------------------------------ */

static hop_status katz_kider_rounds(device_apsp *work) {
    work->task->rounds = (work->n + work->m.block - 1) / work->m.block;
    work->task->relaxations = cube(work->n);
    return hop__min_plus_close(&work->m, work->matrix, work->n);
}

static void katz_kider_blocks(const void *given, hop__workspace *space) {
    const hop__apsp_task *task = given;
    list_matrices(space, task, 1, (uint64_t)task->values[BLOCK]);
}

static hop_status katz_kider(hop_context *context, hop__apsp_task *task, hop_vertex first,
                             hop_vertex count, void *out) {
    (void)first;
    (void)count;
    return rounds_run(context, task, out, katz_kider_blocks, (uint64_t)task->values[BLOCK],
                      cube(task->query.graph->vertices), katz_kider_rounds);
}

/* --- tran ------------------------------------------------------------------------------------ */

static void swap(device_apsp *work) {
    hop__device_matrix swapped = work->matrix;
    work->matrix = work->other;
    work->other = swapped;
}

static hop_status tran_round(device_apsp *work, uint64_t k) {
    hop_status status = HOP_OK;
    hop__device_min_plus *m = &work->m;
    const uint32_t n = (uint32_t)work->n;
    hop__argument arguments[] = {hop__arg_buffer(work->matrix.buffer),
                                 hop__arg_buffer(work->other.buffer),
                                 hop__arg_u32(n),
                                 hop__arg_u32((uint32_t)k),
                                 {0},
                                 {0}};
    if (m->form == HOP__TILE_DOCUMENT) {
        uint64_t across = (work->n + 15) / 16;
        return hop__min_plus_slices(m, "tran_round", across * across, 256, arguments, 5);
    }
    const uint64_t most = ((uint64_t)1 << 28) / n + 1; /* rows of a launch */
    for (uint64_t row = 0; row < n; row += most) {
        uint64_t rows = n - row < most ? n - row : most;
        hop__shape shape =
            hop__fill_device(m->device, m->form == HOP__TILE_WIDE ? rows : rows * n, m->group);
        shape.items = rows * n;
        shape.bytes = 2 * rows * n * hop_type_size(m->type);
        arguments[4] = hop__arg_u32((uint32_t)row);
        arguments[5] = hop__arg_u32((uint32_t)rows);
        m->launches++;
        HOP_TRY(status, hop__launch_named(m->program, "tran_rows", shape, arguments, 6));
        /* A sum that goes to memory takes as long as 16 that stay in registers. */
        HOP_TRY(status, hop__min_plus_account(m, 16 * rows * n));
    }
done:
    return status;
}

static hop_status tran_rounds(device_apsp *work) {
    hop_status status = HOP_OK;
    hop__buffer *own = work->matrix.buffer;
    for (uint64_t k = 0; k < work->n; k++) {
        HOP_TRY(status, tran_round(work, k));
        swap(work);
    }
    work->task->rounds = work->n;
    work->task->relaxations = cube(work->n);
done:
    if (work->matrix.buffer != own) { /* an odd number of rounds */
        swap(work);
        if (status == HOP_OK)
            status = copy_matrix(work, work->other.buffer, own);
    }
    return status;
}

static void tran_blocks(const void *task, hop__workspace *space) {
    list_matrices(space, task, 2, TRAN_BLOCK);
}

static hop_status tran(hop_context *context, hop__apsp_task *task, hop_vertex first,
                       hop_vertex count, void *out) {
    uint64_t total = cube(task->query.graph->vertices);
    (void)first;
    (void)count;
    return rounds_run(context, task, out, tran_blocks, TRAN_BLOCK,
                      total > UINT64_MAX / 16 ? 0 : 16 * total, tran_rounds);
}

/* --- tran-squaring --------------------------------------------------------------------------- */

static hop_status square(device_apsp *work) {
    hop_status status;
    hop__device_min_plus *m = &work->m;
    if (m->form == HOP__TILE_DOCUMENT) {
        uint64_t across = (work->n + 15) / 16;
        hop__argument arguments[] = {hop__arg_buffer(work->matrix.buffer),
                                     hop__arg_buffer(work->other.buffer),
                                     hop__arg_u32((uint32_t)work->n),
                                     {0}};
        return hop__min_plus_slices(m, "tran_square", across * across, 256 * work->n, arguments, 4);
    }
    HOP_TRY(status, copy_matrix(work, work->matrix.buffer, work->other.buffer));
    hop__device_product whole = {.c = work->other,
                                 .a = work->matrix,
                                 .b = work->matrix,
                                 .area = {0, 0, work->n, work->n},
                                 .depth = work->n};
    status = hop__min_plus_product(m, &whole);
done:
    return status;
}

/* ceil(log2(n - 1)): a shortest way has at most n - 1 arcs. */
static unsigned squarings(uint64_t n) {
    unsigned count = 0;
    while (n > 2 && (uint64_t)1 << count < n - 1)
        count++;
    return count;
}

static hop_status squaring_rounds(device_apsp *work) {
    hop_status status = HOP_OK;
    hop__buffer *own = work->matrix.buffer;
    for (unsigned i = 0; i < squarings(work->n); i++) {
        HOP_TRY(status, square(work));
        swap(work);
        work->task->rounds++;
        work->task->relaxations += cube(work->n);
    }
done:
    if (work->matrix.buffer != own) {
        swap(work);
        if (status == HOP_OK)
            status = copy_matrix(work, work->other.buffer, own);
    }
    return status;
}

static void squaring_blocks(const void *task, hop__workspace *space) {
    list_matrices(space, task, 2, 0);
}

static hop_status tran_squaring(hop_context *context, hop__apsp_task *task, hop_vertex first,
                                hop_vertex count, void *out) {
    uint64_t n = task->query.graph->vertices;
    (void)first;
    (void)count;
    return rounds_run(context, task, out, squaring_blocks, 0, squarings(n) * cube(n),
                      squaring_rounds);
}

/* --- the rows -------------------------------------------------------------------------------- */

static bool refuse(const void *task, char reason[HOP__REASON]) {
    return hop__apsp_blocked.row.refuse(task, reason);
}

static bool refuse_device(const void *given, const hop_device_info *device,
                          char reason[HOP__REASON]) {
    return hop__min_plus_refuse(hop__apsp_blocked_type(given), device, reason);
}

static uint64_t matrix_bytes(const hop__apsp_task *task) {
    uint64_t n = task->query.graph->vertices;
    return hop__apsp_times(n * n, hop_type_size(hop__apsp_blocked_type(task)));
}

/* For row.copy: the matrix, which goes there in every call. */
static hop__graph_copy copy(const void *task, hop__device *device) {
    return (hop__graph_copy){.missing = hop__device_shares_memory(device) ? 0 : matrix_bytes(task)};
}

/* A matrix, or two, that the device cannot hold is left to katz-kider-oocore. */
static bool avoid(const void *given, const hop_device_info *device, uint64_t matrices,
                  char reason[HOP__REASON]) {
    const hop__apsp_task *task = given;
    uint64_t has = device->memory;
    if (task->device_bytes != 0 && task->device_bytes < has)
        has = task->device_bytes;
    if (hop__apsp_times(matrix_bytes(task), matrices) <= has)
        return false;
    snprintf(reason, HOP__REASON, "the matrix does not fit the memory of %s", device->name);
    return true;
}

static bool avoid_one(const void *task, const hop_device_info *device, char reason[HOP__REASON]) {
    return avoid(task, device, 1, reason);
}

static bool avoid_two(const void *task, const hop_device_info *device, char reason[HOP__REASON]) {
    return avoid(task, device, 2, reason);
}

/* Variants on the matrix do the same for any graph of n vertices and any rows that are wanted: n^3
 * sums, of which those of 64 bits count twice, and the matrix comes back; its way there is what
 * `copy` tells. That of searches is in apsp_device_harish_narayanan.c. */
hop__device_work hop__apsp_device_work(const void *task) {
    double n = ((const hop__apsp_task *)task)->query.graph->vertices;
    double size = (double)hop_type_size(hop__apsp_blocked_type(task));
    return (hop__device_work){
        .steps = n * n * n * size / 4, .waits = 2 + n / 43, .copied = size * n * n};
}

/* A launch for each vertex, and both matrices are in memory: what is read and written there takes
 * longer than the sums. */
static hop__device_work tran_work(const void *task) {
    hop__device_work work = hop__apsp_device_work(task);
    double n = ((const hop__apsp_task *)task)->query.graph->vertices;
    work.bytes = 8 * work.steps;
    work.waits = 2 + n / 4;
    return work;
}

static hop__device_work squaring_work(const void *task) {
    hop__device_work work = hop__apsp_device_work(task);
    work.steps *= 1 + squarings(((const hop__apsp_task *)task)->query.graph->vertices);
    return work;
}

const hop__apsp_variant hop__apsp_device_katz_kider = {
    .row = {.about = {.name = "katz-kider",
                      .summary = "rounds over blocks on the diagonal, three phases each",
                      .source = "Kemp 2012, 4.6, algorithms 16 to 18 (Katz and Kider 2008)",
                      .place = HOP_PLACE_DEVICE,
                      HOP__PARAMETERS(block_parameters)},
            .refuse = refuse,
            .blocks = katz_kider_blocks,
            .refuse_device = refuse_device,
            .avoid = avoid_one,
            .copy = copy,
            .device_work = hop__apsp_device_work},
    .whole = true,
    .rows = katz_kider,
};

const hop__apsp_variant hop__apsp_device_tran = {
    .row = {.about = {.name = "tran",
                      .summary = "the triple loop, a launch for each round, between two matrices",
                      .source = "Kemp 2012, 4.4, algorithms 12 and 13 (Tran 2010)",
                      .place = HOP_PLACE_DEVICE,
                      HOP__PARAMETERS(tile_parameters)},
            .refuse = refuse,
            .blocks = tran_blocks,
            .refuse_device = refuse_device,
            .avoid = avoid_two,
            .copy = copy,
            .device_work = tran_work},
    .whole = true,
    .rows = tran,
};

const hop__apsp_variant hop__apsp_device_tran_squaring = {
    .row = {.about = {.name = "tran-squaring",
                      .summary = "the matrix is multiplied by itself log2 n times",
                      .source = "Kemp 2012, 4.5, algorithms 14 and 15 (Tran 2010)",
                      .place = HOP_PLACE_DEVICE,
                      HOP__PARAMETERS(tile_parameters)},
            .refuse = refuse,
            .blocks = squaring_blocks,
            .refuse_device = refuse_device,
            .avoid = avoid_two,
            .copy = copy,
            .device_work = squaring_work},
    .whole = true,
    .rows = tran_squaring,
};
