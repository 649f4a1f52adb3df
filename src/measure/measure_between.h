/* SPDX-License-Identifier: Apache-2.0
 *
 * Betweenness of vertices and of arcs, inside: how the sums over sources are divided, and what a
 * variant gives.
 *
 * Sums of fractions depend on their order, so that order is fixed: sources are taken in batches of
 * HOP__BETWEEN_BATCH, in ascending order; batch number b belongs to part b % parts; a part adds up
 * its batches one after another, in an array of its own; the value is the sum of the parts, in
 * ascending order. How many parts there are follows from the graph alone, never from the threads,
 * which take whole parts. */
#ifndef HOPLITE_MEASURE_MEASURE_BETWEEN_H
#define HOPLITE_MEASURE_MEASURE_BETWEEN_H

#include "measure/measure_internal.h"

enum { HOP__BETWEEN_BATCH = 8, HOP__BETWEEN_PARTS = 16 };

typedef struct hop__between_task {
    const hop_graph *graph;
    hop__sssp_query query;     /* its weights */
    const hop_vertex *sources; /* ascending; NULL: all vertices */
    hop_vertex source_count;
    bool scaled;
    bool of_arcs;   /* not of vertices */
    uint64_t width; /* how many sums there are, one for each vertex or arc */
    unsigned parts, workers;
    double *sums;   /* parts * width; zero before the run */
    double *values; /* the caller's, width */
    uint64_t relaxations;
} hop__between_task;

/* What became of a batch. */
typedef enum hop__between_end {
    HOP__BETWEEN_DONE,
    HOP__BETWEEN_CANCELLED,
    HOP__BETWEEN_UNCOUNTED, /* numbers of paths that doubles cannot hold */
    HOP__BETWEEN_ABSORBED   /* a weight that adds nothing to a distance, by rounding */
} hop__between_end;

typedef struct hop__between_variant {
    hop__variant row;
    size_t worker_bytes; /* of a worker's state, whose blocks these are: */
    void (*worker_blocks)(const hop__between_task *task, hop__workspace *space);
    void (*begin)(const hop__between_task *task, void *worker);
    /* Adds the dependencies of each vertex or arc on up to HOP__BETWEEN_BATCH sources to
     * sums[0 .. width). */
    hop__between_end (*batch)(hop_context *context, const hop__between_task *task, void *worker,
                              const hop_vertex *sources, unsigned count, double *sums);
    uint64_t (*relaxations)(const void *worker);
} hop__between_variant;

extern const hop__between_variant hop__between_searches, hop__between_lanes;

/* Lists the blocks of the row whose variant has these workers; slot 0 of the state. */
void hop__between_blocks(const hop__between_variant *variant, const hop__between_task *task,
                         hop__workspace *space);

/* One source by its distances: arrays of n. */
typedef struct hop__between_paths {
    double *counts, *shares; /* paths from the source; (1 + dependency) / count */
    uint32_t *into;          /* arcs into a vertex that lie on shortest paths; 0 between calls */
    hop_vertex *order;
} hop__between_paths;

void hop__between_paths_blocks(hop__workspace *space, size_t at, hop_vertex n);
/* Adds what the shortest paths from the source say; nothing where they cannot be counted, and then
 * `into` is not 0 any more. */
hop__between_end hop__between_add(const hop__between_task *task, hop_vertex source,
                                  const void *distances, hop__between_paths *paths, double *sums);

#endif
