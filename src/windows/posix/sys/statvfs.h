/* SPDX-License-Identifier: Apache-2.0
 * Room on disks. */
#ifndef HOPLITE_WINDOWS_POSIX_SYS_STATVFS_H
#define HOPLITE_WINDOWS_POSIX_SYS_STATVFS_H

struct statvfs {
    unsigned long long f_blocks, f_bavail, f_frsize;
};

int statvfs(const char *path, struct statvfs *facts);

#endif
