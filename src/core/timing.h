/* SPDX-License-Identifier: Apache-2.0
 * Clocks. Only differences mean something. */
#ifndef HOPLITE_CORE_TIMING_H
#define HOPLITE_CORE_TIMING_H

#include <stdint.h>
#include <time.h>

#include "hoplite/status.h"

/* Nanoseconds on a clock of the system. */
static inline uint64_t hop__clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Seconds on a clock that never goes back. */
HOP_API double hop__now(void);

#endif
