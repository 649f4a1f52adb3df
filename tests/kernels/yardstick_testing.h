/* SPDX-License-Identifier: Apache-2.0
 * The program of yardstick_program.cl, which the build embeds for tests and measurements. */
#ifndef HOPLITE_TESTS_YARDSTICK_TESTING_H
#define HOPLITE_TESTS_YARDSTICK_TESTING_H

#include "kernels/launching.h"

extern const hop__program_source hop__program_yardstick;

enum { YARDSTICK_MORE = 3 };

/* Launches kernel `name` on `out` and `count`, and `more` arguments; an element moves `bytes`. */
static inline hop_status yardstick(hop__device *device, const hop__form *form, const char *name,
                                   hop__buffer *out, uint64_t count, uint64_t bytes,
                                   const hop__argument *more, size_t more_count) {
    hop__argument arguments[2 + YARDSTICK_MORE] = {hop__arg_buffer(out), hop__arg_u64(count)};
    hop__program *program;
    hop_status status = hop__form_program(device, form, &hop__program_yardstick, NULL, 0, &program);
    if (status != HOP_OK || count == 0)
        return status;
    for (size_t i = 0; i < more_count && i < YARDSTICK_MORE; i++)
        arguments[2 + i] = more[i];
    hop__shape shape = hop__form_shape(device, form, count);
    shape.bytes = count * bytes;
    shape.items = count;
    return hop__launch_named(program, name, shape, arguments, 2 + more_count);
}

#endif
