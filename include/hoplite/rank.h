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
    /* The heads of the lists that are to be ranked. A head may be any element: what comes before
     * it, like every other element that no head leads to, gets HOP_NO_RANK, and its successor is
     * not looked at. Two heads must not lead to the same element. NULL: element 0 is the head of
     * one list that has all the elements. */
    const hop_vertex *heads;
    hop_vertex head_count;
} hop_rank_options;

#define HOP_RANK_OPTIONS_INIT                                                                      \
    { sizeof(hop_rank_options), NULL, NULL, 0 }
HOP_API void hop_rank_options_init(hop_rank_options *options, size_t size);

#define HOP_NO_RANK UINT32_MAX

/* Ranks the list of `count` elements into the caller's array of as many, which must not be the
 * array of successors. HOP_ERR_INPUT, with the index, in O(count): a successor that is out of
 * range, a cycle, a join of two lists, or, when no heads are given, an element that is not on the
 * list. When the call fails, the ranks are unspecified. Blocking; runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_rank(hop_context *context, const hop_vertex *successors,
                                          hop_vertex count, const hop_rank_options *options,
                                          hop_vertex *ranks);

/* Checks ranks without ranking: HOP_OK, or HOP_ERR_CERTIFICATE with the index, the smallest for
 * which the first broken rule is broken. No ranks are right for lists that hop_rank refuses.
 * Needs count / 8 bytes when there is more than one head, else nothing. Blocking; runs on the
 * context's threads. */
HOP_NODISCARD HOP_API hop_status hop_rank_certify(hop_context *context,
                                                  const hop_vertex *successors, hop_vertex count,
                                                  const hop_rank_options *options,
                                                  const hop_vertex *ranks);

#ifdef __cplusplus
}
#endif
#endif
