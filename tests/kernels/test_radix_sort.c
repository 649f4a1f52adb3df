/* SPDX-License-Identifier: Apache-2.0
 *
 * Radix sort on devices. What is checked needs no other sort: with the numbers 0, 1, 2 … as values,
 * a result is right if each key is the one that its value names, no value is there twice, keys
 * ascend, and values do where keys are equal. Keys alone must come out as they do with values. */
#include "kernels/kernels_testing.h"

typedef enum shape { RANDOM, FEW, EQUAL, ASCENDING, DESCENDING, SHAPES } shape;

/* Key number i of `count`; FEW has keys that differ in the highest and lowest bits alone. */
static uint64_t key_at(shape what, hop__element element, uint64_t i, uint64_t count) {
    uint64_t bits = hop__random_at(9, what, i);
    if (what == FEW)
        bits = (bits & 1) | (bits >> 1 & 1) << (element == HOP__U32 ? 31 : 63);
    else if (what == EQUAL)
        bits = 0x123456789abcdef0;
    else if (what == ASCENDING)
        bits = i;
    else if (what == DESCENDING)
        bits = count - i;
    return element == HOP__U32 ? (uint32_t)bits : bits;
}

static uint64_t load(const void *keys, hop__element element, uint64_t i) {
    return element == HOP__U32 ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
}

static void *make_keys(shape what, hop__element element, uint64_t count) {
    void *keys = malloc(count * 8 + 8);
    assert_non_null(keys);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = key_at(what, element, i, count);
        if (element == HOP__U32)
            ((uint32_t *)keys)[i] = (uint32_t)key;
        else
            ((uint64_t *)keys)[i] = key;
    }
    return keys;
}

static void check_order(const void *keys, const void *sorted, const uint32_t *values,
                        hop__element element, uint64_t count, unsigned bits) {
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    unsigned char *seen = calloc(count + 1, 1);
    assert_non_null(seen);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = load(sorted, element, i);
        assert_true(values[i] < count && !seen[values[i]]);
        seen[values[i]] = 1;
        assert_true(key == load(keys, element, values[i]));
        if (i > 0) {
            uint64_t before = load(sorted, element, i - 1) & mask;
            assert_true(before < (key & mask) ||
                        (before == (key & mask) && values[i - 1] < values[i]));
        }
    }
    free(seen);
}

static void sort_once(hop__device *device, const hop__form *form, uint64_t count,
                      hop__element element, shape what, unsigned bits) {
    uint64_t bytes = count * (element == HOP__U32 ? 4 : 8);
    void *keys = make_keys(what, element, count);
    hop__sortable pairs = {.element = element,
                           .count = count,
                           .keys = buffer_of(device, bytes, keys),
                           .values = buffer_of(device, count * 4, NULL),
                           .spare_keys = buffer_of(device, bytes, NULL),
                           .spare_values = buffer_of(device, count * 4, NULL)};
    hop__sortable alone = {.element = element,
                           .count = count,
                           .keys = buffer_of(device, bytes, keys),
                           .spare_keys = buffer_of(device, bytes, NULL)};
    fine(device, hop__stream_iota(device, form, pairs.values, count, 0));
    fine(device, hop__radix_sort(device, form, &pairs, bits));
    fine(device, hop__radix_sort(device, form, &alone, bits));
    void *sorted = contents(device, pairs.keys, bytes);
    void *sorted_alone = contents(device, alone.keys, bytes);
    uint32_t *values = contents(device, pairs.values, count * 4);
    check_order(keys, sorted, values, element, count, bits);
    assert_memory_equal(sorted, sorted_alone, bytes);
    free(sorted);
    free(sorted_alone);
    free(values);
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

static void sort_u32_body(hop__device *device, const hop__form *form, uint64_t count) {
    for (shape what = 0; what < shapes_for(count); what++)
        sort_once(device, form, count, HOP__U32, what, 32);
}

static void sorts_u32(void **state) {
    on_each_form(state, sort_u32_body);
}

static void sort_u64_body(hop__device *device, const hop__form *form, uint64_t count) {
    for (shape what = 0; what < shapes_for(count); what++)
        sort_once(device, form, count, HOP__U64, what, 64);
}

static void sorts_u64(void **state) {
    on_each_form(state, sort_u64_body);
}

/* Bits above those that are asked for do not matter: with 0 of them nothing moves. */
static void some_bits_body(hop__device *device, const hop__form *form, uint64_t count) {
    static const unsigned widths[] = {0, 1, 4, 9, 20};
    if (count > 5000 || most_elements() < 1000)
        return;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        sort_once(device, form, count, HOP__U32, RANDOM, widths[i]);
        sort_once(device, form, count, HOP__U64, RANDOM, widths[i] + 30);
    }
}

static void sorts_by_some_bits(void **state) {
    on_each_form(state, some_bits_body);
}

static void refusals_body(hop_context *context, hop__device *device) {
    hop__buffer *room = buffer_of(device, 80, NULL), *small = buffer_of(device, 76, NULL);
    hop__sortable s = {.element = HOP__U32, .count = 20, .keys = room, .spare_keys = small};
    assert_int_equal(hop__radix_sort(device, NULL, &s, 32), HOP_ERR_ARGUMENT);
    s.spare_keys = room;
    assert_int_equal(hop__radix_sort(device, NULL, &s, 33), HOP_ERR_ARGUMENT);
    assert_non_null(strstr(hop_context_message(context), "33 bits"));
    s.values = room;
    assert_int_equal(hop__radix_sort(device, NULL, &s, 32), HOP_ERR_ARGUMENT);
    hop__buffer_free(room);
    hop__buffer_free(small);
}

static void what_cannot_be_sorted_is_refused(void **state) {
    (void)state;
    on_each_device(refusals_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_u32),
        cmocka_unit_test(sorts_u64),
        cmocka_unit_test(sorts_by_some_bits),
        cmocka_unit_test(what_cannot_be_sorted_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
