/* SPDX-License-Identifier: Apache-2.0
 * A cycle of negative sum, as the context keeps it for the caller: vertices in the order of the
 * arcs, the smallest first. */
#include <stdio.h>

#include "core/try.h"
#include "sssp/sssp_internal.h"

const hop_vertex *hop_context_cycle(const hop_context *context, hop_vertex *length) {
    if (length)
        *length = context ? context->cycle_length : 0;
    return context ? context->cycle : NULL;
}

void hop__cycle_drop(hop_context *context) {
    hop__free(context->cycle);
    context->cycle = NULL;
    context->cycle_length = 0;
}

hop_status hop__cycle_keep(hop_context *context, const char *what, const hop_graph *graph,
                           const hop_vertex *parents, hop_vertex start) {
    hop_vertex length = 0, v = start, smallest = start;
    do {
        length++;
        v = parents[v];
        smallest = v < smallest ? v : smallest;
    } while (v != start);
    hop__cycle_drop(context);
    hop_status status =
        hop__alloc(context, "sssp: cycle", length, sizeof(hop_vertex), &context->cycle);
    if (status != HOP_OK)
        return status;
    /* Parents lead backwards: the one of the smallest comes last. */
    context->cycle_length = length;
    context->cycle[0] = v = smallest;
    for (hop_vertex i = length; i-- > 1;)
        context->cycle[i] = v = parents[v];
    return hop__cycle_report(context, what, graph);
}

hop_status hop__cycle_report(hop_context *context, const char *what, const hop_graph *graph) {
    enum { SHOWN = 6 };
    char text[(SHOWN + 1) * (sizeof(hop__vertex_text) + 2) + 8];
    const hop_vertex *cycle = context->cycle, length = context->cycle_length;
    size_t used = 0;
    for (hop_vertex i = 0; i < length && i < SHOWN; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s, ", hop__name(graph, cycle[i]).s);
    snprintf(text + used, sizeof text - used, "%s%s", length > SHOWN ? "..., " : "",
             hop__name(graph, cycle[0]).s);
    hop__fail(context, HOP_ERR_NEGATIVE_CYCLE,
              "%s: a cycle of %u arc%s that can be reached has a negative sum, so there are "
              "no shortest paths: %s",
              what, length, length == 1 ? "" : "s", text);
    return hop__note_vertex(context, HOP_KIND_NEGATIVE_CYCLE, cycle[0]);
}
