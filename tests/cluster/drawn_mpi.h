/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of MPI that the cluster calls, between fibers of one process, in an order that a seed
 * draws. It does what the standard allows and a real one seldom does:
 *
 * - A message is copied when it is sent, or from the sender's own buffer at any time until its
 *   receiver waits no longer, which is an error if it has been changed meanwhile.
 * - What is received is rubbish until then. A message of another size than is waited for is an
 *   error, as is a collective in which ranks differ.
 * - Who comes first, and who leaves a collective first, is drawn. The root of a broadcast need not
 *   wait for the others.
 * - The network may fail at a drawn call: that one, those that wait and all later ones fail.
 *
 * A rank that waits for ever is an order without end. The functions take the place of those of the
 * library of MPI, of which only the names of types are used. */
#ifndef HOPLITE_TESTS_DRAWN_MPI_H
#define HOPLITE_TESTS_DRAWN_MPI_H

#include <mpi.h>
#include <string.h>

#include "core/fiber_orders.h"

enum { REQUESTS_MOST = 1024, COLLECTIVES = 16 };

/* A message on its way, or the place of one that is waited for. */
typedef struct parcel {
    struct parcel *next;
    unsigned char *bytes;
    bool copied; /* bytes are ours */
    uint64_t hash;
    size_t size;
    bool *done; /* NULL: nobody waits */
} parcel;

typedef struct queue {
    parcel *first, **last;
} queue;

typedef enum collective_kind {
    DUP,
    ALLTOALL,
    GATHER,
    GATHERV,
    REDUCE,
    EXSCAN,
    BCAST
} collective_kind;

/* A collective of all ranks, the `number`th; `bytes` are copies of what the ranks have brought. */
typedef struct collective {
    uint64_t number;
    collective_kind kind;
    uint64_t detail; /* that ranks must agree on */
    unsigned char *bytes[MEMBERS];
    size_t sizes[MEMBERS];
    unsigned arrived, left;
} collective;

static struct {
    unsigned ranks;
    uint64_t calls, fails_at; /* the call from which on the network has failed */
    bool done[MEMBERS][REQUESTS_MOST], used[MEMBERS][REQUESTS_MOST];
    queue sent[MEMBERS][MEMBERS], awaited[MEMBERS][MEMBERS]; /* by sender and receiver */
    uint64_t numbers[MEMBERS];
    collective collectives[COLLECTIVES];
} net;

/* ---- an order -------------------------------------------------------------------------------- */

static void net_begin(unsigned ranks, uint64_t fails_at) {
    memset(&net, 0, sizeof net);
    net.ranks = ranks;
    net.fails_at = fails_at;
    for (unsigned i = 0; i < MEMBERS * MEMBERS; i++) {
        queue *sent = &net.sent[0][0] + i, *awaited = &net.awaited[0][0] + i;
        sent->last = &sent->first;
        awaited->last = &awaited->first;
    }
}

static void queue_drop(queue *of) {
    parcel *gone = of->first;
    of->first = gone->next;
    if (of->first == NULL)
        of->last = &of->first;
    if (gone->copied)
        free(gone->bytes);
    free(gone);
}

static void collective_end(collective *ended) {
    for (unsigned rank = 0; rank < MEMBERS; rank++)
        free(ended->bytes[rank]);
    *ended = (collective){0};
}

/* What a network that failed has left; after others there must be nothing. */
static void net_end(void) {
    bool failed = net.calls >= net.fails_at;
    for (unsigned i = 0; i < MEMBERS * MEMBERS; i++) {
        queue *queues[] = {&net.sent[0][0] + i, &net.awaited[0][0] + i};
        for (unsigned k = 0; k < 2; k++)
            while (queues[k]->first != NULL) {
                if (!failed)
                    give_up(k == 0 ? "a message was not received" : "a message did not come");
                queue_drop(queues[k]);
            }
    }
    for (unsigned i = 0; i < MEMBERS * REQUESTS_MOST; i++)
        if (!failed && (&net.used[0][0])[i])
            give_up("a request was not waited for");
    for (unsigned i = 0; i < COLLECTIVES; i++) {
        if (!failed && net.collectives[i].arrived > 0)
            give_up("not all ranks left a collective");
        collective_end(&net.collectives[i]);
    }
}

/* A call begins; whether the network has failed. */
static bool net_fails(void) {
    explore_point();
    return ++net.calls >= net.fails_at;
}

/* ---- messages -------------------------------------------------------------------------------- */

static parcel *queue_add(queue *to, parcel made) {
    parcel *added = malloc(sizeof *added);
    *added = made;
    *to->last = added;
    to->last = &added->next;
    return added;
}

static uint64_t hash_of(const void *bytes, size_t size) {
    const unsigned char *from = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ from[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static void deliver_first(queue *sent, queue *awaited) {
    parcel *from = sent->first, *to = awaited->first;
    if (from->size != to->size)
        give_up("a message of another size than was waited for");
    if (hash_of(from->bytes, from->size) != from->hash)
        give_up("a message was changed while it was sent");
    memcpy(to->bytes, from->bytes, to->size);
    *to->done = true;
    if (from->done != NULL)
        *from->done = true;
    queue_drop(sent);
    queue_drop(awaited);
}

/* Some of what can be delivered is. */
static void deliver_some(void) {
    for (unsigned i = 0; i < MEMBERS * MEMBERS; i++) {
        queue *sent = &net.sent[0][0] + i, *awaited = &net.awaited[0][0] + i;
        while (sent->first != NULL && awaited->first != NULL && draw_below(4) > 0)
            deliver_first(sent, awaited);
    }
}

static bool *request_make(MPI_Request *request) {
    int me = exploration.running, i = 0;
    while (i < REQUESTS_MOST && net.used[me][i])
        i++;
    if (i == REQUESTS_MOST)
        give_up("too many requests");
    net.used[me][i] = true;
    net.done[me][i] = false;
    *request = (MPI_Request)(intptr_t)(i + 1);
    return &net.done[me][i];
}

int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
    size_t size = (size_t)count;
    (void)type, (void)tag, (void)comm;
    if (net_fails())
        return MPI_ERR_OTHER;
    bool *done = request_make(request), copied = draw_below(2) == 0;
    parcel made = {.bytes = (unsigned char *)(uintptr_t)bytes, .size = size, .done = done};
    made.hash = hash_of(bytes, size);
    if (copied) {
        made.bytes = memcpy(malloc(size + 1), bytes, size);
        made.copied = true;
        made.done = NULL;
        *done = true;
    }
    queue_add(&net.sent[exploration.running][to], made);
    return MPI_SUCCESS;
}

int MPI_Irecv(void *bytes, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request) {
    (void)type, (void)tag, (void)comm;
    if (net_fails())
        return MPI_ERR_OTHER;
    memset(bytes, 0xA5, (size_t)count);
    parcel made = {.bytes = bytes, .size = (size_t)count, .done = request_make(request)};
    queue_add(&net.awaited[from][exploration.running], made);
    return MPI_SUCCESS;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    int me = exploration.running;
    (void)statuses;
    if (net_fails())
        return MPI_ERR_OTHER;
    for (int i = 0; i < count; i++) {
        intptr_t at = (intptr_t)requests[i] - 1;
        for (;;) {
            deliver_some();
            if (net.done[me][at])
                break;
            if (net.calls >= net.fails_at)
                return MPI_ERR_IN_STATUS;
            explore_wait();
        }
        net.used[me][at] = false;
        requests[i] = MPI_REQUEST_NULL;
    }
    return MPI_SUCCESS;
}

/* What was to come by this request does not come; of what was to go from the sender's own buffer,
 * and behind it, nothing goes. */
static void forget(MPI_Request request) {
    const bool *done = &net.done[exploration.running][(intptr_t)request - 1];
    for (unsigned i = 0; i < 2 * MEMBERS * MEMBERS; i++) {
        queue *of = i % 2 ? &net.sent[0][0] + i / 2 : &net.awaited[0][0] + i / 2;
        parcel **at = &of->first;
        while (*at != NULL && (*at)->done != done)
            at = &(*at)->next;
        for (bool more = *at != NULL; more; more = i % 2 && *at != NULL) {
            parcel *gone = *at;
            *at = gone->next;
            if (gone->copied)
                free(gone->bytes);
            free(gone);
        }
        if (*at == NULL)
            of->last = at;
    }
}

int MPI_Cancel(MPI_Request *request) {
    forget(*request);
    return MPI_SUCCESS;
}

/* A receive that has not been cancelled may still be filled. */
int MPI_Request_free(MPI_Request *request) {
    int me = exploration.running;
    intptr_t at = (intptr_t)*request - 1;
    for (unsigned from = 0; from < MEMBERS; from++)
        for (parcel *to = net.awaited[from][me].first; to != NULL; to = to->next)
            if (to->done == &net.done[me][at])
                give_up("memory that may be filled was let go");
    forget(*request);
    net.used[me][at] = false;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

/* ---- collectives ----------------------------------------------------------------------------- */

static bool collective_ready(const collective *of, unsigned me, int root) {
    if (of->kind == BCAST)
        return of->bytes[root] != NULL;
    for (unsigned rank = 0; of->kind == EXSCAN && rank < me; rank++)
        if (of->bytes[rank] == NULL)
            return false;
    return of->kind == EXSCAN || of->arrived == net.ranks;
}

/* Arrives with some bytes, and waits until those of the others are there as far as they are needed;
 * NULL: the network has failed. The caller takes what it wants, and leaves. */
static collective *arrive(collective_kind kind, uint64_t detail, int root, const void *bytes,
                          size_t size) {
    unsigned me = (unsigned)exploration.running;
    if (net_fails())
        return NULL;
    uint64_t number = ++net.numbers[me];
    collective *at = &net.collectives[number % COLLECTIVES];
    while (at->arrived > 0 && at->number != number) { /* it is far ahead of others */
        if (net.calls >= net.fails_at)
            return NULL;
        explore_wait();
    }
    if (at->arrived++ == 0)
        at->number = number, at->kind = kind, at->detail = detail;
    if (at->kind != kind || at->detail != detail)
        give_up("ranks are in different collectives");
    at->bytes[me] = malloc(size + 1);
    if (size > 0)
        memcpy(at->bytes[me], bytes, size);
    at->sizes[me] = size;
    while (!collective_ready(at, me, root)) {
        if (net.calls >= net.fails_at)
            return NULL;
        explore_wait();
    }
    return at;
}

static int leave_collective(collective *at) {
    if (++at->left == net.ranks)
        collective_end(at);
    explore_point();
    return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
    collective *at = arrive(DUP, 0, 0, "", 0);
    *made = comm;
    return at != NULL ? leave_collective(at) : MPI_ERR_OTHER;
}

int MPI_Alltoall(const void *out, int count, MPI_Datatype type, void *in, int in_count,
                 MPI_Datatype in_type, MPI_Comm comm) {
    size_t each = 8 * (size_t)count, me = (size_t)exploration.running;
    (void)type, (void)in_type, (void)in_count, (void)comm;
    collective *at = arrive(ALLTOALL, each, 0, out, each * net.ranks);
    if (at == NULL)
        return MPI_ERR_OTHER;
    for (unsigned rank = 0; rank < net.ranks; rank++)
        memcpy((unsigned char *)in + rank * each, at->bytes[rank] + me * each, each);
    return leave_collective(at);
}

int MPI_Allgather(const void *out, int count, MPI_Datatype type, void *in, int in_count,
                  MPI_Datatype in_type, MPI_Comm comm) {
    size_t each = 8 * (size_t)count;
    (void)type, (void)in_type, (void)in_count, (void)comm;
    collective *at = arrive(GATHER, each, 0, out, each);
    if (at == NULL)
        return MPI_ERR_OTHER;
    for (unsigned rank = 0; rank < net.ranks; rank++)
        memcpy((unsigned char *)in + rank * each, at->bytes[rank], each);
    return leave_collective(at);
}

int MPI_Allgatherv(const void *out, int count, MPI_Datatype type, void *in, const int sizes[],
                   const int places[], MPI_Datatype in_type, MPI_Comm comm) {
    (void)type, (void)in_type, (void)comm;
    collective *at = arrive(GATHERV, 0, 0, out, (size_t)count);
    if (at == NULL)
        return MPI_ERR_OTHER;
    for (unsigned rank = 0; rank < net.ranks; rank++) {
        if ((size_t)sizes[rank] != at->sizes[rank])
            give_up("a rank gathers another size than was sent");
        if (sizes[rank] > 0)
            memcpy((unsigned char *)in + places[rank], at->bytes[rank], at->sizes[rank]);
    }
    return leave_collective(at);
}

static uint64_t number_at(const collective *at, unsigned rank, int i) {
    uint64_t number;
    memcpy(&number, at->bytes[rank] + 8 * (size_t)i, sizeof number);
    return number;
}

/* Sums of numbers without a sign, the least and the greatest of those with one. */
static uint64_t combined(MPI_Op op, uint64_t a, uint64_t b) {
    if (op == MPI_SUM)
        return a + b;
    return ((int64_t)a < (int64_t)b) == (op == MPI_MIN) ? a : b;
}

int MPI_Allreduce(const void *in, void *values, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    uint64_t detail = (uint64_t)count << 2 | (op == MPI_SUM ? 0 : op == MPI_MIN ? 1 : 2);
    (void)in, (void)type, (void)comm; /* in place */
    collective *at = arrive(REDUCE, detail, 0, values, 8 * (size_t)count);
    if (at == NULL)
        return MPI_ERR_OTHER;
    for (int i = 0; i < count; i++) {
        uint64_t all = number_at(at, 0, i);
        for (unsigned rank = 1; rank < net.ranks; rank++)
            all = combined(op, all, number_at(at, rank, i));
        memcpy((unsigned char *)values + 8 * (size_t)i, &all, sizeof all);
    }
    return leave_collective(at);
}

/* What the first rank gets is not defined. */
int MPI_Exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    unsigned me = (unsigned)exploration.running;
    (void)count, (void)type, (void)op, (void)comm;
    collective *at = arrive(EXSCAN, 0, 0, in, 8);
    if (at == NULL)
        return MPI_ERR_OTHER;
    uint64_t sum = me == 0 ? UINT64_C(0xA5A5A5A5A5A5A5A5) : 0;
    for (unsigned rank = 0; rank < me; rank++)
        sum += number_at(at, rank, 0);
    memcpy(out, &sum, sizeof sum);
    return leave_collective(at);
}

int MPI_Bcast(void *bytes, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    (void)type, (void)comm;
    collective *at =
        arrive(BCAST, (uint64_t)count << 8 | (unsigned)root, root, bytes, (size_t)count);
    if (at == NULL)
        return MPI_ERR_OTHER;
    memcpy(bytes, at->bytes[root], (size_t)count);
    return leave_collective(at);
}

/* ---- the rest -------------------------------------------------------------------------------- */

int MPI_Initialized(int *flag) {
    *flag = 1;
    return MPI_SUCCESS;
}

int MPI_Finalized(int *flag) {
    *flag = 0;
    return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
    (void)comm;
    *rank = exploration.running;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
    (void)comm;
    *size = (int)net.ranks;
    return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
    (void)comm, (void)handler;
    return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *comm) {
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Error_string(int code, char *text, int *length) {
    (void)code;
    *length = snprintf(text, MPI_MAX_ERROR_STRING, "the network failed");
    return MPI_SUCCESS;
}

#endif
