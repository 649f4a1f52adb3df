/* SPDX-License-Identifier: Apache-2.0
 *
 * Distances, whatever their type: see distance_text.h. */
#include "distance_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_integer(hop_weight_type type) {
    return type == HOP_TYPE_INT32 || type == HOP_TYPE_INT64;
}

static int64_t integer_at(hop_weight_type type, const void *distances, uint64_t index) {
    return type == HOP_TYPE_INT32 ? ((const int32_t *)distances)[index]
                                  : ((const int64_t *)distances)[index];
}

double distance_real(hop_weight_type type, const void *distances, uint64_t index) {
    if (is_integer(type))
        return (double)integer_at(type, distances, index);
    return type == HOP_TYPE_FLOAT32 ? (double)((const float *)distances)[index]
                                    : ((const double *)distances)[index];
}

bool distance_reached(hop_weight_type type, const void *distances, uint64_t index) {
    if (is_integer(type))
        return integer_at(type, distances, index) !=
               (type == HOP_TYPE_INT32 ? HOP_NO_DISTANCE_32 : HOP_NO_DISTANCE);
    return distance_real(type, distances, index) < HUGE_VAL;
}

bool distance_greater(hop_weight_type type, const void *distances, uint64_t first,
                      uint64_t second) {
    if (is_integer(type))
        return integer_at(type, distances, first) > integer_at(type, distances, second);
    return distance_real(type, distances, first) > distance_real(type, distances, second);
}

text distance_text(hop_weight_type type, const void *distances, uint64_t index) {
    text out;
    if (!distance_reached(type, distances, index)) {
        snprintf(out.s, sizeof out.s, "inf");
    } else if (is_integer(type)) {
        int64_t value = integer_at(type, distances, index);
        uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
        out = count_text(size);
        if (value < 0) {
            memmove(out.s + 1, out.s, strlen(out.s) + 1);
            out.s[0] = '-';
        }
    } else if (type == HOP_TYPE_FLOAT32) {
        snprintf(out.s, sizeof out.s, "%.9g", distance_real(type, distances, index));
    } else {
        out = real_text(distance_real(type, distances, index));
    }
    return out;
}

void distance_json(json *out, const char *key, hop_weight_type type, const void *distances,
                   uint64_t index) {
    if (!distance_reached(type, distances, index))
        json_null(out, key);
    else if (is_integer(type))
        json_integer(out, key, integer_at(type, distances, index));
    else
        json_real(out, key, distance_real(type, distances, index));
}
