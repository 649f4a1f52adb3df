/* SPDX-License-Identifier: Apache-2.0
 * See weighting.h. Cost: half a Philox call per weight. */
#include "generate/weighting.h"

#include <math.h>

#include "core/rng.h"
#include "generate/family.h"
#include "graph/numbers.h"

static hop_status check_integers(hop_context *context, const char *what, hop_weight_type type,
                                 double min, double max) {
    /* Both limits are powers of two, so that they are exact as doubles; the upper is exclusive. */
    double limit = type == HOP_TYPE_INT32 ? 0x1p31 : 0x1p63;
    if (min != floor(min) || max != floor(max))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: weights from %.15g to %.15g are not whole numbers, but the weight "
                         "type is %s; use float32 or float64 for fractions",
                         what, min, max, hop_type_name(type));
    if (min < -limit || max >= limit)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: weights from %.19g to %.19g do not fit the weight type %s", what, min,
                         max, hop_type_name(type));
    return HOP_OK;
}

/* Moves the bounds inwards to the nearest numbers of float32. */
static hop_status narrow_to_float(hop_context *context, const char *what, double *min,
                                  double *max) {
    if (fabs(*min) > 0x1.fffffep127 || fabs(*max) > 0x1.fffffep127)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: weights from %.15g to %.15g do not fit the weight type float32", what,
                         *min, *max);
    float low = (float)*min, high = (float)*max;
    if (low < *min)
        low = nextafterf(low, INFINITY);
    if (high > *max)
        high = nextafterf(high, -INFINITY);
    if (low > high)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: no float32 number lies between the weights %.17g and %.17g; use "
                         "float64",
                         what, *min, *max);
    *min = low;
    *max = high;
    return HOP_OK;
}

hop_status hop__weighting_init(hop_context *context, const char *what, hop_weight_type type,
                               double min, double max, uint64_t seed, hop__weighting *weighting) {
    *weighting = (hop__weighting){.type = type, .seed = seed};
    if (!hop__is_weight_type(type))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: there is no weight type number %u; the last is %u (float64)", what,
                         (unsigned)type, (unsigned)HOP_TYPE_FLOAT64);
    if (type == HOP_TYPE_NONE)
        return HOP_OK;
    if (!isfinite(min) || !isfinite(max))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: weights from %g to %g: both must be finite numbers", what, min, max);
    if (min > max)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: min-weight %.15g is above max-weight %.15g", what, min, max);
    hop_status status = HOP_OK;
    if (hop__is_integer_type(type)) {
        status = check_integers(context, what, type, min, max);
        if (status != HOP_OK)
            return status;
        weighting->low = (int64_t)min;
        weighting->span = (uint64_t)(int64_t)max - (uint64_t)(int64_t)min + 1;
        return HOP_OK;
    }
    if (type == HOP_TYPE_FLOAT32)
        status = narrow_to_float(context, what, &min, &max);
    else if (!isfinite(max - min))
        status =
            hop__fail(context, HOP_ERR_ARGUMENT,
                      "%s: weights from %g to %g are too far apart for float64", what, min, max);
    weighting->min = min;
    weighting->max = max;
    return status;
}

static int64_t integer_of(const hop__weighting *weighting, uint64_t bits) {
    return (int64_t)((uint64_t)weighting->low + hop__random_below(bits, weighting->span));
}

static double real_of(const hop__weighting *weighting, uint64_t bits) {
    /* 0 and 1 both possible. */
    double share = (double)(bits >> 11) * (1.0 / 0x1.fffffffffffffp52);
    double above = share * (weighting->max - weighting->min);
    double value = weighting->min + above;
    return value > weighting->max ? weighting->max : value;
}

void hop__weighting_put(const hop__weighting *weighting, uint64_t bits, void *weights,
                        uint32_t index) {
    switch (weighting->type) {
    case HOP_TYPE_INT32:
        ((int32_t *)weights)[index] = (int32_t)integer_of(weighting, bits);
        break;
    case HOP_TYPE_INT64:
        ((int64_t *)weights)[index] = integer_of(weighting, bits);
        break;
    case HOP_TYPE_FLOAT32:
        /* min and max are floats, so rounding a value between them stays between them. */
        ((float *)weights)[index] = (float)real_of(weighting, bits);
        break;
    case HOP_TYPE_FLOAT64:
        ((double *)weights)[index] = real_of(weighting, bits);
        break;
    default:
        break;
    }
}

void hop__weighting_fill(const hop__weighting *weighting, uint64_t first, uint32_t count,
                         void *weights) {
    if (weights == NULL || weighting->type == HOP_TYPE_NONE)
        return;
    /* One Philox call gives the weights of edges 2b and 2b+1. */
    uint64_t index = first, end = first + count;
    while (index < end) {
        uint32_t words[4];
        hop__philox4x32(weighting->seed, index / 2, HOP__STREAM_WEIGHTS, words);
        do {
            const uint32_t *half = words + 2 * (index % 2);
            hop__weighting_put(weighting, (uint64_t)half[1] << 32 | half[0], weights,
                               (uint32_t)(index - first));
            index++;
        } while (index < end && index % 2 != 0);
    }
}
