/* SPDX-License-Identifier: Apache-2.0
 *
 * Connected components: which vertices are connected, whatever the direction of the arcs.
 *
 * label[v] is the smallest vertex of v's component. */
#ifndef HOPLITE_COMPONENTS_H
#define HOPLITE_COMPONENTS_H

#include "hoplite/graph.h"
#include "hoplite/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_components_options {
    size_t size;        /* sizeof(hop_components_options), set by the initialiser */
    const hop_run *run; /* NULL: the defaults */
} hop_components_options;

#define HOP_COMPONENTS_OPTIONS_INIT                                                                \
    { sizeof(hop_components_options), NULL }
HOP_API void hop_components_options_init(hop_components_options *options, size_t size);

/* Labels every vertex into the caller's array of n; *count (may be NULL) is the number of
 * components. Blocking; runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_components(hop_context *context, const hop_graph *graph,
                                                const hop_components_options *options,
                                                hop_vertex *labels, hop_vertex *count);

/* Checks labels and, unless it is HOP_NO_VERTEX, their count: HOP_OK, or HOP_ERR_CERTIFICATE with
 * the vertex or edge. options->run->certify says how strictly (NONE means CANONICAL; VALID accepts
 * any labels that are constant on components and differ between them). */
HOP_NODISCARD HOP_API hop_status hop_components_certify(hop_context *context,
                                                        const hop_graph *graph,
                                                        const hop_components_options *options,
                                                        const hop_vertex *labels, hop_vertex count);

/* From labels: the number of vertices of each component at its label, 0 elsewhere. */
HOP_NODISCARD HOP_API hop_status hop_components_sizes(hop_context *context,
                                                      const hop_vertex *labels, hop_vertex n,
                                                      hop_vertex *sizes);

/* From canonical labels: numbers 0 .. count-1 in the order of the labels. In place is allowed. */
HOP_NODISCARD HOP_API hop_status hop_components_number(hop_context *context,
                                                       const hop_vertex *labels, hop_vertex n,
                                                       hop_vertex *numbers, hop_vertex *count);

/* The largest component as a graph (the one of smallest label among equals). */
HOP_NODISCARD HOP_API hop_status hop_components_largest(hop_context *context,
                                                        const hop_graph *graph,
                                                        const hop_vertex *labels,
                                                        hop_graph **largest);

#ifdef __cplusplus
}
#endif
#endif
