/* SPDX-License-Identifier: Apache-2.0
 *
 * An array of results as one .npy file, written by all ranks at once: each its part, by pwrite.
 *
 * The file is made by rank 0 under a temporary name beside its path; when all parts are written and
 * on the disk it takes its path, and when one could not be written it is removed. A job that is
 * killed leaves the file of the temporary name, and never half a file under the path. All ranks
 * must see the same file system. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cluster/cluster_graph.h"
#include "core/memory.h"
#include "core/try.h"
#include "io/numpy/npy_header.h"

enum { PATH_MOST = 4096, BLOCK = 1 << 16 };

typedef struct part_file {
    hop_cluster *cluster;
    const char *path;
    char name[PATH_MOST + 32]; /* the temporary one, until the file has its path */
    int descriptor;
    size_t header_bytes;
} part_file;

static hop_status refused(const part_file *file, const char *what, int error) {
    hop_context *context = file->cluster->context;
    hop__fail(context, HOP_ERR_IO, "%s: cannot %s: %s", file->path, what, strerror(error));
    (void)hop__note_system(context, error);
    return hop__file_done(context, HOP_ERR_IO, file->path);
}

static hop_status bytes_write(part_file *file, const void *bytes, size_t count, uint64_t at) {
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

/* Rank 0 makes the file, with its header. */
static hop_status file_make(part_file *file, const unsigned char *header) {
    file->descriptor = open(file->name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file->descriptor < 0) {
        file->name[0] = '\0'; /* what is there is not ours */
        return refused(file, "make a file beside it", errno);
    }
    return bytes_write(file, header, file->header_bytes, 0);
}

/* Ids of 64 bits into a file of 32, where they fit: none is the largest number of the type. */
static hop_status narrow_write(part_file *file, const uint64_t *values, uint64_t count,
                               uint64_t at) {
    uint32_t *block = NULL;
    hop_status status;
    HOP_TRY(status, hop__alloc(file->cluster->context, "write: block", BLOCK, 4, &block));
    for (uint64_t done = 0, some; done < count; done += some) {
        some = count - done < BLOCK ? count - done : BLOCK;
        for (uint64_t i = 0; i < some; i++)
            block[i] = (uint32_t)values[done + i];
        HOP_TRY(status, bytes_write(file, block, (size_t)some * 4, at + done * 4));
    }
done:
    hop__free(block);
    return status;
}

static hop_status part_write(part_file *file, uint64_t first, const hop_view *part, bool narrow) {
    size_t size = narrow ? 4 : hop_type_size(part->type);
    uint64_t at = file->header_bytes + first * size;
    if (file->descriptor < 0)
        file->descriptor = open(file->name, O_WRONLY | O_CLOEXEC);
    if (file->descriptor < 0)
        return refused(file, "open what rank 0 has made", errno);
    hop_status status = narrow ? narrow_write(file, part->items, part->count, at)
                               : bytes_write(file, part->items, (size_t)(part->count * size), at);
    int synced = 0;
    while (status == HOP_OK && (synced = fsync(file->descriptor)) != 0 && errno == EINTR)
        ;
    if (synced != 0)
        status = refused(file, "write it to the disk", errno);
    return status;
}

/* After the file has its path, so does its name in the folder, on the disk. */
static hop_status file_rename(part_file *file) {
    if (rename(file->name, file->path) != 0)
        return refused(file, "give it its name", errno);
    char *slash = strrchr(file->name, '/');
    if (slash != NULL)
        slash[slash == file->name] = '\0';
    int folder = open(slash != NULL ? file->name : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder); /* some file systems cannot, and the file is there */
        (void)close(folder);
    }
    file->name[0] = '\0';
    return HOP_OK;
}

/* Everyone knows the name: it has the process of rank 0 in it. */
static hop_status name_share(part_file *file) {
    uint64_t process = file->cluster->rank == 0 ? (uint64_t)getpid() : 0;
    hop_status status = hop__max_all(file->cluster, &process, 1);
    (void)snprintf(file->name, sizeof file->name, "%s.%" PRIu64 ".part", file->path, process);
    return status;
}

/* What the header of the file calls a type; NULL for types that results do not have. */
static const char *item_text(hop_type type) {
    switch (type) {
    case HOP_TYPE_UINT32:
        return "'<u4'";
    case HOP_TYPE_UINT64:
        return "'<u8'";
    case HOP_TYPE_INT64:
        return "'<i8'";
    case HOP_TYPE_FLOAT32:
        return "'<f4'";
    case HOP_TYPE_FLOAT64:
        return "'<f8'";
    default:
        return NULL;
    }
}

static hop_status check_part(hop_context *context, uint64_t count, const char *path,
                             const hop_view *part) {
    if (path == NULL || part == NULL || strlen(path) >= PATH_MOST)
        return hop__missing(context, "hop_cluster_array_write");
    if (item_text(part->type) == NULL || part->count != count ||
        (part->items == NULL && part->count > 0))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "write: %" PRIu64 " items of type %s; a rank writes one for each of its "
                         "%" PRIu64 ", an id, level, distance or rank",
                         part->count, hop_type_name(part->type), count);
    return HOP_OK;
}

hop_status hop_cluster_items_write(hop_cluster *cluster, uint64_t items, const char *path,
                                   const hop_view *part) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    part_file file = {.cluster = cluster, .path = path, .descriptor = -1};
    uint64_t first, count;
    hop_cluster_part(cluster, items, &first, &count);
    hop_status status = check_part(cluster->context, count, path, part);
    uint64_t hash = status == HOP_OK ? hop__cluster_mix(part->type, path, strlen(path)) : 0;
    HOP_TRY(status, hop__cluster_begin(cluster, "array_write", hash + items, status));
    bool narrow = part->type == HOP_TYPE_UINT64 && items <= HOP_MAX_VERTICES;
    unsigned char header[HOP__NPY_OUR_HEADER];
    file.header_bytes = hop__npy_format(header, item_text(narrow ? HOP_TYPE_UINT32 : part->type), 1,
                                        (const uint64_t[2]){items, 1});
    HOP_TRY(status, name_share(&file));
    if (cluster->rank == 0)
        status = file_make(&file, header);
    HOP_TRY(status, hop__agree(cluster, status));
    HOP_TRY(status, hop__agree(cluster, part_write(&file, first, part, narrow)));
    if (cluster->rank == 0)
        status = file_rename(&file);
    status = hop__agree(cluster, status);
done:
    if (file.descriptor >= 0)
        (void)close(file.descriptor);
    if (cluster->rank == 0 && file.name[0] != '\0')
        (void)unlink(file.name);
    return status;
}

hop_status hop_cluster_array_write(hop_cluster *cluster, const hop_cluster_graph *graph,
                                   const char *path, const hop_view *part) {
    /* Without a graph there is nothing to write to: all refuse it. */
    return hop_cluster_items_write(cluster, graph != NULL ? graph->vertices : 0,
                                   graph != NULL ? path : NULL, part);
}
