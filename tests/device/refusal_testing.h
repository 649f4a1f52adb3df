/* SPDX-License-Identifier: Apache-2.0
 * Refusals of variants on devices that lack a capability. */
#ifndef HOPLITE_TESTS_DEVICE_REFUSAL_TESTING_H
#define HOPLITE_TESTS_DEVICE_REFUSAL_TESTING_H

#include <string.h>

#include "hoplite/hoplite.h"

/* Whether the call was refused because of a capability that its message names and that this device
 * lacks: then there is nothing to compare. */
static inline bool lacks_capability(hop_context *context, hop_status status) {
    static const struct {
        uint32_t bit;
        const char *words;
    } all[] = {{HOP_DEVICE_ATOMIC64, "no 64-bit atomics"},
               {HOP_DEVICE_FLOAT64, "float64"},
               {HOP_DEVICE_SUBNORMAL32, "subnormal float32"},
               {HOP_DEVICE_SUBNORMAL64, "subnormal float64"},
               {HOP_DEVICE_FENCE, "no fences among work-groups"}};
    char said[512];
    hop_device_info info = {.size = sizeof info};
    if (status != HOP_ERR_UNSUPPORTED)
        return false;
    strncpy(said, hop_context_message(context), sizeof said - 1);
    said[sizeof said - 1] = 0;
    if (hop_device_open(context, &info) != HOP_OK)
        return false;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strstr(said, all[i].words) != NULL && (info.capabilities & all[i].bit) == 0)
            return true;
    return false;
}

#endif
