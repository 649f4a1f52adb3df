/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists cut into sublists by splitters: what `splitter` and `interleaved` share.
 *
 * Splitters 0 .. head_count - 1 are the heads, in their order; the others are random elements.
 * A sublist begins at its splitter and ends before the next one, or with a tail. Walks over
 * different sublists need not know of each other, as long as the successors are lists. Where they
 * are not, or where elements that no head leads to point into a list, two walks may meet: then
 * hop__sublists_link, or the variant itself, finds that something does not fit, and the question
 * goes to hop__rank_retreat.
 *
 * Why none goes unnoticed: if an element is on the paths of two walks, so is all that follows it.
 * Both end at the same splitter, or at the same tail, whose cell has one of them, or one ends where
 * the other has been (MET), or both come to a cycle without a splitter, which is on no list. MET
 * counts even if no head leads to that walk: between its look and its store another may have
 * passed, and then it has left its mark on a list before it met the other one. */
#ifndef HOPLITE_RANK_RANK_SUBLISTS_H
#define HOPLITE_RANK_RANK_SUBLISTS_H

#include "rank/rank_internal.h"

/* What stands in `next` where there is no next splitter. */
#define HOP__SUBLIST_TAIL    (UINT32_MAX - 1) /* it ends with a tail */
#define HOP__SUBLIST_NOWHERE UINT32_MAX       /* it leads out of range, or back to itself */
#define HOP__SUBLIST_MET     (UINT32_MAX - 2) /* it leads into another sublist, or was given up */

typedef struct hop__sublists {
    uint32_t count;
    hop_vertex *splitter; /* the element that it begins with */
    uint32_t *next;       /* the sublist that follows */
    hop_vertex *length;   /* links from its splitter to the next one, or to the tail */
    hop_vertex *tail;     /* if it ends with one */
    hop_vertex *rank;     /* of its splitter; HOP_NO_RANK when no head leads to it */
} hop__sublists;

/* Lists room for `most` sublists; the struct is `at` bytes from the beginning of the state. */
void hop__sublists_blocks(hop__workspace *space, size_t at, uint64_t most);

/* Ranks the splitters, following the sublists from each head; sequential, O(sublists).
 * HOP_ERR_INPUT when a head leads nowhere or into a cycle, when two sublists lead to the same one
 * or one has MET another, or when the one list is not whole. */
enum { HOP__SUBLIST_LINK_BYTES = 28 }; /* of each: rank and next twice over, length once */
hop_status hop__sublists_link(const hop__rank_query *query, hop__sublists *sublists);

/* The walks have met what they should not have. If every element should be on the list, that is
 * an error; if not, it may be elements that do not matter, and `sequential` decides. */
hop_status hop__rank_retreat(hop_context *context, hop__rank_task *task);

#endif
