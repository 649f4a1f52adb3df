/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that several read together, each its part: the ranks of a cluster.
 *
 * Each reads the header by itself, and then of what follows the lines that begin in its share of
 * the bytes (of a binary file: its share of the edges). What only all of them know, such as the
 * number of edges, or the type that all weights fit, is found by join(), once, when each has read
 * its part or has failed to; what is done with the file from then on is done with the facts of all.
 *
 * On the way nobody knows how many lines are before its part. Who must say what is wrong in a line
 * reads its part again, when that is known, and without join(). */
#ifndef HOPLITE_IO_TEXT_PARTS_H
#define HOPLITE_IO_TEXT_PARTS_H

#include "hoplite/graph.h"

/* Of a part; after join() of all. */
typedef struct hop__part_facts {
    uint64_t lines, records;
    uint64_t most; /* records that there may be: the same for all */
    uint64_t largest, id_bytes;
    hop_weight_type type;
    bool saw_real;       /* a weight that is not an integer */
    uint64_t large_line; /* least, of integers beyond 64 bits; 0: none */
} hop__part_facts;

typedef struct hop__parts {
    uint32_t part, parts;
    uint64_t lines_before, records_before; /* in the parts before, once that is known */
    /* Collective. `status` is what reading came to; returns a failure if anybody has one. NULL when
     * a part is read again. */
    hop_status (*join)(void *user, hop_status status, hop__part_facts *facts);
    void *user;
} hop__parts;

/* Share `part` of `total` bytes or edges begins here; part `parts` at the end. */
static inline uint64_t hop__part_start(const hop__parts *parts, uint64_t total, uint32_t part) {
    uint64_t extra = total % parts->parts;
    return total / parts->parts * part + (part < extra ? part : extra);
}

#endif
