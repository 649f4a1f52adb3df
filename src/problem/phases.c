/* SPDX-License-Identifier: Apache-2.0
 * Phases and counters of the run under way; see phases.h. */
#include "problem/phases.h"

#include <string.h>

#include "core/timing.h"

/* The same literal as a rule, so the pointers are compared first. */
static bool same_name(const char *a, const char *b) {
    return a == b || strcmp(a, b) == 0;
}

static uint32_t phase_index(hop_report *report, const char *name, hop_phase_kind kind) {
    for (uint32_t i = 0; i < report->phase_count; i++)
        if (same_name(report->phases[i].name, name))
            return i;
    if (report->phase_count == HOP__REPORT_PHASES)
        return HOP__REPORT_PHASES;
    uint32_t index = (uint32_t)report->phase_count++;
    report->phases[index] = (hop_phase){.name = name, .kind = kind};
    return index;
}

static void add_step(hop_report *report, uint32_t phase, uint64_t calls, double seconds,
                     uint64_t bytes, uint64_t items) {
    if (phase == HOP__REPORT_PHASES)
        return;
    report->phases[phase].calls += calls;
    report->phases[phase].seconds += seconds;
    report->phases[phase].bytes += bytes;
    report->phases[phase].items += items;
    if (report->step_count < report->step_capacity)
        report->steps[report->step_count] = (hop_step){phase, seconds, bytes, items};
    report->step_count++;
}

static void close_phase(hop__recorder *recorder, double now) {
    if (!recorder->open)
        return;
    recorder->open = false;
    add_step(recorder->report, recorder->phase, 1, now - recorder->begin, recorder->bytes,
             recorder->items);
}

static void open_phase(hop_context *context, const char *name, hop_phase_kind kind) {
    hop__recorder *recorder = context->recorder;
    if (!recorder)
        return;
    double now = hop__now();
    close_phase(recorder, now);
    recorder->open = true;
    recorder->phase = phase_index(recorder->report, name, kind);
    recorder->begin = now;
    recorder->bytes = recorder->items = 0;
}

void hop__phase(hop_context *context, const char *name) {
    open_phase(context, name, HOP_PHASE_COMPUTE);
}

void hop__phase_copy(hop_context *context, const char *name) {
    open_phase(context, name, HOP_PHASE_COPY);
}

void hop__phase_stop(hop_context *context) {
    if (context->recorder)
        close_phase(context->recorder, hop__now());
}

void hop__phase_bytes(hop_context *context, uint64_t bytes) {
    if (context->recorder)
        context->recorder->bytes += bytes;
}

void hop__phase_items(hop_context *context, uint64_t items) {
    if (context->recorder)
        context->recorder->items += items;
}

void hop__phase_add(hop_context *context, const hop_phase *phase) {
    if (!context->recorder)
        return;
    hop_report *report = context->recorder->report;
    add_step(report, phase_index(report, phase->name, phase->kind), phase->calls, phase->seconds,
             phase->bytes, phase->items);
}

void hop__count(hop_context *context, const char *name, uint64_t amount) {
    if (!context->recorder)
        return;
    hop_report *report = context->recorder->report;
    for (size_t i = 0; i < report->counter_count; i++)
        if (same_name(report->counters[i].name, name)) {
            report->counters[i].value += amount;
            return;
        }
    if (report->counter_count < HOP__REPORT_COUNTERS)
        report->counters[report->counter_count++] = (hop_counter){name, amount};
}

void hop__recorder_begin(hop_context *context, hop__recorder *recorder, hop_report *report) {
    *recorder = (hop__recorder){.report = report, .outer = context->recorder};
    context->recorder = recorder;
}

void hop__recorder_end(hop_context *context, hop__recorder *recorder, double now) {
    close_phase(recorder, now);
    context->recorder = recorder->outer;
}
