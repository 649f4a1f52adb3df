/* SPDX-License-Identifier: Apache-2.0
 * The constants of the choice, as a context has them: see hoplite/tuning.h. */
#ifndef HOPLITE_CORE_TUNING_CONSTANTS_H
#define HOPLITE_CORE_TUNING_CONSTANTS_H

#include <stdbool.h>

#include "hoplite/tuning.h"

typedef enum hop__tuned {
    HOP__RANK_SMALL,
    HOP__COMPONENTS_SMALL,
    HOP__BFS_SMALL,
    HOP__SSSP_SMALL,
    HOP__SSSP_SMALL_ALONE,
    HOP__SSSP_SMALL_SPARSE,
    HOP__APSP_STEP,
    HOP__APSP_QUEUE,
    HOP__APSP_ARC,
    HOP__TUNED_COUNT
} hop__tuned;

typedef struct hop__tuning {
    double values[HOP__TUNED_COUNT];
    bool changed[HOP__TUNED_COUNT]; /* not the default, whatever the value */
} hop__tuning;

void hop__tuning_init(hop__tuning *tuning);

/* For reasons: "bfs.small = 10000, the default" or "bfs.small = 8200, tuned". Returns `text`. */
enum { HOP__TUNED_TEXT = 64 };
const char *hop__tuned_text(const hop__tuning *tuning, hop__tuned which,
                            char text[HOP__TUNED_TEXT]);

#endif
