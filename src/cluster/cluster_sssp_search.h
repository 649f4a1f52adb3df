/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a search for shortest paths over the ranks, and its parts: cluster_sssp.c. */
#ifndef HOPLITE_CLUSTER_CLUSTER_SSSP_SEARCH_H
#define HOPLITE_CLUSTER_CLUSTER_SSSP_SEARCH_H

#include "cluster/cluster_sssp.h"

#define HOP__NO_END UINT32_MAX

typedef struct hop__paths {
    hop_cluster *cluster;
    hop_context *context;
    const hop_cluster_graph *graph;
    uint64_t none;
    char *block; /* all arrays but the caller's are in it */
    /* Of this rank's vertices. */
    uint64_t *keys, *parents;
    uint64_t *near, near_count; /* vertices */
    uint32_t *far;              /* numbers of them */
    uint64_t far_count;
    uint64_t *is_near, *is_far; /* bits: on the list */
    uint64_t limit;
    /* Sums that are looked at: from `first` to the horizon. */
    uint64_t first, horizon;
    double stride; /* by which the horizon moves; 0: there is none, and will be none */
    unsigned moves;
    double step;        /* of the limit */
    uint64_t told_arcs; /* of the rows that this rank was told of */
    /* Of the ends here. */
    uint64_t *best, *last; /* last: their distances, as they were fetched */
    uint32_t *found, *sources;
    uint64_t found_count;
    uint64_t *is_found;
    unsigned char *layers, *end_layers; /* see layer_find */
} hop__paths;

/* Steps of the limit, in mean weights, where few arcs are left to look at. */
#define HOP__SPARSE_STEP 4.0

static inline double hop__mean_degree(const hop_cluster_graph *graph) {
    return (double)graph->arcs / (double)(graph->vertices > 0 ? graph->vertices : 1);
}

/* A distance that vertex number `at` may have. */
void hop__paths_improve(void *work, uint32_t at, uint64_t key);

/* Distances and sources by those arcs of a row whose sums are looked at. */
void hop__paths_relax(hop__paths *work, uint64_t row, uint64_t key);

/* Tells the owners of what was found. Collective. */
hop_status hop__paths_tell(hop__paths *work, const char *phase);

/* By which the horizon moves first: within it a vertex has one arc. 0: the graph has none, because
 * it is directed, has no weights, or few arcs for a vertex. */
double hop__horizon_stride(const hop_cluster_graph *graph);
/* Sets the horizon once enough has been done to say where. `told`: arcs of rows that all ranks were
 * told of. The same on all. */
void hop__horizon_begin(hop__paths *work, uint64_t told);

/* All up to the horizon is settled: it is moved, or what is left takes the best of what is settled
 * and there is none any more. Collective. */
hop_status hop__horizon_pass(hop__paths *work);

/* Parents, when all distances are final and those of the ends fetched. Collective. */
hop_status hop__paths_parents(hop__paths *work);

#endif
