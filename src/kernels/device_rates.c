/* SPDX-License-Identifier: Apache-2.0
 *
 * What the memory of the context's device can do, measured: copies within it, words gathered from
 * places at random, atomic additions there, copies over the bus, and a launch that is waited for.
 * Times of variants are compared with these, and `hoplite tune --device` makes constants of them.
 *
 * Arrays grow until a gather takes long enough to be timed, or they are far beyond any cache, or a
 * quarter of the device's memory. Of several times the least counts: other work only adds. */
#include <math.h>
#include <string.h>

#include "core/rng.h"
#include "core/timing.h"
#include "kernels/launching.h"

enum { FIRST_BYTES = 1 << 14, LAST_BYTES = 1 << 28, GROWTH = 4, ARRAYS = 3, TIMES = 3 };
static const double long_enough = 0.02; /* seconds of a gather */

typedef struct rates_work {
    hop__device *device;
    uint64_t bytes; /* of each array */
    uint32_t *host; /* the index */
    hop__buffer *index, *in, *out;
} rates_work;

typedef hop_status (*rates_step)(rates_work *work);

static hop_status step_copy(rates_work *work) {
    return hop__buffer_copy(work->in, 0, work->out, 0, work->bytes);
}

static hop_status step_gather(rates_work *work) {
    return hop__gather(work->device, NULL, work->in, work->index, work->out, work->bytes / 4);
}

static hop_status step_raise(rates_work *work) {
    return hop__raise(work->device, NULL, work->out, work->index, work->bytes / 4);
}

static hop_status step_launch(rates_work *work) {
    return hop__gather(work->device, NULL, work->in, work->index, work->out, 1);
}

static hop_status step_write(rates_work *work) {
    return hop__buffer_write(work->index, 0, work->bytes, work->host);
}

static hop_status step_read(rates_work *work) {
    return hop__buffer_read(work->index, 0, work->bytes, work->host);
}

/* The first time is not counted: it may compile, and touches pages. */
static hop_status time_step(rates_work *work, rates_step step, double *best) {
    hop_status status = HOP_OK;
    *best = HUGE_VAL;
    for (int i = 0; i <= TIMES; i++) {
        double began = hop__now();
        HOP_TRY(status, step(work));
        HOP_TRY(status, hop__device_finish(work->device));
        double seconds = hop__now() - began;
        *best = i > 0 && seconds < *best ? seconds : *best;
    }
done:
    return status;
}

/* All rates with arrays of work->bytes; *seconds is that of the gather. */
static hop_status measure_rates(rates_work *work, hop_device_rates *rates, double *seconds) {
    hop_status status;
    double taken;
    uint64_t words = work->bytes / 4, bytes = work->bytes;
    hop__device *device = work->device;
    HOP_TRY(status, hop__alloc(hop__device_context(device), "device rates", words, 4, &work->host));
    for (uint64_t i = 0; i < words; i += 4)
        hop__philox4x32(1, i, 0, work->host + i);
    for (uint64_t i = 0; i < words; i++)
        work->host[i] &= (uint32_t)(words - 1);
    HOP_TRY(status, hop__buffer_create(device, "device rates: index", bytes, &work->index));
    HOP_TRY(status, hop__buffer_create(device, "device rates: input", bytes, &work->in));
    HOP_TRY(status, hop__buffer_create(device, "device rates: output", bytes, &work->out));
    HOP_TRY(status, hop__buffer_fill(work->in, 0, bytes, 1));
    rates->bytes = bytes;
    HOP_TRY(status, time_step(work, step_write, &taken));
    rates->to_device = (double)bytes / taken;
    HOP_TRY(status, time_step(work, step_read, &taken));
    rates->to_host = (double)bytes / taken;
    HOP_TRY(status, time_step(work, step_copy, &taken));
    rates->copy = 2 * (double)bytes / taken;
    HOP_TRY(status, time_step(work, step_launch, &rates->launch));
    HOP_TRY(status, time_step(work, step_raise, &taken));
    rates->atomic = (double)words / taken;
    HOP_TRY(status, time_step(work, step_gather, seconds));
    rates->gather = (double)words / *seconds;
done:
    hop__device_settle(device, status);
    hop__buffer_free(work->index);
    hop__buffer_free(work->in);
    hop__buffer_free(work->out);
    hop__free(work->host);
    *work = (rates_work){.device = device, .bytes = bytes};
    return status;
}

hop_status hop_device_measure(hop_context *context, hop_device_rates *rates) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    if (rates == NULL || rates->size < sizeof rates->size || rates->size > 1 << 16)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "device rates: set their size to sizeof(hop_device_rates)");
    hop_status status;
    rates_work work = {.bytes = FIRST_BYTES};
    hop_device_rates found = {.size = rates->size};
    double seconds = 0;
    HOP_TRY(status, hop__device_of(context, &work.device));
    for (;;) {
        HOP_TRY(status, measure_rates(&work, &found, &seconds));
        uint64_t next = work.bytes * GROWTH, left = hop__device_left(work.device);
        if (seconds >= long_enough || next > LAST_BYTES || next > hop__device_room(work.device) ||
            next * ARRAYS > left / 4)
            break;
        work.bytes = next;
    }
    memcpy(rates, &found, rates->size < sizeof found ? rates->size : sizeof found);
done:
    return status;
}
