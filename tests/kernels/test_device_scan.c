/* SPDX-License-Identifier: Apache-2.0
 * Prefix sums and compaction on devices, against loops here. */
#include "kernels/kernels_testing.h"

/* Small values, and values whose sums wrap. */
static void scan_u32_body(hop__device *device, const hop__form *form, uint64_t count) {
    for (unsigned large = 0; large < 2; large++) {
        uint32_t *values = random_u32(count, large, large ? UINT32_MAX : 10), sum = 0;
        hop__buffer *buffer = buffer_of(device, count * 4, values);
        fine(device, hop__scan_exclusive(device, form, buffer, buffer, count));
        uint32_t *out = contents(device, buffer, count * 4);
        for (uint64_t i = 0; i < count; i++) {
            assert_true(out[i] == sum);
            sum += values[i];
        }
        free(out);
        free(values);
        hop__buffer_free(buffer);
    }
}

static void scans_u32(void **state) {
    on_each_form(state, scan_u32_body);
}

/* One of `rate` flags is set, and not always to 1; rate 0: none. */
static void compact_rate(hop__device *device, const hop__form *form, uint64_t count,
                         uint32_t rate) {
    uint32_t *flags = random_u32(count, 4, UINT32_MAX);
    uint64_t kept = 0, got;
    for (uint64_t i = 0; i < count; i++) {
        flags[i] = rate != 0 && flags[i] % rate == 0 ? 1 + flags[i] % 3 : 0;
        kept += flags[i] != 0;
    }
    hop__buffer *marks = buffer_of(device, count * 4, flags);
    hop__buffer *out = buffer_of(device, kept * 4, NULL);
    fine(device, hop__compact(device, form, marks, count, out, &got));
    assert_true(got == kept);
    uint32_t *list = contents(device, out, kept * 4);
    for (uint64_t i = 0, k = 0; i < count; i++)
        if (flags[i] != 0)
            assert_true(list[k++] == (uint32_t)i);
    free(list);
    hop__buffer_free(marks);
    hop__buffer_free(out);
    free(flags);
}

static void compact_body(hop__device *device, const hop__form *form, uint64_t count) {
    static const uint32_t rates[] = {0, 1, 3, 100};
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++)
        compact_rate(device, form, count, rates[r]);
}

static void compacts(void **state) {
    on_each_form(state, compact_body);
}

static void refusals_body(hop_context *context, hop__device *device) {
    uint32_t ones[20];
    uint64_t got;
    for (unsigned i = 0; i < 20; i++)
        ones[i] = 1;
    hop__buffer *in = buffer_of(device, 80, ones), *out = buffer_of(device, 76, NULL);
    assert_int_equal(hop__scan_exclusive(device, NULL, in, out, 20), HOP_ERR_ARGUMENT);
    assert_int_equal(hop__scan_exclusive(device, NULL, out, in, 20), HOP_ERR_ARGUMENT);
    assert_int_equal(hop__compact(device, NULL, out, 20, in, &got), HOP_ERR_ARGUMENT);
    assert_int_equal(hop__compact(device, NULL, in, 20, out, &got), HOP_ERR_ARGUMENT);
    assert_non_null(strstr(hop_context_message(context), "compact: output: 20 elements"));
    hop__buffer_free(in);
    hop__buffer_free(out);
}

static void small_buffers_are_refused(void **state) {
    (void)state;
    on_each_device(refusals_body);
}

/* hop__scan_scratch and hop__compact_scratch are what estimates rely on. */
static void scratch_body(hop_context *context, hop__device *device) {
    enum { COUNT = 1 << 20 };
    static const uint64_t counts[] = {1, 5000, COUNT / 2}; /* rising, as the peak is kept */
    uint64_t got, before, peak;
    (void)context;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        hop__buffer *flags = buffer_of(device, counts[i] * 4, NULL);
        hop__buffer *out = buffer_of(device, counts[i] * 4, NULL);
        before = hop__device_usage(device).used;
        fine(device, hop__compact(device, NULL, flags, counts[i], out, &got));
        peak = hop__device_usage(device).peak - before;
        assert_true(peak > 0 && peak <= hop__compact_scratch(counts[i]));
        hop__buffer_free(flags);
        hop__buffer_free(out);
    }
    hop__buffer *buffer = buffer_of(device, COUNT * 4, NULL);
    before = hop__device_usage(device).used;
    fine(device, hop__scan_exclusive(device, NULL, buffer, buffer, COUNT));
    peak = hop__device_usage(device).peak - before;
    assert_true(peak > 0 && peak <= hop__scan_scratch(device, NULL));
    hop__buffer_free(buffer);
}

static void scratch_memory_is_estimated(void **state) {
    (void)state;
    if (most_elements() < 1 << 20)
        skip();
    on_each_device(scratch_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_u32),
        cmocka_unit_test(compacts),
        cmocka_unit_test(small_buffers_are_refused),
        cmocka_unit_test(scratch_memory_is_estimated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
