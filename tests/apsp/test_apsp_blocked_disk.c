/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix in a file: sizes around those of tiles against distances by the definition, all types;
 * runs that are stopped at every possible moment and go on, to the same bytes; files that are not
 * what they should be, or whose name becomes that of something else. What is wrong inside of a file
 * is in test_tile_file.c; tests/cli/test_cli_scratch.py kills the command. */
#include <sys/stat.h>
#include <unistd.h>

#include "apsp/apsp_testing.h"
#include "core/context_internal.h"
#include "span_testing.h"

static char path[64];

static int make_path(void **state) {
    (void)state;
    snprintf(path, sizeof path, "tiles-%ld.tmp", (long)getpid());
    return 0;
}

static int remove_path(void **state) {
    (void)state;
    (void)unlink(path);
    return 0;
}

typedef struct disk_ask {
    asked a;
    hop_setting side;
} disk_ask;

static void ask_disk(disk_ask *d, hop_weight_type wanted, double side) {
    ask(&d->a, "blocked-disk", wanted, HOP_CERTIFY_NONE);
    d->side = (hop_setting){"side", side, NULL};
    d->a.run.settings = &d->side;
    d->a.run.setting_count = 1;
    d->a.options.scratch = path;
}

static void sizes_and_types(void **state) {
    static const uint32_t sizes[] = {64, 1, 63, 65, 130, 200};
    static const hop_weight_type types[][2] = {{HOP_TYPE_INT32, HOP_TYPE_NONE},
                                               {HOP_TYPE_INT32, HOP_TYPE_INT32},
                                               {HOP_TYPE_INT64, HOP_TYPE_NONE},
                                               {HOP_TYPE_FLOAT32, HOP_TYPE_NONE},
                                               {HOP_TYPE_FLOAT64, HOP_TYPE_NONE}};
    hop_context *context = make_context(2);
    (void)state;
    for (size_t t = 0; t < 5; t++)
        for (size_t s = 0; s < 6; s++) {
            uint32_t n = sizes[s];
            if (t != 3 && s % 2 == 0)
                continue; /* every mark waits for the disk: one type alone has all sizes */
            double low = types[t][0] == HOP_TYPE_INT64 ? 1e14 : 1;
            plain_graph g = plain_random(n, 3, true, types[t][0], low, 60, 0.5, n);
            distance *expected = malloc((size_t)n * n * sizeof *expected);
            hop_graph *graph = plain_borrow(context, &g);
            disk_ask d;
            assert_true(plain_solve(&g, expected));
            ask_disk(&d, types[t][1], 64);
            hop_weight_type type = hop_apsp_distance_type(graph, &d.a.options);
            char *matrix = malloc((size_t)n * n * 8);
            if (hop_apsp(context, graph, &d.a.options, MATRIX_ROOM(graph, &d.a.options, matrix),
                         NULL) != HOP_OK)
                fail_msg("%s", hop_context_message(context));
            for (size_t i = 0; i < (size_t)n * n; i++)
                assert_true(is_real(type)
                                ? is_close(type, n, as_double(type, matrix, i), expected[i].real)
                                : is_same(type, matrix, i, expected[i]));
            assert_int_not_equal(access(path, F_OK), 0); /* it is gone */
            hop_graph_release(graph);
            free(matrix);
            free(expected);
            plain_free(&g);
        }
    free_context(context);
}

/* Says no when it is asked for the n-th time about this work; asked whenever that is possible,
 * instead of twenty times a second. */
typedef struct stopper {
    int left;
    hop_context *context;
} stopper;

static bool stop_after(void *user, const hop_progress *progress) {
    stopper *s = user;
    if (s->context != NULL)
        s->context->next_report = 0;
    return strncmp(progress->phase, "apsp", 4) != 0 || s->left-- > 0;
}

static bool keep_rows(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    char **to = user;
    (void)first;
    memcpy(*to, rows->items, (size_t)count * 700 * 4);
    *to += (size_t)count * 700 * 4;
    return true;
}

/* Stopped again and again, each time somewhat later, until it is through. */
static void stopped_and_gone_on(void **state) {
    enum { N = 700 };
    stopper s = {INT32_MAX};
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    hop_status status;
    disk_ask d;
    unsigned stops = 0;
    (void)state;
    options.progress = stop_after;
    options.progress_user = &s;
    options.threads = 2;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    plain_graph g = plain_random(N, 3, true, HOP_TYPE_FLOAT32, 1, 1000, 0.1, 5);
    hop_graph *graph = plain_borrow(context, &g);
    char *right = malloc(N * N * 4), *matrix = malloc(N * N * 4), *at = right;
    ask_disk(&d, HOP_TYPE_NONE, 128);
    assert_int_equal(hop_apsp_rows(context, graph, &d.a.options, keep_rows, &at, NULL), HOP_OK);
    s.context = context;
    for (int allowed = 0;; allowed += 1 + allowed / 4) {
        s.left = allowed;
        at = matrix;
        ask_disk(&d, HOP_TYPE_NONE, 128);
        status = hop_apsp_rows(context, graph, &d.a.options, keep_rows, &at, NULL);
        if (status == HOP_OK)
            break;
        assert_int_equal(status, HOP_ERR_CANCELLED);
        stops++;
    }
    assert_true(stops > 5);
    assert_memory_equal(matrix, right, N * N * 4);
    free(right);
    free(matrix);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

static void write_bytes(const char *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static bool refuse_rows(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    (void)user;
    (void)first;
    (void)count;
    (void)rows;
    return false;
}

/* Leaves a file with all rounds done, since the caller wants no rows. */
static void leave_file(hop_context *context, const hop_graph *graph, const disk_ask *d) {
    assert_int_equal(hop_apsp_rows(context, graph, &d->a.options, refuse_rows, NULL, NULL),
                     HOP_ERR_CANCELLED);
}

/* Something else in the file is never overwritten; nor is the work on another graph. */
static void other_files_are_refused(void **state) {
    static char rubbish[10000];
    hop_context *context = make_context(2);
    plain_graph g = plain_random(70, 3, true, HOP_TYPE_INT32, 1, 9, 1, 1);
    plain_graph h = plain_random(70, 3, true, HOP_TYPE_INT32, 1, 9, 1, 2);
    hop_graph *graph = plain_borrow(context, &g), *other = plain_borrow(context, &h);
    int64_t *matrix = malloc(70 * 70 * 8);
    struct stat about;
    disk_ask d;
    (void)state;
    ask_disk(&d, HOP_TYPE_NONE, 64);
    for (size_t bytes = 1; bytes <= sizeof rubbish; bytes += sizeof rubbish - 1) {
        write_bytes(rubbish, bytes);
        assert_int_equal(
            hop_apsp(context, graph, &d.a.options, MATRIX_ROOM(graph, &d.a.options, matrix), NULL),
            HOP_ERR_INPUT);
        assert_says(context, "no file of tiles");
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_size, bytes);
    }
    (void)unlink(path);
    leave_file(context, graph, &d); /* for the same graph and type alone */
    assert_int_equal(
        hop_apsp(context, other, &d.a.options, MATRIX_ROOM(other, &d.a.options, matrix), NULL),
        HOP_ERR_INPUT);
    assert_says(context, "another graph");
    assert_int_equal(
        hop_apsp(context, graph, &d.a.options, MATRIX_ROOM(graph, &d.a.options, matrix), NULL),
        HOP_OK);
    free(matrix);
    hop_graph_release(graph);
    hop_graph_release(other);
    plain_free(&g);
    plain_free(&h);
    free_context(context);
}

/* A file without its end would read as distances of 0. */
static void cut_files_are_refused(void **state) {
    hop_context *context = make_context(2);
    plain_graph g = plain_random(200, 3, true, HOP_TYPE_INT32, 1, 9, 1, 1);
    hop_graph *graph = plain_borrow(context, &g);
    int64_t *matrix = malloc(200 * 200 * 8);
    struct stat about;
    disk_ask d;
    (void)state;
    ask_disk(&d, HOP_TYPE_NONE, 64);
    leave_file(context, graph, &d);
    assert_int_equal(stat(path, &about), 0);
    const off_t cuts[] = {about.st_size - 1, about.st_size / 2, 2 * 4096, 4096 + 200, 4096, 200};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        assert_int_equal(truncate(path, cuts[i]), 0);
        assert_int_equal(
            hop_apsp(context, graph, &d.a.options, MATRIX_ROOM(graph, &d.a.options, matrix), NULL),
            HOP_ERR_INPUT);
        assert_says(context, "cut short");
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_size, cuts[i]);
    }
    free(matrix);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

/* A run that was killed before it had room for its tiles leaves a head alone; the next one takes
 * it. So is an empty file. */
static void begun_files_are_taken(void **state) {
    hop_context *context = make_context(2);
    plain_graph g = plain_random(200, 3, true, HOP_TYPE_INT32, 1, 9, 1, 1);
    hop_graph *graph = plain_borrow(context, &g);
    int64_t *right = malloc(200 * 200 * 8), *matrix = malloc(200 * 200 * 8);
    stopper s = {INT32_MAX};
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *stopping = NULL;
    disk_ask d;
    (void)state;
    options.progress = stop_after;
    options.progress_user = &s;
    assert_int_equal(hop_context_create(&options, &stopping), HOP_OK);
    ask_disk(&d, HOP_TYPE_NONE, 64);
    assert_int_equal(
        hop_apsp(context, graph, &d.a.options, MATRIX_ROOM(graph, &d.a.options, right), NULL),
        HOP_OK);
    s.context = stopping;
    s.left = 0; /* before the first tile is written */
    stopping->next_report = 0;
    assert_int_equal(
        hop_apsp(stopping, graph, &d.a.options, MATRIX_ROOM(graph, &d.a.options, matrix), NULL),
        HOP_ERR_CANCELLED);
    static const off_t left[] = {2 * 4096, 4096, 200, 0};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        assert_int_equal(truncate(path, left[i]), 0);
        memset(matrix, 0, 200 * 200 * 8);
        if (hop_apsp(context, graph, &d.a.options, MATRIX_ROOM(graph, &d.a.options, matrix),
                     NULL) != HOP_OK)
            fail_msg("%s", hop_context_message(context));
        assert_memory_equal(matrix, right, 200 * 200 * 8);
        stopping->next_report = 0;
        s.left = 0;
        assert_int_equal(
            hop_apsp(stopping, graph, &d.a.options, MATRIX_ROOM(graph, &d.a.options, matrix), NULL),
            HOP_ERR_CANCELLED);
    }
    free(right);
    free(matrix);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(stopping);
    free_context(context);
}

/* Gives the name to a file of the user's, while rows are handed over. */
static bool take_name(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    (void)first;
    (void)count;
    (void)rows;
    if (rename(path, user) == 0)
        write_bytes("notes", 5);
    return true;
}

static void names_of_others_stay(void **state) {
    hop_context *context = make_context(2);
    plain_graph g = plain_random(70, 3, true, HOP_TYPE_INT32, 1, 9, 1, 1);
    hop_graph *graph = plain_borrow(context, &g);
    int64_t *matrix = malloc(70 * 70 * 8);
    char moved[80];
    struct stat about;
    disk_ask d;
    (void)state;
    snprintf(moved, sizeof moved, "%s.moved", path);
    ask_disk(&d, HOP_TYPE_NONE, 64);
    assert_int_equal(hop_apsp_rows(context, graph, &d.a.options, take_name, moved, NULL), HOP_OK);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, 5);
    assert_int_equal(stat(moved, &about), 0);
    assert_int_equal(about.st_size, 0); /* no longer wanted */
    (void)unlink(path);
    assert_int_equal(symlink(moved, path), 0);
    assert_int_equal(
        hop_apsp(context, graph, &d.a.options, MATRIX_ROOM(graph, &d.a.options, matrix), NULL),
        HOP_OK);
    assert_int_equal(lstat(path, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, 0);
    (void)unlink(path);
    (void)unlink(moved);
    free(matrix);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

/* Says no once the rows come from the file. */
static bool stop_rows(void *user, const hop_progress *progress) {
    hop_context **context = user;
    if (*context != NULL)
        (*context)->next_report = 0;
    return strcmp(progress->phase, "apsp: rows of the file") != 0;
}

static void reading_rows_can_be_cancelled(void **state) {
    hop_context *context = NULL, *asked_always = NULL;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    plain_graph g = plain_random(200, 3, true, HOP_TYPE_INT32, 1, 9, 1, 1);
    int64_t *matrix = malloc(200 * 200 * 8);
    disk_ask d;
    (void)state;
    options.progress = stop_rows;
    options.progress_user = &asked_always;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    asked_always = context;
    hop_graph *graph = plain_borrow(context, &g);
    ask_disk(&d, HOP_TYPE_NONE, 64);
    context->next_report = 0;
    assert_int_equal(
        hop_apsp(context, graph, &d.a.options, MATRIX_ROOM(graph, &d.a.options, matrix), NULL),
        HOP_ERR_CANCELLED);
    assert_int_equal(access(path, F_OK), 0); /* it stays */
    free(matrix);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(sizes_and_types, remove_path),
        cmocka_unit_test_teardown(stopped_and_gone_on, remove_path),
        cmocka_unit_test_teardown(other_files_are_refused, remove_path),
        cmocka_unit_test_teardown(cut_files_are_refused, remove_path),
        cmocka_unit_test_teardown(begun_files_are_taken, remove_path),
        cmocka_unit_test_teardown(names_of_others_stay, remove_path),
        cmocka_unit_test_teardown(reading_rows_can_be_cancelled, remove_path),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
