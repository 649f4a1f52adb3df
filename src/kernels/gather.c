/* SPDX-License-Identifier: Apache-2.0
 * Launches of gather_program.cl. */
#include "kernels/launching.h"

hop_status hop__gather(hop__device *device, const hop__form *form, const hop__buffer *in,
                       const hop__buffer *index, hop__buffer *out, uint64_t count) {
    hop__program *program;
    hop_status status;
    HOP_TRY(status, hop__buffer_holds(device, index, count, 4, "gather: index"));
    HOP_TRY(status, hop__buffer_holds(device, out, count, 4, "gather: output"));
    if (count == 0)
        return HOP_OK;
    HOP_TRY(status, hop__form_program(device, form, &hop__program_gather, NULL, 0, &program));
    hop__shape shape = hop__form_shape(device, form, count);
    shape.bytes = count * 12;
    shape.items = count;
    hop__argument arguments[] = {hop__arg_buffer(in), hop__arg_buffer(index), hop__arg_buffer(out),
                                 hop__arg_u64(count)};
    HOP_TRY(status, hop__launch_named(program, "gather", shape, arguments, HOP_LENGTH(arguments)));
done:
    return status;
}

hop_status hop__raise(hop__device *device, const hop__form *form, hop__buffer *words,
                      const hop__buffer *index, uint64_t count) {
    hop__program *program;
    hop_status status;
    HOP_TRY(status, hop__buffer_holds(device, index, count, 4, "raise: index"));
    if (count == 0)
        return HOP_OK;
    HOP_TRY(status, hop__form_program(device, form, &hop__program_gather, NULL, 0, &program));
    hop__shape shape = hop__form_shape(device, form, count);
    shape.bytes = count * 12;
    shape.items = count;
    hop__argument arguments[] = {hop__arg_buffer(words), hop__arg_buffer(index),
                                 hop__arg_u64(count)};
    HOP_TRY(status, hop__launch_named(program, "raise", shape, arguments, HOP_LENGTH(arguments)));
done:
    return status;
}
