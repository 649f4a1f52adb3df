/* SPDX-License-Identifier: Apache-2.0
 * The file of constants that `hoplite tune` writes and the other verbs read. */
#ifndef HOPLITE_CLI_TUNING_FILE_H
#define HOPLITE_CLI_TUNING_FILE_H

#include "hoplite/hoplite.h"

/* HOPLITE_TUNING, else hoplite/tuning in XDG_CONFIG_HOME, else in ~/.config; NULL when
 * HOPLITE_TUNING is "none" or there is no such folder. The next call overwrites it. */
const char *tuning_path(void);
/* Reads that file into a context, if there is one. What cannot be used is warned of. */
void read_tuning(hop_context *context);
/* Makes the folder of the path and writes the constants; an exit code. */
int write_tuning(hop_context *context, const char *path, const char *note);

#endif
