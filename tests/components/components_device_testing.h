/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of components on devices share. They run on every device of the machine that the
 * library can use, and on each twice: in the host's memory where it works there, and apart from it,
 * as a device with a memory of its own does. Settings by the environment: device_variant_testing.h.
 */
#ifndef HOPLITE_TESTS_COMPONENTS_DEVICE_TESTING_H
#define HOPLITE_TESTS_COMPONENTS_DEVICE_TESTING_H

#include <stdio.h>

#include "components/components_testing.h"
#include "problem/device_variant_testing.h"
#include "problem/report.h"
#include "problem/report_testing.h"

/* Row number i of the devices' rows; NULL after the last. */
static inline const hop_variant *device_variant(size_t i) {
    return hop_variant_at(HOP_PROBLEM_COMPONENTS, host_variant_count(HOP_PROBLEM_COMPONENTS) + i);
}

/* Runs it, certified, and compares. */
static inline void check_run(hop_context *context, const hop_graph *graph, const hop_run *how,
                             const uint32_t *expected, hop_report *report, const char *what) {
    uint32_t n = hop_graph_vertices(graph), count = 0, roots = 0;
    uint32_t *labels = malloc((size_t)n * 4 + 4);
    hop_run run = *how;
    hop_components_options options = {sizeof options, &run};
    run.certify = HOP_CERTIFY_CANONICAL;
    run.report = report;
    memset(labels, 0xa5, (size_t)n * 4 + 4);
    if (hop_components(context, graph, &options, labels, &count) != HOP_OK)
        fail_msg("%s on %s: %s", run.variant, what, hop_context_message(context));
    for (uint32_t v = 0; v < n; v++)
        roots += expected[v] == v;
    if (count != roots || memcmp(labels, expected, (size_t)n * 4) != 0)
        fail_msg("%s on %s: wrong labels, or %u components instead of %u", run.variant, what, count,
                 roots);
    assert_int_equal(report->variant->place, HOP_PLACE_DEVICE);
    free(labels);
}

static inline void check_variant(hop_context *context, const hop_graph *graph, const char *name,
                                 const uint32_t *expected, const char *what) {
    hop_run run = HOP_RUN_INIT;
    hop_report report = {0};
    run.variant = name;
    check_run(context, graph, &run, expected, &report, what);
}

enum { SPARSE = 4000 }; /* with fewer vertices, items are done before they are stopped */

/* Lists and trees: every edge counts, so that a join that is stopped and not gone on with leaves a
 * component too many. */
static inline hop_graph *sparse_graph(hop_context *context, int kind) {
    hop_setting list[] = {{"n", SPARSE, NULL}, {"count", 3, NULL}};
    hop_setting tree[] = {{"n", SPARSE, NULL}, {"count", 2, NULL}, {"k", 3, NULL}};
    return kind == 0 ? generated(context, "list-graph", list, 2, 11)
                     : generated(context, "tree-graph", tree, 3, 11);
}

#endif
