/* SPDX-License-Identifier: Apache-2.0
 * Reading and writing in several parts. */
#ifndef HOPLITE_WINDOWS_POSIX_SYS_UIO_H
#define HOPLITE_WINDOWS_POSIX_SYS_UIO_H

#include <sys/types.h>

struct iovec {
    void *iov_base;
    size_t iov_len;
};

/* They may move less than all parts, as everywhere: here one part at most. */
ssize_t preadv(int descriptor, const struct iovec *parts, int count, long long offset);
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, long long offset);

#endif
