/* SPDX-License-Identifier: Apache-2.0
 * Names while a text is read: the same graph whatever the hash is seeded with, and every
 * allocation may fail. */
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
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
