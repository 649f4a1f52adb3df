/* SPDX-License-Identifier: Apache-2.0
 * See sys/syscall.h; on Windows 8 and later. */
#ifndef HOPLITE_WINDOWS_POSIX_LINUX_FUTEX_H
#define HOPLITE_WINDOWS_POSIX_LINUX_FUTEX_H

enum { FUTEX_WAIT_PRIVATE = 128, FUTEX_WAKE_PRIVATE = 129 };

#endif
