/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the cluster share: the communicator, agreement, and exchange.
 *
 * 1. All ranks make the same collective calls in the same order. What fails on one rank between two
 *    of them is kept in a status, the rank goes on without doing work, and the next call that takes
 *    a status carries it with what it sends anyway: the counts of an exchange, or a sum;
 *    hop__agree, which sends nothing else, is for where there is no such call. It returns the
 *    same status on all ranks, so that all leave together. Nothing may return or jump between a
 *    local failure and that call.
 * 2. A failure of MPI itself (hop__mpi_fail) is not agreed on: nothing can be sent any more. The
 *    cluster is then lost, and every call on it fails at once.
 * 3. State per rank is O(p) at most, never O(p^2): counts to and from each rank.
 * 4. What an exchange needs beside what comes in is there from the start. What comes in goes into a
 *    spare block where all ranks know that it fits: then nobody can fail, and nobody asks.
 * 5. An exchange that carries a status tells the progress callback of this rank's context first.
 *    Nothing is sent for that; a callback that wants to stop is a failure as in invariant 1. */
#ifndef HOPLITE_CLUSTER_CLUSTER_INTERNAL_H
#define HOPLITE_CLUSTER_CLUSTER_INTERNAL_H

#include <mpi.h>

#include "core/context_internal.h"
#include "hoplite/cluster.h"

enum {
    HOP__CLUSTER_PHASES = 32,
    HOP__SPARES = 4, /* blocks that an inbox may lie in */
    HOP__SPARE_BYTES = 1 << 16
};

struct hop_cluster {
    hop_context *context;
    MPI_Comm comm; /* ours: no message of the caller's can be taken for one of these */
    uint32_t rank, ranks;
    bool started; /* MPI was initialised by us */
    bool lost;    /* MPI has failed: no communication */
    uint64_t message_bytes;
    size_t phase_count;
    hop_cluster_phase phases[HOP__CLUSTER_PHASES];
    uint64_t collectives; /* calls of MPI that wait for all ranks; failures not counted */
    double waited;        /* seconds in calls of MPI that wait */
    bool stepping;        /* exchanges tell of a step, not of their phases */
    uint64_t *starts;     /* of an exchange, in bytes: out, then in; one more of each */
    uint64_t *headers;    /* of an exchange, 2 for each rank: out, then in */
    unsigned char *spares;
    bool spare_lent[HOP__SPARES];
    uint64_t gather_most; /* records that hop__gather_records sends to all ranks, at most */
    uint64_t wave_rounds; /* of list ranking, by the mean distance of rulers, at most */
    /* Checkpoints of searches: cluster_checkpoint.h. */
    char *checkpoint_folder; /* NULL: none */
    double checkpoint_seconds;
    bool resume;
    char checkpoint_note[512];
    uint64_t stop_after; /* for tests: a search stops after so many; 0: it does not */
};

/* Begins a public call: refuses NULLs and lost clusters, and compares what all ranks are about to
 * do: `what` and `hash` of the arguments that must be the same. `status` is what this rank's own
 * checks of the arguments came to. */
hop_status hop__cluster_begin(hop_cluster *cluster, const char *what, uint64_t hash,
                              hop_status status);
/* A hash of bytes, for the above; `seed` is that of those before. */
uint64_t hop__cluster_mix(uint64_t seed, const void *bytes, size_t count);

/* A hash of three numbers whose sums over the ranks are compared: arcs, or vertices and values, in
 * whatever order and on whatever rank they are. */
static inline uint64_t hop__hash_three(uint64_t low, uint64_t high, uint64_t weight) {
    uint64_t hash = (low ^ weight * UINT64_C(0x9fb21c651e98df25) ^ UINT64_C(0x9e3779b97f4a7c15)) *
                    UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 29 ^ high) * UINT64_C(0x94d049bb133111eb);
    hash ^= hash >> 31;
    return hash * UINT64_C(0xd2b74407b1ce6e93) ^ hash >> 27;
}

/* See hop_cluster_agree. */
hop_status hop__agree(hop_cluster *cluster, hop_status status);

/* Whether the cluster is lost (invariant 2): `status`, or the failure. */
hop_status hop__check_lost(hop_cluster *cluster, hop_status status);
/* What hop__agree returns where all know that rank `from` is the first that has failed. */
hop_status hop__share_failure(hop_cluster *cluster, uint32_t from, hop_status status);

/* Each of `values` becomes the sum, the smallest or the largest over the ranks. */
hop_status hop__sum_all(hop_cluster *cluster, uint64_t *values, int count);
/* The sum and hop__agree in one; at most HOP__SUMS_AGREED values. */
enum { HOP__SUMS_AGREED = 3 };
hop_status hop__sum_agreed(hop_cluster *cluster, hop_status status, uint64_t *values, int count);
hop_status hop__min_all(hop_cluster *cluster, uint64_t *values, int count);
hop_status hop__max_all(hop_cluster *cluster, uint64_t *values, int count);
/* The sum over the ranks before this one. */
hop_status hop__sum_before(hop_cluster *cluster, uint64_t value, uint64_t *before);
/* `count` numbers of each rank, in the order of the ranks, on all. */
hop_status hop__gather_all(hop_cluster *cluster, const uint64_t *mine, int count, uint64_t *all);

/* The failure of the MPI function `call` that returned `code`; HOP_OK if that is MPI_SUCCESS. */
hop_status hop__mpi_check(hop_cluster *cluster, const char *call, int code);
/* The same of one that waits for others, and was called at `began` (hop__now). */
hop_status hop__mpi_waited(hop_cluster *cluster, const char *call, double began, int code);
/* The same of one that waits for all ranks: it is counted. */
hop_status hop__mpi_collective(hop_cluster *cluster, const char *call, double began, int code);

/* What exchanges tell of from now on: so much is done of a step, whose name must be a string that
 * stays; until hop__cluster_step_end, or the next public call, each tells of its phase again. For
 * loops of several phases. Not collective, and nothing is sent. */
void hop__cluster_step(hop_cluster *cluster, const char *step, uint64_t done, uint64_t total);
void hop__cluster_step_end(hop_cluster *cluster);
/* The line of a phase in the report; the last one where there are too many. All ranks have the same
 * lines in the same order: a phase of which a rank may have no part is opened by this on all. */
hop_cluster_phase *hop__cluster_phase(hop_cluster *cluster, const char *name);

/* What the other ranks have sent to this one, in the order of the ranks. */
typedef struct hop__inbox {
    void *records;
    uint64_t count;
    uint64_t *counts; /* of each rank */
    bool *lent;       /* of the spare block that the records lie in; NULL: they have their own */
} hop__inbox;

/* Sends records to ranks: counts[0] of them to rank 0, the next counts[1] to rank 1, and so on, the
 * rank itself included, whose records are only copied. Messages are cut at message_bytes, which is
 * below the limit of MPI. `status` as in invariant 1: if it is a failure on any rank, nothing is
 * sent. The inbox is empty on failure. `phase` must be a string that stays. */
hop_status hop__exchange(hop_cluster *cluster, const char *phase, hop_status status,
                         size_t record_bytes, const void *records, const uint64_t *counts,
                         hop__inbox *inbox);
/* The same, and the records are a block of their own, which the caller may take and keep. */
hop_status hop__exchange_kept(hop_cluster *cluster, const char *phase, hop_status status,
                              size_t record_bytes, const void *records, const uint64_t *counts,
                              hop__inbox *inbox);
/* The same where both sides know the counts, as for answers to an inbox: no counts are sent, and
 * what comes is put into the caller's array. Nobody may have failed: it carries no status. */
hop_status hop__exchange_known(hop_cluster *cluster, const char *phase, size_t record_bytes,
                               const void *records, const uint64_t *counts, void *incoming,
                               const uint64_t *incoming_counts);
/* Ranks first, first + step, ..: `count` of them. */
typedef struct hop__members {
    uint32_t first, step, count;
} hop__members;
/* The bytes of the member `root` to all other members, each of which makes the call and knows how
 * many there are. Nobody may have failed: it carries no status, and only members wait. */
hop_status hop__share_known(hop_cluster *cluster, const char *phase, hop__members members,
                            uint32_t root, void *bytes, uint64_t count);
/* Frees what it has; it may be empty. */
void hop__inbox_clear(hop__inbox *inbox);

/* The records of all ranks, `count` of this one, to all, in the order of the ranks, into `room`;
 * *total is how many there are. If these are more than `most`, which is the same on all ranks and
 * at most gather_most, nothing is sent. Records have at most 16 bytes. Bytes sent: those of `count`
 * records to each other rank. */
hop_status hop__gather_records(hop_cluster *cluster, const char *phase, hop_status status,
                               size_t record_bytes, const void *records, uint64_t count, void *room,
                               uint64_t most, uint64_t *total);

#endif
