/* SPDX-License-Identifier: Apache-2.0
 *
 * Shortest paths between all pairs: row u of the matrix holds the distances from u.
 *
 * n * n distances may be more than memory holds, so there are several ways to get them: the whole
 * matrix in the caller's memory (which may be a mapped file); row blocks through a callback, within
 * the context's budget; the rows of some vertices alone; or only what the rows say as a whole:
 * eccentricities, diameter, radius, mean distance.
 *
 * Distances are those of hop_sssp from each vertex: what sssp.h says of integers, floating point,
 * infinite weights and sums that do not fit holds here. The distance from a vertex to itself is 0.
 * Unreached is HOP_NO_DISTANCE (int64), HOP_NO_DISTANCE_32 (int32) or infinity.
 *
 * Integer distances are the same bits from every variant. Floating point: the variants that search
 * from one source after another (bfs, dijkstra, bellman-ford, johnson) give the bits of hop_sssp.
 * Those that work on the matrix (all others) add up a path in another order; they take no
 * negative floating-point weights, so each of at most n - 1 additions rounds by a factor between
 * 1 - epsilon / 2 and 1 + epsilon / 2. The tolerance: two such distances d and e of a pair satisfy
 *     |d - e| <= (n - 1) * epsilon * max(d, e),
 * and are both infinite, or both finite, or one is infinite and the other at least
 * (1 - (n - 1) * epsilon) times the largest number of the type. (Additions of numbers that are not
 * normal are exact.)
 *
 * A cycle of negative sum anywhere in the graph: HOP_ERR_NEGATIVE_CYCLE, the matrix is
 * unspecified, no rows are handed over, and hop_context_cycle has the cycle. */
#ifndef HOPLITE_APSP_H
#define HOPLITE_APSP_H

#include "hoplite/sssp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Not reached, in a matrix of int32. */
#define HOP_NO_DISTANCE_32 INT32_MAX

/* What the rows of a call say as a whole; filled in on HOP_OK only. A vertex's eccentricity is the
 * greatest distance from it to a vertex that it reaches; itself counts, so it is 0 where nothing
 * else is reached. Of several that are as good the first is named. */
typedef struct hop_apsp_summary {
    size_t size;        /* sizeof(hop_apsp_summary), set by the initialiser */
    uint64_t rows;      /* that there were; when 0, the rest is 0 */
    uint64_t connected; /* pairs of different vertices, the first a row's, that have a distance */
    double sum;         /* of their distances, row by row; by one variant the same bits always */
    double mean;        /* distance; 0 where no pair is connected */
    /* The greatest and the least eccentricity; of integer distances also exactly. */
    double diameter, radius;
    int64_t diameter_int, radius_int;
    hop_vertex diameter_from, diameter_to; /* a pair that far apart */
    hop_vertex center;                     /* a vertex with that radius */
    /* NULL, or set by the caller: an array of the distance type with a place for each row, for the
     * eccentricities. */
    const hop_span *eccentricities;
} hop_apsp_summary;

#define HOP_APSP_SUMMARY_INIT                                                                      \
    { sizeof(hop_apsp_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL }
HOP_API void hop_apsp_summary_init(hop_apsp_summary *summary, size_t size);

typedef struct hop_apsp_options {
    size_t size;        /* sizeof(hop_apsp_options), set by the initialiser */
    const hop_run *run; /* NULL: the defaults */
    /* HOP_TYPE_NONE (the default): as hop_distance_type says. HOP_TYPE_INT32, for integer
     * weights and none, halves the matrix; refused (HOP_ERR_UNSUPPORTED) where (n - 1) * max |w|
     * may not fit below HOP_NO_DISTANCE_32. */
    hop_weight_type distance_type;
    /* With run->certify, and in hop_apsp_certify: rows to check, drawn at random by the context's
     * seed; 0: all. */
    hop_vertex certify_rows;
    /* NULL, or the name of a file in which the matrix may be kept when it does not fit the budget
     * (variant blocked-disk). It is made, and removed when the rows have been handed over. When
     * the program was killed or cancelled, the file stays, and the same call goes on from there:
     * at most one round of the work is lost, and the result is the same bytes. A file of another
     * graph, or one that is damaged (tiles have checksums), is HOP_ERR_INPUT. With NULL,
     * blocked-disk runs only where it is asked for by name, on a file without a name in TMPDIR,
     * which nothing can go on from. */
    const char *scratch;
    /* NULL: every vertex has its row. Else row i is that of sources[i], in any order and as often
     * as it is named, and there are source_count rows: of the matrix in hop_apsp, of what the
     * callback gets (numbered from 0), of what is certified. Variants that search from each source
     * search from these alone; those that work on the matrix make all of it, inside the budget. */
    const hop_vertex *sources;
    hop_vertex source_count;
} hop_apsp_options;

#define HOP_APSP_OPTIONS_INIT                                                                      \
    { sizeof(hop_apsp_options), NULL, HOP_TYPE_NONE, 0, NULL, NULL, 0 }
HOP_API void hop_apsp_options_init(hop_apsp_options *options, size_t size);

/* The type of the distances that these options give for this graph. */
HOP_API hop_weight_type hop_apsp_distance_type(const hop_graph *graph,
                                               const hop_apsp_options *options);

/* The bytes of the whole matrix, for those who are about to allocate it. *bytes is set (UINT64_MAX
 * when it cannot be expressed) also when they are more than is free of the context's budget, which
 * is HOP_ERR_BUDGET with a message that says what can be done. */
HOP_NODISCARD HOP_API hop_status hop_apsp_matrix_bytes(hop_context *context, const hop_graph *graph,
                                                       const hop_apsp_options *options,
                                                       uint64_t *bytes);

/* The whole matrix, row after row, into the caller's array of n * n (with sources: source_count *
 * n), which does not count against the budget. One of another type than hop_apsp_distance_type, or
 * with fewer items, is HOP_ERR_ARGUMENT. `summary` may be NULL. Blocking; runs on the context's
 * threads. */
HOP_NODISCARD HOP_API hop_status hop_apsp(hop_context *context, const hop_graph *graph,
                                          const hop_apsp_options *options, const hop_span *matrix,
                                          hop_apsp_summary *summary);

/* Rows first .. first+count-1 (of the sources, if there are any), count * n items in all, of the
 * type of the distances; they are valid during the call.
 * Called on the thread that made the call, in ascending order, each row once. It must not use the
 * context. Return false to stop (HOP_ERR_CANCELLED). */
typedef bool (*hop_apsp_rows_fn)(void *user, hop_vertex first, hop_vertex count,
                                 const hop_view *rows);

/* The rows in blocks that fit the budget, of 64 MiB at most (or one row per thread). A variant that
 * works on the whole matrix needs all of it inside the budget; it then comes as one block, or with
 * sources as one for each run of neighbours among them. `summary` may be NULL. So may `rows` if it
 * is not: then nothing is kept of the rows. With run->certify each block is checked before it is
 * handed over. */
HOP_NODISCARD HOP_API hop_status hop_apsp_rows(hop_context *context, const hop_graph *graph,
                                               const hop_apsp_options *options,
                                               hop_apsp_rows_fn rows, void *user,
                                               hop_apsp_summary *summary);

/* Checks rows first .. first+count-1 of a matrix, each by the certificate of shortest paths from
 * its vertex: no arc makes a distance shorter, and arcs that are tight lead to everything that is
 * reached. HOP_OK, or HOP_ERR_CERTIFICATE with the pair; of several wrong rows any is named.
 * Blocking; runs on the context's threads.
 *
 * Floating point without negative weights: arcs that are tight within the tolerance above are
 * followed, and what hop_sssp gives is added up along them; each entry must be within the tolerance
 * of that. If options->run->variant names a variant that gives the bits of hop_sssp, only those are
 * right. With negative weights the distances alone do not tell which arcs are tight (see
 * hop_sssp_certify): exact sums are added up along arcs that may be, and must round to the
 * entries. */
HOP_NODISCARD HOP_API hop_status hop_apsp_certify(hop_context *context, const hop_graph *graph,
                                                  const hop_apsp_options *options, hop_vertex first,
                                                  hop_vertex count, const hop_view *rows);

/* A shortest path from `source` to `target`, found backwards from row `source` of a matrix (of the
 * options' distance type) over reverse arcs (hop_graph_prepare with HOP_PREPARE_REVERSE; without
 * them all arcs are looked at once). Of several, one with the fewest arcs. path[0] is the source,
 * path[*length - 1] the target; *length is 0 when the target is not reached. `path` NULL only
 * counts; a path longer than `room` is HOP_ERR_ARGUMENT, with *length set to what is needed. A row
 * that is not one of distances from `source` is HOP_ERR_INPUT.
 *
 * Rows of floating point that were added up in another order have no tight arcs: there each arc of
 * the path is tight within the tolerance above. Negative floating-point weights are
 * HOP_ERR_UNSUPPORTED: hop_sssp gives their parents. Blocking; runs on the calling thread. */
HOP_NODISCARD HOP_API hop_status hop_apsp_path(hop_context *context, const hop_graph *graph,
                                               const hop_apsp_options *options, hop_vertex source,
                                               hop_vertex target, const hop_view *row,
                                               hop_vertex *path, hop_vertex room,
                                               hop_vertex *length);

#ifdef __cplusplus
}
#endif
#endif
