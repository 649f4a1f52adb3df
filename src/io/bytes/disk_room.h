/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether disks have room for files of known size, asked before their first byte is written. */
#ifndef HOPLITE_IO_BYTES_DISK_ROOM_H
#define HOPLITE_IO_BYTES_DISK_ROOM_H

#include <limits.h>

#include "core/context_internal.h"

/* Of one file; see hop_disk_check. */
hop_status hop__disk_check(hop_context *context, const char *path, uint64_t bytes);

/* The folder of a file that is to be at `path`: of what a link names, if it is one. */
void hop__folder_of(const char *path, char folder[PATH_MAX]);

#endif
