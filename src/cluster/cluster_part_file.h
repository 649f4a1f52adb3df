/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that all ranks write at once, each its part, by pwrite.
 *
 * Rank 0 makes it under a temporary name beside its path; when all parts are written and on the
 * disk it takes its path, and when one could not be written it is removed. A job that is killed
 * leaves the file of the temporary name, and never half a file under the path. All ranks must see
 * the same file system. */
#ifndef HOPLITE_CLUSTER_CLUSTER_PART_FILE_H
#define HOPLITE_CLUSTER_CLUSTER_PART_FILE_H

#include "cluster/cluster_internal.h"

enum { HOP__PART_PATH_MOST = 4096 };

typedef struct hop__part_file {
    hop_cluster *cluster;
    const char *path;
    char name[HOP__PART_PATH_MOST + 32]; /* the temporary one, until the file has its path */
    int descriptor;
} hop__part_file;

/* A descriptor by open, which a signal may interrupt (it is tried again); negative: see errno. */
int hop__part_descriptor(const char *path, int flags);
/* The name of the file, which has the process of rank 0 in it, on all ranks. Collective. The path
 * is shorter than HOP__PART_PATH_MOST, and stays. */
hop_status hop__part_begin(hop_cluster *cluster, const char *path, hop__part_file *file);
/* Rank 0 makes the file; after all know that it has, the others open it. */
hop_status hop__part_make(hop__part_file *file);
hop_status hop__part_open(hop__part_file *file);
hop_status hop__part_write(hop__part_file *file, const void *bytes, size_t count, uint64_t at);
hop_status hop__part_sync(hop__part_file *file);
/* Rank 0, when all have synced: the path is the file's, on the disk too. */
hop_status hop__part_rename(hop__part_file *file);
/* Closes it; rank 0 removes what has not got its path. */
void hop__part_close(hop__part_file *file);

#endif
