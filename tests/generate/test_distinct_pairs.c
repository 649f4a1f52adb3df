/* SPDX-License-Identifier: Apache-2.0
 * Distinct pairs: all of them once, none twice, each set equally likely. */
#include "generate/distinct_pairs.h"
#include "generate/generate_testing.h"

static void check_all(uint32_t n, bool ordered) {
    uint64_t possible = hop__pairs_possible(n, ordered);
    hop__pairs pairs;
    hop__pairs_init(&pairs, n, ordered, 100, 5, 6);
    hop_vertex *from = malloc(sizeof *from * possible), *to = malloc(sizeof *to * possible);
    unsigned char *seen = calloc((size_t)n * n, 1);
    hop__pairs_fill(&pairs, 0, (uint32_t)possible, from, to);
    for (uint64_t i = 0; i < possible; i++) {
        uint32_t a = from[i] - 100, b = to[i] - 100;
        assert_true(a < n && b < n && a != b);
        if (!ordered && a > b) {
            uint32_t swapped = a;
            a = b;
            b = swapped;
        }
        assert_int_equal(seen[a * n + b], 0);
        seen[a * n + b] = 1;
    }
    free(seen);
    free(from);
    free(to);
}

static void test_every_pair_comes_once(void **state) {
    (void)state;
    for (uint32_t n = 2; n < 70; n++) {
        check_all(n, false);
        check_all(n, true);
    }
    check_all(255, false);
    check_all(256, true);
}

static void test_pieces_equal_the_whole(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    hop__pairs pairs;
    hop__pairs_init(&pairs, 4000000000u, false, 0, 1, 2);
    static hop_vertex from[COUNT], to[COUNT], part_from[COUNT], part_to[COUNT];
    hop__pairs_fill(&pairs, 12345678901, COUNT, from, to);
    for (uint32_t first = 0; first < COUNT; first += 7) {
        uint32_t count = COUNT - first < 7 ? COUNT - first : 7;
        hop__pairs_fill(&pairs, 12345678901 + first, count, part_from + first, part_to + first);
    }
    assert_memory_equal(from, part_from, sizeof from);
    assert_memory_equal(to, part_to, sizeof to);
}

/* The largest graphs: division by multiplication must hold up to 2^64. */
static void test_largest_vertex_counts(void **state) {
    (void)state;
    const uint32_t sizes[] = {UINT32_MAX - 1, UINT32_MAX - 2, 1u << 31, (1u << 31) + 1, 3000000019};
    for (size_t s = 0; s < HOP_LENGTH(sizes); s++) {
        hop__pairs pairs;
        hop__pairs_init(&pairs, sizes[s], true, 0, 9, 9);
        static hop_vertex from[1024], to[1024];
        uint64_t possible = hop__pairs_possible(sizes[s], true), halves = 0;
        hop__pairs_fill(&pairs, possible - 1024, 1024, from, to);
        for (unsigned i = 0; i < 1024; i++) {
            assert_true(from[i] < sizes[s] && to[i] < sizes[s] && from[i] != to[i]);
            halves += from[i] < sizes[s] / 2;
        }
        assert_share((double)halves, 1024, .5);
    }
}

/* The 120 sets of 3 of the 10 edges of 5 vertices, each by the same chance over seeds. */
static void test_sets_are_equally_likely(void **state) {
    (void)state;
    static uint64_t counts[1 << 10];
    uint64_t found[120];
    for (uint64_t seed = 0; seed < 24000; seed++) {
        hop__pairs pairs;
        hop_vertex from[3], to[3];
        hop__pairs_init(&pairs, 5, false, 0, seed, 2);
        hop__pairs_fill(&pairs, 0, 3, from, to);
        unsigned set = 0;
        for (unsigned i = 0; i < 3; i++) {
            unsigned a = from[i] < to[i] ? from[i] : to[i], b = from[i] + to[i] - a;
            set |= 1u << (b * (b - 1) / 2 + a);
        }
        counts[set]++;
    }
    size_t sets = 0;
    for (unsigned set = 0; set < HOP_LENGTH(counts); set++) {
        if (__builtin_popcount(set) == 3)
            found[sets++] = counts[set];
        else
            assert_int_equal(counts[set], 0);
    }
    assert_int_equal(sets, 120);
    assert_uniform(found, sets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pair_comes_once),
        cmocka_unit_test(test_pieces_equal_the_whole),
        cmocka_unit_test(test_largest_vertex_counts),
        cmocka_unit_test(test_sets_are_equally_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
