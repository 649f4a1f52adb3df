/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of rank on devices share: the forms that kernels run in, and asking for one.
 *
 * HOPLITE_TEST_DEVICE_MOST   leaves out larger lists, for slow devices: Oclgrind, fibers */
#ifndef HOPLITE_TESTS_RANK_DEVICE_TESTING_H
#define HOPLITE_TESTS_RANK_DEVICE_TESTING_H

#include "device/device_testing.h"
#include "problem/report.h"
#include "rank/rank_testing.h"

typedef struct form {
    hop_setting settings[6];
    size_t count;
} form;

/* The forms that the kernels have, by what the variant has parameters for: the default; the same
 * with bounded launches that must be continued; the shape for GPUs; small groups, with what the
 * experiments of D0 count. Every form but the second is a program of its own, which takes seconds
 * to compile. */
static const form forms[] = {
    {{{"splitters", 0, NULL}}, 0},
    {{{"splitters", 50, NULL}, {"steps", 37, NULL}, {"chunk", 1000, NULL}, {"groups", 3, NULL}}, 4},
    {{{"separate", 0, NULL},
      {"group", 64, NULL},
      {"form", 0, "strided"},
      {"walks", 1, NULL},
      {"steps", 500, NULL},
      {"splitters", 300, NULL}},
     6},
    {{{"separate", 1, NULL},
      {"group", 7, NULL},
      {"form", 0, "chunked"},
      {"groups", 5, NULL},
      {"aggregate", 0, "coalesced"},
      {"addresses", 1, NULL}},
     6},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* Form number f. D0's cells (`separate`) go with small groups on one device and with the shape for
 * GPUs on the next. */
static inline form form_of(const hop__device *device, size_t f) {
    const char *name = hop__device_info(device)->name;
    form wanted = forms[f];
    unsigned sum = 0;
    for (; *name; name++)
        sum += *name >= '0' && *name <= '9' ? (unsigned)(*name - '0') : 0;
    if (f >= 2 && sum % 2 == 1)
        wanted.settings[0].value = 1 - wanted.settings[0].value;
    return wanted;
}

static inline hop_vertex most_elements(void) {
    const char *text = getenv("HOPLITE_TEST_DEVICE_MOST");
    return text ? (hop_vertex)strtoul(text, NULL, 10) : NONE;
}

static inline const hop_variant *device_variant(size_t k) {
    for (size_t i = 0; i < hop_variant_count(HOP_PROBLEM_RANK); i++) {
        const hop_variant *variant = hop_variant_at(HOP_PROBLEM_RANK, i);
        if (variant->place == HOP_PLACE_DEVICE && k-- == 0)
            return variant;
    }
    return NULL;
}

/* The settings of a form that the variant knows. */
static inline size_t known_settings(const hop_variant *variant, const form *wanted,
                                    hop_setting *known) {
    size_t count = 0;
    for (size_t i = 0; i < wanted->count; i++)
        for (size_t k = 0; k < variant->parameter_count; k++)
            if (strcmp(hop_parameter_at(variant->parameters, k)->name, wanted->settings[i].name) ==
                0)
                known[count++] = wanted->settings[i];
    return count;
}

typedef struct question {
    const hop_vertex *successors;
    hop_vertex n;
    const hop_vertex *heads;
    hop_vertex head_count;
    hop_certify certify;
} question;

static inline hop_status ask(hop_context *context, const question *q, const hop_variant *variant,
                             const form *wanted, hop_report *report, hop_vertex *ranks) {
    hop_setting known[6];
    hop_run run = HOP_RUN_INIT;
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    run.variant = variant->name;
    run.setting_count = known_settings(variant, wanted, known);
    run.settings = known;
    run.certify = q->certify;
    run.report = report;
    options.run = &run;
    options.heads = q->heads;
    options.head_count = q->head_count;
    return hop_rank(context, q->successors, q->n, &options, ranks);
}

#endif
