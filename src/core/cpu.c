/* SPDX-License-Identifier: Apache-2.0
 *
 * What the processor can do, and the system lets it: asked of the processor (CPUID, XGETBV), as not
 * every compiler comes with the library behind __builtin_cpu_supports (zig's does not). A virtual
 * machine takes microseconds to answer, so the answer is kept. */
#include "core/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#if HOP__CPU_X86
#include <cpuid.h>
#endif

static const char *const names[HOP__CPU_LEVELS] = {
    [HOP__CPU_PLAIN] = "plain",
    [HOP__CPU_AVX2] = "avx2",
    [HOP__CPU_AVX512] = "avx512",
};

#if HOP__CPU_X86
/* Bits of CPUID's leaf 1 (ECX) and leaf 7 (EBX), and of XCR0: which registers the system saves when
 * it changes threads. */
enum { XSAVE_ON = 1 << 27, SAVES_YMM = 0x6, SAVES_ZMM = 0xe6 };
static const unsigned avx2 = 1u << 5 | 1u << 8;                           /* AVX2, BMI2 */
static const unsigned avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; /* F, DQ, BW, VL */

static unsigned saved_registers(void) {
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static hop__cpu_level detect(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & XSAVE_ON) ||
        !__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return HOP__CPU_PLAIN;
    unsigned saved = saved_registers();
    if ((b & (avx512 | avx2)) == (avx512 | avx2) && (saved & SAVES_ZMM) == SAVES_ZMM)
        return HOP__CPU_AVX512;
    return (b & avx2) == avx2 && (saved & SAVES_YMM) == SAVES_YMM ? HOP__CPU_AVX2 : HOP__CPU_PLAIN;
}
#else
static hop__cpu_level detect(void) {
    return HOP__CPU_PLAIN;
}
#endif

/* The level of the processor itself, found once: whoever comes first, and any who come beside it,
 * store the same. */
static hop__cpu_level found(void) {
    static atomic_int kept = -1;
    int level = atomic_load_explicit(&kept, memory_order_relaxed);
    if (level < 0) {
        level = (int)detect();
        atomic_store_explicit(&kept, level, memory_order_relaxed);
    }
    return (hop__cpu_level)level;
}

hop__cpu_level hop__cpu(void) {
    const char *wanted = getenv("HOPLITE_CPU");
    hop__cpu_level level = found();
    for (int i = 0; wanted && i < (int)level; i++)
        if (strcmp(wanted, names[i]) == 0)
            return (hop__cpu_level)i;
    return level;
}

const char *hop__cpu_name(hop__cpu_level level) {
    return names[level];
}
