/* SPDX-License-Identifier: Apache-2.0
 * R-MAT. The source is included, so that the draws can be looked at before loops and duplicates
 * are gone: the table of paths is checked exactly, the edges by their frequencies. */
#include "generate/family_rmat.c"

#include "generate/generate_testing.h"

static const double graph500[4] = {.57, .19, .19, .05};
static const double cong[4] = {.45, .15, .15, .25}; /* D1 */
static const double *const shares[] = {
    graph500,
    cong,
    (const double[4]){.25, .25, .25, .25},
    (const double[4]){1, 0, 0, 0},
    (const double[4]){0, 0, 0, 1},
    (const double[4]){0, .5, .5, 0},
    (const double[4]){.1, .2, .3, .4},
    (const double[4]){1 / 3., 1 / 3., 1 / 3., 0},
    (const double[4]){.5, .3, .2000000005, 0}, /* a sum that is 1 as far as it is checked */
};

static rmat_plan plan_of(const double quarters[4], double scale, bool shuffled, uint64_t seed) {
    const double values[] = {
        [SCALE] = scale,   [A] = quarters[0], [B] = quarters[1],
        [C] = quarters[2], [D] = quarters[3], [SHUFFLE] = shuffled,
    };
    const hop__recipe recipe = {.values = values, .seed = seed};
    rmat_plan plan;
    rmat_init(&plan, &recipe);
    return plan;
}

/* How many of the 2^32 draws give each path, by the table itself. */
static void draws_by_path(const uint32_t alias[PATHS], uint64_t draws[PATHS]) {
    memset(draws, 0, sizeof *draws * PATHS);
    for (unsigned slot = 0; slot < PATHS; slot++) {
        uint32_t own = alias[slot] >> 8;
        draws[slot] += own;
        draws[alias[slot] & (PATHS - 1)] += (1u << 24) - own;
        /* And path_of reads it so. */
        assert_int_equal(path_of(alias, slot | 0xffffff00u), alias[slot] & (PATHS - 1));
        if (own > 0) {
            assert_int_equal(path_of(alias, slot), slot);
            assert_int_equal(path_of(alias, slot | (own - 1) << 8), slot);
        }
        if (own < (1u << 24) - 1)
            assert_int_equal(path_of(alias, slot | own << 8), alias[slot] & (PATHS - 1));
    }
}

static void test_table_has_the_exact_shares(void **state) {
    (void)state;
    for (size_t i = 0; i < HOP_LENGTH(shares); i++) {
        rmat_plan plan = plan_of(shares[i], 8, false, 1);
        uint64_t draws[PATHS], sum = 0;
        double quarters[LEVELS][4] = {{0}};
        draws_by_path(plan.alias, draws);
        for (unsigned path = 0; path < PATHS; path++) {
            double expected = 0x1p32;
            for (unsigned level = 0; level < LEVELS; level++) {
                unsigned row = path >> (2 * LEVELS - 1 - level) & 1;
                unsigned column = path >> (LEVELS - 1 - level) & 1;
                expected *= shares[i][2 * row + column];
                quarters[level][2 * row + column] += (double)draws[path];
            }
            sum += draws[path];
            assert_true(fabs((double)draws[path] - expected) < 6);
            if (expected == 0)
                assert_int_equal(draws[path], 0);
        }
        assert_int_equal(sum, UINT64_C(1) << 32);
        for (unsigned level = 0; level < LEVELS; level++) {
            for (unsigned q = 0; q < 4; q++)
                assert_true(fabs(quarters[level][q] * 0x1p-32 - shares[i][q]) < 1e-7);
        }
    }
}

/* Every level of the descent, of every scale, has the shares; also the cut-off ones. */
static void test_edges_have_the_shares(void **state) {
    (void)state;
    enum { EDGES = 1 << 16 };
    static hop_vertex from[EDGES], to[EDGES];
    const unsigned scales[] = {1, 2, 3, 4, 5, 7, 13, 24, 29, 31};
    for (size_t s = 0; s < HOP_LENGTH(scales); s++) {
        for (size_t i = 0; i < 2; i++) {
            rmat_plan plan = plan_of(shares[i], scales[s], false, 5);
            for (uint32_t first = 0; first < EDGES; first += HOP__SOURCE_BLOCK)
                rmat_fill(&plan, first, HOP__SOURCE_BLOCK, from + first, to + first, NULL);
            for (unsigned level = 0; level < scales[s]; level++) {
                double counts[4] = {0};
                for (uint32_t e = 0; e < EDGES; e++) {
                    assert_true(from[e] >> scales[s] == 0 && to[e] >> scales[s] == 0);
                    counts[2 * (from[e] >> level & 1) + (to[e] >> level & 1)]++;
                }
                for (unsigned q = 0; q < 4; q++)
                    assert_share(counts[q], EDGES, shares[i][q]);
            }
        }
    }
}

/* Levels are independent of each other, also across two draws, and edges of the one before. */
static void test_levels_are_independent(void **state) {
    (void)state;
    enum { EDGES = 1 << 17, SCALE_HERE = 12 };
    static hop_vertex from[EDGES], to[EDGES];
    rmat_plan plan = plan_of(graph500, SCALE_HERE, false, 6);
    for (uint32_t first = 0; first < EDGES; first += HOP__SOURCE_BLOCK)
        rmat_fill(&plan, first, HOP__SOURCE_BLOCK, from + first, to + first, NULL);
    for (unsigned x = 0; x < SCALE_HERE; x++) {
        for (unsigned y = 0; y < SCALE_HERE; y++) {
            double both = 0, next = 0;
            for (uint32_t e = 1; e < EDGES; e++) {
                both += (from[e] >> x & 1) == 0 && (to[e] >> x & 1) == 0 &&
                        (from[e] >> y & 1) == 0 && (to[e] >> y & 1) == 0;
                next += (from[e] >> x & 1) == 0 && (to[e] >> x & 1) == 0 &&
                        (from[e - 1] >> y & 1) == 0 && (to[e - 1] >> y & 1) == 0;
            }
            assert_share(both, EDGES - 1, x == y ? .57 : .57 * .57);
            assert_share(next, EDGES - 1, .57 * .57);
        }
    }
}

static void test_pieces_equal_the_whole(void **state) {
    (void)state;
    hop_vertex from[1000], to[1000], part_from[1000], part_to[1000];
    rmat_plan plan = plan_of(graph500, 27, true, 7);
    rmat_fill(&plan, 1000000007, 1000, from, to, NULL);
    for (uint32_t first = 0; first < 1000; first += 33)
        rmat_fill(&plan, 1000000007 + first, 1000 - first < 33 ? 1000 - first : 33,
                  part_from + first, part_to + first, NULL);
    assert_memory_equal(from, part_from, sizeof from);
    assert_memory_equal(to, part_to, sizeof to);
}

static void test_permuted_ids_are_a_permutation(void **state) {
    (void)state;
    for (unsigned scale = 0; scale <= 17; scale++) {
        for (uint64_t seed = 0; seed < 5; seed++) {
            rmat_plan plan = plan_of(graph500, scale, true, seed);
            uint32_t n = 1u << scale;
            unsigned char *seen = calloc(n, 1);
            for (uint32_t v = 0; v < n; v++) {
                uint32_t u = permuted(&plan, v, n - 1, (scale + 1) / 2);
                assert_true(u < n && !seen[u]);
                seen[u] = 1;
            }
            free(seen);
        }
    }
}

/* Ids that differ in one bit, as those of the largest degrees do, land anywhere. */
static void test_permuted_ids_are_spread(void **state) {
    (void)state;
    enum { SCALE_HERE = 20, CELLS = 64 };
    for (unsigned bit = 0; bit < SCALE_HERE; bit++) {
        uint64_t places[CELLS] = {0}, low[CELLS] = {0}, steps[CELLS] = {0};
        for (uint64_t seed = 0; seed < 6400; seed++) {
            rmat_plan plan = {0};
            for (unsigned round = 0; round < MIX_ROUNDS; round++) {
                uint64_t bits = hop__random_at(seed, HOP__STREAM_ORDER, round);
                plan.factors[round] = (uint32_t)bits | 1;
                plan.addends[round] = (uint32_t)(bits >> 32);
            }
            uint32_t mask = (1u << SCALE_HERE) - 1;
            uint32_t zero = permuted(&plan, 0, mask, SCALE_HERE / 2);
            uint32_t u = permuted(&plan, 1u << bit, mask, SCALE_HERE / 2);
            places[u >> (SCALE_HERE - 6)]++;
            low[u % CELLS]++;
            steps[((u - zero) & mask) >> (SCALE_HERE - 6)]++;
        }
        assert_uniform(places, CELLS);
        assert_uniform(low, CELLS);
        assert_uniform(steps, CELLS);
    }
}

/* Whole graphs: loops gone, duplicates gone (the builder's rows rise), the same degrees whether
 * permuted or not, most isolated vertices where Graph500 has them. */
static void test_graph(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    const request plain = {"rmat", {{"scale", 12}, {"shuffle", 0}}};
    const request shuffled = {"rmat", {{"scale", 12}}};
    const request directed = {"rmat", {{"scale", 12}, {"directed", 1}}};
    hop_graph *a = generate(context, &plain, 1), *b = generate(context, &shuffled, 1);
    hop_graph *c = generate(context, &directed, 1);
    assert_same_degrees(a, b);
    hop_graph_info info = info_of(context, a);
    assert_int_equal(info.max_degree_vertex, 0);
    assert_int_not_equal(info_of(context, b).max_degree_vertex, 0);
    assert_int_equal(info.vertices, 4096);
    assert_int_equal(info.loops, 0);
    assert_true(info.edges < 65536 && info.edges > 40000);
    assert_true(info.isolated > 500);
    assert_true(hop_graph_directed(c) && info_of(context, c).edges > info.edges);
    for (uint32_t v = 0; v < 4096; v++) {
        for (uint64_t i = offset_of(a, v) + 1; i < offset_of(a, (uint64_t)v + 1); i++)
            assert_true(hop_graph_targets(a)[i - 1] < hop_graph_targets(a)[i]);
    }
    hop_graph_release(a);
    hop_graph_release(b);
    hop_graph_release(c);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_has_the_exact_shares),
        cmocka_unit_test(test_edges_have_the_shares),
        cmocka_unit_test(test_levels_are_independent),
        cmocka_unit_test(test_pieces_equal_the_whole),
        cmocka_unit_test(test_permuted_ids_are_a_permutation),
        cmocka_unit_test(test_permuted_ids_are_spread),
        cmocka_unit_test(test_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
