/* SPDX-License-Identifier: Apache-2.0
 *
 * Landmarks (Goldberg and Harrelson, "Computing the Shortest Path: A* Search Meets Graph Theory",
 * 2005): by the triangle inequality, what is farther from a landmark by so much is at least so far
 * away. Each landmark is the vertex farthest from those before it, among what the vertex of most
 * arcs reaches; of equals the smallest.
 *
 * Distances are kept in 32 bits: as multiples of 2^shift, rounded down, if they are larger.
 *
 * Cost: one search per landmark, and one of the reverse arcs; 4 bytes per vertex for each; 16 per
 * vertex for a while. */
#include "core/memory.h"
#include "core/parallel.h"
#include "core/try.h"
#include "hoplite/sssp.h"
#include "index/index_internal.h"

enum { GRAIN = 1 << 14 };

typedef struct landmark_job {
    hop_context *context;
    hop_index *index;
    int64_t *distances, *nearest; /* from the last landmark; from the nearest one */
    unsigned column;
} landmark_job;

/* Halves what is there, until `farthest` fits beside it. */
static void make_fit(hop__landmarks *landmarks, uint64_t numbers, uint64_t farthest) {
    while (farthest >> landmarks->shift >= UINT32_MAX) {
        landmarks->shift++;
        for (uint64_t i = 0; i < numbers; i++)
            if (landmarks->distances[i] != UINT32_MAX)
                landmarks->distances[i] >>= 1;
    }
}

static void put_column(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const landmark_job *job = arg;
    const hop__landmarks *landmarks = &job->index->landmarks;
    const uint64_t row = hop__landmark_row(job->index);
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        landmarks->distances[v * row + job->column] =
            job->distances[v] == HOP_NO_DISTANCE
                ? UINT32_MAX
                : (uint32_t)((uint64_t)job->distances[v] >> landmarks->shift);
}

static hop_status search(const landmark_job *job, const hop_graph *graph, hop_vertex from) {
    return hop_sssp(job->context, graph, &from, 1, NULL,
                    &(hop_span){job->distances, graph->vertices, HOP_TYPE_INT64}, NULL);
}

static hop_status fill_column(landmark_job *job, const hop_graph *graph, hop_vertex from,
                              unsigned column) {
    hop__landmarks *landmarks = &job->index->landmarks;
    const uint64_t n = graph->vertices;
    uint64_t farthest = 0;
    hop_status status = search(job, graph, from);
    if (status != HOP_OK)
        return status;
    for (uint64_t v = 0; v < n; v++)
        if (job->distances[v] != HOP_NO_DISTANCE && (uint64_t)job->distances[v] > farthest)
            farthest = (uint64_t)job->distances[v];
    make_fit(landmarks, n * hop__landmark_row(job->index), farthest);
    job->column = column;
    hop__for(job->context, n, GRAIN, put_column, job);
    return HOP_OK;
}

/* Notes the distances of a search, and returns what is farthest from all of them; what was not
 * reached at first does not count. */
static hop_vertex next_landmark(landmark_job *job, hop_vertex n, bool first) {
    hop_vertex farthest = 0;
    int64_t most = -1;
    for (hop_vertex v = 0; v < n; v++) {
        if (first)
            job->nearest[v] = job->distances[v] == HOP_NO_DISTANCE ? -1 : job->distances[v];
        else if (job->distances[v] < job->nearest[v])
            job->nearest[v] = job->distances[v];
        if (job->nearest[v] > most) {
            most = job->nearest[v];
            farthest = v;
        }
    }
    return farthest;
}

hop_status hop__landmarks_make(hop_context *context, hop_index *index, hop_graph *metric,
                               unsigned count) {
    hop__landmarks *landmarks = &index->landmarks;
    const hop_vertex n = metric->vertices;
    landmark_job job = {.context = context, .index = index};
    hop_status status;
    landmarks->count = count;
    HOP_TRY(status, hop_graph_prepare(context, metric, metric->directed ? HOP_PREPARE_REVERSE : 0));
    HOP_TRY(status,
            hop__alloc(context, "index: distances", n, sizeof *job.distances, &job.distances));
    HOP_TRY(status, hop__alloc(context, "index: nearest", n, sizeof *job.nearest, &job.nearest));
    HOP_TRY(status,
            hop__alloc_zero(context, "index: landmarks", n * (uint64_t)hop__landmark_row(index),
                            sizeof *landmarks->distances, &landmarks->distances));
    if (n == 0)
        goto done;
    HOP_TRY(status, search(&job, metric, metric->shared->facts.max_degree_vertex));
    for (unsigned i = 0; i < count; i++) {
        landmarks->at[i] = next_landmark(&job, n, i == 0);
        if (metric->directed)
            HOP_TRY(status, fill_column(&job, hop_graph_prepared_reverse(metric), landmarks->at[i],
                                        count + i));
        HOP_TRY(status, fill_column(&job, metric, landmarks->at[i], i));
        if (i == 0)
            for (hop_vertex v = 0; v < n; v++) /* how far the first search went no longer counts */
                job.nearest[v] = job.nearest[v] < 0 ? -1 : INT64_MAX;
    }
done:
    hop__free(job.distances);
    hop__free(job.nearest);
    return status;
}

/* What a - b is at least, if both are rounded down. */
static inline uint64_t difference(uint32_t a, uint32_t b, unsigned shift) {
    uint64_t slack = shift > 0;
    return a > b + slack ? (a - b - slack) << shift : 0;
}

uint64_t hop__landmarks_bound(const hop_index *index, hop_vertex from, hop_vertex to) {
    const hop__landmarks *landmarks = &index->landmarks;
    const uint64_t row = hop__landmark_row(index);
    const uint32_t *near = landmarks->distances + from * row,
                   *far = landmarks->distances + to * row;
    const bool directed = index->graph->directed;
    uint64_t bound = 0;
    for (unsigned i = 0; i < landmarks->count; i++) {
        /* landmark -> from -> to, and from -> to -> landmark */
        const uint32_t ends[2][2] = {
            {far[i], near[i]},
            {near[directed ? landmarks->count + i : i], far[directed ? landmarks->count + i : i]}};
        for (unsigned side = 0; side < 2; side++) {
            if (ends[side][1] == UINT32_MAX)
                continue;
            if (ends[side][0] == UINT32_MAX)
                return HOP__FAR;
            uint64_t least = difference(ends[side][0], ends[side][1], landmarks->shift);
            bound = least > bound ? least : bound;
        }
    }
    return bound;
}
