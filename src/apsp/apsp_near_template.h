/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificate of one row within rounding, for one kind of sums; see apsp_certify_near.c. Before
 * including, for each instance (undefined again at the end):
 *   NEAR(name)        makes names unique
 *   ARRAYS            declares what the others need
 *   CLEAR(v)          v has no sum; may make it one that is above what is claimed of v
 *   START(s)          the sum of the source is 0
 *   SKIP(i)           arc i is as if it were not there
 *   ADD(x, i)         declares what the next ones compare: the sum of x plus arc i
 *   LESS(y)           whether it is less than the sum of y, or y has none
 *   FIT(y)            how it compares with what is claimed of y: a `fit`
 *   LENGTH            the sum as a number, for a message
 *   STORE(y, x)       makes it the sum of y; false when its walk has n arcs
 *   SETTLED(v)        at the end: what is claimed of v is right */

static row_verdict NEAR(row)(const hop__apsp_claim *claim, proof_space *space, const void *row,
                             hop_vertex source) {
    const hop_graph *graph = space->graph;
    const hop_vertex *targets = graph->targets;
    const uint64_t n = graph->vertices;
    hop_vertex *queue = space->queue; /* a ring */
    uint64_t *queued = space->seen, arcs = 0, head = 0, count = 1;
    ARRAYS;
    memset(queued, 0, hop__bitmap_words(n) * sizeof *queued);
    for (uint64_t v = 0; v < n; v++)
        CLEAR(v);
    START(source);
    queue[0] = source;
    while (count > 0) {
        hop_vertex x = queue[head];
        head = head + 1 == n ? 0 : head + 1;
        count--;
        queued[x / 64] &= ~(UINT64_C(1) << x % 64);
        const uint64_t begin = hop__offset(graph, x), end = hop__offset(graph, (uint64_t)x + 1);
        arcs += end - begin;
        if (arcs >= POLL_ARCS) {
            if (!hop__progress_add(space->context, arcs))
                return (row_verdict){.fault = FAULT_CANCELLED};
            arcs = 0;
        }
        for (uint64_t i = begin; i < end; i++) {
            hop_vertex y = targets[i];
            if (SKIP(i))
                continue;
            ADD(x, i);
            if (!LESS(y))
                continue;
            fit compared = FIT(y);
            if (compared == ABOVE)
                continue;
            if (compared == BELOW)
                return (row_verdict){FAULT_FAR, y, x, i, LENGTH};
            if (!STORE(y, x))
                return (row_verdict){FAULT_CYCLE, y, x, i, 0};
            if (!hop__bitmap_get(queued, y)) {
                hop__bitmap_set(queued, y);
                queue[head + count < n ? head + count : head + count - n] = y;
                count++;
            }
        }
    }
    row_verdict verdict = {.fault = FAULT_NONE};
    for (uint64_t v = 0; v < n; v++) /* what hangs on a wrong one is farther than that */
        if (!SETTLED(v) &&
            (verdict.fault == FAULT_NONE || real_at(claim->distance_type, row, v) <
                                                real_at(claim->distance_type, row, verdict.vertex)))
            verdict = (row_verdict){FAULT_UNSUPPORTED, (hop_vertex)v, source, 0, 0};
    if (!hop__progress_add(space->context, arcs))
        verdict.fault = FAULT_CANCELLED;
    return verdict;
}

#undef NEAR
#undef ARRAYS
