/* SPDX-License-Identifier: Apache-2.0
 * What this process has used. */
#ifndef HOPLITE_WINDOWS_POSIX_SYS_RESOURCE_H
#define HOPLITE_WINDOWS_POSIX_SYS_RESOURCE_H

enum { RUSAGE_SELF = 0, RUSAGE_THREAD = 1 };

struct rusage {
    long ru_majflt; /* 0: not told by thread */
    long ru_maxrss; /* KiB */
};

int getrusage(int who, struct rusage *used);

#endif
