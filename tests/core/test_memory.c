/* SPDX-License-Identifier: Apache-2.0
 * Blocks, budgets and counters; the library's own allocator and others. */
#include "core/core_testing.h"

#include <stdio.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/parallel.h"

enum { HEADER = 64 }; /* memory.h: what a block costs besides its elements */

static hop_context *make_budgeted(hop_context_options options, uint64_t budget) {
    options.memory_budget = budget;
    hop_context *context = NULL;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

static hop_context *make_small(uint64_t budget) {
    const hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    return make_budgeted(options, budget);
}

static void the_budget_is_exact(void **state) {
    (void)state;
    hop_context *context = make_small(100000);
    char *first, *second;
    assert_int_equal(hop__alloc(context, "test: all", 100000 - HEADER, 1, &first), HOP_OK);
    assert_int_equal(hop_context_memory_used(context), 100000);
    assert_int_equal(hop__alloc(context, "test: more", 0, 1, &second), HOP_ERR_BUDGET);
    assert_null(second);
    assert_message(context, "test: more: 65 bytes needed, 0 bytes of the 97.7 KiB budget free; "
                            "raise the memory budget");
    hop__free(first);
    assert_int_equal(hop_context_memory_used(context), 0);
    assert_int_equal(hop__alloc(context, "test: all", 100000 - HEADER + 1, 1, &first),
                     HOP_ERR_BUDGET);
    assert_null(first);
    /* The numbers would read alike in KiB. */
    assert_message(context, "test: all: 100001 bytes needed, 100000 bytes of the 97.7 KiB budget "
                            "free; raise the memory budget");
    assert_int_equal(hop_context_memory_peak(context), 100000);
    free_context(context);
}

/* A pointer to its end would be none into it for a checker of leaks. */
static void an_empty_block_has_a_byte(void **state) {
    (void)state;
    hop_context *context = make_small(100000);
    char *block;
    assert_int_equal(hop__alloc(context, "test: none", 0, 8, &block), HOP_OK);
    assert_int_equal(hop_context_memory_used(context), HEADER + 1);
    *block = 1;
    assert_int_equal(hop__resize(context, "test: some", 5, 8, &block), HOP_OK);
    assert_int_equal(hop_context_memory_used(context), HEADER + 40);
    assert_int_equal(hop__resize(context, "test: none", 0, 8, &block), HOP_OK);
    assert_int_equal(hop_context_memory_used(context), HEADER + 1);
    hop__free(block);
    free_context(context);
}

static void a_huge_request_is_refused_with_the_numbers(void **state) {
    (void)state;
    hop_context *context = make_small(UINT64_C(8) << 30);
    uint64_t *block;
    assert_int_equal(hop__alloc(context, "build: offsets", UINT64_C(1248224870), 8, &block),
                     HOP_ERR_BUDGET);
    assert_message(context, "build: offsets: 9.3 GiB needed, 8.0 GiB of the 8.0 GiB budget free; "
                            "raise the memory budget");
    assert_int_equal(hop__alloc(context, "rows", UINT64_MAX, 8, &block), HOP_ERR_BUDGET);
    assert_message(context, "rows: 18446744073709551615 elements of 8 bytes needed, more than a "
                            "process can address");
    assert_int_equal(hop__alloc(context, "rows", SIZE_MAX - 63, 1, &block), HOP_ERR_BUDGET);
    assert_int_equal(hop__alloc(context, "rows", SIZE_MAX / 2, 1, &block), HOP_ERR_BUDGET);
    free_context(context);
}

static void what_the_system_refuses_is_an_error(void **state) {
    (void)state;
    if (SANITIZED) /* these end the program instead */
        skip();
    hop_context *context = make_small(UINT64_MAX);
    char *block;
    assert_int_equal(hop__alloc(context, "test", UINT64_C(1) << 50, 1, &block), HOP_ERR_MEMORY);
    assert_null(block);
    assert_message(context, "test: the system refused 1.0 PiB, with 0 bytes in use; free memory, "
                            "or lower the memory budget to be told sooner");
    assert_int_equal(hop_context_memory_used(context), 0);
    assert_int_equal(hop__alloc(context, "test", 5 << 20, 1, &block), HOP_OK);
    block[0] = 1;
    assert_int_equal(hop__resize(context, "test", UINT64_C(1) << 50, 1, &block), HOP_ERR_MEMORY);
    assert_int_equal(block[0], 1); /* the old block is still there */
    assert_int_equal(hop_context_memory_used(context), (5 << 20) + HEADER);
    hop__free(block);
    free_context(context);
}

static void used_and_peak(void **state) {
    (void)state;
    hop_context *context = make_small(1 << 20);
    char *a, *b;
    assert_int_equal(hop__alloc(context, "a", 1000, 1, &a), HOP_OK);
    assert_int_equal(hop__alloc(context, "b", 500, 2, &b), HOP_OK);
    assert_int_equal(hop_context_memory_used(context), 2 * (1000 + HEADER));
    assert_int_equal(hop__block_bytes(500, 2), 1000 + HEADER);
    assert_true(hop__block_bytes(UINT64_MAX / 2, 2) == UINT64_MAX);
    hop__free(a);
    assert_int_equal(hop_context_memory_used(context), 1000 + HEADER);
    assert_int_equal(hop_context_memory_peak(context), 2 * (1000 + HEADER));
    hop_context_reset_peak(context);
    assert_int_equal(hop_context_memory_peak(context), 1000 + HEADER);
    hop__free(b);
    hop__free(NULL);
    assert_int_equal(hop_context_memory_peak(context), 1000 + HEADER);
    free_context(context);
}

/* Sizes on both sides of where the allocator changes its ways: 1 MiB and 4 MiB, header included. */
static const size_t sizes[] = {0,
                               1,
                               63,
                               64,
                               4096,
                               (1 << 20) - HEADER - 1,
                               (1 << 20) - HEADER,
                               (1 << 20) + 1,
                               (2 << 20),
                               (4 << 20) - HEADER - 1,
                               (4 << 20) - HEADER,
                               (4 << 20) + 4097,
                               (9 << 20)};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* Every 61st byte, and the last to be sure that it can be written: a lost page is seen. */
enum { FILL_STEP = 61 };

static unsigned char pattern(size_t i) {
    return (unsigned char)(i * 7 + i / 251);
}

static void fill(unsigned char *block, size_t begin, size_t end) {
    for (size_t i = (begin + FILL_STEP - 1) / FILL_STEP * FILL_STEP; i < end; i += FILL_STEP)
        block[i] = pattern(i);
    if (end > begin)
        block[end - 1] = pattern(end - 1);
}

static bool filled(const unsigned char *block, size_t bytes) {
    for (size_t i = 0; i < bytes; i += FILL_STEP)
        if (block[i] != pattern(i))
            return false;
    return true;
}

/* A block that has grown to 4 MiB begins on a huge page, however it got there. */
static void assert_aligned(const hop_context *context, const void *block, size_t from, size_t to) {
    assert_int_equal((uintptr_t)block % 64, 0);
    bool own = context->options.allocator.allocate == hop__default_allocator.allocate;
    if (own && !SANITIZED_ADDRESS && to > from && to + HEADER >= 4 << 20)
        assert_int_equal(((uintptr_t)block - HEADER) % (2 << 20), 0);
}

static void check_resizes(hop_context *context) {
    for (size_t from = 0; from < SIZES; from++) {
        for (size_t to = 0; to < SIZES; to++) {
            unsigned char *block;
            size_t less = sizes[from] < sizes[to] ? sizes[from] : sizes[to];
            assert_int_equal(hop__alloc(context, "test", sizes[from], 1, &block), HOP_OK);
            assert_int_equal((uintptr_t)block % 64, 0);
            fill(block, 0, sizes[from]);
            assert_int_equal(hop__resize(context, "test", sizes[to], 1, &block), HOP_OK);
            assert_aligned(context, block, sizes[from], sizes[to]);
            assert_true(filled(block, less));
            fill(block, less, sizes[to]); /* all of it can be written */
            assert_true(filled(block, sizes[to]));
            assert_int_equal(hop_context_memory_used(context), hop__block_bytes(sizes[to], 1));
            hop__free(block);
            assert_int_equal(hop_context_memory_used(context), 0);
        }
    }
}

static void resizing_keeps_contents(void **state) {
    (void)state;
    hop_context *context = make_small(UINT64_C(1) << 30);
    check_resizes(context);
    free_context(context);
    for (int with_resize = 0; with_resize < 2; with_resize++) {
        test_heap heap = {0};
        context = make_budgeted(heap_options(&heap, with_resize), UINT64_C(1) << 30);
        check_resizes(context);
        free_context(context);
        assert_heap_empty(&heap);
    }
}

static void a_block_may_grow_many_times(void **state) {
    (void)state;
    hop_context *context = make_small(UINT64_C(1) << 30);
    unsigned char *block = NULL, *other = NULL;
    size_t bytes = 0;
    while (bytes < (size_t)40 << 20) {
        size_t more = bytes + bytes / 3 + 1000;
        assert_int_equal(hop__resize(context, "test", more, 1, &block), HOP_OK);
        fill(block, bytes, more);
        bytes = more;
        /* Something in the way, so that it has to move. */
        hop__free(other);
        assert_int_equal(hop__alloc(context, "test", bytes, 1, &other), HOP_OK);
        memset(other, 0xff, bytes);
    }
    assert_true(filled(block, bytes));
    while (bytes > 10) {
        bytes /= 3;
        assert_int_equal(hop__resize(context, "test", bytes, 1, &block), HOP_OK);
        assert_true(filled(block, bytes));
    }
    hop__free(block);
    hop__free(other);
    free_context(context);
}

static void resizing_over_the_budget_keeps_the_block(void **state) {
    (void)state;
    hop_context *context = make_small(10000);
    unsigned char *block;
    assert_int_equal(hop__alloc(context, "test", 5000, 1, &block), HOP_OK);
    fill(block, 0, 5000);
    unsigned char *before = block;
    assert_int_equal(hop__resize(context, "test", 10000 - HEADER + 1, 1, &block), HOP_ERR_BUDGET);
    assert_message(context, "test: 4937 bytes needed, 4936 bytes of the 9.8 KiB budget free; raise "
                            "the memory budget");
    assert_ptr_equal(block, before);
    assert_int_equal(hop__resize(context, "test", UINT64_MAX, 8, &block), HOP_ERR_BUDGET);
    assert_ptr_equal(block, before);
    assert_true(filled(block, 5000));
    assert_int_equal(hop__resize(context, "test", 10000 - HEADER, 1, &block), HOP_OK);
    assert_true(filled(block, 5000));
    assert_int_equal(hop_context_memory_used(context), 10000);
    hop__free(block);
    free_context(context);
}

/* Without `resize` both blocks exist for a while, and the budget knows. */
static void resizing_by_copy_is_charged_for_both(void **state) {
    (void)state;
    test_heap heap = {0};
    hop_context *context = make_budgeted(heap_options(&heap, false), 10000);
    unsigned char *block;
    assert_int_equal(hop__alloc(context, "test", 4000, 1, &block), HOP_OK);
    assert_int_equal(hop__resize(context, "test", 6000, 1, &block), HOP_ERR_BUDGET);
    assert_int_equal(hop__resize(context, "test", 5000, 1, &block), HOP_OK);
    assert_int_equal(hop_context_memory_peak(context), 9000 + 2 * HEADER);
    assert_int_equal(hop_context_memory_used(context), 5000 + HEADER);
    hop__free(block);
    free_context(context);
    assert_heap_empty(&heap);
}

static void shrinking_never_fails(void **state) {
    (void)state;
    for (int with_resize = 0; with_resize < 2; with_resize++) {
        test_heap heap = {0};
        hop_context *context = make_budgeted(heap_options(&heap, with_resize), 10000);
        unsigned char *block;
        assert_int_equal(hop__alloc(context, "test", 9000, 1, &block), HOP_OK);
        fill(block, 0, 9000);
        hop__fail(context, HOP_OK, "an earlier message");
        heap_fail_at(&heap, 1);
        assert_int_equal(hop__resize(context, "test", 100, 1, &block), HOP_OK);
        assert_true(filled(block, 100));
        assert_message(context, "an earlier message");
        assert_int_equal(hop_context_memory_used(context), 9000 + HEADER); /* kept, and counted */
        heap_fail_at(&heap, 0);
        assert_int_equal(hop__resize(context, "test", 10, 1, &block), HOP_OK);
        assert_true(filled(block, 10));
        /* By copy the budget has no place for a second block of 9,000, but it has for one of 10. */
        assert_int_equal(hop_context_memory_used(context), 10 + HEADER);
        hop__free(block);
        free_context(context);
        assert_heap_empty(&heap);
    }
}

static bool all_zero(const unsigned char *block, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (block[i] != 0)
            return false;
    return true;
}

static void zero_is_zero(void **state) {
    (void)state;
    test_heap heap = {0};
    hop_context *contexts[] = {make_small(UINT64_C(1) << 30),
                               make_budgeted(heap_options(&heap, true), UINT64_C(1) << 30)};
    for (size_t c = 0; c < 2; c++) {
        for (size_t i = 0; i < SIZES; i++) {
            unsigned char *block;
            assert_int_equal(hop__alloc(contexts[c], "test", sizes[i], 1, &block), HOP_OK);
            memset(block, 0xff, sizes[i]);
            hop__free(block); /* so that the next one may get used memory */
            assert_int_equal(hop__alloc_zero(contexts[c], "test", sizes[i], 1, &block), HOP_OK);
            assert_true(all_zero(block, sizes[i]));
            hop__free(block);
        }
        free_context(contexts[c]);
    }
    assert_heap_empty(&heap);
}

/* Bytes of this process that are in memory. */
static uint64_t resident(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*u %llu", &pages), 1);
    fclose(file);
    return pages * 4096;
}

static void zero_pages_are_not_touched_and_shrinking_gives_back(void **state) {
    (void)state;
    if (SANITIZED)
        skip();
    hop_context *context = make_small(UINT64_C(1) << 40);
    uint64_t before = resident();
    unsigned char *block;
    assert_int_equal(hop__alloc_zero(context, "test", UINT64_C(1) << 30, 1, &block), HOP_OK);
    assert_true(resident() < before + (16 << 20));
    assert_int_equal(block[UINT64_C(1) << 29], 0);
    memset(block, 1, 64 << 20);
    assert_true(resident() > before + (60 << 20));
    assert_int_equal(hop__resize(context, "test", 2 << 20, 1, &block), HOP_OK);
    assert_int_equal(block[(2 << 20) - 1], 1);
    assert_true(resident() < before + (16 << 20));
    hop__free(block);
    free_context(context);
}

/* Whether huge pages are asked for in the mapping that has `address`; how many there are is the
 * system's to say. Also where the system does not know of them: it cannot be asked then. */
static bool asks_for_huge_pages(const void *address) {
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512];
    bool inside = false, told = false, asks = false;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        unsigned long begin, end;
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            inside = begin <= (uintptr_t)address && (uintptr_t)address < end;
        else if (inside && strncmp(line, "VmFlags:", 8) == 0) {
            told = true;
            asks = strstr(line, " hg") != NULL;
        }
    }
    if (file != NULL)
        fclose(file);
    return asks || !told || access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0;
}

static void large_blocks_are_on_huge_pages(void **state) {
    (void)state;
    if (SANITIZED)
        skip();
    hop_context *context = make_small(UINT64_C(1) << 30);
    unsigned char *block, *way;
    assert_int_equal(hop__alloc(context, "test", 32 << 20, 1, &block), HOP_OK);
    assert_int_equal(((uintptr_t)block - HEADER) % (2 << 20), 0);
    assert_true(asks_for_huge_pages(block));
    assert_int_equal(hop__alloc(context, "test", 32 << 20, 1, &way), HOP_OK);
    assert_int_equal(hop__resize(context, "test", 99 << 20, 1, &block), HOP_OK);
    assert_int_equal(((uintptr_t)block - HEADER) % (2 << 20), 0);
    assert_true(asks_for_huge_pages(block) && asks_for_huge_pages(block + (98 << 20)));
    hop__free(way);
    hop__free(block);
    free_context(context);
}

/* With free addresses right behind it, a block could grow in place, and stay off the boundary. */
static void growing_in_place_does_not_lose_the_boundary(void **state) {
    (void)state;
    hop_context *context = make_small(UINT64_C(1) << 30);
    for (size_t bytes = 1 << 20; bytes < 4 << 20; bytes += 5 * 4096) {
        unsigned char *behind, *block;
        assert_int_equal(hop__alloc(context, "test", bytes, 1, &behind), HOP_OK);
        assert_int_equal(hop__alloc(context, "test", bytes, 1, &block), HOP_OK);
        fill(block, 0, bytes);
        hop__free(behind);
        assert_int_equal(hop__resize(context, "test", (4 << 20) + 4096, 1, &block), HOP_OK);
        assert_aligned(context, block, bytes, (4 << 20) + 4096);
        assert_true(filled(block, bytes));
        hop__free(block);
    }
    free_context(context);
}

static void blocks_outlive_their_context(void **state) {
    (void)state;
    test_heap heap = {0};
    hop_context *context = make_budgeted(heap_options(&heap, true), 10000);
    char *first, *second;
    assert_int_equal(hop__alloc(context, "test", 100, 1, &first), HOP_OK);
    assert_int_equal(hop__alloc(context, "test", 200, 1, &second), HOP_OK);
    hop__pool *pool = hop__pool_retain(context->pool);
    hop_context_free(context);
    first[99] = 1;
    second[199] = 1;
    assert_int_equal(hop__pool_usage(pool).used, 300 + 2 * HEADER);
    hop__free(first);
    assert_int_equal(hop__pool_usage(pool).used, 200 + HEADER);
    hop__pool_release(pool);
    hop__free(second); /* the last to go takes the pool with it */
    hop__pool_release(NULL);
    assert_heap_empty(&heap);
}

static void the_kth_request_fails(void **state) {
    (void)state;
    test_heap heap = {0};
    hop_context *context = make_budgeted(heap_options(&heap, true), 1 << 20);
    for (unsigned k = 1; k <= 4; k++) {
        char *block[3] = {NULL, NULL, NULL};
        heap_fail_at(&heap, k);
        for (unsigned i = 0; i < 3; i++) {
            hop_status status = hop__alloc(context, "test", 1000 * (i + 1), 1, &block[i]);
            assert_int_equal(status, i + 1 == k ? HOP_ERR_MEMORY : HOP_OK);
            assert_int_equal(block[i] == NULL, i + 1 == k);
        }
        hop_status status = hop__resize(context, "test", 5000, 1, &block[1]);
        assert_int_equal(status, k == 4 ? HOP_ERR_MEMORY : HOP_OK);
        for (unsigned i = 0; i < 3; i++)
            hop__free(block[i]);
        assert_int_equal(hop_context_memory_used(context), 0);
    }
    free_context(context);
    assert_heap_empty(&heap);
}

static void reserve_check_allocates_nothing(void **state) {
    (void)state;
    hop_context *context = make_small(1000);
    assert_int_equal(hop__reserve_check(context, "plan", 1000), HOP_OK);
    assert_int_equal(hop__reserve_check(context, "plan", 1001), HOP_ERR_BUDGET);
    assert_message(context, "plan: 1001 bytes needed beside 0 bytes in use, 1000 bytes allowed "
                            "in all; raise the memory budget to 1K");
    assert_int_equal(hop__reserve_check(context, "plan", UINT64_MAX), HOP_ERR_BUDGET);
    char *block;
    assert_int_equal(hop__alloc(context, "test", 436, 1, &block), HOP_OK);
    assert_int_equal(hop__reserve_check(context, "plan", 500), HOP_OK);
    assert_int_equal(hop__reserve_check(context, "plan", 501), HOP_ERR_BUDGET);
    assert_int_equal(hop_context_memory_peak(context), 500);
    hop__free(block);
    free_context(context);
}

enum { SHARED_BLOCKS = 1000 };

static void free_some(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    char **blocks = arg;
    for (uint64_t i = begin; i < end; i++)
        hop__free(blocks[i]);
}

static void any_thread_may_free(void **state) {
    (void)state;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = 4;
    hop_context *context = make_budgeted(options, UINT64_C(1) << 30);
    char *blocks[SHARED_BLOCKS];
    for (unsigned i = 0; i < SHARED_BLOCKS; i++)
        assert_int_equal(hop__alloc(context, "test", i, 10, &blocks[i]), HOP_OK);
    hop__for(context, SHARED_BLOCKS, 7, free_some, blocks);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_budget_is_exact),
        cmocka_unit_test(an_empty_block_has_a_byte),
        cmocka_unit_test(a_huge_request_is_refused_with_the_numbers),
        cmocka_unit_test(what_the_system_refuses_is_an_error),
        cmocka_unit_test(used_and_peak),
        cmocka_unit_test(resizing_keeps_contents),
        cmocka_unit_test(a_block_may_grow_many_times),
        cmocka_unit_test(resizing_over_the_budget_keeps_the_block),
        cmocka_unit_test(resizing_by_copy_is_charged_for_both),
        cmocka_unit_test(shrinking_never_fails),
        cmocka_unit_test(zero_is_zero),
        cmocka_unit_test(zero_pages_are_not_touched_and_shrinking_gives_back),
        cmocka_unit_test(large_blocks_are_on_huge_pages),
        cmocka_unit_test(growing_in_place_does_not_lose_the_boundary),
        cmocka_unit_test(blocks_outlive_their_context),
        cmocka_unit_test(the_kth_request_fails),
        cmocka_unit_test(reserve_check_allocates_nothing),
        cmocka_unit_test(any_thread_may_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
