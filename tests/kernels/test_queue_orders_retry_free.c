/* SPDX-License-Identifier: Apache-2.0
 * The retry-free queue: every order of a few items, see queue_orders.h. */
#define QUEUE 0
#include "kernels/queue_orders.h"
