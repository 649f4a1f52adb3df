/* SPDX-License-Identifier: Apache-2.0
 * Everything is ready: a read or a write waits by itself. */
#ifndef HOPLITE_WINDOWS_POSIX_POLL_H
#define HOPLITE_WINDOWS_POSIX_POLL_H

enum { POLLIN = 1, POLLOUT = 4, POLLERR = 8, POLLHUP = 16 };

struct pollfd {
    int fd;
    short events, revents;
};

/* Without descriptors: sleeps. */
int poll(struct pollfd *wanted, unsigned long count, int milliseconds);

#endif
