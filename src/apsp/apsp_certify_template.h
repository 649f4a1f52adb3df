/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificate of one row, for one type of distances and weights; see apsp_certify.c. Before
 * including, for each instance (undefined again at the end):
 *   CERTIFY(name)     makes names unique
 *   ARRAYS            declares what the others need
 *   SKIP(i)           arc i is as if it were not there
 *   ADD(x, i)         declares what the next ones compare: the distance of x plus arc i
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
        uint64_t end = hop__offset(graph, (uint64_t)x + 1);
        for (uint64_t i = hop__offset(graph, x); i < end; i++) {
            hop_vertex y = targets[i];
            if (++arcs % POLL_ARCS == 0 && !hop__progress_add(space->context, POLL_ARCS))
                return (row_verdict){FAULT_CANCELLED, 0, 0, 0};
            if (SKIP(i))
                continue;
            ADD(x, i);
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
    return (row_verdict){hop__progress_add(space->context, arcs % POLL_ARCS) ? FAULT_NONE
                                                                             : FAULT_CANCELLED,
                         0, 0, 0};
}

#undef CERTIFY
#undef ARRAYS
