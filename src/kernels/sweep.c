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

static hop_status launch(hop__sweeper *sweeper, const hop__slice *slice) {
    sweeper->launches++;
    return hop__launch_named(sweeper->program, slice->kernel, slice->shape, slice->arguments,
                             slice->argument_count);
}

/* Slice number `number` once more, and those behind it, which have done nothing. */
static hop_status launch_again(hop__sweeper *sweeper, uint32_t number) {
    hop_status status;
    HOP_TRY(status, hop__sweep_clear(sweeper, HOP__FLAG_LEFT));
    for (uint32_t i = number; i <= sweeper->ahead_count; i++) {
        hop__slice *slice = &sweeper->ahead[i - 1];
        slice->arguments[2] = hop__arg_u32(2 * i + (i == number));
        slice->shape.items = slice->shape.bytes = 0; /* counted already */
        HOP_TRY(status, launch(sweeper, slice));
    }
done:
    return status;
}

/* Waits until nothing is left, and has the flags then. */
static hop_status settle(hop__sweeper *sweeper, uint32_t flags[HOP__FLAGS], bool *late) {
    hop_context *context = hop__device_context(sweeper->device);
    hop_status status;
    bool again = false;
    for (;;) {
        HOP_TRY(status, hop__buffer_read_now(sweeper->flags, 0, HOP__FLAGS * 4, flags));
        if (flags[HOP__FLAG_LEFT] == 0)
            break;
        again = true;
        if (!hop__progress_add(context, 0))
            return hop__progress_end(context);
        HOP_TRY(status, launch_again(sweeper, flags[HOP__FLAG_LEFT]));
    }
    sweeper->ahead_count = 0;
done:
    if (late)
        *late = again;
    return status;
}

hop_status hop__sweep_settle(hop__sweeper *sweeper, bool *late) {
    uint32_t flags[HOP__FLAGS];
    if (sweeper->ahead_count > 0)
        return settle(sweeper, flags, late);
    if (late)
        *late = false;
    return HOP_OK;
}

hop_status hop__sweep_read(hop__sweeper *sweeper, unsigned flag, uint32_t *value, bool *late) {
    uint32_t flags[HOP__FLAGS] = {0};
    hop_status status = settle(sweeper, flags, late);
    *value = flags[flag];
    return status;
}

/* Waits when it `must` know that the slice is done. */
static hop_status launch_slice(hop__sweeper *sweeper, const hop__sweep *sweep, uint64_t first,
                               uint64_t count, bool must) {
    hop__slice one, *slice = sweep->may_leave ? &sweeper->ahead[sweeper->ahead_count++] : &one;
    size_t own = sweep->may_leave ? 4 : 2;
    bool spread = sweep->items > 1 && !hop__form_chunked(sweeper->device, &sweeper->form);
    hop_status status;
    slice->kernel = sweep->kernel;
    slice->shape = hop__sweep_shape(sweeper, spread ? count * sweep->items : count);
    slice->shape.items = count;
    slice->shape.bytes = count * sweep->bytes;
    slice->arguments[0] = hop__arg_u64(first);
    slice->arguments[1] = hop__arg_u64(count);
    if (sweep->may_leave) {
        slice->arguments[2] = hop__arg_u32(2 * sweeper->ahead_count);
        slice->arguments[3] = hop__arg_buffer(sweeper->flags);
    }
    memcpy(slice->arguments + own, sweep->arguments,
           sweep->argument_count * sizeof *sweep->arguments);
    slice->argument_count = own + sweep->argument_count;
    HOP_TRY(status, launch(sweeper, slice));
    if (sweep->may_leave && (must || sweeper->ahead_count == HOP__SWEEP_AHEAD))
        status = hop__sweep_settle(sweeper, NULL);
    else if (must)
        status = hop__device_finish(sweeper->device);
done:
    return status;
}

hop_status hop__sweep_run(hop__sweeper *sweeper, const hop__sweep *sweep) {
    hop_context *context = hop__device_context(sweeper->device);
    hop__pace *pace = pace_of(sweeper, sweep->kernel);
    hop_status status = HOP_OK;
    if (!sweep->may_leave && !sweep->early)
        HOP_TRY(status, hop__sweep_settle(sweeper, NULL));
    for (uint64_t first = 0; first < sweep->count;) {
        uint64_t count = sweep->count - first, most = pace->slice;
        if (sweeper->slice_most != 0 && most > sweeper->slice_most)
            most = sweeper->slice_most;
        if (most > hop__device_slice_most(sweeper->device))
            most = hop__device_slice_most(sweeper->device);
        if (count > most)
            count = most;
        bool must = count < sweep->count;
        if (must) /* the time is to be this slice's */
            HOP_TRY(status, hop__sweep_settle(sweeper, NULL));
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
