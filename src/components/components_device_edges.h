/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of edges on a device, for the variants of D0 and D1; components_device_edges.c says how.
 *
 * As on the host (components_edges.h), a join takes a list whose ends it joins into labels that are
 * a flat forest, and leaves such a forest, with the smallest vertices as roots. */
#ifndef HOPLITE_COMPONENTS_COMPONENTS_DEVICE_EDGES_H
#define HOPLITE_COMPONENTS_COMPONENTS_DEVICE_EDGES_H

#include "components/components_device.h"
#include "components/components_edges.h"

typedef struct hop__device_edges {
    hop__device_forest forest;
    hop__packed_edges list;  /* all of them, on the host */
    hop__buffer *slots[2];   /* of devices with a memory of their own: blocks of the list */
    hop__buffer *borrowed;   /* of others: the list itself */
    hop__buffer *block;      /* the edges at hand */
    uint64_t count;          /* of them */
    hop__buffer *scratch[2]; /* shiloach-vishkin: D of the other parity, Q */
    bool sort_grafts;        /* sorted: see there */
    hop__buffer *room[4];    /* the same: what it sorts in */
    hop__sortable sortable;
    hop__buffer *grafts;
} hop__device_edges;

typedef hop_status (*hop__device_join_fn)(hop__device_edges *edges);
hop_status hop__device_graft(hop__device_edges *edges);
hop_status hop__device_graft_update(hop__device_edges *edges);
hop_status hop__device_shiloach_vishkin(hop__device_edges *edges);
hop_status hop__device_rem(hop__device_edges *edges);
hop_status hop__device_sorted(hop__device_edges *edges);

/* What run() of such a variant does. */
typedef struct hop__device_edges_plan {
    hop__device_join_fn join;
    hop__blocks_fn blocks; /* the row's */
    const char *phase;
    const double *form; /* values of the form's parameters */
    bool shuffled;      /* in a random order */
    bool update;        /* every block but the first is updated before it is joined */
    bool sort_grafts;
    uint64_t block_most; /* edges of a block, beside what memory says; 0: no other limit */
    size_t block_bytes;  /* per edge on the device, beside the edge */
    bool sorts;          /* by the device's sort, which has scratch of its own */
    /* Edges of a group, which is joined after the other; NULL: all are one group. */
    uint64_t (*group)(const hop__components_task *task, uint64_t edges);
} hop__device_edges_plan;
hop_status hop__device_edges_run(hop_context *context, const hop__components_task *task,
                                 const hop__device_edges_plan *plan);

/* For the rows: lists the list and the blocks that it goes to the device in. `form`: values of the
 * form's parameters. */
void hop__device_edges_blocks(hop__workspace *space, const hop__components_task *task,
                              const double *form, bool scratch);

/* For the rows: bytes of the list, which goes to the device once. */
uint64_t hop__device_edges_sends(const void *task, hop__device *device);

#endif
