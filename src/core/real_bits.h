/* SPDX-License-Identifier: Apache-2.0
 *
 * Floating-point numbers as bits. Those of numbers >= 0 are ordered as the numbers are. */
#ifndef HOPLITE_CORE_REAL_BITS_H
#define HOPLITE_CORE_REAL_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t hop__float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float hop__float_from(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t hop__double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double hop__double_from(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
