/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the CUDA backend share: they run on the driver that interprets PTX
 * (tests/ptx/driver.h), which HOPLITE_CUDA_LIB names, or on the same under the names of HIP, which
 * HOPLITE_HIP_LIB names; else they are skipped. */
#ifndef HOPLITE_TESTS_CUDA_TESTING_H
#define HOPLITE_TESTS_CUDA_TESTING_H

#include <dlfcn.h>
#include <stdlib.h>

#include "device/device_testing.h"

/* As in tests/ptx/driver.h. */
typedef struct stand_in_counts {
    uint64_t bytes_in, bytes_out, copies_in, copies_out;
    uint64_t pinned_in, pinned_out;
    uint64_t launches, records, waits, events, timed;
    uint64_t syncs, pinned, stops;
} stand_in_counts;

static struct {
    void (*fault)(const char *name, unsigned nth, int code);
    void (*plant)(const char *old, const char *new, unsigned nth);
    unsigned (*planted)(void);
    unsigned (*calls)(void);
    unsigned (*faults)(void);
    unsigned (*live)(void);
    const char *(*lost_use)(void);
    stand_in_counts (*counted)(void);
} stand_in;

static inline const char *stand_in_device(void) {
    return getenv("HOPLITE_HIP_LIB") != NULL ? "hip:0" : "cuda:0";
}

static inline void find_stand_in(void) {
    const char *path = getenv("HOPLITE_HIP_LIB");
    if (path == NULL)
        path = getenv("HOPLITE_CUDA_LIB");
    if (path == NULL)
        skip();
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    *(void **)&stand_in.fault = dlsym(library, "ptx_driver_fault");
    *(void **)&stand_in.plant = dlsym(library, "ptx_driver_plant");
    *(void **)&stand_in.planted = dlsym(library, "ptx_driver_planted");
    *(void **)&stand_in.calls = dlsym(library, "ptx_driver_calls");
    *(void **)&stand_in.faults = dlsym(library, "ptx_driver_faults");
    *(void **)&stand_in.live = dlsym(library, "ptx_driver_live");
    *(void **)&stand_in.lost_use = dlsym(library, "ptx_driver_lost_use");
    *(void **)&stand_in.counted = dlsym(library, "ptx_driver_counted");
    assert_true(stand_in.fault && stand_in.plant && stand_in.planted && stand_in.calls &&
                stand_in.faults && stand_in.live && stand_in.lost_use && stand_in.counted);
}

#endif
