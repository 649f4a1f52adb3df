/* SPDX-License-Identifier: Apache-2.0
 * Threads that read blocks; see block_reads.h. */
#include "store/block_reads.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "core/progress.h"

enum { STACK_BYTES = 1 << 17, LOOK_NANOSECONDS = 50 * 1000 * 1000 };

/* The next request of the oldest batch, or NULL; the lock is held. */
static hop__request *take_request(hop__readers *readers, hop__batch **from) {
    for (unsigned i = 0; i < 2; i++) {
        hop__batch *batch = readers->queue[i];
        if (batch != NULL && batch->taken < batch->count) {
            *from = batch;
            return &batch->requests[batch->taken++];
        }
    }
    return NULL;
}

/* Reads one request; the lock is held before and after. */
static void serve(hop__readers *readers, hop__batch *batch, const hop__request *request) {
    pthread_mutex_unlock(&readers->lock);
    bool right = hop__store_fetch(readers->store, request->array, request->first, request->count,
                                  request->places);
    pthread_mutex_lock(&readers->lock);
    if (!right)
        readers->failed = true;
    if (++batch->done == batch->count)
        pthread_cond_broadcast(&readers->finished);
}

static void *reader_run(void *arg) {
    hop__readers *readers = arg;
    hop__batch *batch;
    pthread_mutex_lock(&readers->lock);
    while (!readers->stop) {
        const hop__request *request = take_request(readers, &batch);
        if (request != NULL)
            serve(readers, batch, request);
        else
            pthread_cond_wait(&readers->work, &readers->lock);
    }
    pthread_mutex_unlock(&readers->lock);
    return NULL;
}

void hop__readers_start(hop__readers *readers, hop__store *store) {
    pthread_attr_t attributes;
    sigset_t all, before;
    readers->store = store;
    readers->queue[0] = readers->queue[1] = NULL;
    readers->stop = readers->failed = false;
    readers->count = 0;
    pthread_mutex_init(&readers->lock, NULL);
    pthread_cond_init(&readers->work, NULL);
    pthread_cond_init(&readers->finished, NULL);
    if (pthread_attr_init(&attributes) != 0)
        return;
    sigfillset(&all); /* signals are for the threads of the program */
    if (pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
        pthread_sigmask(SIG_BLOCK, &all, &before) == 0) {
        while (readers->count < HOP__READERS &&
               pthread_create(&readers->threads[readers->count], &attributes, reader_run,
                              readers) == 0)
            readers->count++;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
}

void hop__readers_stop(hop__readers *readers) {
    hop__readers_drop(readers);
    pthread_mutex_lock(&readers->lock);
    readers->stop = true;
    pthread_cond_broadcast(&readers->work);
    pthread_mutex_unlock(&readers->lock);
    for (unsigned i = 0; i < readers->count; i++)
        pthread_join(readers->threads[i], NULL);
    pthread_cond_destroy(&readers->work);
    pthread_cond_destroy(&readers->finished);
    pthread_mutex_destroy(&readers->lock);
}

void hop__readers_submit(hop__readers *readers, hop__batch *batch) {
    pthread_mutex_lock(&readers->lock);
    batch->taken = batch->done = 0;
    readers->queue[readers->queue[0] != NULL] = batch;
    for (unsigned i = 0; i < batch->count && i < readers->count; i++)
        pthread_cond_signal(&readers->work);
    pthread_mutex_unlock(&readers->lock);
}

/* Sleeps until something is done, or it is time to look whether to go on; the lock is held. */
static void sleep_a_while(hop__readers *readers) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&readers->finished, &readers->lock, &until);
}

/* The batch has left the queue. */
static void unqueue(hop__readers *readers, const hop__batch *batch) {
    if (readers->queue[0] == batch) {
        readers->queue[0] = readers->queue[1];
        readers->queue[1] = NULL;
    }
}

bool hop__readers_wait(hop_context *context, hop__readers *readers, hop__batch *batch) {
    bool goes_on = true;
    hop__batch *from;
    pthread_mutex_lock(&readers->lock);
    while (batch->done < batch->count && !readers->failed && goes_on) {
        hop__request *request = readers->count == 0 ? take_request(readers, &from) : NULL;
        if (request != NULL)
            serve(readers, from, request);
        else
            sleep_a_while(readers);
        pthread_mutex_unlock(&readers->lock);
        goes_on = hop__progress_add(context, 0);
        pthread_mutex_lock(&readers->lock);
    }
    bool right = !readers->failed && goes_on;
    if (right)
        unqueue(readers, batch);
    pthread_mutex_unlock(&readers->lock);
    if (!right)
        hop__readers_drop(readers);
    return right;
}

void hop__readers_drop(hop__readers *readers) {
    pthread_mutex_lock(&readers->lock);
    for (unsigned i = 0; i < 2; i++) {
        hop__batch *batch = readers->queue[i];
        if (batch != NULL)
            batch->count = batch->taken;
        while (batch != NULL && batch->done < batch->count)
            sleep_a_while(readers);
        readers->queue[i] = NULL;
    }
    readers->failed = false;
    pthread_mutex_unlock(&readers->lock);
}
