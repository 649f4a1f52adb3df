/* SPDX-License-Identifier: Apache-2.0
 *
 * At the beginning of a template: short names for what DOMAIN has; see numbers.h. */
#include "graph/numbers.h"

#define NUMBER(name) HOP__NUMBER(DOMAIN, name)
#define WEIGHT       NUMBER(weight)
#define DISTANCE     NUMBER(distance)
#define SUM          NUMBER(sum)
#define ENTRY        NUMBER(entry)
