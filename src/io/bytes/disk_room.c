/* SPDX-License-Identifier: Apache-2.0
 *
 * Room on disks. What is free is asked of the folder that a file will be in: a file that is there
 * and will be replaced keeps its room until the new one is complete. Pipes, devices and standard
 * output take none, and file systems that do not tell (no blocks at all) are not asked. What others
 * write meanwhile, and quotas, show later: as an error of the write. */
#include "io/bytes/disk_room.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "core/checked.h"
#include "hoplite/io.h"

void hop__folder_of(const char *path, char folder[PATH_MAX]) {
    char *target = realpath(path, NULL);
    const char *name = target != NULL ? target : path, *slash = strrchr(name, '/');
    size_t length = slash == NULL ? 0 : slash == name ? 1 : (size_t)(slash - name);
    if (length == 0 || length >= PATH_MAX) {
        name = ".";
        length = 1;
    }
    memcpy(folder, name, length);
    folder[length] = '\0';
    free(target);
}

/* Which file system, and what is free there, as df tells it. False: there is no such limit. */
static bool ask_disk(const char *path, dev_t *disk, uint64_t *room) {
    char folder[PATH_MAX];
    struct stat about;
    struct statvfs facts;
    if (strcmp(path, "-") == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode)))
        return false;
    hop__folder_of(path, folder);
    if (stat(folder, &about) != 0 || statvfs(folder, &facts) != 0 || facts.f_blocks == 0)
        return false;
    *disk = about.st_dev;
    if (!hop__mul_u64(facts.f_bavail, facts.f_frsize, room))
        *room = UINT64_MAX;
    return true;
}

hop_status hop_disk_check(hop_context *context, const char *const *paths, const uint64_t *bytes,
                          size_t count, uint64_t *room) {
    if (context == NULL || (count > 0 && (paths == NULL || bytes == NULL)))
        return hop__missing(context, "hop_disk_check");
    for (size_t i = 0; i < count; i++) {
        uint64_t need = 0, here = UINT64_MAX, there;
        size_t files = 0;
        dev_t disk, other;
        char needed[16], left[16];
        const bool known = ask_disk(paths[i], &disk, &here);
        if (room != NULL)
            room[i] = here;
        for (size_t k = 0; known && k < count; k++)
            if (ask_disk(paths[k], &other, &there) && other == disk) {
                if (!hop__add_u64(need, bytes[k], &need))
                    need = UINT64_MAX;
                files++;
            }
        if (!known || need <= here)
            continue;
        hop__fail(context, HOP_ERR_IO, "%s: %s needed on its disk%s, %s free", paths[i],
                  hop__size_text(need, needed), files > 1 ? ", with the other files on it" : "",
                  hop__size_text(here, left));
        hop__note_file(context, paths[i]);
        hop__note_need(context, HOP_KIND_DISK, need, here);
        return hop__remedy(context, HOP_REMEDY_OTHER_FILE,
                           "name a file on another one, or write less");
    }
    return HOP_OK;
}

hop_status hop__disk_check(hop_context *context, const char *path, uint64_t bytes) {
    return hop_disk_check(context, &path, &bytes, 1, NULL);
}
