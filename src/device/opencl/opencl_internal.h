/* SPDX-License-Identifier: Apache-2.0
 * What the files of the OpenCL backend share. */
#ifndef HOPLITE_DEVICE_OPENCL_INTERNAL_H
#define HOPLITE_DEVICE_OPENCL_INTERNAL_H

#include "device/backend.h"
#include "device/opencl/opencl_library.h"

/* device->driver */
typedef struct hop__opencl_driver {
    hop__opencl call;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queues[HOP__QUEUE_COUNT];
} hop__opencl_driver;

static inline hop__opencl_driver *hop__opencl_of(const hop__device *device) {
    return device->driver;
}

/* Reports that the function `call` gave `code`, with `numbers` about it (printf), which may be
 * empty. What it means is told by the code; a call that waits for work reports that work's failure.
 */
HOP_PRINTF(5, 6)
hop_status hop__opencl_fail(hop__device *device, const char *call, bool waits, cl_int code,
                            const char *numbers, ...);

/* opencl_list.c */
/* Whether programs are to be compiled as OpenCL C 3.0, for its fence; not for processors. */
bool hop__opencl_has_fence(const hop__opencl *call, cl_device_id device);
hop_status hop__opencl_list(hop_context *context, hop__device_list *list, char advice[256]);
/* The driver's device of that name ("opencl:0.1"). False when it is no longer there. */
bool hop__opencl_find(const hop__opencl *call, const char *name, cl_platform_id *platform,
                      cl_device_id *device);

/* opencl_build.c */

/* clBuildProgram, and its code. False when the progress callback has said no meanwhile: then the
 * program belongs to the compile, which goes on by itself. */
bool hop__opencl_build(hop_context *context, const hop__opencl_driver *driver, cl_program program,
                       const char *options, cl_int *code);
/* Frees what is left of such compiles, if they are through. */
void hop__opencl_build_settle(void);

/* opencl_program.c */
hop_status hop__opencl_program_build(hop__program *program, const char *text, const char *options);
hop_status hop__opencl_program_load(hop__program *program, const void *binary, size_t bytes,
                                    const char *options);
hop_status hop__opencl_program_binary(hop__program *program, void **binary, size_t *bytes);
void hop__opencl_program_free(hop__program *program);
hop_status hop__opencl_kernel_create(hop__kernel *kernel, const char *name);
void hop__opencl_kernel_free(hop__kernel *kernel);
hop_status hop__opencl_launch(hop__kernel *kernel, const hop__shape *shape,
                              const hop__argument *arguments, size_t count, uintptr_t *timer);

#endif
