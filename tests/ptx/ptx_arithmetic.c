/* SPDX-License-Identifier: Apache-2.0
 *
 * The instructions that only compute, as one table: X(name, sources, result). The result is an
 * expression of a, b, c and e, the sources as 64-bit words with nothing above their width, and has
 * nothing above its own; `wide` is the mask of a destination that is wider than the type. By the
 * manual of PTX where C has no answer: division by 0, shifts by more than the width, minima of
 * NaN, conversions out of range. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx_internal.h"

static inline float f32_of(uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}
static inline uint64_t f32_bits(float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}
static inline double f64_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline uint64_t f64_bits(double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

/* A number beats NaN, and -0 is below +0. */
static inline double least(double a, double b) {
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    return a < b || (a == b && signbit(a)) ? a : b;
}
static inline double most(double a, double b) {
    return -least(-a, -b);
}

/* To an integer towards 0; NaN is 0, and what is out of range is the nearest in it. */
static inline uint64_t to_unsigned(double value, double end, uint64_t largest) {
    return !(value > 0) ? 0 : value >= end ? largest : (uint64_t)value;
}
static inline int64_t to_signed(double value, double end, int64_t largest) {
    if (isnan(value))
        return 0;
    return value >= end ? largest : value < -end ? -largest - 1 : (int64_t)value;
}

static inline uint64_t bits_extract(uint64_t a, uint32_t from, uint32_t length, uint32_t bits,
                                    bool sign) {
    from &= 255, length &= 255;
    uint64_t mask = length >= 64 ? ~0ull : (1ull << length) - 1;
    uint64_t field = from < bits ? a >> from : 0, all = bits == 64 ? ~0ull : (1ull << bits) - 1;
    if (length == 0 || !sign)
        return field & mask & all;
    uint32_t top = from + length - 1 < bits - 1 ? from + length - 1 : bits - 1;
    if ((a >> top & 1) == 0)
        return field & mask & all;
    uint32_t have = from < bits ? bits - from : 0;
    if (length < have)
        have = length;
    return (field | (have >= 64 ? 0 : ~0ull << have)) & all;
}

static inline uint64_t bits_insert(uint64_t a, uint64_t b, uint32_t at, uint32_t length,
                                   uint32_t bits) {
    at &= 255, length &= 255;
    if (at >= bits)
        return b;
    uint64_t mask = (length >= 64 ? ~0ull : (1ull << length) - 1) << at;
    if (bits == 32)
        mask = (uint32_t)mask;
    return (b & ~mask) | (a << at & mask);
}

static inline uint64_t reversed(uint64_t value, uint32_t bits) {
    uint64_t result = 0;
    for (uint32_t i = 0; i < bits; i++)
        result |= (value >> i & 1) << (bits - 1 - i);
    return result;
}

/* The bytes of b:a that the four selectors in c name. */
static inline uint64_t permuted(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t all = a | b << 32, result = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t byte = all >> 8 * (c >> 4 * i & 7) & 255;
        if ((c >> 4 * i & 8) != 0)
            byte = (byte & 128) != 0 ? 255 : 0;
        result |= byte << 8 * i;
    }
    return result;
}

static inline uint64_t looked_up(uint64_t a, uint64_t b, uint64_t c, uint64_t table) {
    uint64_t result = 0;
    for (int i = 0; i < 8; i++)
        if ((table >> i & 1) != 0)
            result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
    return (uint32_t)result;
}

/* F(T, U, a, b): T the type, U the unsigned one of its width. */
#define F_MIN(T, U, x, y) (U)((T)(x) < (T)(y) ? (T)(x) : (T)(y))
#define F_MAX(T, U, x, y) (U)((T)(x) > (T)(y) ? (T)(x) : (T)(y))
/* The largest magnitude divided by -1 wraps. */
#define F_DIV_U(T, U, x, y) ((T)(y) == 0 ? (U)-1 : (U)((T)(x) / (T)(y)))
#define F_REM_U(T, U, x, y) ((T)(y) == 0 ? (U)(x) : (U)((T)(x) % (T)(y)))
#define F_DIV_S(T, U, x, y)                                                                        \
    ((T)(y) == 0 ? (U)-1 : (T)(y) == -1 ? (U)(0 - (x)) : (U)((T)(x) / (T)(y)))
#define F_REM_S(T, U, x, y) ((T)(y) == 0 ? (U)(x) : (T)(y) == -1 ? 0 : (U)((T)(x) % (T)(y)))
#define F_EQ(T, U, x, y)    ((T)(x) == (T)(y))
#define F_NE(T, U, x, y)    ((T)(x) != (T)(y))
#define F_LT(T, U, x, y)    ((T)(x) < (T)(y))
#define F_LE(T, U, x, y)    ((T)(x) <= (T)(y))
#define F_GT(T, U, x, y)    ((T)(x) > (T)(y))
#define F_GE(T, U, x, y)    ((T)(x) >= (T)(y))
/* Shifts end at the width. */
#define F_SHR_U(T, U, x, y) ((uint32_t)(y) < 8 * sizeof(T) ? (U)((T)(x) >> ((y)&63)) : 0)
#define F_SHR_S(T, U, x, y)                                                                        \
    (U)((T)(x) >> ((uint32_t)(y) < 8 * sizeof(T) ? (y)&63 : 8 * sizeof(T) - 1))
/* The lower 128 bits of a product do not depend on the sign. */
__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;
#define WIDEST(T, x)     ((u128)(i128)(T)(x))
#define F_HI(T, U, x, y) (U)(WIDEST(T, x) * WIDEST(T, y) >> 8 * sizeof(T))

#define UNSIGNED(X, name, n, F)                                                                    \
    X(name##_u16, n, F(uint16_t, uint16_t, a, b))                                                  \
    X(name##_u32, n, F(uint32_t, uint32_t, a, b))                                                  \
    X(name##_u64, n, F(uint64_t, uint64_t, a, b))
#define SIGNED(X, name, n, F)                                                                      \
    X(name##_s16, n, F(int16_t, uint16_t, a, b))                                                   \
    X(name##_s32, n, F(int32_t, uint32_t, a, b))                                                   \
    X(name##_s64, n, F(int64_t, uint64_t, a, b))
#define INTEGERS(X, name, n, F) UNSIGNED(X, name, n, F) SIGNED(X, name, n, F)
#define BITS(X, name, n, expression)                                                               \
    X(name##_b16, n, (uint16_t)(expression))                                                       \
    X(name##_b32, n, (uint32_t)(expression))                                                       \
    X(name##_b64, n, (uint64_t)(expression))
/* Where signed and unsigned are the same. */
#define WRAPPING(X, name, n, expression)                                                           \
    X(name##_u16, n, (uint16_t)(expression))                                                       \
    X(name##_s16, n, (uint16_t)(expression))                                                       \
    X(name##_u32, n, (uint32_t)(expression))                                                       \
    X(name##_s32, n, (uint32_t)(expression))                                                       \
    X(name##_u64, n, expression)                                                                   \
    X(name##_s64, n, expression)
#define BIT_WORDS(X, name, n, F)                                                                   \
    X(name##_b16, n, F(uint16_t, uint16_t, a, b))                                                  \
    X(name##_b32, n, F(uint32_t, uint32_t, a, b))                                                  \
    X(name##_b64, n, F(uint64_t, uint64_t, a, b))
#define FLOATS(X, name, n, f, d)                                                                   \
    X(name##_f32, n, f32_bits(f))                                                                  \
    X(name##_f64, n, f64_bits(d))
#define FLOAT_TESTS(X, name, op)                                                                   \
    X(setp_##name##_f32, 2, f32_of(a) op f32_of(b))                                                \
    X(setp_##name##_f64, 2, f64_of(a) op f64_of(b))
/* True where one is NaN, too: the opposite of the opposite. */
#define FLOAT_UNORDERED(X, name, opposite)                                                         \
    X(setp_##name##_f32, 2, !(f32_of(a) opposite f32_of(b)))                                       \
    X(setp_##name##_f64, 2, !(f64_of(a) opposite f64_of(b)))

#define ARITHMETIC(X)                                                                              \
    WRAPPING(X, add, 2, a + b)                                                                     \
    WRAPPING(X, sub, 2, a - b)                                                                     \
    WRAPPING(X, mul_lo, 2, a *b)                                                                   \
    WRAPPING(X, mad_lo, 3, a *b + c)                                                               \
    X(mul_wide_u16, 2, (uint32_t)(a * b))                                                          \
    X(mul_wide_s16, 2, (uint32_t)((int32_t)(int16_t)a * (int16_t)b))                               \
    X(mul_wide_u32, 2, a *b)                                                                       \
    X(mul_wide_s32, 2, (int64_t)(int32_t)a *(int32_t)b)                                            \
    X(mad_wide_u16, 3, (uint32_t)(a * b + c))                                                      \
    X(mad_wide_s16, 3, (uint32_t)((uint32_t)((int32_t)(int16_t)a * (int16_t)b) + c))               \
    X(mad_wide_u32, 3, a *b + c)                                                                   \
    X(mad_wide_s32, 3, (uint64_t)((int64_t)(int32_t)a * (int32_t)b) + c)                           \
    INTEGERS(X, mul_hi, 2, F_HI)                                                                   \
    UNSIGNED(X, div, 2, F_DIV_U)                                                                   \
    SIGNED(X, div, 2, F_DIV_S)                                                                     \
    UNSIGNED(X, rem, 2, F_REM_U)                                                                   \
    SIGNED(X, rem, 2, F_REM_S)                                                                     \
    INTEGERS(X, min, 2, F_MIN)                                                                     \
    INTEGERS(X, max, 2, F_MAX)                                                                     \
    X(abs_s16, 1, (uint16_t)((int16_t)a < 0 ? 0 - a : a))                                          \
    X(abs_s32, 1, (uint32_t)((int32_t)a < 0 ? 0 - a : a))                                          \
    X(abs_s64, 1, (int64_t)a < 0 ? 0 - a : a)                                                      \
    X(neg_s16, 1, (uint16_t)(0 - a))                                                               \
    X(neg_s32, 1, (uint32_t)(0 - a))                                                               \
    X(neg_s64, 1, 0 - a)

#define BITWISE(X)                                                                                 \
    X(and_pred, 2, a &b)                                                                           \
    X(or_pred, 2, a | b)                                                                           \
    X(xor_pred, 2, a ^ b)                                                                          \
    X(not_pred, 1, ~a & 1)                                                                         \
    BITS(X, and, 2, a &b)                                                                          \
    BITS(X, or, 2, a | b)                                                                          \
    BITS(X, xor, 2, a ^ b)                                                                         \
    BITS(X, not, 1, ~a)                                                                            \
    X(shl_b16, 2, (uint32_t)b < 16 ? (uint16_t)(a << (b & 15)) : 0)                                \
    X(shl_b32, 2, (uint32_t)b < 32 ? (uint32_t)(a << (b & 31)) : 0)                                \
    X(shl_b64, 2, (uint32_t)b < 64 ? a << (b & 63) : 0)                                            \
    UNSIGNED(X, shr, 2, F_SHR_U)                                                                   \
    SIGNED(X, shr, 2, F_SHR_S)                                                                     \
    BIT_WORDS(X, shr, 2, F_SHR_U)                                                                  \
    X(shf_l_wrap_b32, 3, (uint32_t)((b << 32 | a) << (c & 31) >> 32))                              \
    X(shf_r_wrap_b32, 3, (uint32_t)((b << 32 | a) >> (c & 31)))                                    \
    X(shf_l_clamp_b32, 3, (uint32_t)c < 32 ? (uint32_t)((b << 32 | a) << (c & 31) >> 32) : a)      \
    X(shf_r_clamp_b32, 3, (uint32_t)c < 32 ? (uint32_t)((b << 32 | a) >> (c & 31)) : b)            \
    X(popc_b32, 1, (uint64_t)__builtin_popcountll(a))                                              \
    X(popc_b64, 1, (uint64_t)__builtin_popcountll(a))                                              \
    X(clz_b32, 1, a == 0 ? 32 : (uint64_t)__builtin_clzll(a) - 32)                                 \
    X(clz_b64, 1, a == 0 ? 64 : (uint64_t)__builtin_clzll(a))                                      \
    X(brev_b32, 1, reversed(a, 32))                                                                \
    X(brev_b64, 1, reversed(a, 64))                                                                \
    X(bfe_u32, 3, bits_extract(a, (uint32_t)b, (uint32_t)c, 32, false))                            \
    X(bfe_s32, 3, bits_extract(a, (uint32_t)b, (uint32_t)c, 32, true))                             \
    X(bfe_u64, 3, bits_extract(a, (uint32_t)b, (uint32_t)c, 64, false))                            \
    X(bfe_s64, 3, bits_extract(a, (uint32_t)b, (uint32_t)c, 64, true))                             \
    X(bfi_b32, 4, bits_insert(a, b, (uint32_t)c, (uint32_t)e, 32))                                 \
    X(bfi_b64, 4, bits_insert(a, b, (uint32_t)c, (uint32_t)e, 64))                                 \
    X(prmt_b32, 3, permuted(a, b, c))                                                              \
    X(lop3_b32, 4, looked_up(a, b, c, e))

#define MOVING(X)                                                                                  \
    X(mov_pred, 1, a & 1)                                                                          \
    BITS(X, mov, 1, a)                                                                             \
    WRAPPING(X, mov, 1, a)                                                                         \
    X(mov_f32, 1, a)                                                                               \
    X(mov_f64, 1, a)                                                                               \
    X(pack_b32, 2, (uint32_t)(a | b << 16))                                                        \
    X(pack_b64, 2, a | b << 32)                                                                    \
    X(low_b32, 1, (uint16_t)a)                                                                     \
    X(low_b64, 1, (uint32_t)a)                                                                     \
    X(high_b32, 1, a >> 16)                                                                        \
    X(high_b64, 1, a >> 32)                                                                        \
    X(cvta_global_u64, 1, a)                                                                       \
    X(cvta_to_global_u64, 1, a)                                                                    \
    X(cvta_shared_u64, 1, a | PTX_SHARED_WINDOW)                                                   \
    X(cvta_to_shared_u64, 1, a & ~PTX_SHARED_WINDOW)                                               \
    X(cvta_local_u64, 1, a | PTX_LOCAL_WINDOW)                                                     \
    X(cvta_to_local_u64, 1, a & ~PTX_LOCAL_WINDOW)                                                 \
    BITS(X, selp, 3, c & 1 ? a : b)                                                                \
    WRAPPING(X, selp, 3, c & 1 ? a : b)                                                            \
    X(selp_f32, 3, c & 1 ? a : b)                                                                  \
    X(selp_f64, 3, c & 1 ? a : b)

#define TESTS(X)                                                                                   \
    INTEGERS(X, setp_eq, 2, F_EQ)                                                                  \
    INTEGERS(X, setp_ne, 2, F_NE)                                                                  \
    BIT_WORDS(X, setp_eq, 2, F_EQ)                                                                 \
    BIT_WORDS(X, setp_ne, 2, F_NE)                                                                 \
    INTEGERS(X, setp_lt, 2, F_LT)                                                                  \
    INTEGERS(X, setp_le, 2, F_LE)                                                                  \
    INTEGERS(X, setp_gt, 2, F_GT)                                                                  \
    INTEGERS(X, setp_ge, 2, F_GE)                                                                  \
    UNSIGNED(X, setp_lo, 2, F_LT)                                                                  \
    UNSIGNED(X, setp_ls, 2, F_LE)                                                                  \
    UNSIGNED(X, setp_hi, 2, F_GT)                                                                  \
    UNSIGNED(X, setp_hs, 2, F_GE)                                                                  \
    FLOAT_TESTS(X, eq, ==)                                                                         \
    FLOAT_TESTS(X, lt, <)                                                                          \
    FLOAT_TESTS(X, le, <=)                                                                         \
    FLOAT_TESTS(X, gt, >)                                                                          \
    FLOAT_TESTS(X, ge, >=)                                                                         \
    FLOAT_UNORDERED(X, neu, ==)                                                                    \
    FLOAT_UNORDERED(X, ltu, >=)                                                                    \
    FLOAT_UNORDERED(X, leu, >)                                                                     \
    FLOAT_UNORDERED(X, gtu, <=)                                                                    \
    FLOAT_UNORDERED(X, geu, <)                                                                     \
    X(setp_ne_f32, 2, f32_of(a) < f32_of(b) || f32_of(a) > f32_of(b))                              \
    X(setp_ne_f64, 2, f64_of(a) < f64_of(b) || f64_of(a) > f64_of(b))                              \
    X(setp_num_f32, 2, !isnan(f32_of(a)) && !isnan(f32_of(b)))                                     \
    X(setp_num_f64, 2, !isnan(f64_of(a)) && !isnan(f64_of(b)))                                     \
    X(setp_nan_f32, 2, isnan(f32_of(a)) || isnan(f32_of(b)))                                       \
    X(setp_nan_f64, 2, isnan(f64_of(a)) || isnan(f64_of(b)))

#define FLOATING(X)                                                                                \
    FLOATS(X, add, 2, f32_of(a) + f32_of(b), f64_of(a) + f64_of(b))                                \
    FLOATS(X, sub, 2, f32_of(a) - f32_of(b), f64_of(a) - f64_of(b))                                \
    FLOATS(X, mul, 2, f32_of(a) * f32_of(b), f64_of(a) * f64_of(b))                                \
    FLOATS(X, div, 2, f32_of(a) / f32_of(b), f64_of(a) / f64_of(b))                                \
    FLOATS(X, fma, 3, fmaf(f32_of(a), f32_of(b), f32_of(c)), fma(f64_of(a), f64_of(b), f64_of(c))) \
    FLOATS(X, min, 2, (float)least(f32_of(a), f32_of(b)), least(f64_of(a), f64_of(b)))             \
    FLOATS(X, max, 2, (float)most(f32_of(a), f32_of(b)), most(f64_of(a), f64_of(b)))               \
    X(neg_f32, 1, a ^ 0x80000000u)                                                                 \
    X(neg_f64, 1, a ^ 1ull << 63)                                                                  \
    X(abs_f32, 1, a & 0x7fffffffu)                                                                 \
    X(abs_f64, 1, a & ~(1ull << 63))                                                               \
    X(sqrt_f32, 1, f32_bits(sqrtf(f32_of(a))))                                                     \
    X(sqrt_f64, 1, f64_bits(sqrt(f64_of(a))))

#define FROM_INTEGERS(X, to, T)                                                                    \
    X(cvt_##to##_u8, 1, (uint64_t)(T)(uint8_t)a &wide)                                             \
    X(cvt_##to##_s8, 1, (uint64_t)(T)(int8_t)a &wide)                                              \
    X(cvt_##to##_u16, 1, (uint64_t)(T)(uint16_t)a &wide)                                           \
    X(cvt_##to##_s16, 1, (uint64_t)(T)(int16_t)a &wide)                                            \
    X(cvt_##to##_u32, 1, (uint64_t)(T)(uint32_t)a &wide)                                           \
    X(cvt_##to##_s32, 1, (uint64_t)(T)(int32_t)a &wide)                                            \
    X(cvt_##to##_u64, 1, (uint64_t)(T)a &wide)                                                     \
    X(cvt_##to##_s64, 1, (uint64_t)(T)(int64_t)a &wide)
#define FROM_FLOATS(X, from, get)                                                                  \
    X(cvt_rzi_u32_##from, 1, to_unsigned(get(a), 0x1p32, UINT32_MAX))                              \
    X(cvt_rzi_u64_##from, 1, to_unsigned(get(a), 0x1p64, UINT64_MAX))                              \
    X(cvt_rzi_s32_##from, 1, (uint32_t)to_signed(get(a), 0x1p31, INT32_MAX))                       \
    X(cvt_rzi_s64_##from, 1, (uint64_t)to_signed(get(a), 0x1p63, INT64_MAX))
#define TO_FLOATS(X, to, T, put)                                                                   \
    X(cvt_##to##_u16, 1, put((T)(uint16_t)a))                                                      \
    X(cvt_##to##_s16, 1, put((T)(int16_t)a))                                                       \
    X(cvt_##to##_u32, 1, put((T)(uint32_t)a))                                                      \
    X(cvt_##to##_s32, 1, put((T)(int32_t)a))                                                       \
    X(cvt_##to##_u64, 1, put((T)a))                                                                \
    X(cvt_##to##_s64, 1, put((T)(int64_t)a))

#define CONVERTING(X)                                                                              \
    FROM_INTEGERS(X, u8, uint8_t)                                                                  \
    FROM_INTEGERS(X, s8, int8_t)                                                                   \
    FROM_INTEGERS(X, u16, uint16_t)                                                                \
    FROM_INTEGERS(X, s16, int16_t)                                                                 \
    FROM_INTEGERS(X, u32, uint32_t)                                                                \
    FROM_INTEGERS(X, s32, int32_t)                                                                 \
    FROM_INTEGERS(X, u64, uint64_t)                                                                \
    FROM_INTEGERS(X, s64, int64_t)                                                                 \
    TO_FLOATS(X, f32, float, f32_bits)                                                             \
    TO_FLOATS(X, f64, double, f64_bits)                                                            \
    FROM_FLOATS(X, f32, f32_of)                                                                    \
    FROM_FLOATS(X, f64, f64_of)                                                                    \
    X(cvt_f64_f32, 1, f64_bits(f32_of(a)))                                                         \
    X(cvt_f32_f64, 1, f32_bits((float)f64_of(a)))

#define ALL(X) ARITHMETIC(X) BITWISE(X) MOVING(X) TESTS(X) FLOATING(X) CONVERTING(X)

/* The results first, so that the loop has nothing that overlaps. */
#define FUNCTION(name, sources, result)                                                            \
    static void run_##name(const ptx_values *v) {                                                  \
        uint64_t results[PTX_LANES], wide = v->wide;                                               \
        const uint64_t *as = v->a, *bs = v->b, *cs = v->c, *es = v->e;                             \
        (void)wide;                                                                                \
        for (int i = 0; i < PTX_LANES; i++) {                                                      \
            uint64_t a = as[i], b = bs[i], c = cs[i], e = es[i];                                   \
            (void)a, (void)b, (void)c, (void)e;                                                    \
            results[i] = (uint64_t)(result);                                                       \
        }                                                                                          \
        for (int i = 0; i < PTX_LANES; i++)                                                        \
            v->d[i] = (results[i] & v->keep[i]) | (v->d[i] & ~v->keep[i]);                         \
    }
ALL(FUNCTION)

#define ROW(name, sources, result) {#name, run_##name, sources},
const ptx_opcode ptx_opcodes[] = {ALL(ROW)};
const size_t ptx_opcode_count = sizeof ptx_opcodes / sizeof *ptx_opcodes;
