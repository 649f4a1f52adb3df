/* SPDX-License-Identifier: Apache-2.0
 * Nothing is asked of a terminal by ioctl. */
#ifndef HOPLITE_WINDOWS_POSIX_SYS_IOCTL_H
#define HOPLITE_WINDOWS_POSIX_SYS_IOCTL_H

struct winsize {
    unsigned short ws_col;
};

enum { TIOCGWINSZ = 1 };

int ioctl(int descriptor, unsigned long request, struct winsize *size);

#endif
