/* SPDX-License-Identifier: Apache-2.0
 * The loops of bfs_many.h for AVX-512: eight words in a register. */
#include "bfs/bfs_many_loops.h"
#include "core/cpu.h"

#if HOP__CPU_X86
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2")))

TARGET static inline bool any_4(const words_4 *x) {
    return !_mm256_testz_si256((__m256i)*x, (__m256i)*x);
}
TARGET static inline bool any_8(const words_8 *x) {
    return _mm512_test_epi64_mask((__m512i)*x, (__m512i)*x) != 0;
}

#define MANY_WORDS 4
#include "bfs/bfs_many_template.h"
#define MANY_WORDS 8
#include "bfs/bfs_many_template.h"

const hop__many_form hop__many_avx512[HOP__MANY_FORMS] = {
    [2] = {push_4, pull_4, count_4},
    [3] = {push_8, pull_8, count_8},
};
#else
const hop__many_form hop__many_avx512[HOP__MANY_FORMS];
#endif
