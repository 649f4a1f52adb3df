/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks distances that others have rounded, or added up in another order: within a relative
 * tolerance of the right ones.
 *
 * Arcs alone cannot tell. If every arc may be wrong by a part of 1e-4, a path of a thousand of them
 * may be wrong by a tenth, and each distance still agrees with its neighbours: errors add up, and
 * someone who wanted to could make them. So the right distances are found, certified as canonical,
 * and compared one by one: d[v] is right when |d[v] - r[v]| <= tolerance * |r[v]|. What is not
 * reached must not be reached, and a distance of 0 must be 0, exactly.
 *
 * Cost: a search and its certificate; a distance per vertex beside what they need. */
#include <math.h>
#include <stdio.h>

#include "core/atomic.h"
#include "core/parallel.h"
#include "core/try.h"
#include "io/text/text_print.h"
#include "sssp/certify/sssp_certificate.h"

typedef struct comparison {
    const hop__sssp_query *query;
    const void *given, *right;
    double tolerance;
    uint64_t wrong; /* smallest vertex, or UINT64_MAX */
} comparison;

static bool is_near(const comparison *state, uint64_t v) {
    double given = hop__sssp_distance(state->query, state->given, v);
    double right = hop__sssp_distance(state->query, state->right, v);
    if (given == HUGE_VAL || right == HUGE_VAL)
        return given == right;
    double apart = fabs(given - right); /* NaN is near nothing */
    if (state->query->distance_type == HOP_TYPE_INT64) {
        /* As doubles, large ones that differ may be equal. */
        int64_t a = ((const int64_t *)state->given)[v], b = ((const int64_t *)state->right)[v];
        apart = (double)(a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a);
    }
    return apart <= state->tolerance * fabs(right);
}

static void compare(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    comparison *state = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        if (!is_near(state, v)) {
            hop__lower_u64(&state->wrong, v);
            return;
        }
}

static hop_status explain(hop_context *context, const comparison *state, uint64_t v) {
    char given[HOP__SSSP_TEXT], right[HOP__SSSP_TEXT], part[HOP__WEIGHT_TEXT];
    hop__fail(context, HOP_ERR_CERTIFICATE,
              "sssp: certificate: vertex %s is %s, but should be %s, and the tolerance of "
              "%s does not cover that",
              hop__name(state->query->graph, v).s,
              hop__sssp_distance_text(state->query, state->given, v, given),
              hop__sssp_distance_text(state->query, state->right, v, right),
              hop__weight_text(HOP_TYPE_FLOAT64, &state->tolerance, 0, part));
    return hop__note_vertex(context, HOP_KIND_DISTANCE, v);
}

hop_status hop__sssp_certify_within(hop_context *context, const hop__sssp_query *query,
                                    const hop_sssp_options *given, const void *distances) {
    hop_status status;
    hop_vertex n = query->graph->vertices;
    void *right = NULL;
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    comparison state = {.query = query, .given = distances, .tolerance = given->tolerance};
    run.certify = HOP_CERTIFY_CANONICAL;
    options.run = &run;
    options.targets = given->targets;
    options.target_count = given->target_count;
    options.cutoff = given->cutoff;
    options.nearest = given->nearest;
    HOP_TRY(status, hop__alloc(context, "sssp: certificate: distances", n,
                               hop_type_size(query->distance_type), &right));
    status = hop_sssp(context, query->graph, query->sources, query->source_count, &options,
                      &(hop_span){right, n, query->distance_type}, NULL);
    if (status == HOP_ERR_NEGATIVE_CYCLE)
        status = hop__fail(context, HOP_ERR_CERTIFICATE,
                           "sssp: certificate: a cycle of negative sum can be reached, so there "
                           "are no right distances");
    if (status != HOP_OK)
        goto done;
    state.right = right;
    state.wrong = UINT64_MAX;
    hop__for(context, n, CERTIFY_GRAIN, compare, &state);
    if (hop__load_u64(&state.wrong) != UINT64_MAX)
        status = explain(context, &state, hop__load_u64(&state.wrong));
done:
    hop__free(right);
    return status;
}
