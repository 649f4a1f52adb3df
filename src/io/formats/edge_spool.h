/* SPDX-License-Identifier: Apache-2.0
 *
 * Edges of a file on their way to a build on disk: what does not fit is spooled in pieces, in the
 * order of the file, and read once. Each piece has ids and weights of its own width, so that a wide
 * one late in the file does not make the others wide. Ids are collected on the way, where they are
 * labels: then the vertices are known when the last edge is. */
#ifndef HOPLITE_IO_FORMATS_EDGE_SPOOL_H
#define HOPLITE_IO_FORMATS_EDGE_SPOOL_H

#include "graph/id_map.h"
#include "io/formats/format.h"

typedef struct hop__edge_spool hop__edge_spool;

/* Scratch is in the folder of the context's outsider. `labels`: ids are to be collected. */
hop_status hop__edge_spool_create(hop_context *context, bool labels, hop__edge_spool **spool);
/* NULL is allowed. */
void hop__edge_spool_free(hop__edge_spool *spool);

/* Whether edges that do not fit are spooled, or joined: ids of a list of vertices are not. */
bool hop__edge_spool_possible(const hop_context *context, const hop__edge_list *list);
/* Once the first were added: joined edges leave the memory to the vertices. */
uint64_t hop__edge_spool_later(const hop_context *context, size_t record_bytes, uint64_t records);
/* Records that may be in memory at once while a file is read that may be spooled: their arrays take
 * no more than two fifths of what the budget has left, beside which no build in memory fits. */
uint64_t hop__edge_spool_records(const hop_context *context, size_t record_bytes);

/* Adds the first `count` edges of the arrays of `list`. */
hop_status hop__edge_spool_add(hop_context *context, hop__edge_spool *spool,
                               const hop__edge_list *list, uint64_t count);
/* Adds ids that no edge has. */
hop_status hop__edge_spool_add_ids(hop_context *context, hop__edge_spool *spool,
                                   const uint64_t *ids, uint64_t count);
/* Puts the arrays of a list into its spool, which is made if there is none, and frees them. */
hop_status hop__edge_spool_list(hop_context *context, hop__edge_list *list);

/* Builds the graph of a list whose edges are spooled, as hop__edge_list_build does. *labels are
 * those of vertices that are numbered already, or NULL; the graph takes them. */
hop_status hop__edge_spool_build(hop_context *context, hop__edge_list *list,
                                 const hop_read_options *options, uint64_t **labels,
                                 hop_graph **graph);

#endif
