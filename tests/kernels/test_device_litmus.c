/* SPDX-License-Identifier: Apache-2.0
 *
 * Litmus tests on every device: nothing that is forbidden is seen, and a fault that is planted in
 * the program is told by the name of its pattern where items of two groups run at the same time.
 * Whether they do is up to the machine: on one core nothing can be seen. test_cuda_litmus.c has
 * what must be seen, on a device that draws its order. */
#include "kernels/device_litmus.h"

#include <stdlib.h>

#include "core/try.h"
#include "device/device_testing.h"
#include "hoplite/hoplite.h"

static const char *const names[] = {"message passing",
                                    "store buffering",
                                    "load buffering",
                                    "coherence",
                                    "message passing by atomics",
                                    "store buffering by atomics"};

/* HOPLITE_TEST_DEVICE_MOST is set where work takes long. */
static uint32_t rounds(void) {
    return getenv("HOPLITE_TEST_DEVICE_MOST") != NULL ? 2 : HOP__LITMUS_ROUNDS;
}

static void show(const hop__device *device, const hop_device_litmus *row, const char *planted) {
    print_message("%s: %s%s: %llu of %llu forbidden, %llu met, %llu weak\n",
                  hop__device_info(device)->name, row->name, planted,
                  (unsigned long long)row->forbidden, (unsigned long long)row->trials,
                  (unsigned long long)row->met, (unsigned long long)row->weak);
}

static void sound_body(hop_context *context, hop__device *device) {
    uint64_t used = hop__device_usage(device).used;
    bool fences = (hop__device_info(device)->capabilities & HOP_DEVICE_FENCE) != 0;
    assert_int_equal(hop_device_litmus_count(), HOP_LENGTH(names));
    for (size_t i = 0; i < HOP_LENGTH(names); i++) {
        hop_device_litmus row = {.size = sizeof row};
        assert_fine(context, hop__device_litmus(device, i, rounds(), HOP__LITMUS_SOUND, &row));
        show(device, &row, "");
        assert_string_equal(row.name, names[i]);
        assert_int_equal(row.fenced, strcmp(row.name, "coherence") != 0);
        assert_int_equal(row.reason[0] == '\0', fences || !row.fenced);
        assert_int_equal(row.trials > 0, row.reason[0] == '\0');
        assert_int_equal(row.forbidden, 0);
        assert_true(row.met <= row.trials && row.weak <= row.trials);
        assert_true(row.fenced || row.weak == 0);
    }
    assert_int_equal(hop__device_usage(device).used, used);
}

static void nothing_forbidden_is_seen(void **state) {
    (void)state;
    on_each_device(sound_body);
}

/* What is seen at all is an error that says how often, and by which pattern. */
static void planted_body(hop_context *context, hop__device *device) {
    for (size_t i = 0; i < HOP_LENGTH(names); i++) {
        hop_device_litmus row = {.size = sizeof row};
        hop_status status = hop__device_litmus(device, i, rounds(), HOP__LITMUS_EXCHANGED, &row);
        show(device, &row, " with its accesses exchanged");
        assert_int_equal(status, row.forbidden > 0 ? HOP_ERR_DEVICE : HOP_OK);
        if (row.forbidden > 0) {
            char counts[64];
            snprintf(counts, sizeof counts, "%llu of %llu", (unsigned long long)row.forbidden,
                     (unsigned long long)row.trials);
            assert_non_null(strstr(hop_context_message(context), counts));
            assert_non_null(strstr(hop_context_message(context), names[i]));
        }
    }
}

static void a_planted_fault_is_told(void **state) {
    (void)state;
    on_each_device(planted_body);
}

/* Also with little memory, and by a caller with an older struct. */
static void call_body(hop_context *context, hop__device *device) {
    hop_device_litmus row = {.size = 0, .forbidden = 7};
    (void)device;
    assert_int_equal(hop_device_litmus_try(NULL, 0, &row), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_device_litmus_try(context, 0, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_device_litmus_try(context, 0, &row), HOP_ERR_ARGUMENT);
    row.size = sizeof row;
    assert_int_equal(hop_device_litmus_try(context, HOP_LENGTH(names), &row), HOP_ERR_ARGUMENT);
    row.size = offsetof(hop_device_litmus, forbidden);
    hop_context *small = device_context_of(context->options.device, 64 << 10);
    assert_fine(small, hop_device_litmus_try(small, 3, &row));
    assert_true(row.trials > 0 && row.forbidden == 7);
    free_context(small);
}

static void arguments_are_checked(void **state) {
    (void)state;
    on_each_device(call_body);
}

/* One that has no fences beyond a work-group, as OpenCL of before 3.0 on a GPU. */
static void lacking_body(hop_context *context, hop__device *device) {
    hop_device_info *info = (hop_device_info *)hop__device_info(device);
    unsigned had = info->capabilities;
    info->capabilities &= ~(unsigned)HOP_DEVICE_FENCE;
    for (size_t i = 0; i < HOP_LENGTH(names); i++) {
        hop_device_litmus row = {.size = sizeof row};
        assert_fine(context, hop_device_litmus_try(context, i, &row));
        assert_int_equal(row.trials > 0, !row.fenced);
        assert_int_equal(strstr(row.reason, "no fences among work-groups") != NULL, row.fenced);
    }
    info->capabilities = had;
}

static void without_fences_most_are_left_out(void **state) {
    (void)state;
    on_each_device(lacking_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_forbidden_is_seen),
        cmocka_unit_test(a_planted_fault_is_told),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(without_fences_most_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
