/* SPDX-License-Identifier: Apache-2.0
 * What instructions on floats give, worked out by hand. */
#ifndef HOPLITE_TESTS_PTX_FLOAT_CASES_H
#define HOPLITE_TESTS_PTX_FLOAT_CASES_H

#include <math.h>
#include <stdint.h>

typedef struct float_case {
    const char *name;
    double a, b, c;
    double result;
} float_case;

static const float_case float_cases[] = {
    {"add_f32", 1, 0x1p-24, 0, 1},
    {"add_f32", 1, 0x1.000002p-24, 0, 0x1.000002p0},
    {"add_f32", 0x1p-149, 0x1p-149, 0, 0x1p-148},
    {"add_f64", 1, 0x1p-53, 0, 1},
    {"add_f64", 1, 0x1.8p-53, 0, 0x1.0000000000001p0},
    {"sub_f32", 1, 0x1p-25, 0, 1},
    {"sub_f32", 0x1.000002p0, 1, 0, 0x1p-23},
    {"sub_f64", 0x1.0000000000001p0, 1, 0, 0x1p-52},
    {"mul_f32", 0x1.000002p0, 0x1.000002p0, 0, 0x1.000004p0},
    {"mul_f32", 0x1p-100, 0x1p-49, 0, 0x1p-149},
    {"mul_f64", 0x1.0000000000001p0, 0x1.0000000000001p0, 0, 0x1.0000000000002p0},
    {"div_f32", 1, 3, 0, 0x1.555556p-2},
    {"div_f64", 1, 3, 0, 0x1.5555555555555p-2},
    {"fma_f32", 0x1.000002p0, 0x1.000002p0, -0x1.000004p0, 0x1p-46},
    {"fma_f64", 0x1.0000000000001p0, 0x1.0000000000001p0, -0x1.0000000000002p0, 0x1p-104},
    {"min_f32", 2, -3, 0, -3},
    {"min_f32", NAN, 4, 0, 4},
    {"min_f32", 0.0, -0.0, 0, -0.0},
    {"min_f64", -0.0, 0.0, 0, -0.0},
    {"min_f64", 5, NAN, 0, 5},
    {"max_f32", 2, -3, 0, 2},
    {"max_f32", -0.0, 0.0, 0, 0.0},
    {"max_f64", NAN, 4, 0, 4},
    {"max_f64", INFINITY, 1, 0, INFINITY},
    {"neg_f32", 0.0, 0, 0, -0.0},
    {"neg_f64", -INFINITY, 0, 0, INFINITY},
    {"abs_f32", -7, 0, 0, 7},
    {"abs_f64", -0.0, 0, 0, 0.0},
    {"sqrt_f32", 2, 0, 0, 0x1.6a09e6p0},
    {"sqrt_f64", 2, 0, 0, 0x1.6a09e667f3bcdp0},
    {"cvt_f64_f32", 0x1.000002p0, 0, 0, 0x1.000002p0},
    {"cvt_f32_f64", 0x1.000001p0, 0, 0, 1},
    {"cvt_f32_f64", 0x1.000003p0, 0, 0, 0x1.000004p0},
};

/* Integers in, floats out: the exact value rounded to nearest, ties to even. */
typedef struct to_float_case {
    const char *name;
    uint64_t a;
    double result;
} to_float_case;

static const to_float_case to_float_cases[] = {
    {"cvt_f32_u16", 0xffff, 65535},
    {"cvt_f32_s16", 0xffff, -1},
    {"cvt_f32_u32", 0xffffffff, 0x1p32},
    {"cvt_f32_u32", 0x1000001, 0x1p24},
    {"cvt_f32_s32", 0x80000000, -0x1p31},
    {"cvt_f32_u64", UINT64_MAX, 0x1p64},
    {"cvt_f32_s64", UINT64_MAX, -1},
    {"cvt_f64_u16", 0x8000, 32768},
    {"cvt_f64_s16", 0x8000, -32768},
    {"cvt_f64_u32", 0xffffffff, 4294967295.0},
    {"cvt_f64_s32", 0xffffffff, -1},
    {"cvt_f64_u64", UINT64_MAX, 0x1p64},
    {"cvt_f64_u64", (1ull << 53) + 1, 0x1p53},
    {"cvt_f64_s64", 1ull << 63, -0x1p63},
};

typedef struct from_float_case {
    const char *name;
    double a;
    uint64_t result;
} from_float_case;

static const from_float_case from_float_cases[] = {
    {"cvt_rzi_u32_f32", 2.75, 2},
    {"cvt_rzi_u32_f32", -1.5, 0},
    {"cvt_rzi_u32_f32", 0x1p40, UINT32_MAX},
    {"cvt_rzi_u64_f32", 0x1p40, 1ull << 40},
    {"cvt_rzi_u64_f32", NAN, 0},
    {"cvt_rzi_s32_f32", -2.75, 0xfffffffe},
    {"cvt_rzi_s32_f32", 0x1p31, INT32_MAX},
    {"cvt_rzi_s64_f32", -0x1p70, 1ull << 63},
    {"cvt_rzi_u32_f64", 4294967295.5, UINT32_MAX},
    {"cvt_rzi_u64_f64", 0x1p64, UINT64_MAX},
    {"cvt_rzi_s32_f64", -2147483648.5, 0x80000000},
    {"cvt_rzi_s64_f64", -1.99, UINT64_MAX},
};

#endif
