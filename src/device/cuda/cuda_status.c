/* SPDX-License-Identifier: Apache-2.0
 *
 * What the codes of CUDA and HIP, which are the same numbers, mean to a caller. Work fails where it
 * is waited for, or in any call after it; and a context in which a kernel failed is of no more use:
 * all later calls in it, also those of others in this process, give the same code. */
#include <stdarg.h>
#include <stdio.h>

#include "device/cuda/cuda_internal.h"

static hop__fault fault_of(hop__cuda_code code, bool waits) {
    switch (code) {
    case HOP__CUDA_OUT_OF_MEMORY:
        return HOP__FAULT_MEMORY;
    case 4:   /* deinitialised: the process ends */
    case 46:  /* device unavailable */
    case 201: /* no such context */
    case 214: /* memory that cannot be corrected */
    case 220: /* a link between devices */
    case 226: /* an error that the GPU has contained */
    case 700: /* illegal address */
    case 702: /* timeout: the watchdog */
    case 709: /* the context was destroyed */
    case 710: /* assert */
    case 714: /* the hardware's stack */
    case 715: /* illegal instruction */
    case 716: /* misaligned address */
    case 717: /* address space */
    case 718: /* program counter */
    case 719: /* launch failure */
    case 721: /* tensor memory that a kernel did not give back */
        return HOP__FAULT_LOST;
    default:
        return waits ? HOP__FAULT_LOST : HOP__FAULT_CALL;
    }
}

/* The context is of no more use, and nothing of it runs: what was under way has ended, and a wait
 * for it would only give the same code. */
static bool lasting(hop__cuda_code code) {
    return code == 214 || code == 700 || code == 702 || code == 710 || (code >= 714 && code <= 719);
}

hop__cuda_code hop__cuda_note(hop__cuda_driver *driver, hop__cuda_code code) {
    if (lasting(code))
        driver->gone = code;
    return code;
}

hop_status hop__cuda_fail(hop__device *device, size_t call, bool waits, hop__cuda_code code,
                          const char *numbers, ...) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    char text[256];
    va_list arguments;
    va_start(arguments, numbers);
    vsnprintf(text, sizeof text, numbers, arguments);
    va_end(arguments);
    hop__cuda_note(driver, code);
    return hop__device_fail(device, fault_of(code, waits), "%s failed with %s (%u)%s%s",
                            hop__cuda_name_of(&driver->call, call).text,
                            hop__cuda_code_name(&driver->call, code), code,
                            text[0] != '\0' ? ": " : "", text);
}

hop_status hop__cuda_enter(hop__device *device) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    if (driver->gone != 0)
        return hop__device_fail(device, HOP__FAULT_LOST, "its context is unusable since %s (%u)",
                                hop__cuda_code_name(&driver->call, driver->gone), driver->gone);
    hop__cuda_code code = driver->call.CtxPushCurrent(driver->context);
    if (code != 0)
        return hop__cuda_fail(device, HOP__CUDA_CALL(CtxPushCurrent), false, code, "%s", "");
    return HOP_OK;
}

bool hop__cuda_enter_to_free(hop__cuda_driver *driver) {
    return hop__cuda_note(driver, driver->call.CtxPushCurrent(driver->context)) == 0 ||
           driver->call.CtxPushCurrent(driver->context) == 0;
}

void hop__cuda_leave(hop__device *device) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    hop__cuda_context context;
    hop__cuda_note(driver, driver->call.CtxPopCurrent(&context));
}
