/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of an area as the arcs say, for one type of distances. Before including, for each instance
 * (undefined again at the end):
 *   FILL                 the name
 *   NUMBER               the type
 *   FAR                  what stands for "not reached" on the way
 *   WEIGHT(graph, arc)   a weight as a NUMBER, never -0.0 */
static void FILL(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const fill_job *job = arg;
    const hop_graph *graph = job->graph;
    const uint64_t low = job->area.column, high = low + job->area.columns;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t u = job->area.row + i;
        NUMBER *row = (NUMBER *)job->out + i * job->stride;
        for (uint64_t j = 0; j < job->area.columns; j++)
            row[j] = FAR;
        if (u >= low && u < high)
            row[u - low] = 0;
        const uint64_t stop = hop__offset(graph, u + 1);
        for (uint64_t a = hop__first_arc(graph, u, low); a < stop && graph->targets[a] < high;
             a++) {
            const hop_vertex v = graph->targets[a];
            const NUMBER weight = WEIGHT(graph, a);
            if (v != u && weight < row[v - low])
                row[v - low] = weight;
        }
    }
}

#undef FILL
#undef NUMBER
#undef FAR
#undef WEIGHT
