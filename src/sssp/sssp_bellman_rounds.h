/* SPDX-License-Identifier: Apache-2.0
 *
 * The search of Bellman and Ford on all threads, for graphs with negative weights. */
#ifndef HOPLITE_SSSP_SSSP_BELLMAN_ROUNDS_H
#define HOPLITE_SSSP_SSSP_BELLMAN_ROUNDS_H

#include "sssp/sssp_bellman_ford.h"

/* Whether the sums of the query are of a width that the rounds can do: int64 with a bit to spare,
 * or exact numbers of two words. Only with negative weights. */
bool hop__bellman_rounds_can(const hop__sssp_query *query);
/* Bytes that a run allocates with a team of `threads`. */
uint64_t hop__bellman_rounds_memory(const hop__sssp_query *query, unsigned threads);
/* Distances (or, with exact numbers, sums that are still to be rounded) from the sources. Leaves
 * `tree`, `sums`, `passes` and `relaxations` in `space`, which was empty; *end and *place are as
 * those of hop__bellman_ford_run. The status is about memory only. */
hop_status hop__bellman_rounds_run(hop_context *context, const hop__sssp_query *query,
                                   const hop_vertex *sources, hop_vertex source_count,
                                   void *distances, hop__bellman_ford *space, hop__search_end *end,
                                   hop_vertex *place);

#endif
