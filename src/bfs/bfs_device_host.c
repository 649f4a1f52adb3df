/* SPDX-License-Identifier: Apache-2.0
 *
 * Small frontiers on the host, for the searches with frontiers on devices (`small` = host, D3's
 * first way around the cost of launches): the levels come to the host, which goes on by itself
 * while frontiers are small, and then go back with the last frontier.
 *
 * Where the device works in the host's memory nothing is copied; elsewhere 4 bytes per vertex each
 * way (8 with parents), which D3's listing leaves open. Cost: 4 bytes per vertex of the host's
 * memory. */
#include "bfs/bfs_device_frontier.h"
#include "core/progress.h"

typedef struct host_search {
    const hop_graph *graph;
    hop_vertex *levels, *parents, *queue; /* parents NULL: not wanted */
    uint64_t head, tail;                  /* the frontier is queue[head .. tail-1] */
    hop_vertex level;
} host_search;

static uint64_t expand(host_search *h) {
    uint64_t end = h->tail, arcs = 0;
    for (; h->head < end; h->head++) {
        hop_vertex u = h->queue[h->head];
        uint64_t stop = hop__offset(h->graph, (uint64_t)u + 1), i = hop__offset(h->graph, u);
        arcs += stop - i;
        for (; i < stop; i++) {
            hop_vertex v = h->graph->targets[i];
            if (h->levels[v] == HOP_NO_LEVEL) {
                h->levels[v] = h->level + 1;
                h->queue[h->tail++] = v;
            }
            if (h->parents && h->levels[v] == h->level + 1 && h->parents[v] > u)
                h->parents[v] = u;
        }
    }
    h->level++;
    return arcs;
}

/* Level after level; false when cancelled. */
static bool go_on(hop__frontier *s, host_search *h) {
    const hop__bfs_query *query = &s->base.task->query;
    double most = s->values[HOP__FRONTIER_THRESHOLD];
    do {
        if (!hop__progress_add(s->base.context, expand(h)))
            return false;
        s->host_levels++;
    } while (h->tail > h->head && (double)(h->tail - h->head) <= most &&
             h->level < query->max_level &&
             (s->target == HOP_NO_VERTEX || h->levels[s->target] == HOP_NO_LEVEL));
    return true;
}

/* What the host has changed goes to the device again. */
static hop_status bring_back(hop__bfs_device *base, const hop_vertex *array, hop__buffer **buffer) {
    hop__workspace_drop(&base->space, buffer);
    return hop__workspace_borrow(&base->space, buffer, base->n, array);
}

hop_status hop__frontier_host(hop__frontier *s) {
    hop_status status;
    hop__bfs_device *base = &s->base;
    hop_vertex *parents = base->own_parents ? base->task->parents : NULL;
    HOP_TRY(status, hop__lent_refuse(base->context, "bfs: small=host", base->task->levels));
    HOP_TRY(status, hop__lent_refuse(base->context, "bfs: small=host", base->task->parents));
    HOP_TRY(status,
            hop_graph_check(base->context, base->task->query.graph)); /* its rows are here */
    HOP_TRY(status, hop__workspace_take(&base->space, &s->host_queue, base->n));
    HOP_TRY(status, hop__buffer_read(s->queue, s->begin * 4ull, s->count * 4ull, s->host_queue));
    HOP_TRY(status, hop__buffer_return(base->levels));
    if (parents)
        HOP_TRY(status, hop__buffer_return(base->parents));
    HOP_TRY(status, hop__device_finish(base->device));
    host_search h = {.graph = base->task->query.graph,
                     .levels = base->task->levels,
                     .parents = parents,
                     .queue = s->host_queue,
                     .tail = s->count,
                     .level = s->level};
    if (!go_on(s, &h)) {
        status = hop__progress_end(base->context);
        goto done;
    }
    HOP_TRY(status, bring_back(base, base->task->levels, &base->levels));
    if (parents)
        HOP_TRY(status, bring_back(base, parents, &base->parents));
    HOP_TRY(status, hop__frontier_move(s, h.level, (uint32_t)(h.tail - h.head)));
    HOP_TRY(status,
            hop__buffer_write(s->queue, s->begin * 4ull, s->count * 4ull, s->host_queue + h.head));
    HOP_TRY(status, hop__device_finish(base->device));
    s->arcs = 0;
done:
    hop__device_settle(base->device, status);
    return status;
}
