/* SPDX-License-Identifier: Apache-2.0
 *
 * Records from every rank to every rank: see cluster_internal.h.
 *
 * The counts go first, by one MPI_Alltoall: to each rank its count, and how many records there are
 * for all ranks, or that this one has failed. So all know the first that has failed, and how many
 * records come to any rank at most. Where these fit a spare block, and all have one, nobody can
 * fail any more; otherwise all agree that everyone has room. Then the records, point to point, so
 * that only pairs of ranks which have something for each other send anything, and no count or
 * displacement is near MPI's limit of 2^31 - 1.
 *
 * Step (k, c) of a rank receives part c of what rank - k has for it, and sends part c of what it
 * has for rank + k. All ranks take the steps in the same order, and wait for those they have begun
 * when REQUESTS are under way. The first step, in that order, that is not complete everywhere is
 * never waited for in vain: its partner waits for earlier ones only. So nothing can wait in a
 * circle.
 *
 * Cost: 16 bytes to each other rank for the counts; then one message for each message_bytes of
 * records. Memory: what comes in, and seven numbers per rank. */
#include <string.h>

#include "cluster/cluster_internal.h"
#include "core/checked.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/timing.h"
#include "core/try.h"

enum { REQUESTS = 256, TAG = 1 };
#define FAILED   UINT64_MAX          /* in the place of how many there are */
#define NO_SPARE (UINT64_C(1) << 63) /* more than any block fits: no spare one will do */

hop_cluster_phase *hop__cluster_phase(hop_cluster *cluster, const char *name) {
    for (size_t i = 0; i < cluster->phase_count; i++)
        if (strcmp(cluster->phases[i].name, name) == 0)
            return &cluster->phases[i];
    if (cluster->phase_count == HOP__CLUSTER_PHASES)
        return &cluster->phases[HOP__CLUSTER_PHASES - 1];
    hop_cluster_phase *phase = &cluster->phases[cluster->phase_count++];
    *phase = (hop_cluster_phase){.size = sizeof *phase, .name = name};
    return phase;
}

/* The seconds of a phase, and how many of them were waited. */
typedef struct stopwatch {
    double began, waited;
} stopwatch;

static stopwatch stopwatch_start(const hop_cluster *cluster) {
    return (stopwatch){hop__now(), cluster->waited};
}

static void stopwatch_stop(const hop_cluster *cluster, const stopwatch *begun,
                           hop_cluster_phase *line) {
    line->seconds += hop__now() - begun->began;
    line->waiting += cluster->waited - begun->waited;
}

/* Tells this rank's callback, if it has one, of the step or of the phase, whose rounds are counted;
 * whether it goes on. */
static hop_status tell(const hop_cluster *cluster, const hop_cluster_phase *line) {
    hop_context *context = cluster->context;
    if (context->options.progress == NULL)
        return HOP_OK;
    if (!cluster->stepping)
        hop__progress_resume(context, line->name, 0, line->rounds);
    else if (hop__progress_add(context, 0))
        return HOP_OK;
    return hop__progress_end(context);
}

typedef struct transfer {
    hop_cluster *cluster;
    hop_cluster_phase *phase;
    MPI_Request requests[REQUESTS];
    MPI_Status statuses[REQUESTS]; /* not read; gcc takes MPICH's "none" for an array of no items */
    bool receives[REQUESTS];
    int under_way;
} transfer;

/* MPI has failed, and the caller will free what was to be filled: what has not begun to come is
 * cancelled, so that no later call of MPI by anybody writes there. Nothing is waited for: whom we
 * would wait for may be gone. */
static void let_go(transfer *work) {
    for (int i = 0; i < work->under_way; i++) {
        if (work->requests[i] == MPI_REQUEST_NULL)
            continue;
        if (work->receives[i])
            (void)MPI_Cancel(&work->requests[i]);
        (void)MPI_Request_free(&work->requests[i]);
    }
    work->under_way = 0;
}

static hop_status wait_all(transfer *work) {
    double began = hop__now();
    int code = MPI_Waitall(work->under_way, work->requests, work->statuses);
    hop_status status = hop__mpi_waited(work->cluster, "MPI_Waitall", began, code);
    if (status == HOP_OK)
        work->under_way = 0;
    return status;
}

static MPI_Request *next_request(transfer *work, bool receives) {
    MPI_Request *next = &work->requests[work->under_way];
    *next = MPI_REQUEST_NULL;
    work->receives[work->under_way++] = receives;
    return next;
}

static hop_status send_part(transfer *work, const unsigned char *bytes, uint64_t size, int to) {
    work->phase->bytes += size;
    work->phase->messages++;
    return hop__mpi_check(work->cluster, "MPI_Isend",
                          MPI_Isend(bytes, (int)size, MPI_BYTE, to, TAG, work->cluster->comm,
                                    next_request(work, false)));
}

static hop_status receive_part(transfer *work, unsigned char *bytes, uint64_t size, int from) {
    return hop__mpi_check(work->cluster, "MPI_Irecv",
                          MPI_Irecv(bytes, (int)size, MPI_BYTE, from, TAG, work->cluster->comm,
                                    next_request(work, true)));
}

/* Bytes of one rank that are still to go or to come. */
typedef struct stretch {
    unsigned char *bytes;
    uint64_t left;
    int rank;
} stretch;

static uint64_t next_part(stretch *rest, uint64_t most, unsigned char **bytes) {
    uint64_t size = rest->left < most ? rest->left : most;
    *bytes = rest->bytes;
    rest->bytes += size;
    rest->left -= size;
    return size;
}

/* All parts between this rank and the two that are k away. */
static hop_status transfer_pair(transfer *work, stretch out, stretch in) {
    uint64_t most = work->cluster->message_bytes, size;
    unsigned char *bytes;
    hop_status status = HOP_OK;
    while (out.left > 0 || in.left > 0) {
        if (work->under_way + 2 > REQUESTS)
            HOP_TRY(status, wait_all(work));
        if (in.left > 0) {
            size = next_part(&in, most, &bytes);
            HOP_TRY(status, receive_part(work, bytes, size, in.rank));
        }
        if (out.left > 0) {
            size = next_part(&out, most, &bytes);
            HOP_TRY(status, send_part(work, bytes, size, out.rank));
        }
    }
done:
    return status;
}

/* Where the records for each rank begin, in bytes; one more at the end. */
static void starts_make(const uint64_t *counts, uint32_t ranks, size_t record_bytes,
                        uint64_t *starts) {
    starts[0] = 0;
    for (uint32_t rank = 0; rank < ranks; rank++)
        starts[rank + 1] = starts[rank] + counts[rank] * record_bytes;
}

/* The bytes of the record arrays; both arrays have room for them, so sums cannot overflow. */
static hop_status transfer_all(hop_cluster *cluster, hop_cluster_phase *phase, const void *records,
                               const uint64_t *out_starts, void *incoming,
                               const uint64_t *in_starts) {
    transfer work = {.cluster = cluster, .phase = phase};
    uint32_t ranks = cluster->ranks, me = cluster->rank;
    /* MPI's interface of sends has been const only since version 3; nothing is written there. */
    unsigned char *from = (unsigned char *)(uintptr_t)records, *to = incoming;
    hop_status status = HOP_OK;
    uint64_t own = out_starts[me + 1] - out_starts[me];
    if (own > 0)
        memcpy(to + in_starts[me], from + out_starts[me], (size_t)own);
    for (uint32_t k = 1; k < ranks; k++) {
        uint32_t after = (uint32_t)(((uint64_t)me + k) % ranks);
        uint32_t before = (uint32_t)(((uint64_t)me + ranks - k) % ranks);
        stretch out = {from + out_starts[after], out_starts[after + 1] - out_starts[after],
                       (int)after};
        stretch in = {to + in_starts[before], in_starts[before + 1] - in_starts[before],
                      (int)before};
        HOP_TRY(status, transfer_pair(&work, out, in));
    }
    status = wait_all(&work);
done:
    let_go(&work);
    return status;
}

hop_status hop__exchange_known(hop_cluster *cluster, const char *phase, size_t record_bytes,
                               const void *records, const uint64_t *counts, void *incoming,
                               const uint64_t *incoming_counts) {
    hop_cluster_phase *line = hop__cluster_phase(cluster, phase);
    uint64_t *out_starts = cluster->starts, *in_starts = out_starts + cluster->ranks + 1;
    stopwatch begun = stopwatch_start(cluster);
    hop_status status = hop__check_lost(cluster, HOP_OK);
    starts_make(counts, cluster->ranks, record_bytes, out_starts);
    starts_make(incoming_counts, cluster->ranks, record_bytes, in_starts);
    if (status == HOP_OK)
        status = transfer_all(cluster, line, records, out_starts, incoming, in_starts);
    line->rounds += status == HOP_OK;
    stopwatch_stop(cluster, &begun, line);
    return status;
}

/* ---- from one to some ------------------------------------------------------------------------ */

hop_status hop__share_known(hop_cluster *cluster, const char *phase, hop__members members,
                            uint32_t root, void *bytes, uint64_t count) {
    hop_cluster_phase *line = hop__cluster_phase(cluster, phase);
    transfer work = {.cluster = cluster, .phase = line};
    stopwatch begun = stopwatch_start(cluster);
    const stretch none = {NULL, 0, 0};
    hop_status status = hop__check_lost(cluster, HOP_OK);
    if (status == HOP_OK && cluster->rank != root)
        status = transfer_pair(&work, none, (stretch){bytes, count, (int)root});
    for (uint32_t k = 0; status == HOP_OK && cluster->rank == root && k < members.count; k++) {
        uint32_t to = members.first + k * members.step;
        if (to != root)
            status = transfer_pair(&work, (stretch){bytes, count, (int)to}, none);
    }
    if (status == HOP_OK)
        status = wait_all(&work);
    let_go(&work);
    line->rounds += status == HOP_OK;
    stopwatch_stop(cluster, &begun, line);
    return status;
}

/* ---- counts first ---------------------------------------------------------------------------- */

static bool *spare_find(hop_cluster *cluster) {
    for (size_t i = 0; i < HOP__SPARES; i++)
        if (!cluster->spare_lent[i])
            return &cluster->spare_lent[i];
    return NULL;
}

/* Sums end at NO_SPARE. */
static uint64_t total_add(uint64_t total, uint64_t more) {
    return more < NO_SPARE - total ? total + more : NO_SPARE;
}

/* What this rank says to all of itself: FAILED, or its records, which are too many for spares if it
 * has none left. */
static uint64_t total_of(hop_cluster *cluster, hop_status status, const uint64_t *counts) {
    uint64_t total = 0;
    if (status != HOP_OK)
        return FAILED;
    for (uint32_t rank = 0; rank < cluster->ranks; rank++)
        total = total_add(total, counts[rank]);
    return spare_find(cluster) != NULL ? total : NO_SPARE;
}

/* The counts of what comes, and `most`: no rank gets more records. */
static hop_status counts_share(hop_cluster *cluster, hop_status status, const uint64_t *counts,
                               hop__inbox *inbox, uint64_t *most) {
    uint64_t *out = cluster->headers, *in = out + 2 * (size_t)cluster->ranks;
    uint64_t total = total_of(cluster, status, counts);
    hop_status done;
    if (cluster->lost)
        return hop__check_lost(cluster, status);
    for (uint32_t rank = 0; rank < cluster->ranks; rank++) {
        out[2 * rank] = status == HOP_OK ? counts[rank] : 0;
        out[2 * rank + 1] = total;
    }
    double began = hop__now();
    int code = MPI_Alltoall(out, 2, MPI_UINT64_T, in, 2, MPI_UINT64_T, cluster->comm);
    HOP_TRY(done, hop__mpi_collective(cluster, "MPI_Alltoall", began, code));
    for (uint32_t rank = 0; rank < cluster->ranks; rank++)
        if (in[2 * rank + 1] == FAILED)
            return hop__share_failure(cluster, rank, status);
    for (uint32_t rank = 0; rank < cluster->ranks; rank++) {
        inbox->counts[rank] = in[2 * rank];
        *most = total_add(*most, in[2 * rank + 1]);
    }
done:
    return done;
}

/* Room for what will come. */
static hop_status inbox_make(hop_context *context, const char *phase, uint32_t ranks,
                             size_t record_bytes, hop__inbox *inbox) {
    uint64_t count = 0;
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (!hop__add_u64(count, inbox->counts[rank], &count))
            return hop__fail(context, HOP_ERR_MEMORY, "%s: more than 2^64 records come in", phase);
    inbox->count = count;
    return hop__alloc(context, phase, count, record_bytes, &inbox->records);
}

static void inbox_lend(hop_cluster *cluster, hop__inbox *inbox) {
    inbox->lent = spare_find(cluster);
    inbox->records =
        cluster->spares + (size_t)(inbox->lent - cluster->spare_lent) * HOP__SPARE_BYTES;
    *inbox->lent = true;
    for (uint32_t rank = 0; rank < cluster->ranks; rank++)
        inbox->count += inbox->counts[rank];
}

static hop_status exchange(hop_cluster *cluster, const char *phase, hop_status status,
                           size_t record_bytes, const void *records, const uint64_t *counts,
                           hop__inbox *inbox, bool kept) {
    hop_cluster_phase *line = hop__cluster_phase(cluster, phase);
    stopwatch begun = stopwatch_start(cluster);
    uint64_t most = 0;
    *inbox = (hop__inbox){NULL, 0, NULL, NULL};
    if (status == HOP_OK)
        status = tell(cluster, line);
    if (status == HOP_OK)
        status = hop__alloc_zero(cluster->context, phase, cluster->ranks, sizeof *inbox->counts,
                                 &inbox->counts);
    HOP_TRY(status, counts_share(cluster, status, counts, inbox, &most));
    line->control += 2 * sizeof *counts * (cluster->ranks - 1);
    if (!kept && most <= HOP__SPARE_BYTES / record_bytes)
        inbox_lend(cluster, inbox);
    else
        HOP_TRY(status, hop__agree(cluster, inbox_make(cluster->context, phase, cluster->ranks,
                                                       record_bytes, inbox)));
    stopwatch_stop(cluster, &begun, line);
    status = hop__exchange_known(cluster, phase, record_bytes, records, counts, inbox->records,
                                 inbox->counts);
    begun = stopwatch_start(cluster);
done:
    stopwatch_stop(cluster, &begun, line);
    if (status != HOP_OK)
        hop__inbox_clear(inbox);
    return status;
}

hop_status hop__exchange(hop_cluster *cluster, const char *phase, hop_status status,
                         size_t record_bytes, const void *records, const uint64_t *counts,
                         hop__inbox *inbox) {
    return exchange(cluster, phase, status, record_bytes, records, counts, inbox, false);
}

hop_status hop__exchange_kept(hop_cluster *cluster, const char *phase, hop_status status,
                              size_t record_bytes, const void *records, const uint64_t *counts,
                              hop__inbox *inbox) {
    return exchange(cluster, phase, status, record_bytes, records, counts, inbox, true);
}

void hop__inbox_clear(hop__inbox *inbox) {
    if (inbox->lent != NULL)
        *inbox->lent = false;
    else
        hop__free(inbox->records);
    hop__free(inbox->counts);
    *inbox = (hop__inbox){NULL, 0, NULL, NULL};
}

/* ---- to all ---------------------------------------------------------------------------------- */

/* Counts of all ranks into the headers, and their sum, at most NO_SPARE. */
static hop_status totals_share(hop_cluster *cluster, hop_status status, uint64_t count,
                               uint64_t *total) {
    uint64_t mine = status == HOP_OK ? count : FAILED;
    hop_status done;
    *total = 0;
    if (cluster->lost)
        return hop__check_lost(cluster, status);
    HOP_TRY(done, hop__gather_all(cluster, &mine, 1, cluster->headers));
    for (uint32_t rank = 0; rank < cluster->ranks; rank++) {
        uint64_t theirs = cluster->headers[rank];
        if (theirs == FAILED)
            return hop__share_failure(cluster, rank, status);
        *total = total_add(*total, theirs);
    }
done:
    return done;
}

/* All bytes together are below MPI's limit: gather_most sees to it. */
static hop_status records_share(hop_cluster *cluster, size_t record_bytes, const void *records,
                                void *room) {
    int *sizes = (int *)cluster->starts, *places = sizes + cluster->ranks, place = 0;
    for (uint32_t rank = 0; rank < cluster->ranks; rank++) {
        sizes[rank] = (int)(cluster->headers[rank] * record_bytes);
        places[rank] = place;
        place += sizes[rank];
    }
    double began = hop__now();
    int code = MPI_Allgatherv(records, sizes[cluster->rank], MPI_BYTE, room, sizes, places,
                              MPI_BYTE, cluster->comm);
    return hop__mpi_collective(cluster, "MPI_Allgatherv", began, code);
}

hop_status hop__gather_records(hop_cluster *cluster, const char *phase, hop_status status,
                               size_t record_bytes, const void *records, uint64_t count, void *room,
                               uint64_t most, uint64_t *total) {
    hop_cluster_phase *line = hop__cluster_phase(cluster, phase);
    uint64_t others = cluster->ranks - 1;
    stopwatch begun = stopwatch_start(cluster);
    if (status == HOP_OK)
        status = tell(cluster, line);
    HOP_TRY(status, totals_share(cluster, status, count, total));
    line->control += sizeof count * others;
    if (*total == 0 || *total > most)
        goto done;
    HOP_TRY(status, records_share(cluster, record_bytes, records, room));
    line->bytes += count * record_bytes * others;
    line->messages += count > 0 ? others : 0;
    line->rounds++;
done:
    stopwatch_stop(cluster, &begun, line);
    return status;
}
