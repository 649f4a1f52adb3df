/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs that are spread over the processes (ranks) of an MPI job: for graphs that are too large
 * for one machine. Not part of hoplite.h: these functions are in a library of their own,
 * libhoplite_mpi, which is built where MPI is found.
 *
 * 1. Answers are those of the library, bit by bit, for every number of ranks.
 * 2. Every call that takes a cluster is collective, unless its comment says otherwise: all ranks
 *    make it, with the same arguments but for what is said to be a rank's own. It blocks until
 *    its part is done. Calls or arguments that differ are found and refused on all ranks.
 * 3. A failure on one rank is the failure of the call on every rank: the same status, and the same
 *    message, which names the rank.
 * 4. Vertex ids have 64 bits. Vertex state, such as labels, is spread evenly: rank r has the
 *    vertices hop_cluster_first .. hop_cluster_first + hop_cluster_count - 1, ranks in order. No
 *    rank has an array with an element for each vertex of the graph.
 * 5. Arcs are spread evenly, to within one, in the order of their ends; a row may be on
 *    several ranks, so that a vertex of many arcs is no burden for any.
 * 6. A process that ends, or a network that fails, is an error of MPI. As MPI is started by default
 *    it ends the job; where it returns instead, the call fails with HOP_ERR_IO on this rank and no
 *    later call of this cluster is possible.
 * 7. The progress callback of a rank's context is told what this rank does: steps of a search where
 *    there are any, else phases. Each context may have one or none. One that asks to stop ends the
 *    call on all ranks, with HOP_ERR_CANCELLED, at the next exchange. */
#ifndef HOPLITE_CLUSTER_H
#define HOPLITE_CLUSTER_H

#include "hoplite/bfs.h"
#include "hoplite/detail.h"
#include "hoplite/generate.h"
#include "hoplite/graph.h"
#include "hoplite/sssp.h"
#include "hoplite/type.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_cluster hop_cluster;
typedef struct hop_cluster_graph hop_cluster_graph;

typedef struct hop_cluster_options {
    size_t size; /* sizeof(hop_cluster_options), set by the initialiser */
    /* Of the MPI_Comm whose ranks take part: a communicator of its own is made from it. NULL:
     * MPI_COMM_WORLD. */
    const void *communicator;
    /* The most bytes of one message; longer ones are cut. 0: 2^30. At most 2^31 - 1. */
    uint64_t message_bytes;
} hop_cluster_options;

#define HOP_CLUSTER_OPTIONS_INIT                                                                   \
    { sizeof(hop_cluster_options), NULL, 0 }

/* Joins the ranks of a communicator. Where MPI is not initialised yet, this does it, and
 * hop_cluster_free ends it: a program needs no MPI code of its own. The context is this rank's; it
 * must outlive the cluster, and has the message of a failure. Its budget is for this rank.
 * Collective: the failure of one rank is that of all, but where its MPI cannot be started. */
HOP_NODISCARD HOP_API hop_status hop_cluster_create(hop_context *context,
                                                    const hop_cluster_options *options,
                                                    hop_cluster **cluster);
/* Collective. NULL is allowed. */
HOP_API void hop_cluster_free(hop_cluster *cluster);

/* Not collective. */
HOP_API uint64_t hop_cluster_rank(const hop_cluster *cluster);
HOP_API uint64_t hop_cluster_ranks(const hop_cluster *cluster);

/* Whether `status`, each rank's own, is HOP_OK everywhere; else the failure of the lowest rank that
 * has one, with its message, on all. For a caller's own steps between two calls. */
HOP_NODISCARD HOP_API hop_status hop_cluster_agree(hop_cluster *cluster, hop_status status);

/* Reads a file that every rank can open, each rank its own part; no rank reads all of it. Fully
 * validated. The native format (.npz): a block that differs from its checksum is named
 * (HOP_ERR_INPUT); names of vertices are not kept, hop_cluster_vertex_find finds them in the file.
 * Formats edge-list, matrix-market, dimacs, graph500 and graph500-64, as hop_graph_read reads them
 * with its default options: the same graph, the same failures with the same lines. Memory, beside
 * the graph: 80 to 160 bytes for each edge of this rank's part, and 16 for each id that a header
 * names without an edge. HOP_ERR_UNSUPPORTED: other formats, compressed files, streams, vertices
 * with names of text, and quotes that are not closed in their line; write a native file first.
 *
 * HOP_ERR_INPUT where the file is not the same for all ranks, as far as its size, its first 16 KiB
 * and what it states tell. Its other lines are not compared: each rank reads its own alone. */
HOP_NODISCARD HOP_API hop_status hop_cluster_graph_read(hop_cluster *cluster, const char *path,
                                                        hop_cluster_graph **graph);

/* The number of the vertex that `word` names in a native file: its id, or its name where names are
 * text; HOP_ERR_ARGUMENT if there is none. The arrays of results are by these numbers. */
HOP_NODISCARD HOP_API hop_status hop_cluster_vertex_find(hop_cluster *cluster, const char *path,
                                                         const char *word, uint64_t *vertex);

/* The same by a graph that is there, wherever it comes from: an id of its file, or, of other
 * graphs, a number. */
HOP_NODISCARD HOP_API hop_status hop_cluster_graph_find(hop_cluster *cluster,
                                                        const hop_cluster_graph *graph,
                                                        const char *word, uint64_t *vertex);

/* The graph that hop_graph_generate makes, weights too. Each rank makes the edges of its part.
 * HOP_ERR_UNSUPPORTED for the families degree, tree-graph and road, which need memory for each
 * vertex before the first edge. */
HOP_NODISCARD HOP_API hop_status hop_cluster_graph_generate(hop_cluster *cluster,
                                                            const char *family,
                                                            const hop_generate_options *options,
                                                            hop_cluster_graph **graph);

/* From edges that are spread over the ranks: `edges` are the ones of this rank, in any order, the
 * same edge on several ranks or not. Of the options, the same on all ranks: vertices (0: up to the
 * largest id of all), directed, duplicates, loops. Labels and names are refused. Equal edges are
 * in the order of the ranks, and of a rank's edges. Memory, beside the graph: 64 bytes for each
 * edge of this rank's part, 32 if directed, and four times its weight. */
HOP_NODISCARD HOP_API hop_status hop_cluster_graph_from_edges(hop_cluster *cluster,
                                                              const hop_edges *edges,
                                                              const hop_build_options *options,
                                                              hop_cluster_graph **graph);

/* Not collective. NULL is allowed. */
HOP_API void hop_cluster_graph_free(hop_cluster_graph *graph);

/* Of the whole graph. Not collective. */
HOP_API uint64_t hop_cluster_graph_vertices(const hop_cluster_graph *graph);
HOP_API uint64_t hop_cluster_graph_arcs(const hop_cluster_graph *graph);
HOP_API uint64_t hop_cluster_graph_edges(const hop_cluster_graph *graph);
HOP_API uint64_t hop_cluster_graph_loops(const hop_cluster_graph *graph);
HOP_API bool hop_cluster_graph_directed(const hop_cluster_graph *graph);
/* HOP_TYPE_NONE without weights. */
HOP_API hop_type hop_cluster_graph_weight_type(const hop_cluster_graph *graph);

/* Of this rank: its first vertex, how many it has, and its arcs. Not collective. */
HOP_API uint64_t hop_cluster_first(const hop_cluster_graph *graph);
HOP_API uint64_t hop_cluster_count(const hop_cluster_graph *graph);
HOP_API uint64_t hop_cluster_arcs(const hop_cluster_graph *graph);

/* Checkpoints of searches (hop_cluster_bfs, hop_cluster_sssp): what the vertices have, from which a
 * job that was ended continues. */
typedef struct hop_cluster_checkpoints {
    size_t size; /* sizeof(hop_cluster_checkpoints), set by the initialiser */
    /* A folder that all ranks see, of no other job; it is made. NULL: no checkpoints. */
    const char *folder;
    /* Between two of them, by the clock of rank 0, at the end of a level or round; 0: each. */
    double seconds;
    /* Whether searches begin with what the folder has. */
    bool resume;
} hop_cluster_checkpoints;

#define HOP_CLUSTER_CHECKPOINTS_INIT                                                               \
    { sizeof(hop_cluster_checkpoints), NULL, 600, false }

/* From now on searches of this cluster write checkpoints, as files PROBLEM-NUMBER.checkpoint of the
 * folder: the last two are kept, each has its name only when all of it is on the disk. With
 * `resume` a search begins with the newest one that is whole, which may come from another number of
 * ranks, or at its sources where there is none; the answer is the same, bit by bit.
 * HOP_ERR_ARGUMENT from the search: it is of another graph, or another search. HOP_ERR_INPUT: none
 * is whole. Bytes of a checkpoint: 12 for each vertex (bfs), 8 (sssp). NULL: no checkpoints. */
HOP_NODISCARD HOP_API hop_status hop_cluster_checkpoint(hop_cluster *cluster,
                                                        const hop_cluster_checkpoints *options);
/* What the last search continued from, and what was not used and why; "" if it began at its
 * sources. Not collective. */
HOP_API const char *hop_cluster_checkpoint_note(const hop_cluster *cluster);

/* labels[i], of this rank's vertex i: the smallest vertex of its component, whatever the direction
 * of the arcs; *count (may be NULL): how many components there are. As hop_components. Memory per
 * rank: 12 bytes for each different end of its arcs (24 from 2^32 vertices on), 24 for each of its
 * vertices, 72 for each pair of groups of different ranks that are one component, 1 MiB. */
HOP_NODISCARD HOP_API hop_status hop_cluster_components(hop_cluster *cluster,
                                                        const hop_cluster_graph *graph,
                                                        uint64_t *labels, uint64_t *count);

/* Checks labels and, unless it is HOP_UNKNOWN, their count: HOP_OK, or HOP_ERR_CERTIFICATE with the
 * vertex. By a way of its own: labels are at most their vertices, label themselves, and are equal
 * along every arc; and contracting the graph's edges at random takes as many steps as there are
 * vertices without the components. */
HOP_NODISCARD HOP_API hop_status hop_cluster_components_certify(hop_cluster *cluster,
                                                                const hop_cluster_graph *graph,
                                                                const uint64_t *labels,
                                                                uint64_t count);

/* In the place of a vertex: none. */
#define HOP_NO_CLUSTER_VERTEX UINT64_MAX

/* A search from the sources, which are the same on all ranks: levels[i] and parents[i] of this
 * rank's vertex i, as hop_bfs, where HOP_NO_CLUSTER_VERTEX is HOP_NO_VERTEX. Of the options, which
 * may be NULL, max_level counts; targets, nearest and run are refused. Memory per rank: 9 bytes
 * for each different end of its arcs, 16 for each of its vertices, 24 for each vertex that is found
 * in one level and told to others. */
HOP_NODISCARD HOP_API hop_status hop_cluster_bfs(hop_cluster *cluster,
                                                 const hop_cluster_graph *graph,
                                                 const uint64_t *sources, uint64_t source_count,
                                                 const hop_bfs_options *options, uint32_t *levels,
                                                 uint64_t *parents);

/* Checks a result without searching, against the same sources and options: HOP_OK, or
 * HOP_ERR_CERTIFICATE with the vertex or arc. */
HOP_NODISCARD HOP_API hop_status hop_cluster_bfs_certify(
    hop_cluster *cluster, const hop_cluster_graph *graph, const uint64_t *sources,
    uint64_t source_count, const hop_bfs_options *options, const uint32_t *levels,
    const uint64_t *parents);

/* Shortest paths from the sources, which are the same on all ranks: distances and parents (each may
 * be none: NULL) of this rank's vertices, as hop_sssp. `distances` are of hop_distance_type of the
 * graph's weights. Without weights each arc counts 1. HOP_ERR_UNSUPPORTED where a weight is
 * negative, where a shortest distance does not fit int64, and for all options but the defaults.
 * Memory per rank: 25 bytes for each different end of its arcs, 25 for each of its vertices, 28 for
 * each vertex told in one round. */
HOP_NODISCARD HOP_API hop_status hop_cluster_sssp(hop_cluster *cluster,
                                                  const hop_cluster_graph *graph,
                                                  const uint64_t *sources, uint64_t source_count,
                                                  const hop_sssp_options *options,
                                                  const hop_span *distances, uint64_t *parents);

/* Checks a result, distances and parents, without searching, against the same sources: HOP_OK, or
 * HOP_ERR_CERTIFICATE with the vertex or arc. */
HOP_NODISCARD HOP_API hop_status hop_cluster_sssp_certify(
    hop_cluster *cluster, const hop_cluster_graph *graph, const uint64_t *sources,
    uint64_t source_count, const hop_sssp_options *options, const hop_view *distances,
    const uint64_t *parents);

/* Writes a .npy file with an item for each vertex of the graph: `part` has those of this rank's, of
 * type HOP_TYPE_UINT32 or HOP_TYPE_UINT64, or of a type of distances. Ids of graphs with fewer than
 * 2^32 - 1 vertices are written as uint32, as the library does, and HOP_NO_CLUSTER_VERTEX as
 * HOP_NO_VERTEX. Each rank writes its part; the file has a temporary name until all of it is on the
 * disk. All ranks must see the same file system. */
HOP_NODISCARD HOP_API hop_status hop_cluster_array_write(hop_cluster *cluster,
                                                         const hop_cluster_graph *graph,
                                                         const char *path, const hop_view *part);

/* ---- lists ---- */

/* Items that are spread evenly, as vertices are: this rank's first one, and how many it has. Not
 * collective. */
HOP_API void hop_cluster_part(const hop_cluster *cluster, uint64_t items, uint64_t *first,
                              uint64_t *count);

/* Reads successors from an .npy file that every rank can open, each rank its part, as
 * hop_list_read: one dimension, integers of 4 or 8 bytes. *elements of all ranks; *successors of
 * this one's part, to be freed by hop_block_free. HOP_ERR_INPUT with the element whose successor
 * does not exist. */
HOP_NODISCARD HOP_API hop_status hop_cluster_list_read(hop_cluster *cluster, const char *path,
                                                       uint64_t *elements, uint64_t **successors);

typedef struct hop_cluster_rank_options {
    size_t size; /* sizeof(hop_cluster_rank_options), set by the initialiser */
    /* As in hop_rank_options, the same on all ranks. NULL: element 0 leads to all, or `all`. */
    const uint64_t *heads;
    uint64_t head_count;
    bool all; /* every list: heads are all elements that no other leads to */
} hop_cluster_rank_options;

#define HOP_CLUSTER_RANK_OPTIONS_INIT                                                              \
    { sizeof(hop_cluster_rank_options), NULL, 0, false }

/* Ranks lists, as hop_rank: `successors` are those of this rank's part of the `elements`, and
 * `ranks` come there, HOP_NO_CLUSTER_VERTEX for HOP_NO_RANK. What is refused is refused in the
 * words of hop_rank. Elements below 2^62, fewer than 2^32 - 1 on a rank. O(log elements) rounds
 * whatever their order. Memory per rank, beside the arrays: 10 bytes for each element, and 64 for
 * each of those that are rulers: heads, tails and one in 2 log2(elements) of the others. */
HOP_NODISCARD HOP_API hop_status hop_cluster_list_rank(hop_cluster *cluster,
                                                       const uint64_t *successors,
                                                       uint64_t elements,
                                                       const hop_cluster_rank_options *options,
                                                       uint64_t *ranks);

/* Checks ranks without following any list, as hop_rank_certify: HOP_OK, or HOP_ERR_CERTIFICATE with
 * the element. */
HOP_NODISCARD HOP_API hop_status hop_cluster_list_certify(hop_cluster *cluster,
                                                          const uint64_t *successors,
                                                          uint64_t elements,
                                                          const hop_cluster_rank_options *options,
                                                          const uint64_t *ranks);

/* hop_cluster_array_write for the ranks of a list: `part` has this rank's of all `items`. */
HOP_NODISCARD HOP_API hop_status hop_cluster_items_write(hop_cluster *cluster, uint64_t items,
                                                         const char *path, const hop_view *part);

/* ---- all pairs ---- */

/* Distances between all pairs, as hop_apsp: square tiles, spread over a grid of ranks as near to a
 * square as their number allows. */
typedef struct hop_cluster_matrix hop_cluster_matrix;

/* Fills a matrix, which is to be freed. Without weights each arc counts 1. Floating-point distances
 * have the bits of hop_sssp. HOP_ERR_UNSUPPORTED: sums that may exceed a quarter of int64.
 * HOP_ERR_NEGATIVE_CYCLE as hop_apsp. Memory per rank: 4 bytes (8 where
 * sums are above 2^29) for each pair by the number of ranks, 16 for each of its arcs; with
 * floating-point weights, or negative ones, 4 or 8 bytes for each pair by the number of ranks, and
 * the arcs of all ranks as a graph. */
HOP_NODISCARD HOP_API hop_status hop_cluster_apsp(hop_cluster *cluster,
                                                  const hop_cluster_graph *graph,
                                                  hop_cluster_matrix **matrix);

/* Checks a matrix without its algorithm: no arc makes a distance shorter, and every distance is
 * reached over an arc from one that is; floating point and negative weights as hop_apsp_certify.
 * HOP_OK, or HOP_ERR_CERTIFICATE with the pair. */
HOP_NODISCARD HOP_API hop_status hop_cluster_apsp_certify(hop_cluster *cluster,
                                                          const hop_cluster_graph *graph,
                                                          const hop_cluster_matrix *matrix);

/* The pairs that this rank has: rows are sources. */
typedef struct hop_cluster_area {
    uint64_t first_row, rows, first_column, columns;
} hop_cluster_area;

/* Not collective. The type of the distances, as hop_distance_type says. A pair of this rank's:
 * hop_cluster_matrix_at of integers, HOP_NO_DISTANCE where there is no path;
 * hop_cluster_matrix_real_at of any type, infinity there. */
HOP_API hop_type hop_cluster_matrix_type(const hop_cluster_matrix *matrix);
HOP_API hop_cluster_area hop_cluster_matrix_area(const hop_cluster_matrix *matrix);
HOP_API double hop_cluster_matrix_real_at(const hop_cluster_matrix *matrix, uint64_t row,
                                          uint64_t column);
HOP_API int64_t hop_cluster_matrix_at(const hop_cluster_matrix *matrix, uint64_t row,
                                      uint64_t column);
/* Writes the matrix to an .npy file, of the bytes that hoplite apsp writes, as
 * hop_cluster_array_write. */
HOP_NODISCARD HOP_API hop_status hop_cluster_matrix_write(hop_cluster *cluster,
                                                          const hop_cluster_matrix *matrix,
                                                          const char *path);
/* Not collective. NULL is allowed. */
HOP_API void hop_cluster_matrix_free(hop_cluster_matrix *matrix);

/* What this rank has sent in one phase, such as "build: arcs", since the cluster was created or
 * hop_cluster_reset. */
typedef struct hop_cluster_phase {
    size_t size; /* sizeof(hop_cluster_phase), set by the caller */
    const char *name;
    uint64_t bytes;    /* of records, to other ranks */
    uint64_t messages; /* that they were sent in */
    uint64_t rounds;   /* exchanges */
    uint64_t control;  /* bytes of the counts that come before the records: 8 or 16 to a rank */
    double seconds;    /* that this rank spent in the exchanges, waiting included */
    double waiting;    /* seconds of these in MPI: for other ranks, and for what was on its way */
} hop_cluster_phase;

/* Phase number `index`, in the order in which they began; false when there is none. Not collective.
 */
HOP_API bool hop_cluster_phase_at(const hop_cluster *cluster, size_t index,
                                  hop_cluster_phase *phase);
/* Seconds that this rank has waited in MPI, in its phases and between them, since the cluster was
 * created or hop_cluster_reset. Not collective. */
HOP_API double hop_cluster_waited(const hop_cluster *cluster);
/* Forgets the phases, and what was waited. Not collective. */
HOP_API void hop_cluster_reset(hop_cluster *cluster);
/* The sum and the largest of the ranks' values; either may be NULL. */
HOP_NODISCARD HOP_API hop_status hop_cluster_total(hop_cluster *cluster, uint64_t value,
                                                   uint64_t *sum, uint64_t *most);

/* A number of each rank, over all ranks. */
typedef struct hop_cluster_spread {
    uint64_t sum, least, most;
} hop_cluster_spread;
enum { HOP_CLUSTER_SPREADS = 8 };

/* The spreads of `count` values, at most HOP_CLUSTER_SPREADS, of which each rank has its own. What
 * they are of, `what`, must be the same on all ranks, which is checked: the name of a phase, say.
 * By reductions: memory and bytes do not grow with the ranks, and no phase counts them. */
HOP_NODISCARD HOP_API hop_status hop_cluster_spread_of(hop_cluster *cluster, const char *what,
                                                       const uint64_t *values, size_t count,
                                                       hop_cluster_spread *spreads);

#ifdef __cplusplus
}
#endif
#endif
