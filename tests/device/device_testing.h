/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests on devices share. Every test runs on each device of the machine that the library
 * can use; where there is none it is skipped, and test_runtimes.c fails where there must be some
 * (HOPLITE_REQUIRE_OPENCL). */
#ifndef HOPLITE_TESTS_DEVICE_TESTING_H
#define HOPLITE_TESTS_DEVICE_TESTING_H

#include <stdio.h>

#include "core/core_testing.h"
#include "device/device.h"

enum { DEVICES_MOST = 8 };

typedef struct device_names {
    size_t count;
    char names[DEVICES_MOST][24];
} device_names;

/* The names of all usable devices. */
static inline device_names usable_devices(void) {
    device_names found = {0};
    hop_devices *all = NULL;
    hop_context *context = make_context(1);
    assert_int_equal(hop_devices_find(context, &all), HOP_OK);
    for (size_t i = 0; i < hop_devices_count(all) && found.count < DEVICES_MOST; i++) {
        const hop_device_info *info = hop_devices_at(all, i);
        if (info->usable)
            memcpy(found.names[found.count++], info->name, sizeof info->name);
    }
    assert_null(hop_devices_at(all, hop_devices_count(all)));
    hop_devices_free(all);
    free_context(context);
    return found;
}

/* A context with the device, of which it may use `memory` bytes; 0: all. */
static inline hop_context *device_context_of(const char *name, uint64_t memory) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.device = name;
    options.device_memory = memory;
    hop_context *context = NULL;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

static inline hop_context *device_context(const char *name) {
    return device_context_of(name, 0);
}

/* Calls `body` with a context for each device; skips the test when there is none. */
static inline void on_each_device(void (*body)(hop_context *context, hop__device *device)) {
    device_names found = usable_devices();
    if (found.count == 0)
        skip();
    for (size_t i = 0; i < found.count; i++) {
        hop_context *context = device_context(found.names[i]);
        hop__device *device = NULL;
        hop_status status = hop__device_of(context, &device);
        if (status != HOP_OK)
            print_error("%s: %s\n", found.names[i], hop_context_message(context));
        assert_int_equal(status, HOP_OK);
        body(context, device);
        hop__device_trim(device, false); /* graphs that stay */
        assert_int_equal(hop__device_usage(device).used, 0);
        free_context(context);
    }
}

/* Asserts, with the context's message where it fails. */
static inline void assert_fine(const hop_context *context, hop_status status) {
    if (status != HOP_OK)
        print_error("%s: %s\n", hop_status_name(status), hop_context_message(context));
    assert_int_equal(status, HOP_OK);
}

#endif
