/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of undirected graphs that hold every edge in both directions (METIS, our own DIMACS):
 * checks that they do, and keeps each edge once. */
#ifndef HOPLITE_IO_FORMATS_ARC_FOLD_H
#define HOPLITE_IO_FORMATS_ARC_FOLD_H

#include "io/formats/format.h"

/* Whether the arcs with from > to are those with from < to turned round, weights included. If not,
 * *culprit is the number of an arc without its reverse. Ids are 4 bytes wide. */
hop_status hop__arcs_compare(hop_context *context, hop__edge_list *list, bool *symmetric,
                             uint64_t *culprit);

/* Keeps the arcs with from <= to, in their order. */
hop_status hop__arcs_fold(hop_context *context, hop__edge_list *list);

/* How many arcs have from <= to: the edges of a list that is symmetric. */
uint64_t hop__arcs_edges(hop_context *context, hop__edge_list *list);

#endif
