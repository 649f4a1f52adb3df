/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search has read of a graph on disk, for its report. "blocks touched" are different ones:
 * bytes read against what these take is how often the search read what it needs. */
#ifndef HOPLITE_PROBLEM_ARC_COUNTS_H
#define HOPLITE_PROBLEM_ARC_COUNTS_H

#include "problem/phases.h"
#include "store/arc_visit.h"

static inline void hop__count_reads(hop_context *context, const hop__arcs *arcs) {
    hop__arcs_read read = hop__arcs_reads(arcs);
    hop__count(context, "bytes read", read.bytes);
    hop__count(context, "reads", read.reads);
    hop__count(context, "blocks", read.blocks);
    hop__count(context, "blocks touched", read.different);
}

#endif
