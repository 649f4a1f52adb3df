/* SPDX-License-Identifier: Apache-2.0
 * Locks on whole files. */
#ifndef HOPLITE_WINDOWS_POSIX_SYS_FILE_H
#define HOPLITE_WINDOWS_POSIX_SYS_FILE_H

enum { LOCK_EX = 2, LOCK_NB = 4 };

int flock(int descriptor, int how);

#endif
