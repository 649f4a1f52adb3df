/* SPDX-License-Identifier: Apache-2.0
 *
 * Radix sort, least significant digit first, stable. A pass counts digits per worker, scans the
 * counts (scan_program.cl) and moves the keys. */
#include "kernels/shim.h"

#ifndef WG
#define WG 128
#endif
/* Bits of a digit. Cores count in private arrays, for which 256 counters are not too many; a group
 * needs DIGITS counters per item in local memory: 8 KiB for 16 digits and 128 items. */
#ifndef DIGIT_BITS
#define DIGIT_BITS (WORK_CHUNKED ? 8 : 4)
#endif
#define DIGITS (1 << DIGIT_BITS)
#ifndef PER_ITEM
#define PER_ITEM 8
#endif

#define TYPE        u32
#define NAMED(name) name##_u32
#include "kernels/group_template.cl"
#undef TYPE
#undef NAMED

#define PAIRS 0
#include "kernels/sort_template.cl"
#undef PAIRS
#define PAIRS 1
#include "kernels/sort_template.cl"
