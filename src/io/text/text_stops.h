/* SPDX-License-Identifier: Apache-2.0
 *
 * Where fields and lines end, 64 bytes at a time. */
#ifndef HOPLITE_IO_TEXT_TEXT_STOPS_H
#define HOPLITE_IO_TEXT_TEXT_STOPS_H

#include "io/text/text_number.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The highest bit of each byte of a word that is `byte`, exactly. */
static inline uint64_t hop__equal_bytes(uint64_t word, unsigned char byte) {
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t other = word ^ UINT64_C(0x0101010101010101) * byte;
    return ~(((other & low) + low) | other | low);
}

/* Bit i: whether byte i of the 64 at `at` is one of the two. By words, on any machine. */
static inline uint64_t hop__stops_by_words(const char *at, char a, char b) {
    uint64_t stops = 0;
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t word = hop__load_word(at + i);
        uint64_t seen =
            hop__equal_bytes(word, (unsigned char)a) | hop__equal_bytes(word, (unsigned char)b);
        /* The product gathers the 8 bits, one per byte, in the highest byte. */
        stops |= ((seen >> 7) * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return stops;
}

/* The same, the quickest way that there is. */
static inline uint64_t hop__stops(const char *at, char a, char b) {
#if defined(__SSE2__)
    const __m128i first = _mm_set1_epi8(a), second = _mm_set1_epi8(b);
    uint64_t stops = 0;
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + i));
        __m128i seen = _mm_or_si128(_mm_cmpeq_epi8(bytes, first), _mm_cmpeq_epi8(bytes, second));
        stops |= (uint64_t)(unsigned)_mm_movemask_epi8(seen) << i;
    }
    return stops;
#else
    return hop__stops_by_words(at, a, b);
#endif
}

#endif
