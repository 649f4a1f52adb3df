/* SPDX-License-Identifier: Apache-2.0
 *
 * The closure against the definition (paths of one or more arcs, by closing a matrix of bits): all
 * directed graphs with up to four vertices, loops too with up to three, and all undirected ones
 * with up to five, a part of those with one more (HOPLITE_TEST_ALL: all), and random ones; forward
 * and backward, of all vertices, of some, and of sets; 1, 2, 3 and 8 threads give the same rows.
 * The certifier against changed rows. */
#include "apsp/apsp_testing.h"
#include "problem/report_testing.h"

enum { MOST = 64, LARGE = 1800 };

static const unsigned thread_counts[] = {1, 2, 3, 8};

/* Who reaches whom by one arc or more; n <= MOST. */
static void close_graph(const plain_graph *g, uint64_t reach[MOST]) {
    for (uint32_t u = 0; u < g->n; u++) {
        reach[u] = 0;
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++)
            reach[u] |= UINT64_C(1) << g->targets[i];
    }
    for (uint32_t k = 0; k < g->n; k++)
        for (uint32_t u = 0; u < g->n; u++)
            if (reach[u] >> k & 1)
                reach[u] |= reach[k];
}

/* Rows as they come, put together. */
typedef struct gathered {
    uint64_t *offsets; /* rows + 1 */
    hop_vertex *vertices;
    uint64_t room;
    hop_vertex rows, calls, stop_after;
} gathered;

static bool gather(void *user, hop_vertex first, hop_vertex count, const uint64_t *offsets,
                   const hop_vertex *vertices) {
    gathered *all = user;
    assert_int_equal(first, all->rows);
    assert_int_equal(offsets[0], 0);
    assert_true(count > 0);
    const uint64_t before = all->offsets[first];
    assert_true(before + offsets[count] <= all->room);
    for (hop_vertex i = 0; i < count; i++)
        all->offsets[first + i + 1] = before + offsets[i + 1];
    memcpy(all->vertices + before, vertices, offsets[count] * sizeof *vertices);
    all->rows += count;
    return ++all->calls != all->stop_after;
}

static gathered gathered_make(hop_vertex rows, uint64_t room) {
    return (gathered){.offsets = calloc(rows + (size_t)1, 8),
                      .vertices = calloc(room + 1, sizeof(hop_vertex)),
                      .room = room};
}

static void gathered_free(gathered *all) {
    free(all->offsets);
    free(all->vertices);
}

/* The row that the definition has. */
static uint64_t row_of(const uint64_t reach[MOST], uint32_t n, const hop_closure_options *options,
                       const hop_vertex *sources, hop_vertex count) {
    uint64_t row = 0;
    for (hop_vertex i = 0; i < count; i++)
        for (uint32_t v = 0; v < n; v++)
            if (options->backward ? reach[v] >> sources[i] & 1 : reach[sources[i]] >> v & 1)
                row |= UINT64_C(1) << v;
    for (hop_vertex i = 0; i < count; i++)
        if (options->self == HOP_CLOSURE_NEVER)
            row &= ~(UINT64_C(1) << sources[i]);
        else if (options->self == HOP_CLOSURE_ALWAYS)
            row |= UINT64_C(1) << sources[i];
    return row;
}

/* All rows of a question, their counts, and the certificate of them. */
static void check_question(hop_context *context, hop_graph *graph, const uint64_t reach[MOST],
                           uint32_t n, hop_closure_options *options, bool certify) {
    hop_vertex all[MOST], counts[2 * MOST];
    for (hop_vertex v = 0; v < n; v++)
        all[v] = v;
    const hop_vertex *sources = options->sources ? options->sources : all;
    const hop_vertex count = options->sources ? options->source_count : n;
    const hop_vertex rows = options->together ? count > 0 : count;
    gathered found = gathered_make(rows, (uint64_t)rows * n);
    hop_run run = HOP_RUN_INIT;
    uint64_t pairs = 77, counted = 77;
    run.certify = certify ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE;
    options->run = &run;
    if (hop_closure_rows(context, graph, options, gather, &found, &pairs) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    assert_int_equal(found.rows, rows);
    assert_int_equal(pairs, found.offsets[rows]);
    assert_int_equal(hop_closure_counts(context, graph, options, counts, &counted), HOP_OK);
    assert_int_equal(counted, pairs);
    for (hop_vertex i = 0; i < rows; i++) {
        uint64_t row = row_of(reach, n, options, options->together ? sources : sources + i,
                              options->together ? count : 1);
        assert_int_equal(counts[i], __builtin_popcountll(row));
        assert_int_equal(found.offsets[i + 1] - found.offsets[i], counts[i]);
        for (uint64_t k = found.offsets[i]; k < found.offsets[i + 1]; k++, row &= row - 1)
            assert_int_equal(found.vertices[k], __builtin_ctzll(row));
    }
    if (certify && hop_closure_certify(context, graph, options, 0, rows, found.offsets,
                                       found.vertices) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    gathered_free(&found);
}

static void check_plain(hop_context *context, const plain_graph *g, unsigned k) {
    hop_graph *graph = plain_borrow(context, g);
    uint64_t reach[MOST];
    hop_vertex some[2 * MOST];
    close_graph(g, reach);
    if (k % 5 == 0)
        assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
    for (unsigned i = 0; i < 12; i++) { /* one in a few of all that there are */
        hop_closure_options options = HOP_CLOSURE_OPTIONS_INIT;
        if ((i + k) % (g->n > 4 ? 1 : 3) != 0)
            continue;
        options.backward = i & 1;
        options.self = (hop_closure_self)(i % 3);
        if (i >= 4) { /* some, in no order, some of them twice */
            options.sources = some;
            options.source_count = g->n == 0 ? 0 : 1 + k % (g->n + 2);
            options.together = i >= 8;
            for (hop_vertex s = 0; s < options.source_count; s++)
                some[s] = (hop_vertex)(hop__random_at(i, k, s) % g->n);
        }
        check_question(context, graph, reach, g->n, &options, k % 8 == 0);
    }
    hop_graph_release(graph);
}

/* The graph whose arcs, loops too if asked for, are the bits of a number. */
static plain_graph numbered(uint32_t n, bool loops, uint32_t bits) {
    plain_graph g = plain_make(n, true, HOP_TYPE_NONE, n * n);
    for (uint32_t u = 0, bit = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++)
            if ((u != v || loops) && bits >> bit++ & 1)
                plain_arc(&g, v, 1);
        plain_end_row(&g, u);
    }
    return g;
}

static void all_small_graphs(void **state) {
    hop_context *context = make_context(1);
    const bool all = getenv("HOPLITE_TEST_ALL") != NULL;
    (void)state;
    for (uint32_t n = 0; n <= 5; n++)
        for (uint32_t loops = 0; loops < (n < 4 ? 2u : 1u); loops++) {
            const uint32_t arcs = n * n - (loops ? 0 : n), step = n == 5 && !all ? 397 : 1;
            for (uint32_t bits = 0; bits < 1u << arcs; bits += step) {
                plain_graph g = numbered(n, loops, bits);
                check_plain(context, &g, bits);
                plain_free(&g);
            }
        }
    for (uint32_t n = 1; n <= 6; n++)
        for (uint32_t bits = 0; bits < 1u << n * (n - 1) / 2; bits += n == 6 && !all ? 97 : 1) {
            plain_graph g = plain_numbered(n, false, bits);
            check_plain(context, &g, bits);
            plain_free(&g);
        }
    free_context(context);
}

static void random_graphs(void **state) {
    (void)state;
    for (unsigned k = 0; k < 300; k++) {
        hop_context *context = make_context(thread_counts[k % 4]);
        plain_graph g = plain_random(2 + k % 61, k % 4, k % 7 != 0,
                                     k % 3 ? HOP_TYPE_NONE : HOP_TYPE_INT32, -2, 5, 1, k);
        if (k % 2)
            plain_widen(&g);
        check_plain(context, &g, k);
        plain_free(&g);
        free_context(context);
    }
}

/* More than one block of 512 rows, and more than is handed over at once. Kind 0: arcs forward
 * alone; 1: a giant component beside small ones; 2: undirected. */
static plain_graph large_graph(unsigned kind) {
    plain_graph g = plain_make(LARGE, kind < 2, HOP_TYPE_NONE, 4 * LARGE);
    if (kind > 0) {
        plain_free(&g);
        return plain_random(LARGE, 1, kind == 1, HOP_TYPE_NONE, 1, 1, 0, kind);
    }
    for (uint32_t v = 0; v < LARGE; v++) {
        const uint32_t to = v + 1 + (uint32_t)(hop__random_at(kind, 1, v) % 40);
        if (v + 1 < LARGE && v % 3)
            plain_arc(&g, v + 1, 1);
        if (to < LARGE && (to != v + 1 || v % 3 == 0))
            plain_arc(&g, to, 1);
        plain_end_row(&g, v);
    }
    return g;
}

static void the_same_on_any_number_of_threads(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        plain_graph g = large_graph(kind);
        gathered first = gathered_make(LARGE, (uint64_t)LARGE * LARGE);
        for (unsigned t = 0; t < 8; t++) {
            hop_context_options how = HOP_CONTEXT_OPTIONS_INIT;
            hop_context *context = NULL;
            hop_closure_options options = HOP_CLOSURE_OPTIONS_INIT;
            hop_run run = HOP_RUN_INIT;
            hop_report *report = NULL;
            gathered found = gathered_make(LARGE, (uint64_t)LARGE * LARGE);
            gathered *into = t == 0 ? &first : &found;
            how.threads = thread_counts[t % 4];
            how.memory_budget = UINT64_C(1) << 30;
            run.certify = t == 3 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE;
            options.run = &run;
            options.backward = kind == 1;
            assert_int_equal(hop_report_create(0, &report), HOP_OK);
            run.report = report;
            assert_int_equal(hop_context_create(&how, &context), HOP_OK);
            hop_graph *graph = plain_borrow(context, &g);
            assert_int_equal(hop_graph_check(context, graph), HOP_OK);
            const uint64_t before = hop_context_memory_used(context);
            uint64_t need = 0;
            if (t >= 4) { /* what a plan says is enough, and with less it takes longer */
                run.plan = true;
                assert_int_equal(hop_closure_rows(context, graph, &options, gather, into, NULL),
                                 HOP_OK);
                need = hop_report_memory_bytes(report);
                run.plan = false;
            }
            hop__pool_reset_peak(context->pool);
            if (hop_closure_rows(context, graph, &options, gather, into, NULL) != HOP_OK)
                fail_msg("%s", hop_context_message(context));
            if (t >= 4) {
                assert_int_equal(hop_report_memory_bytes(report), need);
                assert_true(hop_context_memory_peak(context) <= before + need);
            }
            assert_int_equal(hop_context_memory_used(context), before);
            assert_int_equal(into->rows, LARGE);
            assert_memory_equal(into->offsets, first.offsets, (LARGE + 1) * sizeof(uint64_t));
            assert_memory_equal(into->vertices, first.vertices,
                                first.offsets[LARGE] * sizeof(hop_vertex));
            hop_report_free(report);
            hop_graph_release(graph);
            free_context(context);
            gathered_free(&found);
        }
        assert_true(first.calls > 1);
        gathered_free(&first);
        plain_free(&g);
    }
}

/* With less and less memory the same rows, until a call says before it begins that it does not do;
 * and then how much would. */
static void within_the_budget(void **state) {
    (void)state;
    plain_graph g = large_graph(0);
    uint64_t needs[3] = {0}, right = 0;
    for (unsigned t = 0; t < 3; t++) {
        hop_context_options how = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        hop_closure_options options = HOP_CLOSURE_OPTIONS_INIT;
        hop_run run = HOP_RUN_INIT;
        hop_report *report = NULL;
        gathered found = gathered_make(LARGE, (uint64_t)LARGE * LARGE);
        uint64_t pairs = 0;
        assert_int_equal(hop_report_create(0, &report), HOP_OK);
        how.threads = 3;
        how.memory_budget = t == 0 ? UINT64_C(1) << 30 : t == 1 ? 1320000 : 200000;
        run.report = report;
        options.run = &run;
        assert_int_equal(hop_context_create(&how, &context), HOP_OK);
        hop_graph *graph = plain_borrow(context, &g);
        hop_status status = hop_closure_rows(context, graph, &options, gather, &found, &pairs);
        needs[t] = hop_report_memory_bytes(report);
        if (t < 2 && status != HOP_OK)
            fail_msg("%s", hop_context_message(context));
        if (t == 2) {
            assert_int_equal(status, HOP_ERR_BUDGET);
            assert_int_equal(found.calls, 0);
        }
        right = t == 0 ? pairs : right;
        assert_true(t == 2 || pairs == right);
        hop_report_free(report);
        hop_graph_release(graph);
        free_context(context);
        gathered_free(&found);
    }
    assert_true(needs[1] < needs[0]);
    plain_free(&g);
}

/* The certifier refuses every change of a row: a vertex more, one less, another, a swap. */
static void the_certifier(void **state) {
    hop_context *context = make_context(2);
    (void)state;
    for (unsigned k = 0; k < 60; k++) {
        plain_graph g = plain_random(3 + k % 9, k % 3 + 1, k % 4 != 0, HOP_TYPE_NONE, 1, 1, 0, k);
        hop_graph *graph = plain_borrow(context, &g);
        hop_closure_options options = HOP_CLOSURE_OPTIONS_INIT;
        gathered found = gathered_make(g.n, (uint64_t)g.n * g.n);
        options.backward = k % 2;
        options.self = (hop_closure_self)(k % 3);
        assert_int_equal(hop_closure_rows(context, graph, &options, gather, &found, NULL), HOP_OK);
        for (hop_vertex row = 0; row < g.n; row++)
            for (hop_vertex v = 0; v < g.n; v++) {
                hop_vertex changed[16];
                const uint64_t begin = found.offsets[row], count = found.offsets[row + 1] - begin;
                uint64_t made[2] = {0, 0};
                bool had = false;
                for (uint64_t i = 0; i < count; i++) { /* v is put in, or taken out */
                    const hop_vertex u = found.vertices[begin + i];
                    if (!had && u > v && (made[1] == 0 || changed[made[1] - 1] < v))
                        changed[made[1]++] = v;
                    had = had || u == v;
                    if (u != v)
                        changed[made[1]++] = u;
                }
                if (!had && (made[1] == 0 || changed[made[1] - 1] < v))
                    changed[made[1]++] = v;
                assert_true(made[1] + 1 == count || made[1] == count + 1);
                assert_int_equal(
                    hop_closure_certify(context, graph, &options, row, 1, made, changed),
                    HOP_ERR_CERTIFICATE);
                made[1] = 1; /* one that there is not */
                changed[0] = g.n + v;
                assert_int_equal(
                    hop_closure_certify(context, graph, &options, row, 1, made, changed),
                    HOP_ERR_CERTIFICATE);
                if (count > 0 && v < count) { /* another in its place */
                    memcpy(changed, found.vertices + begin, count * sizeof *changed);
                    made[1] = count;
                    changed[v] = changed[v] == g.n - 1 ? 0 : changed[v] + 1;
                    assert_int_equal(
                        hop_closure_certify(context, graph, &options, row, 1, made, changed),
                        HOP_ERR_CERTIFICATE);
                }
            }
        gathered_free(&found);
        hop_graph_release(graph);
        plain_free(&g);
    }
    free_context(context);
}

static bool stop(void *user, const hop_progress *progress) {
    (void)user;
    return strncmp(progress->phase, "closure", 7) != 0; /* "closure: order" asks in any case */
}

static void can_be_cancelled(void **state) {
    hop_context_options how = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    plain_graph g = large_graph(0);
    gathered found = gathered_make(LARGE, (uint64_t)LARGE * LARGE);
    (void)state;
    how.progress = stop;
    assert_int_equal(hop_context_create(&how, &context), HOP_OK);
    hop_graph *graph = plain_borrow(context, &g);
    assert_int_equal(hop_closure_rows(context, graph, NULL, gather, &found, NULL),
                     HOP_ERR_CANCELLED);
    assert_int_equal(found.calls, 0);
    hop_graph_release(graph);
    free_context(context);
    context = make_context(2); /* and by the callback */
    graph = plain_borrow(context, &g);
    found.stop_after = 2;
    assert_int_equal(hop_closure_rows(context, graph, NULL, gather, &found, NULL),
                     HOP_ERR_CANCELLED);
    assert_int_equal(found.calls, 2);
    assert_says(context, "stopped by the caller");
    hop_graph_release(graph);
    free_context(context);
    gathered_free(&found);
    plain_free(&g);
}

static void mistakes(void **state) {
    hop_context *context = make_context(1);
    plain_graph g = numbered(3, false, 7);
    hop_graph *graph = plain_borrow(context, &g);
    hop_closure_options options = HOP_CLOSURE_OPTIONS_INIT;
    const hop_vertex beyond = 3;
    const uint64_t offsets[2] = {1, 0};
    (void)state;
    assert_int_equal(hop_closure_counts(NULL, graph, NULL, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_closure_counts(context, NULL, NULL, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "graph is NULL");
    assert_int_equal(hop_closure_rows(context, graph, NULL, NULL, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "callback is NULL");
    options.sources = &beyond;
    options.source_count = 1;
    assert_int_equal(hop_closure_counts(context, graph, &options, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "source");
    options = (hop_closure_options)HOP_CLOSURE_OPTIONS_INIT;
    options.self = (hop_closure_self)3;
    assert_int_equal(hop_closure_counts(context, graph, &options, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "self");
    assert_int_equal(hop_closure_certify(context, graph, NULL, 0, 1, NULL, &beyond),
                     HOP_ERR_ARGUMENT);
    assert_says(context, "offsets are NULL");
    assert_int_equal(hop_closure_certify(context, graph, NULL, 0, 1, offsets, &beyond),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_closure_certify(context, graph, NULL, 3, 1, offsets, &beyond),
                     HOP_ERR_ARGUMENT);
    assert_says(context, "there are 3");
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_graphs),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(the_same_on_any_number_of_threads),
        cmocka_unit_test(within_the_budget),
        cmocka_unit_test(the_certifier),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
