/* SPDX-License-Identifier: Apache-2.0
 *
 * Status codes, and the macros that every public header needs.
 *
 * Every function that can fail returns a hop_status: 0 is success, errors are negative. A code
 * exists only where a caller would act on it differently; the numbers and the advice are in the
 * message of the context (hop_context_message), and as data beside it (hop_context_detail). */
#ifndef HOPLITE_STATUS_H
#define HOPLITE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HOP_API                         __attribute__((visibility("default")))
#define HOP_NODISCARD                   __attribute__((warn_unused_result))
#define HOP_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define HOP_API
#define HOP_NODISCARD
#define HOP_PRINTF(format_index, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hop_status {
    HOP_OK = 0,
    HOP_ERR_MEMORY = -1,      /* the allocator returned nothing */
    HOP_ERR_BUDGET = -2,      /* refused before allocating: over the context's memory budget */
    HOP_ERR_ARGUMENT = -3,    /* the call itself is wrong: a NULL, a range, a bad option */
    HOP_ERR_INPUT = -4,       /* the data is wrong: a malformed file, an id out of range, a NaN */
    HOP_ERR_IO = -5,          /* the system refused: no such file, no permission, disk full */
    HOP_ERR_UNSUPPORTED = -6, /* well-formed, but not something that this build can do */
    HOP_ERR_CANCELLED = -7,   /* the progress callback returned false */
    HOP_ERR_NEGATIVE_CYCLE = -8, /* shortest paths do not exist: a cycle has a negative sum */
    HOP_ERR_CERTIFICATE = -9,    /* a result was checked and is wrong */
    HOP_ERR_DEVICE = -10         /* there is no such device, or it failed; the host may do it */
} hop_status;

/* The name of a status, such as "HOP_ERR_INPUT"; never NULL. Safe from any thread. */
HOP_API const char *hop_status_name(hop_status status);

#ifdef __cplusplus
}
#endif
#endif
