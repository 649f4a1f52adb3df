/* SPDX-License-Identifier: Apache-2.0
 * The certificate of bfs: accepts every right result and nothing else. Right results are known from
 * the definition (brute_force), never from the library. */
#include "bfs/bfs_testing.h"

static const hop_run canonical_run = HOP_RUN_INIT;
static hop_run valid_run = HOP_RUN_INIT;

static bool accepts(hop_context *context, const plain *p, const question *q, const hop_run *run,
                    const hop_vertex *levels, const hop_vertex *parents) {
    hop_bfs_options options = question_options(q, run);
    hop_status status =
        hop_bfs_certify(context, p->graph, q->sources, q->source_count, &options, levels, parents);
    if (status != HOP_OK && status != HOP_ERR_CERTIFICATE)
        fail_msg("%s", hop_context_message(context));
    if (status != HOP_OK)
        assert_says(context, "bfs: certificate: vertex ");
    return status == HOP_OK;
}

static bool has_arc(const plain *p, hop_vertex u, hop_vertex v) {
    for (uint32_t i = p->offsets[u]; i < p->offsets[u + 1]; i++)
        if (p->targets[i] == v)
            return true;
    return false;
}

/* Whether the parent of v is one that levels that are right allow. */
static bool is_parent(const plain *p, const hop_vertex *levels, const hop_vertex *parents,
                      hop_vertex v) {
    hop_vertex u = parents[v];
    if (levels[v] == NONE || levels[v] == 0)
        return u == (levels[v] == 0 ? v : HOP_NO_VERTEX);
    return u < p->n && levels[u] == levels[v] - 1 && has_arc(p, u, v);
}

static bool is_tree(const plain *p, const hop_vertex *levels, const hop_vertex *parents) {
    for (uint32_t v = 0; v < p->n; v++)
        if (!is_parent(p, levels, parents, v))
            return false;
    return true;
}

/* What number `code` means to the base `base`, NONE for the largest digit. */
static uint32_t digits(uint32_t code, uint32_t base, uint32_t n, hop_vertex *array) {
    for (uint32_t i = 0; i < n; i++, code /= base)
        array[i] = code % base == base - 1 ? NONE : code % base;
    return code;
}

/* On up to three vertices, every graph and, of the sets of sources, sets of targets and limits,
 * an eleventh (all on two vertices): every array of levels is accepted if and only if it is the
 * right one, and with the right levels, every array of parents. */
static void decides_every_claim_on_three_vertices(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    const uint32_t share = SMALLER_TESTS ? 61 : 11; /* odd: every question meets some graphs */
    valid_run.certify = HOP_CERTIFY_VALID;
    for (uint32_t n = 1; n <= 3; n++)
        for (int directed = 0; directed < 2; directed++)
            for (uint32_t code = 0; code < tiny_codes(n, directed); code++) {
                tiny t;
                tiny_make(context, &t, n, directed, code);
                for (uint32_t asked = 0; asked < 1u << (2 * n + 2); asked++) {
                    question q = {.max_level = asked & 3 ? (asked & 3) - 1 : NONE};
                    for (uint32_t v = 0; v < n; v++) {
                        if (asked >> (2 + v) & 1)
                            q.sources[q.source_count++] = v;
                        if (asked >> (2 + n + v) & 1)
                            q.targets[q.target_count++] = v;
                    }
                    if (n == 3 && asked % share != code % share)
                        continue; /* all would take a minute */
                    hop_bfs_options options = question_options(&q, NULL);
                    hop_vertex levels[3], parents[3], right[3], tree[3];
                    brute_force(&t.p, q.sources, q.source_count, &options, right, tree);
                    for (uint32_t claim = 0; digits(claim, n + 2, n, levels) == 0; claim++)
                        if (accepts(context, &t.p, &q, NULL, levels, NULL) !=
                            (memcmp(levels, right, 4 * n) == 0))
                            fail_msg("graph %u of %u, question %u, levels %u", code, n, asked,
                                     claim);
                    for (uint32_t claim = 0; digits(claim, n + 1, n, parents) == 0; claim++)
                        if (accepts(context, &t.p, &q, &canonical_run, right, parents) !=
                                (memcmp(parents, tree, 4 * n) == 0) ||
                            accepts(context, &t.p, &q, &valid_run, right, parents) !=
                                is_tree(&t.p, right, parents))
                            fail_msg("graph %u of %u, question %u, parents %u", code, n, asked,
                                     claim);
                }
                hop_graph_release(t.p.graph);
            }
    free_context(context);
}

/* Every single entry set to everything else: one id after the other, one more, one less, none, and
 * what is no id. */
static void corrupt_each_entry(hop_context *context, const plain *p, const question *q) {
    hop_bfs_options options = question_options(q, NULL);
    hop_vertex levels[TINY], parents[TINY];
    brute_force(p, q->sources, q->source_count, &options, levels, parents);
    if (!accepts(context, p, q, NULL, levels, parents) ||
        !accepts(context, p, q, &valid_run, levels, parents) ||
        !accepts(context, p, q, NULL, levels, NULL))
        fail_msg("a right result is refused: %s", hop_context_message(context));
    for (uint32_t i = 0; i < 2 * p->n; i++) {
        hop_vertex *entry = i < p->n ? &levels[i] : &parents[i - p->n], good = *entry;
        const hop_vertex special[] = {NONE, NONE - 1, good + 1, good - 1, p->n, 1u << 31};
        for (uint32_t k = 0; k < p->n + 6; k++) {
            *entry = k < p->n ? k : special[k - p->n];
            if (*entry == good)
                continue;
            if (accepts(context, p, q, NULL, levels, parents) ||
                (i < p->n && accepts(context, p, q, NULL, levels, NULL)) ||
                accepts(context, p, q, &valid_run, levels, parents) !=
                    (i >= p->n && is_tree(p, levels, parents)))
                fail_msg("entry %u: %u instead of %u, vertices %u", i, *entry, good, p->n);
        }
        *entry = good;
    }
}

static void corrupt_all(uint32_t most, bool directed, uint32_t questions) {
    hop_context *context = make_context(1);
    valid_run.certify = HOP_CERTIFY_VALID;
    for (uint32_t n = 1; n <= most; n++)
        for (uint32_t code = 0; code < tiny_codes(n, directed); code++) {
            tiny t;
            tiny_make(context, &t, n, directed, code);
            for (uint32_t number = 0; number < questions; number++) {
                question q = question_make(n, number, code);
                corrupt_each_entry(context, &t.p, &q);
            }
            hop_graph_release(t.p.graph);
        }
    free_context(context);
}

static void refuses_each_wrong_entry_undirected(void **state) {
    (void)state;
    corrupt_all(SMALLEST_TESTS ? 4 : 5, false, 8);
}

static void refuses_each_wrong_entry_directed(void **state) {
    (void)state;
    corrupt_all(3, true, 8);
}

/* Results that are wrong in many entries at once, and consistent with themselves almost
 * everywhere. Vertices 0 .. 5 form a directed cycle, 6 .. 8 another, and 5 leads to 6. */
static void refuses_consistent_lies(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    uint32_t offsets[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 10};
    uint32_t targets[] = {1, 2, 3, 4, 5, 0, 6, 7, 8, 6};
    plain p = {.n = 9, .m = 10, .offsets = offsets, .targets = targets, .directed = true};
    plain_wrap(context, &p, false);
    question q = {.source_count = 1, .max_level = NONE};
    hop_vertex right[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, tree[] = {0, 0, 1, 2, 3, 4, 5, 6, 7};
    assert_true(accepts(context, &p, &q, NULL, right, tree));
    hop_vertex later[] = {0, 1, 2, 3, 4, 5, 7, 8, 9}; /* the second cycle, each one too deep */
    assert_false(accepts(context, &p, &q, NULL, later, NULL));
    hop_vertex earlier[] = {0, 1, 2, 3, 4, 5, 2, 3, 4}; /* ... and too near */
    assert_false(accepts(context, &p, &q, NULL, earlier, NULL));
    assert_says(context, "vertex 6 has level 2, but no vertex of level 1 has an arc to it");
    hop_vertex cut[] = {0, 1, 2, 3, NONE, NONE, NONE, NONE, NONE};
    hop_vertex cut_tree[] = {0, 0, 1, 2, NONE, NONE, NONE, NONE, NONE};
    assert_false(accepts(context, &p, &q, NULL, cut, cut_tree));
    assert_says(context, "vertex 3 has level 3, but vertex 4, to which it has an arc, is not "
                         "reached");
    q.max_level = 3; /* now it is right, and everything is too much */
    assert_true(accepts(context, &p, &q, NULL, cut, cut_tree));
    assert_false(accepts(context, &p, &q, NULL, right, tree));
    assert_says(context, "vertex 4 has level 4, but the search ends at 3");
    q = (question){.source_count = 1, .max_level = NONE, .targets = {3, 1}, .target_count = 2};
    assert_true(accepts(context, &p, &q, NULL, cut, cut_tree));
    assert_false(accepts(context, &p, &q, NULL, right, tree));
    q.targets[0] = 6; /* a target that the cut hides */
    assert_false(accepts(context, &p, &q, NULL, cut, cut_tree));
    q.target_count = 0;
    q.sources[0] = 1; /* another source */
    assert_false(accepts(context, &p, &q, NULL, right, tree));
    assert_says(context, "vertex 0 has level 0, but is no source");
    hop_graph_release(p.graph);
    free_context(context);
}

/* 10,000 random corruptions of results on graphs of 100,000 edges, by one to three threads, whose
 * messages must agree. */
static void refuses_random_corruptions(void **state) {
    (void)state;
    hop_context *contexts[] = {make_context(1), make_context(2), make_context(3)};
    const uint32_t n = 40000, rounds = SMALLER_TESTS ? 500 : 2500;
    hop_vertex *levels = malloc(4 * n), *parents = malloc(4 * n);
    valid_run.certify = HOP_CERTIFY_VALID;
    for (unsigned kind = 0; kind < 4; kind++) {
        plain p = plain_random(contexts[0], n, 100000, kind & 1, kind & 2, kind);
        question q = {.source_count = 1, .max_level = kind & 2 ? 6 : NONE};
        hop_bfs_options options = question_options(&q, NULL);
        brute_force(&p, q.sources, 1, &options, levels, parents);
        for (unsigned k = 0; k < 3; k++)
            assert_true(accepts(contexts[k], &p, &q, NULL, levels, parents));
        for (uint32_t round = 0; round < rounds; round++) {
            uint64_t bits = hop__random_at(9, kind, round);
            hop_vertex v = (hop_vertex)(bits % n), *entry = bits >> 40 & 1 ? levels : parents;
            hop_vertex good = entry[v], other = (hop_vertex)(hop__random_at(9, 8, round) % n);
            const hop_vertex choices[] = {other, other % 16, good + 1, good - 1, 0, NONE};
            entry[v] = choices[(bits >> 41) % 6];
            if (entry[v] != good) {
                if (accepts(contexts[0], &p, &q, NULL, levels, parents))
                    fail_msg("kind %u, round %u is accepted", kind, round);
                if (accepts(contexts[0], &p, &q, &valid_run, levels, parents) !=
                    (entry == parents && is_parent(&p, levels, parents, v)))
                    fail_msg("kind %u, round %u, any valid result", kind, round);
                if (round % 10 == 0) {
                    assert_false(
                        accepts(contexts[1 + round / 10 % 2], &p, &q, NULL, levels, parents));
                    assert_false(accepts(contexts[0], &p, &q, NULL, levels, parents));
                    assert_string_equal(hop_context_message(contexts[1 + round / 10 % 2]),
                                        hop_context_message(contexts[0]));
                }
            }
            entry[v] = good;
        }
        plain_free(&p);
    }
    free(levels);
    free(parents);
    for (unsigned k = 0; k < 3; k++)
        free_context(contexts[k]);
}

/* Rows that are cut into pieces: a wrong leaf of the hub, wherever it is. */
static void finds_a_fault_in_any_piece(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    const uint32_t n = 300001;
    for (int directed = 0; directed < 2; directed++) {
        plain p = plain_random(context, n, 0, directed, true, 1);
        hop_vertex *levels = malloc(4 * n), *parents = malloc(4 * n), hub = n / 2;
        question q = {.sources = {hub}, .source_count = 1, .max_level = NONE};
        hop_bfs_options options = question_options(&q, NULL);
        brute_force(&p, q.sources, 1, &options, levels, parents);
        assert_true(accepts(context, &p, &q, NULL, levels, parents));
        for (hop_vertex v = 0; v < n; v += 9973) {
            if (v == hub)
                continue;
            levels[v] = 2;
            assert_false(accepts(context, &p, &q, NULL, levels, NULL));
            levels[v] = 1;
            parents[v] = v ? v - 1 : 1;
            assert_false(accepts(context, &p, &q, NULL, levels, parents));
            parents[v] = hub;
        }
        free(levels);
        free(parents);
        plain_free(&p);
    }
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decides_every_claim_on_three_vertices),
        cmocka_unit_test(refuses_each_wrong_entry_undirected),
        cmocka_unit_test(refuses_each_wrong_entry_directed),
        cmocka_unit_test(refuses_consistent_lies),
        cmocka_unit_test(refuses_random_corruptions),
        cmocka_unit_test(finds_a_fault_in_any_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
