/* SPDX-License-Identifier: Apache-2.0
 *
 * The front of questions to an index: batches of pairs side by side, one path, the certificate. */
#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/span.h"
#include "core/try.h"
#include "hoplite/pairs.h"
#include "hoplite/sssp.h"
#include "index/index_search.h"

static void put_distance(hop_weight_type type, void *distances, uint64_t i, uint64_t code) {
    if (type == HOP_TYPE_FLOAT32)
        ((float *)distances)[i] =
            code == HOP__FAR ? (float)HUGE_VAL : (float)hop__double_from(code);
    else if (type == HOP_TYPE_FLOAT64)
        ((double *)distances)[i] = code == HOP__FAR ? HUGE_VAL : hop__double_from(code);
    else
        ((int64_t *)distances)[i] = code == HOP__FAR ? HOP_NO_DISTANCE : (int64_t)code;
}

static hop_status check_vertex(hop_context *context, const hop_index *index, const char *what,
                               hop_vertex v) {
    if (v < index->graph->vertices)
        return HOP_OK;
    hop__fail(context, HOP_ERR_ARGUMENT, "index: %s is vertex %u, but there are only %u vertices",
              what, v, index->graph->vertices);
    return hop__note_range(context, v, index->graph->vertices);
}

static hop_status refuse_wrong(hop_context *context) {
    return hop__fail(context, HOP_ERR_INPUT,
                     "index: its distances are not those of the graph: build it anew");
}

/* ---- pairs ----------------------------------------------------------------------------------- */

typedef struct batch_worker {
    hop__asker asker;
    bool ready, stuck; /* for lack of room, with: */
    uint64_t pair;
} batch_worker;

typedef struct batch {
    hop_context *context;
    const hop_index *index;
    const hop_edge *pairs;
    uint64_t count;
    hop_weight_type type;
    void *distances;
    batch_worker *workers;
    unsigned worker_count;
    atomic_uint_fast64_t next;
} batch;

static hop__asked ask(const batch *job, batch_worker *worker, uint64_t i) {
    uint64_t code;
    hop__asked asked =
        hop__ask_distance(&worker->asker, job->pairs[i].from, job->pairs[i].to, &code);
    if (asked == HOP__ASK_DONE)
        put_distance(job->type, job->distances, i, code);
    return asked;
}

/* Takes pairs until there are none, or one needs more room, which only the caller's thread can get.
 */
static void ask_all(void *arg, unsigned thread, unsigned threads) {
    batch *job = arg;
    batch_worker *worker = &job->workers[thread];
    (void)threads;
    while (worker->ready && !worker->stuck) {
        uint64_t i = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        if (i >= job->count || !hop__progress_add(job->context, 1))
            return;
        worker->pair = i;
        worker->stuck = ask(job, worker, i) == HOP__ASK_ROOM;
    }
}

/* Makes more room, and ends what was stuck. */
static hop_status unstick(batch *job, batch_worker *worker) {
    hop_status status = HOP_OK;
    while (worker->stuck) {
        HOP_TRY(status, hop__asker_grow(&worker->asker));
        worker->stuck = ask(job, worker, worker->pair) == HOP__ASK_ROOM;
    }
done:
    return status;
}

static hop_status ask_batch(batch *job) {
    hop_status status, ended;
    const unsigned most = hop__team_limit(job->context);
    job->worker_count = job->count < most ? (unsigned)job->count : most;
    HOP_TRY(status, hop__alloc_zero(job->context, "index: workers", job->worker_count,
                                    sizeof *job->workers, &job->workers));
    for (unsigned i = 0; i < job->worker_count; i++) {
        HOP_TRY(status, hop__asker_open(job->context, job->index, &job->workers[i].asker));
        job->workers[i].ready = true;
    }
    hop__progress_begin(job->context, "index: pairs", job->count);
    while (status == HOP_OK && atomic_load(&job->next) < job->count &&
           hop__progress_add(job->context, 0)) {
        hop__team_loose(job->context, job->worker_count, ask_all, job);
        for (unsigned i = 0; i < job->worker_count && status == HOP_OK; i++)
            status = unstick(job, &job->workers[i]);
    }
    ended = hop__progress_end(job->context);
    status = status == HOP_OK ? ended : status;
done:
    for (unsigned i = 0; job->workers && i < job->worker_count; i++)
        hop__asker_close(&job->workers[i].asker);
    hop__free(job->workers);
    return status;
}

hop_status hop_index_distances(hop_context *context, const hop_index *index, const hop_edge *pairs,
                               uint64_t count, const hop_span *distances) {
    hop_status status = HOP_OK;
    batch job = {.context = context, .index = index, .pairs = pairs, .count = count};
    if (!context || !index || ((!pairs || !distances) && count > 0))
        return hop__missing(context, "hop_index_distances");
    job.type = hop_distance_type(index->graph->weight_type);
    for (uint64_t i = 0; i < count && status == HOP_OK; i++) {
        HOP_TRY(status, check_vertex(context, index, "a source", pairs[i].from));
        HOP_TRY(status, check_vertex(context, index, "a target", pairs[i].to));
    }
    HOP_TRY(status, hop__span_take(context, "index: distances", distances, job.type, count,
                                   &job.distances));
    if (count > 0)
        status = ask_batch(&job);
done:
    return status;
}

/* ---- a path ---------------------------------------------------------------------------------- */

/* The lightest arc from u to v adds to the code of u. */
static uint64_t step(const hop_graph *graph, uint64_t code, hop_vertex u, hop_vertex v) {
    uint64_t least = HOP__FAR, end = hop__offset(graph, u + UINT64_C(1));
    for (uint64_t i = hop__first_arc(graph, u, v); i < end && graph->targets[i] == v; i++) {
        uint64_t sum = hop__code_add(graph, code, i);
        least = sum < least ? sum : least;
    }
    return least;
}

/* Turns the walk round. */
static void put_path(const hop__asker *asker, hop_vertex *path, void *distances) {
    const hop_graph *graph = asker->index->graph;
    const hop_weight_type type = hop_distance_type(graph->weight_type);
    const uint64_t count = asker->walk_count;
    uint64_t code = 0;
    for (uint64_t i = 0; i < count; i++) {
        path[i] = asker->walk[count - 1 - i];
        if (i > 0)
            code = step(graph, code, path[i - 1], path[i]);
        if (distances)
            put_distance(type, distances, i, code);
    }
}

static hop_status ask_path(hop_context *context, hop__asker *asker, hop_vertex from,
                           hop_vertex to) {
    hop_status status = HOP_OK;
    hop__asked asked;
    uint64_t code;
    hop__progress_begin(context, "index: path", 1);
    do {
        asked = hop__ask_path(asker, from, to, &code);
        if (asked == HOP__ASK_ROOM)
            status = hop__asker_grow(asker);
    } while (asked == HOP__ASK_ROOM && status == HOP_OK);
    hop_status ended = hop__progress_end(context);
    if (status != HOP_OK || ended != HOP_OK)
        return status != HOP_OK ? status : ended;
    return asked == HOP__ASK_WRONG ? refuse_wrong(context) : HOP_OK;
}

hop_status hop_index_path(hop_context *context, const hop_index *index, hop_vertex from,
                          hop_vertex to, hop_vertex *path, hop_vertex room, hop_vertex *length,
                          const hop_span *distances) {
    hop_status status;
    hop__asker asker = {0};
    void *items = NULL;
    if (!context || !index)
        return hop__missing(context, "hop_index_path");
    HOP_TRY(status, check_vertex(context, index, "the source", from));
    HOP_TRY(status, check_vertex(context, index, "the target", to));
    HOP_TRY(status, hop__span_take(context, "index: distances", path ? distances : NULL,
                                   hop_distance_type(index->graph->weight_type), room, &items));
    HOP_TRY(status, hop__asker_open(context, index, &asker));
    HOP_TRY(status, ask_path(context, &asker, from, to));
    if (length)
        *length = (hop_vertex)asker.walk_count;
    if (path && asker.walk_count > room)
        status = hop__fail(context, HOP_ERR_ARGUMENT,
                           "index: the path has %llu vertices, and there is room for %u",
                           (unsigned long long)asker.walk_count, room);
    else if (path)
        put_path(&asker, path, items);
done:
    hop__asker_close(&asker);
    return status;
}

/* ---- the certificate ------------------------------------------------------------------------- */

hop_status hop_index_certify(hop_context *context, const hop_index *index, const hop_edge *pairs,
                             uint64_t count) {
    hop_status status;
    char *found[2] = {NULL, NULL};
    if (!context || !index || (!pairs && count > 0))
        return hop__missing(context, "hop_index_certify");
    const hop_weight_type type = hop_distance_type(index->graph->weight_type);
    const size_t size = hop_type_size(type);
    for (unsigned i = 0; i < 2; i++)
        HOP_TRY(status, hop__alloc(context, "index: certificate", count, size, &found[i]));
    HOP_TRY(status,
            hop_index_distances(context, index, pairs, count, &(hop_span){found[0], count, type}));
    HOP_TRY(status, hop_distance_pairs(context, index->graph, pairs, count, NULL,
                                       &(hop_span){found[1], count, type}));
    for (uint64_t i = 0; i < count && status == HOP_OK; i++)
        if (memcmp(found[0] + i * size, found[1] + i * size, size) != 0)
            status = hop__fail(context, HOP_ERR_CERTIFICATE,
                               "index: the distance of pair %llu, from vertex %u to %u, is not "
                               "that of a search",
                               (unsigned long long)i, pairs[i].from, pairs[i].to);
done:
    hop__free(found[0]);
    hop__free(found[1]);
    return status;
}
