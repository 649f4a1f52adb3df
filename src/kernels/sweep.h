/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels over long ranges, launched slice by slice. No launch takes long (so that watchdogs of
 * display devices stay away), and between slices the run can be cancelled.
 *
 * A kernel that is swept has the parameters (u64 first, u64 count, ...) and does [first, first +
 * count). One that `may_leave` work, because its loops per element are bounded, has (u64 first, u64
 * count, u32 turn, GLOBAL u32 *flags, ...), and is launched again until none is left. Such slices
 * are put into the queue one behind the other, and waited for together:
 *  1. A turn is twice the slice's number, from 1 on; one more when the slice is launched again.
 *  2. A slice that was not through sets flags[HOP__FLAG_LEFT] to its number.
 *  3. One that finds the number of another there does nothing: it comes again, when that is done.
 * So a slice finds the work of those before it done, or does nothing. */
#ifndef HOPLITE_KERNELS_SWEEP_H
#define HOPLITE_KERNELS_SWEEP_H

#include "kernels/primitives.h"

enum { HOP__FLAG_LEFT = 0, HOP__FLAG_CHANGED = 1, HOP__FLAGS = 4 };
enum { HOP__SWEEP_ARGUMENTS = 20, HOP__SWEEP_PACES = 12, HOP__SWEEP_AHEAD = 8 };

/* How many elements of a kernel make a slice of the right length, by those that were measured. */
typedef struct hop__pace {
    const char *kernel;
    uint64_t slice;
} hop__pace;

/* One that is in the queue, and may have left work. */
typedef struct hop__slice {
    const char *kernel;
    hop__shape shape;
    hop__argument arguments[HOP__SWEEP_ARGUMENTS];
    size_t argument_count;
} hop__slice;

typedef struct hop__sweeper {
    hop__device *device;
    hop__form form;
    hop__program *program;
    hop__buffer *flags;  /* HOP__FLAGS words */
    uint64_t slice_most; /* elements; 0: by time alone. For tests, and for arrays per item */
    hop__pace paces[HOP__SWEEP_PACES];
    size_t pace_count;
    hop__slice ahead[HOP__SWEEP_AHEAD];
    uint32_t ahead_count;
    uint64_t launches;
} hop__sweeper;

typedef struct hop__sweep {
    const char *kernel;
    uint64_t count;
    uint64_t bytes; /* of global memory per element, for the report */
    bool may_leave;
    const hop__argument *arguments; /* after those named above */
    size_t argument_count;
    uint32_t items; /* that an element is for, where there are as many as a GPU has; 0: one */
    bool early;     /* may run before slices ahead are done; see hop__sweep_settle */
} hop__sweep;

/* `program` NULL: set later. hop__sweeper_end accepts one that begin has failed on. */
hop_status hop__sweeper_begin(hop__device *device, const hop__form *form, hop__program *program,
                              hop__sweeper *sweeper);
void hop__sweeper_end(hop__sweeper *sweeper);

/* Counts elements as progress. HOP_ERR_CANCELLED when the callback asks to stop. A range of one
 * slice is not waited for; if it may leave work, its buffers stay until hop__sweep_settle. */
hop_status hop__sweep_run(hop__sweeper *sweeper, const hop__sweep *sweep);
/* The same for a kernel that leaves nothing: over [0, count), `bytes` for an element. */
hop_status hop__sweep_over(hop__sweeper *sweeper, const char *kernel, uint64_t count,
                           uint64_t bytes, const hop__argument *arguments, size_t argument_count);
/* Groups and items that a slice of `count` elements is launched with. */
hop__shape hop__sweep_shape(const hop__sweeper *sweeper, uint64_t count);

/* Waits until nothing is left of the slices ahead. *late (NULL: not asked): something was, so what
 * was put into the queue behind them by other means has to be repeated. */
hop_status hop__sweep_settle(hop__sweeper *sweeper, bool *late);

/* Flags that kernels set: cleared in the queue, read after settling, by the same wait. */
hop_status hop__sweep_clear(hop__sweeper *sweeper, unsigned flag);
hop_status hop__sweep_read(hop__sweeper *sweeper, unsigned flag, uint32_t *value, bool *late);

#endif
