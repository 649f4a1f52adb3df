/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact sums: the sum of two numbers, rounded once, is what the machine's addition gives, which
 * IEEE 754 demands to be correctly rounded; longer sums are undone by subtracting. */
#include "sssp/sssp_testing.h"

#include "sssp/exact_sum.h"

static double any_double(uint64_t random, int spread) {
    uint64_t fraction = random & ((UINT64_C(1) << 52) - 1);
    if (random >> 52 & 1)
        fraction &= UINT64_C(0xf) << 48; /* few bits: ties come up */
    uint64_t exponent = 1023 - (uint64_t)spread + (random >> 53) % (2 * (uint64_t)spread + 1);
    uint64_t bits = (random >> 63) << 63 | exponent << 52 | fraction;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A scale that holds all numbers of a type. */
static const hop__exact widest = {-1074, HOP__EXACT_WORDS};
static const hop__exact middle = {-80, 3}; /* sums below 2^110 */
static const hop__exact narrow = {-80, 2}; /* sums below 2^46 */

static double sum_of_two(const hop__exact *scale, double a, double b, hop_weight_type type) {
    uint64_t sum[HOP__EXACT_WORDS];
    hop__exact_clear(scale, sum);
    hop__exact_add(scale, sum, hop__exact_real(scale, a), sum);
    hop__exact_add(scale, sum, hop__exact_real(scale, b), sum);
    return hop__exact_round(scale, sum, type);
}

static void assert_sum(double a, double b, double got, double expected) {
    if (got != expected || signbit(got) != signbit(expected))
        fail_msg("%a + %a is %a, expected %a", a, b, got, expected);
}

static void rounds_like_the_machine(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 300000; k++) {
        double a = any_double(hop__random_at(1, 1, k), 20),
               b = any_double(hop__random_at(1, 2, k), 20);
        assert_sum(a, b, sum_of_two(&narrow, a, b, HOP_TYPE_FLOAT64), a + b);
        assert_sum(a, b, sum_of_two(&middle, a, b, HOP_TYPE_FLOAT64), a + b);
        assert_sum(a, b, sum_of_two(&widest, a, b, HOP_TYPE_FLOAT64), a + b);
        float x = (float)a, y = (float)b;
        assert_sum((double)x, (double)y,
                   sum_of_two(&narrow, (double)x, (double)y, HOP_TYPE_FLOAT32), (double)(x + y));
        /* A double sum to float32: rounded once, not twice. Exact in double here. */
        double wide = (double)x + ldexp((double)y, -24);
        if (wide - (double)x == ldexp((double)y, -24))
            assert_sum((double)x, ldexp((double)y, -24),
                       sum_of_two(&widest, (double)x, ldexp((double)y, -24), HOP_TYPE_FLOAT32),
                       (double)(float)wide);
    }
}

static void rounds_at_the_ends(void **state) {
    (void)state;
    static const double ends[] = {0,        -0.0,      5e-324,    -5e-324,
                                  1e-323,   DBL_MIN,   -DBL_MIN,  0x1p-1073,
                                  1.5e-323, DBL_MAX,   -DBL_MAX,  0x1p970,
                                  0x1p969,  -0x1p970,  1,         -1,
                                  0x1p-53,  0x1.8p-53, 0x1p-1022, 0x1.fffffffffffffp-1023};
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++)
        for (unsigned j = 0; j < sizeof ends / sizeof ends[0]; j++) {
            double expected = ends[i] + ends[j];
            assert_sum(ends[i], ends[j], sum_of_two(&widest, ends[i], ends[j], HOP_TYPE_FLOAT64),
                       expected == 0 ? 0 : expected);
        }
    static const float few[] = {0x1p-149f, -0x1p-149f, FLT_MIN, FLT_MAX,
                                -FLT_MAX,  0x1p103f,   0x1p102f};
    for (unsigned i = 0; i < 7; i++)
        for (unsigned j = 0; j < 7; j++) {
            float expected = few[i] + few[j];
            assert_sum((double)few[i], (double)few[j],
                       sum_of_two(&widest, (double)few[i], (double)few[j], HOP_TYPE_FLOAT32),
                       expected == 0 ? 0 : (double)expected);
        }
}

/* What was added is taken away in another order; one stays. */
static void nothing_is_lost(void **state) {
    (void)state;
    static const struct {
        hop__exact scale;
        int spread;
    } kinds[] = {{{-1074, HOP__EXACT_WORDS}, 1000}, {{-80, 3}, 25}, {{-80, 2}, 25}};
    for (unsigned kind = 0; kind < 3; kind++)
        for (uint64_t seed = 0; seed < 2000; seed++) {
            const hop__exact *scale = &kinds[kind].scale;
            uint64_t sum[HOP__EXACT_WORDS], copy[HOP__EXACT_WORDS];
            enum { COUNT = 50 };
            double values[COUNT];
            hop__exact_clear(scale, sum);
            for (uint64_t i = 0; i < COUNT; i++) {
                values[i] = any_double(hop__random_at(seed, 3, i), kinds[kind].spread);
                hop__exact_add(scale, sum, hop__exact_real(scale, values[i]), sum);
            }
            uint64_t last = seed % COUNT;
            for (uint64_t i = 0; i < COUNT; i++) {
                uint64_t at = (i * 7 + seed) % COUNT;
                if (at != last)
                    hop__exact_add(scale, sum, hop__exact_real(scale, -values[at]), sum);
            }
            assert_true(hop__exact_round(scale, sum, HOP_TYPE_FLOAT64) == values[last]);
            /* Order of numbers is that of values. */
            double other = any_double(hop__random_at(seed, 4, 0), kinds[kind].spread);
            hop__exact_clear(scale, copy);
            hop__exact_add(scale, copy, hop__exact_real(scale, other), copy);
            int order = hop__exact_compare(scale, sum, copy);
            assert_int_equal(order, (values[last] > other) - (values[last] < other));
            assert_int_equal(hop__exact_compare(scale, sum, sum), 0);
            assert_false(hop__exact_is_none(scale, sum));
            hop__exact_set_none(scale, copy);
            assert_true(hop__exact_is_none(scale, copy));
            assert_true(hop__exact_compare(scale, sum, copy) < 0);
        }
}

static hop__exact measure(const double *weights, uint32_t count, hop_weight_type type) {
    hop_context *context = make_context(1);
    small_graph g;
    small_directed(&g, 2, 0, false);
    g.type = type;
    g.arcs = count;
    g.offsets[1] = g.offsets[2] = count;
    for (uint32_t i = 0; i < count; i++) {
        g.targets[i] = 1;
        small_set(&g, i, weights[i]);
    }
    hop_graph *graph = small_build(context, &g);
    hop__exact scale = hop__exact_measure(context, graph, UINT32_MAX - 1);
    hop_graph_release(graph);
    free_context(context);
    return scale;
}

static void measures_scales(void **state) {
    (void)state;
    hop__exact scale = measure((double[]){1, 2, -3, 0.25, 0, HUGE_VAL}, 6, HOP_TYPE_FLOAT32);
    assert_int_equal(scale.lowest, -2);
    assert_int_equal(scale.words, 2);
    scale = measure((double[]){0.1, 1e6, -1e-3}, 3, HOP_TYPE_FLOAT64);
    assert_int_equal(scale.words, 2);
    scale = measure((double[]){5e-324, -DBL_MAX}, 2, HOP_TYPE_FLOAT64);
    assert_int_equal(scale.lowest, -1074);
    assert_int_equal(scale.words, HOP__EXACT_WORDS);
    scale = measure((double[]){0x1p-149, -0x1p127}, 2, HOP_TYPE_FLOAT32);
    assert_int_equal(scale.lowest, -149);
    assert_int_equal(scale.words, (127 + 1 + 149 + 32 + 2 + 63) / 64);
    scale = measure((double[]){0, HUGE_VAL}, 2, HOP_TYPE_FLOAT64);
    assert_int_equal(scale.words, 2);
    scale = measure((double[]){-5, 5}, 2, HOP_TYPE_INT64);
    assert_int_equal(scale.lowest, 0);
    assert_int_equal(scale.words, 2);
}

static void integers_fit_or_not(void **state) {
    (void)state;
    const hop__exact scale = {0, 2};
    static const struct {
        int64_t a, b;
        bool fits;
    } sums[] = {
        {INT64_MAX, 0, false},         {INT64_MAX, -1, true},        {INT64_MAX, 1, false},
        {INT64_MIN, 0, true},          {INT64_MIN, -1, false},       {INT64_MIN, INT64_MIN, false},
        {INT64_MAX, INT64_MAX, false}, {INT64_MAX, INT64_MIN, true}, {-5, 3, true}};
    for (unsigned i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        uint64_t sum[2] = {0, 0};
        int64_t value;
        hop__exact_add(&scale, sum, hop__exact_integer(sums[i].a), sum);
        hop__exact_add(&scale, sum, hop__exact_integer(sums[i].b), sum);
        assert_int_equal(hop__exact_to_integer(&scale, sum, &value), sums[i].fits);
        if (sums[i].fits)
            assert_true(value == sums[i].a + sums[i].b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_like_the_machine), cmocka_unit_test(rounds_at_the_ends),
        cmocka_unit_test(nothing_is_lost),         cmocka_unit_test(measures_scales),
        cmocka_unit_test(integers_fit_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
