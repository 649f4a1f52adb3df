/* SPDX-License-Identifier: Apache-2.0
 *
 * Joining the ranks of a job, agreeing on failures, and numbers over all ranks. */
#include <stdio.h>
#include <string.h>

#include "cluster/cluster_internal.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/progress.h"
#include "core/timing.h"
#include "core/try.h"

enum { MESSAGE_BYTES = 1 << 30, GATHER_MOST = 1 << 16, WAVE_ROUNDS = 8 };

/* ---- failures -------------------------------------------------------------------------------- */

hop_status hop__mpi_check(hop_cluster *cluster, const char *call, int code) {
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;
    if (code == MPI_SUCCESS)
        return HOP_OK;
    (void)MPI_Error_string(code, text, &length);
    cluster->lost = true;
    return hop__fail(cluster->context, HOP_ERR_IO,
                     "cluster: %s failed on rank %u: %.200s; end the job and start it again", call,
                     (unsigned)cluster->rank, text);
}

hop_status hop__mpi_waited(hop_cluster *cluster, const char *call, double began, int code) {
    cluster->waited += hop__now() - began;
    return hop__mpi_check(cluster, call, code);
}

hop_status hop__mpi_collective(hop_cluster *cluster, const char *call, double began, int code) {
    cluster->collectives++;
    return hop__mpi_waited(cluster, call, began, code);
}

hop_status hop__check_lost(hop_cluster *cluster, hop_status status) {
    if (!cluster->lost || status != HOP_OK)
        return status;
    return hop__fail(cluster->context, HOP_ERR_IO,
                     "cluster: the connection of rank %u to the others was lost in a call before",
                     (unsigned)cluster->rank);
}

hop_status hop__share_failure(hop_cluster *cluster, uint32_t from, hop_status status) {
    hop_context *context = cluster->context;
    struct {
        hop_status status;
        hop__failure failure; /* bytes without pointers: failure.h */
    } shared;
    if (cluster->rank == from && cluster->ranks > 1) {
        char name[32];
        (void)snprintf(name, sizeof name, "rank %u", (unsigned)from);
        hop__fail_prefix(context, name);
    }
    shared.status = status;
    shared.failure = context->failure;
    hop_status sent =
        hop__mpi_check(cluster, "MPI_Bcast",
                       MPI_Bcast(&shared, (int)sizeof shared, MPI_BYTE, (int)from, cluster->comm));
    if (sent != HOP_OK)
        return sent;
    context->failure = shared.failure;
    return shared.status;
}

hop_status hop__agree(hop_cluster *cluster, hop_status status) {
    if (cluster->lost)
        return hop__check_lost(cluster, status);
    uint64_t first = status != HOP_OK ? cluster->rank : cluster->ranks;
    hop_status done = hop__min_all(cluster, &first, 1);
    if (done != HOP_OK)
        return done;
    return first == cluster->ranks ? HOP_OK : hop__share_failure(cluster, (uint32_t)first, status);
}

uint64_t hop__cluster_mix(uint64_t seed, const void *bytes, size_t count) {
    const unsigned char *byte = bytes;
    uint64_t hash = seed ^ UINT64_C(0xcbf29ce484222325); /* FNV-1a: only compared, not relied on */
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

hop_status hop__cluster_begin(hop_cluster *cluster, const char *what, uint64_t hash,
                              hop_status status) {
    hop_status done = hop__check_lost(cluster, HOP_OK);
    if (done != HOP_OK)
        return done;
    hop__cluster_step_end(cluster); /* of a call that failed */
    uint64_t call = hop__cluster_mix(hash, what, strlen(what));
    uint64_t ends[3] = {call, ~call, status != HOP_OK ? cluster->rank : cluster->ranks};
    HOP_TRY(done, hop__min_all(cluster, ends, 3));
    if (ends[2] != cluster->ranks) {
        done = hop__share_failure(cluster, (uint32_t)ends[2], status);
    } else if (ends[0] != ~ends[1]) {
        done = hop__fail(cluster->context, HOP_ERR_ARGUMENT,
                         "%s: the ranks do not make the same call with the same arguments", what);
    }
done:
    return done;
}

/* ---- numbers over all ranks ------------------------------------------------------------------ */

static hop_status reduce(hop_cluster *cluster, uint64_t *values, int count, MPI_Datatype type,
                         MPI_Op op) {
    double began = hop__now();
    int code = MPI_Allreduce(MPI_IN_PLACE, values, count, type, op, cluster->comm);
    return hop__mpi_collective(cluster, "MPI_Allreduce", began, code);
}

hop_status hop__sum_all(hop_cluster *cluster, uint64_t *values, int count) {
    return reduce(cluster, values, count, MPI_UINT64_T, MPI_SUM);
}

hop_status hop__sum_agreed(hop_cluster *cluster, hop_status status, uint64_t *values, int count) {
    uint64_t sums[HOP__SUMS_AGREED + 1] = {0};
    if (cluster->lost)
        return hop__check_lost(cluster, status);
    for (int i = 0; i < count; i++)
        sums[i] = values[i];
    sums[count] = status != HOP_OK;
    hop_status done = hop__sum_all(cluster, sums, count + 1);
    if (done == HOP_OK && sums[count] > 0)
        done = hop__agree(cluster, status);
    for (int i = 0; i < count; i++)
        values[i] = sums[i];
    return done;
}

/* With the first bit turned, as signed numbers, which are then in the same order: MPICH 4.0
 * compares unsigned ones as if they were signed. */
static hop_status reduce_ordered(hop_cluster *cluster, uint64_t *values, int count, MPI_Op op) {
    const uint64_t first_bit = UINT64_C(1) << 63;
    for (int i = 0; i < count; i++)
        values[i] ^= first_bit;
    hop_status status = reduce(cluster, values, count, MPI_INT64_T, op);
    for (int i = 0; i < count; i++)
        values[i] ^= first_bit;
    return status;
}

hop_status hop__min_all(hop_cluster *cluster, uint64_t *values, int count) {
    return reduce_ordered(cluster, values, count, MPI_MIN);
}

hop_status hop__max_all(hop_cluster *cluster, uint64_t *values, int count) {
    return reduce_ordered(cluster, values, count, MPI_MAX);
}

hop_status hop__sum_before(hop_cluster *cluster, uint64_t value, uint64_t *before) {
    *before = 0;
    double began = hop__now();
    int code = MPI_Exscan(&value, before, 1, MPI_UINT64_T, MPI_SUM, cluster->comm);
    hop_status status = hop__mpi_collective(cluster, "MPI_Exscan", began, code);
    if (cluster->rank == 0) /* MPI leaves it undefined there */
        *before = 0;
    return status;
}

hop_status hop__gather_all(hop_cluster *cluster, const uint64_t *mine, int count, uint64_t *all) {
    double began = hop__now();
    int code = MPI_Allgather(mine, count, MPI_UINT64_T, all, count, MPI_UINT64_T, cluster->comm);
    return hop__mpi_collective(cluster, "MPI_Allgather", began, code);
}

hop_status hop_cluster_total(hop_cluster *cluster, uint64_t value, uint64_t *sum, uint64_t *most) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    uint64_t total = value, largest = value;
    hop_status status;
    HOP_TRY(status, hop__cluster_begin(cluster, "total", 0, HOP_OK));
    HOP_TRY(status, hop__sum_all(cluster, &total, 1));
    HOP_TRY(status, hop__max_all(cluster, &largest, 1));
    if (sum != NULL)
        *sum = total;
    if (most != NULL)
        *most = largest;
done:
    return status;
}

/* The smallest of a value's complements is that of the largest value: one call finds both ends. */
hop_status hop_cluster_spread_of(hop_cluster *cluster, const char *what, const uint64_t *values,
                                 size_t count, hop_cluster_spread *spreads) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    uint64_t sums[HOP_CLUSTER_SPREADS], ends[2 * HOP_CLUSTER_SPREADS];
    hop_status status = HOP_OK;
    if (what == NULL || values == NULL || spreads == NULL)
        status = hop__missing(cluster->context, "hop_cluster_spread_of");
    else if (count > HOP_CLUSTER_SPREADS)
        status = hop__fail(cluster->context, HOP_ERR_ARGUMENT,
                           "hop_cluster_spread_of: %zu values, at most %d are possible", count,
                           (int)HOP_CLUSTER_SPREADS);
    uint64_t hash =
        hop__cluster_mix(count, what != NULL ? what : "", what != NULL ? strlen(what) : 0);
    HOP_TRY(status, hop__cluster_begin(cluster, "hop_cluster_spread_of", hash, status));
    for (size_t i = 0; i < count; i++) {
        sums[i] = ends[2 * i] = values[i];
        ends[2 * i + 1] = ~values[i];
    }
    HOP_TRY(status, hop__sum_all(cluster, sums, (int)count));
    HOP_TRY(status, hop__min_all(cluster, ends, 2 * (int)count));
    for (size_t i = 0; i < count; i++)
        spreads[i] = (hop_cluster_spread){sums[i], ends[2 * i], ~ends[2 * i + 1]};
done:
    return status;
}

hop_status hop_cluster_agree(hop_cluster *cluster, hop_status status) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    return hop__cluster_begin(cluster, "agree", 0, status);
}

/* ---- the cluster itself ---------------------------------------------------------------------- */

static hop_status start_mpi(hop_cluster *cluster) {
    int initialised = 0, finalised = 0, given;
    (void)MPI_Initialized(&initialised);
    (void)MPI_Finalized(&finalised);
    if (finalised)
        return hop__fail(cluster->context, HOP_ERR_ARGUMENT,
                         "cluster: MPI was ended in this process, and cannot be started again");
    if (initialised)
        return HOP_OK;
    /* Only the thread that makes the calls uses MPI; the library's others never do. */
    hop_status status = hop__mpi_check(cluster, "MPI_Init_thread",
                                       MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given));
    cluster->started = status == HOP_OK;
    return status;
}

/* What every exchange needs. */
static hop_status exchange_open(hop_cluster *cluster) {
    uint64_t ranks = cluster->ranks;
    hop_status status;
    HOP_TRY(status,
            hop__alloc(cluster->context, "cluster: starts", 2 * (ranks + 1), 8, &cluster->starts));
    HOP_TRY(status,
            hop__alloc(cluster->context, "cluster: counts", 4 * ranks, 8, &cluster->headers));
    HOP_TRY(status, hop__alloc(cluster->context, "cluster: spare blocks", HOP__SPARES,
                               HOP__SPARE_BYTES, &cluster->spares));
done:
    return status;
}

/* Also with a failure of this rank, which all are told. */
static hop_status join_ranks(hop_cluster *cluster, const hop_cluster_options *options,
                             hop_status before) {
    const MPI_Comm *given = options->communicator;
    int rank = 0, ranks = 0;
    hop_status status;
    HOP_TRY(status,
            hop__mpi_check(cluster, "MPI_Comm_dup",
                           MPI_Comm_dup(given != NULL ? *given : MPI_COMM_WORLD, &cluster->comm)));
    (void)MPI_Comm_set_errhandler(cluster->comm, MPI_ERRORS_RETURN);
    HOP_TRY(status, hop__mpi_check(cluster, "MPI_Comm_rank", MPI_Comm_rank(cluster->comm, &rank)));
    HOP_TRY(status, hop__mpi_check(cluster, "MPI_Comm_size", MPI_Comm_size(cluster->comm, &ranks)));
    cluster->rank = (uint32_t)rank;
    cluster->ranks = (uint32_t)ranks;
    status = before == HOP_OK ? exchange_open(cluster) : before;
    status = hop__cluster_begin(cluster, "cluster", options->message_bytes, status);
done:
    return status;
}

/* What is not memory of the cluster itself. */
static void leave_ranks(hop_cluster *cluster) {
    /* Both wait for the others, who will not come where the connection is lost. */
    if (!cluster->lost && cluster->comm != MPI_COMM_NULL)
        (void)MPI_Comm_free(&cluster->comm);
    if (!cluster->lost && cluster->started)
        (void)MPI_Finalize();
    hop__free(cluster->starts);
    hop__free(cluster->headers);
    hop__free(cluster->spares);
    hop__free(cluster->checkpoint_folder);
}

hop_status hop_cluster_create(hop_context *context, const hop_cluster_options *given,
                              hop_cluster **slot) {
    if (context == NULL || slot == NULL)
        return hop__missing(context, "hop_cluster_create");
    *slot = NULL;
    hop_cluster_options options = HOP_CLUSTER_OPTIONS_INIT;
    hop_cluster spare = {.comm = MPI_COMM_NULL}; /* where there is no memory for one */
    hop_cluster *cluster = NULL, *joined = &spare;
    hop_status status, started;
    HOP_TRY(status, hop__options_take(context, "HOP_CLUSTER_OPTIONS_INIT", given, &options,
                                      sizeof options));
    if (options.message_bytes > INT32_MAX)
        status = hop__fail(context, HOP_ERR_ARGUMENT,
                           "cluster: messages of %llu bytes, at most 2^31 - 1 are possible",
                           (unsigned long long)options.message_bytes);
    else
        status = hop__alloc_zero(context, "cluster", 1, sizeof *cluster, &cluster);
    if (cluster != NULL)
        joined = cluster;
    joined->context = context;
    joined->comm = MPI_COMM_NULL;
    joined->message_bytes = options.message_bytes != 0 ? options.message_bytes : MESSAGE_BYTES;
    joined->gather_most = GATHER_MOST;
    joined->wave_rounds = WAVE_ROUNDS;
    started = start_mpi(joined);
    status = started == HOP_OK ? join_ranks(joined, &options, status) : started;
    if (status == HOP_OK) {
        *slot = cluster;
        return HOP_OK;
    }
    leave_ranks(joined);
    hop__free(cluster);
done:
    return status;
}

void hop_cluster_free(hop_cluster *cluster) {
    if (cluster == NULL)
        return;
    leave_ranks(cluster);
    hop__free(cluster);
}

uint64_t hop_cluster_rank(const hop_cluster *cluster) {
    return cluster->rank;
}

uint64_t hop_cluster_ranks(const hop_cluster *cluster) {
    return cluster->ranks;
}

bool hop_cluster_phase_at(const hop_cluster *cluster, size_t index, hop_cluster_phase *phase) {
    if (cluster == NULL || phase == NULL || index >= cluster->phase_count ||
        phase->size < sizeof phase->size)
        return false;
    size_t size = phase->size, known = sizeof *phase;
    memset(phase, 0, size);
    memcpy(phase, &cluster->phases[index], size < known ? size : known);
    phase->size = size;
    return true;
}

double hop_cluster_waited(const hop_cluster *cluster) {
    return cluster->waited;
}

void hop_cluster_reset(hop_cluster *cluster) {
    cluster->phase_count = 0;
    cluster->waited = 0;
}

void hop__cluster_step(hop_cluster *cluster, const char *step, uint64_t done, uint64_t total) {
    if (cluster->context->options.progress == NULL)
        return;
    cluster->stepping = true;
    hop__progress_resume(cluster->context, step, total, done);
}

void hop__cluster_step_end(hop_cluster *cluster) {
    if (cluster->stepping)
        cluster->context->phase = NULL;
    cluster->stepping = false;
}
