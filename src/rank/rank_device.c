/* SPDX-License-Identifier: Apache-2.0
 * The arrays of a call on the device, and launches piece by piece; see rank_device.h. */
#include "rank/rank_device.h"

#include "core/progress.h"

enum {
    COPIED = 1 << 26,     /* bytes of a copy, between which a cancel is looked for */
    CHUNK_FEW = 1 << 22,  /* elements of a launch: some 10 ms on two cores */
    CHUNK_MANY = 1 << 26, /* the same on a GPU */
};

/* Looks for a cancel, and before that waits for what is in the queue, if asked. */
static hop_status go_on(hop__device_ranking *r, bool wait) {
    hop_status status = wait ? hop__device_finish(r->device) : HOP_OK;
    if (wait)
        r->ahead = 0;
    if (status == HOP_OK && !hop__progress_add(r->context, 0))
        status = HOP_ERR_CANCELLED;
    return status;
}

/* Between the host's array and the buffer, in pieces. The last one that goes there is not waited
 * for. */
static hop_status copy_pieces(hop__device_ranking *r, hop__buffer *buffer, const void *from,
                              void *to) {
    hop_status status = HOP_OK;
    uint64_t bytes = hop__buffer_bytes(buffer);
    for (uint64_t at = 0; status == HOP_OK && at < bytes; at += COPIED) {
        uint64_t piece = bytes - at < COPIED ? bytes - at : COPIED;
        status = from ? hop__buffer_write(buffer, at, piece, (const char *)from + at)
                      : hop__buffer_read(buffer, at, piece, (char *)to + at);
        if (status == HOP_OK)
            status = go_on(r, to != NULL || at + piece < bytes);
    }
    return status;
}

void hop__rank_device_blocks(hop__workspace *space, const hop__rank_task *task, bool apart) {
    const hop__rank_query *query = &task->query;
    const size_t size = sizeof(hop_vertex);
    bool here = hop__device_has_array(space->device, query->successors);
    bool ranks_here = hop__device_has_array(space->device, task->ranks);
    hop__borrow_add(space, "rank: successors", query->count, size,
                    offsetof(hop__device_ranking, successors), here ? query->successors : NULL,
                    true);
    if (here || ranks_here || apart)
        hop__borrow_add(space, "rank: ranks", query->count, size,
                        offsetof(hop__device_ranking, ranks), ranks_here ? task->ranks : NULL,
                        false);
    hop__buffer_add(space, "rank: heads", query->head_count, size,
                    offsetof(hop__device_ranking, heads));
    hop__buffer_add(space, "rank: counters", HOP__RANK_COUNTERS, sizeof(uint32_t),
                    offsetof(hop__device_ranking, counters))
        ->zero = true;
}

hop__graph_copy hop__rank_device_copy(const void *given, hop__device *device) {
    const hop__rank_query *query = &((const hop__rank_task *)given)->query;
    hop__graph_copy copy = {0, 0};
    if (!hop__device_has_array(device, query->successors))
        copy.missing += sizeof *query->successors * (uint64_t)query->count;
    if (!hop__device_shares_memory(device))
        copy.missing += sizeof *query->heads * (uint64_t)query->head_count;
    return copy;
}

hop_status hop__rank_device_begin(hop__device_ranking *r) {
    hop_status status;
    const hop__rank_query *query = &r->task->query;
    if (r->chunk == 0)
        r->chunk =
            hop__device_info(r->device)->capabilities & HOP_DEVICE_FEW ? CHUNK_FEW : CHUNK_MANY;
    if (hop__device_shares_memory(r->device))
        hop__advise_huge(r->task->ranks, hop__buffer_bytes(r->ranks));
    if (!hop__device_has_array(r->device, query->successors))
        HOP_TRY(status, copy_pieces(r, r->successors, query->successors, NULL));
    if (!r->ranks)
        r->ranks = r->successors;
    HOP_TRY(status, copy_pieces(r, r->heads, query->heads, NULL));
    hop__device_count_copied(r->device, hop__rank_device_copy(r->task, r->device).missing);
done:
    return status;
}

hop_status hop__rank_device_end(hop__device_ranking *r) {
    if (!hop__device_has_array(r->device, r->task->ranks))
        return copy_pieces(r, r->ranks, NULL, r->task->ranks);
    hop_status status = hop__buffer_return(r->ranks);
    return status == HOP_OK ? hop__device_finish(r->device) : status;
}

hop_status hop__rank_sweep_from(hop__device_ranking *r, const char *kernel, uint64_t begin,
                                uint64_t count, uint64_t bytes, hop__argument *arguments,
                                size_t argument_count) {
    hop_status status = HOP_OK;
    for (uint64_t at = begin; status == HOP_OK && at < count; at += r->chunk) {
        uint64_t piece = count - at < r->chunk ? count - at : r->chunk;
        hop__shape shape = hop__form_shape(r->device, &r->form, piece);
        if (r->groups > 0 && shape.groups[0] > r->groups)
            shape.groups[0] = (uint32_t)r->groups;
        shape.items = piece;
        shape.bytes = piece * bytes;
        arguments[argument_count - 2] = hop__arg_u64(at);
        arguments[argument_count - 1] = hop__arg_u64(piece);
        status = hop__launch_named(r->program, kernel, shape, arguments, argument_count);
        r->ahead += piece;
        if (status == HOP_OK)
            status = go_on(r, r->ahead >= r->chunk);
    }
    return status;
}

hop_status hop__rank_sweep(hop__device_ranking *r, const char *kernel, uint64_t count,
                           uint64_t bytes, hop__argument *arguments, size_t argument_count) {
    return hop__rank_sweep_from(r, kernel, 0, count, bytes, arguments, argument_count);
}
