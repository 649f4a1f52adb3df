/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading an options struct of a caller that may have been built against another version.
 *
 * Public structs that callers fill in begin with their size and are append-only. A caller with an
 * older header gives fewer bytes: they are copied over the defaults. One with a newer header gives
 * more: the bytes that this library does not know must be zero, because an option that is accepted
 * and ignored is worse than one that is refused. */
#ifndef HOPLITE_CORE_OPTIONS_H
#define HOPLITE_CORE_OPTIONS_H

#include "core/context_internal.h"

/* The result of hop__options_copy. */
typedef enum hop__options_fault {
    HOP__OPTIONS_GOOD,
    HOP__OPTIONS_NO_SIZE, /* the size field is not one: never initialised */
    HOP__OPTIONS_UNKNOWN  /* a byte beyond what this library knows is set */
} hop__options_fault;

/* Copies `given` over `options`, which holds the defaults and is `size` bytes long. Both begin
 * with a size_t. NULL leaves the defaults. */
hop__options_fault hop__options_copy(const void *given, void *options, size_t size);

/* The same, with a message; `initialiser` is the name of the macro that the caller should use. */
HOP_API hop_status hop__options_take(hop_context *context, const char *initialiser,
                                     const void *given, void *options, size_t size);

#endif
