/* SPDX-License-Identifier: Apache-2.0
 *
 * How much memory this process may use: the machine's, or the limit of its cgroup.
 *
 * /proc/self/cgroup has one line per hierarchy, "id:controllers:path". For v2 the controllers are
 * empty and the limit is in <mount>/<path>/memory.max; for v1 they include "memory" and it is in
 * <mount>/memory/<path>/memory.limit_in_bytes. A limit on a parent binds too, so the path is
 * walked up. In a container the path may be one that only the host can see: what cannot be read
 * is passed over, and the walk ends at the mount, which then is the container's own group. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"

/* The number in a file; UINT64_MAX when there is none ("max", or no such file). */
static uint64_t limit_read(const char *path) {
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return UINT64_MAX;
    unsigned long long value;
    int fields = fscanf(file, "%llu", &value);
    fclose(file);
    return fields == 1 ? value : UINT64_MAX;
}

/* The least limit in `name` from root/path up to root. Cuts `path` as it goes. */
static uint64_t limit_walk(const char *root, char *path, const char *name) {
    uint64_t least = UINT64_MAX;
    for (;;) {
        char file[4096];
        int length = snprintf(file, sizeof file, "%s%s/%s", root, path, name);
        if (length > 0 && (size_t)length < sizeof file) {
            uint64_t limit = limit_read(file);
            least = limit < least ? limit : least;
        }
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

/* Whether "memory" is a word of a list such as "cpu,memory". */
static bool has_memory(const char *controllers) {
    size_t length = strlen("memory");
    for (const char *at = controllers; (at = strstr(at, "memory")) != NULL; at += length)
        if ((at == controllers || at[-1] == ',') && (at[length] == '\0' || at[length] == ','))
            return true;
    return false;
}

uint64_t hop__cgroup_limit(const char *membership, const char *mount) {
    FILE *file = fopen(membership, "re");
    if (file == NULL)
        return UINT64_MAX;
    uint64_t least = UINT64_MAX;
    char line[2048];
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers == NULL ? NULL : strchr(controllers + 1, ':');
        if (path == NULL)
            continue;
        *path++ = '\0';
        controllers++;
        uint64_t limit = UINT64_MAX;
        if (*controllers == '\0') {
            limit = limit_walk(mount, path, "memory.max");
        } else if (has_memory(controllers)) {
            char root[1024];
            int length = snprintf(root, sizeof root, "%s/memory", mount);
            if (length > 0 && (size_t)length < sizeof root)
                limit = limit_walk(root, path, "memory.limit_in_bytes");
        }
        least = limit < least ? limit : least;
    }
    fclose(file);
    return least;
}

uint64_t hop__machine_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    uint64_t physical = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    uint64_t limit = hop__cgroup_limit("/proc/self/cgroup", "/sys/fs/cgroup");
    return limit < physical ? limit : physical;
}
