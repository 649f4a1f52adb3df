/* SPDX-License-Identifier: Apache-2.0
 * The radix sorts against qsort, and when memory runs out. */
#include "core/core_testing.h"

#include "core/memory.h"
#include "core/progress.h"
#include "core/rng.h"
#include "core/sort.h"
#include "core/try.h"

static const unsigned thread_counts[] = {1, 2, 3, 8};
/* Around the borders: insertion up to 48, one more thread per 2^14, wide digits and streaming
 * from 2^17. */
static const uint64_t counts[] = {0,     1,     2,      3,      47,     48,    49,
                                  63,    64,    65,     255,    1000,   16383, 16384,
                                  16385, 49152, 131071, 131072, 131073, 300007};
static const unsigned widths[] = {0, 1, 3, 7, 8, 9, 11, 12, 16, 22, 23, 31, 32, 33, 48, 63, 64};

static int compare_keys(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static uint64_t random_key(uint64_t stream, uint64_t i, unsigned bits) {
    return bits == 0 ? 0 : hop__random_at(5, stream, i) >> (64 - bits);
}

/* What is to be sorted, what must come out, and what is worked on. */
typedef struct arrays {
    uint64_t count;
    uint64_t *given, *sorted, *keys;
    uint32_t *given_narrow, *sorted_narrow, *narrow;
} arrays;

static void *array_make(hop_context *context, uint64_t count, size_t size) {
    void *made;
    assert_int_equal(hop__alloc(context, "test", count, size, &made), HOP_OK);
    return made;
}

static arrays arrays_make(hop_context *context, uint64_t count) {
    arrays made = {
        .count = count,
        .given = array_make(context, count, sizeof(uint64_t)),
        .sorted = array_make(context, count, sizeof(uint64_t)),
        .keys = array_make(context, count, sizeof(uint64_t)),
        .given_narrow = array_make(context, count, sizeof(uint32_t)),
        .sorted_narrow = array_make(context, count, sizeof(uint32_t)),
        .narrow = array_make(context, count, sizeof(uint32_t)),
    };
    return made;
}

static void arrays_free(arrays *made) {
    hop__free(made->given);
    hop__free(made->sorted);
    hop__free(made->keys);
    hop__free(made->given_narrow);
    hop__free(made->sorted_narrow);
    hop__free(made->narrow);
}

/* Finds what must come out for the keys in `given`. */
static void arrays_expect(arrays *made) {
    memcpy(made->sorted, made->given, made->count * sizeof(uint64_t));
    qsort(made->sorted, made->count, sizeof(uint64_t), compare_keys);
    for (uint64_t i = 0; i < made->count; i++) {
        made->given_narrow[i] = (uint32_t)made->given[i];
        made->sorted_narrow[i] = (uint32_t)made->sorted[i];
    }
}

static void arrays_reset(arrays *made) {
    memcpy(made->keys, made->given, made->count * sizeof(uint64_t));
    memcpy(made->narrow, made->given_narrow, made->count * sizeof(uint32_t));
}

/* The peak since hop_context_reset_peak is what was told. */
static void check_peak(const hop_context *context, uint64_t count, unsigned bits, size_t size) {
    assert_int_equal(hop_context_memory_peak(context) - hop_context_memory_used(context),
                     hop__sort_memory(context, count, bits, size));
}

static void check(hop_context *context, arrays *made, unsigned bits) {
    uint64_t count = made->count;
    arrays_reset(made);
    hop_context_reset_peak(context);
    assert_int_equal(hop__sort_u64(context, made->keys, count, bits), HOP_OK);
    check_peak(context, count, bits, sizeof(uint64_t));
    assert_memory_equal(made->keys, made->sorted, count * sizeof(uint64_t));
    if (bits > 32)
        return;
    hop_context_reset_peak(context);
    assert_int_equal(hop__sort_u32(context, made->narrow, count, bits), HOP_OK);
    check_peak(context, count, bits, sizeof(uint32_t));
    assert_memory_equal(made->narrow, made->sorted_narrow, count * sizeof(uint32_t));
}

static void sorts_as_qsort_does(void **state) {
    (void)state;
    hop_context *contexts[4];
    for (size_t t = 0; t < 4; t++)
        contexts[t] = make_context(thread_counts[t]);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        arrays made = arrays_make(contexts[0], counts[c]);
        /* All widths where it is cheap, a few where it is not. */
        size_t step = counts[c] > (SMALLER_TESTS ? 200 : 20000) ? 5 : 1;
        for (size_t w = counts[c] % step; w < sizeof widths / sizeof widths[0]; w += step) {
            for (uint64_t i = 0; i < counts[c]; i++)
                made.given[i] = random_key(widths[w], i, widths[w]);
            arrays_expect(&made);
            for (size_t t = 0; t < 4; t++)
                check(contexts[t], &made, widths[w]);
        }
        arrays_free(&made);
    }
    for (size_t t = 0; t < 4; t++)
        free_context(contexts[t]);
}

/* What is told for a number of keys is enough for fewer. */
static void fewer_keys_take_no_more(void **state) {
    (void)state;
    for (size_t t = 0; t < 4; t++) {
        hop_context *context = make_context(thread_counts[t]);
        for (unsigned bits = 0; bits <= 128; bits++)
            for (size_t c = 1; c < sizeof counts / sizeof counts[0]; c++)
                assert_true(hop__sort_memory(context, counts[c], bits, 16) >=
                            hop__sort_memory(context, counts[c - 1], bits, 16));
        free_context(context);
    }
}

/* Inputs that are not random: a digit that all share, few keys, runs, in order, in reverse. */
static uint64_t shaped_key(unsigned shape, uint64_t i, uint64_t count) {
    switch (shape) {
    case 0:
        return UINT64_C(0xffffffffffffffff);
    case 1:
        return hop__random_at(1, 1, i) & UINT64_C(0xff000000000000ff);
    case 2:
        return i;
    case 3:
        return count - i;
    case 4:
        return hop__random_at(1, 1, i) % 2 == 0 ? 0 : UINT64_MAX;
    case 5:
        return (hop__random_at(1, 1, i) & 3) << 30;
    case 6:
        return i == 0 ? UINT64_C(1) << 60 : i % 100; /* one alone in the wrong place */
    default:
        return i * i / count; /* runs that get shorter */
    }
}

static void sorts_what_is_not_random(void **state) {
    (void)state;
    uint64_t count = 140000;
    for (unsigned threads = 1; threads <= 3; threads++) {
        hop_context *context = make_context(threads);
        arrays made = arrays_make(context, count);
        for (unsigned shape = 0; shape < 8; shape++) {
            for (uint64_t i = 0; i < count; i++)
                made.given[i] = shaped_key(shape, i, count);
            arrays_expect(&made);
            check(context, &made, 64);
        }
        arrays_free(&made);
        free_context(context);
    }
}

/* Arrays that do not begin on a cache line, as parts of others do not. */
static void sorts_from_any_address(void **state) {
    (void)state;
    uint64_t count = 200000;
    hop_context *context = make_context(2);
    arrays made = arrays_make(context, count);
    for (uint64_t i = 0; i < count; i++)
        made.given[i] = random_key(6, i, 30);
    arrays_expect(&made);
    uint64_t *keys = array_make(context, count + 17, sizeof *keys);
    uint32_t *narrow = array_make(context, count + 17, sizeof *narrow);
    for (uint64_t offset = 1; offset < 16; offset += 3) {
        uint64_t *part = keys + offset;
        uint32_t *narrow_part = narrow + (offset + 4) % 16;
        memcpy(part, made.given, count * sizeof *part);
        part[-1] = part[count] = 12345;
        assert_int_equal(hop__sort_u64(context, part, count, 30), HOP_OK);
        assert_memory_equal(part, made.sorted, count * sizeof *part);
        assert_int_equal(part[-1], 12345);
        assert_int_equal(part[count], 12345);
        memcpy(narrow_part, made.given_narrow, count * sizeof *narrow_part);
        assert_int_equal(hop__sort_u32(context, narrow_part, count, 30), HOP_OK);
        assert_memory_equal(narrow_part, made.sorted_narrow, count * sizeof *narrow_part);
    }
    hop__free(keys);
    hop__free(narrow);
    arrays_free(&made);
    free_context(context);
}

static hop_status sort_one_way(hop_context *context, arrays *made, uint64_t count, unsigned way) {
    return way == 0 ? hop__sort_u32(context, made->narrow, count, 32)
                    : hop__sort_u64(context, made->keys, count, 64);
}

/* Each allocation fails in turn: an error, no leak, and the input is still there. */
static void every_allocation_may_fail(void **state) {
    (void)state;
    test_heap heap = {0};
    hop_context_options options = heap_options(&heap, true);
    options.threads = 2;
    hop_context *context;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    uint64_t count = 40000;
    arrays made = arrays_make(context, count);
    for (uint64_t i = 0; i < count; i++)
        made.given[i] = random_key(1, i, 32);
    arrays_expect(&made);
    for (unsigned way = 0; way < 2; way++) {
        uint64_t before = hop_context_memory_used(context);
        unsigned k = 1;
        for (;; k++) {
            arrays_reset(&made);
            heap_fail_at(&heap, k);
            hop_status status = sort_one_way(context, &made, count, way);
            assert_int_equal(hop_context_memory_used(context), before);
            if (status == HOP_OK)
                break;
            assert_int_equal(status, HOP_ERR_MEMORY);
            assert_memory_equal(hop_context_message(context), "sort: ", 6);
            assert_memory_equal(made.keys, made.given, count * sizeof(uint64_t));
            assert_memory_equal(made.narrow, made.given_narrow, count * sizeof(uint32_t));
        }
        assert_int_equal(k, 4); /* one more than it allocates */
    }
    heap_fail_at(&heap, 0);
    arrays_free(&made);
    free_context(context);
    assert_heap_empty(&heap);
}

static void over_the_budget_is_refused(void **state) {
    (void)state;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = 1;
    options.memory_budget = 1 << 20;
    hop_context *context;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    uint64_t *keys = calloc(200000, sizeof *keys);
    assert_non_null(keys);
    assert_int_equal(hop__sort_u64(context, keys, 200000, 8), HOP_ERR_BUDGET);
    assert_non_null(strstr(hop_context_message(context), "sort: scratch: 1.5 MiB needed"));
    assert_int_equal(hop__sort_u64(context, keys, 48, 64), HOP_OK); /* needs none */
    free(keys);
    free_context(context);
}

static void bit_widths(void **state) {
    (void)state;
    assert_int_equal(hop__bit_width(0), 0);
    for (unsigned bit = 0; bit < 64; bit++) {
        assert_int_equal(hop__bit_width(UINT64_C(1) << bit), bit + 1);
        assert_int_equal(hop__bit_width(UINT64_MAX >> (63 - bit)), bit + 1);
    }
}

static bool stop_at_once(void *user, const hop_progress *progress) {
    (void)user;
    (void)progress;
    return false;
}

/* Inside a phase and by itself; what was cancelled before does not stop what comes after. */
static void can_be_cancelled(void **state) {
    (void)state;
    enum { COUNT = 1 << 18 };
    for (unsigned threads = 1; threads <= 2; threads++)
        for (int phase = 0; phase < 2; phase++) {
            hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
            hop_context *context = NULL;
            options.threads = threads;
            options.progress = stop_at_once;
            assert_int_equal(hop_context_create(&options, &context), HOP_OK);
            uint64_t *keys = array_make(context, COUNT, sizeof *keys);
            for (uint64_t i = 0; i < COUNT; i++)
                keys[i] = random_key(1, i, 40);
            if (phase)
                hop__progress_begin(context, "sorting", 0);
            assert_int_equal(hop__sort_u64(context, keys, COUNT, 40), HOP_ERR_CANCELLED);
            assert_message(context, phase ? "sorting: cancelled by the progress callback"
                                          : "sort: cancelled by the progress callback after 0");
            if (phase)
                assert_int_equal(hop__progress_end(context), HOP_ERR_CANCELLED);
            context->options.progress = NULL;
            assert_int_equal(hop__sort_u64(context, keys, COUNT, 40), HOP_OK);
            for (uint64_t i = 1; i < COUNT; i++)
                assert_true(keys[i - 1] <= keys[i]);
            hop__free(keys);
            free_context(context);
        }
}

/* Keys of 128 bits. */
static int compare_pairs(const void *a, const void *b) {
    const hop__u128 *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void sorts_pairs(void **state) {
    static const unsigned pair_widths[] = {1, 40, 64, 65, 100, 127, 128};
    (void)state;
    for (size_t t = 0; t < HOP_LENGTH(thread_counts); t++) {
        hop_context *context = make_context(thread_counts[t]);
        for (size_t w = 0; w < HOP_LENGTH(pair_widths); w++) {
            uint64_t count = w % 2 == 0 ? 40 : 70001;
            hop__u128 *keys = array_make(context, count, sizeof *keys);
            hop__u128 *sorted = array_make(context, count, sizeof *sorted);
            for (uint64_t i = 0; i < count; i++) {
                hop__u128 key = (hop__u128)random_key(1, i % 500, 64) << 64 | random_key(2, i, 64);
                keys[i] = sorted[i] = key >> (128 - pair_widths[w]);
            }
            qsort(sorted, (size_t)count, sizeof *sorted, compare_pairs);
            assert_int_equal(hop__sort_u128(context, keys, count, pair_widths[w]), HOP_OK);
            assert_memory_equal(keys, sorted, (size_t)count * sizeof *keys);
            hop__free(keys);
            hop__free(sorted);
        }
        free_context(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_as_qsort_does),
        cmocka_unit_test(fewer_keys_take_no_more),
        cmocka_unit_test(sorts_what_is_not_random),
        cmocka_unit_test(sorts_from_any_address),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(over_the_budget_is_refused),
        cmocka_unit_test(bit_widths),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(sorts_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
