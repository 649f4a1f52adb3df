/* SPDX-License-Identifier: Apache-2.0
 *
 * One search of Bellman and Ford with what is best for it: the queue of sssp_bellman_ford.h, or,
 * for graphs with negative weights, rounds on all threads. */
#ifndef HOPLITE_SSSP_SSSP_BELLMAN_ROUNDS_H
#define HOPLITE_SSSP_SSSP_BELLMAN_ROUNDS_H

#include "sssp/bellman/bellman_rounds.h"

typedef enum hop__bellman_order {
    HOP__BELLMAN_AUTO,
    HOP__BELLMAN_QUEUE,
    HOP__BELLMAN_ROUNDS
} hop__bellman_order;

/* Zero before. */
typedef struct hop__bellman_search {
    hop__bellman_ford ford; /* after: the tree, the sums and the counts */
    hop__rounds_job rounds;
    hop__search_end end; /* as hop__bellman_ford_run says */
    hop_vertex place;
} hop__bellman_search;

/* Its arrays, of a team of `threads`. All but the tree and the sums are there in stage 1 only,
 * which is the search's; so what is needed after it can be listed in stage 2. */
enum { HOP__BELLMAN_STAGE = 1 };
void hop__bellman_search_blocks(hop__workspace *space, size_t at, const hop__sssp_query *query,
                                hop__bellman_order order, unsigned threads);
/* With the order and the threads that were listed. Leaves the space in stage 2. The status is about
 * memory only. */
hop_status hop__bellman_search_run(hop__workspace *space, const hop__sssp_query *query,
                                   hop__bellman_order order, unsigned threads,
                                   const hop_vertex *sources, hop_vertex source_count,
                                   void *distances, hop_vertex *parents,
                                   hop__bellman_search *search);

/* Whether the sums of the query are of a width that the rounds can do: int64 with a bit to spare,
 * or exact numbers of two words. Only with negative weights. */
bool hop__bellman_rounds_can(const hop__sssp_query *query);
/* Lists the arrays of the rounds. */
void hop__bellman_rounds_blocks(hop__workspace *space, size_t at, const hop__sssp_query *query,
                                unsigned threads);
/* Distances (or, with exact numbers, sums that are still to be rounded) from the sources. */
void hop__bellman_rounds_run(hop_context *context, const hop__sssp_query *query, unsigned threads,
                             const hop_vertex *sources, hop_vertex source_count, void *distances,
                             hop__bellman_search *search);

#endif
