/* SPDX-License-Identifier: Apache-2.0
 *
 * Prefix sums, reductions, and keeping some elements of an array.
 *
 * All three give each worker a contiguous range (shim.h). Sums of ranges are scanned by one group,
 * in sums_scan; there are at most a few thousand of them. */
#include "kernels/shim.h"

#ifndef WG
#define WG 128
#endif
/* Values per item in a tile. */
#ifndef PER_ITEM
#define PER_ITEM 4
#endif

#define TYPE        u32
#define NAMED(name) name##_u32
#include "kernels/group_template.cl"
#include "kernels/sums_template.cl"
#define INPUT u32
#include "kernels/reduce_template.cl"
#include "kernels/scan_template.cl"
#undef INPUT
#undef NAMED
#undef TYPE

#define TYPE        u64
#define NAMED(name) name##_u64
#include "kernels/group_template.cl"
#include "kernels/sums_template.cl"
#define INPUT u64
#include "kernels/reduce_template.cl"
#include "kernels/scan_template.cl"
#undef INPUT
#undef NAMED

/* 32-bit values, such as degrees, whose sums need more. */
#define INPUT       u32
#define NAMED(name) name##_wide
#include "kernels/group_template.cl"
#include "kernels/scan_template.cl"
#undef INPUT
#undef NAMED
#undef TYPE

#include "kernels/compact.cl"
