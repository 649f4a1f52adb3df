/* SPDX-License-Identifier: Apache-2.0
 * Memory that calls give back, for the next one (device_spare.c). */
#include "device/backend.h"
#include "device/device_testing.h"

enum { SMALL = 1024, LARGE = 4096, WORDS = 16 };

static hop__buffer *made(hop_context *context, hop__device *device, uint64_t bytes) {
    hop__buffer *buffer = NULL;
    assert_fine(context, hop__buffer_create(device, "test", bytes, &buffer));
    return buffer;
}

static void assert_spares(const hop__device *device, unsigned count, uint64_t bytes) {
    assert_int_equal(device->spare_count, count);
    assert_int_equal(device->spare_bytes, bytes);
    assert_int_equal(device->busy, 0);
}

/* Of its size, to the byte, the last one first; and it can be written and read. */
static void again_body(hop_context *context, hop__device *device) {
    uint32_t words[WORDS], back[WORDS] = {0};
    hop__device_keep_apart(device, true);
    hop__buffer *one = made(context, device, SMALL), *two = made(context, device, LARGE);
    const uintptr_t first = one->handle, second = two->handle;
    assert_fine(context, hop__buffer_fill(one, 0, SMALL, 7));
    assert_true(device->busy != 0);
    assert_fine(context, hop__device_finish(device));
    hop__buffer_free(one);
    hop__buffer_free(two);
    assert_spares(device, 2, SMALL + LARGE);
    assert_int_equal(hop__device_usage(device).used, 0);
    one = made(context, device, SMALL + 4);
    assert_true(one->handle != first && one->handle != second);
    hop__buffer_free(one);
    one = made(context, device, SMALL);
    assert_int_equal(one->handle, first);
    assert_spares(device, 2, SMALL + 4 + LARGE);
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i * i;
    assert_fine(context, hop__buffer_write(one, 64, sizeof words, words));
    assert_fine(context, hop__buffer_read_now(one, 64, sizeof back, back));
    assert_memory_equal(words, back, sizeof words);
    hop__buffer_free(one);
    assert_spares(device, 3, 2 * SMALL + 4 + LARGE);
    hop_device_trim(context);
    assert_spares(device, 0, 0);
}

static void the_same_size_is_found_again(void **state) {
    (void)state;
    on_each_device(again_body);
}

/* As many as there are places for, the oldest goes; and what they hold is asked for by others. */
static void room_body(hop_context *context, hop__device *device) {
    hop__buffer *all[HOP__SPARES + 1];
    uint64_t bytes = 0;
    hop__device_keep_apart(device, true);
    for (unsigned i = 0; i <= HOP__SPARES; i++)
        all[i] = made(context, device, SMALL + 4 * i);
    for (unsigned i = 0; i <= HOP__SPARES; i++) {
        bytes += i > 0 ? SMALL + 4 * i : 0;
        hop__buffer_free(all[i]);
    }
    assert_spares(device, HOP__SPARES, bytes);
    hop__buffer *rest = made(context, device, device->budget - 2 * LARGE);
    assert_true(device->spare_bytes <= 2 * LARGE && device->spare_count > 0);
    assert_int_equal(device->spares[device->spare_count - 1].bytes, SMALL + 4 * HOP__SPARES);
    hop__buffer *last = made(context, device, 2 * LARGE);
    assert_spares(device, 0, 0);
    hop__buffer_free(last);
    hop__buffer_free(rest);
}

static void spares_give_way(void **state) {
    device_names found = usable_devices();
    (void)state;
    if (found.count == 0)
        skip();
    for (size_t i = 0; i < found.count; i++) {
        hop_context *context = device_context_of(found.names[i], 1 << 20);
        hop__device *device = NULL;
        assert_fine(context, hop__device_of(context, &device));
        room_body(context, device);
        free_context(context);
    }
}

/* Where the device works in the host's memory, while a queue has commands, and where something has
 * failed. */
static void none_body(hop_context *context, hop__device *device) {
    if (hop__device_shares_memory(device)) {
        hop__buffer_free(made(context, device, SMALL));
        assert_spares(device, 0, 0);
    }
    hop__device_keep_apart(device, true);
    hop__buffer *before = made(context, device, SMALL);
    assert_fine(context, hop__buffer_fill(before, 0, SMALL, 7));
    hop__buffer_free(before);
    assert_int_equal(device->spare_count, 0);
    assert_fine(context, hop__device_finish(device));
    hop__buffer *after = made(context, device, SMALL);
    before = made(context, device, SMALL);
    hop__buffer_free(after);
    assert_spares(device, 1, SMALL);
    device->failures++;
    hop__buffer_free(before);
    assert_spares(device, 1, SMALL);
    hop__buffer_free(made(context, device, LARGE)); /* of any size */
    assert_spares(device, 0, 0);
}

static void there_is_none(void **state) {
    (void)state;
    on_each_device(none_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_size_is_found_again),
        cmocka_unit_test(spares_give_way),
        cmocka_unit_test(there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
