/* SPDX-License-Identifier: Apache-2.0
 * The loops of min_plus.h in plain C, which compilers turn into what the build's target has. */
#include <string.h>

#include "apsp/min_plus.h"

#define TARGET

#define MIN_PLUS(name) int32_##name
#define NUMBER         int32_t
#define LANES          1
#define VECTORS        8
#include "apsp/min_plus_template.h"

#define MIN_PLUS(name) int64_##name
#define NUMBER         int64_t
#define LANES          1
#define VECTORS        4
#include "apsp/min_plus_template.h"

#define MIN_PLUS(name) float32_##name
#define NUMBER         float
#define LANES          1
#define VECTORS        8
#include "apsp/min_plus_template.h"

#define MIN_PLUS(name) float64_##name
#define NUMBER         double
#define LANES          1
#define VECTORS        4
#include "apsp/min_plus_template.h"

const hop__min_plus hop__min_plus_plain[] = {
    [HOP_WEIGHT_INT32] = {8, int32_tile, int32_relax},
    [HOP_WEIGHT_INT64] = {4, int64_tile, int64_relax},
    [HOP_WEIGHT_FLOAT32] = {8, float32_tile, float32_relax},
    [HOP_WEIGHT_FLOAT64] = {4, float64_tile, float64_relax},
};
