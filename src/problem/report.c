/* SPDX-License-Identifier: Apache-2.0
 * Reports: made by the caller, filled in by a run, read by accessors; see hoplite/variant.h. */
#include "problem/report.h"

#include <stdlib.h>
#include <string.h>

static const hop_report nothing;

static const hop_report *told(const hop_report *report) {
    return report ? report : &nothing;
}

hop_status hop_report_create(size_t steps, hop_report **report) {
    if (!report)
        return HOP_ERR_ARGUMENT;
    *report = NULL;
    hop_report *made = calloc(1, sizeof *made);
    hop_step *room = steps > 0 ? calloc(steps, sizeof *room) : NULL;
    if (!made || (steps > 0 && !room)) {
        free(made);
        free(room);
        return HOP_ERR_MEMORY;
    }
    made->steps = room;
    made->step_capacity = steps;
    *report = made;
    return HOP_OK;
}

void hop_report_free(hop_report *report) {
    if (!report)
        return;
    free(report->steps);
    free(report);
}

void hop__report_add(hop_report *sums, hop_report *one) {
    one->seconds += sums->seconds;
    one->certify_seconds += sums->certify_seconds;
    one->compile_seconds += sums->compile_seconds;
    one->rounds += sums->rounds;
    one->relaxations += sums->relaxations;
    one->copy_bytes += sums->copy_bytes;
    for (size_t i = 0; i < sums->phase_count; i++) {
        size_t at = 0;
        while (at < one->phase_count && strcmp(one->phases[at].name, sums->phases[i].name) != 0)
            at++;
        if (at == HOP__REPORT_PHASES)
            continue;
        if (at == one->phase_count) {
            one->phases[one->phase_count++] = sums->phases[i];
            continue;
        }
        one->phases[at].calls += sums->phases[i].calls;
        one->phases[at].seconds += sums->phases[i].seconds;
        one->phases[at].bytes += sums->phases[i].bytes;
        one->phases[at].items += sums->phases[i].items;
    }
    *sums = *one;
}

void hop__report_give(hop_report *report, hop_report told) {
    if (!report)
        return;
    told.steps = report->steps;
    told.step_capacity = report->step_capacity;
    *report = told;
}

const hop_variant *hop_report_variant(const hop_report *report) {
    return told(report)->variant;
}

const char *hop_report_reason(const hop_report *report) {
    return told(report)->reason;
}

const char *hop_report_device(const hop_report *report) {
    return told(report)->device;
}

uint64_t hop_report_memory_bytes(const hop_report *report) {
    return told(report)->memory_bytes;
}

uint64_t hop_report_device_bytes(const hop_report *report) {
    return told(report)->device_bytes;
}

uint64_t hop_report_file_bytes(const hop_report *report) {
    return told(report)->file_bytes;
}

uint64_t hop_report_copy_bytes(const hop_report *report) {
    return told(report)->copy_bytes;
}

uint64_t hop_report_kept_bytes(const hop_report *report) {
    return told(report)->kept_bytes;
}

double hop_report_seconds(const hop_report *report) {
    return told(report)->seconds;
}

double hop_report_certify_seconds(const hop_report *report) {
    return told(report)->certify_seconds;
}

double hop_report_compile_seconds(const hop_report *report) {
    return told(report)->compile_seconds;
}

uint64_t hop_report_rounds(const hop_report *report) {
    return told(report)->rounds;
}

uint64_t hop_report_relaxations(const hop_report *report) {
    return told(report)->relaxations;
}

size_t hop_report_phase_count(const hop_report *report) {
    return told(report)->phase_count;
}

const hop_phase *hop_report_phase(const hop_report *report, size_t index) {
    return index < told(report)->phase_count ? &report->phases[index] : NULL;
}

size_t hop_report_counter_count(const hop_report *report) {
    return told(report)->counter_count;
}

const hop_counter *hop_report_counter(const hop_report *report, size_t index) {
    return index < told(report)->counter_count ? &report->counters[index] : NULL;
}

size_t hop_report_step_count(const hop_report *report) {
    return told(report)->step_count;
}

const hop_step *hop_report_step(const hop_report *report, size_t index) {
    const hop_report *from = told(report);
    return index < from->step_count && index < from->step_capacity ? &from->steps[index] : NULL;
}
