/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificate of local efficiency: the graph of the neighbours of each vertex, made by going
 * through two ascending rows at once, and a search from each neighbour of its own, in the place of
 * 64 at once. Each search is certified: an arc after the other must give every neighbour the level
 * that it has, and none to those without.
 *
 * Cost: for each vertex v of d(v) neighbours with a(v) arcs between them O(d(v) (d(v) + a(v))), on
 * one thread; up to min(m, D^2) arcs, D the greatest degree. */
#include <math.h>
#include <string.h>

#include "core/progress.h"
#include "core/try.h"
#include "measure/measure_local.h"

enum { LONG_ROW = 8 /* times as long as what is looked for in it */ };
#define FAR UINT32_MAX
static const double tolerance = 1e-12; /* a sum of so many levels, in another order */

typedef struct proof {
    hop_vertex *near;   /* D: the neighbours, ascending */
    uint64_t *begins;   /* D + 1: of their arcs */
    uint32_t *targets;  /* numbers of neighbours */
    uint32_t *levels;   /* D: FAR where there is no path */
    uint32_t *expected; /* D: 1 + the least level of those with an arc there */
    uint32_t *queue;    /* D */
    uint64_t *pairs;    /* D + 1: at each level */
} proof;

void hop__local_certify_blocks(const void *given, hop__workspace *space) {
    const hop__local_task *task = given;
    const uint64_t most = task->graph->shared->facts.max_degree, arcs = task->graph->arcs;
    const bool few = most < UINT32_MAX && most * most < arcs;
    HOP__BLOCK(space, "local efficiency: neighbours", most, proof, near);
    HOP__BLOCK(space, "local efficiency: rows", most + 1, proof, begins);
    HOP__BLOCK(space, "local efficiency: arcs", few ? most * most : arcs, proof, targets);
    HOP__BLOCK(space, "local efficiency: levels", most, proof, levels);
    HOP__BLOCK(space, "local efficiency: expected", most, proof, expected);
    HOP__BLOCK(space, "local efficiency: queue", most, proof, queue);
    HOP__BLOCK(space, "local efficiency: pairs", most + 1, proof, pairs);
}

/* The different targets of v; how many. */
static uint32_t list_neighbours(const hop_graph *graph, hop_vertex v, hop_vertex *near) {
    uint32_t count = 0;
    for (uint64_t at = hop__offset(graph, v); at < hop__offset(graph, (uint64_t)v + 1); at++)
        if (at == hop__offset(graph, v) || graph->targets[at] != graph->targets[at - 1])
            near[count++] = graph->targets[at];
    return count;
}

/* The numbers of the neighbours that u has arcs to; how many. */
static uint64_t list_common(const hop_graph *graph, hop_vertex u, const hop_vertex *near,
                            uint32_t count, uint32_t *found) {
    uint64_t at = hop__offset(graph, u), end = hop__offset(graph, (uint64_t)u + 1), arcs = 0;
    const bool is_long = (end - at) / LONG_ROW > count;
    for (uint32_t k = 0; k < count && at < end; k++) {
        if (is_long)
            at = hop__first_arc(graph, u, near[k]);
        while (at < end && graph->targets[at] < near[k])
            at++;
        if (at < end && graph->targets[at] == near[k])
            found[arcs++] = k;
    }
    return arcs;
}

static void search(const proof *p, uint32_t count, uint32_t source) {
    uint32_t head = 0, tail = 0;
    for (uint32_t k = 0; k < count; k++)
        p->levels[k] = FAR;
    p->levels[source] = 0;
    for (p->queue[tail++] = source; head < tail; head++) {
        const uint32_t u = p->queue[head];
        for (uint64_t i = p->begins[u]; i < p->begins[u + 1]; i++)
            if (p->levels[p->targets[i]] == FAR) {
                p->levels[p->targets[i]] = p->levels[u] + 1;
                p->queue[tail++] = p->targets[i];
            }
    }
}

/* Whether the levels are the distances: that of the source is 0, and every other is one more than
 * the least that leads there, which no other levels are. */
static bool are_distances(const proof *p, uint32_t count, uint32_t source) {
    for (uint32_t k = 0; k < count; k++)
        p->expected[k] = FAR;
    for (uint32_t u = 0; u < count; u++)
        for (uint64_t i = p->begins[u]; p->levels[u] != FAR && i < p->begins[u + 1]; i++)
            if (p->levels[u] + 1 < p->expected[p->targets[i]])
                p->expected[p->targets[i]] = p->levels[u] + 1;
    p->expected[source] = 0;
    for (uint32_t k = 0; k < count; k++)
        if (p->levels[k] != p->expected[k])
            return false;
    return true;
}

/* The efficiency among the neighbours of v. */
static hop_status efficiency_of(hop_context *context, const hop_graph *graph, const proof *p,
                                hop_vertex v, double *value) {
    const uint32_t count = list_neighbours(graph, v, p->near);
    double sum = 0;
    p->begins[0] = 0;
    memset(p->pairs, 0, ((size_t)count + 1) * sizeof *p->pairs);
    for (uint32_t u = 0; u < count; u++)
        p->begins[u + 1] = p->begins[u] + list_common(graph, p->near[u], p->near, count,
                                                      p->targets + p->begins[u]);
    for (uint32_t source = 0; source < count && hop__progress_add(context, 0); source++) {
        search(p, count, source);
        if (!are_distances(p, count, source)) {
            hop__fail(context, HOP_ERR_CERTIFICATE,
                      "local efficiency: distances among the neighbours of vertex %s are wrong",
                      hop__name(graph, v).s);
            return hop__note_vertex(context, HOP_KIND_CERTIFICATE, v);
        }
        for (uint32_t k = 0; k < count; k++)
            if (p->levels[k] != FAR)
                p->pairs[p->levels[k]]++;
    }
    for (uint32_t d = count; d > 0; d--)
        sum += (double)p->pairs[d] / d;
    *value = count > 1 ? sum / ((double)count * (count - 1.0)) : 0;
    return HOP_OK;
}

static hop_status compare_all(hop_context *context, const hop__local_task *task, const proof *p) {
    for (hop_vertex at = 0; at < task->count; at++) {
        const hop_vertex v = hop__local_vertex(task, at);
        double right = 0;
        hop_status status = efficiency_of(context, task->graph, p, v, &right);
        if (status != HOP_OK || !hop__progress_add(context, 1))
            return status;
        if (fabs(task->values[at] - right) <= tolerance * right)
            continue;
        hop__fail(context, HOP_ERR_CERTIFICATE,
                  "local efficiency: vertex %s has %.17g, and certified distances say %.17g",
                  hop__name(task->graph, v).s, task->values[at], right);
        return hop__note_vertex(context, HOP_KIND_CERTIFICATE, v);
    }
    return HOP_OK;
}

hop_status hop__local_certify(hop_context *context, const hop__local_task *task) {
    proof state = {0};
    hop__workspace space;
    hop_status status;
    hop__workspace_clear(&space);
    HOP_TRY(status,
            hop__workspace_open(context, NULL, hop__local_certify_blocks, task, &state, &space));
    hop__progress_begin(context, "local efficiency: certificate", task->count);
    hop_status found = compare_all(context, task, &state);
    status = hop__progress_end(context);
    status = found != HOP_OK ? found : status;
done:
    hop__workspace_close(&space, status);
    return status;
}
