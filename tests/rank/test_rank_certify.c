/* SPDX-License-Identifier: Apache-2.0
 * The certificate of rank: accepts right ranks and nothing else, also for successors that are no
 * lists. */
#include "rank/rank_testing.h"

static bool accepts(hop_context *context, const hop_vertex *successors, hop_vertex n,
                    const hop_vertex *heads, hop_vertex head_count, const hop_vertex *ranks) {
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    options.heads = heads;
    options.head_count = head_count;
    hop_status status = hop_rank_certify(context, successors, n, &options, ranks);
    if (status != HOP_OK && status != HOP_ERR_CERTIFICATE)
        fail_msg("%s", hop_context_message(context));
    if (status != HOP_OK)
        assert_says(context, "rank: certificate: ");
    return status == HOP_OK;
}

/* The heads of set number `set`; NULL for the set after the last. */
static const hop_vertex *heads_of(uint32_t set, hop_vertex n, hop_vertex *heads,
                                  hop_vertex *count) {
    *count = 0;
    if (set >> n)
        return NULL;
    for (hop_vertex i = 0; i < n; i++)
        if (set >> i & 1)
            heads[(*count)++] = i;
    return heads;
}

/* On up to four elements: every array of successors (one value out of range included), every set
 * of heads, every array of ranks. */
static void decides_every_claim_on_four_elements(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_vertex successors[TINY], ranks[TINY], right[TINY], heads[TINY], head_count;
    for (hop_vertex n = 0; n <= (SMALLEST_TESTS ? 3 : 4); n++)
        for (uint32_t code = 0; digits(code, n + 1, n, successors) == 0;
             code += n == 4 && SMALLER_TESTS ? 7 : 1) {
            for (uint32_t set = 0; set <= 1u << n; set++) {
                const hop_vertex *given = heads_of(set, n, heads, &head_count);
                bool good = brute_force(successors, n, given, head_count, right);
                for (uint32_t claim = 0; digits(claim, n + 1, n, ranks) == 0; claim++) {
                    for (hop_vertex i = 0; i < n; i++)
                        ranks[i] = ranks[i] == n ? NONE : ranks[i];
                    if (accepts(context, successors, n, given, head_count, ranks) !=
                        (good && memcmp(ranks, right, 4 * n) == 0))
                        fail_msg("%u elements, successors %u, heads %u, ranks %u", n, code, set,
                                 claim);
                    if (n == 0)
                        break;
                }
            }
            if (n == 0)
                break;
        }
    free_context(context);
}

/* Every entry of right ranks of five elements set to everything else. */
static void refuses_each_wrong_entry(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    const hop_vertex n = 5;
    hop_vertex successors[TINY], ranks[TINY], heads[TINY], head_count, right = 0;
    for (uint32_t code = 0; digits(code, n + 1, n, successors) == 0; code++)
        for (uint32_t set = 0; set <= 1u << n; set++) {
            const hop_vertex *given = heads_of(set, n, heads, &head_count);
            if (!brute_force(successors, n, given, head_count, ranks))
                continue;
            right++;
            if (!accepts(context, successors, n, given, head_count, ranks))
                fail_msg("right ranks are refused: %s", hop_context_message(context));
            for (hop_vertex i = 0; i < n; i++) {
                hop_vertex good = ranks[i];
                const hop_vertex special[] = {NONE, NONE - 1, good + 1, good - 1, n, 1u << 31};
                for (uint32_t k = 0; k < n + 6; k++) {
                    ranks[i] = k < n ? k : special[k - n];
                    if (ranks[i] != good &&
                        accepts(context, successors, n, given, head_count, ranks))
                        fail_msg("element %u: rank %u instead of %u", i, ranks[i], good);
                }
                ranks[i] = good;
            }
        }
    assert_true(right > 10000);
    free_context(context);
}

static void says_what_is_wrong(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    const hop_vertex successors[] = {1, 2, 2, 4, 5, 5}, heads[] = {0, 3}, joined[] = {0, 3, 4};
    hop_vertex ranks[] = {2, 1, 0, 2, 1, 0};
    assert_true(accepts(context, successors, 6, heads, 2, ranks));
    assert_false(accepts(context, successors, 6, joined, 3, ranks));
    assert_says(context, "lists that have ranks join at element 4");
    assert_false(accepts(context, successors, 6, heads, 1, ranks));
    assert_says(context, "element 0 has rank 2, so its list has 3 elements, but there are 6 with a "
                         "rank");
    assert_false(accepts(context, successors, 6, NULL, 0, ranks));
    assert_says(context, "element 0 has rank 2, so its list has 3 elements, but there are 6");
    assert_false(accepts(context, successors, 6, heads, 0, ranks));
    assert_says(context, "there are no heads, but 6 elements have a rank");
    assert_false(accepts(context, successors, 6, joined + 1, 2, ranks));
    ranks[0] = NONE;
    assert_false(accepts(context, successors, 6, heads, 2, ranks));
    assert_says(context, "element 0 is a head, but has no rank");
    ranks[0] = 2;
    ranks[5] = 1;
    assert_false(accepts(context, successors, 6, heads, 2, ranks));
    assert_says(context, "element 4 has rank 1, but its successor 5 has rank 1");
    ranks[5] = NONE;
    assert_false(accepts(context, successors, 6, heads, 2, ranks));
    assert_says(context, "element 4 has rank 1, but its successor 5 has none");
    const hop_vertex three[] = {1, 2, 2, 3, 4, 4}, ends[] = {0, 3};
    hop_vertex more[] = {2, 1, 0, 0, 0, NONE}; /* 4 has a rank, and no head leads to it */
    assert_false(accepts(context, three, 6, ends, 2, more));
    assert_says(context, "element 4 has rank 0, but no head leads to it");
    const hop_vertex wild[] = {1, 8};
    hop_vertex wild_ranks[] = {1, 0};
    assert_false(accepts(context, wild, 2, NULL, 0, wild_ranks));
    assert_says(context, "element 1 has rank 0, but its successor 8 is not one of the 2 elements");
    free_context(context);
}

/* 10,000 random corruptions of 100,000 elements, by one and three threads, whose messages must
 * agree. Threads are what pieces are for, so joins are planted too. */
static void refuses_random_corruptions(void **state) {
    (void)state;
    hop_context *one = make_context(1), *three = make_context(3);
    const hop_vertex n = 100000, rounds = SMALLER_TESTS ? 1000 : 2500;
    hop_vertex *successors = malloc(4 * n), *heads = malloc(4 * n), *ranks = malloc(4 * n);
    static const hop_vertex counts[] = {1, 2, 50, 3000};
    for (unsigned kind = 0; kind < 4; kind++) {
        hop_vertex count =
            random_lists(n, counts[kind], kind & 1 ? 7 : 0, kind, successors, heads, ranks);
        assert_true(accepts(one, successors, n, heads, count, ranks));
        assert_true(accepts(three, successors, n, heads, count, ranks));
        for (hop_vertex round = 0; round < rounds; round++) {
            uint64_t bits = hop__random_at(10, kind, round);
            hop_vertex i = (hop_vertex)(bits % n), *entry = &ranks[i];
            if (round % 4 == 3 && ranks[i] != NONE)
                entry = &successors[i]; /* a join, a cycle or a second tail */
            hop_vertex good = *entry, other = (hop_vertex)((bits >> 20) % n);
            const hop_vertex choices[] = {other, other % 16, good + 1, good - 1, 0, NONE};
            *entry = choices[(bits >> 41) % 6];
            if (*entry != good) {
                if (accepts(one, successors, n, heads, count, ranks))
                    fail_msg("kind %u, round %u is accepted", kind, round);
                if (round % 10 < 2) {
                    assert_false(accepts(three, successors, n, heads, count, ranks));
                    assert_string_equal(hop_context_message(one), hop_context_message(three));
                }
            }
            *entry = good;
        }
    }
    free(successors);
    free(heads);
    free(ranks);
    free_context(one);
    free_context(three);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decides_every_claim_on_four_elements),
        cmocka_unit_test(refuses_each_wrong_entry),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(refuses_random_corruptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
