/* SPDX-License-Identifier: Apache-2.0
 * The two calls of Linux that the library makes by number. */
#ifndef HOPLITE_WINDOWS_POSIX_SYS_SYSCALL_H
#define HOPLITE_WINDOWS_POSIX_SYS_SYSCALL_H

enum { SYS_futex = 1, SYS_getrandom = 2 };

long syscall(long number, ...);

#endif
