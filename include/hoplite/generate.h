/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs and lists by recipe. The same parameters and seed give the same bits on every machine
 * and for every number of threads.
 *
 * Families are rows of a table: name, parameters with type, range and default. So a new family
 * needs no new function, and the command, the tests and Python loop over the same table. */
#ifndef HOPLITE_GENERATE_H
#define HOPLITE_GENERATE_H

#include <math.h>

#include "hoplite/graph.h"
#include "hoplite/parameter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_family {
    const char *name;                 /* such as "rmat" */
    const char *summary;              /* one line */
    const char *source;               /* the document or paper */
    bool is_list;                     /* makes a list for list ranking, not a graph */
    bool takes_weights;               /* min-weight, max-weight and weight-type apply */
    const hop_parameters *parameters; /* hop_parameter_at */
    size_t parameter_count;
    /* What the options' weights are when they are left open. */
    hop_weight_type weight_type;
    double min_weight, max_weight;
} hop_family;

HOP_API size_t hop_family_count(void);
/* NULL when out of range. */
HOP_API const hop_family *hop_family_at(size_t index);
/* NULL when there is none of this name. */
HOP_API const hop_family *hop_family_find(const char *name);

/* In the place of a weight type: the one of the family, which is HOP_TYPE_NONE for most. */
#define HOP_TYPE_FAMILY ((hop_weight_type)7)

typedef struct hop_generate_options {
    size_t size;                 /* sizeof(hop_generate_options), set by the initialiser */
    const hop_setting *settings; /* parameters that differ from their defaults */
    size_t setting_count;
    uint64_t seed;               /* default 1 */
    hop_weight_type weight_type; /* default HOP_TYPE_FAMILY */
    /* Uniform, both ends possible. Default -HUGE_VAL and HUGE_VAL: the bounds of the family. A
     * bound that is given while the graph has no weights is an error. */
    double min_weight, max_weight;
    size_t setting_size; /* bytes of one of the settings; 0: as parameter.h says */
} hop_generate_options;

#define HOP_GENERATE_OPTIONS_INIT                                                                  \
    { sizeof(hop_generate_options), NULL, 0, 1, HOP_TYPE_FAMILY, -HUGE_VAL, HUGE_VAL, 0 }
HOP_API void hop_generate_options_init(hop_generate_options *options, size_t size);

/* Makes a graph of the family. Memory beside the graph: what hop_graph_from_edges takes beside its
 * edges, since these are drawn twice instead of being kept; some families need a little more (see
 * docs/generators.md). Blocking; runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_graph_generate(hop_context *context, const char *family,
                                                    const hop_generate_options *options,
                                                    hop_graph **graph);

/* Makes a list in the caller's array of `count` elements: head 0, each element's successor, the
 * tail its own successor. The order is random over the whole array. */
HOP_NODISCARD HOP_API hop_status hop_list_generate(hop_context *context, hop_vertex count,
                                                   uint64_t seed, hop_vertex *successors);

#ifdef __cplusplus
}
#endif
#endif
