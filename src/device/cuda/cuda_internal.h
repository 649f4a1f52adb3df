/* SPDX-License-Identifier: Apache-2.0
 * What the files of the backends of CUDA and HIP share. */
#ifndef HOPLITE_DEVICE_CUDA_INTERNAL_H
#define HOPLITE_DEVICE_CUDA_INTERNAL_H

#include "device/backend.h"
#include "device/cuda/cuda_library.h"

/* What kernels are compiled for. NVRTC that is older than the GPU makes PTX for the newest
 * architecture that it knows, which the driver translates; else a cubin. */
typedef struct hop__cuda_target {
    char name[64]; /* "sm_75", "gfx90a:sramecc+:xnack-" */
    char option[96];
    bool ptx;
} hop__cuda_target;

/* Two events around something whose time will be read. They are used again. */
typedef struct hop__cuda_timer {
    struct hop__cuda_timer *next;
    hop__cuda_event begin, end;
} hop__cuda_timer;

/* device->driver */
typedef struct hop__cuda_driver {
    hop__cuda call;
    hop__nvrtc nvrtc;
    hop__cuda_target target;
    hop__cuda_device device;
    hop__cuda_context context; /* the device's primary one */
    hop__cuda_code gone;       /* since this code the context is unusable; 0: it is not */
    hop__cuda_stream streams[HOP__QUEUE_COUNT];
    hop__cuda_timer *timers;      /* that are not in use */
    const hop__program *compiled; /* the program that `image` is of, for the cache */
    void *image;
    size_t image_bytes;
} hop__cuda_driver;

static inline hop__cuda_driver *hop__cuda_of(const hop__device *device) {
    return device->driver;
}

/* Makes the device's context the thread's, and takes it away again. Every call of the driver that
 * is about a context stands between the two. Fails where the context is unusable: in such a one
 * nothing is called but what gives something back. */
hop_status hop__cuda_enter(hop__device *device);
void hop__cuda_leave(hop__device *device);

/* The same for what gives something back, which is tried twice and cannot fail: else it would stay
 * in a context that others may use. */
bool hop__cuda_enter_to_free(hop__cuda_driver *driver);

/* Remembers a code that makes the context unusable, and gives it back. */
hop__cuda_code hop__cuda_note(hop__cuda_driver *driver, hop__cuda_code code);
/* Reports that the function HOP__CUDA_CALL(field) gave `code`, with `numbers` about it (printf),
 * which may be empty. What it means is told by the code; a call that waits for work reports that
 * work's failure. */
HOP_PRINTF(5, 6)
hop_status hop__cuda_fail(hop__device *device, size_t call, bool waits, hop__cuda_code code,
                          const char *numbers, ...);

/* cuda_list.c */
hop_status hop__cuda_list(hop_context *context, hop__device_list *list, char advice[256]);
hop_status hop__hip_list(hop_context *context, hop__device_list *list, char advice[256]);
/* The number behind the colon, and what to compile for it. False with the reason. */
bool hop__cuda_find(const hop__cuda *call, const hop__nvrtc *nvrtc, const char *name,
                    hop__cuda_device *device, hop__cuda_target *target, char why[256]);

/* cuda_backend.c */
const hop__cuda_dialect *hop__cuda_dialect_of(const hop__backend *backend);
/* A timer whose begin is recorded; NULL, and a failure, when there is none. */
hop_status hop__cuda_timer_begin(hop__device *device, hop__queue queue, hop__cuda_timer **timer);
/* Records its end. Gives the handle, or takes the timer back when `status` is a failure. */
hop_status hop__cuda_timer_end(hop__device *device, hop__queue queue, hop__cuda_timer *timer,
                               hop_status status, uintptr_t *handle);

/* cuda_program.c */
hop_status hop__cuda_program_build(hop__program *program, const char *text, const char *options);
hop_status hop__cuda_program_load(hop__program *program, const void *binary, size_t bytes,
                                  const char *options);
hop_status hop__cuda_program_binary(hop__program *program, void **binary, size_t *bytes);
void hop__cuda_program_free(hop__program *program);
void hop__cuda_image_drop(hop__device *device);
hop_status hop__cuda_kernel_create(hop__kernel *kernel, const char *name);
void hop__cuda_kernel_free(hop__kernel *kernel);
hop_status hop__cuda_launch(hop__kernel *kernel, const hop__shape *shape,
                            const hop__argument *arguments, size_t count, uintptr_t *timer);

#endif
