/* SPDX-License-Identifier: Apache-2.0
 *
 * An interpreter of PTX, the text that NVIDIA's compiler makes of a kernel: so that kernels are run
 * as that compiler saw them where there is no GPU. For tests: driver.c makes a libcuda.so.1 of it.
 *
 * What it does as a GPU does:
 *  1. Items run in warps of 32, and each item has its own place in the program. Items of a warp
 *     that are at the same place run together; which place goes on is drawn, mostly the lowest.
 *  2. Several groups are resident and take turns, in an order and for lengths that are drawn. The
 *     seed decides all of it: the same seed, the same run.
 *  3. A barrier lets the group go on when all its items that have not ended are there.
 *  4. Shared and local memory and registers begin with rubbish.
 * What it reports, where a GPU may go on silently:
 *  5. an access outside of every allocation, or not aligned; a read of rubbish is not seen
 *  6. items that wait at different barriers, or when others have ended at another one
 *  7. two items that touch one shared word between two barriers, one of them writing, unless both
 *     do it by atomics or volatile accesses (words of 4 bytes and more)
 *  8. votes and shuffles whose masks are not those of the items that are there, or that wait for
 *     items which do not come (ptx_together.c)
 * Memory is sequentially consistent; with `weak`, the stores of a group to global memory, and its
 * atomics without a reader, are seen by other groups late and in any order, and loads may give old
 * values, unless fences order them (ptx_weak.c): so that a missing fence is seen.
 * What it does not do: no calls by address or with structs, no recursion, no textures: an
 * instruction that it does not know is an error when the text is loaded.
 *
 * Nothing here is safe beside another call: the driver has one lock. */
#ifndef HOPLITE_TESTS_PTX_H
#define HOPLITE_TESTS_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The driver's codes for the same. */
typedef enum ptx_error {
    PTX_OK = 0,
    PTX_BAD_VALUE = 1,
    PTX_NO_MEMORY = 2,
    PTX_BAD_TEXT = 218,
    PTX_BAD_ADDRESS = 700,
    PTX_STUCK = 702,
    PTX_TRAP = 715,
    PTX_MISALIGNED = 716,
    PTX_RACE = 719
} ptx_error;

typedef struct ptx_machine ptx_machine;
typedef struct ptx_module ptx_module;
typedef struct ptx_kernel ptx_kernel;

typedef struct ptx_options {
    uint64_t seed;
    uint32_t resident; /* groups at a time */
    bool races;        /* rule 7 */
    bool weak;         /* stores to global memory are late, and loads old */
    bool integrated;   /* what is no address of the device is one of the host */
    bool count;        /* what a GPU charges for: the second half of ptx_counters */
} ptx_options;

ptx_machine *ptx_machine_create(const ptx_options *options);
void ptx_machine_free(ptx_machine *machine);
/* What the last error was about, with kernel, line, group and item. */
const char *ptx_message(const ptx_machine *machine);

/* --- memory ---------------------------------------------------------------------------------- */

/* Addresses of the device are not the host's: a host that follows one crashes. 0 on failure. */
uint64_t ptx_allocate(ptx_machine *machine, size_t bytes);
/* False when there is no allocation at the address. */
bool ptx_release(ptx_machine *machine, uint64_t address);
/* Where `bytes` at a device address are for the host; NULL if they are in no one allocation. */
void *ptx_host(const ptx_machine *machine, uint64_t address, size_t bytes);
size_t ptx_allocated(const ptx_machine *machine, size_t *bytes);

/* --- programs -------------------------------------------------------------------------------- */

/* Parses a text that ends with a zero byte; NULL with a message if it is not understood. */
ptx_module *ptx_load(ptx_machine *machine, const char *text);
void ptx_unload(ptx_machine *machine, ptx_module *module);
ptx_kernel *ptx_find(ptx_module *module, const char *name);

typedef struct ptx_parameter {
    uint32_t offset, bytes;
} ptx_parameter;

/* What an instruction is for a GPU. Moves, conversions of addresses and loads of parameters are
 * mostly none there; arithmetic in 64 bits is about two. */
typedef enum ptx_work {
    PTX_WORK_MOVE,
    PTX_WORK_INTEGER,
    PTX_WORK_INTEGER64,
    PTX_WORK_FLOAT,
    PTX_WORK_FLOAT64,
    PTX_WORK_BRANCH,
    PTX_WORK_LOAD, /* global, as the next two */
    PTX_WORK_STORE,
    PTX_WORK_ATOMIC,
    PTX_WORK_SHARED,
    PTX_WORK_LOCAL,
    PTX_WORK_PARAMETER,
    PTX_WORK_BARRIER,
    PTX_WORK_FENCE,
    PTX_WORK_TOGETHER, /* votes and shuffles */
    PTX_WORKS
} ptx_work;
extern const char *const ptx_work_names[PTX_WORKS];

/* Accesses to global memory. A sector is 32 aligned bytes. `least`: the sectors that would suffice
 * if the different bytes of each access of a warp were side by side. */
typedef struct ptx_traffic {
    uint64_t requests; /* of warps */
    uint64_t items, sectors, least;
} ptx_traffic;

/* What was counted, of a kernel since it was loaded. */
typedef struct ptx_counters {
    uint64_t launches, groups;
    uint64_t steps;                                    /* instructions of warps */
    uint64_t lane_steps;                               /* and of items */
    uint64_t loads, stores, atomics, barriers, fences; /* of items; global, shared and local */
    uint64_t works[PTX_WORKS];                         /* steps by kind */
    uint64_t lanes[33];                                /* steps by how many lanes were in them */
    /* With ptx_options.count: ptx_count.c. */
    ptx_traffic load, store, update;    /* global; update: by atomics */
    uint64_t touched;                   /* sectors of global memory, each once per launch */
    uint64_t collisions;                /* items of global atomics that found their warp there */
    uint64_t hottest;                   /* most atomics on one global word, summed over launches */
    uint64_t shared_requests;           /* accesses of warps to shared memory */
    uint64_t shared_passes, shared_few; /* passes over the banks, and how few would do */
    uint64_t shared_collisions;         /* as collisions, of shared atomics */
} ptx_counters;

/* What a caller must know about a kernel. */
struct ptx_facts {
    const char *name;
    uint32_t parameter_count, parameter_bytes, group_most, shared_bytes, local_bytes, registers;
    const ptx_parameter *parameters;
    ptx_counters counters;
};
const struct ptx_facts *ptx_kernel_facts(const ptx_kernel *kernel);

/* Runs the kernel to its end. `parameters`: parameter_bytes, laid out as facts say. */
ptx_error ptx_launch(ptx_machine *machine, ptx_kernel *kernel, const uint32_t groups[3],
                     const uint32_t group[3], const void *parameters);

#endif
