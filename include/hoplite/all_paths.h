/* SPDX-License-Identifier: Apache-2.0
 *
 * All shortest paths from a source: the arcs that they are made of, how many there are, and one
 * after the other.
 *
 *     hop_path_dag *dag;
 *     status = hop_path_dag_create(context, graph, source, NULL, &dag);
 *     uint64_t paths = hop_path_dag_counts(dag)[target];
 *     hop_path_walk *walk;
 *     status = hop_path_walk_create(context, dag, target, &walk);
 *     while ((status = hop_path_walk_next(context, walk, &path, &length)) == HOP_OK && length > 0)
 *         ... path[0] is the source, path[length - 1] the target
 *
 * A path is a sequence of vertices, none of them twice, so parallel arcs make no second one. An arc
 * u -> v of weight w is on a shortest path when d[u] + w = d[v], added as in sssp.h. Such arcs,
 * without loops and those back to the source, are the predecessors below. They form no cycle, but
 * where a cycle of weight 0 can be reached: there both of its ends are predecessors of each other.
 * The paths are then still all listed, each once; how many they are is not counted, since nothing
 * is known that counts paths past cycles without listing them (Valiant 1979).
 *
 * Weights as in sssp.h, but no float below 0 (HOP_ERR_UNSUPPORTED): distances are then rounded
 * sums, and do not tell which arcs they are made of. */
#ifndef HOPLITE_ALL_PATHS_H
#define HOPLITE_ALL_PATHS_H

#include <math.h>

#include "hoplite/graph.h"
#include "hoplite/type.h"
#include "hoplite/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_path_dag hop_path_dag;
typedef struct hop_path_walk hop_path_walk;

typedef struct hop_path_dag_options {
    size_t size;        /* sizeof(hop_path_dag_options), set by the initialiser */
    const hop_run *run; /* of the search, which is hop_sssp; NULL: the defaults */
    /* As in hop_sssp_options: the search stops when these are settled, or beyond the cutoff; what
     * is farther is not reached. With a negative weight they are not looked at. */
    const hop_vertex *targets;
    hop_vertex target_count;
    double cutoff;
} hop_path_dag_options;

#define HOP_PATH_DAG_OPTIONS_INIT                                                                  \
    { sizeof(hop_path_dag_options), NULL, NULL, 0, HUGE_VAL }
HOP_API void hop_path_dag_options_init(hop_path_dag_options *options, size_t size);

/* How many paths there are, where that is no number: so many or more; and not known, because a
 * path may pass a cycle of weight 0. */
#define HOP_PATHS_MANY    (UINT64_MAX - 1)
#define HOP_PATHS_UNKNOWN UINT64_MAX

/* Searches and makes the predecessors. It does not keep the graph. 28 bytes per vertex and 4 per
 * predecessor, while it is made 4 bytes per vertex more, beside the search. With run->certify the
 * distances are certified, then all predecessors and counts compared with the arcs. With run->plan
 * only the search is planned, and *dag is NULL. The same on any number of threads. Blocking; the
 * search runs on the context's threads, the rest on the calling one: O(n + m). */
HOP_NODISCARD HOP_API hop_status hop_path_dag_create(hop_context *context, const hop_graph *graph,
                                                     hop_vertex source,
                                                     const hop_path_dag_options *options,
                                                     hop_path_dag **dag);
/* NULL is allowed. Any thread, when no walk uses it any more. */
HOP_API void hop_path_dag_free(hop_path_dag *dag);

/* The predecessors of v are predecessors[offsets[v]] .. predecessors[offsets[v + 1] - 1],
 * ascending. Of the source, and of what is not reached, none. n + 1 offsets. */
HOP_API hop_vertex hop_path_dag_vertices(const hop_path_dag *dag);
HOP_API const uint64_t *hop_path_dag_offsets(const hop_path_dag *dag);
HOP_API const hop_vertex *hop_path_dag_predecessors(const hop_path_dag *dag);
/* Of each vertex, the number of shortest paths to it: 1 of the source, 0 where it is not reached,
 * exact below HOP_PATHS_MANY. */
HOP_API const uint64_t *hop_path_dag_counts(const hop_path_dag *dag);
/* The n distances; `type` (may be NULL) gets theirs, as hop_distance_type says. */
HOP_API const void *hop_path_dag_distances(const hop_path_dag *dag, hop_type *type);

/* All shortest paths to the target, in lexicographic order of their vertices. The first one is
 * there after O(size of the predecessors), the next ones after O(length) each; where a path may
 * pass a cycle of weight 0, after O(length * size). 29 bytes per vertex and 4 per predecessor. The
 * dag must live as long. Blocking; runs on the calling thread. */
HOP_NODISCARD HOP_API hop_status hop_path_walk_create(hop_context *context, const hop_path_dag *dag,
                                                      hop_vertex target, hop_path_walk **walk);
/* NULL is allowed. */
HOP_API void hop_path_walk_free(hop_path_walk *walk);
/* The next path; *length is 0 when there is none any more. *path is valid until the next call. */
HOP_NODISCARD HOP_API hop_status hop_path_walk_next(hop_context *context, hop_path_walk *walk,
                                                    const hop_vertex **path, hop_vertex *length);

#ifdef __cplusplus
}
#endif
#endif
