/* SPDX-License-Identifier: Apache-2.0
 *
 * grid: a lattice of rows x columns, vertex r*columns + c joined to its neighbours right and
 * below, with `diagonals` also to the two diagonal ones below. `removed` is the share of the edges
 * that is left out, chosen at random: exactly round(removed * all) of them. With `shuffle` the ids
 * are permuted, which takes away the locality that the plain numbering has.
 *
 * All edges are numbered, kind after kind, row after row. Edge e is left out when shuffle(e) is
 * among the first `removed` numbers: exact, without memory, and an edge keeps its weight whatever
 * is removed. It is then given as a loop at vertex 0, which the builder drops.
 *
 * Cost: about 1 ns per edge; 15 more with `removed`, 25 with `shuffle`. No memory. */
#include <math.h>

#include "core/checked.h"
#include "core/rng.h"
#include "core/try.h"
#include "generate/family.h"
#include "generate/scramble.h"

/* One kind of edge: from (r, c + from_shift) to (r + down, c + to_shift). */
typedef struct edge_kind {
    uint64_t rows, columns; /* where such an edge begins */
    uint64_t down, from_shift, to_shift;
} edge_kind;

enum { KINDS = 4 };

typedef struct grid_plan {
    uint64_t rows, columns;
    edge_kind kinds[KINDS];
    unsigned kind_count;
    uint64_t removed;
    hop__shuffle removal;
    hop__scramble scramble;
    hop__weighting weighting;
} grid_plan;

/* A place in the numbering of the edges. */
typedef struct edge_place {
    unsigned kind;
    uint64_t row, column;
} edge_place;

static edge_place place_of(const grid_plan *plan, uint64_t edge) {
    edge_place place = {0, 0, 0};
    for (;; place.kind++) {
        const edge_kind *kind = &plan->kinds[place.kind];
        uint64_t size = kind->rows * kind->columns;
        if (edge < size) {
            place.row = edge / kind->columns;
            place.column = edge % kind->columns;
            return place;
        }
        edge -= size;
    }
}

/* The next place; there must be one. */
static void place_advance(const grid_plan *plan, edge_place *place) {
    if (++place->column < plan->kinds[place->kind].columns)
        return;
    place->column = 0;
    if (++place->row < plan->kinds[place->kind].rows)
        return;
    place->row = 0;
    do
        place->kind++;
    while (plan->kinds[place->kind].rows == 0 || plan->kinds[place->kind].columns == 0);
}

static void lattice_edges(const grid_plan *plan, uint64_t first, uint32_t count, hop_vertex *from,
                          hop_vertex *to) {
    if (count == 0)
        return;
    edge_place place = place_of(plan, first);
    for (uint32_t i = 0; i < count; i++) {
        const edge_kind *kind = &plan->kinds[place.kind];
        uint64_t corner = place.row * plan->columns + place.column;
        from[i] = (hop_vertex)(corner + kind->from_shift);
        to[i] = (hop_vertex)(corner + kind->down * plan->columns + kind->to_shift);
        if (i + 1 < count)
            place_advance(plan, &place);
    }
}

static void grid_fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                      hop_vertex *to, void *weights) {
    const grid_plan *plan = user;
    lattice_edges(plan, first, count, from, to);
    hop__scramble_apply(&plan->scramble, from, count);
    hop__scramble_apply(&plan->scramble, to, count);
    if (plan->removed > 0) {
        uint64_t ranks[HOP__SOURCE_BLOCK];
        for (uint32_t i = 0; i < count; i++)
            ranks[i] = first + i;
        hop__shuffle_all(&plan->removal, ranks, count);
        for (uint32_t i = 0; i < count; i++) {
            if (ranks[i] < plan->removed)
                from[i] = to[i] = 0;
        }
    }
    hop__weighting_fill(&plan->weighting, first, count, weights);
}

enum { ROWS, COLS, DIAGONALS, REMOVED, SHUFFLE };

static const hop_parameter parameters[] = {
    [ROWS] = {"rows", "number of rows", HOP_PARAMETER_INTEGER, true, 0, HOP_MAX_VERTICES, 0},
    [COLS] = {"cols", "number of columns", HOP_PARAMETER_INTEGER, true, 0, HOP_MAX_VERTICES, 0},
    [DIAGONALS] = {"diagonals", "eight neighbours instead of four", HOP_PARAMETER_FLAG, false, 0, 1,
                   0},
    [REMOVED] = {"removed", "share of the edges that is left out", HOP_PARAMETER_REAL, false, 0, 1,
                 0},
    [SHUFFLE] = {"shuffle", "permute the vertex ids", HOP_PARAMETER_FLAG, false, 0, 1, 0},
};

/* Sets the kinds of edges and returns the number of edges. */
static uint64_t lattice_shape(grid_plan *plan, bool diagonals) {
    uint64_t rows = plan->rows, columns = plan->columns;
    uint64_t inner_rows = rows > 0 ? rows - 1 : 0, inner_columns = columns > 0 ? columns - 1 : 0;
    const edge_kind kinds[KINDS] = {
        {rows, inner_columns, 0, 0, 1},       /* right */
        {inner_rows, columns, 1, 0, 0},       /* down */
        {inner_rows, inner_columns, 1, 0, 1}, /* down and right */
        {inner_rows, inner_columns, 1, 1, 0}, /* down and left */
    };
    plan->kind_count = diagonals ? KINDS : 2;
    uint64_t edges = 0;
    for (unsigned k = 0; k < plan->kind_count; k++) {
        plan->kinds[k] = kinds[k];
        edges += kinds[k].rows * kinds[k].columns; /* each below 2^32, since the vertices are */
    }
    return edges;
}

static hop_status grid_make(hop_context *context, const hop__recipe *recipe, hop_graph **graph) {
    const double *values = recipe->values;
    grid_plan plan = {
        .rows = (uint64_t)values[ROWS],
        .columns = (uint64_t)values[COLS],
        .weighting = recipe->weighting,
    };
    uint64_t vertices;
    if (!hop__mul_u64(plan.rows, plan.columns, &vertices) || vertices > HOP_MAX_VERTICES)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "grid: %.0f rows of %.0f columns are %.0f vertices, and at most %u are "
                         "possible",
                         values[ROWS], values[COLS], values[ROWS] * values[COLS], HOP_MAX_VERTICES);
    uint64_t edges = lattice_shape(&plan, values[DIAGONALS] != 0);
    plan.removed = (uint64_t)round(values[REMOVED] * (double)edges);
    if (plan.removed > 0)
        hop__shuffle_init(&plan.removal, edges, recipe->seed, HOP__STREAM_EDGES);
    hop__scramble_init(&plan.scramble, values[SHUFFLE] != 0, vertices, recipe->seed);
    hop__edge_source source = {edges, recipe->weighting.type, grid_fill, &plan};
    hop__build build = {
        .vertices = (hop_vertex)vertices,
        .duplicates = HOP_DUPLICATES_MIN,
        .loops = HOP_LOOPS_DROP,
        .what = "grid: edge",
    };
    return hop__family_build(context, recipe, &source, &build, edges - plan.removed, graph);
}

const hop__family hop__family_grid = {
    .about = {.name = "grid",
              .summary = "lattice of rows and columns, with some edges removed",
              .source = "square lattice",
              HOP__PARAMETERS(parameters),
              HOP__NO_WEIGHTS_BY_DEFAULT},
    .make = grid_make,
};
