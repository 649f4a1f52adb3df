/* SPDX-License-Identifier: Apache-2.0
 *
 * A libcuda.so.1 for tests, over the interpreter of PTX: what its files share. It is compiled with
 * NVIDIA's cuda.h, so that no function here can have another form than the driver's.
 *
 * Work in a stream is done as late as the driver's manual allows, and where no event orders it, in
 * an order that is drawn: when something waits for it, and then not before its turn. Arrays of the
 * host are read and written at that time, whether they are pinned or not (NVIDIA's driver has read
 * or written those that are not when the call returns, but nobody may rely on that here).
 *
 * An error of the codes that leave a context unusable stays: every later call of the context gives
 * it. After a fork nothing works in the child.
 *
 * Environment:
 *   HOPLITE_PTX_SEED      of all that is drawn (default 1)
 *   HOPLITE_PTX_SM        compute capability: 75, 80, ..., 120 (default 75)
 *   HOPLITE_PTX_VERSION   of the driver: 12040 is 12.4 (default: that of cuda.h)
 *   HOPLITE_PTX_DEVICES   how many (default 1)
 *   HOPLITE_PTX_MEMORY    bytes of each (default 1 GiB)
 *   HOPLITE_PTX_UNITS     multiprocessors that it says it has (default 2)
 *   HOPLITE_PTX_RESIDENT  groups at a time (default 6)
 *   HOPLITE_PTX_GROUP     the most items of a group that kernels take (default: as compiled)
 *   HOPLITE_PTX_RACES     0: races in shared memory are not looked for
 *   HOPLITE_PTX_INTEGRATED  1: the devices work in the host's memory, and use its addresses
 *   HOPLITE_PTX_WEAK      1: stores to global memory are seen late by other groups
 *   HOPLITE_PTX_FAULT     NAME:NTH:CODE: the NTH call of the function gives CODE; NAME * is any;
 *                         9999, which is none of its codes, is an abort(), 9998 a call that
 *                         never returns, 9997 one that waits for nothing and says that all is well
 *                         (cuStreamWaitEvent, cuEventSynchronize)
 *   HOPLITE_PTX_COUNTERS  a file: what a GPU would be charged for is counted and written there
 *                         (driver_counters.c)
 *   HOPLITE_PTX_PLANT     OLD=>NEW: in all modules OLD is NEW, as by ptx_driver_plant
 * What the interpreter has to report is written to stderr, as "ptx: ...". */
#ifndef HOPLITE_TESTS_PTX_DRIVER_H
#define HOPLITE_TESTS_PTX_DRIVER_H

#include <cuda.h>
#include <stdbool.h>

#include "ptx/ptx.h"

#define EXPORT __attribute__((visibility("default")))

enum { DEVICES_MOST = 8 };

struct CUmod_st {
    CUcontext context;
    CUmodule next;
    ptx_module *module;
    struct CUfunc_st *functions;
};

struct CUfunc_st {
    CUmodule module;
    struct CUfunc_st *next;
    ptx_kernel *kernel;
};

/* What cuEventRecord has captured. Who waits for an event waits for this, also if the event is
 * recorded anew. */
typedef struct capture {
    unsigned users; /* the event, commands */
    bool done;
    uint64_t nanoseconds;
} capture;

struct CUevent_st {
    CUcontext context;
    CUevent next;
    capture *last; /* NULL: never recorded */
    bool timed;
};

typedef enum command_kind {
    COPY_IN,
    COPY_OUT,
    COPY_WITHIN,
    FILL,
    LAUNCH,
    RECORD,
    WAIT
} command_kind;

typedef struct command {
    struct command *next;
    command_kind kind;
    CUdeviceptr to, from;
    const void *host_from;
    void *host_to;
    size_t bytes;
    unsigned word;
    CUfunction function;
    uint32_t groups[3], group[3];
    capture *captured;
    unsigned char parameters[];
} command;

struct CUstream_st {
    CUcontext context;
    CUstream next;
    command *first, *last;
};

typedef struct pinned_block {
    struct pinned_block *next;
    void *memory;
    size_t bytes;
} pinned_block;

/* The primary context of a device. */
struct CUctx_st {
    int device;
    unsigned retained;
    CUresult error; /* that stays */
    ptx_machine *machine;
    CUstream streams;
    CUevent events;
    CUmodule modules;
    pinned_block *pinned;
};

/* Begins a call: takes the lock, and gives what the call has to return at once, if anything. Then
 * the lock is free again. */
CUresult driver_enter(const char *name);
/* The same for a call that works in the current context. */
CUresult driver_enter_context(const char *name, CUcontext *context);
/* The same for a call that gives something back: a fault is returned in the end, and it is given
 * back all the same. */
CUresult driver_enter_release(const char *name, CUcontext *context);
/* Whether this call is to do nothing (9997). */
bool driver_skips(void);
/* Ends it. */
CUresult driver_leave(CUresult result);
/* Whether the code leaves a context unusable; marks it if so. */
CUresult driver_note(CUcontext context, CUresult result);
/* What the machine says, to stderr. */
void driver_report(const ptx_machine *machine);

uint64_t driver_number(const char *variable, uint64_t otherwise);
uint64_t driver_memory(void);
/* Everything that a context has. */
void driver_context_clear(CUcontext context);
void driver_stream_clear(CUstream stream);
void driver_event_free(CUevent event);

typedef bool driver_condition(const void *object);
/* Does work of the context's streams until the condition holds, or there is none that can be done.
 * Mostly of `wanted`, which may be NULL. */
CUresult driver_work(CUcontext context, CUstream wanted, driver_condition *condition,
                     const void *object);
/* All work of all streams. */
CUresult driver_drain(CUcontext context);

/* --- for tests, found by dlsym --------------------------------------------------------------- */

/* As HOPLITE_PTX_FAULT, counting from now; NULL: none. */
EXPORT void ptx_driver_fault(const char *name, unsigned nth, int code);
/* In modules that are loaded from now on, occurrence number `nth` of `old`, from 1, or each if it
 * is 0, is `new`; NULL: nothing is. */
EXPORT void ptx_driver_plant(const char *old, const char *new, unsigned nth);
/* How often that was done. */
EXPORT unsigned ptx_driver_planted(void);
/* Calls since then, of all functions. */
EXPORT unsigned ptx_driver_calls(void);
/* The first function since then that worked in a context which was told to be unusable, NULL: none.
 * Giving something back is not meant. */
EXPORT const char *ptx_driver_lost_use(void);
/* Contexts, modules, streams, events, blocks of memory that were not given back, also those that
 * went with a context that worked to its end. */
EXPORT unsigned ptx_driver_live(void);
/* What was put into streams since then, and events and pinned memory that were made. */
typedef struct ptx_driver_counts {
    uint64_t bytes_in, bytes_out, copies_in, copies_out; /* from and to the host */
    uint64_t pinned_in, pinned_out;                      /* bytes of these, by pinned memory */
    uint64_t launches, records, waits, events, timed;    /* timed: of the events */
    uint64_t syncs;                                      /* of the host, for an event */
    uint64_t pinned;                                     /* bytes */
    uint64_t stops;                                      /* of the host, for a stream */
} ptx_driver_counts;
EXPORT ptx_driver_counts ptx_driver_counted(void);
extern ptx_driver_counts driver_counts;
/* How many faults were given out. */
EXPORT unsigned ptx_driver_faults(void);

#endif
