/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE for each domain that has weights; see numbers.h. */
#define DOMAIN int32
#include TEMPLATE
#define DOMAIN int64
#include TEMPLATE
#define DOMAIN float32
#include TEMPLATE
#define DOMAIN float64
#include TEMPLATE
#undef TEMPLATE
