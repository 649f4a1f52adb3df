/* SPDX-License-Identifier: Apache-2.0
 * List ranking: every variant against the definition, on all small arrays of successors, lists or
 * not, and on large ones; what is refused, and in which words; memory and cancelling. */
#include <stdio.h>

#include "rank/rank_testing.h"

/* Variants that cut the list into pieces can be told into how many; every call takes another
 * number, so that small arrays are cut too. */
static size_t next_splitters(const hop_variant *variant, hop_setting *setting) {
    static unsigned calls;
    for (size_t i = 0; i < variant->parameter_count; i++)
        if (strcmp(hop_parameter_at(variant->parameters, i)->name, "splitters") == 0) {
            *setting = (hop_setting){.name = "splitters", .value = 1 + calls++ % 7};
            return 1;
        }
    return 0;
}

/* All variants on one array; whether they refuse it must be what brute force says. Behind its end
 * stands what would look like a tail, for those who read on. */
static void check_tiny(hop_context *context, const hop_vertex *given, hop_vertex n,
                       const hop_vertex *heads, hop_vertex head_count) {
    hop_vertex expected[TINY], ranks[TINY], successors[TINY];
    for (hop_vertex i = 0; i < TINY; i++)
        successors[i] = i < n ? given[i] : i;
    hop_run run = HOP_RUN_INIT;
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    bool good = brute_force(successors, n, heads, head_count, expected);
    options.run = &run;
    options.heads = heads;
    options.head_count = head_count;
    run.certify = HOP_CERTIFY_CANONICAL;
    for (size_t i = 0; i < host_variant_count(HOP_PROBLEM_RANK); i++) {
        hop_setting setting;
        run.variant = hop_variant_at(HOP_PROBLEM_RANK, i)->name;
        run.setting_count = next_splitters(hop_variant_at(HOP_PROBLEM_RANK, i), &setting);
        run.settings = &setting;
        for (hop_vertex k = 0; k < TINY; k++)
            ranks[k] = k < n ? 0x5a5a5a5a : NONE;
        hop_status status = hop_rank(context, successors, n, &options, ranks);
        if (status != (good ? HOP_OK : HOP_ERR_INPUT))
            fail_msg("%s on %u elements: status %d, %s", run.variant, n, status,
                     hop_context_message(context));
        if (good)
            assert_same(ranks, expected, n);
        else
            assert_says(context, " element");
        for (hop_vertex k = n; k < TINY; k++)
            if (ranks[k] != NONE)
                fail_msg("%s wrote behind the end of %u ranks", run.variant, n);
    }
}

/* Every array, its entries in range: n to the power of n. Those that are lists are among them. */
static void all_arrays_up_to_seven(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_vertex successors[TINY] = {0}, most = SMALLEST_TESTS ? 6 : 7;
    check_tiny(context, successors, 0, NULL, 0);
    for (hop_vertex n = 1; n <= most; n++)
        for (uint32_t code = 0; digits(code, n, n, successors) == 0;
             code += n == 7 && SMALLER_TESTS ? 11 : 1)
            check_tiny(context, successors, n, NULL, 0);
    free_context(context);
}

/* Every array of up to five with out-of-range entries, with every set of heads, each set in both
 * orders and with its first head twice. */
static void all_heads_of_arrays_up_to_five(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_vertex successors[TINY], most = SMALLEST_TESTS ? 4 : 5;
    for (hop_vertex n = 1; n <= most; n++)
        for (uint32_t code = 0; digits(code, n + 1, n, successors) == 0;
             code += n == 5 && SMALLER_TESTS ? 7 : 1) {
            check_tiny(context, successors, n, NULL, 0);
            for (uint32_t set = 0; set < 1u << n; set++) {
                hop_vertex heads[TINY], backwards[TINY], count = 0;
                for (hop_vertex i = 0; i < n; i++)
                    if (set >> i & 1)
                        heads[count++] = i;
                for (hop_vertex i = 0; i < count; i++)
                    backwards[i] = heads[count - 1 - i];
                check_tiny(context, successors, n, heads, count);
                if (count > 1)
                    check_tiny(context, successors, n, backwards, count);
                if (count > 0) {
                    heads[count] = heads[0];
                    check_tiny(context, successors, n, heads, count + 1);
                }
            }
        }
    free_context(context);
}

/* Element 0 and the head change places. */
static void begin_at_zero(hop_vertex n, hop_vertex head, hop_vertex *successors,
                          hop_vertex *ranks) {
    hop_vertex next = successors[0], rank = ranks[0];
    successors[0] = successors[head];
    ranks[0] = ranks[head];
    successors[head] = next;
    ranks[head] = rank;
    for (hop_vertex i = 0; i < n; i++)
        successors[i] = successors[i] == 0 ? head : successors[i] == head ? 0 : successors[i];
}

/* Lists as long as caches are not, short ones and many, with and without elements that are on
 * none: the second walk and the sweep of `sequential` both run. */
static void large_lists(void **state) {
    (void)state;
    const hop_vertex n = SMALLEST_TESTS ? 50000 : 200000;
    hop_vertex *memory = malloc((size_t)n * 16), *successors = memory, *heads = memory + n;
    hop_vertex *expected = memory + 2 * n, *ranks = memory + 3 * n;
    static const hop_vertex counts[] = {1, 2, 5, 17, 300, 5000};
    static const unsigned threads[] = {1, 2, 3, 4, 8};
    const char *wanted = getenv("HOPLITE_REPEAT"); /* with each number of threads: for a soak */
    unsigned runs = wanted ? 5 * (unsigned)strtoul(wanted, NULL, 10) : 12;
    for (unsigned i = 0; i < runs; i++) {
        hop_context *context = make_context(threads[i % 5]);
        hop_rank_options options = HOP_RANK_OPTIONS_INIT;
        hop_run run = HOP_RUN_INIT;
        run.certify = HOP_CERTIFY_CANONICAL;
        options.run = &run;
        options.head_count =
            random_lists(n, counts[i % 6], i % 12 < 6 ? 0 : 3, i, successors, heads, expected);
        options.heads = heads;
        if (i % 12 == 0) { /* one list of all elements */
            begin_at_zero(n, heads[0], successors, expected);
            options.heads = NULL;
            options.head_count = 0;
        }
        for (size_t k = 0; k < host_variant_count(HOP_PROBLEM_RANK); k++) {
            hop_setting setting;
            run.variant = hop_variant_at(HOP_PROBLEM_RANK, k)->name;
            run.settings = &setting; /* few splitters: pieces of many thousands */
            run.setting_count =
                i / 2 % 2 == 0 ? next_splitters(hop_variant_at(HOP_PROBLEM_RANK, k), &setting) : 0;
            if (hop_rank(context, successors, n, &options, ranks) != HOP_OK)
                fail_msg("%s: %s", run.variant, hop_context_message(context));
            assert_same(ranks, expected, n);
        }
        free_context(context);
    }
    free(memory);
}

/* The same words for a large array with one wrong link, however the walks of many threads meet. */
static void faults_in_large_lists(void **state) {
    (void)state;
    const hop_vertex n = 30000;
    hop_vertex *memory = malloc((size_t)n * 16), *successors = memory, *heads = memory + n;
    hop_vertex *expected = memory + 2 * n, *ranks = memory + 3 * n;
    for (unsigned i = 0; i < (SMALLEST_TESTS ? 20 : 60); i++) {
        hop_context *context = make_context(1 + i % 4);
        hop_rank_options options = HOP_RANK_OPTIONS_INIT;
        hop_run run = HOP_RUN_INIT;
        char message[1024];
        (void)random_lists(n, 1, 0, i, successors, heads, expected);
        hop_vertex at = (hop_vertex)(hop__random_at(i, 5, 0) % n), link = successors[at];
        successors[at] = i % 5 == 4 ? n + i : (hop_vertex)(hop__random_at(i, 5, 1) % n);
        if (successors[at] == link)
            successors[at] = n;
        options.run = &run;
        options.heads = i & 1 ? heads : NULL;
        options.head_count = i & 1;
        run.variant = "sequential";
        hop_status first = hop_rank(context, successors, n, &options, expected);
        snprintf(message, sizeof message, "%s", hop_context_message(context));
        for (size_t k = 1; k < host_variant_count(HOP_PROBLEM_RANK); k++) {
            run.variant = hop_variant_at(HOP_PROBLEM_RANK, k)->name;
            assert_int_equal(hop_rank(context, successors, n, &options, ranks), first);
            if (first == HOP_OK) /* a list from its head to a new tail is sound */
                assert_same(ranks, expected, n);
            else
                assert_string_equal(hop_context_message(context), message);
        }
        free_context(context);
    }
    free(memory);
}

/* Elements on no list may lead anywhere, also into the middle of a list. */
static void strangers_lead_into_lists(void **state) {
    (void)state;
    const hop_vertex n = 60000;
    hop_vertex *memory = malloc((size_t)n * 16), *successors = memory, *heads = memory + n;
    hop_vertex *expected = memory + 2 * n, *ranks = memory + 3 * n;
    for (unsigned i = 0; i < 8; i++) {
        hop_context *context = make_context(1 + i % 4);
        hop_rank_options options = HOP_RANK_OPTIONS_INIT;
        hop_run run = HOP_RUN_INIT;
        options.run = &run;
        options.head_count = random_lists(n, 1 + 7 * i, 3, i, successors, heads, expected);
        options.heads = heads;
        for (hop_vertex k = 0; k < n; k += 3)
            successors[k] = (hop_vertex)(hop__random_at(i, 6, k) % n);
        for (size_t k = 0; k < host_variant_count(HOP_PROBLEM_RANK); k++) {
            run.variant = hop_variant_at(HOP_PROBLEM_RANK, k)->name;
            assert_int_equal(hop_rank(context, successors, n, &options, ranks), HOP_OK);
            assert_same(ranks, expected, n);
        }
        free_context(context);
    }
    free(memory);
}

static void generated_lists(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    const hop_vertex n = 100000;
    hop_vertex *successors = malloc(4 * n), *ranks = malloc(4 * n), i = 0;
    for (size_t k = 0; k < host_variant_count(HOP_PROBLEM_RANK); k++) {
        hop_run run = HOP_RUN_INIT;
        hop_rank_options options = HOP_RANK_OPTIONS_INIT;
        run.variant = hop_variant_at(HOP_PROBLEM_RANK, k)->name;
        options.run = &run;
        assert_int_equal(hop_list_generate(context, n, k, successors), HOP_OK);
        assert_int_equal(hop_rank(context, successors, n, &options, ranks), HOP_OK);
        i = 0;
        for (hop_vertex left = n; left-- > 0; i = successors[i])
            if (ranks[i] != left)
                fail_msg("element %u has rank %u instead of %u", i, ranks[i], left);
        assert_int_equal(successors[i], i);
    }
    free(successors);
    free(ranks);
    free_context(context);
}

/* Faults by name, and the words for them. */
typedef struct fault_case {
    hop_vertex successors[6], heads[3], head_count;
    const char *message;
} fault_case;

static const fault_case fault_cases[] = {
    {{1, 2, 3, 4, 9, 5}, {0}, 0, "rank: element 4 has successor 9, but there are only 6 elements"},
    {{1, 2, 3, 4, NONE, 5}, {0}, 0, "rank: element 4 has successor 4294967295, but"},
    {{1, 2, 3, 4, 5, 2},
     {0},
     0,
     "rank: the list that begins at element 0 has no tail but a cycle, "
     "which closes at element 2"},
    {{1, 2, 0, 4, 5, 5}, {0}, 0, "which closes at element 0"},
    {{1, 2, 2, 4, 5, 3},
     {0},
     0,
     "rank: element 3 is not on the list that begins at element 0; it "
     "leads to a cycle, at element 3"},
    {{1, 2, 2, 4, 5, 4},
     {0},
     0,
     "rank: element 3 is not on the list that begins at element 0; it "
     "leads to a cycle, at element 4"},
    {{1, 2, 5, 4, 5, 5},
     {0},
     0,
     "rank: element 3 is not on the list that begins at element 0; it "
     "leads to a join with that list, at element 5"},
    {{2, 2, 3, 4, 5, 5},
     {0},
     0,
     "rank: element 1 is not on the list that begins at element 0; it "
     "leads to a join with that list, at element 2"},
    {{1, 2, 2, 4, 5, 5},
     {0},
     0,
     "rank: element 3 is not on the list that begins at element 0; it "
     "leads to another tail, element 5; give the heads"},
    {{1, 2, 2, 4, 7, 5}, {0}, 0, "rank: element 4 has successor 7, but there are only 6 elements"},
    {{1, 2, 5, 4, 5, 5},
     {3, 0},
     2,
     "rank: the lists that begin at elements 3 and 0 join at "
     "element 5"},
    {{1, 2, 2, 4, 5, 5},
     {0, 3, 4},
     3,
     "rank: the lists that begin at elements 3 and 4 join at "
     "element 4"},
    {{1, 2, 2, 4, 5, 5},
     {3, 3},
     2,
     "rank: the lists that begin at elements 3 and 3 join at "
     "element 3"},
    {{1, 2, 2, 4, 3, 5},
     {0, 4},
     2,
     "rank: the list that begins at element 4 has no tail but a "
     "cycle, which closes at element 4"},
    {{1, 2, 2, 6, 3, 5}, {0, 4}, 2, "rank: element 3 has successor 6"},
};

static void says_what_is_wrong(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    for (size_t i = 0; i < sizeof fault_cases / sizeof fault_cases[0]; i++)
        for (size_t k = 0; k < host_variant_count(HOP_PROBLEM_RANK); k++) {
            const fault_case *c = &fault_cases[i];
            hop_vertex ranks[6];
            hop_run run = HOP_RUN_INIT;
            hop_rank_options options = HOP_RANK_OPTIONS_INIT;
            run.variant = hop_variant_at(HOP_PROBLEM_RANK, k)->name;
            options.run = &run;
            options.heads = c->head_count ? c->heads : NULL;
            options.head_count = c->head_count;
            assert_int_equal(hop_rank(context, c->successors, 6, &options, ranks), HOP_ERR_INPUT);
            assert_says(context, c->message);
        }
    free_context(context);
}

/* A head in the middle; elements before it, and garbage, are not looked at. */
static void ranks_from_any_head(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    const hop_vertex successors[] = {3, 77, 4, 2, 4, NONE, 0, 7}, head = 2, two[] = {7, 3};
    const hop_vertex from_two[] = {NONE, NONE, 1, NONE, 0, NONE, NONE, NONE};
    const hop_vertex from_both[] = {NONE, NONE, 1, 2, 0, NONE, NONE, 0};
    hop_vertex ranks[8];
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    options.heads = &head;
    options.head_count = 1;
    assert_int_equal(hop_rank(context, successors, 8, &options, ranks), HOP_OK);
    assert_same(ranks, from_two, 8);
    options.heads = two;
    options.head_count = 2;
    assert_int_equal(hop_rank(context, successors, 8, &options, ranks), HOP_OK);
    assert_same(ranks, from_both, 8);
    options.head_count = 0; /* given, and none */
    assert_int_equal(hop_rank(context, successors, 8, &options, ranks), HOP_OK);
    for (hop_vertex i = 0; i < 8; i++)
        assert_int_equal(ranks[i], HOP_NO_RANK);
    assert_int_equal(hop_rank(context, NULL, 0, NULL, NULL), HOP_OK);
    assert_int_equal(hop_rank_certify(context, NULL, 0, NULL, NULL), HOP_OK);
    free_context(context);
}

static void bad_calls_are_refused(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_vertex successors[] = {1, 2, 2}, ranks[3], heads[] = {0, 3};
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    assert_int_equal(hop_rank(NULL, successors, 3, NULL, ranks), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_rank(context, NULL, 3, NULL, ranks), HOP_ERR_ARGUMENT);
    assert_says(context, "rank: the successors are NULL");
    assert_int_equal(hop_rank(context, successors, 3, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "rank: the ranks need an array of their own, of 3 elements");
    assert_int_equal(hop_rank(context, successors, 3, NULL, successors), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_rank(context, successors, UINT32_MAX, NULL, ranks), HOP_ERR_ARGUMENT);
    assert_says(context, "4294967295 elements, but at most 4294967294");
    options.head_count = 2;
    assert_int_equal(hop_rank(context, successors, 3, &options, ranks), HOP_ERR_ARGUMENT);
    assert_says(context, "rank: 2 heads, but their array is NULL");
    options.heads = heads;
    assert_int_equal(hop_rank(context, successors, 3, &options, ranks), HOP_ERR_ARGUMENT);
    assert_says(context, "rank: head number 1 is element 3, but there are only 3");
    assert_int_equal(hop_rank_certify(context, successors, 3, &options, ranks), HOP_ERR_ARGUMENT);
    options.size = 5000;
    assert_int_equal(hop_rank(context, successors, 3, &options, ranks), HOP_ERR_ARGUMENT);
    assert_says(context, "HOP_RANK_OPTIONS_INIT");
    assert_int_equal(hop_rank_certify(context, successors, 3, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_rank_certify(NULL, successors, 3, NULL, ranks), HOP_ERR_ARGUMENT);
    free_context(context);
}

/* Those of the variants: problem/test_conformance.c. */
static void the_certificate_may_lack_memory(void **state) {
    (void)state;
    const hop_vertex n = 1000;
    hop_vertex successors[1000], heads[1000], ranks[1000];
    test_heap heap = {0};
    hop_context_options with_heap = heap_options(&heap, true);
    hop_context *context;
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    options.head_count = random_lists(n, 5, 0, 1, successors, heads, ranks);
    options.heads = heads;
    assert_int_equal(hop_context_create(&with_heap, &context), HOP_OK);
    heap_fail_at(&heap, 1);
    assert_int_equal(hop_rank_certify(context, successors, n, &options, ranks), HOP_ERR_MEMORY);
    heap_fail_at(&heap, 0);
    assert_int_equal(hop_rank_certify(context, successors, n, &options, ranks), HOP_OK);
    free_context(context);
    assert_heap_empty(&heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_arrays_up_to_seven),
        cmocka_unit_test(all_heads_of_arrays_up_to_five),
        cmocka_unit_test(large_lists),
        cmocka_unit_test(faults_in_large_lists),
        cmocka_unit_test(strangers_lead_into_lists),
        cmocka_unit_test(generated_lists),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(ranks_from_any_head),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(the_certificate_may_lack_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
