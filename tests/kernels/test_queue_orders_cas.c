/* SPDX-License-Identifier: Apache-2.0
 * The queue by compare-and-swap, one at a time: every order of a few items, see queue_orders.h. */
#define QUEUE 2
#include "kernels/queue_orders.h"
