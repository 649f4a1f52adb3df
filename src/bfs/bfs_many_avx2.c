/* SPDX-License-Identifier: Apache-2.0
 * The loops of bfs_many.h for AVX2: four words in a register. */
#include "bfs/bfs_many_loops.h"
#include "core/cpu.h"

#if HOP__CPU_X86
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))

TARGET static inline bool any_4(const words_4 *x) {
    return !_mm256_testz_si256((__m256i)*x, (__m256i)*x);
}
TARGET static inline bool any_8(const words_8 *x) {
    const words_4 low = {(*x)[0], (*x)[1], (*x)[2], (*x)[3]},
                  high = {(*x)[4], (*x)[5], (*x)[6], (*x)[7]};
    const words_4 either = low | high;
    return any_4(&either);
}

#define MANY_WORDS 4
#include "bfs/bfs_many_template.h"
#define MANY_WORDS 8
#include "bfs/bfs_many_template.h"

const hop__many_form hop__many_avx2[HOP__MANY_FORMS] = {
    [2] = {push_4, pull_4, count_4},
    [3] = {push_8, pull_8, count_8},
};
#else
const hop__many_form hop__many_avx2[HOP__MANY_FORMS];
#endif
