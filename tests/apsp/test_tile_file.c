/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of tiles that were damaged, copied during a run, or made by an older version: whatever is
 * wrong with one, the call that goes on from it fails, or gives the right matrix. Damage is drawn
 * at random, by a fixed seed, over all parts of files that were left at several moments. */
#include <sys/stat.h>
#include <unistd.h>

#include "apsp/apsp_testing.h"
#include "core/context_internal.h"
#include "span_testing.h"

enum { N = 200, SIDE = 64, PAGE = 4096, DAMAGE = 64, PARTS = 4 };

typedef struct bytes {
    char *data;
    size_t count;
} bytes;

typedef struct bench {
    char path[64];
    hop_context *context, *watched; /* the second one has the callback */
    plain_graph plain;
    hop_graph *graph;
    float right[N * N], matrix[N * N];
    hop_setting side;
    hop_run run;
    hop_apsp_options options;
    /* Of the callback: stops when it is asked for the n-th time, and copies 1/steps of the file
     * each time before that. */
    int left, calls;
    int copy_from; /* calls before the copy begins; 0: there is none */
    unsigned step, steps;
    bytes copy;
    hop_progress first, last; /* of the rounds */
    char logged[512];
} bench;

static bytes read_all(const char *path) {
    struct stat about;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &about), 0);
    bytes all = {malloc((size_t)about.st_size + 1), (size_t)about.st_size};
    assert_int_equal(fread(all.data, 1, all.count, file), all.count);
    (void)fclose(file);
    return all;
}

static void write_all(const char *path, bytes all) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(all.data, 1, all.count, file), all.count);
    assert_int_equal(fclose(file), 0);
}

/* The next part of the file as it is now, behind those that were taken before. */
static void copy_part(bench *b) {
    FILE *file = fopen(b->path, "rb");
    struct stat about;
    if (file == NULL)
        return;
    assert_int_equal(fstat(fileno(file), &about), 0);
    if (b->copy.data == NULL && about.st_size > 2 * PAGE) {
        b->copy.count = (size_t)about.st_size;
        b->copy.data = calloc(b->copy.count, 1);
    }
    if (b->copy.data != NULL && b->step < b->steps) {
        size_t from = b->copy.count * b->step / b->steps;
        size_t to = b->copy.count * ++b->step / b->steps;
        assert_int_equal(fseek(file, (long)from, SEEK_SET), 0);
        assert_int_equal(fread(b->copy.data + from, 1, to - from, file), to - from);
    }
    (void)fclose(file);
}

static bool watch(void *user, const hop_progress *progress) {
    bench *b = user;
    if (b->watched != NULL)
        b->watched->next_report = 0;
    if (strncmp(progress->phase, "apsp", 4) != 0)
        return true;
    if (strcmp(progress->phase, "apsp: rows of the file") != 0) {
        b->last = *progress;
        if (b->calls++ == 0)
            b->first = *progress;
        if (b->copy_from > 0 && b->calls >= b->copy_from)
            copy_part(b);
    }
    return b->left-- > 0;
}

static void keep_log(void *user, hop_log_level level, const char *message) {
    bench *b = user;
    assert_int_equal(level, HOP_LOG_WARNING);
    snprintf(b->logged, sizeof b->logged, "%s", message);
}

static int set_up(void **state) {
    bench *b = calloc(1, sizeof *b);
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    *state = b;
    /* Every mark waits for the disk; memory does not make it wait. */
    snprintf(b->path, sizeof b->path, "%s/hoplite-tile-file-%ld.tmp",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".", (long)getpid());
    b->context = make_context(2);
    b->left = INT32_MAX;
    options.progress = watch;
    options.progress_user = b;
    options.log = keep_log;
    options.log_user = b;
    assert_int_equal(hop_context_create(&options, &b->watched), HOP_OK);
    b->plain = plain_random(N, 3, true, HOP_TYPE_FLOAT32, 1, 1000, 0.1, 5);
    b->graph = plain_borrow(b->context, &b->plain);
    b->side = (hop_setting){"side", SIDE, NULL};
    b->run = (hop_run)HOP_RUN_INIT;
    b->run.variant = "blocked-disk";
    b->run.settings = &b->side;
    b->run.setting_count = 1;
    b->options = (hop_apsp_options)HOP_APSP_OPTIONS_INIT;
    b->options.run = &b->run;
    b->options.scratch = b->path;
    assert_int_equal(hop_apsp(b->context, b->graph, &b->options,
                              MATRIX_ROOM(b->graph, &b->options, b->right), NULL),
                     HOP_OK);
    return 0;
}

static int tear_down(void **state) {
    bench *b = *state;
    (void)unlink(b->path);
    hop_graph_release(b->graph);
    plain_free(&b->plain);
    free_context(b->watched);
    free_context(b->context);
    free(b->copy.data);
    free(b);
    return 0;
}

/* Leaves a file that was stopped when progress was asked for for the n-th time. */
static void leave_after(bench *b, int calls) {
    (void)unlink(b->path);
    b->left = calls;
    b->watched->next_report = 0;
    assert_int_equal(hop_apsp(b->watched, b->graph, &b->options,
                              MATRIX_ROOM(b->graph, &b->options, b->matrix), NULL),
                     HOP_ERR_CANCELLED);
    b->left = INT32_MAX;
}

/* How often the rounds ask; the one after that comes from reading rows. */
static int count_calls(bench *b) {
    b->left = INT32_MAX;
    b->calls = 0;
    b->watched->next_report = 0;
    assert_int_equal(hop_apsp(b->watched, b->graph, &b->options,
                              MATRIX_ROOM(b->graph, &b->options, b->matrix), NULL),
                     HOP_OK);
    return b->calls;
}

/* Goes on from the file: true if that gave the matrix, which must be right; false when the file was
 * refused, with a message that names it. */
static bool goes_on(bench *b, const char *what, size_t at) {
    memset(b->matrix, 0, sizeof b->matrix);
    hop_status status = hop_apsp(b->context, b->graph, &b->options,
                                 MATRIX_ROOM(b->graph, &b->options, b->matrix), NULL);
    if (status == HOP_OK && memcmp(b->matrix, b->right, sizeof b->right) != 0)
        fail_msg("%s at byte %zu: a wrong matrix", what, at);
    if (status != HOP_OK) {
        assert_int_equal(status, HOP_ERR_INPUT);
        assert_says(b->context, b->path);
        assert_says(b->context, "remove it");
    }
    return status == HOP_OK;
}

static uint32_t draw(uint32_t *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* 64 bytes are zeroed, flipped, or taken from elsewhere in the file. */
static void damage(bytes file, size_t at, unsigned kind, uint32_t *state) {
    size_t from = draw(state) % (file.count - DAMAGE);
    for (size_t i = at; i < at + DAMAGE && i < file.count; i++)
        if (kind == 0)
            file.data[i] = 0;
        else if (kind == 1)
            file.data[i] = (char)~file.data[i];
        else
            file.data[i] = file.data[from + i - at];
}

static void damaged_files_give_no_wrong_matrix(void **state) {
    enum { MOMENTS = 5, TRIALS = 14 };
    bench *b = *state;
    const int calls = count_calls(b);
    unsigned refused = 0, said_tile = 0;
    uint32_t random = 1;
    for (int m = 0; m < MOMENTS; m++) {
        leave_after(b, m == MOMENTS - 1 ? calls : 1 + calls * m / MOMENTS);
        bytes whole = read_all(b->path);
        bytes work = {malloc(whole.count), whole.count};
        for (unsigned t = 0; t < TRIALS; t++) {
            /* Every fourth in the heads, which are small. */
            size_t room = t % 4 == 0 ? 2 * PAGE : whole.count - DAMAGE;
            size_t at = t < 2 ? t * PAGE : draw(&random) % room;
            memcpy(work.data, whole.data, whole.count);
            damage(work, at, t % 3, &random);
            write_all(b->path, work);
            if (!goes_on(b, "damage", at)) {
                refused++;
                said_tile += strstr(hop_context_message(b->context), "tile (") != NULL;
            }
        }
        free(whole.data);
        free(work.data);
    }
    assert_true(refused > TRIALS && said_tile > TRIALS);
}

/* Heads that are gone leave nothing to go on from; one alone does. */
static void damaged_heads(void **state) {
    bench *b = *state;
    leave_after(b, count_calls(b) / 2);
    bytes file = read_all(b->path);
    for (unsigned which = 1; which < 4; which++) {
        bytes work = {malloc(file.count), file.count};
        memcpy(work.data, file.data, file.count);
        for (unsigned i = 0; i < 2; i++)
            if (which >> i & 1)
                memset(work.data + i * PAGE + 16, 0, DAMAGE);
        write_all(b->path, work);
        assert_true(!goes_on(b, "heads", which) || which < 3);
        if (which == 3)
            assert_says(b->context, "two heads");
        free(work.data);
    }
    free(file.data);
}

/* Copies that were made while a run was at work, in parts of many sizes. */
static void copies_made_during_a_run(void **state) {
    bench *b = *state;
    const int calls = count_calls(b);
    unsigned refused = 0;
    uint32_t random = 3;
    for (unsigned steps = 2; steps < (unsigned)calls / 2; steps += 1 + steps / 2) {
        (void)unlink(b->path);
        free(b->copy.data);
        b->copy = (bytes){NULL, 0};
        b->step = 0;
        b->steps = steps;
        b->calls = 0;
        b->copy_from = 1 + (int)(draw(&random) % (unsigned)(calls / 2));
        b->watched->next_report = 0;
        assert_int_equal(hop_apsp(b->watched, b->graph, &b->options,
                                  MATRIX_ROOM(b->graph, &b->options, b->matrix), NULL),
                         HOP_OK);
        b->copy_from = 0;
        assert_non_null(b->copy.data);
        write_all(b->path, b->copy);
        refused += !goes_on(b, "copy", steps);
    }
    assert_true(refused > 0);
}

/* Two tiles change places; and a tile of an earlier moment comes back. */
static void foreign_tiles_are_named(void **state) {
    bench *b = *state;
    const int calls = count_calls(b);
    const size_t tile = (SIDE * SIDE * sizeof(float) + SIDE * 8 + PAGE - 1) / PAGE * PAGE;
    leave_after(b, calls / 2);
    bytes earlier = read_all(b->path);
    leave_after(b, calls); /* all rounds are done */
    bytes done = read_all(b->path), work = {malloc(done.count), done.count};
    assert_int_equal(earlier.count, done.count);
    unsigned old_tiles = 0;
    for (size_t i = 0; i < (PARTS + 1) * PARTS; i++) {
        char *here = work.data + 2 * PAGE + i * tile;
        memcpy(work.data, done.data, done.count);
        memcpy(here, done.data + 2 * PAGE + (i + 1) % (PARTS * PARTS) * tile, tile);
        write_all(b->path, work);
        if (!goes_on(b, "another tile", i))
            assert_says(b->context, "tile (");
        memcpy(here, earlier.data + 2 * PAGE + i * tile, tile);
        write_all(b->path, work);
        if (!goes_on(b, "an old tile", i)) {
            assert_says(b->context, "copy that was made during a run");
            old_tiles++;
        }
    }
    assert_true(old_tiles >= PARTS * (PARTS - 1)); /* one row is free, one may be the same */
    free(earlier.data);
    free(done.data);
    free(work.data);
}

/* Version 2 had no checks. */
static void old_layouts_are_refused(void **state) {
    bench *b = *state;
    leave_after(b, count_calls(b) / 2);
    bytes file = read_all(b->path);
    file.data[8] = file.data[PAGE + 8] = 2;
    write_all(b->path, file);
    assert_false(goes_on(b, "version", 8));
    assert_says(b->context, "another version of hoplite (layout 2, not 3)");
    free(file.data);
}

/* What is done before is told, and where the bar begins; the whole is the same. */
static void progress_begins_where_it_stopped(void **state) {
    bench *b = *state;
    const int calls = count_calls(b);
    assert_int_equal(b->first.done, 0);
    assert_int_equal(b->last.done, b->last.total);
    assert_string_equal(b->logged, "");
    const uint64_t whole = b->last.total;
    uint64_t before = 0;
    for (int quarter = 1; quarter <= 4; quarter++) {
        leave_after(b, quarter == 4 ? calls : calls * quarter / 4);
        char words[64];
        uint64_t reached = b->last.done;
        b->logged[0] = '\0';
        assert_int_equal(count_calls(b) <= calls, 1);
        assert_int_equal(b->last.total, whole);
        assert_int_equal(b->last.done, whole);
        /* At most a cross, or a row of products, is done again. */
        assert_true(b->first.done <= reached);
        assert_true(reached - b->first.done <= whole / PARTS / PARTS * 2);
        assert_true(b->first.done > before || quarter == 1);
        before = b->first.done;
        snprintf(words, sizeof words, "going on from %d %%",
                 (int)floor(100 * (double)before / (double)whole));
        assert_non_null(strstr(b->logged, words));
    }
    assert_int_equal(before, whole);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(damaged_files_give_no_wrong_matrix),
        TEST(damaged_heads),
        TEST(copies_made_during_a_run),
        TEST(foreign_tiles_are_named),
        TEST(old_layouts_are_refused),
        TEST(progress_begins_where_it_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
