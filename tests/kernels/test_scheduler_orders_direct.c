/* SPDX-License-Identifier: Apache-2.0
 * Drawn orders of the scheduler: scheduler_orders.h. */
#define SCHEDULER_STAGED      0
#define QUEUE                 QUEUE_ARBITRARY_N
#define SCHEDULER_PROXY_CLAIM 0
#define SCHEDULER_PROXY_PUT   0
#include "kernels/scheduler_orders.h"
