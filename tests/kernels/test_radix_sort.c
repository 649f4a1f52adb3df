/* SPDX-License-Identifier: Apache-2.0
 *
 * Radix sort on devices. What is checked needs no other sort: with the numbers 0, 1, 2 … as values,
 * a result is right if each key is the one that its value names, no value is there twice, keys
 * ascend, and values do where keys are equal. Keys alone must come out as they do with values. */
#include "kernels/kernels_testing.h"

typedef enum shape { RANDOM, FEW, EQUAL, ASCENDING, DESCENDING, SHAPES } shape;

/* Key number i of `count`; FEW has keys that differ in the highest and lowest bits alone. */
static uint64_t key_at(shape what, uint64_t i, uint64_t count) {
    uint64_t bits = hop__random_at(9, what, i);
    if (what == FEW)
        return (bits & 1) | (bits >> 1 & 1) << 63;
    if (what == EQUAL)
        return 0x123456789abcdef0;
    return what == ASCENDING ? i : what == DESCENDING ? count - i : bits;
}

static uint64_t *make_keys(shape what, uint64_t count) {
    uint64_t *keys = malloc(count * 8 + 8);
    assert_non_null(keys);
    for (uint64_t i = 0; i < count; i++)
        keys[i] = key_at(what, i, count);
    return keys;
}

/* By `bits` bits from bit `low` on. */
static void check_order(const uint64_t *keys, const uint64_t *sorted, const uint32_t *values,
                        uint64_t count, unsigned low, unsigned bits) {
    uint64_t mask = (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1) << low;
    unsigned char *seen = calloc(count + 1, 1);
    assert_non_null(seen);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = sorted[i];
        assert_true(values[i] < count && !seen[values[i]]);
        seen[values[i]] = 1;
        assert_true(key == keys[values[i]]);
        if (i > 0) {
            uint64_t before = sorted[i - 1] & mask;
            assert_true(before < (key & mask) ||
                        (before == (key & mask) && values[i - 1] < values[i]));
        }
    }
    free(seen);
}

static void sort_once(hop__device *device, const hop__form *form, uint64_t count, shape what,
                      unsigned low, unsigned bits) {
    uint64_t bytes = count * 8;
    uint64_t *keys = make_keys(what, count);
    uint32_t *numbers = malloc(count * 4 + 4);
    assert_non_null(numbers);
    for (uint64_t i = 0; i < count; i++)
        numbers[i] = (uint32_t)i;
    hop__sortable pairs = {.count = count,
                           .keys = buffer_of(device, bytes, keys),
                           .values = buffer_of(device, count * 4, numbers),
                           .spare_keys = buffer_of(device, bytes, NULL),
                           .spare_values = buffer_of(device, count * 4, NULL)};
    hop__sortable alone = {.count = count,
                           .keys = buffer_of(device, bytes, keys),
                           .spare_keys = buffer_of(device, bytes, NULL)};
    fine(device, hop__radix_sort(device, form, &pairs, low, bits));
    fine(device, hop__radix_sort(device, form, &alone, low, bits));
    uint64_t *sorted = contents(device, pairs.keys, bytes);
    uint64_t *sorted_alone = contents(device, alone.keys, bytes);
    uint32_t *values = contents(device, pairs.values, count * 4);
    check_order(keys, sorted, values, count, low, bits);
    assert_memory_equal(sorted, sorted_alone, bytes);
    free(sorted);
    free(sorted_alone);
    free(values);
    free(numbers);
    free(keys);
    hop__buffer *buffers[] = {pairs.keys,         pairs.values, pairs.spare_keys,
                              pairs.spare_values, alone.keys,   alone.spare_keys};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        hop__buffer_free(buffers[i]);
}

/* One kind of keys is enough for large counts, and where every access is checked. */
static shape shapes_for(uint64_t count) {
    return count < 100000 && most_elements() > 1000 ? SHAPES : FEW;
}

static void sort_body(hop__device *device, const hop__form *form, uint64_t count) {
    for (shape what = 0; what < shapes_for(count); what++)
        sort_once(device, form, count, what, 0, 64);
}

static void sorts_all_bits(void **state) {
    on_each_form(state, sort_body);
}

/* Bits below and above those that are asked for do not matter: with 0 of them nothing moves. */
static void some_bits_body(hop__device *device, const hop__form *form, uint64_t count) {
    static const unsigned widths[] = {0, 1, 4, 9, 20};
    if (count > 5000 || most_elements() < 1000)
        return;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        sort_once(device, form, count, RANDOM, 0, widths[i]);
        sort_once(device, form, count, RANDOM, 0, widths[i] + 30);
        sort_once(device, form, count, RANDOM, 13, widths[i]);
    }
}

static void sorts_by_some_bits(void **state) {
    on_each_form(state, some_bits_body);
}

static void refusals_body(hop_context *context, hop__device *device) {
    hop__buffer *room = buffer_of(device, 160, NULL), *small = buffer_of(device, 156, NULL);
    hop__sortable s = {.count = 20, .keys = room, .spare_keys = small};
    assert_int_equal(hop__radix_sort(device, NULL, &s, 0, 64), HOP_ERR_ARGUMENT);
    s.spare_keys = room;
    assert_int_equal(hop__radix_sort(device, NULL, &s, 32, 33), HOP_ERR_ARGUMENT);
    assert_non_null(strstr(hop_context_message(context), "65 bits"));
    s.values = room;
    assert_int_equal(hop__radix_sort(device, NULL, &s, 0, 64), HOP_ERR_ARGUMENT);
    hop__buffer_free(room);
    hop__buffer_free(small);
}

static void what_cannot_be_sorted_is_refused(void **state) {
    (void)state;
    on_each_device(refusals_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_all_bits),
        cmocka_unit_test(sorts_by_some_bits),
        cmocka_unit_test(what_cannot_be_sorted_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
