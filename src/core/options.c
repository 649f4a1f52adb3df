/* SPDX-License-Identifier: Apache-2.0
 * Reading a caller's options; see options.h. */
#include "core/options.h"

#include <string.h>

/* A size beyond this is not a size but a struct that was never initialised. */
enum { SIZE_LIMIT = 4096 };

hop__options_fault hop__options_copy(const void *given, void *options, size_t size) {
    size_t given_size;
    if (given == NULL)
        return HOP__OPTIONS_GOOD;
    memcpy(&given_size, given, sizeof given_size);
    if (given_size < sizeof given_size || given_size > SIZE_LIMIT)
        return HOP__OPTIONS_NO_SIZE;
    memcpy(options, given, given_size < size ? given_size : size);
    memcpy(options, &size, sizeof size);
    for (size_t i = size; i < given_size; i++)
        if (((const unsigned char *)given)[i] != 0)
            return HOP__OPTIONS_UNKNOWN;
    return HOP__OPTIONS_GOOD;
}

hop_status hop__options_take(hop_context *context, const char *initialiser, const void *given,
                             void *options, size_t size) {
    size_t given_size = 0;
    if (given != NULL)
        memcpy(&given_size, given, sizeof given_size);
    switch (hop__options_copy(given, options, size)) {
    case HOP__OPTIONS_NO_SIZE:
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "a struct has %zu in its size field; begin with %s", given_size,
                         initialiser);
    case HOP__OPTIONS_UNKNOWN:
        hop__fail(context, HOP_ERR_UNSUPPORTED,
                  "a struct made with %s is %zu bytes long and uses one after the first %zu, which "
                  "this version of the library does not know",
                  initialiser, given_size, size);
        return hop__remedy(context, HOP_REMEDY_UPDATE, "update it");
    default:
        return HOP_OK;
    }
}
