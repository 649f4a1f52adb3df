/* SPDX-License-Identifier: Apache-2.0
 * Reading at a place, and what is known of the machine. */
#ifndef HOPLITE_WINDOWS_POSIX_UNISTD_H
#define HOPLITE_WINDOWS_POSIX_UNISTD_H

#include_next <unistd.h>

#include <stdio.h>
#include <stdlib.h>

#ifndef PIPE_BUF
#define PIPE_BUF 4096
#endif

#define _SC_PAGESIZE         1
#define _SC_PHYS_PAGES       2
#define _SC_NPROCESSORS_ONLN 3
#define _SC_CLK_TCK          4
#define _SC_NPROCESSORS_CONF 5

long sysconf(int name);
ssize_t pread(int descriptor, void *bytes, size_t count, long long offset);
ssize_t pwrite(int descriptor, const void *bytes, size_t count, long long offset);
int fsync(int descriptor);
int fdatasync(int descriptor);
long syscall(long number, ...);

/* Nobody shares a console by groups of processes. */
static inline int tcgetpgrp(int descriptor) {
    (void)descriptor;
    return -1;
}
static inline int getpgrp(void) {
    return -1;
}

#endif
