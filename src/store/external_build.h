/* SPDX-License-Identifier: Apache-2.0
 *
 * Building a native file of a graph that does not fit the memory budget: the arcs go through
 * scratch on disk, and what stays in memory is 4 or 8 bytes per vertex (the offsets), the names, 8
 * bytes per 16 KiB of the file (its checksums) and buffers.
 *
 *  1. The edges are read once, in rounds that fit; each round is partitioned in memory by source
 *     vertex, and the parts are appended to buckets on disk (arc_buckets.h).
 *  2. The buckets are brought back, as many at a time as fit, sorted and merged by the same rules
 *     and the same code as in memory (arc_rows.h), and written to the file. Weights stand behind
 *     all targets there: they go through scratch once more.
 *
 * The file has the same bytes as if it had been built in memory, for every budget and number of
 * threads: the arcs of a bucket are in the order of the input.
 *
 * Scratch has no name and is gone when the process is, however it ends; the file has none until it
 * is complete. So a build that was killed begins again, and finds nothing to clean up.
 *
 * Cost: each arc is written and read once, 4 to 8 bytes and its weight, a weight once more, before
 * it is written to the file. On disk at once: about the larger of the buckets and the file, since
 * what was read is given back. */
#ifndef HOPLITE_STORE_EXTERNAL_BUILD_H
#define HOPLITE_STORE_EXTERNAL_BUILD_H

#include "graph/edge_source.h"
#include "hoplite/convert.h"
#include "io/bytes/page_file.h"

typedef struct hop__external {
    hop__outsider outsider; /* first: for a context */
    const char *path;       /* of the native file */
    bool drop_names;        /* vertices are numbers from 0 on in the file */
    bool used;              /* the file was built on disk: it is there */
    hop__scratch scratch;
} hop__external;

/* What a build within a budget looks like. */
typedef struct hop__external_plan {
    uint64_t arcs;     /* at most */
    uint64_t vertices; /* bytes that offsets take */
    uint64_t capacity; /* arcs that are sorted at once */
    uint64_t round;    /* edges that are read at once */
    size_t page_bytes;
    unsigned bucket_bits;
    unsigned arc_bytes; /* on disk */
} hop__external_plan;

/* Plans with what the budget has left. HOP_ERR_BUDGET, with the number, if not even that will
 * do. */
hop_status hop__external_plan_make(hop_context *context, uint64_t vertices, uint64_t edges,
                                   bool directed, hop_weight_type type, bool wide, hop__names names,
                                   hop__external_plan *plan);
/* What is to be built. */
typedef struct hop__build_shape {
    uint64_t vertices, edges;
    bool directed;
    hop_weight_type type;
} hop__build_shape;
/* Whether that would be built on disk, and what it takes (hop_convert_report); fails where memory
 * or disk would not do. The context has the outsider. */
hop_status hop__external_need(hop_context *context, const hop__external *external,
                              const hop__build_shape *shape, hop_convert_report *report);
/* Makes an outsider (edge_source.h) that builds the file `path` with scratch in `folder`. */
void hop__external_init(hop__external *external, const char *path, const char *folder);

#endif
