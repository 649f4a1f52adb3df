/* SPDX-License-Identifier: Apache-2.0
 *
 * An .npy file to which each rank writes its parts: see cluster_array.c. */
#ifndef HOPLITE_CLUSTER_CLUSTER_FILE_H
#define HOPLITE_CLUSTER_CLUSTER_FILE_H

#include <string.h>

#include "cluster/cluster_part_file.h"

typedef struct hop__file_shape {
    hop_type type;
    unsigned dimensions; /* 1 or 2 */
    uint64_t items[2];
} hop__file_shape;

/* Writes the parts of this rank; the first item of the array is at byte `start`. */
typedef hop_status hop__parts_fn(void *user, hop__part_file *file, uint64_t start);

/* Collective; all ranks have begun the call with the same arguments. */
hop_status hop__parts_write(hop_cluster *cluster, const char *path, const hop__file_shape *shape,
                            hop__parts_fn *write, void *user);
static inline bool hop__part_path_fits(const char *path) {
    return path != NULL && strlen(path) < HOP__PART_PATH_MOST;
}

#endif
