/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the device primitives share: they run on every device, in several forms, with
 * counts around the sizes of a group and of a tile, and one of many groups.
 *
 * HOPLITE_TEST_DEVICE_MOST   leaves out larger counts, for slow devices: Oclgrind, fibers
 * HOPLITE_TEST_DEVICE_LARGE  1: also 2^26 elements, in the device's own form alone */
#ifndef HOPLITE_TESTS_KERNELS_TESTING_H
#define HOPLITE_TESTS_KERNELS_TESTING_H

#include <stdlib.h>

#include "core/rng.h"
#include "device/device_testing.h"
#include "kernels/primitives.h"

enum { LARGE = 1 << 26 };

typedef void (*sized_body)(hop__device *device, const hop__form *form, uint64_t count);

static inline uint64_t most_elements(void) {
    const char *text = getenv("HOPLITE_TEST_DEVICE_MOST");
    return text ? strtoull(text, NULL, 10) : UINT64_MAX;
}

static inline bool large_asked(void) {
    const char *text = getenv("HOPLITE_TEST_DEVICE_LARGE");
    return text && strcmp(text, "1") == 0;
}

/* Calls `body` for every form and count. */
static inline void for_each_form(hop__device *device, sized_body body) {
    static const hop__form forms[] = {{0, false}, {7, false}, {64, true}, {33, true}};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        uint32_t group = hop__form_group(device, &forms[f]);
        const uint64_t counts[] = {0,
                                   1,
                                   group - 1,
                                   group,
                                   group + 1,
                                   4 * group,
                                   8 * group,
                                   8 * group + 1,
                                   1024 * 3 - 1,
                                   16 * 1024 + 5,
                                   (1 << 20) + 3};
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            if (counts[c] <= most_elements())
                body(device, &forms[f], counts[c]);
    }
    if (large_asked())
        body(device, NULL, LARGE);
}

static inline void on_each_form(void **state, sized_body body) {
    (void)state;
    device_names found = usable_devices();
    if (found.count == 0)
        skip();
    for (size_t i = 0; i < found.count; i++) {
        hop_context *context = device_context(found.names[i]);
        hop__device *device = NULL;
        assert_fine(context, hop__device_of(context, &device));
        for_each_form(device, body);
        assert_int_equal(hop__device_usage(device).used, 0);
        free_context(context);
    }
}

static inline void fine(hop__device *device, hop_status status) {
    assert_fine(hop__device_context(device), status);
}

static inline hop__buffer *buffer_of(hop__device *device, uint64_t bytes, const void *from) {
    hop__buffer *buffer = NULL;
    fine(device, hop__buffer_create(device, "test", bytes, &buffer));
    /* Waits: the caller may free the array without reading anything first. */
    if (from && bytes > 0) {
        fine(device, hop__buffer_write(buffer, 0, bytes, from));
        fine(device, hop__device_finish(device));
    }
    return buffer;
}

/* A copy of the buffer's beginning, to be freed; one element more, so that none is NULL. */
static inline void *contents(hop__device *device, hop__buffer *buffer, uint64_t bytes) {
    void *copy = malloc(bytes + 8);
    assert_non_null(copy);
    if (bytes > 0)
        fine(device, hop__buffer_read_now(buffer, 0, bytes, copy));
    return copy;
}

static inline uint32_t *random_u32(uint64_t count, uint64_t stream, uint32_t bound) {
    uint32_t *values = malloc(count * sizeof *values + 8);
    assert_non_null(values);
    for (uint64_t i = 0; i < count; i++)
        values[i] = (uint32_t)hop__random_below(hop__random_at(1, stream, i), bound);
    return values;
}

static inline uint64_t *random_u64(uint64_t count, uint64_t stream) {
    uint64_t *values = malloc(count * sizeof *values + 8);
    assert_non_null(values);
    for (uint64_t i = 0; i < count; i++)
        values[i] = hop__random_at(2, stream, i);
    return values;
}

#endif
