/* SPDX-License-Identifier: Apache-2.0
 *
 * What the processor and the memory of this machine are, from /proc and /sys. Whatever cannot be
 * found out stays 0 or empty. */
#ifndef HOPLITE_CLI_CPU_PROBE_H
#define HOPLITE_CLI_CPU_PROBE_H

#include <stdint.h>

enum { MOST_CACHES = 8 };

typedef struct cpu_cache {
    unsigned level;
    char type[16]; /* "Data", "Instruction", "Unified" */
    uint64_t bytes;
    unsigned instances;
} cpu_cache;

typedef struct cpu_facts {
    char model[128];
    unsigned sockets, cores, processors; /* processors: hardware threads */
    unsigned usable;                     /* processors that this process may run on */
    unsigned nodes;                      /* of memory (NUMA) */
    cpu_cache caches[MOST_CACHES];
    unsigned cache_count;
    char simd[160]; /* instruction sets, separated by spaces */
    uint64_t memory, memory_free;
    uint64_t page_bytes;
    char huge_pages[16]; /* "always", "madvise" or "never" */
} cpu_facts;

void cpu_probe(cpu_facts *facts);

#endif
