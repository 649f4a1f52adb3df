/* SPDX-License-Identifier: Apache-2.0
 *
 * One file per family, one row per file. generate.c holds the table, settings.c checks what the
 * caller gives against the row's parameters, and make() gets every value filled in, in the row's
 * order.
 *
 * Edge i of a family is a function of (seed, i) wherever that can be: nothing is stored, any
 * thread makes any edge, and so the bits can't depend on the number of threads. Random bits come
 * from Philox streams numbered below; a stream is used for one purpose only.
 *
 * Same bits on every machine: probabilities become integer thresholds, and floating point is used
 * only where IEEE 754 leaves one result: + - * / and sqrt. A product and the sum it goes into
 * stand in separate statements, since a compiler may fuse the two within one. */
#ifndef HOPLITE_GENERATE_FAMILY_H
#define HOPLITE_GENERATE_FAMILY_H

#include "core/settings.h"
#include "generate/weighting.h"
#include "graph/edge_source.h"
#include "hoplite/generate.h"

enum {
    HOP__STREAM_WEIGHTS = 1, /* one weight per edge */
    HOP__STREAM_EDGES = 2,   /* which edges there are */
    HOP__STREAM_ORDER = 3,   /* the order of the vertices */
    HOP__STREAM_DEGREES = 4,
    HOP__STREAM_PLACES = 5, /* where a vertex lies */
    HOP__STREAM_BENDS = 6
};
/* Families with one stream per vertex or sub-graph number them from here. */
#define HOP__STREAM_PARTS (UINT64_C(1) << 40)

/* Takes the edges of a family in the place of the builder: the library of a cluster builds from a
 * part of them on each machine. `source` is valid during the call. */
typedef hop_status (*hop__take_edges)(void *user, const hop__edge_source *source,
                                      const hop__build *build);

/* What make() gets: one value per parameter, defaults filled in, ranges checked. */
typedef struct hop__recipe {
    const double *values;
    uint64_t seed;
    hop__weighting weighting;
    hop__take_edges take; /* NULL: the graph is built here */
    void *take_user;
} hop__recipe;

typedef struct hop__family {
    hop_family about; /* what users see */
    /* NULL when the family makes lists. */
    hop_status (*make)(hop_context *context, const hop__recipe *recipe, hop_graph **graph);
    bool plans_vertices; /* make() needs memory for each vertex before the first edge */
} hop__family;

/* Whether the graph of at least `least` edges fits the budget. Asked before any edge is drawn: the
 * builder could only say so after all of them, which for the largest requests takes hours. */
hop_status hop__family_fits(hop_context *context, const hop__build *build, hop_weight_type type,
                            uint64_t least);

/* Builds the graph of a source, of whose edges at least `least` will stay, if that fits; or hands
 * the source to recipe->take. */
hop_status hop__family_build(hop_context *context, const hop__recipe *recipe,
                             const hop__edge_source *source, const hop__build *build,
                             uint64_t least, hop_graph **graph);

/* As hop_graph_generate, but the edges go to `take`. HOP_ERR_UNSUPPORTED where the family
 * plans_vertices. */
HOP_API hop_status hop__family_edges(hop_context *context, const char *name,
                                     const hop_generate_options *options, hop__take_edges take,
                                     void *user);

/* For the rows: the fields of hop_family that most families have in common. */
#define HOP__NO_WEIGHTS_BY_DEFAULT                                                                 \
    .takes_weights = true, .weight_type = HOP_TYPE_NONE, .min_weight = 1, .max_weight = 255

extern const hop__family hop__family_list;
extern const hop__family hop__family_list_graph;
extern const hop__family hop__family_tree_graph;
extern const hop__family hop__family_density;
extern const hop__family hop__family_erdos_renyi;
extern const hop__family hop__family_degree;
extern const hop__family hop__family_rmat;
extern const hop__family hop__family_fanout;
extern const hop__family hop__family_grid;
extern const hop__family hop__family_road;

/* One share of `total` things dealt evenly to `parts`: the first total % parts have one more. */
static inline uint64_t hop__even_size(uint64_t total, uint64_t parts, uint64_t part) {
    return total / parts + (part < total % parts);
}
/* Where share `part` begins. */
static inline uint64_t hop__even_start(uint64_t total, uint64_t parts, uint64_t part) {
    uint64_t extra = total % parts;
    return total / parts * part + (part < extra ? part : extra);
}
/* The share that thing number `index` is in; index < total. */
static inline uint64_t hop__even_part(uint64_t total, uint64_t parts, uint64_t index) {
    uint64_t base = total / parts, extra = total % parts;
    uint64_t large = extra * (base + 1); /* things in the shares with one more */
    return index < large ? index / (base + 1) : extra + (index - large) / base;
}

#endif
