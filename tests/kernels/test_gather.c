/* SPDX-License-Identifier: Apache-2.0
 * Gathering and random numbers on devices, against the host's; the yardsticks of measurements. */
#include "kernels/kernels_testing.h"
#include "kernels/yardstick_testing.h"

enum { MARGIN = 3 }; /* elements behind the end, which must stay as they are */

static hop__buffer *spoiled(hop__device *device, uint64_t bytes) {
    hop__buffer *buffer = buffer_of(device, bytes, NULL);
    fine(device, hop__buffer_fill(buffer, 0, bytes, 0xdeadbeef));
    return buffer;
}

static void gather_body(hop__device *device, const hop__form *form, uint64_t count) {
    enum { TABLE = 1000 };
    uint32_t *index = random_u32(count, 4, TABLE), *table = random_u32(TABLE, 5, UINT32_MAX);
    hop__buffer *in = buffer_of(device, TABLE * 4, table);
    hop__buffer *places = buffer_of(device, count * 4, index);
    hop__buffer *out = spoiled(device, (count + MARGIN) * 4);
    fine(device, hop__gather(device, form, in, places, out, count));
    uint32_t *got = contents(device, out, (count + MARGIN) * 4);
    for (uint64_t i = 0; i < count + MARGIN; i++)
        assert_true(got[i] == (i < count ? table[index[i]] : 0xdeadbeef));
    free(got);
    free(index);
    free(table);
    hop__buffer_free(in);
    hop__buffer_free(places);
    hop__buffer_free(out);
}

static void gathers(void **state) {
    on_each_form(state, gather_body);
}

/* Many raise the same word at once, and none is lost. */
static void raise_body(hop__device *device, const hop__form *form, uint64_t count) {
    enum { TABLE = 10 };
    uint32_t *index = random_u32(count, 6, TABLE), expected[TABLE] = {0};
    for (uint64_t i = 0; i < count; i++)
        expected[index[i]]++;
    hop__buffer *words = buffer_of(device, TABLE * 4, NULL);
    hop__buffer *places = buffer_of(device, count * 4, index);
    fine(device, hop__buffer_fill(words, 0, TABLE * 4, 0));
    fine(device, hop__raise(device, form, words, places, count));
    uint32_t *got = contents(device, words, TABLE * 4);
    assert_memory_equal(got, expected, sizeof expected);
    free(got);
    free(index);
    hop__buffer_free(words);
    hop__buffer_free(places);
}

static void raises(void **state) {
    on_each_form(state, raise_body);
}

/* Fill, numbers and copy: one after another into the same buffer. */
static void yardsticks_body(hop__device *device, const hop__form *form, uint64_t count) {
    static const char *const names[] = {"fill_u32", "iota_u32", "copy_u32"};
    uint32_t *values = random_u32(count, 3, UINT32_MAX);
    hop__buffer *in = buffer_of(device, count * 4, values);
    const hop__argument more[] = {hop__arg_u32(77), hop__arg_u32(5), hop__arg_buffer(in)};
    for (size_t k = 0; k < 3; k++) {
        hop__buffer *out = spoiled(device, (count + MARGIN) * 4);
        fine(device, yardstick(device, form, names[k], out, count, 4, &more[k], 1));
        uint32_t *got = contents(device, out, (count + MARGIN) * 4);
        for (uint64_t i = 0; i < count + MARGIN; i++)
            assert_true(got[i] == (i >= count ? 0xdeadbeef
                                   : k == 0   ? 77
                                   : k == 1   ? 5 + (uint32_t)i
                                              : values[i]));
        free(got);
        hop__buffer_free(out);
    }
    hop__buffer_free(in);
    free(values);
}

static void yardsticks_do_their_work(void **state) {
    on_each_form(state, yardsticks_body);
}

/* Seed 0 and stream 0 mix to 0, where D0's seeding would stand still; so do the second pair. */
static void kiss_body(hop__device *device, const hop__form *form, uint64_t count) {
    enum { EACH = 3 };
    static const uint32_t seeds[][2] = {{0, 0}, {4294901759u, 1}, {12345, 1000}};
    hop__buffer *buffer = buffer_of(device, count * EACH * 4, NULL);
    for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++) {
        const hop__argument more[] = {hop__arg_u32(EACH), hop__arg_u32(seeds[s][0]),
                                      hop__arg_u32(seeds[s][1])};
        fine(device, yardstick(device, form, "kiss_u32", buffer, count, 4 * EACH, more, 3));
        uint32_t *out = contents(device, buffer, count * EACH * 4);
        for (uint64_t i = 0; i < count; i++) {
            hop__kiss kiss;
            hop__kiss_seed(&kiss, seeds[s][0], seeds[s][1] + (uint32_t)i);
            for (unsigned k = 0; k < EACH; k++)
                assert_true(out[i * EACH + k] == hop__kiss_next(&kiss));
        }
        free(out);
    }
    hop__buffer_free(buffer);
}

static void random_numbers_are_the_hosts(void **state) {
    on_each_form(state, kiss_body);
}

static void small_buffers_body(hop_context *context, hop__device *device) {
    hop__buffer *small = buffer_of(device, 40, NULL), *room = buffer_of(device, 80, NULL);
    assert_int_equal(hop__gather(device, NULL, room, small, room, 11), HOP_ERR_ARGUMENT);
    assert_non_null(strstr(hop_context_message(context), "gather: index: 11 elements"));
    assert_int_equal(hop__gather(device, NULL, room, room, small, 11), HOP_ERR_ARGUMENT);
    assert_non_null(strstr(hop_context_message(context), "gather: output: 11 elements"));
    hop__buffer_free(small);
    hop__buffer_free(room);
}

static void small_buffers_are_refused(void **state) {
    (void)state;
    on_each_device(small_buffers_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gathers),
        cmocka_unit_test(raises),
        cmocka_unit_test(yardsticks_do_their_work),
        cmocka_unit_test(random_numbers_are_the_hosts),
        cmocka_unit_test(small_buffers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
