/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches of sort_program.cl. A pass sorts by one digit: count, scan of the counts, move. The last
 * digit may be narrower. */
#include "kernels/launching.h"

/* A worker's range is worth its counters when it is a few times as long as there are of them. On
 * CPUs, where every item has counters of its own, groups are small. */
enum { CHUNKED_BITS = 8, CHUNKED_GROUP = 8, GROUP_BITS = 4, RANGE = 2048, KEY_BYTES = 8 };

static unsigned digit_bits(const hop__device *device, const hop__form *form) {
    return hop__form_chunked(device, form) ? CHUNKED_BITS : GROUP_BITS;
}

/* The form of the sort's own kernels: a group of a size that suits them, unless one is asked for,
 * and whose counters fit in the memory of a group. */
static hop__form own_form(const hop__device *device, const hop__form *form) {
    enum { ITEM_BYTES = ((1 << GROUP_BITS) + 2) * 4, MORE_BYTES = (1 << GROUP_BITS) * 4 };
    hop__form own = form ? *form : (hop__form){0};
    bool chunked = hop__form_chunked(device, form);
    if (own.group == 0 && chunked)
        own.group = CHUNKED_GROUP;
    own.group = hop__form_group(device, &own);
    while (!chunked && own.group > 1 &&
           own.group * (uint64_t)ITEM_BYTES + MORE_BYTES > hop__device_info(device)->local_memory)
        own.group /= 2;
    return own;
}

static hop__workers workers_for(const hop__device *device, const hop__form *own, uint64_t count) {
    return hop__workers_for(device, own, count, hop__form_group(device, own), RANGE);
}

uint64_t hop__sort_scratch(const hop__device *device, const hop__form *form) {
    hop__form own = own_form(device, form);
    return ((uint64_t)workers_for(device, &own, UINT64_MAX).count << digit_bits(device, form)) * 4 +
           hop__scan_scratch(device, form);
}

/* From keys and values to the spare ones, by the digit at `shift`; then exchanges them. */
static hop_status pass(hop__device *device, const hop__form *form, hop__program *program,
                       hop__workers workers, hop__sortable *sortable, unsigned shift, unsigned mask,
                       hop__buffer *counts) {
    hop__sortable *s = sortable;
    hop__shape shape = hop__shape_of(workers.groups, workers.group);
    hop_status status;
    hop__argument count_arguments[] = {hop__arg_buffer(s->keys), hop__arg_u64(s->count),
                                       hop__arg_u32(shift), hop__arg_u32(mask),
                                       hop__arg_buffer(counts)};
    shape.items = s->count;
    shape.bytes = s->count * KEY_BYTES;
    HOP_TRY(status, hop__launch_named(program, "sort_count", shape, count_arguments,
                                      HOP_LENGTH(count_arguments)));
    HOP_TRY(status, hop__scan_exclusive(device, form, counts, counts,
                                        (uint64_t)workers.count << digit_bits(device, form)));
    hop__argument keys_only[] = {hop__arg_buffer(s->keys), hop__arg_u64(s->count),
                                 hop__arg_u32(shift),      hop__arg_u32(mask),
                                 hop__arg_buffer(counts),  hop__arg_buffer(s->spare_keys)};
    hop__argument pairs[] = {hop__arg_buffer(s->keys),
                             hop__arg_buffer(s->values),
                             hop__arg_u64(s->count),
                             hop__arg_u32(shift),
                             hop__arg_u32(mask),
                             hop__arg_buffer(counts),
                             hop__arg_buffer(s->spare_keys),
                             hop__arg_buffer(s->spare_values)};
    shape.bytes = s->count * (s->values ? 2u * KEY_BYTES + 8 : 2u * KEY_BYTES);
    HOP_TRY(status, hop__launch_named(program, s->values ? "sort_move_pairs" : "sort_move", shape,
                                      s->values ? pairs : keys_only,
                                      s->values ? HOP_LENGTH(pairs) : HOP_LENGTH(keys_only)));
    hop__buffer *keys = s->keys, *values = s->values;
    s->keys = s->spare_keys;
    s->values = s->spare_values;
    s->spare_keys = keys;
    s->spare_values = values;
done:
    return status;
}

static hop_status check(hop__device *device, const hop__sortable *sortable, unsigned bits) {
    const hop__sortable *s = sortable;
    hop_status status;
    if (bits > 8 * KEY_BYTES || s->count > UINT32_MAX || (s->values && !s->spare_values))
        return hop__fail(hop__device_context(device), HOP_ERR_ARGUMENT,
                         "radix sort: %u bits of %d-byte keys, %llu of them: at most %d bits, "
                         "2^32 - 1 keys, and room for values beside values",
                         bits, KEY_BYTES, (unsigned long long)s->count, 8 * KEY_BYTES);
    HOP_TRY(status, hop__buffer_holds(device, s->keys, s->count, KEY_BYTES, "radix sort: keys"));
    HOP_TRY(status,
            hop__buffer_holds(device, s->spare_keys, s->count, KEY_BYTES, "radix sort: room"));
    if (s->values) {
        HOP_TRY(status, hop__buffer_holds(device, s->values, s->count, 4, "radix sort: values"));
        HOP_TRY(status, hop__buffer_holds(device, s->spare_values, s->count, 4,
                                          "radix sort: room for values"));
    }
done:
    return status;
}

hop_status hop__radix_sort(hop__device *device, const hop__form *form, hop__sortable *sortable,
                           unsigned low, unsigned bits) {
    hop__form own = own_form(device, form);
    hop__workers workers = workers_for(device, &own, sortable->count);
    unsigned digit = digit_bits(device, form);
    hop__define define = {"DIGIT_BITS", digit};
    hop__program *program;
    hop__buffer *counts = NULL;
    hop_status status;
    HOP_TRY(status, check(device, sortable, low + bits));
    if (sortable->count == 0)
        goto done;
    HOP_TRY(status, hop__form_program(device, &own, &hop__program_sort, &define, 1, &program));
    HOP_TRY(status, hop__buffer_create(device, "radix sort: counts of digits",
                                       ((uint64_t)workers.count << digit) * 4, &counts));
    for (unsigned shift = low; shift < low + bits; shift += digit) {
        unsigned width = low + bits - shift < digit ? low + bits - shift : digit;
        HOP_TRY(status,
                pass(device, form, program, workers, sortable, shift, (1u << width) - 1, counts));
    }
done:
    hop__buffer_free(counts);
    return status;
}
