/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of the cgroups that this process is in. */
#ifndef HOPLITE_CORE_CGROUP_H
#define HOPLITE_CORE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hop__cgroup_resource {
    const char *controller; /* such as "memory" */
    /* The limit that stands in a group's folder, of version 2 (`unified`) or 1; UINT64_MAX when
     * there is none. */
    uint64_t (*read)(const char *folder, bool unified);
} hop__cgroup_resource;

/* The least limit of the groups that the file `membership` names (/proc/self/cgroup), and of those
 * around them, below `mount` (/sys/fs/cgroup); UINT64_MAX when there is none. */
uint64_t hop__cgroup_least(const hop__cgroup_resource *resource, const char *membership,
                           const char *mount);

#endif
