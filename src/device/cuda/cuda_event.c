/* SPDX-License-Identifier: Apache-2.0
 *
 * Events and timers of CUDA and HIP, from a pool. The driver's events are made once and recorded
 * again and again: who waits for an event in a stream waits for what was recorded when it said so,
 * not for what is recorded later, so an event can be given back while a stream still waits for it.
 * Those that measure time cost more to record, and are made only where times are asked for
 * (hop__device_time). The pool has as many as were in use at a time, until the device is closed. */
#include "device/cuda/cuda_internal.h"

/* --- the pool -------------------------------------------------------------------------------- */

static hop_status mark_make(hop__device *device, bool timed, hop__cuda_mark **mark) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    const hop_allocator *allocator = &device->context->options.allocator;
    hop__cuda_mark *made = allocator->allocate(allocator->user, sizeof *made, 64);
    if (made == NULL)
        return hop__fail(device->context, HOP_ERR_MEMORY, "device %s: no memory for an event",
                         device->info.name);
    *made = (hop__cuda_mark){.timed = timed};
    hop__cuda_code code = driver->call.EventCreate(&made->event, timed ? 0 : HOP__CUDA_UNTIMED);
    if (code == 0) {
        *mark = made;
        return HOP_OK;
    }
    allocator->release(allocator->user, made, sizeof *made);
    return hop__cuda_fail(device, HOP__CUDA_CALL(EventCreate), false, code, "%s",
                          timed ? "for a time" : "");
}

hop_status hop__cuda_mark_take(hop__device *device, bool timed, hop__cuda_mark **mark) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    *mark = driver->marks[timed];
    if (*mark == NULL)
        return mark_make(device, timed, mark);
    driver->marks[timed] = (*mark)->next;
    (*mark)->next = NULL;
    return HOP_OK;
}

void hop__cuda_mark_give(hop__cuda_driver *driver, hop__cuda_mark *mark) {
    if (mark == NULL)
        return;
    mark->next = driver->marks[mark->timed];
    driver->marks[mark->timed] = mark;
}

void hop__cuda_marks_free(hop__device *device) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    const hop_allocator *allocator = &device->context->options.allocator;
    for (int timed = 0; timed < 2; timed++)
        while (driver->marks[timed] != NULL) {
            hop__cuda_mark *first = driver->marks[timed];
            driver->marks[timed] = first->next;
            hop__cuda_note(driver, driver->call.EventDestroy(first->event));
            allocator->release(allocator->user, first, sizeof *first);
        }
}

hop_status hop__cuda_mark_record(hop__device *device, hop__cuda_mark *mark, hop__queue queue) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    mark->queue = queue;
    mark->number = ++driver->issued;
    hop__cuda_code code = driver->call.EventRecord(mark->event, driver->streams[queue]);
    if (code == 0)
        return HOP_OK;
    return hop__cuda_fail(device, HOP__CUDA_CALL(EventRecord), false, code, "queue %d", (int)queue);
}

static hop_status mark_wait(hop__device *device, const hop__cuda_mark *mark, hop__queue queue) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    hop__cuda_code code = driver->call.StreamWaitEvent(driver->streams[queue], mark->event, 0);
    if (code == 0)
        return HOP_OK;
    return hop__cuda_fail(device, HOP__CUDA_CALL(StreamWaitEvent), false, code, "queue %d",
                          (int)queue);
}

hop_status hop__cuda_order(hop__device *device, hop__queue first, hop__queue second) {
    hop__cuda_mark *mark = NULL;
    if (first == second)
        return HOP_OK;
    hop_status status = hop__cuda_mark_take(device, false, &mark);
    if (status == HOP_OK)
        status = hop__cuda_mark_record(device, mark, first);
    if (status == HOP_OK)
        status = mark_wait(device, mark, second);
    hop__cuda_mark_give(hop__cuda_of(device), mark);
    return status;
}

/* --- timers: two events, the second being the first's next ----------------------------------- */

void hop__cuda_timer_give(hop__cuda_driver *driver, hop__cuda_mark *timer) {
    if (timer == NULL)
        return;
    hop__cuda_mark *end = timer->next;
    hop__cuda_mark_give(driver, timer);
    hop__cuda_mark_give(driver, end);
}

hop_status hop__cuda_timer_begin(hop__device *device, hop__queue queue, hop__cuda_mark **timer) {
    *timer = NULL;
    if (!device->timed)
        return HOP_OK;
    hop_status status = hop__cuda_mark_take(device, true, timer);
    if (status == HOP_OK)
        status = hop__cuda_mark_take(device, true, &(*timer)->next);
    if (status == HOP_OK)
        status = hop__cuda_mark_record(device, *timer, queue);
    if (status != HOP_OK) {
        hop__cuda_timer_give(hop__cuda_of(device), *timer);
        *timer = NULL;
    }
    return status;
}

hop_status hop__cuda_timer_end(hop__device *device, hop__queue queue, hop__cuda_mark *timer,
                               hop_status status, uintptr_t *handle) {
    *handle = 0;
    if (status == HOP_OK && timer != NULL)
        status = hop__cuda_mark_record(device, timer->next, queue);
    if (status == HOP_OK)
        *handle = (uintptr_t)timer;
    else
        hop__cuda_timer_give(hop__cuda_of(device), timer);
    return status;
}

hop_status hop__cuda_timer_read(hop__device *device, uintptr_t handle, double *seconds) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    hop__cuda_mark *timer = (hop__cuda_mark *)handle;
    float milliseconds = 0;
    hop_status status = hop__cuda_enter(device);
    if (status == HOP_OK) {
        hop__cuda_code code =
            driver->call.EventElapsedTime(&milliseconds, timer->event, timer->next->event);
        if (code != 0)
            status = hop__cuda_fail(device, HOP__CUDA_CALL(EventElapsedTime), true, code, "%s",
                                    "of finished work");
        hop__cuda_leave(device);
    }
    *seconds = (double)milliseconds * 1e-3;
    hop__cuda_timer_give(driver, timer);
    return status;
}

/* --- events ---------------------------------------------------------------------------------- */

hop_status hop__cuda_event_record(hop__event *event, hop__queue queue) {
    hop__device *device = event->device;
    hop__cuda_mark *mark = NULL;
    hop_status status = hop__cuda_enter(device);
    if (status != HOP_OK)
        return status;
    status = hop__cuda_mark_take(device, false, &mark);
    if (status == HOP_OK)
        status = hop__cuda_mark_record(device, mark, queue);
    if (status == HOP_OK)
        event->handle = (uintptr_t)mark;
    else
        hop__cuda_mark_give(hop__cuda_of(device), mark);
    hop__cuda_leave(device);
    return status;
}

hop_status hop__cuda_event_wait(hop__event *event, hop__queue queue) {
    hop_status status = hop__cuda_enter(event->device);
    if (status != HOP_OK)
        return status;
    status = mark_wait(event->device, (hop__cuda_mark *)event->handle, queue);
    hop__cuda_leave(event->device);
    return status;
}

hop_status hop__cuda_event_sync(hop__event *event) {
    hop__device *device = event->device;
    hop__cuda_driver *driver = hop__cuda_of(device);
    hop_status status = hop__cuda_enter(device);
    if (status != HOP_OK)
        return status;
    const hop__cuda_mark *mark = (const hop__cuda_mark *)event->handle;
    hop__cuda_code code = driver->call.EventSynchronize(mark->event);
    if (code != 0)
        status =
            hop__cuda_fail(device, HOP__CUDA_CALL(EventSynchronize), true, code, "%s", "one event");
    else
        status = hop__cuda_stage_land(device, mark->queue, mark->number);
    hop__cuda_leave(device);
    return status;
}

void hop__cuda_event_free(hop__event *event) {
    hop__cuda_mark_give(hop__cuda_of(event->device), (hop__cuda_mark *)event->handle);
    event->handle = 0;
}

static hop_status follow(hop__device *device, const hop__cuda_mark *mark, void *stream) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    hop_status status = HOP_OK;
    hop__cuda_code code = driver->call.EventRecord(mark->event, stream);
    if (code != 0)
        return hop__cuda_fail(device, HOP__CUDA_CALL(EventRecord), false, code, "%s",
                              "in a stream of the caller");
    for (hop__queue queue = 0; queue < HOP__QUEUE_COUNT && status == HOP_OK; queue++)
        status = mark_wait(device, mark, queue);
    return status;
}

hop_status hop__cuda_follow(hop__device *device, void *stream) {
    hop__cuda_mark *mark = NULL;
    hop_status status = hop__cuda_enter(device);
    if (status != HOP_OK)
        return status;
    status = hop__cuda_mark_take(device, false, &mark);
    if (status == HOP_OK)
        status = follow(device, mark, stream);
    hop__cuda_mark_give(hop__cuda_of(device), mark);
    hop__cuda_leave(device);
    return status;
}
