/* SPDX-License-Identifier: Apache-2.0
 * Outputs: the path never holds half a file, nothing is left behind, permissions and links stay,
 * and what the system refuses is reported. */
#include "io/bytes/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include "io/text_testing.h"

/* Stands before the system's own: what a file system that does not link says. */
static int link_error, links;

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    links++;
    errno = link_error;
    return link_error != 0 ? -1 : (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

/* Whether files can be without a name here. */
static bool nameless(void) {
    int descriptor = open(temporary(NULL), O_RDWR | O_TMPFILE, 0600);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0;
}

static unsigned files_in_folder(void) {
    unsigned count = 0;
    DIR *folder = opendir(temporary(NULL));
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void test_commit_and_discard(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop__output *output = NULL;
    const char *path = temporary("a");
    save_file(path, "old", 3);
    unsigned before = files_in_folder();
    assert_int_equal(hop__output_open(context, path, false, &output), HOP_OK);
    assert_int_equal(hop__output_write(context, output, "half", 4), HOP_OK);
    assert_int_equal(files_in_folder(), before + !nameless());
    /* A failure: the old file stays, the new one goes, the failure is passed on. */
    assert_int_equal(hop__output_close(context, output, HOP_ERR_INPUT), HOP_ERR_INPUT);
    assert_int_equal(files_in_folder(), before);
    file_bytes file = load_file(path);
    assert_int_equal(file.count, 3);
    free(file.bytes);
    assert_int_equal(hop__output_open(context, path, false, &output), HOP_OK);
    assert_int_equal(hop__output_print(context, output, "%d\n", 42), HOP_OK);
    assert_int_equal(hop__output_offset(output), 3);
    assert_int_equal(hop__output_close(context, output, HOP_OK), HOP_OK);
    file = load_file(path);
    assert_memory_equal(file.bytes, "42\n", 3);
    free(file.bytes);
    assert_int_equal(files_in_folder(), before);
    free_context(context);
}

static void write_word(hop_context *context, const char *path, hop_status expected) {
    hop__output *output = NULL;
    hop_status status = hop__output_open(context, path, false, &output);
    if (status == HOP_OK) {
        status = hop__output_write(context, output, "word", 4);
        status = hop__output_close(context, output, status);
    }
    assert_int_equal(status, expected);
}

static void test_modes_and_links(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    struct stat about;
    char target[128];
    snprintf(target, sizeof target, "%s", temporary("target"));
    save_file(target, "x", 1);
    assert_int_equal(chmod(target, 0640), 0);
    assert_int_equal(symlink(target, temporary("link")), 0);
    write_word(context, temporary("link"), HOP_OK);
    assert_int_equal(lstat(temporary("link"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(target, &about), 0);
    assert_int_equal(about.st_size, 4);
    assert_int_equal(about.st_mode & 0777, 0640);
    /* A new file has the mode that the process gives to new files. */
    mode_t mask = umask(027);
    write_word(context, temporary("fresh"), HOP_OK);
    umask(mask);
    assert_int_equal(stat(temporary("fresh"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    free_context(context);
}

static void assert_word(const char *path, mode_t mode) {
    struct stat about;
    file_bytes file = load_file(path);
    assert_int_equal(file.count, 4);
    assert_memory_equal(file.bytes, "word", 4);
    free(file.bytes);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, mode);
}

/* New and replaced, linked where it is to stand, through a temporary name, or copied because the
 * system does not link: the file is complete, has its mode, and stands alone. */
static void test_ways_to_a_name(void **state) {
    (void)state;
    if (!nameless())
        skip();
    hop_context *context = make_context(1);
    mode_t mask = umask(022);
    for (int error = 0; error <= EPERM; error += EPERM) {
        link_error = error;
        unlink(temporary("named"));
        unsigned before = files_in_folder();
        links = 0;
        write_word(context, temporary("named"), HOP_OK);
        assert_int_equal(links, 1);
        assert_word(temporary("named"), 0644);
        save_file(temporary("named"), "longer than a word", 18);
        assert_int_equal(chmod(temporary("named"), 0600), 0);
        write_word(context, temporary("named"), HOP_OK);
        assert_word(temporary("named"), 0600);
        assert_int_equal(files_in_folder(), before + 1);
    }
    link_error = 0;
    umask(mask);
    free_context(context);
}

static void test_what_the_system_refuses(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    write_word(context, temporary("no/such/folder"), HOP_ERR_IO);
    assert_message(context, "cannot create a file beside it: No such file");
    write_word(context, temporary(NULL), HOP_ERR_IO);
    assert_message(context, "Is a directory");
    write_word(context, "/dev/null", HOP_OK);
    write_word(context, "/dev/full", HOP_ERR_IO);
    assert_message(context, "/dev/full: cannot write: No space left");
    free_context(context);
}

/* More than the buffer, in pieces of many sizes, plain and compressed. */
static void test_large(void **state) {
    (void)state;
    size_t count = (9 << 20) + 12345;
    unsigned char *bytes = malloc(count), *back = malloc(count + 1);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)hop__random_at(9, 0, i / 16);
    for (int gzip = 0; gzip < 2; gzip++) {
        hop_context *context = make_context(2);
        hop__output *output = NULL;
        const char *path = temporary("large");
        assert_int_equal(hop__output_open(context, path, gzip, &output), HOP_OK);
        for (size_t at = 0, piece = 1; at < count; at += piece, piece = piece * 3 + 1) {
            piece = piece < count - at ? piece : count - at;
            assert_int_equal(hop__output_write(context, output, bytes + at, piece), HOP_OK);
        }
        assert_int_equal(hop__output_offset(output), count);
        assert_int_equal(hop__output_close(context, output, HOP_OK), HOP_OK);
        gzFile file = gzopen(path, "rb"); /* reads plain files too */
        assert_non_null(file);
        assert_int_equal(gzdirect(file), !gzip);
        assert_int_equal(gzread(file, back, (unsigned)count + 1), count);
        assert_memory_equal(bytes, back, count);
        gzclose(file);
        free_context(context);
    }
    free(back);
    free(bytes);
}

/* Buffers shrink with the budget; what they are used for does not change a byte, and what is
 * refused is refused before the file is there, by a number that is enough. */
static void test_small_budgets(void **state) {
    (void)state;
    size_t count = (3 << 20) + 777;
    unsigned char *bytes = malloc(count);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)hop__random_at(9, 0, i / 16);
    for (int gzip = 0; gzip < 2; gzip++) {
        file_bytes first = {0};
        for (uint64_t budget = UINT64_C(64) << 20; budget >= 1 << 12; budget /= 2) {
            hop_context_options limits = HOP_CONTEXT_OPTIONS_INIT;
            hop_context *context = NULL;
            hop__output *output = NULL;
            limits.memory_budget = budget;
            assert_int_equal(hop_context_create(&limits, &context), HOP_OK);
            uint64_t need = hop__output_bytes(context, gzip);
            unsigned before = files_in_folder();
            hop_status status = hop__output_open(context, temporary("tight"), gzip, &output);
            assert_int_equal(status, need + 1024 > budget ? HOP_ERR_BUDGET : HOP_OK);
            if (status == HOP_OK) {
                assert_true(hop_context_memory_used(context) <= need);
                assert_int_equal(hop__output_write(context, output, bytes, count), HOP_OK);
                assert_int_equal(hop__output_close(context, output, HOP_OK), HOP_OK);
                file_bytes file = load_file(temporary("tight"));
                if (first.bytes == NULL)
                    first = file;
                assert_int_equal(file.count, first.count);
                assert_memory_equal(file.bytes, first.bytes, first.count);
                if (file.bytes != first.bytes)
                    free(file.bytes);
            } else {
                assert_int_equal(files_in_folder(), before);
            }
            free_context(context);
        }
        free(first.bytes);
    }
    free(bytes);
}

/* Most files are small: a buffer begins so, and grows. Where there is no memory for more it stays,
 * and nothing has failed. */
static void test_buffers_grow(void **state) {
    (void)state;
    enum { LEAST = 80 << 10, COUNT = (1 << 20) + 99, BUDGET = 64 << 20 };
    unsigned char *bytes = malloc(COUNT);
    for (size_t i = 0; i < COUNT; i++)
        bytes[i] = (unsigned char)hop__random_at(9, 0, i / 16);
    for (int tight = 0; tight < 2; tight++) {
        hop_context_options limits = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        hop__output *output = NULL;
        char *rest = NULL;
        limits.memory_budget = BUDGET;
        assert_int_equal(hop_context_create(&limits, &context), HOP_OK);
        assert_int_equal(hop__output_open(context, temporary("grown"), false, &output), HOP_OK);
        uint64_t used = hop_context_memory_used(context);
        assert_true(used <= LEAST);
        if (tight)
            assert_int_equal(hop__alloc(context, "rest", BUDGET - used - 1024, 1, &rest), HOP_OK);
        for (size_t at = 0; at < COUNT; at += 999)
            assert_int_equal(
                hop__output_write(context, output, bytes + at, COUNT - at < 999 ? COUNT - at : 999),
                HOP_OK);
        assert_true(tight ? hop_context_memory_used(context) <= BUDGET
                          : hop_context_memory_used(context) > LEAST);
        assert_string_equal(hop_context_message(context), "");
        hop__free(rest);
        assert_int_equal(hop__output_close(context, output, HOP_OK), HOP_OK);
        file_bytes file = load_file(temporary("grown"));
        assert_int_equal(file.count, COUNT);
        assert_memory_equal(file.bytes, bytes, COUNT);
        free(file.bytes);
        free_context(context);
    }
    free(bytes);
}

static void test_empty_gzip(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop__output *output = NULL;
    char byte;
    assert_int_equal(hop__output_open(context, temporary("empty.gz"), true, &output), HOP_OK);
    assert_int_equal(hop__output_close(context, output, HOP_OK), HOP_OK);
    gzFile file = gzopen(temporary("empty.gz"), "rb");
    assert_int_equal(gzread(file, &byte, 1), 0);
    assert_false(gzdirect(file));
    gzclose(file);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commit_and_discard),
        cmocka_unit_test(test_modes_and_links),
        cmocka_unit_test(test_ways_to_a_name),
        cmocka_unit_test(test_what_the_system_refuses),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_small_budgets),
        cmocka_unit_test(test_buffers_grow),
        cmocka_unit_test(test_empty_gzip),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
