/* SPDX-License-Identifier: Apache-2.0
 * What a test reads of a report. */
#ifndef HOPLITE_TESTS_PROBLEM_REPORT_TESTING_H
#define HOPLITE_TESTS_PROBLEM_REPORT_TESTING_H

#include <stdint.h>
#include <string.h>

#include "hoplite/hoplite.h"

/* UINT64_MAX: there is none of this name. */
static inline uint64_t counter_of(const hop_report *report, const char *name) {
    for (size_t i = 0; i < hop_report_counter_count(report); i++)
        if (strcmp(hop_report_counter(report, i)->name, name) == 0)
            return hop_report_counter(report, i)->value;
    return UINT64_MAX;
}

#endif
