/* SPDX-License-Identifier: Apache-2.0
 *
 * What the terminal can show. Everything is looked up when asked: a window may change its size. */
#ifndef HOPLITE_CLI_TERMINAL_H
#define HOPLITE_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Reads the locale's character set; once, at the start. */
void terminal_init(void);

/* A terminal that can move its cursor (TERM is set and not "dumb"). */
bool terminal_is_live(FILE *file);
/* Live, and NO_COLOR is not set (https://no-color.org). */
bool terminal_has_colour(FILE *file);
/* This process may draw there: it is not in the background. */
bool terminal_is_ours(FILE *file);
/* Columns; 80 when it is no terminal. */
unsigned terminal_width(FILE *file);
/* Standard output is a pipe that nobody reads any more, as after "| head": no news to anybody. */
bool terminal_reader_gone(void);
/* Characters beyond ASCII can be shown. */
bool terminal_utf8(void);

typedef enum style { STYLE_BOLD, STYLE_RED, STYLE_CYAN, STYLE_DIM } style;
/* The escape sequence that begins a style, or "" without colour. */
const char *style_on(FILE *file, style which);
const char *style_off(FILE *file);

#endif
