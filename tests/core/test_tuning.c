/* SPDX-License-Identifier: Apache-2.0
 * Constants of the choice: defaults, ranges, and their file, whatever stands in it. */
#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/context_internal.h"
#include "core/core_testing.h"
#include "hoplite/hoplite.h"
#include "problem/report.h"

static char folder[64], path[128];

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/hoplite_tuning_XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/constants", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails when a temporary file was left behind */
}

static void put(const char *text, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    fclose(file);
}

static void contexts_begin_with_the_defaults(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    assert_true(hop_tuning_count() > 0);
    for (size_t i = 0; i < hop_tuning_count(); i++) {
        const hop_tuning_constant *row = hop_tuning_at(i);
        assert_true(row->standard >= row->minimum && row->standard <= row->maximum);
        assert_true(hop_tuning_get(context, row->name) == row->standard);
    }
    assert_null(hop_tuning_at(hop_tuning_count()));
    assert_true(isnan(hop_tuning_get(context, "no.such")));
    assert_true(isnan(hop_tuning_get(context, "bfs.smal")));
    hop_context_free(context);
}

static void values_are_kept_within_their_range(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (size_t i = 0; i < hop_tuning_count(); i++) {
        const hop_tuning_constant *row = hop_tuning_at(i);
        assert_int_equal(hop_tuning_set(context, row->name, row->maximum), HOP_OK);
        assert_int_equal(hop_tuning_set(context, row->name, row->maximum * 2), HOP_ERR_ARGUMENT);
        assert_int_equal(hop_tuning_set(context, row->name, row->minimum - 1), HOP_ERR_ARGUMENT);
        assert_int_equal(hop_tuning_set(context, row->name, (double)NAN), HOP_ERR_ARGUMENT);
        assert_true(hop_tuning_get(context, row->name) == row->maximum);
    }
    assert_int_equal(hop_tuning_set(context, "no.such", 1), HOP_ERR_ARGUMENT);
    hop_context_free(context);
}

/* In a locale with another decimal point too, if the machine has one. */
static void what_is_written_is_read(void **state) {
    (void)state;
    for (int comma = 0; comma < 2; comma++) {
        if (comma && !setlocale(LC_NUMERIC, "de_DE.UTF-8"))
            break;
        hop_context *one = make_context(1), *other = make_context(1);
        for (size_t i = 0; i < hop_tuning_count(); i++) {
            const hop_tuning_constant *row = hop_tuning_at(i);
            double value = row->minimum + 0.125 * (double)(i + 1);
            assert_int_equal(hop_tuning_set(one, row->name, value), HOP_OK);
        }
        assert_int_equal(hop_tuning_write(one, path, "a note\nof two lines"), HOP_OK);
        assert_int_equal(hop_tuning_read(other, path), HOP_OK);
        for (size_t i = 0; i < hop_tuning_count(); i++) {
            const char *name = hop_tuning_at(i)->name;
            assert_true(fabs(hop_tuning_get(one, name) - hop_tuning_get(other, name)) < 1e-4);
        }
        hop_context_free(one);
        hop_context_free(other);
    }
    setlocale(LC_NUMERIC, "C");
}

/* A bad line changes nothing, not even by the good lines before it. */
static void bad_files_change_nothing(void **state) {
    (void)state;
    static const char *const bad[] = {
        "bfs.small",
        "bfs.small =",
        "bfs.small = x",
        "bfs.small = 1000 7",
        "= 7",
        "bfs.small 1000",
        "bfs.small = 1",
        "bfs.small = nan",
        "bfs.small = 1e300",
        "bfs.small = -1000",
        "bfs.small = 1000 = 2",
        "\x01\x02\x03",
        "device.launch@cuda/card/1.0",
        "device.launch@cuda/card/1.0 = x",
        "device.launch@cuda/card/1.0 = 5 6",
        "device.launch@cuda/card/1.0 = -5",
        "device.launch@cuda/card/1.0 = nan",
        "device.bus@cuda/card/1.0 = 1e300",
        "device.bus@cuda/a card = 1",
    };
    hop_context *context = make_context(1);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[200];
        int length = snprintf(text, sizeof text,
                              "device.bus@cuda/card/2.0 = 3 # fine\nrank.small = 77\n%s\n", bad[i]);
        put(text, (size_t)length);
        assert_int_equal(hop_tuning_read(context, path), HOP_ERR_INPUT);
        assert_true(hop_tuning_get(context, "rank.small") == 50000);
        assert_int_equal(context->tuning.device_count, 0);
        if (!strstr(hop_context_message(context), "line 3"))
            fail_msg("%s", hop_context_message(context));
    }
    char *large = calloc(1, 200000);
    memset(large, '#', 200000);
    put(large, 200000);
    assert_int_equal(hop_tuning_read(context, path), HOP_ERR_INPUT);
    put("rank.small = 77\0 \n", 18);
    assert_int_equal(hop_tuning_read(context, path), HOP_ERR_INPUT);
    free(large);
    unlink(path);
    assert_int_equal(hop_tuning_read(context, path), HOP_ERR_IO);
    assert_int_equal(hop_tuning_read(context, folder), HOP_ERR_IO);
    assert_true(hop_tuning_get(context, "rank.small") == 50000);
    hop_context_free(context);
}

static void good_files_are_read(void **state) {
    (void)state;
    static const char text[] =
        "\n  # a comment\r\n\tbfs.small=12000# more\r\nof.later.versions = 3\n"
        "rank.small = 1.5e3";
    hop_context *context = make_context(1);
    put(text, sizeof text - 1);
    assert_int_equal(hop_tuning_read(context, path), HOP_OK);
    assert_true(hop_tuning_get(context, "bfs.small") == 12000);
    assert_true(hop_tuning_get(context, "rank.small") == 1500);
    assert_true(hop_tuning_get(context, "sssp.small") == 16384);
    put("", 0);
    assert_int_equal(hop_tuning_read(context, path), HOP_OK);
    hop_context_free(context);
}

static void put_device(hop_context *context, const char *key, hop__device_constant which,
                       double value) {
    assert_true(hop__tuning_put_device(&context->tuning, key, which, value));
}

/* Of one constant only: the others are assumed then, and are not in the file. */
static void devices_are_written_and_read(void **state) {
    (void)state;
    hop_context *one = make_context(1), *other = make_context(1);
    put_device(one, "cuda/card/1.0", HOP__DEVICE_LAUNCH, 12345.5);
    put_device(one, "opencl/card/1.0", HOP__DEVICE_BUS, 0.25);
    put_device(one, "cuda/card/1.0", HOP__DEVICE_GATHER, 0.0625);
    assert_int_equal(hop_tuning_write(one, path, "a note"), HOP_OK);
    assert_int_equal(hop_tuning_read(other, path), HOP_OK);
    assert_int_equal(other->tuning.device_count, 2);
    const hop__device_tuning *card = hop__tuning_device(&other->tuning, "cuda/card/1.0");
    const hop__device_tuning *same = hop__tuning_device(&other->tuning, "opencl/card/1.0");
    assert_non_null(card);
    assert_non_null(same);
    assert_null(hop__tuning_device(&other->tuning, "cuda/card/1.1"));
    assert_true(card->values[HOP__DEVICE_LAUNCH] == 12345.5 && card->measured[HOP__DEVICE_LAUNCH]);
    assert_true(card->values[HOP__DEVICE_GATHER] == 0.0625 && card->measured[HOP__DEVICE_GATHER]);
    assert_true(same->values[HOP__DEVICE_BUS] == 0.25 && !same->measured[HOP__DEVICE_LAUNCH]);
    assert_false(card->measured[HOP__DEVICE_BUS]);
    for (unsigned i = 0; i < HOP__TUNED_COUNT; i++)
        assert_false(
            other->tuning.changed[i]); /* the defaults of the machine are no measurements */
    hop_context_free(one);
    hop_context_free(other);
}

/* What this version does not know is left out: a constant, and one that is of no device. */
static void devices_of_later_versions_are_left_out(void **state) {
    (void)state;
    static const char text[] = "device.warp@cuda/card/1.0 = 3\ndevice.bus@ = 3\ndevice.bus = 3\n"
                               "device.bus@cuda/card/1.0=0.5#more\n";
    char longest[1000], key[400] = {0};
    hop_context *context = make_context(1);
    put(text, sizeof text - 1);
    assert_int_equal(hop_tuning_read(context, path), HOP_OK);
    assert_int_equal(context->tuning.device_count, 1);
    memset(key, 'x', HOP__DEVICE_KEY);
    int length = snprintf(longest, sizeof longest, "device.bus@%s = 3\n", key);
    put(longest, (size_t)length);
    assert_int_equal(hop_tuning_read(context, path), HOP_OK);
    assert_int_equal(context->tuning.device_count, 1);
    key[HOP__DEVICE_KEY - 1] = '\0';
    length = snprintf(longest, sizeof longest, "device.bus@%s = 3\n", key);
    put(longest, (size_t)length);
    assert_int_equal(hop_tuning_read(context, path), HOP_OK);
    assert_non_null(hop__tuning_device(&context->tuning, key));
    hop_context_free(context);
}

/* As many as there is room for: the first go, and a file of all of them can be read. */
static void devices_are_as_many_as_fit(void **state) {
    (void)state;
    char key[HOP__DEVICE_KEY];
    hop_context *one = make_context(1), *other = make_context(1);
    for (unsigned i = 0; i <= HOP__TUNED_DEVICES; i++)
        for (unsigned c = 0; c < HOP__DEVICE_CONSTANTS; c++) {
            memset(key, 'k', sizeof key);
            snprintf(key + sizeof key - 4, 4, "%03u", i);
            put_device(one, key, (hop__device_constant)c, 1 + i);
        }
    assert_int_equal(one->tuning.device_count, HOP__TUNED_DEVICES);
    assert_int_equal(hop_tuning_write(one, path, NULL), HOP_OK);
    assert_int_equal(hop_tuning_read(other, path), HOP_OK);
    assert_int_equal(other->tuning.device_count, HOP__TUNED_DEVICES);
    assert_non_null(hop__tuning_device(&other->tuning, key));
    snprintf(key + sizeof key - 4, 4, "000");
    assert_null(hop__tuning_device(&other->tuning, key));
    snprintf(key + sizeof key - 4, 4, "001");
    assert_true(hop__tuning_device(&other->tuning, key)->values[HOP__DEVICE_BUS] == 2);
    hop_context_free(one);
    hop_context_free(other);
}

/* Where it cannot be written, what was there stays, and nothing is left beside it. */
static void failed_writes_leave_nothing(void **state) {
    (void)state;
    char inside[200];
    hop_context *context = make_context(1);
    snprintf(inside, sizeof inside, "%s/none/constants", folder);
    assert_int_equal(hop_tuning_write(context, inside, NULL), HOP_ERR_IO);
    assert_int_equal(hop_tuning_write(context, folder, NULL), HOP_ERR_IO); /* a folder is there */
    char beside[128];
    snprintf(beside, sizeof beside, "%s", folder);
    DIR *list = opendir("/tmp");
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list)) != NULL;)
        if (strncmp(entry->d_name, beside + 5, strlen(beside + 5)) == 0)
            assert_string_equal(entry->d_name, beside + 5);
    closedir(list);
    hop_context_free(context);
}

/* The choice goes by them, and says so. */
static void auto_goes_by_the_constants(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_vertex list[100], ranks[100];
    hop_report report = {0};
    hop_run run = HOP_RUN_INIT;
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    run.report = &report;
    options.run = &run;
    assert_int_equal(hop_list_generate(context, 100, 1, list), HOP_OK);
    assert_int_equal(hop_rank(context, list, 100, &options, ranks), HOP_OK);
    assert_string_equal(report.variant->name, "sequential");
    assert_non_null(strstr(report.reason, "rank.small = 50000, the default"));
    assert_int_equal(hop_tuning_set(context, "rank.small", 50), HOP_OK);
    assert_int_equal(hop_rank(context, list, 100, &options, ranks), HOP_OK);
    assert_string_not_equal(report.variant->name, "sequential");
    assert_non_null(strstr(report.reason, "rank.small = 50, tuned"));
    hop_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_begin_with_the_defaults),
        cmocka_unit_test(values_are_kept_within_their_range),
        cmocka_unit_test_setup_teardown(what_is_written_is_read, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(bad_files_change_nothing, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(good_files_are_read, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(devices_are_written_and_read, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(devices_of_later_versions_are_left_out, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(devices_are_as_many_as_fit, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(failed_writes_leave_nothing, make_folder, remove_folder),
        cmocka_unit_test(auto_goes_by_the_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
