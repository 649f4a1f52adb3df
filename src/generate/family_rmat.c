/* SPDX-License-Identifier: Apache-2.0
 *
 * rmat: scale-free graphs by recursion (Chakrabarti, Zhan, Faloutsos, SDM 2004): n = 2^scale
 * vertices, n * edge-factor edges drawn, loops dropped and duplicates merged (the smallest weight
 * stays). Each edge descends `scale` levels of the adjacency matrix, at each into the upper left
 * (a), upper right (b), lower left (c) or lower right (d) quarter. Graph500: .57 .19 .19 .05; D1:
 * .45 .15 .15 .25.
 *
 * Four levels are one draw: the 256 paths through four levels have the probabilities of an alias
 * table (Walker), so 32 random bits choose a path, 8 of them a slot and 24 the slot's own path or
 * its alias. Probabilities are multiples of 2^-32 that add up to exactly 1. One call of the wide
 * Philox gives the eight draws that 32 levels need. When `scale` is not a multiple of four the
 * last draw's surplus levels are cut off, which is exact, since levels are independent.
 *
 * Without more, small ids would have the large degrees. As in Graph500 the ids are permuted
 * unless the caller says no: by multiplications and shifts on `scale` bits, each invertible.
 *
 * Cost: about 16 ns per edge, 19 with permuted ids; no memory. */
#include "core/rng.h"
#include "core/try.h"
#include "generate/family.h"

enum {
    LEVELS = 4, /* of the recursion, per draw */
    PATHS = 1 << 2 * LEVELS,
    DRAWS = 32 / LEVELS,
    CHUNK = 128, /* edges at a time: their draws take 4 KiB */
    MIX_ROUNDS = 4
};

typedef struct rmat_plan {
    uint32_t alias[PATHS]; /* 24 bits of threshold, then the 8 of the other path */
    unsigned scale;
    uint64_t seed;
    bool shuffled;
    uint32_t factors[MIX_ROUNDS], addends[MIX_ROUNDS];
    hop__weighting weighting;
} rmat_plan;

/* Cuts [0, 2^62) into one interval per path of LEVELS levels, in proportion, and returns the
 * lengths in units of 2^30, so that they add up to 2^32. Path = row bits, then column bits. */
static void path_weights(const double quarters[4], uint64_t weights[PATHS]) {
    /* Shares of 2^32: where each quarter begins within a square. */
    uint64_t begin[5] = {0};
    double sum = 0;
    for (unsigned q = 0; q < 3; q++) {
        sum += quarters[q];
        begin[q + 1] = sum < 1 ? (uint64_t)(sum * 0x1p32) : UINT64_C(1) << 32;
    }
    begin[4] = UINT64_C(1) << 32;
    for (unsigned path = 0; path < PATHS; path++) {
        uint64_t low = 0, high = UINT64_C(1) << 62;
        for (unsigned level = LEVELS; level-- > 0;) {
            unsigned quarter = (path >> (LEVELS + level) & 1) * 2 + (path >> level & 1);
            hop__u128 length = high - low;
            high = low + (uint64_t)((length * begin[quarter + 1]) >> 32);
            low = low + (uint64_t)((length * begin[quarter]) >> 32);
        }
        weights[path] = (high >> 30) - (low >> 30);
    }
}

/* Walker's table in whole numbers: slot s keeps its own path for the draws below its threshold
 * and gives the rest to the alias. Each slot holds 2^24 of the 2^32 draws. */
static void alias_build(uint64_t weights[PATHS], uint32_t alias[PATHS]) {
    const uint64_t full = UINT64_C(1) << 24;
    uint8_t small[PATHS], large[PATHS];
    unsigned small_count = 0, large_count = 0;
    for (unsigned path = 0; path < PATHS; path++) {
        if (weights[path] < full)
            small[small_count++] = (uint8_t)path;
        else
            large[large_count++] = (uint8_t)path;
    }
    while (small_count > 0) {
        /* What is left adds up to `full` per slot, so a small one has a large one to borrow of. */
        unsigned slot = small[--small_count], giver = large[large_count - 1];
        alias[slot] = (uint32_t)weights[slot] << 8 | giver;
        weights[giver] -= full - weights[slot];
        if (weights[giver] < full) {
            large_count--;
            small[small_count++] = (uint8_t)giver;
        }
    }
    while (large_count > 0) {
        unsigned slot = large[--large_count];
        alias[slot] = slot; /* threshold 0: always the alias, which is itself */
    }
}

/* A permutation of the numbers of `scale` bits. */
static uint32_t permuted(const rmat_plan *plan, uint32_t vertex, uint32_t mask, unsigned shift) {
    for (unsigned round = 0; round < MIX_ROUNDS; round++) {
        vertex = (vertex * plan->factors[round] + plan->addends[round]) & mask;
        vertex ^= vertex >> shift;
    }
    return vertex;
}

/* The path that 32 random bits choose. Without a branch: it would be wrong every third time. */
static inline uint32_t path_of(const uint32_t alias[PATHS], uint32_t bits) {
    uint32_t slot = bits & (PATHS - 1), entry = alias[slot];
    uint32_t own = 0u - (uint32_t)(bits >> 8 < entry >> 8); /* all ones, or 0 */
    return ((slot & own) | (entry & ~own)) & (PATHS - 1);
}

/* At most CHUNK edges. Draw by draw over all of them, not edge by edge: the look-ups of one draw
 * are independent of each other, those of one edge are not, which is twice as fast. */
static void chunk_fill(const rmat_plan *plan, uint64_t first, uint32_t count,
                       hop_vertex *restrict from, hop_vertex *restrict to) {
    uint32_t words[DRAWS][CHUNK];
    const uint64_t key[2] = {plan->seed, HOP__STREAM_EDGES};
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t counter[4] = {first + i, 0, 0, 0};
        uint64_t random[4];
        hop__philox4x64(key, counter, random);
        for (unsigned draw = 0; draw < DRAWS; draw++)
            words[draw][i] = (uint32_t)(random[draw / 2] >> (draw % 2 * 32));
        from[i] = 0;
        to[i] = 0;
    }
    unsigned draws = (plan->scale + LEVELS - 1) / LEVELS;
    unsigned surplus = draws * LEVELS - plan->scale;
    for (unsigned draw = 0; draw < draws; draw++) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t path = path_of(plan->alias, words[draw][i]);
            from[i] = from[i] << LEVELS | path >> LEVELS;
            to[i] = to[i] << LEVELS | (path & ((1u << LEVELS) - 1));
        }
    }
    for (uint32_t i = 0; i < count && surplus > 0; i++) {
        from[i] >>= surplus;
        to[i] >>= surplus;
    }
    if (plan->shuffled) {
        uint32_t mask = (uint32_t)((UINT64_C(1) << plan->scale) - 1);
        unsigned shift = (plan->scale + 1) / 2;
        for (uint32_t i = 0; i < count; i++) {
            from[i] = permuted(plan, from[i], mask, shift);
            to[i] = permuted(plan, to[i], mask, shift);
        }
    }
}

static void rmat_fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                      hop_vertex *to, void *weights) {
    const rmat_plan *plan = user;
    for (uint32_t done = 0; done < count; done += CHUNK)
        chunk_fill(plan, first + done, count - done < CHUNK ? count - done : CHUNK, from + done,
                   to + done);
    hop__weighting_fill(&plan->weighting, first, count, weights);
}

enum { SCALE, EDGE_FACTOR, A, B, C, D, DIRECTED, SHUFFLE };

static const hop_parameter parameters[] = {
    [SCALE] = {"scale", "log2 of the number of vertices", HOP_PARAMETER_INTEGER, true, 0, 31, 0},
    [EDGE_FACTOR] = {"edge-factor", "edges drawn per vertex", HOP_PARAMETER_INTEGER, false, 0, 1e6,
                     16},
    [A] = {"a", "share of the upper left quarter", HOP_PARAMETER_REAL, false, 0, 1, .57},
    [B] = {"b", "share of the upper right quarter", HOP_PARAMETER_REAL, false, 0, 1, .19},
    [C] = {"c", "share of the lower left quarter", HOP_PARAMETER_REAL, false, 0, 1, .19},
    [D] = {"d", "share of the lower right quarter", HOP_PARAMETER_REAL, false, 0, 1, .05},
    [DIRECTED] = {"directed", "keep the direction of the edges", HOP_PARAMETER_FLAG, false, 0, 1,
                  0},
    [SHUFFLE] = {"shuffle", "permute the vertex ids", HOP_PARAMETER_FLAG, false, 0, 1, 1},
};

static void rmat_init(rmat_plan *plan, const hop__recipe *recipe) {
    const double *values = recipe->values;
    uint64_t paths[PATHS];
    path_weights(&values[A], paths);
    alias_build(paths, plan->alias);
    plan->scale = (unsigned)values[SCALE];
    plan->seed = recipe->seed;
    plan->shuffled = values[SHUFFLE] != 0;
    plan->weighting = recipe->weighting;
    for (unsigned round = 0; round < MIX_ROUNDS; round++) {
        uint64_t bits = hop__random_at(recipe->seed, HOP__STREAM_ORDER, round);
        plan->factors[round] = (uint32_t)bits | 1;
        plan->addends[round] = (uint32_t)(bits >> 32);
    }
}

/* Loops take (a + d)^scale of the edges; duplicates are dropped only after they were stored. Some
 * more by chance is allowed for. */
static uint64_t staying_least(const double *values, uint64_t edges) {
    double loops = 1;
    for (double level = 0; level < values[SCALE]; level++)
        loops *= values[A] + values[D];
    double staying = (1 - loops) * (double)edges;
    return staying < 1e6 ? 0 : (uint64_t)(staying * 0.99);
}

static hop_status rmat_make(hop_context *context, const hop__recipe *recipe, hop_graph **graph) {
    const double *values = recipe->values;
    double sum = values[A] + values[B] + values[C] + values[D];
    if (!(sum > 1 - 1e-9 && sum < 1 + 1e-9))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "rmat: a + b + c + d = %.15g + %.15g + %.15g + %.15g = %.15g; the shares "
                         "of the four quarters must add up to 1",
                         values[A], values[B], values[C], values[D], sum);
    uint64_t vertices = UINT64_C(1) << (unsigned)values[SCALE];
    uint64_t edges = vertices * (uint64_t)values[EDGE_FACTOR]; /* below 2^31 * 10^6 */
    if (edges > HOP_MAX_EDGES)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "rmat: scale %.0f with edge-factor %.0f draws %llu edges, and at most "
                         "%llu are possible",
                         values[SCALE], values[EDGE_FACTOR], (unsigned long long)edges,
                         (unsigned long long)HOP_MAX_EDGES);
    rmat_plan plan;
    rmat_init(&plan, recipe);
    hop__edge_source source = {edges, recipe->weighting.type, rmat_fill, &plan};
    hop__build build = {
        .vertices = (hop_vertex)vertices,
        .directed = values[DIRECTED] != 0,
        .duplicates = HOP_DUPLICATES_MIN,
        .loops = HOP_LOOPS_DROP,
        .what = "rmat: edge",
    };
    return hop__family_build(context, recipe, &source, &build, staying_least(values, edges), graph);
}

const hop__family hop__family_rmat = {
    .about = {.name = "rmat",
              .summary = "scale-free graph by recursive quarters of the matrix",
              .source = "Chakrabarti et al. 2004; Graph500; Cong 2014 (a .45, b .15, c .15, d .25)",
              HOP__PARAMETERS(parameters),
              HOP__NO_WEIGHTS_BY_DEFAULT},
    .make = rmat_make,
};
