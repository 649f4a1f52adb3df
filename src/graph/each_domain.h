/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes TEMPLATE for each domain; see numbers.h. */
#define DOMAIN unit
#include TEMPLATE
#include "graph/each_weighted.h"
