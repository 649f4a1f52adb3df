/* SPDX-License-Identifier: Apache-2.0
 *
 * searches: Dijkstra's search from one vertex after another, each by one thread; what its distances
 * say is worked out while they are there. The reference, and the way with weights.
 *
 * Cost: O(n (n + m) log n) work; per thread, per vertex, a distance and what the search takes. */
#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/numbers.h"
#include "measure/measure_internal.h"
#include "sssp/sssp_dijkstra.h"

typedef struct one_search {
    hop__dijkstra dijkstra;
    void *distances;  /* n */
    uint32_t *counts; /* n, without weights */
} one_search;

typedef struct searches_state {
    one_search *searches; /* one for each worker */
} searches_state;

typedef struct searches_job {
    hop_context *context;
    hop__measure_task *task;
    one_search *searches;
    atomic_uint_fast64_t next;
    atomic_bool stopped, overflow;
} searches_job;

static void searches_blocks(const void *given, hop__workspace *space) {
    const hop__measure_task *task = given;
    const hop_vertex n = task->graph->vertices;
    hop__block *searches =
        HOP__BLOCK(space, "measure: searches", task->workers, searches_state, searches);
    searches->zero = true;
    hop__block_within(space, searches);
    hop__dijkstra_blocks(space, offsetof(one_search, dijkstra), task->graph, false);
    hop__block_add(space, "measure: distances", n, hop_type_size(task->query.distance_type),
                   offsetof(one_search, distances));
    if (task->graph->weight_type == HOP_TYPE_NONE)
        HOP__BLOCK(space, "measure: counts", n, one_search, counts)->zero = true;
    hop__block_within(space, NULL);
}

/* Without weights: by levels, in their order, as bits has them. */
static void look_at_levels(const hop__measure_task *task, const int64_t *distances,
                           uint32_t *counts, hop__measure_facts *facts) {
    int64_t deepest = 0;
    for (hop_vertex v = 0; v < task->graph->vertices; v++)
        if (distances[v] <= task->within && distances[v] != HOP_NO_DISTANCE) {
            counts[distances[v]]++;
            deepest = distances[v] > deepest ? distances[v] : deepest;
        }
    for (int64_t d = 0; d <= deepest; d++) {
        facts->reached += counts[d];
        facts->sum.whole += counts[d] * (uint64_t)d;
        if (d > 0)
            facts->inverse += (double)counts[d] / (double)d;
        if (task->levels)
            __atomic_fetch_add(&task->levels[d], counts[d], __ATOMIC_RELAXED);
        counts[d] = 0;
    }
    facts->farthest.whole = (uint64_t)deepest;
}

static bool look_at_integers(hop_vertex n, const int64_t *distances, hop__measure_facts *facts) {
    bool fits = true;
    for (hop_vertex v = 0; v < n; v++) {
        uint64_t distance = (uint64_t)distances[v];
        if (distances[v] == HOP_NO_DISTANCE)
            continue;
        facts->reached++;
        fits &= !__builtin_add_overflow(facts->sum.whole, distance, &facts->sum.whole);
        if (distance > facts->farthest.whole)
            facts->farthest.whole = distance;
        if (distance > 0)
            facts->inverse += 1 / (double)distance;
    }
    return fits;
}

static void look_at_reals(const hop__measure_task *task, const void *distances,
                          hop__measure_facts *facts) {
    for (hop_vertex v = 0; v < task->graph->vertices; v++) {
        double distance = hop__sssp_distance(&task->query, distances, v);
        if (isinf(distance))
            continue;
        facts->reached++;
        facts->sum.real += distance;
        if (distance > facts->farthest.real)
            facts->farthest.real = distance;
        if (distance > 0)
            facts->inverse += 1 / distance;
    }
}

bool hop__measure_look(const hop__measure_task *task, const void *distances, uint32_t *counts,
                       hop__measure_facts *facts) {
    memset(facts, 0, sizeof *facts);
    if (task->graph->weight_type == HOP_TYPE_NONE)
        look_at_levels(task, distances, counts, facts);
    else if (hop__measure_is_whole(task))
        return look_at_integers(task->graph->vertices, distances, facts) || !task->measure->sums;
    else
        look_at_reals(task, distances, facts);
    return true;
}

static void search_each(void *arg, unsigned thread, unsigned threads) {
    searches_job *job = arg;
    hop__measure_task *task = job->task;
    one_search *search = &job->searches[thread];
    (void)threads;
    while (!atomic_load_explicit(&job->stopped, memory_order_relaxed)) {
        uint64_t at = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        hop__measure_facts facts;
        if (at >= task->count)
            return;
        if (!hop__dijkstra_run(job->context, &search->dijkstra, hop__measure_vertex(task, at),
                               search->distances))
            atomic_store(&job->stopped, true);
        else if (!hop__measure_look(task, search->distances, search->counts, &facts)) {
            atomic_store(&job->overflow, true);
            atomic_store(&job->stopped, true);
        } else if (task->facts)
            task->facts[at] = facts;
    }
}

static hop_status searches_run(hop_context *context, hop__measure_task *task) {
    searches_state state = {0};
    hop__workspace space;
    searches_job job = {.context = context, .task = task};
    hop_status status;
    hop__workspace_clear(&space);
    HOP_TRY(status, hop__workspace_open(context, NULL, searches_blocks, task, &state, &space));
    for (unsigned i = 0; i < task->workers; i++)
        hop__dijkstra_begin(&state.searches[i].dijkstra, task->graph);
    job.searches = state.searches;
    hop__phase(context, "searches");
    hop__phase_items(context, task->count);
    hop__progress_begin(context, "measure: searches", 0);
    hop__team_loose(context, task->workers < task->count ? task->workers : task->count, search_each,
                    &job);
    HOP_TRY(status, hop__progress_end(context));
    if (atomic_load(&job.overflow))
        status = hop__measure_refuse_sum(context, task);
    task->rounds += task->count;
    for (unsigned i = 0; i < task->workers; i++)
        task->relaxations += state.searches[i].dijkstra.relaxations;
done:
    hop__workspace_close(&space, status);
    return status;
}

const hop__measure_variant hop__measure_searches = {
    .row = {.about = {.name = "searches",
                      .summary = "Dijkstra's search from each vertex; no weight below 0",
                      .source = "Dijkstra 1959",
                      .place = HOP_PLACE_HOST},
            .blocks = searches_blocks},
    .run = searches_run,
};
