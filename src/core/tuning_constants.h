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

typedef enum hop__device_constant {
    HOP__DEVICE_STREAM,
    HOP__DEVICE_GATHER,
    HOP__DEVICE_ATOMIC,
    HOP__DEVICE_STEP,
    HOP__DEVICE_LAUNCH,
    HOP__DEVICE_BUS,
    HOP__DEVICE_CONSTANTS
} hop__device_constant;

enum { HOP__DEVICE_KEY = 256, HOP__TUNED_DEVICES = 16 };

typedef struct hop__device_tuning {
    char key[HOP__DEVICE_KEY];
    double values[HOP__DEVICE_CONSTANTS];
    bool measured[HOP__DEVICE_CONSTANTS]; /* else the value means nothing */
} hop__device_tuning;

typedef struct hop__tuning {
    double values[HOP__TUNED_COUNT];
    bool changed[HOP__TUNED_COUNT]; /* not the default, whatever the value */
    hop__device_tuning devices[HOP__TUNED_DEVICES];
    unsigned device_count;
} hop__tuning;

void hop__tuning_init(hop__tuning *tuning);

/* For reasons: "bfs.small = 10000, the default" or "bfs.small = 8200, tuned". Returns `text`. */
enum { HOP__TUNED_TEXT = 64 };
const char *hop__tuned_text(const hop__tuning *tuning, hop__tuned which,
                            char text[HOP__TUNED_TEXT]);

/* What is assumed where nothing was measured: of a processor behind a driver, or of a graphics card
 * with a memory of its own. */
double hop__device_assumed(hop__device_constant which, bool is_processor);
/* HOP__DEVICE_CONSTANTS when there is none of that name. */
hop__device_constant hop__device_constant_find(const char *name, size_t length);
/* What a device is known by: `length` characters of the backend's name, and what the driver says.
 */
void hop__device_key(const char *backend, size_t length, const char *title, const char *driver,
                     char key[HOP__DEVICE_KEY]);
/* What was measured on the device; NULL when nothing was. */
const hop__device_tuning *hop__tuning_device(const hop__tuning *tuning, const char *key);
/* Adds to that; false when the value is out of range. */
bool hop__tuning_put_device(hop__tuning *tuning, const char *key, hop__device_constant which,
                            double value);

#endif
