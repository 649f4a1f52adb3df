/* SPDX-License-Identifier: Apache-2.0
 *
 * What can be wrong with successors, and its words: for the library and for lists that are spread
 * over the ranks of a cluster, so that both refuse the same in the same words. */
#ifndef HOPLITE_RANK_RANK_FAULT_H
#define HOPLITE_RANK_RANK_FAULT_H

#include "core/context_internal.h"

/* How a walk along the successors ends. */
typedef enum hop__rank_ending {
    HOP__RANK_TAIL,
    HOP__RANK_OUT_OF_RANGE,
    HOP__RANK_CYCLE,
    HOP__RANK_JOIN,
    HOP__RANK_STOPPED /* by the caller's wish */
} hop__rank_ending;

typedef struct hop__rank_fault {
    hop__rank_ending how;
    uint64_t element;          /* the tail, the one whose successor is out of range, or the one
                                * that was met again */
    uint64_t head;             /* where the walk began */
    uint64_t other;            /* of a join: the head of the list that was there before */
    uint64_t successor, count; /* out of range: of `count` elements */
    bool left_over;            /* `head` should be on the one list from element 0, and is not */
} hop__rank_fault;

/* HOP_ERR_INPUT with the message. */
HOP_API hop_status hop__rank_refuse(hop_context *context, const hop__rank_fault *fault);

#endif
