/* SPDX-License-Identifier: Apache-2.0
 *
 * List ranking: how many links each element of a list is away from its tail.
 *
 * The list is an array of successors; the tail is its own successor. Several lists may share the
 * array. rank[i] is the number of links from i to the tail of its list, so a tail has rank 0. */
#ifndef HOPLITE_RANK_H
#define HOPLITE_RANK_H

#include "hoplite/graph.h"
#include "hoplite/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_rank_options {
    size_t size;        /* sizeof(hop_rank_options), set by the initialiser */
    const hop_run *run; /* NULL: the defaults */
    /* The heads of the lists that are to be ranked. NULL: element 0 is the head of one list that
     * has all the elements; anything else is refused with the index. Elements that no head leads
     * to get HOP_NO_RANK. Two heads must not lead to the same element. */
    const hop_vertex *heads;
    hop_vertex head_count;
} hop_rank_options;

#define HOP_RANK_OPTIONS_INIT                                                                      \
    { sizeof(hop_rank_options), NULL, NULL, 0 }

#define HOP_NO_RANK UINT32_MAX

/* Ranks the list of `count` elements into the caller's array of as many. A successor that is out
 * of range, a cycle, a join of two lists, or an element that is not on the list (no heads given)
 * is refused with its index, in O(count). Blocking; runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_rank(hop_context *context, const hop_vertex *successors,
                                          hop_vertex count, const hop_rank_options *options,
                                          hop_vertex *ranks);

/* Checks ranks without ranking: HOP_OK, or HOP_ERR_CERTIFICATE with the index. */
HOP_NODISCARD HOP_API hop_status hop_rank_certify(hop_context *context,
                                                  const hop_vertex *successors, hop_vertex count,
                                                  const hop_rank_options *options,
                                                  const hop_vertex *ranks);

#ifdef __cplusplus
}
#endif
#endif
