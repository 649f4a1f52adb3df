/* SPDX-License-Identifier: Apache-2.0
 *
 * How the constants of a device are measured: those of its memory and its launches are the rates
 * that hop_device_measure finds; a step of all pairs is the time of the kernels of katz-kider, by
 * the device's own clock, over n^3, on matrices that grow until they take long enough. */
#include "tune_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 256, LAST = 4096 };
static const double long_enough = 0.05; /* seconds of the kernels */

/* Sets it, as near to its value as its range allows. */
static hop_status set_within(hop_context *context, const char *name, double value) {
    for (size_t i = 0; i < hop_tuning_device_count(); i++) {
        const hop_tuning_constant *row = hop_tuning_device_at(i);
        if (strcmp(row->name, name) == 0)
            value = fmin(fmax(value, row->minimum), row->maximum);
    }
    return hop_tuning_device_set(context, name, value);
}

/* Index and result of a gather, and the index of an atomic operation, are streamed beside. */
static hop_status set_rates(hop_context *context, const hop_device_rates *rates) {
    double stream = 1e9 / rates->copy;
    hop_status status = set_within(context, "device.stream", stream);
    if (status == HOP_OK)
        status = set_within(context, "device.gather", 1e9 / rates->gather - 8 * stream);
    if (status == HOP_OK)
        status = set_within(context, "device.atomic", 1e9 / rates->atomic - 4 * stream);
    if (status == HOP_OK)
        status = set_within(context, "device.launch", 1e9 * rates->launch);
    return status == HOP_OK ? set_within(context, "device.bus", 1e9 / rates->to_device) : status;
}

static double kernel_seconds(const hop_report *report) {
    double sum = 0;
    for (size_t i = 0; i < hop_report_phase_count(report); i++)
        if (hop_report_phase(report, i)->kind == HOP_PHASE_COMPUTE)
            sum += hop_report_phase(report, i)->seconds;
    return sum;
}

static hop_status make_graph(hop_context *context, double n, hop_graph **graph) {
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_setting settings[] = {{"n", n, NULL}, {"m", 4 * n, NULL}};
    options.settings = settings;
    options.setting_count = 2;
    options.weight_type = HOP_TYPE_INT32;
    options.min_weight = 1;
    options.max_weight = 255;
    return hop_graph_generate(context, "erdos-renyi", &options, graph);
}

/* The better of two, since the first may compile. */
static hop_status time_pairs(hop_context *context, uint64_t n, double *best) {
    hop_apsp_options options = HOP_APSP_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_report *report = NULL;
    hop_graph *graph = NULL;
    void *matrix = malloc((size_t)(n * n) * 4);
    hop_status status = matrix != NULL ? HOP_OK : HOP_ERR_MEMORY;
    *best = HUGE_VAL;
    if (status == HOP_OK)
        status = make_graph(context, (double)n, &graph);
    if (status == HOP_OK)
        status = hop_report_create(0, &report);
    run.variant = "katz-kider";
    run.report = report;
    options.run = &run;
    options.distance_type = HOP_TYPE_INT32;
    for (int i = 0; status == HOP_OK && i < 2; i++) {
        status =
            hop_apsp(context, graph, &options, &(hop_span){matrix, n * n, HOP_TYPE_INT32}, NULL);
        *best = fmin(*best, status == HOP_OK ? kernel_seconds(report) : HUGE_VAL);
    }
    hop_report_free(report);
    hop_graph_release(graph);
    free(matrix);
    return status;
}

static hop_status measure_step(hop_context *context) {
    hop_status status = HOP_OK;
    double step = 0, seconds = 0;
    for (uint64_t n = FIRST; n <= LAST && seconds < long_enough; n *= 2) {
        status = time_pairs(context, n, &seconds);
        if (status != HOP_OK)
            break;
        step = 1e9 * seconds / ((double)n * (double)n * (double)n);
    }
    if (status == HOP_ERR_MEMORY || status == HOP_ERR_BUDGET)
        status = HOP_OK; /* of what did fit */
    return status == HOP_OK && step > 0 ? set_within(context, "device.step", step) : status;
}

hop_status measure_device(hop_context *context) {
    hop_device_rates rates = {.size = sizeof rates};
    hop_status status = hop_device_measure(context, &rates);
    if (status == HOP_OK)
        status = set_rates(context, &rates);
    return status == HOP_OK ? measure_step(context) : status;
}
