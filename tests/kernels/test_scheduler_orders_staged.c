/* SPDX-License-Identifier: Apache-2.0
 * Drawn orders of the scheduler: scheduler_orders.h. */
#define SCHEDULER_STAGED      1
#define QUEUE                 QUEUE_RETRY_FREE
#define SCHEDULER_PROXY_CLAIM 1
#define SCHEDULER_PROXY_PUT   1
#include "kernels/scheduler_orders.h"
