/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams and events: work that is put off, and done in an order that is drawn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ptx/driver.h"
#include "ptx/driver_counters.h"
#include "ptx/driver_queue.h"

static uint64_t drawn = 0x2545f4914f6cdd1dull;

static unsigned draw(unsigned count) {
    drawn ^= drawn << 13;
    drawn ^= drawn >> 7;
    drawn ^= drawn << 17;
    return (unsigned)(drawn >> 33) % count;
}

command *driver_queue_add(CUstream stream, command_kind kind, size_t more) {
    command *made = calloc(1, sizeof *made + more);
    if (made == NULL)
        abort();
    made->kind = kind;
    if (stream->last != NULL)
        stream->last->next = made;
    else
        stream->first = made;
    stream->last = made;
    return made;
}

static void capture_leave(capture *captured) {
    if (captured != NULL && --captured->users == 0)
        free(captured);
}

static void command_drop(CUstream stream) {
    command *first = stream->first;
    capture_leave(first->captured);
    stream->first = first->next;
    if (stream->first == NULL)
        stream->last = NULL;
    free(first);
}

void driver_stream_clear(CUstream stream) {
    while (stream->first != NULL)
        command_drop(stream);
}

/* --- doing it -------------------------------------------------------------------------------- */

static uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static CUresult move(ptx_machine *machine, const command *what) {
    void *to = what->kind == COPY_OUT ? what->host_to : ptx_host(machine, what->to, what->bytes);
    const void *from =
        what->kind == COPY_IN ? what->host_from : ptx_host(machine, what->from, what->bytes);
    if (to == NULL || from == NULL)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    memmove(to, from, what->bytes);
    return CUDA_SUCCESS;
}

static CUresult fill(ptx_machine *machine, const command *what) {
    uint32_t *words = ptx_host(machine, what->to, what->bytes);
    if (words == NULL)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    for (size_t i = 0; i < what->bytes / sizeof *words; i++)
        words[i] = what->word;
    return CUDA_SUCCESS;
}

static CUresult command_do(CUcontext context, command *what) {
    switch (what->kind) {
    case COPY_IN:
    case COPY_OUT:
    case COPY_WITHIN:
        driver_count("copy",
                     what->kind == COPY_IN    ? "in"
                     : what->kind == COPY_OUT ? "out"
                                              : "within",
                     what->bytes);
        return move(context->machine, what);
    case FILL:
        driver_count("fill", "words", what->bytes);
        return fill(context->machine, what);
    case LAUNCH: {
        ptx_error error = driver_launch(context->machine, what);
        if (error != PTX_OK)
            driver_report(context->machine);
        return (CUresult)error;
    }
    case RECORD:
        what->captured->done = true;
        what->captured->nanoseconds = nanoseconds();
        return CUDA_SUCCESS;
    default:
        return CUDA_SUCCESS;
    }
}

static bool can_run(CUstream stream) {
    const command *first = stream->first;
    return first != NULL && (first->kind != WAIT || first->captured->done);
}

static CUstream choose(CUcontext context, CUstream wanted) {
    unsigned count = 0;
    CUstream chosen = NULL;
    if (wanted != NULL && can_run(wanted) && draw(4) != 0)
        return wanted;
    for (CUstream stream = context->streams; stream != NULL; stream = stream->next)
        if (can_run(stream) && draw(++count) == 0)
            chosen = stream;
    return chosen;
}

static CUresult step(CUcontext context, CUstream stream) {
    CUresult result = driver_note(context, command_do(context, stream->first));
    command_drop(stream);
    return result;
}

CUresult driver_work(CUcontext context, CUstream wanted, driver_condition *condition,
                     const void *object) {
    while (!condition(object)) {
        CUstream stream = choose(context, wanted);
        if (stream == NULL)
            return CUDA_ERROR_LAUNCH_TIMEOUT; /* a wait for what never comes */
        CUresult result = step(context, stream);
        if (result != CUDA_SUCCESS)
            return result;
    }
    return CUDA_SUCCESS;
}

static bool stream_empty(const void *stream) {
    return ((const struct CUstream_st *)stream)->first == NULL;
}

CUresult driver_drain(CUcontext context) {
    CUresult result = CUDA_SUCCESS;
    for (CUstream stream = context->streams; stream != NULL && result == CUDA_SUCCESS;
         stream = stream->next)
        result = driver_work(context, stream, stream_empty, stream);
    return result;
}

/* --- streams --------------------------------------------------------------------------------- */

bool driver_stream_known(CUcontext context, CUstream stream) {
    CUstream known = context->streams;
    while (known != NULL && known != stream)
        known = known->next;
    return known != NULL;
}

EXPORT CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned int flags) {
    CUcontext context;
    CUresult result = driver_enter_context("cuStreamCreate", &context);
    if (result != CUDA_SUCCESS)
        return result;
    if (flags != CU_STREAM_NON_BLOCKING)
        return driver_leave(CUDA_ERROR_INVALID_VALUE);
    CUstream made = calloc(1, sizeof *made);
    if (made == NULL)
        return driver_leave(CUDA_ERROR_OUT_OF_MEMORY);
    if (context->streams == NULL)
        drawn ^= driver_number("HOPLITE_PTX_SEED", 1) * 0x9e3779b97f4a7c15ull;
    *made = (struct CUstream_st){.context = context, .next = context->streams};
    context->streams = made;
    *stream = made;
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuStreamSynchronize(CUstream stream) {
    CUcontext context;
    CUresult result = driver_enter_context("cuStreamSynchronize", &context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!driver_stream_known(context, stream))
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    driver_counts.stops++;
    result = driver_work(context, stream, stream_empty, stream);
    driver_count("wait", "stream", 0);
    return driver_leave(result);
}

/* In a context with an error the work is dropped. */
EXPORT CUresult CUDAAPI cuStreamDestroy_v2(CUstream stream) {
    CUcontext context;
    CUresult result = driver_enter_release("cuStreamDestroy_v2", &context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!driver_stream_known(context, stream))
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    result = driver_work(context, stream, stream_empty, stream);
    for (CUstream *link = &context->streams; *link != NULL; link = &(*link)->next)
        if (*link == stream) {
            *link = stream->next;
            break;
        }
    driver_stream_clear(stream);
    free(stream);
    return driver_leave(result);
}

/* --- events ---------------------------------------------------------------------------------- */

static bool event_known(CUcontext context, CUevent event) {
    CUevent known = context->events;
    while (known != NULL && known != event)
        known = known->next;
    return known != NULL;
}

static bool capture_done(const void *captured) {
    return captured == NULL || ((const capture *)captured)->done;
}

void driver_event_free(CUevent event) {
    capture_leave(event->last);
    free(event);
}

static CUresult enter_event(const char *name, CUcontext *context, CUevent event) {
    CUresult result = driver_enter_context(name, context);
    if (result == CUDA_SUCCESS && !event_known(*context, event))
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    return result;
}

EXPORT CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned int flags) {
    CUcontext context;
    CUresult result = driver_enter_context("cuEventCreate", &context);
    if (result != CUDA_SUCCESS)
        return result;
    if ((flags & ~(unsigned)(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING)) != 0)
        return driver_leave(CUDA_ERROR_INVALID_VALUE);
    CUevent made = calloc(1, sizeof *made);
    if (made == NULL)
        return driver_leave(CUDA_ERROR_OUT_OF_MEMORY);
    made->context = context;
    made->timed = (flags & CU_EVENT_DISABLE_TIMING) == 0;
    made->next = context->events;
    driver_counts.events++;
    driver_counts.timed += made->timed;
    context->events = made;
    *event = made;
    return driver_leave(CUDA_SUCCESS);
}

static capture *capture_hold(capture *captured) {
    captured->users++;
    return captured;
}

EXPORT CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream) {
    CUcontext context;
    CUresult result = enter_event("cuEventRecord", &context, event);
    if (result != CUDA_SUCCESS)
        return result;
    bool nobodys = stream == NULL || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
    if (!nobodys && !driver_stream_known(context, stream))
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    capture_leave(event->last);
    event->last = calloc(1, sizeof *event->last);
    if (event->last == NULL)
        abort();
    *event->last = (capture){.users = 1, .done = nobodys}; /* nobody has anything there */
    if (!nobodys)
        driver_queue_add(stream, RECORD, 0)->captured = capture_hold(event->last);
    driver_counts.records++;
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
    CUcontext context;
    CUresult result = enter_event("cuStreamWaitEvent", &context, event);
    if (result != CUDA_SUCCESS)
        return result;
    if (!driver_stream_known(context, stream) || flags != 0)
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    if (!capture_done(event->last) && !driver_skips())
        driver_queue_add(stream, WAIT, 0)->captured = capture_hold(event->last);
    driver_counts.waits++;
    return driver_leave(CUDA_SUCCESS);
}

/* Whoever asks again and again gets there. */
EXPORT CUresult CUDAAPI cuEventQuery(CUevent event) {
    CUcontext context;
    CUresult result = enter_event("cuEventQuery", &context, event);
    if (result != CUDA_SUCCESS)
        return result;
    if (capture_done(event->last))
        return driver_leave(CUDA_SUCCESS);
    CUstream stream = choose(context, NULL);
    result = stream != NULL ? step(context, stream) : CUDA_SUCCESS;
    return driver_leave(result == CUDA_SUCCESS ? CUDA_ERROR_NOT_READY : result);
}

/* Whether the device has something to do while the host goes on. */
static bool has_work(CUcontext context) {
    for (CUstream stream = context->streams; stream != NULL; stream = stream->next)
        for (const command *each = stream->first; each != NULL; each = each->next)
            if (each->kind != RECORD && each->kind != WAIT)
                return true;
    return false;
}

EXPORT CUresult CUDAAPI cuEventSynchronize(CUevent event) {
    CUcontext context;
    CUresult result = enter_event("cuEventSynchronize", &context, event);
    if (result != CUDA_SUCCESS)
        return result;
    driver_counts.syncs++;
    if (driver_skips())
        return driver_leave(CUDA_SUCCESS);
    result = driver_work(context, NULL, capture_done, event->last);
    driver_count("wait", has_work(context) ? "beside" : "event", 0);
    return driver_leave(result);
}

static CUresult elapsed(const char *name, float *milliseconds, CUevent begin, CUevent end) {
    CUcontext context;
    CUresult result = enter_event(name, &context, begin);
    if (result != CUDA_SUCCESS)
        return result;
    if (!event_known(context, end) || !begin->timed || !end->timed || begin->last == NULL ||
        end->last == NULL)
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    if (!begin->last->done || !end->last->done)
        return driver_leave(CUDA_ERROR_NOT_READY);
    *milliseconds = (float)((double)(end->last->nanoseconds - begin->last->nanoseconds) * 1e-6);
    return driver_leave(CUDA_SUCCESS);
}

/* cuda.h calls the second by the first's name; drivers before 12.8 have the first alone. */
#undef cuEventElapsedTime
EXPORT CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end);
EXPORT CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
    return elapsed("cuEventElapsedTime", milliseconds, begin, end);
}
EXPORT CUresult CUDAAPI cuEventElapsedTime_v2(float *milliseconds, CUevent begin, CUevent end) {
    return elapsed("cuEventElapsedTime_v2", milliseconds, begin, end);
}

EXPORT CUresult CUDAAPI cuEventDestroy_v2(CUevent event) {
    CUcontext context;
    CUresult result = driver_enter_release("cuEventDestroy_v2", &context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!event_known(context, event))
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    for (CUevent *link = &context->events; *link != NULL; link = &(*link)->next)
        if (*link == event) {
            *link = event->next;
            break;
        }
    driver_event_free(event); /* what it has captured stays for those who wait */
    return driver_leave(CUDA_SUCCESS);
}
