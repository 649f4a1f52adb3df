/* SPDX-License-Identifier: Apache-2.0
 * How much memory this process may use: the machine's, or the limit of its cgroup. */
#include <stdio.h>
#include <unistd.h>

#include "core/cgroup.h"
#include "core/memory.h"

static uint64_t read_limit(const char *folder, bool unified) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, unified ? "memory.max" : "memory.limit_in_bytes");
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return UINT64_MAX;
    unsigned long long value; /* "max": there is none */
    int fields = fscanf(file, "%llu", &value);
    fclose(file);
    return fields == 1 ? value : UINT64_MAX;
}

uint64_t hop__cgroup_limit(const char *membership, const char *mount) {
    static const hop__cgroup_resource memory = {"memory", read_limit};
    return hop__cgroup_least(&memory, membership, mount);
}

uint64_t hop__default_budget(uint64_t memory) {
    const uint64_t least = UINT64_C(64) << 20;
    uint64_t rest = memory / 8 > least ? memory / 8 : least;
    return memory - (rest < memory / 2 ? rest : memory / 2);
}

uint64_t hop__machine_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    uint64_t physical = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    uint64_t limit = hop__cgroup_limit("/proc/self/cgroup", "/sys/fs/cgroup");
    return limit < physical ? limit : physical;
}
