/* SPDX-License-Identifier: Apache-2.0
 *
 * What the variants of rank for devices share: the arrays of the call on the device, and kernels
 * that are launched piece by piece, so that no launch is long and a cancel takes effect between
 * them. (kernels/sweep.h does not do here: its slices begin at element 0 and are as long as the
 * time says, with any number of groups; `groups` and `chunk` are parameters of these rows.) */
#ifndef HOPLITE_RANK_RANK_DEVICE_H
#define HOPLITE_RANK_RANK_DEVICE_H

#include "kernels/launching.h"
#include "rank/rank_sublists.h"

enum { HOP__RANK_COUNTERS = 8 }; /* words that kernels count in; the programs say what */

typedef struct hop__device_ranking {
    hop_context *context;
    hop__device *device;
    hop__rank_task *task;
    hop__form form;
    uint64_t groups; /* at most so many in a launch over an array; 0: as many as suit the device */
    uint64_t chunk;  /* elements of a launch over an array */
    uint64_t ahead;  /* of launches that are in the queue, since it was waited for */
    hop__program *program;
    hop__buffer *successors;
    hop__buffer *ranks; /* the same where the device has memory of its own, unless they are apart */
    hop__buffer *heads;
    hop__buffer *counters;
} hop__device_ranking;

/* For row.copy: the list, which goes there in every call. */
hop__graph_copy hop__rank_device_copy(const void *task, hop__device *device);
/* Lists its buffers; it is the first member of the state. `apart`: the ranks may not stand in the
 * buffer of the successors. */
void hop__rank_device_blocks(hop__workspace *space, const hop__rank_task *task, bool apart);
/* Takes the arrays to the device; the workspace is open. */
hop_status hop__rank_device_begin(hop__device_ranking *r);
/* The ranks to the caller's array. */
hop_status hop__rank_device_end(hop__device_ranking *r);

/* Launches the kernel over [0, count) piece by piece; its last two arguments, which are set here,
 * are the first element and the number of a piece. `bytes` are moved for each element. Waits
 * whenever a chunk's elements are in the queue. HOP_ERR_CANCELLED when the work is to stop. */
hop_status hop__rank_sweep(hop__device_ranking *r, const char *kernel, uint64_t count,
                           uint64_t bytes, hop__argument *arguments, size_t argument_count);
/* The same over [begin, count). */
hop_status hop__rank_sweep_from(hop__device_ranking *r, const char *kernel, uint64_t begin,
                                uint64_t count, uint64_t bytes, hop__argument *arguments,
                                size_t argument_count);

#endif
