/* SPDX-License-Identifier: Apache-2.0
 * OFFSET, the type of the offsets of a graph: u64 with WIDE_OFFSETS, else u32. */
#ifndef WIDE_OFFSETS
#define WIDE_OFFSETS 0
#endif
#if WIDE_OFFSETS
#define OFFSET u64
#else
#define OFFSET u32
#endif
