/* SPDX-License-Identifier: Apache-2.0
 *
 * katz-kider-oocore: the rounds of katz-kider where the matrix is in the host's memory and a device
 * has room for parts of it. D2 4.7, algorithm 19.
 *
 * Parts are square, at most a third of the device's memory (a sixth here: three are worked on while
 * others are on their way), and a block on the diagonal is as large as a part. With D2's blocks of
 * 16 the matrix would cross the bus n / 16 times; so it does n / side times. A round, all by parts:
 *   1. the part on the diagonal is closed, on one device;
 *   2. those in its row and column are multiplied by it;
 *   3. every other one gets the product of the two that it meets there.
 * In 2 and 3 a step is c = min(c, a b) for three parts. Devices take steps from one counter, so the
 * quick ones take more. On each device, while step k is worked on, the result of step k - 1 goes to
 * the host and what step k + 1 needs comes from it, in a queue of their own.
 *
 * Slots: one for a, which changes once per row of parts and is written in the queue of the work;
 * two for b; three for c. A slot is written again only when the host has waited for the last step
 * that used it. In 2, b is a second copy of c, so that no step reads what it writes.
 *
 * Several devices: the context names them with `+` between ("opencl:0.0+opencl:1.0"); each of the
 * others has a context (device_others.c) and a thread of its own.
 *
 * Cost: n^3 sums; 3 n^3 / side numbers over the bus; memory of the host: 7 parts for each device.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "apsp/min_plus_device.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"

enum { TILE, SIDE };
enum { A_ARRAYS = 2, B_SLOTS = 2, C_SLOTS = 3, GRAIN = 64 };
enum { DEVICES_MOST = HOP__OTHERS_MOST + 1, SIDE_LEAST = 64 };
#define NO_PART UINT64_MAX

static const hop_parameter parameters[] = {
    {.name = "tile",
     .summary =
         "how a tile is worked on: in long vectors (processors) or through local memory (GPUs)",
     .type = HOP_PARAMETER_CHOICE,
     .maximum = HOP__TILE_STAGED,
     .choices = "auto wide staged"},
    {.name = "side",
     .summary = "vertices of a part; 0: as many as the device's memory allows",
     .type = HOP_PARAMETER_INTEGER,
     .maximum = 1 << 16},
};

typedef struct place {
    uint64_t i, j; /* of a part */
} place;

typedef struct step {
    place a, b, c;
} step;

typedef struct oocore oocore;

/* A device and what it has under way. */
typedef struct oocore_worker {
    oocore *all;
    hop_context *context; /* the caller's, or one of its own */
    hop__device *device;
    hop__workspace space;
    hop__device_min_plus m;
    void *a_arrays[A_ARRAYS], *b_arrays[B_SLOTS], *c_arrays[C_SLOTS]; /* of the host */
    hop__buffer *a, *b[B_SLOTS], *c[C_SLOTS];
    hop__event *ready[B_SLOTS], *done[C_SLOTS];
    uint64_t a_number, a_writes;
    uint64_t copied; /* to another device, before */
    hop_status status;
} oocore_worker;

struct oocore {
    hop_context *context;
    const hop__apsp_task *task;
    hop_weight_type type;
    size_t size;
    char *matrix;
    uint64_t n, side, tiles, round; /* side 0: not known yet */
    unsigned phase;                 /* 2 or 3 */
    _Atomic uint64_t next;          /* step */
    _Atomic uint64_t sums;          /* of the other devices, not yet counted as progress */
    atomic_bool stopped;
    oocore_worker workers[DEVICES_MOST];
    unsigned worker_count;
};

/* --- parts ----------------------------------------------------------------------------------- */

static uint64_t length(const oocore *all, uint64_t i) {
    uint64_t first = i * all->side;
    return all->n - first < all->side ? all->n - first : all->side;
}

static void copy_part(const oocore *all, place p, void *array, bool to_matrix) {
    const uint64_t rows = length(all, p.i), bytes = length(all, p.j) * all->size;
    for (uint64_t r = 0; r < rows; r++) {
        char *in = all->matrix + ((p.i * all->side + r) * all->n + p.j * all->side) * all->size;
        char *out = (char *)array + r * all->side * all->size;
        memcpy(to_matrix ? in : out, to_matrix ? out : in, bytes);
    }
}

/* Rows that a part has, as bytes of its buffer. */
static uint64_t part_bytes(const oocore *all, place p) {
    return length(all, p.i) * all->side * all->size;
}

static hop_status renew(hop__device *device, hop__queue queue, hop__event **event) {
    hop__event_free(*event);
    *event = NULL;
    return hop__event_record(device, queue, event);
}

/* --- steps ----------------------------------------------------------------------------------- */

/* Step number t of the phase; false after the last. */
static bool step_at(const oocore *all, uint64_t t, step *s) {
    const uint64_t others = all->tiles - 1, r = all->round;
    if (all->phase == 2) {
        if (t >= 2 * others)
            return false;
        uint64_t other = t % others;
        other += other >= r;
        place diagonal = {r, r}, in_row = {r, other}, in_column = {other, r};
        *s = t < others ? (step){diagonal, in_row, in_row} : (step){in_column, diagonal, in_column};
        return true;
    }
    if (t >= others * others)
        return false;
    uint64_t i = t / others, j = t % others;
    i += i >= r;
    j += j >= r;
    *s = (step){{i, r}, {r, j}, {i, j}};
    return true;
}

/* The next step that nobody has taken. */
static bool take_step(oocore *all, step *s) {
    return !atomic_load(&all->stopped) && step_at(all, atomic_fetch_add(&all->next, 1), s);
}

static hop_status send_part(oocore_worker *w, hop__queue queue, hop__buffer *buffer, place p,
                            void *array) {
    const uint64_t bytes = part_bytes(w->all, p);
    copy_part(w->all, p, array, false);
    hop__device_count_copied(w->m.device, bytes);
    return hop__queue_write(queue, buffer, 0, bytes, array);
}

/* Brings b and c of step number k to the device. */
static hop_status prepare(oocore_worker *w, const step *s, uint64_t k) {
    hop_status status;
    const uint64_t b = k % B_SLOTS, c = k % C_SLOTS;
    HOP_TRY(status, send_part(w, HOP__QUEUE_COPY, w->b[b], s->b, w->b_arrays[b]));
    HOP_TRY(status, send_part(w, HOP__QUEUE_COPY, w->c[c], s->c, w->c_arrays[c]));
    HOP_TRY(status, renew(w->m.device, HOP__QUEUE_COPY, &w->ready[b]));
    status = hop__device_flush(w->m.device);
done:
    return status;
}

/* Puts step k into the queue, behind what prepare has brought. */
static hop_status begin_step(oocore_worker *w, const step *s, uint64_t k) {
    hop_status status;
    const oocore *all = w->all;
    const uint64_t number = s->a.i * all->tiles + s->a.j;
    if (number != w->a_number) {
        void *array = w->a_arrays[w->a_writes++ % A_ARRAYS];
        HOP_TRY(status, send_part(w, HOP__QUEUE_COMPUTE, w->a, s->a, array));
        w->a_number = number;
    }
    HOP_TRY(status, hop__event_wait(w->ready[k % B_SLOTS], HOP__QUEUE_COMPUTE));
    hop__device_product product = {
        .c = {w->c[k % C_SLOTS], all->side},
        .a = {w->a, all->side},
        .b = {w->b[k % B_SLOTS], all->side},
        .area = {0, 0, length(all, s->c.i), length(all, s->c.j)},
        .depth = length(all, s->a.j),
    };
    HOP_TRY(status, hop__min_plus_product(&w->m, &product));
    HOP_TRY(status, renew(w->m.device, HOP__QUEUE_COMPUTE, &w->done[k % C_SLOTS]));
    status = hop__device_flush(w->m.device);
done:
    return status;
}

/* The result of step k to the host. */
static hop_status end_step(oocore_worker *w, const step *s, uint64_t k) {
    hop_status status;
    const uint64_t c = k % C_SLOTS;
    HOP_TRY(status, hop__event_wait(w->done[c], HOP__QUEUE_COPY));
    HOP_TRY(status,
            hop__queue_read(HOP__QUEUE_COPY, w->c[c], 0, part_bytes(w->all, s->c), w->c_arrays[c]));
    HOP_TRY(status, renew(w->m.device, HOP__QUEUE_COPY, &w->done[c]));
    HOP_TRY(status, hop__event_sync(w->done[c]));
    copy_part(w->all, s->c, w->c_arrays[c], true);
    if (w->context != w->all->context) /* progress belongs to the thread that made the call */
        atomic_fetch_add(&w->all->sums,
                         length(w->all, s->c.i) * length(w->all, s->c.j) * length(w->all, s->a.j));
    else if (!hop__progress_add(w->context, atomic_exchange(&w->all->sums, 0)))
        status = HOP_ERR_CANCELLED;
done:
    return status;
}

/* Steps, one after the other, each prepared while the one before is worked on. */
static hop_status run_steps(oocore_worker *w) {
    hop_status status = HOP_OK;
    step before, now, after;
    w->a_number = NO_PART;
    if (!take_step(w->all, &now))
        return HOP_OK;
    HOP_TRY(status, prepare(w, &now, 0));
    for (uint64_t k = 0;; k++) {
        HOP_TRY(status, begin_step(w, &now, k));
        if (k > 0)
            HOP_TRY(status, end_step(w, &before, k - 1));
        bool more = take_step(w->all, &after);
        if (more)
            HOP_TRY(status, prepare(w, &after, k + 1));
        before = now;
        now = after;
        if (more)
            continue;
        status = end_step(w, &before, k);
        break;
    }
done:
    return status;
}

static void run_worker(void *arg, unsigned thread, unsigned threads) {
    oocore *all = arg;
    (void)threads;
    if (thread >= all->worker_count)
        return;
    oocore_worker *w = &all->workers[thread];
    w->status = run_steps(w);
    if (w->status != HOP_OK)
        atomic_store(&all->stopped, true);
}

/* --- rounds ---------------------------------------------------------------------------------- */

static hop_status first_failure(oocore *all) {
    for (unsigned i = 0; i < all->worker_count; i++) {
        oocore_worker *w = &all->workers[i];
        if (w->status != HOP_OK && i > 0 && w->status != HOP_ERR_CANCELLED)
            return hop__fail_as(all->context, w->status, w->context);
        if (w->status != HOP_OK)
            return w->status;
    }
    return HOP_OK;
}

static hop_status run_phase(oocore *all, unsigned phase) {
    all->phase = phase;
    atomic_store(&all->next, 0);
    hop__team_of(all->context, all->worker_count, UINT64_MAX, run_worker, all);
    return first_failure(all);
}

/* The part on the diagonal, on the first device. */
static hop_status close_part(oocore *all) {
    hop_status status;
    oocore_worker *w = &all->workers[0];
    const place p = {all->round, all->round};
    HOP_TRY(status, send_part(w, HOP__QUEUE_COMPUTE, w->c[0], p, w->c_arrays[0]));
    HOP_TRY(status, hop__min_plus_close(&w->m, (hop__device_matrix){w->c[0], all->side},
                                        length(all, all->round)));
    HOP_TRY(status, hop__buffer_read(w->c[0], 0, part_bytes(all, p), w->c_arrays[0]));
    HOP_TRY(status, hop__device_finish(w->m.device));
    copy_part(all, p, w->c_arrays[0], true);
done:
    return status;
}

static hop_status run_rounds(oocore *all) {
    hop_status status = HOP_OK;
    for (all->round = 0; all->round < all->tiles; all->round++) {
        HOP_TRY(status, close_part(all));
        if (all->tiles == 1)
            break;
        HOP_TRY(status, run_phase(all, 2));
        HOP_TRY(status, run_phase(all, 3));
    }
done:
    return status;
}

/* --- devices --------------------------------------------------------------------------------- */

/* The others that the context names. */
static void find_others(oocore *all) {
    hop__device *first = all->workers[0].device, *other;
    while ((other = hop__device_other(first, all->worker_count - 1)) != NULL) {
        oocore_worker *w = &all->workers[all->worker_count++];
        w->all = all;
        w->context = hop__device_context(other);
        w->device = other;
        w->copied = hop__device_kept_bytes(other).copied;
    }
}

static void list_parts(hop__workspace *space, bool on_device, unsigned count, uint64_t side,
                       size_t size, size_t slot) {
    for (unsigned i = 0; i < count; i++, slot += sizeof(void *)) {
        hop__block *block = hop__block_add(space, "apsp: part", side * side, size, slot);
        block->place = on_device ? HOP__MEMORY_DEVICE : HOP__MEMORY_HOST;
    }
}

/* Of one device, in a state that is its worker. Until the side is known, the least; the more room
 * there is, the larger the parts. */
static void oocore_blocks(const void *given, hop__workspace *space) {
    const hop__apsp_task *task = given;
    const oocore *all = task->state;
    const hop_weight_type type = hop__apsp_blocked_type(task);
    const uint64_t side = all && all->side > 0 ? all->side : SIDE_LEAST;
    const size_t size = hop_type_size(type);
    hop__block_stage(space, 1);
    list_parts(space, false, A_ARRAYS, side, size, offsetof(oocore_worker, a_arrays));
    list_parts(space, false, B_SLOTS, side, size, offsetof(oocore_worker, b_arrays));
    list_parts(space, false, C_SLOTS, side, size, offsetof(oocore_worker, c_arrays));
    list_parts(space, true, 1, side, size, offsetof(oocore_worker, a));
    list_parts(space, true, B_SLOTS, side, size, offsetof(oocore_worker, b));
    list_parts(space, true, C_SLOTS, side, size, offsetof(oocore_worker, c));
    hop__min_plus_blocks(space, offsetof(oocore_worker, m), type,
                         (hop__tile_form)task->values[TILE], 0, side);
    for (uint32_t i = 0; i < space->count; i++)
        space->blocks[i].elastic = true;
}

/* What the parts need on the host, for all devices. */
static uint64_t host_bytes(const oocore *all) {
    hop__need need = hop__blocks_need(oocore_blocks, all->task, all->workers[0].device);
    return hop__apsp_times(need.bytes[HOP__MEMORY_HOST], all->worker_count);
}

static bool side_fits(const oocore *all, hop__device *device, uint64_t host_free) {
    hop__need need = hop__blocks_need(oocore_blocks, all->task, device);
    return host_bytes(all) <= host_free && need.largest <= hop__device_room(device) &&
           need.bytes[HOP__MEMORY_DEVICE] <= hop__device_left(device);
}

/* The largest part that all devices and the host have room for, as few as possible, all of about
 * one size. */
static void choose_side(oocore *all, uint64_t wanted) {
    uint64_t side = wanted > 0 ? wanted : all->n;
    hop__memory_usage host = hop__pool_usage(all->context->pool);
    const uint64_t host_free = host.budget > host.used ? host.budget - host.used : 0;
    all->side = side < GRAIN ? GRAIN : (side + GRAIN - 1) / GRAIN * GRAIN;
    for (unsigned i = 0; i < all->worker_count; i++)
        while (all->side > SIDE_LEAST && !side_fits(all, all->workers[i].device, host_free))
            all->side -= GRAIN;
    all->tiles = (all->n + all->side - 1) / all->side;
    side = (all->n + all->tiles - 1) / all->tiles;
    all->side = (side + GRAIN - 1) / GRAIN * GRAIN;
    all->tiles = (all->n + all->side - 1) / all->side;
}

static hop_status begin_worker(oocore_worker *w) {
    const oocore *all = w->all;
    hop__tile_form form = (hop__tile_form)all->task->values[TILE];
    hop_status status;
    HOP_TRY(status, hop__min_plus_begin(w->context, all->type, form, 0, all->side, &w->m));
    status = hop__workspace_stage(&w->space, 1);
done:
    return status;
}

static void end_worker(oocore_worker *w, hop_status status) {
    hop__device_settle(w->device, status);
    for (unsigned i = 0; i < B_SLOTS; i++)
        hop__event_free(w->ready[i]);
    for (unsigned i = 0; i < C_SLOTS; i++)
        hop__event_free(w->done[i]);
    hop__min_plus_end(&w->m, status);
    hop__workspace_close(&w->space, status);
    if (w->context != w->all->context)
        hop__device_count_copied(w->all->workers[0].device,
                                 hop__device_kept_bytes(w->device).copied - w->copied);
}

static hop_status run_all(oocore *all, const hop__apsp_task *task) {
    hop_status status;
    HOP_TRY(status, hop__device_of(all->context, &all->workers[0].device));
    find_others(all);
    for (unsigned i = 0; i < all->worker_count; i++) {
        oocore_worker *w = &all->workers[i];
        HOP_TRY(status,
                hop__workspace_open(all->context, w->device, oocore_blocks, task, w, &w->space));
    }
    choose_side(all, (uint64_t)task->values[SIDE]);
    HOP_TRY(status, hop__reserve_check(all->context, "apsp: katz-kider-oocore", host_bytes(all)));
    for (unsigned i = 0; i < all->worker_count; i++) {
        status = begin_worker(&all->workers[i]);
        if (status != HOP_OK && all->workers[i].context->failure.detail.status != HOP_OK && i > 0)
            return hop__fail_as(all->context, status, all->workers[i].context);
        if (status != HOP_OK)
            return status;
    }
    hop__apsp_fill(all->context, task->query.graph, all->type, (hop__area){0, 0, all->n, all->n},
                   all->matrix, all->n);
    HOP_TRY(status, run_rounds(all));
    hop__count(all->context, "devices", all->worker_count);
    hop__count(all->context, "side", all->side);
done:
    return status;
}

static oocore oocore_of(hop_context *context, const hop__apsp_task *task) {
    const hop_weight_type type = hop__apsp_blocked_type(task);
    return (oocore){.context = context,
                    .task = task,
                    .type = type,
                    .size = hop_type_size(type),
                    .n = task->query.graph->vertices,
                    .worker_count = 1};
}

static hop_status oocore_rows(hop_context *context, hop__apsp_task *task, hop_vertex first,
                              hop_vertex count, void *out) {
    const uint64_t n = task->query.graph->vertices, total = hop__apsp_times(n * n, n);
    oocore all = oocore_of(context, task);
    (void)first;
    (void)count;
    all.matrix = out;
    all.workers[0].all = &all;
    all.workers[0].context = context;
    task->state = &all;
    hop__progress_begin(context, "apsp: katz-kider-oocore", total == UINT64_MAX ? 0 : total);
    hop_status status = run_all(&all, task);
    for (unsigned i = all.worker_count; i-- > 0;)
        end_worker(&all.workers[i], status);
    task->state = NULL;
    hop_status end = hop__progress_end(context);
    status = end != HOP_OK ? end : status;
    if (status == HOP_OK)
        hop__apsp_finish(context, all.type, task->distance_type, n * n, out);
    task->rounds = all.tiles;
    task->relaxations = total;
    return status;
}

/* --- the row --------------------------------------------------------------------------------- */

static bool refuse(const void *task, char reason[HOP__REASON]) {
    return hop__apsp_blocked.row.refuse(task, reason);
}

static bool refuse_device(const void *given, const hop_device_info *device,
                          char reason[HOP__REASON]) {
    const hop__apsp_task *task = given;
    return hop__min_plus_refuse(hop__apsp_blocked_type(task), device, reason);
}

/* By one device, all steps of all rounds added up: with t parts in a row, and t - 1 others, a round
 * sends its own part, a for the row and the column, and b and c for each step. All parts of a row
 * have the same bytes, so what is sent once in each round comes to one column of parts. Several
 * devices each get a of their own, which is more. */
static uint64_t oocore_sends(const void *given, hop__device *device) {
    hop__apsp_task task = *(const hop__apsp_task *)given;
    oocore all = oocore_of(hop__device_context(device), &task);
    all.workers[0].device = device;
    task.state = &all;
    choose_side(&all, (uint64_t)task.values[SIDE]);
    const uint64_t others = all.tiles - 1, column = hop__apsp_times(all.n * all.side, all.size);
    return hop__apsp_times(column, others == 0 ? 1 : 2 + 6 * others + 2 * others * others);
}

/* Parts of the matrix come and go several times; how often is known when the memory is. */
static hop__device_work work_of(const void *task) {
    hop__device_work work = hop__apsp_device_work(task);
    work.steps *= 1.2;
    work.copied *= 8;
    work.waits *= 4;
    return work;
}

const hop__apsp_variant hop__apsp_device_oocore = {
    .row = {.about = {.name = "katz-kider-oocore",
                      .summary = "katz-kider by parts, for a matrix that the device cannot hold",
                      .source = "Kemp 2012, 4.7, algorithm 19",
                      .place = HOP_PLACE_DEVICE,
                      HOP__PARAMETERS(parameters)},
            .divides = true,
            .refuse = refuse,
            .blocks = oocore_blocks,
            .refuse_device = refuse_device,
            .device_work = work_of,
            .sends = oocore_sends},
    .whole = true,
    .rows = oocore_rows,
};
