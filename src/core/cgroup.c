/* SPDX-License-Identifier: Apache-2.0
 *
 * /proc/self/cgroup has one line per hierarchy, "id:controllers:path". For version 2 the
 * controllers are empty and the limits are in <mount>/<path>; for version 1 they are named and the
 * limits are in <mount>/<controller>/<path>. A limit on a parent binds too, so the path is walked
 * up. In a container the path may be one that only the host can see: what cannot be read is passed
 * over, and the walk ends at the mount, which then is the container's own group. */
#include "core/cgroup.h"

#include <stdio.h>
#include <string.h>

/* The least limit from root/path up to root. Cuts `path` as it goes. */
static uint64_t walk_up(const hop__cgroup_resource *resource, bool unified, const char *root,
                        char *path) {
    uint64_t least = UINT64_MAX;
    for (;;) {
        char folder[4096];
        int length = snprintf(folder, sizeof folder, "%s%s", root, path);
        if (length > 0 && (size_t)length < sizeof folder) {
            uint64_t limit = resource->read(folder, unified);
            least = limit < least ? limit : least;
        }
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

/* Whether `word` is one of a list such as "cpu,memory". */
static bool has_word(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ',') && (at[length] == '\0' || at[length] == ','))
            return true;
    return false;
}

uint64_t hop__cgroup_least(const hop__cgroup_resource *resource, const char *membership,
                           const char *mount) {
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
            limit = walk_up(resource, true, mount, path);
        } else if (has_word(controllers, resource->controller)) {
            char root[1024];
            int length = snprintf(root, sizeof root, "%s/%s", mount, resource->controller);
            if (length > 0 && (size_t)length < sizeof root)
                limit = walk_up(resource, false, root, path);
        }
        least = limit < least ? limit : least;
    }
    fclose(file);
    return least;
}
