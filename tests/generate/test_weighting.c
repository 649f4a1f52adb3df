/* SPDX-License-Identifier: Apache-2.0
 * Weights: inside their bounds in their own type, both ends reached, uniform, and bad bounds
 * refused with the numbers. */
#include <float.h>

#include "generate/generate_testing.h"
#include "generate/weighting.h"

static hop_context *context;

static int setup(void **state) {
    (void)state;
    context = make_context(1);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    free_context(context);
    return 0;
}

typedef struct bad_bounds {
    const char *name;
    hop_weight_type type;
    double min, max;
    const char *message;
} bad_bounds;

static const bad_bounds bad[] = {
    {"NaN", HOP_TYPE_FLOAT64, NAN, 1, "finite"},
    {"NaN above", HOP_TYPE_INT32, 1, NAN, "finite"},
    {"infinity", HOP_TYPE_FLOAT32, 0, INFINITY, "finite"},
    {"minus infinity", HOP_TYPE_INT64, -INFINITY, 0, "finite"},
    {"out of order", HOP_TYPE_INT32, 5, 4, "min-weight 5 is above max-weight 4"},
    {"fraction for an integer", HOP_TYPE_INT32, 0.5, 4, "0.5"},
    {"fraction above", HOP_TYPE_INT64, 0, 4.25, "4.25"},
    {"int32 above", HOP_TYPE_INT32, 0, 0x1p31, "2147483648 do not fit the weight type int32"},
    {"int32 below", HOP_TYPE_INT32, -0x1p31 - 1, 0, "-2147483649"},
    {"int64 above", HOP_TYPE_INT64, 0, 0x1p63, "int64"},
    {"int64 below", HOP_TYPE_INT64, -0x1.0000000000001p63, 0, "int64"},
    {"float32 above", HOP_TYPE_FLOAT32, 0, 1e39, "float32"},
    {"float32 hardly above", HOP_TYPE_FLOAT32, 0, 0x1.fffffe0000001p127, "float32"},
    {"no float32 between", HOP_TYPE_FLOAT32, 0.1, 0.10000000000000002, "no float32"},
    {"float64 too far apart", HOP_TYPE_FLOAT64, -DBL_MAX, DBL_MAX, "too far apart"},
    {"no such type", (hop_weight_type)6, 1, 2, "no weight type number 6"},
};

static void test_bad_bounds_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < HOP_LENGTH(bad); i++) {
        hop__weighting weighting;
        hop_status status = hop__weighting_init(context, "family", bad[i].type, bad[i].min,
                                                bad[i].max, 1, &weighting);
        if (status != HOP_ERR_ARGUMENT)
            fail_msg("%s: %s", bad[i].name, hop_status_name(status));
        assert_message(context, bad[i].message);
        assert_message(context, "family: ");
    }
}

typedef struct good_bounds {
    hop_weight_type type;
    double min, max;
} good_bounds;

static const good_bounds good[] = {
    {HOP_TYPE_INT32, 1, 255},
    {HOP_TYPE_INT32, -0x1p31, 0x1p31 - 1},
    {HOP_TYPE_INT32, -3, -3},
    {HOP_TYPE_INT32, 0, 1},
    {HOP_TYPE_INT64, -0x1p63, 0x1.fffffffffffffp62},
    {HOP_TYPE_INT64, 0x1p62, 0x1p62},
    {HOP_TYPE_INT64, -5, 5},
    {HOP_TYPE_FLOAT32, 1, 255},
    {HOP_TYPE_FLOAT32, 0.1, 0.3}, /* neither is a float32 */
    {HOP_TYPE_FLOAT32, -0.3, -0.1},
    {HOP_TYPE_FLOAT32, -0x1.fffffep127, 0x1.fffffep127},
    {HOP_TYPE_FLOAT32, 0x1p-149, 0x1p-148},
    {HOP_TYPE_FLOAT64, 0.1, 0.3},
    {HOP_TYPE_FLOAT64, -0.1, 0.3}, /* -0.1 + (0.3 - -0.1) is above 0.3 */
    {HOP_TYPE_FLOAT64, -1e308, 0.5e308},
    {HOP_TYPE_FLOAT64, 0, 0},
    {HOP_TYPE_FLOAT64, 0x1p-1074, 0x1p-1073},
};

/* Every weight is inside, also at the ends of the random bits, and the ends are as near to the
 * bounds as the type allows. */
static void test_weights_stay_inside(void **state) {
    (void)state;
    for (size_t i = 0; i < HOP_LENGTH(good); i++) {
        hop__weighting weighting;
        uint64_t cells[2];
        assert_int_equal(hop__weighting_init(context, "family", good[i].type, good[i].min,
                                             good[i].max, 1, &weighting),
                         HOP_OK);
        hop__weighting_put(&weighting, 0, cells, 0);
        hop__weighting_put(&weighting, UINT64_MAX, cells, 1);
        double low = weight_of(good[i].type, cells, 0), high = weight_of(good[i].type, cells, 1);
        double min = good[i].min, max = good[i].max;
        if (low < min || high > max || low > high)
            fail_msg("bounds %zu: %.17g to %.17g gave %.17g to %.17g", i, min, max, low, high);
        if (good[i].type == HOP_TYPE_FLOAT32) {
            assert_true((double)nextafterf((float)low, -INFINITY) < min);
            assert_true((double)nextafterf((float)high, INFINITY) > max);
        } else {
            assert_true(low == min);
            assert_true(high == max);
        }
        for (uint64_t k = 0; k < 20000; k++) {
            hop__weighting_put(&weighting, hop__random_at(3, 3, k), cells, 0);
            double weight = weight_of(good[i].type, cells, 0);
            assert_true(weight >= min && weight <= max);
        }
    }
}

static void test_weights_grow_with_the_bits(void **state) {
    (void)state;
    for (size_t i = 0; i < HOP_LENGTH(good); i++) {
        hop__weighting weighting;
        assert_int_equal(hop__weighting_init(context, "family", good[i].type, good[i].min,
                                             good[i].max, 1, &weighting),
                         HOP_OK);
        double last = -INFINITY;
        for (uint64_t k = 0; k < 5000; k++) {
            uint64_t cell[1];
            hop__weighting_put(&weighting, k * (UINT64_MAX / 5000), cell, 0);
            double weight = weight_of(good[i].type, cell, 0);
            assert_true(weight >= last);
            last = weight;
        }
    }
}

static void test_integers_are_uniform(void **state) {
    (void)state;
    enum { COUNT = 255 * 200 };
    static int32_t weights[COUNT];
    uint64_t counts[255] = {0};
    hop__weighting weighting;
    assert_int_equal(hop__weighting_init(context, "family", HOP_TYPE_INT32, 1, 255, 77, &weighting),
                     HOP_OK);
    hop__weighting_fill(&weighting, 0, COUNT, weights);
    for (unsigned i = 0; i < COUNT; i++) {
        assert_in_range(weights[i], 1, 255);
        counts[weights[i] - 1]++;
    }
    assert_uniform(counts, 255);
}

static void test_floats_are_uniform(void **state) {
    (void)state;
    enum { COUNT = 100000, CELLS = 100 };
    static float weights[COUNT];
    uint64_t counts[CELLS] = {0};
    hop__weighting weighting;
    assert_int_equal(
        hop__weighting_init(context, "family", HOP_TYPE_FLOAT32, -2, 3, 78, &weighting), HOP_OK);
    hop__weighting_fill(&weighting, 1, COUNT, weights);
    for (unsigned i = 0; i < COUNT; i++)
        counts[(unsigned)fmin((weights[i] + 2) / 5 * CELLS, CELLS - 1)]++;
    assert_uniform(counts, CELLS);
}

/* Weight i does not depend on where the block begins that it is asked for in. */
static void test_weights_belong_to_the_index(void **state) {
    (void)state;
    enum { COUNT = 999 };
    static int64_t whole[COUNT], part[COUNT];
    hop__weighting weighting;
    assert_int_equal(
        hop__weighting_init(context, "family", HOP_TYPE_INT64, -1e9, 1e9, 5, &weighting), HOP_OK);
    hop__weighting_fill(&weighting, 0, COUNT, whole);
    for (uint32_t size = 1; size < 8; size++) {
        memset(part, 0, sizeof part);
        for (uint32_t first = 0; first < COUNT; first += size)
            hop__weighting_fill(&weighting, first, COUNT - first < size ? COUNT - first : size,
                                part + first);
        assert_memory_equal(whole, part, sizeof whole);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_bounds_are_refused),
        cmocka_unit_test(test_weights_stay_inside),
        cmocka_unit_test(test_weights_grow_with_the_bits),
        cmocka_unit_test(test_integers_are_uniform),
        cmocka_unit_test(test_floats_are_uniform),
        cmocka_unit_test(test_weights_belong_to_the_index),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
