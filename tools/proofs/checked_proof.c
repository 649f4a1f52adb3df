/* SPDX-License-Identifier: Apache-2.0
 *
 * For tools/prove: what src/core/checked.h promises, for all numbers, given what the manual of gcc
 * says of the two builtins. ACSL's + and * are of integers without end. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*@ requires \valid(result);
    assigns *result;
    ensures \result != 0 <==> a + b > 18446744073709551615;
    ensures \result == 0 ==> *result == a + b; */
int proof_add(uint64_t a, uint64_t b, uint64_t *result);

/*@ requires \valid(result);
    assigns *result;
    ensures \result != 0 <==> a * b > 18446744073709551615;
    ensures \result == 0 ==> *result == a * b; */
int proof_mul(uint64_t a, uint64_t b, uint64_t *result);

#define __builtin_add_overflow proof_add
#define __builtin_mul_overflow proof_mul

/*@ requires \valid(result);
    assigns *result;
    ensures \result <==> a + b <= 18446744073709551615;
    ensures \result ==> *result == a + b; */
static inline bool hop__add_u64(uint64_t a, uint64_t b, uint64_t *result);

/*@ requires \valid(result);
    assigns *result;
    ensures \result <==> a * b <= 18446744073709551615;
    ensures \result ==> *result == a * b; */
static inline bool hop__mul_u64(uint64_t a, uint64_t b, uint64_t *result);

/*@ requires \valid(result);
    assigns *result;
    ensures \result <==> a + b <= 18446744073709551615;
    ensures \result ==> *result == a + b; */
static inline bool hop__add_size(size_t a, size_t b, size_t *result);

/*@ requires \valid(result);
    assigns *result;
    ensures \result <==> a * b <= 18446744073709551615;
    ensures \result ==> *result == a * b; */
static inline bool hop__mul_size(uint64_t a, uint64_t b, size_t *result);

/*@ requires \valid(result);
    assigns *result;
    ensures \result <==> a * b + c <= 18446744073709551615;
    ensures \result ==> *result == a * b + c; */
static inline bool hop__mul_add_u64(uint64_t a, uint64_t b, uint64_t c, uint64_t *result);

#include "core/checked.h"
