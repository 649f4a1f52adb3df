/* SPDX-License-Identifier: Apache-2.0
 * Buffers over arrays of the host: kernels read and write the array itself where the device works
 * in the host's memory, and a copy elsewhere; after the return the host cannot tell which. */
#include "device/device_testing.h"

static const char text[] = "__kernel void add(__global const uint *from, __global uint *to) {\n"
                           "    size_t i = get_global_id(0);\n"
                           "    to[i] = to[i] * 2 + from[i];\n"
                           "}\n";
static const hop__source piece = {"add.cl", text};
static const hop__source *const pieces[] = {&piece};
static const hop__program_source source = {"add", pieces, 1};

enum { COUNT = 1 << 16, GROUP = 64, SHIFTS = 3 };

/* `to` is written to by two launches with a look of the host in between. */
static void check(hop_context *context, hop__device *device, uint32_t *from, uint32_t *to) {
    hop__program *program = NULL;
    hop__kernel *kernel = NULL;
    hop__buffer *in = NULL, *out = NULL;
    const uint64_t bytes = COUNT * sizeof *from;
    for (uint32_t i = 0; i < COUNT; i++)
        from[i] = i * 7, to[i] = i;
    assert_fine(context, hop__program_get(device, &source, NULL, 0, &program));
    assert_fine(context, hop__kernel_get(program, "add", &kernel));
    hop__device_tally_reset(device);
    assert_fine(context, hop__buffer_borrow(device, "from", bytes, from, true, &in));
    assert_fine(context, hop__buffer_borrow(device, "to", bytes, to, true, &out));
    assert_int_equal(hop__device_usage(device).used, 2 * bytes);
    hop__argument arguments[] = {hop__arg_buffer(in), hop__arg_buffer(out)};
    for (uint32_t round = 1; round <= 2; round++) {
        uint32_t two = 1u << round;
        assert_fine(context, hop__launch(kernel, hop__grid(COUNT, GROUP), arguments, 2));
        assert_fine(context, hop__buffer_return(out));
        assert_fine(context, hop__device_finish(device));
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(to[i], i * two + i * 7 * (two - 1));
    }
    for (size_t i = 0; hop__device_shares_memory(device) && hop__device_tally(device, i); i++)
        if (hop__device_tally(device, i)->copy)
            assert_int_equal(hop__device_tally(device, i)->bytes, 0);
    hop__buffer_free(in);
    hop__buffer_free(out);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(from[i], i * 7);
}

/* Callers' arrays are aligned to their elements, no more. */
static void body(hop_context *context, hop__device *device) {
    static const size_t shifts[SHIFTS] = {0, 1, 17};
    uint32_t *from = malloc((COUNT + 64) * sizeof *from), *to = malloc((COUNT + 64) * sizeof *to);
    for (size_t i = 0; i < SHIFTS; i++)
        check(context, device, from + shifts[i], to + shifts[(i + 1) % SHIFTS]);
    free(from);
    free(to);
}

static void arrays_are_lent_and_come_back(void **state) {
    (void)state;
    on_each_device(body);
}

/* What does not fit the budget is refused, wherever it would lie. */
static void the_budget_counts_them(void **state) {
    (void)state;
    device_names found = usable_devices();
    static uint32_t array[COUNT];
    for (size_t i = 0; i < found.count; i++) {
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        hop__device *device = NULL;
        hop__buffer *buffer = NULL;
        options.device = found.names[i];
        options.device_memory = COUNT;
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        assert_fine(context, hop__device_of(context, &device));
        assert_int_equal(hop__buffer_borrow(device, "array", sizeof array, array, true, &buffer),
                         HOP_ERR_BUDGET);
        assert_null(buffer);
        assert_non_null(strstr(hop_context_message(context), "array: 256.0 KiB needed"));
        free_context(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_lent_and_come_back),
        cmocka_unit_test(the_budget_counts_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
