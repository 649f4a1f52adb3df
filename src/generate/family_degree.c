/* SPDX-License-Identifier: Apache-2.0
 *
 * degree: a directed graph where each vertex has between min-degree and max-degree arcs out,
 * uniformly, to different vertices other than itself, each set of targets equally likely. D2 5.1:
 * average degree between 2 and 6, weights 1 .. 1000.
 *
 * The degree of v is a function of v. Which vertex arc i belongs to needs the sum of the degrees
 * before it: the sums are kept for every 64th vertex, and the degrees between are drawn again.
 * Few targets are chosen by Floyd's sampling (CACM 30/9, 1987), which needs one draw each and all
 * those before it; many by a shuffle per vertex, where any target can be had alone.
 *
 * Cost: about 15 ns per arc, n/8 bytes. */
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/rng.h"
#include "core/scan.h"
#include "core/try.h"
#include "generate/family.h"

enum { BLOCK = 64, FLOYD_MOST = 48 };

typedef struct degree_plan {
    hop_context *context;
    uint64_t vertices, min, span, seed;
    uint64_t blocks;
    uint64_t *starts; /* of every BLOCK-th vertex, and the number of all arcs */
    hop__weighting weighting;
} degree_plan;

static uint64_t degree_of(const degree_plan *plan, uint64_t vertex) {
    if (plan->span == 1)
        return plan->min;
    uint64_t bits = hop__random_at(plan->seed, HOP__STREAM_DEGREES, vertex);
    return plan->min + hop__random_below(bits, plan->span);
}

static void blocks_sum(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    const degree_plan *plan = arg;
    if (!hop__progress_add(plan->context, (end - begin) * BLOCK))
        return;
    for (uint64_t block = begin; block < end; block++) {
        uint64_t last = (block + 1) * BLOCK;
        if (last > plan->vertices)
            last = plan->vertices;
        uint64_t sum = 0;
        for (uint64_t vertex = block * BLOCK; vertex < last; vertex++)
            sum += degree_of(plan, vertex);
        plan->starts[block] = sum;
    }
}

/* Targets are chosen among the n-1 others: those at or above the vertex are one further. */
static hop_vertex other_than(uint64_t vertex, uint64_t choice) {
    return (hop_vertex)(choice + (choice >= vertex));
}

/* Floyd: the j-th choice is below others-degree+j+1; one that is taken becomes that bound itself,
 * which can't be taken yet. */
static void few_targets(const degree_plan *plan, uint64_t vertex, uint64_t degree,
                        hop_vertex *targets) {
    uint64_t chosen[FLOYD_MOST];
    uint64_t bound = plan->vertices - 1 - degree;
    uint32_t words[4] = {0};
    for (uint64_t j = 0; j < degree; j++) {
        if (j % 2 == 0)
            hop__philox4x32(plan->seed, j / 2, HOP__STREAM_PARTS + vertex, words);
        uint64_t bits = (uint64_t)words[j % 2 * 2 + 1] << 32 | words[j % 2 * 2];
        uint64_t choice = hop__random_below(bits, bound + j + 1);
        for (uint64_t k = 0; k < j; k++) {
            if (chosen[k] == choice) {
                choice = bound + j;
                break;
            }
        }
        chosen[j] = choice;
        targets[j] = other_than(vertex, choice);
    }
}

/* Targets skip .. skip+count-1 of the vertex. */
static void targets_fill(const degree_plan *plan, uint64_t vertex, uint64_t degree, uint64_t skip,
                         uint32_t count, hop_vertex *targets) {
    if (degree <= FLOYD_MOST) {
        hop_vertex all[FLOYD_MOST];
        few_targets(plan, vertex, degree, all);
        for (uint32_t i = 0; i < count; i++)
            targets[i] = all[skip + i];
        return;
    }
    hop__shuffle shuffle;
    hop__shuffle_init(&shuffle, plan->vertices - 1, plan->seed, HOP__STREAM_PARTS + vertex);
    uint64_t choices[HOP__SOURCE_BLOCK];
    for (uint32_t i = 0; i < count; i++)
        choices[i] = skip + i;
    hop__shuffle_all(&shuffle, choices, count);
    for (uint32_t i = 0; i < count; i++)
        targets[i] = other_than(vertex, choices[i]);
}

/* The last block that begins at or before the arc. Blocks are never empty of vertices, but may be
 * of arcs; the last of several with the same start is the one that has the arc. */
static uint64_t block_of(const degree_plan *plan, uint64_t arc) {
    uint64_t low = 0, high = plan->blocks;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (plan->starts[middle] <= arc)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void degree_fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                        hop_vertex *to, void *weights) {
    const degree_plan *plan = user;
    uint64_t block = block_of(plan, first);
    uint64_t vertex = block * BLOCK, skip = first - plan->starts[block];
    for (uint32_t done = 0; done < count; vertex++) {
        uint64_t degree = degree_of(plan, vertex);
        if (skip >= degree) {
            skip -= degree;
            continue;
        }
        uint64_t left = degree - skip;
        uint32_t piece = left < count - done ? (uint32_t)left : count - done;
        targets_fill(plan, vertex, degree, skip, piece, to + done);
        for (uint32_t i = 0; i < piece; i++)
            from[done + i] = (hop_vertex)vertex;
        done += piece;
        skip = 0;
    }
    hop__weighting_fill(&plan->weighting, first, count, weights);
}

enum { N, MIN_DEGREE, MAX_DEGREE };

static const hop_parameter parameters[] = {
    [N] = {"n", "number of vertices", HOP_PARAMETER_INTEGER, true, 0, HOP_MAX_VERTICES, 0},
    [MIN_DEGREE] = {"min-degree", "least arcs out of a vertex", HOP_PARAMETER_INTEGER, false, 0,
                    HOP_MAX_VERTICES, 2},
    [MAX_DEGREE] = {"max-degree", "most arcs out of a vertex", HOP_PARAMETER_INTEGER, false, 0,
                    HOP_MAX_VERTICES, 6},
};

static hop_status degree_check(hop_context *context, const double *values) {
    double n = values[N], least = values[MIN_DEGREE], most = values[MAX_DEGREE];
    if (least > most)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "degree: min-degree %.0f is above max-degree %.0f", least, most);
    if (n > 0 && most > n - 1)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "degree: max-degree %.0f, but each of %.0f vertices has only %.0f others; "
                         "lower max-degree or raise n",
                         most, n, n - 1);
    /* An upper bound that may be above what is drawn by chance is still the honest one to check:
     * whether a request is possible must not depend on the seed. */
    if (n * most > (double)HOP_MAX_EDGES)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "degree: %.0f vertices of up to %.0f arcs make up to %.0f arcs, and at "
                         "most %llu are possible",
                         n, most, n * most, (unsigned long long)HOP_MAX_EDGES);
    return HOP_OK;
}

static hop_status degree_make(hop_context *context, const hop__recipe *recipe, hop_graph **graph) {
    hop_status status = HOP_OK;
    const double *values = recipe->values;
    degree_plan plan = {
        .context = context,
        .vertices = (uint64_t)values[N],
        .min = (uint64_t)values[MIN_DEGREE],
        .seed = recipe->seed,
        .weighting = recipe->weighting,
    };
    hop__build build = {
        .vertices = (hop_vertex)plan.vertices,
        .directed = true,
        .duplicates = HOP_DUPLICATES_MIN,
        .loops = HOP_LOOPS_KEEP,
        .what = "degree: arc",
    };
    HOP_TRY(status, degree_check(context, values));
    HOP_TRY(status,
            hop__family_fits(context, &build, recipe->weighting.type, plan.vertices * plan.min));
    plan.span = (uint64_t)values[MAX_DEGREE] - plan.min + 1;
    plan.blocks = plan.vertices / BLOCK + (plan.vertices % BLOCK != 0);
    HOP_TRY(status, hop__alloc_zero(context, "degree: sums of degrees", plan.blocks + 1,
                                    sizeof *plan.starts, &plan.starts));
    hop__progress_begin(context, "generate: degrees", plan.blocks * BLOCK);
    hop__for(context, plan.blocks, 1024, blocks_sum, &plan);
    HOP_TRY(status, hop__progress_end(context));
    uint64_t arcs = hop__scan_u64(context, plan.starts, plan.blocks + 1);
    hop__edge_source source = {arcs, recipe->weighting.type, degree_fill, &plan};
    HOP_TRY(status, hop__family_build(context, recipe, &source, &build, arcs, graph));
done:
    hop__free(plan.starts);
    return status;
}

const hop__family hop__family_degree = {
    .about = {.name = "degree",
              .summary = "directed graph with degrees between two bounds, weighted",
              .source = "Kemp 2012, 5.1",
              .takes_weights = true,
              HOP__PARAMETERS(parameters),
              .weight_type = HOP_TYPE_INT32,
              .min_weight = 1,
              .max_weight = 1000},
    .make = degree_make,
    .plans_vertices = true,
};
