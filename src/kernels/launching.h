/* SPDX-License-Identifier: Apache-2.0
 * What the files of this folder share to launch kernels. */
#ifndef HOPLITE_KERNELS_LAUNCHING_H
#define HOPLITE_KERNELS_LAUNCHING_H

#include "core/checked.h"
#include "core/try.h"
#include "kernels/primitives.h"
#include "kernels/programs.h"

/* HOP_ERR_ARGUMENT when the buffer has no room for `count` elements. */
hop_status hop__buffer_holds(hop__device *device, const hop__buffer *buffer, uint64_t count,
                             size_t bytes, const char *what);
/* Gets kernel `name` and launches it. */
hop_status hop__launch_named(hop__program *program, const char *name, hop__shape shape,
                             const hop__argument *arguments, size_t argument_count);

/* Workers for a kernel that cuts its work into one range per worker: groups, or items of chunked
 * kernels. Enough for the device; fewer where ranges would have less than `range` elements. */
typedef struct hop__workers {
    uint32_t group, groups, count;
} hop__workers;
hop__workers hop__workers_for(const hop__device *device, const hop__form *form, uint64_t count,
                              uint32_t group, uint64_t range);

#endif
