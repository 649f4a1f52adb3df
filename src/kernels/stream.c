/* SPDX-License-Identifier: Apache-2.0
 * Launches of stream_program.cl. */
#include "kernels/launching.h"

/* Launches `name` over `count` elements, of which it moves `bytes` each. */
static hop_status stream(hop__device *device, const hop__form *form, const char *name,
                         uint64_t count, uint64_t bytes, const hop__argument *arguments,
                         size_t argument_count) {
    hop__program *program;
    hop_status status = hop__form_program(device, form, &hop__program_stream, NULL, 0, &program);
    if (status != HOP_OK)
        return status;
    hop__shape shape = hop__form_shape(device, form, count);
    shape.bytes = count * bytes;
    shape.items = count;
    return hop__launch_named(program, name, shape, arguments, argument_count);
}

hop_status hop__stream_fill(hop__device *device, const hop__form *form, hop__element element,
                            hop__buffer *out, uint64_t count, uint64_t value) {
    size_t bytes = element_bytes(element);
    hop_status status = hop__buffer_holds(device, out, count, bytes, "fill");
    if (status != HOP_OK || count == 0)
        return status;
    hop__argument arguments[] = {hop__arg_buffer(out), hop__arg_u64(count),
                                 element == HOP__U32 ? hop__arg_u32((uint32_t)value)
                                                     : hop__arg_u64(value)};
    return stream(device, form, element == HOP__U32 ? "fill_u32" : "fill_u64", count, bytes,
                  arguments, HOP_LENGTH(arguments));
}

hop_status hop__stream_iota(hop__device *device, const hop__form *form, hop__buffer *out,
                            uint64_t count, uint32_t first) {
    hop_status status = hop__buffer_holds(device, out, count, 4, "iota");
    if (status != HOP_OK || count == 0)
        return status;
    hop__argument arguments[] = {hop__arg_buffer(out), hop__arg_u64(count), hop__arg_u32(first)};
    return stream(device, form, "iota_u32", count, 4, arguments, HOP_LENGTH(arguments));
}

hop_status hop__stream_copy(hop__device *device, const hop__form *form, const hop__buffer *in,
                            hop__buffer *out, uint64_t count) {
    hop_status status;
    HOP_TRY(status, hop__buffer_holds(device, in, count, 4, "copy: input"));
    HOP_TRY(status, hop__buffer_holds(device, out, count, 4, "copy: output"));
    if (count == 0)
        return HOP_OK;
    hop__argument arguments[] = {hop__arg_buffer(in), hop__arg_buffer(out), hop__arg_u64(count)};
    HOP_TRY(status, stream(device, form, "copy_u32", count, 8, arguments, HOP_LENGTH(arguments)));
done:
    return status;
}

hop_status hop__stream_gather(hop__device *device, const hop__form *form, hop__element element,
                              const hop__buffer *in, const hop__buffer *index, hop__buffer *out,
                              uint64_t count) {
    hop_status status;
    size_t bytes = element_bytes(element);
    HOP_TRY(status, hop__buffer_holds(device, index, count, 4, "gather: index"));
    HOP_TRY(status, hop__buffer_holds(device, out, count, bytes, "gather: output"));
    if (count == 0)
        return HOP_OK;
    hop__argument arguments[] = {hop__arg_buffer(in), hop__arg_buffer(index), hop__arg_buffer(out),
                                 hop__arg_u64(count)};
    HOP_TRY(status, stream(device, form, element == HOP__U32 ? "gather_u32" : "gather_u64", count,
                           4 + 2 * bytes, arguments, HOP_LENGTH(arguments)));
done:
    return status;
}

hop_status hop__stream_kiss(hop__device *device, const hop__form *form, hop__buffer *out,
                            uint64_t streams, uint32_t each, uint32_t seed, uint32_t first) {
    uint64_t count;
    if (!hop__mul_u64(streams, each, &count))
        count = UINT64_MAX;
    hop_status status = hop__buffer_holds(device, out, count, 4, "kiss");
    if (status != HOP_OK || count == 0)
        return status;
    hop__argument arguments[] = {hop__arg_buffer(out), hop__arg_u64(streams), hop__arg_u32(each),
                                 hop__arg_u32(seed), hop__arg_u32(first)};
    return stream(device, form, "kiss_u32", streams, 4 * (uint64_t)each, arguments,
                  HOP_LENGTH(arguments));
}
