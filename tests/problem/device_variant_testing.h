/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of variants for devices share, whatever the problem. Included after cmocka and the
 * make_context and free_context of the problem's own tests.
 *
 * HOPLITE_TEST_DEVICE_MOST   leaves out larger graphs (vertices), for slow devices: Oclgrind,
 *                            fibers
 * HOPLITE_TEST_DEVICE_LARGE  1: every group size with every variant and graph, both forms: minutes,
 *                            since drivers compile kernels for each */
#ifndef HOPLITE_TESTS_DEVICE_VARIANT_TESTING_H
#define HOPLITE_TESTS_DEVICE_VARIANT_TESTING_H

#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "problem/variant_testing.h"

static inline uint64_t most_vertices(void) {
    const char *text = getenv("HOPLITE_TEST_DEVICE_MOST");
    return text ? strtoull(text, NULL, 10) : UINT64_MAX;
}

static inline bool tries_all(void) {
    const char *text = getenv("HOPLITE_TEST_DEVICE_LARGE");
    return text && strcmp(text, "1") == 0;
}

static inline bool has_parameter(const hop_variant *variant, const char *name) {
    for (size_t i = 0; i < variant->parameter_count; i++)
        if (strcmp(hop_parameter_at(variant->parameters, i)->name, name) == 0)
            return true;
    return false;
}

/* A context with these options and device number `index` of those that can be used; NULL after the
 * last. */
static inline hop_context *device_context_at(size_t index, hop_context_options options) {
    hop_devices *all = NULL;
    hop_context *context = make_context(1), *made = NULL;
    assert_int_equal(hop_devices_find(context, &all), HOP_OK);
    for (size_t i = 0; i < hop_devices_count(all) && !made; i++) {
        const hop_device_info *info = hop_devices_at(all, i);
        if (!info->usable || index-- > 0)
            continue;
        options.device = info->name;
        options.threads = 2;
        assert_int_equal(hop_context_create(&options, &made), HOP_OK);
    }
    hop_devices_free(all);
    free_context(context);
    return made;
}

static inline hop__device *device_in(hop_context *context) {
    hop__device *device = NULL;
    if (hop__device_of(context, &device) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return device;
}

/* Calls `body` with a context for each device, twice: with data in the host's memory where the
 * device works there, and apart from it, as for a device with a memory of its own. (Slow devices
 * once.) Skips the test when there is no device. */
static inline void on_each_memory(uint64_t memory, void (*body)(hop_context *context, bool apart)) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context;
    size_t i = 0;
    options.device_memory = memory;
    for (; (context = device_context_at(i, options)) != NULL; i++) {
        for (int apart = 0; apart < (most_vertices() < UINT64_MAX ? 1 : 2); apart++) {
            hop__device_keep_apart(device_in(context), apart);
            body(context, apart);
            hop_device_trim(context); /* graphs that are still there, or were freed last */
            assert_int_equal(hop_device_memory_used(context), 0);
        }
        free_context(context);
    }
    if (i == 0)
        skip();
}

#endif
