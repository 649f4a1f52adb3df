/* SPDX-License-Identifier: Apache-2.0
 *
 * road: a graph with the shape of a road network: planar, connected, of large diameter, degrees 1
 * to 4 and mostly 2, ids that are near each other where the places are, weights that are lengths.
 *
 * Junctions are a lattice of rows x cols, each moved at random by up to 0.4 of the distance to the
 * next. Each junction has at most two roads of its own, one west and one north. One of the two,
 * by the toss of a coin, is always there (at the border the one that can be): these alone are a
 * spanning tree, since from every junction they lead west or north until the first one is
 * reached. So every road network is connected. The other is there with probability `extra`. A road
 * has between 0 and `bends` vertices between its ends, uniformly, in even steps.
 *
 * Defaults: extra .35 and bends 2 make an average degree of 2.3 (DIMACS USA-road-d: 2.4).
 *
 * Weights are lengths, not uniform: the length of a step is the distance of the junctions, over
 * the number of steps, times a detour between 1 and 1.5; 0 is the least weight of the range and 3,
 * which no step reaches, the largest.
 *
 * Encoding: junction i = row * cols + column has, in the order of the ids, itself, then the
 * bends of its western road from it on, then those of its northern one. ids[i] is its id. Edges
 * are numbered in the same order, and the first number is kept for every 64th junction.
 *
 * Cost: about 17 ns per edge, 42 with weights, 60 with `shuffle`; 4.2 bytes per junction. */
#include <math.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/rng.h"
#include "core/scan.h"
#include "core/try.h"
#include "generate/family.h"
#include "generate/scramble.h"

enum { BLOCK = 64 };

typedef struct road_plan {
    hop_context *context;
    uint64_t rows, columns, junctions;
    uint64_t extra; /* of 2^32 */
    uint64_t bends; /* most on one road */
    uint64_t seed;
    uint64_t blocks;
    uint64_t *edge_starts;   /* of every BLOCK-th junction, and the number of edges */
    uint64_t *vertex_starts; /* likewise, only while ids are made */
    hop_vertex *ids;
    hop__scramble scramble;
    hop__weighting weighting;
} road_plan;

enum { WEST = 0, NORTH = 1 };

/* The roads of one junction: steps[WEST] edges to the junction before it in its row and
 * steps[NORTH] to the one above it; 0 when there is no such road. */
typedef struct own_roads {
    uint64_t steps[2];
} own_roads;

static own_roads roads_of(const road_plan *plan, uint64_t junction) {
    uint32_t words[4];
    hop__philox4x32(plan->seed, junction, HOP__STREAM_EDGES, words);
    bool first_row = junction < plan->columns, first_column = junction % plan->columns == 0;
    bool west = words[0] & 1, extra = words[1] < plan->extra;
    bool there[2] = {west || first_row || extra, !west || first_column || extra};
    there[WEST] = there[WEST] && !first_column;
    there[NORTH] = there[NORTH] && !first_row;
    own_roads roads;
    for (unsigned side = 0; side < 2; side++) {
        uint64_t bends = (words[2 + side] * (plan->bends + 1)) >> 32;
        roads.steps[side] = there[side] ? bends + 1 : 0;
    }
    return roads;
}

static uint64_t vertices_in(own_roads roads) {
    uint64_t west = roads.steps[WEST], north = roads.steps[NORTH];
    return 1 + (west > 0 ? west - 1 : 0) + (north > 0 ? north - 1 : 0);
}

static uint64_t block_end(const road_plan *plan, uint64_t block) {
    uint64_t end = (block + 1) * BLOCK;
    return end < plan->junctions ? end : plan->junctions;
}

static void blocks_count(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    const road_plan *plan = arg;
    if (!hop__progress_add(plan->context, (end - begin) * BLOCK))
        return;
    for (uint64_t block = begin; block < end; block++) {
        uint64_t vertices = 0, edges = 0, last = block_end(plan, block);
        for (uint64_t junction = block * BLOCK; junction < last; junction++) {
            own_roads roads = roads_of(plan, junction);
            vertices += vertices_in(roads);
            edges += roads.steps[WEST] + roads.steps[NORTH];
        }
        plan->vertex_starts[block] = vertices;
        plan->edge_starts[block] = edges;
    }
}

static void blocks_number(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    const road_plan *plan = arg;
    if (!hop__progress_add(plan->context, (end - begin) * BLOCK))
        return;
    for (uint64_t block = begin; block < end; block++) {
        uint64_t id = plan->vertex_starts[block], last = block_end(plan, block);
        for (uint64_t junction = block * BLOCK; junction < last; junction++) {
            plan->ids[junction] = (hop_vertex)id;
            id += vertices_in(roads_of(plan, junction));
        }
    }
}

/* Where a junction lies, in units of the lattice. */
static void junction_place(const road_plan *plan, uint64_t junction, double place[2]) {
    uint32_t words[4];
    hop__philox4x32(plan->seed, junction, HOP__STREAM_PLACES, words);
    for (unsigned axis = 0; axis < 2; axis++) {
        double moved = (double)words[axis] * (0.8 * 0x1p-32);
        double on_lattice =
            (double)(axis == 0 ? junction % plan->columns : junction / plan->columns);
        place[axis] = on_lattice + (moved - 0.4);
    }
}

/* A length of 0 to 3 as 64 bits for the weight. */
static uint64_t length_bits(const road_plan *plan, double length, uint64_t edge) {
    double detour = hop__random_unit(hop__random_at(plan->seed, HOP__STREAM_BENDS, edge));
    double factor = detour * 0.5;
    double share = length * (1 + factor);
    return (uint64_t)(share * (0x1p53 / 3)) << 11;
}

/* Writes edges until the caller's arrays are full. */
typedef struct edge_writer {
    const road_plan *plan;
    uint64_t edge; /* number of the next edge to write */
    uint32_t done, count;
    hop_vertex *from, *to;
    void *weights;
} edge_writer;

/* The steps of one road, from `skip` on: its bends have the ids first_bend and following. */
static void road_write(edge_writer *writer, uint64_t junction, uint64_t other, uint64_t steps,
                       hop_vertex first_bend, uint64_t skip) {
    const road_plan *plan = writer->plan;
    double step_length = 0;
    if (writer->weights != NULL) {
        double here[2], there[2];
        junction_place(plan, junction, here);
        junction_place(plan, other, there);
        double x = (here[0] - there[0]) * (here[0] - there[0]);
        double y = (here[1] - there[1]) * (here[1] - there[1]);
        step_length = sqrt(x + y) / (double)steps;
    }
    for (uint64_t step = skip; step < steps && writer->done < writer->count; step++) {
        uint32_t i = writer->done++;
        writer->from[i] = step == 0 ? plan->ids[junction] : first_bend + (hop_vertex)(step - 1);
        writer->to[i] = step + 1 == steps ? plan->ids[other] : first_bend + (hop_vertex)step;
        if (writer->weights != NULL)
            hop__weighting_put(&plan->weighting, length_bits(plan, step_length, writer->edge),
                               writer->weights, i);
        writer->edge++;
    }
}

/* The last block that begins at or before the edge. */
static uint64_t block_of(const road_plan *plan, uint64_t edge) {
    uint64_t low = 0, high = plan->blocks;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (plan->edge_starts[middle] <= edge)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void road_fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                      hop_vertex *to, void *weights) {
    const road_plan *plan = user;
    edge_writer writer = {plan, first, 0, count, from, to, weights};
    uint64_t block = block_of(plan, first);
    uint64_t skip = first - plan->edge_starts[block];
    for (uint64_t junction = block * BLOCK; writer.done < count; junction++) {
        own_roads roads = roads_of(plan, junction);
        hop_vertex bend = plan->ids[junction] + 1;
        const uint64_t others[2] = {junction - 1, junction - plan->columns};
        for (unsigned side = 0; side < 2; side++) {
            uint64_t steps = roads.steps[side];
            if (skip < steps) {
                road_write(&writer, junction, others[side], steps, bend, skip);
                skip = 0;
            } else {
                skip -= steps;
            }
            bend += (hop_vertex)(steps > 0 ? steps - 1 : 0);
        }
    }
    hop__scramble_apply(&plan->scramble, from, count);
    hop__scramble_apply(&plan->scramble, to, count);
}

enum { ROWS, COLS, EXTRA, BENDS, SHUFFLE };

static const hop_parameter parameters[] = {
    [ROWS] = {"rows", "rows of junctions", HOP_PARAMETER_INTEGER, true, 0, HOP_MAX_VERTICES, 0},
    [COLS] = {"cols", "columns of junctions", HOP_PARAMETER_INTEGER, true, 0, HOP_MAX_VERTICES, 0},
    [EXTRA] = {"extra", "share of the roads beyond a spanning tree", HOP_PARAMETER_REAL, false, 0,
               1, .35},
    [BENDS] = {"bends", "most vertices between two junctions", HOP_PARAMETER_INTEGER, false, 0,
               1000, 2},
    [SHUFFLE] = {"shuffle", "permute the vertex ids", HOP_PARAMETER_FLAG, false, 0, 1, 0},
};

static hop_status network_count(hop_context *context, road_plan *plan, uint64_t *vertices,
                                uint64_t *edges) {
    hop_status status = HOP_OK;
    HOP_TRY(status, hop__alloc_zero(context, "road: numbers of edges", plan->blocks + 1,
                                    sizeof(uint64_t), &plan->edge_starts));
    HOP_TRY(status, hop__alloc_zero(context, "road: numbers of vertices", plan->blocks + 1,
                                    sizeof(uint64_t), &plan->vertex_starts));
    hop__progress_begin(context, "generate: roads", plan->blocks * BLOCK);
    hop__for(context, plan->blocks, 256, blocks_count, plan);
    HOP_TRY(status, hop__progress_end(context));
    *vertices = hop__scan_u64(context, plan->vertex_starts, plan->blocks + 1);
    *edges = hop__scan_u64(context, plan->edge_starts, plan->blocks + 1);
    if (*vertices > HOP_MAX_VERTICES)
        status = hop__fail(context, HOP_ERR_ARGUMENT,
                           "road: %llu junctions with up to %llu bends per road make %llu "
                           "vertices, and at most %u are possible",
                           (unsigned long long)plan->junctions, (unsigned long long)plan->bends,
                           (unsigned long long)*vertices, HOP_MAX_VERTICES);
done:
    return status;
}

static hop_status network_number(hop_context *context, road_plan *plan) {
    hop_status status = HOP_OK;
    HOP_TRY(status, hop__alloc(context, "road: ids of junctions", plan->junctions,
                               sizeof *plan->ids, &plan->ids));
    hop__progress_begin(context, "generate: ids", plan->blocks * BLOCK);
    hop__for(context, plan->blocks, 256, blocks_number, plan);
    HOP_TRY(status, hop__progress_end(context));
done:
    hop__free(plan->vertex_starts);
    plan->vertex_starts = NULL;
    return status;
}

static hop_status road_make(hop_context *context, const hop__recipe *recipe, hop_graph **graph) {
    hop_status status = HOP_OK;
    const double *values = recipe->values;
    road_plan plan = {
        .context = context,
        .rows = (uint64_t)values[ROWS],
        .columns = (uint64_t)values[COLS],
        .extra = (uint64_t)(values[EXTRA] * 0x1p32),
        .bends = (uint64_t)values[BENDS],
        .seed = recipe->seed,
        .weighting = recipe->weighting,
    };
    if (!hop__mul_u64(plan.rows, plan.columns, &plan.junctions) ||
        plan.junctions > HOP_MAX_VERTICES)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "road: %.0f rows of %.0f junctions are %.0f, and at most %u vertices are "
                         "possible",
                         values[ROWS], values[COLS], values[ROWS] * values[COLS], HOP_MAX_VERTICES);
    plan.blocks = plan.junctions / BLOCK + (plan.junctions % BLOCK != 0);
    uint64_t vertices = 0, edges = 0;
    hop__build build = {
        .vertices = (hop_vertex)plan.junctions,
        .duplicates = HOP_DUPLICATES_MIN,
        .loops = HOP_LOOPS_KEEP,
        .what = "road: edge",
    };
    /* The spanning tree alone, before counting. */
    HOP_TRY(status, hop__family_fits(context, &build, recipe->weighting.type,
                                     plan.junctions == 0 ? 0 : plan.junctions - 1));
    HOP_TRY(status, network_count(context, &plan, &vertices, &edges));
    HOP_TRY(status, network_number(context, &plan));
    hop__scramble_init(&plan.scramble, values[SHUFFLE] != 0, vertices, recipe->seed);
    hop__edge_source source = {edges, recipe->weighting.type, road_fill, &plan};
    build.vertices = (hop_vertex)vertices;
    HOP_TRY(status, hop__family_build(context, recipe, &source, &build, edges, graph));
done:
    hop__free(plan.edge_starts);
    hop__free(plan.vertex_starts);
    hop__free(plan.ids);
    return status;
}

const hop__family hop__family_road = {
    .about = {.name = "road",
              .summary = "connected planar network of low degree; weights are lengths",
              .source = "binary-tree maze plus random roads, after the look of DIMACS-9 graphs",
              HOP__PARAMETERS(parameters),
              HOP__NO_WEIGHTS_BY_DEFAULT},
    .make = road_make,
    .plans_vertices = true,
};
