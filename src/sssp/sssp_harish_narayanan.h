/* SPDX-License-Identifier: Apache-2.0
 *
 * The search of harish-narayanan, for whoever makes many of them on one graph: the variant of that
 * name of apsp. What it does is said in sssp_device_harish_narayanan.c.
 *
 *     begin, bare
 *     for each source: base.keys and base.results are set, hop__sssp_device_clear, the source's
 *         key is 0, rounds, hop__sssp_device_decode
 *     hop__sssp_device_end */
#ifndef HOPLITE_SSSP_SSSP_HARISH_NARAYANAN_H
#define HOPLITE_SSSP_SSSP_HARISH_NARAYANAN_H

#include "sssp/sssp_device.h"

enum { HOP__HARISH_PARAMETERS = 6 };
extern const hop_parameter hop__harish_narayanan_parameters[HOP__HARISH_PARAMETERS];

typedef struct hop__harish_narayanan {
    hop__sssp_device base;
    const double *values;
    bool array, hubs;
    hop__buffer *updates;            /* NULL where there is no array: the keys */
    hop__buffer *marks, *marks_next; /* the second is NULL with the array */
    hop__buffer *pieces, *state;
    uint32_t round; /* the next one */
    uint32_t look;  /* round from which the tree is looked at again */
} hop__harish_narayanan;

/* Opens the device and brings the graph there. task->values are those of the parameters above.
 * Fails half-way in a state that hop__sssp_device_end cleans up. `bare`: the keys are the caller's,
 * and it is known that there is no negative cycle. */
hop_status hop__harish_narayanan_begin(hop_context *context, hop__sssp_task *task, bool bare,
                                       hop__harish_narayanan *search);
/* From whatever has a key, until a round changes nothing. *given_up: there is a negative cycle that
 * the tree does not show. */
hop_status hop__harish_narayanan_rounds(hop__harish_narayanan *search, bool *given_up);
/* Bytes of the device's memory for one search. */
uint64_t hop__harish_narayanan_memory(const hop__sssp_task *task, uint64_t *largest);

#endif
