/* SPDX-License-Identifier: Apache-2.0
 * Ways along parents: right ones, and arrays that hold none. */
#include "bfs/bfs_testing.h"

static void follows_parents_to_the_source(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    const hop_vertex parents[] = {3, 0, HOP_NO_VERTEX, 3, 1}; /* 3 -> 0 -> 1 -> 4 */
    const hop_vertex expected[] = {3, 0, 1, 4};
    hop_vertex path[5] = {9, 9, 9, 9, 9}, length = 9;
    assert_int_equal(hop_path(context, parents, 5, 4, path, 5, &length), HOP_OK);
    assert_int_equal(length, 4);
    assert_memory_equal(path, expected, sizeof expected);
    assert_int_equal(path[4], 9); /* not touched */
    length = 9;
    assert_int_equal(hop_path(context, parents, 5, 4, NULL, 0, &length), HOP_OK);
    assert_int_equal(length, 4);
    memset(path, 0, sizeof path);
    assert_int_equal(hop_path(context, parents, 5, 4, path, 4, NULL), HOP_OK);
    assert_memory_equal(path, expected, sizeof expected);
    assert_int_equal(hop_path(context, parents, 5, 3, path, 1, &length), HOP_OK);
    assert_int_equal(length, 1);
    assert_int_equal(path[0], 3);
    assert_int_equal(hop_path(context, parents, 5, 2, path, 5, &length), HOP_OK);
    assert_int_equal(length, 0);
    free_context(context);
}

static void too_little_room_is_an_error_with_the_need(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    const hop_vertex parents[] = {0, 0, 1};
    hop_vertex path[3] = {7, 7, 7}, length;
    assert_int_equal(hop_path(context, parents, 3, 2, path, 2, &length), HOP_ERR_ARGUMENT);
    assert_says(context, "path: the path to vertex 2 has 3 vertices, but there is room for 2");
    assert_int_equal(length, 3);
    assert_int_equal(path[0], 7);
    assert_int_equal(hop_path(context, parents, 3, 3, path, 3, &length), HOP_ERR_ARGUMENT);
    assert_says(context, "path: the target is vertex 3, but there are only 3");
    assert_int_equal(hop_path(context, NULL, 3, 1, path, 3, &length), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_path(context, NULL, 0, 0, path, 3, &length), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_path(NULL, parents, 3, 1, path, 3, &length), HOP_ERR_ARGUMENT);
    free_context(context);
}

/* All arrays of parents of up to five vertices, with no parent and one that is out of range, and
 * all targets. */
static void every_array_of_five_is_followed_or_refused(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (uint32_t n = 1; n <= 5; n++) {
        uint32_t arrays = 1;
        for (uint32_t i = 0; i < n; i++)
            arrays *= n + 2;
        for (uint32_t code = 0; code < arrays * n; code++) {
            hop_vertex parents[5], path[5], length, target = code % n, v = target;
            for (uint32_t i = 0, rest = code / n; i < n; i++, rest /= n + 2)
                parents[i] = rest % (n + 2) == n + 1 ? HOP_NO_VERTEX : rest % (n + 2);
            uint32_t steps = 0; /* more than n steps do not end */
            while (steps <= n && parents[v] < n && parents[v] != v) {
                v = parents[v];
                steps++;
            }
            bool none = parents[target] == HOP_NO_VERTEX, good = parents[v] == v;
            hop_status status = hop_path(context, parents, n, target, path, n, &length);
            if (status != (none || good ? HOP_OK : HOP_ERR_INPUT) ||
                length != (good ? steps + 1 : 0))
                fail_msg("array %u of %u: status %d, length %u", code, n, status, length);
            for (uint32_t i = length, u = target; i-- > 0; u = parents[u])
                assert_int_equal(path[i], u);
        }
    }
    free_context(context);
}

typedef struct watcher {
    hop_context *context;
    unsigned calls, cancel_at;
} watcher;

static bool watch(void *user, const hop_progress *progress) {
    (void)progress;
    watcher *w = user;
    w->context->next_report = 0;
    return ++w->calls != w->cancel_at;
}

static void a_long_way_can_be_cancelled(void **state) {
    (void)state;
    watcher w = {0};
    const hop_vertex n = 1000000;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.progress = watch;
    options.progress_user = &w;
    assert_int_equal(hop_context_create(&options, &w.context), HOP_OK);
    hop_vertex *parents = malloc(4 * n), *path = malloc(4 * n), length;
    for (hop_vertex v = 0; v < n; v++)
        parents[v] = v ? v - 1 : 0;
    assert_int_equal(hop_path(w.context, parents, n, n - 1, path, n, &length), HOP_OK);
    for (hop_vertex v = 0; v < n; v++)
        if (path[v] != v)
            fail_msg("step %u is %u", v, path[v]);
    unsigned all = w.calls;
    assert_true(all > 50);
    for (unsigned at = 1; at <= all; at += 7) {
        w.calls = 0;
        w.cancel_at = at;
        assert_int_equal(hop_path(w.context, parents, n, n - 1, path, n, &length),
                         HOP_ERR_CANCELLED);
        assert_int_equal(w.calls, at);
        assert_says(w.context, "path: cancelled");
    }
    free(parents);
    free(path);
    free_context(w.context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_parents_to_the_source),
        cmocka_unit_test(too_little_room_is_an_error_with_the_need),
        cmocka_unit_test(every_array_of_five_is_followed_or_refused),
        cmocka_unit_test(a_long_way_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
