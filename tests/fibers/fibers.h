/* SPDX-License-Identifier: Apache-2.0
 *
 * An OpenCL library for tests that runs kernels as C on the host. HOPLITE_OPENCL_LIB names it to
 * the library under test, whose host code then runs on it unchanged. It has two devices: number 0
 * is of type GPU, with a memory of its own, and number 1 of type CPU, so that kernels run in both
 * of their forms.
 *
 * A program is compiled by the C compiler of the build, with its sanitizers (fibers_build.c). A
 * kernel runs one group after another, each item on a fiber; a barrier gives the turn to the next
 * item, and the order of groups and items changes all the time (fibers_run.c). What it reports on
 * standard error, and as a failed launch: items of a group that end, or come to different barriers,
 * while others wait; arguments that do not fit; and, when asked, data races (fibers_trace.c).
 * Copies that the host does not wait for are made as late as OpenCL allows (fibers_late.c).
 *
 * Environment
 *   HOPLITE_FIBERS         "races": every access of a kernel to global or local memory is compared
 *                          with those that no barrier puts in order. "segments": memory segments
 *                          are counted. Both may be given, with a comma. Kernels are then compiled
 *                          with the thread sanitizer's calls, which end up here.
 *   HOPLITE_FIBERS_CACHE   folder for compiled kernels; the build's if not set.
 *   HOPLITE_FIBERS_REPORT  file that segment counts are appended to, as CSV.
 *   HOPLITE_FIBERS_SEED    another order of items and groups. */
#ifndef HOPLITE_TESTS_FIBERS_H
#define HOPLITE_TESTS_FIBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The same as in kernels/shim.h. */
struct shim_item {
    uint32_t local, group, groups, size;
    void (*barrier)(uint32_t line, uint32_t all);
};

enum { FIBERS_PARAMETERS = 32, FIBERS_GROUP_MOST = 1024 };

/* A kernel in a compiled program: made by the code that fibers_build.c adds to its text. */
typedef struct fibers_kernel {
    const char *name;
    void (*call)(void **arguments);
    uint32_t parameters;
    const uint32_t *sizes;    /* bytes of each */
    const uint32_t *pointers; /* whether it is one */
} fibers_kernel;

typedef enum fibers_access {
    FIBERS_READ = 0,
    FIBERS_WRITE = 1,
    FIBERS_ATOMIC_READ = 2,
    FIBERS_ATOMIC_WRITE = 3,
    FIBERS_ACCESSES = 4
} fibers_access;

typedef struct fibers_program {
    void *library;
    const fibers_kernel *kernels;
    uint32_t kernel_count;
    struct shim_item *item;
    char *locals, *locals_end; /* the local variables; none under the address sanitizer */
    void (**trace)(const void *address, uint32_t bytes, fibers_access access, const void *site);
    char key[40];
} fibers_program;

typedef struct fibers_launch {
    const fibers_program *program;
    const fibers_kernel *kernel;
    void **arguments; /* each points to the value of a parameter */
    uint32_t groups, group_size;
} fibers_launch;

/* What is traced; set once from the environment. */
extern bool fibers_races, fibers_segments;

/* Compiles `text`; a compiler's complaint goes to `log`. With text NULL: only what is in the cache
 * under `key`. */
bool fibers_build(const char *text, const char *options, const char *key, fibers_program *program,
                  char *log, size_t log_size);
/* The hash of all that programs are compiled with but their texts: the version of the driver, so
 * that the library under test takes no program for one of another build. */
void fibers_version(char version[40]);
void fibers_unload(fibers_program *program);

/* False, and a message on standard error, when the kernel was seen to be wrong. */
bool fibers_run(const fibers_launch *launch);

/* Copies at the last moment: fibers_late.c. A copy is put off; all of a queue (NULL: of any) up to
 * number `last` are made. The number of the newest goes into events. */
bool fibers_late_add(const void *queue, void *to, const void *from, size_t bytes);
uint64_t fibers_late_last(void);
void fibers_late_settle(const void *queue, uint64_t last);

/* Where the turn is: for the trace. */
extern uint32_t fibers_local_epoch, fibers_global_epoch;

void fibers_buffer_made(const void *memory, size_t bytes);
void fibers_buffer_gone(const void *memory);
void fibers_trace_launch(const fibers_launch *launch);
void fibers_trace_group(void);
void fibers_trace_group_end(void);
/* Races that this launch had. */
unsigned fibers_trace_end(void);
void fibers_trace_access(const void *address, uint32_t bytes, fibers_access access,
                         const void *site);

#endif
