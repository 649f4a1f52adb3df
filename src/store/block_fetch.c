/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads blocks of a store's file and verifies them; what failed is kept for the message.
 *
 * A request is one preadv past the page cache where the file system and the place in the file allow
 * it. What that leaves over, and all where it cannot be done, is read in the plain way. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/failure.h"
#include "graph/numbers.h"
#include "store/arc_store.h"

static const char *const member_names[] = {"indptr.npy", "indices.npy",      "data.npy",
                                           "labels.npy", "name_offsets.npy", "name_bytes.npy"};

/* Where in the file it is. */
static uint64_t place_of(const hop__store *store, const hop__fault *fault) {
    return store->arrays[fault->array].offset + fault->block * HOP__BLOCK_BYTES;
}

void hop__store_note(hop__store *store, hop__fault_kind kind, hop__blocked array, uint64_t block,
                     int error) {
    hop__fault fault = {kind, array, block, error};
    pthread_mutex_lock(&store->fault_lock);
    if (store->fault.kind == HOP__FAULT_NONE ||
        place_of(store, &fault) < place_of(store, &store->fault))
        store->fault = fault;
    pthread_mutex_unlock(&store->fault_lock);
}

hop_status hop__store_failure(hop_context *context, hop__store *store) {
    static const char *const words[] = {
        [HOP__FAULT_SHORT] = "the file ends before it: it was cut short",
        [HOP__FAULT_CHECKSUM] = "its checksum differs: the file is damaged or was changed",
        [HOP__FAULT_TARGET] = "a target is not a vertex",
        [HOP__FAULT_WEIGHT] = "a weight is not in the range that hoplite.npy gives",
        [HOP__FAULT_OFFSETS] = "offsets fall, or are more than the arcs",
    };
    pthread_mutex_lock(&store->fault_lock);
    hop__fault fault = store->fault;
    store->fault = (hop__fault){HOP__FAULT_NONE, 0, 0, 0};
    pthread_mutex_unlock(&store->fault_lock);
    if (fault.kind == HOP__FAULT_NONE)
        return HOP_OK;
    uint64_t offset = place_of(store, &fault);
    bool system = fault.kind == HOP__FAULT_SYSTEM;
    hop__fail(context, system ? HOP_ERR_IO : HOP_ERR_INPUT,
              "%s: byte %" PRIu64 ": block %" PRIu64 " of %s: %s%s", store->name, offset,
              fault.block, member_names[fault.array], system ? "cannot read it: " : "",
              system ? strerror(fault.error) : words[fault.kind]);
    hop__note_file(context, store->name);
    hop_status status = hop__note_offset(context, offset);
    return system ? hop__note_system(context, fault.error) : status;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Drops the first `bytes` of what is to be read. */
static void advance(struct iovec **next, int *count, size_t bytes) {
    while (*count > 0 && bytes >= (*next)->iov_len) {
        bytes -= (*next)->iov_len;
        (*next)++;
        (*count)--;
    }
    if (*count > 0) {
        (*next)->iov_base = (unsigned char *)(*next)->iov_base + bytes;
        (*next)->iov_len -= bytes;
    }
}

/* Fills `wanted` bytes at least, of which *got came; 0, an errno, or -1: the file ends before. */
static int read_vector(hop__store *store, struct iovec *next, int count, uint64_t offset,
                       uint64_t wanted, uint64_t *got) {
    int descriptor =
        store->direct >= 0 && offset % HOP__STORE_PAGE == 0 ? store->direct : store->plain;
    while (*got < wanted) {
        ssize_t part = preadv(descriptor, next, count, (off_t)(offset + *got));
        atomic_fetch_add_explicit(&store->reads, 1, memory_order_relaxed);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0 && descriptor != store->plain && errno == EINVAL) {
            descriptor = store->plain;
            continue;
        }
        if (part < 0)
            return errno;
        if (part == 0)
            return -1;
        *got += (uint64_t)part;
        atomic_fetch_add_explicit(&store->bytes_read, (uint64_t)part, memory_order_relaxed);
        advance(&next, &count, (size_t)part);
        descriptor = store->plain; /* the rest begins anywhere */
    }
    return 0;
}

/* ---- verifying ------------------------------------------------------------------------------ */

static bool targets_sound(const hop__store *store, const void *bytes, size_t count) {
    const hop_vertex *targets = bytes;
    hop_vertex most = 0;
    for (size_t i = 0; i < count; i++)
        most = targets[i] > most ? targets[i] : most;
    return count == 0 || most < store->vertices;
}

/* Whether all of weights[0 .. count-1] are in [low, high]; NaN is not. */
#define ALL_WITHIN(type, low, high)                                                                \
    do {                                                                                           \
        const type *w = bytes;                                                                     \
        for (size_t i = 0; i < count; i++)                                                         \
            sound &= w[i] >= (low) && w[i] <= (high);                                              \
    } while (0)

static bool weights_sound(const hop__store *store, const void *bytes, size_t count) {
    const hop__facts *facts = store->facts;
    int sound = 1;
    switch (store->weight_type) {
    case HOP_TYPE_INT32:
        ALL_WITHIN(int32_t, facts->min_weight_int, facts->max_weight_int);
        break;
    case HOP_TYPE_INT64:
        ALL_WITHIN(int64_t, facts->min_weight_int, facts->max_weight_int);
        break;
    case HOP_TYPE_FLOAT32:
        ALL_WITHIN(float, (float)facts->min_weight, (float)facts->max_weight);
        break;
    default:
        ALL_WITHIN(double, facts->min_weight, facts->max_weight);
        break;
    }
    return sound;
}

static hop__fault_kind verify(const hop__store *store, hop__blocked array, uint64_t block,
                              const unsigned char *bytes) {
    const hop__stored *stored = &store->arrays[array];
    size_t count = (size_t)hop__stored_block_bytes(stored, block);
    if (hop__block_sum(bytes, count) != stored->sums[block])
        return HOP__FAULT_CHECKSUM;
    if (array == HOP__BLOCKED_TARGETS && !targets_sound(store, bytes, count / 4))
        return HOP__FAULT_TARGET;
    if (array == HOP__BLOCKED_WEIGHTS &&
        !weights_sound(store, bytes, count / hop_type_size(store->weight_type)))
        return HOP__FAULT_WEIGHT;
    return HOP__FAULT_NONE;
}

bool hop__store_fetch(hop__store *store, hop__blocked array, uint64_t first, unsigned count,
                      unsigned char *const *places) {
    const hop__stored *stored = &store->arrays[array];
    struct iovec vector[HOP__READ_BLOCKS];
    for (unsigned i = 0; i < count; i++)
        vector[i] = (struct iovec){places[i], HOP__BLOCK_BYTES};
    uint64_t last = first + count - 1, wanted = (count - 1) * (uint64_t)HOP__BLOCK_BYTES +
                                                hop__stored_block_bytes(stored, last);
    uint64_t got = 0;
    int error = read_vector(store, vector, (int)count, stored->offset + first * HOP__BLOCK_BYTES,
                            wanted, &got);
    if (error != 0) {
        hop__store_note(store, error < 0 ? HOP__FAULT_SHORT : HOP__FAULT_SYSTEM, array,
                        first + got / HOP__BLOCK_BYTES, error);
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        hop__fault_kind kind = verify(store, array, first + i, places[i]);
        if (kind != HOP__FAULT_NONE) {
            hop__store_note(store, kind, array, first + i, 0);
            return false;
        }
    }
    return true;
}
