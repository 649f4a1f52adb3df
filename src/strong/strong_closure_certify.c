/* SPDX-License-Identifier: Apache-2.0
 *
 * The certifier of the closure: each row is found again by a search along the arcs, which knows
 * nothing of strong components, of an order or of bits. Rows are shared among the threads; of
 * several wrong ones the first is told.
 *
 * Cost: O(n' + m') for a row that reaches n' vertices with m' arcs; per thread 4 bytes and 2 bits
 * per vertex. */
#include "core/atomic.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "strong/strong_closure.h"

enum { REPORT = 1 << 12 }; /* vertices between two looks at whether to stop */

typedef struct check_job {
    hop_context *context;
    const hop__closure_query *query;
    hop__closure_search *searches;
    hop_vertex first;
    const uint64_t *offsets;
    const hop_vertex *vertices;
    uint64_t wrong; /* the first such row, behind `first`; UINT64_MAX: none */
} check_job;

static void unset(uint64_t *map, uint64_t index) {
    map[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

/* Goes along the arcs from what is in the queue, `queued` sources, each once. Returns how many are
 * in the queue at the end, and adds the vertices that are arrived at, sources too. */
static hop_vertex search_on(hop_context *context, const hop_graph *graph,
                            hop__closure_search *search, hop_vertex queued, uint64_t *arrived) {
    for (hop_vertex at = 0; at < queued; at++) {
        if (at % REPORT == REPORT - 1 && !hop__progress_add(context, 0))
            break; /* whoever began the phase sees that it ended early */
        const uint64_t v = search->queue[at], end = hop__offset(graph, v + 1);
        for (uint64_t i = hop__offset(graph, v); i < end; i++) {
            const hop_vertex to = graph->targets[i];
            if (hop__bitmap_get(search->seen, to))
                continue;
            hop__bitmap_set(search->seen, to);
            ++*arrived;
            if (!hop__bitmap_get(search->named, to))
                search->queue[queued++] = to;
        }
    }
    return queued;
}

static bool belongs(const hop__closure_query *query, const hop__closure_search *search,
                    hop_vertex v) {
    const bool source = hop__bitmap_get(search->named, v);
    if (source && query->self == HOP_CLOSURE_NEVER)
        return false;
    return hop__bitmap_get(search->seen, v) || (source && query->self == HOP_CLOSURE_ALWAYS);
}

/* The number of vertices that the row should have. */
static uint64_t expected(const hop__closure_query *query, const hop__closure_search *search,
                         hop_vertex sources, uint64_t arrived) {
    for (hop_vertex i = 0; i < sources; i++) { /* they are first in the queue */
        const bool seen = hop__bitmap_get(search->seen, search->queue[i]);
        if (seen && query->self == HOP_CLOSURE_NEVER)
            arrived--;
        if (!seen && query->self == HOP_CLOSURE_ALWAYS)
            arrived++;
    }
    return arrived;
}

static bool check_row(const check_job *job, hop__closure_search *search, uint64_t at) {
    const hop__closure_query *query = job->query;
    const hop_vertex from = query->together ? 0 : job->first + (hop_vertex)at,
                     past = query->together ? query->source_count : from + 1;
    const hop_vertex *row = job->vertices + job->offsets[at];
    const uint64_t count = job->offsets[at + 1] - job->offsets[at];
    hop_vertex sources = 0;
    uint64_t arrived = 0;
    for (hop_vertex i = from; i < past; i++) {
        const hop_vertex v = hop__closure_source(query, i);
        if (!hop__bitmap_get(search->named, v))
            search->queue[sources++] = v;
        hop__bitmap_set(search->named, v);
    }
    const hop_vertex queued = search_on(job->context, query->graph, search, sources, &arrived);
    bool right = expected(query, search, sources, arrived) == count;
    for (uint64_t i = 0; i < count && right; i++)
        right = row[i] < query->graph->vertices && (i == 0 || row[i - 1] < row[i]) &&
                belongs(query, search, row[i]);
    for (hop_vertex i = 0; i < queued; i++) {
        unset(search->seen, search->queue[i]);
        unset(search->named, search->queue[i]);
    }
    return right;
}

static void check_rows(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    check_job *job = arg;
    for (uint64_t i = begin; i < end; i++) {
        if (!hop__progress_add(job->context, 0))
            return;
        if (!check_row(job, &job->searches[thread], i))
            hop__lower_u64(&job->wrong, i);
    }
}

hop_status hop__closure_check(hop_context *context, const hop__closure_query *query,
                              hop__closure_search *searches, hop_vertex first, hop_vertex count,
                              const uint64_t *offsets, const hop_vertex *vertices) {
    check_job job = {context, query, searches, first, offsets, vertices, UINT64_MAX};
    const bool begun = hop__progress_join(context, "closure: certify");
    hop__for(context, count, 1, check_rows, &job);
    const hop_status ended = hop__progress_leave(context, begun);
    if (ended != HOP_OK || job.wrong == UINT64_MAX)
        return ended;
    const hop_vertex source =
        hop__closure_source(query, query->together ? 0 : first + (hop_vertex)job.wrong);
    hop__fail(context, HOP_ERR_CERTIFICATE,
              "closure: certificate: row %llu, of vertex %s%s, is not what a search along the arcs "
              "finds",
              (unsigned long long)(first + job.wrong), hop__name(query->graph, source).s,
              query->together && query->source_count > 1 ? " and others" : "");
    return hop__note_vertex(context, HOP_KIND_CERTIFICATE, source);
}

static hop_status check_offsets(hop_context *context, const hop__closure_query *query,
                                hop_vertex first, hop_vertex count, const uint64_t *offsets) {
    if (first > query->rows || count > query->rows - first)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "closure: certificate: rows %u to %llu, and there are %u", first,
                         (unsigned long long)first + count, query->rows);
    for (hop_vertex i = 0; i < count; i++)
        if (offsets[i + 1] < offsets[i])
            return hop__fail(context, HOP_ERR_ARGUMENT,
                             "closure: certificate: the offset of row %u is smaller than that of "
                             "the row before",
                             first + i + 1);
    return HOP_OK;
}

hop_status hop_closure_certify(hop_context *context, const hop_graph *graph,
                               const hop_closure_options *options, hop_vertex first,
                               hop_vertex count, const uint64_t *offsets,
                               const hop_vertex *vertices) {
    hop__closure_query query = {0};
    hop__closure_search *searches = NULL;
    hop_graph *turned = NULL;
    hop_run run;
    hop_status status;
    if (!context)
        return HOP_ERR_ARGUMENT;
    const unsigned threads = hop__team_limit(context);
    HOP_TRY(status, hop__closure_take(context, graph, options, &query, &run));
    if (!offsets || (!vertices && count > 0 && offsets[count] > 0))
        return hop__fail(context, HOP_ERR_ARGUMENT, "closure: certificate: the %s are NULL",
                         offsets ? "vertices" : "offsets");
    HOP_TRY(status, check_offsets(context, &query, first, count, offsets));
    if (query.turn) {
        HOP_TRY(status, hop_graph_reverse(context, graph, &turned));
        query.graph = turned;
    }
    HOP_TRY(status,
            hop__alloc_zero(context, "closure: certify", threads, sizeof *searches, &searches));
    for (unsigned i = 0; i < threads; i++) {
        const uint64_t words = hop__bitmap_words(graph->vertices);
        HOP_TRY(status, hop__alloc_zero(context, "closure: certify", words, sizeof(uint64_t),
                                        &searches[i].seen));
        HOP_TRY(status, hop__alloc_zero(context, "closure: certify", words, sizeof(uint64_t),
                                        &searches[i].named));
        HOP_TRY(status, hop__alloc(context, "closure: certify", graph->vertices, sizeof(hop_vertex),
                                   &searches[i].queue));
    }
    status = hop__closure_check(context, &query, searches, first, count, offsets, vertices);
done:
    for (unsigned i = 0; i < threads && searches; i++) {
        hop__free(searches[i].seen);
        hop__free(searches[i].named);
        hop__free(searches[i].queue);
    }
    hop__free(searches);
    hop_graph_release(turned);
    return status;
}
