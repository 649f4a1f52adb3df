/* SPDX-License-Identifier: Apache-2.0
 * The one control-flow macro, and array length. */
#ifndef HOPLITE_CORE_TRY_H
#define HOPLITE_CORE_TRY_H

#include "hoplite/status.h"

/* Stores what `expression` returns in `status` and goes to the label `done` on failure. */
#define HOP_TRY(status, expression)                                                                \
    do {                                                                                           \
        (status) = (expression);                                                                   \
        if ((status) != HOP_OK)                                                                    \
            goto done;                                                                             \
    } while (0)

#define HOP_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#endif
