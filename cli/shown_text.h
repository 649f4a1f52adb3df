/* SPDX-License-Identifier: Apache-2.0
 *
 * Text that comes from outside (arguments, names of files and devices, lines of files) as it is
 * shown: bytes that a terminal would obey, and those that are no UTF-8, appear as \xNN. Everything
 * that is said to people goes through here; JSON and the data of -o - do not. */
#ifndef HOPLITE_CLI_SHOWN_TEXT_H
#define HOPLITE_CLI_SHOWN_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Length of the UTF-8 character at `s`, which ends with a 0, or 0 when it is none. */
size_t utf8_length(const unsigned char *s);

void put_shown(FILE *file, const char *text);
/* Formats, then shows all of it: no styles among the arguments. */
void print_shown(FILE *file, const char *format, va_list rest);

#endif
