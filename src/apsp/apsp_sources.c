/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches from one source after another, in parallel over the sources; see apsp_sources.h.
 *
 * Rows are independent of each other, so their bits do not depend on the number of threads. The
 * workers store what went wrong; the caller's thread reports it. */
#include "apsp/apsp_sources.h"

#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"

void hop__apsp_scratch_blocks(hop__workspace *space, const hop__apsp_task *task) {
    if (task->distance_type == HOP_TYPE_INT32)
        HOP__BLOCK(space, "apsp: rows of int64",
                   hop__apsp_times(task->query.graph->vertices, task->workers), hop__apsp_sources,
                   scratch);
}

void hop__apsp_dijkstra_blocks(hop__workspace *space, const hop__apsp_task *task,
                               const hop_graph *graph) {
    hop__block *searches =
        HOP__BLOCK(space, "apsp: searches", task->workers, hop__apsp_sources, dijkstra);
    searches->zero = true;
    hop__block_within(space, searches);
    hop__dijkstra_blocks(space, 0, graph, false);
    hop__block_within(space, NULL);
}

void hop__apsp_dijkstra_begin(hop__apsp_task *task, const hop_graph *graph) {
    hop__apsp_sources *sources = task->state;
    for (unsigned i = 0; i < task->workers; i++)
        hop__dijkstra_begin(&sources->dijkstra[i], graph);
}

void hop__apsp_sources_finish(hop__apsp_task *task) {
    hop__apsp_sources *sources = task->state;
    for (unsigned i = 0; i < task->workers; i++) {
        if (sources->dijkstra)
            task->relaxations += sources->dijkstra[i].relaxations;
        if (sources->bellman_ford)
            task->relaxations += sources->bellman_ford[i].relaxations;
    }
    task->relaxations += atomic_load(&sources->relaxations);
    hop_graph_release(sources->reweighted);
}

typedef struct search_job {
    hop_context *context;
    hop__apsp_task *task;
    hop__apsp_sources *sources;
    hop__apsp_search_fn search;
    hop_vertex first, count;
    char *rows;
    atomic_uint_fast64_t next; /* the lowest row that nobody has taken */
    atomic_bool stopped;
    atomic_flag failed; /* whoever sets it writes the rest */
    hop__search_end end;
    hop_vertex source, place;
} search_job;

static void note_failure(search_job *job, hop__search_end end, hop_vertex source,
                         hop_vertex place) {
    atomic_store(&job->stopped, true);
    if (end == HOP__SEARCH_CANCELLED || atomic_flag_test_and_set(&job->failed))
        return;
    job->end = end;
    job->source = source;
    job->place = place;
}

/* The front has made sure that int32 holds them. */
static void narrow(const int64_t *from, int32_t *to, uint64_t n) {
    for (uint64_t v = 0; v < n; v++)
        to[v] = from[v] == HOP_NO_DISTANCE ? HOP_NO_DISTANCE_32 : (int32_t)from[v];
}

static void search_rows(void *arg, unsigned thread, unsigned threads) {
    search_job *job = arg;
    const uint64_t n = job->task->query.graph->vertices;
    const size_t row_bytes = hop__apsp_row_bytes(job->task);
    (void)threads;
    while (!atomic_load_explicit(&job->stopped, memory_order_relaxed)) {
        uint64_t at = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        if (at >= job->count)
            return;
        hop_vertex source = hop__apsp_vertex(job->task, job->first + (hop_vertex)at), place = 0;
        void *row = job->rows + at * row_bytes, *distances = row;
        if (job->sources->scratch)
            distances = job->sources->scratch + n * thread;
        hop__search_end end =
            job->search(job->context, job->task, job->sources, thread, source, distances, &place);
        if (end != HOP__SEARCH_DONE) {
            note_failure(job, end, source, place);
            return;
        }
        if (job->sources->scratch)
            narrow(distances, row, n);
    }
}

hop_status hop__apsp_sources_run(hop_context *context, hop__apsp_task *task, const char *phase,
                                 uint64_t work, hop__apsp_search_fn search, hop_vertex first,
                                 hop_vertex count, void *rows) {
    search_job job = {.context = context,
                      .task = task,
                      .sources = task->state,
                      .search = search,
                      .first = first,
                      .count = count,
                      .rows = rows,
                      .failed = ATOMIC_FLAG_INIT,
                      .end = HOP__SEARCH_DONE};
    uint64_t total = hop__apsp_times(work, task->row_count);
    unsigned team = task->workers < count ? task->workers : count;
    hop__progress_begin(context, phase, total == UINT64_MAX ? 0 : total);
    (void)hop__progress_add(context, hop__apsp_times(work, first)); /* the blocks before */
    hop__phase(context, "searches");
    hop__phase_items(context, count);
    hop__team_loose(context, team, search_rows, &job);
    hop_status status = hop__progress_end(context);
    task->rounds += count;
    if (status != HOP_OK || job.end == HOP__SEARCH_DONE)
        return status;
    return hop__apsp_refuse_distance(context, task, job.source, job.place);
}
