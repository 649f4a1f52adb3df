/* SPDX-License-Identifier: Apache-2.0
 * The monotonic clock. */
#include "core/timing.h"

double hop__now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
