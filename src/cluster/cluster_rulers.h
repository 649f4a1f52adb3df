/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists that are spread over the ranks, cut at rulers: see cluster_rulers.c. */
#ifndef HOPLITE_CLUSTER_CLUSTER_RULERS_H
#define HOPLITE_CLUSTER_CLUSTER_RULERS_H

#include "cluster/cluster_deal.h"
#include "cluster/cluster_graph.h"

/* Marks of an element. */
enum {
    HOP__RULER = 1,
    HOP__RULED = 2,    /* a ruler, or on the way of one */
    HOP__STOPS = 4,    /* its successor is a ruler */
    HOP__IS_NAMED = 8, /* it is a successor */
    /* Ends, as the marks of an end itself; shifted by HOP__BEFORE of the element before it. */
    HOP__IS_TAIL = 16,
    HOP__IS_BAD = 32, /* its successor does not exist */
    HOP__BEFORE = 2
};

/* Where a ruler's way leads: a later ruler, and the links to it. */
typedef struct hop__ruler_jump {
    uint64_t next; /* with HOP__AT_TAIL or HOP__AT_BAD: it is an end, and all is known */
    uint64_t links;
} hop__ruler_jump;
#define HOP__AT_TAIL (UINT64_C(1) << 62)
#define HOP__AT_BAD  (UINT64_C(1) << 63)
#define HOP__AT_END  (HOP__AT_TAIL | HOP__AT_BAD)

#define HOP__NO_LABEL UINT64_MAX

typedef struct hop__rulers {
    hop_cluster *cluster;
    hop__deal deal; /* of the elements */
    const uint64_t *successors;
    uint64_t *ranks; /* in the end; until then, of a ruler, its number */
    /* Heads: those of the array, or all elements that no other leads to. */
    const uint64_t *heads;
    uint64_t head_count;
    bool all;
    bool labelled; /* which heads lead to a ruler is wanted */
    unsigned char *marks;
    /* Of this rank's rulers, in their order. */
    uint64_t count;
    uint32_t *places;
    hop__ruler_jump *jumps;
    /* If labelled: the ruler that follows; the first head, by its number in the array (by itself if
     * `all`), that leads to this one; and of the labels that come by different ways the first
     * and the second. */
    uint64_t *links, *labels, *firsts, *seconds;
} hop__rulers;

/* Of all ranks: jumps of rulers to their ends, or where there is none into the cycle; labels.
 * Collective. To be closed in any case. */
hop_status hop__rulers_solve(hop__rulers *rulers, hop_status status);
/* Ranks of all elements: of those that rulers which are reached lead to. Collective. */
hop_status hop__rulers_fill(hop__rulers *rulers);
void hop__rulers_close(hop__rulers *rulers);

/* The element that is a ruler of this rank, by its number; and whether it is to have a rank. */
static inline uint64_t hop__ruler_element(const hop__rulers *rulers, uint64_t ruler) {
    return rulers->deal.first + rulers->places[ruler];
}
static inline bool hop__ruler_reached(const hop__rulers *rulers, uint64_t ruler) {
    return rulers->labelled ? rulers->labels[ruler] != HOP__NO_LABEL
                            : (rulers->jumps[ruler].next & HOP__AT_TAIL) != 0;
}

#endif
