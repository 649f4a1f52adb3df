/* SPDX-License-Identifier: Apache-2.0
 *
 * How many vertices are how far: up to 16 steps of the same width. Of whole numbers a step goes
 * from `low` to `high`; of others from `low` up to `high`, which belongs to the next step. */
#ifndef HOPLITE_CLI_DISTANCE_CHART_H
#define HOPLITE_CLI_DISTANCE_CHART_H

#include "bar_chart.h"
#include "distance_text.h"

enum { DISTANCE_ROWS = 16 };

typedef struct distance_chart {
    chart_row rows[DISTANCE_ROWS];
    double low[DISTANCE_ROWS], high[DISTANCE_ROWS];
    size_t count; /* 0 when nothing is reached */
} distance_chart;

void distance_chart_make(hop_weight_type type, const void *distances, hop_vertex n,
                         distance_chart *chart);
/* As an array "distance_histogram" of from, to and vertices. */
void distance_chart_json(json *out, const distance_chart *chart);

#endif
