/* SPDX-License-Identifier: Apache-2.0
 * Opening files as POSIX does: bytes as they are, and names of open files may be removed. */
#ifndef HOPLITE_WINDOWS_POSIX_FCNTL_H
#define HOPLITE_WINDOWS_POSIX_FCNTL_H

#include_next <fcntl.h>

/* Handles are not inherited, a read never returns for want of bytes, and folders are not opened. */
#define O_CLOEXEC   0
#define O_NONBLOCK  0
#define O_NOCTTY    0
#define O_NOFOLLOW  0
#define O_DIRECT    0
#define O_DIRECTORY 0

#define F_DUPFD_CLOEXEC 1030
#define F_GETFD         1

enum { POSIX_FADV_NORMAL, POSIX_FADV_RANDOM, POSIX_FADV_SEQUENTIAL, POSIX_FADV_WILLNEED };

#define open          hop__windows_open
#define fcntl         hop__windows_fcntl
#define posix_fadvise hop__windows_fadvise

int hop__windows_open(const char *path, int flags, ...);
int hop__windows_fcntl(int descriptor, int command, ...); /* one of these two */
int hop__windows_fadvise(int descriptor, long long offset, long long length, int advice);
int posix_fallocate(int descriptor, long long offset, long long length);

#endif
