/* SPDX-License-Identifier: Apache-2.0
 *
 * Distances, whatever their type: item `index` of an array. */
#ifndef HOPLITE_CLI_DISTANCE_TEXT_H
#define HOPLITE_CLI_DISTANCE_TEXT_H

#include "hoplite/hoplite.h"
#include "json_writer.h"
#include "number_text.h"

bool distance_reached(hop_weight_type type, const void *distances, uint64_t index);
/* Whether the first is greater than the second; both are reached. */
bool distance_greater(hop_weight_type type, const void *distances, uint64_t first, uint64_t second);
text distance_text(hop_weight_type type, const void *distances, uint64_t index);
void distance_json(json *out, const char *key, hop_weight_type type, const void *distances,
                   uint64_t index);
double distance_real(hop_weight_type type, const void *distances, uint64_t index);

#endif
