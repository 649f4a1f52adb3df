/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificate of one row, for weights of DOMAIN and distances that are entries of DISTANCES,
 * another one (graph/numbers.h, sssp/certify/checked_sum.h); see apsp_certify_row.c. */
#include "graph/domain_begin.h"

#define UNREACHED HOP__NUMBER(DISTANCES, no_entry)()

static row_verdict HOP__JOIN(DISTANCES, HOP__JOIN(DOMAIN, row))(proof_space *space, const void *row,
                                                                hop_vertex source) {
    const hop_graph *graph = space->graph;
    const hop_vertex *targets = graph->targets;
    const uint64_t n = graph->vertices;
    hop_vertex *queue = space->queue;
    uint64_t *seen = space->seen, arcs = 0, tail = 1;
    const HOP__NUMBER(DISTANCES, entry) *d = row;
    const WEIGHT *weights = graph->weights;
    memset(seen, 0, hop__bitmap_words(n) * sizeof *seen);
    if (d[source] != 0)
        return (row_verdict){FAULT_SOURCE, source, source, 0};
    hop__bitmap_set(seen, source);
    queue[0] = source;
    for (uint64_t head = 0; head < tail; head++) {
        hop_vertex x = queue[head];
        const uint64_t begin = hop__offset(graph, x), end = hop__offset(graph, (uint64_t)x + 1);
        arcs += end - begin;
        if (arcs >= POLL_ARCS) {
            if (!hop__progress_add(space->context, arcs))
                return (row_verdict){FAULT_CANCELLED, 0, 0, 0};
            arcs = 0;
        }
        for (uint64_t i = begin; i < end; i++) {
            hop_vertex y = targets[i];
            const NUMBER(checked) sum = NUMBER(check)(d[x], weights, i);
            if (NUMBER(is_above)(sum, d[y])) /* nearly always */
                continue;
            if ((!NUMBER(is_real) && d[y] == UNREACHED) || NUMBER(is_below)(sum, d[y]))
                return (row_verdict){FAULT_SHORTER, y, x, i};
            if (NUMBER(is_equal)(sum, d[y]) && d[y] != UNREACHED && !hop__bitmap_get(seen, y)) {
                hop__bitmap_set(seen, y);
                queue[tail++] = y;
            }
        }
    }
    for (uint64_t v = 0; v < n; v++) {
        bool found = hop__bitmap_get(seen, v);
        if (!found && d[v] != UNREACHED)
            return (row_verdict){FAULT_UNSUPPORTED, (hop_vertex)v, source, 0};
        if (found && NUMBER(is_real) && d[v] == 0 && signbit((double)d[v]))
            return (row_verdict){FAULT_BITS, (hop_vertex)v, source, 0};
    }
    return (row_verdict){hop__progress_add(space->context, arcs) ? FAULT_NONE : FAULT_CANCELLED, 0,
                         0, 0};
}

#undef UNREACHED
#undef DISTANCES
#include "graph/domain_end.h"
