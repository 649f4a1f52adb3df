/* SPDX-License-Identifier: Apache-2.0
 *
 * Small files of the command's own: each appears only when it is complete. */
#ifndef HOPLITE_CLI_WHOLE_FILE_H
#define HOPLITE_CLI_WHOLE_FILE_H

#include <stdio.h>

/* Writes `path`, which `option` names, by print(user, file). Returns an exit code. */
int whole_file_write(const char *option, const char *path,
                     void (*print)(const void *user, FILE *file), const void *user);

#endif
