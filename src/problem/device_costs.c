/* SPDX-License-Identifier: Apache-2.0
 * See device_costs.h; and the constants of the context's device for the public. */
#include "problem/device_costs.h"

#include <string.h>

#include "core/context_internal.h"
#include "device/device.h"

/* By name and driver: "opencl:0.0" is another device where another is installed. */
static void key_of(const hop_device_info *device, char key[HOP__DEVICE_KEY]) {
    hop__device_key(device->name, strcspn(device->name, ":"), device->title, device->driver, key);
}

hop__device_constants hop__device_constants_of(const hop_context *context,
                                               const hop_device_info *device) {
    char key[HOP__DEVICE_KEY];
    hop__device_constants found = {.processor = (device->capabilities & HOP_DEVICE_CHUNKED) != 0};
    key_of(device, key);
    const hop__device_tuning *own = hop__tuning_device(&context->tuning, key);
    for (unsigned i = 0; i < HOP__DEVICE_CONSTANTS; i++) {
        bool measured = own && own->measured[i];
        found.values[i] = measured ? own->values[i]
                                   : hop__device_assumed((hop__device_constant)i, found.processor);
        found.measured += measured;
    }
    return found;
}

double hop__device_cost(const hop__device_constants *constants, const hop__device_work *work,
                        uint64_t missing) {
    const double *each = constants->values;
    return work->bytes * each[HOP__DEVICE_STREAM] + work->gathers * each[HOP__DEVICE_GATHER] +
           work->atomics * each[HOP__DEVICE_ATOMIC] + work->steps * each[HOP__DEVICE_STEP] +
           work->waits * each[HOP__DEVICE_LAUNCH] +
           (work->copied + (double)missing) * each[HOP__DEVICE_BUS];
}

const char *hop__device_constants_text(const hop__device_constants *constants) {
    if (constants->measured == HOP__DEVICE_CONSTANTS)
        return "by measured constants";
    if (constants->measured > 0)
        return "by constants partly measured";
    return constants->processor ? "by constants assumed of processors"
                                : "by constants assumed of graphics cards";
}

/* --- for the public -------------------------------------------------------------------------- */

static hop_status find(hop_context *context, const char *name, hop__device_constant *which,
                       const hop_device_info **info) {
    hop__device *device;
    if (!context || !name)
        return hop__missing(context, "hop_tuning_device");
    *which = hop__device_constant_find(name, strlen(name));
    if (*which == HOP__DEVICE_CONSTANTS) {
        hop__fail(context, HOP_ERR_ARGUMENT, "tuning: devices have no constant '%s'", name);
        return hop__note_unknown(context, name, NULL, "hop_tuning_device_at", "lists them");
    }
    hop_status status = hop__device_of(context, &device);
    *info = status == HOP_OK ? hop__device_info(device) : NULL;
    return status;
}

hop_status hop_tuning_device_get(hop_context *context, const char *name, double *value,
                                 bool *measured) {
    hop__device_constant which;
    const hop_device_info *device = NULL;
    char key[HOP__DEVICE_KEY];
    hop_status status = find(context, name, &which, &device);
    if (status != HOP_OK)
        return status;
    key_of(device, key);
    const hop__device_tuning *own = hop__tuning_device(&context->tuning, key);
    if (value)
        *value = hop__device_constants_of(context, device).values[which];
    if (measured)
        *measured = own && own->measured[which];
    return HOP_OK;
}

hop_status hop_tuning_device_set(hop_context *context, const char *name, double value) {
    hop__device_constant which;
    const hop_device_info *device = NULL;
    char key[HOP__DEVICE_KEY];
    hop_status status = find(context, name, &which, &device);
    if (status != HOP_OK)
        return status;
    key_of(device, key);
    if (hop__tuning_put_device(&context->tuning, key, which, value))
        return HOP_OK;
    const hop_tuning_constant *row = hop_tuning_device_at(which);
    hop__fail(context, HOP_ERR_ARGUMENT, "tuning: %s is %g, but must be from %g to %g", name, value,
              row->minimum, row->maximum);
    return hop__note_name(context, HOP_KIND_ARGUMENT, name);
}
