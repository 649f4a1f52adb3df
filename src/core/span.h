/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of the caller's that say their type and length (hoplite/type.h): what a front takes them
 * by, before anything is written. */
#ifndef HOPLITE_CORE_SPAN_H
#define HOPLITE_CORE_SPAN_H

#include "core/failure.h"
#include "hoplite/type.h"

/* The items of an array that must have this type and room for `count` of them, or
 * HOP_ERR_ARGUMENT; NULL, unchecked, when the caller gave none. `what` begins the message, as in
 * "sssp: distances". */
hop_status hop__span_take(hop_context *context, const char *what, const hop_span *span,
                          hop_type type, uint64_t count, void **items);
hop_status hop__view_take(hop_context *context, const char *what, const hop_view *view,
                          hop_type type, uint64_t count, const void **items);

#endif
