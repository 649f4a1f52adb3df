/* SPDX-License-Identifier: Apache-2.0
 *
 * In the place of the OpenCL backend when the library was built without the headers of OpenCL. It
 * has no devices, so nothing but the list is ever called. */
#include <stdio.h>

#include "device/backend.h"

static hop_status absent_list(hop_context *context, hop__device_list *list, char advice[256]) {
    (void)context;
    (void)list;
    snprintf(advice, 256,
             "OpenCL: this library was built without it (build it again with the headers: on "
             "Debian, apt install opencl-c-headers)");
    return HOP_OK;
}

const hop__backend hop__opencl_backend = {.name = "opencl", .list = absent_list};
