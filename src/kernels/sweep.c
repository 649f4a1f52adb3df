/* SPDX-License-Identifier: Apache-2.0
 * Launching slice by slice; see sweep.h. */
#include "kernels/sweep.h"

#include <string.h>

#include "core/progress.h"
#include "core/timing.h"
#include "kernels/launching.h"

/* A slice is meant to take between half of this and all of it: ten fit into the time within which a
 * cancel is promised to act, and beside it a launch (some 20 us) is nothing. */
#define SLICE_SECONDS 0.02
enum { SLICE_FIRST = 1 << 18, SLICE_FIRST_MANY = 1 << 24, SLICE_LEAST = 1 << 10 };

hop_status hop__sweeper_begin(hop__device *device, const hop__form *form, hop__program *program,
                              hop__sweeper *sweeper) {
    *sweeper = (hop__sweeper){.device = device, .program = program};
    if (form)
        sweeper->form = *form;
    hop_status status =
        hop__buffer_create(device, "flags of kernels", HOP__FLAGS * 4, &sweeper->flags);
    return status == HOP_OK ? hop__buffer_fill(sweeper->flags, 0, HOP__FLAGS * 4, 0) : status;
}

void hop__sweeper_end(hop__sweeper *sweeper) {
    hop__buffer_free(sweeper->flags);
    sweeper->flags = NULL;
}

hop_status hop__sweep_clear(hop__sweeper *sweeper, unsigned flag) {
    return hop__buffer_fill(sweeper->flags, flag * 4, 4, 0);
}

hop_status hop__sweep_read(hop__sweeper *sweeper, unsigned flag, uint32_t *value) {
    return hop__buffer_read_now(sweeper->flags, flag * 4, 4, value);
}

hop__shape hop__sweep_shape(const hop__sweeper *sweeper, uint64_t count) {
    return hop__form_shape(sweeper->device, &sweeper->form, count);
}

/* With the table full the last entry is shared: slices are then guessed anew, never wrong. */
static hop__pace *pace_of(hop__sweeper *sweeper, const char *kernel) {
    for (size_t i = 0; i < sweeper->pace_count; i++)
        if (strcmp(sweeper->paces[i].kernel, kernel) == 0)
            return &sweeper->paces[i];
    if (sweeper->pace_count < HOP__SWEEP_PACES)
        sweeper->pace_count++;
    hop__pace *pace = &sweeper->paces[sweeper->pace_count - 1];
    /* A GPU does 2^24 elements in some milliseconds; each slice less saves a wait. */
    bool few = (hop__device_info(sweeper->device)->capabilities & HOP_DEVICE_FEW) != 0;
    *pace = (hop__pace){kernel, few ? SLICE_FIRST : SLICE_FIRST_MANY};
    return pace;
}

static void pace_adapt(hop__pace *pace, uint64_t count, double seconds) {
    if (seconds > SLICE_SECONDS && count > SLICE_LEAST)
        pace->slice = count / 2;
    else if (seconds < SLICE_SECONDS / 2 && count >= pace->slice)
        pace->slice = count * 2;
}

/* One slice, with as many trips as it needs. Waits when it `must` know that the slice is done. */
static hop_status launch_slice(hop__sweeper *sweeper, const hop__sweep *sweep, uint64_t first,
                               uint64_t count, bool must) {
    hop__argument arguments[HOP__SWEEP_ARGUMENTS] = {hop__arg_u64(first), hop__arg_u64(count)};
    size_t own = sweep->may_leave ? 4 : 2;
    bool spread = sweep->items > 1 && !hop__form_chunked(sweeper->device, &sweeper->form);
    hop__shape shape = hop__sweep_shape(sweeper, spread ? count * sweep->items : count);
    uint32_t left = sweep->may_leave;
    hop_status status = HOP_OK;
    shape.items = count;
    shape.bytes = count * sweep->bytes;
    memcpy(arguments + own, sweep->arguments, sweep->argument_count * sizeof *arguments);
    for (uint32_t trip = 0; trip == 0 || left; trip++) {
        if (sweep->may_leave) {
            arguments[2] = hop__arg_u32(trip);
            arguments[3] = hop__arg_buffer(sweeper->flags);
            HOP_TRY(status, hop__sweep_clear(sweeper, HOP__FLAG_LEFT));
        }
        HOP_TRY(status, hop__launch_named(sweeper->program, sweep->kernel, shape, arguments,
                                          own + sweep->argument_count));
        sweeper->launches++;
        if (sweep->may_leave)
            HOP_TRY(status, hop__sweep_read(sweeper, HOP__FLAG_LEFT, &left));
        else if (must)
            HOP_TRY(status, hop__device_finish(sweeper->device));
        if (left && !hop__progress_add(hop__device_context(sweeper->device), 0))
            return hop__progress_end(hop__device_context(sweeper->device));
        shape.items = shape.bytes = 0; /* later trips only go on */
    }
done:
    return status;
}

hop_status hop__sweep_run(hop__sweeper *sweeper, const hop__sweep *sweep) {
    hop_context *context = hop__device_context(sweeper->device);
    hop__pace *pace = pace_of(sweeper, sweep->kernel);
    hop_status status = HOP_OK;
    for (uint64_t first = 0; first < sweep->count;) {
        uint64_t count = sweep->count - first, most = pace->slice;
        if (sweeper->slice_most != 0 && most > sweeper->slice_most)
            most = sweeper->slice_most;
        if (most > hop__device_slice_most(sweeper->device))
            most = hop__device_slice_most(sweeper->device);
        if (count > most)
            count = most;
        bool must = count < sweep->count;
        double begin = hop__now();
        HOP_TRY(status, launch_slice(sweeper, sweep, first, count, must));
        if (must)
            pace_adapt(pace, count, hop__now() - begin);
        if (!hop__progress_add(context, count))
            return hop__progress_end(context);
        first += count;
    }
done:
    return status;
}

hop_status hop__sweep_over(hop__sweeper *sweeper, const char *kernel, uint64_t count,
                           uint64_t bytes, const hop__argument *arguments, size_t argument_count) {
    hop__sweep sweep = {.kernel = kernel,
                        .count = count,
                        .bytes = bytes,
                        .arguments = arguments,
                        .argument_count = argument_count};
    return hop__sweep_run(sweeper, &sweep);
}
