/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches of scan_program.cl: prefix sums, reductions, compaction.
 *
 * Scan and compaction are the same three launches: one value per worker into `sums`, sums_scan over
 * these in one group, and the pass that writes. sums has one element more for the total. */
#include "kernels/launching.h"

enum { RANGE = 1024, PARTIALS_MOST = 4096, GROUP_MOST = 1024 };

static hop__workers workers_for(const hop__device *device, const hop__form *form, uint64_t count) {
    return hop__workers_for(device, form, count, hop__form_group(device, form), RANGE);
}

uint64_t hop__scan_scratch(const hop__device *device, const hop__form *form) {
    uint64_t sums = (uint64_t)workers_for(device, form, UINT64_MAX).count + 1;
    uint64_t partials = hop__form_shape(device, form, UINT64_MAX).groups[0];
    return 8 * (sums > partials ? sums : partials);
}

/* A worker has RANGE elements or more, unless there is but one group of them. */
uint64_t hop__compact_scratch(uint64_t count) {
    return 8 * (count / RANGE + GROUP_MOST + 1);
}

/* Makes of one value per worker what stands before each, and their total behind them. */
static hop_status scan_sums(hop__program *program, const char *name, hop__workers workers,
                            hop__buffer *sums) {
    hop__argument arguments[] = {hop__arg_buffer(sums), hop__arg_u32(workers.count)};
    return hop__launch_named(program, name, hop__shape_of(1, workers.group), arguments,
                             HOP_LENGTH(arguments));
}

hop_status hop__scan_exclusive(hop__device *device, const hop__form *form, hop__scan_kind kind,
                               const hop__buffer *in, hop__buffer *out, uint64_t count,
                               uint64_t *total) {
    static const char *const names[][3] = {{"scan_sum_u32", "sums_scan_u32", "scan_write_u32"},
                                           {"scan_sum_u64", "sums_scan_u64", "scan_write_u64"},
                                           {"scan_sum_wide", "sums_scan_u64", "scan_write_wide"}};
    size_t in_bytes = kind == HOP__SCAN_U64 ? 8 : 4, out_bytes = kind == HOP__SCAN_U32 ? 4 : 8;
    hop__workers workers = workers_for(device, form, count);
    hop__shape shape = hop__shape_of(workers.groups, workers.group);
    hop__program *program;
    hop__buffer *sums = NULL;
    hop_status status;
    uint64_t sum = 0;
    HOP_TRY(status, hop__buffer_holds(device, in, count, in_bytes, "scan: input"));
    HOP_TRY(status, hop__buffer_holds(device, out, count, out_bytes, "scan: output"));
    if (count > 0) {
        HOP_TRY(status, hop__form_program(device, form, &hop__program_scan, NULL, 0, &program));
        HOP_TRY(status, hop__buffer_create(device, "scan: sums of ranges",
                                           (workers.count + UINT64_C(1)) * out_bytes, &sums));
        hop__argument sum_arguments[] = {hop__arg_buffer(in), hop__arg_u64(count),
                                         hop__arg_buffer(sums)};
        shape.items = count;
        shape.bytes = count * in_bytes;
        HOP_TRY(status, hop__launch_named(program, names[kind][0], shape, sum_arguments,
                                          HOP_LENGTH(sum_arguments)));
        HOP_TRY(status, scan_sums(program, names[kind][1], workers, sums));
        hop__argument write_arguments[] = {hop__arg_buffer(in), hop__arg_buffer(out),
                                           hop__arg_u64(count), hop__arg_buffer(sums)};
        shape.bytes = count * (in_bytes + out_bytes);
        HOP_TRY(status, hop__launch_named(program, names[kind][2], shape, write_arguments,
                                          HOP_LENGTH(write_arguments)));
        if (total && kind == HOP__SCAN_U32) {
            uint32_t narrow;
            HOP_TRY(status, hop__buffer_read_now(sums, workers.count * UINT64_C(4), 4, &narrow));
            sum = narrow;
        } else if (total) {
            HOP_TRY(status, hop__buffer_read_now(sums, workers.count * UINT64_C(8), 8, &sum));
        }
    }
    if (total)
        *total = sum;
done:
    hop__buffer_free(sums);
    return status;
}

static uint64_t fold_two(hop__fold fold, uint64_t a, uint64_t b) {
    if (fold == HOP__SUM)
        return a + b;
    return (a < b) == (fold == HOP__MIN) ? a : b;
}

hop_status hop__reduce(hop__device *device, const hop__form *form, hop__element element,
                       hop__fold fold, const hop__buffer *in, uint64_t count, uint64_t *result) {
    static const char *const names[][2] = {{"reduce_sum_u32", "reduce_sum_u64"},
                                           {"reduce_min_u32", "reduce_min_u64"},
                                           {"reduce_max_u32", "reduce_max_u64"}};
    size_t bytes = element_bytes(element);
    hop__shape shape = hop__form_shape(device, form, count);
    uint64_t partials[PARTIALS_MOST];
    hop__program *program;
    hop__buffer *partial = NULL;
    hop_status status;
    *result = fold != HOP__MIN ? 0 : element == HOP__U32 ? UINT32_MAX : UINT64_MAX;
    HOP_TRY(status, hop__buffer_holds(device, in, count, bytes, "reduce"));
    if (count == 0)
        goto done;
    if (shape.groups[0] > PARTIALS_MOST)
        shape.groups[0] = PARTIALS_MOST;
    shape.items = count;
    shape.bytes = count * bytes;
    HOP_TRY(status, hop__form_program(device, form, &hop__program_scan, NULL, 0, &program));
    HOP_TRY(status, hop__buffer_create(device, "reduce: one value per group",
                                       shape.groups[0] * sizeof *partials, &partial));
    hop__argument arguments[] = {hop__arg_buffer(in), hop__arg_u64(count),
                                 hop__arg_buffer(partial)};
    HOP_TRY(status, hop__launch_named(program, names[fold][element], shape, arguments,
                                      HOP_LENGTH(arguments)));
    HOP_TRY(status, hop__buffer_read_now(partial, 0, shape.groups[0] * sizeof *partials, partials));
    for (uint32_t i = 0; i < shape.groups[0]; i++)
        *result = fold_two(fold, *result, partials[i]);
done:
    hop__buffer_free(partial);
    return status;
}

hop_status hop__compact(hop__device *device, const hop__form *form, const hop__buffer *values,
                        const hop__buffer *flags, uint64_t count, hop__buffer *out,
                        uint64_t *kept) {
    hop__workers workers = workers_for(device, form, count);
    hop__shape shape = hop__shape_of(workers.groups, workers.group);
    hop__program *program;
    hop__buffer *sums = NULL;
    hop_status status;
    *kept = 0;
    HOP_TRY(status, hop__buffer_holds(device, flags, count, 4, "compact: flags"));
    if (values)
        HOP_TRY(status, hop__buffer_holds(device, values, count, 4, "compact: values"));
    if (count == 0)
        goto done;
    HOP_TRY(status, hop__form_program(device, form, &hop__program_scan, NULL, 0, &program));
    HOP_TRY(status, hop__buffer_create(device, "compact: counts of ranges",
                                       (workers.count + UINT64_C(1)) * 8, &sums));
    hop__argument count_arguments[] = {hop__arg_buffer(flags), hop__arg_u64(count),
                                       hop__arg_buffer(sums)};
    shape.items = count;
    shape.bytes = count * 4;
    HOP_TRY(status, hop__launch_named(program, "compact_count", shape, count_arguments,
                                      HOP_LENGTH(count_arguments)));
    HOP_TRY(status, scan_sums(program, "sums_scan_u64", workers, sums));
    /* The number first: what does not fit must not be written. */
    HOP_TRY(status, hop__buffer_read_now(sums, workers.count * UINT64_C(8), 8, kept));
    HOP_TRY(status, hop__buffer_holds(device, out, *kept, 4, "compact: output"));
    if (*kept == 0)
        goto done;
    hop__argument write_arguments[] = {hop__arg_buffer(values ? values : flags),
                                       hop__arg_buffer(flags),
                                       hop__arg_u64(count),
                                       hop__arg_buffer(sums),
                                       hop__arg_buffer(out),
                                       hop__arg_u32(values == NULL)};
    shape.bytes = count * 4 + *kept * (values ? 8 : 4);
    HOP_TRY(status, hop__launch_named(program, "compact_write", shape, write_arguments,
                                      HOP_LENGTH(write_arguments)));
done:
    hop__buffer_free(sums);
    return status;
}
