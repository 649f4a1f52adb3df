/* SPDX-License-Identifier: Apache-2.0
 * See sys/syscall.h. */
#ifndef HOPLITE_WINDOWS_POSIX_SYS_RANDOM_H
#define HOPLITE_WINDOWS_POSIX_SYS_RANDOM_H

enum { GRND_NONBLOCK = 1 };

#endif
