/* SPDX-License-Identifier: Apache-2.0
 *
 * What a rank sends and holds, as formulas: docs/cluster.md says them in words, `hoplite plan`
 * prints them, and tests/cluster/test_cluster_model.c holds what real ranks send and hold to them.
 * Arithmetic alone: nothing here needs MPI, or another file of the cluster.
 *
 * Arcs are taken to be random, which is the most that ranks can have to say to each other: where
 * neighbours have near ids a rank has fewer different ends. All results are of one rank, in bytes
 * unless said otherwise. */
#ifndef HOPLITE_CLUSTER_CLUSTER_MODEL_H
#define HOPLITE_CLUSTER_CLUSTER_MODEL_H

#include <math.h>
#include <stdbool.h>

/* Pairs that all ranks have together, above which they are joined in rounds; and what is assumed
 * where only a run can know: rounds of these, levels that a search goes up, how much of the ends it
 * has told of before, on R-MAT, and at once, in random graphs; how often an end is improved without
 * a horizon and with one, rounds of shortest paths. */
#define HOP__MODEL_PAIRS       65536.0
#define HOP__MODEL_PAIR_ROUNDS 5.0
#define HOP__MODEL_UP_LEVELS   3.0
#define HOP__MODEL_DOWN_SHARE  0.01
#define HOP__MODEL_DOWN_ROOM   0.06
#define HOP__MODEL_IMPROVED    2.0
#define HOP__MODEL_WITHIN      0.75
#define HOP__MODEL_PATH_ROUNDS 100.0
/* Vertices, and different ends, that a rank can have; ids of graphs with fewer vertices are sent in
 * 32 bits. */
#define HOP__MODEL_ENDS_MOST 4294967295.0

typedef struct hop__model {
    double vertices, ranks;
    bool directed;
    double weight_bytes; /* of an arc; 0 without weights */
    /* Of a rank. */
    double others; /* the share of the vertices that others have */
    double own;    /* vertices */
    double arcs;
    double ends;    /* different ends of its arcs that are others' */
    double outside; /* of these, ones that its arcs do not join to its largest group */
} hop__model;

/* Ends of others outside the largest group: of rows with Poisson(a) arcs, one in `ranks` to a row
 * of the same rank and the others to ends with Poisson(b), the share of rows in the giant is
 * s = 1 - exp(-a ((1 - 1/ranks) t + s/ranks)), that of ends t = 1 - exp(-b s). */
static inline double hop__model_outside(const hop__model *model) {
    double of_rows = model->arcs / model->own, of_ends = model->arcs / model->vertices, share = 1;
    for (int i = 0; i < 200; i++)
        share =
            -expm1(-of_rows * (model->others * -expm1(-of_ends * share) + share / model->ranks));
    return model->vertices * model->others * (exp(-of_ends * share) - exp(-of_ends));
}

static inline hop__model hop__model_make(double vertices, double edges, double ranks, bool directed,
                                         double weight_bytes) {
    hop__model made = {.vertices = vertices,
                       .ranks = ranks,
                       .directed = directed,
                       .weight_bytes = weight_bytes,
                       .others = 1 - 1 / ranks,
                       .own = vertices / ranks,
                       .arcs = (directed ? edges : 2 * edges) / ranks};
    made.ends = vertices * -expm1(-made.arcs / vertices) * made.others;
    made.outside = hop__model_outside(&made);
    return made;
}

/* ---- bytes sent ------------------------------------------------------------------------------ */

/* Opening a file, or the last step of building: owners learn who knows what. */
static inline double hop__model_open(const hop__model *model) {
    return 4 * model->ends;
}

static inline double hop__model_build(const hop__model *model) {
    return 16 * model->arcs * model->others;
}

static inline double hop__model_roots(const hop__model *model) {
    return (model->vertices < HOP__MODEL_ENDS_MOST ? 4 : 8) * model->ends;
}

/* Pairs of groups that an owner finds to be one, about: each end outside a rank's largest group,
 * and the largest groups of the ranks themselves. */
static inline double hop__model_pair_count(const hop__model *model) {
    return model->outside + model->ranks - 1;
}

/* Whether they are too many for all ranks to have them all. */
static inline bool hop__model_in_rounds(const hop__model *model) {
    return hop__model_pair_count(model) * model->ranks > HOP__MODEL_PAIRS;
}

static inline double hop__model_pairs(const hop__model *model) {
    double pairs = hop__model_pair_count(model);
    return pairs * (hop__model_in_rounds(model) ? 8 * (1 + HOP__MODEL_PAIR_ROUNDS) + 48
                                                : 16 * (model->ranks - 1));
}

/* A search down all the way. */
static inline double hop__model_down(const hop__model *model) {
    return 12 * model->ends;
}

/* Bits of the ends in so many levels up. To each rank they are whole words, of which half of the
 * last is for nothing. */
static inline double hop__model_bits(const hop__model *model, double levels) {
    return (model->ends / 8 + 4 * (model->ranks - 1)) * levels;
}

/* Shortest paths whose ends are improved so often. */
static inline double hop__model_targets(const hop__model *model, double improved) {
    return 12 * improved * model->ends;
}

/* Whether searches have a horizon: then rows that are left pull, for which ranks fetch what is
 * settled (cluster_sssp_horizon.c). */
static inline bool hop__model_has_horizon(const hop__model *model) {
    return !model->directed && model->weight_bytes > 0 && model->arcs >= 8 * model->own;
}

static inline double hop__model_settled(const hop__model *model) {
    return hop__model_has_horizon(model) ? 8 * model->ends : 0;
}

static inline double hop__model_distances(const hop__model *model) {
    return 8 * model->ends;
}

/* At most. */
static inline double hop__model_parents(const hop__model *model) {
    return 12 * model->ends;
}

/* Of `count` vertices that an arc reaches from some of `before`, as in one level of a search of a
 * random graph: those whose owners a rank tells a parent, because it holds such an arc. */
static inline double hop__model_level_parents(const hop__model *model, double count,
                                              double before) {
    double arcs = model->arcs * before / model->own / model->vertices; /* to a vertex, of all */
    double held = before > 0 ? expm1(-arcs / model->ranks) / expm1(-arcs) : 0;
    return 12 * count * model->others * held;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* One list of `elements` in random order. */
typedef struct hop__list_model {
    double elements, ranks, others;
    double
        rulers; /* one in 2 log2(elements), and what no wave comes to in 8 times as many rounds */
    double rounds; /* of doubling */
} hop__list_model;

static inline hop__list_model hop__list_model_make(double elements, double ranks) {
    hop__list_model made = {.elements = elements, .ranks = ranks, .others = 1 - 1 / ranks};
    double spacing = 2 * (floor(log2(elements)) + 1);
    /* Only steps to other ranks take a round. */
    double missed = ranks > 1 ? exp(-8 / made.others) : 0;
    made.rulers = elements * (1 / spacing + (1 - 1 / spacing) * missed);
    made.rounds = ceil(log2(made.rulers));
    return made;
}

/* Who leads to what; the waves, and again with ranks. */
static inline double hop__list_model_names(const hop__list_model *model) {
    return 5 * model->elements / model->ranks * model->others;
}
static inline double hop__list_model_waves(const hop__list_model *model) {
    return 28 * (model->elements - model->rulers) / model->ranks * model->others;
}
/* Rulers that have not come to the end after r rounds: all but 2^r. */
static inline double hop__list_model_jumps(const hop__list_model *model) {
    double open = model->rulers * model->rounds - exp2(model->rounds) + 1;
    return 20 * open / model->ranks * model->others;
}
/* Beside the successors and ranks: at most where successors are told of. */
static inline double hop__list_model_memory(const hop__list_model *model) {
    return 9 * model->elements / model->ranks;
}

/* ---- all pairs ------------------------------------------------------------------------------- */

/* Tiles of `side` on a grid of down x across ranks: the mean of the ranks. Each row and column of
 * tiles goes to all others of its column or row of the grid, and so does the tile amid them. */
static inline double hop__model_matrix(double vertices, double side, double down, double across,
                                       double number_bytes) {
    double tiles = ceil(vertices / side), shared = tiles * (tiles + 1) * (down + across - 2);
    return shared * side * side * number_bytes / (down * across);
}

/* Of a rank with rows x columns tiles: these, a row and a column of them, and the one amid. */
static inline double hop__model_matrix_memory(double side, double rows, double columns,
                                              double number_bytes) {
    return (rows + 1) * (columns + 1) * side * side * number_bytes;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Levels of a search of a random graph. */
static inline double hop__model_levels(const hop__model *model) {
    double degree = model->arcs / model->own;
    return ceil(log(model->vertices > 2 ? model->vertices : 2) / log(degree > 2 ? degree : 2)) + 2;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* What every rank has: blocks for exchanges, and numbers per rank. */
static inline double hop__model_cluster_memory(const hop__model *model) {
    return 4.0 * 65536 + 48 * model->ranks;
}

/* Different ends, those of its own vertices included. */
static inline double hop__model_all_ends(const hop__model *model) {
    return model->ends + model->own;
}

/* Where a rank knows more than an eighth of the vertices there is a bit for each of them. */
static inline double hop__model_masks(const hop__model *model) {
    bool some = !model->directed && -expm1(-model->arcs / model->vertices) > 1.0 / 8;
    return some ? model->vertices / 8 : 0;
}

static inline double hop__model_graph_memory(const hop__model *model) {
    return (4 + model->weight_bytes) * model->arcs + 12 * hop__model_all_ends(model) +
           12 * model->own + hop__model_masks(model) + 48 * model->ranks;
}

/* While it is read, and while it is built from edges, at most; the graph itself included. */
static inline double hop__model_open_memory(const hop__model *model) {
    return (20 + model->weight_bytes) * model->arcs + 12 * hop__model_all_ends(model);
}

static inline double hop__model_build_memory(const hop__model *model) {
    return 48 * model->arcs;
}

/* Beside the graph, the arrays of results included. */
static inline double hop__model_components_memory(const hop__model *model) {
    bool wide = model->vertices >= HOP__MODEL_ENDS_MOST;
    double pairs = hop__model_in_rounds(model) ? 72 * hop__model_pair_count(model) : 0;
    return fmax((wide ? 20 : 8) * hop__model_all_ends(model), 1 << 20) + 8 * model->own + pairs;
}

static inline double hop__model_bfs_memory(const hop__model *model) {
    double told = model->directed ? 1 : HOP__MODEL_DOWN_ROOM;
    return 8.5 * hop__model_all_ends(model) + 20 * model->own + 24 * told * model->ends;
}

/* Two thirds of the ends are told of at once, in a random graph without weights. */
static inline double hop__model_sssp_memory(const hop__model *model) {
    return 25 * hop__model_all_ends(model) + 37 * model->own + 28 * model->ends * 2 / 3;
}

#endif
