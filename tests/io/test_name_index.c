/* SPDX-License-Identifier: Apache-2.0
 * Names while a text is read: short and long ones in the order of their bytes, the same graph
 * whatever the hash is seeded with, and every allocation may fail. */
#include <unistd.h>

#include "io/formats/name_index.h"
#include "io/text_testing.h"

enum { NAMES = 4000, ROOM = NAMES * 32 };

/* Edges between names that make the table and the arena grow several times. */
static size_t make_text(char *text) {
    size_t used = 0;
    for (unsigned i = 0; i < NAMES; i++)
        used += (size_t)snprintf(text + used, ROOM - used, "vertex%u x%u\n", i * 7919 % NAMES,
                                 i * 31 % NAMES);
    return used;
}

static void test_every_hash_gives_the_same(void **state) {
    (void)state;
    char *text = malloc(ROOM);
    size_t count = make_text(text);
    uint64_t first = 0, hash;
    for (unsigned round = 0; round < 6; round++) {
        hop_context *context = make_context(1 + round % 3);
        hop_graph *graph = NULL;
        assert_int_equal(read_bytes(context, "edge-list", text, count, &graph), HOP_OK);
        assert_int_equal(hop_graph_vertices(graph), 2 * NAMES);
        assert_int_equal(hop_graph_hash(context, graph, &hash), HOP_OK);
        first = round == 0 ? hash : first;
        assert_true(hash == first);
        size_t length;
        assert_memory_equal(hop_graph_name(graph, 0, &length), "vertex0", 7);
        hop_graph_release(graph);
        free_context(context);
    }
    free(text);
}

/* Names of 1 to 24 bytes, of which many agree in their first 8 or 12, with bytes above 127. */
static size_t make_name(unsigned i, char name[32]) {
    static const char *const heads[] = {
        "", "abcdefgh", "abcdefg", "abcdefghijkl", "abcdefghijklm", "\xc3\xa9t\xc3\xa9", "\xff"};
    return (size_t)snprintf(name, 32, "%s%x", heads[i % 7], i / 7 % 900);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

enum { KINDS = 6300, NAME_ROWS = 30000 };

static unsigned end_of_row(unsigned row, unsigned side) {
    return ((row + 1) * 7919 + side * (row / 3 * 131 + 17)) % KINDS;
}

static size_t make_rows(char *text) {
    char names[2][32];
    size_t used = 0;
    for (unsigned i = 0; i < NAME_ROWS; i++) {
        (void)make_name(end_of_row(i, 0), names[0]);
        (void)make_name(end_of_row(i, 1), names[1]);
        used += (size_t)sprintf(text + used, "%s,%s\n", names[0], names[1]);
    }
    return used;
}

static bool has_arc(const hop_graph *graph, const char *from, const char *to) {
    hop_vertex u = hop_graph_find_name(graph, from, strlen(from));
    hop_vertex v = hop_graph_find_name(graph, to, strlen(to));
    if (u >= graph->vertices || v >= graph->vertices)
        return false;
    for (uint64_t i = hop__offset(graph, u); i < hop__offset(graph, u + 1); i++)
        if (graph->targets[i] == v)
            return true;
    return false;
}

/* Threads that meet the same new names at the same time, in chunks of any size. */
static void test_short_and_long(void **state) {
    (void)state;
    char(*expected)[32] = calloc(KINDS, 32), names[2][32];
    char *text = malloc((size_t)NAME_ROWS * 64);
    size_t count = make_rows(text), length;
    for (unsigned i = 0; i < KINDS; i++)
        (void)make_name(i, expected[i]);
    qsort(expected, KINDS, 32, compare_names);
    for (unsigned round = 0; round < 6; round++) {
        hop_context *context = make_context(1 + round % 4);
        hop_graph *graph = NULL;
        hop_status status = read_cut(context, "edge-list", text, count, 1 << 16,
                                     (size_t)1 << (8 + 2 * round), &graph);
        assert_int_equal(status, HOP_OK);
        assert_int_equal(hop_graph_vertices(graph), KINDS);
        for (hop_vertex v = 0; v < KINDS; v++) {
            const char *name = hop_graph_name(graph, v, &length);
            assert_int_equal(length, strlen(expected[v]));
            assert_memory_equal(name, expected[v], length);
        }
        for (unsigned i = 0; i < NAME_ROWS; i++) {
            (void)make_name(end_of_row(i, 0), names[0]);
            (void)make_name(end_of_row(i, 1), names[1]);
            assert_true(has_arc(graph, names[0], names[1]));
        }
        hop_graph_release(graph);
        free_context(context);
    }
    free(expected);
    free(text);
}

/* A number for each of the first `count` names, by the index itself. */
static void number_names(hop_context *context, hop__name_index *index, unsigned count,
                         uint32_t *ids) {
    char name[32 + HOP__NAME_SLACK] = "";
    for (unsigned i = 0; i < count; i++) {
        hop__name_word word = {.at = name, .length = (uint32_t)make_name(i, name)};
        hop__name_index_look(index, &word, 1);
        while (!hop__name_index_number(index, &word, 1))
            assert_int_equal(hop__name_index_grow(context, index), HOP_OK);
        ids[i] = word.id;
    }
}

/* What is left of the names when the index goes back to an earlier count, and what comes then. */
static void test_cut(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    uint32_t ids[KINDS], again[KINDS], *ranks = NULL;
    hop__name_index *index = NULL;
    hop__vertex_names *names = NULL;
    assert_int_equal(hop__name_index_create(context, &index), HOP_OK);
    number_names(context, index, KINDS, ids);
    assert_int_equal(hop__name_index_cut(context, index, 100), HOP_OK);
    assert_int_equal(hop__name_index_count(index), 100);
    number_names(context, index, 200, again);
    assert_memory_equal(ids, again, 100 * sizeof *ids);
    for (unsigned i = 100; i < 200; i++)
        assert_int_equal(again[i], i);
    assert_int_equal(hop__name_index_finish(context, index, &names, &ranks), HOP_OK);
    assert_int_equal(names->count, 200);
    for (unsigned i = 0; i < 200; i++) {
        char name[32];
        size_t length = make_name(i, name), found;
        assert_memory_equal(hop__name_at(names, ranks[again[i]], &found), name, length);
        assert_int_equal(found, length);
    }
    hop__free(ranks);
    hop__vertex_names_release(names);
    hop__name_index_free(index);
    free_context(context);
}

/* However many threads find no number left before one of them makes the table larger, each is told
 * so: those that come late do not look for a free slot for ever. */
static void test_full_table(void **state) {
    (void)state;
    enum { CALLS = 3000 };
    hop_context *context = make_context(1);
    hop__name_index *index = NULL;
    char name[32 + HOP__NAME_SLACK] = "";
    unsigned numbered = 0;
    assert_int_equal(hop__name_index_create(context, &index), HOP_OK);
    (void)alarm(400); /* a hundred times what it takes */
    for (unsigned i = 0; i < CALLS; i++) {
        hop__name_word word = {.at = name, .length = (uint32_t)snprintf(name, 32, "n%u", i)};
        hop__name_index_look(index, &word, 1);
        numbered += hop__name_index_number(index, &word, 1);
    }
    (void)alarm(0);
    assert_in_range(numbered, 1, CALLS / 2);
    assert_int_equal(hop__name_index_grow(context, index), HOP_OK);
    for (unsigned i = 0; i < numbered; i++) { /* those that had numbers have the same */
        hop__name_word word = {.at = name, .length = (uint32_t)snprintf(name, 32, "n%u", i)};
        hop__name_index_look(index, &word, 1);
        assert_true(hop__name_index_number(index, &word, 1));
        assert_int_equal(word.id, i);
    }
    hop__name_index_free(index);
    free_context(context);
}

static void test_failing_allocations(void **state) {
    (void)state;
    char *text = malloc(ROOM);
    size_t count = make_text(text);
    hop_status status = HOP_ERR_MEMORY;
    long fail_at;
    for (fail_at = 0; status != HOP_OK; fail_at++) {
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        hop_graph *graph = NULL;
        long left = 1000;
        options.threads = 1;
        options.allocator.allocate = failing_allocate;
        options.allocator.release = failing_release;
        options.allocator.user = &left;
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        left = fail_at;
        status = read_bytes(context, "edge-list", text, count, &graph);
        if (status == HOP_OK)
            assert_int_equal(hop_graph_vertices(graph), 2 * NAMES);
        else
            assert_int_equal(status, HOP_ERR_MEMORY);
        hop_graph_release(graph);
        free_context(context);
        assert_true(fail_at < 200);
    }
    assert_true(fail_at > 15); /* the index alone has more than that */
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_hash_gives_the_same),
        cmocka_unit_test(test_short_and_long),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_full_table),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
