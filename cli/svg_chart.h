/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts as a bar chart in a file: SVG, which browsers, editors and word processors show. */
#ifndef HOPLITE_CLI_SVG_CHART_H
#define HOPLITE_CLI_SVG_CHART_H

#include "bar_chart.h"
#include "job_state.h"

/* Whether the file that --plot names can be written, before the work begins. */
int plot_check(const arguments *given);
/* Whether it has a name for a picture. */
int plot_name_check(const arguments *given, option_id option);
/* Words, with what is special in SVG escaped. */
void svg_put_text(FILE *file, const char *words);
/* A picture of this size on white, with its title from x on, which loses its beginning if it has no
 * room; the caller ends it with </svg>. */
void svg_begin(FILE *file, int width, int height, int x, const char *title);
/* "PATH: OF"; of a long path only its end, which is more than svg_begin has room for. */
enum { PLOT_TITLE = 512 };
void plot_title(char title[PLOT_TITLE], const char *path, const char *of);
/* Writes the chart that --plot asks for; nothing if it does not. The file appears only when it is
 * complete. Returns an exit code. */
int plot_write(const arguments *given, const char *title, const char *what, const char *things,
               const chart_row *rows, size_t count);

#endif
