/* SPDX-License-Identifier: Apache-2.0
 *
 * How searches over the rows of a graph begin on a device, whatever they look for: the variant's
 * program and the one that all variants of the problem share, slices of launches, and the sources.
 */
#ifndef HOPLITE_PROBLEM_DEVICE_SEARCH_H
#define HOPLITE_PROBLEM_DEVICE_SEARCH_H

#include "kernels/sweep.h"
#include "problem/device_graph.h"

typedef struct hop__search_programs {
    const char *phase; /* for messages: "bfs: frontier" */
    const hop__program_source *own, *common;
    const hop__define *shared; /* definitions of both programs */
    size_t shared_count;
    const hop__define *defines; /* those of the variant's own */
    size_t define_count;
    const double *form; /* values of the form's parameters */
    const hop_graph *graph;
    uint64_t slice_arcs; /* arcs of a launch at most, about; 0: 2^24 */
} hop__search_programs;

/* Gets both programs, each with its sweeper. Launches of the variant's own over vertices are cut so
 * that they have at most slice_arcs, if rows are of average length. */
hop_status hop__search_begin(hop__device *device, const hop__search_programs *plan,
                             hop__sweeper *own, hop__sweeper *common);

typedef struct hop__search_sources {
    const hop_vertex *sources; /* the caller's */
    uint64_t count;
    hop__buffer **slot; /* of the workspace, `later`: where they are meanwhile */
    hop__buffer *tail;  /* one word, 0: gets the number of those that were started */
    hop__buffer *counter;
    unsigned word; /* of the counter, which gets the same */
} hop__search_sources;

/* Launches "sources_start" of the common program over the sources; they are its first argument,
 * which is left for this to set. Waits for it, because the sources are the caller's, unless there
 * is one only. */
hop_status hop__search_start(hop__workspace *space, hop__sweeper *common,
                             const hop__search_sources *plan, hop__argument *arguments,
                             size_t argument_count);

#endif
