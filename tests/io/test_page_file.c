/* SPDX-License-Identifier: Apache-2.0
 * Scratch in pages: comes back as it was written; a page that was changed, cut off or belongs
 * elsewhere is an error that names it; nothing is left in the folder. */
#include "io/binary_testing.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/bytes/page_file.h"
#include "io/bytes/page_spool.h"

enum { PAGES = 9, BYTES = 5000 };

static hop__scratch scratch;

static void fill_page(unsigned char *bytes, unsigned page) {
    for (unsigned i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)(i * 7 + page);
}

static hop__page_chain write_pages(hop_context *context, hop__page_file *file) {
    hop__page_chain chain = HOP__PAGE_CHAIN_EMPTY;
    unsigned char bytes[BYTES];
    scratch = (hop__scratch){.folder = temporary(NULL)};
    assert_int_equal(hop__pages_open(context, &scratch, BYTES + HOP__PAGE_HEAD, file), HOP_OK);
    assert_int_equal(hop__pages_expect(context, file, PAGES), HOP_OK);
    for (unsigned i = 0; i < PAGES; i++) {
        fill_page(bytes, i);
        hop__page_write(file, &chain, bytes, BYTES);
    }
    assert_int_equal(hop__pages_status(context, file), HOP_OK);
    return chain;
}

static void pages_come_back(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop__page_file file;
    hop__page_chain chain = write_pages(context, &file);
    unsigned char bytes[BYTES], expected[BYTES];
    unsigned count = 0;
    assert_int_equal(scratch.live, PAGES * 8192);
    for (uint32_t page = chain.first; page != HOP__NO_PAGE; page = hop__page_after(&file, page)) {
        fill_page(expected, count++);
        assert_true(hop__page_read(&file, page, bytes, BYTES));
        assert_memory_equal(bytes, expected, BYTES);
    }
    assert_int_equal(count, PAGES);
    assert_int_equal(scratch.most, PAGES * 8192);
#ifndef _WIN32 /* where a file has a name until it is closed */
    DIR *folder = opendir(temporary(NULL));
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        assert_true(entry->d_name[0] == '.' && strlen(entry->d_name) <= 2);
    closedir(folder);
#endif
    hop__pages_close(&file);
    assert_int_equal(scratch.live, 0);
    free_context(context);
}

/* A byte of page 4 changed, each of some; the file cut off; another page in its place. */
static void damage_is_named(void **state) {
    (void)state;
    static const unsigned places[] = {0, 7, 8, 9, 16, 17, 2000, BYTES + HOP__PAGE_HEAD - 1};
    enum { CHANGES = sizeof places / sizeof places[0] };
    for (unsigned i = 0; i < CHANGES + 3; i++) {
        hop_context *context = make_context(1);
        hop__page_file file;
        unsigned char bytes[BYTES], page[8192];
        write_pages(context, &file);
        if (i < CHANGES) {
            assert_int_equal(pread(file.descriptor, page, 1, 4 * 8192 + places[i]), 1);
            page[0] ^= 0x10;
            assert_int_equal(pwrite(file.descriptor, page, 1, 4 * 8192 + places[i]), 1);
        } else if (i == CHANGES) {
            assert_int_equal(ftruncate(file.descriptor, 4 * 8192 + 3000), 0);
        } else if (i == CHANGES + 1) {
            assert_int_equal(pread(file.descriptor, page, sizeof page, 5 * 8192), sizeof page);
            assert_int_equal(pwrite(file.descriptor, page, sizeof page, 4 * 8192), sizeof page);
        }
        bool shorter = i == CHANGES + 2; /* than it was written */
        assert_true(hop__page_read(&file, 3, bytes, BYTES));
        assert_false(hop__page_read(&file, 4, bytes, BYTES - shorter));
        assert_false(hop__page_read(&file, 3, bytes, BYTES)); /* the first failure stays */
        assert_int_equal(hop__pages_status(context, &file), HOP_ERR_INPUT);
        assert_message(context, "page 4 is not as it was written");
        assert_message(context, temporary(NULL));
        hop__pages_close(&file);
        free_context(context);
    }
}

static void bytes_through_a_spool(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop__page_spool spool;
    unsigned char bytes[300], back[700];
    uint64_t written = 0, taken = 0;
    scratch = (hop__scratch){.folder = temporary(NULL)};
    assert_int_equal(hop__spool_open(context, &scratch, 4096, &spool), HOP_OK);
    for (unsigned i = 0; i < 200; i++) {
        for (unsigned k = 0; k < i; k++)
            bytes[k] = (unsigned char)((written + k) % 251);
        assert_int_equal(hop__spool_append(context, &spool, bytes, i), HOP_OK);
        written += i;
    }
    assert_int_equal(hop__spool_rewind(context, &spool), HOP_OK);
    while (taken < written) {
        uint64_t part = written - taken < sizeof back ? written - taken : sizeof back;
        assert_int_equal(hop__spool_read(context, &spool, back, part), HOP_OK);
        for (uint64_t k = 0; k < part; k++)
            assert_int_equal(back[k], (taken + k) % 251);
        taken += part;
    }
    assert_int_equal(spool.bytes, 0);
    hop__spool_close(&spool);
    free_context(context);
}

/* What was dropped in order is given back, some MiB at a time. */
static void dropped_pages_are_given_back(void **state) {
    (void)state;
    enum { MIB = 1 << 20, COUNT = 20 };
    hop_context *context = make_context(1);
    hop__page_file file;
    hop__page_chain chain = HOP__PAGE_CHAIN_EMPTY;
    unsigned char *bytes = calloc(1, MIB);
    scratch = (hop__scratch){.folder = temporary(NULL)};
    assert_int_equal(hop__pages_open(context, &scratch, MIB, &file), HOP_OK);
    assert_int_equal(hop__pages_expect(context, &file, COUNT), HOP_OK);
    for (unsigned i = 0; i < COUNT; i++)
        hop__page_write(&file, &chain, bytes, hop__page_room(&file));
    assert_int_equal(scratch.live, COUNT * MIB);
    for (uint32_t page = 0; page < COUNT; page++) {
        assert_true(hop__page_read(&file, page, bytes, hop__page_room(&file)));
        hop__page_drop(&file, page);
    }
    if (!file.keeps) {
        struct stat about;
        assert_int_equal(fstat(file.descriptor, &about), 0);
        assert_true(scratch.live <= COUNT / 16 * MIB);
        assert_true((uint64_t)about.st_blocks * 512 <= COUNT / 16 * (MIB + 65536));
    }
    hop__pages_close(&file);
    assert_int_equal(scratch.live, 0);
    free(bytes);
    free_context(context);
}

static void no_such_folder(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop__page_file file;
    scratch = (hop__scratch){.folder = "/nowhere/at/all"};
    assert_int_equal(hop__pages_open(context, &scratch, 4096, &file), HOP_ERR_IO);
    assert_message(context, "/nowhere/at/all");
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_come_back),       cmocka_unit_test(damage_is_named),
        cmocka_unit_test(bytes_through_a_spool), cmocka_unit_test(dropped_pages_are_given_back),
        cmocka_unit_test(no_such_folder),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
