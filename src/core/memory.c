/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks with a header, charged to a pool. The contract is in memory.h; the library's own
 * allocator is in memory_default.c.
 *
 * A block of b bytes is one request of b + 64 to the allocator: the header, then the data. The
 * request is what is charged, so `used` is what the allocator was asked for.
 *
 * Invariants:
 * 1. used = sum of `total` over the live blocks of the pool (plus requests under way).
 * 2. used <= budget: a request is charged by compare-and-swap before the allocator sees it.
 * 3. A pool lives as long as its references and its blocks, each of which counts as one. */
#include "core/memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/checked.h"

#define BLOCK_MAGIC UINT64_C(0x686f706c69746531)

struct hop__pool {
    hop_allocator allocator;
    uint64_t budget;
    atomic_uint_fast64_t references;
    atomic_uint_fast64_t used;
    atomic_uint_fast64_t peak;
};

typedef struct block_header {
    uint64_t magic;
    hop__pool *pool;
    size_t total; /* header and data, as asked of the allocator */
} block_header;

enum { HEADER_BYTES = 64 };
_Static_assert(sizeof(block_header) <= HEADER_BYTES, "the data begins on the next cache line");

hop_status hop__pool_create(const hop_allocator *allocator, uint64_t budget, hop__pool **pool) {
    hop__pool *made = allocator->allocate(allocator->user, sizeof *made, 64);
    *pool = made;
    if (made == NULL)
        return HOP_ERR_MEMORY;
    made->allocator = *allocator;
    made->budget = budget;
    atomic_init(&made->references, 1);
    atomic_init(&made->used, 0);
    atomic_init(&made->peak, 0);
    return HOP_OK;
}

hop__pool *hop__pool_retain(hop__pool *pool) {
    atomic_fetch_add_explicit(&pool->references, 1, memory_order_relaxed);
    return pool;
}

void hop__pool_release(hop__pool *pool) {
    if (pool == NULL || atomic_fetch_sub_explicit(&pool->references, 1, memory_order_acq_rel) != 1)
        return;
    hop_allocator allocator = pool->allocator;
    allocator.release(allocator.user, pool, sizeof *pool);
}

hop__memory_usage hop__pool_usage(const hop__pool *pool) {
    hop__memory_usage usage = {.budget = pool->budget,
                               .used = atomic_load_explicit(&pool->used, memory_order_relaxed),
                               .peak = atomic_load_explicit(&pool->peak, memory_order_relaxed)};
    return usage;
}

void hop__pool_reset_peak(hop__pool *pool) {
    atomic_store_explicit(&pool->peak, atomic_load_explicit(&pool->used, memory_order_relaxed),
                          memory_order_relaxed);
}

static bool charge(hop__pool *pool, uint64_t bytes) {
    uint_fast64_t used = atomic_load_explicit(&pool->used, memory_order_relaxed);
    do {
        if (bytes > pool->budget || used > pool->budget - bytes)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&pool->used, &used, used + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    uint_fast64_t now = used + bytes;
    uint_fast64_t peak = atomic_load_explicit(&pool->peak, memory_order_relaxed);
    while (peak < now && !atomic_compare_exchange_weak_explicit(
                             &pool->peak, &peak, now, memory_order_relaxed, memory_order_relaxed))
        ;
    return true;
}

static void uncharge(hop__pool *pool, uint64_t bytes) {
    atomic_fetch_sub_explicit(&pool->used, bytes, memory_order_relaxed);
}

bool hop__charge(hop_context *context, uint64_t bytes) {
    return charge(context->pool, bytes);
}

void hop__uncharge(hop_context *context, uint64_t bytes) {
    uncharge(context->pool, bytes);
}

static hop_status over_budget(hop_context *context, const char *what, uint64_t bytes) {
    hop__memory_usage usage = hop__pool_usage(context->pool);
    uint64_t left = usage.budget - (usage.used < usage.budget ? usage.used : usage.budget);
    char need[32], unused[32], budget[16];
    hop__size_text(bytes, need);
    hop__size_text(left, unused);
    if (strcmp(need, unused) == 0) { /* "4.0 GiB needed, 4.0 GiB free" would puzzle */
        snprintf(need, sizeof need, "%llu bytes", (unsigned long long)bytes);
        snprintf(unused, sizeof unused, "%llu bytes", (unsigned long long)left);
    }
    hop__fail(context, HOP_ERR_BUDGET, "%s: %s needed, %s of the %s budget free", what, need,
              unused, hop__size_text(usage.budget, budget));
    hop__note_need(context, HOP_KIND_BUDGET, bytes, left);
    return hop__remedy(context, HOP_REMEDY_RAISE_MEMORY, "raise the memory budget");
}

static hop_status refused(hop_context *context, const char *what, uint64_t bytes) {
    char need[16], used[16];
    hop__fail(context, HOP_ERR_MEMORY, "%s: the system refused %s, with %s in use", what,
              hop__size_text(bytes, need),
              hop__size_text(hop__pool_usage(context->pool).used, used));
    hop__note_need(context, HOP_KIND_MEMORY, bytes, HOP_UNKNOWN);
    return hop__remedy(context, HOP_REMEDY_FREE_MEMORY,
                       "free memory, or lower the memory budget to be told sooner");
}

/* The size of the request for count elements; false when it cannot be expressed. Without elements
 * it is a byte, as no checker of leaks takes the end of a block for a pointer into it. */
static bool total_bytes(uint64_t count, size_t size, size_t *total) {
    return hop__mul_size(count, size, total) &&
           hop__add_size(*total > 0 ? *total : 1, HEADER_BYTES, total) && *total <= PTRDIFF_MAX;
}

static hop_status not_addressable(hop_context *context, const char *what, uint64_t count,
                                  size_t size) {
    return hop__fail(context, HOP_ERR_BUDGET,
                     "%s: %llu elements of %zu bytes needed, more than a process can address", what,
                     (unsigned long long)count, size);
}

static void *data_of(block_header *header) {
    return (char *)header + HEADER_BYTES;
}

static block_header *header_of(void *block) {
    return (block_header *)(void *)((char *)block - HEADER_BYTES);
}

static block_header *header_set(void *start, hop__pool *pool, size_t total) {
    block_header *header = start;
    header->magic = BLOCK_MAGIC;
    header->pool = pool;
    header->total = total;
    return header;
}

static hop_status block_make(hop_context *context, const char *what, uint64_t count, size_t size,
                             block_header **header) {
    *header = NULL;
    size_t total;
    if (!total_bytes(count, size, &total))
        return not_addressable(context, what, count, size);
    hop__pool *pool = context->pool;
    if (!charge(pool, total))
        return over_budget(context, what, total);
    void *start = pool->allocator.allocate(pool->allocator.user, total, 64);
    if (start == NULL) {
        uncharge(pool, total);
        return refused(context, what, total);
    }
    *header = header_set(start, hop__pool_retain(pool), total);
    return HOP_OK;
}

static void slot_set(void *slot, void *block) {
    /* The slot is a T *, which may not be written as a void *. */
    memcpy(slot, &block, sizeof block);
}

hop_status hop__alloc(hop_context *context, const char *what, uint64_t count, size_t size,
                      void *slot) {
    block_header *header;
    hop_status status = block_make(context, what, count, size, &header);
    slot_set(slot, header == NULL ? NULL : data_of(header));
    return status;
}

hop_status hop__alloc_zero(hop_context *context, const char *what, uint64_t count, size_t size,
                           void *slot) {
    block_header *header;
    hop_status status = block_make(context, what, count, size, &header);
    if (status == HOP_OK) {
        /* Pages fresh from the system are zero already, and stay unallocated until used. */
        bool fresh = header->pool->allocator.allocate == hop__default_allocator.allocate &&
                     header->total >= HOP__MAPPED_BYTES;
        if (!fresh)
            memset(data_of(header), 0, header->total - HEADER_BYTES);
    }
    slot_set(slot, header == NULL ? NULL : data_of(header));
    return status;
}

/* With an allocator that cannot resize: both blocks exist for a while, and both are charged. */
static hop_status resize_by_copy(hop_context *context, const char *what, size_t total,
                                 block_header **header) {
    hop__pool *pool = (*header)->pool;
    size_t old_total = (*header)->total;
    if (!charge(pool, total))
        return over_budget(context, what, total);
    void *start = pool->allocator.allocate(pool->allocator.user, total, 64);
    if (start == NULL) {
        uncharge(pool, total);
        return refused(context, what, total);
    }
    memcpy(start, *header, old_total < total ? old_total : total);
    pool->allocator.release(pool->allocator.user, *header, old_total);
    uncharge(pool, old_total);
    *header = header_set(start, pool, total);
    return HOP_OK;
}

static hop_status resize_in_place(hop_context *context, const char *what, size_t total,
                                  block_header **header) {
    hop__pool *pool = (*header)->pool;
    size_t old_total = (*header)->total;
    size_t growth = total > old_total ? total - old_total : 0;
    if (growth != 0 && !charge(pool, growth))
        return over_budget(context, what, growth);
    void *start = pool->allocator.resize(pool->allocator.user, *header, old_total, total);
    if (start == NULL) {
        uncharge(pool, growth);
        return refused(context, what, growth);
    }
    if (total < old_total)
        uncharge(pool, old_total - total);
    *header = header_set(start, pool, total);
    return HOP_OK;
}

hop_status hop__resize(hop_context *context, const char *what, uint64_t count, size_t size,
                       void *slot) {
    void *block;
    memcpy(&block, slot, sizeof block);
    if (block == NULL)
        return hop__alloc(context, what, count, size, slot);
    block_header *header = header_of(block);
    size_t total;
    if (!total_bytes(count, size, &total))
        return not_addressable(context, what, count, size);
    if (total == header->total)
        return HOP_OK;
    bool shrinks = total < header->total;
    hop__failure before;
    if (shrinks)
        before = context->failure;
    hop_status status = header->pool->allocator.resize != NULL
                            ? resize_in_place(context, what, total, &header)
                            : resize_by_copy(context, what, total, &header);
    if (status != HOP_OK && shrinks) {
        /* The larger block serves as well, so nothing has failed. */
        context->failure = before;
        return HOP_OK;
    }
    slot_set(slot, data_of(header));
    return status;
}

void hop__free(void *block) {
    if (block == NULL)
        return;
    block_header *header = header_of(block);
    if (header->magic != BLOCK_MAGIC)
        return; /* not a block: a leak is better than a broken heap */
    hop__pool *pool = header->pool;
    header->magic = 0;
    size_t total = header->total;
    pool->allocator.release(pool->allocator.user, header, total);
    uncharge(pool, total);
    hop__pool_release(pool);
}

uint64_t hop__block_bytes(uint64_t count, size_t size) {
    size_t total;
    return total_bytes(count, size, &total) ? total : UINT64_MAX;
}

/* A round number to set the budget to: whole KiB, MiB or GiB, at least so many bytes. */
static const char *budget_text(uint64_t bytes, char text[24]) {
    unsigned unit = bytes > UINT64_C(10) << 30 ? 2 : bytes > UINT64_C(10) << 20 ? 1 : 0;
    uint64_t size = UINT64_C(1024) << (10 * unit);
    snprintf(text, 24, "%llu%c", (unsigned long long)(bytes / size + (bytes % size != 0)),
             "KMG"[unit]);
    return text;
}

hop_status hop__reserve_check(hop_context *context, const char *what, uint64_t bytes) {
    hop__memory_usage usage = hop__pool_usage(context->pool);
    char need[16], used[16], budget[16], enough[24];
    uint64_t all;
    if (bytes <= usage.budget && usage.used <= usage.budget - bytes)
        return HOP_OK;
    if (!hop__add_u64(usage.used, bytes, &all))
        return over_budget(context, what, bytes);
    hop__fail(context, HOP_ERR_BUDGET, "%s: %s needed beside %s in use, %s allowed in all", what,
              hop__size_text(bytes, need), hop__size_text(usage.used, used),
              hop__size_text(usage.budget, budget));
    hop__note_need(context, HOP_KIND_BUDGET, bytes,
                   usage.used < usage.budget ? usage.budget - usage.used : 0);
    hop__note_enough(context, all);
    return hop__remedy(context, HOP_REMEDY_RAISE_MEMORY, "raise the memory budget to %s",
                       budget_text(all, enough));
}

hop_status hop__fail_total(hop_context *context, const char *what, uint64_t bytes,
                           uint64_t vertices, uint64_t edges, bool guessed) {
    char total[16], budget[16], points[48] = "";
    if (vertices > 0)
        snprintf(points, sizeof points, "%llu vertices and ", (unsigned long long)vertices);
    uint64_t limit = hop__pool_usage(context->pool).budget;
    hop__fail(context, HOP_ERR_BUDGET,
              "%s: %s needed in total for %s%s%llu edges, the memory budget is %s", what,
              hop__size_text(bytes + bytes / 16, total), points, guessed ? "about " : "",
              (unsigned long long)edges, hop__size_text(limit, budget));
    hop__note_need(context, HOP_KIND_BUDGET, bytes + bytes / 16, limit);
    if (!guessed)
        hop__note_enough(context, bytes + bytes / 16);
    return hop__remedy(context, HOP_REMEDY_RAISE_MEMORY, "raise it");
}

size_t hop__share_bytes(const hop_context *context, size_t least, size_t most) {
    hop__memory_usage usage = hop__pool_usage(context->pool);
    uint64_t share = usage.used < usage.budget ? (usage.budget - usage.used) / 8 : 0;
    return share < least ? least : share > most ? most : (size_t)share;
}
