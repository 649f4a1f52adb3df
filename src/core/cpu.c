/* SPDX-License-Identifier: Apache-2.0
 * What the processor can do, by the compiler's own detection, which knows about the system too. */
#include "core/cpu.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[HOP__CPU_LEVELS] = {
    [HOP__CPU_PLAIN] = "plain",
    [HOP__CPU_AVX2] = "avx2",
    [HOP__CPU_AVX512] = "avx512",
};

static hop__cpu_level detect(void) {
#if HOP__CPU_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return HOP__CPU_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return HOP__CPU_AVX2;
#endif
    return HOP__CPU_PLAIN;
}

hop__cpu_level hop__cpu(void) {
    const char *wanted = getenv("HOPLITE_CPU");
    hop__cpu_level level = detect();
    for (int i = 0; wanted && i < (int)level; i++)
        if (strcmp(wanted, names[i]) == 0)
            return (hop__cpu_level)i;
    return level;
}

const char *hop__cpu_name(hop__cpu_level level) {
    return names[level];
}
