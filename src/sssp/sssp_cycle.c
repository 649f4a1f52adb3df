/* SPDX-License-Identifier: Apache-2.0
 * A cycle of negative sum, as it is handed to the caller. */
#include <stdio.h>

#include "core/try.h"
#include "sssp/sssp_internal.h"

struct hop_cycle {
    hop_vertex length;
    hop_vertex vertices[]; /* in the order of the arcs, the smallest first */
};

hop_vertex hop_cycle_length(const hop_cycle *cycle) {
    return cycle ? cycle->length : 0;
}

const hop_vertex *hop_cycle_vertices(const hop_cycle *cycle) {
    return cycle ? cycle->vertices : NULL;
}

void hop_cycle_free(hop_cycle *cycle) {
    hop__free(cycle);
}

hop_status hop__cycle_create(hop_context *context, const hop_vertex *parents, hop_vertex start,
                             hop_cycle **result) {
    hop_cycle *cycle = NULL;
    hop_vertex length = 0, v = start, smallest = start;
    do {
        length++;
        v = parents[v];
        smallest = v < smallest ? v : smallest;
    } while (v != start);
    hop_status status =
        hop__alloc(context, "sssp: cycle", 1 + (uint64_t)length, sizeof(hop_vertex), &cycle);
    *result = cycle;
    if (status != HOP_OK)
        return status;
    /* Parents lead backwards: the one of the smallest comes last. */
    cycle->length = length;
    cycle->vertices[0] = smallest;
    v = smallest;
    for (hop_vertex i = length; i-- > 1;)
        cycle->vertices[i] = v = parents[v];
    return HOP_OK;
}

hop_status hop__cycle_report(hop_context *context, const char *what, const hop_graph *graph,
                             const hop_cycle *cycle) {
    enum { SHOWN = 6 };
    char text[(SHOWN + 1) * (sizeof(hop__vertex_text) + 2) + 8];
    size_t used = 0;
    for (hop_vertex i = 0; i < cycle->length && i < SHOWN; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s, ",
                                 hop__name(graph, cycle->vertices[i]).s);
    snprintf(text + used, sizeof text - used, "%s%s", cycle->length > SHOWN ? "..., " : "",
             hop__name(graph, cycle->vertices[0]).s);
    hop__fail(context, HOP_ERR_NEGATIVE_CYCLE,
              "%s: a cycle of %u arc%s that can be reached has a negative sum, so there are "
              "no shortest paths: %s",
              what, cycle->length, cycle->length == 1 ? "" : "s", text);
    return hop__note_vertex(context, HOP_KIND_NEGATIVE_CYCLE, cycle->vertices[0]);
}
