/* SPDX-License-Identifier: Apache-2.0
 *
 * harish-narayanan: a search on the device from each source, in rounds over all vertices (the
 * search is that of sssp, in sssp_device_harish_narayanan.c). While the device is at one source,
 * the row of the one before comes back: rows are written to two buffers in turn, and read by the
 * other queue.
 *
 * Graph and programs are on the device once. A row is the array of the keys itself where those have
 * the size of distances, else it is decoded from them. The host narrows rows of int32, which it
 * reads to a place of its own. Negative cycles are found by the front: so the searches end, and do
 * not look for any.
 *
 * Source: D2 4.3 (Harish and Narayanan, HiPC 2007). Cost: n searches of O(rounds n + relaxations)
 * each; on the device rows, weights, 16 to 28 bytes per vertex and two rows. No matrix. */
#include <stdio.h>

#include "apsp/apsp_internal.h"
#include "core/progress.h"
#include "core/try.h"
#include "sssp/sssp_harish_narayanan.h"

/* A row on its way to the host. */
typedef struct row_slot {
    hop__buffer *row; /* distances on the device */
    hop__event *read; /* NULL: nothing is on its way */
    int64_t *wide;    /* int32 distances: where it goes first */
    void *target;     /* of the caller */
} row_slot;

typedef struct harish_work {
    hop__sssp_task task;
    hop__harish_narayanan search;
    hop__buffer *keys; /* NULL where rows are keys */
    row_slot slots[2];
} harish_work;

static size_t sent_bytes(const hop__apsp_task *task) {
    return task->query.graph->vertices * hop_type_size(task->query.distance_type);
}

/* 0 where rows are keys. */
static uint64_t key_bytes(const hop__apsp_task *task) {
    enum { BITS = 3 }; /* of hop__harish_narayanan_parameters: 1 is 64 */
    hop__sssp_kind kind = hop__sssp_device_kind(&task->query, task->values[BITS] == 1);
    size_t key = kind == HOP__KEY_U32 || kind == HOP__KEY_I32 || kind == HOP__KEY_F32 ? 4 : 8;
    return key == hop_type_size(task->query.distance_type) ? 0 : key;
}

/* What the search makes itself, roughly: all but keys and row. No buffer is larger than `most`. */
static void search_blocks(hop__workspace *space, const hop__apsp_task *task) {
    const hop__sssp_task search = {.query = task->query, .values = task->values};
    uint64_t most = 0, bytes = hop__harish_narayanan_memory(&search, &most);
    bytes -= sent_bytes(task) + task->query.graph->vertices * key_bytes(task);
    most = most > 4096 ? most : 4096; /* few blocks for tiny graphs too */
    for (; bytes > 0; bytes -= bytes < most ? bytes : most)
        hop__block_reserve(space, HOP__MEMORY_DEVICE, "apsp: search", bytes < most ? bytes : most)
            ->elastic = true;
}

static void harish_blocks(const void *given, hop__workspace *space) {
    const hop__apsp_task *task = given;
    const uint64_t n = task->query.graph->vertices;
    for (size_t i = 0; i < 2; i++) {
        size_t at = offsetof(harish_work, slots) + i * sizeof(row_slot);
        hop__buffer_add(space, "apsp: row", sent_bytes(task), 1, at + offsetof(row_slot, row));
        if (task->distance_type == HOP_TYPE_INT32)
            HOP__BLOCK_AT(space, at, "apsp: row of int64", n, row_slot, wide);
    }
    if (key_bytes(task) > 0)
        hop__buffer_add(space, "apsp: keys", n, key_bytes(task), offsetof(harish_work, keys));
    search_blocks(space, task);
}

static hop_status start(hop_context *context, hop__apsp_task *task) {
    hop_status status;
    harish_work *w = task->state;
    w->task = (hop__sssp_task){.query = task->query,
                               .values = task->values,
                               .threads = task->threads,
                               .tuning = task->tuning};
    HOP_TRY(status, hop__harish_narayanan_begin(context, &w->task, true, &w->search));
    status =
        hop__workspace_open(context, w->search.base.device, harish_blocks, task, w, task->space);
done:
    return status;
}

/* Waits for the row that is on its way, if there is one. */
static hop_status receive(const hop__apsp_task *task, row_slot *slot) {
    hop_status status = HOP_OK;
    if (!slot->read)
        return HOP_OK;
    HOP_TRY(status, hop__event_sync(slot->read));
    int32_t *narrow = slot->target;
    for (uint64_t v = 0; slot->wide && v < task->query.graph->vertices; v++)
        narrow[v] = slot->wide[v] == HOP_NO_DISTANCE ? HOP_NO_DISTANCE_32 : (int32_t)slot->wide[v];
done:
    hop__event_free(slot->read);
    slot->read = NULL;
    return status;
}

/* One search; its distances are in the slot's row when the device comes to what follows. */
static hop_status search_from(hop_context *context, harish_work *w, row_slot *slot,
                              hop_vertex source) {
    hop_status status;
    hop__sssp_device *base = &w->search.base;
    uint64_t zero = hop__sssp_device_zero(base->kind);
    bool given_up = false;
    base->keys = w->keys ? w->keys : slot->row;
    base->results = w->keys ? slot->row : NULL;
    HOP_TRY(status, hop__sssp_device_clear(base));
    for (uint64_t at = 0; at < base->key_bytes; at += 4)
        HOP_TRY(status, hop__buffer_fill(base->keys, source * base->key_bytes + at, 4,
                                         (uint32_t)(zero >> 8 * at)));
    HOP_TRY(status, hop__harish_narayanan_rounds(&w->search, &given_up));
    if (given_up)
        HOP_TRY(status, hop__fail(context, HOP_ERR_DEVICE,
                                  "apsp: harish-narayanan: the search from %s has not ended after "
                                  "%u rounds",
                                  hop__name(base->task->query.graph, source).s, w->search.round));
    status = hop__sssp_device_decode(base);
done:
    return status;
}

/* Sends the slot's row off, in the other queue, behind the search. */
static hop_status send(const hop__apsp_task *task, hop__device *device, row_slot *slot,
                       void *target) {
    hop_status status;
    hop__event *made = NULL;
    slot->target = target;
    HOP_TRY(status, hop__event_record(device, HOP__QUEUE_COMPUTE, &made));
    HOP_TRY(status, hop__event_wait(made, HOP__QUEUE_COPY));
    HOP_TRY(status, hop__queue_read(HOP__QUEUE_COPY, slot->row, 0, sent_bytes(task),
                                    slot->wide ? (void *)slot->wide : target));
    HOP_TRY(status, hop__event_record(device, HOP__QUEUE_COPY, &slot->read));
    status = hop__device_flush(device);
done:
    hop__event_free(made);
    return status;
}

static hop_status rows(hop_context *context, hop__apsp_task *task, hop_vertex first,
                       hop_vertex count, void *out) {
    harish_work *w = task->state;
    hop__device *device = w->search.base.device;
    const size_t row_bytes = hop__apsp_row_bytes(task);
    hop_status status = HOP_OK;
    hop_vertex i;
    hop__progress_begin(context, "apsp: harish-narayanan", task->row_count);
    (void)hop__progress_add(context, first);
    for (unsigned turn = 0; hop__apsp_take_rows(task, count, 1, &i) > 0; turn++) {
        row_slot *slot = &w->slots[turn % 2];
        HOP_TRY(status, receive(task, slot));
        HOP_TRY(status, search_from(context, w, slot, hop__apsp_vertex(task, first + i)));
        HOP_TRY(status, send(task, device, slot, (char *)out + i * row_bytes));
        task->relaxations += (w->search.round + UINT64_C(1)) * task->query.graph->vertices;
        if (!hop__apsp_made_rows(context, task, 1))
            break;
    }
    for (int k = 0; k < 2; k++)
        HOP_TRY(status, receive(task, &w->slots[k]));
    HOP_TRY(status, hop__device_finish(device)); /* and the times of the kernels are known */
done:
    hop__device_settle(device, status);
    hop_status end = hop__progress_end(context);
    return status != HOP_OK ? status : end;
}

static void finish(hop__apsp_task *task) {
    harish_work *w = task->state;
    hop__device_settle(w->search.base.device, task->succeeded ? HOP_OK : HOP_ERR_DEVICE);
    for (int i = 0; i < 2; i++)
        hop__event_free(w->slots[i].read);
    hop__sssp_device_end(&w->search.base, task->succeeded ? HOP_OK : HOP_ERR_DEVICE);
}

/* --- the row --------------------------------------------------------------------------------- */

static bool refuse_device(const void *given, const hop_device_info *device,
                          char reason[HOP__REASON]) {
    hop__sssp_task task = {.query = ((const hop__apsp_task *)given)->query};
    return hop__sssp_device_refuse(&task, device, reason);
}

static hop__graph_copy copy(const void *given, hop__device *device) {
    hop__sssp_task task = {.query = ((const hop__apsp_task *)given)->query};
    return hop__sssp_device_copy(&task, device);
}

/* For each row a search of some twenty rounds, which looks at each vertex and arc a few times; the
 * host looks after several rounds. So searches win where n^2 is above what launches take and there
 * are few arcs, or where few rows are wanted. */
static hop__device_work work_of(const void *given) {
    const hop__apsp_task *task = given;
    const hop_graph *graph = task->query.graph;
    double rows = task->row_count, n = graph->vertices, all = n + (double)graph->arcs;
    return (hop__device_work){.bytes = 24 * all * rows,
                              .gathers = 2 * all * rows,
                              .atomics = all * rows,
                              .waits = 10 * rows,
                              .copied = (double)hop__apsp_row_bytes(task) * rows};
}

const hop__apsp_variant hop__apsp_device_harish_narayanan = {
    .row = {.about = {.name = "harish-narayanan",
                      .summary = "a search from each vertex in rounds; a row comes back while the "
                                 "next is searched",
                      .source = "Kemp 2012, 4.3 (Harish and Narayanan 2007)",
                      .place = HOP_PLACE_DEVICE,
                      .uses = HOP_PREPARE_DEVICE,
                      HOP__PARAMETERS(hop__harish_narayanan_parameters)},
            .divides = true,
            .blocks = harish_blocks,
            .refuse_device = refuse_device,
            .copy = copy,
            .device_work = work_of},
    .state_bytes = sizeof(harish_work),
    .exact = true,
    .start = start,
    .rows = rows,
    .finish = finish,
};
