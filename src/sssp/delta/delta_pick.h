/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the weights of a row lie in a range: most arcs that delta-stepping looks at go no
 * further. All forms pick the same. */
#ifndef HOPLITE_SSSP_DELTA_PICK_H
#define HOPLITE_SSSP_DELTA_PICK_H

#include <stdint.h>

#include "core/cpu.h"

/* Weights first .. first + count - 1. */
typedef struct hop__delta_range {
    uint32_t first, count;
} hop__delta_range;

enum { HOP__DELTA_PICK_LANES = 16 };

/* Writes the numbers of those of `count` weights that lie in the range, in order; returns how many.
 * `picks` has room for `count`, rounded up to whole HOP__DELTA_PICK_LANES. The targets beside them
 * are asked for meanwhile: the caller looks at those of the picks next. */
typedef uint32_t (*hop__delta_pick_fn)(const int32_t *weights, const uint32_t *targets,
                                       uint32_t count, hop__delta_range range, uint32_t *picks);

hop__delta_pick_fn hop__delta_pick_for(hop__cpu_level level);

#endif
