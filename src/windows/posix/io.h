/* SPDX-License-Identifier: Apache-2.0
 * Without a name that programs have for other things. */
#ifndef HOPLITE_WINDOWS_POSIX_IO_H
#define HOPLITE_WINDOWS_POSIX_IO_H

#define tell hop__windows_tell
#include_next <io.h>
#undef tell

#endif
