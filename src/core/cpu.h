/* SPDX-License-Identifier: Apache-2.0
 *
 * Which instructions this processor has. The library is built for the least of its kind; a hot
 * loop may have further forms, in functions with __attribute__((target(...))), and takes the best
 * that runs here. All forms give the same bits.
 *
 * The variable HOPLITE_CPU of the environment ("plain", "avx2", "avx512") lowers the level, for
 * tests and for comparisons; it cannot raise it. */
#ifndef HOPLITE_CORE_CPU_H
#define HOPLITE_CORE_CPU_H

#include "hoplite/status.h"

#if defined(__x86_64__)
#define HOP__CPU_X86 1
#else
#define HOP__CPU_X86 0
#endif

typedef enum hop__cpu_level {
    HOP__CPU_PLAIN,  /* what the library is built for: on x86-64, SSE2 */
    HOP__CPU_AVX2,   /* AVX2, BMI2 */
    HOP__CPU_AVX512, /* AVX-512 F, BW, DQ, VL, and those before */
} hop__cpu_level;
enum { HOP__CPU_LEVELS = 3 };

/* The best level of this processor that HOPLITE_CPU allows. Looks at the environment each time:
 * ask once per run. */
HOP_API hop__cpu_level hop__cpu(void);
/* "plain", "avx2" or "avx512". */
const char *hop__cpu_name(hop__cpu_level level);

#endif
