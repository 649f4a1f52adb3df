/* SPDX-License-Identifier: Apache-2.0
 *
 * What the codes of OpenCL are called, and what they mean to a caller.
 *
 * Drivers allocate late: a buffer that was created may turn out not to fit when it is first used,
 * so a lack of memory can come from any call. CL_OUT_OF_RESOURCES is a lack of memory where work is
 * given to the device, and a device that crashed or was reset by its watchdog where work is waited
 * for. */
#include <stdarg.h>
#include <stdio.h>

#include "core/try.h"
#include "device/opencl/opencl_internal.h"

/* From 0 down. */
static const char *const running_codes[] = {
    "CL_SUCCESS",
    "CL_DEVICE_NOT_FOUND",
    "CL_DEVICE_NOT_AVAILABLE",
    "CL_COMPILER_NOT_AVAILABLE",
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    "CL_OUT_OF_RESOURCES",
    "CL_OUT_OF_HOST_MEMORY",
    "CL_PROFILING_INFO_NOT_AVAILABLE",
    "CL_MEM_COPY_OVERLAP",
    "CL_IMAGE_FORMAT_MISMATCH",
    "CL_IMAGE_FORMAT_NOT_SUPPORTED",
    "CL_BUILD_PROGRAM_FAILURE",
    "CL_MAP_FAILURE",
    "CL_MISALIGNED_SUB_BUFFER_OFFSET",
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
    "CL_COMPILE_PROGRAM_FAILURE",
    "CL_LINKER_NOT_AVAILABLE",
    "CL_LINK_PROGRAM_FAILURE",
    "CL_DEVICE_PARTITION_FAILED",
    "CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
};

/* From -30 down. */
static const char *const calling_codes[] = {
    "CL_INVALID_VALUE",           "CL_INVALID_DEVICE_TYPE",
    "CL_INVALID_PLATFORM",        "CL_INVALID_DEVICE",
    "CL_INVALID_CONTEXT",         "CL_INVALID_QUEUE_PROPERTIES",
    "CL_INVALID_COMMAND_QUEUE",   "CL_INVALID_HOST_PTR",
    "CL_INVALID_MEM_OBJECT",      "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    "CL_INVALID_IMAGE_SIZE",      "CL_INVALID_SAMPLER",
    "CL_INVALID_BINARY",          "CL_INVALID_BUILD_OPTIONS",
    "CL_INVALID_PROGRAM",         "CL_INVALID_PROGRAM_EXECUTABLE",
    "CL_INVALID_KERNEL_NAME",     "CL_INVALID_KERNEL_DEFINITION",
    "CL_INVALID_KERNEL",          "CL_INVALID_ARG_INDEX",
    "CL_INVALID_ARG_VALUE",       "CL_INVALID_ARG_SIZE",
    "CL_INVALID_KERNEL_ARGS",     "CL_INVALID_WORK_DIMENSION",
    "CL_INVALID_WORK_GROUP_SIZE", "CL_INVALID_WORK_ITEM_SIZE",
    "CL_INVALID_GLOBAL_OFFSET",   "CL_INVALID_EVENT_WAIT_LIST",
    "CL_INVALID_EVENT",           "CL_INVALID_OPERATION",
    "CL_INVALID_GL_OBJECT",       "CL_INVALID_BUFFER_SIZE",
    "CL_INVALID_MIP_LEVEL",       "CL_INVALID_GLOBAL_WORK_SIZE",
};

/* "CL_OUT_OF_RESOURCES", or "unknown code". */
static const char *code_name(cl_int code) {
    if (code <= 0 && code > -(cl_int)HOP_LENGTH(running_codes))
        return running_codes[-code];
    if (code <= -30 && code > -30 - (cl_int)HOP_LENGTH(calling_codes))
        return calling_codes[-code - 30];
    return "unknown code";
}

static hop__fault fault_of(cl_int code, bool waits) {
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
        return HOP__FAULT_MEMORY;
    case CL_OUT_OF_RESOURCES:
        return waits ? HOP__FAULT_LOST : HOP__FAULT_MEMORY;
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_COMMAND_QUEUE:
    case CL_INVALID_CONTEXT:
        return HOP__FAULT_LOST;
    default:
        return waits ? HOP__FAULT_LOST : HOP__FAULT_CALL;
    }
}

hop_status hop__opencl_fail(hop__device *device, const char *call, bool waits, cl_int code,
                            const char *numbers, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, numbers);
    vsnprintf(text, sizeof text, numbers, arguments);
    va_end(arguments);
    return hop__device_fail(device, fault_of(code, waits), "%s failed with %s (%d)%s%s", call,
                            code_name(code), (int)code, text[0] != '\0' ? ": " : "", text);
}
