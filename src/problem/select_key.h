/* SPDX-License-Identifier: Apache-2.0
 *
 * The k-th smallest of many keys, without sorting or keeping them: by bytes from the top, one pass
 * over all for each byte. Cost: O(count) for each of the bits / 8 bytes; no memory. */
#ifndef HOPLITE_PROBLEM_SELECT_KEY_H
#define HOPLITE_PROBLEM_SELECT_KEY_H

#include <stdint.h>

typedef uint64_t (*hop__key_fn)(const void *user, uint64_t item);

/* Of the keys of items 0 .. count-1, each below 2^bits, the one that has `place` - 1 before it in
 * their order; UINT64_MAX when there are fewer than `place`, or that is 0. `bits` is a multiple of
 * 8, up to 64. */
uint64_t hop__select_key(hop__key_fn key, const void *user, uint64_t count, uint64_t place,
                         unsigned bits);

#endif
