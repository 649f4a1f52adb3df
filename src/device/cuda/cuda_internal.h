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

/* An event of the pool, which is recorded again and again. */
typedef struct hop__cuda_mark {
    struct hop__cuda_mark *next;
    hop__cuda_event event;
    bool timed;
    hop__queue queue; /* that it was recorded in last */
    uint64_t number;  /* of that record; see hop__cuda_driver */
} hop__cuda_mark;

enum { HOP__CUDA_SLOTS = 2 };

/* Pinned memory that a piece of an array goes through. */
typedef struct hop__cuda_slot {
    char *memory;
    hop__cuda_mark *mark; /* recorded behind its last copy */
    bool busy;            /* that copy may be under way */
    size_t bytes;
    char *target;     /* in an array of the host, for a piece that the device sends; NULL: none */
    hop__queue queue; /* that asked for it */
    uint64_t number;  /* of the piece */
} hop__cuda_slot;

/* A copy or fill. */
typedef struct hop__cuda_movement {
    size_t call;
    hop__queue queue;
    const hop__buffer *buffer; /* for the message */
    uint64_t offset;
    size_t bytes;
    hop__cuda_address to, from;
    const void *host_from;
    void *host_to;
    uint32_t word;
} hop__cuda_movement;

/* device->driver */
typedef struct hop__cuda_driver {
    hop__cuda call;
    hop__nvrtc nvrtc;
    hop__cuda_target target;
    hop__cuda_device device;
    hop__cuda_context context; /* the device's primary one */
    hop__cuda_code gone;       /* since this code the context is unusable; 0: it is not */
    hop__cuda_stream streams[HOP__QUEUE_COUNT];
    hop__cuda_mark *marks[2]; /* that are not in use: those without and with times */
    size_t slot_bytes;        /* 0: large arrays are copied as small ones are */
    unsigned slot_next;
    uint64_t issued; /* records and pieces so far, which are numbered */
    hop__cuda_slot slots[HOP__CUDA_SLOTS];
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

/* cuda_event.c; all of these inside of hop__cuda_enter, but for `give` */
hop_status hop__cuda_mark_take(hop__device *device, bool timed, hop__cuda_mark **mark);
/* Also one that a stream still waits for; NULL is allowed. */
void hop__cuda_mark_give(hop__cuda_driver *driver, hop__cuda_mark *mark);
void hop__cuda_marks_free(hop__device *device);
hop_status hop__cuda_mark_record(hop__device *device, hop__cuda_mark *mark, hop__queue queue);
/* What is put into `second` from now on waits for what is in `first`. */
hop_status hop__cuda_order(hop__device *device, hop__queue first, hop__queue second);
/* A timer whose begin is recorded; NULL when no times are asked for. */
hop_status hop__cuda_timer_begin(hop__device *device, hop__queue queue, hop__cuda_mark **timer);
/* Records its end. Gives the handle, or takes the timer back when `status` is a failure. */
hop_status hop__cuda_timer_end(hop__device *device, hop__queue queue, hop__cuda_mark *timer,
                               hop_status status, uintptr_t *handle);
/* NULL is allowed. */
void hop__cuda_timer_give(hop__cuda_driver *driver, hop__cuda_mark *timer);
hop_status hop__cuda_timer_read(hop__device *device, uintptr_t handle, double *seconds);
hop_status hop__cuda_event_record(hop__event *event, hop__queue queue);
hop_status hop__cuda_event_wait(hop__event *event, hop__queue queue);
hop_status hop__cuda_event_sync(hop__event *event);
void hop__cuda_event_free(hop__event *event);
hop_status hop__cuda_follow(hop__device *device, void *stream);

/* cuda_copy.c */
hop_status hop__cuda_write(hop__queue queue, hop__buffer *buffer, uint64_t offset, size_t bytes,
                           const void *source, uintptr_t *timer);
hop_status hop__cuda_read(hop__queue queue, hop__buffer *buffer, uint64_t offset, size_t bytes,
                          void *target, uintptr_t *timer);
hop_status hop__cuda_copy(hop__buffer *source, uint64_t source_offset, hop__buffer *target,
                          uint64_t target_offset, size_t bytes, uintptr_t *timer);
hop_status hop__cuda_fill(hop__buffer *buffer, uint64_t offset, size_t bytes, uint32_t word,
                          uintptr_t *timer);
hop_status hop__cuda_move_fail(hop__device *device, const hop__cuda_movement *what,
                               hop__cuda_code code);

/* cuda_stage.c */
void hop__cuda_stage_setup(hop__device *device);
/* Whether an array of so many bytes goes through pinned memory, which is there then. Fails only
 * with the context. */
hop_status hop__cuda_stage_open(hop__device *device, size_t bytes, bool *staged);
/* Inside of hop__cuda_enter, when nothing is under way. */
void hop__cuda_stage_close(hop__device *device);
/* Gives the pinned memory back, if there is any. */
void hop__cuda_trim(hop__device *device);
/* Puts it into the stream of copies, piece by piece. */
hop_status hop__cuda_stage_move(hop__device *device, const hop__cuda_movement *what);
/* What was read and has arrived goes into the arrays of the host: after each wait of the host. It
 * has waited for what is in the queue and has a smaller number. */
hop_status hop__cuda_stage_land(hop__device *device, hop__queue queue, uint64_t number);
/* Waits for what goes into this array. */
hop_status hop__cuda_stage_clear(hop__device *device, const void *array, size_t bytes);
/* What has not arrived goes nowhere. */
void hop__cuda_stage_drop(hop__device *device);

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
