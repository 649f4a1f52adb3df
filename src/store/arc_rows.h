/* SPDX-License-Identifier: Apache-2.0
 *
 * From buckets of arcs on disk to sorted rows, in the order of the vertices.
 *
 * As many buckets as fit are brought into memory and sorted and merged there by graph/rows.h, as a
 * build in memory does it. A bucket that does not fit is split again on disk by source vertex; one
 * that is a single row, by target; and one that is a single arc, as often as it was given, is
 * merged part by part. So each level of splitting takes bits off the key, and arcs are written at
 * most 2 * 32 / bucket_bits times, whatever the input. */
#ifndef HOPLITE_STORE_ARC_ROWS_H
#define HOPLITE_STORE_ARC_ROWS_H

#include "graph/graph_internal.h"
#include "graph/rows.h"
#include "store/arc_buckets.h"

/* Takes sorted rows: `count` targets, and as many weights if there are any. */
typedef hop_status (*hop__rows_taker)(hop_context *context, void *user, const hop_vertex *targets,
                                      const void *weights, uint64_t count);

typedef struct hop__arc_rows {
    hop__rows rows;      /* rule, type, degrees; `of_phase` is set */
    uint64_t capacity;   /* arcs that are sorted in memory at once */
    uint64_t round;      /* arcs that are in memory at once while they are split */
    unsigned split_bits; /* of buckets */
    hop__rows_taker take;
    void *user;
    /* For messages. */
    const hop__build *build;
    hop__names names;
    uint64_t total, done; /* arcs, for progress */
} hop__arc_rows;

/* Bytes that sorting so many arcs in memory takes at its peak. */
uint64_t hop__arc_rows_bytes(const hop_context *context, const hop__partition *layout,
                             uint64_t arcs);
/* Hands over all rows; the buckets are empty afterwards. */
hop_status hop__arc_rows_run(hop_context *context, hop__arc_rows *work, hop__arc_buckets *arcs);

#endif
