/* SPDX-License-Identifier: Apache-2.0
 * The level of instructions is the processor's; the environment lowers it, and never raises it. */
#include "core/core_testing.h"

#include "core/cpu.h"

static void the_environment_lowers_the_level(void **state) {
    (void)state;
    assert_int_equal(unsetenv("HOPLITE_CPU"), 0);
    hop__cpu_level best = hop__cpu();
    for (int i = 0; i < HOP__CPU_LEVELS; i++) {
        hop__cpu_level level = (hop__cpu_level)i;
        assert_int_equal(setenv("HOPLITE_CPU", hop__cpu_name(level), 1), 0);
        assert_int_equal(hop__cpu(), level < best ? level : best);
    }
    assert_int_equal(setenv("HOPLITE_CPU", "no such level", 1), 0);
    assert_int_equal(hop__cpu(), best);
    assert_int_equal(unsetenv("HOPLITE_CPU"), 0);
}

/* The compiler's own detection says the same. */
static void the_compiler_agrees(void **state) {
    (void)state;
#if HOP__CPU_X86
    int avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    int avx2 = __builtin_cpu_supports("avx2") != 0;
    assert_int_equal(hop__cpu() == HOP__CPU_AVX512, avx512);
    assert_int_equal(hop__cpu() >= HOP__CPU_AVX2, avx2);
#else
    assert_int_equal(hop__cpu(), HOP__CPU_PLAIN);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_lowers_the_level),
        cmocka_unit_test(the_compiler_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
