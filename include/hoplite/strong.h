/* SPDX-License-Identifier: Apache-2.0
 *
 * Strong components: which vertices reach each other along the arcs; what is left when each is one
 * vertex; and the order of a graph without cycles.
 *
 * label[v] is the smallest vertex of v's strong component, as hop_components has it for connected
 * ones: hop_components_sizes, hop_components_number and hop_components_largest take these labels
 * too. In an undirected graph both are the same. */
#ifndef HOPLITE_STRONG_H
#define HOPLITE_STRONG_H

#include "hoplite/graph.h"
#include "hoplite/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_strong_options {
    size_t size;        /* sizeof(hop_strong_options), set by the initialiser */
    const hop_run *run; /* NULL: the defaults */
} hop_strong_options;

#define HOP_STRONG_OPTIONS_INIT                                                                    \
    { sizeof(hop_strong_options), NULL }
HOP_API void hop_strong_options_init(hop_strong_options *options, size_t size);

/* Labels every vertex into the caller's array of n; *count (may be NULL) is the number of strong
 * components. Variants (options->run): "tarjan", one search in depth, the sequential reference;
 * "sweeps", for graphs with a giant component; "ranges", for graphs whose neighbours have near
 * numbers. Blocking; runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_strong_components(hop_context *context, const hop_graph *graph,
                                                       const hop_strong_options *options,
                                                       hop_vertex *labels, hop_vertex *count);

/* Checks labels and, unless it is HOP_NO_VERTEX, their count: HOP_OK, or HOP_ERR_CERTIFICATE with
 * the vertex. Each component must be reached from its label and reach it, along vertices of its
 * own; and components, each taken as one vertex, must have an order without an arc back.
 * options->run->certify as in hop_components_certify. */
HOP_NODISCARD HOP_API hop_status hop_strong_certify(hop_context *context, const hop_graph *graph,
                                                    const hop_strong_options *options,
                                                    const hop_vertex *labels, hop_vertex count);

/* The condensation: a vertex for each strong component, numbered in the order of the labels, and an
 * arc where there is one between two of them; no loops, no parallel arcs, no weights. numbers (n of
 * them, or NULL) gets the number of each vertex's component. The labels are those of
 * hop_strong_components; others, canonical as they may be, may leave cycles. */
HOP_NODISCARD HOP_API hop_status hop_strong_condense(hop_context *context, const hop_graph *graph,
                                                     const hop_vertex *labels, hop_vertex *numbers,
                                                     hop_graph **condensed);

/* The vertices in an order in which every arc leads forward: by their level, which is the greatest
 * number of arcs of a path that ends there, and by number within a level. `order` and `levels`, n
 * of each; levels may be NULL.
 * Where there is a cycle, there is no such order: HOP_ERR_INPUT, the message names the cycle, and
 * `order` begins with its vertices, the smallest first; *cycle_length (may be NULL) is their
 * number, and 0 after HOP_OK. Which cycle of several does not depend on threads. Blocking. */
HOP_NODISCARD HOP_API hop_status hop_topological_order(hop_context *context, const hop_graph *graph,
                                                       const hop_strong_options *options,
                                                       hop_vertex *order, hop_vertex *levels,
                                                       hop_vertex *cycle_length);

#ifdef __cplusplus
}
#endif
#endif
