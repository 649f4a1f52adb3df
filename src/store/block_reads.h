/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that read blocks of a store's file while others work on those that came before.
 *
 * A disk is fast only when it has many requests at a time: HOP__READERS threads sleep in reads, so
 * that processors are free meanwhile. They live as long as a search. Requests come in batches; the
 * older batch is read first. Where the system gives no thread, who waits for a batch reads it. */
#ifndef HOPLITE_STORE_BLOCK_READS_H
#define HOPLITE_STORE_BLOCK_READS_H

#include "store/arc_store.h"

enum { HOP__READERS = 16, HOP__BATCH_BLOCKS = 512 };

/* Consecutive blocks of an array. */
typedef struct hop__request {
    hop__blocked array;
    unsigned count;
    uint64_t first;
    unsigned char *places[HOP__READ_BLOCKS];
} hop__request;

typedef struct hop__batch {
    hop__request requests[2 * HOP__BATCH_BLOCKS];
    unsigned count, taken, done;
} hop__batch;

typedef struct hop__readers {
    hop__store *store;
    hop__batch batches[2];
    pthread_mutex_t lock;
    pthread_cond_t work, finished;
    hop__batch *queue[2]; /* the older first; NULL: none */
    bool stop, failed;
    unsigned count;
    pthread_t threads[HOP__READERS];
} hop__readers;

/* Begins with no batch. Threads that the system refuses are done without. */
void hop__readers_start(hop__readers *readers, hop__store *store);
/* Waits for what is being read, and ends the threads. */
void hop__readers_stop(hop__readers *readers);
/* A batch, filled in by the caller, is to be read. At most two at a time. */
void hop__readers_submit(hop__readers *readers, hop__batch *batch);
/* Waits until the batch, the older one, is read; false: one of its blocks could not be, or the
 * caller's progress says to stop. Nothing of it is read any more then, either. */
bool hop__readers_wait(hop_context *context, hop__readers *readers, hop__batch *batch);
/* Takes back what has not been begun of all batches, and waits for the rest. */
void hop__readers_drop(hop__readers *readers);

#endif
