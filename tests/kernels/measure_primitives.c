/* SPDX-License-Identifier: Apache-2.0
 *
 * usage: measure_primitives DEVICE [ELEMENTS [ROUNDS]]
 *
 * Bytes per second of the device primitives by the device's own clock, and as a part of what its
 * copy kernel moves: the figures of docs/measurements. Best of several rounds, all kernels in
 * turn in each, on 2^26 elements unless told otherwise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "core/try.h"
#include "kernels/primitives.h"
#include "kernels/yardstick_testing.h"

enum { NAMES = 64 };

typedef struct best {
    const char *name;
    double rate;
} best;

static best found[NAMES];
static size_t found_count;

static void note(const hop__tally *tally) {
    double rate = (double)tally->bytes / tally->seconds;
    size_t i = 0;
    if (tally->calls == 0 || tally->bytes == 0 || tally->copy)
        return;
    while (i < found_count && strcmp(found[i].name, tally->name) != 0)
        i++;
    if (i == found_count && found_count < NAMES)
        found[found_count++] = (best){tally->name, 0};
    if (i < found_count && rate > found[i].rate)
        found[i].rate = rate;
}

static hop_status launch_all(hop__device *device, hop__buffer **b, uint64_t count) {
    hop_status status;
    uint64_t result;
    const hop__argument zero = hop__arg_u32(0), source = hop__arg_buffer(b[0]);
    hop__sortable sortable = {.count = count / 2, .keys = b[4], .spare_keys = b[1]};
    HOP_TRY(status, yardstick(device, NULL, "fill_u32", b[1], count, 4, &zero, 1));
    HOP_TRY(status, yardstick(device, NULL, "iota_u32", b[1], count, 4, &zero, 1));
    HOP_TRY(status, yardstick(device, NULL, "copy_u32", b[1], count, 8, &source, 1));
    HOP_TRY(status, hop__gather(device, NULL, b[0], b[2], b[1], count));
    HOP_TRY(status, hop__scan_exclusive(device, NULL, b[0], b[1], count));
    HOP_TRY(status, hop__compact(device, NULL, b[3], count, b[1], &result));
    HOP_TRY(status, hop__buffer_copy(b[0], 0, b[4], 0, count * 4));
    HOP_TRY(status, hop__radix_sort(device, NULL, &sortable, 0, 64));
    HOP_TRY(status, hop__device_finish(device));
done:
    return status;
}

static hop_status fill_inputs(hop__device *device, hop__buffer **b, uint64_t count) {
    hop_status status = HOP_ERR_MEMORY;
    uint32_t *words = malloc(count * sizeof *words);
    if (words == NULL)
        goto done;
    for (uint64_t i = 0; i < count; i++)
        words[i] = (uint32_t)hop__random_at(1, 0, i);
    HOP_TRY(status, hop__buffer_write(b[0], 0, count * 4, words));
    HOP_TRY(status, hop__device_finish(device));
    for (uint64_t i = 0; i < count; i++)
        words[i] = (uint32_t)hop__random_below(hop__random_at(2, 0, i), count);
    HOP_TRY(status, hop__buffer_write(b[2], 0, count * 4, words));
    HOP_TRY(status, hop__device_finish(device));
    for (uint64_t i = 0; i < count; i++)
        words[i] &= 1;
    HOP_TRY(status, hop__buffer_write(b[3], 0, count * 4, words));
    HOP_TRY(status, hop__device_finish(device));
done:
    free(words);
    return status;
}

static hop_status measure(hop_context *context, uint64_t count, unsigned rounds) {
    hop__device *device = NULL;
    hop__buffer *buffers[5] = {NULL};
    hop_status status;
    HOP_TRY(status, hop__device_of(context, &device));
    for (size_t i = 0; i < 5; i++)
        HOP_TRY(status, hop__buffer_create(device, "array", count * 4, &buffers[i]));
    HOP_TRY(status, fill_inputs(device, buffers, count));
    for (unsigned round = 0; round <= rounds; round++) {
        hop__device_tally_reset(device);
        HOP_TRY(status, launch_all(device, buffers, count));
        /* The first round compiles. */
        for (size_t i = 0; round > 0 && hop__device_tally(device, i) != NULL; i++)
            note(hop__device_tally(device, i));
    }
done:
    hop__device_settle(device, status);
    for (size_t i = 0; i < 5; i++)
        hop__buffer_free(buffers[i]);
    return status;
}

int main(int argc, char **argv) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : UINT64_C(1) << 26;
    double copy = 1;
    options.device = argc > 1 ? argv[1] : "opencl:0.0";
    if (hop_context_create(&options, &context) != HOP_OK)
        return 2;
    hop_status status = measure(context, count, argc > 3 ? (unsigned)atoi(argv[3]) : 5);
    if (status != HOP_OK)
        fprintf(stderr, "%s: %s\n", hop_status_name(status), hop_context_message(context));
    for (size_t i = 0; i < found_count; i++)
        if (strcmp(found[i].name, "copy_u32") == 0)
            copy = found[i].rate;
    for (size_t i = 0; i < found_count; i++)
        printf("%-20s %8.2f GB/s %6.2f of copy\n", found[i].name, found[i].rate * 1e-9,
               found[i].rate / copy);
    hop_context_free(context);
    return status == HOP_OK ? 0 : 1;
}
