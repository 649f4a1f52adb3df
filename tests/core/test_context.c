/* SPDX-License-Identifier: Apache-2.0
 * Contexts: options old and new, ranges, messages, log. */
#include "core/core_testing.h"

#include <sched.h>
#include <stdio.h>

#include "core/memory.h"

typedef struct test_log {
    unsigned count;
    hop_log_level level;
    char message[2048];
} test_log;

static void log_keep(void *user, hop_log_level level, const char *message) {
    test_log *log = user;
    log->count++;
    log->level = level;
    snprintf(log->message, sizeof log->message, "%s", message);
}

static void defaults(void **state) {
    (void)state;
    hop_context *context = NULL;
    assert_int_equal(hop_context_create(NULL, &context), HOP_OK);
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    assert_int_equal(hop_context_threads(context), CPU_COUNT(&set));
    assert_int_equal(hop_context_seed(context), 1);
    assert_int_equal(hop_context_memory_budget(context),
                     hop__default_budget(hop__machine_memory()));
    assert_int_equal(hop_context_memory_used(context), 0);
    assert_int_equal(hop_context_memory_peak(context), 0);
    assert_message(context, "");
    assert_false(hop__log_wanted(context, HOP_LOG_ERROR));
    free_context(context);

    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    assert_int_equal(hop_context_seed(context), 1);
    assert_int_equal(context->options.log_level, HOP_LOG_WARNING);
    free_context(context);
}

static void what_is_given_is_used(void **state) {
    (void)state;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = 4096;
    options.seed = UINT64_MAX;
    options.memory_budget = 12345;
    hop_context *context;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    assert_int_equal(hop_context_threads(context), 4096);
    assert_true(hop_context_seed(context) == UINT64_MAX);
    assert_int_equal(hop_context_memory_budget(context), 12345);
    hop_context_set_seed(context, 0);
    assert_int_equal(hop_context_seed(context), 0);
    free_context(context);
}

static void shorter_options_leave_the_rest_at_the_defaults(void **state) {
    (void)state;
    hop_context_options options;
    memset(&options, 0xff, sizeof options); /* a caller that does not know the later fields */
    options.size = offsetof(hop_context_options, memory_budget);
    options.threads = 3;
    options.log_level = HOP_LOG_INFO;
    hop_context *context;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    assert_int_equal(hop_context_threads(context), 3);
    assert_int_equal(context->options.log_level, HOP_LOG_INFO);
    assert_int_equal(hop_context_seed(context), 1);
    assert_int_equal(hop_context_memory_budget(context),
                     hop__default_budget(hop__machine_memory()));
    assert_null(context->options.progress);
    free_context(context);

    options.size = sizeof options.size; /* the least: the size alone */
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    assert_int_equal(context->options.log_level, HOP_LOG_WARNING);
    free_context(context);
}

typedef struct newer_options {
    hop_context_options known;
    uint64_t unknown[2];
} newer_options;

static void longer_options_must_be_zero_where_unknown(void **state) {
    (void)state;
    const hop_context_options defaults_known = HOP_CONTEXT_OPTIONS_INIT;
    test_log log = {0};
    newer_options options = {.known = defaults_known};
    options.known.size = sizeof options;
    options.known.seed = 9;
    options.known.log = log_keep;
    options.known.log_user = &log;
    hop_context *context;
    assert_int_equal(hop_context_create(&options.known, &context), HOP_OK);
    assert_int_equal(hop_context_seed(context), 9);
    free_context(context);
    assert_int_equal(log.count, 0);

    options.unknown[1] = 1;
    assert_int_equal(hop_context_create(&options.known, &context), HOP_ERR_UNSUPPORTED);
    assert_null(context);
    assert_int_equal(log.count, 1);
    assert_non_null(strstr(log.message, "does not know"));
}

static void sizes_that_cannot_be_are_refused(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, sizeof(size_t) - 1, 4097, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        options.size = sizes[i];
        hop_context *context = (hop_context *)&options;
        assert_int_equal(hop_context_create(&options, &context), HOP_ERR_ARGUMENT);
        assert_null(context);
    }
    assert_int_equal(hop_context_create(NULL, NULL), HOP_ERR_ARGUMENT);
    hop_context_free(NULL);
    assert_string_equal(hop_context_message(NULL), "");
}

static void assert_refused(hop_context_options options, const char *expected) {
    test_log log = {0};
    options.log = log_keep;
    options.log_user = &log;
    hop_context *context;
    assert_int_equal(hop_context_create(&options, &context), HOP_ERR_ARGUMENT);
    assert_null(context);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.level, HOP_LOG_ERROR);
    assert_string_equal(log.message, expected);
}

static void ranges_are_checked(void **state) {
    (void)state;
    const hop_context_options good = HOP_CONTEXT_OPTIONS_INIT;
    hop_context_options options = good;
    options.threads = 4097;
    assert_refused(options,
                   "context: 4097 threads asked for; at most 4096 can be had, 0 is one per core");
    options = good;
    options.log_level = (hop_log_level)4;
    assert_refused(options, "context: log level 4; expected 0 (error) to 3");
    options.log_level = (hop_log_level)-1;
    assert_refused(options, "context: log level -1; expected 0 (error) to 3");
    options = good;
    options.allocator.allocate = heap_allocate;
    assert_refused(options, "context: the allocator has no release; set allocate and release, or "
                            "none");
    options.allocator.resize = heap_resize;
    assert_refused(options, "context: the allocator has no release; set allocate and release, or "
                            "none");
    options = good;
    options.allocator.release = heap_release;
    assert_refused(options, "context: the allocator has no allocate; set allocate and release, or "
                            "none");
    options = good;
    options.allocator.resize = heap_resize;
    assert_refused(options, "context: the allocator has no allocate; set allocate and release, or "
                            "none");
}

static void a_refusing_allocator_is_an_error_and_no_leak(void **state) {
    (void)state;
    test_heap heap = {0};
    hop_context *context;
    hop_context_options options = heap_options(&heap, true);
    for (unsigned k = 1;; k++) {
        heap_fail_at(&heap, k);
        hop_status status = hop_context_create(&options, &context);
        if (status == HOP_OK) {
            assert_int_equal(k, 3); /* the context and its pool */
            free_context(context);
            break;
        }
        assert_int_equal(status, HOP_ERR_MEMORY);
        assert_null(context);
        assert_heap_empty(&heap);
    }
    assert_heap_empty(&heap);
}

static void messages(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    assert_int_equal(hop__fail(context, HOP_ERR_INPUT, "line %d: %s", 7, "bad"), HOP_ERR_INPUT);
    assert_message(context, "line 7: bad");
    hop__fail_prefix(context, "graph.txt");
    assert_message(context, "graph.txt: line 7: bad");
    hop__fail(context, HOP_ERR_IO, "<%s>", hop_context_message(context));
    assert_message(context, "<graph.txt: line 7: bad>");

    char lengthy[3000];
    memset(lengthy, 'x', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    hop__fail(context, HOP_ERR_IO, "%s", lengthy);
    assert_int_equal(strlen(hop_context_message(context)), 1023);
    hop__fail_prefix(context, "y");
    assert_int_equal(strlen(hop_context_message(context)), 1023);
    assert_memory_equal(hop_context_message(context), "y: xxx", 6);
    assert_int_equal(hop__fail(NULL, HOP_ERR_ARGUMENT, "nowhere"), HOP_ERR_ARGUMENT);
    free_context(context);
}

static void log_levels(void **state) {
    (void)state;
    for (int wanted = HOP_LOG_ERROR; wanted <= HOP_LOG_DEBUG; wanted++) {
        test_log log = {0};
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        options.log_level = (hop_log_level)wanted;
        options.log = log_keep;
        options.log_user = &log;
        hop_context *context;
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        for (int level = HOP_LOG_ERROR; level <= HOP_LOG_DEBUG; level++) {
            assert_int_equal(hop__log_wanted(context, (hop_log_level)level), level <= wanted);
            hop__log(context, (hop_log_level)level, "level %d", level);
        }
        assert_int_equal(log.count, wanted + 1);
        assert_int_equal(log.level, wanted);
        char expected[32];
        snprintf(expected, sizeof expected, "level %d", wanted);
        assert_string_equal(log.message, expected);
        assert_message(context, ""); /* a log line is no failure */
        free_context(context);
    }
}

static void sizes_as_text(void **state) {
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } rows[] = {
        {0, "0 bytes"},
        {1023, "1023 bytes"},
        {1024, "1.0 KiB"},
        {1536, "1.5 KiB"},
        {(1 << 20) - 1, "1.0 MiB"}, /* not 1024.0 KiB */
        {(1 << 20) - 53, "1023.9 KiB"},
        {1 << 20, "1.0 MiB"},
        {UINT64_C(9985798963), "9.3 GiB"},
        {UINT64_C(1) << 40, "1.0 TiB"},
        {UINT64_C(1) << 50, "1.0 PiB"},
        {UINT64_MAX, "16.0 EiB"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[16];
        assert_ptr_equal(hop__size_text(rows[i].bytes, text), text);
        assert_string_equal(text, rows[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(what_is_given_is_used),
        cmocka_unit_test(shorter_options_leave_the_rest_at_the_defaults),
        cmocka_unit_test(longer_options_must_be_zero_where_unknown),
        cmocka_unit_test(sizes_that_cannot_be_are_refused),
        cmocka_unit_test(ranges_are_checked),
        cmocka_unit_test(a_refusing_allocator_is_an_error_and_no_leak),
        cmocka_unit_test(messages),
        cmocka_unit_test(log_levels),
        cmocka_unit_test(sizes_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
