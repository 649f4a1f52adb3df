/* SPDX-License-Identifier: Apache-2.0
 *
 * What the litmus tests of a device must see, on the driver that interprets PTX, which draws its
 * order from a seed. Where memory is weak: nothing forbidden with fences; the same outcomes, which
 * are allowed, without; and where the fences of the program are left out, those are an error. Where
 * memory is sequentially consistent, only what a program with its accesses exchanged does.
 *
 * Load buffering is seen in the latter alone: the interpreter makes loads at their place, so a
 * store cannot come before them. */
#include "kernels/device_litmus.h"

#include "device/cuda_testing.h"

enum { SEEDS = 3, MOST = 20, ROUNDS = HOP__LITMUS_ROUNDS };

static hop_device_litmus try_pattern(size_t index, unsigned seed, int planted) {
    char text[16];
    hop__device *device = NULL;
    hop_device_litmus row = {.size = sizeof row};
    snprintf(text, sizeof text, "%u", seed);
    assert_int_equal(setenv("HOPLITE_PTX_SEED", text, 1), 0);
    hop_context *context = device_context(stand_in_device());
    assert_fine(context, hop__device_of(context, &device));
    hop_status status = hop__device_litmus(device, index, ROUNDS, planted, &row);
    assert_int_equal(status, row.forbidden > 0 ? HOP_ERR_DEVICE : HOP_OK);
    if (status != HOP_OK)
        assert_non_null(strstr(hop_context_message(context), row.name));
    free_context(context);
    return row;
}

/* The first seed of MOST with which what is forbidden was seen. */
static unsigned first_seen(size_t index, int planted) {
    hop_device_litmus row = {0};
    unsigned seed = 0;
    while (row.forbidden == 0 && seed < MOST)
        row = try_pattern(index, ++seed, planted);
    print_message("%s: %llu of %llu with seed %u\n", row.name, (unsigned long long)row.forbidden,
                  (unsigned long long)row.trials, seed);
    return row.forbidden > 0 ? seed : 0;
}

static void fences_are_needed_and_suffice(void **state) {
    (void)state;
    find_stand_in();
    assert_int_equal(setenv("HOPLITE_PTX_WEAK", "1", 1), 0);
    for (size_t i = 0; i < hop_device_litmus_count(); i++) {
        uint64_t weak = 0;
        hop_device_litmus row;
        for (unsigned seed = 1; seed <= SEEDS; seed++) {
            row = try_pattern(i, seed, HOP__LITMUS_SOUND);
            assert_int_equal(row.forbidden, 0);
            weak += row.weak;
        }
        const bool can = row.fenced && strcmp(row.name, "load buffering") != 0;
        assert_int_equal(weak > 0, can);
        if (can)
            assert_true(first_seen(i, HOP__LITMUS_WITHOUT_FENCES) > 0);
    }
}

static void exchanged_accesses_are_seen(void **state) {
    (void)state;
    find_stand_in();
    assert_int_equal(unsetenv("HOPLITE_PTX_WEAK"), 0);
    for (size_t i = 0; i < hop_device_litmus_count(); i++) {
        hop_device_litmus sound = {0};
        for (unsigned seed = 1; seed <= MOST && sound.met == 0; seed++) {
            sound = try_pattern(i, seed, HOP__LITMUS_SOUND);
            assert_true(sound.forbidden == 0 && sound.weak == 0);
        }
        assert_true(sound.met > 0);
        assert_true(first_seen(i, HOP__LITMUS_EXCHANGED) > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fences_are_needed_and_suffice),
        cmocka_unit_test(exchanged_accesses_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
