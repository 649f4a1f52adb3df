/* SPDX-License-Identifier: Apache-2.0
 *
 * The way to a target along parents: one walk to count and to check, one to write it down from its
 * end. Cost: O(length), no memory. */
#include "hoplite/path.h"

#include "core/progress.h"

enum { REPORT = 1 << 14 }; /* steps between two reports: each may be a cache miss */

/* The vertices on the way from `target`, which is reached, to its source. */
static hop_status count_way(hop_context *context, const hop_vertex *parents, hop_vertex n,
                            hop_vertex target, hop_vertex *count) {
    hop_vertex v = target;
    for (*count = 1; parents[v] != v; ++*count) {
        hop_vertex parent = parents[v];
        if (parent == HOP_NO_VERTEX) {
            hop__fail(context, HOP_ERR_INPUT,
                      "path: vertex %u, on the path to %u, has no parent and is no source", v,
                      target);
            return hop__note_vertex(context, HOP_KIND_DATA, v);
        }
        if (parent >= n) {
            hop__fail(context, HOP_ERR_INPUT,
                      "path: the parent of vertex %u is %u, but there are only %u", v, parent, n);
            return hop__note_vertex(context, HOP_KIND_DATA, v);
        }
        if (*count == n) {
            hop__fail(context, HOP_ERR_INPUT,
                      "path: the parents go round in a cycle, from vertex %u to %u", v, parent);
            return hop__note_vertex(context, HOP_KIND_DATA, v);
        }
        v = parent;
        if (*count % REPORT == 0 && !hop__progress_add(context, REPORT))
            return HOP_ERR_CANCELLED; /* the end of the phase makes the message */
    }
    return HOP_OK;
}

static void write_way(hop_context *context, const hop_vertex *parents, hop_vertex target,
                      hop_vertex *path, hop_vertex count) {
    hop_vertex v = target;
    for (hop_vertex i = count; i-- > 0; v = parents[v]) {
        path[i] = v;
        if (i % REPORT == 0 && !hop__progress_add(context, REPORT))
            return;
    }
}

hop_status hop_path(hop_context *context, const hop_vertex *parents, hop_vertex n,
                    hop_vertex target, hop_vertex *path, hop_vertex room, hop_vertex *length) {
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop_status status = HOP_OK;
    hop_vertex count = 0;
    if (length)
        *length = 0;
    if (target >= n) {
        hop__fail(context, HOP_ERR_ARGUMENT, "path: the target is vertex %u, but there are only %u",
                  target, n);
        return hop__note_range(context, target, n);
    }
    if (!parents)
        return hop__fail(context, HOP_ERR_ARGUMENT, "path: the parents are NULL");
    if (parents[target] == HOP_NO_VERTEX)
        return HOP_OK;
    hop__progress_begin(context, "path", 0);
    status = count_way(context, parents, n, target, &count);
    if (status == HOP_OK && length)
        *length = count;
    if (status == HOP_OK && path && count > room)
        status = hop__fail(context, HOP_ERR_ARGUMENT,
                           "path: the path to vertex %u has %u vertices, but there is room for %u",
                           target, count, room);
    if (status == HOP_OK && path)
        write_way(context, parents, target, path, count);
    hop_status end = hop__progress_end(context);
    return end != HOP_OK ? end : status;
}
