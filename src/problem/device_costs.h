/* SPDX-License-Identifier: Apache-2.0
 *
 * What a variant is expected to take on a device: what it does, counted by its row, times what each
 * of that takes there. The latter are the constants of the device, measured by `hoplite tune
 * --device` or assumed by its kind (hoplite/tuning.h); so a row says nothing about any device.
 *
 * The sum has no overlap and no caches: it is for comparing rows, not for telling times. */
#ifndef HOPLITE_PROBLEM_DEVICE_COSTS_H
#define HOPLITE_PROBLEM_DEVICE_COSTS_H

#include "core/tuning_constants.h"
#include "hoplite/device.h"

/* What a run does, as far as it is known before. */
typedef struct hop__device_work {
    double bytes;   /* read and written side by side */
    double gathers; /* words read or written anywhere */
    double atomics; /* on words anywhere */
    double steps;   /* sums with minima that stay in registers and local memory */
    double waits;   /* of the host for a launch; one that is not waited for is a quarter of it */
    double copied;  /* bytes over the bus, without those that the row's copy() tells */
} hop__device_work;

typedef struct hop__device_constants {
    double values[HOP__DEVICE_CONSTANTS]; /* nanoseconds */
    unsigned measured;                    /* how many; the others are assumed */
    bool processor;                       /* those are of one: it has HOP_DEVICE_CHUNKED */
} hop__device_constants;

/* The constants of a device, as the context has them. */
hop__device_constants hop__device_constants_of(const hop_context *context,
                                               const hop_device_info *device);

/* Nanoseconds, where the row's copy() tells of `missing` bytes. */
double hop__device_cost(const hop__device_constants *constants, const hop__device_work *work,
                        uint64_t missing);

/* "by measured constants", or by which assumed ones: for reasons. */
const char *hop__device_constants_text(const hop__device_constants *constants);

#endif
