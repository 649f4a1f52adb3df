/* SPDX-License-Identifier: Apache-2.0
 *
 * Checkpoints of searches: what the vertices have, so that a job that was ended continues, on the
 * same or another number of ranks.
 *
 * 1. A checkpoint is one file, FOLDER/PROBLEM-NUMBER.checkpoint: a header, then for each array the
 *    items of all vertices in the order of their ids, each rank's part written by itself. Nothing
 *    in it depends on the number of ranks.
 * 2. It takes its name when all of it is on the disk (cluster_part_file.h); the one before is kept,
 *    older ones are removed.
 * 3. The header has hashes of the graph, of the search and of itself, and for each array the sum
 *    over all vertices of hashes of vertex and item, which ranks add up whatever their parts are.
 * 4. Whether it is time is decided by rank 0 alone; it is carried by a sum that is made anyway. */
#ifndef HOPLITE_CLUSTER_CLUSTER_CHECKPOINT_H
#define HOPLITE_CLUSTER_CLUSTER_CHECKPOINT_H

#include "cluster/cluster_graph.h"

enum { HOP__CHECKPOINT_ARRAYS = 2 };

/* Of this rank's vertices; items of 4 or 8 bytes. */
typedef struct hop__state_array {
    void *items;
    uint64_t item_bytes;
} hop__state_array;

typedef struct hop__checkpoint {
    /* Set by the search. */
    hop_cluster *cluster;
    const hop_cluster_graph *graph;
    const char *problem; /* at most 15 letters */
    const char *step_name;
    uint64_t search; /* a hash of what is searched for, the same on all ranks */
    hop__state_array arrays[HOP__CHECKPOINT_ARRAYS];
    uint64_t array_count;
    bool found; /* the arrays are those of a checkpoint */
    /* Its own. */
    uint64_t graph_hash, number, written;
    double last;
} hop__checkpoint;

/* Begins, if the cluster has a folder; where not, nothing here does anything or waits. With
 * `resume` the arrays may be filled from a checkpoint: `found`, and *step is its step; else 0.
 * One that is torn is left for the one before; one of another graph or search is refused.
 * Collective. */
hop_status hop__checkpoint_begin(hop__checkpoint *work, uint64_t *step);
/* 1 on rank 0 when it is time, else 0: to be summed. Not collective. */
uint64_t hop__checkpoint_due(const hop__checkpoint *work);
/* Writes one, if `due`, the sum of the above, is not 0. Collective. */
hop_status hop__checkpoint_write(hop__checkpoint *work, uint64_t due, uint64_t step);

#endif
