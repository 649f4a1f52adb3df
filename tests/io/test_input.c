/* SPDX-License-Identifier: Apache-2.0
 * Inputs: plain files, memory, streams and gzip give the same bytes, in blocks of any size; limits
 * hold; damaged gzip is refused with its offset; words may be loaded past the end of a block. */
#include "io/bytes/input.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#include "core/patience.h"
#include "io/bytes/waiting.h"
#include "io/text_testing.h"

/* Lines of many lengths, the last without a newline. */
static size_t make_lines(char *text, size_t room) {
    size_t used = 0;
    for (uint64_t i = 0; used + 100 < room; i++) {
        size_t length = (size_t)(hop__random_at(3, 0, i) % 40);
        memset(text + used, (int)('a' + i % 26), length);
        used += length;
        text[used++] = '\n';
    }
    memcpy(text + used, "last", 4);
    return used + 4;
}

/* Reads everything in blocks and compares: each ends at a line's end, and 64 bytes after it may be
 * read. */
static void assert_contents(hop_context *context, hop__input *input, size_t block, const char *text,
                            size_t count) {
    const char *bytes;
    size_t got, sum = 0;
    uint64_t extra = 0;
    hop__input_set_sizes(input, block, 8);
    for (;;) {
        if (hop__input_lines(context, input, &bytes, &got) != HOP_OK)
            fail_msg("%s", hop_context_message(context));
        if (got == 0)
            break;
        assert_true(sum + got <= count);
        assert_memory_equal(bytes, text + sum, got);
        sum += got;
        if (sum < count)
            assert_int_equal(bytes[got - 1], '\n');
        else if (bytes[got - 1] != '\n')
            assert_int_equal(bytes[got], '\n');
        for (size_t i = 0; i < HOP__INPUT_SLACK; i++)
            extra += (unsigned char)bytes[got + i];
    }
    assert_true(extra < UINT64_MAX);
    assert_int_equal(sum, count);
}

enum { TEXT = 20000 };

static void test_same_bytes(void **state) {
    (void)state;
    static const size_t blocks[] = {1, 7, 64, 1000, 1 << 20};
    char *text = malloc(TEXT);
    unsigned char *packed = malloc(2 << 20);
    size_t count = make_lines(text, TEXT);
    size_t half = count / 2;
    size_t one = (size_t)(pack(packed, text, count) - packed);
    hop_context *context = make_context(2);
    hop__input *input = NULL;
    for (size_t b = 0; b < 5; b++) {
        assert_int_equal(hop__input_open_memory(context, "m", text, count, NULL, &input), HOP_OK);
        assert_int_equal(hop__input_size(input), count);
        assert_contents(context, input, blocks[b], text, count);
        hop__input_close(input);
        pack(packed, text, count);
        assert_int_equal(hop__input_open_memory(context, "m", packed, one, NULL, &input), HOP_OK);
        assert_true(hop__input_compressed(input));
        assert_int_equal(hop__input_size(input), 0);
        assert_contents(context, input, blocks[b], text, count);
        hop__input_close(input);
        /* Three members, one of them empty. */
        unsigned char *end = pack(pack(pack(packed, text, half), "", 0), text + half, count - half);
        assert_int_equal(
            hop__input_open_memory(context, "m", packed, (size_t)(end - packed), NULL, &input),
            HOP_OK);
        assert_contents(context, input, blocks[b], text, count);
        hop__input_close(input);
        const char *path = temporary("plain");
        save_file(path, text, count);
        assert_int_equal(hop__input_open(context, path, NULL, &input), HOP_OK);
        assert_string_equal(hop__input_path(input), path);
        assert_true(hop__input_descriptor(input) >= 0);
        assert_contents(context, input, blocks[b], text, count);
        hop__input_close(input);
    }
    free(packed);
    free(text);
    free_context(context);
}

static void *write_later(void *arg) {
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return write(*(const int *)arg, "x", 1) == 1 ? arg : NULL;
}

/* A silent pipe is waited for, which is no lack of a core. */
static void test_waiting_is_sleep(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    uint64_t slept = 0;
    for (unsigned tries = 0; tries < 100 && slept < 10000000; tries++) {
        int ends[2];
        pthread_t writer;
        void *written;
        assert_int_equal(pipe(ends), 0);
        uint64_t before = hop__slept_ns();
        assert_int_equal(pthread_create(&writer, NULL, write_later, &ends[1]), 0);
        assert_int_equal(hop__wait_until_ready(context, "pipe", ends[0], POLLIN), HOP_OK);
        slept = hop__slept_ns() - before;
        pthread_join(writer, &written);
        assert_non_null(written);
        close(ends[0]);
        close(ends[1]);
    }
    assert_true(slept >= 10000000);
    free_context(context);
}

/* Through a pipe, plain and compressed: a process writes in small pieces. */
static void test_streams(void **state) {
    (void)state;
    char *text = malloc(TEXT);
    unsigned char *packed = malloc(2 << 20);
    size_t count = make_lines(text, TEXT);
    size_t packed_count = (size_t)(pack(packed, text, count) - packed);
    for (int gzip = 0; gzip < 2; gzip++) {
        const char *path = temporary("pipe");
        unlink(path);
        char command[256];
        snprintf(command, sizeof command, "mkfifo '%s'", path);
        assert_int_equal(system(command), 0);
        pid_t writer = fork();
        if (writer == 0) {
            int pipe = open(path, O_WRONLY);
            const char *bytes = gzip ? (const char *)packed : text;
            size_t left = gzip ? packed_count : count;
            while (left > 0) {
                ssize_t put = write(pipe, bytes, left < 777 ? left : 777);
                if (put <= 0)
                    _exit(1);
                bytes += put;
                left -= (size_t)put;
            }
            _exit(0);
        }
        hop_context *context = make_context(1);
        hop__input *input = NULL;
        const unsigned char *start;
        size_t seen;
        assert_int_equal(hop__input_open(context, path, NULL, &input), HOP_OK);
        assert_true(hop__input_is_stream(input));
        assert_int_equal(hop__input_compressed(input), gzip);
        assert_int_equal(hop__input_descriptor(input), -1);
        assert_int_equal(hop__input_peek(context, input, 100, &start, &seen), HOP_OK);
        assert_true(seen >= 100);
        assert_memory_equal(start, text, 100);
        assert_contents(context, input, 512, text, count);
        hop__input_close(input);
        free_context(context);
        int code;
        assert_int_equal(waitpid(writer, &code, 0), writer);
        assert_int_equal(code, 0);
    }
    free(packed);
    free(text);
}

/* A line longer than a block. */
static void test_long_line(void **state) {
    (void)state;
    enum { LONG = 100000 };
    char *text = malloc(LONG);
    memset(text, 'x', LONG);
    text[LONG / 2] = '\n';
    hop_context *context = make_context(1);
    hop__input *input = NULL;
    assert_int_equal(hop__input_open_memory(context, "m", text, LONG, NULL, &input), HOP_OK);
    assert_contents(context, input, 10, text, LONG);
    hop__input_close(input);
    free(text);
    free_context(context);
}

static hop_status read_all(hop_context *context, const void *bytes, size_t count,
                           const hop_read_options *options) {
    hop__input *input = NULL;
    const char *text;
    size_t got = 0;
    hop_status status = hop__input_open_memory(context, "m", bytes, count, options, &input);
    if (status == HOP_OK)
        do
            status = hop__input_lines(context, input, &text, &got);
        while (status == HOP_OK && got > 0);
    hop__input_close(input);
    return status;
}

static void test_damaged_gzip(void **state) {
    (void)state;
    static const char text[] = "1 2\n3 4\n5 6\n";
    unsigned char packed[256];
    size_t count = (size_t)(pack(packed, text, sizeof text - 1) - packed);
    hop_context *context = make_context(1);
    assert_int_equal(read_all(context, packed, count, NULL), HOP_OK);
    for (size_t cut = 3; cut < count; cut++) {
        char offset[32];
        assert_int_equal(read_all(context, packed, cut, NULL), HOP_ERR_INPUT);
        assert_message(context, "the file ends inside a gzip member");
        snprintf(offset, sizeof offset, "m: byte %zu:", cut);
        assert_message(context, offset);
    }
    packed[count] = 'x';
    assert_int_equal(read_all(context, packed, count + 1, NULL), HOP_ERR_INPUT);
    assert_message(context, "byte 0x78 after the end of the gzip data");
    packed[count] = 0x1f;
    packed[count + 1] = 0x77;
    assert_int_equal(read_all(context, packed, count + 2, NULL), HOP_ERR_INPUT);
    assert_message(context, "the gzip data is damaged");
    packed[count - 5] ^= 1; /* the checksum */
    assert_int_equal(read_all(context, packed, count, NULL), HOP_ERR_INPUT);
    assert_message(context, "the gzip data is damaged: incorrect data check");
    free_context(context);
}

/* 16 MB of newlines from a few kilobytes: refused at the limit, without holding it all. */
static void test_bomb(void **state) {
    (void)state;
    enum { BOMB = 16 << 20 };
    char *text = malloc(BOMB);
    unsigned char *packed = malloc(1 << 20);
    memset(text, '\n', BOMB);
    size_t count = (size_t)(pack(packed, text, BOMB) - packed);
    hop_context_options limits = HOP_CONTEXT_OPTIONS_INIT;
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_context *context = NULL;
    hop_graph *graph = NULL;
    limits.threads = 1;
    limits.memory_budget = 4 << 20;
    assert_int_equal(hop_context_create(&limits, &context), HOP_OK);
    options.format = "edge-list";
    options.max_bytes = 1 << 20;
    assert_int_equal(hop_graph_read_memory(context, "m", packed, count, &options, &graph),
                     HOP_ERR_INPUT);
    assert_message(context, "m: more than 1048576 bytes once decompressed");
    options.max_bytes = 0; /* the ratio of deflate never refuses what deflate has made */
    hop_context *rich = make_context(1);
    assert_int_equal(hop_graph_read_memory(rich, "m", packed, count, &options, &graph), HOP_OK);
    hop_graph_release(graph);
    free_context(rich);
    free_context(context);
    free(packed);
    free(text);
}

static void test_exact_limit(void **state) {
    (void)state;
    static const char text[] = "1 2\n3 4\n";
    unsigned char packed[128];
    size_t count = (size_t)(pack(packed, text, 8) - packed);
    hop_context *context = make_context(1);
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    for (options.max_bytes = 1; options.max_bytes <= 9; options.max_bytes++) {
        hop_status expected = options.max_bytes < 8 ? HOP_ERR_INPUT : HOP_OK;
        assert_int_equal(read_all(context, packed, count, &options), expected);
        assert_int_equal(read_all(context, text, 8, &options), expected);
    }
    free_context(context);
}

static void test_whole_and_parts(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    size_t count = (3 << 20) + 17;
    unsigned char *bytes = malloc(count), *part = malloc(count);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(i * 31 >> 3);
    save_file(temporary("whole"), bytes, count);
    hop__input *input = NULL;
    const unsigned char *whole;
    uint64_t got;
    assert_int_equal(hop__input_open(context, temporary("whole"), NULL, &input), HOP_OK);
    assert_int_equal(hop__input_whole(context, input, &whole, &got), HOP_OK);
    assert_int_equal(got, count);
    assert_memory_equal(whole, bytes, count);
    assert_int_equal(hop__input_read_at(context, input, 17, part, count - 17), HOP_OK);
    assert_memory_equal(part, bytes + 17, count - 17);
    assert_int_equal(hop__input_read_at(context, input, 17, part, count - 16), HOP_ERR_INPUT);
    assert_message(context, "the file ends here, expected");
    assert_int_equal(hop__input_read_at(context, input, UINT64_MAX, part, 2), HOP_ERR_INPUT);
    /* The file shrinks behind our back. */
    assert_int_equal(truncate(temporary("whole"), 1000), 0);
    assert_int_equal(hop__input_read_at(context, input, 17, part, count - 17), HOP_ERR_IO);
    assert_message(context, "became shorter");
    hop__input_close(input);
    free(part);
    free(bytes);
    free_context(context);
}

static void test_open_errors(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph = NULL;
    assert_int_equal(hop_graph_read(context, temporary("missing.txt"), NULL, &graph), HOP_ERR_IO);
    assert_message(context, "missing.txt: cannot open: No such file");
    assert_int_equal(hop_graph_read(context, temporary(NULL), NULL, &graph), HOP_ERR_IO);
    assert_message(context, ": Is a directory"); /* read, or on Windows opened */
    assert_int_equal(hop_graph_read(context, NULL, NULL, &graph), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_graph_read(context, "x", NULL, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_graph_read_memory(context, "x", NULL, 3, NULL, &graph), HOP_ERR_ARGUMENT);
    free_context(context);
}

/* Files of /proc say that they are empty, and are not. */
static void test_size_that_lies(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop__input *input = NULL;
    const unsigned char *bytes;
    size_t count;
    assert_int_equal(hop__input_open(context, "/proc/self/stat", NULL, &input), HOP_OK);
    assert_int_equal(hop__input_peek(context, input, 64, &bytes, &count), HOP_OK);
    assert_true(count > 10);
    hop__input_close(input);
    free_context(context);
}

typedef struct canceller {
    int calls;
} canceller;

static bool cancel(void *user, const hop_progress *progress) {
    canceller *self = user;
    (void)progress;
    self->calls++;
    return false;
}

/* Reading ends soon after the callback says so. */
static void test_cancel(void **state) {
    (void)state;
    enum { LINES = 400000 };
    char *text = malloc(LINES * 8);
    size_t used = 0;
    for (int i = 0; i < LINES; i++)
        used += (size_t)sprintf(text + used, "%d %d\n", i % 1000, i % 77);
    save_file(temporary("c.txt"), text, used);
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    hop_graph *graph = NULL;
    canceller self = {0};
    options.progress = cancel;
    options.progress_user = &self;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    assert_int_equal(hop_graph_read(context, temporary("c.txt"), NULL, &graph), HOP_ERR_CANCELLED);
    assert_null(graph);
    assert_true(self.calls >= 1);
    free_context(context);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes),       cmocka_unit_test(test_streams),
        cmocka_unit_test(test_waiting_is_sleep), cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_damaged_gzip),     cmocka_unit_test(test_bomb),
        cmocka_unit_test(test_exact_limit),      cmocka_unit_test(test_whole_and_parts),
        cmocka_unit_test(test_open_errors),      cmocka_unit_test(test_size_that_lies),
        cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
