/* SPDX-License-Identifier: Apache-2.0
 * Memory of devices: budgets, the limit of one allocation, arrays in parts, ranges, shrinking. */
#include "core/memory.h"
#include "device/backend.h"
#include "device/device_testing.h"

enum { COUNT = 10007 };

static void assert_says(const hop_context *context, const char *words) {
    if (strstr(hop_context_message(context), words) == NULL)
        fail_msg("'%s' is not in '%s'", words, hop_context_message(context));
}

static void budget_body(hop_context *context, hop__device *device) {
    hop__buffer *a = NULL, *b = NULL;
    device->budget = 1000;
    assert_int_equal(hop__buffer_create(device, "large", 1001, &a), HOP_ERR_BUDGET);
    assert_null(a);
    assert_says(context, "large: 1001 bytes needed on device");
    assert_says(context, "1000 bytes of its memory may be used; raise the device's memory");
    assert_fine(context, hop__buffer_create(device, "fits", 1000, &a));
    assert_int_equal(hop__device_usage(device).used, 1000);
    assert_int_equal(hop__buffer_create(device, "one more", 1, &b), HOP_ERR_BUDGET);
    assert_int_equal(hop__device_room(device), 0);
    hop__buffer_free(a);
    assert_int_equal(hop__device_usage(device).used, 0);
    assert_int_equal(hop__device_usage(device).peak, 1000);
    /* A size of nothing is a buffer. */
    assert_fine(context, hop__buffer_create(device, "empty", 0, &a));
    assert_fine(context, hop__buffer_write(a, 0, 0, NULL));
    assert_fine(context, hop__buffer_read_now(a, 0, 0, NULL));
    hop__buffer_free(a);
}

static void budgets_are_kept(void **state) {
    (void)state;
    on_each_device(budget_body);
}

static void allocation_body(hop_context *context, hop__device *device) {
    hop__buffer *a = NULL;
    uint64_t limit = device->info.allocation;
    assert_int_equal(hop__device_check_need(device, "matrix", limit, limit), HOP_OK);
    device->info.allocation = 4096;
    assert_int_equal(hop__buffer_create(device, "matrix", 4097, &a), HOP_ERR_BUDGET);
    assert_says(context, "matrix: one array needs 4.0 KiB on device");
    assert_says(context, "at most 4.0 KiB at once; use the host");
    assert_fine(context, hop__buffer_create(device, "matrix", 4096, &a));
    hop__buffer_free(a);
    device->info.allocation = limit;
}

static void large_buffers_are_refused_with_numbers(void **state) {
    (void)state;
    on_each_device(allocation_body);
}

static void range_body(hop_context *context, hop__device *device) {
    static const uint64_t wrong[][2] = {{0, 101},        {100, 1},        {101, 0},
                                        {UINT64_MAX, 2}, {1, UINT64_MAX}, {50, 51}};
    hop__buffer *a = NULL, *b = NULL;
    char bytes[256];
    assert_fine(context, hop__buffer_create(device, "a", 100, &a));
    assert_fine(context, hop__buffer_create(device, "b", 1000, &b));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint64_t offset = wrong[i][0], length = wrong[i][1];
        assert_int_equal(hop__buffer_write(a, offset, length, bytes), HOP_ERR_ARGUMENT);
        assert_says(context, "are outside of 'a', which has 100");
        assert_int_equal(hop__buffer_read(a, offset, length, bytes), HOP_ERR_ARGUMENT);
        assert_int_equal(hop__buffer_copy(a, offset, b, 0, length), HOP_ERR_ARGUMENT);
        assert_int_equal(hop__buffer_copy(b, 0, a, offset, length), HOP_ERR_ARGUMENT);
    }
    assert_int_equal(hop__buffer_fill(a, 2, 4, 0), HOP_ERR_ARGUMENT);
    assert_int_equal(hop__buffer_fill(a, 0, 6, 0), HOP_ERR_ARGUMENT);
    assert_fine(context, hop__buffer_fill(a, 0, 100, 0));
    assert_fine(context, hop__buffer_fill(a, 96, 4, 0x01020304));
    assert_fine(context, hop__buffer_copy(a, 90, b, 994, 6));
    assert_fine(context, hop__buffer_read_now(b, 994, 6, bytes));
    assert_memory_equal(bytes, "\0\0\0\0\0\0", 6);
    assert_fine(context, hop__buffer_copy(a, 94, b, 994, 6));
    assert_fine(context, hop__buffer_read_now(b, 994, 6, bytes));
    assert_memory_equal(bytes, "\0\0\4\3\2\1", 6);
    hop__buffer_free(a);
    hop__buffer_free(b);
}

static void ranges_are_checked(void **state) {
    (void)state;
    on_each_device(range_body);
}

static void shrink_body(hop_context *context, hop__device *device) {
    unsigned tries = 0;
    uint64_t part = 1000;
    (void)context;
    assert_false(hop__device_shrink(device, HOP_OK, &tries, &part, 1));
    assert_false(hop__device_shrink(device, HOP_ERR_DEVICE, &tries, &part, 1));
    assert_true(hop__device_shrink(device, HOP_ERR_MEMORY, &tries, &part, 1));
    assert_int_equal(part, 500);
    assert_true(hop__device_shrink(device, HOP_ERR_BUDGET, &tries, &part, 1));
    assert_true(hop__device_shrink(device, HOP_ERR_MEMORY, &tries, &part, 1));
    assert_int_equal(part, 125);
    assert_false(hop__device_shrink(device, HOP_ERR_MEMORY, &tries, &part, 1)); /* three at most */
    tries = 0;
    assert_false(hop__device_shrink(device, HOP_ERR_MEMORY, &tries, &part, 63));
    assert_int_equal(part, 125);
}

static void parts_shrink_three_times(void **state) {
    (void)state;
    on_each_device(shrink_body);
}

/* The context's option, against what the device has. */
static void device_memory_option(void **state) {
    (void)state;
    device_names found = usable_devices();
    if (found.count == 0)
        skip();
    for (size_t i = 0; i < found.count; i++) {
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        options.device = found.names[i];
        options.device_memory = 12345;
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        assert_int_equal(hop_device_memory_budget(context), 0); /* not open yet */
        hop_device_info info = {.size = sizeof info};
        assert_fine(context, hop_device_open(context, &info));
        assert_int_equal(hop_device_memory_budget(context), 12345);
        free_context(context);
        options.device_memory = UINT64_MAX;
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        assert_fine(context, hop_device_open(context, NULL));
        assert_int_equal(hop_device_memory_budget(context), info.memory);
        free_context(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_are_kept),
        cmocka_unit_test(large_buffers_are_refused_with_numbers),
        cmocka_unit_test(ranges_are_checked),
        cmocka_unit_test(parts_shrink_three_times),
        cmocka_unit_test(device_memory_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
