/* SPDX-License-Identifier: Apache-2.0
 *
 * What is inside a report (hoplite/variant.h). A run writes to one of its own (hop__call), which
 * is copied to the caller's at the end; the caller's has the room for steps, and is what is freed.
 */
#ifndef HOPLITE_PROBLEM_REPORT_H
#define HOPLITE_PROBLEM_REPORT_H

#include "hoplite/variant.h"

enum { HOP__REPORT_PHASES = 24, HOP__REPORT_COUNTERS = 16 };

struct hop_report {
    const hop_variant *variant;
    char reason[256];
    char device[24];
    uint64_t memory_bytes, device_bytes, file_bytes;
    uint64_t copy_bytes, kept_bytes;
    double seconds, certify_seconds, compile_seconds;
    uint64_t rounds, relaxations;
    hop_step *steps; /* room for step_capacity, or NULL */
    size_t step_capacity;
    size_t step_count; /* that there were, also beyond the room */
    size_t phase_count, counter_count;
    hop_phase phases[HOP__REPORT_PHASES];
    hop_counter counters[HOP__REPORT_COUNTERS];
};

/* Adds what one run of several told to the sums, which end as the report of the last with the sums
 * in it. */
void hop__report_add(hop_report *sums, hop_report *one);

/* Puts what was told into the caller's report, whose room for steps stays. NULL: nobody asks. */
void hop__report_give(hop_report *report, hop_report told);

#endif
