/* SPDX-License-Identifier: Apache-2.0
 *
 * Distances as a histogram: see distance_chart.h. Two passes over them. */
#include "distance_chart.h"

#include <math.h>
#include <stdio.h>

/* The borders of the steps, of a range that is known. */
static double make_steps(distance_chart *chart, double least, double most, bool whole) {
    double wide = most - least;
    double step = whole ? floor(wide / DISTANCE_ROWS) + 1 : wide / DISTANCE_ROWS;
    double count = step > 0 ? ceil((wide + (whole ? 1 : 0)) / step) : 1;
    chart->count = count < 1 ? 1 : count > DISTANCE_ROWS ? DISTANCE_ROWS : (size_t)count;
    for (size_t i = 0; i < chart->count; i++) {
        chart_row *row = &chart->rows[i];
        double low = least + step * (double)i;
        double high = i + 1 == chart->count ? most : low + step - (whole ? 1 : 0);
        chart->low[i] = low;
        chart->high[i] = high;
        if (whole && low >= 0 && high < 0x1p63)
            *row = (chart_row){.low = (uint64_t)low, .high = (uint64_t)high};
        else if (low == high)
            snprintf(row->range, sizeof row->range, "%.17g", low);
        else
            snprintf(row->range, sizeof row->range, whole ? "%.0f - %.0f" : "%.4g - %.4g", low,
                     high);
    }
    return step;
}

void distance_chart_make(hop_weight_type type, const void *distances, hop_vertex n,
                         distance_chart *chart) {
    double least = 0, most = 0;
    bool any = false;
    *chart = (distance_chart){.count = 0};
    for (hop_vertex v = 0; v < n; v++)
        if (distance_reached(type, distances, v)) {
            double at = distance_real(type, distances, v);
            least = !any || at < least ? at : least;
            most = !any || at > most ? at : most;
            any = true;
        }
    if (!any)
        return;
    double step = make_steps(chart, least, most, type == HOP_TYPE_INT64);
    for (hop_vertex v = 0; v < n; v++)
        if (distance_reached(type, distances, v)) {
            double past = distance_real(type, distances, v) - least;
            size_t row = step > 0 ? (size_t)(past / step) : 0;
            chart->rows[row < chart->count ? row : chart->count - 1].count++;
        }
}

void distance_chart_json(json *out, const distance_chart *chart) {
    json_array(out, "distance_histogram");
    for (size_t i = 0; i < chart->count; i++) {
        json_object(out, NULL);
        json_real(out, "from", chart->low[i]);
        json_real(out, "to", chart->high[i]);
        json_count(out, "vertices", chart->rows[i].count);
        json_end(out);
    }
    json_end(out);
}
