/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of distances between two sets of vertices: how far is it from each of these sources to
 * each of these targets? A row for each source, a column for each target, in the order in which
 * they are named, as often as they are named. What a distance is, sssp.h says; an entry is that of
 * hop_sssp from its source, bit by bit, HOP_NO_DISTANCE or infinity when there is no path.
 *
 *     hop_table_options options = HOP_TABLE_OPTIONS_INIT;
 *     options.sources = homes, options.source_count = 3;
 *     options.targets = shops, options.target_count = 2;
 *     int64_t table[6] = ...;
 *     status = hop_distance_table(context, graph, &options, HOP_SPAN(table, 6)); */
#ifndef HOPLITE_TABLE_H
#define HOPLITE_TABLE_H

#include "hoplite/apsp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_table_options {
    size_t size;        /* sizeof(hop_table_options), set by the initialiser */
    const hop_run *run; /* NULL: the defaults */
    /* The rows, and the columns; NULL: all vertices. Of none, there is no row, or no column. */
    const hop_vertex *sources;
    hop_vertex source_count;
    const hop_vertex *targets;
    hop_vertex target_count;
} hop_table_options;

#define HOP_TABLE_OPTIONS_INIT                                                                     \
    { sizeof(hop_table_options), NULL, NULL, 0, NULL, 0 }
HOP_API void hop_table_options_init(hop_table_options *options, size_t size);

/* The bytes of the whole table, for those who are about to allocate it; *bytes is set (UINT64_MAX
 * when it cannot be expressed) also when they are more than is free of the context's budget, which
 * is HOP_ERR_BUDGET. */
HOP_NODISCARD HOP_API hop_status hop_distance_table_bytes(hop_context *context,
                                                          const hop_graph *graph,
                                                          const hop_table_options *options,
                                                          uint64_t *bytes);

/* The whole table, row after row, into the caller's array of sources times targets, of
 * hop_distance_type, which does not count against the budget. NULL is allowed for a plan alone.
 *
 * Searches are those of hop_apsp_rows from some vertices: the variants (options->run) are those of
 * hop_apsp, up to 512 searches at once where there are no weights, and so are the certificate,
 * which is asked for each search before its distances are taken, the report, and the errors: a
 * cycle of negative sum anywhere is HOP_ERR_NEGATIVE_CYCLE. With floating point the library
 * chooses among the variants of the host that have the bits of hop_sssp; one that is named may
 * have others (apsp.h).
 *
 * There are as many searches as there are sources or, where that is less, as there are targets:
 * these search against the arcs, for which a directed graph is turned round unless its reverse arcs
 * are prepared (hop_graph_prepare). Not with floating point, which adds up from the source on, nor
 * with weights below 0 or integers whose sums may leave int64.
 *
 * Memory: what some rows of all pairs take, with room for a row for each thread; of a graph that is
 * turned round 4 bytes and a weight per arc, and 28 per arc while it is made. Blocking; runs on the
 * context's threads. */
HOP_NODISCARD HOP_API hop_status hop_distance_table(hop_context *context, const hop_graph *graph,
                                                    const hop_table_options *options,
                                                    const hop_span *table);

/* The same, but rows are handed over in blocks, in ascending order, each row once: rows first ..
 * first+count-1, count * target_count items (see hop_apsp_rows_fn), and none are kept: for tables
 * that are larger than memory.
 *
 * Where the targets are searched, a block of rows is only complete with the last of them. Half of
 * the budget that is free is for such a block; a table that does not fit is made in several, with a
 * search from each target for each, if these are still fewer searches than there are sources. */
HOP_NODISCARD HOP_API hop_status hop_distance_table_rows(hop_context *context,
                                                         const hop_graph *graph,
                                                         const hop_table_options *options,
                                                         hop_apsp_rows_fn rows, void *user);

#ifdef __cplusplus
}
#endif
#endif
