/* SPDX-License-Identifier: Apache-2.0
 *
 * Prefix sums, and which elements of an array are to be kept.
 *
 * Both give each worker a contiguous range (shim.h). Sums of ranges are scanned by one group,
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
#undef NAMED
#undef TYPE

#define TYPE        u64
#define NAMED(name) name##_u64
#include "kernels/group_template.cl"
#include "kernels/sums_template.cl"
#undef NAMED
#undef TYPE

#include "kernels/compact.cl"
#include "kernels/scan.cl"
