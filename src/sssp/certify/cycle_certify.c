/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks a cycle of negative sum, arc by arc: every step is an arc, no vertex comes twice, and the
 * exact sum of the weights is below 0. Nothing is taken from the searches, neither their exact
 * numbers: a sum of floating-point weights is kept in words of 32 bits, positive and negative
 * weights apart, so that there are no signs to get wrong.
 *
 * Cost: O(length * (log degree + 1)) and the parallel arcs on the way; n / 8 bytes. */
#include <math.h>

#include "core/bitmap.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "hoplite/sssp.h"

/* Bit 0 of a total is 2^-1074; the highest of a weight is below 2^1024, and there are fewer than
 * 2^32 of them. */
enum { LOWEST = -1074, TOTAL_WORDS = (1024 + 1074 + 32) / 32 + 1, POLL = 1 << 14 };
__extension__ typedef __int128 wide_integer;

typedef struct cycle_totals {
    wide_integer integers;
    uint32_t above[TOTAL_WORDS], below[TOTAL_WORDS]; /* of the weights above and below 0 */
} cycle_totals;

static void total_add(uint32_t *total, double size) {
    int exponent;
    /* size = fraction * 2^exponent, with 53 bits before the point. */
    uint64_t fraction = (uint64_t)ldexp(frexp(size, &exponent), 53);
    exponent -= 53;
    while (exponent < LOWEST) { /* a subnormal number: its last bits are 0 */
        fraction >>= 1;
        exponent++;
    }
    unsigned place = (unsigned)(exponent - LOWEST), word = place / 32;
    uint64_t carry = 0;
    uint64_t low = (fraction & UINT32_MAX) << (place % 32);
    uint64_t high = (fraction >> 32) << (place % 32);
    uint64_t parts[3] = {low & UINT32_MAX, (low >> 32) + (high & UINT32_MAX), high >> 32};
    for (unsigned i = 0; word + i < TOTAL_WORDS && (i < 3 || carry != 0); i++) {
        carry += total[word + i] + (i < 3 ? parts[i] : 0);
        total[word + i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static bool is_negative(const cycle_totals *totals, bool integer) {
    if (integer)
        return totals->integers < 0;
    for (unsigned i = TOTAL_WORDS; i-- > 0;)
        if (totals->above[i] != totals->below[i])
            return totals->above[i] < totals->below[i];
    return false;
}

/* The lightest arc from u to v, or the number of arcs. */
static uint64_t lightest_arc(const hop_graph *graph, hop_vertex u, hop_vertex v) {
    uint64_t best = hop__first_arc(graph, u, v), end = hop__offset(graph, (uint64_t)u + 1);
    if (best == end || graph->targets[best] != v)
        return graph->arcs;
    for (uint64_t i = best + 1; i < end && graph->targets[i] == v; i++) {
        bool lighter =
            graph->weight_type == HOP_TYPE_INT64
                ? ((const int64_t *)graph->weights)[i] < ((const int64_t *)graph->weights)[best]
                : hop__weight_as_double(graph->weight_type, graph->weights, i) <
                      hop__weight_as_double(graph->weight_type, graph->weights, best);
        best = lighter ? i : best;
    }
    return best;
}

static void add_weight(const hop_graph *graph, uint64_t arc, cycle_totals *totals) {
    double weight;
    switch (graph->weight_type) {
    case HOP_TYPE_NONE:
        totals->integers++;
        break;
    case HOP_TYPE_INT32:
        totals->integers += ((const int32_t *)graph->weights)[arc];
        break;
    case HOP_TYPE_INT64:
        totals->integers += ((const int64_t *)graph->weights)[arc];
        break;
    default:
        weight = hop__weight_as_double(graph->weight_type, graph->weights, arc);
        total_add(weight < 0 ? totals->below : totals->above, fabs(weight));
        break;
    }
}

/* One step; adds its weight. */
static hop_status check_step(hop_context *context, const hop_graph *graph,
                             const hop_vertex *vertices, hop_vertex length, hop_vertex step,
                             uint64_t *seen, cycle_totals *totals) {
    hop_vertex u = vertices[step], v = vertices[step + 1 < length ? step + 1 : 0];
    if (u >= graph->vertices)
        return hop__fail(context, HOP_ERR_CERTIFICATE,
                         "cycle: certificate: entry %u is %u, but there are only %u vertices", step,
                         u, graph->vertices);
    if (hop__bitmap_get(seen, u))
        return hop__fail(context, HOP_ERR_CERTIFICATE,
                         "cycle: certificate: vertex %s comes twice, the second time as entry %u",
                         hop__name(graph, u).s, step);
    hop__bitmap_set(seen, u);
    uint64_t arc = lightest_arc(graph, u, v);
    if (arc == graph->arcs)
        return hop__fail(context, HOP_ERR_CERTIFICATE,
                         "cycle: certificate: there is no arc from vertex %s (entry %u) to %s",
                         hop__name(graph, u).s, step, hop__name(graph, v).s);
    if (isinf(hop__weight_as_double(graph->weight_type, graph->weights, arc)))
        return hop__fail(context, HOP_ERR_CERTIFICATE,
                         "cycle: certificate: the arc from vertex %s (entry %u) to %s has an "
                         "infinite weight",
                         hop__name(graph, u).s, step, hop__name(graph, v).s);
    add_weight(graph, arc, totals);
    return HOP_OK;
}

hop_status hop_cycle_certify(hop_context *context, const hop_graph *graph,
                             const hop_vertex *vertices, hop_vertex length) {
    cycle_totals totals = {0};
    uint64_t *seen = NULL;
    hop_status status, result = HOP_OK;
    if (!context)
        return HOP_ERR_ARGUMENT;
    if (!graph || (!vertices && length > 0))
        return hop__fail(context, HOP_ERR_ARGUMENT, "cycle: certificate: the %s NULL",
                         graph ? "vertices are" : "graph is");
    HOP_TRY(status, hop_graph_check(context, graph));
    if (length == 0 || length > graph->vertices)
        return hop__fail(context, HOP_ERR_CERTIFICATE,
                         "cycle: certificate: %u vertices are no cycle in a graph of %u", length,
                         graph->vertices);
    HOP_TRY(status, hop__alloc_zero(context, "cycle: certificate",
                                    hop__bitmap_words(graph->vertices), sizeof *seen, &seen));
    hop__progress_begin(context, "cycle: certificate", length);
    for (hop_vertex step = 0; step < length && result == HOP_OK; step++) {
        if (step % POLL == 0 && !hop__progress_add(context, POLL))
            break;
        result = check_step(context, graph, vertices, length, step, seen, &totals);
        if (result != HOP_OK)
            hop__note_vertex(context, HOP_KIND_CERTIFICATE, vertices[step]);
    }
    HOP_TRY(status, hop__progress_end(context));
    bool integer = hop_distance_type(graph->weight_type) == HOP_TYPE_INT64;
    if (result == HOP_OK && !is_negative(&totals, integer))
        result = hop__fail(context, HOP_ERR_CERTIFICATE,
                           "cycle: certificate: the weights of the %u arcs do not add up to less "
                           "than 0",
                           length);
    status = result;
done:
    hop__free(seen);
    return status;
}
