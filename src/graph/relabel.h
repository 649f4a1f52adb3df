/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse ids to vertex numbers: the distinct ids, in ascending order, are vertices 0..n-1.
 *
 * Ids that are not much larger than their number are marked in a bitmap, and a vertex number is a
 * rank in it. Others are sorted, and a vertex number is found by binary search. */
#ifndef HOPLITE_GRAPH_RELABEL_H
#define HOPLITE_GRAPH_RELABEL_H

#include "core/context_internal.h"
#include "hoplite/graph.h"

typedef struct hop__relabelled {
    hop_vertex vertices;
    hop_vertex *from, *to; /* one per edge */
    uint64_t *labels;      /* NULL when the ids are first_id, first_id + 1 ... */
    uint64_t first_id;     /* then */
} hop__relabelled;

/* `labels`, strictly ascending, `label_count` of them, are all the ids there may be; NULL: those
 * that occur. `edges` has its stride filled in. */
hop_status hop__relabel(hop_context *context, const hop_edges *edges, const uint64_t *labels,
                        uint64_t label_count, hop__relabelled *result);
void hop__relabelled_clear(hop__relabelled *result);

#endif
