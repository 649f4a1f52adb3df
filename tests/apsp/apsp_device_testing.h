/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of apsp on devices share. They run on every device of the machine that the library
 * can use, and on each twice: in the host's memory where it works there, and apart from it.
 * Settings by the environment: device_variant_testing.h. */
#ifndef HOPLITE_TESTS_APSP_DEVICE_TESTING_H
#define HOPLITE_TESTS_APSP_DEVICE_TESTING_H

#include "apsp/apsp_testing.h"
#include "device/refusal_testing.h"
#include "problem/device_variant_testing.h"
#include "span_testing.h"

/* Row number i of the devices' rows; NULL after the last. */
static inline const hop_variant *device_variant(size_t i) {
    return hop_variant_at(HOP_PROBLEM_APSP, host_variant_count(HOP_PROBLEM_APSP) + i);
}

/* Whether the row counts arcs: it refuses weights that differ, and has tests of its own. */
static inline bool counts_arcs(const hop_variant *variant) {
    return strcmp(variant->name, "bfs-bits") == 0;
}

/* Whether entry i of a matrix is right: integers bit by bit, reals within what apsp.h states. */
static inline bool is_right(hop_weight_type type, uint32_t n, const void *matrix, size_t i,
                            distance right) {
    if (is_real(type))
        return is_close(type, n, as_double(type, matrix, i), right.real);
    return is_same(type, matrix, i, right);
}

/* Runs the variant with these settings, certified, and compares with distances by definition. */
static inline void check_settings(hop_context *context, const plain_graph *g,
                                  const distance *expected, hop_weight_type wanted,
                                  const char *variant, const hop_setting *settings, size_t count) {
    asked a;
    hop_graph *graph = plain_borrow(context, g);
    ask(&a, variant, wanted, HOP_CERTIFY_CANONICAL);
    a.run.settings = settings;
    a.run.setting_count = count;
    hop_weight_type type = hop_apsp_distance_type(graph, &a.options);
    size_t bytes = (size_t)g->n * g->n * distance_size(type);
    char *matrix = malloc(bytes + 8);
    memset(matrix, 0xa5, bytes + 8);
    hop_status status =
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL);
    if (lacks_capability(context, status) ||
        (status == HOP_ERR_UNSUPPORTED && g->type != HOP_TYPE_NONE && /* see counts_arcs */
         strstr(hop_context_message(context), "it counts arcs") != NULL))
        goto done;
    if (status != HOP_OK)
        fail_msg("%s, %u vertices: %s", variant, g->n, hop_context_message(context));
    assert_int_equal(a.report.variant->place, HOP_PLACE_DEVICE);
    for (size_t i = 0; i < (size_t)g->n * g->n; i++)
        if (!is_right(type, g->n, matrix, i, expected[i])) {
            describe_plain(g);
            fail_msg("%s %s=%g, %u vertices, %s: from %zu to %zu: %.17g", variant,
                     count > 0 ? settings[0].name : "", count > 0 ? settings[0].value : 0, g->n,
                     hop_type_name(type), i / g->n, i % g->n, as_double(type, matrix, i));
        }
    for (size_t i = bytes; i < bytes + 8; i++)
        assert_int_equal((unsigned char)matrix[i], 0xa5);
done:
    free(matrix);
    hop_graph_release(graph);
}

#endif
