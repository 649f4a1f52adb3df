/* SPDX-License-Identifier: Apache-2.0
 *
 * The table that a backend fills in, and what is inside devices, buffers, programs and kernels.
 * Only the files of this folder include it.
 *
 * A backend does the driver's calls and nothing else: budgets, ranges, splitting, the cache of
 * programs and the latch of a lost device are done once, above it. Its functions get objects that
 * exist and ranges that are inside. Every failure goes through hop__device_fail, with the name of
 * the driver's call. Handles are the driver's, as integers; 0 is none. */
#ifndef HOPLITE_DEVICE_BACKEND_H
#define HOPLITE_DEVICE_BACKEND_H

#include "device/device.h"
#include "device/kernel_signature.h"
#include "device/program_cache.h"

/* A growing list of devices. */
typedef struct hop__device_list {
    hop_device_info *infos;
    size_t count, capacity;
} hop__device_list;

struct hop__buffer {
    hop__device *device;
    const char *what;
    uint64_t bytes;
    uintptr_t handle;
    void *array; /* of the host, when it is borrowed or kept */
    bool shared; /* the array is the buffer */
    bool lent;   /* of those that are kept: its memory is the caller's, and not charged */
    /* Of those that are kept (device_keep.c); `life` NULL: it is not. */
    hop__life *life;
    hop__buffer *next; /* the one that was used before it */
    unsigned users;
    bool sure;         /* the copy is known to have ended well */
    uint64_t failures; /* of the device when the copy began */
};

/* A range of the device's memory that is the caller's. */
typedef struct hop__lent {
    struct hop__lent *next;
    uintptr_t begin;
    uint64_t bytes;
} hop__lent;

/* Memory that the next call may have: device_spare.c. */
enum { HOP__SPARES = 32 };
typedef struct hop__spare {
    uintptr_t handle;
    uint64_t bytes;
} hop__spare;

struct hop__event {
    hop__device *device;
    uintptr_t handle;
};

struct hop__kernel {
    hop__program *program;
    hop__kernel *next;
    uintptr_t handle;
    uint32_t group_most;
    hop__tally tally;
    hop__signature told; /* by the driver; no parameters: it does not tell */
    hop__signature read[HOP__SIGNATURES];
    size_t read_count; /* from the text; 0: not known */
};

struct hop__program {
    hop__device *device;
    hop__program *next;
    uint64_t key[2]; /* of source, options, platform, driver and device */
    const char *name;
    const hop__program_source *source; /* its text */
    uintptr_t handle;
    hop__kernel *kernels;
    bool from_cache;
};

/* Something in a queue whose time will be read. */
typedef struct hop__timer {
    uintptr_t handle; /* 0: the driver gave none */
    hop__tally *tally;
    uint64_t bytes, items;
    hop__queue queue;
} hop__timer;

enum { HOP__TIMERS = 512 }; /* so many are under way at most; then the queues are waited for */

struct hop__device {
    const hop__backend *backend;
    hop_context *context;
    hop_device_info info;
    void *driver; /* the backend's own */
    int process;  /* that opened it: in a child of fork() the driver's threads do not exist */
    uint64_t budget, used, peak;
    uint64_t busy_peak;  /* the same without what is idle: what runs have needed */
    int cache;           /* descriptor of the folder of compiled programs, or -1 */
    double compiling;    /* seconds that the driver took to compile so far */
    bool compiling_told; /* that it takes its time was said */
    char cache_path[HOP__CACHE_PATH];
    bool prefetch; /* its compiler makes instructions of clang's prefetch */
    bool apart;    /* arrays of the host are copied, even if it works in the host's memory */
    uint64_t cut;  /* elements of one launch at most; 0: no bound */
    bool passed;   /* the known answers were right, now or earlier */
    bool draining; /* inside a failure: do not fail again */
    bool timed;    /* the times of commands are asked for */
    /* Of the host's memory, pinned, that large copies go through (backend): how much there is now,
     * how much there may be, and from how large an array on. */
    uint64_t pinned, pinned_most, pinned_from;
    hop__program *programs;
    hop__tally to_device, to_host, fill;
    hop__timer timers[HOP__TIMERS];
    size_t timer_count;
    unsigned live_buffers, live_events;
    hop__buffer *kept;              /* the one that was used last first */
    uint64_t idle;                  /* bytes of those that nobody uses: part of `used` */
    uint64_t failures;              /* commands and calls that failed so far */
    hop__spare spares[HOP__SPARES]; /* the oldest first */
    unsigned spare_count;
    uint64_t spare_bytes;
    uint32_t group_refused; /* of a kernel: its most, when a launch asked for more; else 0 */
    unsigned busy;          /* bits of the queues with commands since they were waited for */
    hop__kept_bytes moved;
    hop__lent *lent;
    hop_context *others[HOP__OTHERS_MOST]; /* device_others.c */
    unsigned other_count;
};

/* What a failure means to the caller. */
typedef enum hop__fault {
    HOP__FAULT_MEMORY, /* not enough of it; smaller parts may work */
    HOP__FAULT_CALL,   /* this call failed; others may work */
    HOP__FAULT_LOST    /* the device no longer works */
} hop__fault;

struct hop__backend {
    const char *name;  /* what stands before the colon in the name of a device */
    const char *flags; /* of its compiler, for all programs; part of their key */

    /* Adds the driver's devices to the list, usable or not. Without the driver: none, and what is
     * missing is written to `advice`. Fails only for lack of host memory. */
    hop_status (*list)(hop_context *context, hop__device_list *list, char advice[256]);
    /* Opens the device that device->info describes: sets device->driver. */
    hop_status (*open)(hop__device *device);
    /* Releases everything that open made; also after a failed open. */
    void (*close)(hop__device *device);

    hop_status (*buffer_create)(hop__buffer *buffer);
    void (*buffer_free)(hop__buffer *buffer);
    /* Of devices with HOP_DEVICE_SHARED: makes a buffer of buffer->array, and makes sure,
     * asynchronously, that the host sees what kernels have written to it. */
    hop_status (*buffer_share)(hop__buffer *buffer);
    hop_status (*buffer_reveal)(hop__buffer *buffer);
    /* These four are asynchronous; `timer` gets a handle for timer_read, or 0: always where the
     * handle tells of failures, else where device->timed. */
    hop_status (*write)(hop__queue queue, hop__buffer *buffer, uint64_t offset, size_t bytes,
                        const void *source, uintptr_t *timer);
    hop_status (*read)(hop__queue queue, hop__buffer *buffer, uint64_t offset, size_t bytes,
                       void *target, uintptr_t *timer);
    hop_status (*copy)(hop__buffer *source, uint64_t source_offset, hop__buffer *target,
                       uint64_t target_offset, size_t bytes, uintptr_t *timer);
    hop_status (*fill)(hop__buffer *buffer, uint64_t offset, size_t bytes, uint32_t word,
                       uintptr_t *timer);

    /* Compiles `text` with `options` ("-DA=1 -DB=2"). */
    hop_status (*program_build)(hop__program *program, const char *text, const char *options);
    /* Makes the program from what program_binary gave in another process. HOP_ERR_DEVICE without a
     * message when the driver does not take it: the caller builds from source then. */
    hop_status (*program_load)(hop__program *program, const void *binary, size_t bytes,
                               const char *options);
    /* The program in the driver's form, in a block of the context's allocator which the caller
     * releases, and which no budget counts; NULL and 0 when the driver gives none. Failing is no
     * error of the caller. */
    hop_status (*program_binary)(hop__program *program, void **binary, size_t *bytes);
    void (*program_free)(hop__program *program);

    /* Sets handle and group_most, and `told` where the driver tells. */
    hop_status (*kernel_create)(hop__kernel *kernel, const char *name);
    void (*kernel_free)(hop__kernel *kernel);
    /* With arguments that fit. */
    hop_status (*launch)(hop__kernel *kernel, const hop__shape *shape,
                         const hop__argument *arguments, size_t count, uintptr_t *timer);

    hop_status (*event_record)(hop__event *event, hop__queue queue);
    hop_status (*event_wait)(hop__event *event, hop__queue queue);
    hop_status (*event_sync)(hop__event *event);
    void (*event_free)(hop__event *event);

    /* About something that the queue is through with: fails if that failed, else the seconds
     * between its begin and end (0 when the driver does not say). Frees the handle in any case. */
    hop_status (*timer_read)(hop__device *device, uintptr_t timer, double *seconds);

    /* Both queues wait for what is in a stream of the caller's. NULL: the driver has no addresses
     * that could be lent. */
    hop_status (*follow)(hop__device *device, void *stream);

    hop_status (*flush)(hop__device *device, hop__queue queue);
    hop_status (*finish)(hop__device *device, hop__queue queue);
    /* Gives back what it keeps of the host's memory for later; NULL: nothing. */
    void (*trim)(hop__device *device);
};

/* The backends, in device_list.c. */
extern const hop__backend *const hop__backends[];
extern const size_t hop__backend_count;
extern const hop__backend hop__cuda_backend, hop__hip_backend, hop__opencl_backend;

/* Appends to a list. */
hop_status hop__device_list_add(hop_context *context, hop__device_list *list,
                                const hop_device_info *info);
/* All devices of all backends; the list is freed by hop__free(list->infos). `advice`: what is
 * missing, or empty. */
hop_status hop__devices_list(hop_context *context, hop__device_list *list, char advice[512]);

/* Copies what the caller's version of the struct has room for. */
hop_status hop__device_info_out(hop_context *context, const hop_device_info *from,
                                hop_device_info *to);

/* Sets the message (which should name the driver's call and the numbers), drains the queues, marks
 * the device as lost if that is the fault, and gives the status for it. */
HOP_PRINTF(3, 4)
hop_status hop__device_fail(hop__device *device, hop__fault fault, const char *format, ...);
/* HOP_ERR_DEVICE with the old reason when the device is lost. */
hop_status hop__device_alive(hop__device *device);
/* Whether this process is a child of the one that opened it: the driver must not be called. */
bool hop__device_forked(const hop__device *device);
/* Waits for what is under way, whatever the driver says to it; no failure is told. */
void hop__device_drain(hop__device *device);

/* What is used has grown. */
void hop__device_mark(hop__device *device);
/* Makes the driver's side of a buffer whose fields are set, and charges it to the budget; idle kept
 * buffers make room if that helps. And the reverse, but for the struct. */
hop_status hop__buffer_open(hop__buffer *buffer);
void hop__buffer_close(hop__buffer *buffer);
/* Whether the array is as long as it must be, if it was lent. */
hop_status hop__lent_check(hop__device *device, const char *what, uint64_t bytes,
                           const void *array);
/* Forgets all that was lent. */
void hop__lent_drop(hop__device *device);
/* One user less of a kept buffer. */
void hop__buffer_leave(hop__buffer *buffer);
/* Frees spares, then idle buffers, the one used longest ago first, until `bytes` more fit the
 * budget or there are none. */
void hop__device_make_room(hop__device *device, uint64_t bytes);
/* Frees all kept buffers, used or not, and spares: the device is about to be closed. */
void hop__device_abandon(hop__device *device);
/* What the device's context has of other devices. */
void hop__device_others_close(hop__device *device);
void hop__device_others_trim(hop__device *device);

/* The buffer gets memory that was given back, if there is some of its size. */
bool hop__spare_take(hop__buffer *buffer);
/* Keeps its memory for the next; false: it is to be freed. */
bool hop__spare_put(hop__buffer *buffer);
/* Frees spares until there is so much room in the budget, or none is left. */
void hop__spares_free(hop__device *device, uint64_t room);
void hop__spares_abandon(hop__device *device);

/* Puts a timer under way; waits for the queues when there are too many. */
hop_status hop__timer_add(hop__device *device, hop__queue queue, hop__tally *tally,
                          uintptr_t handle, uint64_t bytes, uint64_t items);
void hop__program_free(hop__program *program);

#endif
