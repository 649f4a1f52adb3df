/* SPDX-License-Identifier: Apache-2.0
 *
 * A batch of pairs, grouped: what sssp_pairs.c prepares and sssp_pairs_search.c searches. */
#ifndef HOPLITE_SSSP_SSSP_PAIRS_H
#define HOPLITE_SSSP_SSSP_PAIRS_H

#include "hoplite/pairs.h"
#include "sssp/sssp_internal.h"

/* Of a group of more pairs none is searched for from both ends. With hubs that is the shorter way
 * for some 50 pairs, on lattices for one: which of them it is, searches tell as they go. */
enum { HOP__PAIRS_FEW = 64 };

typedef struct hop__pairs_task {
    hop__sssp_query query;     /* of the graph, without sources and limits */
    const hop_graph *graph;    /* that is searched: turned round if `turned` */
    const hop_graph *backward; /* with all arcs of that turned round; NULL: there is none */
    const hop_edge *pairs;
    uint64_t count;         /* at most 2^32 */
    const uint64_t *keys;   /* the end of a pair that it is grouped by << 32 | its index; sorted */
    uint64_t groups, small; /* groups; those of at most HOP__PAIRS_FEW pairs */
    bool turned;            /* grouped by targets */
    void *distances;        /* of all pairs */
    unsigned most_workers, workers;
    uint64_t free_bytes; /* of the budget */
    uint64_t searches, relaxations;
} hop__pairs_task;

extern const hop__problem hop__pairs_problem;

#endif
