/* SPDX-License-Identifier: Apache-2.0
 *
 * What comes from outside and gets into messages (names of files, words of files, a driver's words)
 * must not reach a terminal as it is: it could move the cursor, or say what we did not say. */
#ifndef HOPLITE_CORE_PRINTABLE_H
#define HOPLITE_CORE_PRINTABLE_H

#include <stddef.h>

/* Replaces, in a text that has room for `size` bytes with its 0, control characters (C0, DEL, C1)
 * and bytes that are no UTF-8 by \xNN; what does not fit any more is left out. Doing it twice
 * changes nothing. */
void hop__printable(char *text, size_t size);

#endif
