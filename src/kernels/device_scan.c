/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches of scan_program.cl: prefix sums, compaction.
 *
 * Scan and compaction are the same three launches: one value per worker into `sums`, sums_scan over
 * these in one group, and the pass that writes. sums has one element more for the total. */
#include "kernels/launching.h"

enum { RANGE = 1024, GROUP_MOST = 1024 };

static hop__workers workers_for(const hop__device *device, const hop__form *form, uint64_t count) {
    return hop__workers_for(device, form, count, hop__form_group(device, form), RANGE);
}

uint64_t hop__scan_scratch(const hop__device *device, const hop__form *form) {
    return 4 * ((uint64_t)workers_for(device, form, UINT64_MAX).count + 1);
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

hop_status hop__scan_exclusive(hop__device *device, const hop__form *form, const hop__buffer *in,
                               hop__buffer *out, uint64_t count) {
    hop__workers workers = workers_for(device, form, count);
    hop__shape shape = hop__shape_of(workers.groups, workers.group);
    hop__program *program;
    hop__buffer *sums = NULL;
    hop_status status;
    HOP_TRY(status, hop__buffer_holds(device, in, count, 4, "scan: input"));
    HOP_TRY(status, hop__buffer_holds(device, out, count, 4, "scan: output"));
    if (count == 0)
        goto done;
    HOP_TRY(status, hop__form_program(device, form, &hop__program_scan, NULL, 0, &program));
    HOP_TRY(status, hop__buffer_create(device, "scan: sums of ranges",
                                       (workers.count + UINT64_C(1)) * 4, &sums));
    hop__argument sum_arguments[] = {hop__arg_buffer(in), hop__arg_u64(count),
                                     hop__arg_buffer(sums)};
    shape.items = count;
    shape.bytes = count * 4;
    HOP_TRY(status, hop__launch_named(program, "scan_sum", shape, sum_arguments,
                                      HOP_LENGTH(sum_arguments)));
    HOP_TRY(status, scan_sums(program, "sums_scan_u32", workers, sums));
    hop__argument write_arguments[] = {hop__arg_buffer(in), hop__arg_buffer(out),
                                       hop__arg_u64(count), hop__arg_buffer(sums)};
    shape.bytes = count * 8;
    HOP_TRY(status, hop__launch_named(program, "scan_write", shape, write_arguments,
                                      HOP_LENGTH(write_arguments)));
done:
    hop__buffer_free(sums);
    return status;
}

hop_status hop__compact(hop__device *device, const hop__form *form, const hop__buffer *flags,
                        uint64_t count, hop__buffer *out, uint64_t *kept) {
    hop__workers workers = workers_for(device, form, count);
    hop__shape shape = hop__shape_of(workers.groups, workers.group);
    hop__program *program;
    hop__buffer *sums = NULL;
    hop_status status;
    *kept = 0;
    HOP_TRY(status, hop__buffer_holds(device, flags, count, 4, "compact: flags"));
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
    hop__argument write_arguments[] = {hop__arg_buffer(flags), hop__arg_u64(count),
                                       hop__arg_buffer(sums), hop__arg_buffer(out)};
    shape.bytes = count * 4 + *kept * 4;
    HOP_TRY(status, hop__launch_named(program, "compact_write", shape, write_arguments,
                                      HOP_LENGTH(write_arguments)));
done:
    hop__buffer_free(sums);
    return status;
}
