/* SPDX-License-Identifier: Apache-2.0
 *
 * A variant at work on one call, by the devices that the context names, or by one, or by the
 * host. */
#ifndef HOPLITE_APSP_APSP_CREW_H
#define HOPLITE_APSP_APSP_CREW_H

#include <stdatomic.h>

#include "apsp/apsp_internal.h"

/* Rows of one call of rows() or facts(). */
struct hop__apsp_turns {
    _Atomic uint64_t next; /* that nobody has taken, or more than there are */
    _Atomic uint64_t made; /* by other devices, not yet counted as progress */
    atomic_bool stopped;
};

/* One of the devices after the context's own. */
typedef struct hop__apsp_other {
    hop__device *device;
    hop__apsp_task task; /* the caller's, with a state of its own */
    hop__workspace space;
    uint64_t copied; /* bytes of graphs, before */
    hop_status status;
} hop__apsp_other;

typedef struct hop__apsp_crew {
    hop_context *context;
    const hop__apsp_variant *row;
    hop__apsp_task *task;
    hop__apsp_turns turns;
    hop__apsp_other others[HOP__OTHERS_MOST];
    unsigned count;   /* of them */
    atomic_uint busy; /* of them */
    hop_status status;
    hop_vertex first, rows; /* what is being made, and where it goes */
    void *out;
    hop__apsp_facts *facts; /* or NULL */
} hop__apsp_crew;

/* Starts the row. hop__apsp_crew_finish comes in any case after it. */
hop_status hop__apsp_crew_start(hop_context *context, const hop__apsp_variant *row,
                                hop__apsp_task *task, hop__apsp_crew *crew);
/* row->facts() with `facts`, else row->rows(). */
hop_status hop__apsp_crew_rows(hop__apsp_crew *crew, hop_vertex first, hop_vertex count, void *out,
                               hop__apsp_facts *facts);
void hop__apsp_crew_finish(hop__apsp_crew *crew, hop_status status);

#endif
