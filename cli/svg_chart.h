/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts as a bar chart in a file: SVG, which browsers, editors and word processors show. */
#ifndef HOPLITE_CLI_SVG_CHART_H
#define HOPLITE_CLI_SVG_CHART_H

#include "bar_chart.h"
#include "job_state.h"

/* Whether the file that --plot names can be written, before the work begins. */
int plot_check(const arguments *given);
/* Writes the chart that --plot asks for; nothing if it does not. The file appears only when it is
 * complete. Returns an exit code. */
int plot_write(const arguments *given, const char *title, const char *what, const char *things,
               const chart_row *rows, size_t count);

#endif
