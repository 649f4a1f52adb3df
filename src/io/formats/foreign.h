/* SPDX-License-Identifier: Apache-2.0
 * Files of formats that are not read here: see foreign.c. */
#ifndef HOPLITE_IO_FORMATS_FOREIGN_H
#define HOPLITE_IO_FORMATS_FOREIGN_H

#include "io/bytes/input.h"

/* HOP_ERR_INPUT with what the file is, and the command that makes it readable, when its first bytes
 * are those of a format that others know. `packed`: only compressed files and archives, which no
 * reader of ours can make sense of. */
hop_status hop__foreign_check(hop_context *context, const hop__input *input,
                              const unsigned char *bytes, size_t count, bool packed);

#endif
