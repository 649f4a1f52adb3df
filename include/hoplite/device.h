/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices: what else there is to compute with beside the processor's own cores. They are found at
 * run time; a machine that has none, or no driver for them, has an empty list and a sentence that
 * says what is missing.
 *
 * A context uses the device that hop_context_options.device names, such as "opencl:0.0" (platform
 * and device in the driver's order); NULL or "cpu" is the host. The device is opened by the first
 * call that needs it, or by hop_device_open. A device that fails is marked as lost for the life of
 * the context: variants that the library chooses then run on the host, and those that were asked
 * for by name fail with HOP_ERR_DEVICE. */
#ifndef HOPLITE_DEVICE_H
#define HOPLITE_DEVICE_H

#include "hoplite/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hop_device_type {
    HOP_DEVICE_CPU = 0, /* a processor behind a driver */
    HOP_DEVICE_GPU = 1,
    HOP_DEVICE_OTHER = 2
} hop_device_type;

/* Capabilities. Variants that need one of the first five which is not there refuse, and say so. The
 * others say which shape of the work suits the device. */
enum {
    HOP_DEVICE_ATOMIC64 = 1 << 0,    /* atomic operations on 64-bit words */
    HOP_DEVICE_FLOAT64 = 1 << 1,     /* arithmetic in float64 */
    HOP_DEVICE_SUBNORMAL32 = 1 << 2, /* float32: subnormal numbers are not taken for 0 */
    HOP_DEVICE_SUBNORMAL64 = 1 << 3, /* float64: the same */
    HOP_DEVICE_FENCE = 1 << 4,       /* fences order memory for all work-groups, not only for one */
    HOP_DEVICE_SHARED = 1 << 5,      /* it works in the host's memory: arrays are not copied */
    HOP_DEVICE_CHUNKED = 1 << 6,     /* items want contiguous chunks, as cores do; else turns */
    HOP_DEVICE_FEW = 1 << 7,         /* few items run at a time: a group per unit, short launches */
    HOP_DEVICE_WARPS = 1 << 8        /* items of a warp see each other's values: ballot, shuffle */
};

typedef struct hop_device_info {
    size_t size;       /* sizeof(hop_device_info), set by the caller */
    char name[24];     /* what to ask for it by: "opencl:0.0" */
    char title[128];   /* what the driver calls it */
    char vendor[96];   /* of the device */
    char platform[96]; /* the driver's name */
    char driver[96];   /* the driver's version */
    hop_device_type type;
    unsigned capabilities;  /* HOP_DEVICE_ bits */
    uint64_t memory;        /* bytes of global memory */
    uint64_t allocation;    /* bytes that one buffer may have */
    uint64_t local_memory;  /* bytes that a work-group shares */
    uint32_t group_size;    /* work-items that a work-group may have */
    uint32_t compute_units; /* cores, or what the driver calls so */
    bool usable;            /* by this library */
    bool lost;              /* it failed in this context */
    char reason[256];       /* why it is not usable, or how it failed; else empty */
} hop_device_info;

/* The devices that there are now besides the host: all drivers are asked, once. Devices come and
 * go, and one that the context has lost is shown so; ask again for what is there later. */
typedef struct hop_devices hop_devices;
HOP_NODISCARD HOP_API hop_status hop_devices_find(hop_context *context, hop_devices **devices);
/* NULL is allowed. It may outlive the context. */
HOP_API void hop_devices_free(hop_devices *devices);
HOP_API size_t hop_devices_count(const hop_devices *devices);
/* NULL when out of range; valid until hop_devices_free. */
HOP_API const hop_device_info *hop_devices_at(const hop_devices *devices, size_t index);
/* A sentence for each driver that is not there: what is missing and how to install it, separated by
 * newlines; empty if nothing is. */
HOP_API const char *hop_devices_advice(const hop_devices *devices);

/* Opens the context's device now, to learn early whether it is there and fill in `info`, which may
 * be NULL. HOP_ERR_DEVICE when it is not, or does not work; the message says what there is. A
 * context without a device gives HOP_ERR_ARGUMENT. */
HOP_NODISCARD HOP_API hop_status hop_device_open(hop_context *context, hop_device_info *info);

/* Bytes of the memory of the context's device: the budget, what is in use now, and the peak. All 0
 * before it is opened. */
HOP_API uint64_t hop_device_memory_budget(const hop_context *context);
HOP_API uint64_t hop_device_memory_used(const hop_context *context);
HOP_API uint64_t hop_device_memory_peak(const hop_context *context);

/* Graphs stay on a device that has a memory of its own: the first search on a graph copies its
 * arcs there (or hop_graph_prepare with HOP_PREPARE_DEVICE does), and later searches of the same
 * context, of any problem, copy none. The copies belong to the context, and count as used. They go
 * when others need the memory, those used longest ago first; when the context is freed; and, once
 * the graph is released, with the next call that uses the device. Beside them there is the memory
 * that calls have given back, for the next one: within the budget, but not counted as used. This
 * lets go of all of it now, for other contexts and programs. Nothing happens when the context has
 * no open device. */
HOP_API void hop_device_trim(hop_context *context);

/* Arrays that are on the device already, for CUDA and HIP: `bytes` bytes at an address of the
 * device's memory, in its primary context, which other libraries of the process use too. Where a
 * call of this context is given an array inside of them, such as the levels of hop_bfs, it reads
 * and writes it there, and nothing of it goes through the host. Taken are successors and ranks,
 * labels, levels, distances and parents, by variants for devices. Sources and targets of bfs and
 * sssp are taken too: the host gets a copy, to check them. What the host would have to read else is
 * refused with HOP_ERR_UNSUPPORTED and the reason: certificates, variants of the host (also in the
 * place of a device that failed), what `nearest` takes out, distances that targets or a cutoff
 * shorten, parents of sssp where weights may be 0 or are reals, negative weights, matrices of apsp.
 *
 * The memory stays the caller's, until hop_device_take_back with the same address or the end of the
 * context; it counts against the budget of the device while it is used. Results are complete when
 * the call returns. HOP_ERR_UNSUPPORTED: the context's device is not one of CUDA or HIP. */
HOP_NODISCARD HOP_API hop_status hop_device_lend(hop_context *context, const void *array,
                                                 uint64_t bytes);
HOP_API void hop_device_take_back(hop_context *context, const void *array);
/* What the context puts on the device from now on waits for what is in `stream` now, the caller's
 * CUstream or hipStream_t. The host does not wait. */
HOP_NODISCARD HOP_API hop_status hop_device_follow(hop_context *context, void *stream);

/* Known-answer tests on the context's device: arithmetic, barriers and local memory, atomics of 32
 * and, where it claims to have them, 64 bits, floating-point numbers with the subnormal ones that
 * it claims to keep, each against what the host computes. HOP_ERR_DEVICE with the test that failed
 * and the first wrong word. Takes seconds where nothing is compiled yet, else milliseconds. A
 * device's first run of a problem does the same by itself, unless the cache of kernels has noted
 * that this device has passed with this driver; here the tests run in any case. */
HOP_NODISCARD HOP_API hop_status hop_device_check(hop_context *context);

/* Litmus tests on the context's device: what two items of different work-groups see of each other's
 * accesses to two words. One such pattern is tried some ten thousand times: */
typedef struct hop_device_litmus {
    size_t size;        /* sizeof(hop_device_litmus), set by the caller */
    const char *name;   /* "message passing"; valid for ever */
    bool fenced;        /* a fence in each item forbids an outcome that is allowed without */
    char reason[128];   /* why it was not tried: the device lacks such fences; else empty */
    uint64_t trials;    /* with fences if `fenced`, and then as many without */
    uint64_t met;       /* of these, in which what was seen shows that both ran at the same time */
    uint64_t forbidden; /* of these, that ended as they must not */
    uint64_t weak;      /* of those without fences, that ended like this, which is allowed */
} hop_device_litmus;

/* How many patterns there are. They are passing a message, buffering stores and buffering loads;
 * the first two by atomics too, which is what `persistent` and `speculate` rely on; and coherence,
 * a word that is read twice. */
HOP_API size_t hop_device_litmus_count(void);

/* Tries pattern number `index`. HOP_ERR_DEVICE, and `result` filled in, if an outcome was seen that
 * is forbidden. Where `met` is 0, as on one core, that none was seen says nothing. Fails as
 * hop_device_open does, or for lack of some hundred KiB of memory. Milliseconds, and once the time
 * that compiling takes. Blocking. No problem does this by itself. */
HOP_NODISCARD HOP_API hop_status hop_device_litmus_try(hop_context *context, size_t index,
                                                       hop_device_litmus *result);

/* What the memory of a device can do: the limits that times of variants are compared with. */
typedef struct hop_device_rates {
    size_t size;      /* sizeof(hop_device_rates), set by the caller */
    uint64_t bytes;   /* of each array that this was measured with */
    double copy;      /* within the device: bytes read and written, per second */
    double gather;    /* words of 32 bits read from places at random, per second */
    double to_device; /* from the host's memory: bytes per second */
    double to_host;   /* the other way */
    double launch;    /* seconds until a kernel that does next to nothing has been waited for */
    double atomic;    /* additions to words of 32 bits at random places, per second */
} hop_device_rates;

/* Measures them on the context's device, in at most a few seconds and a quarter of its memory. The
 * least of three times counts. Fails as hop_device_open does, or with HOP_ERR_BUDGET,
 * HOP_ERR_MEMORY; nothing is written then. Blocking. */
HOP_NODISCARD HOP_API hop_status hop_device_measure(hop_context *context, hop_device_rates *rates);

#ifdef __cplusplus
}
#endif
#endif
