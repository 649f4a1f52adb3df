/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies between a buffer and the host that the host does not wait for are made at the last moment
 * that OpenCL allows: when something waits for them, or comes behind them in their queue. So what
 * is read is what stands in the buffer then, and what is written what stands in the host's array
 * then: code that uses either again too early gets wrong numbers, every time. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fibers.h"

typedef struct late_copy {
    const void *queue;
    uint64_t number;
    void *to;
    const void *from;
    size_t bytes;
} late_copy;

static pthread_mutex_t late_lock = PTHREAD_MUTEX_INITIALIZER;
static late_copy *copies; /* in the order in which they were put into queues */
static size_t copy_count, copy_room;
static uint64_t last_number;

static bool make_room(void) {
    if (copy_count < copy_room)
        return true;
    size_t room = 2 * copy_room + 8;
    late_copy *grown = realloc(copies, room * sizeof *copies);
    if (grown == NULL)
        return false;
    copies = grown;
    copy_room = room;
    return true;
}

bool fibers_late_add(const void *queue, void *to, const void *from, size_t bytes) {
    pthread_mutex_lock(&late_lock);
    bool ok = make_room();
    if (ok)
        copies[copy_count++] = (late_copy){queue, ++last_number, to, from, bytes};
    pthread_mutex_unlock(&late_lock);
    return ok;
}

uint64_t fibers_late_last(void) {
    pthread_mutex_lock(&late_lock);
    uint64_t last = last_number;
    pthread_mutex_unlock(&late_lock);
    return last;
}

void fibers_late_settle(const void *queue, uint64_t last) {
    size_t kept = 0;
    pthread_mutex_lock(&late_lock);
    for (size_t i = 0; i < copy_count; i++)
        if ((queue == NULL || copies[i].queue == queue) && copies[i].number <= last)
            memmove(copies[i].to, copies[i].from, copies[i].bytes);
        else
            copies[kept++] = copies[i];
    copy_count = kept;
    pthread_mutex_unlock(&late_lock);
}
