/* SPDX-License-Identifier: Apache-2.0
 * The queue by compare-and-swap, many at once: every order of a few items, see queue_orders.h. */
#define QUEUE 1
#include "kernels/queue_orders.h"
