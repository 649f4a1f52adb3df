/* SPDX-License-Identifier: Apache-2.0
 * The names of the status codes. */
#include "hoplite/status.h"

const char *hop_status_name(hop_status status) {
    switch (status) {
    case HOP_OK:
        return "HOP_OK";
    case HOP_ERR_MEMORY:
        return "HOP_ERR_MEMORY";
    case HOP_ERR_BUDGET:
        return "HOP_ERR_BUDGET";
    case HOP_ERR_ARGUMENT:
        return "HOP_ERR_ARGUMENT";
    case HOP_ERR_INPUT:
        return "HOP_ERR_INPUT";
    case HOP_ERR_IO:
        return "HOP_ERR_IO";
    case HOP_ERR_UNSUPPORTED:
        return "HOP_ERR_UNSUPPORTED";
    case HOP_ERR_CANCELLED:
        return "HOP_ERR_CANCELLED";
    case HOP_ERR_NEGATIVE_CYCLE:
        return "HOP_ERR_NEGATIVE_CYCLE";
    case HOP_ERR_CERTIFICATE:
        return "HOP_ERR_CERTIFICATE";
    case HOP_ERR_DEVICE:
        return "HOP_ERR_DEVICE";
    }
    return "unknown status";
}
