/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding the OpenCL loader; see opencl_library.h. A library in the working directory must not get
 * in: names are plain sonames, which the system's loader looks up where the administrator says, or
 * absolute paths. A program that runs with privileges of another user ignores the variable. */
#include "device/opencl/opencl_library.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/try.h"

#define ROW(function)                                                                              \
    { "cl" #function, offsetof(hop__opencl, function) }

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
    ROW(GetPlatformIDs),
    ROW(GetPlatformInfo),
    ROW(GetDeviceIDs),
    ROW(GetDeviceInfo),
    ROW(CreateContext),
    ROW(ReleaseContext),
    ROW(CreateCommandQueue),
    ROW(ReleaseCommandQueue),
    ROW(CreateBuffer),
    ROW(ReleaseMemObject),
    ROW(CreateProgramWithSource),
    ROW(CreateProgramWithBinary),
    ROW(BuildProgram),
    ROW(GetProgramInfo),
    ROW(GetProgramBuildInfo),
    ROW(ReleaseProgram),
    ROW(CreateKernel),
    ROW(ReleaseKernel),
    ROW(SetKernelArg),
    ROW(GetKernelWorkGroupInfo),
    ROW(EnqueueWriteBuffer),
    ROW(EnqueueReadBuffer),
    ROW(EnqueueCopyBuffer),
    ROW(EnqueueFillBuffer),
    ROW(EnqueueMapBuffer),
    ROW(EnqueueUnmapMemObject),
    ROW(EnqueueNDRangeKernel),
    ROW(EnqueueMarkerWithWaitList),
    ROW(EnqueueBarrierWithWaitList),
    ROW(WaitForEvents),
    ROW(GetEventInfo),
    ROW(GetEventProfilingInfo),
    ROW(ReleaseEvent),
    ROW(Flush),
    ROW(Finish),
};

/* The process that has opened the loader; 0 before that. Drivers start threads, which a child of
 * fork() does not have. */
static atomic_int opened_by;

static const char *const usual_names[] = {"libOpenCL.so.1", "libOpenCL.so"};

static bool find_functions(void *library, const char *name, hop__opencl *opencl, char advice[256]) {
    atomic_store(&opened_by, (int)getpid());
    for (size_t i = 0; i < HOP_LENGTH(functions); i++) {
        void *function = dlsym(library, functions[i].name);
        if (function == NULL) {
            snprintf(advice, 256, "OpenCL: %.120s has no %s, so it is not of OpenCL 1.2 or later",
                     name, functions[i].name);
            return false;
        }
        memcpy((char *)opencl + functions[i].offset, &function, sizeof function);
    }
    return true;
}

bool hop__opencl_load(hop__opencl *opencl, char advice[256]) {
    int opener = atomic_load(&opened_by);
    if (opener != 0 && opener != (int)getpid()) {
        snprintf(advice, 256,
                 "OpenCL: this process was forked from one that had used OpenCL, whose drivers do "
                 "not survive that; start it anew instead (in Python: multiprocessing's spawn)");
        return false;
    }
    const char *given = secure_getenv("HOPLITE_OPENCL_LIB");
    if (given != NULL && given[0] != '\0') {
        if (strchr(given, '/') != NULL && given[0] != '/') {
            snprintf(advice, 256,
                     "OpenCL: HOPLITE_OPENCL_LIB is '%.100s', which is neither an absolute path "
                     "nor a plain name",
                     given);
            return false;
        }
        void *library = dlopen(given, RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            snprintf(advice, 256, "OpenCL: HOPLITE_OPENCL_LIB: %.180s", dlerror());
            return false;
        }
        return find_functions(library, given, opencl, advice);
    }
    for (size_t i = 0; i < HOP_LENGTH(usual_names); i++) {
        void *library = dlopen(usual_names[i], RTLD_NOW | RTLD_LOCAL);
        if (library != NULL)
            return find_functions(library, usual_names[i], opencl, advice);
    }
    snprintf(advice, 256,
             "OpenCL: the loader libOpenCL.so.1 is not installed (on Debian: apt install "
             "ocl-icd-libopencl1 and a driver, such as pocl-opencl-icd for the processor)");
    return false;
}
