/* SPDX-License-Identifier: Apache-2.0
 * What the tests of the core share: cmocka with what it needs, contexts, and an allocator that
 * counts, checks what it is told, and fails when asked to. */
#ifndef HOPLITE_TESTS_CORE_TESTING_H
#define HOPLITE_TESTS_CORE_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/sanitized_testing.h"
#include "device/device.h"
#include "problem/variant_testing.h"

static inline hop_context *make_context(unsigned threads) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = threads;
    hop_context *context = NULL;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

/* Frees a context with which nothing may be left, but the cycle that it keeps for its caller and
 * what its device copies through. */
static inline void free_context(hop_context *context) {
    hop__free(context->cycle);
    context->cycle = NULL;
    assert_int_equal(hop_context_memory_used(context), hop__device_pinned(context->device));
    hop_context_free(context);
}

static inline void assert_message(const hop_context *context, const char *expected) {
    assert_string_equal(hop_context_message(context), expected);
}

typedef struct test_heap {
    atomic_uint requests; /* calls of allocate and resize so far */
    unsigned fail_from;   /* the first of them to fail; 0: none */
    unsigned fail_to;     /* the last of them to fail */
    atomic_llong blocks;  /* live */
    atomic_llong bytes;   /* live, as asked for */
    atomic_uint wrong;    /* calls with a size that is not the block's, or a bad alignment */
} test_heap;

static inline bool heap_fails(test_heap *heap) {
    unsigned request = atomic_fetch_add(&heap->requests, 1) + 1;
    return heap->fail_from != 0 && request >= heap->fail_from && request <= heap->fail_to;
}

static inline void *heap_allocate(void *user, size_t bytes, size_t alignment) {
    test_heap *heap = user;
    if (alignment == 0 || alignment > 64 || (alignment & (alignment - 1)) != 0)
        atomic_fetch_add(&heap->wrong, 1);
    if (heap_fails(heap))
        return NULL;
    char *start = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (start == NULL)
        return NULL;
    memcpy(start, &bytes, sizeof bytes);
    memset(start + 64, 0xa5, bytes); /* so that nobody takes fresh memory to be zero */
    atomic_fetch_add(&heap->blocks, 1);
    atomic_fetch_add(&heap->bytes, (long long)bytes);
    return start + 64;
}

static inline void heap_check(test_heap *heap, void *block, size_t bytes) {
    size_t known;
    memcpy(&known, (char *)block - 64, sizeof known);
    if (known != bytes)
        atomic_fetch_add(&heap->wrong, 1);
}

static inline void heap_release(void *user, void *block, size_t bytes) {
    test_heap *heap = user;
    heap_check(heap, block, bytes);
    atomic_fetch_sub(&heap->blocks, 1);
    atomic_fetch_sub(&heap->bytes, (long long)bytes);
    free((char *)block - 64);
}

static inline void *heap_resize(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    test_heap *heap = user;
    heap_check(heap, block, old_bytes);
    void *moved = heap_allocate(user, new_bytes, 64);
    if (moved == NULL)
        return NULL;
    memcpy(moved, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    heap_release(user, block, old_bytes);
    return moved;
}

static inline hop_context_options heap_options(test_heap *heap, bool with_resize) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.allocator.allocate = heap_allocate;
    options.allocator.resize = with_resize ? heap_resize : NULL;
    options.allocator.release = heap_release;
    options.allocator.user = heap;
    return options;
}

/* Makes the k-th request from now on fail, and only that; 0: none. */
static inline void heap_fail_at(test_heap *heap, unsigned k) {
    atomic_store(&heap->requests, 0);
    heap->fail_from = k;
    heap->fail_to = k;
}

static inline void assert_heap_empty(test_heap *heap) {
    assert_int_equal(atomic_load(&heap->blocks), 0);
    assert_int_equal(atomic_load(&heap->bytes), 0);
    assert_int_equal(atomic_load(&heap->wrong), 0);
}

#endif
