/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificate of one row, for one type of distances and weights; see apsp_certify.c. Before
 * including, for each instance (undefined again at the end):
 *   CERTIFY(name)     makes names unique
 *   ARRAYS            declares what the others need
 *   ADD(x, i)         declares what the next ones compare: the distance of x plus arc i
 *   LONGER(y)         whether it is surely more than the distance of y: nearly always
 *   SHORTER(y)        whether it is less than the distance of y (or y is not reached, and could be)
 *   TIGHT(y)          whether it is the distance of y, which is reached
 *   ZERO(v), NONE(v)  whether v has the distance 0; has exactly what stands for "not reached"
 *   ODD(v)            whether what is there, though equal to the right distance, is not its bits */

static row_verdict CERTIFY(row)(proof_space *space, const void *row, hop_vertex source) {
    const hop_graph *graph = space->graph;
    const hop_vertex *targets = graph->targets;
    const uint64_t n = graph->vertices;
    hop_vertex *queue = space->queue;
    uint64_t *seen = space->seen, arcs = 0, tail = 1;
    ARRAYS;
    memset(seen, 0, hop__bitmap_words(n) * sizeof *seen);
    if (!ZERO(source))
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
            ADD(x, i);
            if (LONGER(y))
                continue;
            if (SHORTER(y))
                return (row_verdict){FAULT_SHORTER, y, x, i};
            if (TIGHT(y) && !hop__bitmap_get(seen, y)) {
                hop__bitmap_set(seen, y);
                queue[tail++] = y;
            }
        }
    }
    for (uint64_t v = 0; v < n; v++) {
        bool found = hop__bitmap_get(seen, v);
        if (!found && !NONE(v))
            return (row_verdict){FAULT_UNSUPPORTED, (hop_vertex)v, source, 0};
        if (found && ODD(v))
            return (row_verdict){FAULT_BITS, (hop_vertex)v, source, 0};
    }
    return (row_verdict){hop__progress_add(space->context, arcs) ? FAULT_NONE : FAULT_CANCELLED, 0,
                         0, 0};
}

#undef CERTIFY
#undef ARRAYS
