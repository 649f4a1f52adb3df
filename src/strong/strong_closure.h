/* SPDX-License-Identifier: Apache-2.0
 * What the closure and its certifier share. */
#ifndef HOPLITE_STRONG_STRONG_CLOSURE_H
#define HOPLITE_STRONG_STRONG_CLOSURE_H

#include "core/bitmap.h"
#include "graph/graph_internal.h"
#include "hoplite/closure.h"
#include "problem/problem.h"

/* Which rows are asked for. */
typedef struct hop__closure_query {
    const hop_graph *graph; /* along whose arcs paths lead; turned, if they count backward */
    const hop_vertex *sources;
    hop_vertex source_count; /* n where sources is NULL */
    hop_vertex rows;
    hop_closure_self self;
    bool together;
    bool turn; /* `graph` is to be reversed before */
} hop__closure_query;

static inline hop_vertex hop__closure_source(const hop__closure_query *query, hop_vertex at) {
    return query->sources ? query->sources[at] : at;
}

/* Reads what the caller gave, checks it. */
hop_status hop__closure_take(hop_context *context, const hop_graph *graph,
                             const hop_closure_options *given, hop__closure_query *query,
                             hop_run *run);

/* What one thread needs to find a row again. Both arrays have n elements (bits of `seen`), which
 * are clear before and after. */
typedef struct hop__closure_search {
    uint64_t *seen, *named; /* bits: arrived at, and sources */
    hop_vertex *queue;
} hop__closure_search;

/* Rows as the callback gets them. `searches`: one for each thread that there may be. */
hop_status hop__closure_check(hop_context *context, const hop__closure_query *query,
                              hop__closure_search *searches, hop_vertex first, hop_vertex count,
                              const uint64_t *offsets, const hop_vertex *vertices);

#endif
