/* SPDX-License-Identifier: Apache-2.0
 *
 * The k-th smallest of many keys: see select_key.h. */
#include "problem/select_key.h"

uint64_t hop__select_key(hop__key_fn key, const void *user, uint64_t count, uint64_t place,
                         unsigned bits) {
    uint64_t known = 0; /* the bytes that are found, at their place; those below are 0 */
    if (place == 0 || place > count)
        return UINT64_MAX;
    for (unsigned shift = bits; shift > 0;) {
        uint64_t counts[256] = {0}, above = shift == 64 ? 0 : UINT64_MAX << shift, byte = 0;
        shift -= 8;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t each = key(user, i);
            if ((each & above) == known)
                counts[each >> shift & 255]++;
        }
        while (place > counts[byte])
            place -= counts[byte++];
        known |= byte << shift;
    }
    return known;
}
