/* SPDX-License-Identifier: Apache-2.0
 *
 * See cluster_part_file.h. */
#include "cluster/cluster_part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static hop_status refused(const hop__part_file *file, const char *what, int error) {
    hop_context *context = file->cluster->context;
    hop__fail(context, HOP_ERR_IO, "%s: cannot %s: %s", file->path, what, strerror(error));
    (void)hop__note_system(context, error);
    return hop__file_done(context, HOP_ERR_IO, file->path);
}

int hop__part_descriptor(const char *path, int flags) {
    int descriptor;
    while ((descriptor = open(path, flags | O_CLOEXEC, 0666)) < 0 && errno == EINTR)
        ;
    return descriptor;
}

hop_status hop__part_begin(hop_cluster *cluster, const char *path, hop__part_file *file) {
    uint64_t process = cluster->rank == 0 ? (uint64_t)getpid() : 0;
    file->cluster = cluster;
    file->path = path;
    file->descriptor = -1;
    file->name[0] = '\0';
    hop_status status = hop__max_all(cluster, &process, 1);
    if (status == HOP_OK)
        (void)snprintf(file->name, sizeof file->name, "%s.%" PRIu64 ".part", path, process);
    return status;
}

hop_status hop__part_make(hop__part_file *file) {
    file->descriptor = hop__part_descriptor(file->name, O_CREAT | O_EXCL | O_WRONLY);
    if (file->descriptor >= 0)
        return HOP_OK;
    file->name[0] = '\0'; /* what is there is not ours */
    return refused(file, "make a file beside it", errno);
}

hop_status hop__part_open(hop__part_file *file) {
    if (file->descriptor < 0)
        file->descriptor = hop__part_descriptor(file->name, O_WRONLY);
    return file->descriptor >= 0 ? HOP_OK : refused(file, "open what rank 0 has made", errno);
}

hop_status hop__part_write(hop__part_file *file, const void *bytes, size_t count, uint64_t at) {
    const char *next = bytes;
    while (count > 0) {
        ssize_t written = pwrite(file->descriptor, next, count, (off_t)at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return refused(file, "write it", written < 0 ? errno : ENOSPC);
        next += written;
        at += (uint64_t)written;
        count -= (size_t)written;
    }
    return HOP_OK;
}

hop_status hop__part_sync(hop__part_file *file) {
    int synced;
    while ((synced = fsync(file->descriptor)) != 0 && errno == EINTR)
        ;
    return synced == 0 ? HOP_OK : refused(file, "write it to the disk", errno);
}

hop_status hop__part_rename(hop__part_file *file) {
    if (rename(file->name, file->path) != 0)
        return refused(file, "give it its name", errno);
    char *slash = strrchr(file->name, '/');
    if (slash != NULL)
        slash[slash == file->name] = '\0';
    int folder = hop__part_descriptor(slash != NULL ? file->name : ".", O_RDONLY | O_DIRECTORY);
    if (folder >= 0) {
        (void)fsync(folder); /* some file systems cannot, and the file is there */
        (void)close(folder);
    }
    file->name[0] = '\0';
    return HOP_OK;
}

void hop__part_close(hop__part_file *file) {
    if (file->descriptor >= 0)
        (void)close(file->descriptor);
    if (file->cluster->rank == 0 && file->name[0] != '\0')
        (void)unlink(file->name);
    file->descriptor = -1;
    file->name[0] = '\0';
}
