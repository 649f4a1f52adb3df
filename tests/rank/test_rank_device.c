/* SPDX-License-Identifier: Apache-2.0
 * List ranking on devices: every variant for them on every device, in several forms, against the
 * definition and bit by bit against known ranks; what is refused, in the words of `sequential`. */
#include <stdio.h>

#include "problem/report.h"
#include "rank/rank_device_testing.h"

/* Every array of up to four, its entries in range or one beyond; up to three also with heads. Each
 * variant takes a third of the largest. */
static void small_arrays_on(hop_context *context, hop__device *device) {
    const hop_variant *variant;
    (void)device;
    hop_vertex most = most_elements() < 1000 ? 2 : 4;
    for (size_t k = 0; (variant = device_variant(k)) != NULL; k++)
        for (hop_vertex n = 1; n <= most; n++) {
            hop_vertex successors[TINY], expected[TINY], ranks[TINY], heads[] = {n - 1, n / 2};
            for (uint32_t code = n > 3 ? (uint32_t)k % 3 : 0;
                 digits(code, n + 1, n, successors) == 0; code += n > 3 ? 3 : 1)
                for (hop_vertex given = 0; given < (n > 3 ? 1 : 3); given++) {
                    question q = {successors, n, given ? heads : NULL, given,
                                  HOP_CERTIFY_CANONICAL};
                    form f = {{{"splitters", 1 + code % 4, NULL}}, 1};
                    bool good = brute_force(successors, n, q.heads, given, expected);
                    hop_status status = ask(context, &q, variant, &f, NULL, ranks);
                    if (status != (good ? HOP_OK : HOP_ERR_INPUT))
                        fail_msg("%s, array %u of %u, %u heads: status %d, %s", variant->name, code,
                                 n, given, status, hop_context_message(context));
                    if (good)
                        assert_same(ranks, expected, n);
                }
        }
}

static void small_arrays(void **state) {
    (void)state;
    on_each_device(small_arrays_on);
}

static uint64_t retreats(const hop_report *report) {
    for (size_t i = 0; i < report->counter_count; i++)
        if (strcmp(report->counters[i].name, "retreats") == 0)
            return report->counters[i].value;
    return 0;
}

/* What a run that found no fault in the lists has done on the device, it has not done again on the
 * host: else whatever goes wrong there would be mended unseen. */
static void assert_no_retreat(const hop_report *report) {
    assert_int_equal(retreats(report), 0);
}

/* Sizes around those of groups and pieces; one list and several, with elements on none. Of the
 * largest each variant takes every number of lists, with one form of two after the other. */
static void lists_of_all_sizes_on(hop_context *context, hop__device *device) {
    static const hop_vertex sizes[] = {0,  1,   2,   6,   7,    8,    63,    64,
                                       65, 127, 128, 129, 1000, 1001, 40000, 1 << 20};
    static const hop_vertex lists[] = {1, 5, 3000};
    const hop_variant *variant;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes && sizes[s] <= most_elements(); s++) {
        hop_vertex n = sizes[s], *memory = malloc(16 * (size_t)n + 16), *successors = memory;
        hop_vertex *heads = memory + n, *expected = memory + 2 * n, *ranks = memory + 3 * n;
        for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
            hop_vertex made =
                random_lists(n, lists[l], l == 1 ? 3 : 0, s, successors, heads, expected);
            for (size_t k = 0; (variant = device_variant(k)) != NULL; k++)
                for (size_t f = 0; f < (n > 100000 ? 2 : FORMS); f++) {
                    if (n > 100000 && f != (k + l) % 2)
                        continue;
                    question q = {successors, n, heads, made, HOP_CERTIFY_CANONICAL};
                    form wanted = form_of(device, f);
                    hop_report report = {0};
                    memset(ranks, 0x5a, 4 * (size_t)n);
                    hop_status status = ask(context, &q, variant, &wanted, &report, ranks);
                    if (status != HOP_OK)
                        fail_msg("%s in form %zu on %u elements: %s", variant->name, f, n,
                                 hop_context_message(context));
                    assert_same(ranks, expected, n);
                    assert_no_retreat(&report);
                }
        }
        free(memory);
    }
}

static void lists_of_all_sizes(void **state) {
    (void)state;
    on_each_device(lists_of_all_sizes_on);
}

/* So many sublists that one launch does not link them, and so many that one group does not. */
static void many_sublists_on(hop_context *context, hop__device *device) {
    const hop_vertex n = 400000;
    const hop_variant *variant;
    size_t k = 0;
    hop_vertex *memory = malloc((size_t)n * 16), *successors = memory, *heads = memory + n;
    hop_vertex *expected = memory + 2 * n, *ranks = memory + 3 * n;
    (void)device;
    while (strcmp((variant = device_variant(k))->name, "splitter") != 0)
        k++;
    for (unsigned i = 0; i < 4; i++) {
        form wanted = {{{"splitters", i % 2 ? 300000 : 250000, NULL}}, 1};
        hop_vertex made = random_lists(n, i < 2 ? 1 : 40, 0, i, successors, heads, expected);
        question q = {successors, n, heads, made, HOP_CERTIFY_CANONICAL};
        hop_report report = {0};
        assert_fine(context, ask(context, &q, variant, &wanted, &report, ranks));
        assert_same(ranks, expected, n);
        assert_no_retreat(&report);
    }
    free(memory);
}

static void many_sublists(void **state) {
    (void)state;
    if (most_elements() < 400000)
        skip();
    on_each_device(many_sublists_on);
}

/* The list families of the generator, from element 0: ordered, reversed, and random. */
static void generated_lists_on(hop_context *context, hop__device *device) {
    const hop_variant *variant;
    hop_vertex n = most_elements() < 50000 ? most_elements() : 50000;
    hop_vertex *successors = malloc(4 * (size_t)n), *ranks = malloc(4 * (size_t)n);
    for (unsigned family = 0; family < 3; family++) {
        if (family == 0)
            assert_fine(context, hop_list_generate(context, n, 1, successors));
        for (hop_vertex i = 0; family == 1 && i < n; i++)
            successors[i] = i + 1 < n ? i + 1 : i;
        for (hop_vertex i = 0; family == 2 && i < n; i++) /* 0, n-1, n-2, ... 1 */
            successors[i] = i == 0 ? n - 1 : i > 1 ? i - 1 : 1;
        for (size_t k = 0; (variant = device_variant(k)) != NULL; k++)
            for (size_t f = 0; f < FORMS; f++) {
                question q = {successors, n, NULL, 0, HOP_CERTIFY_NONE};
                form wanted = form_of(device, f);
                hop_vertex i = 0;
                assert_fine(context, ask(context, &q, variant, &wanted, NULL, ranks));
                for (hop_vertex left = n; left-- > 0; i = successors[i])
                    if (ranks[i] != left)
                        fail_msg("%s, form %zu: element %u has rank %u instead of %u",
                                 variant->name, f, i, ranks[i], left);
            }
    }
    free(successors);
    free(ranks);
}

static void generated_lists(void **state) {
    (void)state;
    on_each_device(generated_lists_on);
}

/* A cycle, a join, two lists, a successor that is none: as `sequential` says it. Strangers that
 * lead into lists are no fault when heads are given. */
static void faults_on(hop_context *context, hop__device *device) {
    const hop_vertex n = most_elements() < 3000 ? most_elements() : 3000;
    hop_vertex *memory = malloc((size_t)n * 16), *successors = memory, *heads = memory + n;
    hop_vertex *expected = memory + 2 * n, *ranks = memory + 3 * n;
    const hop_variant *variant;
    for (unsigned i = 0; i < (most_elements() < 1000 ? 8 : 40); i++) {
        hop_context *host = make_context(1);
        char message[1024];
        hop_vertex made =
            random_lists(n, i % 4 == 3 ? 5 : 1, i % 4 == 3 ? 3 : 0, i, successors, heads, expected);
        hop_vertex at = (hop_vertex)(hop__random_at(i, 5, 0) % n);
        successors[at] = i % 5 == 4 ? n + i : (hop_vertex)(hop__random_at(i, 5, 1) % n);
        for (hop_vertex k = 0; i % 8 == 3 && k < n; k += 3)
            successors[k] = (hop_vertex)(hop__random_at(i, 6, k) % n);
        question q = {successors, n, i & 1 ? heads : NULL, i & 1 ? made : 0, HOP_CERTIFY_CANONICAL};
        hop_status first =
            ask(host, &q, hop_variant_at(HOP_PROBLEM_RANK, 0), &forms[0], NULL, expected);
        snprintf(message, sizeof message, "%s", hop_context_message(host));
        for (size_t k = 0; (variant = device_variant(k)) != NULL; k++)
            for (size_t f = 0; f < FORMS; f++) {
                form wanted = form_of(device, f);
                assert_int_equal(ask(context, &q, variant, &wanted, NULL, ranks), first);
                if (first == HOP_OK)
                    assert_same(ranks, expected, n);
                else
                    assert_string_equal(hop_context_message(context), message);
            }
        free_context(host);
    }
    free(memory);
}

static void faults(void **state) {
    (void)state;
    on_each_device(faults_on);
}

/* Half of the elements are a list; the others lead into its middle, and no head leads to them.
 * Walks must meet, whoever comes first, and that must be noticed: between a look and a store
 * another walk may have passed, so what they have written is not to be trusted. */
static void strangers_on(hop_context *context, hop__device *device) {
    const hop_vertex n = most_elements() < 1000 ? most_elements() / 2 * 2 : 1000, half = n / 2;
    hop_vertex *memory = malloc((size_t)n * 16), *successors = memory, *order = memory + n;
    hop_vertex *expected = memory + 2 * n, *ranks = memory + 3 * n;
    const hop_variant *variant;
    (void)device;
    for (uint64_t seed = 0; seed < 3; seed++) {
        random_lists(n, 1, 0, seed, successors, order, expected);
        for (hop_vertex i = 1; i < n; i++)
            order[i] = successors[order[i - 1]];
        for (hop_vertex i = 0; i < n; i++)
            expected[order[i]] = i < half ? half - 1 - i : NONE;
        successors[order[half - 1]] = order[half - 1];
        successors[order[n - 1]] = order[half / 2];
        for (size_t k = 0; (variant = device_variant(k)) != NULL; k++) {
            question q = {successors, n, order, 1, HOP_CERTIFY_CANONICAL};
            form wanted = {{{"splitters", n / 10, NULL}}, 1};
            hop_report report = {0};
            assert_fine(context, ask(context, &q, variant, &wanted, &report, ranks));
            assert_same(ranks, expected, n);
            assert_int_equal(retreats(&report), 1);
        }
    }
    free(memory);
}

static void strangers_are_noticed(void **state) {
    (void)state;
    on_each_device(strangers_on);
}

/* Rounds one by one: after k of them no jump is shorter than 2^k, and the first reads every element
 * but the head. Kernels and copies are phases, whose time is not more than that of the run. */
static void reports_on(hop_context *context, hop__device *device) {
    const hop_variant *variant;
    const hop_vertex n = most_elements() < 20000 ? most_elements() : 20000;
    hop_vertex *successors = malloc(4 * (size_t)n), *ranks = malloc(4 * (size_t)n);
    assert_fine(context, hop_list_generate(context, n, 3, successors));
    for (size_t k = 0; (variant = device_variant(k)) != NULL; k++) {
        hop_step steps[256];
        hop_report report = {0};
        report.steps = steps;
        report.step_capacity = 256;
        question q = {successors, n, NULL, 0, HOP_CERTIFY_NONE};
        form counted = form_of(device, FORMS - 1);
        assert_fine(context, ask(context, &q, variant, &counted, &report, ranks));
        assert_true(report.device_bytes > 0 && report.device[0] != '\0');
        assert_true(report.rounds > 0 && report.relaxations >= n);
        uint64_t rounds = 0, walked = 0;
        double seconds = 0;
        for (size_t i = 0; i < report.phase_count; i++)
            seconds += report.phases[i].seconds;
        assert_true(seconds <= report.seconds);
        for (size_t i = 0; i < report.step_count && i < 256; i++) {
            const char *name = report.phases[steps[i].phase].name;
            if (strcmp(name, "jump") == 0 && rounds++ == 0)
                assert_int_equal(steps[i].items, n - 1);
            if (strcmp(name, "walk") == 0)
                walked += steps[i].bytes;
        }
        assert_true(rounds == 0 || rounds == report.rounds);
        assert_true(rounds > 0 || walked >= 10 * (uint64_t)n);
    }
    free(successors);
    free(ranks);
}

static void reports(void **state) {
    (void)state;
    on_each_device(reports_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_arrays),  cmocka_unit_test(lists_of_all_sizes),
        cmocka_unit_test(many_sublists), cmocka_unit_test(generated_lists),
        cmocka_unit_test(faults),        cmocka_unit_test(strangers_are_noticed),
        cmocka_unit_test(reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
