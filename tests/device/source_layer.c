/* SPDX-License-Identifier: Apache-2.0
 *
 * A layer between the library and the OpenCL loader, for tests that compile kernels with many
 * settings: PoCL has no binaries of programs to give. For these it compiles each kernel a second
 * time, for groups of any size, launched or not; and it keeps what it launches in a cache of its
 * own. All other functions are the loader's, which this library is linked with. */
#pragma GCC visibility push(default)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#pragma GCC visibility pop

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __typeof__(clGetProgramInfo) get_program_info;

static int is_of_pocl(get_program_info *real, cl_program program) {
    cl_device_id device;
    cl_platform_id platform;
    char name[64] = "";
    return real(program, CL_PROGRAM_DEVICES, sizeof device, &device, NULL) == CL_SUCCESS &&
           clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) ==
               CL_SUCCESS &&
           clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) == CL_SUCCESS &&
           strcmp(name, "Portable Computing Language") == 0;
}

cl_int clGetProgramInfo(cl_program program, cl_program_info what, size_t size, void *value,
                        size_t *length) {
    get_program_info *real = (get_program_info *)(uintptr_t)dlsym(RTLD_NEXT, "clGetProgramInfo");
    if (real == NULL) {
        fprintf(stderr, "source layer: the loader has no clGetProgramInfo\n");
        abort();
    }
    if (what != CL_PROGRAM_BINARY_SIZES || size < sizeof(size_t) || !is_of_pocl(real, program))
        return real(program, what, size, value, length);
    *(size_t *)value = 0;
    return CL_SUCCESS;
}
