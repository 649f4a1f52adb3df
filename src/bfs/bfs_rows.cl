/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of a graph, and levels, for the programs of bfs. OFFSET is the type of offsets. */
#include "kernels/offset.cl"
#include "kernels/shim.h"

#ifndef WG
#define WG 128
#endif
/* Whether the arrays of the graph are declared as only read and overlapping nothing, which lets
 * some devices read them through another cache (D3: texture memory). */
#ifndef READONLY
#define READONLY 1
#endif

#if READONLY
#define ROWS GLOBAL const OFFSET *RESTRICT
#define ARCS GLOBAL const u32 *RESTRICT
#else
#define ROWS GLOBAL OFFSET *
#define ARCS GLOBAL u32 *
#endif
#define NO_LEVEL  0xffffffffu
#define NO_VERTEX 0xffffffffu

#include "kernels/row_of.cl"
