/* SPDX-License-Identifier: Apache-2.0
 * The loops of min_plus.h in plain C, which compilers turn into what the build's target has. */
#include <string.h>

#include "apsp/min_plus.h"

#define TARGET
#define ROW_BYTES 32
#define TEMPLATE  "apsp/min_plus_template.h"
#include "graph/each_weighted.h"

const hop__min_plus hop__min_plus_plain[] = {
#define ITEM(domain, type)                                                                         \
    [type] = {ROW_BYTES / sizeof(hop__##domain##_entry), domain##_tile, domain##_relax},
    HOP__EACH_WEIGHTED(ITEM)};
