/* SPDX-License-Identifier: Apache-2.0
 * The characters of the console. */
#ifndef HOPLITE_WINDOWS_POSIX_LANGINFO_H
#define HOPLITE_WINDOWS_POSIX_LANGINFO_H

enum { CODESET = 14 };

const char *nl_langinfo(int item);

#endif
