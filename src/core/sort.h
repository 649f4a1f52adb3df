/* SPDX-License-Identifier: Apache-2.0
 * Parallel radix sorts. `bits` says how many low bits of the keys matter (the others must
 * be 0): fewer bits are fewer passes. The result is in place; scratch of the same size comes from
 * the context. HOP_ERR_CANCELLED leaves the keys in any state. */
#ifndef HOPLITE_CORE_SORT_H
#define HOPLITE_CORE_SORT_H

#include "core/context_internal.h"
#include "core/rng.h"

hop_status hop__sort_u32(hop_context *context, uint32_t *keys, uint64_t count, unsigned bits);
HOP_API hop_status hop__sort_u64(hop_context *context, uint64_t *keys, uint64_t count,
                                 unsigned bits);
/* For pairs, the first in the high bits. */
HOP_API hop_status hop__sort_u128(hop_context *context, hop__u128 *keys, uint64_t count,
                                  unsigned bits);

/* What these allocate for up to so many keys of `size` bytes. */
uint64_t hop__sort_memory(const hop_context *context, uint64_t count, unsigned bits, size_t size);

/* How many low bits a value needs: 0 for 0, 64 for UINT64_MAX. */
static inline unsigned hop__bit_width(uint64_t value) {
    return value == 0 ? 0 : 64 - (unsigned)__builtin_clzll(value);
}

#endif
