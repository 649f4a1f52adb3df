/* SPDX-License-Identifier: Apache-2.0
 * Parallel exclusive prefix sums in place: values[i] becomes the sum of those before it. Returns
 * the sum of all. The 32-bit form is for callers that know that the sum fits. */
#ifndef HOPLITE_CORE_SCAN_H
#define HOPLITE_CORE_SCAN_H

#include "hoplite/context.h"

uint64_t hop__scan_u64(const hop_context *context, uint64_t *values, uint64_t count);
uint32_t hop__scan_u32(const hop_context *context, uint32_t *values, uint64_t count);

#endif
