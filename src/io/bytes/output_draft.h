/* SPDX-License-Identifier: Apache-2.0
 *
 * A regular file while it is being written. Where the file system can do that (O_TMPFILE: ext4,
 * xfs, btrfs, tmpfs) it has no name until it is complete: whatever ends the process, nothing is
 * left behind. Elsewhere (NFS, FAT) it has a temporary name beside its path, which is removed by
 * hop__draft_discard, and stays when the process is killed. */
#ifndef HOPLITE_IO_BYTES_OUTPUT_DRAFT_H
#define HOPLITE_IO_BYTES_OUTPUT_DRAFT_H

#include <sys/types.h>

#include "core/context_internal.h"

typedef struct hop__draft {
    char *path;     /* where the file is to be */
    char *name;     /* the temporary name, or room for one */
    size_t stem;    /* bytes of `name` before what is drawn by chance */
    uint64_t salt;  /* what it is drawn from */
    int descriptor; /* -1: closed */
    bool named;     /* `name` exists */
} hop__draft;

/* Opens a file that is to be at `path`. `mode` is that of the file it replaces, 0: a new one. Fails
 * when there is no memory; what the system refuses is in *error, for the caller's message. */
hop_status hop__draft_open(hop_context *context, const char *path, mode_t mode, hop__draft *draft,
                           int *error);
/* Brings all of it to the disk. 0 or an errno. */
int hop__draft_finish(hop__draft *draft);
/* Gives it its path, which holds the old file until then. 0 or an errno. */
int hop__draft_commit(hop__draft *draft);
/* Removes what has not been given its path, and frees; also after a failure to open. */
void hop__draft_discard(hop__draft *draft);

#endif
